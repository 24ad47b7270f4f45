"""Resampling with replacement as weights: how often each unit is drawn, block by block."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

BLOCK = 1 << 21
CACHE = 1 << 17
# Drawing an index and counting it costs about a tenth of one binomial of a multinomial draw.
RARE = 10


def weight_blocks(
    counts: np.ndarray,
    n_resamples: int,
    rng: np.random.Generator,
    *,
    strata: np.ndarray | None = None,
    total: int | None = None,
    width: int = 1,
    dtype: type = np.float64,
) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield resampling weights in blocks of at most 16 MB.

    Parameters
    ----------
    counts : ndarray of int, shape (m,)
        How often each unit occurs.
    n_resamples : int
    rng : numpy.random.Generator
    strata : ndarray of int, shape (m,), optional
        Stratum of each unit; every stratum keeps its size.
    total : int, optional
        Units to draw, if not as many as there are; not with strata.
    width : int
        Numbers that the caller makes per resample, if more than m; blocks are the smaller for it.
    dtype : type
        Of the weights.

    Yields
    ------
    (slice, ndarray of shape (B, m))
        Which resamples, and how often each unit is drawn in them.
    """
    members = [] if strata is None else [np.flatnonzero(strata == s) for s in np.unique(strata)]
    block = int(max(1, BLOCK // max(len(counts), width)))
    for start in range(0, n_resamples, block):
        size = min(block, n_resamples - start)
        if strata is None:
            weights = draw_weights(counts, size, rng, total=total)
        else:
            weights = np.empty((size, len(counts)), np.int64)
            for units in members:
                weights[:, units] = draw_weights(counts[units], size, rng)
        yield slice(start, start + size), weights.astype(dtype)


def draw_weights(
    counts: np.ndarray, size: int, rng: np.random.Generator, *, total: int | None = None
) -> np.ndarray:
    """Return ``size`` multinomial draws of ``total`` units (by default as many as there are).

    The result is int64 of shape (size, m).

    Common units are drawn by binomials, one after the other; rare ones, whose number in a resample
    is one more cell of that draw, by their indices. Which are which changes the cost only.
    """
    present = int(counts.sum())
    drawn_in_all = present if total is None else total
    common = np.flatnonzero(counts > RARE)
    rare = np.flatnonzero((counts > 0) & (counts <= RARE))
    left = np.full(size, drawn_in_all)
    if len(rare) == len(counts):
        return _pick(counts, left, rng)
    weights = np.zeros((size, len(counts)), np.int64)
    if len(common):
        cells = np.append(counts[common], counts[rare].sum())
        drawn = rng.multinomial(drawn_in_all, cells / present, size=size)
        weights[:, common], left = drawn[:, :-1], drawn[:, -1]
    if len(rare):
        weights[:, rare] = _pick(counts[rare], left, rng)
    return weights


def _pick(counts: np.ndarray, draws: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return how often each unit is picked in ``draws[r]`` picks, shape (R, m)."""
    units, total = len(counts), int(counts.sum())
    owner = None if total == units else np.repeat(np.arange(units), counts)
    picked = np.empty((len(draws), units), np.int64)
    most = int(draws.max(initial=0))
    equal = bool((draws == most).all())
    # Tables that fit the cache are counted several times faster.
    block = max(1, CACHE // max(units, most, 1))
    for start in range(0, len(draws), block):
        here = draws[start : start + block]
        picks = rng.integers(0, total, here.sum())
        if owner is not None:
            picks = owner[picks]
        if equal:
            picks.reshape(len(here), most)[...] += units * np.arange(len(here))[:, None]
        else:
            picks += np.repeat(units * np.arange(len(here)), here)
        table = np.bincount(picks, minlength=units * len(here))
        picked[start : start + block] = table.reshape(len(here), units)
    return picked
