"""Test sets of scored cases, seen through how the classes fall along the scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from evalcore.ranking import AucTables, auc_tables
from evalcore.ranking.curves import check_ranking


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RankingMarket:
    """Cases of two classes along the distinct values of a score.

    Attributes
    ----------
    kinds : ndarray of int, shape (m,)
        Twice the level of the score, lowest first, and 1 more for positives; in increasing order.
    counts : ndarray of int, shape (m,)
        Cases of each kind.
    auc : float
    """

    kinds: np.ndarray
    counts: np.ndarray
    auc: float

    @property
    def n(self) -> int:
        """Number of cases."""
        return int(self.counts.sum())

    def draw(self, n: int, n_sets: int, rng: np.random.Generator) -> AucTables:
        """Return so many test sets of n cases, drawn with replacement."""
        ends = np.cumsum(self.counts)
        picks = np.searchsorted(ends, rng.integers(0, ends[-1], (n_sets, n)), side="right")
        drawn = np.sort(self.kinds[picks], axis=1)
        # The levels that a set holds are numbered within the set.
        level = np.cumsum(np.diff(drawn >> 1, axis=1, prepend=drawn[:, :1] >> 1) > 0, axis=1)
        place = 2 * (level + n * np.arange(n_sets)[:, None]) + (drawn & 1)
        table = np.bincount(place.ravel(), minlength=2 * n * n_sets).reshape(n_sets, n, 2)
        width = int(level.max()) + 1
        return auc_tables(table[:, :width, 1], table[:, :width, 0])


def ranking_market(truth: Any, scores: Any, *, counts: Any = None) -> RankingMarket:
    """Return the market of scored cases.

    Parameters
    ----------
    truth : array-like of bool or 0/1, shape (n,)
    scores : array-like of float, shape (n,)
        Higher speaks for the positive class.
    counts : array-like of int, shape (n,), optional

    Raises
    ------
    ValueError
        If lengths differ, a score is missing, or there are not cases of both classes.
    """
    labels, values, weights = check_ranking(truth, scores, counts)
    copies = np.ones(len(labels), np.int64) if weights is None else weights
    _, level = np.unique(values, return_inverse=True)
    kinds, place = np.unique(2 * level + labels, return_inverse=True)
    cases = np.bincount(place, weights=copies).astype(np.int64)
    kinds, cases = kinds[cases > 0], cases[cases > 0]
    positive = kinds % 2 == 1
    if cases[positive].sum() == 0 or cases[~positive].sum() == 0:
        raise ValueError("truth must hold cases of both classes; got one")
    table = np.zeros((int(kinds.max()) // 2 + 1, 2))
    table[kinds // 2, kinds % 2] = cases
    area = auc_tables(table[None, :, 1], table[None, :, 0]).auc
    return RankingMarket(kinds=kinds, counts=cases, auc=float(area[0]))


def binormal_tables(
    shift: float, prevalence: float, n: int, n_sets: int, rng: np.random.Generator
) -> AucTables:
    """Return test sets whose scores are standard normal, those of positives higher by a shift."""
    positive = rng.random((n_sets, n)) < prevalence
    scores = rng.standard_normal((n_sets, n)) + shift * positive
    # The class rides on the last bit of the score, so that one plain sort moves both.
    bits = (scores.view(np.int64) & ~1) | positive
    label = np.sort(bits.view(np.float64), axis=1).view(np.int64) & 1
    return auc_tables(label, 1 - label)
