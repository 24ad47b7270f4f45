"""Metrics that are functions of sums over units, and their resamples for many sets at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evalcore.clusters import Partition
from evalcore.metrics import Margins, Metric, Setting
from evalcore.predictions import Predictions
from evalcore.resampling import jackknife_acceleration
from evalcore.resampling.weights import weight_blocks
from evalcore.sufficient import case_columns, cells, class_of, count_value, mean_value


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Additive:
    """A metric as a function of sums over units, which are cases or clusters.

    Attributes
    ----------
    vectors : ndarray, shape (U, p)
        What each unit adds: whole numbers or offsets from a mean, for which single precision is
        ample beside the Monte Carlo error.
    value : callable
        ``value(sums (..., p)) -> (...)``.
    """

    vectors: np.ndarray
    value: Callable[[np.ndarray], np.ndarray]

    def draws(self, picks: np.ndarray, n_resamples: int, rng: np.random.Generator) -> np.ndarray:
        """Return the metric on resamples of test sets, which share their weights, shape (S, R).

        Parameters
        ----------
        picks : ndarray of int, shape (S, n)
            The units of each test set.
        n_resamples : int
        rng : numpy.random.Generator
        """
        sets, n = picks.shape
        width = self.vectors.shape[1]
        light = np.moveaxis(self.vectors[picks].astype(np.float32), 2, 1).reshape(-1, n)
        draws = np.empty((sets, n_resamples))
        for part, weights in weight_blocks(
            np.ones(n, np.int64), n_resamples, rng, width=sets * width, dtype=np.float32
        ):
            sums = (light @ weights.T).reshape(sets, width, -1)
            draws[:, part] = self.value(np.moveaxis(sums, 1, 2))
        return draws

    def accelerations(self, picks: np.ndarray) -> np.ndarray:
        """Return the acceleration of BCa of each test set, from its jackknife, shape (S,)."""
        own = self.vectors[picks]
        left = own.sum(axis=1, keepdims=True) - own
        return np.array([jackknife_acceleration(row) for row in self.value(left)])


def additive(
    predictions: Predictions, metric: Metric, model: str, setting: Setting, parts: Partition
) -> Additive | None:
    """Return a metric of the predictions as a function of sums over the units of a partition.

    None for rankings and quantiles, which are not.

    Parameters
    ----------
    predictions : Predictions
        With a truth and an answer in every row.
    metric : Metric
    model : str
    setting : Setting
    parts : Partition
        Of all rows.
    """
    if metric.family in ("rank", "quantile"):
        return None
    if metric.columns is None:
        return _of_labels(predictions, metric, model, setting, parts)
    case = case_columns(predictions, metric, model, setting)
    centre = case.counts @ case.columns / case.n
    offset = parts.sums(case.columns - centre)
    vectors = np.column_stack([offset, parts.sizes])

    def value(sums: np.ndarray) -> np.ndarray:
        return mean_value(metric, centre + sums[..., :-1] / sums[..., -1:])

    return Additive(vectors=vectors, value=value)


def _of_labels(
    predictions: Predictions, metric: Metric, model: str, setting: Setting, parts: Partition
) -> Additive:
    table = cells(predictions, model, threshold=setting.threshold)
    code = class_of(predictions, metric, setting)
    if metric.per_class or metric.ratio is not None:
        table = table.collapsed(code if metric.per_class else None)
        code = 1
    margins = table.margins(model, table.by_cluster(parts).toarray())
    vectors = np.hstack([margins.right, margins.actual, margins.predicted])
    size = table.n_classes

    def value(sums: np.ndarray) -> np.ndarray:
        right, actual, predicted = (sums[..., k * size : (k + 1) * size] for k in range(3))
        return count_value(metric, Margins(right=right, actual=actual, predicted=predicted), code)

    return Additive(vectors=vectors, value=value)
