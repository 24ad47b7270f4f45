"""Intervals for a median: order statistics, the exact bootstrap, and Woodruff's for clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import bdtr, betainc, gammaln
from scipy.stats import binom

from evalcore.clusters import robust_standard_error
from evalcore.intervals.evidence import Evidence
from evalcore.intervals.methods import Limits, Request
from evalcore.intervals.scales import critical_value, scaled_limits
from evalcore.sufficient import case_columns

WINDOW_DEVIATIONS = 8
# The next larger value drawn is j places on with probability below exp(-j) or so.
LARGEST_GAP = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class MedianDistribution:
    """The bootstrap distribution of a median, without draws.

    Attributes
    ----------
    values : ndarray, shape (m,)
        Possible medians in increasing order.
    probabilities : ndarray, shape (m,)
    """

    values: np.ndarray
    probabilities: np.ndarray

    @property
    def standard_error(self) -> float:
        """Standard deviation of the distribution."""
        centre = self.values @ self.probabilities
        return float(np.sqrt((self.values - centre) ** 2 @ self.probabilities))

    def quantile(self, probability: float) -> float:
        """Return the smallest median at or below which the probability lies."""
        total = np.cumsum(self.probabilities)
        reached = int(np.searchsorted(total, probability * (1 - 1e-12)))
        return float(self.values[min(reached, len(self.values) - 1)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """Values in increasing order, each with how many cases there are up to it."""

    values: np.ndarray
    ends: np.ndarray

    @classmethod
    def of(cls, values: np.ndarray, counts: np.ndarray) -> Ranked:
        """Return the values sorted, with cumulative counts."""
        order = np.argsort(values, kind="stable")
        return cls(values=values[order], ends=np.cumsum(counts[order]))

    @property
    def n(self) -> int:
        """Number of cases."""
        return int(self.ends[-1])

    def at(self, ranks: Any) -> Any:
        """Return the values of the cases of some ranks, counted from 1."""
        return self.values[np.searchsorted(self.ends, ranks)]


def median_distribution(values: np.ndarray, counts: np.ndarray) -> MedianDistribution:
    """Return the exact bootstrap distribution of the median of values that occur ``counts`` times.

    With an odd number of cases n = 2m - 1 the median of a resample is at most the i-th value when
    at least m draws are, which is a binomial probability. With n = 2m it is the mean of the m-th
    and the next value drawn, whose joint probabilities are products of two powers. Only ranks
    within eight standard deviations of the middle are listed; the rest is below 1e-14.

    Parameters
    ----------
    values : ndarray, shape (n,)
    counts : ndarray of int, shape (n,)

    References
    ----------
    Efron, B. (1979). Bootstrap methods: another look at the jackknife. Annals of Statistics 7,
    1-26. Maritz, J. S. and Jarrett, R. G. (1978). A note on estimating the variance of the sample
    median. JASA 73, 194-196.
    """
    ranked = Ranked.of(values, counts)
    law = median_law(ranked.n)
    return _collected((ranked.at(law.first) + ranked.at(law.second)) / 2, law.probabilities)


@dataclass(frozen=True, slots=True, kw_only=True)
class MedianLaw:
    """Which two cases of n, by rank, the median of a bootstrap resample lies midway between.

    Attributes
    ----------
    first, second : ndarray of int, shape (m,)
        Ranks from 1, first <= second.
    probabilities : ndarray, shape (m,)
    """

    first: np.ndarray
    second: np.ndarray
    probabilities: np.ndarray


def median_law(n: int) -> MedianLaw:
    """Return the law of the median of resamples of n cases, as ``median_distribution`` reads it."""
    m = (n + 1) // 2
    reach = int(WINDOW_DEVIATIONS * np.sqrt(n) / 2) + 2
    rank = np.arange(max(1, m - reach), min(n, m + reach + 1) + 1)
    at_most = betainc(m, n - m + 1, rank / n)
    lower = np.diff(at_most, prepend=betainc(m, n - m + 1, (rank[0] - 1) / n))
    if n % 2:
        return MedianLaw(first=rank, second=rank, probabilities=lower)
    gaps = np.arange(1, min(LARGEST_GAP, n - 1) + 1)
    other = rank[:, None] + gaps
    inside = np.minimum(other, n)
    joint = np.where(other <= n, np.exp(_log_joint(rank[:, None], inside, n, m)), 0.0)
    possible = joint > 0.0
    same = np.maximum(lower - joint.sum(axis=1), 0.0)
    first = np.broadcast_to(rank[:, None], joint.shape)[possible]
    return MedianLaw(
        first=np.concatenate([rank, first]),
        second=np.concatenate([rank, inside[possible]]),
        probabilities=np.concatenate([same, joint[possible]]),
    )


def _log_joint(i: np.ndarray, j: np.ndarray, n: int, m: int) -> np.ndarray:
    """Return log P(m-th value drawn is the i-th and the next one the j-th), i < j, n = 2m."""
    ways = gammaln(n + 1) - 2 * gammaln(m + 1)
    with np.errstate(divide="ignore"):
        below = m * np.log(i / n) + np.log1p(-((1 - 1 / i) ** m))
        above = n - j + 1
        beyond = m * np.log(above / n) + np.log1p(-((1 - 1 / above) ** m))
    return ways + below + beyond


def _collected(values: np.ndarray, probabilities: np.ndarray) -> MedianDistribution:
    distinct, place = np.unique(values, return_inverse=True)
    total = np.bincount(place, weights=probabilities)
    return MedianDistribution(values=distinct, probabilities=total / total.sum())


def order_statistic(evidence: Evidence, request: Request) -> Limits:
    """Two order statistics that hold the median with at least the wanted probability."""
    values, counts = _values(evidence)
    ranked = Ranked.of(values, counts)
    n = ranked.n
    place = outer_rank(n, request.confidence_level)
    if place < 1:
        least = int(np.ceil(1 - np.log2(1 - request.confidence_level)))
        why = f"no interval: a median needs at least {least:,} cases at this level"
        return Limits(notes=(why,))
    achieved = 1 - 2 * float(bdtr(place - 1, n, 0.5))
    return Limits(
        low=float(ranked.at(place)),
        high=float(ranked.at(n + 1 - place)),
        standard_error=median_distribution(values, counts).standard_error,
        notes=(f"the achieved level is {100 * achieved:.4g}%",),
    )


def outer_rank(n: int, confidence_level: float) -> int:
    """Return l so that the l-th value from either end holds the median; 0 when n is too small.

    The largest l with P(Bin(n, 1/2) < l) at most half of what the level leaves out.
    """
    tail = (1 - confidence_level) / 2
    place = int(binom.ppf(tail, n, 0.5))
    return place + int(bdtr(place, n, 0.5) <= tail)


def exact_bootstrap(evidence: Evidence, request: Request) -> Limits:
    """Quantiles of the exact bootstrap distribution of the median."""
    distribution = median_distribution(*_values(evidence))
    tail = (1 - request.confidence_level) / 2
    return Limits(
        low=distribution.quantile(tail),
        high=distribution.quantile(1 - tail),
        standard_error=distribution.standard_error,
    )


def woodruff(evidence: Evidence, request: Request) -> Limits:
    """Cluster-robust limits for the share below the median, read back as values."""
    values, counts = _values(evidence)
    ranked = Ranked.of(values, counts)
    below = (values <= evidence.estimate).astype(float)
    share = float(below @ counts / ranked.n)
    error = robust_standard_error(below - share, evidence.parts)
    quantile = critical_value(request.confidence_level, evidence.degrees)
    if not error > 0:
        return Limits(notes=("no interval: the clusters show no spread to judge by",))
    limits = np.array(scaled_limits(0.5, error, quantile, (0.0, 1.0)))
    low, high = ranked.at(np.clip(np.ceil(limits * ranked.n), 1, ranked.n).astype(int))
    return Limits(
        low=float(low), high=float(high), standard_error=float(high - low) / (2 * quantile)
    )


def _values(evidence: Evidence) -> tuple[np.ndarray, np.ndarray]:
    case = case_columns(evidence.predictions, evidence.metric, evidence.model, evidence.setting)
    return case.columns[:, 0], case.counts
