"""What an estimator of an error rate returns, and the table of the estimators."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from evalcore.checks import check_choice
from evalcore.metrics import METRICS, Margins, divide
from evalcore.results import Interval

TARGETS = {
    "rule": "this fitted rule",
    "procedure": "the procedure at this training size",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimator:
    """One row of ESTIMATORS.

    Attributes
    ----------
    key, label : str
    target : {"rule", "procedure"}
        What it estimates; a key of ``TARGETS``.
    cost : str
        How many fits it takes, in words.
    remark : str
        Which way it errs, in one sentence.
    formula : str
        In symbols (LaTeX).
    reference : str
    """

    key: str
    label: str
    target: str
    cost: str
    remark: str
    formula: str
    reference: str


def _table(*rows: tuple[str, str, str, str, str, str, str]) -> dict[str, Estimator]:
    names = ("key", "label", "target", "cost", "remark", "formula", "reference")
    return {row[0]: Estimator(**dict(zip(names, row, strict=True))) for row in rows}


_HELD = r"\frac1n\sum_i Q\bigl(y_i,\hat\eta_{-i}(x_i)\bigr)"

ESTIMATORS = _table(
    ("apparent", "Apparent error", "rule", "one",
     "Too low: the cases that are scored have helped to build the rule.",
     r"\overline{err}=\frac1n\sum_i Q\bigl(y_i,\hat\eta(x_i)\bigr)",
     "Efron (1983), JASA 78, 316-331"),
    ("holdout", "Holdout", "rule", "one",
     "Honest for the rule fitted to the training part; few test cases scatter it.",
     r"\frac1{m}\sum_{i\in test} Q\bigl(y_i,\hat\eta_{train}(x_i)\bigr)",
     "Devroye, Györfi, Lugosi (1996), A Probabilistic Theory of Pattern Recognition, ch. 22"),
    ("kfold", "K-fold", "procedure", "one per fold",
     "Slightly too high, because each rule sees fewer cases than the final one.",
     _HELD + r",\quad \hat\eta_{-i}\text{ without the fold of }i",
     "Geisser (1975), JASA 70, 320-328"),
    ("repeated", "Repeated K-fold", "procedure", "one per fold and repetition",
     "Averages the luck of the partition away, not the luck of the cases.",
     r"SE=\sqrt{\Bigl(\tfrac1J+\tfrac{n_{test}}{n_{train}}\Bigr)S^2}",
     "Nadeau, Bengio (2003), Machine Learning 52, 239-281"),
    ("loocv", "Leave-one-out", "procedure", "one per case",
     "Nearly unbiased; nothing in it is random once the cases are fixed.",
     _HELD, "Stone (1974), JRSS B 36, 111-147"),
    ("bootstrap", "Bootstrap", "procedure", "one per resample",
     "Too high: a resample holds only about 63% of the distinct cases.",
     r"\hat E^{(1)}=\frac1n\sum_i\frac1{|C_{-i}|}\sum_{b\in C_{-i}}"
     r"Q\bigl(y_i,\hat\eta_b(x_i)\bigr)",
     "Efron (1983), JASA 78, 316-331"),
    ("632", ".632", "rule", "one per resample, and one",
     "Too low for a rule that fits its own cases perfectly.",
     r"0.368\,\overline{err}+0.632\,\hat E^{(1)}",
     "Efron (1983), JASA 78, 316-331"),
    ("632plus", ".632+", "rule", "one per resample, and one",
     "Moves the weight to the bootstrap error when the rule overfits.",
     r"(1-w)\,\overline{err}+w\,\hat E^{(1)},\quad w=\frac{0.632}{1-0.368R},\quad "
     r"R=\frac{\hat E^{(1)}-\overline{err}}{\gamma-\overline{err}}",
     "Efron, Tibshirani (1997), JASA 92, 548-560"),
    ("nested", "Nested K-fold", "procedure", "folds x (folds - 1) x candidates, one per fold",
     "Covers the choice of the tuning constant too, which plain K-fold does not.",
     _HELD + r",\quad k^*\text{ chosen anew without the fold of }i",
     "Cawley, Talbot (2010), JMLR 11, 2079-2107"),
    ("oob", "Out-of-bag", "rule", "one forest",
     "Each case is judged by the trees that did not see it; slightly too high.",
     r"\frac1n\sum_i Q\bigl(y_i,\text{vote of the trees without }i\bigr)",
     "Breiman (2001), Machine Learning 45, 5-32"),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ErrorEstimate:
    """An estimated error rate under zero-one loss, each case with equal weight.

    Attributes
    ----------
    method : str
        A key of ``ESTIMATORS``.
    estimate : float
        Share of wrong predictions.
    classes : tuple of str
    confusion : ndarray of float, shape (K, K)
        Rows truth, columns prediction; a case that was held out several times adds 1 in all.
    fits : int
        How many times the rule was fitted.
    n_fit : float
        Mean number of cases (distinct ones, for the bootstrap) in a fit.
    round_errors : tuple of float
        Error on the held-out cases of each round.
    standard_error : float
        nan where no sound one is known. Of J rounds with error variance S^2 it is
        sqrt((1 / J + n_test / n_train) S^2) (Nadeau and Bengio 2003).
    naive_standard_error, binomial_standard_error : float
        As if the J rounds, sqrt(S^2 / J), or the pooled cases, sqrt(e (1 - e) / n), were
        independent; for contrast only: the rounds share most of the cases they fit.
    interval : Interval or None
        Of a holdout: for the fitted rule.
    chosen : tuple of str
        Of nested cross-validation: the winner of each outer fold.
    parts : dict of str to float
        Quantities on the way, such as the no-information rate.
    notes, warnings : tuple of str
        What a reader must know; what makes the estimate unsound.
    """

    method: str
    estimate: float
    classes: tuple[str, ...]
    confusion: np.ndarray
    fits: int
    n_fit: float
    round_errors: tuple[float, ...] = ()
    standard_error: float = float("nan")
    naive_standard_error: float = float("nan")
    binomial_standard_error: float = float("nan")
    interval: Interval | None = None
    chosen: tuple[str, ...] = ()
    parts: dict[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Name of the estimator."""
        return ESTIMATORS[self.method].label

    @property
    def target(self) -> str:
        """What is estimated: "rule" or "procedure"."""
        return ESTIMATORS[self.method].target

    @property
    def by_class(self) -> dict[str, float]:
        """Error among the cases of each true class; nan for a class that was never held out."""
        rows = self.confusion.sum(axis=1)
        errors = 1 - divide(np.diagonal(self.confusion), rows)
        return dict(zip(self.classes, errors.tolist(), strict=True))


LABEL_METRICS = tuple(key for key, row in METRICS.items() if row.ratio or row.value)


def score(estimate: ErrorEstimate, metric: str, *, label: str | None = None) -> float:
    """Return any label metric of an estimate, from its pooled confusion matrix.

    Parameters
    ----------
    estimate : ErrorEstimate
    metric : str
        A key of ``METRICS`` that is computed from labels, such as "macro_f1".
    label : str, optional
        The class, for metrics of one class.

    Raises
    ------
    ValueError
        If the metric needs more than labels, or a class that is missing or unknown.
    """
    row = METRICS[check_choice(metric, LABEL_METRICS, "metric")]
    if row.per_class:
        check_choice(label, estimate.classes, "label")
    place = estimate.classes.index(label) if row.per_class and label is not None else 0
    margins = Margins.of(estimate.confusion)
    if row.value is not None:
        return float(row.value(margins, place))
    return float(divide(*row.ratio(margins, place))) if row.ratio is not None else float("nan")
