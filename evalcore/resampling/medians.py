"""Bootstrap draws of medians: exact for one column, joint for several, and by whole clusters."""

from __future__ import annotations

import numpy as np
from scipy.special import betaincinv, ndtr

from evalcore.clusters import Partition
from evalcore.resampling.sums import LEAST_GROUPED, MOST_DRAWS
from evalcore.resampling.weights import weight_blocks
from evalcore.sufficient.values import weighted_median


def median_draws(
    columns: np.ndarray, counts: np.ndarray, n_resamples: int, rng: np.random.Generator
) -> np.ndarray:
    """Return the medians of bootstrap resamples of n cases.

    For one column the bootstrap distribution is known: a middle order statistic of n draws is the
    value at a rank that follows a beta distribution, and given it the next one is the smallest of
    the draws above. Several columns share their resamples; from 2,000 cases and ``MOST_DRAWS``
    draws on, each keeps its exact distribution and they are joined by a normal copula with the
    correlation of their indicators [x <= median], which is the limit of the joint distribution.

    Parameters
    ----------
    columns : ndarray, shape (n, p)
    counts : ndarray of int, shape (n,)
    n_resamples : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (n_resamples, p)

    References
    ----------
    Efron, B. (1982). The Jackknife, the Bootstrap and Other Resampling Plans, section 10.2.
    Bahadur, R. R. (1966). A note on quantiles in large samples. Annals of Mathematical Statistics
    37, 577-580.
    """
    total = int(counts.sum())
    few = total < LEAST_GROUPED or total * n_resamples <= MOST_DRAWS
    if columns.shape[1] > 1 and few:
        return _joint_draws(columns, counts, n_resamples, rng)
    shares = ndtr(rng.standard_normal((n_resamples, columns.shape[1])) @ _copula(columns, counts).T)
    draws = np.empty_like(shares)
    for j, column in enumerate(columns.T):
        draws[:, j] = _exact_draws(column, counts, shares[:, j], rng)
    return draws


def clustered_median_draws(
    columns: np.ndarray, parts: Partition, n_resamples: int, rng: np.random.Generator
) -> np.ndarray:
    """Return the medians of resamples of whole clusters, shape (n_resamples, p).

    Parameters
    ----------
    columns : ndarray, shape (n, p)
    parts : Partition
    n_resamples : int
    rng : numpy.random.Generator
    """
    draws = np.empty((n_resamples, columns.shape[1]))
    clusters = np.ones(parts.clusters, np.int64)
    for which, weights in weight_blocks(clusters, n_resamples, rng, width=len(columns)):
        for j, column in enumerate(columns.T):
            draws[which, j] = _weighted_medians(column, weights[:, parts.codes] * parts.counts)
    return draws


def _exact_draws(
    values: np.ndarray, counts: np.ndarray, shares: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Return medians whose lower middle order statistic lies at quantile ``shares`` of its law."""
    total = int(counts.sum())
    order = np.argsort(values)
    ends = np.cumsum(counts[order])
    lower = (total + 1) // 2
    rank = betaincinv(lower, total + 1 - lower, shares)
    first = values[order][_at(ends, rank)]
    if total % 2:
        return first
    # Of the draws above the lower middle one, uniform on the rest, the smallest.
    following = 1 - (1 - rank) * rng.random(len(rank)) ** (1 / (total - lower))
    return (first + values[order][_at(ends, following)]) / 2


def _at(ends: np.ndarray, rank: np.ndarray) -> np.ndarray:
    return np.minimum(np.searchsorted(ends, rank * ends[-1], side="right"), len(ends) - 1)


def _copula(columns: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return a root of the correlation matrix of the indicators [x <= median], shape (p, p)."""
    size = columns.shape[1]
    if size == 1:
        return np.eye(1)
    below = np.column_stack([c <= weighted_median(c, counts) for c in columns.T]).astype(float)
    below -= counts @ below / counts.sum()
    covariance = (below * counts[:, None]).T @ below
    scale = np.sqrt(np.diag(covariance))
    if (scale == 0).any():
        return np.eye(size)
    values, vectors = np.linalg.eigh(covariance / np.outer(scale, scale))
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return root / np.sqrt((root**2).sum(axis=1, keepdims=True))


def _joint_draws(
    columns: np.ndarray, counts: np.ndarray, n_resamples: int, rng: np.random.Generator
) -> np.ndarray:
    draws = np.empty((n_resamples, columns.shape[1]))
    for which, weights in weight_blocks(counts, n_resamples, rng):
        for j, column in enumerate(columns.T):
            draws[which, j] = _weighted_medians(column, weights)
    return draws


def _weighted_medians(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the median of the values under each row of whole-number weights, shape (R,)."""
    order = np.argsort(values)
    ordered = values[order]
    ends = np.cumsum(weights[:, order], axis=1)
    total = ends[:, -1]
    lower = (ends < np.floor((total + 1) / 2)[:, None]).sum(axis=1)
    upper = (ends < (np.floor(total / 2) + 1)[:, None]).sum(axis=1)
    last = len(values) - 1
    middle = (ordered[np.minimum(lower, last)] + ordered[np.minimum(upper, last)]) / 2
    return np.where(total > 0, middle, np.nan)
