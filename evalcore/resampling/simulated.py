"""Simulated test sets, the bootstrap means of each, and the intervals for a mean made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtrit

from evalcore.resampling.limits import bca_levels, share_below
from evalcore.resampling.sums import draw_sums
from evalcore.resampling.weights import weight_blocks

# Test sets that share one matrix of resampling weights, and the most numbers they hold.
SHARING = 100
MOST_VALUES = 1 << 22

Sets = tuple[np.ndarray, np.ndarray]
WeightBlocks = Iterator[tuple[slice, np.ndarray]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulated:
    """A block of simulated test sets with the bootstrap means of each.

    Attributes
    ----------
    mean, deviation, acceleration : ndarray, shape (S,)
        Of each set; the deviation is the standard error of its mean.
    draws : ndarray, shape (S, R)
        Bootstrap means less the mean of the set, sorted; empty when no method reads them.
    studentised : ndarray, shape (S, R)
        The same over the standard error of the resample, sorted; empty when not needed.
    n : int
    """

    mean: np.ndarray
    deviation: np.ndarray
    acceleration: np.ndarray
    draws: np.ndarray
    studentised: np.ndarray
    n: int


def simulate(
    market: np.ndarray,
    counts: np.ndarray,
    n: int,
    n_sets: int,
    n_resamples: int,
    rng: np.random.Generator,
    methods: tuple[str, ...],
    *,
    shared: np.ndarray | None = None,
) -> Iterator[Simulated]:
    """Yield blocks of test sets drawn from a market, with what the methods read of them.

    Parameters
    ----------
    market : ndarray, shape (N,)
    counts : ndarray of int, shape (N,)
        How often each value occurs in the market.
    n, n_sets, n_resamples : int
    rng : numpy.random.Generator
    methods : tuple of str
        Keys of ``MEAN_METHODS``.
    shared : ndarray of float32, shape (n_resamples, n), optional
        Resampling weights for all sets; by default each block draws its own.
    """
    if READS_DRAWS.isdisjoint(methods):
        yield _moments(market, counts, n, n_sets, rng)
        return
    ends = None if counts.max() == 1 and counts.min() == 1 else np.cumsum(counts)
    block = int(max(1, min(SHARING, MOST_VALUES // n)))
    for start in range(0, n_sets, block):
        shape = (min(block, n_sets - start), n)
        picks = rng.integers(0, len(market) if ends is None else ends[-1], shape)
        if ends is not None:
            picks = np.searchsorted(ends, picks, side="right")
        samples = market[picks]
        blocks = weight_blocks(np.ones(n, np.int64), n_resamples, rng, dtype=np.float32)
        if shared is not None:
            blocks = iter([(slice(0, n_resamples), shared)])
        yield _bootstrapped(samples, n_resamples, blocks, "bootstrap_t" in methods)


def shared_weights(n: int, n_resamples: int, seed: int) -> np.ndarray:
    """Return resampling weights that many blocks of test sets may share.

    The cases of a test set come in random order, so that the same weights meet other cases in
    every set: the resamples of two sets are all but uncorrelated.

    Returns
    -------
    ndarray of float32, shape (n_resamples, n)
    """
    weights = np.empty((n_resamples, n), np.float32)
    rng = np.random.default_rng([seed, n, n_resamples])
    for which, block in weight_blocks(np.ones(n, np.int64), n_resamples, rng, dtype=np.float32):
        weights[which] = block
    return weights


def _moments(
    market: np.ndarray, counts: np.ndarray, n: int, n_sets: int, rng: np.random.Generator
) -> Simulated:
    """Return test sets by their first two moments alone."""
    centre = counts @ market / counts.sum()
    offset = market - centre
    columns = np.column_stack([offset, offset**2])
    total, square = draw_sums(columns, counts, n_sets, rng, total=n).T
    spread = square - total**2 / n
    # A set of equal values has rounding for a spread.
    spread[spread <= 1e-12 * square] = 0.0
    return Simulated(
        mean=centre + total / n,
        deviation=np.sqrt(spread / (n - 1) / n),
        acceleration=np.full(n_sets, np.nan),
        draws=np.empty((n_sets, 0)),
        studentised=np.empty((n_sets, 0)),
        n=n,
    )


def _bootstrapped(
    samples: np.ndarray, n_resamples: int, blocks: WeightBlocks, studentise: bool
) -> Simulated:
    """Return test sets, one a row, with bootstrap means from weights that all of them share."""
    sets, n = samples.shape
    mean = samples.mean(axis=1)
    offset = samples - mean[:, None]
    spread = (offset**2).sum(axis=1)
    spread[np.ptp(samples, axis=1) == 0] = 0.0
    with np.errstate(invalid="ignore", divide="ignore"):
        acceleration = (offset**3).sum(axis=1) / (6 * spread**1.5)
    # Single precision is ample beside the Monte Carlo error, once the means are taken off.
    unit = np.where(spread > 0, np.sqrt(spread / n), 1.0)[:, None]
    light = (offset / unit).astype(np.float32)
    squared = light**2
    draws = np.empty((sets, n_resamples))
    studentised = np.empty((sets, n_resamples if studentise else 0))
    for which, weights in blocks:
        draws[:, which] = light @ weights.T / n
        if studentise:
            variance = squared @ weights.T / n - draws[:, which] ** 2
            with np.errstate(invalid="ignore", divide="ignore"):
                studentised[:, which] = draws[:, which] / np.sqrt(variance / (n - 1))
    draws *= unit
    draws.sort(axis=1)
    studentised.sort(axis=1)
    return Simulated(
        mean=mean,
        deviation=np.sqrt(spread / (n - 1) / n),
        acceleration=acceleration,
        draws=draws,
        studentised=studentised,
        n=n,
    )


def _normal(sets: Simulated, level: float) -> Sets:
    return _around(sets, float(-ndtri((1 - level) / 2)))


def _student(sets: Simulated, level: float) -> Sets:
    return _around(sets, float(-stdtrit(sets.n - 1, (1 - level) / 2)))


def _around(sets: Simulated, quantile: float) -> Sets:
    half = np.where(sets.deviation > 0, quantile * sets.deviation, np.nan)
    return sets.mean - half, sets.mean + half


def _percentile(sets: Simulated, level: float) -> Sets:
    tail = np.full(len(sets.mean), (1 - level) / 2)
    return _spread_only(
        sets, sets.mean + _read(sets.draws, tail), sets.mean + _read(sets.draws, 1 - tail)
    )


def _bca(sets: Simulated, level: float) -> Sets:
    below = share_below(sets.draws.T, np.zeros(len(sets.mean)))
    with np.errstate(invalid="ignore"):
        low, high = bca_levels(below, sets.acceleration, level)
    inside = (below > 0) & (below < 1) & np.isfinite(low) & np.isfinite(high)
    ends = [_read(sets.draws, np.where(inside, share, 0.5)) for share in (low, high)]
    low, high = (np.where(inside, sets.mean + end, np.nan) for end in ends)
    return _spread_only(sets, low, high)


def _bootstrap_t(sets: Simulated, level: float) -> Sets:
    tail = np.full(len(sets.mean), (1 - level) / 2)
    upper, lower = _read(sets.studentised, tail), _read(sets.studentised, 1 - tail)
    low, high = sets.mean - lower * sets.deviation, sets.mean - upper * sets.deviation
    return _spread_only(sets, low, high)


MEAN_METHODS: Mapping[str, Callable[[Simulated, float], Sets]] = {
    "t": _student,
    "normal": _normal,
    "percentile": _percentile,
    "bca": _bca,
    "bootstrap_t": _bootstrap_t,
}
READS_DRAWS = {"percentile", "bca", "bootstrap_t"}


def _spread_only(sets: Simulated, low: np.ndarray, high: np.ndarray) -> Sets:
    usable = sets.deviation > 0
    return np.where(usable, low, np.nan), np.where(usable, high, np.nan)


def _read(ordered: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Return the quantile (type 7) of each sorted row at its own share."""
    place = shares * (ordered.shape[1] - 1)
    below = np.floor(place).astype(int)
    above = np.minimum(below + 1, ordered.shape[1] - 1)
    row = np.arange(len(ordered))
    start = ordered[row, below]
    return start + (place - below) * (ordered[row, above] - start)
