"""Blaker's interval, solved exactly from the pieces of its acceptability function."""

from __future__ import annotations

import numpy as np

from evalcore.binomial.limits import Limits, at_least, at_most, beta_quantile, find_roots


def blaker(k: np.ndarray, n: np.ndarray, level: float) -> Limits:
    """Every p at which the observed k is acceptable: not among the alpha least likely tails.

    The acceptability of k at p is the smaller of its two tails plus the largest opposite tail that
    is no larger. Limits are the outermost p with an acceptability above alpha.

    References
    ----------
    Blaker (2000), Canadian Journal of Statistics 28, 783-798.
    """
    # The high limit of k successes is one less the low limit of n - k; both are solved at once.
    successes, trials = np.concatenate([k, n - k]), np.concatenate([n, n])
    limits = np.zeros_like(successes)
    some = successes > 0
    limits[some] = _low(successes[some], trials[some], 1.0 - level)
    low, mirrored = np.split(limits, 2)
    return low, 1.0 - mirrored


def _low(k: np.ndarray, n: np.ndarray, alpha: float) -> np.ndarray:
    """Return inf{p : acceptability of k at p > alpha} for k > 0.

    Below the estimate the acceptability is P(X >= k) + P(X <= j), where j is the largest index with
    P(X <= j) < P(X >= k). As p grows, j steps up at the points where P(X <= j) = P(X >= k); there
    the acceptability jumps up to 2 P(X >= k). Between two such points its derivative changes sign
    at most once, from minus to plus. So the first step that lands above alpha is that of the
    smallest j with P(X <= j) > alpha / 2 at the Clopper-Pearson limit, where P(X >= k) = alpha / 2.
    The limit is this step, or the one crossing of alpha on the piece before it.
    """
    start = beta_quantile(k, n - k + 1, alpha / 2)
    j = smallest_index(n, start, alpha / 2, k)
    median = beta_quantile(k, n - k + 1, 0.5)
    step = find_roots(
        lambda p, k, n, j: at_least(k, n, p) - at_most(j, n, p), start, median, k, n, j
    )
    limit = step.copy()
    crosses = at_least(k, n, step) + at_most(j - 1, n, step) > alpha
    limit[crosses] = find_roots(
        lambda p, k, n, j: at_least(k, n, p) + at_most(j - 1, n, p) - alpha,
        start[crosses],
        step[crosses],
        k[crosses],
        n[crosses],
        j[crosses],
    )
    return limit


def smallest_index(n: np.ndarray, p: np.ndarray, tail: float, most: np.ndarray) -> np.ndarray:
    """Return the smallest j in 0..most with P(X <= j) > tail, by bisection on whole numbers."""
    below, found = np.full_like(n, -1.0), most.copy()
    while np.any(found - below > 1):
        middle = np.floor((below + found) / 2)
        enough = at_most(middle, n, p) > tail
        found = np.where(enough, middle, found)
        below = np.where(enough, below, middle)
    return found
