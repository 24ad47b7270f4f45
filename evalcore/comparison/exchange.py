"""The exchange test: were two models alike, their outputs could change places case by case."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
from scipy import sparse
from scipy.stats import binom

from evalcore.checks import as_generator, check_whole
from evalcore.comparison.numeric import BLOCK, random_bits, sign_flip_test
from evalcore.comparison.study import EQUAL, SQUARED, Study, make_study
from evalcore.predictions import Predictions
from evalcore.results import HypothesisTest
from evalcore.sufficient import Cells, cells, class_of, count_value, rank_problems, rank_value

MOST_EXACT = 50_000


def exchange_test(
    predictions: Predictions,
    metric: str,
    model_a: str,
    model_b: str,
    *,
    n_resamples: int = 9999,
    rng: int | np.random.Generator | None = 0,
    **asked: Any,
) -> HypothesisTest:
    """Return the permutation test that exchanges two models' outputs case by case.

    P is the share of exchanges that set the metric at least as far apart as it is. Labels change
    places on the joint table of truth and labels, a binomial number from each cell: all of up to
    50,000 outcomes, or R drawn ones with p = (1 + as extreme) / (1 + R). Differences within
    rounding are ties; an exchange that leaves the metric undefined counts as extreme. Means, RMSE
    and R squared get the sign-flip test, which is the same. Rankings exchange the ranks of the
    scores, and sort all cases in every draw. Clusters are exchanged whole.

    Parameters
    ----------
    predictions, metric, model_a, model_b, n_resamples, rng
        As for ``compare_models``.
    **asked
        ``label``, ``threshold``, ``tolerance``, ``rate`` and ``by_group`` of the same.

    Returns
    -------
    HypothesisTest
        The statistic is the gap A - B; the method ends in "_exact" when every outcome was counted.

    Raises
    ------
    ValueError
        If an argument is not allowed, or the metric is the median absolute error or the calibration
        error, which no exchange of single numbers decides.

    References
    ----------
    Yeh (2000), More accurate tests for the statistical significance of result differences, COLING;
    Venkatraman (2000), Biometrics 56, 1134-1138.
    """
    size = check_whole(n_resamples, "n_resamples", least=1)
    study = make_study(predictions, metric, (model_a, model_b), **asked)
    if not exchangeable(study):
        raise ValueError(
            f"metric must be one of labels, rankings or means; got {metric!r}, which the paired "
            "bootstrap compares"
        )
    if not study.defined:
        return HypothesisTest(method="exchange", p_value=float("nan"), notes=study.notes)
    return exchange(study, size, as_generator(rng))


def exchangeable(study: Study) -> bool:
    """Return whether there is an exchange test of the metric."""
    flips = study.kind in ("mean", "proportion") or study.metric.key in SQUARED
    return study.columns is None or flips


def exchange(study: Study, n_resamples: int, rng: np.random.Generator) -> HypothesisTest:
    """Return the exchange test of a study of two models whose values are defined."""
    if study.columns is not None:
        groups = study.parts.codes if study.parts else None
        counts = study.predictions.counts
        return sign_flip_test(
            study.case_gaps, counts=counts, groups=groups, n_resamples=n_resamples, rng=rng
        )
    least = abs(study.gap) - EQUAL * float(np.abs(study.values).max())
    drawn = _ranked if study.metric.family == "rank" else _labelled
    share, method = 0.0, "exchange"
    for gaps, weights in drawn(study, n_resamples, rng):
        extreme = ~(np.abs(gaps) < least)
        if weights is not None:
            method = "exchange_exact"
        share += float(extreme.sum() if weights is None else weights @ extreme)
    p_value = (1 + share) / (1 + n_resamples) if method == "exchange" else min(1.0, share)
    return HypothesisTest(method=method, p_value=p_value, statistic=study.gap)


def _labelled(
    study: Study, n_resamples: int, rng: np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray | None]]:
    """Yield gaps of exchanged labels, with their probabilities when all outcomes are counted."""
    table, base, step, numbers = _movable(study)
    code = class_of(study.predictions, study.metric, study.setting)
    outcomes = prod((numbers + 1).tolist())
    size = outcomes if outcomes <= MOST_EXACT else n_resamples
    block = max(1, BLOCK // max(step.shape[1], 3 * table.n_classes))
    for start in range(0, size, block):
        rows, weights = min(block, size - start), None
        if outcomes > MOST_EXACT:
            kept = rng.binomial(numbers, 0.5, (rows, len(numbers)))
        else:
            which = np.unravel_index(np.arange(start, start + rows), (1, *(numbers + 1)))
            kept = np.column_stack(which)[:, 1:]
            weights = binom.pmf(kept, numbers, 0.5).prod(axis=1)
        drawn = base + kept @ step
        first, second = (
            count_value(study.metric, table.margins(model, drawn), code) for model in study.models
        )
        yield first - second, weights


def _movable(study: Study) -> tuple[Cells, np.ndarray, sparse.csr_array, np.ndarray]:
    """Return cells closed under exchange, and their counts as ``base + kept @ step``.

    Of the ``numbers`` cases of a cell (or of one, a cluster), ``kept`` stay as they are.
    """
    table = cells(study.predictions, study.ordered)
    size = len(table.counts)
    both = np.vstack([table.codes, table.codes[:, [0, 2, 1]]])
    codes, place = np.unique(both, axis=0, return_inverse=True)
    closed = replace(table, codes=codes, counts=np.zeros(len(codes)), index=np.zeros(0, int))
    stay, move = (
        sparse.csr_array((np.ones(size), (np.arange(size), to)), shape=(size, len(codes)))
        for to in (place[:size], place[size:])
    )
    if study.parts is None:
        base, step, numbers = table.counts @ move, stay - move, table.counts
    else:
        units = table.by_cluster(study.parts)
        base, step = (units @ move).sum(axis=0), units @ (stay - move)
        numbers = np.ones(study.parts.clusters, np.int64)
    moving = np.abs(step).sum(axis=1) > 0
    return closed, base, step[moving], numbers[moving]


def _ranked(
    study: Study, n_resamples: int, rng: np.random.Generator
) -> Iterator[tuple[np.ndarray, None]]:
    """Yield gaps of ranking metrics with the ranks of both scores exchanged."""
    found = rank_problems(study.predictions, study.metric, study.models, study.setting)
    counts, size = found[0].counts, len(found[0].rows)
    ranks = [
        np.vstack([r, r[:, ::-1]]) for r in (_weighted_ranks(one.scores, counts) for one in found)
    ]
    for _ in range(n_resamples):
        if study.parts is None:
            kept = rng.binomial(counts, 0.5)
        else:
            kept = counts * random_bits(1, study.parts.clusters, rng)[0][study.parts.codes]
        # Of the copies of a row some keep their ranks and the others exchange them.
        split = np.concatenate([kept, counts - kept])
        held = np.flatnonzero(split)
        moved = [
            replace(one, truth=one.truth[held % size], counts=split[held], scores=r[held])
            for one, r in zip(found, ranks, strict=True)
        ]
        first, second = (rank_value(study.metric, moved, j, study.setting.rate) for j in (0, 1))
        yield np.array([first - second]), None


def _weighted_ranks(scores: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the mean rank of each score in its column, each row standing for ``counts`` cases."""
    ranks = np.empty(scores.shape)
    for j, column in enumerate(scores.T):
        _, place = np.unique(column, return_inverse=True)
        tied = np.bincount(place, weights=counts)
        ranks[:, j] = (np.cumsum(tied) - (tied - 1) / 2)[place]
    return ranks
