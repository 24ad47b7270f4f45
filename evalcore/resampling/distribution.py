"""The bootstrap distribution of any metric, for one or several models on the same resamples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from evalcore.checks import (
    as_generator,
    check_choice,
    check_counts,
    check_same_length,
    check_values,
    check_whole,
)
from evalcore.clusters import Partition, partition
from evalcore.metrics import Metric, Setting
from evalcore.predictions import Predictions
from evalcore.resampling.limits import jackknife_acceleration
from evalcore.resampling.medians import clustered_median_draws, median_draws
from evalcore.resampling.ranks import rank_distribution
from evalcore.resampling.sums import draw_sums, merge_equal
from evalcore.resampling.weights import weight_blocks
from evalcore.sufficient import (
    Cells,
    case_columns,
    cells,
    class_of,
    count_value,
    jackknife,
    mean_value,
    rank_problems,
    resolve_metric,
)


def sampling_distribution(
    predictions: Predictions,
    metric: Metric | str,
    models: Sequence[str] | str | None = None,
    *,
    setting: Setting | None = None,
    n_resamples: int = 9999,
    rng: Any = None,
    stratify: bool = False,
    by_group: bool | None = None,
) -> np.ndarray:
    """Return what a metric is on bootstrap resamples of the cases, the same ones for every model.

    Cases enter through the sufficient statistic of the metric: labels by one multinomial draw over
    the non-empty cells of truth x labels, numbers by draws of their sums, rankings by weights over
    the sorted scores, medians from the law of the order statistic. Only cases that every one of the
    models answered are used.

    Parameters
    ----------
    predictions : Predictions
    metric : Metric or str
    models : str or sequence of str, optional
        All models by default.
    setting : Setting, optional
    n_resamples : int
    rng : None, int or numpy.random.Generator
    stratify : bool
        Hold the number of cases of every true class fixed; for classification only.
    by_group : bool, optional
        Resample whole clusters of ``predictions.groups``; by default whenever there are groups.

    Returns
    -------
    ndarray, shape (n_resamples, models)
        nan where the metric is undefined in a resample.

    Raises
    ------
    ValueError
        If the metric, a model or the class is unknown, the metric is for another task, or the kind
        of resampling does not exist for these predictions.

    References
    ----------
    Efron, B. and Tibshirani, R. (1993). An Introduction to the Bootstrap. Chapman and Hall.
    Davison, A. C. and Hinkley, D. V. (1997). Bootstrap Methods and their Application, sections 3.2
    and 3.8. Cambridge University Press.
    """
    row = resolve_metric(predictions, metric)
    names = _names(predictions, models)
    size = check_whole(n_resamples, "n_resamples", least=1)
    clustered = check_plan(predictions, stratify, by_group)
    plan = (names, setting or Setting(), size, as_generator(rng), stratify, clustered)
    if row.family == "rank":
        return rank_distribution(predictions, row, *plan)
    if row.columns is None:
        return _count_distribution(predictions, row, *plan)
    return _column_distribution(predictions, row, *plan)


def mean_draws(
    values: Any,
    *,
    counts: Any = None,
    groups: Any = None,
    n_resamples: int = 9999,
    rng: Any = None,
) -> np.ndarray:
    """Return the means of bootstrap resamples of values, shape (n_resamples,).

    Parameters
    ----------
    values : array-like, shape (n,)
    counts : array-like of int, shape (n,), optional
        How often each value occurs.
    groups : array-like, shape (n,), optional
        Resample whole clusters; the mean is then a ratio of two sums.
    n_resamples : int
    rng : None, int or numpy.random.Generator

    Raises
    ------
    ValueError
        If lengths differ, a value is not finite, or there is none.
    """
    array, weights = _check_sample(values, counts, groups)
    size = check_whole(n_resamples, "n_resamples", least=1)
    columns = array[:, None]
    if groups is None:
        return draw_sums(columns, weights, size, as_generator(rng))[:, 0] / weights.sum()
    sums = _cluster_sums(columns, partition(groups, counts=weights), size, as_generator(rng))
    return sums[:, 0] / sums[:, 1]


def studentized_draws(
    values: Any,
    *,
    counts: Any = None,
    groups: Any = None,
    n_resamples: int = 9999,
    rng: Any = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean of each bootstrap resample and its standard error, for the bootstrap-t.

    The error of a resample comes from its own second moments: ``s / sqrt(n)`` with the n - 1
    variance, or, for clusters, ``sqrt(G / (G - 1) sum_g (S_g - mean n_g)^2) / n``.

    Parameters
    ----------
    values : array-like, shape (n,)
    counts, groups, n_resamples, rng
        As in ``mean_draws``.

    Returns
    -------
    means, errors : ndarray, shape (n_resamples,)

    Raises
    ------
    ValueError
        If lengths differ, a value is not finite, or there is none.
    """
    array, weights = _check_sample(values, counts, groups)
    size = check_whole(n_resamples, "n_resamples", least=1)
    generator = as_generator(rng)
    centre = weights @ array / weights.sum()
    offset = array - centre
    if groups is None:
        n = int(weights.sum())
        sums = draw_sums(np.column_stack([offset, offset**2]), weights, size, generator)
        mean, square = (sums / n).T
        variance = np.maximum(square - mean**2, 0.0)
        error = np.sqrt(variance / (n - 1)) if n > 1 else np.full(size, np.nan)
        return centre + mean, error
    parts = partition(groups, counts=weights)
    total, count = parts.sums(offset), parts.sizes
    columns = np.column_stack([total, count, total**2, total * count, count**2])
    sums = draw_sums(columns, np.ones(parts.clusters, np.int64), size, generator)
    mean = sums[:, 0] / sums[:, 1]
    squares = np.maximum(sums[:, 2] - 2 * mean * sums[:, 3] + mean**2 * sums[:, 4], 0.0)
    factor = parts.clusters / (parts.clusters - 1) if parts.clusters > 1 else np.nan
    return centre + mean, np.sqrt(factor * squares) / sums[:, 1]


def acceleration(
    predictions: Predictions,
    metric: Metric | str,
    model: str,
    *,
    setting: Setting | None = None,
    stratify: bool = False,
    by_group: bool | None = None,
) -> float:
    """Return the acceleration of BCa for a metric, from the jackknife that fits the resampling.

    Parameters
    ----------
    predictions, metric, model, setting, stratify, by_group
        As in ``sampling_distribution``.

    Returns
    -------
    float
        nan when leaving out a case never changes the metric.
    """
    row = resolve_metric(predictions, metric)
    chosen = setting or Setting()
    parts = None
    if check_plan(predictions, stratify, by_group):
        parts = _partition(predictions, _rows(predictions, row, model, chosen))
    left = jackknife(predictions, row, model, chosen, parts=parts)
    strata = left.strata if stratify else None
    return jackknife_acceleration(left.values, left.counts, strata=strata)


def check_plan(predictions: Predictions, stratify: bool, by_group: bool | None) -> bool:
    """Return whether whole clusters are resampled.

    Raises
    ------
    ValueError
        If clusters are asked for and there are none, or strata do not exist.
    """
    clustered = predictions.groups is not None if by_group is None else by_group
    if clustered and predictions.groups is None:
        raise ValueError("by_group must be False: these predictions have no group column")
    if stratify and predictions.task != "classification":
        raise ValueError(
            "stratify must be False: strata are true classes, and a "
            f"{predictions.task} task has none"
        )
    if stratify and clustered:
        raise ValueError(
            "stratify must be False with by_group: a whole cluster brings cases of several classes"
        )
    return clustered


def _names(predictions: Predictions, models: Sequence[str] | str | None) -> tuple[str, ...]:
    if models is None:
        return predictions.models
    names = (models,) if isinstance(models, str) else tuple(models)
    return tuple(check_choice(name, predictions.models, "model") for name in names)


def _check_sample(values: Any, counts: Any, groups: Any) -> tuple[np.ndarray, np.ndarray]:
    array = check_values(values, "values")
    check_same_length({"values": array, "groups": groups, "counts": counts})
    weights = check_counts(counts, len(array))
    if weights is None:
        weights = np.ones(len(array), np.int64)
    if not np.isfinite(array).all() or weights.sum() == 0:
        raise ValueError("values must be finite numbers, at least one of them")
    return array, weights


def _partition(predictions: Predictions, rows: np.ndarray) -> Partition:
    if predictions.groups is None:
        raise ValueError("by_group must be False: these predictions have no group column")
    return partition(predictions.groups[rows], counts=predictions.weights[rows])


def _rows(predictions: Predictions, metric: Metric, model: str, setting: Setting) -> np.ndarray:
    """Return the numbers of the rows that a metric of one model uses."""
    if metric.family == "rank":
        return rank_problems(predictions, metric, model, setting)[0].rows
    if metric.columns is None:
        return np.flatnonzero(cells(predictions, model, threshold=setting.threshold).index >= 0)
    return case_columns(predictions, metric, model, setting).rows


def _cluster_sums(
    columns: np.ndarray, parts: Partition, size: int, rng: np.random.Generator
) -> np.ndarray:
    """Return sums of the columns, and of 1, over resampled clusters, shape (size, p + 1)."""
    vectors = np.column_stack([parts.sums(columns), parts.sizes])
    return draw_sums(vectors, np.ones(parts.clusters, np.int64), size, rng)


def _count_distribution(
    predictions: Predictions,
    metric: Metric,
    names: tuple[str, ...],
    setting: Setting,
    size: int,
    rng: np.random.Generator,
    stratify: bool,
    clustered: bool,
) -> np.ndarray:
    draws = np.full((size, len(names)), np.nan)
    table = cells(predictions, names, threshold=setting.threshold)
    code = class_of(predictions, metric, setting)
    if table.n == 0:
        return draws
    units, counts = None, table.counts
    strata = table.codes[:, 0] if stratify else None
    if not stratify and (metric.per_class or metric.ratio is not None):
        table = table.collapsed(code if metric.per_class else None)
        code, counts = 1, table.counts
    if clustered:
        parts = _partition(predictions, np.flatnonzero(table.index >= 0))
        units, counts = _distinct_clusters(table, parts)
    width = max(len(table.counts), 3 * table.n_classes)
    for which, weights in weight_blocks(counts, size, rng, strata=strata, width=width):
        drawn = weights if units is None else weights @ units
        for j, name in enumerate(names):
            draws[which, j] = count_value(metric, table.margins(name, drawn), code)
    return draws


def _distinct_clusters(table: Cells, parts: Partition) -> tuple[sparse.csr_array, np.ndarray]:
    """Return the distinct rows of clusters x cells, and how many clusters are alike."""
    units = table.by_cluster(parts)
    mark = units @ np.random.default_rng(0).standard_normal(units.shape[1])
    rows, counts = merge_equal(
        np.column_stack([mark, np.arange(len(mark))]), np.ones(len(mark), np.int64)
    )
    return units[rows[:, 1].astype(int)], counts


def _column_distribution(
    predictions: Predictions,
    metric: Metric,
    names: tuple[str, ...],
    setting: Setting,
    size: int,
    rng: np.random.Generator,
    stratify: bool,
    clustered: bool,
) -> np.ndarray:
    case = case_columns(predictions, metric, names, setting)
    if not case.defined:
        return np.full((size, len(names)), np.nan)
    parts = _partition(predictions, case.rows) if clustered else None
    if metric.family == "quantile":
        if parts is not None:
            return clustered_median_draws(case.columns, parts, size, rng)
        return median_draws(case.columns, case.counts, size, rng)
    if parts is not None:
        sums = _cluster_sums(case.columns, parts, size, rng)
        means = sums[:, :-1] / sums[:, -1:]
    else:
        truth = predictions.truth
        strata = truth[case.rows] if stratify and truth is not None else None
        means = draw_sums(case.columns, case.counts, size, rng, strata=strata) / case.n
    by_model = means.reshape(size, len(names), -1)
    return mean_value(metric, by_model)
