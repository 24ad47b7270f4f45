"""The sentences about estimates of an error rate."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest

from evalcore.estimators import WRONG_TURNS, Rule, kfold_error, load_cases, nested_error
from evalcore.estimators.nested import Tuning
from evalcore.estimators.splitting import holdout_error
from evalcore.estimators.study import NeighbourCurve
from evalcore.estimators.wrong_turns import Optimism
from evalcore.wording import (
    curve_sentence,
    estimating_does_not_say,
    holdout_sentence,
    look_sentence,
    spread_sentence,
    standard_error_sentence,
    study_sentence,
    tuning_sentence,
    winners_sentence,
    wrong_turn_sentence,
)
from tests.samples import ROOT

MEANS = {"Apparent error": 0.0, "K-fold": 0.301, "Leave-one-out": 0.29}


def test_the_study_names_the_closest_and_the_farthest():
    said = study_sentence(MEANS, 0.3, repetitions=10, n=60, fresh=100_000)
    assert said == (
        "Over 10 draws of 60 cases the fitted rule's true error is 30.0% on average, from 100,000 "
        "fresh cases. K-fold comes closest on average (0.1 points too high), apparent error is "
        "farthest off (30.0 points too low)."
    )
    exact = study_sentence(MEANS, 0.5, repetitions=1, n=60, fresh=None)
    assert exact.startswith(
        "Over one draw of 60 cases the fitted rule's true error is 50.0% exactly."
    )
    alone = study_sentence({"K-fold": 0.5}, 0.5, repetitions=2, n=60, fresh=None)
    assert alone.endswith("K-fold is on the mark on average.")


def test_without_a_truth_only_the_range_is_said():
    said = study_sentence(MEANS, math.nan, repetitions=5, n=150, fresh=None)
    assert "from 0.0% (apparent error) to 30.1% (K-fold)" in said
    assert "true error is not known here" in said


def test_a_single_estimate_misses_by_its_root_mean_square():
    assert "by 10.0 points" in spread_sentence([0.2, 0.4, 0.2], [0.3, 0.3, 0.3])
    assert spread_sentence([0.2, 0.4], [0.3, 0.3]) is None
    assert spread_sentence([0.2, 0.4, 0.1], [math.nan] * 3) is None


def test_standard_errors_stand_beside_each_other():
    iris = load_cases("iris")
    found = kfold_error(iris, Rule(kind="neighbours"), folds=5)
    said = standard_error_sentence(found)
    for value in (found.standard_error, found.naive_standard_error, found.binomial_standard_error):
        assert f"{100 * value:.1f}" in said
    held = holdout_error(iris, Rule(kind="neighbours"))
    assert standard_error_sentence(held) is None
    assert holdout_sentence(found) is None
    assert "fitted to 105 cases" in holdout_sentence(held)
    nested = nested_error(iris, [Rule(kind="neighbours", k=k) for k in (1, 9)], folds=3)
    assert winners_sentence(nested.chosen).startswith("Chosen in the 3 outer folds: k = ")


def test_winners_agree_or_differ():
    assert "(the same)" in winners_sentence(["k = 3", "k = 3"])
    assert "(2 different winners)" in winners_sentence(["k = 3", "k = 5"])


def test_the_curve_says_where_each_error_is_smallest():
    curve = NeighbourCurve(
        ks=(1, 5, 9), apparent=(0.0, 0.1, 0.2), cross_validated=(0.3, 0.25, 0.25),
        true=(0.31, 0.27, 0.26),
    )  # fmt: skip
    said = curve_sentence(curve)
    assert "lowest at k = 5 (25.0%), the true error at k = 9 (26.0%)" in said
    assert said.endswith("picks truly errs in 27.0%.")
    unknown = NeighbourCurve(ks=(1,), apparent=(0.0,), cross_validated=(0.3,), true=(math.nan,))
    assert curve_sentence(unknown).endswith("lowest at k = 1 (30.0%).")


def test_the_tuned_error_is_said_to_flatter_and_ties_are_named():
    rules = tuple(Rule(kind="neighbours", k=k) for k in (1, 3, 9))
    said = tuning_sentence(Tuning(candidates=rules, errors=(0.1, 0.03, 0.03), fits=15))
    assert "choose k = 3" in said
    assert "(equal at k = 3, 9: the first counts)" in said
    assert "smallest of 3, so it flatters" in said


def test_a_look_after_changes_says_what_was_changed():
    assert look_sentence(1, ()).startswith("First look")
    said = look_sentence(2, ["folds 5 to 10"])
    assert "after the test set had been read; changed since the first look: folds 5 to 10" in said


@pytest.mark.parametrize(
    ("mean", "words"),
    [
        (0.31, "reports 31.0 points too little error"),
        (-0.05, "reports 5.0 points too much error"),
        (0.005, "cannot tell from nothing"),
    ],
)
def test_a_wrong_turn_says_its_optimism_with_its_monte_carlo_error(mean, words):
    off = Optimism(mean=mean, standard_error=0.01)
    said = wrong_turn_sentence(WRONG_TURNS["select_first"], off, off, 20)
    assert words in said
    assert "Monte Carlo error 1.0" in said


def test_what_is_not_said_and_what_is_not_loaded():
    assert len(estimating_does_not_say()) == 4
    assert np.char.endswith(estimating_does_not_say(), ".").all()
    code = "import sys, evalcore.wording, evalcore.charts; print('sklearn' in sys.modules)"
    answer = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "False"
