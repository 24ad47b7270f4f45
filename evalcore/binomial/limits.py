"""Limits of a binomial proportion: one vectorised function per method.

Every function takes successes ``k`` and trials ``n`` (float arrays of one shape, 0 <= k <= n and
n > 0) and a confidence ``level``, and returns the arrays ``(low, high)``. Tails are computed from
the side where they are small, so that limits keep their precision at n = 10^9 and at an error
probability of 10^-7.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import elementwise
from scipy.special import betainc, betaincc, betainccinv, betaincinv, expit, ndtri

Limits = tuple[np.ndarray, np.ndarray]


def normal_quantile(level: float) -> float:
    """Return z such that a standard normal lies within -z and z with probability ``level``."""
    return float(-ndtri((1.0 - level) / 2.0))


def at_most(k: np.ndarray, n: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return P(X <= k) of a binomial; 0 below k = 0."""
    return betaincc(k + 1, n - k, p)


def at_least(k: np.ndarray, n: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return P(X >= k) of a binomial; 0 above k = n."""
    return betainc(k, n - k + 1, p)


def find_roots(
    function: Callable[..., np.ndarray],
    low: np.ndarray,
    high: np.ndarray,
    *args: np.ndarray,
) -> np.ndarray:
    """Return the root of ``function(p, *args)`` between ``low`` and ``high``, per element."""
    if np.size(low) == 0:
        return np.asarray(low, float)
    with np.errstate(all="ignore"):
        found = elementwise.find_root(function, (low, high), args=args)
    # An end of the bracket that is itself the root to within rounding shows no change of sign.
    ends = np.where(np.abs(function(low, *args)) <= np.abs(function(high, *args)), low, high)
    return np.where(found.success, found.x, ends)


def beta_quantile(a: np.ndarray, b: np.ndarray, tail: float, *, upper: bool = False) -> np.ndarray:
    """Return the p with probability ``tail`` below it (above it if ``upper``) under Beta(a, b)."""
    inverse, forward = (betainccinv, betaincc) if upper else (betaincinv, betainc)
    p = np.asarray(inverse(a, b, tail))
    # scipy 1.17: betaincinv(1000, 10**9 - 999, 0.025) is wrong by a factor of 2, so every quantile
    # is put back into the distribution and solved for when it does not return.
    wrong = np.abs(forward(a, b, p) / tail - 1.0) > 1e-6
    if np.any(wrong):
        a, b = a[wrong], b[wrong]
        p[wrong] = find_roots(
            lambda p, a, b: forward(a, b, p) - tail, np.zeros_like(a), np.ones_like(a), a, b
        )
    return p


def wald(k: np.ndarray, n: np.ndarray, level: float) -> Limits:
    """Estimate plus and minus z standard errors; not clipped."""
    p = k / n
    half = normal_quantile(level) * np.sqrt(p * ((n - k) / n) / n)
    return p - half, p + half


def wilson(k: np.ndarray, n: np.ndarray, level: float) -> Limits:
    """Every p whose score test does not reject the observed k."""
    return _wilson_low(k, n, level), 1.0 - _wilson_low(n - k, n, level)


def _wilson_low(k: np.ndarray, n: np.ndarray, level: float) -> np.ndarray:
    # The smaller root of the quadratic as (product of the roots) / (larger root): a difference of
    # nearly equal numbers would leave [0, 1] by one rounding unit.
    z = normal_quantile(level)
    larger = k + z * z / 2.0 + z * np.sqrt(k * ((n - k) / n) + z * z / 4.0)
    return (k / n) * (k / larger)


def wilson_cc(k: np.ndarray, n: np.ndarray, level: float) -> Limits:
    """Wilson limits of k - 1/2 and k + 1/2."""
    low = _wilson_low(np.maximum(k - 0.5, 0.0), n, level)
    return low, 1.0 - _wilson_low(np.maximum(n - k - 0.5, 0.0), n, level)


def agresti_coull(k: np.ndarray, n: np.ndarray, level: float) -> Limits:
    """Wald limits after adding z^2 / 2 successes and as many failures; not clipped."""
    added = normal_quantile(level) ** 2
    return wald(k + added / 2.0, n + added, level)


def clopper_pearson(k: np.ndarray, n: np.ndarray, level: float) -> Limits:
    """Every p at which neither tail beyond the observed k falls below alpha / 2."""
    tail = (1.0 - level) / 2.0
    low = np.where(k > 0, beta_quantile(np.maximum(k, 1), n - k + 1, tail), 0.0)
    high = np.where(k < n, beta_quantile(k + 1, np.maximum(n - k, 1), tail, upper=True), 1.0)
    return low, high


def jeffreys(k: np.ndarray, n: np.ndarray, level: float) -> Limits:
    """Equal-tailed quantiles of Beta(k + 1/2, n - k + 1/2); 0 at k = 0 and 1 at k = n."""
    tail = (1.0 - level) / 2.0
    low = np.where(k > 0, beta_quantile(k + 0.5, n - k + 0.5, tail), 0.0)
    high = np.where(k < n, beta_quantile(k + 0.5, n - k + 0.5, tail, upper=True), 1.0)
    return low, high


def mid_p(k: np.ndarray, n: np.ndarray, level: float) -> Limits:
    """Clopper-Pearson with only half of the probability of k itself in each tail."""
    alpha = 1.0 - level
    low = np.where(k == n, alpha ** (1.0 / n), 0.0)
    high = np.where(k == 0, -np.expm1(np.log(alpha) / n), 1.0)
    inner = (k > 0) & (k < n)
    x, size = k[inner], n[inner]
    # The mid-p tail lies between the tails of k and of its neighbour, whose quantiles are known.
    low[inner] = find_roots(
        lambda p, x, size: at_least(x, size, p) + at_least(x + 1, size, p) - alpha,
        beta_quantile(x, size - x + 1, alpha / 2),
        beta_quantile(x + 1, size - x, alpha / 2),
        x,
        size,
    )
    high[inner] = find_roots(
        lambda p, x, size: at_most(x, size, p) + at_most(x - 1, size, p) - alpha,
        beta_quantile(x, size - x + 1, alpha / 2, upper=True),
        beta_quantile(x + 1, size - x, alpha / 2, upper=True),
        x,
        size,
    )
    return low, high


def likelihood_ratio(k: np.ndarray, n: np.ndarray, level: float) -> Limits:
    """Every p whose log likelihood is within z^2 / 2 of the largest."""
    drop = normal_quantile(level) ** 2 / 2.0
    low = np.where(k == n, np.exp(-drop / n), 0.0)
    high = np.where(k == 0, -np.expm1(-drop / n), 1.0)
    inner = (k > 0) & (k < n)
    x, size = k[inner], n[inner]
    best = x / size

    def excess(p: np.ndarray, x: np.ndarray, size: np.ndarray) -> np.ndarray:
        gap = x - size * p
        return (
            x * np.log1p(gap / (size * p)) + (size - x) * np.log1p(-gap / (size * (1 - p))) - drop
        )

    # n KL(best || p) >= k (log(best / p) - 1), which bounds the root from outside.
    low[inner] = find_roots(excess, best * np.exp(-1 - drop / x), best, x, size)
    outer = 1 - (1 - best) * np.exp(-1 - drop / (size - x))
    high[inner] = find_roots(excess, best, outer, x, size)
    return low, high


def arcsine(k: np.ndarray, n: np.ndarray, level: float) -> Limits:
    """Normal limits of the angle asin sqrt((k + 3/8) / (n + 3/4)), turned back to a proportion."""
    angle = np.arcsin(np.sqrt((k + 0.375) / (n + 0.75)))
    half = normal_quantile(level) / (2.0 * np.sqrt(n))
    low = np.sin(np.maximum(angle - half, 0.0)) ** 2
    high = np.sin(np.minimum(angle + half, np.pi / 2)) ** 2
    return low, high


def logit(k: np.ndarray, n: np.ndarray, level: float) -> Limits:
    """Normal limits of the log odds of k + 1/2 to n - k + 1/2, turned back to a proportion."""
    center = np.log((k + 0.5) / (n - k + 0.5))
    variance = (n + 1) * (n + 2) / (n * (k + 1) * (n - k + 1))
    half = normal_quantile(level) * np.sqrt(variance)
    return expit(center - half), expit(center + half)
