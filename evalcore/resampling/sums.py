"""Sums over resampled units of one or several columns: the bootstrap of everything additive."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evalcore.resampling.weights import BLOCK, weight_blocks

# From this many cases, and above this many draws in all, cases are grouped before they are drawn.
MOST_DRAWS = 10_000_000
LEAST_GROUPED = 2_000
GROUPS = 128
SINGLES = 256

Split = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def draw_sums(
    columns: np.ndarray,
    counts: np.ndarray,
    n_resamples: int,
    rng: np.random.Generator,
    *,
    strata: np.ndarray | None = None,
    total: int | None = None,
) -> np.ndarray:
    """Return the column sums of bootstrap resamples, the same resamples for all columns.

    Few distinct rows are drawn by one multinomial. Many are drawn one by one, and very many in
    groups (see ``Groups``).

    Parameters
    ----------
    columns : ndarray, shape (n, p)
        Finite values.
    counts : ndarray of int, shape (n,)
        How often each row occurs.
    n_resamples : int
    rng : numpy.random.Generator
    strata : ndarray of int, shape (n,), optional
        Every stratum keeps its size.
    total : int, optional
        Cases to draw, if not as many as there are; not with strata.

    Returns
    -------
    ndarray, shape (n_resamples, p)
    """
    if strata is not None:
        parts = (strata == name for name in np.unique(strata))
        drawn = (draw_sums(columns[part], counts[part], n_resamples, rng) for part in parts)
        return np.sum(list(drawn), axis=0)
    columns, counts = merge_equal(columns, counts)
    size = int(counts.sum()) if total is None else total
    if min(len(counts), size) >= LEAST_GROUPED and size * n_resamples > MOST_DRAWS:
        return group_cases(columns, counts).draw(n_resamples, rng, total=size)
    return _plain_sums(columns, counts, n_resamples, rng, size)


def _plain_sums(
    columns: np.ndarray,
    counts: np.ndarray,
    n_resamples: int,
    rng: np.random.Generator,
    total: int,
) -> np.ndarray:
    sums = np.empty((n_resamples, columns.shape[1]))
    if total >= len(counts):
        for which, weights in weight_blocks(counts, n_resamples, rng, total=total):
            sums[which] = weights @ columns
        return sums
    # Weights would be mostly zeros, so the few cases drawn are looked up.
    ends = np.cumsum(counts)
    block = max(1, BLOCK // (total * columns.shape[1]))
    for start in range(0, n_resamples, block):
        size = min(block, n_resamples - start)
        picks = np.searchsorted(ends, rng.integers(0, ends[-1], (size, total)), side="right")
        sums[start : start + size] = columns[picks].sum(axis=1)
    return sums


def merge_equal(columns: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return distinct rows and how often each occurs, when that makes the table much shorter."""
    probe = columns[:: max(1, len(columns) // 1024)]
    if len(np.unique(_fingerprint(probe))) > len(probe) // 2:
        return columns, counts
    _, first, inverse = np.unique(_fingerprint(columns), return_index=True, return_inverse=True)
    merged = np.bincount(inverse, weights=counts, minlength=len(first))
    return columns[first], merged.astype(np.int64)


def _fingerprint(columns: np.ndarray) -> np.ndarray:
    """Return one number per row; different rows get different ones, but for a chance of 2^-50."""
    if columns.shape[1] == 1:
        return columns[:, 0]
    return columns @ np.random.default_rng(0).standard_normal(columns.shape[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """Cases grouped so that a resample costs the same however many there are.

    The most extreme cases (largest distance from the mean in any column, in standard deviations)
    stay single; the others, sorted, fall into groups of equal count. A resample draws groups and
    singles by one multinomial; what the cases drawn in a group add up to beyond its mean is a
    normal term. Mean and covariance of the draws are those of the plain bootstrap exactly. The
    groups hold less than 0.1 percent of the variance within them, so that at 10,000 lognormal,
    Student t3 or listing errors the skewness of the draws of one column is right to 1e-5 and every
    quantile to within its Monte Carlo error.

    Attributes
    ----------
    means : ndarray, shape (m, p)
        Mean of each group or single case.
    counts : ndarray of int, shape (m,)
    spread : ndarray, shape (m, p, p)
        Covariance within each group.
    """

    means: np.ndarray
    counts: np.ndarray
    spread: np.ndarray

    def draw(
        self, n_resamples: int, rng: np.random.Generator, *, total: int | None = None
    ) -> np.ndarray:
        """Return the column sums of resamples of ``total`` cases, shape (n_resamples, p)."""
        width = self.means.shape[1]
        sums = np.empty((n_resamples, width))
        present = int(self.counts.sum())
        size = present if total is None else total
        root = _root(size / present * np.tensordot(self.counts, self.spread, axes=1))
        for which, weights in weight_blocks(self.counts, n_resamples, rng, total=size):
            sums[which] = weights @ self.means
            noise = rng.standard_normal((len(weights), width))
            if width == 1:
                sums[which] += np.sqrt(weights @ self.spread[:, :, 0]) * noise
            else:
                sums[which] += noise @ root.T
        return sums


def group_cases(columns: np.ndarray, counts: np.ndarray) -> Groups:
    """Return the cases in ``SINGLES`` single ones and ``GROUPS`` groups of equal count.

    Parameters
    ----------
    columns : ndarray, shape (n, p)
    counts : ndarray of int, shape (n,)
    """
    split = _split_line if columns.shape[1] == 1 else _split_cloud
    extreme, extreme_counts, common, common_counts = split(columns, counts)
    centre = counts @ columns / counts.sum()
    means, weights, spread = _group_moments(common - centre, common_counts)
    return Groups(
        means=np.vstack([extreme, centre + means]),
        counts=np.concatenate([extreme_counts, weights]),
        spread=np.concatenate([np.zeros((len(extreme), *spread.shape[1:])), spread]),
    )


def _split_line(columns: np.ndarray, counts: np.ndarray) -> Split:
    """Return the extreme rows of one column, and the others in order: extremes are its two ends."""
    if counts.max() == 1:
        ordered, weights = np.sort(columns, axis=0), counts
    else:
        order = np.argsort(columns[:, 0])
        ordered, weights = columns[order], counts[order]
    centre = counts @ columns / counts.sum()
    ends = np.concatenate([ordered[:SINGLES], ordered[-SINGLES:]])
    furthest = np.argpartition(np.abs(ends - centre)[:, 0], -SINGLES)[-SINGLES:]
    low = int((furthest < SINGLES).sum())
    inner = slice(low, len(ordered) - (SINGLES - low))
    outer = np.concatenate([np.arange(low), np.arange(inner.stop, len(ordered))])
    return ordered[outer], weights[outer], ordered[inner], weights[inner]


def _split_cloud(columns: np.ndarray, counts: np.ndarray) -> Split:
    """Return the extreme rows of several columns, and the others by the sum of their columns."""
    centre = counts @ columns / counts.sum()
    distance, position = np.zeros(len(columns)), np.zeros(len(columns))
    for column, middle in zip(columns.T, centre, strict=True):
        offset = column - middle
        scale = np.sqrt(counts @ offset**2 / counts.sum())
        if scale > 0:
            offset /= scale
            position += offset
            np.maximum(distance, np.abs(offset, out=offset), out=distance)
    order = np.argpartition(distance, -SINGLES)
    extreme, common = order[-SINGLES:], order[:-SINGLES]
    common = common[np.argsort(position[common])]
    return columns[extreme], counts[extreme], columns[common], counts[common]


def _group_moments(
    columns: np.ndarray, counts: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return mean, count and covariance of consecutive rows in groups of equal count."""
    ends = np.cumsum(counts)
    cuts = np.searchsorted(ends, ends[-1] * np.arange(GROUPS) / GROUPS, side="right")
    starts = np.unique(np.minimum(cuts, len(ends) - 1))
    total = np.add.reduceat(counts, starts)
    weighted = columns * counts[:, None]
    means = np.add.reduceat(weighted, starts, axis=0) / total[:, None]
    width = columns.shape[1]
    spread = np.empty((len(starts), width, width))
    for left in range(width):
        for right in range(left + 1):
            products = np.add.reduceat(weighted[:, left] * columns[:, right], starts) / total
            products -= means[:, left] * means[:, right]
            spread[:, left, right] = spread[:, right, left] = products
    diagonal = np.arange(width)
    spread[:, diagonal, diagonal] = np.maximum(spread[:, diagonal, diagonal], 0.0)
    return means, total, spread


def _root(matrix: np.ndarray) -> np.ndarray:
    """Return A with A A' = matrix, for a covariance that may be singular."""
    values, vectors = np.linalg.eigh(matrix)
    return vectors * np.sqrt(np.maximum(values, 0.0))
