"""Sizes for one metric and for a requirement."""

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, t

from evalcore.binomial import (
    exact_coverage,
    least_successes,
    proportion_interval,
    proportion_limits,
    proportion_test,
)
from evalcore.intervals import mean_interval, metric_interval
from evalcore.predictions import make_predictions
from evalcore.ranking import auc_interval
from evalcore.sizing import (
    HALF_WIDTH_METHODS,
    auc_sample_size,
    cases_for_errors,
    expected_best,
    expected_half_width,
    half_width_sample_size,
    hoeffding_sample_size,
    largest_passing_errors,
    mean_sample_size,
    pilot_sample_size,
    requirement_power,
    requirement_sample_size,
    size_for_half,
)
from evalcore.sizing.search import first_reaching, round_up, smallest_lasting

TESTS = Path(__file__).parents[2]
REFERENCE = json.loads((TESTS / "reference" / "sizing.json").read_text())
METHODS = sorted(HALF_WIDTH_METHODS)
few = settings(max_examples=20)


def case(name):
    folder = TESTS / "cases" / name
    return folder, json.loads((folder / "expected.json").read_text())["expected"]


@pytest.mark.parametrize("row", REFERENCE["halfwidth"], ids=lambda row: f"{row['p']}-{row['E']}")
def test_half_width_sizes_agree_with_reference(row):
    # R 4.2.2: qnorm(1 - (1 - level) / 2)^2 p (1 - p) / E^2; Wilson by a search over n.
    p, width, level = row["p"], row["E"], row["level"]
    normal = half_width_sample_size(p, width, confidence_level=level)
    assert normal.unrounded == pytest.approx(row["n_wald_raw"], rel=1e-9)
    assert normal.n == row["n_wald_ceil"]
    wilson = half_width_sample_size(p, width, method="wilson", confidence_level=level)
    assert wilson.n == row["n_wilson_halfwidth_at_expected_p"]
    assert wilson.achieved == pytest.approx(row["wilson_half_at_n"], abs=1e-12)
    before = expected_half_width(wilson.n - 1, p, confidence_level=level)
    assert before == pytest.approx(row["wilson_half_at_n_minus_1"], abs=1e-12)


def test_numbers_of_the_sources():
    # Recall near .8 within 5 points takes about 250 positives: 25,000 cases at 1 percent.
    recall = half_width_sample_size(0.8, 0.05, prevalence=0.01, unit="actual positives")
    assert recall.unrounded == pytest.approx(245.9, abs=0.05)
    assert (recall.n, recall.labels, recall.unit) == (246, 24_600, "actual positives")
    assert round(100 * expected_half_width(20, 0.8, method="normal"), 1) == 17.5
    assert round(100 * expected_half_width(250, 0.9, method="normal"), 1) == 3.7
    assert half_width_sample_size(0.15, 0.03).n == 545
    # Six times the cases divide the standard error by 2.45; halving it takes four times as many.
    ratio = expected_half_width(100, 0.9, method="normal")
    ratio /= expected_half_width(600, 0.9, method="normal")
    assert round(ratio, 2) == 2.45
    assert mean_sample_size(74_222, 1.96 * 3030.1 / 2, method="normal").n == pytest.approx(
        2400, 1e-3
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("p", "width"), [(0.8, 0.05), (0.97, 0.02), (0.5, 0.1)])
def test_average_half_width_is_that_of_every_outcome(method, p, width):
    size = half_width_sample_size(p, width, method=method, average=True)
    key = HALF_WIDTH_METHODS[method]
    enumerated = [
        float(exact_coverage(n, p, method=key).expected_width) / 2 for n in (size.n - 1, size.n)
    ]
    assert enumerated[1] <= width < enumerated[0]
    assert size.achieved == pytest.approx(enumerated[1], abs=1e-10)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("p", "width", "assurance"), [(0.9, 0.05, 0.8), (0.06, 0.04, 0.9)])
def test_assurance_holds_from_the_size_on(method, p, width, assurance):
    size = half_width_sample_size(p, width, method=method, assurance=assurance)
    key = HALF_WIDTH_METHODS[method]
    shares = []
    for n in range(size.n - 1, 2 * size.n):
        k = np.arange(n + 1.0)
        low, high = proportion_limits(k, n, method=key)
        shares.append(binom.pmf(k, n, p) @ ((high - low) / 2 <= width))
    assert shares[0] < assurance
    assert min(shares[1:]) >= assurance
    assert size.achieved == pytest.approx(shares[1], abs=1e-12)
    assert size.n > half_width_sample_size(p, width, method=method).n


@given(p=st.floats(0.02, 0.98), width=st.floats(0.01, 0.2), method=st.sampled_from(METHODS))
@few
def test_size_rounds_up_and_falls_with_the_width(p, width, method):
    size = half_width_sample_size(p, width, method=method)
    assert expected_half_width(size.n, p, method=method) <= width * (1 + 1e-9)
    if size.n > 1:
        assert expected_half_width(size.n - 1, p, method=method) > width * (1 - 1e-9)
    assert half_width_sample_size(p, width / 2, method=method).n >= size.n
    other = half_width_sample_size(1 - p, width, method=method)
    assert abs(size.n - other.n) <= 1


@pytest.mark.parametrize("share", [0.02, 0.3, 0.5])
def test_auc_size_has_the_hanley_mcneil_error(share):
    size = auc_sample_size(0.85, 0.04, prevalence=share)
    m, k, a = size.unrounded * share, size.unrounded * (1 - share), 0.85
    q1, q2 = a / (2 - a), 2 * a * a / (1 + a)
    error = math.sqrt((a * (1 - a) + (m - 1) * (q1 - a**2) + (k - 1) * (q2 - a**2)) / (m * k))
    assert 1.959963984540054 * error == pytest.approx(0.04, rel=1e-9)
    assert size.n == math.ceil(size.unrounded)
    assert 0.039 < size.achieved <= 0.04


def test_auc_size_gives_the_width_of_the_interval_that_is_then_reported():
    size = auc_sample_size(0.8, 0.05, prevalence=0.25)
    rng = np.random.default_rng(0)
    truth = np.arange(size.n) < round(size.n * 0.25)
    half = [
        auc_interval(truth, rng.exponential(size=size.n) * np.where(truth, 4, 1)).width / 2
        for _ in range(60)
    ]
    # An exponential of four times the mean wins with probability 4 / 5.
    assert np.mean(half) == pytest.approx(0.05, rel=0.05)


def test_mean_size_by_t_is_the_smallest():
    for spread, width in [(1.0, 2.5), (1.0, 0.9), (10.0, 1.0)]:
        n = mean_sample_size(spread, width).n
        halves = [t.ppf(0.975, m - 1) * spread / math.sqrt(m) for m in range(2, n + 1)]
        assert halves[-1] <= width
        assert all(half > width for half in halves[:-1])
        assert n >= mean_sample_size(spread, width, method="normal").n


def test_pilot_size_of_f1_gives_that_spread_in_simulation():
    rng = np.random.default_rng(3)
    truth = rng.random(300) < 0.3
    called = np.where(rng.random(300) < 0.85, truth, ~truth)
    pilot = make_predictions(truth.astype(int), {"a": called.astype(int)})
    size = pilot_sample_size(pilot, "f1", "a", 0.03)
    table = np.bincount(2 * truth + called, minlength=4) / 300
    drawn = rng.multinomial(size.labels, table, 4_000)
    f1 = 2 * drawn[:, 3] / (2 * drawn[:, 3] + drawn[:, 1] + drawn[:, 2])
    # Monte Carlo error of a standard deviation from 4,000 draws: 1.1 percent.
    assert 1.96 * f1.std() == pytest.approx(0.03, rel=0.05)
    assert size.achieved <= 0.03


def test_pilot_size_counts_the_unit_of_the_metric_and_labels_all_cases():
    truth = np.repeat([1, 0], [50, 450])
    said = np.concatenate([np.repeat([1, 0], [40, 10]), np.zeros(450, int)])
    pilot = make_predictions(truth, {"a": said})
    size = pilot_sample_size(pilot, "recall", "a", 0.05)
    assert size.unit == "actual positives"
    assert size.n == half_width_sample_size(0.8, 0.05).n
    assert size.labels == 10 * size.n
    groups = np.repeat(np.arange(50), 10)
    clustered = pilot_sample_size(
        make_predictions(truth, {"a": said}, groups=groups), "accuracy", "a", 0.01
    )
    assert clustered.unit == "clusters"
    assert clustered.labels == 10 * clustered.n
    with pytest.raises(ValueError, match="predictions must show how much precision"):
        pilot_sample_size(pilot, "precision", "a", 0.05)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((0.8, 0.0), {}, "half_width must be a finite number above 0; got 0"),
        ((0.8, 0.5), {}, r"half_width must be below 0\.5"),
        ((1.0, 0.1), {}, "proportion must be strictly between 0 and 1"),
        ((0.8, 0.1), {"prevalence": 0}, "prevalence must be a finite number above 0"),
        ((0.8, 0.1), {"prevalence": 2}, "prevalence must be from 0 to 1"),
        ((0.8, 0.1), {"method": "blaker"}, "method must be one of 'normal', 'wilson'"),
        ((0.8, 0.1), {"assurance": 1}, "assurance must be strictly between 0 and 1"),
    ],
)
def test_impossible_widths_are_refused(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        half_width_sample_size(*arguments, **options)


def test_better_than_80_percent():
    folder, expected = case("m10_must_exceed_80_percent")
    (row,) = csv.DictReader((folder / "counts.csv").read_text().splitlines())
    n, required = int(row["n"]), float(row["threshold"])
    assert largest_passing_errors(n, required) == n - expected["smallest_k_with_p_below_05"]
    assert largest_passing_errors(5, required) is None
    passes = binom.sf(expected["smallest_k_with_p_below_05"] - 1, n, 0.83)
    assert requirement_power(n, 0.83, required) == pytest.approx(passes, abs=1e-12)


@pytest.mark.parametrize(
    ("p", "required", "power", "alpha"),
    [
        (0.83, 0.8, 0.8, 0.05),
        (0.99, 0.95, 0.9, 0.05),
        (0.6, 0.5, 0.5, 0.2),
        (0.999, 0.99, 0.95, 0.01),
    ],
)
def test_requirement_power_stays_from_the_size_on(p, required, power, alpha):
    size = requirement_sample_size(p, required, power=power, significance=alpha)
    for n in {1, 2, 17, 60, size.n - 1, size.n}:
        least = least_successes(n, required, significance=alpha)
        own = 0.0 if least is None else binom.sf(least - 1, n, p)
        found = requirement_power(n, p, required, significance=alpha)
        assert found == pytest.approx(own, abs=1e-12)
    everything = requirement_power(np.arange(1, 2 * size.n), p, required, significance=alpha)
    assert everything[size.n - 2] < power
    assert everything[size.n - 1 :].min() >= power
    assert (np.diff(everything) < 0).any()


@pytest.mark.parametrize("errors", [0, 3, 20])
def test_cases_for_errors_is_the_smallest(errors):
    n = cases_for_errors(errors, 0.95).n
    assert proportion_test(errors, n, 0.05, alternative="less") < 0.05
    assert proportion_test(errors, n - 1, 0.05, alternative="less") >= 0.05
    assert largest_passing_errors(n, 0.95) == errors
    # The rule of three: 59 cases without an error show more than 95 percent.
    assert errors or n == 59


def test_requirement_must_be_below_the_model():
    with pytest.raises(ValueError, match=r"proportion must be above required \(0\.8\)"):
        requirement_sample_size(0.8, 0.8)


def test_best_of_twenty():
    folder, expected = case("m12_best_of_20")
    plan = json.loads((folder / "plan.json").read_text())
    level = plan["confidence"]
    many = hoeffding_sample_size(plan["margin"], models=plan["teams"], confidence_level=level)
    assert many.n == expected["n_hoeffding_union"]
    assert many.achieved >= level
    alone = hoeffding_sample_size(plan["margin"], confidence_level=level)
    assert alone.n == expected["n_single_model"]
    for key, value in expected["expected_best"].items():
        assert expected_best(300, 0.8, int(key[2:])) == pytest.approx(value, abs=1e-9)


def test_searches_do_not_depend_on_the_guess():
    for guess in (1, 40, 57, 58, 900):
        assert first_reaching(lambda n: n >= 57, guess) == 57
    assert first_reaching(lambda n: True, 30) == 1

    def saw(low, high):
        n = np.arange(low, high + 1)
        return n + 5 * (n % 4 == 0)

    for guess in (1, 96, 100, 500):
        assert smallest_lasting(saw, 100, guess, 8) == (100, 105.0)
        assert smallest_lasting(saw, 98, guess, 8)[0] == 98
    assert round_up(246 / 0.01) == 24_600
    assert round_up(24_600.01) == 24_601


def test_interval_of_a_set_of_the_size_is_as_wide_as_planned():
    size = half_width_sample_size(0.9, 0.03, method="wilson")
    right = round(0.9 * size.n)
    truth = np.ones(size.n, int)
    said = np.where(np.arange(size.n) < right, 1, 0)
    interval = metric_interval(make_predictions(truth, {"a": said}), "accuracy", "a")
    assert interval.width / 2 == pytest.approx(0.03, abs=5e-4)


@pytest.mark.parametrize(("k", "n"), [(36, 36), (349, 360), (180, 360), (0, 20), (1, 40)])
@pytest.mark.parametrize("method", ["wilson", "clopper_pearson"])
def test_size_for_half_gives_half_the_width_and_one_less_does_not(k, n, method) -> None:
    found = proportion_interval(k, n, method=method)
    size = size_for_half(found)
    again = proportion_interval(round(size * k / n), size, method=method)
    assert again.width <= found.width / 2
    before = proportion_interval(round(0.9 * size * k / n), round(0.9 * size), method=method)
    assert before.width > found.width / 2


def test_size_for_half_is_fourfold_elsewhere() -> None:
    assert size_for_half(mean_interval([1.0, 2.0, 4.0, 8.0])) == 16
    assert size_for_half(proportion_interval(0, 0)) is None
