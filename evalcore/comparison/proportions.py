"""Difference of two proportions on the same cases, from the paired 2 x 2 table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from evalcore.checks import check_choice, check_fraction, check_whole
from evalcore.comparison.confidence import NAN, Confidence, from_error, without_spread
from evalcore.intervals.scales import critical_value, effective_wilson_limits
from evalcore.results import Interval

# Beyond it a normal tail is 0 in double precision.
FURTHEST = 38.0
# Methods whose limits are cut at -1 and 1.
CUT = ("agresti_min", "bonett_price")
SLACK = 1e-12


class PairedTable(NamedTuple):
    """Cases that both models, only A, only B, or neither got right."""

    both: int
    only_a: int
    only_b: int
    neither: int

    @property
    def gap(self) -> float:
        """Proportion of A minus that of B."""
        return (self.only_a - self.only_b) / sum(self) if sum(self) else NAN

    @property
    def standard_error(self) -> float:
        """Paired standard error, ``sqrt(b + c - (b - c)^2 / n) / n``."""
        return _paired_error(self.only_a, self.only_b, sum(self))

    def swap(self) -> PairedTable:
        """Return the table with A and B exchanged."""
        return self._replace(only_a=self.only_b, only_b=self.only_a)


def _paired_error(b: float, c: float, n: float) -> float:
    return float(np.sqrt(max(b + c - (b - c) ** 2 / n, 0.0)) / n) if n else NAN


def tango_score(table: PairedTable, null: float) -> float:
    """Return Tango's score statistic of the difference at a null value; McNemar's z at 0.

    ``(b - c - n d) / sqrt(n (2 q + d (1 - d)))`` with q the maximum-likelihood share of cases that
    only B gets right, given the difference d, in closed form (Tango 1998).
    """
    if null < 0:
        # On this side the variance is a difference of near equals; from the other side it is not.
        return -tango_score(table.swap(), -null)
    b, c, n = table.only_a, table.only_b, sum(table)
    spread = null * (1 - null)
    middle = (2 * n - b + c) * null - b - c
    root = float(np.sqrt(middle**2 + 8 * n * c * spread))
    q = 2 * c * spread / (middle + root) if middle > 0 else (root - middle) / (4 * n)
    excess, variance = b - c - n * null, n * (2 * q + spread)
    if variance <= 0:
        return 0.0 if excess == 0 else float(np.copysign(1e9, excess))
    return float(excess / np.sqrt(variance))


def _tango(table: PairedTable) -> Confidence:
    def limits(level: float) -> tuple[float, float]:
        z, low, high = critical_value(level), table.gap, table.gap
        if low > -1:
            low = brentq(lambda d: tango_score(table, d) - z, -1.0, low, xtol=1e-16)
        if high < 1:
            high = brentq(lambda d: tango_score(table, d) + z, high, 1.0, xtol=1e-16)
        return low, high

    def tails(null: float) -> tuple[float, float]:
        z = tango_score(table, null)
        return float(ndtr(-z)), float(ndtr(z))

    error = table.standard_error
    return Confidence(standard_error=error, limits=limits, tails=tails, test="mcnemar_chi2")


def _newcombe(table: PairedTable) -> Confidence:
    n, gap = sum(table), table.gap
    p, q = (table.both + table.only_a) / n, (table.both + table.only_b) / n
    phi = (float(table.both) * table.neither - float(table.only_a) * table.only_b) / n
    spread = n * np.sqrt(p * (1 - p) * q * (1 - q))
    phi = (max(phi - 0.5, 0.0) if phi > 0 else phi) / spread if spread > 0 else 0.0

    def at(z: float) -> tuple[float, float]:
        (p_low, p_high), (q_low, q_high) = (
            effective_wilson_limits(share, n, z, (0.0, 1.0)) for share in (p, q)
        )
        return gap - joined(p - p_low, q_high - q), gap + joined(p_high - p, q - q_low)

    def joined(x: float, y: float) -> float:
        return float(np.sqrt(max(x**2 - 2 * phi * x * y + y**2, 0.0)))

    def tails(null: float) -> tuple[float, float]:
        side, z = int(null > gap), 0.0 if null == gap else FURTHEST
        if (at(FURTHEST)[side] - null) * (gap - null) < 0:
            z = brentq(lambda x: at(x)[side] - null, 0.0, FURTHEST)
        tail = float(ndtr(-z)), float(ndtr(z))
        return tail[::-1] if side else tail

    return Confidence(
        standard_error=table.standard_error,
        limits=lambda level: at(critical_value(level)),
        tails=tails,
        test="newcombe",
    )


def _shifted(key: str, added: float, cases: float) -> Callable[[PairedTable], Confidence]:
    """Return the Wald formula with ``added`` put on b and c, and ``cases`` on n."""

    def confidence(table: PairedTable) -> Confidence:
        b, c, n = table.only_a + added, table.only_b + added, sum(table) + cases
        made = from_error((b - c) / n, _paired_error(b, c, n), key)

        def limits(level: float) -> tuple[float, float]:
            low, high = made.limits(level)
            return (max(low, -1.0), min(high, 1.0)) if added else (low, high)

        return replace(made, standard_error=table.standard_error, limits=limits)

    return confidence


PAIRED_METHODS: dict[str, Callable[[PairedTable], Confidence]] = {
    "tango": _tango,
    "newcombe": _newcombe,
    "wald": _shifted("wald", 0.0, 0.0),
    "agresti_min": _shifted("agresti_min", 0.5, 2.0),
    "bonett_price": _shifted("bonett_price", 1.0, 2.0),
}


def paired_difference_interval(
    both: int,
    only_a: int,
    only_b: int,
    neither: int,
    *,
    method: str = "tango",
    confidence_level: float = 0.95,
) -> Interval:
    """Return the interval of the difference A - B of two proportions on the same cases.

    Tango: all differences that the score test does not reject. Newcombe: Wilson limits of both,
    combined with their correlation (method 10). Wald: from the paired standard error. Agresti-Min:
    Wald with 1/2 added to each cell; Bonett-Price: with 1 added to b and c, 2 to n. The last two
    are cut at -1 and 1. Limits that leave -1 to 1, were cut there, or miss the observed difference
    say so in ``notes``.

    Parameters
    ----------
    both, only_a, only_b, neither : int
        Cases that both models, only A, only B, or neither got right.
    method : str
        A key of ``PAIRED_METHODS``.
    confidence_level : float

    Raises
    ------
    ValueError
        If a count is no whole number of at least 0, the method unknown or the level not in (0, 1).

    References
    ----------
    Tango (1998), Statistics in Medicine 17, 891-908; Newcombe (1998), ibid. 2635-2650; Agresti, Min
    (2005), ibid. 24, 729-740; Bonett, Price (2012), J. Educational Behavioral Statistics 37, 479.
    """
    named = {"both": both, "only_a": only_a, "only_b": only_b, "neither": neither}
    table = PairedTable(*(check_whole(count, name) for name, count in named.items()))
    level = check_fraction(confidence_level, "confidence_level")
    chosen = PAIRED_METHODS[check_choice(method, PAIRED_METHODS, "method")]
    made = without_spread(NAN, method, "undefined: there are no cases")
    if sum(table):
        made = chosen(table)
    facts = {"name": "difference", "method": method, "n": sum(table), "unit": "cases"}
    found = made.interval(level, table.gap, **facts)
    return replace(found, notes=(*found.notes, *odd_limits(found)))


def odd_limits(found: Interval) -> Iterator[str]:
    """Yield what is odd about the limits of a difference of two proportions."""
    low, high = found.low, found.high
    if low < -1 or high > 1:
        yield "the limits leave the possible range of a difference, -1 to 1"
    if found.method in CUT and (low == -1 or high == 1):
        yield "the formula leaves the possible range of a difference; the limits are cut there"
    if low - SLACK > found.estimate or found.estimate > high + SLACK:
        yield "the interval does not hold the observed difference"
