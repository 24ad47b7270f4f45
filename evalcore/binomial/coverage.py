"""Exact coverage of the proportion intervals, by enumeration of every outcome."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import binom

from evalcore.binomial.intervals import proportion_limits
from evalcore.checks import check_whole
from evalcore.results import Coverage

BLOCK = 2_000_000


def exact_coverage(
    n: int,
    proportion: Any,
    *,
    method: str = "wilson",
    confidence_level: float = 0.95,
) -> Coverage:
    """Return how often the interval holds the truth, and its mean width, for every true proportion.

    Sums the binomial probability of each k from 0 to n whose interval holds the proportion: exact,
    without simulation. Over the 9,999 proportions 0.0001, 0.0002 ... 0.9999, Wilson at 95 % covers

    ====  =======  =============================  ======
    n     minimum  minimum between 0.05 and 0.95  mean
    ====  =======  =============================  ======
    10    0.8356   0.8934                         0.9541
    50    0.8392   0.9308                         0.9518
    360   0.8659   0.9388                         0.9504
    ====  =======  =============================  ======

    Parameters
    ----------
    n : int
        Number of cases, at least 1.
    proportion : float or array-like
        True proportions, 0 to 1.
    method : str
        A key of ``PROPORTION_METHODS``.
    confidence_level : float

    Returns
    -------
    Coverage
        With arrays in the shape of ``proportion``. Limits count as holding the truth.

    Raises
    ------
    ValueError
        If an argument is not allowed.

    References
    ----------
    Brown, Cai, DasGupta (2001), Statistical Science 16, 101-133.
    """
    n = check_whole(n, "n", least=1)
    truth = np.asarray(proportion, float)
    if not np.all((truth >= 0) & (truth <= 1)):
        raise ValueError(f"proportion must be from 0 to 1; got {proportion!r}")
    k = np.arange(n + 1.0)
    low, high = proportion_limits(k, n, method=method, confidence_level=confidence_level)
    points = truth.reshape(-1, 1)
    coverage, width = np.empty((2, len(points)))
    step = max(1, BLOCK // (n + 1))
    for start in range(0, len(points), step):
        p = points[start : start + step]
        probability = binom.pmf(k, n, p)
        coverage[start : start + step] = np.where((low <= p) & (p <= high), probability, 0).sum(1)
        width[start : start + step] = probability @ (high - low)
    return Coverage(
        coverage=coverage.reshape(truth.shape),
        expected_width=width.reshape(truth.shape),
        n=n,
        proportion=truth,
        method=method,
        confidence_level=float(confidence_level),
    )
