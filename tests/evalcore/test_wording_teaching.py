"""What the simulators are made to say."""

import numpy as np
import pytest

from evalcore.binomial import exact_coverage, exact_coverages
from evalcore.simulation import (
    Batches,
    Duel,
    Pile,
    Thresholdout,
    coverage_range,
    leaderboards,
    repeated_looks,
)
from evalcore.wording import (
    batches_sentence,
    coverage_sentence,
    cut_axis_sentence,
    duel_sentence,
    exact_sentence,
    finding_sentence,
    guess_sentence,
    leaderboard_sentence,
    looks_sentence,
    optimism_sentence,
    pile_sentence,
    promise_sentence,
    share_text,
    slices_sentence,
)


def pile(n_sets, misses, undefined=0):
    """Return a pile of intervals around 0 whose first ones miss it."""
    low, high = np.full(n_sets, -1.0), np.full(n_sets, 1.0)
    low[:misses] = 0.5
    low[n_sets - undefined :] = np.nan
    zero = np.zeros(n_sets)
    return Pile(
        truth=0.0, score=zero, low=low, high=high, next_score=zero + 0.6, confidence_level=0.95
    )


def test_a_pile_counts_the_truth_and_the_next_score():
    assert pile_sentence(pile(1_000, 50)) == (
        "Of 1,000 intervals, 950 hold the truth and 1,000 hold the score of the next test set."
    )
    assert "2 test sets gave no interval, which counts as a miss" in pile_sentence(pile(10, 1, 2))
    assert pile_sentence(pile(1, 1)) == (
        "The one interval misses the truth and holds the score of the next test set."
    )
    assert pile_sentence(pile(0, 0)) == "No test set has been drawn yet."


@pytest.mark.parametrize(
    ("n_sets", "misses", "said"),
    [
        (10, 3, "Draw more test sets"),
        (1_000, 55, "That agrees with the 95% that is promised"),
        (1_000, 118, "That is less than the 95% that is promised, by 9.9 times"),
        (1_000, 5, "That is more than the 95%"),
    ],
)
def test_a_share_is_held_against_what_luck_can_do(n_sets, misses, said):
    assert promise_sentence(pile(n_sets, misses)).startswith(said)


def test_shares_have_their_monte_carlo_error():
    assert share_text(0.927, 1_000) == "92.7% ± 0.8"
    assert share_text(float("nan"), 0) == "none yet"


def test_coverage_names_the_closest_and_the_lowest():
    shares = np.linspace(0.05, 0.95, 91)
    found = {
        one.method: coverage_range(one) for one in exact_coverages(50, shares, ["wilson", "wald"])
    }
    said = coverage_sentence(found, 0.95)
    assert said.startswith("Over this range the wilson interval covers 95.")
    assert "the wald interval falls lowest, to" in said
    exact = exact_coverage(10, 0.9, method="wald")
    # coverage.json has 0.6496866 for 10 cases at 0.9.
    assert exact_sentence(exact, "Wald") == (
        "Counted exactly, over all outcomes of 10 cases, the Wald interval holds a true share of "
        "90.0% in 65.0% of test sets."
    )


def test_a_duel_says_who_wins_how_often():
    duel = Duel(
        n=1_000, same_set=0.85, tied=0.024, separate_sets=0.766, paired_test=0.162, disjoint=0.002
    )
    said = duel_sentence(duel)
    assert (
        "measures higher 85.0% of the time, the two tie 2.4%, and the worse one wins 12.6%" in said
    )
    assert "paired test shows it 16.2%" in said


def test_batches_show_a_finding_that_is_none():
    found = Batches(
        p_values=np.array([[0.03, 0.5], [0.2, 0.9]]),
        smallest_adjusted=np.array([0.06, 0.4]),
        significance=0.05,
    )
    said = batches_sentence(found)
    assert "Of 2 batches of 2 tests, 50.0% hold a p-value below 0.05" in said
    assert "independent tests: 9.8%" in said
    assert said.endswith("after Holm's correction 0.0% do.")
    assert finding_sentence(found, 0) == (
        "The smallest p-value of batch 1 is 0.030. Alone it looks like a finding; as the smallest "
        "of 2 it counts as 0.060."
    )
    assert "looks like nothing" in finding_sentence(found, 1)


def test_leaderboards_and_slices():
    boards = leaderboards([0.8, 0.8], 10, 10, n_repeats=3, rng=1)
    assert "Over 3 competitions of 2 models, the public winner shows" in leaderboard_sentence(
        boards
    )
    assert slices_sentence(boards).startswith("All 2 slices are equally good, yet")
    unequal = leaderboards([0.7, 0.9], 10, 10, n_repeats=3, rng=1)
    assert slices_sentence(unequal).startswith("The 2 slices truly range from 70.0% to 90.0%")
    assert "4.4 points of luck" in optimism_sentence(400, 0.8, 50, 0.8437)


def test_looks_say_what_is_true():
    found = repeated_looks(100, 5, reusable=Thresholdout(budget=9), n_repeats=20, rng=1)
    said = looks_sentence(found)
    assert said.startswith("After 5 looks the plain holdout shows")
    assert "the truth is 80.0% all along" in said


def test_a_cut_axis_and_a_guess():
    assert cut_axis_sentence(0.97, 0.98, 96.0) == (
        "Cut at 96%, the bar of B looks 2.00 times as high as that of A; the scores themselves "
        "have a ratio of 1.010."
    )
    assert guess_sentence(95, 92.7, "%") == "You said 95%; it is 92.7%: off by 2."
    assert guess_sentence(93, 92.7, "%").endswith("spot on.")
