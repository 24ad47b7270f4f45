"""Many tests of nothing: how often a batch of them holds a small p-value all the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtr

from evalcore.checks import as_generator, check_counts, check_fraction, check_values, check_whole
from evalcore.comparison import adjust_p_values
from evalcore.resampling import draw_sums


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Batches:
    """P-values of batches of tests whose null hypothesis is true.

    Attributes
    ----------
    p_values : ndarray, shape (n_batches, tests)
        In order of drawing.
    smallest_adjusted : ndarray, shape (n_batches,)
        The smallest p-value of each batch after Holm's correction for the number of tests.
    significance : float
    """

    p_values: np.ndarray
    smallest_adjusted: np.ndarray
    significance: float

    @property
    def smallest(self) -> np.ndarray:
        """The smallest p-value of each batch, shape (n_batches,)."""
        return self.p_values.min(axis=1)

    @property
    def share_below(self) -> float:
        """Share of all tests that look significant."""
        return float(np.mean(self.p_values < self.significance))

    @property
    def any_below(self) -> float:
        """Share of batches in which at least one test looks significant."""
        return float(np.mean(self.smallest < self.significance))

    @property
    def any_after_holm(self) -> float:
        """Share of batches in which at least one test is significant after Holm's correction."""
        return float(np.mean(self.smallest_adjusted < self.significance))

    @property
    def expected_any(self) -> float:
        """Chance of at least one in independent tests: 1 - (1 - significance)^tests."""
        return float(1.0 - (1.0 - self.significance) ** self.p_values.shape[1])


def null_batches(
    tests: int,
    differences: Any = None,
    *,
    counts: Any = None,
    n_batches: int = 1000,
    significance: float = 0.05,
    rng: Any = None,
) -> Batches:
    """Return the p-values of batches of t tests of a difference that is not there.

    Each test looks at a resample of the differences with their mean taken off, so that their spread
    is kept and the gap is gone. Without differences, those are normal, for which the p-value of a t
    test is uniform from 0 to 1 whatever the number of cases, and is drawn as such.

    Parameters
    ----------
    tests : int
        Tests in a batch.
    differences : array-like of float, shape (n,), optional
        One per case, such as error of A minus error of B.
    counts : array-like of int, shape (n,), optional
        How often each difference occurs.
    n_batches : int
    significance : float
    rng : None, int or numpy.random.Generator

    Raises
    ------
    ValueError
        If an argument is not allowed, or fewer than two differences or equal ones are given.
    """
    number = check_whole(tests, "tests", least=1)
    batches = check_whole(n_batches, "n_batches", least=1)
    alpha = check_fraction(significance, "significance")
    generator = as_generator(rng)
    if differences is None:
        p_values = generator.random(batches * number)
    else:
        values = check_values(differences, "differences")
        weights = check_counts(counts, len(values))
        weights = np.ones(len(values), np.int64) if weights is None else weights
        values, weights = values[weights > 0], weights[weights > 0]
        if len(values) < 2 or not np.isfinite(values).all() or np.ptp(values) == 0:
            raise ValueError("differences must be at least two finite numbers that are not equal")
        p_values = _t_tests(values, weights, batches * number, generator)
    p_values = p_values.reshape(batches, number)
    return Batches(
        p_values=p_values,
        smallest_adjusted=np.array([adjust_p_values(batch).min() for batch in p_values]),
        significance=alpha,
    )


def _t_tests(
    values: np.ndarray, counts: np.ndarray, tests: int, rng: np.random.Generator
) -> np.ndarray:
    n = counts.sum()
    centred = values - values @ counts / n
    total, square = draw_sums(np.column_stack([centred, centred**2]), counts, tests, rng).T
    spread = np.maximum(square - total**2 / n, 0.0)
    # A resample of one value again and again has no spread but rounding, and says nothing.
    spread[spread <= 1e-12 * square] = 0.0
    with np.errstate(invalid="ignore", divide="ignore"):
        statistic = total / np.sqrt(n * spread / (n - 1.0))
    return np.where(spread > 0, 2.0 * stdtr(n - 1.0, -np.abs(statistic)), 1.0)
