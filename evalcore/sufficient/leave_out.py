"""The exact jackknife, from sufficient statistics: one value for each distinct case or cluster."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evalcore.clusters import Partition
from evalcore.metrics import Metric, Setting
from evalcore.predictions import Predictions
from evalcore.sufficient.columns import CaseColumns, case_columns
from evalcore.sufficient.gradients import influence
from evalcore.sufficient.joint import Cells, cells
from evalcore.sufficient.resolve import class_of, resolve_metric
from evalcore.sufficient.values import count_value, mean_value

BLOCK = 1 << 21


@dataclass(frozen=True, slots=True, kw_only=True)
class Jackknife:
    """Values of a statistic with one case (or one cluster) left out.

    Attributes
    ----------
    values : ndarray, shape (j,)
        nan where leaving out leaves the statistic undefined.
    counts : ndarray, shape (j,)
        How many cases give this value when left out.
    strata : ndarray of int, shape (j,), or None
        True class of the case left out.
    """

    values: np.ndarray
    counts: np.ndarray
    strata: np.ndarray | None = None


def jackknife(
    predictions: Predictions,
    metric: Metric | str,
    model: str,
    setting: Setting | None = None,
    *,
    parts: Partition | None = None,
) -> Jackknife:
    """Return the values of a metric with each case left out in turn, or each cluster.

    For metrics of labels and of means the values are exact: all cases of one cell give the same
    one. For ranking metrics and quantiles they are the estimate minus the influence over n.

    Parameters
    ----------
    predictions : Predictions
    metric : Metric or str
    model : str
    setting : Setting, optional
    parts : Partition, optional
        Of the rows the metric uses, in their order: leave out clusters in place of cases.

    Raises
    ------
    ValueError
        If the metric, model or class is unknown, or the metric is for another task.

    References
    ----------
    Efron, B. and Tibshirani, R. (1993). An Introduction to the Bootstrap, chapter 11.
    """
    row = resolve_metric(predictions, metric)
    chosen = setting or Setting()
    if row.family in ("rank", "quantile"):
        return _from_influence(predictions, influence(predictions, row, model, chosen), parts)
    if row.columns is None:
        table = cells(predictions, model, threshold=chosen.threshold)
        code = class_of(predictions, row, chosen)
        return _cells_jackknife(row, table, model, code, parts)
    case = case_columns(predictions, row, model, chosen)
    return _columns_jackknife(predictions, row, case, parts)


def _cells_jackknife(
    metric: Metric, table: Cells, model: str, code: int, parts: Partition | None
) -> Jackknife:
    size = len(table.counts)
    clustered = None if parts is None else table.by_cluster(parts)
    units = size if clustered is None else clustered.shape[0]
    values = np.empty(units)
    block = max(1, BLOCK // max(size, table.n_classes))
    for start in range(0, units, block):
        stop = min(start + block, units)
        if clustered is None:
            left = np.tile(table.counts.astype(float), (stop - start, 1))
            left[np.arange(stop - start), np.arange(start, stop)] -= 1
        else:
            left = table.counts - clustered[start:stop].toarray()
        values[start:stop] = count_value(metric, table.margins(model, left), code)
    if clustered is not None:
        return Jackknife(values=values, counts=np.ones(units))
    return Jackknife(values=values, counts=table.counts, strata=table.codes[:, 0])


def _columns_jackknife(
    predictions: Predictions, metric: Metric, case: CaseColumns, parts: Partition | None
) -> Jackknife:
    sums = case.counts @ case.columns
    if parts is None:
        one, size, counts = case.columns, np.ones(len(case.rows)), case.counts
    else:
        one, size, counts = parts.sums(case.columns), parts.sizes, np.ones(parts.clusters)
    left = case.n - size
    with np.errstate(invalid="ignore", divide="ignore"):
        values = mean_value(metric, (sums - one) / left[:, None])
    values = np.where(left > 0, values, np.nan)
    classes = predictions.truth if predictions.task == "classification" else None
    strata = classes[case.rows] if classes is not None and parts is None else None
    return Jackknife(values=values, counts=counts, strata=strata)


def _from_influence(
    predictions: Predictions, values: np.ndarray, parts: Partition | None
) -> Jackknife:
    used = ~np.isnan(values)
    counts = predictions.weights[used]
    n = max(counts.sum(), 1)
    if parts is not None:
        return Jackknife(values=-parts.sums(values[used]) / n, counts=np.ones(parts.clusters))
    classes = predictions.truth if predictions.task == "classification" else None
    strata = None if classes is None else classes[used]
    return Jackknife(values=-values[used] / n, counts=counts, strata=strata)
