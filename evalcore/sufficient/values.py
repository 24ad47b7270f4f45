"""The value of any metric, from its sufficient statistic."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evalcore.checks import check_choice
from evalcore.metrics import Margins, Metric, Setting, divide
from evalcore.predictions import Predictions
from evalcore.sufficient.columns import case_columns
from evalcore.sufficient.joint import cells
from evalcore.sufficient.ranks import rank_problems, rank_value
from evalcore.sufficient.resolve import class_of, resolve_metric


def count_value(metric: Metric, margins: Margins, code: int = 0) -> np.ndarray:
    """Return a metric of labels on margins of any leading shape; nan where undefined."""
    with np.errstate(invalid="ignore", divide="ignore"):
        if metric.ratio is not None:
            return divide(*metric.ratio(margins, code))
        if metric.value is None:
            raise ValueError(f"metric must be one of labels; got {metric.key!r}")
        return np.where(margins.total.real > 0, metric.value(margins, code), np.nan)


def mean_value(metric: Metric, means: np.ndarray) -> np.ndarray:
    """Return a metric of numbers from the means of its columns, shape (..., p) -> (...)."""
    if metric.combine is None:
        raise ValueError(f"metric must be one of means; got {metric.key!r}")
    with np.errstate(invalid="ignore", divide="ignore"):
        return metric.combine(means)


def weighted_median(values: np.ndarray, counts: np.ndarray) -> float:
    """Return the median of values that occur ``counts`` times each; nan without any."""
    total = int(counts.sum())
    if total == 0 or np.isnan(values).any():
        return float("nan")
    order = np.argsort(values)
    ends = np.cumsum(counts[order])
    middle = np.searchsorted(ends, [(total + 1) // 2, total // 2 + 1])
    return float(values[order][middle].mean())


def metric_value(
    predictions: Predictions, metric: Metric | str, model: str, setting: Setting | None = None
) -> float:
    """Return the value of any metric for one model, over the cases it can be scored on.

    Parameters
    ----------
    predictions : Predictions
    metric : Metric or str
        A row of METRICS or its key.
    model : str
    setting : Setting, optional
        Class, threshold, tolerance, false-positive rate.

    Returns
    -------
    float
        nan where undefined; ``metric_notes`` says why.

    Raises
    ------
    ValueError
        If the metric, model or class is unknown, or the metric is for another task.
    """
    row = resolve_metric(predictions, metric)
    chosen = setting or Setting()
    check_choice(model, predictions.models, "model")
    if row.family == "rank":
        problems = rank_problems(predictions, row, model, chosen)
        return rank_value(row, problems, 0, chosen.rate)
    if row.columns is None:
        code = class_of(predictions, row, chosen)
        table = cells(predictions, model, threshold=chosen.threshold)
        return float(count_value(row, table.margins(model), code))
    case = case_columns(predictions, row, model, chosen)
    if not case.defined:
        return float("nan")
    if row.family == "quantile":
        return weighted_median(case.columns[:, 0], case.counts)
    return float(mean_value(row, case.counts @ case.columns / case.n))


def metric_notes(
    predictions: Predictions,
    metric: Metric | str,
    models: Sequence[str] | str,
    setting: Setting | None = None,
) -> tuple[str, ...]:
    """Return what a reader must know about a metric here: cases left out, why it is undefined."""
    row = resolve_metric(predictions, metric)
    chosen = setting or Setting()
    names = (models,) if isinstance(models, str) else tuple(models)
    if row.family == "rank":
        problems = rank_problems(predictions, row, names, chosen)
        return tuple(dict.fromkeys(note for one in problems for note in one.notes))
    if row.columns is not None:
        return case_columns(predictions, row, names, chosen).notes
    return _label_notes(predictions, row, names, chosen)


def _label_notes(
    predictions: Predictions, metric: Metric, names: tuple[str, ...], setting: Setting
) -> tuple[str, ...]:
    if predictions.truth is None:
        return ("undefined: the file has no truth",)
    table = cells(predictions, names, threshold=setting.threshold)
    notes: tuple[str, ...] = ()
    if table.left_out:
        cases = f"{table.left_out:,} of {predictions.n_cases:,} cases"
        notes += (f"{cases} lack a truth or a label and are left out",)
    code = class_of(predictions, metric, setting)
    for name in names:
        if np.isnan(count_value(metric, table.margins(name), code)):
            notes += (f"undefined for {name}: there are no {metric.unit}",)
    return notes
