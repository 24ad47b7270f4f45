"""DeLong's AUC and error of many test sets at once, from how the classes fall along the scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evalcore.checks import check_choice, check_fraction
from evalcore.ranking.delong import DeLong
from evalcore.ranking.intervals import AUC_METHODS, AucSample, sample_limits


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AucTables:
    """The AUC of many test sets with all that the methods without resampling read.

    Attributes
    ----------
    auc, variance : ndarray, shape (S,)
        nan where a class does not occur; the variance also where it occurs once.
    positives, negatives : ndarray of int, shape (S,)
    """

    auc: np.ndarray
    variance: np.ndarray
    positives: np.ndarray
    negatives: np.ndarray

    def limits(self, method: str, confidence_level: float = 0.95) -> np.ndarray:
        """Return the limits of every test set as ``auc_interval`` makes them, shape (2, S).

        Parameters
        ----------
        method : str
            A key of ``AUC_METHODS`` that resamples nothing.
        confidence_level : float

        Raises
        ------
        ValueError
            If an argument is not allowed.
        """
        able = [key for key in AUC_METHODS if key != "percentile"]
        chosen = AUC_METHODS[check_choice(method, able, "method")]
        level = check_fraction(confidence_level, "confidence_level")
        found = np.empty((2, len(self.auc)))
        rows = zip(self.auc, self.variance, self.positives, self.negatives, strict=True)
        for place, (area, variance, positives, negatives) in enumerate(rows):
            summary = DeLong(
                auc=np.array([area]),
                covariance=np.array([[variance]]),
                influence=np.empty((0, 1)),
                positives=int(positives),
                negatives=int(negatives),
            )
            sample = AucSample(
                truth=None, scores=None, counts=None, groups=None, delong=summary, resampling={}
            )
            found[:, place] = sample_limits(chosen, sample, level)[1:]
        return found


def auc_tables(positives: np.ndarray, negatives: np.ndarray) -> AucTables:
    """Return the AUC and DeLong's variance of many test sets.

    Parameters
    ----------
    positives, negatives : ndarray, shape (S, L)
        Cases of each class at each of L levels of the score, lowest level first.

    Notes
    -----
    The placement of a positive is the share of negatives below it, ties counted half; the AUC is
    the mean placement and its variance ``S_10 / m + S_01 / n`` as in ``delong_covariance``, in
    O(L) a set.

    References
    ----------
    DeLong, DeLong, Clarke-Pearson (1988), Biometrics 44, 837-845.
    """
    m, n = positives.sum(axis=-1), negatives.sum(axis=-1)
    beaten = np.cumsum(negatives, axis=-1) - 0.5 * negatives
    lost_to = np.cumsum(positives, axis=-1) - 0.5 * positives
    with np.errstate(invalid="ignore", divide="ignore"):
        beaten /= n[:, None]
        lost_to /= m[:, None]
        area = np.einsum("sl,sl->s", positives, beaten) / m
        beaten -= area[:, None]
        lost_to -= 1.0 - area[:, None]
        variance = _share(positives, beaten, m) + _share(negatives, lost_to, n)
    # A perfect order leaves rounding for a spread.
    area = np.where(np.abs(area - 1.0) < 1e-14, 1.0, area)
    return AucTables(auc=area, variance=variance, positives=m, negatives=n)


def _share(cases: np.ndarray, offset: np.ndarray, number: np.ndarray) -> np.ndarray:
    squares = np.einsum("sl,sl,sl->s", cases, offset, offset)
    return np.where(number > 1, squares / (number * (number - 1.0)), np.nan)
