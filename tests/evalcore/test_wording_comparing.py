"""Sentences about comparisons: the gap first, the favoured model named, no claim too many."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evalcore import wording
from evalcore.comparison import (
    METHODS,
    bowker_test,
    compare_all,
    compare_models,
    comparison_methods,
    ignoring_pairing,
    unpaired_comparison,
)
from evalcore.metrics import METRICS
from evalcore.predictions import make_predictions
from evalcore.wording.comparing import TEST_LABELS
from tests.samples import sample


def pair(only_a: int, only_b: int, both: int, neither: int = 0) -> object:
    truth = ["1"] * (only_a + only_b + both + neither)
    a = ["1"] * only_a + ["0"] * only_b + ["1"] * both + ["0"] * neither
    b = ["0"] * only_a + ["1"] * only_b + ["1"] * both + ["0"] * neither
    return make_predictions(truth, {"A": a, "B": b})


def test_the_digits_comparison() -> None:
    found = compare_models(sample("digits"), "accuracy", "network", "logreg")
    assert wording.comparison_sentence(found) == (
        "On these 360 cases network leads logreg in accuracy by 0.56 points, 95% interval −1.0 to "
        "+2.3: not shown to be better."
    )
    assert wording.deciding_sentence(found) == (
        "6 of 360 cases decide: network alone is right on 4, logreg alone on 2."
    )


def test_the_favoured_model_comes_first_whatever_the_order() -> None:
    found = compare_models(pair(2, 40, 100), "accuracy", "A", "B")
    text = wording.comparison_sentence(found)
    assert text.startswith("On these 142 cases B leads A in accuracy by 26.76 points")
    assert text.endswith("shown to be better.")
    assert "interval +" in text


def test_lower_is_better_is_said_as_lower() -> None:
    found = compare_models(sample("listings"), "mae", "linear", "boosting")
    text = wording.comparison_sentence(found)
    assert "boosting is lower than linear in mean absolute error by 3,556" in text
    assert "is closer on" in wording.deciding_sentence(found)


def test_equal_models() -> None:
    found = compare_models(pair(0, 0, 50), "accuracy", "A", "B")
    assert "not shown to differ" in wording.comparison_sentence(found)
    assert "none of the 50 cases tells them apart" in wording.deciding_sentence(found)
    assert wording.comparison_sentence(found).startswith(
        "On these 50 cases A and B both have 100.0% in accuracy, a gap of 0, 95% interval"
    )


def test_cases_are_counted_where_clusters_are_the_units() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 100)
    said = {name: np.where(rng.random(100) < 0.8, truth, 1 - truth) for name in "AB"}
    groups = rng.integers(0, 10, 100)
    data = make_predictions(truth, said, classes="01", positive="1", groups=groups)
    found = compare_models(data, "accuracy", "A", "B", n_resamples=99)
    differ = int((said["A"] != said["B"]).sum())
    assert differ > 10
    assert wording.deciding_sentence(found).startswith(f"{differ} of 100 cases decide:")
    recall = compare_models(data, "recall", "A", "B", n_resamples=99)
    differ = int((said["A"] != said["B"])[truth == 1].sum())
    assert wording.deciding_sentence(recall).startswith(
        f"{differ} of {truth.sum()} actual positives decide:"
    )


OF_ALL_CLASSES = [
    row.key
    for row in METRICS.values()
    if row.task == "classification" and row.columns is None and row.family != "rank"
    and not row.per_class
]  # fmt: skip


@pytest.mark.parametrize("key", OF_ALL_CLASSES)
def test_only_metrics_that_wrong_classes_move_are_said_to_be(key: str) -> None:
    """Two models that are right on the same cases, and wrong in different ways."""
    truth = [*"aaaaabbbbccc"]
    one = [*"aaabbbbbacca"]
    two = [*"aaaccbbbccca"]
    data = make_predictions(truth, {"A": one, "B": two}, classes="abc", positive="a")
    found = compare_models(data, key, "A", "B", n_resamples=99)
    text = wording.deciding_sentence(found)
    assert (found.only_a, found.only_b) == (0, 0)
    moved = found.difference.estimate != 0
    assert ("none of the 12 cases tells them apart" in text) == (not moved)
    assert ("only their wrong answers can differ" in text) == moved


def test_without_a_truth_nobody_is_said_to_be_right() -> None:
    data = make_predictions(None, {"A": [*"xyx"], "B": [*"xxx"]}, classes="xy")
    found = compare_models(data, "accuracy", "A", "B")
    assert wording.deciding_sentence(found) is None
    lines = wording.p_sentences(found)
    assert lines[0].startswith("There is no p-value here. A p-value is how often")
    assert wording.DASH not in " ".join(lines)


def test_a_score_is_higher_and_one_case_is_one() -> None:
    data = make_predictions(
        None, {"A": [3.0, 2.0, 1.0, 1.0], "B": [1.0, 2.5, 0.0, 1.0]}, task="score"
    )
    found = compare_models(data, "mean_score", "A", "B", n_resamples=99)
    assert wording.deciding_sentence(found) == (
        "A is higher on 2 cases and B on 1, on 1 both are equally high."
    )
    swapped = compare_models(data, "mean_score", "B", "A", n_resamples=99)
    assert wording.deciding_sentence(swapped).startswith("B is higher on 1 case and A on 2")
    passed = make_predictions(None, {"A": [1, 1, 0], "B": [1, 0, 0]}, task="score")
    found = compare_models(passed, "mean_score", "A", "B")
    assert wording.deciding_sentence(found) == (
        "1 of 3 cases decides: A alone is at 1 on 1, B alone on 0."
    )


def test_every_test_that_is_returned_has_a_label_and_no_other() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, 90)
    said = {
        name: np.where(rng.random(90) < share, truth, rng.integers(0, 3, 90))
        for name, share in zip("ABC", (0.9, 0.6, 0.5), strict=True)
    }
    labels = make_predictions(truth, said, classes="012", positive="1")
    few = make_predictions(truth[:9], {k: v[:9] for k, v in said.items()}, classes="012")
    numbers = make_predictions(
        rng.normal(size=90), {name: rng.normal(size=90) for name in "ABC"}, task="regression"
    )
    short = numbers.select(np.arange(9))
    found = [
        compare_models(data, metric, "A", "B", method=method, n_resamples=99)
        for data, metric in (
            (labels, "accuracy"),
            (labels, "macro_f1"),
            (few, "macro_f1"),
            (numbers, "mae"),
            (short, "mae"),
        )
        for method in comparison_methods(data, metric)
    ]
    many = [
        compare_all(labels, "accuracy", n_resamples=99),
        compare_all(labels, "macro_f1", n_resamples=99),
        compare_all(numbers, "mae", n_resamples=99),
    ]
    apart = [
        ignoring_pairing(labels, "accuracy", "A", "B"),
        ignoring_pairing(labels, "macro_f1", "A", "B", n_resamples=99),
        ignoring_pairing(numbers, "mae", "A", "B", n_resamples=99),
    ]
    keys = {row.test for row in METHODS.values()} | {one.test for one in (*found, *apart)}
    keys |= {test.method for one in (*found, *apart) for test in one.beside}
    keys |= {one.omnibus.method for one in many} | {bowker_test([[1, 2], [0, 1]]).method}
    assert keys == set(TEST_LABELS)
    assert all(wording.label_of_test(key) == TEST_LABELS[key] for key in keys)


def test_a_margin_shows_equivalence_or_not_worse() -> None:
    same = compare_models(pair(3, 3, 600), "accuracy", "A", "B", margin=0.05)
    assert wording.comparison_sentence(same).endswith("equivalent within the margin.")
    ahead = compare_models(pair(9, 3, 60), "accuracy", "A", "B", margin=0.05)
    assert wording.comparison_sentence(ahead).endswith(
        "A is shown not to be worse by more than the margin."
    )


def test_undefined_metrics_have_a_reason_instead_of_a_gap() -> None:
    predictions = make_predictions(["0", "0"], {"A": ["0", "0"], "B": ["0", "0"]}, classes="01")
    found = compare_models(predictions, "recall", "A", "B", label="1")
    text = wording.comparison_sentence(found)
    assert "cannot be compared by recall of 1" in text
    assert "nan" not in text


def test_the_unpaired_contrast() -> None:
    paired = compare_models(sample("digits"), "accuracy", "network", "logreg")
    contrast = ignoring_pairing(sample("digits"), "accuracy", "network", "logreg")
    text = wording.unpaired_sentence(paired, contrast)
    assert "times as wide" in text
    assert "overlap, which is not the test" in text
    width = paired.difference.width
    for ratio, says in ((1.04, "about as wide."), (0.96, "about as wide."), (1.06, "1.1 times")):
        high = contrast.difference.low + ratio * width
        near = replace(contrast, difference=replace(contrast.difference, high=high))
        assert f", {says}" in wording.unpaired_sentence(paired, near)


def test_what_a_p_value_does_not_say() -> None:
    found = compare_models(sample("digits"), "accuracy", "network", "logreg")
    lines = wording.p_sentences(found)
    assert any("It is not the probability that they are." in line for line in lines)
    assert any("does not show that two models are equal" in line for line in lines)
    assert not any("adjusted" in line for line in lines)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.6875, "0.69"),
        (0.0354, "0.035"),
        (0.00052, "0.0005"),
        (1e-9, "below 0.0001"),
        (1.0, "1"),
        (float("nan"), wording.DASH),
    ],
)
def test_p_values_are_never_zero(value: float, text: str) -> None:
    assert wording.p_text(value) == text


def test_gaps_have_a_sign_and_their_unit() -> None:
    assert wording.gap_text(-0.0056, "percent", 2) == "−0.56"
    assert wording.gap_text(3788.4, "target", 0) == "+3,788"
    assert wording.gap_unit(METRICS["accuracy"]) == " points"
    assert wording.gap_unit(METRICS["mcc"]) == ""


def test_many_models_are_counted() -> None:
    found = compare_all(sample("listings"), "mae", n_resamples=499)
    assert wording.many_sentence(found, 0.95).startswith(
        "3 comparisons: 1 of them is significant alone, 0 when all are counted."
    )
    text = wording.omnibus_sentence(found, 0.95)
    assert "Over all 3 models at once" in text
    p_value = found.omnibus.p_value
    assert ("too little" in text) == (p_value >= 0.05)
    assert "too little" in wording.omnibus_sentence(found, 1 - p_value / 2)
    assert "show that" in wording.omnibus_sentence(found, 1 - min(2 * p_value, 0.9))


def test_the_ledger_warns_of_luck() -> None:
    found = compare_all(sample("listings"), "mae", n_resamples=499).comparisons
    adjusted = [one.p_adjusted for one in found]
    text = wording.ledger_sentence(found, adjusted, 0.95)
    assert text.startswith("3 comparisons so far: 1 with a p-value below 0.05 alone, 0 when all")
    assert "up to 14% of such sessions" in text
    assert wording.ledger_sentence(found[:1], [0.5], 0.95).startswith("One comparison so far.")
    strict = wording.ledger_sentence(found, adjusted, 0.99)
    assert "0 with a p-value below 0.01 alone" in strict
    assert "up to 3% of such sessions" in strict


def test_separate_test_sets() -> None:
    """Newcombe (1998c), table II: 56/70 against 48/80, .0524 to .3339."""
    text = wording.separate_sentence(unpaired_comparison(56, 70, 48, 80))
    assert text == (
        "A minus B is +20.00 points, 95% interval +5.2 to +33.4: a difference is shown."
    )
