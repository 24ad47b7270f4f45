"""The bootstrap of ranking metrics on the predictions."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from evalcore.clusters import Partition, partition
from evalcore.metrics import Metric, Setting
from evalcore.predictions import Predictions
from evalcore.ranking.draws import rank_draws
from evalcore.ranking.steps import RANK_STATISTICS, Steps, score_steps
from evalcore.resampling.sums import draw_sums
from evalcore.resampling.weights import weight_blocks
from evalcore.sufficient import RankCases, rank_influence, rank_problems, rank_statistic, rank_value

# From here on a mean over classes is drawn from influence values.
LEAST_LINEAR = 5_000
MOST_WEIGHTS = 60_000_000


def rank_distribution(
    predictions: Predictions,
    metric: Metric,
    names: tuple[str, ...],
    setting: Setting,
    size: int,
    rng: np.random.Generator,
    stratify: bool,
    clustered: bool,
) -> np.ndarray:
    """Return a ranking metric on bootstrap resamples, shape (size, models).

    One class against the rest is drawn as steps of the sorted scores (``rank_draws``). A mean over
    classes needs the same cases for every class: their weights are drawn, and from 5,000 cases and
    ``MOST_WEIGHTS`` weights on, the influence values of the cases instead, which leaves out a term
    of order 1 / n.
    """
    problems = rank_problems(predictions, metric, names, setting)
    first = problems[0]
    if not 0 < first.positives < first.n:
        return np.full((size, len(names)), np.nan)
    parts = None
    if clustered and predictions.groups is not None:
        parts = partition(predictions.groups[first.rows], counts=first.counts)
    if len(problems) == 1:
        return rank_draws(
            first.truth,
            list(first.scores.T),
            rank_statistic(metric),
            rate=setting.rate,
            counts=first.counts,
            groups=None if parts is None else parts.codes,
            stratify=stratify,
            n_resamples=size,
            rng=rng,
        ).values
    truth = predictions.truth
    strata = truth[first.rows] if stratify and truth is not None else None
    if first.n >= LEAST_LINEAR and first.n * size > MOST_WEIGHTS:
        return _linear_draws(metric, problems, setting.rate, size, rng, strata, parts)
    return _weighted_draws(metric, problems, size, rng, strata, parts)


def _linear_draws(
    metric: Metric,
    problems: tuple[RankCases, ...],
    rate: float,
    size: int,
    rng: np.random.Generator,
    strata: np.ndarray | None,
    parts: Partition | None,
) -> np.ndarray:
    first = problems[0]
    models = range(first.scores.shape[1])
    pull = np.column_stack([rank_influence(metric, problems, j, rate) for j in models])
    estimate = np.array([rank_value(metric, problems, j, rate) for j in models])
    if parts is None:
        return estimate + draw_sums(pull, first.counts, size, rng, strata=strata) / first.n
    vectors = np.column_stack([parts.sums(pull), parts.sizes])
    sums = draw_sums(vectors, np.ones(parts.clusters, np.int64), size, rng)
    return estimate + sums[:, :-1] / sums[:, -1:]


def _weighted_draws(
    metric: Metric,
    problems: tuple[RankCases, ...],
    size: int,
    rng: np.random.Generator,
    strata: np.ndarray | None,
    parts: Partition | None,
) -> np.ndarray:
    first = problems[0]
    statistic = RANK_STATISTICS[rank_statistic(metric)]
    draws = np.empty((size, first.scores.shape[1]))
    units = first.counts if parts is None else np.ones(parts.clusters, np.int64)
    steps = [
        [score_steps(one.truth, one.scores[:, j]) for one in problems]
        for j in range(draws.shape[1])
    ]
    totals = [[_totals_of(step) for step in of_model] for of_model in steps]
    for which, weights in weight_blocks(units, size, rng, strata=strata, width=3 * len(first.rows)):
        by_case = weights if parts is None else weights[:, parts.codes] * parts.counts
        for j, of_model in enumerate(steps):
            values = []
            for step, matrix in zip(of_model, totals[j], strict=True):
                drawn = (matrix @ by_case.T).T
                positives, negatives = drawn[:, : step.size], drawn[:, step.size :]
                values.append(statistic.evaluate(positives, negatives, step, None))
            draws[which, j] = _mean_of_defined(np.array(values))
    return draws


def _totals_of(steps: Steps) -> sparse.csr_array:
    """Return the matrix that adds the weights of cases up to totals per step and class."""
    cases = len(steps.column)
    entries = (np.ones(cases), (steps.column, np.arange(cases)))
    return sparse.csr_array(entries, shape=(2 * steps.size, cases))


def _mean_of_defined(values: np.ndarray) -> np.ndarray:
    """Return the mean over the first axis of what is not nan: a class may miss from a resample."""
    defined = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.where(defined, values, 0.0).sum(axis=0) / defined.sum(axis=0)
