"""Rankings made by luck: the best of many models, and the worst of many slices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from evalcore.checks import as_generator, check_fraction, check_whole


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Leaderboards:
    """Competitors of known accuracy, each scored on a public and on a private test set, many times.

    Attributes
    ----------
    truth : ndarray, shape (k,)
        True accuracies, highest first.
    public, private : ndarray, shape (n_repeats, k)
        Measured accuracies.
    """

    truth: np.ndarray
    public: np.ndarray
    private: np.ndarray

    @property
    def winner(self) -> np.ndarray:
        """The competitor that leads the public board of each repeat; the first of those tied."""
        return np.argmax(self.public, axis=1)

    @property
    def shown(self) -> float:
        """Mean public score of the winner."""
        return float(self.public.max(axis=1).mean())

    @property
    def fresh(self) -> float:
        """Mean score of the winner on the private set, which did not choose it."""
        return float(np.take_along_axis(self.private, self.winner[:, None], axis=1).mean())

    @property
    def deserved(self) -> float:
        """Mean true accuracy of the winner."""
        return float(self.truth[self.winner].mean())

    @property
    def keeps_first(self) -> float:
        """Share of repeats in which the public winner leads the private board as well."""
        kept = np.take_along_axis(self.private, self.winner[:, None], axis=1)[:, 0]
        return float(np.mean(kept == self.private.max(axis=1)))

    @property
    def best_wins(self) -> float:
        """Share of repeats in which the truly best competitor leads the public board."""
        return float(np.mean(self.winner == 0))

    def ranks(self, repeat: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Return the public and the private rank of each competitor in one repeat, 1 the best."""
        return tuple(_ranks(-board[repeat]) for board in (self.public, self.private))  # type: ignore[return-value]


def spread_of_accuracies(middle: float, spread: float, number: int) -> np.ndarray:
    """Return accuracies spread evenly in probability along a normal on the log odds, highest first.

    Parameters
    ----------
    middle : float
        Accuracy in the middle.
    spread : float
        Standard deviation of the accuracies near the middle; 0 makes them all equal.
    number : int

    Raises
    ------
    ValueError
        If an argument is not allowed.
    """
    centre, k = check_fraction(middle, "middle"), check_whole(number, "number", least=1)
    if not 0.0 <= spread < 0.5:
        raise ValueError(f"spread must be from 0 to below 0.5; got {spread!r}")
    steps = ndtri((np.arange(k, 0, -1) - 0.5) / k)
    odds = np.log(centre / (1.0 - centre)) + steps * spread / (centre * (1.0 - centre))
    return 1.0 / (1.0 + np.exp(-odds))


def leaderboards(
    truth: Any, n_public: int, n_private: int, *, n_repeats: int = 2000, rng: Any = None
) -> Leaderboards:
    """Return the scores of competitors whose mistakes are independent, on two test sets.

    Parameters
    ----------
    truth : array-like of float, shape (k,)
        True accuracies, highest first.
    n_public, n_private : int
        Cases of the two sets.
    n_repeats : int
    rng : None, int or numpy.random.Generator

    Raises
    ------
    ValueError
        If an argument is not allowed.
    """
    accuracies = np.sort(np.asarray(truth, float))[::-1]
    generator = as_generator(rng)
    shape = (check_whole(n_repeats, "n_repeats", least=1), len(accuracies))
    boards = [
        generator.binomial(n, accuracies, shape) / n
        for n in (
            check_whole(n_public, "n_public", least=1),
            check_whole(n_private, "n_private", least=1),
        )
    ]
    return Leaderboards(truth=accuracies, public=boards[0], private=boards[1])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SliceLuck:
    """Slices of one size and known accuracy, measured on two test sets, many times.

    Attributes
    ----------
    truth : ndarray, shape (k,)
    first, second : ndarray, shape (n_repeats, k)
        Measured accuracies.
    """

    truth: np.ndarray
    first: np.ndarray
    second: np.ndarray

    @property
    def spread(self) -> float:
        """Mean distance from the lowest to the highest slice of a test set."""
        return float(np.ptp(self.first, axis=1).mean())

    @property
    def share_worst(self) -> np.ndarray:
        """How often each slice is the lowest, shape (k,); those tied share it."""
        lowest = self.first == self.first.min(axis=1, keepdims=True)
        return np.asarray((lowest / lowest.sum(axis=1, keepdims=True)).mean(axis=0))

    @property
    def worst_again(self) -> float:
        """Share of repeats in which the lowest slice is the lowest of the next set, alone or tied."""
        place = np.argmin(self.first, axis=1)[:, None]
        again = np.take_along_axis(self.second, place, axis=1)[:, 0]
        return float(np.mean(again == self.second.min(axis=1)))

    @property
    def rank_correlation(self) -> float:
        """Mean rank correlation of the slices between two test sets, ties at their mean rank."""
        a, b = (np.array([_ranks(row) for row in board[:200]]) for board in (self.first, self.second))
        a, b = (side - side.mean(axis=1, keepdims=True) for side in (a, b))
        scale = np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
        return float(np.mean((a * b).sum(axis=1)[scale > 0] / scale[scale > 0]))


def slices_by_luck(
    truth: Any, n_per_slice: int, *, n_repeats: int = 2000, rng: Any = None
) -> SliceLuck:
    """Return the scores of slices of one size on pairs of test sets.

    Parameters
    ----------
    truth : array-like of float, shape (k,)
        True accuracy of each slice.
    n_per_slice : int
    n_repeats : int
    rng : None, int or numpy.random.Generator

    Raises
    ------
    ValueError
        If an argument is not allowed.
    """
    boards = leaderboards(truth, n_per_slice, n_per_slice, n_repeats=n_repeats, rng=rng)
    return SliceLuck(truth=boards.truth, first=boards.public, second=boards.private)


def _ranks(values: np.ndarray) -> np.ndarray:
    """Return ranks from 1, ties at their mean rank."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2.0)[place])
