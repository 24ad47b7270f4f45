"""What a comparison rests on: a metric of several models over the cases that all answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evalcore.checks import check_choice, check_proportion
from evalcore.clusters import Partition, partition
from evalcore.comparison.proportions import PairedTable
from evalcore.intervals import effective_size
from evalcore.intervals.evidence import INFORMING, family_of, is_clustered
from evalcore.intervals.methods import Request
from evalcore.metrics import METRICS, Metric, Setting
from evalcore.predictions import Predictions
from evalcore.resampling import sampling_distribution
from evalcore.results import DifferingCases
from evalcore.sufficient import (
    case_columns,
    cells,
    class_of,
    influence,
    metric_notes,
    metric_value,
    rank_problems,
    resolve_metric,
)

# Proportions whose trials are the same for every model.
FIXED_TRIALS = ("cases", "actual positives", "actual negatives")
# Metrics that rise or fall with the mean squared error alone, the truth being given.
SQUARED = ("rmse", "r_squared")
# Two values of a metric closer than this, relative to their size, are equal.
EQUAL = 1e-13


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Study:
    """Several models on the same cases.

    ``predictions`` holds the shared cases: for labels without clusters one row per combination of
    truth and labels, for recall the actual positives only, for specificity the negatives. ``index``
    is the place there of each original row, -1 if left out. ``kind`` is "proportion" (of the same
    trials for every model), "mean", "auc" or "other". Each model has a column of ``values``,
    ``pulls`` (influence of each row), ``right`` (of labels and 0/1 values), ``columns`` (value of
    each case, of metrics of numbers) and ``drawn`` (bootstrap draws made before). ``parts`` are the
    clusters, when they are the independent units.
    """

    predictions: Predictions
    index: np.ndarray
    metric: Metric
    setting: Setting
    models: tuple[str, ...]
    kind: str
    values: np.ndarray
    pulls: np.ndarray
    right: np.ndarray | None
    columns: np.ndarray | None
    parts: Partition | None
    drawn: np.ndarray | None = None
    notes: tuple[str, ...] = ()

    @property
    def counts(self) -> np.ndarray:
        """How many cases each row stands for."""
        return self.predictions.weights

    @property
    def defined(self) -> bool:
        """Whether every model has a value."""
        return bool(np.isfinite(self.values).all())

    @property
    def label(self) -> str | None:
        """The class asked of, if any."""
        if not self.metric.per_class:
            return None
        return self.predictions.classes[class_of(self.predictions, self.metric, self.setting)]

    @property
    def units(self) -> tuple[int, str]:
        """How many independent units inform the comparison, and what they are."""
        if self.parts is not None:
            return self.parts.clusters, "clusters"
        if self.kind == "other":
            return self.predictions.n_cases, "cases"
        key, first = self.metric.key, self.models[0]
        return effective_size(self.predictions, key, first, label=self.label, by_group=False)

    @property
    def table(self) -> PairedTable | None:
        """Cases that both, one or neither of the first two models got right."""
        if self.right is None:
            return None
        a, b = self.right[:, 0], self.right[:, 1]
        which = (a & b, a & ~b, b & ~a, ~a & ~b)
        return PairedTable(*(int(self.counts[rows].sum()) for rows in which))

    @property
    def gap(self) -> float:
        """Value of the first model minus that of the second; of proportions, from whole counts."""
        first, second = map(float, self.values[:2])
        if self.kind == "proportion" and self.table is not None:
            return self.table.gap if self.metric.higher_is_better else self.table.swap().gap
        return 0.0 if abs(first - second) <= EQUAL * abs(first) else first - second

    @property
    def case_gaps(self) -> np.ndarray:
        """Value of each case for the first model minus the second; of labels, who is right."""
        values = self.right if self.columns is None else self.columns
        if values is None:
            return np.zeros(len(self.counts))
        return values[:, 0].astype(float) - values[:, 1]

    @property
    def case_leads(self) -> np.ndarray | None:
        """How far the first model did better on each case; None where single cases do not tell."""
        if self.metric.family == "rank" or self.metric.key == "calibration_error":
            return None
        if self.predictions.truth is None and self.metric.task != "score":
            return None
        if self.columns is None:
            return self.case_gaps
        if self.metric.higher_is_better is None:
            return np.abs(self.columns[:, 1]) - np.abs(self.columns[:, 0])
        higher = self.metric.higher_is_better and self.metric.key not in SQUARED
        return self.case_gaps if higher else -self.case_gaps

    @property
    def ordered(self) -> tuple[str, ...]:
        """The models in the order of the file, so that A and B can change places in no draw."""
        return tuple(name for name in self.predictions.models if name in self.models)

    def pair(self, first: int, second: int) -> Study:
        """Return the study of two of the models."""
        two: dict[str, Any] = {"models": (self.models[first], self.models[second])}
        for name in ("values", "pulls", "right", "columns", "drawn"):
            array = getattr(self, name)
            two[name] = None if array is None else array[..., [first, second]]
        return replace(self, **two)

    def draws(self, request: Request) -> np.ndarray:
        """Return bootstrap draws of every model's value, on the same resamples, shape (R, m)."""
        if self.drawn is not None:
            return self.drawn
        drawn = sampling_distribution(
            self.predictions, self.metric, self.ordered, setting=self.setting,
            n_resamples=request.n_resamples, rng=request.rng, by_group=self.parts is not None,
        )  # fmt: skip
        return drawn[:, [self.ordered.index(name) for name in self.models]]


def make_study(
    predictions: Predictions,
    metric: Metric | str,
    models: Sequence[str],
    *,
    by_group: bool | None = None,
    rate: float = 0.05,
    **asked: Any,
) -> Study:
    """Return the study of some models; ``asked`` are the other fields of ``Setting``.

    Raises
    ------
    ValueError
        If the metric, a model or the class is unknown, a model occurs twice or is alone, or an
        option is not allowed.
    """
    row = resolve_metric(predictions, metric)
    names = tuple(check_choice(name, predictions.models, "model") for name in models)
    if len(set(names)) < max(len(names), 2):
        raise ValueError(f"models must be two different ones or more; got {', '.join(names)}")
    setting = Setting(rate=check_proportion(rate, "rate"), **asked)
    clustered = is_clustered(predictions, by_group)
    choose = _scored_cases if row.columns or row.family == "rank" else _label_cases
    shared, index = choose(predictions, row, names, setting, clustered)
    here = replace(setting, threshold=None)
    columns, right = None, _right(shared, row, names, here)
    binary = all(family_of(shared, row, name)[0] == "proportion" for name in names)
    if row.columns is not None:
        case = case_columns(shared, row, names, here)
        columns = np.column_stack([case.of(name)[:, 0] for name in names])
        right = columns == 1 if binary else None
    return Study(
        predictions=shared,
        index=index,
        metric=row,
        setting=here,
        models=names,
        kind=_kind(row, binary),
        values=np.array([metric_value(shared, row, name, here) for name in names]),
        pulls=np.column_stack([influence(shared, row, name, here) for name in names]),
        right=right,
        columns=columns,
        parts=partition(shared.groups, counts=shared.counts) if clustered else None,
        notes=metric_notes(predictions, row, names, setting),
    )


def _kind(metric: Metric, binary: bool) -> str:
    if binary and metric.unit in FIXED_TRIALS:
        return "proportion"
    plain = metric.combine is METRICS["mae"].combine and metric.family == "mean"
    return "auc" if metric.key == "auc" else "mean" if plain else "other"


def _scored_cases(
    predictions: Predictions, metric: Metric, models: tuple, setting: Setting, clustered: bool
) -> tuple[Predictions, np.ndarray]:
    if metric.family == "rank":
        rows = rank_problems(predictions, metric, models, setting)[0].rows
    else:
        rows = case_columns(predictions, metric, models, setting).rows
    whole = len(rows) == predictions.n_rows
    return predictions if whole else predictions.select(rows), _places(rows, predictions.n_rows)


def _label_cases(
    predictions: Predictions, metric: Metric, models: tuple, setting: Setting, clustered: bool
) -> tuple[Predictions, np.ndarray]:
    models = tuple(name for name in predictions.models if name in models)
    table = cells(predictions, models, threshold=setting.threshold)
    codes, kept = table.codes, np.ones(len(table.counts), bool)
    if metric.unit in FIXED_TRIALS:
        code = class_of(predictions, metric, setting)
        kept = INFORMING[metric.unit](codes[:, 0], codes[:, 1], code)
    # The index -1 of a row left out reads the -1 put at the end.
    index = np.append(_places(np.flatnonzero(kept), len(kept)), -1)[table.index]
    if clustered:
        rows = np.flatnonzero((index >= 0) & (predictions.weights > 0))
        labels = {m: predictions.labels_of(m, threshold=setting.threshold)[rows] for m in models}
        shared = replace(predictions.select(rows), outputs=labels)
        return shared, _places(rows, predictions.n_rows)
    labels = {name: codes[kept, 1 + j].astype(np.int32) for j, name in enumerate(models)}
    truth = None if predictions.truth is None else codes[kept, 0].astype(np.int32)
    shared = replace(
        predictions, truth=truth, outputs=labels, scores={}, groups=None,
        slices={}, counts=table.counts[kept], ids=None, details={},
    )  # fmt: skip
    return shared, index


def _places(rows: np.ndarray, size: int) -> np.ndarray:
    """Return the position of each of ``size`` rows among ``rows``; -1 where it is not there."""
    places = np.full(size, -1)
    places[rows] = np.arange(len(rows))
    return places


def _right(
    predictions: Predictions, metric: Metric, models: tuple, setting: Setting
) -> np.ndarray | None:
    truth = predictions.truth
    if metric.family == "rank" or metric.columns is not None or truth is None:
        return None
    said = np.column_stack([predictions.outputs[name] for name in models])
    if not metric.per_class:
        return said == truth[:, None]
    code = class_of(predictions, metric, setting)
    return (said == code) == (truth == code)[:, None]


def discordant_rows(
    predictions: Predictions, metric: str, model_a: str, model_b: str, **asked: Any
) -> DifferingCases:
    """Return the cases on which two models differ, and which of them is right or closer.

    Parameters
    ----------
    predictions, metric, model_a, model_b
        As for ``compare_models``. Of a metric of numbers, cases with different values; of a metric
        of one class, cases that only one model puts rightly in or out of the class.
    **asked
        ``label``, ``threshold`` or ``tolerance``.

    Raises
    ------
    ValueError
        If the metric, a model or the class is unknown, or single cases have no such metric.
    """
    study = make_study(predictions, metric, (model_a, model_b), by_group=False, **asked)
    if study.case_leads is None:
        raise ValueError(f"metric must be one that single cases have; got {metric!r}")
    used = np.flatnonzero((study.index >= 0) & (predictions.weights > 0))
    gaps, leads = study.case_gaps[study.index[used]], study.case_leads[study.index[used]]
    differ = np.flatnonzero(np.abs(gaps) > 0)
    order = differ[np.argsort(-np.abs(gaps[differ]), kind="stable")]
    return DifferingCases(
        rows=used[order],
        better=(leads[order] < 0).astype(int),
        gaps=gaps[order],
        counts=predictions.weights[used[order]],
    )
