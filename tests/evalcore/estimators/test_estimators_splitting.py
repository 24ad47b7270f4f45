"""Apparent error, holdout, leave-one-out and K-fold against R, scikit-learn and closed forms."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score, matthews_corrcoef, roc_auc_score
from sklearn.model_selection import (
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
)

from evalcore.estimators import (
    ESTIMATORS,
    POPULATIONS,
    RULES,
    TABLES,
    Rule,
    apparent_error,
    fold_rounds,
    held_out_predictions,
    holdout_error,
    holdout_round,
    kfold_error,
    leave_one_out_error,
    load_cases,
    make_cases,
    score,
)
from evalcore.estimators.rounds import Round, predict_rounds
from evalcore.intervals import metric_interval
from tests.evalcore.estimators.iris import FIGURES, IRIS, LDA, folds_of, grouped_iris, knn
from tests.samples import CASES


@pytest.mark.parametrize(
    ("rule", "apparent", "left_out"),
    [
        # estimators.json, full_iris: R 4.2.2, MASS 7.3-58.2 lda(CV=TRUE), class 7.3-21 knn.cv.
        (LDA, "lda_apparent", "lda_loocv"),
        (knn(1), "knn1_apparent", "knn1_loocv_unscaled"),
    ],
)
def test_apparent_and_leave_one_out_agree_with_r(rule, apparent, left_out):
    full = FIGURES["full_iris"]
    assert apparent_error(IRIS, rule).estimate == pytest.approx(full[apparent], abs=1e-12)
    assert leave_one_out_error(IRIS, rule).estimate == pytest.approx(full[left_out], abs=1e-12)


def test_leave_one_out_agrees_with_scikit_learn():
    # estimators.json, sklearn_full_iris: scikit-learn 1.9.1, cross_val_predict with LeaveOneOut.
    full = FIGURES["sklearn_full_iris"]
    assert leave_one_out_error(IRIS, knn(5)).estimate == pytest.approx(full["knn5_loocv"])
    scaled = leave_one_out_error(IRIS, knn(1, scale=True))
    assert scaled.estimate == pytest.approx(full["knn1_loocv_scaled"])


def test_folds_of_ones_own_agree_with_scikit_learn():
    # estimators.json: StratifiedKFold(5, shuffle=True, random_state=0), LDA: 0.02.
    folds = folds_of(StratifiedKFold(5, shuffle=True, random_state=0), IRIS)
    found = kfold_error(IRIS, LDA, folds=folds)
    wanted = FIGURES["sklearn_full_iris"]["lda_5fold_stratified_shuffle_rs0"]
    assert found.estimate == pytest.approx(wanted)


def test_unshuffled_folds_of_a_sorted_file_are_wrong_and_warned_of():
    # estimators.json: KFold without shuffling of iris as sorted, 5 neighbours: 1.0 and 0.0867.
    full = FIGURES["sklearn_full_iris"]
    unsound = {"stratify": False, "shuffle": False}
    three = kfold_error(IRIS, knn(5), folds=3, **unsound)
    assert three.estimate == full["knn5_3fold_unshuffled_KFold_sorted_file"] == 1.0
    assert three.by_class == {"setosa": 1.0, "versicolor": 1.0, "virginica": 1.0}
    (warning,) = three.warnings
    assert "in 3 of 3 rounds a class is judged that the fit never saw" in warning
    five = kfold_error(IRIS, knn(5), folds=5, **unsound)
    assert five.estimate == pytest.approx(full["knn5_5fold_unshuffled_KFold_sorted_file"])
    assert not kfold_error(IRIS, knn(5), folds=3).warnings


def test_leave_one_out_of_the_majority_of_balanced_classes_is_never_right():
    folder = CASES / "m11_loocv_majority_zero"
    labels = (folder / "labels.csv").read_text().split()[1:]
    wanted = json.loads((folder / "expected.json").read_text())["expected"]
    table = make_cases(np.zeros((len(labels), 1)), labels)
    rule = Rule(kind="majority")
    found = leave_one_out_error(table, rule)
    assert 1 - found.estimate == wanted["loocv_accuracy"] == 0.0
    assert any("artefact of equal class sizes" in note for note in found.notes)
    ten = kfold_error(table, rule, folds=10)
    assert 1 - ten.estimate == wanted["stratified_10_fold_accuracy"] == 0.5


def test_one_neighbour_has_no_apparent_error():
    for key in POPULATIONS:
        table = POPULATIONS[key].draw(80, np.random.default_rng(3))
        assert apparent_error(table, knn(1, scale=True)).estimate == 0.0


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(20, 60),
    folds=st.integers(2, 6),
    stratify=st.booleans(),
    grouped=st.booleans(),
    shuffle=st.booleans(),
    seed=st.integers(0, 99),
)
def test_every_case_is_judged_once_and_fitted_in_all_other_rounds(
    n, folds, stratify, grouped, shuffle, seed
):
    rng = np.random.default_rng(seed)
    table = POPULATIONS["mixture"].draw(n, rng)
    groups = rng.integers(12, size=n)
    table = make_cases(table.features, table.target, groups=groups if grouped else None)
    options = {"stratify": stratify, "shuffle": shuffle, "rng": seed}
    if grouped and table.units < folds:
        return
    for rounds in fold_rounds(table, folds=folds, repeats=1 + shuffle, **options):
        held = np.concatenate([one.held for one in rounds])
        assert sorted(held) == list(range(n))
        fitted = np.bincount(np.concatenate([one.fit for one in rounds]), minlength=n)
        assert (fitted == len(rounds) - 1).all()
        if grouped:
            for one in rounds:
                assert not set(groups[one.fit]) & set(groups[one.held])
        if stratify and not grouped:
            for one in rounds:
                assert np.ptp(np.bincount(table.target[one.held], minlength=2)) <= 1 + n % 2


def test_a_held_out_case_reaches_no_statistic_of_preparation():
    """A poisoned column: absurd values in the held-out cases change nothing in the fit."""
    rng = np.random.default_rng(0)
    table = POPULATIONS["noise"].draw(60, rng)
    held, fit = np.arange(20), np.arange(20, 60)
    poisoned = table.features.copy()
    poisoned[held, 0] = 1e12 * (2 * table.target[held] - 1)
    poisoned[held[:5], 1] = np.nan
    dirty = make_cases(poisoned, table.target)
    for kind in RULES:
        rule = Rule(kind=kind, select=3, trees=10)
        models = [
            rule.build(dirty, 0).fit(source.features[fit], source.target[fit])
            for source in (table, dirty)
        ]
        fresh = rng.normal(size=(200, 20))
        np.testing.assert_array_equal(models[0].predict(fresh), models[1].predict(fresh))
    # And through the rounds: column 0 would give the classes away if selection saw it.
    one = Round(fit=fit, held=held)
    (said,) = predict_rounds(dirty, [(Rule(kind="neighbours", select=3), one)], rng=0)
    assert 0.2 < np.mean(said != dirty.target[held]) < 0.8


def test_the_corrected_standard_error_is_that_of_nadeau_and_bengio():
    found = kfold_error(IRIS, knn(5), folds=5, repeats=4, rng=7)
    errors = np.array(found.round_errors)
    assert (found.method, found.fits, len(errors)) == ("repeated", 20, 20)
    variance = errors.var(ddof=1)
    assert found.naive_standard_error == pytest.approx(math.sqrt(variance / 20))
    assert found.standard_error == pytest.approx(math.sqrt((1 / 20 + 30 / 120) * variance))
    assert found.estimate == pytest.approx(errors.mean())
    assert found.binomial_standard_error == pytest.approx(
        math.sqrt(found.estimate * (1 - found.estimate) / 150)
    )


def test_unequal_folds_are_pooled_over_cases_not_averaged():
    folds = np.r_[np.zeros(140, int), np.ones(10, int)]
    order = np.random.default_rng(1).permutation(150)
    table = IRIS.take(order)
    found = kfold_error(table, knn(5), folds=folds)
    wrong = sum(size * error for size, error in zip((140, 10), found.round_errors, strict=True))
    assert found.estimate == pytest.approx(wrong / 150)


def test_errors_by_class_recombine_and_any_label_metric_follows():
    folds = folds_of(KFold(5, shuffle=True, random_state=3), IRIS)
    found = kfold_error(IRIS, knn(9), folds=folds)
    said = cross_val_predict(
        knn(9).build(IRIS, 0), IRIS.features, IRIS.target,
        cv=KFold(5, shuffle=True, random_state=3),
    )  # fmt: skip
    shares = IRIS.class_sizes / 150
    assert found.estimate == pytest.approx(shares @ np.array(list(found.by_class.values())))
    assert score(found, "macro_f1") == pytest.approx(f1_score(IRIS.target, said, average="macro"))
    assert score(found, "mcc") == pytest.approx(matthews_corrcoef(IRIS.target, said))
    recall = score(found, "recall", label="virginica")
    assert recall == pytest.approx(1 - found.by_class["virginica"])
    assert score(found, "error_rate") == pytest.approx(found.estimate)
    with pytest.raises(ValueError, match="metric must be one of"):
        score(found, "auc")
    with pytest.raises(ValueError, match="label must be one of"):
        score(found, "recall")


def test_the_confusion_table_of_the_notes_gives_its_rates():
    # Closed form: 30 of 150 wrong, by class 10/50, 12/50, 8/50.
    matrix = np.array([[40, 5, 5], [4, 38, 8], [2, 6, 42]])
    truth, said = (axis.repeat(matrix.ravel()) for axis in np.indices((3, 3)).reshape(2, -1))
    found = holdout_error(
        make_cases(np.c_[np.r_[[0, 1, 2], said]], np.r_[[0, 1, 2], truth]),
        Rule(kind="tree"), order="time", test_share=150 / 153,
    )  # fmt: skip
    np.testing.assert_array_equal(found.confusion, matrix)
    assert found.estimate == pytest.approx(0.20)
    assert list(found.by_class.values()) == pytest.approx([0.20, 0.24, 0.16])


def test_held_out_probabilities_can_be_given_to_every_metric():
    table = load_cases("breast_cancer")
    folds = folds_of(StratifiedKFold(5, shuffle=True, random_state=0), table)
    rule = Rule(kind="logistic")
    found = held_out_predictions(table, rule, folds=folds)
    splitter = StratifiedKFold(5, shuffle=True, random_state=0)
    given = cross_val_predict(
        rule.build(table, 0), table.features, table.target, cv=splitter, method="predict_proba"
    )
    auc = metric_interval(found, "auc", "rule", label="malignant")
    wanted = roc_auc_score(table.target == table.classes.index("malignant"), given[:, 1])
    assert table.classes == ("benign", "malignant")
    assert auc.estimate == pytest.approx(wanted)


def test_holdout_is_stratified_and_carries_a_binomial_interval():
    found = holdout_error(IRIS, knn(5), test_share=0.3, rng=4)
    assert found.confusion.sum(axis=1).tolist() == [15, 15, 15]
    assert (found.interval.n, found.interval.unit, found.interval.method) == (45, "cases", "wilson")
    assert found.interval.successes == round(45 * found.estimate)
    assert found.standard_error == pytest.approx(
        math.sqrt(found.estimate * (1 - found.estimate) / 45)
    )


def test_holdout_in_time_order_takes_the_last_cases():
    one = holdout_round(IRIS, test_share=0.2, order="time")
    assert one.held.tolist() == list(range(120, 150))
    found = holdout_error(IRIS, knn(5), test_share=1 / 3, order="time")
    assert found.estimate == 1.0
    assert "never saw (virginica)" in found.warnings[0]


def test_groups_stay_whole_and_count_as_the_units():
    table = grouped_iris()
    one = holdout_round(table, rng=1)
    assert not set(table.groups[one.fit]) & set(table.groups[one.held])
    found = holdout_error(table, knn(5), rng=1)
    assert found.interval.unit == "clusters"
    left_out = leave_one_out_error(table, knn(5))
    assert (left_out.fits, left_out.n_fit) == (30, 145)
    naive = kfold_error(table, knn(5), by_group=False)
    assert "cases of one group stand on both sides" in naive.warnings[0]
    assert not kfold_error(table, knn(5)).warnings
    splitter = StratifiedGroupKFold(5, shuffle=True, random_state=0)
    wanted = folds_of(splitter, table, groups=table.groups)
    given = kfold_error(table, knn(5), folds=wanted)
    scores = cross_val_score(
        knn(5).build(table, 0), table.features, table.target, groups=table.groups,
        cv=StratifiedGroupKFold(5, shuffle=True, random_state=0),
    )  # fmt: skip
    assert given.round_errors == pytest.approx(tuple(1 - scores))


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"folds": 51}, r"folds must be at most 50, the cases of class 'setosa'"),
        ({"folds": 151, "stratify": False}, "folds must be at most 150, the number of cases"),
        ({"folds": 1}, "folds must be a whole number of at least 2"),
        ({"folds": np.zeros(3)}, "folds must name a fold for each of 150 cases"),
        ({"repeats": 0}, "repeats must be a whole number of at least 1"),
    ],
)
def test_impossible_folds_are_refused_with_the_reason(options, complaint):
    with pytest.raises(ValueError, match=complaint):
        kfold_error(IRIS, knn(5), **options)


def test_other_impossible_requests_are_refused_with_the_reason():
    with pytest.raises(ValueError, match="folds must be at most 30, the number of groups"):
        kfold_error(grouped_iris(), knn(5), folds=40, stratify=False)
    with pytest.raises(ValueError, match="k must be at most 120, the cases in the smallest fit"):
        kfold_error(IRIS, knn(121))
    with pytest.raises(ValueError, match="kind must be one of"):
        Rule(kind="oracle")
    with pytest.raises(ValueError, match="order must be one of"):
        holdout_error(IRIS, LDA, order="sorted")
    with pytest.raises(ValueError, match=r"test_share 0\.01 cannot be held out"):
        holdout_error(IRIS, LDA, test_share=0.01)
    with pytest.raises(ValueError, match="target must hold at least two classes"):
        make_cases(np.zeros((3, 1)), ["a", "a", "a"])


@pytest.mark.parametrize("kind", list(RULES))
def test_the_number_of_workers_changes_nothing(kind):
    rule = Rule(kind=kind, trees=10)
    table = load_cases("wine")
    alone, together = (
        kfold_error(table, rule, folds=4, repeats=2, rng=5, n_jobs=jobs) for jobs in (1, 2)
    )
    assert alone.round_errors == together.round_errors
    np.testing.assert_array_equal(alone.confusion, together.confusion)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_progress_is_told_and_can_stop_the_work(n_jobs):
    seen = []
    kfold_error(IRIS, knn(5), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(i, 5) for i in range(1, 6)]

    def stop(done, total):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kfold_error(IRIS, knn(5), repeats=8, n_jobs=n_jobs, progress=stop)


@pytest.mark.parametrize("key", list(TABLES))
def test_the_tables_that_come_along(key):
    table = load_cases(key)
    assert table.class_sizes.sum() == table.n == len(table.features)
    assert table.digest == load_cases(key).digest != table.take(np.arange(table.n - 1)).digest


@pytest.mark.parametrize("row", ESTIMATORS.values(), ids=list(ESTIMATORS))
def test_every_estimator_is_described(row):
    assert row.target in ("rule", "procedure")
    assert row.remark.endswith(".")
    assert any(digit in row.reference for digit in "0123456789")
