"""Markets of whole cases or whole groups: every test set is judged by the real methods."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from evalcore.clusters import partition
from evalcore.intervals.evidence import Evidence, condensed, family_of, gather
from evalcore.intervals.methods import Request
from evalcore.intervals.metric import interval_of
from evalcore.intervals.registry import offered_methods
from evalcore.metrics import Metric, Setting
from evalcore.predictions import MISSING, Predictions
from evalcore.simulation.market.additive import Additive, additive
from evalcore.simulation.market.plan import (
    DRAWN,
    MOST_CASES,
    NAIVE,
    READ,
    SHARING,
    Judged,
    Plan,
    number_of_sets,
    read_draws,
)
from evalcore.sufficient import case_columns, influence, metric_value, rank_labels

MOST_VALUES = 1 << 22
# Rows that are measured in all, and rows of a set that is.
BUDGET = 1_000_000
MOST_ROWS = 20_000
# Draws of each set where every set has to be resampled alone, and what one costs in rows measured.
ALONE = 500
DRAW_COST = 0.01


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CaseMarket:
    """Predictions of one model, from which rows or whole groups of rows are drawn.

    Attributes
    ----------
    predictions : Predictions
        Rows in the order of their groups.
    metric : Metric
    family : str
    bounds : (float, float)
    model : str
    setting : Setting
    value : float
        The metric of all cases.
    sizes : ndarray of int, shape (U,)
        Rows of each unit: of each group, or 1.
    weights : ndarray of int, shape (U,)
        How often each unit occurs: 1 for a group.
    clustered : bool
    sums : Additive or None
        The metric as a function of sums over the units, where it is one.
    """

    predictions: Predictions
    metric: Metric
    family: str
    bounds: tuple[float, float]
    model: str
    setting: Setting
    value: float
    sizes: np.ndarray
    weights: np.ndarray
    clustered: bool
    sums: Additive | None

    @property
    def n(self) -> int:
        """Number of units."""
        return int(self.weights.sum())

    @property
    def unit(self) -> str:
        """Clusters, or cases."""
        return "clusters" if self.clustered else "cases"

    @property
    def offered(self) -> tuple[str, ...]:
        """Methods of the metric; with groups also the usual one that ignores them."""
        asked = (self.metric, self.family, self.bounds)
        naive, *_ = plain = offered_methods(*asked, clustered=False)
        if not self.clustered:
            return plain
        beside = () if naive in DRAWN else (f"{NAIVE}{naive}",)
        return (*offered_methods(*asked, clustered=True), *beside)

    def able(self, n: int) -> tuple[str, ...]:
        """Return the methods that resample nothing, and those read off sums that sets share.

        A ranking that has no other methods is resampled set by set.
        """
        closed = tuple(key for key in self.offered if key not in DRAWN)
        if n > MOST_CASES or self._rows(n) > MOST_ROWS:
            return closed if self._rows(n) <= MOST_ROWS else ()
        read = self.sums is not None or not closed
        return tuple(key for key in self.offered if key in closed or (read and key in READ))

    def affordable(self, n: int, n_resamples: int, methods: tuple[str, ...]) -> int:
        """Return how many test sets take some seconds."""
        cost = max(self._rows(n), 500.0)
        if self.metric.family == "rank":
            cost *= len(rank_labels(self.predictions, self.metric, self.setting))
        if self.sums is None and not set(READ).isdisjoint(methods):
            cost += DRAW_COST * ALONE * self._rows(n)
        return number_of_sets(BUDGET, cost)

    def _rows(self, n: int) -> float:
        return float(n * self.sizes.mean())

    def judge(self, plan: Plan) -> Judged:
        """Draw test sets in blocks and judge each."""
        found = plan.empty()
        width = 1 if self.sums is None else self.sums.vectors.shape[1]
        most = MOST_VALUES // (max(plan.n, plan.n_resamples) * width)
        block = int(max(1, min(SHARING, most)))
        ends = np.cumsum(self.weights)
        for start in range(0, plan.n_sets, block):
            which = range(start, min(start + block, plan.n_sets))
            picks = plan.rng.integers(0, ends[-1], (len(which), plan.n))
            picks = np.searchsorted(ends, picks, side="right")
            evidence = [self._evidence(row) for row in picks]
            for number, row, one in zip(which, picks, evidence, strict=True):
                found.estimates[number] = one.estimate
                self._closed(found, number, row, one, plan)
            if self.sums is not None and plan.read:
                self._read(found, which, picks, evidence, plan)
            plan.progress(which.stop, plan.n_sets)
        return found

    def _closed(
        self, found: Judged, number: int, picks: np.ndarray, evidence: Evidence, plan: Plan
    ) -> None:
        request = Request(confidence_level=plan.level, n_resamples=ALONE, rng=plan.rng)
        if not evidence.defined:
            return
        alone = () if self.sums is not None else plan.read
        for key in (*plan.closed, *alone):
            judged = evidence
            if key.startswith(NAIVE):
                judged = self._evidence(picks, by_group=False)
            made = interval_of(judged, request, key.removeprefix(NAIVE))
            found.limits[key][:, number] = made.low, made.high

    def _read(
        self,
        found: Judged,
        which: range,
        picks: np.ndarray,
        evidence: list[Evidence],
        plan: Plan,
    ) -> None:
        if self.sums is None:
            return
        draws = self.sums.draws(picks, plan.n_resamples, plan.rng)
        rates = np.full(len(picks), np.nan)
        if "bca" in plan.read:
            rates = self.sums.accelerations(picks)
        for place, (number, one) in enumerate(zip(which, evidence, strict=True)):
            if not one.defined:
                continue
            instead = partial(_itself, one) if one.family in ("proportion", "count") else None
            made = read_draws(
                draws[place], one.estimate, rates[place], plan.read, plan.level, instead
            )
            for key, ends in made.items():
                found.limits[key][:, number] = ends

    def _evidence(self, picks: np.ndarray, *, by_group: bool | None = None) -> Evidence:
        """Return the evidence of a test set of these units; a group drawn twice is two groups."""
        sizes = self.sizes[picks]
        first = np.cumsum(self.sizes) - self.sizes
        unit = np.repeat(np.arange(len(picks)), sizes)
        inside = np.arange(len(unit)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        sample = _rows_of(self.predictions, first[picks][unit] + inside)
        if self.clustered:
            sample = replace(sample, groups=unit)
        evidence = gather(sample, self.metric, self.model, self.setting, by_group=by_group)
        # Scores of a set may happen to be all 0 or 1; the metric is still what it is.
        return replace(evidence, family=self.family, bounds=self.bounds)


def case_market(
    predictions: Predictions, metric: Metric, model: str, setting: Setting, *, clustered: bool
) -> CaseMarket:
    """Return the market of the rows that the metric uses, in whole groups when clustered.

    Parameters
    ----------
    predictions : Predictions
    metric : Metric
    model : str
    setting : Setting
    clustered : bool
    """
    if metric.family in ("proportion", "count") and metric.columns is None:
        predictions = condensed(
            predictions, model, threshold=setting.threshold, clustered=clustered
        )
        setting = replace(setting, threshold=None)
    rows = _used(predictions, metric, model, setting)
    weights = predictions.weights[rows]
    groups = predictions.groups[rows] if clustered and predictions.groups is not None else None
    units = np.arange(len(rows)) if groups is None else groups
    codes = partition(units, counts=weights).codes
    order = np.argsort(codes, kind="stable")
    kept = replace(
        _rows_of(predictions, rows[order]),
        outputs={name: v[rows[order]] for name, v in predictions.outputs.items() if name == model},
        scores={name: v[rows[order]] for name, v in predictions.scores.items() if name == model},
    )
    sizes = np.bincount(codes)
    family, bounds = family_of(kept, metric, model)
    # Without groups the cases that a row counts are drawn one by one.
    if not clustered:
        kept = replace(kept, counts=None)
    parts = partition(codes[order], counts=kept.counts)
    return CaseMarket(
        predictions=kept,
        metric=metric,
        family=family,
        bounds=bounds,
        model=model,
        setting=setting,
        value=metric_value(predictions, metric, model, setting),
        sizes=sizes,
        weights=np.ones(len(sizes), np.int64) if clustered else weights,
        clustered=clustered,
        sums=additive(kept, metric, model, setting, parts),
    )


def _used(predictions: Predictions, metric: Metric, model: str, setting: Setting) -> np.ndarray:
    if metric.columns is not None:
        return case_columns(predictions, metric, model, setting).rows
    used = ~np.isnan(influence(predictions, metric, model, setting))
    if metric.family != "rank":
        used &= (predictions.outputs[model] != MISSING) & (predictions.weights > 0)
    return np.flatnonzero(used)


def _rows_of(predictions: Predictions, rows: np.ndarray) -> Predictions:
    """Return some rows without what no metric reads."""
    return replace(
        predictions,
        digest="",
        truth=None if predictions.truth is None else predictions.truth[rows],
        outputs={name: values[rows] for name, values in predictions.outputs.items()},
        scores={name: values[rows] for name, values in predictions.scores.items()},
        groups=None,
        slices={},
        counts=None if predictions.counts is None else predictions.counts[rows],
        ids=None,
        details={},
    )


def _itself(evidence: Evidence) -> Evidence:
    return evidence
