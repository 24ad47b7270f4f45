"""Intervals, one-sided limits and tests of one proportion."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import binomtest

from evalcore.binomial.blaker import smallest_index
from evalcore.binomial.limits import at_most
from evalcore.binomial.methods import PROPORTION_METHODS
from evalcore.checks import (
    check_binomial,
    check_choice,
    check_fraction,
    check_proportion,
    check_whole,
)
from evalcore.results import Interval

# A p-value closer to the significance than this, relative to it, equals it.
TIE = 1e-12


def proportion_limits(
    k: Any, n: Any, *, method: str = "wilson", confidence_level: float = 0.95
) -> tuple[np.ndarray, np.ndarray]:
    """Return the limits of many proportions at once.

    Parameters
    ----------
    k, n : array-like of int
        Successes and trials; broadcast against each other.
    method : str
        A key of ``PROPORTION_METHODS``.
    confidence_level : float

    Returns
    -------
    low, high : ndarray of float
        In the broadcast shape; nan where n is 0.

    Raises
    ------
    ValueError
        Unless k and n are whole numbers with 0 <= k <= n, the method is known and the level lies
        between 0 and 1.
    """
    successes, trials = check_binomial(k, n)
    level = check_fraction(confidence_level, "confidence_level")
    chosen = PROPORTION_METHODS[check_choice(method, PROPORTION_METHODS, "method")]
    low, high = np.full(successes.shape, np.nan), np.full(successes.shape, np.nan)
    some = trials > 0
    low[some], high[some] = chosen.limits(successes[some], trials[some], level)
    return low, high


def proportion_interval(
    k: int,
    n: int,
    *,
    method: str = "wilson",
    confidence_level: float = 0.95,
    name: str = "proportion",
    unit: str = "cases",
) -> Interval:
    """Return the confidence interval of k successes in n independent cases.

    Parameters
    ----------
    k, n : int
        Successes and trials.
    method : str
        A key of ``PROPORTION_METHODS``.
    confidence_level : float
    name : str
        What the proportion is called, such as "recall of 8".
    unit : str
        What n counts, such as "actual positives".

    Returns
    -------
    Interval
        The estimate is k / n, its standard error sqrt(p (1 - p) / n). Everything is nan, with a
        note, when n is 0.

    Raises
    ------
    ValueError
        Unless 0 <= k <= n are whole numbers, the method is known and the level lies in (0, 1).

    References
    ----------
    Brown, Cai, DasGupta (2001), "Interval Estimation for a Binomial Proportion", Statistical
    Science 16, 101-133. Each method's own reference stands in ``PROPORTION_METHODS``.
    """
    k, n = check_whole(k, "k"), check_whole(n, "n")
    low, high = (
        float(limit)
        for limit in proportion_limits(k, n, method=method, confidence_level=confidence_level)
    )
    estimate = k / n if n else float("nan")
    return Interval(
        name=name,
        estimate=estimate,
        low=low,
        high=high,
        standard_error=float(np.sqrt(estimate * ((n - k) / n) / n)) if n else float("nan"),
        confidence_level=float(confidence_level),
        method=method,
        n=n,
        unit=unit,
        successes=k,
        notes=_notes(k, n, low, high, PROPORTION_METHODS[method].label, unit),
    )


def _notes(k: int, n: int, low: float, high: float, label: str, unit: str) -> tuple[str, ...]:
    if n == 0:
        return (f"Undefined: there are no {unit} to count.",)
    notes = []
    if low == high:
        outcome = "none" if k == 0 else "all"
        notes.append(
            f"The zero width is an artefact of the {label} formula when {outcome} of the {unit} "
            "succeed; it does not mean that the proportion is known exactly."
        )
    if low < 0 or high > 1:
        notes.append(f"The {label} limits leave the possible range from 0 to 1.")
    if not low <= k / n <= high:
        notes.append(f"The {label} interval does not contain the observed proportion.")
    return tuple(notes)


def one_sided_limit(
    k: int, n: int, *, side: str, method: str = "wilson", confidence_level: float = 0.95
) -> float:
    """Return the limit that the proportion is above ("low") or below ("high") with confidence.

    It is the same side of the two-sided interval at level 2 * confidence_level - 1.

    Raises
    ------
    ValueError
        If an argument is not allowed. The level must be above 0.5, and Blaker's method has no
        one-sided limit because its two tails depend on each other.
    """
    check_choice(side, ("low", "high"), "side")
    check_choice(method, [key for key in PROPORTION_METHODS if key != "blaker"], "method")
    level = check_fraction(confidence_level, "confidence_level")
    if level <= 0.5:
        raise ValueError(
            f"confidence_level of a one-sided limit must be above 0.5; got {confidence_level!r}"
        )
    low, high = proportion_limits(k, n, method=method, confidence_level=2.0 * level - 1.0)
    return float(low if side == "low" else high)


def proportion_test(k: int, n: int, proportion: float, *, alternative: str = "two-sided") -> float:
    """Return the exact p-value of k successes in n cases when the truth is ``proportion``.

    Parameters
    ----------
    k, n : int
        Successes and trials, n of at least 1.
    proportion : float
        The proportion under the null hypothesis, 0 to 1.
    alternative : {"two-sided", "greater", "less"}
        "greater" asks for P(X >= k), "less" for P(X <= k); "two-sided" adds every outcome that is
        no more likely than k.

    Raises
    ------
    ValueError
        If an argument is not allowed.

    References
    ----------
    Clopper, Pearson (1934), Biometrika 26, 404-413.
    """
    check_binomial(k, n)
    check_choice(alternative, ("two-sided", "greater", "less"), "alternative")
    null = check_proportion(proportion, "proportion")
    trials = check_whole(n, "n", least=1)
    return float(binomtest(check_whole(k, "k"), trials, null, alternative=alternative).pvalue)


def least_successes(n: int, proportion: float, *, significance: float = 0.05) -> int | None:
    """Return the smallest k whose one-sided exact test says "better than ``proportion``".

    Returns
    -------
    int or None
        The smallest k with P(X >= k) < significance, a tie being not enough; None when even n of n
        is not enough.

    Raises
    ------
    ValueError
        If an argument is not allowed.
    """
    trials = np.array([check_whole(n, "n", least=1)], float)
    null = check_proportion(proportion, "proportion")
    alpha = check_fraction(significance, "significance")
    # P(X >= k) = P(failures <= n - k): the first number of failures that is too many, less one.
    failing = np.array([1.0 - null])
    too_many = smallest_index(trials, failing, alpha, trials)
    passing = int(trials[0] - too_many[0]) + 1
    if passing <= n:
        p_value = float(at_most(trials - passing, trials, failing)[0])
        passing += p_value >= alpha * (1 - TIE)
    return passing if passing <= n else None
