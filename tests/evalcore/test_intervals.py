"""The interval of any metric: right values, the edges, clusters, and what is offered."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit, stdtrit
from scipy.stats import bootstrap, norm, ttest_1samp

from evalcore.binomial import PROPORTION_METHODS, proportion_interval
from evalcore.intervals import (
    METHODS,
    effective_size,
    interval_methods,
    mean_interval,
    metric_interval,
    metric_table,
)
from evalcore.intervals.closed import _size_text
from evalcore.intervals.quantiles import median_distribution
from evalcore.intervals.scales import effective_wilson_limits, scaled_limits
from evalcore.metrics import METRICS
from evalcore.predictions import make_predictions
from tests.samples import CASES, REFERENCE, sample

LISTINGS = ("listings_errors", "listings_lesson_moments")
REGRESSORS = ("linear", "forest", "boosting")
CLUSTERS = json.loads((REFERENCE / "cluster.json").read_text())["cases"]


def case(name, file="predictions.csv"):
    folder = CASES / name
    expected = json.loads((folder / "expected.json").read_text())["expected"]
    return pd.read_csv(folder / file), expected


def labels(name):
    table, expected = case(name)
    return make_predictions(table["y_true"], {"m": table["y_pred"]}), expected


def listings(name):
    # Values made by numpy 2.4.6 and scipy 1.17 from the same CSV; see the meta of the folder.
    file = name.replace("errors", "errors")
    table = pd.read_csv(REFERENCE / f"{file}.csv")
    values = json.loads((REFERENCE / f"{name.removesuffix('_errors')}.json").read_text())["models"]
    outputs = {model: table[model].to_numpy() for model in REGRESSORS}
    truth = table["true_price"].to_numpy()
    blocks = np.arange(len(table)) // 100
    return make_predictions(truth, outputs, task="regression", slices={"block": blocks}), values


def matrix(counts, **rest):
    counts = np.asarray(counts)
    truth, said = np.divmod(np.arange(counts.size), len(counts))
    names = [str(k) for k in range(len(counts))]
    return make_predictions(truth, {"m": said}, counts=counts.ravel(), classes=names, **rest)


# Means -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", CLUSTERS, ids=lambda c: f"{c['file']}-{c['variable']}")
def test_a_clustered_mean_agrees_with_r(row):
    # R 4.2.2, survey 4.1-1: confint(svymean, df = G - 1).
    table = pd.read_csv(REFERENCE / row["file"])
    made = mean_interval(table[row["variable"]], groups=table["cluster"])
    assert (made.low, made.high) == pytest.approx(row["ci95_t_Gminus1"], rel=1e-9)
    assert made.standard_error == pytest.approx(row["se_survey_svymean"], rel=1e-9)
    assert (made.n, made.unit, made.method) == (row["clusters"], "clusters", "clustered_t")
    assert any("clusters" in note for note in made.notes) == (row["clusters"] < 20)


@pytest.mark.parametrize("name", LISTINGS)
@pytest.mark.parametrize("model", REGRESSORS)
def test_the_listings_have_the_reference_values(name, model):
    predictions, values = listings(name)
    expected = values[model]
    made = metric_interval(predictions, "mae", model, method="normal")
    assert made.estimate == pytest.approx(expected["mae"], rel=1e-9)
    assert made.standard_error == pytest.approx(expected["se"], rel=1e-9)
    assert made.standard_error * np.sqrt(600) == pytest.approx(expected["sd_ddof1"], rel=1e-9)
    # The reference rounds the normal quantile to 1.96.
    half = (made.high - made.low) / 2 * 1.96 / norm.ppf(0.975)
    assert (made.estimate - half, made.estimate + half) == pytest.approx(
        expected["normal_interval_1_96"], rel=1e-9
    )
    rmse = metric_interval(predictions, "rmse", model)
    assert rmse.estimate == pytest.approx(expected["rmse"], rel=1e-9)
    median = metric_interval(predictions, "median_absolute_error", model)
    assert median.estimate == pytest.approx(expected["median"], rel=1e-9)


@pytest.mark.parametrize("name", LISTINGS)
def test_bootstraps_of_the_listings_agree_with_the_reference_draws(name):
    # The reference drew 2,000 resamples, so its limits carry a Monte Carlo error of about 150.
    predictions, values = listings(name)
    for model in REGRESSORS:
        expected = values[model]
        made = metric_interval(predictions, "mae", model, method="percentile", n_resamples=4000)
        assert (made.low, made.high) == pytest.approx(expected["percentile_interval"], abs=600)
        assert made.standard_error == pytest.approx(expected["boot_sd_ddof0"], rel=0.06)
        exact = metric_interval(
            predictions, "median_absolute_error", model, method="exact_bootstrap"
        )
        low, high = expected["median_percentile_interval"]
        assert (exact.low, exact.high) == pytest.approx((low, high), abs=700)


def test_the_numbers_of_the_lesson_to_the_unit():
    predictions, _ = listings("listings_lesson_moments")
    errors = {
        model: metric_interval(predictions, "mae", model, method="normal") for model in REGRESSORS
    }
    assert [round(errors[model].estimate) for model in REGRESSORS] == [56562, 53802, 52773]
    linear, forest = errors["linear"], errors["forest"]
    assert round(linear.standard_error * np.sqrt(600)) == 74222
    assert round(linear.standard_error) == 3030
    assert round(linear.standard_error * np.sqrt(600 / 100)) == 7422
    assert round(forest.standard_error) == 3024
    assert (round(linear.low), round(linear.high)) == (50623, 62501)
    assert (round(forest.low), round(forest.high)) == (47875, 59728)


def test_bca_agrees_with_scipy():
    values = np.random.default_rng(4).lognormal(0, 1, 60)
    made = mean_interval(values, method="bca", n_resamples=20_000, rng=1)
    theirs = bootstrap((values,), np.mean, n_resamples=20_000, method="BCa", rng=2)
    limits = theirs.confidence_interval
    assert (made.low, made.high) == pytest.approx((limits.low, limits.high), rel=0.02)


def test_the_t_interval_is_that_of_scipy():
    values = [2.0, 4.0, 4.0, 6.0, 9.0]
    made = mean_interval(values)
    theirs = ttest_1samp(values, 0.0).confidence_interval(0.95)  # scipy 1.17
    assert (made.low, made.high) == pytest.approx((theirs.low, theirs.high), rel=1e-12)
    assert (made.estimate, made.n, made.method) == (5.0, 5, "t")


@pytest.mark.parametrize("method", ["t", "normal", "percentile", "bca", "bootstrap_t"])
@pytest.mark.parametrize("values", [[3.0], [3.0, 3.0, 3.0]], ids=["one", "equal"])
def test_a_mean_without_spread_has_no_interval(method, values):
    made = mean_interval(values, method=method, n_resamples=50, rng=0)
    assert made.estimate == 3.0
    assert np.isnan([made.low, made.high]).all()
    assert made.notes


def test_equal_zeros_and_ones_are_sent_to_wilson():
    assert any("Wilson" in note for note in mean_interval([1, 1, 1, 1]).notes)
    assert not any("Wilson" in note for note in mean_interval([2, 2, 2]).notes)


def test_missing_values_are_left_out_and_counted():
    made = mean_interval([1.0, np.nan, 2.0, 4.0])
    assert made.n == 3
    assert any("3 of 4 cases" in note for note in made.notes)
    with pytest.raises(ValueError, match="values must be finite or nan"):
        mean_interval([1.0, np.inf])
    with pytest.raises(ValueError, match="groups must be as long as values"):
        mean_interval([1.0, 2.0], groups=[1])


# Proportions -------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", sorted(PROPORTION_METHODS))
@pytest.mark.parametrize(("metric", "k", "n"), [("recall", 32, 35), ("precision", 32, 34)])
def test_a_proportion_of_labels_has_the_binomial_interval(method, metric, k, n):
    made = metric_interval(sample("digits"), metric, "network", label="8", method=method)
    direct = proportion_interval(k, n, method=method)
    for field in ("estimate", "low", "high", "standard_error", "n", "successes"):
        assert getattr(made, field) == getattr(direct, field)
    assert made.name == f"{metric} of 8"
    assert made.unit == METRICS[metric].unit


def test_recall_counts_the_positives():
    predictions, expected = labels("s17_recall_is_not_micro")
    for metric in ("recall", "precision", "specificity", "accuracy", "f1"):
        made = metric_interval(predictions, metric, "m", label=None)
        assert made.estimate == pytest.approx(expected[metric], abs=1e-9)
    recall = metric_interval(predictions, "recall", "m")
    assert (recall.n, recall.unit) == (748, "actual positives")
    assert (recall.low, recall.high) == pytest.approx(expected["recall_wilson95"], abs=1e-9)
    assert metric_interval(predictions, "micro_recall", "m").n == expected["n"]


def test_all_right_never_has_a_zero_width():
    predictions, expected = labels("s08_bca_degenerate")
    for method in ("wilson", "percentile", "bca"):
        made = metric_interval(predictions, "accuracy", "m", method=method, n_resamples=200)
        assert (made.low, made.high) == pytest.approx(expected["wilson95"], abs=1e-8)
        assert made.successes == expected["correct"]
    assert made.method == "effective_wilson"
    assert any("bootstrap" in note for note in made.notes)
    exact = metric_interval(predictions, "accuracy", "m", method="clopper_pearson")
    assert (exact.low, exact.high) == pytest.approx(expected["clopper_pearson95"], abs=1e-8)


@pytest.mark.parametrize("key", [k for k, m in METRICS.items() if m.value is not None])
def test_every_count_metric_of_a_perfect_model_keeps_its_doubt(key):
    predictions, _ = labels("s08_bca_degenerate")
    wilson = proportion_interval(35, 35)
    for method in interval_methods(predictions, key):
        made = metric_interval(predictions, key, "m", method=method, n_resamples=100)
        assert made.estimate == pytest.approx(1.0)
        assert made.high == pytest.approx(1.0)
        # No metric of 35 right cases is known better than the accuracy of 35 right cases.
        low = made.low if METRICS[key].bounds[0] == 0 else (made.low + 1) / 2
        assert 0.5 < low <= wilson.low + 1e-9
        assert made.notes


def test_one_case_has_a_wide_interval():
    _, expected = case("s21_half_sample_bootstrap_claim", "accuracy_100.csv")
    table = pd.read_csv(CASES / "s21_half_sample_bootstrap_claim" / "one_case.csv")
    predictions = make_predictions(None, {"m": table["correct"]}, task="score")
    one = expected["one_case"]
    for method in interval_methods(predictions, "mean_score"):
        if method in PROPORTION_METHODS and method != "wilson":
            continue
        made = metric_interval(predictions, "mean_score", "m", method=method, n_resamples=50)
        assert (made.n, made.estimate) == (one["n"], one["accuracy"])
        assert (made.low, made.high) == pytest.approx(one["wilson95"], abs=1e-9)


def test_half_samples_and_bootstraps_have_the_same_spread():
    table, expected = case("s21_half_sample_bootstrap_claim", "accuracy_100.csv")
    correct = table["correct"].to_numpy()
    predictions = make_predictions(None, {"m": correct}, task="score")
    drawn = metric_interval(predictions, "mean_score", "m", method="percentile", n_resamples=20_000)
    assert drawn.standard_error == pytest.approx(expected["bootstrap_sd"], abs=0.001)
    wilson = metric_interval(predictions, "mean_score", "m")
    assert wilson.standard_error == pytest.approx(expected["binomial_se"], abs=1e-12)
    exact = mean_interval(correct).standard_error
    assert exact == pytest.approx(expected["half_sample_sd"], abs=1e-12)
    rng = np.random.default_rng(0)
    halves = rng.permuted(np.tile(correct, (20_000, 1)), axis=1)[:, :50].mean(axis=1)
    assert halves.std() == pytest.approx(expected["half_sample_sd"], abs=0.001)


def test_a_score_of_zeros_and_ones_is_a_proportion_and_others_are_not():
    binary = make_predictions(None, {"m": [1, 0, 1, 1]}, task="score")
    assert metric_interval(binary, "mean_score", "m").successes == 3
    assert next(iter(interval_methods(binary, "mean_score"))) == "wilson"
    numeric = make_predictions(None, {"m": [1, 0, 0.5, 1]}, task="score")
    assert metric_interval(numeric, "mean_score", "m").successes is None
    assert next(iter(interval_methods(numeric, "mean_score"))) == "t"


def test_the_small_numbers_of_the_lessons():
    digits = sample("digits")
    network = metric_interval(digits, "accuracy", "network")
    assert (network.successes, network.n) == (349, 360)
    assert round(network.standard_error, 4) == 0.0091
    assert round(metric_interval(digits, "accuracy", "logreg").standard_error, 4) == 0.0098
    # Most chosen: 352 of 360 within one standard error of 2.8 images.
    assert round(360 * proportion_interval(352, 360).standard_error, 1) == 2.8
    exercise = proportion_interval(340, 360)
    assert round(exercise.estimate, 4) == 0.9444
    assert round(exercise.estimate * (1 - exercise.estimate), 4) == 0.0525
    assert round(exercise.standard_error**2, 6) == 0.000146
    assert round(exercise.standard_error, 4) == 0.0121
    # Halving the standard error takes four times the cases.
    assert proportion_interval(1360, 1440).standard_error == pytest.approx(
        exercise.standard_error / 2
    )
    assert round(100 * 1.96 * proportion_interval(225, 250).standard_error, 1) == 3.7
    assert round(100 * proportion_interval(360, 400).standard_error, 1) == 1.5
    jackknife = proportion_interval(18, 120, method="wald")
    assert round(jackknife.standard_error, 4) == 0.0326
    assert round(jackknife.standard_error**2, 7) == 0.0010625
    assert (round(jackknife.low, 3), round(jackknife.high, 3)) == (0.086, 0.214)


def test_the_three_class_matrix_of_the_lesson():
    predictions = matrix([[40, 5, 5], [4, 38, 8], [2, 6, 42]])
    error = metric_interval(predictions, "error_rate", "m")
    assert (error.successes, error.n, error.estimate) == (30, 150, pytest.approx(0.2))
    missed = [1 - metric_interval(predictions, "recall", "m", label=k).estimate for k in "012"]
    assert missed == pytest.approx([0.20, 0.24, 0.16])
    assert np.mean(missed) == pytest.approx(0.2)


def test_the_spread_and_the_prevalence_table_of_the_lesson():
    # The generator runs through both tables, as there; the second table bootstraps each market.
    rng = np.random.default_rng(0)
    printed = {
        100: (3.0, 84.0, 95.0, 5.9),
        400: (1.5, 87.0, 92.8, 2.9),
        1000: (0.9, 88.1, 91.8, 1.9),
        5000: (0.4, 89.2, 90.8, 0.8),
        20000: (0.2, 89.6, 90.4, 0.4),
    }
    for n, row in printed.items():
        accuracy = 100 * rng.binomial(n, 0.9, 20_000) / n
        low, high = np.percentile(accuracy, [2.5, 97.5])
        expected = proportion_interval(round(0.9 * n), n, method="wald")
        half = 100 * (expected.high - expected.low) / 2
        found = (accuracy.std(), low, high, half)
        assert tuple(round(value, 1) for value in found) == row
        assert 100 * expected.standard_error == pytest.approx(accuracy.std(), rel=0.02)
    table = {
        0.01: (51, (0.802, 0.904), (0.03, 0.06), (0.60, 0.85)),
        0.10: (480, (0.846, 0.879), (0.29, 0.34), (0.66, 0.75)),
        0.50: (2495, (0.847, 0.867), (0.80, 0.83), (0.66, 0.70)),
    }
    for prevalence, (positives, *intervals) in table.items():
        truth = (rng.uniform(size=5000) < prevalence).astype(int)
        scores = rng.normal(size=5000) + 1.5 * truth
        predictions = make_predictions(truth, {}, scores={"m": scores})
        assert effective_size(predictions, "recall", "m", threshold=1.0)[0] == positives
        assert effective_size(predictions, "auc", "m")[0] == positives
        for key, expected, close in zip(
            ("auc", "precision", "recall"), intervals, (0.006, 0.011, 0.021), strict=True
        ):
            made = metric_interval(
                predictions, key, "m", threshold=1.0, method="percentile", n_resamples=1000
            )
            # Printed digits plus the Monte Carlo error of 1,000 resamples on both sides.
            assert (made.low, made.high) == pytest.approx(expected, abs=close), key


def test_the_effective_size_teaches_the_price_of_rare_positives():
    for positives, half in ((20, 17.5), (246, 5.0)):
        error = proportion_interval(round(0.8 * positives), positives).standard_error
        assert round(196 * error, 1) == pytest.approx(half, abs=0.05)
    rare = matrix([[4900, 49], [11, 40]], positive="1")
    assert effective_size(rare, "accuracy", "m") == (5000, "cases")
    assert effective_size(rare, "recall", "m") == (51, "actual positives")
    assert effective_size(rare, "precision", "m") == (89, "predicted positives")
    assert effective_size(rare, "f1", "m") == (100, "actual or predicted positives")


# Functions of the counts -------------------------------------------------------------------------


def test_macro_averages_say_which_classes_they_run_over():
    predictions, expected = labels("s12_macro_over_which_classes")
    made = metric_interval(predictions, "macro_f1", "m")
    assert made.estimate == pytest.approx(expected["macro_f1_all_seen_labels"], abs=1e-9)
    assert 0 <= made.low < made.high <= 1
    assert "the average runs over 4 classes" in made.notes
    for metric in ("precision", "recall", "f1"):
        for label, value in expected[metric].items():
            one = metric_interval(predictions, metric, "m", label=label)
            assert one.estimate == pytest.approx(
                np.nan if value is None else value, abs=1e-9, nan_ok=True
            )
            assert one.notes or value is not None
    precision = metric_interval(predictions, "macro_precision", "m")
    assert any("0 because they are never predicted: 3" in note for note in precision.notes)
    recall = metric_interval(predictions, "macro_recall", "m")
    assert any("0 because they never occur: 2" in note for note in recall.notes)
    balanced = metric_interval(predictions, "balanced_accuracy", "m")
    assert any("left out because they never occur: 2" in note for note in balanced.notes)


def test_the_delta_method_works_on_the_logit_scale():
    predictions = matrix([[40, 5, 5], [4, 38, 8], [2, 6, 42]])
    made = metric_interval(predictions, "macro_f1", "m", method="delta")
    p, z = made.estimate, norm.ppf(0.975)
    slope = made.standard_error / (p * (1 - p))
    assert made.low == pytest.approx(expit(logit(p) - z * slope))
    assert made.high == pytest.approx(expit(logit(p) + z * slope))
    kappa = metric_interval(predictions, "kappa", "m")
    fisher = kappa.standard_error / (1 - kappa.estimate**2)
    assert kappa.low == pytest.approx(np.tanh(np.arctanh(kappa.estimate) - z * fisher))


def test_the_effective_wilson_of_an_accuracy_is_wilson():
    for k, n in ((0, 12), (7, 12), (12, 12), (349, 360)):
        direct = proportion_interval(k, n)
        made = effective_wilson_limits(k / n, n, norm.ppf(0.975), (0.0, 1.0))
        assert made == pytest.approx((direct.low, direct.high), rel=1e-12)


def test_a_rare_class_keeps_its_doubt_in_a_balanced_accuracy():
    # Both rare cases are right; the delta method then sees the common class only.
    predictions = matrix([[95, 5], [0, 2]])
    delta = metric_interval(predictions, "balanced_accuracy", "m", method="delta")
    default = metric_interval(predictions, "balanced_accuracy", "m")
    assert default.method == "effective_wilson"
    assert default.low < 0.75 < 0.9 < delta.low


@given(
    st.floats(-50, 50), st.floats(1e-3, 10), st.sampled_from([0.5, 1.0, 1.96, 4.0]),
    st.sampled_from([(0.0, 1.0), (-1.0, 1.0), (0.0, 2.0), (0.0, np.inf), (-np.inf, 1.0)]),
)  # fmt: skip
def test_scaled_limits_stay_inside_and_hold_the_estimate(place, error, quantile, bounds):
    low, high = bounds
    if np.isfinite(low) and np.isfinite(high):
        estimate = low + (high - low) * expit(place / 5)
    else:
        estimate = low + np.exp(place / 5) if np.isfinite(low) else high - np.exp(place / 5)
    made = scaled_limits(float(estimate), error, quantile, bounds)
    assert low <= made[0] <= estimate <= made[1] <= high


# Medians -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 5, 6])
def test_the_bootstrap_of_a_median_is_that_of_all_resamples(n):
    values = np.random.default_rng(n).integers(0, 6, n).astype(float)
    every = np.stack(np.meshgrid(*[values] * n, indexing="ij"), axis=-1).reshape(-1, n)
    medians, counts = np.unique(np.median(every, axis=1), return_counts=True)
    found = median_distribution(values, np.ones(n, np.int64))
    kept = found.probabilities > 0
    assert found.values[kept].tolist() == medians.tolist()
    assert found.probabilities[kept] == pytest.approx(counts / counts.sum(), abs=1e-12)
    assert found.standard_error == pytest.approx(np.median(every, axis=1).std(), abs=1e-9)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 4)), min_size=1, max_size=12))
def test_a_median_takes_counts(cases):
    values, counts = (np.array(column) for column in zip(*cases, strict=True))
    short = median_distribution(values.astype(float), counts)
    full = median_distribution(np.repeat(values, counts).astype(float), np.ones(counts.sum(), int))
    assert short.values.tolist() == full.values.tolist()
    assert short.probabilities == pytest.approx(full.probabilities, abs=1e-12)


def test_order_statistics_say_the_level_they_reach():
    truth = np.zeros(20)
    predictions = make_predictions(truth, {"m": np.arange(1.0, 21.0)}, task="regression")
    made = metric_interval(predictions, "median_absolute_error", "m")
    # Tables of the sign test: n = 20, ranks 6 and 15, level 95.86 %.
    assert (made.low, made.high) == (6.0, 15.0)
    assert "the achieved level is 95.86%" in made.notes
    five = predictions.select(np.arange(5))
    none = metric_interval(five, "median_absolute_error", "m")
    assert np.isnan(none.low)
    assert any("at least 6 cases" in note for note in none.notes)
    six = metric_interval(predictions.select(np.arange(6)), "median_absolute_error", "m")
    assert (six.low, six.high) == (1.0, 6.0)


def test_a_median_that_most_cases_share_has_no_interval():
    predictions = make_predictions(np.zeros(30), {"m": np.ones(30)}, task="regression")
    for method in interval_methods(predictions, "median_absolute_error"):
        made = metric_interval(predictions, "median_absolute_error", "m", method=method)
        assert made.estimate == 1.0
        assert np.isnan(made.low)
        assert any("no interval" in note for note in made.notes)


def test_woodruff_with_one_case_per_cluster_is_near_the_order_statistics():
    errors = np.random.default_rng(0).lognormal(size=400)
    alone = make_predictions(np.zeros(400), {"m": errors}, task="regression", groups=np.arange(400))
    robust = metric_interval(alone, "median_absolute_error", "m")
    plain = metric_interval(alone, "median_absolute_error", "m", by_group=False)
    assert robust.method == "woodruff"
    assert plain.method == "order_statistic"
    assert (robust.low, robust.high) == pytest.approx((plain.low, plain.high), rel=0.05)
    assert robust.standard_error == pytest.approx(plain.standard_error, rel=0.25)


# Other metrics of numbers ------------------------------------------------------------------------


def test_a_percentage_error_of_zero_is_undefined_and_says_so():
    table, expected = case("s22_mape_with_zero")
    predictions = make_predictions(table["y_true"], {"m": table["y_pred"]}, task="regression")
    for key in ("mae", "rmse"):
        assert metric_interval(predictions, key, "m").estimate == pytest.approx(expected[key])
    made = metric_interval(predictions, "mape", "m")
    assert np.isnan([made.estimate, made.low, made.high]).all()
    assert any("1 of 5" in note for note in made.notes)
    rest = expected["mape_without_zero_rows"]
    assert f"on the other {rest['n']} cases it is {100 * rest['value']:.4g}%" in made.notes


def test_a_t_interval_below_zero_says_so_and_the_log_scale_does_not():
    table, _ = case("s22_mape_with_zero")
    predictions = make_predictions(table["y_true"], {"m": table["y_pred"]}, task="regression")
    plain = metric_interval(predictions, "mae", "m", method="t")
    assert plain.low < 0
    assert any("below 0" in note for note in plain.notes)
    scaled = metric_interval(predictions, "mae", "m", method="delta")
    assert 0 < scaled.low < scaled.estimate < scaled.high
    assert not scaled.notes


# Clusters ----------------------------------------------------------------------------------------


def test_whole_sites_are_resampled_and_the_interval_holds_the_estimate():
    table, expected = case("m18_bootstrap_ci_misses_estimate")
    predictions = make_predictions(
        None, {"m": table["correct"]}, task="score", groups=table["site"]
    )
    made = metric_interval(predictions, "mean_score", "m", method="percentile")
    assert made.estimate == pytest.approx(expected["estimate"])
    assert (made.low, made.high) == pytest.approx(
        expected["cluster_bootstrap_percentile95"], abs=0.02
    )
    assert (made.n, made.unit) == (6, "clusters")
    assert any("6 clusters" in note for note in made.notes)
    naive = metric_interval(predictions, "mean_score", "m", by_group=False)
    assert (naive.low, naive.high) == pytest.approx(expected["row_wilson95"])
    assert (naive.n, naive.unit) == (100, "cases")
    for method in interval_methods(predictions, "mean_score"):
        one = metric_interval(predictions, "mean_score", "m", method=method, n_resamples=500)
        assert one.low <= one.estimate <= one.high
        assert one.high - one.low > naive.high - naive.low


def test_clusters_are_the_default_and_their_error_is_the_robust_one():
    table, expected = case("s20_clustered_and_repeated", "clusters.csv")
    predictions = make_predictions(
        None, {"m": table["correct"]}, task="score", groups=table["passage"]
    )
    expected = expected["clusters"]
    made = metric_interval(predictions, "mean_score", "m")
    assert made.method == next(iter(interval_methods(predictions, "mean_score")))
    assert made.estimate == pytest.approx(expected["mean"])
    assert made.standard_error == pytest.approx(
        expected["clustered_se_with_c_over_c_minus_1"], abs=1e-6
    )
    naive = metric_interval(predictions, "mean_score", "m", by_group=False)
    assert naive.standard_error == pytest.approx(expected["naive_se"], abs=1e-6)
    assert "wilson" not in interval_methods(predictions, "mean_score")
    assert "wilson" in interval_methods(predictions, "mean_score", by_group=False)


def test_a_clustered_recall_is_a_ratio_over_the_clusters_that_hold_positives():
    rng = np.random.default_rng(2)
    groups = np.repeat(np.arange(25), 4)
    truth = rng.integers(0, 2, 100) * (groups < 20)
    said = np.where(rng.random(100) < 0.8, truth, 1 - truth)
    predictions = make_predictions(truth, {"m": said}, groups=groups)
    made = metric_interval(predictions, "recall", "m", method="clustered_t")
    inside = truth == 1
    hits, trials = said[inside] == 1, groups[inside]
    clusters = np.unique(trials)
    totals = np.array([(hits - hits.mean())[trials == g].sum() for g in clusters])
    error = np.sqrt(len(clusters) / (len(clusters) - 1) * totals @ totals) / inside.sum()
    assert made.standard_error == pytest.approx(error)
    assert (made.n, made.successes) == (len(clusters), hits.sum())
    half = stdtrit(len(clusters) - 1, 0.975) * error
    assert (made.low, made.high) == pytest.approx((hits.mean() - half, hits.mean() + half))


def test_clusters_that_all_agree_count_as_one_case_each():
    predictions = make_predictions(
        None, {"m": np.ones(40)}, task="score", groups=np.arange(40) // 4
    )
    made = metric_interval(predictions, "mean_score", "m")
    t = stdtrit(9, 0.975)
    assert (made.low, made.high) == (pytest.approx(10 / (10 + t**2)), 1.0)
    assert made.notes


def test_one_cluster_has_no_interval():
    predictions = make_predictions(
        None, {"m": [1.0, 0.0, 1.0]}, task="score", groups=["a", "a", "a"]
    )
    made = metric_interval(predictions, "mean_score", "m")
    assert np.isnan([made.low, made.high]).all()
    assert any("at least two clusters" in note for note in made.notes)


# Choosing ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", sorted(METRICS))
@pytest.mark.parametrize("clustered", [False, True])
def test_every_metric_offers_methods_with_all_their_words(key, clustered):
    groups = [0, 1, 1] if clustered else None
    kind = METRICS[key].task
    truth = None if kind == "score" else [0, 1, 1]
    predictions = make_predictions(truth, {"m": [1, 1, 0]}, task=kind, groups=groups)
    offered = interval_methods(predictions, key)
    assert offered
    for name, method in offered.items():
        assert METHODS[name] is method
        assert name == method.key
        assert all((method.label, method.formula, method.reference, method.remark))
    assert ("clustered" in next(iter(offered)) or not clustered) or METRICS[key].family in (
        "rank",
        "quantile",
    )


def test_bad_arguments_are_named():
    digits = sample("digits")
    with pytest.raises(ValueError, match="metric must be one of"):
        metric_interval(digits, "acuracy", "network")
    with pytest.raises(ValueError, match="metric must be one for classification"):
        metric_interval(digits, "mae", "network")
    with pytest.raises(ValueError, match="model must be one of"):
        metric_interval(digits, "accuracy", "nobody")
    with pytest.raises(ValueError, match="label must be one of"):
        metric_interval(digits, "recall", "network", label="ten")
    with pytest.raises(ValueError, match="method must be one of 'wilson'"):
        metric_interval(digits, "accuracy", "network", method="t")
    with pytest.raises(ValueError, match="confidence_level must be strictly between"):
        metric_interval(digits, "accuracy", "network", confidence_level=95)
    with pytest.raises(ValueError, match="by_group must be False or None"):
        metric_interval(digits, "accuracy", "network", by_group=True)
    with pytest.raises(ValueError, match="rate must be from 0 to 1"):
        metric_interval(digits, "accuracy", "network", rate=5)


def test_a_threshold_changes_the_labels():
    predictions = make_predictions([0, 1, 1, 0], {}, scores={"m": [0.1, 0.4, 0.9, 0.6]})
    found = [
        metric_interval(predictions, "recall", "m", threshold=cut).estimate
        for cut in (0.3, 0.5, 0.95)
    ]
    assert found == [1.0, 0.5, 0.0]


def test_stratified_resampling_holds_the_class_sizes():
    predictions = matrix([[60, 20], [5, 15]], positive="1")
    plain, held = (
        metric_interval(predictions, "recall", "m", method="percentile", stratify=held)
        for held in (False, True)
    )
    # With 20 positives in every resample recall moves in steps of a twentieth.
    assert (20 * np.array([held.low, held.high])) % 1 == pytest.approx([0, 0], abs=1e-9)
    assert held.standard_error == pytest.approx(np.sqrt(0.75 * 0.25 / 20), rel=0.03)
    assert plain.standard_error > held.standard_error


def test_the_table_holds_every_metric_of_every_model():
    digits = sample("digits")
    rows = metric_table(digits, n_resamples=50)
    seen = {(row.metric, row.model) for row in rows}
    classification = [key for key, metric in METRICS.items() if metric.task == "classification"]
    assert seen == {(key, model) for key in classification for model in digits.models}
    assert sum(row.metric == "recall" for row in rows) == 10 * len(digits.models)
    for row in rows:
        if row.metric in ("average_precision", "recall_at_fpr"):
            assert "from 50 resamples" in row.interval.notes
            continue
        alone = metric_interval(digits, row.metric, row.model, label=row.label)
        # By text, in which nan is nan.
        assert repr(row.interval) == repr(alone)


def test_the_table_leaves_out_what_the_file_cannot_give():
    bare = make_predictions(["a", "b", "a"], {"m": ["a", "a", "a"]})
    keys = {row.metric for row in metric_table(bare)}
    assert {"accuracy", "recall", "mcc"} <= keys
    assert not keys & {"auc", "brier", "average_precision"}
    house = make_predictions([1.0, 2.0], {"m": [1.5, 2.5]}, task="regression")
    assert "share_within" not in {row.metric for row in metric_table(house)}
    assert "share_within" in {row.metric for row in metric_table(house, tolerance=1.0)}
    with pytest.raises(ValueError, match="metrics must be one of"):
        metric_table(house, metrics=["accuracy"])


def test_the_same_seed_gives_the_same_interval():
    digits = sample("digits")
    first, again, other = (
        metric_interval(digits, "macro_f1", "network", method="bca", n_resamples=300, rng=seed)
        for seed in (5, 5, 6)
    )
    assert first == again
    assert first.low != other.low


def test_classes_of_few_cases_are_named_where_every_class_counts_alike():
    truth, said = [*"aaaaabbbbbcccc"], [*"aaaabbbbbbcccb"]
    predictions = make_predictions(truth, {"m": said}, classes="abc")
    for metric in ("macro_f1", "macro_recall", "macro_precision", "balanced_accuracy"):
        notes = metric_interval(predictions, metric, "m", n_resamples=99).notes
        assert any("fewer than 5 cases" in note and note.endswith(": c") for note in notes)
    for metric in ("weighted_f1", "accuracy"):
        notes = metric_interval(predictions, metric, "m", n_resamples=99).notes
        assert not any("fewer than 5 cases" in note for note in notes)


@pytest.mark.parametrize(
    ("size", "text"),
    [(0.78, "less than one case"), (1.0, "1 case"), (2.26, "2.3 cases"), (12.7, "13 cases")],
)
def test_effective_sizes_are_round(size, text):
    assert _size_text(size) == text
