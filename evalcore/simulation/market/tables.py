"""Markets of labels: a test set is one multinomial draw of the non-empty cells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from evalcore.binomial import proportion_limits
from evalcore.clusters import Partition
from evalcore.intervals.evidence import Evidence, gather
from evalcore.intervals.methods import Request
from evalcore.intervals.metric import interval_of
from evalcore.intervals.registry import offered_methods
from evalcore.metrics import METRICS, Margins, Metric, Setting
from evalcore.predictions import Predictions
from evalcore.resampling import jackknife_acceleration
from evalcore.resampling.weights import weight_blocks
from evalcore.simulation.market.plan import (
    DRAWN,
    MOST_CASES,
    SHARING,
    Judged,
    Plan,
    number_of_sets,
    read_draws,
)
from evalcore.sufficient import Cells, cell_influence, count_value, standard_error

MOST_DRAWN = 1 << 22
BUDGET = 4e8
# A standard error below this is rounding of 0.
SPREAD = 1e-9
MODEL = "model"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TableMarket:
    """The joint table of truth and label, and a metric of it.

    Attributes
    ----------
    table : Cells
        Of one model, called ``MODEL``.
    metric : Metric
    code : int
        The class, for metrics of one class.
    """

    table: Cells
    metric: Metric
    code: int
    unit: str = "cases"

    @property
    def value(self) -> float:
        """The metric of the whole table."""
        return float(count_value(self.metric, self.table.margins(MODEL), self.code))

    @property
    def n(self) -> int:
        """Number of cases."""
        return self.table.n

    @property
    def offered(self) -> tuple[str, ...]:
        """Methods of a proportion or of a function of counts."""
        return offered_methods(self.metric, self.metric.family, self.metric.bounds, clustered=False)

    def able(self, n: int) -> tuple[str, ...]:
        """Return all methods, without those that resample when there are very many cases."""
        return tuple(key for key in self.offered if n <= MOST_CASES or key not in DRAWN)

    def affordable(self, n: int, n_resamples: int, methods: tuple[str, ...]) -> int:
        """Return how many test sets take some seconds: only many cells times resamples cost."""
        drawn = not set(DRAWN).isdisjoint(methods)
        return number_of_sets(BUDGET, n_resamples * self._width) if drawn else 1 << 31

    @property
    def _width(self) -> int:
        return max(len(self.table.counts), 3 * self.table.n_classes)

    def judge(self, plan: Plan) -> Judged:
        """Draw test sets and judge them; equal tables are judged once by the closed methods."""
        found = plan.empty()
        shares = self.table.counts / self.table.n
        drawn = plan.rng.multinomial(plan.n, shares, size=plan.n_sets)
        margins = self.table.margins(MODEL, drawn)
        found.estimates[:] = count_value(self.metric, margins, self.code)
        block = int(max(1, min(SHARING, MOST_DRAWN // (plan.n_resamples * self._width))))
        if self.metric.ratio is not None:
            successes, trials = self.metric.ratio(margins, self.code)
            self._proportions(found, successes, trials, plan)
        for start in range(0, plan.n_sets, block):
            which = slice(start, min(start + block, plan.n_sets))
            if self.metric.ratio is None:
                self._closed(found, drawn, which, plan)
            if plan.read:
                self._read(found, drawn, which, plan)
            plan.progress(which.stop, plan.n_sets)
        return found

    def _proportions(
        self, found: Judged, successes: np.ndarray, trials: np.ndarray, plan: Plan
    ) -> None:
        pairs, place = np.unique(np.column_stack([successes, trials]), axis=0, return_inverse=True)
        for key in plan.closed:
            ends = proportion_limits(
                pairs[:, 0], pairs[:, 1], method=key, confidence_level=plan.level
            )
            found.limits[key][:] = np.array(ends)[:, place.ravel()]

    def _closed(self, found: Judged, drawn: np.ndarray, which: slice, plan: Plan) -> None:
        request = Request(confidence_level=plan.level)
        tables, place = np.unique(drawn[which], axis=0, return_inverse=True)
        for number, counts in enumerate(tables):
            evidence = self._lean_evidence(counts)
            same = np.flatnonzero(place.ravel() == number) + which.start
            for key in plan.closed if evidence.defined else ():
                made = interval_of(evidence, request, key)
                found.limits[key][:, same] = [[made.low], [made.high]]

    def _read(self, found: Judged, drawn: np.ndarray, which: slice, plan: Plan) -> None:
        sets = drawn[which]
        draws = self._draws(sets, plan)
        rates = self._accelerations(sets) if "bca" in plan.read else np.full(len(sets), np.nan)
        for place, number in enumerate(range(which.start, which.stop)):
            if np.isnan(found.estimates[number]):
                continue
            evidence = partial(self.evidence, sets[place])
            made = read_draws(
                draws[place],
                found.estimates[number],
                rates[place],
                plan.read,
                plan.level,
                evidence,
            )
            for key, ends in made.items():
                found.limits[key][:, number] = ends

    def _draws(self, sets: np.ndarray, plan: Plan) -> np.ndarray:
        """Return the metric on resamples of every test set, shape (S, R).

        The test sets share one matrix of resampling weights. With the cases of a set in the order
        of its cells, what a resample holds of a cell is a difference of two sums of weights.
        """
        ends = np.cumsum(sets, axis=1)
        draws = np.empty((len(sets), plan.n_resamples))
        units = np.ones(plan.n, np.int64)
        # Small blocks stay in the cache.
        width = 4 * len(sets) * self._width
        size = self.table.n_classes
        margins = self.table.margins(MODEL, np.eye(ends.shape[1]))
        steps = np.hstack([margins.right, margins.actual, margins.predicted])
        # Of sums of weights up to the end of each cell, so that no difference need be taken.
        steps[:-1] -= steps[1:].copy()
        for part, weights in weight_blocks(units, plan.n_resamples, plan.rng, width=width):
            below = np.cumsum(weights, axis=1)
            # An empty first cell ends before the first case.
            below = np.column_stack([np.zeros(len(below)), below])
            sums = below[:, ends].reshape(-1, ends.shape[1]) @ steps
            right, actual, predicted = (sums[:, k * size : (k + 1) * size] for k in range(3))
            drawn = Margins(right=right, actual=actual, predicted=predicted)
            values = count_value(self.metric, drawn, self.code)
            draws[:, part] = values.reshape(-1, len(sets)).T
        return draws

    def _accelerations(self, sets: np.ndarray) -> np.ndarray:
        size = sets.shape[1]
        left = (sets[:, None, :] - np.eye(size, dtype=np.int64)).reshape(-1, size)
        values = count_value(self.metric, self.table.margins(MODEL, np.maximum(left, 0)), self.code)
        return np.array(
            [
                jackknife_acceleration(row[counts > 0], counts[counts > 0])
                for row, counts in zip(values.reshape(-1, size), sets, strict=True)
            ]
        )

    def evidence(self, counts: np.ndarray) -> Evidence:
        """Return the evidence of a test set with these counts of the cells."""
        return gather(self._predictions(counts), self.metric, MODEL, self._setting)

    def _lean_evidence(self, counts: np.ndarray) -> Evidence:
        """Return the evidence without its notes, where there is spread to judge by."""
        table = replace(self.table, counts=counts)
        value = float(count_value(self.metric, table.margins(MODEL), self.code))
        low, high = self.metric.bounds
        if not low < value < high:
            return self.evidence(counts)
        pull = cell_influence(self.metric, table, MODEL, self.code)
        if standard_error(pull, counts) <= SPREAD:
            return self.evidence(counts)
        cases = int(counts.sum())
        return Evidence(
            predictions=self._predictions(counts),
            metric=self.metric,
            model=MODEL,
            setting=self._setting,
            family=self.metric.family,
            bounds=self.metric.bounds,
            name=self.metric.label,
            estimate=value,
            n=cases,
            unit=self.metric.unit,
            successes=None,
            cases=cases,
            pull=pull,
            parts=Partition(codes=np.zeros(len(counts), np.int64), counts=counts, clusters=1),
            clustered=False,
        )

    @property
    def _setting(self) -> Setting:
        return Setting(label=str(self.code))

    def _predictions(self, counts: np.ndarray) -> Predictions:
        return Predictions(
            name="test set",
            digest="",
            task="classification",
            truth=self.table.codes[:, 0].astype(np.int32),
            outputs={MODEL: self.table.codes[:, 1].astype(np.int32)},
            classes=tuple(str(code) for code in range(self.table.n_classes)),
            counts=counts,
        )


def table_market(table: Cells, metric: Metric, code: int) -> TableMarket:
    """Return the market of a table of one model; metrics of one class need four cells of it."""
    if metric.per_class or metric.ratio is not None:
        table = table.collapsed(code if metric.per_class else None)
        code = 1
    return TableMarket(table=replace(table, models=(MODEL,)), metric=metric, code=code)


def right_or_wrong(successes: int, failures: int) -> TableMarket:
    """Return the market of cases of which each succeeds or fails, as an accuracy."""
    counts = np.array([successes, failures])
    codes = np.array([[0, 0], [0, 1]])
    table = Cells(
        codes=codes[counts > 0],
        counts=counts[counts > 0],
        models=(MODEL,),
        n_classes=2,
        index=np.zeros(0, np.int64),
        left_out=0,
    )
    return TableMarket(table=table, metric=METRICS["accuracy"], code=0)
