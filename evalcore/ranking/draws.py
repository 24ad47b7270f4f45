"""Bootstrap of ranking statistics: resamples are weights over scores that were sorted once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import coo_array

from evalcore.checks import (
    as_generator,
    check_choice,
    check_proportion,
    check_same_length,
    check_whole,
)
from evalcore.ranking.curves import check_ranking
from evalcore.ranking.steps import (
    RANK_STATISTICS,
    Steps,
    bin_steps,
    binning_error,
    score_steps,
)

# Weights held at once; and how many draws of a single case cost as much as one binomial draw.
BLOCK = 400_000
CASES_PER_BINOMIAL = 15


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RankDraws:
    """The bootstrap distribution of a ranking statistic.

    Attributes
    ----------
    values : ndarray, shape (n_resamples, n_models)
        One row per resample, the same resample for every model; nan where a resample lacks a class.
    binning_error : ndarray, shape (n_models,)
        No drawn value is further than this from the value without bins; 0 where none were needed.
    """

    values: np.ndarray
    binning_error: np.ndarray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Cases:
    """The cases that occur, positives first."""

    truth: np.ndarray
    scores: list[np.ndarray]
    counts: np.ndarray
    groups: np.ndarray | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Plan:
    """What is drawn, and how a draw becomes the totals of each model's steps.

    A resample counts units: the columns of the one model's steps, the cases, or whole clusters.
    ``matrices[m]`` of shape (columns of model m, units) turns weights of units into totals of
    columns; None where they are the same.
    """

    sizes: np.ndarray
    strata: tuple[slice, ...]
    matrices: list[Any]


def rank_draws(
    truth: Any,
    scores_by_model: Sequence[Any],
    statistic: str,
    *,
    rate: float | None = None,
    counts: Any = None,
    groups: Any = None,
    stratify: bool = False,
    n_resamples: int = 9999,
    max_bins: int = 4096,
    rng: Any = None,
) -> RankDraws:
    """Return bootstrap draws of a ranking statistic for one or more models on the same cases.

    Every score is sorted once and cases are merged into steps that the statistic cannot tell apart;
    a resample is then one multinomial draw of totals. With several models the same drawn cases
    serve all of them. This is the plain bootstrap of cases, exactly, except that an AUC with more
    than ``max_bins`` steps is binned; the largest error that can come of it is returned.

    Parameters
    ----------
    truth : array-like of bool or 0/1, shape (n,)
    scores_by_model : sequence of array-like, each of shape (n,)
        Higher speaks for the positive class.
    statistic : str
        A key of ``RANK_STATISTICS``: "auc", "average_precision" or "recall_at_fpr".
    rate : float, optional
        The false-positive rate allowed, for "recall_at_fpr".
    counts : array-like of int, shape (n,), optional
        How often each case occurs; copies are drawn independently.
    groups : array-like, shape (n,), optional
        Cluster of each case; whole clusters are drawn.
    stratify : bool
        Hold the number of positives and of negatives fixed. Not with groups.
    n_resamples : int
    max_bins : int
        Bins of equal count that replace more than this many steps of an AUC.
    rng : None, int or numpy.random.Generator

    Raises
    ------
    ValueError
        If an argument is not allowed, there are no models or no cases.

    References
    ----------
    Efron, Tibshirani (1993), "An Introduction to the Bootstrap", chapter 6.
    """
    n_resamples = check_whole(n_resamples, "n_resamples", least=1)
    most = check_whole(max_bins, "max_bins", least=1)
    chosen = RANK_STATISTICS[check_choice(statistic, RANK_STATISTICS, "statistic")]
    allowed = check_proportion(rate, "rate") if chosen.needs_rate else None
    if stratify and groups is not None:
        raise ValueError("stratify must be False with groups: a cluster may hold both classes")
    cases = _cases(truth, scores_by_model, counts, groups)
    steps = [
        score_steps(cases.truth, scores, merge_positives=chosen.merge_positives)
        for scores in cases.scores
    ]
    if statistic == "auc":
        steps = [bin_steps(one, cases.counts, most) for one in steps]
    plan = _plan(cases, steps, stratify)
    values = np.empty((n_resamples, len(steps)))
    error = np.zeros(len(steps))
    start = 0
    for weights in _weights(plan, n_resamples, as_generator(rng)):
        rows = slice(start, start + len(weights))
        for m, (one, matrix) in enumerate(zip(steps, plan.matrices, strict=True)):
            totals = weights if matrix is None else np.ascontiguousarray((matrix @ weights.T).T)
            positives, negatives = totals[:, : one.size], totals[:, one.size :]
            values[rows, m] = chosen.evaluate(positives, negatives, one, allowed)
            if one.binned:
                error[m] = max(error[m], binning_error(positives, negatives, one))
        start = rows.stop
    return RankDraws(values=values, binning_error=error)


def _cases(truth: Any, scores_by_model: Sequence[Any], counts: Any, groups: Any) -> _Cases:
    """Return the checked cases that occur, positives first."""
    if len(scores_by_model) == 0:
        raise ValueError("scores_by_model must hold the scores of at least one model; got none")
    checked = [
        check_ranking(truth, scores, counts, name=f"scores_by_model[{m}]")
        for m, scores in enumerate(scores_by_model)
    ]
    labels, _, weights = checked[0]
    check_same_length({"truth": labels, "groups": groups})
    weights = np.ones(len(labels), np.int64) if weights is None else weights
    rows = np.append(
        np.flatnonzero(labels & (weights > 0)), np.flatnonzero(~labels & (weights > 0))
    )
    if rows.size == 0:
        raise ValueError("truth must hold at least one case; got none")
    return _Cases(
        truth=labels[rows],
        scores=[scores[rows] for _, scores, _ in checked],
        counts=weights[rows],
        groups=None if groups is None else np.unique(groups, return_inverse=True)[1][rows],
    )


def _plan(cases: _Cases, steps: list[Steps], stratify: bool) -> _Plan:
    positive_rows = int(cases.truth.sum())
    if cases.groups is not None:
        units, unit_of_row = np.unique(cases.groups, return_inverse=True)
        sizes, border, weights = np.ones(len(units), np.int64), 0, cases.counts
    elif len(steps) == 1:
        totals = np.bincount(steps[0].column, cases.counts, minlength=2 * steps[0].size)
        sizes, border = totals.astype(np.int64), steps[0].size
    else:
        unit_of_row, sizes, border = np.arange(len(cases.truth)), cases.counts, positive_rows
        weights = np.ones_like(cases.counts)
    strata = (slice(0, border), slice(border, None)) if stratify else (slice(None),)
    if cases.groups is None and len(steps) == 1:
        return _Plan(sizes=sizes, strata=strata, matrices=[None])
    matrices = [
        coo_array((weights, (one.column, unit_of_row)), shape=(2 * one.size, len(sizes))).tocsr()
        for one in steps
    ]
    return _Plan(sizes=sizes, strata=strata, matrices=matrices)


def _weights(plan: _Plan, n_resamples: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield blocks of unit weights, shape (rows, units), ``n_resamples`` rows in all."""
    step = max(1, BLOCK // len(plan.sizes))
    for start in range(0, n_resamples, step):
        rows = min(step, n_resamples - start)
        drawn = [_multinomial(plan.sizes[stratum], rows, rng) for stratum in plan.strata]
        yield drawn[0] if len(drawn) == 1 else np.concatenate(drawn, axis=1)


def _multinomial(sizes: np.ndarray, rows: int, rng: np.random.Generator) -> np.ndarray:
    """Return ``rows`` multinomial draws of as many cases as there are, by unit."""
    total = int(sizes.sum())
    if total > CASES_PER_BINOMIAL * len(sizes):
        return rng.multinomial(total, sizes / total, size=rows)
    unit = np.repeat(np.arange(len(sizes)), sizes)
    drawn = np.empty((rows, len(sizes)), np.int64)
    for row in drawn:
        picked = unit[rng.integers(total, size=total, dtype=np.int32)] if total else unit
        row[:] = np.bincount(picked, minlength=len(sizes))
    return drawn
