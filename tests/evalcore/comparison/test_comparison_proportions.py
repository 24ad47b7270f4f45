"""Paired proportions: reference intervals and tests, and the one inversion behind both."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from evalcore.comparison import (
    MCNEMAR_TESTS,
    PAIRED_METHODS,
    bowker_test,
    mcnemar_test,
    paired_difference_interval,
)
from evalcore.comparison.proportions import PairedTable
from tests.samples import CASES, REFERENCE

MCNEMAR = json.loads((REFERENCE / "mcnemar.json").read_text())["cases"]
INTERVALS = json.loads((REFERENCE / "paired_intervals.json").read_text())
LEVELS = (0.8, 0.9, 0.95, 0.99)
count = st.integers(0, 60)


def expected(case):
    (folder,) = CASES.glob(f"{case}_*")
    return json.loads((folder / "expected.json").read_text())["expected"]


@pytest.mark.parametrize("case", MCNEMAR, ids=lambda c: f"{c['b']}-{c['c']}")
def test_mcnemar_agrees_with_r(case):
    # R 4.2.2 mcnemar.test, binom.test; mid-p by its definition, 1 at b = c; see the file's meta.
    found = {key: mcnemar_test(case["b"], case["c"], method=key) for key in MCNEMAR_TESTS}
    assert found["exact"] == pytest.approx(case["exact"], rel=1e-9)
    assert found["midp"] == pytest.approx(case["midp"], rel=1e-9)
    assert found["chi2"] == pytest.approx(case["chi2_p"] or 1.0, rel=1e-9)
    assert found["chi2_corrected"] == pytest.approx(case["chi2_cc_p_r"] or 1.0, rel=1e-9)


@pytest.mark.parametrize("case", ["s04", "m02", "m04", "m20"])
def test_mcnemar_of_the_cases(case):
    right = expected(case)
    b, c = {"s04": (2, 1), "m02": (0, 10), "m04": (300, 220), "m20": (18, 33)}[case]
    names = {"exact": "exact", "midp": "midp", "p_cc": "chi2_corrected", "p_chi2": "chi2"}
    for name, method in names.items():
        if name in right:
            found = mcnemar_test(b, c, method=method)
            assert found == pytest.approx(right[name], rel=1e-6), name


def test_no_difference_is_p_1():
    for method in MCNEMAR_TESTS:
        assert mcnemar_test(0, 0, method=method) == 1.0
        assert mcnemar_test(17, 17, method=method) == 1.0


def test_mcnemar_refuses_a_table_of_labels():
    table = [[50, 8, 4], [13, 40, 9], [7, 2, 60]]
    with pytest.raises(ValueError, match=r"a table.*bowker_test"):
        mcnemar_test(table)
    with pytest.raises(ValueError, match="only_a must be a whole number"):
        mcnemar_test(1.5, 2)


@pytest.mark.parametrize("significance", [0.05, 0.01])
def test_exact_p_values_are_valid(significance):
    # Whatever share of the cases differ, and of n up to 25: P(p < alpha) never exceeds alpha.
    # Given the number that differ, the split is binomial with 1/2, so each number is checked.
    for differing in range(26):
        only_a = np.arange(differing + 1)
        p_values = np.array([mcnemar_test(b, differing - b) for b in only_a.tolist()])
        rejected = p_values <= significance
        assert binom.pmf(only_a[rejected], differing, 0.5).sum() <= significance


def test_bowker_agrees_with_the_case_of_three_classes():
    labels = (CASES / "s07_multiclass_table_is_not_mcnemar" / "two_models_no_truth.csv").read_text()
    pairs = [line.split(",") for line in labels.split()[1:]]
    table = np.zeros((3, 3), int)
    for a, b in pairs:
        table["ABC".index(a), "ABC".index(b)] += 1
    right, found = expected("s07"), bowker_test(table)
    assert found.statistic == pytest.approx(right["bowker_chi2"], rel=1e-9)
    assert found.degrees == right["bowker_df"]
    assert found.p_value == pytest.approx(right["bowker_p"], rel=1e-9)
    assert bowker_test([[5, 0], [0, 7]]).p_value == 1.0
    with pytest.raises(ValueError, match="square"):
        bowker_test([[1, 2, 3], [4, 5, 6]])


@pytest.mark.parametrize(
    "case", INTERVALS["cases"], ids=lambda c: "-".join(map(str, c.values()))[:20]
)
def test_intervals_agree_with_the_reference(case):
    # Own brute-force roots; Tango against R PropCIs 0.3-0 scoreci.mp, Agresti-Min against
    # diffpropci.mp, Newcombe with R prop.test limits; see the file's meta.
    table = [case[key] for key in "abcd"]
    for name, right in case["intervals"].items():
        method = "newcombe" if name == "newcombe10" else name
        if method not in PAIRED_METHODS:
            continue
        found = paired_difference_interval(*table, method=method, confidence_level=case["level"])
        assert found.estimate == pytest.approx(case["difference"], rel=1e-12)
        assert found.standard_error == pytest.approx(case["se_divisor_n"], abs=1e-12)
        if right[0] == right[1]:
            assert np.isnan(found.low)
            assert "no spread" in found.notes[0]
        else:
            assert (found.low, found.high) == pytest.approx(right, abs=1e-8), method


def test_newcombe_agrees_with_the_published_table():
    # Newcombe 1998b, Table III, method 10; 95 %, four decimals. All but one of the 36 limits agree
    # to the printed digit; the lower one of (1, 97, 1, 1) is 0.87367 and printed as 0.8736.
    for (a, b, c, d), limits in INTERVALS["meta"]["published"]["rows"]:
        found = paired_difference_interval(a, b, c, d, method="newcombe")
        assert (found.low, found.high) == pytest.approx(limits, abs=1e-4)


def test_published_tango_and_wald():
    # R contingencytables, its own tests.
    right = INTERVALS["meta"]["published_contingencytables_tests"]
    for method in ("tango", "wald"):
        found = paired_difference_interval(*right["table"], method=method)
        assert (found.low, found.high) == pytest.approx(right[method], abs=5e-5)


def test_equal_models_keep_a_width():
    z2 = 1.959963984540054**2
    found = paired_difference_interval(340, 0, 0, 20)
    assert found.estimate == 0.0
    assert found.high == pytest.approx(z2 / (360 + z2), rel=1e-9)
    assert found.low == -found.high


@pytest.mark.parametrize("n", [1e5, 1e7])
def test_tango_in_very_large_tables_is_wald(n):
    n = int(n)
    table = (n - 1700, 900, 700, 100)
    tango, wald = (paired_difference_interval(*table, method=m) for m in ("tango", "wald"))
    assert tango.low == pytest.approx(wald.low, rel=2e-2)
    assert tango.high == pytest.approx(wald.high, rel=2e-2)


def test_the_score_interval_and_the_score_test_never_contradict():
    for n in (1, 2, 3, 7, 12):
        for b, c in itertools.product(range(n + 1), repeat=2):
            if b + c > n:
                continue
            for level in LEVELS:
                found = paired_difference_interval(n - b - c, b, c, 0, confidence_level=level)
                outside = found.low > 0 or found.high < 0
                assert outside == (mcnemar_test(b, c, method="chi2") < 1 - level)
                assert found.low < found.high


@given(st.tuples(count, count, count, count).filter(sum), st.sampled_from(LEVELS))
@settings(max_examples=60)
def test_every_method_agrees_with_its_own_test(cells, level):
    table = PairedTable(*cells)
    for method, make in PAIRED_METHODS.items():
        made = make(table)
        low, high = made.limits(level)
        if np.isnan(low):
            continue
        assert (low > 0 or high < 0) == (made.p_value < 1 - level), method
        for null, tail in ((low, 0), (high, 1)):
            if abs(null) < 1:
                assert made.tails(null)[tail] == pytest.approx((1 - level) / 2, rel=1e-5), method


@given(count, count, count, count)
@settings(max_examples=60)
def test_exchanging_the_models_negates_the_interval(both, b, c, neither):
    for method in PAIRED_METHODS:
        one = paired_difference_interval(both, b, c, neither, method=method)
        two = paired_difference_interval(both, c, b, neither, method=method)
        assert (one.low, one.high) == pytest.approx((-two.high, -two.low), abs=1e-9, nan_ok=True)
    assert mcnemar_test(b, c) == mcnemar_test(c, b)


@pytest.mark.parametrize(
    ("method", "table", "level", "words"),
    [
        ("wald", (0, 9, 1, 0), 0.99, "leave the possible range"),
        ("agresti_min", (0, 3, 0, 0), 0.95, "are cut there"),
        ("bonett_price", (0, 0, 3, 0), 0.95, "are cut there"),
        ("agresti_min", (0, 50, 0, 0), 0.5, "does not hold the observed difference"),
    ],
)
def test_odd_limits_are_said(method, table, level, words):
    found = paired_difference_interval(*table, method=method, confidence_level=level)
    assert any(words in note for note in found.notes), found
    assert not paired_difference_interval(30, 6, 4, 10, method=method).notes
    assert not paired_difference_interval(*table, method="tango").notes


@given(count, count, count, count)
@settings(max_examples=60)
def test_odd_limits_are_said_exactly_when_they_are(both, b, c, neither):
    for method in PAIRED_METHODS:
        found = paired_difference_interval(both, b, c, neither, method=method)
        if np.isnan(found.low):
            continue
        missed = not found.low - 1e-12 <= found.estimate <= found.high + 1e-12
        assert any("does not hold" in note for note in found.notes) == missed
        left = found.low < -1 or found.high > 1
        assert any("leave the possible range" in note for note in found.notes) == left


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="method must be one of 'tango'"):
        paired_difference_interval(1, 2, 3, 4, method="exact")
    with pytest.raises(ValueError, match="neither must be a whole number"):
        paired_difference_interval(1, 2, 3, -4)
    assert "no cases" in paired_difference_interval(0, 0, 0, 0).notes[0]
