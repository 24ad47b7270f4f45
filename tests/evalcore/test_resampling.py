import itertools
import json
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evalcore.clusters import cluster_standard_error, partition
from evalcore.metrics import METRICS, Setting
from evalcore.predictions import make_predictions
from evalcore.resampling import (
    acceleration,
    bca_limits,
    bootstrap_t_limits,
    draw_sums,
    jackknife_acceleration,
    mean_draws,
    median_draws,
    percentile_limits,
    sampling_distribution,
    studentized_draws,
)
from evalcore.resampling.medians import clustered_median_draws
from evalcore.resampling.sums import group_cases, merge_equal
from evalcore.resampling.weights import draw_weights, weight_blocks
from evalcore.sufficient import influence, metric_value, standard_error

REFERENCE = Path(__file__).parents[1] / "reference"
# numpy percentile (type 7) and BCa after Efron (1987) with ties half, as scipy.stats.bootstrap,
# from saved resampling indices; R boot 1.3-28.1 beside them. See the meta entry of the file.
BOOTSTRAP = {
    case["name"]: case for case in json.loads((REFERENCE / "bootstrap.json").read_text())["cases"]
}
MULTICLASS = json.loads((REFERENCE / "multiclass.json").read_text())["cases"]
STATISTICS = {"mean": np.mean, "sd": lambda values, axis=None: np.std(values, axis=axis, ddof=1)}


def listings_errors():
    table = np.genfromtxt(REFERENCE / "listings_errors.csv", delimiter=",", names=True)
    return np.abs(table["linear"] - table["true_price"])


def of_matrix(matrix):
    counts = np.array(matrix)
    truth, said = np.indices(counts.shape)
    names = [str(code) for code in range(len(counts))]
    return make_predictions(
        truth.ravel(), {"m": said.ravel()}, classes=names, counts=counts.ravel()
    )


def classified(rng, n=150, **options):
    truth = rng.permutation(np.arange(n) % 3)
    outputs, scores = {}, {}
    for model in ("m", "other"):
        noise = rng.normal(size=(n, 3)) + 1.2 * np.eye(3)[truth]
        scores[model] = np.exp(noise) / np.exp(noise).sum(axis=1, keepdims=True)
        outputs[model] = noise.argmax(axis=1)
    return make_predictions(truth, outputs, scores=scores, **options)


def measured(rng, n=150, **options):
    truth = rng.lognormal(3, 0.5, n)
    outputs = {name: truth + rng.normal(1, 3, n) for name in ("m", "other")}
    return make_predictions(truth, outputs, task="regression", **options)


def scored(rng, n=150, **options):
    outputs = {name: rng.random(n) for name in ("m", "other")}
    return make_predictions(None, outputs, task="score", **options)


MAKERS = {"classification": classified, "regression": measured, "score": scored}
SETTINGS = {
    "classification": Setting(label="1", rate=0.2),
    "regression": Setting(tolerance=2.0),
    "score": Setting(),
}


def example(key, rng, **options):
    task = METRICS[key].task
    return MAKERS[task](rng, **options), SETTINGS[task]


# Intervals read off draws ------------------------------------------------------------------------


def saved_draws(case):
    data = np.array(case["data"], float)
    rows = np.loadtxt(REFERENCE / case["indices_file"], delimiter=",", dtype=int)
    statistic = STATISTICS[case["stat"]]
    left_out = [statistic(np.delete(data, row)) for row in range(len(data))]
    return statistic(data[rows], axis=1), statistic(data), np.array(left_out)


@pytest.mark.parametrize("name", BOOTSTRAP)
def test_limits_of_saved_resamples(name):
    case = BOOTSTRAP[name]
    draws, estimate, left_out = saved_draws(case)
    assert draws.std(ddof=1) == pytest.approx(case["boot_sd_ddof1"], rel=1e-9)
    percentile = percentile_limits(draws)
    assert [percentile.low, percentile.high] == pytest.approx(
        case["percentile_type7_numpy"], rel=1e-9
    )
    slope = jackknife_acceleration(left_out)
    assert slope == pytest.approx(case["acceleration_efron"], rel=1e-9)
    bca = bca_limits(draws, estimate, slope)
    assert [bca.low, bca.high] == pytest.approx(case["bca_half_ties_efron_type7"], rel=1e-9)
    assert percentile.notes == bca.notes == ()


def test_ties_are_counted_half_whatever_the_rounding():
    case = BOOTSTRAP["acc40_mean"]
    draws, estimate, left_out = saved_draws(case)
    slope = jackknife_acceleration(left_out)
    rounded = draws * (1 + 1e-15 * np.where(np.arange(len(draws)) % 2, 1, -1))
    exact, other = bca_limits(draws, estimate, slope), bca_limits(rounded, estimate, slope)
    assert (other.low, other.high) == pytest.approx((exact.low, exact.high), rel=1e-9)


def test_acceleration_of_counted_values_is_that_of_their_copies():
    values, counts = np.array([0.3, 0.7, 0.1]), np.array([5, 1, 3])
    copies = np.repeat(values, counts)
    assert jackknife_acceleration(values, counts) == pytest.approx(jackknife_acceleration(copies))
    pull = copies.mean() - copies
    expected = (pull**3).sum() / (6 * (pull**2).sum() ** 1.5)
    assert jackknife_acceleration(copies) == pytest.approx(expected, rel=1e-12)


def test_acceleration_in_strata_takes_the_mean_of_each():
    values, strata = np.array([1.0, 2, 4, 10, 11, 15]), np.array([0, 0, 0, 1, 1, 1])
    pull = np.concatenate([values[:3].mean() - values[:3], values[3:].mean() - values[3:]])
    expected = (pull**3).sum() / (6 * (pull**2).sum() ** 1.5)
    assert jackknife_acceleration(values, strata=strata) == pytest.approx(expected)


@pytest.mark.parametrize("draws", [np.ones(50), np.full(50, 0.1 + 0.2), np.zeros(50)])
def test_draws_without_spread_have_no_interval(draws):
    for limits in (percentile_limits(draws), bca_limits(draws, draws[0], 0.0)):
        assert np.isnan([limits.low, limits.high]).all()
        assert limits.notes == ("undefined: all bootstrap draws are equal",)


def test_bca_needs_draws_on_both_sides_and_an_acceleration():
    draws = np.arange(50.0)
    outside = bca_limits(draws, -1.0, 0.0)
    assert np.isnan(outside.low)
    assert outside.notes == ("undefined: all bootstrap draws lie on one side of the estimate",)
    without = bca_limits(draws, 20.0, float("nan"))
    assert np.isnan(without.low)
    assert "jackknife" in without.notes[0]
    assert np.isnan(jackknife_acceleration(np.full(9, 0.1)))


def test_bca_beyond_the_pole_of_its_transformation_reads_the_last_draw():
    draws = np.arange(1000.0)
    limits = bca_limits(draws, 900.0, 0.4)
    assert limits.high == 999.0


def test_undefined_draws_are_dropped_and_warned_about_above_five_percent():
    draws = np.arange(1000.0)
    few, many = draws.copy(), draws.copy()
    few[:50], many[:60] = np.nan, np.nan
    read = percentile_limits(few)
    assert (read.undefined, read.notes) == (pytest.approx(0.05), ())
    assert read.low == pytest.approx(np.quantile(draws[50:], 0.025))
    warned = percentile_limits(many)
    assert warned.undefined == pytest.approx(0.06)
    assert "6.0%" in warned.notes[0]
    nothing = percentile_limits(np.full(9, np.nan))
    assert nothing.undefined == 1.0
    assert "undefined in every resample" in nothing.notes[0]


def test_bootstrap_t_limits_follow_their_formula():
    rng = np.random.default_rng(0)
    values = rng.exponential(size=30)
    rows = rng.integers(0, 30, (2000, 30))
    means, errors = values[rows].mean(axis=1), values[rows].std(axis=1, ddof=1) / np.sqrt(30)
    error = values.std(ddof=1) / np.sqrt(30)
    t = (means - values.mean()) / errors
    expected = values.mean() - np.quantile(t, [0.95, 0.05]) * error
    found = bootstrap_t_limits(means, errors, values.mean(), error, 0.9)
    assert [found.low, found.high] == pytest.approx(expected)


def test_a_resample_without_spread_has_no_studentised_value():
    means, errors = np.array([1.0, 2, 3, 4]), np.array([0.0, 1, 1, 1])
    assert bootstrap_t_limits(means, errors, 2.0, 1.0).undefined == 0.25


@pytest.mark.parametrize("level", [0.0, 1.0, 95])
def test_a_level_off_zero_to_one_is_refused(level):
    with pytest.raises(ValueError, match="confidence_level"):
        percentile_limits(np.arange(9.0), level)


# Weights -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "counts", [[1] * 8, [1, 2, 3, 0, 4], [500, 90, 30], [1000, 1, 2, 0, 40, 1], [0, 0], [7]]
)
def test_weights_have_the_moments_of_the_multinomial(counts):
    counts = np.array(counts)
    total, size = counts.sum(), 40_000
    weights = draw_weights(counts, size, np.random.default_rng(1))
    assert (weights.sum(axis=1) == total).all()
    share = counts / max(total, 1)
    spread = total * share * (1 - share)
    np.testing.assert_allclose(weights.mean(axis=0), counts, atol=4 * np.sqrt(spread.max() / size))
    np.testing.assert_allclose(weights.var(axis=0), spread, rtol=0.06, atol=1e-12)
    if len(counts) > 1 and total:
        expected = -total * share[0] * share[1]
        found = np.cov(weights[:, 0], weights[:, 1])[0, 1]
        assert found == pytest.approx(expected, abs=5 * np.sqrt(spread[0] * spread[1] / size))


def test_weights_of_three_cases_follow_the_exact_law():
    weights = draw_weights(np.ones(3, np.int64), 60_000, np.random.default_rng(2))
    outcomes, found = np.unique(weights, axis=0, return_counts=True)
    law = stats.multinomial(3, [1 / 3] * 3).pmf(outcomes)
    assert len(outcomes) == 10
    assert stats.chisquare(found, law * 60_000).pvalue > 1e-3


def test_strata_keep_their_sizes():
    counts, strata = np.array([3, 50, 1, 2, 400, 9]), np.array([0, 1, 0, 2, 1, 2])
    for _, weights in weight_blocks(counts, 300, np.random.default_rng(3), strata=strata):
        for name in (0, 1, 2):
            assert (weights[:, strata == name].sum(axis=1) == counts[strata == name].sum()).all()


def test_blocks_cover_every_resample_once_and_stay_small():
    seen = np.zeros(5000, int)
    for which, weights in weight_blocks(np.ones(20_000, np.int64), 500, np.random.default_rng(0)):
        seen[which] += 1
        assert weights.nbytes <= 17_000_000
    assert (seen[:500] == 1).all()


# Sums and means ----------------------------------------------------------------------------------


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=60), st.integers(0, 2**32 - 1))
def test_equal_rows_are_merged_without_changing_the_table(values, seed):
    rng = np.random.default_rng(seed)
    columns = np.column_stack([values, rng.integers(0, 2, len(values))]).astype(float)
    counts = rng.integers(1, 4, len(values))
    merged, totals = merge_equal(columns, counts)
    assert totals.sum() == counts.sum()
    as_rows = lambda c, w: sorted(map(tuple, np.repeat(c, w, axis=0)))  # noqa: E731
    assert as_rows(merged, totals) == as_rows(columns, counts)


def test_means_have_the_error_of_their_formula():
    values = listings_errors()
    expected = values.std() / np.sqrt(len(values))
    draws = mean_draws(values, n_resamples=20_000, rng=0)
    assert draws.std() == pytest.approx(expected, rel=0.02)
    assert draws.mean() == pytest.approx(values.mean(), abs=5 * expected / np.sqrt(20_000))


def test_counts_stand_for_copies():
    values, counts = np.array([0.0, 1.0, 5.0]), np.array([70, 25, 5])
    copies = np.repeat(values, counts)
    draws = mean_draws(values, counts=counts, n_resamples=20_000, rng=1)
    assert draws.std() == pytest.approx(copies.std() / 10, rel=0.02)


HEAVY = {
    "lognormal": lambda rng, n: rng.lognormal(0, 1.5, n),
    "student t3": lambda rng, n: rng.standard_t(3, n),
    "listings": lambda rng, n: rng.choice(listings_errors(), n) * rng.uniform(0.9, 1.1, n),
}


@pytest.mark.parametrize("n", [2_000, 10_000])
@pytest.mark.parametrize("name", HEAVY)
def test_grouped_draws_are_those_of_the_plain_bootstrap(name, n, monkeypatch):
    rng = np.random.default_rng(4)
    size = 2_500
    values = HEAVY[name](rng, n)
    counts = np.ones(n, np.int64)
    groups = group_cases(values[:, None], counts)
    means, spread = groups.means[:, 0] - values.mean(), groups.spread[:, 0, 0]
    share = groups.counts / n
    # Mean and variance are exact, and the skewness nearly so.
    assert groups.counts.sum() == n
    assert share @ means == pytest.approx(0, abs=1e-12 * values.std())
    assert share @ (means**2 + spread) == pytest.approx(values.var(), rel=1e-10)
    third = ((values - values.mean()) ** 3).mean()
    assert share @ (means**3 + 3 * means * spread) == pytest.approx(third, rel=1e-5)
    assert share @ spread < 1e-3 * values.var()
    # So the quantiles agree to within their Monte Carlo error (0.05 errors of the mean each).
    grouped = groups.draw(size, rng)[:, 0] / n
    monkeypatch.setattr("evalcore.resampling.sums.MOST_DRAWS", 1e12)
    plain = mean_draws(values, n_resamples=size, rng=5)
    levels = [0.025, 0.05, 0.25, 0.5, 0.75, 0.95, 0.975]
    gap = np.quantile(grouped, levels) - np.quantile(plain, levels)
    assert np.abs(gap).max() < 0.25 * values.std() / np.sqrt(n)
    assert stats.ks_2samp(grouped, plain).pvalue > 1e-3


def test_grouped_draws_of_several_columns_keep_their_covariance():
    rng = np.random.default_rng(6)
    n = 10_000
    first = rng.lognormal(0, 1.5, n)
    columns = np.column_stack([first, np.abs(first + rng.standard_t(3, n)), np.full(n, 2.0)])
    counts = rng.integers(1, 4, n)
    groups = group_cases(columns, counts)
    centre = counts @ columns / counts.sum()
    offset = groups.means - centre
    found = (offset * groups.counts[:, None]).T @ offset
    found += np.tensordot(groups.counts, groups.spread, axes=1)
    expected = ((columns - centre) * counts[:, None]).T @ (columns - centre)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-6)
    draws = groups.draw(4000, rng)
    np.testing.assert_allclose(np.cov(draws[:, :2].T), expected[:2, :2], rtol=0.12)
    assert draws[:, 2] == pytest.approx(np.full(4000, 2.0 * counts.sum()))


def test_grouped_draws_of_counted_cases_are_those_of_their_copies():
    rng = np.random.default_rng(7)
    values, counts = rng.lognormal(0, 1, 6000), rng.integers(1, 50, 6000)
    groups = group_cases(values[:, None], counts)
    copies = np.repeat(values, counts)
    draws = groups.draw(4000, rng)[:, 0] / counts.sum()
    assert draws.std() == pytest.approx(copies.std() / np.sqrt(len(copies)), rel=0.05)
    assert groups.counts.sum() == counts.sum()


def test_a_mean_of_very_many_cases_needs_little_memory():
    values = np.random.default_rng(8).lognormal(0, 1, 100_000)
    tracemalloc.start()
    draws = mean_draws(values, n_resamples=2000, rng=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000_000
    assert draws.std() == pytest.approx(values.std() / np.sqrt(100_000), rel=0.06)


def test_studentised_draws_are_mean_and_error_of_the_same_resample():
    values = np.random.default_rng(9).exponential(size=8)
    means, errors = studentized_draws(values, n_resamples=3000, rng=1)
    _, weights = next(weight_blocks(np.ones(8, np.int64), 3000, np.random.default_rng(1)))
    samples = [np.repeat(values, row.astype(int)) for row in weights]
    np.testing.assert_allclose(means, [s.mean() for s in samples])
    expected = [s.std(ddof=1) / np.sqrt(8) for s in samples]
    np.testing.assert_allclose(errors, expected, atol=1e-8)


def test_studentised_draws_of_clusters_have_their_robust_errors():
    rng = np.random.default_rng(10)
    groups = np.repeat(np.arange(6), [1, 2, 3, 4, 5, 6])
    values = rng.normal(size=21) + rng.normal(size=6)[groups]
    means, errors = studentized_draws(values, groups=groups, n_resamples=200, rng=1)
    _, weights = next(weight_blocks(np.ones(6, np.int64), 200, np.random.default_rng(1)))
    for mean, error, row in zip(means, errors, weights.astype(int), strict=True):
        drawn = np.repeat(np.arange(6), row)
        sample = np.concatenate([values[groups == g] for g in drawn])
        labels = np.concatenate([np.full(g + 1, i) for i, g in enumerate(drawn)])
        assert mean == pytest.approx(sample.mean())
        assert error == pytest.approx(cluster_standard_error(sample, labels), abs=1e-8)


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ([], {}, "values must be finite"),
        ([1.0, np.nan], {}, "values must be finite"),
        ([1.0, 2.0], {"counts": [1]}, "counts must be as long as values"),
        ([1.0, 2.0], {"groups": [1]}, "groups must be as long as values"),
        ([1.0, 2.0], {"n_resamples": 0}, "n_resamples must be"),
    ],
)
def test_samples_that_cannot_be_drawn_from_are_refused(values, options, message):
    for function in (mean_draws, studentized_draws):
        with pytest.raises(ValueError, match=message):
            function(values, **options)


# Medians -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [4, 5])
def test_medians_follow_the_exact_law(n):
    values = np.array([3.0, 1.0, 10.0, 4.0, 7.0])[:n]
    every = np.median(
        [values[list(rows)] for rows in itertools.product(range(n), repeat=n)], axis=1
    )
    possible, ways = np.unique(every, return_counts=True)
    draws = median_draws(values[:, None], np.ones(n, np.int64), 40_000, np.random.default_rng(1))
    place = np.searchsorted(possible, draws[:, 0])
    np.testing.assert_allclose(possible[place], draws[:, 0])
    found = np.bincount(place, minlength=len(possible))
    assert stats.chisquare(found, ways / ways.sum() * 40_000).pvalue > 1e-3


def test_medians_of_several_columns_come_from_the_same_resamples():
    rng = np.random.default_rng(2)
    values = rng.exponential(size=101)
    columns, counts = np.column_stack([values, 2 * values]), rng.integers(1, 3, 101)
    draws = median_draws(columns, counts, 300, rng)
    np.testing.assert_allclose(draws[:, 1], 2 * draws[:, 0])
    alone = median_draws(values[:, None], counts, 20_000, rng)
    both = median_draws(columns, counts, 20_000, rng)
    assert stats.ks_2samp(alone[:, 0], both[:, 0]).pvalue > 1e-3


def test_medians_of_very_many_cases_are_joined_by_their_indicators(monkeypatch):
    rng = np.random.default_rng(3)
    n, size = 2001, 4000
    first = rng.exponential(size=n)
    columns = np.column_stack([first, np.abs(first + rng.normal(0, 0.5, n))])
    counts = np.ones(n, np.int64)
    joint = median_draws(columns, counts, size, rng)
    monkeypatch.setattr("evalcore.resampling.medians.MOST_DRAWS", 0)
    copula = median_draws(columns, counts, size, rng)
    assert np.corrcoef(copula.T)[0, 1] == pytest.approx(np.corrcoef(joint.T)[0, 1], abs=0.08)
    for column in (0, 1):
        assert stats.ks_2samp(copula[:, column], joint[:, column]).pvalue > 1e-3


def test_clustered_medians_are_those_of_the_drawn_clusters():
    rng = np.random.default_rng(4)
    groups, counts = rng.integers(0, 5, 24), rng.integers(1, 3, 24)
    values = rng.normal(size=24)
    parts = partition(groups, counts=counts)
    draws = clustered_median_draws(values[:, None], parts, 100, np.random.default_rng(5))[:, 0]
    units = np.ones(parts.clusters, np.int64)
    _, weights = next(weight_blocks(units, 100, np.random.default_rng(5), width=24))
    for draw, row in zip(draws, weights.astype(int), strict=True):
        assert draw == pytest.approx(np.median(np.repeat(values, row[parts.codes] * counts)))


# The sampling distribution of a metric -----------------------------------------------------------


@pytest.mark.parametrize("name", MULTICLASS)
def test_bootstrap_errors_agree_with_multinomial_draws(name):
    case = MULTICLASS[name]
    predictions = of_matrix(case["matrix"])
    simulated = case["monte_carlo_200000"]
    pairs = {
        "macro_f1": simulated["mc_macro_f1_sd"],
        "macro_recall": simulated["mc_macro_rec_sd"],
        "weighted_f1": simulated["mc_weighted_sd"],
    }
    for key, expected in pairs.items():
        draws = sampling_distribution(predictions, key, n_resamples=20_000, rng=1)
        assert draws.std() == pytest.approx(expected, rel=0.03)


def test_accuracy_and_recall_have_the_errors_of_their_formulas():
    predictions = of_matrix(MULTICLASS["imbalanced3"]["matrix"])
    p = 948 / 1018
    draws = sampling_distribution(predictions, "accuracy", n_resamples=40_000, rng=2)[:, 0]
    assert draws.std() == pytest.approx(np.sqrt(p * (1 - p) / 1018), rel=0.02)
    recall = sampling_distribution(
        predictions, "recall", setting=Setting(label="1"), n_resamples=40_000, rng=2, stratify=True
    )[:, 0]
    assert recall.std() == pytest.approx(np.sqrt(40 / 72 * 32 / 72 / 72), rel=0.02)


@pytest.mark.parametrize("key", METRICS)
def test_draws_have_the_error_of_the_influence_values(key):
    if key in ("calibration_error", "recall_at_fpr", "median_absolute_error"):
        return  # not smooth: the linear error is known to be off at this size
    predictions, setting = example(key, np.random.default_rng(11))
    draws = sampling_distribution(predictions, key, "m", setting=setting, n_resamples=4000, rng=1)
    expected = standard_error(influence(predictions, key, "m", setting))
    assert draws.shape == (4000, 1)
    assert draws.std() == pytest.approx(expected, rel=0.08)
    assert draws.mean() == pytest.approx(
        metric_value(predictions, key, "m", setting), abs=0.25 * expected
    )


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("key", METRICS)
def test_every_model_sees_the_same_resamples(key, grouped):
    rng = np.random.default_rng(12)
    options = {"groups": rng.integers(0, 30, 150)} if grouped else {}
    predictions, setting = example(key, rng, **options)
    twins = replace(
        predictions,
        outputs=dict.fromkeys(("m", "other"), predictions.outputs["m"]),
        scores={
            name: s
            for name in ("m", "other")
            for s in [predictions.scores.get("m")]
            if s is not None
        },
    )
    draws = sampling_distribution(twins, key, setting=setting, n_resamples=50, rng=3)
    np.testing.assert_allclose(draws[:, 0], draws[:, 1], rtol=1e-12)
    again = sampling_distribution(twins, key, setting=setting, n_resamples=50, rng=3)
    np.testing.assert_array_equal(draws, again)
    assert len(np.unique(draws[:, 0])) > 1


@pytest.mark.parametrize("key", METRICS)
def test_draws_of_whole_clusters_have_the_robust_error(key):
    if key in ("calibration_error", "recall_at_fpr", "median_absolute_error"):
        return  # not smooth: the linear error is known to be off at this size
    rng = np.random.default_rng(13)
    groups = np.repeat(np.arange(75), 2)
    predictions, setting = example(key, rng, groups=groups)
    draws = sampling_distribution(predictions, key, "m", setting=setting, n_resamples=3000, rng=1)
    pull = influence(predictions, key, "m", setting)
    sums = partition(groups).sums(pull)
    assert draws.std() == pytest.approx(np.sqrt((sums**2).sum()) / 150, rel=0.1)
    alone = sampling_distribution(
        predictions, key, "m", setting=setting, n_resamples=3000, rng=1, by_group=False
    )
    assert alone.std() == pytest.approx(standard_error(pull), rel=0.08)


def test_resamples_of_three_clusters_follow_the_exact_law():
    truth, said = [0, 0, 0, 1, 1, 1, 0], [0, 1, 0, 1, 0, 1, 0]
    groups = [7, 7, 7, 8, 8, 8, 9]
    predictions = make_predictions(truth, {"m": said}, groups=groups)
    right, size = np.array([2, 2, 1]), np.array([3, 3, 1])
    every = [
        right[list(rows)].sum() / size[list(rows)].sum()
        for rows in itertools.product(range(3), repeat=3)
    ]
    possible, ways = np.unique(np.round(every, 12), return_counts=True)
    draws = sampling_distribution(predictions, "accuracy", n_resamples=30_000, rng=1)[:, 0]
    found = [(np.round(draws, 12) == value).sum() for value in possible]
    assert sum(found) == 30_000
    assert stats.chisquare(found, np.array(ways) / 27 * 30_000).pvalue > 1e-3


def test_whole_sites_of_unequal_size_hold_the_estimate():
    # Six sites: 90 cases at 0.8222..., and five small ones; resampling sites and then equally many
    # rows in each would aim at the mean of the site rates.
    sizes, right = np.array([50, 30, 5, 5, 5, 5]), np.array([45, 26, 4, 3, 1, 1])
    said = np.concatenate([np.arange(n) < k for n, k in zip(sizes, right, strict=True)]).astype(int)
    predictions = make_predictions(
        np.ones(100, int), {"m": said}, classes=["0", "1"], groups=np.repeat(np.arange(6), sizes)
    )
    draws = sampling_distribution(predictions, "accuracy", n_resamples=4000, rng=0)[:, 0]
    limits = percentile_limits(draws)
    assert limits.low < 0.8 < limits.high
    assert metric_value(predictions, "accuracy", "m") == 0.8


def test_stratified_resampling_keeps_the_class_sizes():
    rng = np.random.default_rng(14)
    predictions = classified(rng)
    # All cases are called class 0, so that accuracy is the share of class 0 in the resample.
    constant = replace(predictions, outputs={"m": np.zeros(150, np.int32)}, scores={})
    plain = sampling_distribution(constant, "accuracy", n_resamples=200, rng=1)
    kept = sampling_distribution(constant, "accuracy", n_resamples=200, rng=1, stratify=True)
    assert plain.std() > 0.02
    np.testing.assert_array_equal(kept, np.full((200, 1), 50 / 150))


@pytest.mark.parametrize("key", ["accuracy", "macro_f1", "brier", "auc", "auc_macro"])
def test_stratified_draws_have_the_error_of_the_strata(key):
    rng = np.random.default_rng(15)
    predictions = classified(rng)
    setting = Setting(label="1")
    draws = sampling_distribution(
        predictions, key, "m", setting=setting, n_resamples=4000, rng=2, stratify=True
    )
    pull = influence(predictions, key, "m", setting)
    strata = predictions.truth if key != "auc" else predictions.truth == 1
    within = sum(
        np.sum((pull[strata == c] - pull[strata == c].mean()) ** 2) for c in np.unique(strata)
    )
    assert draws.std() == pytest.approx(np.sqrt(within) / 150, rel=0.06)


@pytest.mark.parametrize(
    ("maker", "options", "message"),
    [
        (measured, {"stratify": True}, "stratify must be False: strata are true classes"),
        (classified, {"by_group": True}, "by_group must be False: these predictions have no group"),
    ],
)
def test_resampling_that_does_not_exist_is_refused(maker, options, message):
    predictions = maker(np.random.default_rng(0))
    key = "accuracy" if maker is classified else "mae"
    with pytest.raises(ValueError, match=message):
        sampling_distribution(predictions, key, **options)


def test_strata_and_clusters_together_are_refused():
    predictions = classified(np.random.default_rng(0), groups=np.arange(150) // 3)
    with pytest.raises(ValueError, match="stratify must be False with by_group"):
        sampling_distribution(predictions, "accuracy", stratify=True)
    sampling_distribution(predictions, "accuracy", stratify=True, by_group=False, n_resamples=5)


def test_a_resample_without_a_positive_has_no_recall():
    predictions = make_predictions([1] + [0] * 19, {"m": [1] + [0] * 19})
    draws = sampling_distribution(predictions, "recall", n_resamples=4000, rng=0)[:, 0]
    assert np.isnan(draws).mean() == pytest.approx((19 / 20) ** 20, abs=0.03)
    limits = percentile_limits(draws)
    assert np.isnan(limits.low)
    assert len(limits.notes) == 2


@pytest.mark.parametrize("key", METRICS)
def test_predictions_without_a_usable_case_give_nan_draws(key):
    predictions, setting = example(key, np.random.default_rng(16), n=9)
    nothing = replace(predictions, counts=np.zeros(9, np.int64))
    draws = sampling_distribution(nothing, key, setting=setting, n_resamples=7, rng=0)
    assert draws.shape == (7, 2)
    assert np.isnan(draws).all()


@pytest.mark.parametrize("key", METRICS)
def test_one_case_never_raises(key):
    predictions, setting = example(key, np.random.default_rng(17), n=9)
    one = predictions.select(np.array([4]))
    draws = sampling_distribution(one, key, setting=setting, n_resamples=7, rng=0)
    read = percentile_limits(draws[:, 0])
    assert np.isnan([read.low, read.high]).all()
    assert "undefined" in read.notes[-1]


@settings(max_examples=30)
@given(st.sampled_from(["macro_f1", "accuracy", "mcc", "f1"]), st.integers(0, 2**32 - 1))
def test_draws_of_counts_depend_on_the_table_alone(key, seed):
    rng = np.random.default_rng(seed)
    predictions = replace(classified(rng, 60), counts=rng.integers(1, 4, 60))
    order = rng.permutation(np.repeat(np.arange(60), predictions.counts))
    copies = replace(predictions.select(order), counts=None)
    setting = Setting(label="1")
    both = [
        sampling_distribution(p, key, setting=setting, n_resamples=20, rng=seed)
        for p in (predictions, copies)
    ]
    np.testing.assert_allclose(both[0], both[1], rtol=1e-12)


@pytest.mark.parametrize("key", METRICS)
def test_acceleration_is_that_of_leaving_cases_out(key):
    if METRICS[key].family in ("rank", "quantile"):
        return  # from influence values, tested there
    predictions, setting = example(key, np.random.default_rng(18), n=40)
    rows = np.arange(40)
    values = [metric_value(predictions.select(rows != row), key, "m", setting) for row in rows]
    expected = jackknife_acceleration(np.array(values))
    found = acceleration(predictions, key, "m", setting=setting)
    assert found == pytest.approx(expected, rel=1e-6)


def test_acceleration_of_an_auc_is_near_that_of_leaving_cases_out():
    predictions = classified(np.random.default_rng(19), 90)
    setting, rows = Setting(label="1"), np.arange(90)
    values = [metric_value(predictions.select(rows != r), "auc", "m", setting) for r in rows]
    found = acceleration(predictions, "auc", "m", setting=setting)
    assert found == pytest.approx(jackknife_acceleration(np.array(values)), abs=0.005)


def test_acceleration_of_clusters_leaves_out_whole_ones():
    groups = np.arange(60) % 12
    predictions = measured(np.random.default_rng(20), 60, groups=groups)
    values = [metric_value(predictions.select(groups != g), "mae", "m") for g in range(12)]
    found = acceleration(predictions, "mae", "m")
    assert found == pytest.approx(jackknife_acceleration(np.array(values)), rel=1e-9)


def test_a_mean_over_classes_of_very_many_cases_is_drawn_from_influence_values(monkeypatch):
    predictions = classified(np.random.default_rng(21), 300)
    plain = sampling_distribution(predictions, "auc_macro", n_resamples=4000, rng=1)
    monkeypatch.setattr("evalcore.resampling.ranks.LEAST_LINEAR", 0)
    monkeypatch.setattr("evalcore.resampling.ranks.MOST_WEIGHTS", 0)
    linear = sampling_distribution(predictions, "auc_macro", n_resamples=4000, rng=2)
    np.testing.assert_allclose(linear.mean(axis=0), plain.mean(axis=0), atol=0.002)
    np.testing.assert_allclose(linear.std(axis=0), plain.std(axis=0), rtol=0.06)
    correlations = [np.corrcoef(draws.T)[0, 1] for draws in (linear, plain)]
    assert correlations[0] == pytest.approx(correlations[1], abs=0.08)
    clustered = replace(predictions, groups=np.arange(300) // 2)
    drawn = sampling_distribution(clustered, "auc_macro", n_resamples=4000, rng=3)
    sums = partition(clustered.groups).sums(influence(predictions, "auc_macro", "m"))
    assert drawn[:, 0].std() == pytest.approx(np.sqrt((sums**2).sum()) / 300, rel=0.06)


def test_many_small_clusters_are_drawn_as_kinds_of_clusters():
    rng = np.random.default_rng(22)
    said = (rng.random(20_000) < 0.7).astype(int)
    predictions = make_predictions(
        np.ones(20_000, int), {"m": said}, classes=["0", "1"], groups=np.arange(20_000) // 4
    )
    draws = sampling_distribution(predictions, "accuracy", n_resamples=4000, rng=1)[:, 0]
    expected = cluster_standard_error(said, predictions.groups, kind="CR0")
    assert draws.std() == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize("total", [3, 12, 40])
def test_any_number_of_cases_can_be_drawn(total):
    columns = np.column_stack([np.ones(10), np.arange(10.0)])
    counts = np.arange(10) % 3 + 1
    sums = draw_sums(columns, counts, 20_000, np.random.default_rng(24), total=total)
    values = np.repeat(columns[:, 1], counts)
    assert (sums[:, 0] == total).all()
    assert sums[:, 1].mean() == pytest.approx(total * values.mean(), rel=0.02)
    assert sums[:, 1].std() == pytest.approx(np.sqrt(total) * values.std(), rel=0.03)


def test_draw_sums_of_strata_are_sums_over_them():
    rng = np.random.default_rng(23)
    columns = np.column_stack([np.ones(50), np.arange(50) % 2])
    sums = draw_sums(columns, np.ones(50, np.int64), 100, rng, strata=np.arange(50) % 2)
    np.testing.assert_array_equal(sums, np.tile([50.0, 25.0], (100, 1)))
