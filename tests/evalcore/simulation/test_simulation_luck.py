"""Tests of nothing, leaderboards, and repeated looks."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kstest, spearmanr, ttest_1samp

from evalcore.comparison import adjust_p_values
from evalcore.simulation import (
    Thresholdout,
    leaderboards,
    null_batches,
    repeated_looks,
    share_error,
    spread_of_accuracies,
)
from evalcore.sizing import expected_best

REFERENCE = Path(__file__).parents[2] / "reference"


def differences(name, a, b):
    table = np.genfromtxt(REFERENCE / f"{name}.csv", delimiter=",", names=True)
    return abs(table[a] - table["true_price"]) - abs(table[b] - table["true_price"])


@pytest.mark.parametrize("name", ["listings_errors", "listings_lesson_moments"])
def test_batches_of_listings_are_those_of_a_plain_loop(name):
    # scipy 1.17.1 ttest_1samp on default_rng(42).integers(0, 600, (20, 600)), 1,000 batches.
    file = "listings.json" if name == "listings_errors" else "listings_lesson_moments.json"
    expected = json.loads((REFERENCE / file).read_text())["batches20_linear_boosting"]
    found = null_batches(20, differences(name, "linear", "boosting"), rng=42)
    assert np.sort(found.p_values[0])[:3] == pytest.approx(expected["first3"], rel=1e-9)
    assert found.share_below == pytest.approx(expected["share_below"], abs=1e-12)
    assert found.any_below == pytest.approx(expected["batches_any"], abs=1e-12)
    assert found.any_after_holm == pytest.approx(expected["batches_any_holm"], abs=1e-12)
    assert found.expected_any == pytest.approx(expected["theory"])


@pytest.mark.parametrize("tests", [1, 5, 50])
def test_batches_of_every_size(tests):
    # As above, forest against boosting.
    expected = json.loads((REFERENCE / "listings.json").read_text())["batches_forest_boosting"]
    values = differences("listings_errors", "forest", "boosting")
    found = null_batches(tests, values, rng=42)
    share = expected[str(tests)]["share"]
    assert found.any_below == pytest.approx(share, abs=5 * share_error(share, 1_000))
    assert found.expected_any == pytest.approx(expected[str(tests)]["theory"])


def test_normal_differences_give_uniform_p_values():
    found = null_batches(10, n_batches=2_000, rng=1)
    assert kstest(found.p_values.ravel(), "uniform").pvalue > 0.001
    drawn = ttest_1samp(np.random.default_rng(2).normal(size=(4_000, 7)), 0, axis=1).pvalue
    assert kstest(drawn, "uniform").pvalue > 0.001


def test_holm_counts_every_test_of_a_batch():
    found = null_batches(8, n_batches=50, rng=3)
    for batch, smallest in zip(found.p_values, found.smallest_adjusted, strict=True):
        assert smallest == adjust_p_values(batch).min()
    assert found.any_after_holm <= found.any_below


def test_counts_stand_for_cases():
    # 40 cases with few distinct differences: a multinomial draw, beside 40 rows of the same.
    counts = [6, 3, 31]
    few = null_batches(5, [1, -1, 0], counts=counts, n_batches=4_000, rng=1)
    rows = null_batches(5, np.repeat([1.0, -1.0, 0.0], counts), n_batches=4_000, rng=2)
    error = np.sqrt(2) * share_error(0.05, 20_000)
    assert few.share_below == pytest.approx(rows.share_below, abs=5 * error)


def test_a_resample_of_equal_values_is_no_finding():
    found = null_batches(3, [0.0, 1.0], n_batches=400, rng=1)
    assert np.isfinite(found.p_values).all()
    assert (found.p_values == 1).any()


@pytest.mark.parametrize("bad", [[1.0], [2.0, 2.0, 2.0], [1.0, np.nan], [1.0, np.inf]])
def test_differences_that_cannot_be_tested_are_refused(bad):
    with pytest.raises(ValueError, match="differences must be at least two finite"):
        null_batches(5, bad)


@pytest.mark.parametrize(("n", "k"), [(100, 2), (400, 50), (1_000, 500)])
def test_the_best_of_equal_models_shows_what_its_expected_maximum_says(n, k):
    boards = leaderboards(np.full(k, 0.8), n, 500, n_repeats=3_000, rng=1)
    error = boards.public.max(axis=1).std() / np.sqrt(3_000)
    assert boards.shown == pytest.approx(expected_best(n, 0.8, k), abs=4 * error)
    assert boards.deserved == pytest.approx(0.8)
    assert boards.fresh == pytest.approx(0.8, abs=4 * np.sqrt(0.16 / 500 / 3_000))
    assert boards.rank_correlation == pytest.approx(0, abs=4 / np.sqrt(3_000 * (k - 1)))


def test_winners_are_worth_less_than_they_show_and_more_than_the_middle():
    truth = spread_of_accuracies(0.8, 0.02, 40)
    boards = leaderboards(truth, 400, 400, rng=2)
    assert boards.shown > boards.deserved > truth.mean()
    assert boards.fresh == pytest.approx(boards.deserved, abs=4 * np.sqrt(0.16 / 400 / 2_000))
    assert 1 / 40 < boards.best_wins < 0.5
    assert boards.deserved < truth[0]


def test_ranks_and_their_correlation_agree_with_scipy():
    boards = leaderboards(spread_of_accuracies(0.7, 0.05, 12), 60, 90, n_repeats=80, rng=4)
    public, private = boards.ranks(7)
    assert public[np.argmax(boards.public[7])] <= 2
    expected = [spearmanr(a, b)[0] for a, b in zip(boards.public, boards.private, strict=True)]
    assert boards.rank_correlation == pytest.approx(np.mean(expected))
    assert spearmanr(public, private)[0] == pytest.approx(expected[7])


def test_every_equal_slice_is_the_worst_equally_often():
    boards = leaderboards(np.full(20, 0.9), 250, 250, n_repeats=4_000, rng=5)
    assert boards.share_last.sum() == pytest.approx(1)
    assert boards.share_last == pytest.approx(0.05, abs=5 * share_error(0.05, 4_000))
    # By symmetry with the best: the lowest of equal scores is one less the best of the errors.
    lowest = 1 - expected_best(250, 0.1, 20)
    highest = expected_best(250, 0.9, 20)
    assert boards.range == pytest.approx(highest - lowest, abs=0.001)
    assert boards.last_again == pytest.approx(0.05, abs=0.03)


def test_accuracies_spread_around_their_middle():
    truth = spread_of_accuracies(0.8, 0.01, 201)
    assert np.all(np.diff(truth) < 0)
    assert truth[100] == pytest.approx(0.8)
    assert truth.std() == pytest.approx(0.01, rel=0.02)
    np.testing.assert_allclose(spread_of_accuracies(0.8, 0.0, 5), 0.8)
    with pytest.raises(ValueError, match="spread must be from 0"):
        spread_of_accuracies(0.8, 0.6, 5)


@pytest.mark.parametrize("looks", [1, 9])
def test_looks_at_unrelated_variants_are_the_best_of_so_many(looks):
    # When a variant answers every case anew, the best so far is a maximum of independent scores.
    found = repeated_looks(200, looks, accuracy=0.7, changed=0.999, n_repeats=4_000, rng=1)
    best = found.plain[:, -1]
    expected = expected_best(200, 0.7, looks + 1)
    assert best.mean() == pytest.approx(expected, abs=4 * best.std() / np.sqrt(4_000))


def test_small_steps_climb_higher_than_unrelated_variants():
    steps = repeated_looks(500, 100, changed=0.1, rng=2).plain[:, -1].mean()
    assert steps > expected_best(500, 0.8, 101) > 0.8


def test_thresholdout_bounds_what_looks_can_gain_until_it_falls_silent():
    settings = Thresholdout(threshold=0.04, noise=0.002, budget=30)
    found = repeated_looks(2_000, 150, reusable=settings, rng=3)
    gain, guarded = (
        np.nanmean(side[:, -1]) - found.truth for side in (found.plain, found.reusable)
    )
    assert guarded < 0.04 + 0.01 < gain
    assert np.all(np.diff(found.spent, axis=1) >= 0)
    assert found.spent.max() <= 30
    np.testing.assert_array_equal(found.silent, found.spent >= 30)
    assert np.all(np.diff(found.plain, axis=1) >= 0)


def test_a_threshold_out_of_reach_answers_with_the_training_set_alone():
    settings = Thresholdout(threshold=10.0, noise=1e-6, budget=1)
    found = repeated_looks(300, 60, reusable=settings, n_repeats=400, rng=4)
    assert found.spent.max() == 0
    spread = found.plain[:, -1].std() / np.sqrt(400)
    assert found.reusable[:, -1].mean() == pytest.approx(found.plain[:, -1].mean(), abs=6 * spread)


def test_without_a_budget_there_is_no_answer():
    found = repeated_looks(100, 5, reusable=Thresholdout(budget=0), n_repeats=10, rng=5)
    assert np.isnan(found.reusable).all()
    assert found.silent.all()


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        (Thresholdout(noise=0.0), "noise"),
        (Thresholdout(threshold=-1.0), "threshold"),
        (Thresholdout(budget=-1), "budget"),
    ],
)
def test_bad_settings_are_named(settings, name):
    with pytest.raises(ValueError, match=f"{name} must be"):
        repeated_looks(100, 5, reusable=settings)
