"""How often the default interval of each family holds the known truth of a market.

Every test draws samples with a fixed seed and allows three Monte Carlo errors; where the truth is
held less often than promised, the shortfall stands in the docstrings and its size is pinned here.
"""

import numpy as np
import pytest
from scipy.special import ndtr

from evalcore.intervals import metric_interval
from evalcore.metrics import METRICS, Margins
from evalcore.predictions import make_predictions
from evalcore.sufficient import count_value

LEVEL = 0.95
THREE = np.array([[0.45, 0.03, 0.02], [0.02, 0.26, 0.02], [0.02, 0.02, 0.16]])
RARE = np.array([[0.93, 0.03], [0.01, 0.03]])


def coverage(draw, truth, key, *, samples=250, **options):
    rng = np.random.default_rng(20_260_101)
    made = [metric_interval(draw(rng), key, "m", **options) for _ in range(samples)]
    return float(np.mean([one.low <= truth <= one.high for one in made]))


def assert_near(found, samples=250, *, least=LEVEL, most=LEVEL):
    error = np.sqrt(LEVEL * (1 - LEVEL) / samples)
    assert least - 3 * error <= found <= min(most + 3 * error, 1.0)


def tables(shares, n):
    size = len(shares)
    truth, said = np.divmod(np.arange(size * size), size)
    names = [str(code) for code in range(size)]

    def draw(rng):
        counts = rng.multinomial(n, shares.ravel())
        return make_predictions(
            truth, {"m": said}, counts=counts, classes=names, positive=names[-1]
        )

    return draw


def errors(sampler):
    def draw(rng):
        values = sampler(rng)
        return make_predictions(np.zeros(len(values)), {"m": values}, task="regression")

    return draw


@pytest.mark.parametrize("key", ["f1", "macro_f1", "balanced_accuracy", "mcc", "weighted_f1"])
def test_functions_of_the_counts(key):
    truth = float(count_value(METRICS[key], Margins.of(THREE), 2))
    # Logit limits of few cases are a little wide.
    assert_near(coverage(tables(THREE, 100), truth, key), most=0.97)


def test_a_balanced_accuracy_of_few_positives():
    truth = float(count_value(METRICS["balanced_accuracy"], Margins.of(RARE), 1))
    found = coverage(tables(RARE, 100), truth, "balanced_accuracy")
    naive = coverage(tables(RARE, 100), truth, "balanced_accuracy", method="delta")
    assert_near(found, least=0.90)
    assert naive < 0.7


def ten_classes(rare, recall):
    """Return shares of ten classes found with recall 0.85, the last one rare and with its own."""
    often = np.append(np.full(9, (1 - rare) / 9), rare)
    found = np.append(np.full(9, 0.85), recall)
    shares = np.outer(often * (1 - found) / 9, np.ones(10))
    np.fill_diagonal(shares, often * found)
    return shares


@pytest.mark.parametrize(
    ("shares", "n", "least", "most"),
    [(ten_classes(0.01, 0.6), 300, 0.95, 0.963), (ten_classes(0.1, 0.85), 200, 0.94, 0.95)],
)
def test_a_macro_f1_of_ten_classes(shares, n, least, most):
    truth = float(count_value(METRICS["macro_f1"], Margins.of(shares), 0))
    assert_near(coverage(tables(shares, n), truth, "macro_f1"), least=least, most=most)
    if n == 300:
        assert coverage(tables(shares, n), truth, "macro_f1", method="delta") < 0.9


@pytest.mark.parametrize(
    ("key", "truth", "sampler"),
    [
        ("mae", np.sqrt(2 / np.pi), lambda rng: rng.normal(size=60)),
        ("mean_error", 0.3, lambda rng: rng.normal(0.3, 1, size=60)),
        ("rmse", 1.0, lambda rng: rng.normal(size=60)),
        ("median_absolute_error", 1.0, lambda rng: rng.lognormal(size=60)),
    ],
)
def test_means_and_medians(key, truth, sampler):
    assert_near(coverage(errors(sampler), truth, key), most=0.965)


def test_a_mean_of_long_tails_falls_short_as_written():
    found = coverage(errors(lambda rng: rng.lognormal(size=50)), np.exp(0.5), "mae", samples=600)
    assert_near(found, 600, least=0.899, most=0.899)


def test_r_squared():
    def draw(rng):
        truth = rng.normal(size=80)
        said = truth + rng.normal(0, 0.6, size=80)
        return make_predictions(truth, {"m": said}, task="regression")

    assert_near(coverage(draw, 0.64, "r_squared"), least=0.94)


def ranked(n):
    def draw(rng):
        truth = (rng.random(n) < 0.3).astype(int)
        scores = rng.normal(size=n) + 1.2 * truth
        return make_predictions(truth, {}, scores={"m": scores}, classes=[0, 1], positive="1")

    return draw


def test_an_auc():
    assert_near(coverage(ranked(80), ndtr(1.2 / np.sqrt(2)), "auc"), most=0.96)


@pytest.mark.parametrize(
    # The truths are the values of one sample of 2,000,000 cases.
    ("key", "truth"),
    [("average_precision", 0.6475), ("recall_at_fpr", 0.3278)],
)
def test_ranks_without_a_formula(key, truth):
    found = coverage(ranked(120), truth, key, samples=120, n_resamples=199)
    assert_near(found, 120, least=0.92)


@pytest.mark.parametrize(
    ("clusters", "rate", "alike"), [(12, 0.8, 0.3), (30, 0.9, 0.2), (60, 0.97, 0.2)]
)
def test_clustered_proportions(clusters, rate, alike):
    odds = (1 - alike) / alike

    def draw(rng):
        sizes = rng.integers(2, 9, clusters)
        right = rng.binomial(sizes, rng.beta(rate * odds, (1 - rate) * odds, clusters))
        return make_predictions(
            None,
            {"m": np.tile([1, 0], clusters)},
            task="score",
            groups=np.repeat(np.arange(clusters), 2),
            counts=np.stack([right, sizes - right], axis=1).ravel(),
        )

    assert_near(coverage(draw, rate, "mean_score"), least=0.94, most=0.97)
    assert coverage(draw, rate, "mean_score", by_group=False) < 0.9


def test_a_calibrated_model_is_never_seen_to_be_one_and_the_note_says_so():
    def draw(rng):
        stated = rng.beta(2, 2, 200)
        truth = (rng.random(200) < stated).astype(int)
        return make_predictions(truth, {}, scores={"m": stated}, classes=[0, 1], positive="1")

    made = [
        metric_interval(draw(np.random.default_rng(s)), "calibration_error", "m") for s in range(60)
    ]
    assert np.mean([one.low > 0.005 for one in made]) > 0.7
    floors = [float(one.notes[0].split("about ")[1].split()[0]) for one in made]
    assert np.mean(floors) == pytest.approx(np.mean([one.estimate for one in made]), rel=0.1)
