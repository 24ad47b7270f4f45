"""ROC and precision-recall curves, and the single numbers read off them.

A higher score speaks for the positive class. Cases of one score are called together, so that a
positive and a negative of equal score count half in the AUC.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from evalcore.checks import (
    check_binary,
    check_counts,
    check_proportion,
    check_same_length,
    check_values,
)
from evalcore.ranking.steps import RANK_STATISTICS, score_steps


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RocCurve:
    """The trade between false and true positives, one point per threshold.

    Attributes
    ----------
    thresholds : ndarray, shape (T + 1,)
        Falling; a case is called positive at this score or above. The first is infinite.
    false_positive_rate, true_positive_rate : ndarray, shape (T + 1,)
        Rising from 0 to 1; nan when the class they are a share of does not occur.
    positives, negatives : int
        Number of cases of each class.
    """

    thresholds: np.ndarray
    false_positive_rate: np.ndarray
    true_positive_rate: np.ndarray
    positives: int
    negatives: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PrecisionRecallCurve:
    """The trade between precision and recall, one point per threshold.

    Attributes
    ----------
    thresholds : ndarray, shape (T,)
        Falling; a case is called positive at this score or above.
    precision, recall : ndarray, shape (T,)
        Recall rises to 1; it is nan when there are no positives.
    positives, negatives : int
        Number of cases of each class.
    """

    thresholds: np.ndarray
    precision: np.ndarray
    recall: np.ndarray
    positives: int
    negatives: int


def check_ranking(
    truth: Any, scores: Any, counts: Any = None, *, name: str = "scores"
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return truth as booleans, scores as floats and counts as int64 or None.

    Raises
    ------
    ValueError
        If lengths differ, the truth is not 0/1, a score is missing or a count is not allowed.
    """
    labels, values = check_binary(truth), check_values(scores, name)
    size = check_same_length({"truth": labels, name: values})
    missing = int(np.isnan(values).sum())
    if missing:
        raise ValueError(f"{name} must not be missing (nan): leave out {missing} such cases first")
    return labels, values, check_counts(counts, size)


def roc_curve(truth: Any, scores: Any, *, counts: Any = None) -> RocCurve:
    """Return the receiver operating characteristic of a score.

    Parameters
    ----------
    truth : array-like of bool or 0/1, shape (n,)
    scores : array-like of float, shape (n,)
        Higher speaks for the positive class.
    counts : array-like of int, shape (n,), optional
        How often each case occurs.

    Raises
    ------
    ValueError
        If lengths differ, the truth is not 0/1 or a score is missing.

    References
    ----------
    Fawcett (2006), "An introduction to ROC analysis", Pattern Recognition Letters 27, 861-874.
    """
    thresholds, true, false = _called(truth, scores, counts)
    true, false = np.append(0, true), np.append(0, false)
    with np.errstate(invalid="ignore"):
        return RocCurve(
            thresholds=np.append(np.inf, thresholds),
            false_positive_rate=false / false[-1],
            true_positive_rate=true / true[-1],
            positives=int(true[-1]),
            negatives=int(false[-1]),
        )


def precision_recall_curve(truth: Any, scores: Any, *, counts: Any = None) -> PrecisionRecallCurve:
    """Return precision and recall at every threshold; parameters as for ``roc_curve``.

    No point is made up at recall 0, where nothing is called and precision is undefined.

    Raises
    ------
    ValueError
        If lengths differ, the truth is not 0/1 or a score is missing.

    References
    ----------
    Davis, Goadrich (2006), "The relationship between Precision-Recall and ROC curves", ICML.
    """
    thresholds, true, false = _called(truth, scores, counts)
    positives, negatives = (int(called[-1]) if called.size else 0 for called in (true, false))
    with np.errstate(invalid="ignore"):
        return PrecisionRecallCurve(
            thresholds=thresholds,
            precision=true / (true + false),
            recall=true / positives if positives else np.full(true.shape, np.nan),
            positives=positives,
            negatives=negatives,
        )


def _called(truth: Any, scores: Any, counts: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the falling distinct scores and how many of each class lie at or above them."""
    labels, values, weights = check_ranking(truth, scores, counts)
    weights = np.ones(len(values), np.int64) if weights is None else weights
    labels, values, weights = (array[weights > 0] for array in (labels, values, weights))
    order = np.argsort(values)[::-1]
    values, labels, weights = values[order], labels[order], weights[order]
    last = np.append(values[1:] != values[:-1], True)[: len(values)]
    return (
        values[last],
        np.cumsum(weights * labels)[last],
        np.cumsum(weights * ~labels)[last],
    )


def auc(truth: Any, scores: Any, *, counts: Any = None) -> float:
    """Return the chance that a random positive scores above a random negative, ties half.

    Parameters as for ``roc_curve``. nan when one class does not occur.

    Raises
    ------
    ValueError
        If lengths differ, the truth is not 0/1 or a score is missing.

    References
    ----------
    Hanley, McNeil (1982), Radiology 143, 29-36.
    """
    return _statistic(truth, scores, counts, "auc", None)


def average_precision(truth: Any, scores: Any, *, counts: Any = None) -> float:
    """Return the mean precision over the positives, each at its own score as threshold.

    The step definition: the sum over falling thresholds of (rise of recall) times precision,
    without interpolation. Parameters as for ``roc_curve``. nan when there are no positives.

    Raises
    ------
    ValueError
        If lengths differ, the truth is not 0/1 or a score is missing.

    References
    ----------
    Su, Yuan, Zhu (2015), "A relationship between the average precision and the area under the ROC
    curve", ICTIR.
    """
    return _statistic(truth, scores, counts, "average_precision", None)


def recall_at_fpr(truth: Any, scores: Any, rate: float, *, counts: Any = None) -> float:
    """Return the largest recall among thresholds whose false-positive rate is at most ``rate``.

    The thresholds are the observed scores, without interpolation, and the one that calls nothing:
    the answer is 0 when the highest score already lets in too many negatives. nan when one class
    does not occur.

    Parameters
    ----------
    truth, scores, counts
        As for ``roc_curve``.
    rate : float
        The false-positive rate that is allowed, 0 to 1.

    Raises
    ------
    ValueError
        If lengths differ, the truth is not 0/1, a score is missing or the rate is not a share.
    """
    return _statistic(truth, scores, counts, "recall_at_fpr", rate)


def _statistic(truth: Any, scores: Any, counts: Any, key: str, rate: float | None) -> float:
    labels, values, weights = check_ranking(truth, scores, counts)
    allowed = None if rate is None else check_proportion(rate, "rate")
    statistic = RANK_STATISTICS[key]
    steps = score_steps(labels, values, merge_positives=statistic.merge_positives)
    totals = np.bincount(steps.column, weights, minlength=2 * steps.size)
    return float(statistic.evaluate(totals[: steps.size], totals[steps.size :], steps, allowed))
