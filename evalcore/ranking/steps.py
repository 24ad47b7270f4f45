"""Cases in order of score, merged as far as a ranking statistic cannot tell them apart.

Only the order of positives against negatives matters to a ranking statistic. From the highest score
down, a run of positives followed by a run of negatives is therefore one step with two totals,
whatever the number of cases in it; a score shared by both classes is a step of its own. A resample
changes the totals and never the steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Steps:
    """The steps of one score.

    Attributes
    ----------
    column : ndarray of int, shape (n,)
        The step of a positive case; the step plus ``size`` of a negative one.
    beaten : ndarray of float, shape (size,)
        Share of a step's pairs of a positive and a negative that the negative wins: 0 for a run of
        positives above a run of negatives, 1/2 for a tie, anything for a bin of many scores.
    size : int
        Number of steps, from the highest score down.
    binned : bool
        Whether a step stands for more than a resample can be read from without error.
    """

    column: np.ndarray
    beaten: np.ndarray
    size: int
    binned: bool = False


def score_steps(truth: np.ndarray, scores: np.ndarray, *, merge_positives: bool = True) -> Steps:
    """Return the steps of a score.

    Parameters
    ----------
    truth : ndarray of bool, shape (n,)
    scores : ndarray of float, shape (n,)
    merge_positives : bool
        Whether neighbouring positives of different scores are one step. Average precision, which
        reads a threshold at every positive, has to keep them apart.
    """
    order = np.argsort(scores)[::-1]
    values, labels = scores[order], truth[order]
    first = np.append(True, values[1:] != values[:-1])[: len(values)]
    starts = np.flatnonzero(first)
    if starts.size == 0:
        return Steps(column=np.zeros(0, np.intp), beaten=np.zeros(0), size=0)
    has_positive = np.logical_or.reduceat(labels, starts)
    has_negative = np.logical_or.reduceat(~labels, starts)
    mixed = has_positive & has_negative
    opens = mixed | np.append(True, mixed[:-1])
    after_negative = np.append(True, has_negative[:-1])
    opens |= has_positive & (after_negative if merge_positives else True)
    step = np.cumsum(opens) - 1
    size = int(step[-1]) + 1
    column = np.empty(len(scores), np.intp)
    sizes = np.diff(np.append(starts, len(scores)))
    column[order] = np.repeat(step, sizes) + np.where(labels, 0, size)
    return Steps(column=column, beaten=0.5 * mixed[opens], size=size)


def bin_steps(steps: Steps, counts: np.ndarray, most: int) -> Steps:
    """Return at most ``most`` bins of neighbouring steps with about equally many cases each.

    A bin keeps the total of each class, and the share of its pairs that a negative wins, as
    observed; so the AUC of the data is kept exactly and that of a resample nearly.

    Parameters
    ----------
    steps : Steps
    counts : ndarray, shape (n,)
        How often each case occurs.
    most : int
        With no more steps than this, the steps are returned as they are.
    """
    if steps.size <= most:
        return steps
    totals = np.bincount(steps.column, counts, minlength=2 * steps.size)
    positives, negatives = totals[: steps.size], totals[steps.size :]
    cases = positives + negatives
    middle = np.cumsum(cases) - cases / 2
    label = np.minimum((middle / cases.sum() * most).astype(np.intp), most - 1)
    opens = np.append(True, label[1:] != label[:-1])
    number = np.cumsum(opens) - 1
    size = int(number[-1]) + 1
    above = np.cumsum(negatives) - negatives
    lost = np.add.reduceat(
        positives * (above - above[opens][number] + steps.beaten * negatives),
        np.flatnonzero(opens),
    )
    pairs = np.bincount(number, positives) * np.bincount(number, negatives)
    new_column = np.append(number, number + size)[steps.column]
    return Steps(column=new_column, beaten=lost / np.maximum(pairs, 1), size=size, binned=True)


def binning_error(positives: np.ndarray, negatives: np.ndarray, steps: Steps) -> float:
    """Return the largest difference that binning can make to the AUC of any of the given totals.

    Only the order within a bin is unknown, so the AUC is wrong by no more than the share of pairs
    that lie within one bin, each at the more distant of 0 and 1 from the share assumed for it.
    """
    furthest = np.maximum(steps.beaten, 1.0 - steps.beaten)
    unknown = np.einsum("...i,...i,i->...", positives, negatives, furthest)
    pairs = positives.sum(axis=-1) * negatives.sum(axis=-1).astype(float)
    return float(np.max(unknown / np.maximum(pairs, 1), initial=0.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class RankStatistic:
    """A statistic of the order of positives and negatives.

    Attributes
    ----------
    key : str
    evaluate : callable
        ``evaluate(positives, negatives, steps, rate)``: totals per step in the last axis, which it
        removes; ``rate`` is None unless the statistic needs one.
    merge_positives : bool
        See ``score_steps``.
    needs_rate : bool
    """

    key: str
    evaluate: Callable[[np.ndarray, np.ndarray, Steps, float | None], np.ndarray]
    merge_positives: bool = True
    needs_rate: bool = False


def _auc(
    positives: np.ndarray, negatives: np.ndarray, steps: Steps, rate: float | None
) -> np.ndarray:
    at_or_above = np.cumsum(negatives, axis=-1)
    total = negatives.sum(axis=-1)
    below = total[..., None] - at_or_above + (1.0 - steps.beaten) * negatives
    won = np.einsum("...i,...i->...", positives.astype(float), below)
    with np.errstate(invalid="ignore"):
        return won / (positives.sum(axis=-1) * total.astype(float))


def _average_precision(
    positives: np.ndarray, negatives: np.ndarray, steps: Steps, rate: float | None
) -> np.ndarray:
    true = np.cumsum(positives, axis=-1)
    called = true + _false_positives(negatives, steps)
    with np.errstate(invalid="ignore"):
        precision = true / np.maximum(called, 1)
        return (positives * precision).sum(axis=-1) / positives.sum(axis=-1)


def _recall_at_fpr(
    positives: np.ndarray, negatives: np.ndarray, steps: Steps, rate: float | None
) -> np.ndarray:
    total = negatives.sum(axis=-1)
    found = np.cumsum(positives, axis=-1)
    with np.errstate(invalid="ignore"):
        allowed = _false_positives(negatives, steps) / total[..., None] <= rate
        recall = np.max(np.where(allowed, found, 0), axis=-1, initial=0) / positives.sum(axis=-1)
    return np.where(total > 0, recall, np.nan)


def _false_positives(negatives: np.ndarray, steps: Steps) -> np.ndarray:
    """Return the negatives called when the threshold lies just below a step's positives."""
    return np.cumsum(negatives, axis=-1) - np.where(steps.beaten > 0, 0, negatives)


RANK_STATISTICS: Mapping[str, RankStatistic] = MappingProxyType(
    {
        statistic.key: statistic
        for statistic in (
            RankStatistic(key="auc", evaluate=_auc),
            RankStatistic(
                key="average_precision", evaluate=_average_precision, merge_positives=False
            ),
            RankStatistic(key="recall_at_fpr", evaluate=_recall_at_fpr, needs_rate=True),
        )
    }
)
