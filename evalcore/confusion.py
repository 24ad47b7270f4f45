"""The confusion matrix, the rates of each class, the most confused pairs and the mistakes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from evalcore.binomial import proportion_interval
from evalcore.checks import check_choice, check_positive
from evalcore.intervals import metric_interval
from evalcore.metrics import METRICS, Margins
from evalcore.predictions import MISSING, Predictions, is_probability
from evalcore.results import ConfusionMatrix, Interval

CLASS_METRICS = ("recall", "precision")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassRates:
    """How one class fared.

    Attributes
    ----------
    label : str
        The class.
    cases : int
        How often it occurs.
    error_rate, recall, precision : Interval
        Share of its cases called something else, share found, share of its predictions right.
    """

    label: str
    cases: int
    error_rate: Interval
    recall: Interval
    precision: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfusedPair:
    """A cell off the diagonal: ``count`` cases of class ``true`` were called ``predicted``."""

    count: int
    true: str
    predicted: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cases:
    """Rows of the predictions with what was true, what was said, and how sure the model was.

    Attributes
    ----------
    rows : ndarray of int, shape (m,)
        Row numbers in the predictions, most confident first where probabilities exist.
    truth, said : ndarray of str, shape (m,)
        Class names.
    probability_said, probability_true : ndarray of float, shape (m,), or None
        Stated probability of the class said and of the true class; None without probabilities.
    counts : ndarray of int, shape (m,)
        How many cases each row stands for.
    """

    rows: np.ndarray
    truth: np.ndarray
    said: np.ndarray
    probability_said: np.ndarray | None
    probability_true: np.ndarray | None
    counts: np.ndarray

    def above(self, probability: float) -> int:
        """Return how many of the cases were said with more than this probability."""
        if self.probability_said is None:
            return 0
        return int(self.counts[self.probability_said > probability].sum())


def confusion_matrix(
    predictions: Predictions, model: str, *, threshold: float | None = None
) -> ConfusionMatrix:
    """Return how often each true class was predicted as each class; rows are the truth.

    Parameters
    ----------
    predictions : Predictions
        Of a classification task with a truth.
    model : str
    threshold : float, optional
        Score above which a case is called positive, in place of the model's own labels.

    Raises
    ------
    ValueError
        If the predictions are unlabelled or not a classification, or the model is unknown.
    """
    truth, said = _labels(predictions, model, threshold)
    usable = (truth != MISSING) & (said != MISSING)
    return ConfusionMatrix(
        counts=_cross_table(predictions, truth, said, usable),
        classes=predictions.classes,
        left_out=int(predictions.weights[~usable].sum()),
    )


def class_rates(
    matrix: ConfusionMatrix, *, method: str = "wilson", confidence_level: float = 0.95
) -> list[ClassRates]:
    """Return error rate, recall and precision of each class, each with its interval.

    Recall and error rate count the cases of the class, precision the cases called so; a rate
    without any such case is nan with the reason.
    """
    margins = Margins.of(matrix.counts)
    table = []
    for code, label in enumerate(matrix.classes):
        rates = {}
        for key in CLASS_METRICS:
            metric = METRICS[key]
            assert metric.ratio is not None
            successes, trials = metric.ratio(margins, code)
            rates[key] = proportion_interval(
                int(successes),
                int(trials),
                method=method,
                confidence_level=confidence_level,
                name=f"{key} of {label}",
                unit=metric.unit,
            )
        occurs = int(margins.actual[code])
        error = proportion_interval(
            occurs - int(margins.right[code]),
            occurs,
            method=method,
            confidence_level=confidence_level,
            name=f"error rate of {label}",
            unit=METRICS["recall"].unit,
        )
        table.append(ClassRates(label=label, cases=occurs, error_rate=error, **rates))
    return table


def grouped_class_rates(
    predictions: Predictions,
    model: str,
    *,
    threshold: float | None = None,
    confidence_level: float = 0.95,
) -> list[ClassRates]:
    """Return the rates of each class with intervals that take cases of one group together.

    Otherwise as ``class_rates``; the error rate of a class is one minus its recall.

    Raises
    ------
    ValueError
        If the predictions have no groups or no truth, or the model is unknown.
    """
    if predictions.groups is None:
        raise ValueError("grouped_class_rates needs predictions with groups")
    table = []
    for label in predictions.classes:
        recall, precision = (
            metric_interval(
                predictions,
                key,
                model,
                label=label,
                threshold=threshold,
                confidence_level=confidence_level,
            )
            for key in CLASS_METRICS
        )
        cases = recall.cases or 0
        error = replace(
            recall,
            name=f"error rate of {label}",
            estimate=1 - recall.estimate,
            low=1 - recall.high,
            high=1 - recall.low,
            successes=None if recall.successes is None else cases - recall.successes,
        )
        table.append(
            ClassRates(
                label=label, cases=cases, error_rate=error, recall=recall, precision=precision
            )
        )
    return table


def most_confused(matrix: ConfusionMatrix, *, top: int | None = None) -> list[ConfusedPair]:
    """Return the cells off the diagonal, largest first; ties put the later classes first."""
    off = matrix.counts.copy()
    np.fill_diagonal(off, 0)
    true, predicted = np.nonzero(off)
    order = np.lexsort((predicted, true, off[true, predicted]))[::-1]
    return [
        ConfusedPair(
            count=int(off[true[i], predicted[i]]),
            true=matrix.classes[true[i]],
            predicted=matrix.classes[predicted[i]],
        )
        for i in order[:top]
    ]


def find_cases(
    predictions: Predictions,
    model: str,
    *,
    true: str | None = None,
    said: str | None = None,
    threshold: float | None = None,
) -> Cases:
    """Return the mistakes of a model, or the cases of one cell of its confusion matrix.

    Without ``true`` and ``said`` these are all cases whose prediction is wrong. Rows are sorted by
    the stated probability of the class said, most confident first, where probabilities exist.

    Raises
    ------
    ValueError
        If a class or the model is unknown, or the predictions have no truth.
    """
    truth, codes = _labels(predictions, model, threshold)
    wanted = (truth != MISSING) & (codes != MISSING)
    if true is None and said is None:
        wanted &= truth != codes
    if true is not None:
        wanted &= truth == predictions.class_code(true)
    if said is not None:
        wanted &= codes == predictions.class_code(said)
    rows = np.flatnonzero(wanted)
    p_said = probability_of(predictions, model, codes, rows)
    if p_said is not None:
        order = np.argsort(-p_said, kind="stable")
        rows, p_said = rows[order], p_said[order]
    names = np.asarray(predictions.classes, dtype=object)
    return Cases(
        rows=rows,
        truth=names[truth[rows]],
        said=names[codes[rows]],
        probability_said=p_said,
        probability_true=probability_of(predictions, model, truth, rows),
        counts=predictions.weights[rows],
    )


def largest_misses(predictions: Predictions, model: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of numeric predictions, worst first, and how bad each is.

    With a truth the badness is the absolute error in the unit of the target; without one (a score
    per case) it is the score itself, the lowest first. Missing values are left out.

    Returns
    -------
    rows : ndarray of int, shape (m,)
    badness : ndarray of float, shape (m,)

    Raises
    ------
    ValueError
        If the task is a classification or the model is unknown.
    """
    if predictions.task == "classification":
        raise ValueError("largest_misses needs numeric predictions; got a classification")
    output = predictions.outputs[check_choice(model, predictions.models, "model")]
    if predictions.truth is None:
        badness, key = output, output
    else:
        badness = np.abs(output - predictions.truth)
        key = -badness
    rows = np.argsort(key, kind="stable")
    rows = rows[~np.isnan(badness[rows])]
    return rows, badness[rows]


def label_table(predictions: Predictions, model_a: str, model_b: str) -> np.ndarray:
    """Return how often A said each class (rows) where B said each (columns), shape (K, K).

    No truth is needed; cases without a label of both are left out.

    Raises
    ------
    ValueError
        If a model is unknown or has no labels.
    """
    first, second = (predictions.labels_of(model) for model in (model_a, model_b))
    return _cross_table(predictions, first, second, (first != MISSING) & (second != MISSING))


def disagreements(predictions: Predictions) -> np.ndarray:
    """Return the rows on which the models with labels do not all say the same.

    Rows without a label of every model are left out; no truth is needed.
    """
    said = [predictions.outputs[m] for m in predictions.models if m in predictions.outputs]
    if predictions.task != "classification" or len(said) < 2:
        return np.empty(0, dtype=np.int64)
    stacked = np.stack(said)
    differ = (stacked != stacked[0]).any(axis=0) & (stacked != MISSING).all(axis=0)
    return np.flatnonzero(differ)


def probability_of(
    predictions: Predictions, model: str, codes: np.ndarray, rows: np.ndarray
) -> np.ndarray | None:
    """Return the stated probability of class ``codes[row]`` for each row, or None without any."""
    scores = predictions.scores.get(model)
    if scores is None or not is_probability(scores):
        return None
    if scores.ndim == 2:
        return scores[rows, codes[rows]]
    yes = predictions.class_code(str(predictions.positive))
    return np.where(codes[rows] == yes, scores[rows], 1.0 - scores[rows])


def cut_matrix(matrix: ConfusionMatrix, size: int) -> ConfusionMatrix:
    """Return the part of a large matrix that a person can read: the classes with most mistakes.

    A class counts the mistakes in its row and in its column; the kept classes stay in order.
    """
    check_positive(size, "size")
    if len(matrix.classes) <= size:
        return matrix
    wrong = matrix.counts.copy()
    np.fill_diagonal(wrong, 0)
    involved = wrong.sum(axis=0) + wrong.sum(axis=1)
    keep = np.sort(np.argsort(-involved, kind="stable")[:size])
    return ConfusionMatrix(
        counts=matrix.counts[np.ix_(keep, keep)],
        classes=tuple(matrix.classes[code] for code in keep),
        left_out=matrix.left_out,
    )


def _cross_table(
    predictions: Predictions, rows: np.ndarray, columns: np.ndarray, usable: np.ndarray
) -> np.ndarray:
    size = len(predictions.classes)
    cells = np.bincount(
        rows[usable].astype(np.int64) * size + columns[usable],
        weights=predictions.weights[usable],
        minlength=size * size,
    )
    return np.rint(cells).astype(np.int64).reshape(size, size)


def _labels(
    predictions: Predictions, model: str, threshold: float | None
) -> tuple[np.ndarray, np.ndarray]:
    if predictions.task != "classification" or predictions.truth is None:
        raise ValueError(
            "a confusion matrix needs the predictions of a classification task with a truth; "
            f"got task {predictions.task!r}"
            + ("" if predictions.truth is not None else " without a truth")
        )
    return predictions.truth, predictions.labels_of(model, threshold=threshold)
