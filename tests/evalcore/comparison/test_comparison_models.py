"""Two models on the same cases: right values, agreement of interval and test, invariances."""

import itertools
import json
from dataclasses import fields, is_dataclass, replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from evalcore.clusters import cluster_standard_error
from evalcore.comparison import (
    METHODS,
    compare_all,
    compare_models,
    comparison_methods,
    delong_test,
    discordant_rows,
    equivalence,
    exchange_test,
)
from evalcore.comparison.confidence import from_draws
from evalcore.intervals import metric_interval
from evalcore.metrics import METRICS
from evalcore.predictions import make_predictions
from evalcore.reading import join_predictions, read_predictions
from evalcore.sufficient import metric_value
from tests.samples import CASES, REFERENCE, sample

AUC = json.loads((REFERENCE / "auc.json").read_text())["cases"]
DIGITS = json.loads((REFERENCE / "digits.json").read_text())["paired"]
TWIN = json.loads((REFERENCE / "listings_lesson_moments.json").read_text())
LABEL_METRICS = ("accuracy", "error_rate", "recall", "precision", "specificity", "f1", "mcc")


def case(name, *files):
    (folder,) = CASES.glob(f"{name}_*")
    right = json.loads((folder / "expected.json").read_text())["expected"]
    return right, [((folder / file).read_bytes(), file) for file in files]


def scored(file):
    table = pd.read_csv(REFERENCE / file)
    return table["y"].to_numpy(), table["score_a"].to_numpy(), table["score_b"].to_numpy()


def listings():
    table = pd.read_csv(REFERENCE / TWIN["file"])
    models = {name: table[name] for name in ("linear", "forest", "boosting")}
    return make_predictions(table["true_price"], models, task="regression")


def noisy(seed, n=80, classes="abc", groups=None):
    """Return two models that are right more often than not, with scores."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, len(classes), n)
    outputs = {}
    for name, share in (("one", 0.75), ("two", 0.65)):
        said = np.where(rng.random(n) < share, truth, rng.integers(0, len(classes), n))
        outputs[name] = np.array(list(classes))[said]
    codes = None if groups is None else rng.integers(0, groups, n)
    return make_predictions(
        np.array(list(classes))[truth], outputs, positive=classes[0], groups=codes
    )


def paired(both, only_a, only_b, neither):
    a = [1] * (both + only_a) + [0] * (only_b + neither)
    b = [1] * both + [0] * only_a + [1] * only_b + [0] * neither
    return make_predictions([1] * len(a), {"a": a, "b": b}, classes=["0", "1"])


def decided(found):
    return found.difference.low > 0 or found.difference.high < 0


# Right values -------------------------------------------------------------------------------------


def test_the_digits():
    # torch 2.13.0, scikit-learn 1.9.1; items 4, 5 and 18 of the first source.
    found = compare_models(sample("digits"), "accuracy", "network", "logreg")
    cells = (found.both, found.only_a, found.only_b, found.neither)
    assert cells == (345, 4, 2, 9)
    assert found.difference.estimate == pytest.approx(DIGITS["gap"], rel=1e-12)
    assert found.difference.standard_error == pytest.approx(DIGITS["se_paired"], rel=1e-9)
    exact = found.beside[0]
    assert exact.method == "mcnemar_exact"
    assert exact.p_value == pytest.approx(DIGITS["mcnemar_exact_p"])
    assert found.verdict == "not decided"
    assert found.favours == "network"
    differ = discordant_rows(sample("digits"), "accuracy", "network", "logreg")
    assert differ.rows[differ.better == 0].tolist() == DIGITS["images_only_network"]
    assert differ.rows[differ.better == 1].tolist() == DIGITS["images_only_logreg"]


def test_direction_of_the_gap():
    right, files = case("s04", "predictions.csv")
    found = compare_models(read_predictions(*files[0]), "accuracy", "model_1", "model_2")
    assert (found.only_a, found.only_b) == (2, 1)
    assert found.difference.estimate == pytest.approx(right["diff"])
    assert found.difference.standard_error == pytest.approx(right["se"])
    assert found.beside[0].p_value == right["exact"]
    assert found.beside[1].p_value == pytest.approx(right["midp"])


def test_one_true_class_and_no_discordance_one_way():
    right, files = case("m02", "predictions.csv")
    found = compare_models(read_predictions(*files[0]), "accuracy", "algo_2", "algo_1")
    assert found.difference.estimate == pytest.approx(right["diff_2_minus_1"])
    assert found.difference.standard_error == pytest.approx(right["paired_se"])
    assert found.verdict == "shown better"
    assert found.beside[0].p_value == pytest.approx(right["exact"])


def test_files_in_different_order_are_joined_first():
    right, files = case("u24", "truth.csv", "model_a.csv", "model_b.csv")
    joined = join_predictions(files)
    found = compare_models(joined, "accuracy", *joined.models)
    assert (found.only_a, found.only_b) == (right["b_only_a_right"], right["c_only_b_right"])
    assert found.difference.standard_error == pytest.approx(right["se"], rel=1e-9)


def test_discordance_is_of_correctness_not_of_labels():
    right, files = case("m19", "predictions.csv")
    predictions = read_predictions(*files[0])
    found = compare_models(predictions, "accuracy", "model_a", "model_b")
    assert (found.only_a, found.only_b) == (right["b_only_a"], right["c_only_b"])
    assert found.beside[0].p_value == pytest.approx(right["exact"])
    rows = discordant_rows(predictions, "accuracy", "model_a", "model_b").rows
    assert len(rows) / 120 == pytest.approx(right["discordant"])


def test_without_a_truth_nothing_is_said():
    right, files = case("s07", "two_models_no_truth.csv")
    predictions = read_predictions(*files[0])
    found = compare_models(predictions, "accuracy", "model_a", "model_b")
    assert predictions.n_cases == right["n"]
    assert np.isnan(found.p_value)
    assert found.verdict == "not decided"
    assert found.favours is None
    assert "undefined: the file has no truth" in found.notes
    assert (found.only_a, found.only_b, found.both, found.neither, found.ties) == (None,) * 5
    assert found.test == "mcnemar_chi2"


@pytest.mark.parametrize("pair", TWIN["pairs"])
def test_the_listings(pair):
    # numpy 2.4.6, scipy 1.17.1; items 26, 28 and 29 of the second source.
    right, (first, second) = TWIN["pairs"][pair], pair.split("-")
    found = compare_models(listings(), "mae", first, second, n_resamples=1999)
    assert found.difference.estimate == pytest.approx(right["gain"], rel=1e-9)
    assert found.difference.standard_error == pytest.approx(right["gain_se"], rel=1e-9)
    assert found.p_value == pytest.approx(right["ttest_rel_p"], rel=1e-7)
    assert found.only_b == right["closer_second"]
    assert found.ties == right["ties"]
    assert found.correlation == pytest.approx(right["corr"], rel=1e-9)
    assert found.favours == second
    drawn = compare_models(listings(), "mae", first, second, method="percentile", rng=1)
    limits = (drawn.difference.low, drawn.difference.high)
    assert limits == pytest.approx(right["paired_percentile_interval"], abs=0.2 * right["gain_se"])


def test_percentile_limits_of_the_lessons_own_draws():
    table = pd.read_csv(REFERENCE / TWIN["file"])
    picks = np.random.default_rng(42).integers(0, 600, (2000, 600))
    for pair, right in TWIN["pairs"].items():
        first, second = (abs(table[m] - table["true_price"]).to_numpy() for m in pair.split("-"))
        made = from_draws((first - second)[picks].mean(axis=1), right["gain"])
        assert made.limits(0.95) == pytest.approx(right["paired_percentile_interval"], rel=1e-9)


@pytest.mark.parametrize("file", [name for name in AUC if "paired" in AUC[name]])
def test_delong_agrees_with_proc(file):
    # R 4.2.2 pROC roc.test(method = "delong", paired = TRUE).
    right, (truth, a, b) = AUC[file]["paired"], scored(file)
    found = delong_test(truth, a, b)
    assert found.difference.estimate == pytest.approx(right["diff"], abs=1e-12)
    assert found.difference.standard_error == pytest.approx(right["se_diff"], rel=1e-9)
    limits = (found.difference.low, found.difference.high)
    assert limits == pytest.approx(right["ci95"], abs=1e-9)
    assert found.p_value == pytest.approx(right["p"], rel=1e-8)
    doubled = delong_test(truth, a, b, counts=np.full(len(truth), 2))
    assert doubled.difference.standard_error < found.difference.standard_error


def test_delong_of_one_score_twice():
    truth, a, _ = scored("scores_n200.csv")
    found = delong_test(truth, a, 2 * a)
    assert found.p_value == 1.0
    assert np.isnan(found.difference.low)
    alone = delong_test(truth, a, -a, groups=np.arange(len(truth)))
    assert alone.verdict == "shown better"
    with pytest.raises(ValueError, match="truth must hold only 0 and 1"):
        delong_test([0, 2], [1, 2], [1, 2])


def test_recall_is_compared_on_the_actual_positives():
    predictions = noisy(1)
    positives = predictions.select(predictions.truth == 0)
    found = compare_models(predictions, "recall", "one", "two", label="a")
    there = compare_models(positives, "accuracy", "one", "two")
    assert found.difference.n == positives.n_rows
    assert found.difference.unit == "actual positives"
    assert found.p_value == there.p_value
    assert (found.only_a, found.neither) == (there.only_a, there.neither)


# One procedure ------------------------------------------------------------------------------------


@given(st.integers(0, 10**6), st.sampled_from(LABEL_METRICS), st.sampled_from([0.8, 0.9, 0.95]))
@settings(max_examples=25)
def test_interval_and_test_never_contradict_for_labels(seed, metric, level):
    predictions = noisy(seed, n=40)
    options = {"label": "a", "confidence_level": level, "n_resamples": 399}
    found = compare_models(predictions, metric, "one", "two", **options)
    assert decided(found) == (found.p_value < 1 - level)
    swapped = compare_models(predictions, metric, "two", "one", **options)
    assert swapped.difference.estimate == pytest.approx(-found.difference.estimate, abs=1e-15)
    assert swapped.p_value == pytest.approx(found.p_value, rel=1e-9)
    assert [t.p_value for t in swapped.beside] == pytest.approx([t.p_value for t in found.beside])


@given(st.integers(0, 10**6), st.sampled_from([None, 7]), st.sampled_from([0.5, 0.8, 0.95]))
@settings(max_examples=8)
def test_interval_and_test_never_contradict_for_numbers(seed, groups, level):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=30)
    outputs = {"one": truth + rng.normal(0, 1, 30), "two": truth + rng.standard_t(3, 30)}
    codes = None if groups is None else rng.integers(0, groups, 30)
    predictions = make_predictions(truth, outputs, task="regression", groups=codes)
    options = {"confidence_level": level, "n_resamples": 199}
    for metric in ("mae", "rmse", "median_absolute_error", "mean_error", "r_squared"):
        for method in comparison_methods(predictions, metric):
            found = compare_models(predictions, metric, "one", "two", method=method, **options)
            if not np.isnan(found.difference.low):
                assert decided(found) == (found.p_value < 1 - level), (metric, method)
            swapped = compare_models(predictions, metric, "two", "one", method=method, **options)
            assert swapped.p_value == pytest.approx(found.p_value, rel=1e-6, nan_ok=True)


@given(
    st.integers(0, 10**6),
    st.sampled_from(["percentile", "bca"]),
    st.sampled_from([0.8, 0.95, 0.99]),
    st.sampled_from([0.0, 0.3, 1.0, 3.0]),
)
@settings(max_examples=60)
def test_draws_and_their_p_never_contradict(seed, method, level, shift):
    rng = np.random.default_rng(seed)
    draws = shift + rng.gamma(2, 1, 299) - rng.choice([0.5, 2.0, 6.0])
    draws = draws if seed % 2 else np.round(draws, 1)
    acceleration = None if method == "percentile" else float(rng.uniform(-0.15, 0.15))
    made = from_draws(draws, float(np.quantile(draws, rng.uniform(0.2, 0.8))), acceleration)
    low, high = made.limits(level)
    assert (low > 0 or high < 0) == (made.p_value < 1 - level)
    assert min(made.tails(0.0)) >= 1 / 300


@pytest.mark.parametrize("n_resamples", [299, 9999])
@pytest.mark.parametrize("level", [0.95, 0.99])
@pytest.mark.parametrize("table", [(0, 1, 25, 0), (5, 1, 30, 2), (50, 9, 1, 9), (3, 7, 6, 2)])
def test_bca_of_an_uneven_split_agrees_with_its_p(table, level, n_resamples):
    found = compare_models(
        paired(*table), "accuracy", "a", "b", method="bca", confidence_level=level,
        n_resamples=n_resamples,
    )  # fmt: skip
    assert decided(found) == (found.p_value < 1 - level)


def test_bca_inverts_to_its_own_p():
    draws = np.random.default_rng(2).gamma(4, size=4000) - 1.2
    made = from_draws(draws, 2.6, acceleration=0.05)
    for level in (0.5, 0.8, 0.9):
        low, high = made.limits(level)
        assert made.tails(low)[0] == pytest.approx((1 - level) / 2, rel=1e-6)
        assert made.tails(high)[1] == pytest.approx((1 - level) / 2, rel=1e-6)


def test_few_resamples_are_refused_and_p_is_never_0():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=50)
    outputs = {"good": truth, "bad": truth + 5 + rng.random(50)}
    predictions = make_predictions(truth, outputs, task="regression")
    with pytest.raises(ValueError, match="n_resamples must be at least"):
        compare_models(predictions, "rmse", "good", "bad", n_resamples=39)
    assert compare_models(predictions, "rmse", "good", "bad", n_resamples=99).p_value == (
        pytest.approx(0.02)
    )


@given(st.integers(0, 50), st.integers(1, 200))
@settings(max_examples=10)
def test_agreeing_cases_change_no_discordance(seed, added):
    few = noisy(seed, n=30)
    labels = {name: few.outputs[name].tolist() + [0] * added for name in few.models}
    more = make_predictions(few.truth.tolist() + [0] * added, labels, classes=["0", "1", "2"])
    one, two = (compare_models(p, "accuracy", "one", "two") for p in (few, more))
    assert (one.only_a, one.only_b) == (two.only_a, two.only_b)
    assert one.beside[0] == two.beside[0]
    assert one.p_value == pytest.approx(two.p_value, rel=1e-12)
    assert abs(two.difference.estimate) <= abs(one.difference.estimate)


def test_a_test_that_would_decide_otherwise_is_said():
    truth, right = ["r"] * 40, ["r"] * 40
    one, two = list(right), list(right)
    one[:3], two[3:14] = ["w"] * 3, ["w"] * 11
    found = compare_models(
        make_predictions(truth, {"one": one, "two": two}), "accuracy", "one", "two"
    )
    # 11 against 3: score p = 0.033, exact p = 0.057 (R 4.2.2 binom.test(3, 14)).
    assert found.verdict == "shown better"
    assert found.beside[0].p_value == pytest.approx(0.05737305, abs=1e-8)
    notes = [note for note in found.notes if "otherwise" in note]
    assert len(notes) == 2
    assert notes[0].startswith("The exact test adds up whole splits")


# Invariances, other metrics -----------------------------------------------------------------------


@pytest.mark.parametrize("metric", [m.key for m in METRICS.values() if m.task == "classification"])
def test_every_metric_of_labels_and_scores(metric):
    digits = sample("digits")
    found = compare_models(digits, metric, *digits.models, label="8", n_resamples=399)
    values = [metric_value(digits, metric, model, None) for model in digits.models] if (
        not METRICS[metric].per_class
    ) else [found.value_a, found.value_b]  # fmt: skip
    assert found.difference.estimate == pytest.approx(values[0] - values[1], abs=1e-12)
    assert found.difference.low <= found.difference.estimate <= found.difference.high
    assert decided(found) == (found.p_value < 0.05)
    if found.difference.estimate == 0:
        assert found.favours is None
    else:
        better = (found.difference.estimate > 0) == METRICS[metric].higher_is_better
        assert found.favours == digits.models[0 if better else 1]


def test_a_count_table_says_the_same_as_its_rows():
    rows = noisy(4, n=300)
    table, counts = np.unique(
        np.column_stack([rows.truth, *rows.outputs.values()]), axis=0, return_counts=True
    )
    short = make_predictions(
        table[:, 0], {"one": table[:, 1], "two": table[:, 2]}, counts=counts, classes="012"
    )
    for metric in ("accuracy", "macro_f1", "mcc"):
        one, two = (compare_models(p, metric, "one", "two") for p in (rows, short))
        assert one == two


def test_error_rate_mirrors_accuracy():
    predictions = noisy(8)
    right, wrong = (
        compare_models(predictions, metric, "one", "two", margin=0.2)
        for metric in ("accuracy", "error_rate")
    )
    assert wrong.difference.low == pytest.approx(-right.difference.high, abs=1e-12)
    assert (wrong.p_value, wrong.verdict) == (pytest.approx(right.p_value), right.verdict)
    assert (wrong.only_a, wrong.favours) == (right.only_a, right.favours)
    assert wrong.equivalence.p_not_worse == pytest.approx(right.equivalence.p_not_worse)


def test_paired_t_is_scipys_and_delta_close_to_the_bootstrap():
    data = listings()
    truth, one, two = data.truth, data.outputs["linear"], data.outputs["forest"]
    right = ttest_rel(abs(one - truth), abs(two - truth))
    found = compare_models(data, "mae", "linear", "forest", n_resamples=199)
    assert found.p_value == pytest.approx(right.pvalue, rel=1e-9)
    limits = right.confidence_interval()
    assert (found.difference.low, found.difference.high) == pytest.approx(limits, rel=1e-9)
    delta, drawn = (
        compare_models(data, "rmse", "linear", "forest", method=m) for m in ("delta", "percentile")
    )
    assert delta.difference.standard_error == pytest.approx(
        drawn.difference.standard_error, rel=0.1
    )


def test_clusters_are_the_units():
    data = noisy(3, n=200, groups=25)
    gap = (data.outputs["one"] == data.truth) * 1.0 - (data.outputs["two"] == data.truth)
    found = compare_models(data, "accuracy", "one", "two")
    right = cluster_standard_error(gap, data.groups)
    assert found.difference.standard_error == pytest.approx(right, rel=1e-9)
    assert (found.difference.method, found.difference.unit) == ("clustered_t", "clusters")
    assert found.difference.n == len(np.unique(data.groups))
    assert found.beside[0].method.startswith("exchange")
    naive = compare_models(data, "accuracy", "one", "two", by_group=False)
    assert naive.difference.method == "tango"
    drawn = compare_models(data, "accuracy", "one", "two", method="percentile")
    assert drawn.difference.standard_error == pytest.approx(right, rel=0.1)


def test_clusters_that_never_differ_keep_a_width():
    data = make_predictions([1, 0] * 10, {"a": [1] * 20, "b": [1] * 20}, groups=[0, 1, 2, 3] * 5)
    found = compare_models(data, "accuracy", "a", "b")
    z2 = 1.959963984540054**2
    assert found.p_value == 1.0
    assert found.difference.high == pytest.approx(z2 / (4 + z2))
    assert any("never differ" in note for note in found.notes)


def test_many_cases_that_share_a_value_decide_nothing():
    outputs = {"a": np.repeat([1.0, 2.0], [172, 128]), "b": np.repeat([1.0, 2.0], [185, 115])}
    data = make_predictions(np.zeros(300), outputs, task="regression")
    for method in ("percentile", "bca"):
        found = compare_models(
            data, "median_absolute_error", "a", "b", margin=0.01, method=method, n_resamples=999
        )
        assert np.isnan([found.difference.low, found.difference.high]).all()
        assert found.difference.notes
        assert found.verdict == "not decided"
        assert np.isnan(found.equivalence.low)
        assert not found.equivalence.equivalent
        assert not found.equivalence.not_worse


def test_limits_that_coincide_only_at_the_level_of_the_margin_show_no_equivalence():
    # At 95 % the interval has a width; at 90 %, where equivalence is judged, it has none.
    draws = np.concatenate([np.zeros(950), np.full(20, -0.5), np.full(29, 0.5)])
    made = from_draws(draws, 0.0)
    assert made.with_width(0.95, 0.0) is made
    tested = equivalence(made, 1.0, 0.95, True)
    assert np.isnan(tested.low)
    assert not tested.equivalent


@pytest.mark.parametrize("metric", ["mae", "brier", "auc", "accuracy", "macro_f1"])
def test_a_thousand_million_cases_a_row(metric):
    counts = np.full(4, 10**9)
    if metric == "mae":
        outputs = {"a": [0.1, 1.5, 2.2, 2.9], "b": [0.2, 1.1, 2.6, 3.3]}
        data = make_predictions([0, 1, 2, 3], outputs, task="regression", counts=counts)
    else:
        scores = {"a": [0.1, 0.7, 0.6, 0.8], "b": [0.3, 0.4, 0.8, 0.6]}
        labels = {name: (np.array(one) > 0.5).astype(int) for name, one in scores.items()}
        data = make_predictions(
            [0, 0, 1, 1], labels, scores=scores, classes=[0, 1], positive="1", counts=counts
        )
    found = compare_models(data, metric, "a", "b", n_resamples=199)
    assert np.isfinite(found.difference.estimate)
    assert all(0 <= test.p_value <= 1 for test in found.beside)


def test_exchanged_ranks_of_counts_are_those_of_rows():
    rng = np.random.default_rng(4)
    truth = rng.random(30) < 0.5
    scores = {name: np.round(rng.normal(size=30) + truth, 1) for name in "ab"}
    counts = rng.integers(1, 4, 30)
    table, rows = (
        make_predictions(
            truth[i].astype(int), {}, scores={k: v[i] for k, v in scores.items()},
            classes=[0, 1], positive="1", counts=c,
        )
        for i, c in ((np.arange(30), counts), (np.repeat(np.arange(30), counts), None))
    )  # fmt: skip
    p_values = [exchange_test(p, "auc", "a", "b", n_resamples=2000).p_value for p in (table, rows)]
    assert p_values[0] == pytest.approx(p_values[1], abs=0.05)
    huge = replace(table, counts=counts * 10**8)
    assert exchange_test(huge, "auc", "a", "b", n_resamples=20).p_value == pytest.approx(1 / 21)


def test_a_certain_wrong_answer_is_said():
    scores = {"a": [0.0, 0.2, 0.9, 1e-20], "b": [0.4, 0.2, 0.9, 0.8]}
    data = make_predictions(
        [1, 0, 1, 1], {}, scores=scores, classes=[0, 1], positive="1", counts=[3, 1, 1, 1]
    )
    zero = (
        "a gives the true class a probability of 0 in 3 cases: the log loss is infinite, and each "
        "of these is counted as 36.04, that of a probability of machine epsilon"
    )
    found = compare_models(data, "log_loss", "a", "b", n_resamples=99)
    alone = metric_interval(data, "log_loss", "a", n_resamples=99)
    for notes in (found.notes, alone.notes):
        assert zero in notes
        assert any("less than machine epsilon in 1 case," in note for note in notes)
    assert not any("epsilon" in n for n in metric_interval(data, "log_loss", "b").notes)
    assert not any("epsilon" in n for n in metric_interval(data, "brier", "a").notes)


def plain(value):
    """Return whether a result holds nothing but what json writes."""
    if is_dataclass(value):
        return all(plain(getattr(value, field.name)) for field in fields(value))
    if isinstance(value, tuple):
        return all(map(plain, value))
    return type(value) in (str, int, float, bool, type(None))


@pytest.mark.parametrize("key", list(METRICS))
def test_results_are_plain_and_their_test_is_that_of_the_method(key):
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 60)
    task = METRICS[key].task
    if task == "classification":
        scores = {name: np.clip(truth * 0.3 + rng.random(60) * 0.7, 0, 1) for name in "ab"}
        said = {name: (one > 0.5).astype(int) for name, one in scores.items()}
        data = make_predictions(truth, said, scores=scores, classes=[0, 1], positive="1")
    else:
        values = {name: truth + rng.normal(size=60) for name in "ab"}
        data = make_predictions(truth + 1.0 if task == "regression" else None, values, task=task)
    for method in comparison_methods(data, key):
        found = compare_models(data, key, "a", "b", method=method, margin=0.1, n_resamples=99)
        assert plain(found), (key, method)
        assert found.test == METHODS[method].test
    assert plain(compare_all(data, key, n_resamples=99, margin=0.1))


def test_equal_models_have_p_1_or_a_reason():
    rows = noisy(5)
    same = make_predictions(
        rows.truth, {"one": rows.outputs["one"], "two": rows.outputs["one"]}, positive="1"
    )
    for metric in LABEL_METRICS:
        found = compare_models(same, metric, "one", "two", n_resamples=199)
        assert found.difference.estimate == 0.0
        assert found.p_value == 1.0
        assert found.favours is None
        assert found.difference.high > 0 or found.difference.notes, metric
        assert all(test.p_value == 1.0 for test in found.beside)


# Equivalence --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gap", "spread", "verdict"),
    [
        (0.0, 0.1, "shown equivalent"),
        (0.0, 2.0, "not decided"),
        (-3.0, 1.0, "shown better"),
        (-0.3, 0.1, "shown better"),
        (3.0, 1.0, "shown worse"),
        (-0.9, 3.5, "shown not worse"),
    ],
)
def test_verdicts_with_a_margin(gap, spread, verdict):
    offsets = np.tile([-1.0, 1.0], 20)
    truth = np.zeros(40)
    outputs = {"a": 20 + gap + spread * offsets, "b": np.full(40, 20.0)}
    data = make_predictions(truth, outputs, task="regression")
    found = compare_models(data, "mae", "a", "b", margin=0.5, n_resamples=99)
    tested = found.equivalence
    assert found.verdict == verdict
    assert tested.equivalent == (tested.low > -0.5 and tested.high < 0.5)
    assert tested.not_worse == (tested.high < 0.5)
    assert tested.confidence_level == pytest.approx(0.9)
    small = any("smaller than the margin" in note for note in found.notes)
    assert small == (tested.equivalent and verdict == "shown better")


def test_tango_shows_equivalence_by_its_score():
    # Tango (1998), example of section 4: 43 of 44 agree, one discordant pair, margin 0.1; the score
    # of the lower side is 1.709, p = 0.044.
    data = make_predictions(["y"] * 44, {"a": ["y"] * 44, "b": ["y"] * 43 + ["n"]})
    tested = compare_models(data, "accuracy", "b", "a", margin=0.1).equivalence
    assert tested.p_not_worse == pytest.approx(0.0437, abs=1e-3)


def test_margin_and_method_are_checked():
    data = noisy(1)
    with pytest.raises(ValueError, match="margin must be"):
        compare_models(data, "accuracy", "one", "two", margin=0)
    with pytest.raises(ValueError, match="method must be one of 'tango'"):
        compare_models(data, "accuracy", "one", "two", method="delong")
    with pytest.raises(ValueError, match="two different ones"):
        compare_models(data, "accuracy", "one", "one")
    assert next(iter(comparison_methods(data, "accuracy"))) == "tango"
    assert list(comparison_methods(data, "macro_f1")) == ["percentile", "bca", "delta"]
    assert all(row.formula and row.reference and row.remark for row in METHODS.values())


# The exchange test --------------------------------------------------------------------------------


def all_exchanges(data, metric):
    """Return the share of all 2^n exchanges that set the metric at least as far apart."""
    differ = np.flatnonzero(data.outputs["one"] != data.outputs["two"])
    gaps = []
    for swap in itertools.product((False, True), repeat=len(differ)):
        rows = differ[list(swap)]
        one, two = data.outputs["one"].copy(), data.outputs["two"].copy()
        one[rows], two[rows] = two[rows].copy(), one[rows].copy()
        moved = make_predictions(data.truth, {"one": one, "two": two}, classes="012", positive="0")
        gaps.append(metric_value(moved, metric, "one") - metric_value(moved, metric, "two"))
    return np.mean(np.abs(gaps) >= abs(gaps[0]) - 1e-12)


@pytest.mark.parametrize("metric", ["f1", "macro_f1", "mcc"])
def test_exchanges_are_all_counted(metric):
    data = noisy(6, n=14)
    found = exchange_test(data, metric, "one", "two")
    assert found.method == "exchange_exact"
    assert found.p_value == pytest.approx(all_exchanges(data, metric), rel=1e-9)


def test_drawn_exchanges_agree_with_counted_ones(monkeypatch):
    data = noisy(9, n=60)
    exact = exchange_test(data, "kappa", "one", "two").p_value
    clustered = noisy(9, n=60, groups=12)
    by_cluster = exchange_test(clustered, "kappa", "one", "two")
    monkeypatch.setattr("evalcore.comparison.exchange.MOST_EXACT", 0)
    drawn = exchange_test(data, "kappa", "one", "two", n_resamples=10_000, rng=1)
    again = exchange_test(clustered, "kappa", "one", "two", n_resamples=10_000, rng=1)
    assert drawn.method == "exchange"
    assert drawn.p_value == pytest.approx(exact, abs=0.02)
    assert by_cluster.method == "exchange_exact"
    assert again.p_value == pytest.approx(by_cluster.p_value, abs=0.02)


def test_exchange_of_ranks_and_of_errors():
    screening = sample("breast_cancer")
    found = exchange_test(screening, "average_precision", *screening.models, n_resamples=99)
    assert 0.01 <= found.p_value <= 1
    data = listings()
    one, two = (exchange_test(data, m, "linear", "forest", rng=1) for m in ("rmse", "r_squared"))
    assert one.p_value == two.p_value
    with pytest.raises(ValueError, match="paired bootstrap"):
        exchange_test(data, "median_absolute_error", "linear", "forest")


@pytest.mark.parametrize("metric", ["mae", "rmse", "median_absolute_error", "r_squared"])
def test_one_case_decides_nothing_and_says_why(metric):
    data = make_predictions([1.0], {"a": [2.0], "b": [3.0]}, task="regression")
    found = compare_models(data, metric, "a", "b", n_resamples=99, margin=1)
    assert np.isnan(found.difference.low)
    assert found.verdict == "not decided"
    assert any("undefined" in note or "no interval" in note for note in found.notes)


def test_cases_without_an_answer_are_left_out_of_both():
    whole = noisy(2)
    labels = {name: values.astype(object) for name, values in whole.outputs.items()}
    labels["one"][:5], labels["two"][5:9] = None, None
    part = make_predictions(whole.truth, labels, classes="012", positive="0")
    for metric in ("accuracy", "f1"):
        found = compare_models(part, metric, "one", "two")
        there = compare_models(whole.select(np.arange(9, 80)), metric, "one", "two")
        assert found.difference.estimate == pytest.approx(there.difference.estimate, abs=1e-15)
        assert found.p_value == there.p_value
        assert "9 of 80 cases lack a truth or a label and are left out" in found.notes
    rows = discordant_rows(part, "accuracy", "one", "two").rows
    assert rows.min() >= 9


def test_discordant_rows_of_numbers_are_the_largest_gaps_first():
    data = listings()
    found = discordant_rows(data, "mae", "linear", "boosting")
    assert np.all(np.diff(np.abs(found.gaps)) <= 0)
    assert (found.better == 1).sum() == TWIN["pairs"]["linear-boosting"]["closer_second"]
    assert (found.better == (found.gaps > 0)).all()
    with pytest.raises(ValueError, match="single cases"):
        discordant_rows(sample("digits"), "auc", "network", "logreg", label="8")
