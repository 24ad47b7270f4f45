"""Cluster-robust errors, intra-class correlation and design effects."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.clusters import (
    cluster_standard_error,
    cluster_sums,
    few_clusters_note,
    intraclass_correlation,
    partition,
    robust_standard_error,
    summarise_clusters,
)

TESTS = Path(__file__).parents[1]
REFERENCE = json.loads((TESTS / "reference" / "cluster.json").read_text())["cases"]


def columns(case):
    table = pd.read_csv(TESTS / "reference" / case["file"])
    return table[case["variable"]].to_numpy(float), table["cluster"].to_numpy()


def repeated(case):
    folder = TESTS / "cases" / "s20_clustered_and_repeated"
    expected = json.loads((folder / "expected.json").read_text())["expected"][case]
    return pd.read_csv(folder / f"{case}.csv"), expected


@pytest.mark.parametrize("case", REFERENCE, ids=lambda c: f"{c['file']}-{c['variable']}")
def test_errors_and_design_effects_agree_with_r(case):
    # R 4.2.2: sandwich 3.0-2 vcovCL, survey 4.1-1 svymean, anova; see the file's meta.
    values, groups = columns(case)
    found = summarise_clusters(values, groups)
    exact = {
        "n": found.n,
        "clusters": found.clusters,
        "mean": found.mean,
        "se_iid_ddof1": found.standard_error_iid,
        "se_CR0": found.standard_error_cr0,
        "se_CR1_stata": found.standard_error_cr1,
        "se_survey_svymean": found.standard_error_cr1,
        "icc_anova": found.intraclass_correlation,
        "mean_cluster_size": found.mean_size,
        "sum_sq_over_n": found.size_spread,
        "deff_kish_mean_size": found.design_effect_kish,
        "deff_kish_weighted": found.design_effect_kish_weighted,
        "deff_empirical_CR": found.design_effect,
        "t_df": found.degrees_of_freedom,
    }
    for key, value in exact.items():
        assert value == pytest.approx(case[key], rel=1e-9, abs=1e-12), key
    assert found.effective_n == pytest.approx(case["n"] / case["deff_empirical_CR"])


@pytest.mark.parametrize("case", REFERENCE, ids=lambda c: f"{c['file']}-{c['variable']}")
def test_the_single_functions_agree_with_the_summary(case):
    values, groups = columns(case)
    found = summarise_clusters(values, groups)
    assert cluster_standard_error(values, groups) == found.standard_error_cr1
    assert cluster_standard_error(values, groups, kind="CR0") == found.standard_error_cr0
    assert intraclass_correlation(values, groups) == found.intraclass_correlation


def test_questions_that_share_a_passage():
    table, expected = repeated("clusters")
    found = summarise_clusters(table["correct"], table["passage"])
    assert found.n == expected["n"]
    assert found.clusters == expected["clusters"]
    assert found.mean == pytest.approx(expected["mean"])
    assert found.standard_error_cr0 == pytest.approx(expected["clustered_se_cr0"], abs=1e-9)
    assert found.standard_error_cr1 == pytest.approx(
        expected["clustered_se_with_c_over_c_minus_1"], abs=1e-9
    )
    naive = found.standard_error_iid * np.sqrt((found.n - 1) / found.n)
    assert naive == pytest.approx(expected["naive_se"], abs=1e-3)


def test_epochs_of_one_question_count_once():
    table, expected = repeated("epochs")
    found = summarise_clusters(table["correct"], table["id"])
    assert (found.n, found.clusters) == (expected["rows"], expected["questions"])
    # With clusters of one size CR1 is the standard error over the cluster means.
    assert found.standard_error_cr1 == pytest.approx(expected["se_over_questions"], abs=1e-9)
    assert found.standard_error_cr1 > 1.5 * found.standard_error_iid


def test_a_ratio_has_its_taylor_series_variance():
    # survey's svyratio formula written out: z = (y - R x) / mean x, summed over clusters.
    rng = np.random.default_rng(5)
    groups = rng.integers(0, 12, 80)
    trials = rng.integers(0, 2, 80)
    successes = trials * rng.integers(0, 2, 80)
    ratio = successes.sum() / trials.sum()
    influence = (successes - ratio * trials) / trials.mean()
    totals = np.array([(successes - ratio * trials)[groups == g].sum() for g in range(12)])
    expected = np.sqrt(12 / 11 * np.sum(totals**2)) / trials.sum()
    assert robust_standard_error(influence, partition(groups)) == pytest.approx(expected)


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(st.integers(-3, 3), st.integers(0, 4), st.integers(0, 3)),
        min_size=2,
        max_size=12,
    ),
    st.randoms(use_true_random=False),
)
def test_a_count_is_as_good_as_rows_and_order_does_not_matter(cases, random):
    values, groups, counts = (np.array(column) for column in zip(*cases, strict=True))
    if counts.sum() == 0:
        counts[0] = 1
    long = np.repeat(np.arange(len(values)), counts)
    random.shuffle(long)
    short = summarise_clusters(values, groups, counts=counts)
    full = summarise_clusters(values[long], groups[long])
    for key in short.__slots__:
        assert getattr(short, key) == pytest.approx(
            getattr(full, key), rel=1e-9, abs=1e-12, nan_ok=True
        ), key


@settings(max_examples=40)
@given(st.lists(st.floats(-5, 5), min_size=3, max_size=12))
def test_clusters_of_one_case_give_the_iid_error(values):
    found = summarise_clusters(values, np.arange(len(values)))
    assert found.standard_error_cr1 == pytest.approx(found.standard_error_iid, rel=1e-9, abs=1e-9)
    assert np.isnan(found.intraclass_correlation)


def test_identical_cases_in_every_cluster_have_a_correlation_of_one():
    values = np.repeat([0.0, 1.0, 4.0], 5)
    found = summarise_clusters(values, np.repeat([0, 1, 2], 5))
    assert found.intraclass_correlation == pytest.approx(1.0)
    assert found.design_effect_kish == pytest.approx(5.0)


def test_a_negative_correlation_is_reported_as_it_is():
    values = np.tile([0.0, 1.0], 6)
    assert intraclass_correlation(values, np.repeat(np.arange(6), 2)) == pytest.approx(-1.0)


def test_sums_take_one_column_or_several():
    groups = np.array(["b", "a", "b"])
    assert cluster_sums([1.0, 2.0, 4.0], groups).tolist() == [2.0, 5.0]
    both = cluster_sums([[1.0, 1.0], [2.0, 1.0], [4.0, 1.0]], groups, counts=[2, 1, 1])
    assert both.tolist() == [[2.0, 1.0], [6.0, 3.0]]


def test_rows_without_a_known_cluster_stand_alone():
    parts = partition(np.array([0, -1, 0, -1, 1]))
    assert parts.clusters == 4
    assert parts.codes[1] != parts.codes[3]


def test_one_cluster_has_no_error():
    found = summarise_clusters([1.0, 2.0, 4.0], [7, 7, 7])
    assert np.isnan(found.standard_error_cr1)
    assert np.isnan(found.intraclass_correlation)
    assert np.isnan(found.design_effect)


def test_equal_values_have_no_correlation():
    assert np.isnan(intraclass_correlation([1.0, 1.0, 1.0, 1.0], [0, 0, 1, 1]))


def test_few_clusters_are_warned_about():
    assert few_clusters_note(20) == ()
    assert "19 clusters" in few_clusters_note(19)[0]
    assert "1 cluster:" in few_clusters_note(1)[0]


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="groups must be as long as values"):
        cluster_standard_error([1.0, 2.0], [1])
    with pytest.raises(ValueError, match=r"kind must be one of 'CR0', 'CR1'; got 'HC3'"):
        cluster_standard_error([1.0, 2.0], [1, 2], kind="HC3")
    with pytest.raises(ValueError, match="at least one case"):
        summarise_clusters([], [])
