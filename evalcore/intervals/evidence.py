"""What a metric of one model rests on: its value, the cases that inform it, how they pull on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from evalcore.checks import check_choice
from evalcore.clusters import (
    Partition,
    few_clusters_note,
    partition,
    robust_standard_error,
)
from evalcore.metrics import Metric, Setting
from evalcore.predictions import MISSING, Predictions
from evalcore.sufficient import (
    CaseColumns,
    case_columns,
    cells,
    class_of,
    influence,
    metric_notes,
    metric_value,
    rank_problems,
    resolve_metric,
    standard_error,
)

PROPER_NAMES = ("Matthews", "Cohen's", "Jaccard", "Brier")
MOST_LISTED = 10
# With fewer cases than this in a class, an average that counts all classes alike is shaky.
FEW_CASES = 5
# What an average over the classes takes to be 0 in an absent class, and which classes it runs over.
AVERAGES = {
    "balanced_accuracy": (None, "occur"),
    "macro_recall": ("recall", "seen"),
    "macro_precision": ("precision", "seen"),
    "macro_f1": (None, "seen"),
    "weighted_precision": ("precision", "occur"),
    "weighted_f1": (None, "occur"),
}
# Which cases of truth t and label s inform a metric of class c, by the unit that the metric names.
INFORMING: dict[str, Callable[[np.ndarray, np.ndarray, int], np.ndarray]] = {
    "cases": lambda t, s, c: np.ones(len(t), bool),
    "actual positives": lambda t, s, c: t == c,
    "actual negatives": lambda t, s, c: t != c,
    "predicted positives": lambda t, s, c: s == c,
    "predicted negatives": lambda t, s, c: s != c,
    "actual or predicted positives": lambda t, s, c: (t == c) | (s == c),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A metric of one model on its cases, with all that its intervals need.

    Attributes
    ----------
    predictions, metric, model, setting
        What was measured on what; for a metric of labels the predictions are condensed to one row
        for each cell, and the threshold is spent.
    family : str
        The metric's family, except that a mean of 0/1 values is a "proportion".
    bounds : (float, float)
        Range of the metric.
    name : str
        Such as "recall of 8".
    estimate : float
    n : int
        Independent units that inform the estimate.
    unit : str
        What n counts.
    successes : int or None
        Numerator of a proportion; trials are ``cases``.
    cases : int
        Cases that inform the estimate, whether or not they are independent.
    pull : ndarray, shape (m,)
        Influence of each informing row, scaled so that the squares of ``counts * pull`` are summed
        and divided by ``cases`` squared.
    parts : Partition
        Clusters of the informing rows; when cases are independent, unused codes.
    clustered : bool
        Whether clusters, not cases, are the independent units.
    notes : tuple of str
    """

    predictions: Predictions
    metric: Metric
    model: str
    setting: Setting
    family: str
    bounds: tuple[float, float]
    name: str
    estimate: float
    n: int
    unit: str
    successes: int | None
    cases: int
    pull: np.ndarray
    parts: Partition
    clustered: bool
    notes: tuple[str, ...] = ()

    @property
    def defined(self) -> bool:
        """Whether the metric has a value here."""
        return bool(np.isfinite(self.estimate))

    @property
    def iid_error(self) -> float:
        """Standard error as if cases were independent; n - 1 in the family of means."""
        if self.family == "proportion":
            share = self.estimate
            return float(np.sqrt(max(share * (1 - share), 0.0) / self.cases))
        plain = standard_error(self.pull, self.parts.counts)
        if self.family != "mean":
            return plain
        return plain * float(np.sqrt(self.cases / (self.cases - 1))) if self.cases > 1 else np.nan

    @property
    def robust_error(self) -> float:
        """Cluster-robust standard error (CR1) over the clusters that hold informing cases."""
        return robust_standard_error(self.pull, self.parts)

    @property
    def standard_error(self) -> float:
        """The cluster-robust error when clusters are the units, else the iid one."""
        return self.robust_error if self.clustered else self.iid_error

    @property
    def degrees(self) -> int:
        """Degrees of freedom of the standard error: units - 1."""
        return self.n - 1


def gather(
    predictions: Predictions,
    metric: Metric | str,
    model: str,
    setting: Setting,
    *,
    by_group: bool | None = None,
) -> Evidence:
    """Return the evidence on a metric of one model.

    Parameters
    ----------
    predictions : Predictions
    metric : Metric or str
    model : str
    setting : Setting
    by_group : bool, optional
        Whether the clusters of the predictions are the independent units; by default they are when
        there are any.

    Raises
    ------
    ValueError
        If the metric, model or class is unknown, or ``by_group`` is asked of predictions without
        groups.
    """
    row = resolve_metric(predictions, metric)
    check_choice(model, predictions.models, "model")
    clustered = is_clustered(predictions, by_group)
    family, bounds = family_of(predictions, row, model)
    if row.columns is None and row.family != "rank" and predictions.truth is not None:
        predictions = condensed(
            predictions, model, threshold=setting.threshold, clustered=clustered
        )
        setting = replace(setting, threshold=None)
    rows, n = informing_rows(predictions, row, model, setting)
    everywhere = influence(predictions, row, model, setting)
    used = predictions.weights[~np.isnan(everywhere)].sum()
    counts = predictions.weights[rows]
    cases = int(counts.sum())
    codes = group_codes(predictions, rows) if clustered else np.zeros(len(rows), np.int64)
    estimate = metric_value(predictions, row, model, setting)
    counted = family == "proportion" and np.isfinite(estimate)
    found = Evidence(
        predictions=predictions,
        metric=row,
        model=model,
        setting=setting,
        family=family,
        bounds=bounds,
        name=_name(predictions, row, setting),
        estimate=estimate,
        n=n,
        unit=row.unit,
        successes=round(estimate * cases) if counted else None,
        cases=cases,
        # Only informing cases are summed, and the squares are divided by their number squared.
        pull=everywhere[rows] * (cases / max(used, 1)),
        parts=partition(codes, counts=counts),
        clustered=clustered,
        notes=metric_notes(predictions, row, model, setting)
        + _notes(predictions, row, model, setting),
    )
    return _count_clusters(found)


def condensed(
    predictions: Predictions, model: str, *, threshold: float | None, clustered: bool
) -> Predictions:
    """Return predictions of one model's labels with one row for each cell of the confusion table.

    They give every metric of labels the same value, error and bootstrap as the cases themselves, at
    a cost that does not grow with the number of cases. With clusters there is one row for each cell
    in each cluster; cases without a truth or a label share a row.
    """
    table = cells(predictions, model, threshold=threshold)
    codes = np.vstack([table.codes, [[MISSING, MISSING]]])
    place = np.where(table.index < 0, len(table.counts), table.index)
    groups = None
    if clustered:
        width = len(codes)
        keys, rows = np.unique(
            partition(group_codes(predictions, np.arange(len(place)))).codes * width + place,
            return_inverse=True,
        )
        groups, place_of_row = keys // width, keys % width
        counts = np.bincount(rows, weights=predictions.counts, minlength=len(keys))
        codes = codes[place_of_row]
    else:
        counts = np.append(table.counts, table.left_out)
    return replace(
        predictions,
        truth=codes[:, 0].astype(np.int32),
        outputs={model: codes[:, 1].astype(np.int32)},
        scores={},
        groups=groups,
        slices={},
        counts=np.asarray(counts, np.int64),
        ids=None,
        details={},
    )


def is_clustered(predictions: Predictions, by_group: bool | None) -> bool:
    """Return whether clusters are the independent units: by default when there are groups.

    Raises
    ------
    ValueError
        If clusters are asked of predictions without groups.
    """
    if by_group and predictions.groups is None:
        raise ValueError("by_group must be False or None for predictions without groups; got True")
    return predictions.groups is not None if by_group is None else bool(by_group)


def group_codes(predictions: Predictions, rows: np.ndarray) -> np.ndarray:
    """Return the cluster codes of some rows; without groups every row stands alone."""
    groups = predictions.groups
    return np.asarray(rows) if groups is None else groups[rows]


def informing_rows(
    predictions: Predictions, metric: Metric, model: str, setting: Setting
) -> tuple[np.ndarray, int]:
    """Return the rows that inform a metric and its effective size in cases.

    Recall is informed by the actual positives, precision by the predicted ones, an AUC by all
    scored cases but no better than by its smaller class.
    """
    if metric.family == "rank":
        return _ranked_rows(predictions, metric, model, setting)
    if metric.columns is not None:
        case = case_columns(predictions, metric, model, setting)
        return case.rows, case.n
    table = cells(predictions, model, threshold=setting.threshold)
    code = class_of(predictions, metric, setting)
    inside = INFORMING[metric.unit](table.codes[:, 0], table.codes[:, 1], code)
    # The index -1 of a row left out reads the False put at the end.
    rows = np.flatnonzero(np.append(inside, False)[table.index])
    rows = rows[predictions.weights[rows] > 0]
    return rows, int(table.counts[inside].sum())


def _ranked_rows(
    predictions: Predictions, metric: Metric, model: str, setting: Setting
) -> tuple[np.ndarray, int]:
    first = rank_problems(predictions, metric, model, setting)[0]
    if not metric.per_class:
        return first.rows, first.n
    if metric.unit == "actual positives":
        return first.rows, first.positives
    return first.rows, min(first.positives, first.n - first.positives)


def family_of(
    predictions: Predictions, metric: Metric, model: str | None = None
) -> tuple[str, tuple[float, float]]:
    """Return the family and the bounds of a metric on these data.

    A mean of per-case scores that are all 0 or 1 is a proportion, between 0 and 1.

    Parameters
    ----------
    predictions : Predictions
    metric : Metric
    model : str, optional
        Whose scores decide; by default those of all models.
    """
    if metric.family == "mean" and metric.task == "score":
        names = predictions.models if model is None else (model,)
        values = np.concatenate([predictions.outputs[name] for name in names])
        values = values[~np.isnan(values)]
        if values.size and np.isin(values, (0.0, 1.0)).all():
            return "proportion", (0.0, 1.0)
    return metric.family, metric.bounds


def _count_clusters(found: Evidence) -> Evidence:
    if not found.clustered:
        return found
    notes = few_clusters_note(found.parts.clusters) if found.defined else ()
    return replace(found, n=found.parts.clusters, unit="clusters", notes=found.notes + notes)


def _name(predictions: Predictions, metric: Metric, setting: Setting) -> str:
    plain = metric.label[:1].lower() + metric.label[1:]
    proper = metric.label.split()[0] in PROPER_NAMES or not metric.label[1:2].islower()
    name = metric.label if proper else plain
    if not metric.per_class:
        return name
    return f"{name} of {predictions.classes[class_of(predictions, metric, setting)]}"


def _notes(
    predictions: Predictions, metric: Metric, model: str, setting: Setting
) -> tuple[str, ...]:
    if metric.key in AVERAGES:
        return _average_notes(predictions, metric, model, setting)
    if metric.key == "calibration_error":
        return _calibration_notes(case_columns(predictions, metric, model, setting))
    if metric.key != "mape":
        return ()
    case = case_columns(predictions, metric, model, setting)
    values = case.of(model)[:, 0]
    finite = np.isfinite(values)
    if finite.all() or not finite.any():
        return ()
    counts = case.counts[finite]
    share = float(counts @ values[finite] / counts.sum())
    return (f"on the other {counts.sum():,} cases it is {100 * share:.4g}%",)


def _calibration_notes(case: CaseColumns) -> tuple[str, ...]:
    """Say what a calibrated model would show: the mean of absolute values is never 0 by chance.

    The gap of a bin is about normal around 0, and its mean size then sqrt(2 / pi) times its error.
    """
    if not case.defined:
        return ()
    variance = case.counts @ case.columns**2 / case.n
    floor = float(np.sqrt(2 / np.pi * variance / case.n).sum())
    return (
        f"biased upward: by chance alone a perfectly calibrated model would show about {floor:.3g} "
        "here",
    )


def _average_notes(
    predictions: Predictions, metric: Metric, model: str, setting: Setting
) -> tuple[str, ...]:
    """Say how many classes an average runs over, which counted 0 and which were left out."""
    margins = cells(predictions, model, threshold=setting.threshold).margins(model)
    occurs, called = margins.actual > 0, margins.predicted > 0
    names = predictions.classes
    zero, over = AVERAGES[metric.key]
    running = occurs if over == "occur" else occurs | called
    notes: tuple[str, ...] = (f"the average runs over {_classes(int(running.sum()))}",)
    absent = {"recall": (~occurs, "never occur"), "precision": (~called, "are never predicted")}
    if zero is not None and (running & absent[zero][0]).any():
        listed = _listed(names, running & absent[zero][0])
        notes += (f"counted as 0 because they {absent[zero][1]}: {listed}",)
    few = occurs & (margins.actual < FEW_CASES)
    if not metric.key.startswith("weighted") and few.any():
        notes += (
            f"every class counts alike, and some have fewer than {FEW_CASES} cases, on which the "
            f"average is shaky: {_listed(names, few)}",
        )
    if not running.all():
        reason = "never occur" if over == "occur" else "are never seen"
        notes += (f"left out because they {reason}: {_listed(names, ~running)}",)
    return notes


def _classes(number: int) -> str:
    return f"{number:,} class" if number == 1 else f"{number:,} classes"


def _listed(names: tuple[str, ...], chosen: np.ndarray) -> str:
    listed = [names[code] for code in np.flatnonzero(chosen)]
    more = f" and {len(listed) - MOST_LISTED:,} more" if len(listed) > MOST_LISTED else ""
    return ", ".join(listed[:MOST_LISTED]) + more
