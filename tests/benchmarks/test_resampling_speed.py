"""Speed of the resampling code, as ratios to the same work done by scikit-learn or scipy.

Reported, never asserted: run with ``pytest -m benchmark -s tests/benchmarks``.
"""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import f1_score

from evalcore.predictions import Predictions
from evalcore.resampling import mean_coverage, mean_draws, sampling_distribution
from evalcore.sufficient import cells
from tests.benchmarks.measuring import peak_megabytes, report, seconds

pytestmark = pytest.mark.benchmark


def labelled(n, classes=10):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, classes, n).astype(np.int32)
    said = np.where(rng.random(n) < 0.8, truth, rng.integers(0, classes, n)).astype(np.int32)
    return Predictions(
        name="labels",
        digest="",
        task="classification",
        truth=truth,
        outputs={"m": said},
        classes=tuple(map(str, range(classes))),
    )


def loop_of_scikit_learn(predictions, n_resamples):
    rng = np.random.default_rng(1)
    for _ in range(n_resamples):
        rows = rng.integers(0, predictions.n_rows, predictions.n_rows)
        f1_score(predictions.truth[rows], predictions.outputs["m"][rows], average="macro")


@pytest.mark.parametrize(("n", "looped"), [(1_000, 100), (1_000_000, 2)])
def test_bootstrap_of_macro_f1_against_a_loop_over_scikit_learn(record_property, n, looped):
    predictions = labelled(n)
    loop = seconds(lambda: loop_of_scikit_learn(predictions, looped), 1) * 2000 / looped
    counting = seconds(lambda: cells(predictions, "m"))
    ours = seconds(lambda: sampling_distribution(predictions, "macro_f1", n_resamples=2000, rng=1))
    report(
        record_property,
        cases=n,
        seconds=ours,
        seconds_of_counting=counting,
        seconds_after_the_counts=ours - counting,
        times_faster=loop / ours,
    )
    draws = sampling_distribution(predictions, "macro_f1", n_resamples=2000, rng=1)
    assert draws.mean() == pytest.approx(0.82, abs=0.05)


@pytest.mark.parametrize("n", [10_000, 1_000_000])
def test_bootstrap_of_mae_against_scipy(record_property, n):
    rng = np.random.default_rng(2)
    errors = np.abs(rng.standard_t(3, n))
    theirs = seconds(
        lambda: stats.bootstrap(
            (errors,),
            np.mean,
            n_resamples=100,
            batch=10,
            vectorized=True,
            method="percentile",
            rng=rng,
        ),
        1,
    )
    ours = seconds(lambda: mean_draws(errors, n_resamples=2000, rng=3))
    report(
        record_property,
        cases=n,
        seconds=ours,
        times_faster=theirs * 20 / ours,
        peak_megabytes=peak_megabytes(lambda: mean_draws(errors, n_resamples=2000, rng=3)),
    )
    draws = mean_draws(errors, n_resamples=2000, rng=3)
    assert draws.std() == pytest.approx(errors.std() / np.sqrt(n), rel=0.1)


def test_coverage_of_a_market_against_a_loop_over_scipy(record_property):
    market = np.abs(np.random.default_rng(4).standard_t(3, 600))
    rng = np.random.default_rng(5)

    def loop(sets):
        for _ in range(sets):
            sample = rng.choice(market, 600)
            stats.bootstrap(
                (sample,), np.mean, n_resamples=2000, vectorized=True, method="BCa", rng=rng
            )

    theirs = seconds(lambda: loop(10), 1) * 100
    everything = seconds(lambda: mean_coverage(market, rng=6), 2)
    percentile = seconds(lambda: mean_coverage(market, "percentile", rng=6), 2)
    report(
        record_property,
        seconds_of_all_methods=everything,
        seconds_of_percentile=percentile,
        times_faster=theirs / everything,
    )
    assert mean_coverage(market, "t", rng=6).held["t"] > 0.85
