import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from evalcore.binomial import PROPORTION_METHODS, exact_coverage
from evalcore.resampling import (
    MEAN_METHODS,
    mean_coverage,
    proportion_coverage,
)

REFERENCE = Path(__file__).parents[1] / "reference"


def errors_of(name):
    table = np.genfromtxt(REFERENCE / f"{name}.csv", delimiter=",", names=True)
    return np.abs(table["linear"] - table["true_price"])


def difference_error(share, *sizes):
    """Return the Monte Carlo error of a difference of two such shares."""
    return np.sqrt(share * (1 - share) * sum(1 / size for size in sizes))


@pytest.mark.parametrize("name", ["listings_errors", "listings_lesson_moments"])
@pytest.mark.parametrize("key", ["600", "100", "without_six_600", "without_six_100"])
def test_coverage_of_listing_errors(name, key):
    # Of 1,000 sets of a plain loop, numpy 2.4.6 default_rng(42): how many percentile intervals held
    # the market's mean, and how many the next set's mean.
    file = "listings.json" if name == "listings_errors" else "listings_lesson_moments.json"
    held, held_next = json.loads((REFERENCE / file).read_text())["coverage_linear"][key]
    market = np.sort(errors_of(name))
    if "without_six" in key:
        market = market[:-6]
    n = int(key.rpartition("_")[2])
    found = mean_coverage(market, "percentile", n=n, n_resamples=400, rng=1)
    assert found.market_value == pytest.approx(market.mean())
    for share, expected in (
        (found.held["percentile"], held / 1000),
        (found.held_next["percentile"], held_next / 1000),
    ):
        assert share == pytest.approx(expected, abs=4 * difference_error(expected, 1000, 1000))


def test_t_intervals_of_normal_values_hold_as_often_as_they_say():
    # A market so large that drawing from it is drawing from the normal distribution.
    market = np.random.default_rng(0).normal(size=200_000)
    found = mean_coverage(market, ["t", "normal"], n=8, n_sets=20_000, confidence_level=0.9, rng=1)
    assert found.held["t"] == pytest.approx(0.9, abs=4 * found.monte_carlo_error(0.9))
    # P(|T_7| < 1.645) = 0.8559, scipy 1.17.
    assert found.held["normal"] == pytest.approx(0.8559, abs=4 * found.monte_carlo_error(0.86))
    assert found.width["t"] > found.width["normal"]


def test_sharing_resampling_weights_does_not_bias_the_coverage(monkeypatch):
    market = np.random.default_rng(1).exponential(size=5000)
    options = {"n": 25, "n_sets": 2000, "n_resamples": 100}
    shared = mean_coverage(market, rng=2, **options)
    monkeypatch.setattr("evalcore.resampling.simulated.SHARING", 1)
    alone = mean_coverage(market, rng=3, **options)
    for key in MEAN_METHODS:
        limit = 4 * difference_error(alone.held[key], 2000, 2000)
        assert shared.held[key] == pytest.approx(alone.held[key], abs=limit)
        assert shared.width[key] == pytest.approx(alone.width[key], rel=0.05)


def test_limits_are_those_of_an_ordinary_bootstrap():
    # One set of a market whose draws are read by scipy.stats.bootstrap as well.
    market = np.random.default_rng(4).lognormal(size=40)
    found = mean_coverage(market, ["percentile", "bca"], n_sets=300, n_resamples=2000, rng=5)
    rng = np.random.default_rng(6)
    widths = {"percentile": [], "BCa": []}
    for _ in range(100):
        sample = rng.choice(market, 40)
        for method, list_of_widths in widths.items():
            interval = stats.bootstrap(
                (sample,), np.mean, method=method, n_resamples=500, rng=rng, axis=-1
            ).confidence_interval
            list_of_widths.append(interval.high - interval.low)
    for key, method in (("percentile", "percentile"), ("bca", "BCa")):
        error = np.std(widths[method]) * np.sqrt(1 / 100 + 1 / 300)
        assert found.width[key] == pytest.approx(np.mean(widths[method]), abs=4 * error)


def test_test_sets_of_equal_values_have_no_interval():
    market = np.zeros(1000)
    market[0] = 1.0
    found = mean_coverage(market, n=10, n_sets=500, n_resamples=50, rng=0)
    expected = (1 - 1 / 1000) ** 10
    for key in ("t", "normal", "percentile"):
        assert found.undefined[key] == pytest.approx(expected, abs=0.03)
        assert found.held[key] <= 1 - found.undefined[key]


@pytest.mark.parametrize("method", ["t", "percentile"])
def test_counts_stand_for_copies(method):
    values, counts = np.array([1.0, 2.0, 9.0]), np.array([5, 3, 2])
    options = {"n": 30, "n_sets": 300, "n_resamples": 100, "rng": 0}
    copies = mean_coverage(np.repeat(values, counts), method, **options)
    counted = mean_coverage(values, method, counts=counts, **options)
    assert counted.market_value == pytest.approx(copies.market_value)
    limit = 4 * difference_error(0.9, 300, 300)
    assert counted.held[method] == pytest.approx(copies.held[method], abs=limit)
    assert counted.width[method] == pytest.approx(copies.width[method], rel=0.03)


def test_sets_by_moments_are_sets_of_cases():
    market = np.random.default_rng(7).lognormal(size=500)
    alone = mean_coverage(market, ["t", "normal"], n=60, n_sets=4000, rng=1)
    beside = mean_coverage(market, ["t", "percentile"], n=60, n_sets=4000, n_resamples=2, rng=2)
    limit = 4 * difference_error(alone.held["t"], 4000, 4000)
    assert alone.held["t"] == pytest.approx(beside.held["t"], abs=limit)
    assert alone.held_next["t"] == pytest.approx(beside.held_next["t"], abs=limit)
    assert alone.width["t"] == pytest.approx(beside.width["t"], rel=0.03)


def test_very_large_test_sets_offer_what_resamples_nothing():
    market = np.random.default_rng(8).standard_t(3, 60_000)
    found = mean_coverage(market, n_sets=2000, rng=1)
    assert set(found.held) == {"t", "normal"}
    assert found.held["t"] == pytest.approx(0.95, abs=4 * found.monte_carlo_error(0.95))
    width = 2 * 1.96 * market.std() / np.sqrt(60_000)
    assert found.width["normal"] == pytest.approx(width, rel=0.02)
    with pytest.raises(ValueError, match="n must be at most 10,000 to simulate bca; got 60,000"):
        mean_coverage(market, ["t", "bca"])


@pytest.mark.parametrize("method", PROPORTION_METHODS)
def test_coverage_of_a_proportion_agrees_with_enumeration(method):
    hits = np.repeat([1.0, 0.0], [9, 1])
    found = proportion_coverage(hits, np.ones(10), method, n=50, n_sets=20_000, rng=1)
    expected = exact_coverage(50, 0.9, method=method, confidence_level=0.95).coverage
    limit = 4 * found.monte_carlo_error(expected) + 1e-12
    assert found.held[method] == pytest.approx(float(expected), abs=limit)
    assert found.held_next[method] < found.held[method]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mean_coverage([1.0, 2.0], "wilson"), "methods must be one of 't', 'normal'"),
        (lambda: mean_coverage([1.0, np.inf]), "values must be finite"),
        (lambda: mean_coverage([1.0, 2.0], n=1), "n must be a whole number of at least 2"),
        (lambda: mean_coverage([1.0, 2.0], n_sets=1), "n_sets must be"),
        (lambda: proportion_coverage([1, 0], [0, 1]), "no success without a trial"),
        (lambda: proportion_coverage([0, 0], [0, 0]), "trials must be 1 in at least one case"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
