"""The levels of a slice column, each with its interval, and how sure it is which one is worst."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from evalcore.checks import (
    as_generator,
    check_choice,
    check_fraction,
    check_proportion,
    check_whole,
)
from evalcore.intervals.evidence import Evidence, gather, is_clustered
from evalcore.intervals.methods import Request
from evalcore.intervals.metric import interval_of
from evalcore.intervals.scales import critical_value, scaled_limits
from evalcore.metrics import METRICS, Metric, Setting
from evalcore.predictions import Predictions
from evalcore.resampling import sampling_distribution
from evalcore.results import Interval

FEW_CASES = 30
LEAST_EXPECTED = 5
SIMULTANEOUS: dict[str, Callable[[float, int], float]] = {
    "bonferroni": lambda level, number: 1.0 - (1.0 - level) / number,
    "sidak": lambda level, number: level ** (1.0 / number),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceLevel:
    """One level of a slice column.

    Attributes
    ----------
    level : str
    interval : Interval
        At the level of confidence asked for, for this level alone.
    simultaneous : Interval
        Wider, so that all levels hold at once with that confidence.
    cases : int
        Cases that inform the estimate here.
    few : bool
        Whether they are fewer than 30, or for a proportion fewer than 5 successes or failures are
        expected at the rate of all cases together.
    share_worst : float
        Share of resamples in which this level is the worst; ties are shared out.
    """

    level: str
    interval: Interval
    simultaneous: Interval
    cases: int
    few: bool
    share_worst: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceReport:
    """A metric of one model in every level of a slice column.

    Attributes
    ----------
    slice_name, metric, model : str
    levels : tuple of SliceLevel
        In the order of the column's categories; those without a case are not listed.
    overall : Interval
        Of all cases, with and without a level.
    worst : str or None
        The level with the worst estimate; None when no level has one.
    simultaneous : str
        "bonferroni" or "sidak".
    without_level : int
        Cases whose level is missing; they are part of ``overall`` only.
    n_resamples : int
        Draws behind ``share_worst``.
    notes : tuple of str
    """

    slice_name: str
    metric: str
    model: str
    levels: tuple[SliceLevel, ...]
    overall: Interval
    worst: str | None
    simultaneous: str
    without_level: int
    n_resamples: int
    notes: tuple[str, ...] = ()


def slice_intervals(
    predictions: Predictions,
    metric: str,
    model: str,
    slice_name: str,
    *,
    label: str | None = None,
    threshold: float | None = None,
    tolerance: float | None = None,
    rate: float = 0.05,
    method: str | None = None,
    confidence_level: float = 0.95,
    simultaneous: str = "bonferroni",
    n_resamples: int = 1999,
    rng: int | np.random.Generator | None = 0,
    by_group: bool | None = None,
) -> SliceReport:
    """Return a metric of one model in every level of a slice column, with single and joint limits.

    Parameters
    ----------
    predictions : Predictions
    metric, model, label, threshold, tolerance, rate, method, confidence_level, by_group
        As for ``metric_interval``.
    slice_name : str
        A key of ``predictions.slices``.
    simultaneous : {"bonferroni", "sidak"}
        How the level of the joint limits is found from the number of levels: 1 - alpha / L, or
        (1 - alpha)^(1 / L) for independent levels.
    n_resamples : int
        Draws behind the share of resamples in which a level is worst.
    rng : None, int or numpy.random.Generator

    Raises
    ------
    ValueError
        If the slice, metric, model, class or method is unknown.

    References
    ----------
    Sidak, Z. (1967). Rectangular confidence regions for the means of multivariate normal
    distributions. JASA 62, 626-633. Goldstein, H. and Spiegelhalter, D. J. (1996). League tables
    and their limitations. JRSS A 159, 385-443.
    """
    check_choice(slice_name, predictions.slices, "slice_name")
    adjust = SIMULTANEOUS[check_choice(simultaneous, SIMULTANEOUS, "simultaneous")]
    level = check_fraction(confidence_level, "confidence_level")
    size = check_whole(n_resamples, "n_resamples", least=1)
    generator = as_generator(rng)
    setting = Setting(
        label=label, threshold=threshold, tolerance=tolerance, rate=check_proportion(rate, "rate")
    )
    whole = gather(predictions, metric, model, setting, by_group=by_group)
    codes = np.asarray(predictions.slices[slice_name].codes)
    names = [str(name) for name in predictions.slices[slice_name].categories]
    present = [code for code in range(len(names)) if predictions.weights[codes == code].sum()]
    parts = [predictions.select(np.flatnonzero(codes == code)) for code in present]
    found = [gather(part, metric, model, setting, by_group=by_group) for part in parts]
    request = Request(confidence_level=level, rng=generator)
    defined = sum(evidence.defined for evidence in found)
    joint = replace(request, confidence_level=adjust(level, max(defined, 1)))
    shares = _shares_worst(found, size, generator)
    rows = tuple(
        SliceLevel(
            level=names[code],
            interval=interval_of(evidence, request, method),
            simultaneous=interval_of(evidence, joint, method),
            cases=_informing(evidence),
            few=_is_few(evidence, whole),
            share_worst=float(share),
        )
        for code, evidence, share in zip(present, found, shares, strict=True)
    )
    missing = int(predictions.weights[codes < 0].sum())
    return SliceReport(
        slice_name=slice_name,
        metric=metric,
        model=model,
        levels=rows,
        overall=interval_of(whole, request, method),
        worst=_worst(rows, whole.metric),
        simultaneous=simultaneous,
        without_level=missing,
        n_resamples=size,
        notes=_notes(predictions, codes, missing, by_group),
    )


def mean_over_levels(report: SliceReport, *, weighted: bool = False) -> Interval:
    """Return the mean of the levels' estimates with the standard error that belongs to it.

    Unweighted, every level counts the same and the error is ``sqrt(sum se^2) / L``; weighted, it
    counts as many times as it has cases. The levels are taken as fixed strata of independent cases,
    each with the n - 1 variance.

    Parameters
    ----------
    report : SliceReport
    weighted : bool

    Returns
    -------
    Interval
        nan when a level is undefined.

    References
    ----------
    Cochran, W. G. (1977). Sampling Techniques, section 5.6. Wiley.
    """
    sizes = np.array([row.cases for row in report.levels], float)
    estimates = np.array([row.interval.estimate for row in report.levels])
    errors = np.array([_unbiased_error(row) for row in report.levels])
    weights = sizes / sizes.sum() if weighted else np.full(len(sizes), 1 / len(sizes))
    estimate = float(weights @ estimates)
    error = float(np.sqrt(weights**2 @ errors**2))
    level = report.overall.confidence_level
    shares = all(row.interval.successes is not None for row in report.levels)
    bounds = (0.0, 1.0) if shares else METRICS[report.metric].bounds
    low, high = scaled_limits(estimate, error, critical_value(level), bounds)
    return Interval(
        name=f"{'size-weighted' if weighted else 'unweighted'} mean over {report.slice_name}",
        estimate=estimate,
        low=low,
        high=high,
        standard_error=error,
        confidence_level=level,
        method="delta",
        n=int(sizes.sum()),
        unit="cases",
        notes=("no interval: a level has none",) if np.isnan(low) else (),
    )


def _unbiased_error(row: SliceLevel) -> float:
    """Return the standard error with n - 1; that of a proportion of independent cases has n."""
    interval = row.interval
    if interval.successes is None or interval.unit == "clusters":
        return interval.standard_error
    if row.cases < 2:
        return float("nan")
    return interval.standard_error * float(np.sqrt(row.cases / (row.cases - 1)))


def _informing(evidence: Evidence) -> int:
    return evidence.cases if evidence.clustered else evidence.n


def _is_few(evidence: Evidence, whole: Evidence) -> bool:
    cases = _informing(evidence)
    if cases < FEW_CASES:
        return True
    if evidence.family != "proportion" or not whole.defined:
        return False
    return cases * min(whole.estimate, 1.0 - whole.estimate) < LEAST_EXPECTED


def _badness(metric: Metric, values: np.ndarray) -> np.ndarray:
    """Return values of which the largest is the worst; a signed error is worst far from 0."""
    if metric.higher_is_better is None:
        return np.abs(values)
    return -values if metric.higher_is_better else values


def _worst(rows: tuple[SliceLevel, ...], metric: Metric) -> str | None:
    estimates = np.array([row.interval.estimate for row in rows])
    if not np.isfinite(estimates).any():
        return None
    return rows[int(np.nanargmax(_badness(metric, estimates)))].level


def _shares_worst(found: list[Evidence], n_resamples: int, rng: np.random.Generator) -> np.ndarray:
    """Return how often each level is worst when every level is resampled on its own."""
    if not found:
        return np.zeros(0)
    draws = np.column_stack(
        [
            sampling_distribution(
                evidence.predictions,
                evidence.metric,
                (evidence.model,),
                setting=evidence.setting,
                n_resamples=n_resamples,
                rng=rng,
                by_group=evidence.clustered,
            )[:, 0]
            for evidence in found
        ]
    )
    bad = np.where(np.isnan(draws), -np.inf, _badness(found[0].metric, draws))
    worst = (bad == bad.max(axis=1, keepdims=True)) & np.isfinite(bad)
    ties = worst.sum(axis=1, keepdims=True)
    return np.where(worst, 1.0 / np.maximum(ties, 1), 0.0).mean(axis=0)


def _notes(
    predictions: Predictions, codes: np.ndarray, missing: int, by_group: bool | None
) -> tuple[str, ...]:
    notes: tuple[str, ...] = ()
    if missing:
        notes += (f"{missing:,} of {predictions.n_cases:,} cases have no level",)
    if is_clustered(predictions, by_group) and predictions.groups is not None:
        pairs = np.unique(np.column_stack([predictions.groups, codes]), axis=0)
        if len(pairs) > len(np.unique(predictions.groups)):
            notes += (
                "some clusters lie in several levels, which are resampled as if they did not",
            )
    return notes
