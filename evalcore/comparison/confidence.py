"""Limits of a difference at any level and tests of any value, from one procedure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri, stdtr

from evalcore.intervals.scales import critical_value
from evalcore.resampling import bca_limits, percentile_limits
from evalcore.resampling.limits import share_below
from evalcore.results import Interval

NAN = float("nan")
# An error this small beside what it is the error of is rounding of 0.
NO_SPREAD = 1e-12
FLAT = "no interval: the differences between the two models show no spread to judge by"


@dataclass(frozen=True, slots=True, kw_only=True)
class Confidence:
    """What one procedure says about a difference.

    ``limits(level)`` is the interval. ``tails(null)`` holds the one-sided p-values that speak for a
    difference above the null value, and below it; it is the inverse of the limits, so that the two
    cannot contradict. Both give nan where there is no interval. ``test`` is the key of the test.
    """

    standard_error: float
    limits: Callable[[float], tuple[float, float]]
    tails: Callable[[float], tuple[float, float]]
    test: str
    notes: tuple[str, ...] = ()

    @property
    def p_value(self) -> float:
        """Two-sided p-value of no difference."""
        return float(np.minimum(1.0, 2 * np.min(self.tails(0.0))))

    def with_width(self, level: float, gap: float) -> Confidence:
        """Return itself, or no interval where both limits at the level are one and the same value.

        Many draws that share a value do not make a difference certain.
        """
        low, high = self.limits(level)
        if low != high:
            return self
        why = f"no interval: both limits are {low:g}, a value that many resamples share"
        return without_spread(gap, self.test, *self.notes, why, error=self.standard_error)

    def interval(self, level: float, estimate: float, **facts: Any) -> Interval:
        """Return the interval at a level; ``facts`` are the other fields of ``Interval``."""
        low, high = self.limits(level)
        error, notes = float(self.standard_error), (*facts.pop("notes", ()), *self.notes)
        return Interval(
            estimate=estimate, low=float(low), high=float(high), standard_error=error,
            confidence_level=level, notes=tuple(dict.fromkeys(notes)), **facts,
        )  # fmt: skip


def without_spread(gap: float, test: str, *notes: str, error: float = NAN) -> Confidence:
    """Return no interval; p is 1 for a gap of 0 and undefined for any other."""
    one = 1.0 if gap == 0 else NAN
    return Confidence(
        standard_error=error,
        limits=lambda level: (NAN, NAN),
        tails=lambda null: (one, one) if null == 0 else (NAN, NAN),
        test=test,
        notes=notes,
    )


def from_error(
    centre: float, error: float, test: str, *, degrees: float | None = None, notes: tuple = ()
) -> Confidence:
    """Return ``centre`` plus and minus normal, or t, quantiles of ``error``."""
    if not (np.isfinite(error) and error > NO_SPREAD * abs(centre)):
        return without_spread(centre, test, *notes, FLAT, error=0.0 if error == 0 else NAN)

    def limits(level: float) -> tuple[float, float]:
        half = critical_value(level, degrees) * error
        return centre - half, centre + half

    def tails(null: float) -> tuple[float, float]:
        z = (centre - null) / error
        if degrees is None:
            return float(ndtr(-z)), float(ndtr(z))
        return float(stdtr(degrees, -z)), float(stdtr(degrees, z))

    return Confidence(standard_error=error, limits=limits, tails=tails, test=test, notes=notes)


def from_draws(draws: np.ndarray, gap: float, acceleration: float | None = None) -> Confidence:
    """Return percentile limits of draws, or BCa ones with an acceleration, and their inverse.

    The one-sided p-value is the level at which the limit reaches the null value, with the draws
    joined linearly as in the quantile. It is at least 1 / (R + 1), because R draws show no smaller
    one (Davison and Hinkley 1997, 4.4); for BCa that bounds the level, not the share of draws.
    """

    def read(level: float) -> tuple[float, float]:
        made = percentile_limits(draws, level)
        if acceleration is not None:
            made = bca_limits(draws, gap, acceleration, level)
        notes.extend(made.notes)
        return made.low, made.high

    notes: list[str] = []
    test = "bootstrap" if acceleration is None else "bootstrap_bca"
    if np.isnan(read(0.95)[0]):
        return without_spread(gap, test, *notes, error=0.0)
    ordered = np.sort(draws[~np.isnan(draws)])
    floor = 1 / (len(ordered) + 1)

    centre = float(ndtri(share_below(ordered, gap)))

    def tail(share: float) -> float:
        if acceleration is None or share in (0.0, 1.0):
            return share
        moved = float(ndtri(share)) - centre
        slope = 1 + acceleration * moved
        return float(ndtr(moved / slope - centre)) if slope > 0 else float(moved > 0)

    def tails(null: float) -> tuple[float, float]:
        above, below = tail(_reach(ordered, null)), tail(1 - _reach(-ordered[::-1], -null))
        return max(above, floor), max(1 - below, floor)

    return Confidence(
        standard_error=float(np.std(ordered, ddof=1)),
        limits=read,
        tails=tails,
        test=test,
        notes=tuple(notes),
    )


def _reach(ordered: np.ndarray, value: float) -> float:
    """Return the largest level whose quantile (type 7) does not exceed the value."""
    size = len(ordered)
    k = int(np.searchsorted(ordered, value, side="right"))
    if k in (0, size):
        return float(k == size)
    part = float((value - ordered[k - 1]) / (ordered[k] - ordered[k - 1]))
    return (k - 1 + part) / (size - 1)
