"""Intervals for a proportion: reference values, edges, properties, exact coverage, tests."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from evalcore.binomial import (
    PROPORTION_METHODS,
    exact_coverage,
    least_successes,
    one_sided_limit,
    proportion_interval,
    proportion_limits,
    proportion_test,
)

TESTS = Path(__file__).parents[1]
# Names in the reference files, where they differ from the keys of the table.
REFERENCE_NAMES = {
    "likelihood_ratio": "lrt",
    "arcsine": "arcsine_anscombe",
    "logit": "logit_half",
}
METHODS = sorted(PROPORTION_METHODS)
INSIDE = sorted(set(METHODS) - {"wald", "agresti_coull"})
LEVELS = st.floats(0.8, 0.999)
few = settings(max_examples=12)


def reference(name):
    return json.loads((TESTS / "reference" / name).read_text())["cases"]


def case(name):
    folder = TESTS / "cases" / name
    return folder, json.loads((folder / "expected.json").read_text())["expected"]


@st.composite
def outcomes(draw, most=400):
    n = draw(st.integers(1, most))
    return draw(st.integers(0, n)), n


def test_table_is_keyed_by_its_rows_and_lists_the_default_first():
    assert next(iter(PROPORTION_METHODS)) == "wilson"
    for key, method in PROPORTION_METHODS.items():
        assert method.key == key
        assert method.formula
        assert "(" in method.reference
        assert method.remark.endswith(".")


@pytest.mark.parametrize("method", METHODS)
def test_limits_agree_with_reference(method):
    # binomial.json: scipy 1.17.1 and statsmodels 0.15.0, checked against R 4.2.2 (prop.test,
    # binom.test, Hmisc::binconf, uniroot); its 12 digits; Blaker's values there hold to 1e-6.
    tolerance = 1e-6 if method == "blaker" else 1e-9
    for row in reference("binomial.json"):
        limits = proportion_limits(row["k"], row["n"], method=method, confidence_level=row["level"])
        expected = row["intervals"][REFERENCE_NAMES.get(method, method)]
        np.testing.assert_allclose(limits, expected, rtol=0, atol=tolerance, err_msg=str(row["k"]))


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99])
def test_blaker_limits_are_where_the_acceptability_crosses_alpha(level):
    # The acceptability written out from Blaker (2000), evaluated on a fine grid of p.
    alpha = 1 - level
    p = np.linspace(1e-6, 1 - 1e-6, 6_001)
    for n in (1, 2, 7, 12):
        below = binom.cdf(np.arange(-1, n + 1)[:, None], n, p)
        at_least = binom.sf(np.arange(-1, n)[:, None], n, p)
        for k in range(n + 1):
            tail = np.minimum(below[k + 1], at_least[k])
            smaller = np.minimum(below[1:], at_least) <= tail * (1 + 1e-12)
            acceptability = np.where(smaller, binom.pmf(np.arange(n + 1)[:, None], n, p), 0).sum(0)
            accepted = p[acceptability > alpha]
            low, high = proportion_limits(k, n, method="blaker", confidence_level=level)
            assert accepted[0] - 2e-4 <= low <= accepted[0] + 1e-9
            assert accepted[-1] - 1e-9 <= high <= accepted[-1] + 2e-4


def test_case_intervals_at_0_and_1():
    _, expected = case("s01_intervals_at_0_and_1")
    for row in expected["rows"]:
        k, n, level = row["k"], row["n"], 1 - row["alpha"]
        for method in ("clopper_pearson", "wilson"):
            limits = proportion_limits(k, n, method=method, confidence_level=level)
            np.testing.assert_allclose(limits, row[method], rtol=0, atol=1e-8)
        for method in INSIDE:
            low, high = proportion_limits(k, n, method=method, confidence_level=level)
            assert 0 <= low <= high <= 1


def test_case_clopper_pearson_at_a_tiny_alpha():
    _, expected = case("s02_clopper_pearson_tiny_alpha")
    for row in expected["rows"]:
        limits = proportion_limits(
            row["k"], row["n"], method="clopper_pearson", confidence_level=1 - row["alpha"]
        )
        np.testing.assert_allclose(limits, row["clopper_pearson"], rtol=0, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_rare_successes_among_a_thousand_million_follow_the_poisson_limit(method):
    # With k fixed, n p converges to a limit free of n, so the limits at 10^9 are a thousandth of
    # those at 10^6. scipy 1.17's beta quantile is wrong by a factor of 2 at k = 1000.
    k = np.array([0, 1, 20, 1000])
    for level in (0.95, 1 - 1e-7):
        many = proportion_limits(k, 10**9, method=method, confidence_level=level)
        fewer = proportion_limits(k, 10**6, method=method, confidence_level=level)
        np.testing.assert_allclose(np.multiply(many, 1e9), np.multiply(fewer, 1e6), rtol=5e-3)


@pytest.mark.parametrize("method", INSIDE)
def test_limits_never_leave_the_range_by_rounding(method):
    n = np.repeat(np.r_[1:200, 10**6, 10**9], 2)
    k = np.where(np.arange(n.size) % 2, n, 0)
    low, high = proportion_limits(k, n, method=method)
    assert np.all((low >= 0) & (high <= 1))
    if method != "logit":
        assert np.all(low[k == 0] == 0)
        assert np.all(high[k == n] == 1)


@pytest.mark.parametrize("method", METHODS)
@few
@given(outcome=outcomes(), level=LEVELS)
def test_failures_mirror_successes(method, outcome, level):
    k, n = outcome
    low, high = proportion_limits(k, n, method=method, confidence_level=level)
    mirrored = proportion_limits(n - k, n, method=method, confidence_level=level)
    np.testing.assert_allclose((low, high), (1 - mirrored[1], 1 - mirrored[0]), atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
@few
@given(outcome=outcomes(10_000), level=LEVELS)
def test_interval_holds_its_estimate(method, outcome, level):
    k, n = outcome
    assume(method != "logit" or 0 < k < n)
    low, high = proportion_limits(k, n, method=method, confidence_level=level)
    assert low <= k / n <= high
    if method in INSIDE:
        assert 0 <= low <= high <= 1


@pytest.mark.parametrize("method", INSIDE)
@few
@given(n=st.integers(1, 300), level=LEVELS)
def test_limits_grow_with_successes(method, n, level):
    low, high = proportion_limits(np.arange(n + 1), n, method=method, confidence_level=level)
    assert np.all(np.diff(low) >= 0)
    assert np.all(np.diff(high) >= 0)


# Agresti-Coull is left out: its centre moves with the level, so its intervals are not nested.
@pytest.mark.parametrize("method", sorted(set(METHODS) - {"agresti_coull"}))
@few
@given(outcome=outcomes(), levels=st.tuples(LEVELS, LEVELS))
def test_higher_level_is_never_narrower(method, outcome, levels):
    narrow = proportion_limits(*outcome, method=method, confidence_level=min(levels))
    wide = proportion_limits(*outcome, method=method, confidence_level=max(levels))
    assert wide[0] <= narrow[0] + 1e-12
    assert wide[1] >= narrow[1] - 1e-12


@few
@given(outcome=outcomes(), level=LEVELS)
def test_blaker_lies_within_clopper_pearson(outcome, level):
    low, high = proportion_limits(*outcome, method="blaker", confidence_level=level)
    outer = proportion_limits(*outcome, method="clopper_pearson", confidence_level=level)
    assert outer[0] - 1e-12 <= low
    assert high <= outer[1] + 1e-12


@pytest.mark.parametrize("method", METHODS)
def test_coverage_agrees_with_reference(method):
    # coverage.json: enumeration over k = 0..n in Python, checked in R 4.2.2 (max diff 7e-16).
    name = REFERENCE_NAMES.get(method, method)
    for row in reference("coverage.json"):
        found = exact_coverage(row["n"], row["p"], method=method, confidence_level=row["level"])
        assert found.coverage == pytest.approx(row["coverage"][name], abs=1e-9)
        assert found.expected_width == pytest.approx(row["expected_width"][name], abs=1e-9)


@pytest.mark.parametrize("method", ["clopper_pearson", "blaker"])
@pytest.mark.parametrize("n", [1, 10, 57])
def test_exact_methods_never_cover_less_than_they_say(method, n):
    found = exact_coverage(n, np.linspace(0, 1, 2_001), method=method, confidence_level=0.9)
    assert found.coverage.min() >= 0.9 - 1e-12


def test_coverage_of_wilson_is_what_the_documentation_states():
    grid = np.arange(1, 10_000) / 10_000
    middle = (grid > 0.05) & (grid < 0.95)
    for n, least, least_inside, mean in (
        (10, 0.8356, 0.8934, 0.9541),
        (50, 0.8392, 0.9308, 0.9518),
    ):
        coverage = exact_coverage(n, grid).coverage
        stated = (coverage.min(), coverage[middle].min(), coverage.mean())
        assert stated == pytest.approx((least, least_inside, mean), abs=5e-5)


def test_coverage_is_computed_in_blocks_without_changing_it(monkeypatch):
    grid = np.linspace(0, 1, 7).reshape(7, 1)
    whole = exact_coverage(20, grid)
    monkeypatch.setattr("evalcore.binomial.coverage.BLOCK", 50)
    blocks = exact_coverage(20, grid)
    assert blocks.coverage.shape == (7, 1)
    np.testing.assert_array_equal(whole.coverage, blocks.coverage)
    np.testing.assert_allclose(whole.expected_width, blocks.expected_width, rtol=1e-14)


def test_interval_says_what_it_counts():
    found = proportion_interval(349, 360, name="accuracy")
    assert (found.name, found.n, found.successes, found.unit) == ("accuracy", 360, 349, "cases")
    assert found.estimate == pytest.approx(349 / 360)
    assert found.standard_error == pytest.approx(0.009071, abs=1e-6)
    assert found.notes == ()


@pytest.mark.parametrize("method", METHODS)
def test_interval_of_nothing_is_undefined_with_a_reason(method):
    found = proportion_interval(0, 0, method=method, unit="actual positives")
    assert np.isnan([found.estimate, found.low, found.high, found.standard_error]).all()
    assert found.notes == ("Undefined: there are no actual positives to count.",)


@pytest.mark.parametrize(
    ("method", "k", "n", "words"),
    [
        ("wald", 0, 20, "artefact"),
        ("wald", 20, 20, "artefact"),
        ("wald", 1, 20, "leave the possible range"),
        ("agresti_coull", 20, 20, "leave the possible range"),
        ("logit", 0, 20, "does not contain"),
    ],
)
def test_interval_confesses_the_faults_of_its_method(method, k, n, words):
    assert any(words in note for note in proportion_interval(k, n, method=method).notes)


@pytest.mark.parametrize("method", sorted(set(INSIDE) - {"logit"}))
@few
@given(outcome=outcomes(60))
def test_sound_methods_need_no_notes_and_have_no_zero_width(method, outcome):
    found = proportion_interval(*outcome, method=method)
    assert found.notes == ()
    assert found.low < found.high


def test_limits_broadcast_and_are_undefined_only_where_n_is_0():
    low, high = proportion_limits([[0], [1]], [0, 1, 2][1:])
    assert low.shape == high.shape == (2, 2)
    low, high = proportion_limits([0, 3], [0, 5])
    assert np.isnan(low[0])
    assert np.isnan(high[0])
    assert 0 < low[1] < high[1] < 1


def test_case_must_exceed_80_percent():
    folder, expected = case("m10_must_exceed_80_percent")
    with (folder / "counts.csv").open() as lines:
        (row,) = csv.DictReader(lines)
    k, n, threshold = int(row["k"]), int(row["n"]), float(row["threshold"])
    p_value = proportion_test(k, n, threshold, alternative="greater")
    assert p_value == pytest.approx(expected["one_sided_exact_p"], abs=1e-12)
    assert proportion_limits(k, n) == pytest.approx(expected["wilson95"], abs=1e-9)
    limit = one_sided_limit(k, n, side="low")
    assert limit == pytest.approx(expected["wilson_one_sided95_low"], abs=1e-9)
    assert least_successes(n, threshold) == expected["smallest_k_with_p_below_05"]


@few
@given(
    n=st.integers(1, 200),
    proportion=st.floats(0.01, 0.99),
    significance=st.sampled_from([0.01, 0.05, 0.2]),
)
def test_least_successes_is_the_first_that_passes(n, proportion, significance):
    passing = [
        k
        for k in range(n + 1)
        if proportion_test(k, n, proportion, alternative="greater") < significance
    ]
    found = least_successes(n, proportion, significance=significance)
    assert found == (passing[0] if passing else None)


@pytest.mark.parametrize("proportion", [0.5, 0.2, 0.9])
@pytest.mark.parametrize("n", [1, 4, 11, 30])
def test_a_tie_with_the_significance_does_not_pass(n, proportion):
    p_values = [proportion_test(k, n, proportion, alternative="greater") for k in range(n + 1)]
    for k, p_value in enumerate(p_values):
        if p_value > 0.99:
            continue
        found = least_successes(n, proportion, significance=p_value)
        assert found == (k + 1 if k < n else None)
        assert least_successes(n, proportion, significance=p_value * (1 + 1e-6)) == k


def test_one_sided_limits_are_the_ends_of_a_wider_interval():
    low, high = proportion_limits(83, 100, method="clopper_pearson", confidence_level=0.9)
    assert one_sided_limit(83, 100, side="low", method="clopper_pearson") == pytest.approx(low)
    assert one_sided_limit(83, 100, side="high", method="clopper_pearson") == pytest.approx(high)


def test_two_sided_test_adds_every_outcome_that_is_no_more_likely():
    # R 4.2.2: binom.test(7, 10, 0.5)$p.value = 0.34375
    assert proportion_test(7, 10, 0.5) == pytest.approx(0.34375)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: proportion_interval(3, 2), "k must be from 0 to n"),
        (lambda: proportion_interval(-1, 2), "k must be a whole number"),
        (lambda: proportion_interval(1.5, 2), "k must be a whole number"),
        (lambda: proportion_limits([1, 2], [1, np.nan]), "k and n must be whole"),
        (lambda: proportion_interval(1, 2, method="exact"), "method must be one of 'wilson'"),
        (lambda: proportion_interval(1, 2, confidence_level=95), "confidence_level must be"),
        (lambda: one_sided_limit(1, 2, side="left"), "side must be one of"),
        (lambda: one_sided_limit(1, 2, side="low", method="blaker"), "method must be one of"),
        (lambda: one_sided_limit(1, 2, side="low", confidence_level=0.4), "must be above 0.5"),
        (lambda: proportion_test(1, 0, 0.5), "k must be from 0 to n"),
        (lambda: proportion_test(0, 0, 0.5), "n must be a whole number of at least 1"),
        (lambda: proportion_test(1, 2, 1.5), "proportion must be from 0 to 1"),
        (lambda: least_successes(0, 0.5), "n must be a whole number of at least 1"),
        (lambda: exact_coverage(0, 0.5), "n must be a whole number of at least 1"),
        (lambda: exact_coverage(5, [0.5, 1.5]), "proportion must be from 0 to 1"),
    ],
)
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
