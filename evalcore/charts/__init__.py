"""Results as Plotly figures; the only place that knows Plotly."""

from evalcore.charts.curves import curve_chart
from evalcore.charts.distributions import bootstrap_chart, error_chart
from evalcore.charts.intervals import Row, interval_chart
from evalcore.charts.matrix import confusion_chart
from evalcore.charts.style import DARK, LIGHT, Chart, Palette, plain

__all__ = [
    "DARK",
    "LIGHT",
    "Chart",
    "Palette",
    "Row",
    "bootstrap_chart",
    "confusion_chart",
    "curve_chart",
    "error_chart",
    "interval_chart",
    "plain",
]
