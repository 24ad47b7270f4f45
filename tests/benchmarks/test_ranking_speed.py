"""Speed of the ranking code, as ratios to the same work done by scikit-learn or numpy.

Reported, never asserted: run with ``pytest -m benchmark -s tests/benchmarks``.
"""

import tracemalloc

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from evalcore.ranking import auc, delong_covariance, rank_draws
from tests.benchmarks.measuring import report, seconds

pytestmark = pytest.mark.benchmark


def scored(n):
    rng = np.random.default_rng(0)
    truth = rng.random(n) < 0.3
    return truth, rng.normal(size=n) + truth


def loop_of_scikit_learn(truth, scores, n_resamples):
    rng = np.random.default_rng(1)
    for _ in range(n_resamples):
        rows = rng.integers(0, truth.size, truth.size)
        roc_auc_score(truth[rows], scores[rows])


@pytest.mark.parametrize(
    ("n", "n_resamples", "looped"), [(10_000, 2_000, 100), (1_000_000, 200, 3)]
)
def test_bootstrap_of_auc_against_a_loop_over_scikit_learn(record_property, n, n_resamples, looped):
    truth, scores = scored(n)
    loop = seconds(lambda: loop_of_scikit_learn(truth, scores, looped), 1) * n_resamples / looped
    drawn = []
    ours = seconds(
        lambda: drawn.append(rank_draws(truth, [scores], "auc", n_resamples=n_resamples, rng=1))
    )
    tracemalloc.start()
    rank_draws(truth, [scores], "auc", n_resamples=n_resamples, rng=1)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    error = np.sqrt(delong_covariance(truth, [scores]).covariance[0, 0])
    values = drawn[0].values[:, 0]
    report(
        record_property,
        cases=n,
        resamples=n_resamples,
        seconds=ours,
        times_faster=loop / ours,
        peak_megabytes=peak,
        binning_error=float(drawn[0].binning_error[0]),
        spread_over_delong=float(values.std() / error),
    )
    assert values.mean() == pytest.approx(auc(truth, scores), abs=5 * error / n_resamples**0.5)


@pytest.mark.parametrize("ties", [False, True])
def test_delong_against_one_sort(record_property, ties):
    truth, scores = scored(1_000_000)
    scores = np.round(scores, 2) if ties else scores
    sort = seconds(lambda: np.argsort(scores))
    ours = seconds(lambda: delong_covariance(truth, [scores]))
    report(record_property, ties=float(ties), seconds=ours, times_one_sort=ours / sort)
    assert np.isfinite(delong_covariance(truth, [scores]).covariance).all()
