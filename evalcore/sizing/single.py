"""How many cases one metric needs until its interval is narrow enough."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy.special import stdtrit
from scipy.stats import binom

from evalcore.binomial import PROPORTION_METHODS, proportion_limits
from evalcore.binomial.limits import normal_quantile
from evalcore.checks import check_choice, check_fraction, check_positive, check_proportion
from evalcore.intervals import metric_interval
from evalcore.predictions import Predictions
from evalcore.results import Interval, SampleSize
from evalcore.sizing.search import first_reaching, last_true, round_up, size_of, smallest_lasting

# The intervals that a size may be asked for, with their keys in PROPORTION_METHODS.
HALF_WIDTH_METHODS: Mapping[str, str] = MappingProxyType(
    {"normal": "wald", "wilson": "wilson", "clopper_pearson": "clopper_pearson"}
)


def half_width_sample_size(
    proportion: float,
    half_width: float,
    *,
    method: str = "normal",
    confidence_level: float = 0.95,
    prevalence: float = 1.0,
    assurance: float | None = None,
    average: bool = False,
    unit: str = "cases",
) -> SampleSize:
    """Return how many cases a proportion needs for an interval of plus or minus ``half_width``.

    "normal" is z^2 p (1 - p) / E^2. The other methods give the smallest n whose own interval is
    narrow enough: when the observed proportion is p itself (not rounded to a count); or on average
    over all outcomes (``average``); or in a share ``assurance`` of all test sets. Assurance is
    saw-toothed in n: the size is the one from which it stays, searched until 10 / (p (1 - p)) sizes
    in a row have it.

    Parameters
    ----------
    proportion : float
        Expected value of the metric, strictly between 0 and 1.
    half_width : float
        Half of high minus low, strictly between 0 and 0.5.
    method : str
        A key of ``HALF_WIDTH_METHODS``.
    confidence_level : float
    prevalence : float
        Share of the cases that inform the metric, above 0: actual positives for recall, predicted
        positives for precision, the share of a slice.
    assurance : float, optional
        Such as 0.9; goes before ``average``.
    average : bool
    unit : str
        What informs the metric, such as "actual positives".

    References
    ----------
    Brown, Cai, DasGupta (2001), Statistical Science 16, 101-133; Kupper, Hafner (1989), The
    American Statistician 43, 101-105 (assurance).
    """
    p, width = check_fraction(proportion, "proportion"), _check_half_width(half_width)
    share = check_positive(check_proportion(prevalence, "prevalence"), "prevalence")
    level = check_fraction(confidence_level, "confidence_level")
    formula = normal_quantile(level) ** 2 * p * (1.0 - p) / width**2
    unrounded = None

    def half(n: int) -> float:
        return expected_half_width(n, p, method=method, confidence_level=level, average=average)

    def assured(low: int, high: int) -> np.ndarray:
        return _assurance(np.arange(low, high + 1.0), p, width, method, level)

    if assurance is not None:
        wanted, stretch = check_fraction(assurance, "assurance"), round_up(10.0 / (p * (1.0 - p)))
        n, achieved = smallest_lasting(assured, wanted, formula, stretch)
    else:
        n = first_reaching(lambda n: half(n) <= width * (1.0 + 1e-12), formula)
        achieved = half(n)
        unrounded = formula if method == "normal" and not average else None
    assumptions = [f"The metric is near {p:g}; cases are independent."]
    if share < 1.0:
        assumptions.append(
            f"A share of {share:g} of the cases are {unit}: {n:,} are expected among the cases "
            "labelled, and about one set in two holds fewer."
        )
    return size_of(
        n,
        unit=unit,
        labels=round_up(n / share),
        method=method,
        achieved=achieved,
        goal="half-width" if assurance is None else "assurance",
        unrounded=unrounded,
        assumptions=tuple(assumptions),
    )


def expected_half_width(
    n: float,
    proportion: float,
    *,
    method: str = "wilson",
    confidence_level: float = 0.95,
    average: bool = False,
) -> float:
    """Return the half-width of an interval from n cases, when the proportion comes out as expected.

    With ``average`` it is the mean over all outcomes of a whole n, by enumeration.
    """
    size, p = check_positive(n, "n"), check_fraction(proportion, "proportion")
    if not average:
        return float(_half_widths(np.array([size * p]), size, method, confidence_level)[0])
    first, last = binom.ppf([1e-13, 1.0 - 1e-13], size, p)
    k = np.arange(first, last + 1)
    return float(binom.pmf(k, size, p) @ _half_widths(k, size, method, confidence_level))


def auc_sample_size(
    auc: float, half_width: float, *, prevalence: float = 0.5, confidence_level: float = 0.95
) -> SampleSize:
    """Return how many cases an AUC needs for plus or minus ``half_width``.

    Solves Hanley and McNeil's variance, (A (1 - A) + (m - 1)(A / (2 - A) - A^2) + (k - 1)
    (2 A^2 / (1 + A) - A^2)) / (m k) with m = prevalence n positives and k negatives, for n.

    References
    ----------
    Hanley, McNeil (1982), Radiology 143, 29-36.
    """
    area, width = check_fraction(auc, "auc"), _check_half_width(half_width)
    share = check_fraction(prevalence, "prevalence")
    quantile = normal_quantile(check_fraction(confidence_level, "confidence_level"))
    first, second = area / (2.0 - area) - area**2, 2.0 * area**2 / (1.0 + area) - area**2
    alone = area * (1.0 - area) - first - second
    per_case = share * first + (1.0 - share) * second
    target = (width / quantile) ** 2 * share * (1.0 - share)
    size = (per_case + np.sqrt(per_case**2 + 4.0 * target * alone)) / (2.0 * target)
    n = max(round_up(size), round_up(1.0 / min(share, 1.0 - share)))
    variance = (alone + per_case * n) / (share * (1.0 - share) * n * n)
    return size_of(
        n,
        method="hanley_mcneil",
        achieved=quantile * float(np.sqrt(variance)),
        goal="half-width",
        unrounded=size,
        assumptions=(
            f"A share of {share:g} of the cases are positive, about {n * share:,.0f} of them; the "
            "scores spread as Hanley and McNeil assume (exponential in both classes).",
        ),
    )


def mean_sample_size(
    standard_deviation: float,
    half_width: float,
    *,
    method: str = "t",
    confidence_level: float = 0.95,
) -> SampleSize:
    """Return how many cases a mean, such as the MAE, needs for plus or minus ``half_width``.

    "normal" is (z s / E)^2, "t" the smallest n with t(n - 1) s / sqrt(n) <= E; s is the standard
    deviation of the per-case values in a pilot, E in the same unit.
    """
    spread = check_positive(standard_deviation, "standard_deviation")
    width = check_positive(half_width, "half_width")
    level = check_fraction(confidence_level, "confidence_level")
    student = check_choice(method, ("t", "normal"), "method") == "t"
    formula = (normal_quantile(level) * spread / width) ** 2

    def half(n: int) -> float:
        quantile = stdtrit(n - 1, 0.5 + level / 2.0) if student else normal_quantile(level)
        return float(quantile * spread / np.sqrt(n))

    n = max(2, round_up(formula))
    if student:
        n = first_reaching(lambda n: n > 1 and half(n) <= width, n)
    return size_of(
        n,
        method=method,
        achieved=half(n),
        goal="half-width",
        unrounded=None if student else formula,
        assumptions=(f"The values spread as in the pilot (standard deviation {spread:g}).",),
    )


def pilot_sample_size(
    predictions: Predictions,
    metric: str,
    model: str,
    half_width: float,
    *,
    confidence_level: float = 0.95,
    **options: Any,
) -> SampleSize:
    """Return how many cases any metric needs, scaled from its standard error on a labelled pilot.

    n = n_pilot (z SE / E)^2, because the standard error falls with the square root of n. Where the
    pilot has groups the error is the clustered one and n counts clusters. For a function of the
    confusion counts ``simulated_sample_size`` draws the test sets instead: with few cases, near 0
    and 1, and where an assurance is wanted this formula is off.

    Parameters
    ----------
    predictions, metric, model, **options
        As for ``metric_interval``.
    half_width : float
        In the unit of the metric.
    confidence_level : float

    Raises
    ------
    ValueError
        If an argument is not allowed, or the pilot gives no standard error above 0.
    """
    width = check_positive(half_width, "half_width")
    pilot = metric_interval(
        predictions, metric, model, confidence_level=confidence_level, **options
    )
    if not pilot.standard_error > 0:
        reason = "; ".join(pilot.notes) or "all of its cases agree"
        raise ValueError(f"predictions must show how much {pilot.name} varies; {reason}")
    half = normal_quantile(confidence_level) * pilot.standard_error
    size = pilot.n * (half / width) ** 2
    n = round_up(size)
    return size_of(
        n,
        unit=pilot.unit,
        labels=round_up(predictions.n_cases * n / pilot.n),
        method="pilot",
        achieved=float(half * np.sqrt(pilot.n / n)),
        goal="half-width",
        unrounded=size,
        assumptions=(
            f"The pilot ({pilot.n:,} {pilot.unit}, {pilot.name} {pilot.estimate:.4g}) is like the "
            "cases to come; its own error carries over into the size.",
        ),
    )


def _check_half_width(value: float) -> float:
    width = check_positive(value, "half_width")
    if width >= 0.5:
        raise ValueError(f"half_width must be below 0.5, half of the range 0 to 1; got {value!r}")
    return width


def _half_widths(k: np.ndarray, n: Any, method: str, level: float) -> np.ndarray:
    key = HALF_WIDTH_METHODS[check_choice(method, HALF_WIDTH_METHODS, "method")]
    trials = np.broadcast_to(np.asarray(n, float), k.shape)
    level = check_fraction(level, "confidence_level")
    low, high = PROPORTION_METHODS[key].limits(k, trials, level)
    return (high - low) / 2.0


def _assurance(n: np.ndarray, p: float, width: float, method: str, level: float) -> np.ndarray:
    """Return the probability that the interval from n cases is no wider than wished."""
    # Intervals widen towards k = n / 2: those narrow enough end at some k and its mirror image.
    middle = np.floor(n / 2.0)
    k = last_true(
        lambda k: _half_widths(np.maximum(k, 0), n, method, level) <= width,
        np.full_like(n, -1.0),
        middle + 1.0,
    )
    return np.where(k == middle, 1.0, binom.cdf(k, n, p) + binom.cdf(k, n, 1.0 - p))


def size_for_half(interval: Interval) -> int | None:
    """Return how many units would make an interval half as wide if the estimate came out again.

    Four times as many, except for a proportion with a method of ``PROPORTION_METHODS``, where the
    fewest from which it stays so are found: near 0 and 1 the width shrinks faster than with the
    square root of the cases.

    Parameters
    ----------
    interval : Interval

    Returns
    -------
    int or None
        In the unit of ``interval.n``; None where there is no interval.
    """
    if not (np.isfinite(interval.width) and interval.width > 0 and interval.n > 0):
        return None
    counted = interval.successes is not None and interval.cases is None
    if not counted or interval.method not in PROPORTION_METHODS:
        return 4 * interval.n
    sizes = np.unique(np.linspace(interval.n, 4.5 * interval.n, 3_000).round())
    low, high = proportion_limits(
        np.rint(sizes * interval.estimate),
        sizes,
        method=interval.method,
        confidence_level=interval.confidence_level,
    )
    # Whole successes make the width a little saw-toothed: from this size on it stays that narrow.
    short = np.flatnonzero(high - low > interval.width / 2)
    return int(sizes[min(short[-1] + 1, len(sizes) - 1)])
