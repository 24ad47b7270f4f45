"""The frozen result types that functions return and pages show."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """An estimate with the interval that says how far it can be trusted.

    Attributes
    ----------
    name : str
        What was estimated, such as ``"recall of 8"``.
    estimate, low, high, standard_error : float
        Fractions or the unit of the target; nan where undefined, with the reason in ``notes``.
    confidence_level : float
        Between 0 and 1.
    method : str
        Key of the method that made the interval.
    n : int
        How many units inform the estimate.
    unit : str
        What ``n`` counts: "cases", "actual positives", "predicted positives", "clusters" ...
    successes : int or None
        The numerator when the estimate is a proportion of ``n``.
    notes : tuple of str
        What a reader must know: why a value is undefined, what was left out, what is unreliable.
    """

    name: str
    estimate: float
    low: float
    high: float
    standard_error: float
    confidence_level: float
    method: str
    n: int
    unit: str
    successes: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def defined(self) -> bool:
        """Whether there is an estimate at all."""
        return bool(np.isfinite(self.estimate))

    @property
    def width(self) -> float:
        """Distance from low to high."""
        return self.high - self.low


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfusionMatrix:
    """How often each true class was predicted as each class.

    Attributes
    ----------
    counts : ndarray of int, shape (K, K)
        Rows are the truth, columns the prediction.
    classes : tuple of str
        The K class names, in the order of rows and columns.
    left_out : int
        Cases without a truth or without a prediction of this model.
    """

    counts: np.ndarray
    classes: tuple[str, ...]
    left_out: int = 0

    @property
    def n(self) -> int:
        """Number of cases counted."""
        return int(self.counts.sum())

    @property
    def correct(self) -> int:
        """Number of cases on the diagonal."""
        return int(np.trace(self.counts))


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of a file and the role it was given.

    Attributes
    ----------
    name : str
        As written in the file (or as named by the reader when the file had no usable name).
    role : str
        One of the keys of ``evalcore.reading.ROLES``.
    model : str or None
        The model an output, score, probability or value column belongs to.
    class_label : str or None
        The class of a probability column.
    examples : tuple of str
        The first few cells as text.
    distinct : int
        Number of different values that are not empty.
    """

    name: str
    role: str
    model: str | None = None
    class_label: str | None = None
    examples: tuple[str, ...] = ()
    distinct: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinReport:
    """What joining files on an id did.

    Attributes
    ----------
    key : str
        The column joined on.
    matched : int
        Cases present in the truth and in at least one model's file.
    truth_without_prediction, prediction_without_truth : tuple of str
        Ids found on one side only, in file order.
    without_id : int
        Rows dropped because their id is empty.
    duplicated : tuple of str
        Ids that occur more than once in one file; their rows are dropped, never multiplied.
    """

    key: str
    matched: int
    truth_without_prediction: tuple[str, ...] = ()
    prediction_without_truth: tuple[str, ...] = ()
    without_id: int = 0
    duplicated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingReport:
    """What reading a file understood, did and left out.

    Attributes
    ----------
    rows : int
        Data rows found in the file.
    columns : tuple of Column
        Every column with its role.
    notes : tuple of str
        What was done, one plain sentence each.
    warnings : tuple of str
        What the reader should look at before trusting a number, one plain sentence each.
    missing_truth : int
        Cases without a truth.
    missing_outputs : dict of str to int
        Cases without a prediction, per model.
    join : JoinReport or None
        Present when several files were joined.
    """

    rows: int = 0
    columns: tuple[Column, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    missing_truth: int = 0
    missing_outputs: dict[str, int] = field(default_factory=dict)
    join: JoinReport | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Coverage:
    """How often an interval method holds the true proportion, computed exactly.

    Attributes
    ----------
    coverage : ndarray of float
        Probability that the interval holds the truth, in the shape of ``proportion``.
    expected_width : ndarray of float
        Mean width of the interval, in the same shape.
    n : int
        Number of cases.
    proportion : ndarray of float
        The true proportions.
    method : str
        Key of the method.
    confidence_level : float
        What the method promises.
    """

    coverage: np.ndarray
    expected_width: np.ndarray
    n: int
    proportion: np.ndarray
    method: str
    confidence_level: float
