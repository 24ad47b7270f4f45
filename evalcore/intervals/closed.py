"""Intervals in closed form: from a standard error, or from the binomial."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from evalcore.binomial import proportion_interval
from evalcore.intervals.evidence import Evidence
from evalcore.intervals.methods import Limits, Request
from evalcore.intervals.ranks import auc_method
from evalcore.intervals.scales import (
    critical_value,
    effective_cases,
    effective_wilson_limits,
    plain_limits,
    scaled_limits,
)
from evalcore.metrics import Margins, Metric, divide
from evalcore.sufficient import Cells, cells, class_of, count_errors

MEANS_OF_RATES = ("balanced_accuracy", "macro_recall", "macro_precision", "macro_f1")


def binomial(method: str) -> Callable[[Evidence, Request], Limits]:
    """Return the method of ``PROPORTION_METHODS`` as an interval method."""

    def limits(evidence: Evidence, request: Request) -> Limits:
        made = proportion_interval(
            int(evidence.successes or 0),
            evidence.cases,
            method=method,
            confidence_level=request.confidence_level,
            unit=evidence.metric.unit,
        )
        return Limits(
            low=made.low, high=made.high, standard_error=made.standard_error, notes=made.notes
        )

    return limits


def delta(evidence: Evidence, request: Request) -> Limits:
    """Limits from the delta-method standard error on a scale that keeps the bounds."""
    error = evidence.standard_error
    if not _usable(evidence, error):
        return _without_spread(evidence, request)
    low, high = scaled_limits(
        evidence.estimate, error, _quantile(evidence, request), evidence.bounds
    )
    return Limits(low=low, high=high, standard_error=error)


def normal(evidence: Evidence, request: Request) -> Limits:
    """Estimate plus and minus z standard errors."""
    return _plain(evidence, critical_value(request.confidence_level), request)


def student(evidence: Evidence, request: Request) -> Limits:
    """Estimate plus and minus t standard errors, t with one degree of freedom less than units."""
    return _plain(evidence, critical_value(request.confidence_level, evidence.degrees), request)


def effective_wilson(evidence: Evidence, request: Request) -> Limits:
    """Wilson limits with the number of 0/1 cases that would give the same standard error.

    The number is capped where an error can be small by chance alone: with clusters at the number
    that independent cases would give, and for a mean of the rates (or F1) of K classes at
    ``K^2 / sum(1 / n_c)``, the size if all rates were equal, because a class of few cases that are
    all right or all wrong adds nothing to the delta method's error.
    """
    error = evidence.standard_error
    if not _usable(evidence, error):
        return _without_spread(evidence, request)
    size = effective_cases(evidence.estimate, error, evidence.bounds)
    if evidence.clustered:
        size = min(size, effective_cases(evidence.estimate, evidence.iid_error, evidence.bounds))
    size = min(size, equal_rates_size(evidence))
    low, high = effective_wilson_limits(
        evidence.estimate, size, _quantile(evidence, request), evidence.bounds
    )
    return Limits(low=low, high=high, standard_error=error)


def equal_rates_size(evidence: Evidence) -> float:
    """Return the effective size of a mean of class rates if all were equal; infinite for others.

    That is ``K^2 / sum(1 / n_c)`` with n_c the cases that occur in class c, or were called c for
    precision. A class seen only on the other margin counts 0 in a macro average and has no doubt of
    its own.
    """
    if evidence.metric.key not in MEANS_OF_RATES:
        return float("inf")
    table = cells(evidence.predictions, evidence.model, threshold=evidence.setting.threshold)
    return float(equal_rates_sizes(evidence.metric.key, table.margins(evidence.model)))


def equal_rates_sizes(key: str, margins: Margins) -> np.ndarray:
    """Return ``equal_rates_size`` of one of ``MEANS_OF_RATES`` on margins of any leading shape."""
    trials = margins.predicted if key == "macro_precision" else margins.actual
    occurs_only = key == "balanced_accuracy"
    seen = trials > 0 if occurs_only else margins.actual + margins.predicted > 0
    doubt = np.where(trials > 0, 1.0 / np.maximum(trials, 1.0), 0.0).sum(axis=-1)
    return divide(seen.sum(axis=-1) ** 2.0, doubt)


def _quantile(evidence: Evidence, request: Request) -> float:
    # Only a standard error with an estimated n - 1 (or G - 1) has a t distribution to speak of.
    estimated = evidence.clustered or evidence.family == "mean"
    return critical_value(request.confidence_level, evidence.degrees if estimated else None)


def _plain(evidence: Evidence, quantile: float, request: Request) -> Limits:
    error = evidence.standard_error
    if not has_spread(evidence.estimate, error):
        return _without_spread(evidence, request)
    low, high = plain_limits(evidence.estimate, error, quantile)
    return Limits(low=low, high=high, standard_error=error)


def has_spread(estimate: float | np.ndarray, error: float | np.ndarray) -> np.ndarray:
    """Return whether a standard error is above 0, and not only by rounding.

    One that is rounding of 0 would make an interval without width.
    """
    return np.isfinite(error) & (error > 1e-12 * np.maximum(np.abs(estimate), 1e-300))


def _usable(evidence: Evidence, error: float) -> bool:
    low, high = evidence.bounds
    return bool(has_spread(evidence.estimate, error)) and low < evidence.estimate < high


def _without_spread(evidence: Evidence, request: Request) -> Limits:
    """Return limits where the standard error is 0 or does not exist, or say why there are none."""
    if evidence.n < 2 and (evidence.clustered or evidence.family == "mean"):
        return Limits(notes=(f"no interval: it needs at least two {evidence.unit}",))
    if evidence.family == "proportion" or evidence.metric.value is not None:
        return _on_the_bound(evidence, request)
    if evidence.metric.key == "auc":
        return auc_method("delong_logit")(evidence, request)
    return Limits(
        standard_error=0.0,
        notes=(f"no interval: the {evidence.unit} show no spread to judge by",),
    )


def _on_the_bound(evidence: Evidence, request: Request) -> Limits:
    """Return Wilson limits of a metric whose cases show no spread, with an effective size.

    Clusters that all agree count as one case each. For a function of the confusion counts the size
    is that of ``smoothed_size``, and no more than the number of clusters.
    """
    size = float(evidence.n)
    if evidence.family != "proportion":
        size = min(size, smoothed_size(evidence), equal_rates_size(evidence))
    low, high = effective_wilson_limits(
        evidence.estimate, size, _quantile(evidence, request), evidence.bounds
    )
    why = (
        "the standard error is 0, which does not mean certainty; "
        f"the interval is Wilson's with an effective size of {_size_text(size)}"
    )
    key = "clustered_wilson" if evidence.clustered else "effective_wilson"
    return Limits(low=low, high=high, standard_error=0.0, method=key, notes=(why,))


def _size_text(size: float) -> str:
    """Return an effective size in whole cases, or with one decimal where there are few."""
    if size < 1:
        return "less than one case"
    if size == 1:
        return "1 case"
    return f"{size:,.1f} cases" if size < 10 and size != round(size) else f"{size:,.0f} cases"


def smoothed_size(evidence: Evidence) -> float:
    """Return the effective size of a function of counts where its own standard error is 0.

    One pseudo-case is spread evenly over the cells of all classes seen, and the size is the number
    of 0/1 cases whose standard error equals the delta method's on that table. Of an accuracy that
    is the number of cases and one; of a mean of recalls it is ruled by the smallest class.

    References
    ----------
    Agresti, A. and Coull, B. A. (1998). Approximate is better than "exact" for interval estimation
    of binomial proportions. American Statistician 52, 119-126 (pseudo-cases at the bounds).
    """
    metric, setting = evidence.metric, evidence.setting
    table = cells(evidence.predictions, evidence.model, threshold=setting.threshold)
    code = class_of(evidence.predictions, metric, setting)
    return float(smoothed_sizes(metric, table, evidence.model, table.counts[None], code)[0])


def smoothed_sizes(
    metric: Metric, table: Cells, model: str, draws: np.ndarray, code: int = 0
) -> np.ndarray:
    """Return ``smoothed_size`` of each of many tables, shape (R,).

    Parameters
    ----------
    metric : Metric
    table : Cells
        Of one model, whose cells the draws fill.
    model : str
    draws : ndarray of int, shape (R, m)
    code : int
        The class that the metric is asked of.
    """
    classes = np.unique(table.codes)
    codes = np.stack(np.meshgrid(classes, classes, indexing="ij"), axis=-1).reshape(-1, 2)
    place = np.searchsorted(classes, table.codes)
    counts = np.zeros((len(draws), len(codes)), np.int64)
    counts[:, place[:, 0] * len(classes) + place[:, 1]] = draws
    square = counts.reshape(-1, len(classes), len(classes))
    seen = square.sum(axis=1) + square.sum(axis=2) > 0
    spread = (seen[:, :, None] & seen[:, None, :]).reshape(counts.shape)
    # All counts are multiplied by the number of cells, so that the share of a cell is a whole case.
    cells_seen = spread.sum(axis=1)
    smooth = spread + cells_seen[:, None] * counts
    grid = replace(table, codes=codes, counts=smooth[0], index=np.zeros(0, np.int64))
    values, errors = count_errors(metric, grid, model, smooth, code)
    variances = errors**2 * cells_seen
    low, high = metric.bounds
    return divide((values - low) * (high - values), variances)
