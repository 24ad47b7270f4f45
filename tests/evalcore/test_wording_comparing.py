"""Sentences about comparisons: the gap first, the favoured model named, no claim too many."""

from __future__ import annotations

import pytest

from evalcore import wording
from evalcore.comparison import compare_all, compare_models, ignoring_pairing, unpaired_comparison
from evalcore.metrics import METRICS
from evalcore.predictions import make_predictions
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
    assert "Over all 3 models at once" in wording.omnibus_sentence(found)


def test_the_ledger_warns_of_luck() -> None:
    found = compare_all(sample("listings"), "mae", n_resamples=499).comparisons
    text = wording.ledger_sentence(found, [one.p_adjusted for one in found])
    assert text.startswith("3 comparisons so far: 1 with a p-value below 0.05 alone, 0 when all")
    assert "up to 14% of such sessions" in text
    assert wording.ledger_sentence(found[:1], [0.5]).startswith("One comparison so far.")


def test_separate_test_sets() -> None:
    """Newcombe (1998c), table II: 56/70 against 48/80, .0524 to .3339."""
    text = wording.separate_sentence(unpaired_comparison(56, 70, 48, 80))
    assert text == (
        "A minus B is +20.00 points, 95% interval +5.2 to +33.4: a difference is shown."
    )
