"""Sufficient statistics: the little that each metric depends on, taken from the predictions."""

from evalcore.sufficient.columns import CaseColumns, case_columns, probabilities
from evalcore.sufficient.gradients import (
    cell_influence,
    count_errors,
    count_gradient,
    influence,
    mean_gradient,
    standard_error,
)
from evalcore.sufficient.joint import Cells, cells
from evalcore.sufficient.leave_out import Jackknife, jackknife
from evalcore.sufficient.ranks import (
    RankCases,
    rank_cases,
    rank_influence,
    rank_labels,
    rank_problems,
    rank_statistic,
    rank_value,
)
from evalcore.sufficient.resolve import class_of, resolve_metric
from evalcore.sufficient.values import (
    count_value,
    mean_value,
    metric_notes,
    metric_value,
    weighted_median,
)

__all__ = [
    "CaseColumns",
    "Cells",
    "Jackknife",
    "RankCases",
    "case_columns",
    "cell_influence",
    "cells",
    "class_of",
    "count_errors",
    "count_gradient",
    "count_value",
    "influence",
    "jackknife",
    "mean_gradient",
    "mean_value",
    "metric_notes",
    "metric_value",
    "probabilities",
    "rank_cases",
    "rank_influence",
    "rank_labels",
    "rank_problems",
    "rank_statistic",
    "rank_value",
    "resolve_metric",
    "standard_error",
    "weighted_median",
]
