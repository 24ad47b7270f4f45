"""Exact power of McNemar's tests: reference values, critical splits, size, the saw-tooth."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, multinomial

from evalcore.comparison import mcnemar_test
from evalcore.sizing import formula_power, mcnemar_power, mcnemar_power_curve
from evalcore.sizing.power import CRITICAL_SPLITS

# R 4.2.2, own enumeration over all n + 1 numbers of discordant cases with pbinom and dbinom;
# n <= 2,600 repeated in Python.
REFERENCE = json.loads((Path(__file__).parents[2] / "reference" / "sizing.json").read_text())
METHODS = sorted(CRITICAL_SPLITS)
few = settings(max_examples=25)


@pytest.mark.parametrize("row", REFERENCE["mcnemar_power"], ids=lambda row: f"{row['n']}")
def test_power_agrees_with_reference(row):
    n, d, gap = row["n"], row["p10"] + row["p01"], row["p10"] - row["p01"]
    for method, key in (("exact", "exact"), ("midp", "midp"), ("chi2", "chi2_nocc")):
        power = mcnemar_power(n, d, gap, method=method, significance=row["alpha"])
        assert power == pytest.approx(row[f"power_{key}"], abs=1e-9)
    half = row["alpha"] / 2
    right = mcnemar_power(n, d, gap, significance=half, alternative="one-sided")
    assert right == pytest.approx(row["power_exact_right_direction"], abs=1e-9)
    for method, key in (("normal", "simple"), ("connor", "connor")):
        power = formula_power(n, d, gap, method=method, significance=row["alpha"])
        assert power == pytest.approx(row[f"power_normal_{key}"], abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("alpha", [0.001, 0.05, 0.3])
def test_critical_splits_are_those_that_mcnemar_test_rejects(method, alpha):
    m = np.arange(30.0)
    for size, critical in zip(m, CRITICAL_SPLITS[method](m, alpha / 2), strict=True):
        half = range(int(size) // 2 + 1)
        rejected = [k for k in half if mcnemar_test(k, int(size) - k, method=method) < alpha]
        assert rejected == list(range(int(max(critical, -1)) + 1))


def test_a_p_value_equal_to_the_significance_does_not_reject():
    # One split of 5 has the one-sided p-value 1/32, a number without rounding.
    assert CRITICAL_SPLITS["exact"](np.array([5.0]), 1 / 32) == -1
    assert CRITICAL_SPLITS["exact"](np.array([5.0]), 1 / 31) == 0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [7, 15])
def test_power_is_the_sum_over_the_whole_trinomial(n, method):
    p_a, p_b = 0.35, 0.1
    total = sum(
        multinomial.pmf([a, b, n - a - b], n, [p_a, p_b, 1 - p_a - p_b])
        for a in range(n + 1)
        for b in range(n + 1 - a)
        if mcnemar_test(a, b, method=method) < 0.1
    )
    power = mcnemar_power(n, p_a + p_b, p_a - p_b, method=method, significance=0.1)
    assert power == pytest.approx(total, abs=1e-12)


@pytest.mark.parametrize("d", [0.05, 0.4, 1.0])
def test_curve_is_the_power_at_each_n(d):
    sizes = np.arange(180, 260)
    one_by_one = [mcnemar_power(int(n), d, d / 3, method="midp") for n in sizes]
    curve = mcnemar_power_curve(180, 259, d, d / 3, method="midp")
    np.testing.assert_allclose(curve, one_by_one, rtol=0, atol=1e-12)


@given(d=st.floats(0.01, 1), alpha=st.floats(0.001, 0.3), method=st.sampled_from(METHODS))
@few
def test_size_of_the_exact_and_corrected_tests_never_exceeds_the_significance(d, alpha, method):
    size = mcnemar_power_curve(1, 300, d, 0.0, method=method, significance=alpha).max()
    if method in ("exact", "chi2_corrected"):
        assert size <= alpha * (1 + 1e-9)


def test_size_of_the_uncorrected_test_does_exceed_it():
    assert mcnemar_power_curve(1, 300, 0.2, 0.0, method="chi2").max() > 0.05


@given(d=st.floats(0.02, 1), n=st.integers(5, 3_000), method=st.sampled_from(METHODS))
@few
def test_power_grows_with_the_gap_and_does_not_know_its_sign(d, n, method):
    gaps = np.linspace(0, d, 6)
    powers = [mcnemar_power(n, d, gap, method=method) for gap in gaps]
    assert np.all(np.diff(powers) >= -1e-12)
    assert mcnemar_power(n, d, -gaps[3], method=method) == pytest.approx(powers[3], abs=1e-12)


@given(d=st.floats(0.02, 1), n=st.integers(5, 10**7), share=st.floats(0.01, 0.99))
@few
def test_the_formulas_grow_with_n(d, n, share):
    for method in ("normal", "connor"):
        powers = [formula_power(m, d, share * d, method=method) for m in (n, n + 1, 2 * n)]
        assert powers == sorted(powers)


def test_power_saws_when_every_case_is_discordant():
    curve = mcnemar_power_curve(20, 200, 1.0, 0.3)
    assert (np.diff(curve) < 0).mean() > 0.4
    smooth = mcnemar_power_curve(2_000, 4_000, 0.1, 0.01)
    assert np.all(np.diff(smooth) > 0)


def test_window_leaves_nothing_of_weight_out_at_many_cases():
    # A test that rejects almost always: the power is the binomial mass inside the window.
    assert mcnemar_power(5_000_000, 0.3, 0.29) == pytest.approx(1.0, abs=1e-12)
    assert mcnemar_power(40, 0.001, 0.001) == pytest.approx(binom.sf(5, 40, 0.001), rel=1e-9)


def test_no_disagreement_has_no_power():
    assert mcnemar_power(500, 0.0, 0.0) == 0.0
    assert formula_power(500, 0.0, 0.0) == 0.0


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((100, 0.05, 0.06), {}, r"difference must be from -0\.05 to 0\.05"),
        ((0, 0.05, 0.01), {}, "n must be a whole number of at least 1; got 0"),
        ((100, 1.2, 0.01), {}, "disagreement must be from 0 to 1"),
        ((100, 0.1, float("nan")), {}, "difference must be"),
        ((100, 0.1, 0.01), {"method": "fisher"}, "method must be one of 'exact', 'midp'"),
        ((100, 0.1, 0.01), {"alternative": "less"}, "alternative must be one of 'two-sided'"),
        (
            (100, 0.1, 0.01),
            {"alternative": "one-sided", "significance": 0.5},
            r"one-sided test must be below 0\.5",
        ),
    ],
)
def test_bad_arguments_are_refused(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        mcnemar_power(*arguments, **options)
