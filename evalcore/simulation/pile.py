"""Intervals of repeated test sets, piled up: how often they hold the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr, ndtri

from evalcore.checks import check_choice, check_fraction, check_whole
from evalcore.simulation.worlds import Judging, World

# With the set that only follows the last, as many as share one matrix of resampling weights.
BLOCK = 99


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pile:
    """Test sets in order of arrival, each with its score and its interval.

    Attributes
    ----------
    truth : float
    score, low, high : ndarray, shape (m,)
        nan where a test set gives no interval; that counts as a miss.
    next_score : ndarray, shape (m,)
        The score of the test set drawn after this one.
    confidence_level : float
    """

    truth: float
    score: np.ndarray
    low: np.ndarray
    high: np.ndarray
    next_score: np.ndarray
    confidence_level: float

    @property
    def n_sets(self) -> int:
        """Number of test sets."""
        return len(self.score)

    @property
    def held(self) -> np.ndarray:
        """Whether each interval holds the truth, shape (m,)."""
        return (self.low <= self.truth) & (self.truth <= self.high)

    @property
    def held_next(self) -> np.ndarray:
        """Whether each interval holds the next test set's score, shape (m,)."""
        return (self.low <= self.next_score) & (self.next_score <= self.high)

    @property
    def undefined(self) -> int:
        """Number of test sets without an interval."""
        return int(np.isnan(self.low).sum())

    def times(self, factor: float) -> Pile:
        """Return the pile in another unit, such as percent."""
        names = ("truth", "score", "low", "high", "next_score")
        return replace(self, **{name: factor * getattr(self, name) for name in names})


def share_error(share: float, number: int) -> float:
    """Return the Monte Carlo standard error of a share of so many independent trials."""
    return float(np.sqrt(share * (1.0 - share) / number)) if number else float("nan")


def next_score_share(confidence_level: float = 0.95) -> float:
    """Return how often an interval holds the next score of a test set of the same size.

    For a score that is normal with a known standard error SE: the next score differs from this one
    by SE times the square root of 2, so the share is 2 Phi(z / sqrt(2)) - 1, 83.4 % at 95 %.

    Raises
    ------
    ValueError
        If the level is not strictly between 0 and 1.

    References
    ----------
    Cumming, Maillardet (2006), Psychological Methods 11, 217-227.
    """
    level = check_fraction(confidence_level, "confidence_level")
    return float(2.0 * ndtr(-ndtri((1.0 - level) / 2.0) / np.sqrt(2.0)) - 1.0)


def pile_block(
    world: World,
    n: int,
    block: int,
    *,
    method: str,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
) -> Pile:
    """Return a block of 99 test sets of a world, the same for the same seed and block number.

    Parameters
    ----------
    world : World
    n : int
        Cases in a test set.
    block : int
        Which block, from 0.
    method : str
        A key of ``world.methods``.
    confidence_level : float
    n_resamples : int
        Of the methods that resample.
    seed : int

    Raises
    ------
    ValueError
        If an argument is not allowed.
    """
    how = Judging(
        method=check_choice(method, world.methods, "method"),
        confidence_level=check_fraction(confidence_level, "confidence_level"),
        n_resamples=check_whole(n_resamples, "n_resamples", least=2),
        seed=check_whole(seed, "seed"),
    )
    size = check_whole(n, "n", least=2)
    rng = np.random.default_rng([how.seed, check_whole(block, "block")])
    score, low, high = world.draw(size, BLOCK + 1, how, rng)
    return Pile(
        truth=world.truth,
        score=score[:-1],
        low=low[:-1],
        high=high[:-1],
        next_score=score[1:],
        confidence_level=how.confidence_level,
    )


def join_piles(blocks: Sequence[Pile], n_sets: int) -> Pile:
    """Return the first test sets of blocks that follow each other.

    Raises
    ------
    ValueError
        If there are no blocks.
    """
    if not blocks:
        raise ValueError("blocks must hold at least one pile; got none")
    score, low, high, following = (
        np.concatenate([getattr(one, name) for one in blocks])[:n_sets]
        for name in ("score", "low", "high", "next_score")
    )
    return replace(blocks[0], score=score, low=low, high=high, next_score=following)
