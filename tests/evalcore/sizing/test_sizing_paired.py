"""Sizes for two models, paired and unpaired, and where the disagreement rate comes from."""

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.predictions import make_predictions
from evalcore.sizing import (
    PAIRED_SIZE_METHODS,
    check_discordance,
    detectable_difference,
    disagreement_from_predictions,
    discordance_bounds,
    discordance_from_correlation,
    mcnemar_power,
    mcnemar_power_curve,
    paired_sample_size,
    unpaired_power,
    unpaired_sample_size,
)
from evalcore.sizing.power import CRITICAL_SPLITS

TESTS = Path(__file__).parents[2]
REFERENCE = json.loads((TESTS / "reference" / "sizing.json").read_text())
few = settings(max_examples=20)


def case(name):
    folder = TESTS / "cases" / name
    return folder, json.loads((folder / "expected.json").read_text())["expected"]


@pytest.mark.parametrize("row", REFERENCE["paired_n"], ids=lambda row: f"{row['delta']:.4f}")
def test_formulas_agree_with_reference(row):
    for method, key in (("normal", "n_simple"), ("connor", "n_connor")):
        size = paired_sample_size(
            row["d"],
            row["delta"],
            method=method,
            power=row["power"],
            significance=row["alpha"],
        )
        assert size.unrounded == pytest.approx(row[key], rel=1e-9)
        assert size.n == size.labels == math.ceil(row[key])


def test_the_worked_example_shows_what_the_formula_misses():
    # Formula 7,734 (not rounded inputs); the exact test has a power of .790 there and reaches 80
    # percent only at about 7,920; the mid-p test, which is not conservative, needs about 7,720.
    size = paired_sample_size(0.08412, 0.00924, method="normal")
    assert size.n == 7734
    assert round(size.achieved, 3) == 0.790
    assert "exact test" in size.assumptions[-1]
    exact = paired_sample_size(0.08412, 0.00924)
    assert 7910 <= exact.n <= 7930
    assert mcnemar_power(exact.n - 1, 0.08412, 0.00924) < 0.8 <= exact.achieved
    # At the gap of the population it was simulated from, one point, the same n has .849.
    assert mcnemar_power(7734, 0.0844937639806, 0.01) == pytest.approx(0.848908543565554, abs=1e-9)
    assert 6750 <= paired_sample_size(0.0844937639806, 0.01).n <= 6850


def test_a_tenth_of_a_point():
    assert round(paired_sample_size(0.08, 0.001, method="normal").n, -4) == 630_000
    exact = paired_sample_size(0.08, 0.001)
    assert mcnemar_power(exact.n - 1, 0.08, 0.001) < 0.8 <= exact.achieved < 0.80001


@pytest.mark.parametrize("method", sorted(CRITICAL_SPLITS))
@pytest.mark.parametrize("alternative", ["two-sided", "one-sided"])
def test_power_stays_from_the_exact_size_on(method, alternative):
    for d, share in [(1.0, 0.1), (1.0, 0.3), (1.0, 0.95), (0.9, 0.2), (0.5, 0.3), (0.05, 0.7)]:
        for power, alpha in [(0.5, 0.3), (0.8, 0.05), (0.95, 0.002)]:
            options = {"method": method, "significance": alpha, "alternative": alternative}
            size = paired_sample_size(d, d * share, power=power, **options)
            everything = mcnemar_power_curve(1, 2 * size.n + 200, d, d * share, **options)
            (failing,) = np.nonzero(everything < power)
            assert size.n == (failing[-1] + 2 if failing.size else 1)
            assert size.achieved == pytest.approx(everything[size.n - 1], abs=1e-12)


def test_a_smaller_size_may_have_the_power_too():
    curve = mcnemar_power_curve(1, 200, 1.0, 0.3)
    first = int(np.argmax(curve >= 0.8)) + 1
    assert first < paired_sample_size(1.0, 0.3).n


@given(
    d=st.floats(0.05, 1),
    share=st.floats(0.1, 0.9),
    method=st.sampled_from(PAIRED_SIZE_METHODS),
    power=st.sampled_from([0.5, 0.8, 0.95]),
)
@few
def test_size_falls_with_the_gap_and_the_inverse_returns_it(d, share, method, power):
    gap = share * d
    size = paired_sample_size(d, gap, method=method, power=power)
    assert size.n <= paired_sample_size(d, gap * 0.8, method=method, power=power).n
    found = detectable_difference(size.n, d, method=method, power=power)
    assert found <= gap * (1 + 1e-9)
    if size.n > 1 and method in CRITICAL_SPLITS:
        before = detectable_difference(size.n - 1, d, method=method, power=power)
        assert not before < gap * (1 - 1e-9)


def test_inverse_is_nan_when_no_gap_is_large_enough():
    assert math.isnan(detectable_difference(20, 0.05))
    # Five discordant cases can never be significant at 5 percent two-sided.
    assert math.isnan(detectable_difference(5, 1.0))
    assert detectable_difference(6, 1.0, power=0.9) == pytest.approx(
        2 * 0.9 ** (1 / 6) - 1, abs=1e-9
    )


def test_comparisons_and_slices_divide_the_significance():
    size = paired_sample_size(0.1, 0.02, method="connor", comparisons=3, slices=4)
    alone = paired_sample_size(0.1, 0.02, method="connor", significance=0.05 / 12)
    assert size.n == alone.n
    assert size.achieved == alone.achieved
    assert size.labels == 4 * size.n
    assert size.unit == "cases per slice"
    assert detectable_difference(alone.n, 0.1, comparisons=12) == pytest.approx(0.02, rel=0.02)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((0.05, 0.06), {}, r"from -0\.05 to 0\.05.*got 0\.06"),
        ((0.05, 0.0), {}, "difference must not be 0"),
        ((0.05, 0.01), {"power": 1.0}, "power must be strictly between 0 and 1"),
        ((0.05, 0.01), {"comparisons": 0}, "comparisons must be a whole number of at least 1"),
        (
            (0.05, 0.01),
            {"power": 0.02},
            r"power must be above the significance of one side, 0\.025",
        ),
        ((0.08, 1e-5), {}, "too small to enumerate.*use method 'connor' or 'normal'"),
    ],
)
def test_impossible_plans_are_refused(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        paired_sample_size(*arguments, **options)


@pytest.mark.parametrize("row", REFERENCE["two_prop_n"], ids=lambda row: f"{row['p2']}")
def test_unpaired_sizes_agree_with_r(row):
    # R 4.2.2 power.prop.test(p1 =, p2 =, sig.level =, power =)$n; pwr 1.3-0 pwr.2p.test(ES.h()).
    options = {"power": row["power"], "significance": row["alpha"]}
    for method, key in (("normal", "power_prop_test"), ("arcsine", "pwr_arcsine")):
        size = unpaired_sample_size(row["p1"], row["p2"], method=method, **options)
        assert size.unrounded == pytest.approx(row[f"n_per_group_{key}"], rel=1e-6)
        assert size.n == math.ceil(size.unrounded)
        assert size.labels == 2 * size.n
        assert row["power"] <= size.achieved < row["power"] + 0.001
    both = unpaired_sample_size(row["p1"], row["p2"], method="both_tails", **options)
    assert 0 <= unpaired_sample_size(row["p1"], row["p2"], **options).n - both.n <= 1


@pytest.mark.parametrize("row", REFERENCE["two_prop_power"], ids=lambda row: f"{row['n']}")
def test_unpaired_power_agrees_with_r(row):
    # R 4.2.2 power.prop.test, the same with strict = TRUE; pwr 1.3-0 pwr.2p.test.
    keys = {
        "normal": "power_prop_test",
        "both_tails": "power_prop_test_strict",
        "arcsine": "pwr_arcsine",
    }
    for method, key in keys.items():
        power = unpaired_power(
            row["n"], row["p1"], row["p2"], method=method, significance=row["alpha"]
        )
        assert power == pytest.approx(row[key], abs=1e-9)


def test_size_from_marginals_and_a_correlation():
    folder, expected = case("m07_size_from_marginals")
    plan = json.loads((folder / "plan.json").read_text())
    d = discordance_from_correlation(plan["p0"], plan["p1"], plan["rho"])
    gap = plan["p0"] - plan["p1"]
    assert d == pytest.approx(expected["d"], abs=1e-12)
    for method, key in (("normal", "n_rule_7_85"), ("connor", "n_connor")):
        assert paired_sample_size(d, gap, method=method).n == pytest.approx(expected[key], abs=1)
    assert discordance_from_correlation(0.75, 0.85, 0.0) == pytest.approx(0.325, abs=1e-12)
    with pytest.raises(ValueError, match=r"rho must be from -0\.2425 to 0\.7276"):
        discordance_from_correlation(0.75, 0.85, 0.9)
    assert discordance_from_correlation(1.0, 0.9, 0.0) == pytest.approx(0.1, abs=1e-12)


def test_pairing_needs_fewer_cases():
    folder, expected = case("m08_paired_needs_fewer")
    plan = json.loads((folder / "plan.json").read_text())
    bounds = discordance_bounds(plan["p1"], plan["p2"])
    assert bounds == pytest.approx((expected["d_min"], expected["d_max"]), abs=1e-12)
    assert unpaired_sample_size(plan["p1"], plan["p2"]).n == expected["unpaired_per_model"]
    for d, n in zip((0.06, 0.10, 0.20, 0.29), expected["paired"].values(), strict=True):
        check_discordance(d, plan["p1"], plan["p2"])
        assert paired_sample_size(d, 0.05, method="normal").n == pytest.approx(n, abs=3)
    for impossible in (0.04, 0.36):
        with pytest.raises(ValueError, match=r"disagreement must be from 0\.05 to 0\.35"):
            check_discordance(impossible, plan["p1"], plan["p2"])


@given(table=st.tuples(*[st.integers(0, 50)] * 4))
def test_bounds_and_correlation_hold_for_every_table(table):
    total = sum(table)
    if total == 0:
        return
    both, only_a, only_b, neither = (cell / total for cell in table)
    a, b, d = both + only_a, both + only_b, only_a + only_b
    low, high = discordance_bounds(a, b)
    assert low - 1e-12 <= d <= high + 1e-12
    spread = math.sqrt(a * (1 - a) * b * (1 - b))
    if spread > 1e-6:
        rho = (both * neither - only_a * only_b) / spread
        assert discordance_from_correlation(a, b, rho) == pytest.approx(d, abs=1e-9)


def test_bounds_take_a_difference_in_place_of_the_second_accuracy():
    assert discordance_bounds(0.9, difference=-0.05) == pytest.approx(discordance_bounds(0.9, 0.95))
    with pytest.raises(ValueError, match="give one of them"):
        discordance_bounds(0.9, 0.95, 0.05)
    with pytest.raises(ValueError, match="proportion_a - difference must be from 0 to 1"):
        discordance_bounds(0.9, difference=-0.2)
    with pytest.raises(ValueError, match="proportion_b must be from 0 to 1; got None"):
        discordance_bounds(0.9)


def test_disagreement_of_labels_is_not_discordance_of_correctness():
    folder, expected = case("m19_disagreement_is_not_discordance")
    rows = list(csv.DictReader((folder / "predictions.csv").read_text().splitlines()))
    columns = {key: [row[key] for row in rows] for key in rows[0]}
    truth = columns.pop("y_true")
    unlabelled = make_predictions(None, columns)
    labels = disagreement_from_predictions(unlabelled, "model_a", "model_b")
    right = disagreement_from_predictions(
        make_predictions(truth, columns), "model_a", "model_b", correctness=True
    )
    assert labels.estimate == pytest.approx(expected["label_disagreement"], abs=1e-12)
    assert right.estimate == pytest.approx(expected["discordant"], abs=1e-12)
    assert right.n == labels.n == expected["n"]
    assert 0 < labels.low < labels.estimate < labels.high < 1
    assert "upper bound" in labels.notes[-1]
    assert not any("upper bound" in note for note in right.notes)
    # The case multiplies by 7.85 in place of 7.849.
    for interval, key in ((right, "discordance"), (labels, "disagreement")):
        size = paired_sample_size(interval.estimate, 0.02, method="normal")
        assert size.n == pytest.approx(expected[f"n_for_delta_0_02_from_{key}"], rel=3e-4)
    with pytest.raises(ValueError, match="correctness needs a truth"):
        disagreement_from_predictions(unlabelled, "model_a", "model_b", correctness=True)


def test_with_two_classes_both_disagreements_are_equal_and_groups_widen_them():
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(40), 10)
    flip = (rng.random(40) < 0.3)[group]
    truth = rng.integers(0, 2, 400)
    outputs = {"a": truth, "b": np.where(flip, 1 - truth, truth)}
    plain = make_predictions(truth, outputs)
    labels = disagreement_from_predictions(plain, "a", "b")
    right = disagreement_from_predictions(plain, "a", "b", correctness=True)
    assert (labels.estimate, labels.low, labels.high) == (right.estimate, right.low, right.high)
    assert "equals" in labels.notes[-1]
    grouped = disagreement_from_predictions(
        make_predictions(truth, outputs, groups=group), "a", "b"
    )
    assert grouped.estimate == labels.estimate
    assert grouped.unit == "clusters"
    assert grouped.width > 2 * labels.width
