"""Exact power of McNemar's tests, by enumeration of the discordant cases and of their split."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import binom

from evalcore.checks import check_choice, check_proportion, check_whole
from evalcore.sizing.search import tail_of

# Bernstein's bound on the binomial mass that the enumeration leaves out is 2 exp(-31) < 1e-13.
LEFT_OUT = 31.0


def check_gap(disagreement: float, difference: float) -> tuple[float, float]:
    """Return the disagreement rate and the size of the gap, both as fractions.

    Raises
    ------
    ValueError
        Unless |difference| <= disagreement <= 1: only discordant cases can make a gap.
    """
    rate = check_proportion(disagreement, "disagreement")
    gap = abs(float(difference))
    if not gap <= rate:
        raise ValueError(
            f"difference must be from -{rate:g} to {rate:g}: only the cases on which exactly one "
            f"model is right (disagreement {rate:g}) can make a gap; got {difference!r}"
        )
    return rate, gap


def _exact(m: np.ndarray, tail: float) -> np.ndarray:
    return binom.ppf(tail, m, 0.5) - 1.0


def _mid_p(m: np.ndarray, tail: float) -> np.ndarray:
    k = _exact(m, tail)
    return k + (binom.cdf(k, m, 0.5) + binom.cdf(k + 1.0, m, 0.5) < 2.0 * tail)


def _chi2(m: np.ndarray, tail: float) -> np.ndarray:
    return np.ceil((m + ndtri(tail) * np.sqrt(m)) / 2.0) - 1.0


def _chi2_corrected(m: np.ndarray, tail: float) -> np.ndarray:
    return np.ceil((m - 1.0 + ndtri(tail) * np.sqrt(m)) / 2.0) - 1.0


# Per test the largest min(only A, only B) among m discordant cases that rejects; below 0 for none.
CRITICAL_SPLITS: Mapping[str, Callable[[np.ndarray, float], np.ndarray]] = MappingProxyType(
    {"exact": _exact, "midp": _mid_p, "chi2": _chi2, "chi2_corrected": _chi2_corrected}
)


def mcnemar_power(
    n: int,
    disagreement: float,
    difference: float,
    *,
    method: str = "exact",
    significance: float = 0.05,
    alternative: str = "two-sided",
) -> float:
    """Return the exact unconditional power of a McNemar test on n cases.

    The number M of discordant cases is binomial(n, d), and of those the better model wins a
    binomial(M, (1 + |gap| / d) / 2) share. The power is the probability of a split that rejects,
    summed over all M but a tail below 1e-12. A two-sided test counts rejections in either
    direction, so that its power at a gap of 0 is its size; that of "exact" and "chi2_corrected"
    never exceeds the significance.

    Parameters
    ----------
    n : int
        Cases that both models answer.
    disagreement : float
        Share of cases on which exactly one of the two is right.
    difference : float
        Accuracy of A minus that of B. Its sign does not matter: a one-sided test is taken to look
        in the direction of the gap.
    method : str
        A key of ``CRITICAL_SPLITS``; the test rejects when its p-value is below the significance.
    significance : float
    alternative : {"two-sided", "one-sided"}

    Raises
    ------
    ValueError
        If an argument is not allowed, or the gap exceeds the disagreement.

    References
    ----------
    Suissa, Shuster (1991), Biometrics 47, 361-372; Fagerland, Lydersen, Laake (2013), BMC Medical
    Research Methodology 13, 91.
    """
    curve = mcnemar_power_curve(
        n,
        n,
        disagreement,
        difference,
        method=method,
        significance=significance,
        alternative=alternative,
    )
    return float(curve[0])


def mcnemar_power_curve(
    low: int,
    high: int,
    disagreement: float,
    difference: float,
    *,
    method: str = "exact",
    significance: float = 0.05,
    alternative: str = "two-sided",
) -> np.ndarray:
    """Return ``mcnemar_power`` at every n from ``low`` to ``high``, shape (high - low + 1,).

    One more case is discordant with probability d, which turns the weights of the M of n cases into
    those of n + 1, so that a step costs O(sqrt(n d)).
    """
    low = check_whole(low, "n", least=1)
    high = check_whole(high, "high", least=low)
    rate, gap = check_gap(disagreement, difference)
    critical = CRITICAL_SPLITS[check_choice(method, CRITICAL_SPLITS, "method")]
    tail = tail_of(significance, alternative)
    if rate == 0.0:
        return np.zeros(high - low + 1)
    m = np.arange(_window(low, rate)[0], _window(high, rate)[1] + 1.0)
    worse = (1.0 - gap / rate) / 2.0
    k = critical(m, tail)
    rejects = binom.cdf(k, m, worse)
    if alternative == "two-sided":
        rejects += binom.cdf(k, m, 1.0 - worse)
    weights, powers = binom.pmf(m, low, rate), np.empty(high - low + 1)
    for step in range(powers.size):
        # Not "@": beyond 10,000 elements BLAS starts threads, which costs more than the sum.
        powers[step] = np.einsum("i,i", weights, rejects)
        discordant = rate * weights[:-1]
        weights *= 1.0 - rate
        weights[1:] += discordant
    return np.minimum(powers, 1.0)


def formula_power(
    n: float,
    disagreement: float,
    difference: float,
    *,
    method: str = "connor",
    significance: float = 0.05,
    alternative: str = "two-sided",
) -> float:
    """Return the power that a normal approximation promises, in the direction of the gap.

    "normal" takes the variance of the gap to be d / n, "connor" (d - gap^2) / n when there is one.
    """
    rate, gap = check_gap(disagreement, difference)
    connor = check_choice(method, ("normal", "connor"), "method") == "connor"
    error = float(-ndtri(tail_of(significance, alternative)))
    shift = np.sqrt(n) * gap - error * np.sqrt(rate)
    spread = np.sqrt(rate - gap * gap * connor)
    return float(ndtr(shift / spread)) if spread > 0 else float(shift > 0)


def _window(n: int, rate: float) -> tuple[int, int]:
    variance = n * rate * (1.0 - rate)
    reach = LEFT_OUT / 3.0 + np.sqrt(LEFT_OUT**2 / 9.0 + 2.0 * variance * LEFT_OUT)
    return max(0, int(n * rate - reach)), min(n, int(n * rate + reach) + 1)
