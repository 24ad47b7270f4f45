"""Worlds with a known truth, from which test sets are drawn and judged by their intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from scipy.special import ndtri
from scipy.stats import betabinom, lognorm, norm, t

from evalcore.binomial import PROPORTION_METHODS, proportion_limits
from evalcore.checks import (
    check_choice,
    check_counts,
    check_fraction,
    check_proportion,
    check_values,
    check_whole,
)
from evalcore.ranking import AUC_METHODS, AucTables
from evalcore.resampling.simulated import MEAN_METHODS, READS_DRAWS, shared_weights, simulate
from evalcore.simulation.medians import MEDIAN_METHODS, draw_ordered
from evalcore.simulation.rankings import RankingMarket, binormal_tables, ranking_market
from evalcore.sufficient import weighted_median

MARKET_SIZE = 5_000
# Cases of a market of clusters; probabilities are rounded to so many parts.
PARTS = 1_000_000_000
# Resampling weights that a pile keeps from one block to the next: 20 MB.
MOST_KEPT = 5_000_000
Sets = tuple[np.ndarray, np.ndarray, np.ndarray]
AUC_LABELS = {key: one.label for key, one in AUC_METHODS.items() if key != "percentile"}
MEAN_LABELS = {
    "t": "Student's t",
    "normal": "Normal",
    "percentile": "Bootstrap percentile",
    "bca": "Bootstrap BCa",
    "bootstrap_t": "Bootstrap t",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """How each test set is judged: interval method, level, and resamples where it needs them.

    The seed is that of resampling weights which all test sets of a pile share.
    """

    method: str
    confidence_level: float
    n_resamples: int
    seed: int = 0


class World(Protocol):
    """A world whose true value is known, so that an interval can be seen to hold or to miss it."""

    @property
    def truth(self) -> float:
        """The value that the intervals are after."""

    @property
    def methods(self) -> Mapping[str, str]:
        """Interval methods by key, with their names."""

    def draw(self, n: int, n_sets: int, how: Judging, rng: np.random.Generator) -> Sets:
        """Return the score, low and high of so many test sets of n cases, shape (n_sets,) each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareWorld:
    """A share of cases that are right; only some cases inform it, as positives do a recall.

    Attributes
    ----------
    truth : float
        Share right among the cases that inform it.
    informing : float
        Share of all cases that inform it: 1 for an accuracy, the prevalence for a recall.
    """

    truth: float
    informing: float = 1.0

    @property
    def methods(self) -> Mapping[str, str]:
        """Every method for a proportion."""
        return {key: method.label for key, method in PROPORTION_METHODS.items()}

    def draw(self, n: int, n_sets: int, how: Judging, rng: np.random.Generator) -> Sets:
        """Return score, low and high; nan for a set that no case informs."""
        m = rng.binomial(n, check_proportion(self.informing, "informing"), n_sets)
        k = rng.binomial(m, check_proportion(self.truth, "truth"))
        return _shares(k, m, how)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterWorld:
    """An accuracy whose cases come in groups of one size that resemble each other.

    Attributes
    ----------
    truth : float
        Share right.
    size : int
        Cases in a group; a test set holds whole groups.
    correlation : float
        Intra-class correlation: the cases right in a group are beta-binomial.
    """

    truth: float
    size: int
    correlation: float

    @property
    def methods(self) -> Mapping[str, str]:
        """An interval that counts groups, and one that takes cases for independent."""
        return {"t": "Groups counted (t)", "wilson": "Groups ignored (Wilson)"}

    def draw(self, n: int, n_sets: int, how: Judging, rng: np.random.Generator) -> Sets:
        """Return score, low and high of n cases, rounded down to whole groups, at least two."""
        groups = max(2, n // self.size)
        right = np.arange(self.size + 1)
        p, rho = (
            check_fraction(self.truth, "truth"),
            check_fraction(self.correlation, "correlation"),
        )
        spread = (1 - rho) / rho
        mass = betabinom.pmf(right, self.size, p * spread, (1 - p) * spread)
        parts = np.round(mass / mass.sum() * PARTS).astype(np.int64)
        market = right / self.size
        judged = Judging(method="t", confidence_level=how.confidence_level, n_resamples=2)
        score, low, high = _means(market, parts, groups, n_sets, judged, rng)
        if how.method == "t":
            return score, low, high
        k = np.round(score * groups * self.size)
        return _shares(k, np.full(n_sets, groups * self.size), how)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MarketWorld:
    """The mean or the median of a market of values, from which cases are drawn one by one.

    Attributes
    ----------
    values : ndarray, shape (N,)
        In increasing order.
    counts : ndarray of int, shape (N,)
    statistic : {"mean", "median"}
    """

    values: np.ndarray
    counts: np.ndarray
    statistic: str = "mean"

    @property
    def truth(self) -> float:
        """The mean or the median of the market."""
        if self.statistic == "mean":
            return float(self.values @ self.counts / self.counts.sum())
        return weighted_median(self.values, self.counts)

    @property
    def methods(self) -> Mapping[str, str]:
        """Those of a mean or of a median."""
        if self.statistic == "mean":
            return {key: MEAN_LABELS[key] for key in MEAN_METHODS}
        return {"order_statistic": "Order statistics", "exact_bootstrap": "Bootstrap, exact"}

    def draw(self, n: int, n_sets: int, how: Judging, rng: np.random.Generator) -> Sets:
        """Return score, low and high."""
        if self.statistic == "mean":
            return _means(self.values, self.counts, n, n_sets, how, rng)
        sets = draw_ordered(self.values, self.counts, n, n_sets, how.confidence_level, rng)
        low, high = MEDIAN_METHODS[how.method](sets, how.confidence_level)
        flat = low == high
        return sets.median, np.where(flat, np.nan, low), np.where(flat, np.nan, high)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankWorld:
    """An AUC: scores of negatives are standard normal, those of positives the same and higher.

    Attributes
    ----------
    truth : float
        The AUC.
    prevalence : float
        Share of positives.
    """

    truth: float
    prevalence: float

    @property
    def methods(self) -> Mapping[str, str]:
        """The methods that need no resampling."""
        return AUC_LABELS

    def draw(self, n: int, n_sets: int, how: Judging, rng: np.random.Generator) -> Sets:
        """Return score, low and high; nan for a set of one class."""
        prevalence = check_proportion(self.prevalence, "prevalence")
        shift = float(np.sqrt(2.0) * ndtri(check_fraction(self.truth, "truth")))
        return _areas(binormal_tables(shift, prevalence, n, n_sets, rng), how)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoresWorld:
    """An AUC of a market of scored cases, from which cases are drawn one by one.

    Attributes
    ----------
    market : RankingMarket
    """

    market: RankingMarket

    @property
    def truth(self) -> float:
        """The AUC of the market."""
        return self.market.auc

    @property
    def methods(self) -> Mapping[str, str]:
        """The methods that need no resampling."""
        return AUC_LABELS

    def draw(self, n: int, n_sets: int, how: Judging, rng: np.random.Generator) -> Sets:
        """Return score, low and high; nan for a set of one class."""
        return _areas(self.market.draw(n, n_sets, rng), how)


def scores_world(truth: Any, scores: Any, *, counts: Any = None) -> ScoresWorld:
    """Return the world that is exactly these scored cases.

    Parameters
    ----------
    truth : array-like of bool or 0/1, shape (n,)
    scores : array-like of float, shape (n,)
        Higher speaks for the positive class.
    counts : array-like of int, shape (n,), optional

    Raises
    ------
    ValueError
        If lengths differ, a score is missing, or there are not cases of both classes.
    """
    return ScoresWorld(market=ranking_market(truth, scores, counts=counts))


def market_world(
    values: Any, *, statistic: str = "mean", counts: Any = None, without_largest: int = 0
) -> MarketWorld:
    """Return the world that is exactly these values, with or without the largest ones.

    Raises
    ------
    ValueError
        If a value is not finite, fewer than two are left, or the statistic is unknown.
    """
    market = check_values(values, "values")
    weights = check_counts(counts, len(market))
    weights = np.ones(len(market), np.int64) if weights is None else weights
    if not np.isfinite(market).all():
        raise ValueError("values must be finite numbers")
    order = np.argsort(market, kind="stable")
    market, weights = market[order], weights[order]
    keep = int(weights.sum()) - check_whole(without_largest, "without_largest")
    if keep < 2:
        raise ValueError(f"without_largest must leave two values; got {without_largest!r}")
    left = np.diff(np.minimum(np.cumsum(weights), keep), prepend=0)
    check_choice(statistic, ("mean", "median"), "statistic")
    return MarketWorld(values=market[left > 0], counts=left[left > 0], statistic=statistic)


def _few_huge() -> np.ndarray:
    few = MARKET_SIZE // 100
    usual = lognorm.ppf(_middles(MARKET_SIZE - few), 0.6, scale=40)
    return np.concatenate([usual, lognorm.ppf(_middles(few), 0.3, scale=1200)])


def _middles(size: int) -> np.ndarray:
    return (np.arange(size) + 0.5) / size


ERROR_SHAPES: Mapping[str, tuple[str, Callable[[], np.ndarray]]] = MappingProxyType(
    {
        "normal": ("Normal", lambda: norm.ppf(_middles(MARKET_SIZE), 50, 15)),
        "lognormal": ("Lognormal", lambda: lognorm.ppf(_middles(MARKET_SIZE), 1, scale=40)),
        "student": ("Student t, 3 degrees", lambda: 50 + 10 * t.ppf(_middles(MARKET_SIZE), 3)),
        "huge": ("1 in 100 is huge", _few_huge),
    }
)


def error_world(shape: str, *, statistic: str = "mean", without_largest: int = 0) -> MarketWorld:
    """Return a market of 5,000 values that lie evenly in probability along a distribution.

    Parameters
    ----------
    shape : str
        A key of ``ERROR_SHAPES``.
    statistic : {"mean", "median"}
    without_largest : int
        So many of the largest are left out of the market.

    Raises
    ------
    ValueError
        If an argument is not allowed.
    """
    _, make = ERROR_SHAPES[check_choice(shape, ERROR_SHAPES, "shape")]
    return market_world(make(), statistic=statistic, without_largest=without_largest)


def _shares(k: np.ndarray, m: np.ndarray, how: Judging) -> Sets:
    pairs, place = np.unique(np.column_stack([k, m]), axis=0, return_inverse=True)
    ends = proportion_limits(
        pairs[:, 0], pairs[:, 1], method=how.method, confidence_level=how.confidence_level
    )
    low, high = np.array(ends)[:, place.ravel()]
    with np.errstate(invalid="ignore"):
        return np.asarray(k / m), low, high


def _areas(tables: AucTables, how: Judging) -> Sets:
    low, high = tables.limits(how.method, how.confidence_level)
    return tables.auc, low, high


@lru_cache(maxsize=2)
def _kept_weights(n: int, n_resamples: int, seed: int) -> np.ndarray:
    return shared_weights(n, n_resamples, seed)


def _means(
    market: np.ndarray,
    counts: np.ndarray,
    n: int,
    n_sets: int,
    how: Judging,
    rng: np.random.Generator,
) -> Sets:
    score, low, high = [], [], []
    kept = None
    if how.method in READS_DRAWS and n * how.n_resamples <= MOST_KEPT:
        kept = _kept_weights(n, how.n_resamples, how.seed)
    asked = (n, n_sets, how.n_resamples, rng, (how.method,))
    for block in simulate(market, counts, *asked, shared=kept):
        ends = MEAN_METHODS[how.method](block, how.confidence_level)
        score.append(block.mean)
        low.append(ends[0])
        high.append(ends[1])
    return np.concatenate(score), np.concatenate(low), np.concatenate(high)
