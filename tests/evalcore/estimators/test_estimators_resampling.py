"""Bootstrap, nested cross-validation, jackknife, out-of-bag, repetitions and wrong turns."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import norm
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, PredefinedSplit, StratifiedKFold

from evalcore.estimators import (
    ESTIMATORS,
    POPULATIONS,
    STATISTICS,
    WRONG_TURNS,
    Design,
    Rule,
    bootstrap_errors,
    estimate_errors,
    first_minimum,
    fits_needed,
    fold_rounds,
    held_errors,
    inclusion_probability,
    jackknife,
    load_cases,
    make_cases,
    neighbour_curve,
    neighbour_grid,
    nested_error,
    nested_rounds,
    no_information_rate,
    offered_estimators,
    optimism,
    out_of_bag_error,
    repeat_estimators,
    true_error,
    tune,
    tuning_curve,
    wrong_turn,
)
from evalcore.wording import jackknife_sentence
from tests.evalcore.estimators.iris import (
    FIGURES,
    IRIS,
    LDA,
    folds_of,
    grouped_iris,
    knn,
    split_iris,
)
from tests.samples import REFERENCE

INDICES = np.loadtxt(REFERENCE / "boot632_idx.csv", delimiter=",", dtype=int)


@pytest.mark.parametrize(
    ("rule", "key"),
    # estimators.json: R 4.2.2 MASS::lda on the frozen samples, and scikit-learn 1.9.1.
    [(LDA, "boot632"), (knn(1), "boot632_knn1")],
)
def test_the_bootstrap_errors_agree_with_r_and_scikit_learn(rule, key):
    wanted = FIGURES[key]
    found = bootstrap_errors(IRIS, rule, indices=INDICES)
    tight = {"abs": 1e-9}
    assert found["bootstrap"].estimate == pytest.approx(wanted["err_boot_mean_over_cases"], **tight)
    assert found["632"].estimate == pytest.approx(wanted["err_632"], **tight)
    assert found["632plus"].estimate == pytest.approx(wanted["err_632plus"], **tight)
    parts = found["632plus"].parts
    assert parts["apparent"] == pytest.approx(wanted["apparent"], **tight)
    assert parts["no_information_rate"] == pytest.approx(wanted["gamma_no_information"], **tight)
    assert parts["relative_overfitting"] == pytest.approx(wanted["relative_overfitting"], **tight)
    if "weight_632plus" in wanted:
        assert parts["weight"] == pytest.approx(wanted["weight_632plus"], **tight)


def test_the_weights_of_632_are_0_368_and_0_632():
    found = bootstrap_errors(IRIS, knn(3), resamples=20)
    parts = found["632"].parts
    wanted = 0.368 * parts["apparent"] + 0.632 * parts["bootstrap"]
    assert found["632"].estimate == pytest.approx(wanted, abs=1e-15)
    shares = IRIS.class_sizes / 150
    for estimate in found.values():
        mixed = shares @ np.array(list(estimate.by_class.values()))
        assert estimate.estimate == pytest.approx(mixed)


def test_an_error_beyond_no_information_is_cut_there():
    """Classes that alternate along a line: the nearest other case is always of the other class."""
    table = make_cases(np.arange(20.0)[:, None], ["a", "b"] * 10)
    found = bootstrap_errors(table, knn(1), resamples=20)["632plus"]
    assert found.parts["bootstrap"] > found.parts["no_information_rate"] == pytest.approx(0.5)
    assert found.parts["relative_overfitting"] == pytest.approx(1.0)
    assert found.estimate == pytest.approx(0.5)
    assert any("cut at the no-information rate" in note for note in found.notes)


def test_no_information_rate_of_a_constant_and_of_a_balanced_rule():
    # Closed form: shares .8 and .2, always the first answer: .2; balanced thirds: 2/3.
    assert no_information_rate(np.array([[80, 0], [20, 0]])) == pytest.approx(0.2)
    assert no_information_rate(np.eye(3) * 50) == pytest.approx(2 / 3)


def test_a_resample_of_one_class_still_gives_an_answer():
    table = make_cases(np.arange(6.0)[:, None], list("aaaaab"))
    found = bootstrap_errors(table, LDA, resamples=60, rng=2)["bootstrap"]
    assert 0 < found.estimate < 1
    assert any("never saw (b)" in warning for warning in found.warnings)


@pytest.mark.parametrize("row", FIGURES["inclusion"], ids=lambda row: str(row["n"]))
def test_inclusion_probability(row):
    assert inclusion_probability(row["n"]) == pytest.approx(row["p_in"], abs=1e-12)


def test_inclusion_probability_has_its_limit():
    assert inclusion_probability(10**9) == pytest.approx(1 - math.exp(-1), abs=1e-9)
    assert round(inclusion_probability(10), 3) == 0.651
    assert round(inclusion_probability(100), 3) == 0.634
    with pytest.raises(ValueError, match="n must be a whole number of at least 1"):
        inclusion_probability(0)


REFERENCE_STATISTICS = {
    "seed004_var": np.var,
    "mean": np.mean,
    "median": np.median,
    "ratio_var15": np.var,
}


@pytest.mark.parametrize("key", list(REFERENCE_STATISTICS))
def test_the_jackknife_agrees_with_r(key):
    wanted = FIGURES["jackknife"][key]
    found = jackknife(wanted["data"], REFERENCE_STATISTICS[key])
    assert found.estimate == pytest.approx(wanted["theta"], abs=1e-9)
    np.testing.assert_allclose(found.leave_one_out, wanted["theta_i"], atol=1e-9)
    for ours, theirs in (("mean", "theta_dot"), ("bias", "bias"), ("corrected", "corrected"),
                         ("standard_error", "se")):  # fmt: skip
        assert getattr(found, ours) == pytest.approx(wanted[theirs], abs=1e-9)


@given(arrays(float, st.integers(2, 40), elements=st.floats(-1e3, 1e3)))
def test_the_jackknife_of_a_mean_has_no_bias_and_its_usual_error(data):
    found = jackknife(data, np.mean)
    size = max(1.0, float(np.abs(data).max()))
    assert found.bias == pytest.approx(0, abs=1e-9 * size * len(data))
    usual = float(data.std(ddof=1)) / math.sqrt(len(data))
    assert found.standard_error == pytest.approx(usual, rel=1e-6, abs=1e-9 * size)


def test_the_jackknife_needs_two_cases():
    with pytest.raises(ValueError, match="data must hold at least two cases; got 1"):
        jackknife([1.0], np.mean)


def test_tuning_on_the_frozen_folds_agrees_with_r_in_every_cell():
    # estimators.json, lab: class::knn 7.3-21 and scikit-learn 1.9.1 agree in all 11 cells.
    train, test, folds = split_iris()
    lab = FIGURES["lab"]
    found = tune(train, [knn(k, scale=True) for k in lab["k"]], folds=folds)
    assert found.errors == pytest.approx(tuple(lab["cv_error_one_run"]), abs=1e-9)
    assert found.chosen.k == lab["chosen_k"] == 7
    (error,) = held_errors(train, test, [found.chosen])
    assert error == pytest.approx(lab["test_error"], abs=1e-9)
    assert tuning_curve(found).ks == tuple(lab["k"])


def test_of_equal_errors_the_first_wins():
    # The printed table of the notes: 0.02857 at k = 3 and again at k = 9.
    errors = [0.0381, 0.02857, 0.0381, 0.04762, 0.02857, 0.04762]
    assert first_minimum(errors) == 1
    assert first_minimum([0.2, 0.2]) == 0


@given(st.lists(st.integers(0, 5), min_size=1, max_size=20))
def test_the_first_minimum_is_minimal_and_first(errors):
    place = first_minimum(errors)
    assert errors[place] == min(errors)
    assert min(errors) not in errors[:place]


def test_nested_cross_validation_agrees_with_a_grid_search_of_scikit_learn():
    """Each winner and each outer error, with the outer folds rotating inside."""
    folds = folds_of(StratifiedKFold(5, shuffle=True, random_state=2), IRIS)
    ks = list(range(1, 22, 2))
    found = nested_error(IRIS, [knn(k, scale=True) for k in ks], folds=folds)
    for fold in range(5):
        left, held = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        search = GridSearchCV(
            knn(1, scale=True).build(IRIS, 0), {"kneighborsclassifier__n_neighbors": ks},
            cv=PredefinedSplit(folds[left]),
        )  # fmt: skip
        search.fit(IRIS.features[left], IRIS.target[left])
        means = search.cv_results_["mean_test_score"].round(12)
        assert found.chosen[fold] == f"k = {ks[int(np.argmax(means))]}"
        best = knn(ks[int(np.argmax(means))], scale=True).build(IRIS, 0)
        best.fit(IRIS.features[left], IRIS.target[left])
        wanted = 1 - best.score(IRIS.features[held], IRIS.target[held])
        assert found.round_errors[fold] == pytest.approx(wanted)
    assert found.fits == 5 * 4 * len(ks) + 5
    assert found.estimate == pytest.approx(np.mean(found.round_errors))


def test_an_inner_splitter_of_scikit_learn_can_take_the_place_of_the_rotation():
    inner = StratifiedKFold(3, shuffle=True, random_state=1)
    found = nested_error(IRIS, [knn(1), knn(9)], folds=4, inner=inner)
    assert found.fits == 4 * 3 * 2 + 4


def test_five_blocks_rotate_as_in_the_notes():
    """Of m folds m - 2 fit, one validates, one tests; every case has each part equally often."""
    (outer,) = fold_rounds(IRIS, folds=5)
    rotations = nested_rounds(IRIS, outer)
    for one, inner in zip(outer, rotations, strict=True):
        assert len(inner) == 4
        validated = np.concatenate([r.held for r in inner])
        assert sorted(validated) == sorted(one.fit)
        for r in inner:
            assert len(r.fit) == 90
            assert not set(r.fit) & (set(r.held) | set(one.held))


def test_nested_needs_three_folds_and_a_candidate():
    with pytest.raises(ValueError, match="folds must be at least 3"):
        nested_error(IRIS, [knn(1)], folds=2)
    with pytest.raises(ValueError, match="candidates must hold at least one rule"):
        tune(IRIS, [])


def test_out_of_bag_agrees_with_scikit_learn():
    table = load_cases("wine")
    rule = Rule(kind="forest", trees=60)
    found = out_of_bag_error(table, rule, rng=3)
    seed = int(np.random.default_rng(3).integers(2**31 - 1))
    forest = RandomForestClassifier(60, oob_score=True, random_state=seed)
    forest.fit(table.features, table.target)
    assert found.estimate == pytest.approx(1 - forest.oob_score_)
    with pytest.raises(ValueError, match="rule must be a forest"):
        out_of_bag_error(table, LDA)
    with pytest.raises(ValueError, match="trees must be a whole number of at least 50"):
        out_of_bag_error(table, Rule(kind="forest", trees=5))


def test_groups_are_refused_where_they_would_be_split():
    table = grouped_iris()
    with pytest.raises(ValueError, match="use K-fold, which keeps groups whole"):
        bootstrap_errors(table, knn(1))
    assert not {"bootstrap", "632", "oob"} & set(offered_estimators(table, Rule(kind="forest")))
    found = estimate_errors(table, knn(3), methods=["bootstrap", "kfold"])
    assert list(found.estimates) == ["kfold"]
    assert "groups" in found.refused["bootstrap"]


def test_every_estimator_costs_what_it_said():
    design = Design(folds=4, repeats=2, resamples=6, ks=(1, 3), nested_folds=3)
    table = POPULATIONS["mixture"].draw(40, np.random.default_rng(1))
    for rule in (knn(3), Rule(kind="forest", trees=50)):
        methods = [
            m for m in offered_estimators(table, rule) if rule.kind != "forest" or m == "oob"
        ]
        found = estimate_errors(table, rule, methods=methods, design=design)
        assert not found.refused
        for method, estimate in found.estimates.items():
            assert estimate.fits == fits_needed(method, table, design)
            assert (estimate.method, estimate.label) == (method, ESTIMATORS[method].label)
            assert 0 <= estimate.estimate <= 1
            assert all(found.seconds[key] > 0 for key in found.estimates)


def test_a_repetition_is_the_same_however_many_are_asked_for():
    settings_ = {"n": 40, "methods": ["kfold", "bootstrap"], "design": Design(folds=4, resamples=5)}
    once, again = (
        repeat_estimators(POPULATIONS["mixture"], knn(3), repetition=4, seed=9, fresh=500,
                          **settings_)
        for _ in range(2)
    )  # fmt: skip
    assert once.truth == again.truth
    for key, estimate in once.estimates.items():
        assert estimate.estimate == again.estimates[key].estimate
    other = repeat_estimators(POPULATIONS["mixture"], knn(3), repetition=5, seed=9, fresh=500,
                              **settings_)  # fmt: skip
    assert other.truth != once.truth


def test_the_true_error_is_exact_for_noise_and_close_to_theory_for_a_known_rule():
    noise = POPULATIONS["noise"]
    rng = np.random.default_rng(0)
    assert true_error(noise, lambda x: np.zeros(len(x), int), rng=rng) == 0.5
    mixture = POPULATIONS["mixture"]
    # Closed form: the rule "x1 > x2 means class A" errs by normal tails averaged over the centres.
    from evalcore.estimators.populations import _CENTRES

    gaps = (_CENTRES[:, :, 0] - _CENTRES[:, :, 1]) / math.sqrt(2 * 0.2)
    wanted = np.mean([norm.cdf(-gaps[0]).mean(), norm.cdf(gaps[1]).mean()])
    found = true_error(mixture, lambda x: (x[:, 0] <= x[:, 1]).astype(int), rng=rng)
    assert found == pytest.approx(wanted, abs=5 * 0.5 / math.sqrt(100_000))


def test_on_average_the_estimators_err_as_they_are_said_to():
    """1-nearest neighbour on pure noise: apparent 0, .632 far too low, .632+ and K-fold near."""
    design = Design(folds=5, resamples=10)
    asked = ["apparent", "kfold", "bootstrap", "632", "632plus"]
    found = [
        repeat_estimators(POPULATIONS["noise"], knn(1, scale=True), n=40, repetition=r,
                          methods=asked, design=design)
        for r in range(25)
    ]  # fmt: skip
    means = {key: np.mean([one.estimates[key].estimate for one in found]) for key in asked}
    assert means["apparent"] == 0.0
    assert means["632"] == pytest.approx(0.632 * means["bootstrap"])
    assert abs(means["kfold"] - 0.5) < 0.06
    assert means["632"] < 0.35 < means["632plus"] < 0.55


def test_the_curve_of_errors_against_k():
    population = POPULATIONS["mixture"]
    table = population.draw(60, np.random.default_rng(2))
    steps = []
    curve = neighbour_curve(
        table, (1, 7), population=population, folds=5, fresh=4_000,
        progress=lambda done, total: steps.append((done, total)),
    )  # fmt: skip
    assert curve.apparent[0] == 0.0 < curve.apparent[1]
    assert all(0.15 < error < 0.5 for error in curve.true)
    assert steps == [(1, 2), (2, 2)]
    assert math.isnan(neighbour_curve(IRIS, (1,)).true[0])


def test_the_grid_stays_below_the_smallest_fit():
    table = IRIS.take(np.arange(45, 65))
    assert neighbour_grid(table, folds=5, most=41) == (1, 3, 5, 7, 9, 11, 13, 15)
    assert tune(table, [knn(k) for k in neighbour_grid(table, folds=5, most=41)], folds=5)


@pytest.mark.parametrize("key", list(WRONG_TURNS))
def test_a_wrong_turn_is_the_same_for_a_seed(key):
    assert wrong_turn(key, repetition=3) == wrong_turn(key, repetition=3)


def test_selecting_features_before_folding_hides_that_there_is_nothing_to_learn():
    turns = [wrong_turn("select_first", repetition=r) for r in range(8)]
    tempting = optimism([t.tempting for t in turns], [t.tempting_truth for t in turns])
    honest = optimism([t.honest for t in turns], [t.honest_truth for t in turns])
    assert tempting.mean - 4 * tempting.standard_error > 0.15
    assert abs(honest.mean) < 4 * honest.standard_error + 0.05


def test_choosing_on_the_test_set_flatters():
    turns = [wrong_turn("choose_on_test", repetition=r) for r in range(12)]
    assert all(turn.tempting <= turn.honest for turn in turns)
    tempting = optimism([t.tempting for t in turns], [t.tempting_truth for t in turns])
    honest = optimism([t.honest for t in turns], [t.honest_truth for t in turns])
    assert tempting.mean > honest.mean


def test_optimism_is_the_mean_gap_with_its_monte_carlo_error():
    found = optimism([0.1, 0.3], [0.2, 0.6])
    assert found.mean == pytest.approx(0.2)
    assert found.standard_error == pytest.approx(0.1)


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="methods must be one of"):
        estimate_errors(IRIS, knn(1), methods=["guess"])
    with pytest.raises(ValueError, match="key must be one of"):
        wrong_turn("guess")
    with pytest.raises(ValueError, match="key must be one of"):
        load_cases("guess")


def test_every_statistic_of_the_table_has_a_jackknife():
    values = np.random.default_rng(2).normal(3, 1, 40)
    found = {key: jackknife(values, row.value) for key, row in STATISTICS.items()}
    assert found["variance"].corrected == pytest.approx(values.var(ddof=1), rel=1e-12)
    assert found["mean"].bias == pytest.approx(0.0, abs=1e-12)
    assert found["deviation"].bias < 0
    assert found["variation"].estimate == pytest.approx(values.std() / values.mean())
    assert all(one.standard_error > 0 for one in found.values())
    assert np.isnan(jackknife([-1.0, 1.0], STATISTICS["variation"].value).estimate)
    assert "shows no bias" in jackknife_sentence(found["mean"], what="mean", n=40)
    assert "too low; corrected" in jackknife_sentence(found["variance"], what="variance", n=40)
