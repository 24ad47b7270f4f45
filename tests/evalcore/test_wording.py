"""Sentences for people: true, short, and right in the singular and at the edges."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evalcore import wording
from evalcore.binomial import proportion_interval
from evalcore.comparison import bowker_test
from evalcore.confusion import confusion_matrix, find_cases
from evalcore.intervals import metric_interval
from evalcore.metrics import METRICS
from evalcore.predictions import make_predictions
from evalcore.results import Interval
from evalcore.simulation import market_coverage
from evalcore.slices import slice_intervals
from tests.samples import sample


def interval(**changes: object) -> Interval:
    values = {
        "name": "x", "estimate": 0.5, "low": 0.4, "high": 0.6, "standard_error": 0.05,
        "confidence_level": 0.95, "method": "wilson", "n": 100, "unit": "cases", **changes,
    }  # fmt: skip
    return Interval(**values)


ACCURACY = proportion_interval(349, 360)


def test_the_digits_sentence() -> None:
    assert wording.interval_sentence(ACCURACY, METRICS["accuracy"]) == (
        "Test sets like this one are consistent with a true accuracy anywhere from 94.6% to 98.3%."
    )
    assert wording.estimate_text(ACCURACY, "percent") == "96.9%"
    assert wording.error_text(ACCURACY, "percent") == "0.9 points"
    assert wording.size_text(ACCURACY) == "349 of 360 cases"
    assert wording.halving_sentence(ACCURACY) == (
        "Halving that range takes about 1,375 cases, 3.8 times as many."
    )


def test_halving_near_the_edge_takes_less_than_four_times_as_many() -> None:
    """The Wilson width at k = n is z^2 / (n + z^2): half of that at 36 takes 2 * 36 + z^2."""
    text = wording.halving_sentence(proportion_interval(36, 36))
    assert text == "Halving that range takes about 76 cases, 2.1 times as many."


def test_a_score_can_be_quoted() -> None:
    text = wording.report_sentence(
        ACCURACY, METRICS["recall"], "8", "network", "digits.csv", "Wilson"
    )
    assert text == (
        "On digits.csv the recall of class 8 of network is 96.9% (349 of 360 cases), 95% Wilson "
        "interval 94.6% to 98.3%."
    )


def test_cases_in_groups_are_both_said() -> None:
    grouped = interval(n=60, unit="clusters", successes=401, cases=480)
    assert wording.size_text(grouped) == "401 of 480 cases in 60 groups"


def test_a_class_is_named_in_the_sentence() -> None:
    text = wording.interval_sentence(ACCURACY, METRICS["recall"], "8")
    assert "a true recall of class 8 anywhere" in text


def test_abbreviations_keep_their_capitals() -> None:
    text = wording.interval_sentence(interval(), METRICS["f1"], "8")
    assert "a true F1 of class 8" in text
    assert "a true AUC" in wording.interval_sentence(interval(), METRICS["auc"], "8")


def test_an_undefined_value_is_said_with_its_reason() -> None:
    nothing = proportion_interval(0, 0, name="recall of 8", unit="actual positives")
    text = wording.interval_sentence(nothing, METRICS["recall"], "8")
    assert text.startswith("There is no recall of class 8 here")
    assert "nan" not in text
    assert wording.halving_sentence(nothing) is None
    assert wording.estimate_text(nothing, "percent") == wording.DASH
    assert wording.range_text(nothing, "percent") == wording.DASH


@pytest.mark.parametrize(
    ("half", "scale", "digits"),
    [
        (0.018, "percent", 1),
        (0.0005, "percent", 2),
        (0.000_04, "percent", 3),
        (0.3, "percent", 1),
        (0.03, "number", 3),
        (0.0004, "number", 4),
        (5939.0, "target", 0),
        (0.012, "target", 3),
    ],
)
def test_decimals_follow_the_width(half: float, scale: str, digits: int) -> None:
    assert wording.decimals(interval(low=0.5 - half, high=0.5 + half), scale) == digits


def test_numbers_have_separators_and_a_true_minus() -> None:
    assert wording.value_text(-1234.56, "target", 0) == "−1,235"
    assert wording.value_text(0.12345, "percent", 1) == "12.3%"
    assert wording.value_text(float("nan"), "percent", 1) == wording.DASH
    assert wording.level(0.95) == "95%"
    assert wording.level(0.999) == "99.9%"


def test_singular_and_plural() -> None:
    assert wording.units(1, "cases") == "1 case"
    assert wording.units(1, "actual positives") == "1 actual positive"
    assert wording.units(1_440, "cases") == "1,440 cases"


def test_what_an_interval_does_not_say() -> None:
    lines = wording.does_not_say(interval(unit="actual positives"), METRICS["recall"], "8")
    assert any("The 95% belongs to the procedure" in line for line in lines)
    assert any("next test score" in line for line in lines)
    assert any("cases whose true class is 8" in line for line in lines)
    assert len(wording.does_not_say(interval(), METRICS["accuracy"])) == len(lines) - 1


def test_confusion_sentences() -> None:
    matrix = confusion_matrix(sample("digits"), "network")
    assert wording.confusion_sentence(matrix) == (
        "349 of 360 cases are right; 11 mistakes in 9 cells."
    )
    assert wording.pairs_sentence([(2, "8", "1"), (1, "9", "5")]) == (
        "Most confused: 8 read as 1 (2 times), 9 read as 5 (once)."
    )
    perfect = confusion_matrix(make_predictions(["a", "b"], {"m": ["a", "b"]}), "m")
    assert wording.confusion_sentence(perfect) == (
        "All 2 cases are right; there is no mistake to look at."
    )


def test_confident_mistakes_sentence() -> None:
    cases = find_cases(sample("digits"), "network")
    assert wording.confident_sentence(cases, 0.9) == (
        "3 of the 11 mistakes were made with a stated probability above 0.9."
    )
    without = find_cases(make_predictions(["a", "b"], {"m": ["b", "b"]}), "m")
    assert "no probabilities" in wording.confident_sentence(without, 0.9)


def test_what_is_loaded() -> None:
    assert wording.loaded_sentence(sample("digits")) == "360 cases · 2 models · 10 classes"
    assert wording.loaded_sentence(sample("listings")) == "600 cases · 3 models · numeric target"
    unlabelled = make_predictions(None, {"a": ["x", "y"], "b": ["x", "x"]})
    assert wording.loaded_sentence(unlabelled).endswith("no truth")
    rows = np.array([1])
    assert wording.disagreement_sentence(unlabelled, rows) == (
        "The models give different answers on 1 of 2 cases."
    )


def test_a_close_race_between_slices_is_called_one() -> None:
    predictions = make_predictions(
        ["a"] * 40 + ["b"] * 40,
        {"m": ["a"] * 30 + ["b"] * 10 + ["b"] * 31 + ["a"] * 9},
        slices={"site": ["north", "south"] * 40},
    )
    report = slice_intervals(predictions, "accuracy", "m", "site")
    text = wording.slice_sentence(report, "percent")
    assert text.startswith("site has 2 levels.")
    assert "another test set may well name another" in text


def test_groups_are_said_to_be_worth_fewer_cases() -> None:
    groups = np.repeat(np.arange(12), 5)
    right = np.repeat([1, 1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 1], 5)
    predictions = make_predictions(["1"] * 60, {"m": right.astype(str)}, groups=groups)
    clustered = metric_interval(predictions, "accuracy", "m")
    naive = metric_interval(predictions, "accuracy", "m", by_group=False)
    text = wording.naive_sentence(naive, clustered, METRICS["accuracy"], "patient")
    assert "narrower without reason" in text
    # All five cases of a group agree, so sixty cases are worth twelve, times (G - 1) / G of CR1.
    assert "as 11 cases without groups would (design effect 5.5)" in text


def test_what_the_market_showed() -> None:
    found = market_coverage(
        sample("digits"), "accuracy", "network", ["wilson", "wald"], n_sets=200, rng=1
    )
    text = wording.market_sentence(found, {"wilson": "Wilson", "wald": "Wald"})
    assert text.startswith("Of 200 test sets of 360 cases ")
    assert "gave a 95% interval that held the true value" in text
    assert "Wilson came closest" in text
    assert wording.market_limits(found, {}) == []


def test_what_the_market_left_out_is_said() -> None:
    groups = np.repeat(np.arange(12), 5)
    scores = np.random.default_rng(1).random((60, 2))
    predictions = make_predictions(
        np.arange(60) % 2, {}, scores={"m": scores[:, 0]}, groups=groups, positive="1"
    )
    found = market_coverage(predictions, "auc", "m", n_sets=20, rng=1)
    labels = wording.market_labels({"delong_logit": "DeLong", "bca": "BCa"}, found)
    assert labels["naive_delong_logit"] == "DeLong, groups ignored"
    text = " ".join(wording.market_limits(found, labels))
    assert "an interval that ignores them (DeLong, groups ignored) held the true value in" in text
    assert "Not judged here: percentile and BCa, because resampling every" in text
    assert "test sets of 12 groups" in wording.market_sentence(found, labels)
    few = replace(found, n_sets=100, n_asked=1000, undefined={"t": 0.02}, held={"t": 0.9})
    text = " ".join(wording.market_limits(few, labels))
    assert "Fewer than 1,000 test sets were drawn" in text
    assert "known to within 4.4 points" in text
    assert "up to 2.0% by method, gave no interval" in text
    assert "came closest" not in wording.market_sentence(few, labels)


def test_labels_without_a_truth_are_only_compared_for_symmetry() -> None:
    found = bowker_test([[5, 20], [3, 5]])
    lean = wording.symmetry_sentence(found, "a", "b")
    assert "lean to some classes differently" in lean
    assert 0.0001 < found.p_value < 0.01
    strict = wording.symmetry_sentence(found, "a", "b", confidence_level=0.9999)
    assert "show no lean" in strict
    assert "nothing says which of them is right" in lean
