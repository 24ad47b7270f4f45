"""The interval of any metric of any predictions: each family's methods, the default first."""

from evalcore.intervals.means import mean_interval
from evalcore.intervals.methods import IntervalMethod
from evalcore.intervals.metric import effective_size, interval_methods, metric_interval
from evalcore.intervals.registry import METHODS
from evalcore.intervals.table import MetricRow, metric_table

__all__ = [
    "METHODS",
    "IntervalMethod",
    "MetricRow",
    "effective_size",
    "interval_methods",
    "mean_interval",
    "metric_interval",
    "metric_table",
]
