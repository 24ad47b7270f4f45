"""Pointwise bands for ROC, precision-recall and reliability curves.

Every point of these curves is a proportion, so its band is the interval of that proportion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evalcore.binomial import proportion_limits
from evalcore.checks import check_fraction
from evalcore.metrics import CALIBRATION_BINS
from evalcore.predictions import Predictions, is_probability
from evalcore.ranking import precision_recall_curve, roc_curve
from evalcore.sufficient.ranks import RankCases, rank_cases

MOST_POINTS = 400


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CurveBand:
    """A curve with a pointwise interval at each of its points.

    Attributes
    ----------
    x, y, low, high : ndarray, shape (T,)
        False-positive rate and recall (ROC), recall and precision, or stated probability and
        share that happened (reliability); ``low`` and ``high`` belong to ``y``.
    at : ndarray, shape (T,)
        Threshold of each point, or the middle of its bin.
    n : ndarray of int, shape (T,)
        Cases that inform each point.
    confidence_level : float
        Of each point alone, not of the whole curve.
    notes : tuple of str
        Why there is no curve.
    """

    x: np.ndarray
    y: np.ndarray
    low: np.ndarray
    high: np.ndarray
    at: np.ndarray
    n: np.ndarray
    confidence_level: float
    notes: tuple[str, ...] = ()


def roc_band(
    predictions: Predictions, model: str, label: str, *, confidence_level: float = 0.95
) -> CurveBand:
    """Return the ROC curve of one class, with the Wilson interval of the recall at each threshold.

    The band says how far recall at that threshold can be trusted; the false-positive rate has its
    own, usually smaller, uncertainty.

    Raises
    ------
    ValueError
        If the model or the class is unknown.
    """
    level = check_fraction(confidence_level, "confidence_level")
    case = rank_cases(predictions, model, label)
    if not _both_classes(case):
        return _nothing(level, case)
    curve = roc_curve(case.truth, case.scores[:, 0], counts=case.counts)
    keep = _thin(len(curve.thresholds))
    found = np.rint(curve.true_positive_rate[keep] * curve.positives)
    n = np.full(len(keep), curve.positives)
    return _band(
        curve.false_positive_rate[keep], found, n, curve.thresholds[keep], confidence_level=level
    )


def precision_recall_band(
    predictions: Predictions, model: str, label: str, *, confidence_level: float = 0.95
) -> CurveBand:
    """Return the precision-recall curve with the Wilson interval of the precision at each point.

    Raises
    ------
    ValueError
        If the model or the class is unknown.
    """
    level = check_fraction(confidence_level, "confidence_level")
    case = rank_cases(predictions, model, label)
    if not _both_classes(case):
        return _nothing(level, case)
    curve = precision_recall_curve(case.truth, case.scores[:, 0], counts=case.counts)
    keep = _thin(len(curve.thresholds))
    found = np.rint(curve.recall[keep] * curve.positives)
    called = np.rint(found / np.where(curve.precision[keep] > 0, curve.precision[keep], np.nan))
    informed = np.isfinite(called)
    keep, found, called = keep[informed], found[informed], called[informed]
    return _band(curve.recall[keep], found, called, curve.thresholds[keep], confidence_level=level)


def reliability_band(
    predictions: Predictions, model: str, label: str, *, confidence_level: float = 0.95
) -> CurveBand:
    """Return, for ten bins of the stated probability of a class, how often the class occurred.

    ``x`` is the mean stated probability of the bin; bins without a case are left out.

    Raises
    ------
    ValueError
        If the model or the class is unknown.

    References
    ----------
    Murphy, Winkler (1977), Applied Statistics 26, 41-47.
    """
    level = check_fraction(confidence_level, "confidence_level")
    case = rank_cases(predictions, model, label)
    stated = case.scores[:, 0]
    if not is_probability(stated):
        return _nothing(level, case)
    bins = np.minimum((stated * CALIBRATION_BINS).astype(int), CALIBRATION_BINS - 1)
    size = CALIBRATION_BINS
    n = np.bincount(bins, weights=case.counts, minlength=size)
    total = np.bincount(bins, weights=case.counts * stated, minlength=size)
    happened = np.bincount(bins, weights=case.counts * case.truth, minlength=size)
    filled = n > 0
    middle = (np.arange(size) + 0.5) / size
    return _band(
        total[filled] / n[filled], happened[filled], n[filled], middle[filled],
        confidence_level=level,
    )  # fmt: skip


def _both_classes(case: RankCases) -> bool:
    return 0 < case.positives < case.n


def _thin(size: int) -> np.ndarray:
    return np.unique(np.linspace(0, size - 1, min(size, MOST_POINTS)).round().astype(int))


def _band(
    x: np.ndarray, k: np.ndarray, n: np.ndarray, at: np.ndarray, *, confidence_level: float
) -> CurveBand:
    low, high = proportion_limits(k, n, method="wilson", confidence_level=confidence_level)
    return CurveBand(
        x=x, y=k / n, low=low, high=high, at=at, n=n.astype(np.int64),
        confidence_level=confidence_level,
    )  # fmt: skip


def _nothing(confidence_level: float, case: RankCases) -> CurveBand:
    empty = np.empty(0)
    reason = case.notes or ("undefined: there must be cases in the class and outside it",)
    if _both_classes(case):
        reason = ("undefined: the scores are not probabilities",)
    return CurveBand(
        x=empty, y=empty, low=empty, high=empty, at=empty, n=empty.astype(np.int64),
        confidence_level=confidence_level, notes=reason,
    )  # fmt: skip
