"""Ranking problems of the predictions: their value and the pull of each case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from evalcore.checks import check_choice
from evalcore.metrics import Metric, Setting
from evalcore.predictions import MISSING, Predictions
from evalcore.ranking.delong import delong_placements
from evalcore.ranking.steps import RANK_STATISTICS, Steps, score_steps
from evalcore.sufficient.resolve import class_of

# Half-width, on the scale of shares, of the window a density or slope is read from: 0.97 n^(-1/3).
HALL_SHEATHER = 0.97


@dataclass(frozen=True, slots=True, kw_only=True)
class RankCases:
    """One ranking problem: which cases are in the class, and their scores.

    Attributes
    ----------
    label : str
        The class.
    truth : ndarray of bool, shape (n,)
    scores : ndarray of float, shape (n, models)
    counts : ndarray of int64, shape (n,)
    rows : ndarray of int, shape (n,)
        Row numbers in the predictions.
    notes : tuple of str
    """

    label: str
    truth: np.ndarray
    scores: np.ndarray
    counts: np.ndarray
    rows: np.ndarray
    notes: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """Number of cases."""
        return int(self.counts.sum())

    @property
    def positives(self) -> int:
        """Number of cases in the class."""
        return int(self.counts[self.truth].sum())


def rank_labels(predictions: Predictions, metric: Metric, setting: Setting) -> tuple[str, ...]:
    """Return the classes whose ranking problems a metric averages over."""
    if metric.per_class:
        return (predictions.classes[class_of(predictions, metric, setting)],)
    return predictions.classes


def rank_statistic(metric: Metric) -> str:
    """Return the key in RANK_STATISTICS that a ranking metric computes of each class."""
    return "auc" if metric.key == "auc_macro" else metric.key


def rank_cases(predictions: Predictions, models: Sequence[str] | str, label: str) -> RankCases:
    """Return the ranking problem of one class against the rest, over the cases all models scored.

    Raises
    ------
    ValueError
        If a model or the class is unknown.
    """
    names = (models,) if isinstance(models, str) else tuple(models)
    code = predictions.class_code(label)
    notes: tuple[str, ...] = ()
    truth = predictions.truth
    if truth is None:
        truth = np.full(predictions.n_rows, MISSING, np.int32)
        notes = ("undefined: the file has no truth",)
    scores = np.full((predictions.n_rows, len(names)), np.nan)
    for column, name in enumerate(names):
        given = predictions.score_of(check_choice(name, predictions.models, "model"), label)
        if given is None:
            notes += (f"undefined: {name} has no score of class {label}",)
        else:
            scores[:, column] = given
    usable = (truth != MISSING) & (predictions.weights > 0) & ~np.isnan(scores).any(axis=1)
    rows = np.flatnonzero(usable)
    return RankCases(
        label=label,
        truth=truth[rows] == code,
        scores=scores[rows],
        counts=predictions.weights[rows],
        rows=rows,
        notes=notes,
    )


def rank_problems(
    predictions: Predictions,
    metric: Metric,
    models: Sequence[str] | str,
    setting: Setting | None = None,
) -> tuple[RankCases, ...]:
    """Return the ranking problems that a metric averages over, all on the same cases.

    Classes without a case are left out of a mean over classes.

    Raises
    ------
    ValueError
        If a model or the class is unknown.
    """
    labels = rank_labels(predictions, metric, setting or Setting())
    found = [rank_cases(predictions, models, label) for label in labels]
    rows = reduce(np.intersect1d, [one.rows for one in found])
    found = [_only(one, rows) for one in found]
    left_out = predictions.n_cases - int(predictions.weights[rows].sum())
    notes: tuple[str, ...] = ()
    if left_out:
        cases = f"{left_out:,} of {predictions.n_cases:,} cases"
        notes = (f"{cases} lack a truth or a score and are left out",)
    empty = [one.label for one in found if not 0 < one.positives < one.n]
    if empty and len(rows):
        absent = "without" if len(found) > 1 else "undefined: there must be cases in and outside"
        notes += (f"{absent} class {', '.join(empty)}",)
    if len(found) > len(empty):
        found = [one for one in found if one.label not in empty]
    return tuple(replace(one, notes=one.notes + notes) for one in found)


def rank_value(metric: Metric, problems: Sequence[RankCases], column: int, rate: float) -> float:
    """Return a ranking metric of one model (a column of the scores), the mean over its problems."""
    statistic = RANK_STATISTICS[rank_statistic(metric)]
    values = []
    for one in problems:
        steps = _steps(metric, one, column)
        positives, negatives = _totals(steps, one.counts)
        values.append(float(statistic.evaluate(positives, negatives, steps, rate)))
    return float(np.mean(values))


def rank_influence(
    metric: Metric, problems: Sequence[RankCases], column: int, rate: float
) -> np.ndarray:
    """Return the influence of each case on a ranking metric, the mean over its problems.

    AUC: the share of the other class that a case beats, less the AUC, over the share of its own
    class (the structural components of DeLong). Average precision: its derivative by the weight of
    the case. Recall at a false-positive rate: the case's own hit, and for a negative the shift of
    the threshold times the slope of the ROC curve there.

    Returns
    -------
    ndarray, shape (n,)

    References
    ----------
    DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). Comparing the areas under two or
    more correlated ROC curves. Biometrics 44, 837-845.
    """
    pull = np.zeros(len(problems[0].rows))
    for one in problems:
        if rank_statistic(metric) == "auc":
            pull += _auc_pull(one, one.scores[:, column])
            continue
        steps = _steps(metric, one, column)
        by_column = _STEP_PULLS[metric.key](steps, *_totals(steps, one.counts), rate)
        pull += by_column[steps.column]
    return pull / len(problems)


def _only(one: RankCases, rows: np.ndarray) -> RankCases:
    if len(rows) == len(one.rows):
        return one
    kept = np.isin(one.rows, rows)
    return replace(
        one,
        truth=one.truth[kept],
        scores=one.scores[kept],
        counts=one.counts[kept],
        rows=one.rows[kept],
    )


def _steps(metric: Metric, one: RankCases, column: int) -> Steps:
    merge = RANK_STATISTICS[rank_statistic(metric)].merge_positives
    return score_steps(one.truth, one.scores[:, column], merge_positives=merge)


def _totals(steps: Steps, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    totals = np.bincount(steps.column, weights=counts, minlength=2 * steps.size)
    return totals[: steps.size], totals[steps.size :]


def _auc_pull(one: RankCases, scores: np.ndarray) -> np.ndarray:
    own = np.where(one.truth, one.positives, one.n - one.positives)
    placements = delong_placements(one.truth, scores, counts=one.counts)
    value = one.counts[one.truth] @ placements[one.truth] / one.positives
    return one.n * (placements - value) / own


def _average_precision_pull(
    steps: Steps, positives: np.ndarray, negatives: np.ndarray, rate: float
) -> np.ndarray:
    p, n = positives.sum(), negatives.sum()
    true = np.cumsum(positives)
    tied = steps.beaten > 0
    false = np.cumsum(negatives) - np.where(tied, 0, negatives)
    called = np.maximum(true + false, 1)
    precision = true / called
    gained = positives * false / called**2
    lost = positives * true / called**2
    from_here = np.cumsum(gained[::-1])[::-1]
    beyond = np.cumsum(lost[::-1])[::-1] - np.where(tied, 0, lost)
    value = positives @ precision / p
    return np.concatenate([precision + from_here - value, -beyond]) * (p + n) / p


def _recall_pull(
    steps: Steps, positives: np.ndarray, negatives: np.ndarray, rate: float
) -> np.ndarray:
    p, n = positives.sum(), negatives.sum()
    found = np.cumsum(positives)
    called = np.cumsum(negatives) - np.where(steps.beaten > 0, 0, negatives)
    last = np.searchsorted(called, rate * n, side="right") - 1
    recall = found[last] / p if last >= 0 else 0.0
    window = HALL_SHEATHER * n ** (-1 / 3)
    ends = np.clip([rate - window, rate + window], 0.0, 1.0)
    slope = np.diff(np.interp(ends, called / n, found / p))[0] / max(ends[1] - ends[0], 1 / n)
    hit = np.arange(steps.size) <= last
    above = (np.arange(steps.size) < last) | (hit & (steps.beaten > 0))
    share = negatives @ above / n
    return np.concatenate([(hit - recall) / p, -slope * (above - share) / n]) * (p + n)


_STEP_PULLS = {
    "average_precision": _average_precision_pull,
    "recall_at_fpr": _recall_pull,
}
