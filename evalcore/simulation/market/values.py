"""Markets whose test sets need no predictions: plain means, medians and AUCs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evalcore.intervals.registry import offered_methods
from evalcore.intervals.scales import critical_value, scaled_limits
from evalcore.metrics import Metric
from evalcore.resampling.simulated import MEAN_METHODS, Simulated, simulate
from evalcore.simulation.market.plan import DRAWN, MOST_CASES, Judged, Plan, number_of_sets
from evalcore.simulation.medians import MEDIAN_METHODS, draw_ordered
from evalcore.simulation.rankings import RankingMarket
from evalcore.sufficient import weighted_median

MOST_VALUES = 1 << 22
BUDGET = 2e7
UNLIMITED = 1 << 31


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeanMarket:
    """Values of which the metric is the plain mean, with how often each occurs."""

    values: np.ndarray
    counts: np.ndarray
    metric: Metric
    unit: str = "cases"

    @property
    def value(self) -> float:
        """The mean."""
        return float(self.counts @ self.values / self.n)

    @property
    def n(self) -> int:
        """Number of cases."""
        return int(self.counts.sum())

    @property
    def offered(self) -> tuple[str, ...]:
        """Methods of a mean."""
        return offered_methods(self.metric, "mean", self.metric.bounds, clustered=False)

    def able(self, n: int) -> tuple[str, ...]:
        """Return all methods, without those that resample when there are very many cases."""
        return tuple(key for key in self.offered if n <= MOST_CASES or key not in DRAWN)

    def affordable(self, n: int, n_resamples: int, methods: tuple[str, ...]) -> int:
        """Return no limit: moments, or weights that sets share, are cheap."""
        return UNLIMITED

    def judge(self, plan: Plan) -> Judged:
        """Draw test sets in blocks that share resampling weights."""
        found = plan.empty()
        asked = (plan.n, plan.n_sets, plan.n_resamples, plan.rng, plan.methods)
        done = 0
        for block in simulate(self.values, self.counts, *asked):
            which = slice(done, done + len(block.mean))
            found.estimates[which] = block.mean
            for key in plan.methods:
                make = MEAN_METHODS.get(key, self._delta)
                found.limits[key][:, which] = make(block, plan.level)
            done = which.stop
            plan.progress(done, plan.n_sets)
        return found

    def _delta(self, block: Simulated, level: float) -> tuple[np.ndarray, np.ndarray]:
        quantile = critical_value(level, block.n - 1)
        made = [
            scaled_limits(mean, error, quantile, self.metric.bounds) if error > 0 else (np.nan,) * 2
            for mean, error in zip(block.mean, block.deviation, strict=True)
        ]
        low, high = np.array(made).T
        return low, high


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MedianMarket:
    """Values in increasing order of which the metric is the median, with how often each occurs."""

    values: np.ndarray
    counts: np.ndarray
    unit: str = "cases"

    @property
    def value(self) -> float:
        """The median."""
        return weighted_median(self.values, self.counts)

    @property
    def n(self) -> int:
        """Number of cases."""
        return int(self.counts.sum())

    @property
    def offered(self) -> tuple[str, ...]:
        """Methods of a median."""
        return tuple(MEDIAN_METHODS)

    def able(self, n: int) -> tuple[str, ...]:
        """Return all methods: neither resamples."""
        return self.offered

    def affordable(self, n: int, n_resamples: int, methods: tuple[str, ...]) -> int:
        """Return no limit: some order statistics of a set are drawn, whatever its size."""
        return UNLIMITED

    def judge(self, plan: Plan) -> Judged:
        """Draw the order statistics that the methods read."""
        found = plan.empty()
        sets = draw_ordered(self.values, self.counts, plan.n, plan.n_sets, plan.level, plan.rng)
        found.estimates[:] = sets.median
        for key in plan.methods:
            found.limits[key][:] = MEDIAN_METHODS[key](sets, plan.level)
        plan.progress(plan.n_sets, plan.n_sets)
        return found


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AreaMarket:
    """Scored cases of which the metric is the AUC."""

    ranking: RankingMarket
    metric: Metric
    unit: str = "cases"

    @property
    def value(self) -> float:
        """The AUC."""
        return self.ranking.auc

    @property
    def n(self) -> int:
        """Number of cases."""
        return self.ranking.n

    @property
    def offered(self) -> tuple[str, ...]:
        """Methods of an AUC."""
        return offered_methods(self.metric, "rank", self.metric.bounds, clustered=False)

    def able(self, n: int) -> tuple[str, ...]:
        """Return the methods that resample nothing: every set would have to be resampled alone."""
        return tuple(key for key in self.offered if key not in DRAWN)

    def affordable(self, n: int, n_resamples: int, methods: tuple[str, ...]) -> int:
        """Return as many as can be sorted in some seconds."""
        return number_of_sets(BUDGET, n)

    def judge(self, plan: Plan) -> Judged:
        """Draw test sets in blocks and read DeLong's error off how the classes fall."""
        found = plan.empty()
        block = int(max(1, MOST_VALUES // plan.n))
        for start in range(0, plan.n_sets, block):
            which = slice(start, min(start + block, plan.n_sets))
            tables = self.ranking.draw(plan.n, which.stop - start, plan.rng)
            found.estimates[which] = tables.auc
            for key in plan.methods:
                found.limits[key][:, which] = tables.limits(key, plan.level)
            plan.progress(which.stop, plan.n_sets)
        return found
