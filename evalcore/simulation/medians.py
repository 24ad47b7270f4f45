"""Test sets seen through the few order statistics that their median and its intervals read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from evalcore.intervals.quantiles import median_law, outer_rank

Limits = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OrderedSets:
    """Test sets of n cases each, by some of their values in increasing order.

    Attributes
    ----------
    n : int
    ranks : ndarray of int, shape (k,)
        In increasing order, from 1.
    values : ndarray, shape (S, k)
        Values of the cases of these ranks.
    """

    n: int
    ranks: np.ndarray
    values: np.ndarray

    def at(self, ranks: np.ndarray) -> np.ndarray:
        """Return the values of some of the ranks, shape (S, number of ranks)."""
        return self.values[:, np.searchsorted(self.ranks, ranks)]

    @property
    def median(self) -> np.ndarray:
        """Median of each test set, shape (S,)."""
        return self.at(_middle(self.n)).mean(axis=1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Crossing:
    """Where the exact bootstrap distribution of a median crosses a probability, for any values.

    The quantile is at least the value of rank ``floor``, since the lower of the two cases a median
    lies between is below it too rarely; pairs that end at or before that rank count in full
    (``base``), pairs that start behind the quantile not at all, and only the others are compared.

    Attributes
    ----------
    floor : int
    base : float
    first, second : ndarray of int, shape (m,)
    probabilities : ndarray, shape (m,)
    probability : float
        The probability crossed.
    """

    floor: int
    base: float
    first: np.ndarray
    second: np.ndarray
    probabilities: np.ndarray
    probability: float

    def read(self, sets: OrderedSets) -> np.ndarray:
        """Return the quantile of each test set, shape (S,)."""
        floor = sets.at(np.array([self.floor]))
        if self.base >= self.probability or len(self.first) == 0:
            return floor[:, 0]
        medians = (sets.at(self.first) + sets.at(self.second)) / 2
        order = np.argsort(medians, axis=1)
        reached = self.base + np.cumsum(self.probabilities[order], axis=1) >= self.probability
        place = np.where(reached.any(axis=1), reached.argmax(axis=1), medians.shape[1] - 1)
        chosen = np.take_along_axis(order, place[:, None], axis=1)
        return np.maximum(np.take_along_axis(medians, chosen, axis=1), floor)[:, 0]


@lru_cache(maxsize=16)
def crossing(n: int, probability: float) -> Crossing:
    """Return the crossing of a probability for medians of n cases."""
    law = median_law(n)
    total = law.probabilities / law.probabilities.sum()
    wanted = probability * (1 - 1e-12)
    floor = _smallest(law.first, total, wanted)
    ceiling = _smallest(law.second, total, wanted)
    sure = law.second <= floor
    unsure = ~sure & (law.first <= ceiling)
    return Crossing(
        floor=floor,
        base=float(total[sure].sum()),
        first=law.first[unsure],
        second=law.second[unsure],
        probabilities=total[unsure],
        probability=wanted,
    )


def draw_ordered(
    values: np.ndarray,
    counts: np.ndarray,
    n: int,
    n_sets: int,
    confidence_level: float,
    rng: np.random.Generator,
) -> OrderedSets:
    """Return test sets of a market of values, by the order statistics that the methods read.

    Order statistics of n uniform draws are sums of exponentials over their total, so that those of
    some ranks alone cost the same at any n.

    Parameters
    ----------
    values : ndarray, shape (N,)
        In increasing order.
    counts : ndarray of int, shape (N,)
    n, n_sets : int
    confidence_level : float
    rng : numpy.random.Generator

    References
    ----------
    Devroye, L. (1986). Non-Uniform Random Variate Generation, chapter V, section 3.
    """
    ranks = _needed(n, confidence_level)
    steps = rng.standard_gamma(np.diff(ranks, prepend=0, append=n + 1), (n_sets, len(ranks) + 1))
    place = np.cumsum(steps, axis=1)
    ends = np.cumsum(counts)
    share = place[:, :-1] / place[:, -1:]
    rows = np.searchsorted(ends, share * ends[-1], side="right")
    return OrderedSets(n=n, ranks=ranks, values=values[np.minimum(rows, len(values) - 1)])


def _needed(n: int, level: float) -> np.ndarray:
    tail = (1.0 - level) / 2.0
    outer = outer_rank(n, level)
    ranks = [_middle(n), np.array([outer, n + 1 - outer] if outer else [], int)]
    for probability in (tail, 1.0 - tail):
        found = crossing(n, probability)
        ranks += [np.array([found.floor]), found.first, found.second]
    return np.unique(np.concatenate(ranks).astype(np.int64))


def _middle(n: int) -> np.ndarray:
    return np.array([(n + 1) // 2, n // 2 + 1])


def _smallest(ranks: np.ndarray, probabilities: np.ndarray, wanted: float) -> int:
    """Return the smallest rank at or below which the probability lies."""
    total = np.cumsum(np.bincount(ranks, weights=probabilities))
    return min(int(np.searchsorted(total, wanted)), len(total) - 1)


def _order_statistic(sets: OrderedSets, level: float) -> Limits:
    place = outer_rank(sets.n, level)
    if place < 1:
        nothing = np.full(len(sets.values), np.nan)
        return nothing, nothing
    low, high = sets.at(np.array([place, sets.n + 1 - place])).T
    return low, high


def _exact_bootstrap(sets: OrderedSets, level: float) -> Limits:
    tail = (1.0 - level) / 2.0
    low, high = (crossing(sets.n, probability).read(sets) for probability in (tail, 1.0 - tail))
    return low, high


MEDIAN_METHODS: Mapping[str, Callable[[OrderedSets, float], Limits]] = MappingProxyType(
    {"order_statistic": _order_statistic, "exact_bootstrap": _exact_bootstrap}
)
