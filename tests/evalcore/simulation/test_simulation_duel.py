"""Which of two models wins: against full enumeration, and against the published table."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import binomtest, multinomial, multivariate_normal, norm

from evalcore.simulation import DuelCells, share_error, shared_difficulty_cells, which_wins

# Percent of 2,000 simulated test sets, numpy default_rng(3), two models right on 90 and 91 percent
# with difficulty shared at a noise of 0.5: same set, separate sets, paired test, intervals apart.
TABLE = {
    200: (63, 60, 5, 0),
    500: (76, 68, 8, 0),
    1_000: (84, 76, 16, 0),
    2_000: (94, 86, 30, 1),
    5_000: (99, 95, 65, 6),
    10_000: (100, 99, 93, 30),
    20_000: (100, 100, 100, 82),
}
REPEATS = 2_000
SHARED = 1 / (1 + 0.5**2)


@pytest.mark.parametrize(
    ("a", "b", "correlation"),
    [(0.9, 0.91, 0.8), (0.5, 0.6, 0.99), (0.3, 0.8, 0.5), (0.9, 0.9, 0.0), (0.99, 0.995, 0.9)],
)
def test_cells_are_those_of_a_bivariate_normal(a, b, correlation):
    cells = shared_difficulty_cells(a, b, correlation)
    joint = multivariate_normal([0, 0], [[1, correlation], [correlation, 1]])
    assert cells.both == pytest.approx(joint.cdf(norm.ppf([a, b])), abs=1e-8)
    assert cells.both + cells.only_a == pytest.approx(a)
    assert cells.gap == pytest.approx(b - a)
    assert cells.both + cells.only_a + cells.only_b + cells.neither == pytest.approx(1)


def test_cells_of_the_published_pair():
    # By the bivariate normal distribution: the two differ on 8.4494 percent of cases.
    cells = shared_difficulty_cells(0.9, 0.91, SHARED)
    assert cells.disagreement == pytest.approx(0.084494, abs=5e-7)
    assert cells.gap == pytest.approx(0.01)


def test_fully_shared_difficulty_nests_the_models():
    cells = shared_difficulty_cells(0.8, 0.9, 1.0)
    assert cells.only_a == 0
    assert cells.only_b == pytest.approx(0.1)
    near = shared_difficulty_cells(0.8, 0.9, 0.9999)
    assert near.both == pytest.approx(cells.both, abs=1e-4)


@pytest.mark.parametrize("n", TABLE)
def test_the_published_table_is_within_its_monte_carlo_error(n):
    duel = which_wins(n, shared_difficulty_cells(0.9, 0.91, SHARED))
    exact = (duel.same_set, duel.separate_sets, duel.paired_test, duel.disjoint)
    for value, percent in zip(exact, TABLE[n], strict=True):
        # Half a percent of rounding and four errors of 2,000 repeats.
        assert 100 * value == pytest.approx(percent, abs=0.5 + 400 * share_error(value, REPEATS))


@pytest.mark.parametrize(
    "cells",
    [
        DuelCells(both=0.5, only_a=0.1, only_b=0.3, neither=0.1),
        DuelCells(both=0.1, only_a=0.2, only_b=0.2, neither=0.5),
        shared_difficulty_cells(0.4, 0.9, 0.6),
    ],
)
@pytest.mark.parametrize("n", [1, 5, 14])
def test_every_share_is_that_of_all_outcomes_listed_one_by_one(n, cells):
    z = norm.ppf(0.9)
    same = tied = paired = disjoint = 0.0
    shares = [cells.both, cells.only_a, cells.only_b, cells.neither]
    for both, a, b in product(range(n + 1), repeat=3):
        if both + a + b > n:
            continue
        chance = multinomial.pmf([both, a, b, n - both - a - b], n, shares)
        same += chance * (b > a)
        tied += chance * (b == a)
        if a + b:
            paired += chance * (b > a and binomtest(b, a + b).pvalue < 0.2)
        score = np.array([both + a, both + b]) / n
        half = z * np.sqrt(score * (1 - score) / n)
        disjoint += chance * (score[1] - half[1] > score[0] + half[0])
    duel = which_wins(n, cells, confidence_level=0.8)
    found = (duel.same_set, duel.tied, duel.paired_test, duel.disjoint)
    assert found == pytest.approx((same, tied, paired, disjoint), abs=1e-9)
    right = np.arange(n + 1)
    pa, pb = (
        multinomial.pmf(np.column_stack([right, n - right]), n, [p, 1 - p])
        for p in (cells.both + cells.only_a, cells.both + cells.only_b)
    )
    separate = sum(pa[i] * pb[j] for i, j in product(right, right) if j > i)
    assert duel.separate_sets == pytest.approx(separate, abs=1e-9)


def test_one_set_for_both_beats_separate_sets():
    cells = shared_difficulty_cells(0.8, 0.83, 0.7)
    for n in (100, 1_000, 4_000):
        duel = which_wins(n, cells)
        assert duel.same_set > duel.separate_sets
        assert duel.paired_test > duel.disjoint


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="B at least as accurate"):
        which_wins(10, DuelCells(both=0.5, only_a=0.3, only_b=0.1, neither=0.1))
    with pytest.raises(ValueError, match="correlation must be from 0 to 1"):
        shared_difficulty_cells(0.8, 0.9, 1.2)
    with pytest.raises(ValueError, match="accuracy_a must be strictly between"):
        shared_difficulty_cells(1.0, 0.9, 0.2)
