"""Rankings made by luck: the best of many models, and the worst of many slices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, logit, ndtri
from scipy.stats import rankdata

from evalcore.checks import as_generator, check_fraction, check_whole


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Leaderboards:
    """Entries of known accuracy, each scored on a public and on a private test set, many times.

    The entries may be models of which the best is picked, or slices of which the worst is.

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
        """The entry that leads the public board of each repeat; the first of those tied."""
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
        """Share of repeats in which the truly best entry leads the public board."""
        return float(np.mean(self.winner == 0))

    @property
    def range(self) -> float:
        """Mean distance from the lowest to the highest public score."""
        return float(np.ptp(self.public, axis=1).mean())

    @property
    def share_last(self) -> np.ndarray:
        """How often each entry has the lowest public score, shape (k,); those tied share it."""
        lowest = self.public == self.public.min(axis=1, keepdims=True)
        return np.asarray((lowest / lowest.sum(axis=1, keepdims=True)).mean(axis=0))

    @property
    def last_again(self) -> float:
        """Share of repeats in which the entry that is last in public is last in private as well."""
        place = np.argmin(self.public, axis=1)[:, None]
        again = np.take_along_axis(self.private, place, axis=1)[:, 0]
        return float(np.mean(again == self.private.min(axis=1)))

    @property
    def rank_correlation(self) -> float:
        """Mean rank correlation of the two boards, ties at their mean rank."""
        public, private = (rankdata(board, axis=1) for board in (self.public, self.private))
        middle = (len(self.truth) + 1) / 2.0
        products = ((public - middle) * (private - middle)).sum(axis=1)
        scale = np.sqrt(
            ((public - middle) ** 2).sum(axis=1) * ((private - middle) ** 2).sum(axis=1)
        )
        return float(np.mean(products[scale > 0] / scale[scale > 0]))

    def ranks(self, repeat: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Return the public and the private rank of each entry in one repeat, 1 the best."""
        public, private = (rankdata(-board[repeat]) for board in (self.public, self.private))
        return public, private


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
    return np.asarray(expit(logit(centre) + steps * spread / (centre * (1.0 - centre))))


def leaderboards(
    truth: Any, n_public: int, n_private: int, *, n_repeats: int = 2000, rng: Any = None
) -> Leaderboards:
    """Return the scores of entries whose mistakes are independent, on two test sets.

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
