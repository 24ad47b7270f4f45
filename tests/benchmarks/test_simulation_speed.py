"""Speed of the simulators, beside the plain loops that they stand for.

Reported, never asserted: run with ``pytest -m benchmark -s tests/benchmarks``.
"""

import numpy as np
import pytest
from scipy.stats import binom

from evalcore.binomial import PROPORTION_METHODS, exact_coverages, proportion_limits
from evalcore.predictions import make_predictions
from evalcore.resampling import mean_coverage
from evalcore.simulation import (
    ShareWorld,
    join_piles,
    market_coverage,
    pile_block,
    shared_difficulty_cells,
    which_wins,
)
from tests.benchmarks.measuring import report, seconds

pytestmark = pytest.mark.benchmark


def plain_coverage(n, shares):
    """Return the coverage of every method at every true share, each enumerated alone."""
    k = np.arange(n + 1.0)
    found = []
    for method in PROPORTION_METHODS:
        low, high = proportion_limits(k, n, method=method)
        inside = (low <= shares[:, None]) & (shares[:, None] <= high)
        found.append((binom.pmf(k, n, shares[:, None]) * inside).sum(axis=1))
    return found


def test_exact_coverage_of_every_method(record_property):
    shares = np.linspace(0, 1, 1_001)
    plain = []
    theirs = seconds(lambda: plain.extend(plain_coverage(2_000, shares)), 1)
    ours = []
    mine = seconds(lambda: ours.extend(exact_coverages(2_000, shares, PROPORTION_METHODS)), 1)
    for found, expected in zip(ours, plain, strict=True):
        assert found.coverage == pytest.approx(expected, abs=1e-9)
    report(record_property, seconds=mine, plain_seconds=theirs, plain_over_ours=theirs / mine)


def test_piles_markets_and_duels(record_property):
    world = ShareWorld(truth=0.9)
    errors = np.random.default_rng(1).lognormal(size=600)
    cells = shared_difficulty_cells(0.9, 0.91, 0.8)
    truth = np.random.default_rng(2).integers(0, 5, 600)
    said = np.where(np.random.default_rng(3).random(600) < 0.8, truth, (truth + 1) % 5)
    predictions = make_predictions(truth, {"m": said})
    figures = {
        "pile_of_500": seconds(
            lambda: join_piles([pile_block(world, 100, b, method="wilson") for b in range(6)], 500)
        ),
        "market_of_1000_sets": seconds(lambda: mean_coverage(errors, n_resamples=2_000, rng=1)),
        "market_of_macro_f1": seconds(lambda: market_coverage(predictions, "macro_f1", "m", rng=1)),
        "duel_of_20000_cases": seconds(lambda: which_wins(20_000, cells)),
    }
    report(record_property, **figures)
