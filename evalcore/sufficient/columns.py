"""Per-case columns whose means (or quantiles) a metric is a function of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evalcore.checks import check_choice
from evalcore.metrics import Metric, Setting
from evalcore.predictions import MISSING, Predictions, is_probability

# Probabilities written with few decimals do not sum to exactly 1.
SUM_TOLERANCE = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseColumns:
    """The columns of one metric for one or several models, over the cases that all can be scored.

    Attributes
    ----------
    columns : ndarray, shape (n, models * p)
        The p columns of the first model, then those of the second, and so on; nan in a case where
        the metric does not exist (a percentage error of a true 0).
    counts : ndarray of int64, shape (n,)
        How many identical cases each row stands for.
    rows : ndarray of int, shape (n,)
        Row numbers in the predictions.
    models : tuple of str
    notes : tuple of str
        What was left out, and why the metric is undefined where it is.
    """

    columns: np.ndarray
    counts: np.ndarray
    rows: np.ndarray
    models: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """Number of cases."""
        return int(self.counts.sum())

    @property
    def defined(self) -> bool:
        """Whether there are cases and every one of them has its values."""
        return self.n > 0 and bool(np.isfinite(self.columns).all())

    def of(self, model: str) -> np.ndarray:
        """Return the columns of one model, shape (n, p)."""
        width = self.columns.shape[1] // len(self.models)
        start = self.models.index(model) * width
        return self.columns[:, start : start + width]


def case_columns(
    predictions: Predictions,
    metric: Metric,
    models: Sequence[str] | str,
    setting: Setting | None = None,
) -> CaseColumns:
    """Return the per-case columns of a metric of numbers over the cases that every model answered.

    Parameters
    ----------
    predictions : Predictions
    metric : Metric
        One with ``columns``.
    models : str or sequence of str
    setting : Setting, optional

    Raises
    ------
    ValueError
        If a model is unknown or the metric is not made of per-case columns.
    """
    names = (models,) if isinstance(models, str) else tuple(models)
    for name in names:
        check_choice(name, predictions.models, "model")
    if metric.columns is None:
        raise ValueError(f"metric must be one of per-case values; got {metric.key!r}")
    truth, notes = _truth(predictions)
    outputs = []
    for name in names:
        output, reasons = _output(predictions, metric, name)
        outputs.append(output)
        notes += reasons
    usable = np.logical_and.reduce([_present(values) for values in (truth, *outputs)])
    weights = predictions.weights
    usable &= weights > 0
    rows = np.flatnonzero(usable)
    if len(rows) < len(usable):
        truth, weights = truth[rows], weights[rows]
        outputs = [output[rows] for output in outputs]
    chosen = setting or Setting()
    with np.errstate(invalid="ignore", over="ignore"):
        columns = [metric.columns(truth, output, chosen) for output in outputs]
    together = np.hstack(columns) if len(columns) > 1 else columns[0]
    notes += _left_out(predictions.n_cases, int(weights.sum()))
    if metric.key == "log_loss":
        for name, output in zip(names, outputs, strict=True):
            notes += _clipped(name, output[np.arange(len(truth)), truth], weights)
    undefined = ~np.isfinite(together).all(axis=1)
    if undefined.any():
        cases = f"{int(weights[undefined].sum()):,} of {int(weights.sum()):,}"
        zero = (truth[undefined] == 0).all()
        what = "true values are 0" if zero else "values are not finite"
        notes += (f"undefined: {cases} {what}",)
    return CaseColumns(columns=together, counts=weights, rows=rows, models=names, notes=notes)


def probabilities(predictions: Predictions, model: str) -> tuple[np.ndarray | None, str]:
    """Return a model's class probabilities, shape (n, K), or None and the reason.

    A single score column that lies in [0, 1] is the probability of the positive class of two.
    """
    scores = predictions.scores.get(model)
    size = len(predictions.classes)
    if scores is None:
        return None, f"{model} has no class probabilities"
    if not is_probability(scores):
        return None, f"the scores of {model} are not probabilities: they leave 0 to 1"
    if scores.ndim == 1:
        if size != 2 or predictions.positive is None:
            return None, f"{model} has the score of one class, and there are {size} classes"
        columns = np.column_stack([1.0 - scores, scores])
        return columns if predictions.class_code(predictions.positive) else columns[:, ::-1], ""
    if scores.shape[1] != size or np.isnan(scores).all(axis=0).any():
        return None, f"{model} has no probability for some of the {size} classes"
    return scores, ""


def _truth(predictions: Predictions) -> tuple[np.ndarray, tuple[str, ...]]:
    if predictions.truth is not None:
        return predictions.truth, ()
    if predictions.task == "score":
        return np.zeros(predictions.n_rows), ()
    empty = np.full(predictions.n_rows, MISSING if predictions.task == "classification" else np.nan)
    return empty, ("undefined: the file has no truth",)


def _output(
    predictions: Predictions, metric: Metric, model: str
) -> tuple[np.ndarray, tuple[str, ...]]:
    if "probabilities" not in metric.needs:
        output = predictions.outputs.get(model)
        if output is not None:
            return output, ()
        return np.full(predictions.n_rows, np.nan), (f"undefined: {model} has no values",)
    output, reason = probabilities(predictions, model)
    if output is None:
        missing = np.full((predictions.n_rows, max(len(predictions.classes), 1)), np.nan)
        return missing, (f"undefined: {reason}",)
    off = np.abs(output.sum(axis=1) - 1.0) > SUM_TOLERANCE
    if off.any():
        cases = int(predictions.weights[off].sum())
        return output, (f"the probabilities of {model} do not sum to 1 in {cases:,} cases",)
    return output, ()


def _present(values: np.ndarray) -> np.ndarray:
    if values.dtype.kind in "iu":
        return values != MISSING
    present = ~np.isnan(values)
    return present if values.ndim == 1 else present.all(axis=1)


def _clipped(model: str, given: np.ndarray, counts: np.ndarray) -> tuple[str, ...]:
    """Say where a loss is infinite: it is counted as that of the smallest probability kept."""
    least = np.finfo(float).eps
    cases = int(counts[given == 0].sum())
    tiny = int(counts[(given > 0) & (given < least)].sum())
    counted = f"counted as {-np.log(least):.2f}, that of a probability of machine epsilon"
    notes: tuple[str, ...] = ()
    if cases:
        notes += (
            f"{model} gives the true class a probability of 0 in {_cases(cases)}: the log loss is "
            f"infinite, and each of these is {counted}",
        )
    if tiny:
        notes += (
            f"{model} gives the true class less than machine epsilon in {_cases(tiny)}, each "
            f"{counted}",
        )
    return notes


def _cases(number: int) -> str:
    return f"{number:,} case" if number == 1 else f"{number:,} cases"


def _left_out(cases: int, used: int) -> tuple[str, ...]:
    if used == cases:
        return ()
    return (f"{used:,} of {cases:,} cases used: the others lack a truth or an answer",)
