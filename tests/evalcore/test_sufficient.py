import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk

from evalcore.clusters import partition
from evalcore.metrics import METRICS, Margins, Setting
from evalcore.predictions import Predictions, make_predictions
from evalcore.sufficient import (
    case_columns,
    cell_influence,
    cells,
    count_gradient,
    count_value,
    influence,
    jackknife,
    metric_notes,
    metric_value,
    probabilities,
    rank_problems,
    standard_error,
    weighted_median,
)

REFERENCE = Path(__file__).parents[1] / "reference"
# scikit-learn 1.9.1, R vcd 1.4-11 and psych 2.2.9 (kappa), delta method checked by 200,000
# multinomial draws; see the meta entry of the file.
MULTICLASS = json.loads((REFERENCE / "multiclass.json").read_text())["cases"]
LABEL_METRICS = [key for key, row in METRICS.items() if row.ratio or row.value]
CLASS_SETTING = Setting(label="1", rate=0.2)


def of_matrix(matrix):
    """Return the predictions of a confusion matrix, one row for each of its cells."""
    counts = np.array(matrix)
    truth, said = np.indices(counts.shape)
    names = [str(code) for code in range(len(counts))]
    return make_predictions(
        truth.ravel(), {"m": said.ravel()}, classes=names, counts=counts.ravel()
    )


def error_of(predictions, key, setting=None):
    return standard_error(influence(predictions, key, "m", setting), predictions.counts)


def classified(rng, n=120, *, classes=3, counts=False, groups=False):
    """Return predictions of two models with labels and probabilities, every class occurring."""
    truth = rng.permutation(np.arange(n) % classes)
    outputs, scores = {}, {}
    for model in ("m", "other"):
        noise = rng.normal(size=(n, classes)) + 1.2 * np.eye(classes)[truth]
        scores[model] = np.exp(noise) / np.exp(noise).sum(axis=1, keepdims=True)
        outputs[model] = noise.argmax(axis=1)
    return make_predictions(
        truth,
        outputs,
        scores=scores,
        classes=[str(code) for code in range(classes)],
        counts=rng.integers(1, 4, n) if counts else None,
        groups=rng.integers(0, n // 4, n) if groups else None,
    )


def measured(rng, n=120, *, counts=False, groups=False):
    truth = rng.lognormal(3, 0.5, n)
    outputs = {name: truth + rng.normal(1, 3, n) for name in ("m", "other")}
    return make_predictions(
        truth,
        outputs,
        task="regression",
        counts=rng.integers(1, 4, n) if counts else None,
        groups=rng.integers(0, n // 4, n) if groups else None,
    )


def scored(rng, n=120, *, counts=False, groups=False):
    return make_predictions(
        None,
        {name: rng.random(n) for name in ("m", "other")},
        task="score",
        counts=rng.integers(1, 4, n) if counts else None,
        groups=rng.integers(0, n // 4, n) if groups else None,
    )


MAKERS = {"classification": classified, "regression": measured, "score": scored}
SETTINGS = {
    "classification": CLASS_SETTING,
    "regression": Setting(tolerance=2.0),
    "score": Setting(),
}


def example(key, rng, **options):
    """Return predictions for a metric and the setting to ask it with."""
    task = METRICS[key].task
    return MAKERS[task](rng, **options), SETTINGS[task]


# Values and delta-method errors of metrics of labels ---------------------------------------------


@pytest.mark.parametrize("name", MULTICLASS)
def test_values_of_reference_matrices(name):
    case = MULTICLASS[name]
    predictions = of_matrix(case["matrix"])
    expected = {
        "accuracy": case["accuracy"],
        "error_rate": case["error_rate"],
        "balanced_accuracy": case["balanced_accuracy_sklearn"],
        "mcc": case["mcc"],
        "kappa": case["kappa"]["kappa"],
        **{f"macro_{key}": value for key, value in case["macro"].items()},
        **{f"micro_{key}": value for key, value in case["micro"].items()},
        **{f"weighted_{key}": value for key, value in case["weighted"].items()},
    }
    found = {key: metric_value(predictions, key, "m") for key in expected}
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", MULTICLASS)
def test_values_of_each_class_of_reference_matrices(name):
    case = MULTICLASS[name]
    predictions = of_matrix(case["matrix"])
    predicted = np.array(case["matrix"]).sum(axis=0)
    f_beta = {"f0_5": [], "f2": []}
    for code, label in enumerate(predictions.classes):
        setting = Setting(label=label)
        for key, values in case["per_class"].items():
            if key == "support":
                continue
            found = metric_value(predictions, key, "m", setting)
            if key == "precision" and predicted[code] == 0:
                assert np.isnan(found)
                assert "no predicted positives" in metric_notes(predictions, key, "m", setting)[0]
            else:
                assert found == pytest.approx(values[code], abs=1e-9)
        for key, values in f_beta.items():
            values.append(metric_value(predictions, key, "m", setting))
    assert np.mean(f_beta["f0_5"]) == pytest.approx(case["macro_f0.5"], abs=1e-9)
    assert np.mean(f_beta["f2"]) == pytest.approx(case["macro_f2"], abs=1e-9)


@pytest.mark.parametrize("name", MULTICLASS)
def test_delta_errors_of_reference_matrices(name):
    case = MULTICLASS[name]
    predictions = of_matrix(case["matrix"])
    delta = case["delta"]
    expected = {
        "macro_f1": delta["macro_f1_se"],
        "micro_f1": delta["micro_f1_se"],
        "weighted_f1": delta["weighted_f1_se_random_weights"],
        "macro_precision": delta["macro_precision_se"],
        "macro_recall": delta["macro_recall_se"],
        "balanced_accuracy": delta["balanced_accuracy_se"],
        "kappa": case["kappa"]["se_asymptotic"],
    }
    found = {key: error_of(predictions, key) for key in expected}
    assert found == pytest.approx(expected, abs=1e-9)
    by_class = [error_of(predictions, "f1", Setting(label=c)) for c in predictions.classes]
    assert by_class == pytest.approx(delta["per_class_f1_se"], abs=1e-9)
    if abs(delta["weighted_f1_se_fixed_weights"] / expected["weighted_f1"] - 1) > 1e-6:
        assert found["weighted_f1"] != pytest.approx(delta["weighted_f1_se_fixed_weights"], 1e-6)


@pytest.mark.parametrize("name", MULTICLASS)
def test_delta_errors_are_not_those_of_the_package_known_to_be_wrong(name):
    case = MULTICLASS[name]
    predictions = of_matrix(case["matrix"])
    wrong = case["DO_NOT_USE_confidenceinterval_1_0_5"]
    for key in ("macro_f1", "macro_precision", "macro_recall"):
        low, high = wrong[key]["ci95"]
        if low is not None:
            half = 1.959963984540054 * error_of(predictions, key)
            assert abs((high - low) / 2 / half - 1) > 0.01


@pytest.mark.parametrize("name", MULTICLASS)
def test_delta_errors_agree_with_monte_carlo(name):
    case = MULTICLASS[name]
    predictions = of_matrix(case["matrix"])
    simulated = case["monte_carlo_200000"]
    last = Setting(label=predictions.classes[-1])
    pairs = {
        "mc_macro_f1_sd": ("macro_f1", None),
        "mc_macro_prec_sd": ("macro_precision", None),
        "mc_macro_rec_sd": ("macro_recall", None),
        "mc_weighted_sd": ("weighted_f1", None),
        "mc_last_f1_sd": ("f1", last),
    }
    # With a class of few cases the linear method is known to fall behind.
    smallest = min(case["per_class"]["support"])
    tolerance = 0.03 if smallest >= 30 else 0.04 if smallest >= 15 else 0.06
    for key, (metric, setting) in pairs.items():
        found = error_of(predictions, metric, setting)
        assert found == pytest.approx(simulated[key], rel=tolerance, abs=1e-12)


@pytest.mark.parametrize("key", LABEL_METRICS)
def test_gradient_agrees_with_finite_differences(key):
    margins = Margins.of(np.array([[40, 5, 5], [4, 38, 8], [2, 6, 42]], float))
    slope = count_gradient(METRICS[key], margins, 1)
    for name in ("right", "actual", "predicted"):
        for code in range(3):
            step = np.zeros(3)
            step[code] = 1e-3
            ends = [
                count_value(METRICS[key], replace(margins, **{name: getattr(margins, name) + s}), 1)
                for s in (step, -step)
            ]
            expected = (ends[0] - ends[1]) / 2e-3
            assert getattr(slope, name)[code] == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_gradient_of_many_classes_is_made_in_blocks():
    rng = np.random.default_rng(0)
    matrix = rng.integers(0, 3, (700, 700)) + np.diag(rng.integers(1, 50, 700))
    margins = Margins.of(matrix.astype(float))
    slope = count_gradient(METRICS["macro_f1"], margins)
    f1 = 2 * margins.right / (margins.actual + margins.predicted)
    np.testing.assert_allclose(slope.right, 2 / (margins.actual + margins.predicted) / 700)
    np.testing.assert_allclose(slope.actual, -f1 / (margins.actual + margins.predicted) / 700)


def test_influence_of_a_billion_cases_has_the_same_relative_precision():
    matrix = np.array(MULTICLASS["imbalanced3"]["matrix"])
    small, large = of_matrix(matrix), of_matrix(matrix * 1_000_000)
    for key in ("macro_f1", "mcc", "kappa", "weighted_f1"):
        assert error_of(large, key) == pytest.approx(error_of(small, key) / 1000, rel=1e-9)


# Tables of labels --------------------------------------------------------------------------------


def test_cells_count_every_combination_once():
    predictions = make_predictions(
        ["a", "a", "b", None, "b", "b"],
        {"m": ["a", "b", "b", "b", None, "b"], "other": ["a", "a", "b", "b", "b", "a"]},
        counts=[1, 2, 3, 4, 5, 6],
    )
    table = cells(predictions, ["m", "other"])
    found = dict(zip(map(tuple, table.codes.tolist()), table.counts.tolist(), strict=True))
    assert found == {(0, 0, 0): 1, (0, 1, 0): 2, (1, 1, 1): 3, (1, 1, 0): 6}
    assert (table.n, table.left_out) == (12, 9)
    assert [tuple(table.codes[i]) if i >= 0 else None for i in table.index] == [
        (0, 0, 0),
        (0, 1, 0),
        (1, 1, 1),
        None,
        None,
        (1, 1, 0),
    ]


@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 40]), st.sampled_from([1, 4]))
def test_cells_agree_with_counting_rows(seed, classes, models):
    rng = np.random.default_rng(seed)
    n = 60
    columns = rng.integers(-1, classes, (n, 1 + models))
    columns[:, 1:] = np.where(rng.random((n, models)) < 0.5, columns[:, :1], columns[:, 1:])
    counts = rng.integers(0, 3, n)
    names = [f"m{j}" for j in range(models)]
    predictions = Predictions(
        name="",
        digest="",
        task="classification",
        truth=columns[:, 0].astype(np.int32),
        outputs={name: columns[:, 1 + j].astype(np.int32) for j, name in enumerate(names)},
        classes=tuple(map(str, range(classes))),
        counts=counts,
    )
    table = cells(predictions, names)
    expected = {}
    for row, count in zip(map(tuple, columns.tolist()), counts, strict=True):
        if -1 not in row and count:
            expected[row] = expected.get(row, 0) + int(count)
    assert (
        dict(zip(map(tuple, table.codes.tolist()), table.counts.tolist(), strict=True)) == expected
    )
    assert table.left_out == counts.sum() - sum(expected.values())


def test_margins_of_draws_agree_with_the_matrix_of_each():
    rng = np.random.default_rng(3)
    predictions = classified(rng, 200, classes=4, counts=True)
    table = cells(predictions, ["m", "other"])
    draws = rng.integers(0, 5, (7, len(table.counts)))
    for position, model in enumerate(table.models, 1):
        margins = table.margins(model, draws)
        for row in range(7):
            matrix = np.zeros((4, 4))
            np.add.at(matrix, (table.codes[:, 0], table.codes[:, position]), draws[row])
            expected = Margins.of(matrix)
            for name in ("right", "actual", "predicted"):
                np.testing.assert_array_equal(getattr(margins, name)[row], getattr(expected, name))


def test_margins_of_many_cells_agree_with_those_of_few(monkeypatch):
    rng = np.random.default_rng(3)
    table = cells(classified(rng, 200, classes=4), "m")
    draws = rng.integers(0, 5, (7, len(table.counts)))
    dense = table.margins("m", draws)
    monkeypatch.setattr("evalcore.sufficient.joint.DENSE_INDICATORS", 0)
    sparse = table.margins("m", draws)
    for name in ("right", "actual", "predicted"):
        np.testing.assert_array_equal(getattr(sparse, name), getattr(dense, name))


@pytest.mark.parametrize("key", LABEL_METRICS)
def test_collapsed_tables_keep_the_metric(key):
    metric = METRICS[key]
    if metric.ratio is None and not metric.per_class:
        return
    table = cells(classified(np.random.default_rng(4), 300, classes=4), ["m", "other"])
    short = table.collapsed(2 if metric.per_class else None)
    assert len(short.counts) <= 8
    for model in table.models:
        full = count_value(metric, table.margins(model), 2)
        assert count_value(metric, short.margins(model), 1) == pytest.approx(float(full))


def test_cells_by_cluster_add_up():
    predictions = classified(np.random.default_rng(5), 100, counts=True, groups=True)
    table = cells(predictions, "m")
    parts = partition(predictions.groups, counts=predictions.counts)
    by_cluster = table.by_cluster(parts).toarray()
    np.testing.assert_array_equal(by_cluster.sum(axis=0), table.counts)
    np.testing.assert_array_equal(by_cluster.sum(axis=1), parts.sizes)


def test_a_file_without_truth_gives_nan_and_the_reason():
    predictions = make_predictions(None, {"m": ["a", "b"], "other": ["b", "b"]})
    assert np.isnan(metric_value(predictions, "accuracy", "m"))
    assert metric_notes(predictions, "accuracy", "m") == ("undefined: the file has no truth",)
    assert np.isnan(influence(predictions, "macro_f1", "m")).all()


# Columns of numbers ------------------------------------------------------------------------------


def test_a_percentage_error_of_a_true_zero_is_undefined():
    predictions = make_predictions([0.0, 100, 50], {"m": [1.0, 110, 45]}, task="regression")
    case = case_columns(predictions, METRICS["mape"], "m")
    assert not case.defined
    assert case.notes == ("undefined: 1 of 3 true values are 0",)
    assert np.isnan(metric_value(predictions, "mape", "m"))
    assert np.isnan(influence(predictions, "mape", "m")).all()
    assert metric_value(predictions, "mae", "m") == pytest.approx(16 / 3)


def test_cases_without_an_answer_are_left_out_and_counted():
    predictions = make_predictions(
        [1.0, 2, np.nan, 4],
        {"m": [2.0, np.nan, 3, 4], "other": [1.0, 2, 3, 6]},
        task="regression",
        counts=[1, 2, 3, 4],
    )
    case = case_columns(predictions, METRICS["mae"], ["m", "other"])
    np.testing.assert_array_equal(case.rows, [0, 3])
    np.testing.assert_array_equal(case.columns, [[1, 0], [0, 2]])
    np.testing.assert_array_equal(case.of("other"), [[0], [2]])
    assert case.notes == ("5 of 10 cases used: the others lack a truth or an answer",)
    assert metric_value(predictions, "mae", "m") == pytest.approx(1 / 5)


@pytest.mark.parametrize("positive", ["no", "yes"])
def test_one_probability_column_of_two_classes_becomes_two(positive):
    given = np.array([0.1, 0.8, 0.6])
    predictions = make_predictions(
        ["no", "yes", "no"],
        {"m": ["no", "yes", "yes"]},
        scores={"m": given if positive == "yes" else 1 - given},
        positive=positive,
    )
    both, reason = probabilities(predictions, "m")
    np.testing.assert_allclose(both, np.column_stack([1 - given, given]))
    assert reason == ""
    assert metric_value(predictions, "brier", "m") == pytest.approx((0.01 + 0.04 + 0.36) / 3)


@pytest.mark.parametrize(
    ("scores", "reason"),
    [
        ({}, "m has no class probabilities"),
        ({"m": [3.0, -1.0]}, "the scores of m are not probabilities: they leave 0 to 1"),
        ({"m": [[0.5, np.nan], [0.2, np.nan]]}, "m has no probability for some of the 2 classes"),
    ],
)
def test_scores_that_are_no_probabilities_make_a_brier_score_undefined(scores, reason):
    predictions = make_predictions(["a", "b"], {"m": ["a", "b"]}, scores=scores)
    assert np.isnan(metric_value(predictions, "brier", "m"))
    assert f"undefined: {reason}" in metric_notes(predictions, "brier", "m")


def test_probabilities_that_do_not_sum_to_one_are_noted():
    predictions = make_predictions(
        ["a", "b"], {"m": ["a", "b"]}, scores={"m": [[0.9, 0.3], [0.5, 0.5]]}
    )
    assert metric_notes(predictions, "log_loss", "m") == (
        "the probabilities of m do not sum to 1 in 1 cases",
    )


# Every metric ------------------------------------------------------------------------------------

BY_SCIKIT_LEARN = {
    "balanced_accuracy": sk.balanced_accuracy_score,
    "macro_f1": lambda t, s: sk.f1_score(t, s, average="macro"),
    "mcc": sk.matthews_corrcoef,
    "kappa": sk.cohen_kappa_score,
    "mae": sk.mean_absolute_error,
    "median_absolute_error": sk.median_absolute_error,
    "rmse": sk.root_mean_squared_error,
    "mape": sk.mean_absolute_percentage_error,
    "r_squared": sk.r2_score,
}
SCORED_BY_SCIKIT_LEARN = {
    "auc": lambda t, p: sk.roc_auc_score(t == 1, p[:, 1]),
    "auc_macro": lambda t, p: sk.roc_auc_score(t, p, multi_class="ovr"),
    "average_precision": lambda t, p: sk.average_precision_score(t == 1, p[:, 1]),
    "log_loss": sk.log_loss,
    "brier": lambda t, p: np.mean(((p - np.eye(3)[t]) ** 2).sum(axis=1)),
}


@pytest.mark.parametrize("key", [*BY_SCIKIT_LEARN, *SCORED_BY_SCIKIT_LEARN])
def test_values_agree_with_scikit_learn(key):
    predictions, setting = example(key, np.random.default_rng(6))
    truth = predictions.truth
    if key in BY_SCIKIT_LEARN:
        expected = BY_SCIKIT_LEARN[key](truth, predictions.outputs["m"])
    else:
        expected = SCORED_BY_SCIKIT_LEARN[key](truth, predictions.scores["m"])
    assert metric_value(predictions, key, "m", setting) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=60)
@given(st.sampled_from(sorted(METRICS)), st.integers(0, 2**32 - 1))
def test_value_and_influence_do_not_depend_on_how_cases_are_written(key, seed):
    rng = np.random.default_rng(seed)
    predictions, setting = example(key, rng, counts=True)
    value = metric_value(predictions, key, "m", setting)
    pull = influence(predictions, key, "m", setting)
    error = standard_error(pull, predictions.counts)
    assert predictions.counts @ pull == pytest.approx(0, abs=1e-8 * max(1, np.abs(pull).max()))

    order = rng.permutation(predictions.n_rows)
    shuffled = predictions.select(order)
    split = replace(
        predictions.select(np.repeat(np.arange(predictions.n_rows), predictions.counts)),
        counts=None,
    )
    for other in (shuffled, split):
        assert metric_value(other, key, "m", setting) == pytest.approx(value, rel=1e-9)
        found = standard_error(influence(other, key, "m", setting), other.counts)
        assert found == pytest.approx(error, rel=1e-7)
    np.testing.assert_allclose(
        influence(shuffled, key, "m", setting), pull[order], rtol=1e-6, atol=1e-9
    )


@settings(max_examples=50)
@given(
    st.sampled_from([k for k, m in METRICS.items() if m.task == "classification"]),
    st.integers(0, 2**32 - 1),
)
def test_renaming_the_classes_changes_nothing(key, seed):
    rng = np.random.default_rng(seed)
    predictions = classified(rng, counts=True)
    order = rng.permutation(3)
    renamed = replace(
        predictions,
        truth=np.argsort(order)[predictions.truth].astype(np.int32),
        outputs={m: np.argsort(order)[o].astype(np.int32) for m, o in predictions.outputs.items()},
        scores={m: s[:, order] for m, s in predictions.scores.items()},
        classes=tuple(f"class {predictions.classes[code]}" for code in order),
    )
    setting = replace(CLASS_SETTING, label="class 1")
    value = metric_value(predictions, key, "m", CLASS_SETTING)
    assert metric_value(renamed, key, "m", setting) == pytest.approx(value, rel=1e-9)
    expected = influence(predictions, key, "m", CLASS_SETTING)
    np.testing.assert_allclose(influence(renamed, key, "m", setting), expected, atol=1e-9)


@pytest.mark.parametrize("key", METRICS)
def test_four_times_the_cases_halve_the_error(key):
    predictions, setting = example(key, np.random.default_rng(7), counts=True)
    more = replace(predictions, counts=4 * predictions.counts)
    errors = [
        standard_error(influence(p, key, "m", setting), p.counts) for p in (predictions, more)
    ]
    # The density behind a quantile is read from a window that narrows with the number of cases.
    if key in ("median_absolute_error", "recall_at_fpr"):
        assert errors[1] < errors[0]
    else:
        assert errors[1] == pytest.approx(errors[0] / 2, rel=1e-9)


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize(
    "key", [k for k, m in METRICS.items() if m.family in ("proportion", "count", "mean")]
)
def test_jackknife_is_that_of_leaving_rows_out(key, counted, grouped):
    predictions, setting = example(
        key, np.random.default_rng(8), n=18, counts=counted, groups=grouped
    )
    weights = predictions.weights
    parts = partition(predictions.groups, counts=weights) if grouped else None
    left = jackknife(predictions, key, "m", setting, parts=parts)
    expected = []
    for unit in range(parts.clusters if grouped else predictions.n_rows):
        one = weights * (parts.codes == unit) if grouped else np.eye(18, dtype=np.int64)[unit]
        without = replace(predictions, counts=weights - one)
        times = 1 if grouped else weights[unit]
        expected += [metric_value(without, key, "m", setting)] * times
    found = np.repeat(left.values, np.asarray(left.counts, int))
    np.testing.assert_allclose(np.sort(found), np.sort(expected), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "key", [k for k in METRICS if k not in ("recall_at_fpr", "median_absolute_error")]
)
def test_influence_is_the_pull_of_one_more_case(key):
    predictions, setting = example(key, np.random.default_rng(9), n=40)
    many = 10_000_000
    heavy = replace(predictions, counts=np.full(40, many))
    value = metric_value(heavy, key, "m", setting)
    pull = influence(predictions, key, "m", setting)
    for row in range(0, 40, 3):
        more = replace(heavy, counts=heavy.counts + 1000 * (np.arange(40) == row))
        found = (metric_value(more, key, "m", setting) - value) / 1000 * 40 * many
        assert found == pytest.approx(pull[row], rel=2e-3, abs=2e-3 * np.abs(pull).max())


def test_influence_on_a_calibration_error_follows_the_signs_of_the_bins():
    predictions = classified(np.random.default_rng(10), 200)
    case = case_columns(predictions, METRICS["calibration_error"], "m")
    means = case.columns.mean(axis=0)
    expected = (case.columns - means) @ np.sign(means)
    found = influence(predictions, "calibration_error", "m")
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_influence_on_a_median_has_the_error_of_a_known_density():
    rng = np.random.default_rng(11)
    n = 4001
    predictions = make_predictions(np.zeros(n), {"m": rng.exponential(size=n)}, task="regression")
    found = standard_error(influence(predictions, "median_absolute_error", "m"))
    # Density 1/2 at the median of a standard exponential.
    assert found == pytest.approx(0.5 / np.sqrt(n) / 0.5, rel=0.1)


# Refusals and edges ------------------------------------------------------------------------------


def test_a_metric_of_another_task_is_refused_by_name():
    predictions = classified(np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"metric must be one for classification.*got 'mae'"):
        metric_value(predictions, "mae", "m")
    with pytest.raises(ValueError, match="label must name a class for 'recall'"):
        metric_value(predictions, "recall", "m")
    with pytest.raises(ValueError, match="model must be one of"):
        metric_value(predictions, "accuracy", "nobody")


def test_a_class_without_cases_makes_its_ranking_undefined_and_leaves_the_mean():
    predictions = classified(np.random.default_rng(12), 60)
    kept = predictions.select(predictions.truth != 2)
    setting = Setting(label="2")
    assert np.isnan(metric_value(kept, "auc", "m", setting))
    assert "undefined" in metric_notes(kept, "auc", "m", setting)[0]
    two = [metric_value(kept, "auc", "m", Setting(label=c)) for c in ("0", "1")]
    assert metric_value(kept, "auc_macro", "m") == pytest.approx(np.mean(two))
    assert metric_notes(kept, "auc_macro", "m") == ("without class 2",)


def test_ranking_problems_share_their_cases():
    predictions = classified(np.random.default_rng(13), 30)
    scores = predictions.scores["m"].copy()
    scores[0, 1] = np.nan
    broken = replace(predictions, scores={"m": scores})
    problems = rank_problems(broken, METRICS["auc_macro"], "m")
    assert {tuple(one.rows) for one in problems} == {tuple(range(1, 30))}
    assert "1 of 30 cases lack a truth or a score" in metric_notes(broken, "auc_macro", "m")[0]


def test_weighted_median_counts_copies():
    values, counts = np.array([5.0, 1.0, 3.0]), np.array([2, 1, 3])
    assert weighted_median(values, counts) == np.median(np.repeat(values, counts))
    assert weighted_median(values, np.array([1, 1, 1])) == 3
    assert np.isnan(weighted_median(values, np.array([0, 0, 0])))


def test_a_class_only_said_and_a_class_never_said_count_in_macro_f1():
    # Truth has 0, 1 and 3, the labels 0, 1 and 2: F1 is 2/3, 1, 0 and 0.
    predictions = make_predictions(["0", "0", "1", "3"], {"m": ["0", "2", "1", "0"]})
    by_class = [metric_value(predictions, "f1", "m", Setting(label=c)) for c in "0123"]
    assert by_class == pytest.approx([0.5, 1, 0, 0])
    assert metric_value(predictions, "macro_f1", "m") == pytest.approx(1.5 / 4)


def test_influence_of_an_undefined_metric_is_nan_in_every_cell():
    predictions = make_predictions(["a", "a", "b"], {"m": ["a", "a", "a"]})
    table = cells(predictions, "m")
    assert np.isnan(cell_influence(METRICS["precision"], table, "m", 1)).all()
    assert np.isnan(standard_error(influence(predictions, "precision", "m", Setting(label="b"))))
