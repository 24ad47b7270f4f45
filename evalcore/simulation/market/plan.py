"""What a market is asked for, what it answers, and what every kind of market can do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from evalcore.intervals.closed import effective_wilson
from evalcore.intervals.evidence import Evidence
from evalcore.intervals.methods import Request
from evalcore.resampling import bca_limits, percentile_limits

# Methods read off draws of the whole statistic, and all that resample.
READ = ("percentile", "bca")
DRAWN = (*READ, "bootstrap_t")
# The largest test sets that are resampled.
MOST_CASES = 10_000
LEAST_SETS = 100
SHARING = 100
# A naive method beside the clustered ones carries this before its key.
NAIVE = "naive_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Test sets to draw, and how each is judged.

    Attributes
    ----------
    n : int
        Units in a test set: cases, or whole groups.
    n_sets, n_resamples : int
    level : float
    methods : tuple of str
    rng : numpy.random.Generator
    progress : callable
        Called as ``progress(done, n_sets)``.
    """

    n: int
    n_sets: int
    n_resamples: int
    level: float
    methods: tuple[str, ...]
    rng: np.random.Generator
    progress: Callable[[int, int], None]

    @property
    def read(self) -> tuple[str, ...]:
        """Methods wanted that are read off draws."""
        return tuple(key for key in self.methods if key in READ)

    @property
    def closed(self) -> tuple[str, ...]:
        """Methods wanted that resample nothing."""
        return tuple(key for key in self.methods if key not in DRAWN)

    def empty(self) -> Judged:
        """Return an answer to be filled in."""
        shape = (2, self.n_sets)
        limits = {key: np.full(shape, np.nan) for key in self.methods}
        return Judged(estimates=np.full(self.n_sets, np.nan), limits=limits)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judged:
    """Test sets with their estimates, shape (S,), and the limits of each method, shape (2, S)."""

    estimates: np.ndarray
    limits: Mapping[str, np.ndarray]


class Market(Protocol):
    """Loaded cases from which test sets are drawn."""

    @property
    def value(self) -> float:
        """The metric over all of the cases, which plays the truth."""

    @property
    def n(self) -> int:
        """Units there are."""

    @property
    def unit(self) -> str:
        """What n counts: "cases" or "clusters"."""

    @property
    def offered(self) -> tuple[str, ...]:
        """Methods that the metric has."""

    def able(self, n: int) -> tuple[str, ...]:
        """Return the methods that can be judged on test sets of n units."""

    def affordable(self, n: int, n_resamples: int, methods: tuple[str, ...]) -> int:
        """Return how many test sets take some seconds."""

    def judge(self, plan: Plan) -> Judged:
        """Draw test sets and return what each method made of each."""


def read_draws(
    draws: np.ndarray,
    estimate: float,
    acceleration: float,
    methods: tuple[str, ...],
    level: float,
    evidence: Callable[[], Evidence] | None,
) -> dict[str, tuple[float, float]]:
    """Return the limits of one test set from its draws, as ``metric_interval`` reads them.

    BCa without limits gives way to percentiles, and draws without spread give way to Wilson's
    interval with the effective size of the evidence, where there is any for the metric.
    """
    plain = percentile_limits(draws, level)
    found = {}
    for key in methods:
        made = plain
        if key == "bca":
            shifted = bca_limits(draws, estimate, acceleration, level)
            made = shifted if np.isfinite(shifted.low) else plain
        found[key] = (made.low, made.high)
    if np.isnan(plain.low) and evidence is not None:
        other = effective_wilson(evidence(), Request(confidence_level=level))
        found = dict.fromkeys(methods, (other.low, other.high))
    return found


def number_of_sets(budget: float, cost: float) -> int:
    """Return how many test sets of a cost fit a budget, at least ``LEAST_SETS``."""
    return max(LEAST_SETS, int(budget // max(cost, 1)))
