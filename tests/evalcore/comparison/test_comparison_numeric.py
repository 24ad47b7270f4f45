"""Sign flips and signed ranks against enumeration, R and plain Monte Carlo."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test, wilcoxon

from evalcore.comparison import mcnemar_test, sign_flip_test, signed_rank_test
from evalcore.comparison.numeric import _exact_share, _flipped_sums
from tests.samples import REFERENCE

PAIRED = json.loads((REFERENCE / "paired_numeric.json").read_text())["cases"]
TWIN = json.loads((REFERENCE / "listings_lesson_moments.json").read_text())
LISTINGS = pd.read_csv(REFERENCE / TWIN["file"])


def errors(model):
    return (LISTINGS[model] - LISTINGS["true_price"]).abs().to_numpy()


@pytest.mark.parametrize("case", PAIRED, ids=lambda c: f"n{len(c['a'])}")
def test_sign_flips_agree_with_enumeration(case):
    # All 2^n flips; see the file's meta.
    found = sign_flip_test(np.subtract(case["a"], case["b"]))
    assert found.method == "sign_flip_exact"
    assert found.p_value == pytest.approx(case["signflip_exact_p"], rel=1e-9)
    assert found.statistic == pytest.approx(case["mean_diff"], rel=1e-9)


def test_signed_ranks_agree_with_r_and_scipy():
    # R 4.2.2 wilcox.test where neither ties nor zeros leave a choice.
    case = PAIRED[1]
    found = signed_rank_test(np.subtract(case["a"], case["b"]))
    assert found.p_value == pytest.approx(case["wilcoxon_p_R"], rel=1e-9)
    for pair, right in TWIN["pairs"].items():
        first, second = pair.split("-")
        found = signed_rank_test(errors(first) - errors(second))
        assert found.p_value == pytest.approx(right["wilcoxon_p"], rel=1e-9)
    assert signed_rank_test([0.0, 0.0]).p_value == 1.0
    one = signed_rank_test([1.0, -2.0, 3.0], counts=[2, 1, 3])
    assert one == signed_rank_test([1.0, 1.0, -2.0, 3.0, 3.0, 3.0])


@given(st.integers(0, 10**6), st.integers(51, 300), st.sampled_from([0.5, 0.01]))
@settings(max_examples=30)
def test_signed_ranks_of_many_are_scipys(seed, n, step):
    rng = np.random.default_rng(seed)
    values = np.round(rng.normal(0.1, 1, n) / step) * step
    values[:51] += step / 3
    found, right = signed_rank_test(values), wilcoxon(values[values != 0])
    assert found.statistic == pytest.approx(right.statistic, rel=1e-12)
    assert found.p_value == pytest.approx(right.pvalue, rel=1e-9)
    distinct, counts = np.unique(values, return_counts=True)
    assert signed_rank_test(distinct, counts=counts).p_value == pytest.approx(found.p_value)


def test_signed_ranks_take_counts_of_any_size():
    # Of 4 x 10^9 cases half lead each way, by the same sizes: the ranks balance exactly.
    counts = np.full(4, 10**9)
    assert signed_rank_test([1.0, -1.0, 2.0, -2.0], counts=counts).p_value == pytest.approx(1)
    assert signed_rank_test([1.0, -1.0, 2.0, 2.0], counts=counts).p_value < 1e-9


@pytest.mark.parametrize("pair", TWIN["pairs"])
def test_sign_flips_of_the_listings(pair):
    # numpy default_rng(42).choice([-1, 1], (10000, 600)); two Monte Carlo runs, 4 errors apart.
    first, second = pair.split("-")
    right = TWIN["pairs"][pair]["signflip_p"]
    found = sign_flip_test(errors(first) - errors(second), n_resamples=10_000, rng=1)
    assert found.method == "sign_flip"
    assert found.p_value == pytest.approx(right, abs=4 * np.sqrt(2 * right * (1 - right) / 10_000))


small = st.lists(st.integers(-6, 6), min_size=1, max_size=12)


@given(small)
@settings(max_examples=40)
def test_convolution_equals_enumeration(values):
    sums = [np.dot(s, values) for s in itertools.product((1, -1), repeat=len(values))]
    right = np.mean(np.abs(sums) >= abs(sum(values)))
    assert sign_flip_test(values).p_value == pytest.approx(right, rel=1e-12)
    # 21 copies take the way of convolution; 21 copies of one value the way of the binomial.
    many = sign_flip_test(np.repeat(values, 21))
    by_count = sign_flip_test(values, counts=np.full(len(values), 21))
    assert many.p_value == by_count.p_value
    assert many.method == "sign_flip_exact"


def test_convolution_agrees_with_draws_in_cents():
    rng = np.random.default_rng(3)
    values = np.round(rng.normal(0.05, 0.4, 60), 2)
    exact = sign_flip_test(values)
    drawn = permutation_test(
        (values,), np.sum, permutation_type="samples", n_resamples=50_000, rng=1
    ).pvalue
    assert exact.method == "sign_flip_exact"
    assert exact.p_value == pytest.approx(drawn, abs=5 * np.sqrt(drawn * (1 - drawn) / 50_000))


@pytest.mark.parametrize(("b", "c"), [(0, 3), (18, 33), (300, 220), (5000, 4700), (9, 9)])
def test_flips_of_right_and_wrong_are_mcnemars_exact_test(b, c):
    differences = np.repeat([1.0, -1.0, 0.0], [b, c, 40])
    assert sign_flip_test(differences).p_value == pytest.approx(mcnemar_test(b, c), rel=1e-9)


def test_exact_p_values_are_valid():
    sizes, numbers = np.array([1.0, 2.5, 4.0, 7.25]), np.array([3, 2, 4, 1])
    values = np.repeat(sizes, numbers)
    signs = np.array(list(itertools.product((1, -1), repeat=len(values))))
    totals = np.abs(signs @ values)
    kinds, place = np.unique(np.round(totals, 9), return_inverse=True)
    p_values = np.array([_exact_share(sizes, numbers, t - 1e-9) for t in kinds])[place]
    for significance in (0.01, 0.05, 0.2):
        assert np.mean(p_values <= significance) <= significance + 1e-12


def test_grouped_flips_have_the_moments_of_plain_ones():
    sizes = np.sort(np.random.default_rng(5).lognormal(0, 1, 10_000))
    numbers = np.ones(len(sizes), np.int64)
    rng = np.random.default_rng(0)
    sums = np.concatenate(list(_flipped_sums(sizes, numbers, 20_000, rng)))
    deviation = np.sqrt((sizes**2).sum())
    assert sums.mean() == pytest.approx(0, abs=4 * deviation / 141)
    assert sums.std() == pytest.approx(deviation, rel=4 / np.sqrt(40_000))
    cumulant = -2 * (sizes**4).sum() / deviation**4
    assert ((sums / deviation) ** 4).mean() - 3 == pytest.approx(cumulant, abs=0.15)


def test_clusters_keep_a_common_sign():
    values = np.array([1.0, 2.0, -0.5, 3.0, 1.0, 1.0])
    groups = np.array([0, 0, 1, 1, 2, 2])
    by_cluster = sign_flip_test([3.0, 2.5, 2.0])
    assert sign_flip_test(values, groups=groups).p_value == by_cluster.p_value == 0.25


def test_drawn_p_is_never_0_and_missing_values_are_refused():
    values = np.random.default_rng(1).normal(5, 1, 100)
    assert sign_flip_test(values, n_resamples=99, rng=1).p_value == 0.01
    assert sign_flip_test([]).p_value == 1.0
    with pytest.raises(ValueError, match="differences must be finite"):
        sign_flip_test([1.0, np.nan])
