"""evalcore: how far a test score can be trusted.

Intervals for every metric people report, computed from sufficient statistics.

>>> round(proportion_interval(349, 360).low, 3)
0.946
"""

from evalcore.binomial import PROPORTION_METHODS, exact_coverage, proportion_interval
from evalcore.comparison import (
    adjust_p_values,
    compare_all,
    compare_models,
    delong_test,
    mcnemar_test,
    paired_difference_interval,
)
from evalcore.confusion import class_rates, confusion_matrix, find_cases, most_confused
from evalcore.intervals import interval_methods, mean_interval, metric_interval
from evalcore.metrics import METRICS, metrics_for
from evalcore.predictions import Predictions, make_predictions
from evalcore.ranking import auc_interval
from evalcore.reading import LabelsDoNotMeet, ReadingError, join_predictions, read_predictions
from evalcore.resampling import sampling_distribution
from evalcore.results import ConfusionMatrix, Interval
from evalcore.sizing import half_width_sample_size, mcnemar_power, paired_sample_size

__all__ = [
    "METRICS",
    "PROPORTION_METHODS",
    "ConfusionMatrix",
    "Interval",
    "LabelsDoNotMeet",
    "Predictions",
    "ReadingError",
    "adjust_p_values",
    "auc_interval",
    "class_rates",
    "compare_all",
    "compare_models",
    "confusion_matrix",
    "delong_test",
    "exact_coverage",
    "find_cases",
    "half_width_sample_size",
    "interval_methods",
    "join_predictions",
    "make_predictions",
    "mcnemar_power",
    "mcnemar_test",
    "mean_interval",
    "metric_interval",
    "metrics_for",
    "most_confused",
    "paired_difference_interval",
    "paired_sample_size",
    "proportion_interval",
    "read_predictions",
    "sampling_distribution",
]
