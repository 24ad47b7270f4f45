"""Tests of counts: McNemar's for two models' correctness, Bowker's for a table of their labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import binom, binomtest, chi2

from evalcore.checks import check_choice, check_whole
from evalcore.results import HypothesisTest


def _midp(b: int, c: int) -> float:
    fewer = min(b, c)
    tail = binom.cdf(fewer, b + c, 0.5) - binom.pmf(fewer, b + c, 0.5) / 2
    return 1.0 if b == c else 2 * tail


MCNEMAR_TESTS: dict[str, Callable[[int, int], float]] = {
    "exact": lambda b, c: binomtest(b, b + c, 0.5).pvalue,
    "midp": _midp,
    "chi2": lambda b, c: chi2.sf((b - c) ** 2 / (b + c), 1),
    # The correction never moves the gap past 0.
    "chi2_corrected": lambda b, c: chi2.sf(max(abs(b - c) - 1, 0) ** 2 / (b + c), 1),
}


def mcnemar_test(only_a: Any, only_b: Any = None, *, method: str = "exact") -> float:
    """Return the two-sided p-value of McNemar's test that A and B are right equally often.

    "exact": the binomial probability of a split at least as uneven as only_a to only_b. "midp":
    counts half of the probability of the split itself. "chi2": (b - c)^2 / (b + c) on one degree of
    freedom. "chi2_corrected": with |b - c| - 1, not below 0.

    Parameters
    ----------
    only_a, only_b : int
        Cases that only A, and only B, got right. P is 1 when they are equal, both 0 included.
    method : {"exact", "midp", "chi2", "chi2_corrected"}

    Raises
    ------
    ValueError
        If a table is given in place of the two counts, a count is no whole number of at least 0, or
        the method is unknown.

    References
    ----------
    McNemar (1947), Psychometrika 12, 153-157; Edwards (1948), Psychometrika 13, 185-187; Fagerland,
    Lydersen, Laake (2013), BMC Medical Research Methodology 13, 91.
    """
    if np.ndim(only_a) > 0 or only_b is None:
        raise ValueError(
            "only_a and only_b must be two counts, cases that only one model got right; got "
            f"{'a table' if np.ndim(only_a) else 'one number'}. A table of two models' labels does "
            "not say who was right: that takes the truth. bowker_test asks whether it is symmetric"
        )
    b, c = check_whole(only_a, "only_a"), check_whole(only_b, "only_b")
    chosen = MCNEMAR_TESTS[check_choice(method, MCNEMAR_TESTS, "method")]
    return float(chosen(b, c)) if b + c else 1.0


def bowker_test(table: Any) -> HypothesisTest:
    """Return Bowker's test that a K x K table of two models' labels is symmetric.

    The sum of ``(n_ij - n_ji)^2 / (n_ij + n_ji)`` over the pairs i < j that occur, each a degree of
    freedom. It asks whether the models confuse classes the same way round, not which is right.

    Parameters
    ----------
    table : array-like of int, shape (K, K)
        Cases that the first model labelled i and the second j.

    Raises
    ------
    ValueError
        Unless the table is square, of at least two classes, and holds whole numbers from 0.

    References
    ----------
    Bowker (1948), A test for symmetry in contingency tables, JASA 43, 572-574.
    """
    counts = np.asarray(table, float)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or len(counts) < 2:
        raise ValueError(f"table must be square, at least 2 x 2; got shape {counts.shape}")
    if not np.all((counts >= 0) & (counts == np.floor(counts))):
        raise ValueError("table must hold whole numbers of at least 0")
    upper = np.triu_indices(len(counts), 1)
    total, gap = (counts + counts.T)[upper], (counts - counts.T)[upper]
    degrees = int((total > 0).sum())
    statistic = float(np.sum(gap**2 / np.maximum(total, 1)))
    p_value = float(chi2.sf(statistic, degrees)) if degrees else 1.0
    return HypothesisTest(method="bowker", p_value=p_value, statistic=statistic, degrees=degrees)
