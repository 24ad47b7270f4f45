"""METRICS: one table of the metrics that everything runs over.

A metric of labels is a function of three vectors over the K classes, the margins of its confusion
matrix: how many cases of a class were called so (``right``), occur (``actual``) and were called
(``predicted``). A metric of numbers is a smooth function of the means of a few per-case columns.
Both are all that the standard errors and the resampling need, whatever the number of cases.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from evalcore.predictions import Predictions, is_probability

INFINITE = float("inf")
CALIBRATION_BINS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Margins:
    """Margins of confusion matrices; leading axes run over resamples or clusters.

    Attributes
    ----------
    right, actual, predicted : ndarray, shape (..., K)
        Diagonal, row sums (truth) and column sums (prediction).
    """

    right: np.ndarray
    actual: np.ndarray
    predicted: np.ndarray

    @classmethod
    def of(cls, matrix: np.ndarray) -> Margins:
        """Return the margins of matrices of shape (..., K, K), rows truth."""
        return cls(
            right=np.diagonal(matrix, axis1=-2, axis2=-1),
            actual=matrix.sum(axis=-1),
            predicted=matrix.sum(axis=-2),
        )

    @property
    def total(self) -> np.ndarray:
        """Number of cases, shape (...)."""
        return self.actual.sum(axis=-1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a metric is asked about besides the model.

    Attributes
    ----------
    label : str or None
        The class, for metrics of one class; None means the positive class.
    threshold : float or None
        Score above which a case is called positive; None keeps the model's own labels.
    tolerance : float or None
        Largest error that still counts as within tolerance, in the unit of the target.
    rate : float
        False-positive rate at which recall is read.
    """

    label: str | None = None
    threshold: float | None = None
    tolerance: float | None = None
    rate: float = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One row of METRICS.

    Attributes
    ----------
    key, label : str
        Name in code and on the screen.
    family : {"proportion", "count", "mean", "rank", "quantile"}
        Which statistic is sufficient, and so which intervals exist.
    task : {"classification", "regression", "score"}
    unit : str
        What informs the estimate and is counted by n, such as "actual positives".
    higher_is_better : bool or None
        None for a signed error, which is best at 0.
    bounds : (float, float)
        Range of the metric.
    scale : {"percent", "number", "target"}
        How it is written: in percent, as a plain number, in the unit of the target.
    needs : tuple of str
        Among "class", "scores", "probabilities", "tolerance", "rate".
    definition : str
        One line for people.
    formula : str
        The same in symbols (LaTeX).
    ratio : callable or None
        ``(margins, class index) -> (successes, trials)`` for a proportion of labels.
    value : callable or None
        ``(margins, class index) -> value`` for other functions of the counts.
    columns : callable or None
        ``(truth, output, setting) -> (n, m)`` per-case columns for functions of means; truth and
        output are numbers, or class codes and class probabilities (n, K).
    combine : callable or None
        ``(means (..., m)) -> (...)``; the metric as a function of the means of its columns.
    """

    key: str
    label: str
    family: str
    task: str
    unit: str
    higher_is_better: bool | None
    bounds: tuple[float, float]
    definition: str
    formula: str
    scale: str = "percent"
    needs: tuple[str, ...] = ()
    ratio: Callable[[Margins, int], tuple[np.ndarray, np.ndarray]] | None = None
    value: Callable[[Margins, int], np.ndarray] | None = None
    columns: Callable[[np.ndarray, np.ndarray, Setting], np.ndarray] | None = None
    combine: Callable[[np.ndarray], np.ndarray] | None = None

    @property
    def per_class(self) -> bool:
        """Whether the metric is asked of one class."""
        return "class" in self.needs


def divide(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """Return the quotient, nan where the denominator is 0; also for complex arguments."""
    empty = np.asarray(denominator).real == 0
    return np.where(empty, np.nan, numerator / np.where(empty, 1, denominator))


def _mean_where(values: np.ndarray, seen: np.ndarray) -> np.ndarray:
    return divide(np.where(seen, values, 0).sum(axis=-1), seen.sum(axis=-1))


# Proportions of labels ---------------------------------------------------------------------------


def _accuracy(m: Margins, c: int) -> tuple[np.ndarray, np.ndarray]:
    return m.right.sum(axis=-1), m.total


def _error_rate(m: Margins, c: int) -> tuple[np.ndarray, np.ndarray]:
    return m.total - m.right.sum(axis=-1), m.total


def _recall(m: Margins, c: int) -> tuple[np.ndarray, np.ndarray]:
    return m.right[..., c], m.actual[..., c]


def _precision(m: Margins, c: int) -> tuple[np.ndarray, np.ndarray]:
    return m.right[..., c], m.predicted[..., c]


def _true_negatives(m: Margins, c: int) -> np.ndarray:
    return m.total - m.actual[..., c] - m.predicted[..., c] + m.right[..., c]


def _specificity(m: Margins, c: int) -> tuple[np.ndarray, np.ndarray]:
    return _true_negatives(m, c), m.total - m.actual[..., c]


def _negative_predictive_value(m: Margins, c: int) -> tuple[np.ndarray, np.ndarray]:
    return _true_negatives(m, c), m.total - m.predicted[..., c]


# Other functions of the counts -------------------------------------------------------------------


def _f_beta(m: Margins, beta: float) -> np.ndarray:
    square = beta * beta
    return divide((1 + square) * m.right, square * m.actual + m.predicted)


def _seen(m: Margins) -> np.ndarray:
    # A class that neither occurs nor is predicted in this sample is no part of its average.
    return (m.actual + m.predicted).real > 0


def _zero_if_undefined(values: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(values.real), 0, values)


def _macro_precision(m: Margins, c: int) -> np.ndarray:
    return _mean_where(_zero_if_undefined(divide(m.right, m.predicted)), _seen(m))


def _macro_recall(m: Margins, c: int) -> np.ndarray:
    return _mean_where(_zero_if_undefined(divide(m.right, m.actual)), _seen(m))


def _macro_f1(m: Margins, c: int) -> np.ndarray:
    return _mean_where(_f_beta(m, 1.0), _seen(m))


def _balanced_accuracy(m: Margins, c: int) -> np.ndarray:
    return _mean_where(divide(m.right, m.actual), m.actual.real > 0)


def _weighted_precision(m: Margins, c: int) -> np.ndarray:
    by_class = m.actual * _zero_if_undefined(divide(m.right, m.predicted))
    return divide(by_class.sum(axis=-1), m.total)


def _weighted_f1(m: Margins, c: int) -> np.ndarray:
    by_class = m.actual * _zero_if_undefined(_f_beta(m, 1.0))
    return divide(by_class.sum(axis=-1), m.total)


def _jaccard(m: Margins, c: int) -> np.ndarray:
    union = m.actual[..., c] + m.predicted[..., c] - m.right[..., c]
    return divide(m.right[..., c], union)


def _mcc(m: Margins, c: int) -> np.ndarray:
    # Shares instead of counts: products of counts overflow the precision of a double.
    total = m.total[..., None]
    right, actual, predicted = (divide(v, total) for v in (m.right, m.actual, m.predicted))
    covariance = right.sum(axis=-1) - (actual * predicted).sum(axis=-1)
    spread = (1 - (actual**2).sum(axis=-1)) * (1 - (predicted**2).sum(axis=-1))
    return divide(covariance, np.sqrt(np.where(spread.real < 1e-15, 0, spread)))


def _kappa(m: Margins, c: int) -> np.ndarray:
    total = m.total[..., None]
    right, actual, predicted = (divide(v, total) for v in (m.right, m.actual, m.predicted))
    chance = (actual * predicted).sum(axis=-1)
    return divide(right.sum(axis=-1) - chance, np.where((1 - chance).real < 1e-15, 0, 1 - chance))


# Means of per-case columns -----------------------------------------------------------------------


def _first(means: np.ndarray) -> np.ndarray:
    return means[..., 0]


def _absolute_error(truth: np.ndarray, output: np.ndarray, setting: Setting) -> np.ndarray:
    return np.abs(output - truth)[:, None]


def _squared_error(truth: np.ndarray, output: np.ndarray, setting: Setting) -> np.ndarray:
    return ((output - truth) ** 2)[:, None]


def _root(means: np.ndarray) -> np.ndarray:
    return np.sqrt(means[..., 0])


def _error(truth: np.ndarray, output: np.ndarray, setting: Setting) -> np.ndarray:
    return (output - truth)[:, None]


def _relative_error(truth: np.ndarray, output: np.ndarray, setting: Setting) -> np.ndarray:
    return np.abs(divide(output - truth, truth))[:, None]


def _explained(truth: np.ndarray, output: np.ndarray, setting: Setting) -> np.ndarray:
    # Centring changes nothing in the result and keeps the variance free of cancellation.
    centred = truth - np.mean(truth) if len(truth) else truth
    return np.column_stack([(output - truth) ** 2, centred, centred**2])


def _r_squared(means: np.ndarray) -> np.ndarray:
    variance = means[..., 2] - means[..., 1] ** 2
    return 1 - divide(means[..., 0], np.where(variance.real <= 0, 0, variance))


def _within(truth: np.ndarray, output: np.ndarray, setting: Setting) -> np.ndarray:
    limit = 0.0 if setting.tolerance is None else setting.tolerance
    return (np.abs(output - truth) <= limit).astype(float)[:, None]


def _score(truth: np.ndarray, output: np.ndarray, setting: Setting) -> np.ndarray:
    return output[:, None]


def _brier(truth: np.ndarray, output: np.ndarray, setting: Setting) -> np.ndarray:
    hit = np.zeros_like(output)
    hit[np.arange(len(truth)), truth] = 1.0
    squares = ((output - hit) ** 2).sum(axis=1)
    # With two classes both columns say the same, and the usual score counts one of them.
    return (squares / 2 if output.shape[1] == 2 else squares)[:, None]


def _surprise(truth: np.ndarray, output: np.ndarray, setting: Setting) -> np.ndarray:
    given = output[np.arange(len(truth)), truth]
    return -np.log(np.clip(given, np.finfo(float).eps, 1.0))[:, None]


def _calibration(truth: np.ndarray, output: np.ndarray, setting: Setting) -> np.ndarray:
    said = output.argmax(axis=1)
    confidence = output[np.arange(len(truth)), said]
    bins = np.minimum((confidence * CALIBRATION_BINS).astype(int), CALIBRATION_BINS - 1)
    columns = np.zeros((len(truth), CALIBRATION_BINS))
    columns[np.arange(len(truth)), bins] = confidence - (said == truth)
    return columns


def _absolute_sum(means: np.ndarray) -> np.ndarray:
    return np.abs(means).sum(axis=-1)


def _table(*rows: Metric) -> dict[str, Metric]:
    return {row.key: row for row in rows}


def _label_proportion(
    key: str, label: str, unit: str, definition: str, formula: str, ratio: Callable, **rest: Any
) -> Metric:
    options: dict[str, Any] = {"higher_is_better": True, "bounds": (0.0, 1.0), **rest}
    return Metric(
        key=key, label=label, family="proportion", task="classification", unit=unit,
        definition=definition, formula=formula, ratio=ratio, **options,
    )  # fmt: skip


def _count_metric(
    key: str, label: str, unit: str, definition: str, formula: str, value: Callable, **rest: Any
) -> Metric:
    options: dict[str, Any] = {"higher_is_better": True, "bounds": (0.0, 1.0), **rest}
    return Metric(
        key=key, label=label, family="count", task="classification", unit=unit,
        definition=definition, formula=formula, value=value, **options,
    )  # fmt: skip


def _mean_metric(key: str, label: str, definition: str, formula: str, **rest: Any) -> Metric:
    options: dict[str, Any] = {
        "family": "mean",
        "task": "regression",
        "unit": "cases",
        "higher_is_better": False,
        "bounds": (0.0, INFINITE),
        "scale": "target",
        "combine": _first,
        **rest,
    }
    return Metric(key=key, label=label, definition=definition, formula=formula, **options)


_CLASS = ("class",)

METRICS: dict[str, Metric] = _table(
    _label_proportion(
        "accuracy", "Accuracy", "cases",
        "Share of cases whose predicted class is the true one.",
        r"\frac{\text{right}}{\text{cases}}", _accuracy,
    ),
    _label_proportion(
        "error_rate", "Error rate", "cases",
        "Share of cases whose predicted class is not the true one.",
        r"\frac{\text{wrong}}{\text{cases}}", _error_rate, higher_is_better=False,
    ),
    _label_proportion(
        "recall", "Recall", "actual positives",
        "Of the cases that are in the class, the share the model found (sensitivity).",
        r"\frac{TP}{TP+FN}", _recall, needs=_CLASS,
    ),
    _label_proportion(
        "precision", "Precision", "predicted positives",
        "Of the cases the model put in the class, the share that belong there.",
        r"\frac{TP}{TP+FP}", _precision, needs=_CLASS,
    ),
    _label_proportion(
        "specificity", "Specificity", "actual negatives",
        "Of the cases outside the class, the share the model left outside.",
        r"\frac{TN}{TN+FP}", _specificity, needs=_CLASS,
    ),
    _label_proportion(
        "negative_predictive_value", "Negative predictive value", "predicted negatives",
        "Of the cases the model left outside the class, the share that are outside.",
        r"\frac{TN}{TN+FN}", _negative_predictive_value, needs=_CLASS,
    ),
    _count_metric(
        "f1", "F1", "actual or predicted positives",
        "Harmonic mean of the precision and recall of one class.",
        r"\frac{2\,TP}{2\,TP+FP+FN}", lambda m, c: _f_beta(m, 1.0)[..., c], needs=_CLASS,
    ),
    _count_metric(
        "f2", "F2", "actual or predicted positives",
        "Like F1, with recall counting twice as much as precision.",
        r"\frac{5\,TP}{5\,TP+FP+4\,FN}", lambda m, c: _f_beta(m, 2.0)[..., c], needs=_CLASS,
    ),
    _count_metric(
        "f0_5", "F0.5", "actual or predicted positives",
        "Like F1, with precision counting twice as much as recall.",
        r"\frac{1.25\,TP}{1.25\,TP+FP+0.25\,FN}", lambda m, c: _f_beta(m, 0.5)[..., c],
        needs=_CLASS,
    ),
    _count_metric(
        "jaccard", "Jaccard index", "actual or predicted positives",
        "Cases in the class and called so, out of all that are either.",
        r"\frac{TP}{TP+FP+FN}", _jaccard, needs=_CLASS,
    ),
    _count_metric(
        "balanced_accuracy", "Balanced accuracy", "cases",
        "Mean of the recalls of all classes that occur, each class counting the same.",
        r"\frac1K\sum_c \frac{TP_c}{TP_c+FN_c}", _balanced_accuracy,
    ),
    _count_metric(
        "macro_precision", "Macro precision", "cases",
        "Mean of the precisions of all classes seen; a class never predicted counts 0.",
        r"\frac1K\sum_c \frac{TP_c}{TP_c+FP_c}", _macro_precision,
    ),
    _count_metric(
        "macro_recall", "Macro recall", "cases",
        "Mean of the recalls of all classes seen; a class that never occurs counts 0.",
        r"\frac1K\sum_c \frac{TP_c}{TP_c+FN_c}", _macro_recall,
    ),
    _count_metric(
        "macro_f1", "Macro F1", "cases",
        "Mean of the F1 of all classes seen, each class counting the same.",
        r"\frac1K\sum_c F_{1,c}", _macro_f1,
    ),
    _label_proportion(
        "micro_precision", "Micro precision", "cases",
        "Precision over all classes pooled; with one label per case it is the accuracy.",
        r"\frac{\sum_c TP_c}{\sum_c (TP_c+FP_c)}", _accuracy,
    ),
    _label_proportion(
        "micro_recall", "Micro recall", "cases",
        "Recall over all classes pooled; with one label per case it is the accuracy.",
        r"\frac{\sum_c TP_c}{\sum_c (TP_c+FN_c)}", _accuracy,
    ),
    _label_proportion(
        "micro_f1", "Micro F1", "cases",
        "F1 over all classes pooled; with one label per case it is the accuracy.",
        r"\frac{2\sum_c TP_c}{\sum_c (2\,TP_c+FP_c+FN_c)}", _accuracy,
    ),
    _count_metric(
        "weighted_precision", "Weighted precision", "cases",
        "Mean of the precisions of the classes, weighted by how often each occurs.",
        r"\sum_c \frac{n_c}{n}\,\frac{TP_c}{TP_c+FP_c}", _weighted_precision,
    ),
    _label_proportion(
        "weighted_recall", "Weighted recall", "cases",
        "Mean of the recalls weighted by how often each class occurs: the accuracy.",
        r"\sum_c \frac{n_c}{n}\,\frac{TP_c}{n_c}", _accuracy,
    ),
    _count_metric(
        "weighted_f1", "Weighted F1", "cases",
        "Mean of the F1 of the classes, weighted by how often each occurs.",
        r"\sum_c \frac{n_c}{n}\,F_{1,c}", _weighted_f1,
    ),
    _count_metric(
        "mcc", "Matthews correlation", "cases",
        "Correlation of truth and prediction: 1 is perfect, 0 is no better than chance.",
        r"\frac{\sum_c (p_{cc}-p_{c\cdot}p_{\cdot c})}"
        r"{\sqrt{(1-\sum_c p_{c\cdot}^2)(1-\sum_c p_{\cdot c}^2)}}",
        _mcc, bounds=(-1.0, 1.0), scale="number",
    ),
    _count_metric(
        "kappa", "Cohen's kappa", "cases",
        "Agreement beyond chance: 1 is perfect, 0 is what the class shares alone would give.",
        r"\frac{p_o-p_e}{1-p_e}", _kappa, bounds=(-1.0, 1.0), scale="number",
    ),
    Metric(
        key="auc", label="AUC", family="rank", task="classification",
        unit="cases of the smaller class", higher_is_better=True, bounds=(0.0, 1.0),
        scale="number", needs=("class", "scores"),
        definition="Chance that a random case of the class scores above a random other case.",
        formula=r"P(S^+>S^-)+\tfrac12 P(S^+=S^-)",
    ),
    Metric(
        key="auc_macro", label="AUC, mean over classes", family="rank", task="classification",
        unit="cases", higher_is_better=True, bounds=(0.0, 1.0), scale="number",
        needs=("probabilities",),
        definition="Mean of the AUCs of each class against the rest.",
        formula=r"\frac1K\sum_c \mathrm{AUC}_c",
    ),
    Metric(
        key="average_precision", label="Average precision", family="rank", task="classification",
        unit="actual positives", higher_is_better=True, bounds=(0.0, 1.0), scale="number",
        needs=("class", "scores"),
        definition="Precision averaged over the ranks at which the true positives are found.",
        formula=r"\sum_k (R_k-R_{k-1})\,P_k",
    ),
    Metric(
        key="recall_at_fpr", label="Recall at a false-positive rate", family="rank",
        task="classification", unit="actual positives", higher_is_better=True, bounds=(0.0, 1.0),
        needs=("class", "scores", "rate"),
        definition="Largest recall among thresholds whose false-positive rate is within the limit.",
        formula=r"\max_t\{TPR(t): FPR(t)\le r\}",
    ),
    _mean_metric(
        "brier", "Brier score",
        "Mean squared distance between the stated probabilities and what happened; 0 is best.",
        r"\frac1n\sum_i\sum_c (p_{ic}-y_{ic})^2", task="classification", bounds=(0.0, 2.0),
        scale="number", needs=("probabilities",), columns=_brier,
    ),
    _mean_metric(
        "log_loss", "Log loss",
        "Mean surprise at the true class, minus the log of its stated probability; 0 is best.",
        r"-\frac1n\sum_i \log p_{i,y_i}", task="classification", scale="number",
        needs=("probabilities",), columns=_surprise,
    ),
    _mean_metric(
        "calibration_error", "Expected calibration error",
        "Mean gap between stated confidence and share right, over ten bins of confidence.",
        r"\sum_b \frac{n_b}{n}\,|\overline{\text{confidence}}_b-\overline{\text{right}}_b|",
        task="classification", bounds=(0.0, 1.0), scale="number", needs=("probabilities",),
        columns=_calibration, combine=_absolute_sum,
    ),
    _mean_metric(
        "mae", "Mean absolute error",
        "Average size of the miss, in the unit of the target.",
        r"\frac1n\sum_i |\hat y_i-y_i|", columns=_absolute_error,
    ),
    Metric(
        key="median_absolute_error", label="Median absolute error", family="quantile",
        task="regression", unit="cases", higher_is_better=False, bounds=(0.0, INFINITE),
        scale="target", definition="Half the cases are missed by less than this.",
        formula=r"\mathrm{median}_i\,|\hat y_i-y_i|", columns=_absolute_error,
    ),
    _mean_metric(
        "rmse", "Root mean squared error",
        "Typical size of the miss with large misses counting more.",
        r"\sqrt{\frac1n\sum_i (\hat y_i-y_i)^2}", columns=_squared_error, combine=_root,
    ),
    _mean_metric(
        "mean_error", "Mean error (bias)",
        "Average of predicted minus true: above 0 the model says too much, below 0 too little.",
        r"\frac1n\sum_i (\hat y_i-y_i)", higher_is_better=None, bounds=(-INFINITE, INFINITE),
        columns=_error,
    ),
    _mean_metric(
        "mape", "Mean absolute percentage error",
        "Average size of the miss as a share of the true value; undefined where that is 0.",
        r"\frac1n\sum_i \left|\frac{\hat y_i-y_i}{y_i}\right|", scale="percent",
        columns=_relative_error,
    ),
    _mean_metric(
        "r_squared", "R squared",
        "Share of the target's variance that the predictions account for; below 0 is worse than "
        "predicting the mean.",
        r"1-\frac{\sum_i(\hat y_i-y_i)^2}{\sum_i(y_i-\bar y)^2}", higher_is_better=True,
        bounds=(-INFINITE, 1.0), scale="number", columns=_explained, combine=_r_squared,
    ),
    _mean_metric(
        "share_within", "Share within a tolerance",
        "Share of cases missed by no more than the tolerance.",
        r"\frac1n\sum_i [\,|\hat y_i-y_i|\le t\,]", family="proportion", higher_is_better=True,
        bounds=(0.0, 1.0), scale="percent", needs=("tolerance",), columns=_within,
    ),
    _mean_metric(
        "mean_score", "Mean score",
        "Average of the per-case scores; with 0/1 scores it is the share that are right.",
        r"\frac1n\sum_i s_i", task="score", higher_is_better=True,
        bounds=(-INFINITE, INFINITE), scale="number", columns=_score,
    ),
)  # fmt: skip


def metrics_for(predictions: Predictions, model: str) -> tuple[Metric, ...]:
    """Return the metrics that these predictions of a model can be measured by, usual ones first.

    Empty without a truth. Ranking metrics need scores, calibration metrics need probabilities, and
    metrics of labels need labels or a score that a threshold can cut.
    """
    if not predictions.is_labelled:
        return ()
    same_task = [metric for metric in METRICS.values() if metric.task == predictions.task]
    if predictions.task != "classification":
        return tuple(same_task)
    scores = predictions.scores.get(model)
    has = {
        "class": True,
        "rate": True,
        "scores": scores is not None,
        "probabilities": scores is not None
        and is_probability(scores)
        and (scores.ndim == 2 or len(predictions.classes) == 2),
    }
    labels = model in predictions.outputs or (scores is not None and scores.ndim == 1)
    return tuple(
        metric
        for metric in same_task
        if all(has[need] for need in metric.needs)
        and (labels or metric.family not in ("proportion", "count"))
    )
