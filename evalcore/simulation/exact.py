"""Exact coverage along the number of cases, and read over a range of true proportions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import binom

from evalcore.binomial import proportion_limits
from evalcore.checks import check_fraction, check_proportion, check_whole
from evalcore.results import Coverage

# Outcomes in the tails that are less likely than this, together, are left out.
LEFT_OUT = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageRange:
    """Coverage over a range of true proportions.

    Attributes
    ----------
    minimum, at : float
        The lowest coverage, and the proportion that has it.
    mean, mean_width : float
        Of coverage and of width, every proportion of the range counting alike.
    """

    minimum: float
    at: float
    mean: float
    mean_width: float


def coverage_along_n(
    n: Any, proportion: float, *, method: str = "wilson", confidence_level: float = 0.95
) -> tuple[np.ndarray, np.ndarray]:
    """Return the coverage of one true proportion, and the mean width, at every number of cases.

    The saw-tooth: the outcomes that an interval holds change by whole cases, so that more cases can
    cover less. Sums binomial probabilities; outcomes in the tails below 1e-12 are left out.

    Parameters
    ----------
    n : array-like of int, shape (m,)
        Numbers of cases, at least 1 each.
    proportion : float
        From 0 to 1.
    method : str
        A key of ``PROPORTION_METHODS``.
    confidence_level : float

    Raises
    ------
    ValueError
        If an argument is not allowed.

    References
    ----------
    Brown, Cai, DasGupta (2001), Statistical Science 16, 101-133.
    """
    sizes = np.array([check_whole(size, "n", least=1) for size in np.atleast_1d(n)], np.int64)
    p = check_proportion(proportion, "proportion")
    level = check_fraction(confidence_level, "confidence_level")
    first = np.maximum(binom.ppf(LEFT_OUT / 2, sizes, p), 0).astype(np.int64)
    number = binom.isf(LEFT_OUT / 2, sizes, p).astype(np.int64) - first + 1
    starts = np.cumsum(number) - number
    each = np.repeat(sizes, number)
    k = np.arange(number.sum()) - np.repeat(starts - first, number)
    low, high = proportion_limits(k, each, method=method, confidence_level=level)
    probability = binom.pmf(k, each, p)
    coverage = np.add.reduceat(probability * ((low <= p) & (p <= high)), starts)
    return coverage, np.add.reduceat(probability * (high - low), starts)


def coverage_range(found: Coverage, ends: Sequence[float] = (0.0, 1.0)) -> CoverageRange:
    """Return the lowest and the mean coverage over the true proportions between two ends.

    Raises
    ------
    ValueError
        If no proportion lies between the ends.
    """
    low, high = ends
    inside = (found.proportion >= low) & (found.proportion <= high)
    if not inside.any():
        raise ValueError(f"ends must hold one of the proportions; got {low!r} to {high!r}")
    coverage = found.coverage[inside]
    place = int(np.argmin(coverage))
    return CoverageRange(
        minimum=float(coverage[place]),
        at=float(found.proportion[inside][place]),
        mean=float(coverage.mean()),
        mean_width=float(found.expected_width[inside].mean()),
    )
