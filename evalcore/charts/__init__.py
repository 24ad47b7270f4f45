"""Results as Plotly figures; the only place that knows Plotly."""

from evalcore.charts.comparisons import agreement_chart, pair_chart, rank_chart
from evalcore.charts.curves import curve_chart
from evalcore.charts.distributions import bootstrap_chart, error_chart
from evalcore.charts.intervals import Row, interval_chart
from evalcore.charts.matrix import confusion_chart
from evalcore.charts.planning import Curve, Mark, plan_chart
from evalcore.charts.style import DARK, LIGHT, Chart, Palette, plain

__all__ = [
    "DARK",
    "LIGHT",
    "Chart",
    "Curve",
    "Mark",
    "Palette",
    "Row",
    "agreement_chart",
    "bootstrap_chart",
    "confusion_chart",
    "curve_chart",
    "error_chart",
    "interval_chart",
    "pair_chart",
    "plain",
    "plan_chart",
    "rank_chart",
]
