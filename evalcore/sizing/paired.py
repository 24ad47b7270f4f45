"""How many cases tell two models apart: on the same test set, or each on its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from evalcore.checks import check_choice, check_fraction, check_positive, check_whole
from evalcore.results import SampleSize
from evalcore.sizing.power import (
    CRITICAL_SPLITS,
    check_gap,
    formula_power,
    mcnemar_power,
    mcnemar_power_curve,
)
from evalcore.sizing.search import normal_quantiles, round_up, size_of, smallest_lasting, tail_of

MOST_ENUMERATED = 10_000_000


def _normal(d: float, gap: float, error: float, success: float) -> float:
    return (error + success) ** 2 * d / gap**2


def _connor(d: float, gap: float, error: float, success: float) -> float:
    return (error * math.sqrt(d) + success * math.sqrt(d - gap**2)) ** 2 / gap**2


PAIRED_FORMULAS: Mapping[str, Callable[[float, float, float, float], float]] = MappingProxyType(
    {"normal": _normal, "connor": _connor}
)
PAIRED_SIZE_METHODS = (*CRITICAL_SPLITS, *PAIRED_FORMULAS)
UNPAIRED_SIZE_METHODS = ("normal", "both_tails", "arcsine")


def paired_sample_size(
    disagreement: float,
    difference: float,
    *,
    method: str = "exact",
    power: float = 0.8,
    significance: float = 0.05,
    comparisons: int = 1,
    slices: int = 1,
    alternative: str = "two-sided",
) -> SampleSize:
    """Return how many common cases two models need before a gap is found with enough power.

    "normal" is (z_alpha + z_power)^2 d / gap^2 (7.85 d / gap^2 at 5 and 80 percent), "connor" its
    refinement. The other methods name a test and give the smallest n from which its exact power
    stays at or above ``power``. That power is saw-toothed: a size may have it and a larger one lose
    it again. From near the formula's size, sizes are searched upwards until 4 / gap + 10 in a row
    have the power, then downwards to the last that has not. Over 3,040 plans enumerated from 1 case
    on (d from 0.05 to 1, gaps from 0.03 d to d, significance 0.001 to 0.3), no run of sizes with
    the power that is lost again was longer than 2.7 / gap.

    Parameters
    ----------
    disagreement : float
        Share of cases on which exactly one of the two models is right, above 0.
    difference : float
        Gap in accuracy to be found, absolute, not 0 and no larger than the disagreement.
    method : str
        One of ``PAIRED_SIZE_METHODS``.
    power, significance : float
    comparisons, slices : int
        Pairs of models to compare, and slices in each of which the gap must be found: the
        significance is divided by their product (Bonferroni), the labels multiplied by the slices.
    alternative : {"two-sided", "one-sided"}

    Returns
    -------
    SampleSize
        ``achieved`` is the power of the test named by the method; for the formulas that of the
        exact test at their n, which falls short of ``power``.

    Raises
    ------
    ValueError
        If an argument is not allowed, or a test is to be enumerated beyond 10,000,000 cases.

    References
    ----------
    Connor (1987), Biometrics 43, 207-211; Miettinen (1968), Biometrics 24, 339-352.
    """
    d, gap = check_gap(disagreement, difference)
    if gap == 0.0:
        raise ValueError("difference must not be 0: no number of cases can find a gap of 0")
    formula = check_choice(method, PAIRED_SIZE_METHODS, "method") in PAIRED_FORMULAS
    wanted, parts = check_fraction(power, "power"), check_whole(slices, "slices", least=1)
    tests = check_whole(comparisons, "comparisons", least=1) * parts
    alpha = check_fraction(significance, "significance") / tests
    options: dict[str, Any] = {"significance": alpha, "alternative": alternative}
    quantiles = normal_quantiles(tail_of(alpha, alternative), wanted)
    size = max(PAIRED_FORMULAS.get(method, _normal)(d, gap, *quantiles), 1.0)
    if formula:
        n = round_up(size)
        achieved = mcnemar_power(n, d, gap, **options)
    else:
        _check_enumerable(size, gap)
        n, achieved = smallest_lasting(
            lambda low, high: mcnemar_power_curve(low, high, d, gap, method=method, **options),
            wanted,
            size + 1.0 / gap,
            round_up(4.0 / gap) + 10,
        )
    said = (
        f"The models disagree in correctness on {d:g} of the cases and differ by {gap:g} "
        f"(absolute); cases are independent; the test is {alternative} at {alpha:.4g}."
    )
    more = "The size comes from a formula; the power given is that of the exact test."
    return size_of(
        n,
        unit="cases per slice" if parts > 1 else "cases",
        labels=n * parts,
        method=method,
        achieved=achieved,
        goal="power",
        unrounded=size if formula else None,
        assumptions=(said, more) if formula else (said,),
    )


def _check_enumerable(size: float, gap: float) -> None:
    if size > MOST_ENUMERATED:
        raise ValueError(
            f"difference is too small to enumerate the power (about {size:,.0f} cases; at most "
            f"{MOST_ENUMERATED:,}); use method 'connor' or 'normal'; got {gap!r}"
        )


def detectable_difference(
    n: int,
    disagreement: float,
    *,
    method: str = "exact",
    power: float = 0.8,
    significance: float = 0.05,
    comparisons: int = 1,
    alternative: str = "two-sided",
) -> float:
    """Return the smallest gap that n common cases find with enough power: the inverse.

    Arguments as for ``paired_sample_size``; here the formulas use their own power. nan when even a
    gap as large as the disagreement is found with less power.
    """
    d, _ = check_gap(disagreement, 0.0)
    power_of: Callable[..., float] = mcnemar_power
    if check_choice(method, PAIRED_SIZE_METHODS, "method") in PAIRED_FORMULAS:
        power_of = formula_power
    cases, wanted = check_whole(n, "n", least=1), check_fraction(power, "power")
    tests = check_whole(comparisons, "comparisons", least=1)
    alpha = check_fraction(significance, "significance") / tests
    options = {"method": method, "significance": alpha, "alternative": alternative}

    def excess(gap: float) -> float:
        return power_of(cases, d, gap, **options) - wanted

    if excess(d) < 0:
        return float("nan")
    return float(brentq(excess, 0.0, d, xtol=1e-12)) if excess(0.0) < 0 else 0.0


def unpaired_power(
    n: float,
    proportion_a: float,
    proportion_b: float,
    *,
    method: str = "normal",
    significance: float = 0.05,
    alternative: str = "two-sided",
) -> float:
    """Return the approximate power of comparing two proportions on separate sets of n cases each.

    "normal" is R's power.prop.test, in the direction of the gap; "both_tails" its strict form,
    which adds rejections in the wrong direction; "arcsine" uses Cohen's effect size h, as R's
    pwr.2p.test does (with both tails).

    References
    ----------
    Fleiss, Levin, Paik (2003), Statistical Methods for Rates and Proportions, chapter 4; Cohen
    (1988), Statistical Power Analysis, chapter 6.
    """
    size = check_positive(n, "n")
    null, own, gap = _unpaired_spread(proportion_a, proportion_b, method)
    error = float(-ndtri(tail_of(significance, alternative)))
    shift = math.sqrt(size) * gap
    found = float(ndtr((shift - error * null) / own))
    if method != "normal" and alternative == "two-sided":
        found += float(ndtr((-shift - error * null) / own))
    return found


def unpaired_sample_size(
    proportion_a: float,
    proportion_b: float,
    *,
    method: str = "normal",
    power: float = 0.8,
    significance: float = 0.05,
    alternative: str = "two-sided",
) -> SampleSize:
    """Return how many cases each of two models needs when they are scored on separate test sets.

    The contrast that shows what pairing saves: (z_alpha sqrt(2 p q) + z_power
    sqrt(pA qA + pB qB))^2 / gap^2 with p the mean of the two, as in R's power.prop.test. The other
    methods of ``unpaired_power`` are solved for n. The accuracies must differ.
    """
    null, own, gap = _unpaired_spread(proportion_a, proportion_b, method)
    if gap == 0.0:
        raise ValueError(f"proportion_b must differ from proportion_a; both are {proportion_a!r}")
    options: dict[str, Any] = {"significance": significance, "alternative": alternative}
    wanted = check_fraction(power, "power")
    error, success = normal_quantiles(tail_of(**options), wanted)
    size = ((error * null + success * own) / gap) ** 2

    def excess(n: float) -> float:
        found = unpaired_power(n, proportion_a, proportion_b, method=method, **options)
        return found - wanted

    if method != "normal" and excess(1.0) < 0:
        size = brentq(excess, 1.0, size + 1.0, xtol=1e-9)
    n = max(round_up(size), 1)
    return size_of(
        n,
        unit="cases per model",
        labels=2 * n,
        method=method,
        achieved=excess(n) + wanted,
        goal="power",
        unrounded=size,
        assumptions=(
            "Each model is scored on its own cases, independent of the other's; the accuracies "
            f"are {proportion_a:g} and {proportion_b:g}.",
        ),
    )


def _unpaired_spread(a: float, b: float, method: str) -> tuple[float, float, float]:
    """Return the spread per case under no gap and under this gap, and the gap."""
    p, q = check_fraction(a, "proportion_a"), check_fraction(b, "proportion_b")
    if check_choice(method, UNPAIRED_SIZE_METHODS, "method") == "arcsine":
        angle = 2.0 * (math.asin(math.sqrt(p)) - math.asin(math.sqrt(q)))
        return math.sqrt(2.0), math.sqrt(2.0), abs(angle)
    mean = (p + q) / 2.0
    return math.sqrt(2 * mean * (1 - mean)), math.sqrt(p * (1 - p) + q * (1 - q)), abs(p - q)
