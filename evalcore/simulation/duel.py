"""Which of two models wins: on the same cases, on separate ones, by a test, by eye."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtrc, ndtr, ndtri
from scipy.stats import binom

from evalcore.binomial import proportion_limits
from evalcore.checks import check_fraction, check_proportion, check_whole
from evalcore.sizing import mcnemar_power

NODES = 128
# Standard deviations of a count beyond which outcomes are left out; together below 1e-10.
REACH = 6.8
NEGLIGIBLE = 1e-14


@dataclass(frozen=True, slots=True, kw_only=True)
class DuelCells:
    """Shares of cases by which of two models is right.

    Attributes
    ----------
    both, only_a, only_b, neither : float
        Sum to 1.
    """

    both: float
    only_a: float
    only_b: float
    neither: float

    @property
    def disagreement(self) -> float:
        """Share of cases on which exactly one of the two is right."""
        return self.only_a + self.only_b

    @property
    def gap(self) -> float:
        """Accuracy of B minus that of A."""
        return self.only_b - self.only_a


@dataclass(frozen=True, slots=True, kw_only=True)
class Duel:
    """How often a test set of n cases finds that B is better than A.

    Attributes
    ----------
    n : int
    same_set : float
        B measures higher when both answer the same cases.
    tied : float
        Both measure the same on the same cases.
    separate_sets : float
        B measures higher when each has n cases of its own.
    paired_test : float
        McNemar's exact test is significant in favour of B.
    disjoint : float
        The two normal intervals do not overlap, B's lying higher.
    """

    n: int
    same_set: float
    tied: float
    separate_sets: float
    paired_test: float
    disjoint: float


def shared_difficulty_cells(accuracy_a: float, accuracy_b: float, correlation: float) -> DuelCells:
    """Return who is right how often when the difficulty of a case is partly shared.

    Each model is right when difficulty plus its own noise, standard normal in sum, is below a
    threshold; the sums of the two models have a correlation. "Both right" is then a bivariate
    normal probability: the product of the accuracies plus the integral of the density over the
    correlation from 0 up (Plackett), by Gauss-Legendre quadrature on its arc sine. Noise of
    standard deviation s beside a difficulty of 1 makes the correlation 1 / (1 + s^2).

    Parameters
    ----------
    accuracy_a, accuracy_b : float
        Strictly between 0 and 1.
    correlation : float
        0: no shared difficulty; 1: the weaker model is right only where the better one is.

    Raises
    ------
    ValueError
        If an argument is not allowed.

    References
    ----------
    Plackett (1954), Biometrika 41, 351-360; Drezner, Wesolowsky (1990), Journal of Statistical
    Computation and Simulation 35, 101-107.
    """
    a, b = check_fraction(accuracy_a, "accuracy_a"), check_fraction(accuracy_b, "accuracy_b")
    rho = check_proportion(correlation, "correlation")
    h, k = ndtri(a), ndtri(b)
    if rho == 1.0:
        both = min(a, b)
    else:
        nodes, weights = np.polynomial.legendre.leggauss(NODES)
        half = np.arcsin(rho) / 2.0
        sine = np.sin(half * (nodes + 1.0))
        exponent = (h * h + k * k - 2.0 * h * k * sine) / (2.0 * (1.0 - sine**2))
        both = float(ndtr(h) * ndtr(k) + half * (weights @ np.exp(-exponent)) / (2.0 * np.pi))
    return DuelCells(both=both, only_a=a - both, only_b=b - both, neither=1.0 - a - b + both)


def which_wins(n: int, cells: DuelCells, *, confidence_level: float = 0.95) -> Duel:
    """Return how often B is found better, exactly, by enumeration of the outcomes.

    Parameters
    ----------
    n : int
        Cases of a test set.
    cells : DuelCells
        B must be at least as accurate as A.
    confidence_level : float
        Of the intervals; the test is two-sided at 1 - confidence_level.

    Raises
    ------
    ValueError
        If an argument is not allowed.
    """
    size = check_whole(n, "n", least=1)
    level = check_fraction(confidence_level, "confidence_level")
    if cells.gap < -1e-12:
        raise ValueError(f"cells must make B at least as accurate as A; got a gap of {cells.gap:g}")
    same, tied = _same_set(size, cells)
    # The two-sided exact test in favour of B is the one-sided test at half the significance.
    gap = min(max(cells.gap, 0.0), cells.disagreement)
    paired = mcnemar_power(
        size,
        cells.disagreement,
        gap,
        significance=(1.0 - level) / 2.0,
        alternative="one-sided",
    )
    return Duel(
        n=size,
        same_set=same,
        tied=tied,
        separate_sets=_separate_sets(size, cells),
        paired_test=paired,
        disjoint=_disjoint(size, cells, level),
    )


def _window(n: int | np.ndarray, p: float) -> np.ndarray:
    """Return the outcomes of a binomial but for the farthest tails, one row per n."""
    size = np.atleast_1d(np.asarray(n, float))
    reach = np.ceil(REACH * np.sqrt(size * p * (1.0 - p)) + REACH**2 / 3.0)
    low = np.maximum(np.floor(size * p - reach), 0.0)
    high = np.minimum(np.ceil(size * p + reach), size)
    return low[:, None] + np.arange((high - low).max() + 1.0)


def _same_set(n: int, cells: DuelCells) -> tuple[float, float]:
    d = cells.disagreement
    if d <= 0.0:
        return 0.0, 1.0
    m = _window(n, d)[0]
    weight = binom.pmf(m, n, d)
    wins = binom.sf(np.floor(m / 2.0), m, cells.only_b / d)
    even = np.where(m % 2 == 0, binom.pmf(m // 2, m, cells.only_b / d), 0.0)
    return float(weight @ wins), float(weight @ even)


def _separate_sets(n: int, cells: DuelCells) -> float:
    a, b = cells.both + cells.only_a, cells.both + cells.only_b
    k = _window(n, a)[0]
    return float(binom.pmf(k, n, a) @ binom.sf(k, n, b))


def _disjoint(n: int, cells: DuelCells, level: float) -> float:
    """Return how often B's interval lies above A's: over what A got right, and B got of that."""
    low, high = proportion_limits(np.arange(n + 1.0), n, method="wald", confidence_level=level)
    # Below 0 the lower Wald limit is not monotone, but there it cannot lie above another interval.
    low = np.maximum.accumulate(np.maximum(low, 0.0))
    accuracy_a = cells.both + cells.only_a
    right_a = _window(n, accuracy_a)[0]
    weight = binom.pmf(right_a, n, accuracy_a)
    needed = np.searchsorted(low, high[right_a.astype(int)], side="right").astype(float)
    share_both = cells.both / accuracy_a
    share_only_b = cells.only_b / (1.0 - accuracy_a)
    both = _window(right_a, share_both)
    mass = weight[:, None] * binom.pmf(both, right_a[:, None], share_both)
    place, column = np.nonzero(mass > NEGLIGIBLE)
    only_b = needed[place] - both[place, column]
    wrong = (n - right_a[place]).astype(np.int64)
    # P(X >= only_b), where nothing more is needed certain and more than there are impossible.
    beyond = bdtrc(np.clip(only_b - 1.0, -1.0, wrong), wrong, share_only_b)
    return float(mass[place, column] @ beyond)
