"""Sentences of a plan: true, short, and right in the singular and at the edges."""

from __future__ import annotations

import math

import pytest

from evalcore import sizing, wording
from evalcore.predictions import make_predictions
from evalcore.results import Interval


def interval(**changes: object) -> Interval:
    values = {
        "name": "d", "estimate": 0.1, "low": 0.05, "high": 0.15, "standard_error": 0.025,
        "confidence_level": 0.95, "method": "wilson", "n": 120, "unit": "cases", **changes,
    }  # fmt: skip
    return Interval(**values)


def test_shares_points_and_money() -> None:
    assert wording.percent_text(0.08412) == "8.412%"
    assert wording.percent_text(0.8) == "80%"
    assert wording.points_text(0.01) == "1 point"
    assert wording.points_text(0.001) == "0.1 points"
    assert wording.points_text(0.00924) == "0.924 points"
    assert wording.money_text(3228.5) == "3,228.50"
    assert wording.money_text(12300.0) == "12,300"
    assert wording.money_text(314_942.5) == "314,942"


@pytest.mark.parametrize(
    ("power", "text"),
    [(0.7901, "79.0%"), (0.79999, "79.9%"), (0.8, "80.0%"), (0.80004, "80.0%"), (1.0, "100.0%")],
)
def test_power_is_never_rounded_up_to_its_target(power: float, text: str) -> None:
    assert wording.power_text(power) == text


def test_the_cost_sentence() -> None:
    options = {"price": 0.5, "labels_per_case": 3, "share_labelled": 0.25}
    assert wording.cost_sentence(sizing.cost(100, **options), **options) == (
        "100 cases need a label, 25% have theirs already: 225 labels of 3 annotators each, "
        "112.50 at 0.5 a label."
    )
    plain = {"price": 1.0, "labels_per_case": 1, "share_labelled": 0.0}
    assert wording.cost_sentence(sizing.cost(1, **plain), **plain) == (
        "1 case needs a label: 1 label, 1 at 1 a label."
    )


def test_the_sentence_of_a_half_width() -> None:
    size = sizing.half_width_sample_size(0.8, 0.05, prevalence=0.01, unit="actual positives")
    assert wording.half_width_sentence(
        size,
        what="the recall",
        expected=0.8,
        half_width=0.05,
        confidence_level=0.95,
        guarantee="if the score comes out as expected",
    ) == (
        "To know the recall to plus or minus 5 points (95% interval, absolute) when it is near "
        "80%, if the score comes out as expected, the test set needs 246 actual positives, and so "
        "24,600 cases in all."
    )


def paired(**changes: object) -> str:
    options = {
        "disagreement": 0.08, "gap": 0.01, "power": 0.8, "significance": 0.05,
        "alternative": "two-sided", "comparisons": 1, "slices": 1, "only_disagreements": False,
        **changes,
    }  # fmt: skip
    size = sizing.paired_sample_size(0.08, 0.01, slices=int(options["slices"]))
    if options["only_disagreements"]:
        size = sizing.label_only_disagreements(size, 0.08)
    return wording.paired_sentence(size, **options)


def test_the_sentence_of_a_comparison() -> None:
    assert paired() == (
        "To find a gap of 1 point (absolute) between two models of which exactly one is right on "
        "8% of the cases, with 80% power (exact McNemar test, two-sided, 5% level), both models "
        "must answer the same 6,457 cases; all of them need a label."
    )
    assert paired(only_disagreements=True).endswith(
        "about 517 of them, those on which the models differ, need a label."
    )
    assert ", one of 10 comparisons)" in paired(comparisons=10)
    assert "cases per slice (" in paired(slices=3)


def test_the_formula_stands_beside_the_exact_test() -> None:
    exact = sizing.paired_sample_size(0.08412, 0.00924)
    formula = sizing.paired_sample_size(0.08412, 0.00924, method="normal")
    assert wording.formula_sentence(exact, formula, power=0.8) == (
        "The formula (z + z)² d / gap² says 7,734 cases. The exact test has 79.0% power there, "
        "short of the 80% aimed at; the exact test keeps 80% from 7,926 cases on."
    )


def test_where_the_disagreement_comes_from() -> None:
    known = wording.rate_sentence(interval(), correctness=True, classes=3)
    assert known.startswith("Exactly one of the two is right on 10% of the 120 cases")
    assert "upper bound" in wording.rate_sentence(interval(), correctness=False, classes=3)
    two = wording.rate_sentence(interval(), correctness=False, classes=2)
    assert "upper bound" not in two
    assert "this is d itself" in two


def test_the_interval_of_the_disagreement_carries_over() -> None:
    low, high = (sizing.paired_sample_size(d, 0.02) for d in (0.05, 0.15))
    said = wording.rate_range_sentence(low, high, interval())
    assert f"from {low.n:,} to {high.n:,} cases" in said
    assert f"up to {high.n:,} cases" in wording.rate_range_sentence(None, high, interval())
    assert "possible nowhere" in wording.rate_range_sentence(None, None, interval())


def test_stopping_early() -> None:
    plan = sizing.sequential_sample_size(0.08, 0.02)
    said = wording.sequential_sentence(plan, significance=0.05)
    assert f"{plan.n:,} cases are needed" in said
    assert "below 5%" in said
    assert "stop, A is shown better" in wording.stopping_sentence(4.0, 30, 5, significance=0.05)
    assert "stop, B is shown better" in wording.stopping_sentence(9e9, 5, 900, significance=0.05)
    assert "label the next" in wording.stopping_sentence(0.0, 0, 0, significance=0.05)
    assert "with a two-sided test" in said


def test_the_split_of_the_deciding_cases() -> None:
    said = wording.split_sentence(1, 3, 0.2, 0.99, confidence_level=0.95)
    assert said.startswith("B was right on 75% of the 4 cases")
    assert "between 20% and 99%" in said
    assert "at least 20%" in wording.split_sentence(1, 3, 0.2, 1.0, confidence_level=0.95)
    assert "nothing is known" in wording.split_sentence(0, 0, 0.0, 1.0, confidence_level=0.95)


def test_a_budget_that_finds_nothing_says_so() -> None:
    options = {"budget": 10.0, "cases": 20, "disagreement": 0.08, "power": 0.8}
    assert "no gap is found" in wording.budget_sentence(gap=float("nan"), **options)
    assert "a gap of 5 points" in wording.budget_sentence(gap=0.05, **options)


@pytest.mark.parametrize(
    ("gap", "d", "possible"),
    [(0.1, 0.08, "at most 8 points"), (0.0, 0.08, "smallest gap"), (0.01, 0.0, "above 0%")],
)
def test_gaps_that_cannot_be(gap: float, d: float, possible: str) -> None:
    assert possible in str(wording.gap_problem(gap, d))


def test_what_is_possible_is_no_problem() -> None:
    assert wording.gap_problem(0.08, 0.08) is None
    assert wording.rate_problem(0.08, (0.01, 0.19), 0.9) is None
    assert wording.share_problem(0.5, "x") is None
    assert wording.half_width_problem(0.05) is None
    assert wording.gain_problem(0.1, 0.9) is None
    assert wording.requirement_problem(0.9, 0.8) is None


def test_shares_and_widths_that_cannot_be() -> None:
    assert "between 1% and 19%" in str(wording.rate_problem(0.3, (0.01, 0.19), 0.9))
    assert "below 100%" in str(wording.share_problem(1.0, "The power"))
    assert "between" in str(wording.half_width_problem(0.0))
    assert "at most 3 points" in str(wording.gain_problem(0.05, 0.97))
    assert "require less" in str(wording.requirement_problem(0.8, 0.8))


@pytest.mark.parametrize("question", ["one", "pair", "budget"])
def test_what_a_plan_does_not_say(question: str) -> None:
    lines = wording.plan_does_not_say(question)
    assert len(lines) == (2 if question == "one" else 3)
    assert all(line.endswith(".") for line in lines)


def test_a_simulated_size_says_so_and_how_exact_it_is() -> None:
    rare = make_predictions([0, 0, 1, 1], {"m": [0, 1, 0, 1]}, counts=[975, 5, 4, 16])
    found = sizing.simulated_sample_size(rare, "f1", "m", 0.05)
    said = wording.simulated_sentence(found, "50 points")
    assert said.startswith("This is simulated: 1,000 test sets")
    assert f"give or take {math.ceil(1.96 * found.error)} cases" in said
    assert "does not exist" not in said
    small = sizing.simulated_sample_size(rare, "f1", "m", 0.4)
    assert "counts as knowing nothing, plus or minus 50 points" in wording.simulated_sentence(
        small, "50 points"
    )
