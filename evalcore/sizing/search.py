"""Smallest whole numbers that reach a target, smooth or saw-toothed, and what sizes share."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import ndtri

from evalcore.checks import check_choice, check_fraction
from evalcore.results import SampleSize

ALTERNATIVES = ("two-sided", "one-sided")
# A quotient such as 246 / 0.01 comes out a rounding unit above the whole number that it is.
ROUNDING = 1e-12


def round_up(value: float) -> int:
    """Return the smallest whole number not below ``value``, rounding error forgiven."""
    return math.ceil(value * (1.0 - ROUNDING))


def size_of(n: int, *, unrounded: float | None = None, **fields: Any) -> SampleSize:
    """Return a SampleSize of n cases, all labelled, found by enumeration, unless told otherwise."""
    exact = float(n) if unrounded is None else float(unrounded)
    return SampleSize(**{"n": n, "unit": "cases", "labels": n, "unrounded": exact, **fields})


def tail_of(significance: float, alternative: str) -> float:
    """Return the error probability on each side that the test watches; one-sided below 0.5."""
    level = check_fraction(significance, "significance")
    if check_choice(alternative, ALTERNATIVES, "alternative") == "two-sided":
        return level / 2.0
    if level >= 0.5:
        raise ValueError(f"significance of a one-sided test must be below 0.5; got {significance}")
    return level


def normal_quantiles(tail: float, power: float) -> tuple[float, float]:
    """Return the standard normal quantiles of the error (upper tail) and of the power."""
    if check_fraction(power, "power") <= tail:
        raise ValueError(f"power must be above the significance of one side, {tail:g}; got {power}")
    return float(-ndtri(tail)), float(ndtri(power))


def first_reaching(reaches: Callable[[int], bool], guess: float) -> int:
    """Return the smallest n of at least 1 that reaches, when every larger n does too."""
    high, step = max(1, int(guess)), 1
    while not reaches(high):
        high, step = high + step, 2 * step
    low, step = high - 1, 1
    while low >= 1 and reaches(low):
        high, low, step = low, low - step, 2 * step
    low = max(low, 0)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high


def last_true(
    holds: Callable[[np.ndarray], np.ndarray], low: np.ndarray, high: np.ndarray
) -> np.ndarray:
    """Return per element the largest whole k in [low, high) at which a condition still holds.

    It holds up to some k and no further; ``low`` is taken to hold and ``high`` not to, unasked.
    """
    while np.any(high - low > 1):
        middle = np.floor((low + high) / 2)
        inside = holds(middle)
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return low


def smallest_lasting(
    curve: Callable[[int, int], np.ndarray], target: float, guess: float, stretch: int
) -> tuple[int, float]:
    """Return the smallest n from which a saw-toothed curve stays at or above the target; its value.

    ``curve(low, high)`` gives the values at low, low + 1 ... high. Walks up from the guess until
    ``stretch`` sizes in a row reach the target, then down to the last size that does not. A dip
    after a whole stretch would be missed: it has to be several times as long as the longest tooth.
    """
    start, target = max(1, int(guess)), target * (1.0 - ROUNDING)
    while (failing := np.flatnonzero(curve(start, start + stretch - 1) < target)).size:
        start += int(failing[-1]) + 1
    while start > 1:
        low = max(1, start - stretch)
        failing = np.flatnonzero(curve(low, start - 1) < target)
        if failing.size:
            start = low + int(failing[-1]) + 1
            break
        start = low
    return start, float(curve(start, start)[0])
