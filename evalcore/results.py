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
        The numerator when the estimate is a proportion: of ``n``, or of ``cases`` where given.
    cases : int or None
        Where ``n`` counts clusters, how many cases in them inform the estimate.
    case_unit : str
        What ``cases`` counts.
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
    cases: int | None = None
    case_unit: str = "cases"
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


@dataclass(frozen=True, slots=True, kw_only=True)
class HypothesisTest:
    """What one significance test says.

    Attributes
    ----------
    method : str
        Key of the test, such as ``"mcnemar_exact"``.
    p_value : float
        nan where undefined, with the reason in ``notes``.
    statistic : float
    degrees : float or None
        Degrees of freedom, of the numerator where there are two.
    notes : tuple of str
    """

    method: str
    p_value: float
    statistic: float = float("nan")
    degrees: float | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Equivalence:
    """Two one-sided tests of a difference A - B against a margin.

    Attributes
    ----------
    margin : float
        Largest gap that does not matter, in the unit of the metric.
    low, high : float
        Interval of the difference at ``confidence_level``, which is 2 L - 1 when the comparison has
        level L; equivalence is shown when it lies within the margin.
    confidence_level : float
    p_not_worse, p_not_better : float
        One-sided: that A is worse than B by the margin or more; that it is better by as much.
    equivalent, not_worse : bool
        Whether both, or the first, fall below 1 - L.
    """

    margin: float
    low: float
    high: float
    confidence_level: float
    p_not_worse: float
    p_not_better: float
    equivalent: bool
    not_worse: bool

    @property
    def p_value(self) -> float:
        """P-value of equivalence, the larger of the two."""
        return max(self.p_not_worse, self.p_not_better)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two models on the same cases: the gap first, the p-value last.

    Attributes
    ----------
    model_a, model_b : str
    metric : str
        Key of the metric.
    label : str or None
        The class, for metrics of one class.
    value_a, value_b : float
        The metric of each model over the cases that both answered.
    difference : Interval
        Always A - B; ``method`` is that of the interval.
    p_value : float
        Two-sided, from the procedure that made the interval: it is below 1 - confidence level
        exactly when 0 lies outside. nan where there is no interval, unless the gap is 0.
    test : str
        Key of that test.
    p_adjusted : float
        For the number of comparisons; nan when this is the only one.
    verdict : str
        Of A against B, in the direction that is better: "shown better", "shown worse", "shown not
        worse", "shown equivalent" (the last two with a margin) or "not decided"; "shown different"
        for a metric without direction.
    favours : str or None
        Model with the better value here, shown or not; None when equal or without direction.
    only_a, only_b, both, neither : int or None
        Cases that only A, only B, both or neither got right. For numbers: cases on which A was
        closer (or higher, for a score), B was closer, and None for the rest. None without a truth.
    ties : int or None
        For numbers: cases on which both were equally close (or high).
    correlation : float
        Of what the two models' values rest on, case by case: what pairing makes use of.
    beside : tuple of HypothesisTest
        Other tests of the same question, for reading, not for choosing.
    equivalence : Equivalence or None
        With a margin.
    notes : tuple of str
    """

    model_a: str
    model_b: str
    metric: str
    value_a: float
    value_b: float
    difference: Interval
    p_value: float
    test: str
    verdict: str
    favours: str | None
    label: str | None = None
    p_adjusted: float = float("nan")
    only_a: int | None = None
    only_b: int | None = None
    both: int | None = None
    neither: int | None = None
    ties: int | None = None
    correlation: float = float("nan")
    beside: tuple[HypothesisTest, ...] = ()
    equivalence: Equivalence | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class UnpairedComparison:
    """Two models as if, or because, each was measured on a test set of its own.

    Attributes
    ----------
    interval_a, interval_b : Interval
        Each model alone.
    difference : Interval
        A - B with the standard error of independent samples.
    p_value : float
    test : str
    disjoint : bool
        Whether the two separate intervals share no value: the rule of thumb, not a test.
    beside : tuple of HypothesisTest
    notes : tuple of str
    """

    interval_a: Interval
    interval_b: Interval
    difference: Interval
    p_value: float
    test: str
    disjoint: bool
    beside: tuple[HypothesisTest, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRank:
    """Where one model stands among several.

    Attributes
    ----------
    model : str
    value : float
    rank : int
        1 is best; models with equal values share the better rank.
    low, high : int
        Ranks that the simultaneous intervals of all pairs leave possible.
    share_best : float
        Share of resamples in which it is best; ties are split.
    """

    model: str
    value: float
    rank: int
    low: int
    high: int
    share_best: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelComparisons:
    """Several models on the same cases, with every comparison counted.

    Attributes
    ----------
    metric : str
    models : tuple of str
    baseline : str or None
        The one model that all others were compared with, as model B.
    adjust : str
        How p-values were adjusted.
    omnibus : HypothesisTest
        Whether the models differ at all.
    comparisons : tuple of Comparison
        With ``p_adjusted``.
    simultaneous : tuple of Interval
        One for each comparison, all of which hold together at the confidence level; each contains
        the comparison's own interval.
    ranks : tuple of ModelRank
        In the order of ``models``; empty for a metric without direction.
    notes : tuple of str
    """

    metric: str
    models: tuple[str, ...]
    baseline: str | None
    adjust: str
    omnibus: HypothesisTest
    comparisons: tuple[Comparison, ...]
    simultaneous: tuple[Interval, ...]
    ranks: tuple[ModelRank, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DifferingCases:
    """The cases on which two models differ: all the information that a comparison has.

    Attributes
    ----------
    rows : ndarray of int, shape (m,)
        Row numbers in the predictions; the largest gaps first for metrics of numbers.
    better : ndarray of int, shape (m,)
        0 where the first model is right (or closer), 1 where the second is.
    gaps : ndarray of float, shape (m,)
        Value of the case for the first model minus the second; 1 or -1 for labels.
    counts : ndarray of int, shape (m,)
        How many identical cases each row stands for.
    """

    rows: np.ndarray
    better: np.ndarray
    gaps: np.ndarray
    counts: np.ndarray


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSize:
    """How many cases a decision needs, how many labels that takes, and what it achieves.

    Attributes
    ----------
    n : int
        Size needed, rounded up, in ``unit``.
    unit : str
        What ``n`` counts: "cases", "actual positives", "cases per model" ...
    labels : int
        Cases to label in all, so that ``n`` units are expected among them.
    method : str
        Key of the method that found ``n``.
    achieved : float
        What ``n`` gives: the half-width, the power or the probability that ``goal`` names.
    goal : str
        "half-width", "power", "assurance" or "confidence".
    unrounded : float
        The formula's result before rounding up; ``n`` itself when found by enumeration.
    assumptions : tuple of str
        What must hold for ``n`` to be right, one plain sentence each.
    """

    n: int
    unit: str
    labels: int
    method: str
    achieved: float
    goal: str
    unrounded: float
    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedSize:
    """How many cases a metric needs, found by drawing test sets from a pilot.

    Attributes
    ----------
    size : SampleSize
        ``achieved`` is the half-width at ``size.n``: the mean over the test sets, or with an
        assurance the width that this share of them does not exceed.
    error : float
        Monte Carlo standard error of ``size.n``, in cases.
    undefined : float
        Share of test sets of about that size in which the metric is undefined; they count as
        knowing nothing, with half the range of the metric.
    assurance : float or None
    n_draws : int
        Test sets drawn.
    sizes : ndarray of int, shape (J,)
        Sizes around ``size.n`` that were simulated.
    half_widths : ndarray, shape (J,)
        What ``achieved`` is, at each of them.
    """

    size: SampleSize
    error: float
    undefined: float
    assurance: float | None
    n_draws: int
    sizes: np.ndarray
    half_widths: np.ndarray


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What labelling costs.

    Attributes
    ----------
    cases : int
        Cases that need a label.
    new_cases : int
        Those not labelled yet.
    labels : int
        Labels to buy: ``new_cases`` times the labels per case.
    total : float
        In the unit of the price of one label.
    """

    cases: int
    new_cases: int
    labels: int
    total: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SequentialPlan:
    """What labelling the disagreements one by one, with permission to stop, is expected to take.

    Attributes
    ----------
    n : int
        Cases that both models answer.
    labels : float
        Disagreements expected among them: the most labels that the plan may use.
    power : float
        Probability of stopping with a decision before the disagreements run out.
    size : float
        The same when there is no gap; never above the significance.
    expected_labels, expected_labels_without_gap : float
        Mean number of labels used, at the planned gap and at none.
    fixed_power : float
        Power of the exact test after labelling all of them.
    alternative : str
        "two-sided", or "one-sided" in the direction of the gap.
    concentration : float
        Of the Beta mixture.
    stopping_lead : ndarray of int, shape (most + 1,)
        After m discordant cases: the smallest lead of one model (one-sided: of the one expected to
        be better) over the other that stops; above m where none does.
    """

    n: int
    labels: float
    power: float
    size: float
    expected_labels: float
    expected_labels_without_gap: float
    fixed_power: float
    alternative: str
    concentration: float
    stopping_lead: np.ndarray
