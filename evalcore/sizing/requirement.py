"""How many cases a requirement needs: "better than 80 percent", "at most 3 misses", a winner."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.stats import binom

from evalcore.binomial import least_successes
from evalcore.checks import check_fraction, check_whole
from evalcore.results import SampleSize
from evalcore.sizing.search import (
    first_reaching,
    normal_quantiles,
    round_up,
    size_of,
    smallest_lasting,
)


def requirement_power(
    n: Any, proportion: float, required: float, *, significance: float = 0.05
) -> np.ndarray:
    """Return the exact power of the one-sided exact test of "better than ``required``", per n."""
    p, least = check_fraction(proportion, "proportion"), check_fraction(required, "required")
    errors = binom.ppf(check_fraction(significance, "significance"), n, 1.0 - least) - 1.0
    return binom.cdf(errors, n, 1.0 - p)


def requirement_sample_size(
    proportion: float, required: float, *, power: float = 0.8, significance: float = 0.05
) -> SampleSize:
    """Return how many cases show that a proportion is better than required.

    The smallest n from which the power of the one-sided exact test stays at or above ``power``. The
    power falls while n grows and the allowed errors do not, and jumps when they do; sizes are
    searched until 10 / (proportion - required) in a row have the power.

    Parameters
    ----------
    proportion : float
        Expected of the model; above ``required``.
    required : float
        What must be exceeded. For a ceiling on errors give 1 minus it.
    power, significance : float

    References
    ----------
    Chernick, Liu (2002), The American Statistician 56, 149-155 (the saw-tooth).
    """
    p, least = check_fraction(proportion, "proportion"), check_fraction(required, "required")
    if p <= least:
        raise ValueError(
            f"proportion must be above required ({least:g}), or no test can show it; got {p:g}"
        )
    alpha, wanted = check_fraction(significance, "significance"), check_fraction(power, "power")
    error, success = normal_quantiles(alpha, wanted)
    spread = error * math.sqrt(least * (1 - least)) + success * math.sqrt(p * (1 - p))
    n, achieved = smallest_lasting(
        lambda low, high: requirement_power(np.arange(low, high + 1), p, least, significance=alpha),
        wanted,
        (spread / (p - least)) ** 2,
        round_up(10.0 / (p - least)),
    )
    allowed = largest_passing_errors(n, least, significance=alpha)
    return size_of(
        n,
        method="one_sided_exact",
        achieved=achieved,
        goal="power",
        assumptions=(
            f"The model is right on {p:g} of all cases; it passes {n:,} of them with at most "
            f"{allowed:,} errors.",
        ),
    )


def largest_passing_errors(n: int, required: float, *, significance: float = 0.05) -> int | None:
    """Return the most errors with which n cases still show "better than ``required``".

    None when n cases without any error are not enough.
    """
    least = least_successes(n, required, significance=significance)
    return None if least is None else n - least


def cases_for_errors(errors: int, required: float, *, significance: float = 0.05) -> SampleSize:
    """Return the fewest cases that still show "better than ``required``" with so many errors.

    The smallest n with P(X <= errors) < significance, X binomial(n, 1 - required); without errors
    it is the "rule of three", about 3 / (1 - required) at 5 percent.
    """
    allowed, least = check_whole(errors, "errors"), check_fraction(required, "required")
    alpha = check_fraction(significance, "significance")
    n = first_reaching(
        lambda n: binom.cdf(allowed, n, 1.0 - least) < alpha, (allowed + 3) / (1.0 - least)
    )
    return size_of(
        n,
        method="one_sided_exact",
        achieved=1.0 - float(binom.cdf(allowed, n, 1.0 - least)),
        goal="confidence",
        assumptions=(f"No more than {allowed:,} errors occur; how likely that is, power tells.",),
    )


def hoeffding_sample_size(
    margin: float, *, models: int = 1, confidence_level: float = 0.95
) -> SampleSize:
    """Return how many cases keep the true score of the best of some models within a margin.

    n = ln(models / (1 - confidence_level)) / (2 margin^2): with that confidence no model's true
    accuracy is more than the margin below its measured one, whichever is then chosen.

    References
    ----------
    Hoeffding (1963), JASA 58, 13-30, with the union bound.
    """
    width, tries = check_fraction(margin, "margin"), check_whole(models, "models", least=1)
    error = 1.0 - check_fraction(confidence_level, "confidence_level")
    size = math.log(tries / error) / (2.0 * width**2)
    n = round_up(size)
    return size_of(
        n,
        method="hoeffding_union",
        achieved=1.0 - tries * math.exp(-2.0 * n * width**2),
        goal="confidence",
        unrounded=size,
        assumptions=("The models are fixed before the cases are seen; any accuracy is allowed.",),
    )


def expected_best(n: int, proportion: float, models: int) -> float:
    """Return the mean score of the best of equal, independent models: how optimistic a winner is.

    The sum over k of 1 - P(X <= k)^models, divided by n, X binomial(n, proportion).
    """
    cases, tries = check_whole(n, "n", least=1), check_whole(models, "models", least=1)
    below = binom.cdf(np.arange(cases), cases, check_fraction(proportion, "proportion"))
    return float(np.sum(1.0 - below**tries) / cases)
