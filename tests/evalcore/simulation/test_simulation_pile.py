"""Piles of intervals: the same for the same seed, and as right as the methods are."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom, norm
from sklearn.metrics import roc_auc_score

from evalcore.binomial import exact_coverage, proportion_limits
from evalcore.intervals.quantiles import median_distribution
from evalcore.ranking import auc_interval
from evalcore.simulation import (
    BLOCK,
    ERROR_SHAPES,
    ClusterWorld,
    RankWorld,
    ShareWorld,
    error_world,
    join_piles,
    market_world,
    next_score_share,
    pile_block,
    scores_world,
    share_error,
)
from evalcore.simulation.medians import MEDIAN_METHODS, OrderedSets, draw_ordered

REFERENCE = Path(__file__).parents[2] / "reference"
WORLDS = {
    "accuracy": ShareWorld(truth=0.9),
    "recall": ShareWorld(truth=0.8, informing=0.2),
    "clusters": ClusterWorld(truth=0.8, size=5, correlation=0.3),
    "mean": error_world("lognormal"),
    "median": error_world("huge", statistic="median"),
    "auc": RankWorld(truth=0.85, prevalence=0.3),
}


def pile_of(world, n, n_sets, *, method=None, level=0.95, seed=1):
    chosen = method or next(iter(world.methods))
    blocks = [
        pile_block(world, n, b, method=chosen, confidence_level=level, n_resamples=400, seed=seed)
        for b in range(-(-n_sets // BLOCK))
    ]
    return join_piles(blocks, n_sets)


@pytest.mark.parametrize("name", WORLDS)
def test_every_method_of_every_world_makes_intervals_around_its_score(name):
    world = WORLDS[name]
    for method in world.methods:
        pile = pile_block(world, 60, 0, method=method, n_resamples=200, seed=3)
        defined = np.isfinite(pile.low)
        assert defined.mean() > 0.9
        assert np.all(pile.low[defined] <= pile.high[defined])
        middle = abs(np.nanmean(pile.score) - pile.truth)
        assert middle < 5 * np.nanstd(pile.score) / np.sqrt(BLOCK) + 1e-12
        assert pile.n_sets == BLOCK


@pytest.mark.parametrize("name", WORLDS)
def test_the_next_score_is_that_of_the_next_test_set(name):
    pile = pile_block(WORLDS[name], 40, 2, method=next(iter(WORLDS[name].methods)))
    np.testing.assert_array_equal(pile.next_score[:-1], pile.score[1:])


def test_a_seed_draws_the_same_sets_however_they_are_added():
    few, many = (pile_of(WORLDS["accuracy"], 50, number) for number in (7, 250))
    np.testing.assert_array_equal(few.score, many.score[:7])
    np.testing.assert_array_equal(few.next_score, many.next_score[:7])
    other = pile_of(WORLDS["accuracy"], 50, 250, seed=2)
    assert not np.array_equal(other.score, many.score)
    wald = pile_of(WORLDS["accuracy"], 50, 250, method="wald")
    np.testing.assert_array_equal(wald.score, many.score)


@pytest.mark.parametrize("method", ["wilson", "wald", "clopper_pearson"])
def test_shares_that_hold_agree_with_enumeration(method):
    n, truth, sets = 40, 0.85, 8_000
    pile = pile_of(WORLDS["accuracy"].__class__(truth=truth), n, sets, method=method)
    exact = float(exact_coverage(n, truth, method=method).coverage)
    assert pile.held.mean() == pytest.approx(exact, abs=4 * share_error(exact, sets))
    k = np.arange(n + 1.0)
    low, high = proportion_limits(k, n, method=method, confidence_level=0.95)
    chance = binom.pmf(k, n, truth)
    inside = (low[:, None] <= k / n) & (k / n <= high[:, None])
    following = float(chance @ inside @ chance)
    # Sets that follow each other share a score, so the error is a little larger.
    assert pile.held_next.mean() == pytest.approx(following, abs=5 * share_error(following, sets))


@pytest.mark.parametrize(
    ("n", "points"), [(100, 3.0), (400, 1.5), (1_000, 0.9), (5_000, 0.4), (20_000, 0.2)]
)
def test_measured_accuracies_spread_as_the_spread_table_says(n, points):
    # A table of 20,000 test sets of a model right on 90 %, numpy default_rng(0), one decimal.
    pile = pile_of(ShareWorld(truth=0.9), n, 4_000)
    assert round(100 * pile.score.std(), 1) == pytest.approx(points, abs=0.11)


def test_groups_that_are_ignored_miss_as_often_as_their_design_effect_says():
    world, n, sets = ClusterWorld(truth=0.8, size=10, correlation=0.2), 2_000, 3_000
    counted = pile_of(world, n, sets, method="t").held.mean()
    ignored = pile_of(world, n, sets, method="wilson").held.mean()
    design_effect = 1 + 9 * 0.2
    expected = 2 * norm.cdf(1.959964 / np.sqrt(design_effect)) - 1
    assert counted == pytest.approx(0.95, abs=4 * share_error(0.95, sets))
    assert ignored == pytest.approx(expected, abs=4 * share_error(expected, sets))


@pytest.mark.parametrize("key", ["600", "without_six_100"])
@pytest.mark.parametrize("name", ["listings_errors", "listings_lesson_moments"])
def test_a_market_of_listings_holds_as_often_as_a_plain_loop(name, key):
    # Of 1,000 sets of a plain loop, numpy 2.4.6 default_rng(42), percentile intervals of 2,000.
    file = "listings.json" if name == "listings_errors" else "listings_lesson_moments.json"
    expected = json.loads((REFERENCE / file).read_text())["coverage_linear"][key]
    table = np.genfromtxt(REFERENCE / f"{name}.csv", delimiter=",", names=True)
    errors = np.abs(table["linear"] - table["true_price"])
    world = market_world(errors, without_largest=6 * ("without_six" in key))
    pile = pile_of(world, int(key.rpartition("_")[2]), 1_000, method="percentile")
    assert pile.truth == pytest.approx(np.sort(errors)[: len(world.values)].mean())
    for share, count in zip((pile.held.mean(), pile.held_next.mean()), expected, strict=True):
        error = np.sqrt(2) * share_error(count / 1000, 1_000)
        assert share == pytest.approx(count / 1000, abs=4 * error)


@pytest.mark.parametrize("n", [15, 40])
def test_order_statistics_hold_a_median_at_their_exact_level(n):
    pile = pile_of(error_world("lognormal", statistic="median"), n, 6_000)
    place = int(binom.ppf(0.025, n, 0.5))
    place += int(binom.cdf(place, n, 0.5) <= 0.025)
    exact = 1 - 2 * binom.cdf(place - 1, n, 0.5)
    assert pile.held.mean() == pytest.approx(exact, abs=4 * share_error(exact, 6_000))


@pytest.mark.parametrize("n", [5, 8, 9, 40, 101, 300])
def test_the_exact_bootstrap_of_a_median_is_read_as_its_whole_distribution_is(n):
    rng = np.random.default_rng(n)
    values = np.sort(rng.integers(0, 50, (6, n)) / 7, axis=1)
    sets = OrderedSets(n=n, ranks=np.arange(1, n + 1), values=values)
    low, high = MEDIAN_METHODS["exact_bootstrap"](sets, 0.9)
    for row, left, right in zip(values, low, high, strict=True):
        whole = median_distribution(row, np.ones(n, np.int64))
        assert (left, right) == pytest.approx((whole.quantile(0.05), whole.quantile(0.95)))
    np.testing.assert_allclose(sets.median, np.median(values, axis=1))


def test_order_statistics_are_drawn_as_those_of_cases():
    values, counts = np.array([1.0, 2.0, 4.0, 9.0]), np.array([3, 1, 2, 4])
    sets = draw_ordered(values, counts, 11, 4_000, 0.95, np.random.default_rng(1))
    cases = np.sort(np.random.default_rng(2).choice(np.repeat(values, counts), (4_000, 11)))
    for rank in sets.ranks:
        drawn, plain = sets.at(np.array([rank]))[:, 0], cases[:, rank - 1]
        error = np.hypot(drawn.std(), plain.std()) / np.sqrt(4_000)
        assert drawn.mean() == pytest.approx(plain.mean(), abs=4 * error + 1e-12)


def test_an_auc_world_of_cases_is_a_loop_over_auc_interval():
    rng = np.random.default_rng(3)
    truth = rng.random(80) < 0.3
    scores = np.round(rng.normal(size=80) + truth, 1)
    world = scores_world(truth, scores)
    assert world.truth == pytest.approx(roc_auc_score(truth, scores))
    made = []
    for _ in range(300):
        rows = rng.integers(0, 80, 60)
        made.append(auc_interval(truth[rows], scores[rows], method="delong"))
    low, high = np.array([(one.low, one.high) for one in made]).T
    share = np.mean((low <= world.truth) & (world.truth <= high))
    pile = pile_of(world, 60, 3_000, method="delong")
    limit = 4 * (share_error(share, 300) + share_error(share, 3_000))
    assert pile.held.mean() == pytest.approx(share, abs=limit)
    width = np.nanmean(pile.high - pile.low)
    assert width == pytest.approx(np.mean(high - low), abs=4 * np.std(high - low) / np.sqrt(300))
    with pytest.raises(ValueError, match="truth must hold cases of both classes"):
        scores_world([1, 1], [0.2, 0.3])


def test_weights_kept_from_block_to_block_do_not_move_the_share():
    # Were the errors of the resamples common to all blocks, the shares of the seeds would differ
    # by more than the error of independent sets.
    world = error_world("lognormal")
    shares = [
        pile_of(world, 20, 990, method="percentile", seed=seed).held.mean() for seed in range(8)
    ]
    expected = share_error(np.mean(shares), 990)
    assert np.std(shares, ddof=1) < 2.2 * expected


def test_too_few_cases_for_a_median_give_no_interval():
    pile = pile_block(error_world("normal", statistic="median"), 5, 0, method="order_statistic")
    assert pile.undefined == BLOCK
    assert not pile.held.any()


def test_recall_has_no_interval_without_positives():
    pile = pile_block(ShareWorld(truth=0.8, informing=0.01), 20, 0, method="wilson", seed=1)
    assert pile.undefined > 0
    np.testing.assert_array_equal(np.isnan(pile.low), np.isnan(pile.score))


def test_leaving_out_the_largest_counts_cases_and_not_rows():
    world = market_world([5.0, 1.0, 9.0], counts=[2, 3, 4], without_largest=5)
    np.testing.assert_array_equal(world.values, [1.0, 5.0])
    np.testing.assert_array_equal(world.counts, [3, 1])
    assert world.truth == 2.0
    assert market_world([1.0, 2.0, 10.0], statistic="median").truth == 2.0
    assert market_world([1.0, 2.0], statistic="median", counts=[3, 3]).truth == 1.5


@pytest.mark.parametrize("shape", ERROR_SHAPES)
def test_leaving_out_the_largest_lowers_the_truth(shape):
    assert error_world(shape, without_largest=50).truth < error_world(shape).truth


def test_next_score_share_is_that_of_normal_scores():
    # scipy 1.17.1: 2 * norm.cdf(norm.ppf(0.975) / sqrt(2)) - 1.
    assert next_score_share(0.95) == pytest.approx(0.8342237271, abs=1e-10)
    pile = pile_of(error_world("normal"), 400, 6_000, method="normal")
    assert pile.held_next.mean() == pytest.approx(0.834, abs=5 * share_error(0.834, 6_000))


def test_a_pile_in_percent_holds_the_same():
    pile = pile_of(WORLDS["accuracy"], 30, 200)
    scaled = pile.times(100)
    assert scaled.truth == 90.0
    np.testing.assert_array_equal(pile.held, scaled.held)


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="method must be one of"):
        pile_block(WORLDS["mean"], 10, 0, method="wilson")
    with pytest.raises(ValueError, match="without_largest must leave two"):
        market_world([1.0, 2.0, 3.0], without_largest=2)
    with pytest.raises(ValueError, match="values must be finite"):
        market_world([1.0, np.nan])
    with pytest.raises(ValueError, match="shape must be one of"):
        error_world("square")
    with pytest.raises(ValueError, match="blocks must hold"):
        join_piles([], 3)
