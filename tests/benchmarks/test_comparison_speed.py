"""Speed of the comparisons, as ratios to the same work done by scipy or numpy in the same run.

Reported, never asserted: run with ``pytest -m benchmark -s tests/benchmarks``.
"""

import numpy as np
import pytest
from scipy.stats import permutation_test

from evalcore.comparison import compare_models, sign_flip_test
from evalcore.predictions import make_predictions
from tests.benchmarks.measuring import peak_megabytes, report, seconds

pytestmark = pytest.mark.benchmark


def test_paired_bootstrap_of_an_accuracy_gap(record_property):
    counts = [880_000, 41_000, 32_000, 47_000]
    rows = {"a": ["x", "x", "y", "y"], "b": ["x", "y", "x", "y"]}
    table = make_predictions(["x"] * 4, rows, counts=counts)
    gaps = np.repeat([0, 1, -1, 0], counts).astype(np.int8)

    def loop(resamples=10):
        rng = np.random.default_rng(0)
        return [gaps[rng.integers(0, 1_000_000, 1_000_000)].mean() for _ in range(resamples)]

    def ours():
        return compare_models(table, "accuracy", "a", "b", method="percentile", n_resamples=2_000)

    taken = seconds(ours, 5)
    report(
        record_property,
        cases=1e6,
        resamples=2_000,
        milliseconds_after_the_counts=1_000 * taken,
        times_faster=seconds(loop, 1) * 200 / taken,
    )
    assert ours().difference.estimate == pytest.approx(0.009)


def test_sign_flips(record_property):
    rng = np.random.default_rng(0)
    values = rng.lognormal(0, 1, 100_000) * rng.choice([-1, 1], 100_000) + 0.01

    def theirs(n_resamples=200):
        return permutation_test(
            (values,), np.sum, permutation_type="samples", vectorized=True, batch=100,
            n_resamples=n_resamples, rng=1,
        )  # fmt: skip

    def ours():
        return sign_flip_test(values, n_resamples=10_000, rng=1)

    taken, loop = seconds(ours), seconds(theirs, 1) * 10_000 / 200
    found, right = ours(), theirs(2_000)
    report(
        record_property,
        cases=1e5,
        resamples=10_000,
        seconds=taken,
        times_faster=loop / taken,
        peak_megabytes=peak_megabytes(ours),
        p_value=found.p_value,
        p_of_scipy=float(right.pvalue),
    )
    assert found.p_value == pytest.approx(right.pvalue, abs=5 * (0.25 / 2_000) ** 0.5)
