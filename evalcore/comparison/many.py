"""Several models on the same cases: every pair, adjusted, with joint intervals and ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from math import ceil
from typing import Any

import numpy as np
from scipy.special import ndtr
from scipy.stats import chi2
from scipy.stats import f as f_distribution

from evalcore.checks import check_choice
from evalcore.comparison.confidence import NAN, NO_SPREAD, Confidence
from evalcore.comparison.models import compare_pair, confidence_of, make_request
from evalcore.comparison.study import Study, make_study
from evalcore.predictions import Predictions
from evalcore.results import Comparison, HypothesisTest, Interval, ModelComparisons, ModelRank

# Each takes sorted p-values.
ADJUSTMENTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "holm": lambda p: np.maximum.accumulate(p * np.arange(len(p), 0, -1)),
    "bonferroni": lambda p: p * len(p),
    "hochberg": lambda p: np.minimum.accumulate((p * np.arange(len(p), 0, -1))[::-1])[::-1],
    "bh": lambda p: np.minimum.accumulate((p * len(p) / np.arange(1, len(p) + 1))[::-1])[::-1],
}


def adjust_p_values(p_values: Any, *, method: str = "holm") -> np.ndarray:
    """Return p-values adjusted for how many there are, in the same order.

    "holm" and "bonferroni" bound the chance of any false finding whatever the dependence,
    "hochberg" under non-negative dependence; "bh" bounds the expected share of false findings.

    Parameters
    ----------
    p_values : array-like of float, shape (m,)
        nan stays nan and is not counted.
    method : {"holm", "bonferroni", "hochberg", "bh"}

    Raises
    ------
    ValueError
        If a value is not from 0 to 1 or the method is unknown.

    References
    ----------
    Holm (1979), Scandinavian J. Statistics 6, 65-70; Hochberg (1988), Biometrika 75, 800-802;
    Benjamini, Hochberg (1995), JRSS B 57, 289-300.
    """
    values = np.atleast_1d(np.asarray(p_values, float))
    if values.ndim != 1 or ((values < 0) | (values > 1)).any():
        raise ValueError(f"p_values must be a list of numbers from 0 to 1; got {p_values!r}"[:200])
    chosen = ADJUSTMENTS[check_choice(method, ADJUSTMENTS, "method")]
    order = np.argsort(values, kind="stable")[: int(np.isfinite(values).sum())]
    adjusted = np.full(len(values), np.nan)
    adjusted[order] = np.minimum(chosen(values[order]), 1.0)
    return adjusted


def compare_all(
    predictions: Predictions,
    metric: str,
    *,
    models: Sequence[str] | None = None,
    baseline: str | None = None,
    adjust: str = "holm",
    method: str | None = None,
    confidence_level: float = 0.95,
    margin: float | None = None,
    n_resamples: int = 9999,
    rng: int | np.random.Generator | None = 0,
    **asked: Any,
) -> ModelComparisons:
    """Return every pair of models compared on the cases that all of them answered.

    First a test whether they differ at all: Cochran's Q for proportions, Hotelling's T squared for
    means and clusters, a Wald test for other metrics. Then each pair, with adjusted p-values.
    Simultaneous intervals are those of the same method at a higher level, ``2 Phi(q) - 1`` with q
    the quantile of the largest standardised gap in the joint bootstrap draws (max-T); at least the
    level asked for, so that each holds its single one, and at most Bonferroni's, which is taken
    where the draws of a pair have no spread. The interval of a rank counts the models that such
    intervals, over all pairs, show to be better or worse. Simultaneous intervals and adjusted
    p-values are two procedures; a note counts where they disagree. The tests that stand beside a
    comparison are left to ``compare_models``.

    Parameters
    ----------
    predictions, metric
        As for ``compare_models``.
    models : sequence of str, optional
        All by default.
    baseline : str, optional
        Compare each other model with this one only, as model B: m - 1 comparisons.
    adjust : str
        A key of ``ADJUSTMENTS``.
    method, confidence_level, margin, n_resamples, rng
        As for ``compare_models``.
    **asked
        ``label``, ``threshold``, ``tolerance``, ``rate`` and ``by_group`` of the same.

    Raises
    ------
    ValueError
        As for ``compare_models``, or if the baseline is not among the models.

    References
    ----------
    Cochran (1950), Biometrika 37, 256-266; Hotelling (1931), Annals of Mathematical Statistics 2,
    360-378; Westfall, Young (1993), Resampling-Based Multiple Testing; Mogstad, Romano, Shaikh,
    Wilhelm (2024), Review of Economic Studies 91, 476-518 (ranks).
    """
    check_choice(adjust, ADJUSTMENTS, "adjust")
    names = predictions.models if models is None else tuple(models)
    pairs = list(combinations(range(len(names)), 2))
    asked_pairs = pairs
    if baseline is not None:
        last = names.index(check_choice(baseline, names, "baseline"))
        asked_pairs = [(i, last) for i in range(len(names)) if i != last]
    request = make_request(confidence_level, n_resamples, rng)
    study = make_study(predictions, metric, names, **asked)
    study = replace(study, drawn=study.draws(request))
    every = asked_pairs + [pair for pair in pairs if not {pair, pair[::-1]} & set(asked_pairs)]
    said = [confidence_of(study.pair(*pair), request, method) for pair in every]
    made = [
        compare_pair(study.pair(*pair), request, *one, margin=margin, beside=False)
        for pair, one in zip(asked_pairs, said, strict=False)
    ]
    adjusted = adjust_p_values([one.p_value for one in made], method=adjust)
    made = [replace(one, p_adjusted=float(p)) for one, p in zip(made, adjusted, strict=True)]
    level = joint_level(study, asked_pairs, request.confidence_level)
    held = [confidence for _, confidence in said]
    together = [
        _at(one.difference, confidence, level) for one, confidence in zip(made, held, strict=False)
    ]
    ranked = joint_level(study, every, request.confidence_level)
    notes = (*_few_draws(held[0], level, request.n_resamples), *_disagreement(made, together))
    return ModelComparisons(
        metric=study.metric.key,
        models=names,
        baseline=baseline,
        adjust=adjust,
        omnibus=_omnibus(study),
        comparisons=tuple(made),
        simultaneous=tuple(together),
        ranks=_ranks(study, [one.limits(ranked) for one in held], every),
        notes=(*study.notes, *notes),
    )


def joint_level(study: Study, pairs: Sequence[tuple[int, int]], level: float) -> float:
    """Return the level of single intervals at which those of all pairs hold together."""
    if len(pairs) == 1:
        return level
    bonferroni = 1 - (1 - level) / len(pairs)
    draws = study.values[None] if study.drawn is None else study.drawn
    draws = draws[np.isfinite(draws).all(axis=1)]
    largest = np.zeros(len(draws))
    for i, j in pairs:
        offset = draws[:, i] - draws[:, j] - (study.values[i] - study.values[j])
        error = float(np.std(offset, ddof=1)) if len(offset) > 1 else 0.0
        if not error > NO_SPREAD * abs(study.values[i]):
            return bonferroni
        largest = np.maximum(largest, np.abs(offset) / error)
    joint = float(2 * ndtr(np.quantile(largest, level)) - 1)
    return min(max(joint, level), bonferroni)


def _at(single: Interval, confidence: Confidence, level: float) -> Interval:
    """Return the interval that holds together with others when each is made at ``level``."""
    low, high = map(float, confidence.limits(level))
    return replace(single, low=low, high=high, method="max_t")


def _few_draws(confidence: Confidence, level: float, n_resamples: int) -> Iterator[str]:
    least = ceil(2 / (1 - level))
    if confidence.test.startswith("bootstrap") and n_resamples < least:
        yield (
            f"the simultaneous intervals may be too short: they read quantiles that take at least "
            f"{least:,} resamples"
        )


def _disagreement(made: Sequence[Comparison], together: Sequence[Interval]) -> Iterator[str]:
    """Yield a sentence when simultaneous intervals and adjusted p-values decide differently."""
    number = sum(
        (joint.low > 0 or joint.high < 0) != (one.p_adjusted < 1 - joint.confidence_level)
        for one, joint in zip(made, together, strict=True)
    )
    if number:
        yield (
            f"in {number:,} of {len(made):,} comparisons the simultaneous interval and the "
            "adjusted p-value fall on two sides of this level: they are two ways of counting all "
            "comparisons, and neither replaces the other"
        )


def _omnibus(study: Study) -> HypothesisTest:
    """Return the test that all models of a study have the same value."""
    if study.kind == "proportion" and study.right is not None and study.parts is None:
        return _cochran(study.right.astype(float), study.counts)
    gaps = study.values[:-1] - study.values[-1]
    pulls = study.pulls[:, :-1] - study.pulls[:, [-1]]
    units, n = study.units[0], study.predictions.n_cases
    exact = study.kind == "mean" or study.parts is not None
    sums = study.parts.sums(pulls) if study.parts else pulls * np.sqrt(study.counts)[:, None]
    covariance = sums.T @ sums / max(n, 1) ** 2
    method = "hotelling" if exact else "wald_chi2"
    if not (np.isfinite(covariance).all() and np.isfinite(gaps).all()):
        return HypothesisTest(method=method, p_value=NAN, notes=study.notes)
    rank = int(np.linalg.matrix_rank(covariance, hermitian=True))
    statistic = float(gaps @ np.linalg.pinv(covariance, hermitian=True) @ gaps)
    p_value = float(chi2.sf(statistic, rank)) if rank else 1.0 if not gaps.any() else NAN
    if exact and rank:
        # The covariance has the divisor units where Hotelling's has units - 1: they cancel.
        statistic *= (units - rank) / (units * rank)
        p_value = float(f_distribution.sf(statistic, rank, units - rank)) if units > rank else NAN
    return HypothesisTest(method=method, p_value=p_value, statistic=statistic, degrees=rank)


def _cochran(right: np.ndarray, counts: np.ndarray) -> HypothesisTest:
    models = right.shape[1]
    by_model, by_case = counts @ right, right.sum(axis=1)
    spread = float(counts @ (by_case * (models - by_case)))
    excess = models * (models - 1) * float(((by_model - by_model.mean()) ** 2).sum())
    statistic = excess / spread if spread else 0.0
    p_value = float(chi2.sf(statistic, models - 1)) if counts.sum() else NAN
    return HypothesisTest(
        method="cochran_q", p_value=p_value, statistic=statistic, degrees=models - 1
    )


def _ranks(
    study: Study, limits: list[tuple[float, float]], pairs: Sequence[tuple[int, int]]
) -> tuple[ModelRank, ...]:
    higher, draws = study.metric.higher_is_better, study.drawn
    if higher is None or draws is None or not study.defined:
        return ()
    sign = 1.0 if higher else -1.0
    above, below = np.zeros(len(study.models), int), np.zeros(len(study.models), int)
    for (i, j), (low, high) in zip(pairs, limits, strict=True):
        if low > 0 or high < 0:
            winner, loser = (i, j) if sign * low > 0 else (j, i)
            above[loser] += 1
            below[winner] += 1
    drawn = sign * draws[np.isfinite(draws).all(axis=1)]
    top = drawn.max(axis=1, keepdims=True)
    best = drawn >= top - NO_SPREAD * np.abs(top)
    share = (best / best.sum(axis=1, keepdims=True)).sum(axis=0) / max(len(drawn), 1)
    values = sign * study.values
    return tuple(
        ModelRank(
            model=name,
            value=float(study.values[i]),
            rank=1 + int((values > values[i] + NO_SPREAD * abs(values[i])).sum()),
            low=1 + int(above[i]),
            high=len(values) - int(below[i]),
            share_best=float(share[i]),
        )
        for i, name in enumerate(study.models)
    )
