"""Results as Plotly figures; the only place that knows Plotly."""

from evalcore.charts.comparisons import agreement_chart, pair_chart, rank_chart
from evalcore.charts.curves import curve_chart
from evalcore.charts.distributions import bootstrap_chart, error_chart
from evalcore.charts.estimating import (
    Block,
    Spread,
    neighbour_chart,
    rounds_chart,
    spread_chart,
)
from evalcore.charts.intervals import Row, interval_chart
from evalcore.charts.matrix import confusion_chart
from evalcore.charts.planning import Curve, Mark, plan_chart
from evalcore.charts.style import DARK, LIGHT, Chart, Palette, plain
from evalcore.charts.teaching import (
    MOST_DRAWN,
    Axes,
    Line,
    cut_axis_chart,
    enlarge,
    lines_chart,
    pile_chart,
    reshuffle_chart,
    slices_chart,
    smallest_p_chart,
)

__all__ = [
    "DARK",
    "LIGHT",
    "MOST_DRAWN",
    "Axes",
    "Block",
    "Chart",
    "Curve",
    "Line",
    "Mark",
    "Palette",
    "Row",
    "Spread",
    "agreement_chart",
    "bootstrap_chart",
    "confusion_chart",
    "curve_chart",
    "cut_axis_chart",
    "enlarge",
    "error_chart",
    "interval_chart",
    "lines_chart",
    "neighbour_chart",
    "pair_chart",
    "pile_chart",
    "plain",
    "plan_chart",
    "rank_chart",
    "reshuffle_chart",
    "rounds_chart",
    "slices_chart",
    "smallest_p_chart",
    "spread_chart",
]
