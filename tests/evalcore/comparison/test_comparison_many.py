"""Several models: adjustment, the test of all at once, simultaneous intervals, ranks."""

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import f as f_distribution

from evalcore.comparison import ADJUSTMENTS, adjust_p_values, compare_all, compare_models
from evalcore.comparison.many import joint_level
from evalcore.comparison.models import confidence_of, make_request
from evalcore.comparison.study import make_study
from evalcore.predictions import make_predictions
from tests.samples import REFERENCE, sample

P_ADJUST = json.loads((REFERENCE / "p_adjust.json").read_text())["cases"]
TWIN = json.loads((REFERENCE / "listings_lesson_moments.json").read_text())
# Conover (1999), Practical Nonparametric Statistics, section 4.6: three people predict 12 games.
CONOVER = "111111010110000111111110001010111111"


def listings(**models):
    table = pd.read_csv(REFERENCE / TWIN["file"])
    chosen = {name: table[name] for name in ("linear", "forest", "boosting")} | models
    return make_predictions(table["true_price"], chosen, task="regression")


@pytest.mark.parametrize("case", P_ADJUST)
def test_adjustment_agrees_with_r(case):
    # R 4.2.2 p.adjust.
    for method in ADJUSTMENTS:
        right = P_ADJUST[case]["BH" if method == "bh" else method]
        assert adjust_p_values(P_ADJUST[case]["p"], method=method) == pytest.approx(right, abs=1e-9)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.randoms())
@settings(max_examples=50)
def test_adjustment_is_ordered(p_values, random):
    found = {method: adjust_p_values(p_values, method=method) for method in ADJUSTMENTS}
    assert (found["bonferroni"] >= found["holm"]).all()
    assert (found["holm"] >= found["hochberg"] - 1e-15).all()
    assert (found["hochberg"] >= found["bh"] - 1e-15).all()
    assert (found["bh"] >= np.array(p_values) - 1e-15).all()
    order = random.sample(range(len(p_values)), len(p_values))
    shuffled = adjust_p_values(np.array(p_values)[order])
    assert shuffled == pytest.approx(found["holm"][order])


def test_adjustment_leaves_out_what_is_undefined():
    found = adjust_p_values([0.01, np.nan, 0.02])
    assert found == pytest.approx([0.02, np.nan, 0.02], nan_ok=True)
    with pytest.raises(ValueError, match="p_values must be a list of numbers from 0 to 1"):
        adjust_p_values([0.5, 1.5])
    with pytest.raises(ValueError, match="method must be one of 'holm'"):
        adjust_p_values([0.5], method="fdr")


def test_the_listings_of_the_lesson():
    # scipy 1.17.1 ttest_rel, Holm by hand; item 32 of the second source.
    found = compare_all(listings(), "mae", n_resamples=2000)
    assert [one.model_a + "-" + one.model_b for one in found.comparisons] == list(TWIN["pairs"])
    for one, right in zip(found.comparisons, TWIN["pairs"].values(), strict=True):
        assert one.p_value == pytest.approx(right["ttest_rel_p"], rel=1e-7)
        assert one.p_adjusted == pytest.approx(right["holm_p"], rel=1e-7)
    assert [rank.rank for rank in found.ranks] == [3, 2, 1]
    assert sum(rank.share_best for rank in found.ranks) == pytest.approx(1)
    for one, joint in zip(found.comparisons, found.simultaneous, strict=True):
        assert joint.low < one.difference.low < one.difference.high < joint.high
    bonferroni = compare_all(listings(), "mae", adjust="bonferroni", n_resamples=99)
    assert bonferroni.comparisons[1].p_adjusted == pytest.approx(3 * 0.032856691548, rel=1e-9)


def test_hotelling_is_that_of_the_differences():
    data = listings()
    errors = np.column_stack([abs(values - data.truth) for values in data.outputs.values()])
    gaps = errors[:, :2] - errors[:, [2]]
    n, m = gaps.shape
    square = n * gaps.mean(axis=0) @ np.linalg.solve(np.cov(gaps.T), gaps.mean(axis=0))
    statistic = (n - m) / ((n - 1) * m) * square
    found = compare_all(data, "mae", n_resamples=99).omnibus
    assert found.statistic == pytest.approx(statistic, rel=1e-9)
    assert found.p_value == pytest.approx(f_distribution.sf(statistic, m, n - m), rel=1e-9)
    pair = compare_all(data, "mae", models=["linear", "forest"], n_resamples=99)
    assert pair.omnibus.p_value == pytest.approx(pair.comparisons[0].p_value, rel=1e-7)


def test_cochrans_q_agrees_with_the_textbook():
    # NIST Dataplot, COCHRAN TEST, on Conover's data: Q = 2.8, p = 0.246597.
    right = np.array(list(CONOVER), int).reshape(12, 3).T
    data = make_predictions([1] * 12, {"a": right[0], "b": right[1], "c": right[2]})
    found = compare_all(data, "accuracy", n_resamples=199)
    assert found.omnibus.method == "cochran_q"
    assert found.omnibus.statistic == pytest.approx(2.8)
    assert found.omnibus.p_value == pytest.approx(0.246597, abs=1e-6)
    pair = compare_all(sample("digits"), "accuracy", n_resamples=99)
    assert pair.omnibus.p_value == pytest.approx(pair.comparisons[0].p_value)


def test_a_baseline_asks_fewer_questions():
    found = compare_all(listings(), "mae", baseline="linear", margin=500, n_resamples=999)
    assert [(one.model_a, one.model_b) for one in found.comparisons] == [
        ("forest", "linear"),
        ("boosting", "linear"),
    ]
    p_values = [one.p_value for one in found.comparisons]
    assert [one.p_adjusted for one in found.comparisons] == pytest.approx(adjust_p_values(p_values))
    every = compare_all(listings(), "mae", n_resamples=999)
    assert found.simultaneous[0].width < every.simultaneous[0].width
    assert found.comparisons[0].equivalence is not None
    with pytest.raises(ValueError, match="baseline must be one of"):
        compare_all(listings(), "mae", baseline="oracle")


def test_ranks_of_clear_and_of_equal_models():
    truth = pd.read_csv(REFERENCE / TWIN["file"])["true_price"]
    data = listings(copy=listings().outputs["boosting"], awful=truth + 1e6)
    found = compare_all(data, "mae", n_resamples=999)
    by_name = {rank.model: rank for rank in found.ranks}
    assert (by_name["awful"].low, by_name["awful"].high, by_name["awful"].rank) == (5, 5, 5)
    assert by_name["awful"].share_best == 0
    assert by_name["copy"].rank == by_name["boosting"].rank == 1
    assert by_name["copy"].share_best == pytest.approx(by_name["boosting"].share_best)
    twins = next(i for i, one in enumerate(found.comparisons) if one.model_b == "copy"
                 and one.model_a == "boosting")  # fmt: skip
    assert found.comparisons[twins].p_value == 1.0
    assert np.isnan(found.simultaneous[twins].low)
    assert any("no spread" in note for note in found.simultaneous[twins].notes)
    assert found.omnibus.degrees == 3
    assert compare_all(listings(), "mean_error", n_resamples=99).ranks == ()


def test_pairs_are_those_of_two_models_on_the_shared_cases():
    found = compare_all(sample("digits"), "macro_f1", n_resamples=499)
    alone = compare_models(sample("digits"), "macro_f1", "network", "logreg", n_resamples=499)
    assert found.comparisons[0].difference == alone.difference
    assert found.comparisons[0].p_adjusted == alone.p_value
    assert found.omnibus.method == "wald_chi2"


def test_simultaneous_intervals_hold_together():
    # 200 sets of four equal models; 95 % but for three Monte Carlo errors of 1.5 points.
    rng = np.random.default_rng(1)
    held = 0
    for seed in range(200):
        scores = rng.normal(size=(80, 1)) + rng.normal(size=(80, 4))
        data = make_predictions(None, dict(zip("abcd", scores.T, strict=True)), task="score")
        study = make_study(data, "mean_score", data.models)
        request, pairs = make_request(0.95, 399, seed), list(combinations(range(4), 2))
        study = replace(study, drawn=study.draws(request))
        level = joint_level(study, pairs, 0.95)
        assert 0.95 < level <= 1 - 0.05 / 6
        joint = [confidence_of(study.pair(*pair), request)[1].limits(level) for pair in pairs]
        held += all(low <= 0 <= high for low, high in joint)
    assert held / 200 == pytest.approx(0.95, abs=0.046)


def paired(both, only_a, only_b, neither):
    a = [1] * (both + only_a) + [0] * (only_b + neither)
    b = [1] * both + [0] * only_a + [1] * only_b + [0] * neither
    return make_predictions([1] * len(a), {"a": a, "b": b}, classes=["0", "1"])


@pytest.mark.parametrize("table", [(30, 0, 1, 9), (0, 1, 25, 0), (9, 6, 5, 3), (40, 0, 0, 0)])
@pytest.mark.parametrize("method", ["tango", "newcombe", "agresti_min", "bca"])
def test_a_family_of_one_has_its_single_interval(table, method):
    found = compare_all(paired(*table), "accuracy", method=method, n_resamples=999)
    single, joint = found.comparisons[0].difference, found.simultaneous[0]
    assert (joint.low, joint.high) == pytest.approx((single.low, single.high), nan_ok=True)
    assert found.comparisons[0].p_adjusted == found.comparisons[0].p_value
    assert not any("two sides" in note for note in found.notes)


@given(st.integers(0, 10**6), st.sampled_from(["accuracy", "macro_f1", "recall", "mcc"]))
@settings(max_examples=25)
def test_simultaneous_intervals_hold_their_single_ones(seed, metric):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, 50)
    said = {
        name: np.where(rng.random(50) < right, truth, rng.integers(0, 3, 50))
        for name, right in (("a", 0.9), ("b", 0.8), ("c", 0.6))
    }
    said["d"] = said["a"]
    data = make_predictions(truth, said, classes=["0", "1", "2"])
    found = compare_all(data, metric, label="1", adjust="bonferroni", n_resamples=299)
    for one, joint in zip(found.comparisons, found.simultaneous, strict=True):
        if np.isnan(one.difference.low):
            assert joint.notes
            continue
        assert joint.low <= one.difference.low + 1e-12
        assert joint.high >= one.difference.high - 1e-12
        # Never wider than Bonferroni's, so what his p-value shows the interval shows too.
        if one.p_adjusted < 0.05:
            assert joint.low > 0 or joint.high < 0 or metric not in ("accuracy", "recall")
    # The draws of a and d have no spread.
    pair = next(i for i, one in enumerate(found.comparisons) if one.model_b == "d"
                and one.model_a == "a")  # fmt: skip
    if metric in ("accuracy", "recall"):
        assert found.simultaneous[pair].width > found.comparisons[pair].difference.width > 0


def test_two_ways_of_counting_may_disagree_and_a_note_says_so():
    # Holm stops at the second p-value, which single intervals at the joint level still hold apart.
    rng = np.random.default_rng(12)
    disagreed = 0
    for _ in range(60):
        base = rng.normal(size=(40, 1))
        scores = base + rng.normal(size=(40, 4)) + np.array([0, 0.3, 0.5, 0.6])
        data = make_predictions(None, dict(zip("abcd", scores.T, strict=True)), task="score")
        found = compare_all(data, "mean_score", n_resamples=299)
        odd = sum(
            (joint.low > 0 or joint.high < 0) != (one.p_adjusted < 0.05)
            for one, joint in zip(found.comparisons, found.simultaneous, strict=True)
        )
        said = [note for note in found.notes if "two sides of this level" in note]
        assert len(said) == (odd > 0)
        disagreed += odd > 0
        if said:
            assert said[0].startswith(f"in {odd} of 6 comparisons")
    assert disagreed > 0


def test_too_few_draws_for_the_joint_level_are_said():
    found = compare_all(listings(), "mae", method="percentile", n_resamples=49)
    assert any("resamples" in note and "too short" in note for note in found.notes)
    enough = compare_all(listings(), "mae", method="percentile", n_resamples=999)
    assert not any("too short" in note for note in enough.notes)
