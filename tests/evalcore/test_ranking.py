"""Ranking: curves, AUC, DeLong, intervals and bootstrap draws against references and properties."""

import csv
import functools
import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import ndtri
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.metrics import precision_recall_curve as sklearn_precision_recall
from sklearn.metrics import roc_curve as sklearn_roc

from evalcore.ranking import (
    AUC_METHODS,
    RANK_STATISTICS,
    auc,
    auc_interval,
    auc_tables,
    average_precision,
    delong_covariance,
    delong_placements,
    precision_recall_curve,
    rank_draws,
    recall_at_fpr,
    roc_curve,
)

TESTS = Path(__file__).parents[1]
# auc.json: R 4.2.2 pROC (ci.auc, var, roc.test with method="delong"); own placement code and
# sklearn 1.9.1 agree with it.
REFERENCE = json.loads((TESTS / "reference" / "auc.json").read_text())["cases"]
FORMULAS = sorted(set(AUC_METHODS) - {"percentile"})
some = settings(max_examples=20)


def read_table(path):
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    rows = list(csv.DictReader(text.splitlines()))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


def reference_scores(file):
    table = read_table(TESTS / "reference" / file)
    truth = table.pop("y")
    return truth, {name.removeprefix("score_"): scores for name, scores in table.items()}


def case(name):
    folder = TESTS / "cases" / name
    (file,) = folder.glob("predictions.csv*")
    table = read_table(file)
    truth, score = table.values()
    return truth, score, json.loads((folder / "expected.json").read_text())["expected"]


def binormal(rng, positives, negatives, area):
    truth = np.arange(positives + negatives) < positives
    return truth, rng.normal(size=truth.size) + np.sqrt(2) * ndtri(area) * truth


@st.composite
def rankings(draw, least=1):
    """Both classes occur; few distinct scores, so that ties are common."""
    positives = draw(st.integers(least, 15))
    negatives = draw(st.integers(least, 15))
    size = positives + negatives
    scores = draw(arrays(float, size, elements=st.integers(-4, 4).map(float)))
    counts = draw(arrays(np.int64, size, elements=st.integers(1, 4)))
    return np.arange(size) < positives, scores, counts


@pytest.mark.parametrize("file", sorted(REFERENCE))
def test_delong_agrees_with_reference(file):
    truth, scores = reference_scores(file)
    expected = REFERENCE[file]
    for model, values in expected["models"].items():
        found = delong_covariance(truth, [scores[model]])
        assert (found.positives, found.negatives) == (expected["positives"], expected["negatives"])
        assert found.auc[0] == pytest.approx(values["auc"], abs=1e-12)
        assert auc(truth, scores[model]) == pytest.approx(values["auc"], abs=1e-12)
        assert found.covariance[0, 0] == pytest.approx(values["var_delong"], abs=1e-12)
    if "paired" in expected:
        both = delong_covariance(truth, [scores[model] for model in expected["models"]])
        paired = expected["paired"]
        assert both.covariance[0, 1] == pytest.approx(paired["cov_delong"], abs=1e-12)
        contrast = np.array([1, -1])
        assert contrast @ both.auc == pytest.approx(paired["diff"], abs=1e-12)
        error = np.sqrt(contrast @ both.covariance @ contrast)
        assert error == pytest.approx(paired["se_diff"], abs=1e-12)


@pytest.mark.parametrize("file", sorted(REFERENCE))
@pytest.mark.parametrize(
    ("method", "error", "limits"),
    [
        ("delong", "se_delong", "ci95_delong_unclipped"),
        ("delong_logit", "se_delong", "ci95_logit"),
        ("hanley_mcneil", "se_hanley_mcneil", "ci95_hanley_mcneil_unclipped"),
    ],
)
def test_intervals_agree_with_reference(file, method, error, limits):
    truth, scores = reference_scores(file)
    for model, values in REFERENCE[file]["models"].items():
        found = auc_interval(truth, scores[model], method=method)
        if values["auc"] == 1:
            # The reference repeats the zero width of the formula; see the perfect ranking below.
            assert np.isnan(found.standard_error)
            continue
        assert found.standard_error == pytest.approx(values[error], abs=1e-9)
        assert (found.low, found.high) == pytest.approx(values[limits], abs=1e-9)


def test_case_auc_below_one_half_is_not_flipped():
    truth, score, expected = case("s15_auc_direction")
    found = auc_interval(truth, score, method="delong")
    assert found.estimate == pytest.approx(expected["auc"], abs=1e-9)
    assert (found.low, found.high) == pytest.approx(expected["delong_ci95"], abs=1e-9)
    assert any("may be reversed" in note for note in found.notes)
    assert (found.n, found.unit) == (46, "actual negatives")


def test_case_delong_with_many_ties_neither_overflows_nor_builds_a_matrix():
    truth, score, expected = case("s16_delong_large_n_ties")
    found = auc_interval(truth, score, method="delong")
    assert found.estimate == pytest.approx(expected["auc"], abs=1e-9)
    assert found.standard_error == pytest.approx(expected["delong_se"], abs=1e-9)
    assert (found.low, found.high) == pytest.approx(expected["delong_ci95"], abs=1e-9)
    # The same file as a count table, a thousand copies of each row: 10^14 pairs and more.
    cells, counts = np.unique(np.column_stack([truth, score]), axis=0, return_counts=True)
    many = auc_interval(cells[:, 0], cells[:, 1], counts=1000 * counts, method="delong")
    assert many.estimate == pytest.approx(expected["auc"], abs=1e-9)
    assert many.standard_error == pytest.approx(expected["delong_se"] / np.sqrt(1000), rel=1e-4)
    assert many.n == 45_202_000


@given(ranking=rankings())
@some
def test_statistics_agree_with_scikit_learn(ranking):
    truth, scores, counts = ranking
    rows = np.repeat(np.arange(truth.size), counts)
    labels, values = truth[rows], scores[rows]
    assert auc(truth, scores, counts=counts) == pytest.approx(roc_auc_score(labels, values))
    found = average_precision(truth, scores, counts=counts)
    assert found == pytest.approx(average_precision_score(labels, values))
    false, true, thresholds = sklearn_roc(labels, values, drop_intermediate=False)
    curve = roc_curve(truth, scores, counts=counts)
    np.testing.assert_array_equal(curve.thresholds, thresholds)
    np.testing.assert_allclose(curve.false_positive_rate, false, atol=1e-12)
    np.testing.assert_allclose(curve.true_positive_rate, true, atol=1e-12)
    for rate in (0, 0.1, 0.5, 1):
        found = recall_at_fpr(truth, scores, rate, counts=counts)
        assert found == pytest.approx(true[false <= rate].max())
    precision, recall, thresholds = sklearn_precision_recall(labels, values)
    curve = precision_recall_curve(truth, scores, counts=counts)
    np.testing.assert_array_equal(curve.thresholds, thresholds[::-1])
    np.testing.assert_allclose(curve.precision, precision[-2::-1])
    np.testing.assert_allclose(curve.recall, recall[-2::-1])
    assert (curve.positives, curve.negatives) == (labels.sum(), (~labels).sum())


@given(ranking=rankings())
@some
def test_placements_are_shares_of_pairs_and_their_mean_is_the_auc(ranking):
    truth, scores, counts = ranking
    won = (scores[:, None] > scores) + 0.5 * (scores[:, None] == scores)
    expected = np.where(
        truth,
        won @ (counts * ~truth) / counts[~truth].sum(),
        counts[truth] @ won[truth] / counts[truth].sum(),
    )
    placements = delong_placements(truth, scores, counts=counts)
    np.testing.assert_allclose(placements, expected)
    for own in (truth, ~truth):
        mean = np.average(placements[own], weights=counts[own])
        assert mean == pytest.approx(auc(truth, scores, counts=counts))


@given(ranking=rankings(least=2))
@some
def test_only_the_order_of_scores_matters(ranking):
    truth, scores, counts = ranking
    found = auc_interval(truth, scores, counts=counts)
    stretched = auc_interval(truth, np.exp(scores / 2) - 7, counts=counts)
    assert found == stretched or np.isnan(found.standard_error)
    order = np.random.default_rng(0).permutation(truth.size)
    shuffled = auc_interval(truth[order], scores[order], counts=counts[order])
    numbers = ("estimate", "low", "high", "standard_error")
    for name in numbers:
        expected = pytest.approx(getattr(found, name), nan_ok=True)
        assert getattr(shuffled, name) == expected
        assert getattr(stretched, name) == expected


@given(ranking=rankings(least=2), method=st.sampled_from(sorted(set(FORMULAS) - {"hanley_mcneil"})))
@some
def test_negated_scores_and_swapped_classes_mirror_the_interval(ranking, method):
    truth, scores, counts = ranking
    found = auc_interval(truth, scores, counts=counts, method=method)
    for labels, values in ((truth, -scores), (~truth, scores)):
        mirrored = auc_interval(labels, values, counts=counts, method=method)
        assert mirrored.estimate == pytest.approx(1 - found.estimate)
        assert mirrored.low == pytest.approx(1 - found.high, nan_ok=True)
        assert mirrored.high == pytest.approx(1 - found.low, nan_ok=True)


@given(ranking=rankings())
@some
def test_splitting_counts_into_rows_changes_nothing(ranking):
    truth, scores, counts = ranking
    rows = np.repeat(np.arange(truth.size), counts)
    whole = delong_covariance(truth, [scores, -(scores**2)], counts=counts)
    split = delong_covariance(truth[rows], [scores[rows], -(scores[rows] ** 2)])
    np.testing.assert_allclose(whole.auc, split.auc)
    np.testing.assert_allclose(whole.covariance, split.covariance, atol=1e-12)
    np.testing.assert_allclose(whole.influence[rows], split.influence, atol=1e-12)


def test_rows_that_never_occur_change_nothing():
    truth, scores = [1, 1, 0, 0, 1], [0.9, 0.4, 0.5, 0.1, 0.0]
    counts = [1, 2, 1, 3, 0]
    assert auc(truth, scores, counts=counts) == auc(truth[:4], scores[:4], counts=counts[:4])
    whole = delong_covariance(truth, [scores], counts=counts)
    assert whole.positives == 3
    kept = delong_covariance(truth[:4], [scores[:4]], counts=counts[:4])
    np.testing.assert_allclose(whole.covariance, kept.covariance)
    draws = [
        rank_draws(truth[:k], [scores[:k]], "auc", counts=counts[:k], n_resamples=50, rng=1)
        for k in (4, 5)
    ]
    np.testing.assert_array_equal(draws[0].values, draws[1].values)


@given(ranking=rankings(least=2), level=st.floats(0.5, 0.999), method=st.sampled_from(FORMULAS))
@some
def test_interval_holds_its_estimate_and_has_width_or_a_reason(ranking, level, method):
    truth, scores, counts = ranking
    found = auc_interval(truth, scores, counts=counts, confidence_level=level, method=method)
    if np.isnan(found.low):
        assert any("No interval" in note for note in found.notes)
        return
    assert found.low <= found.estimate <= found.high
    assert found.low < found.high
    outside = found.low < 0 or found.high > 1
    assert outside == any("leave the possible range" in note for note in found.notes)
    assert not (outside and method == "delong_logit")


@pytest.mark.parametrize("method", sorted(AUC_METHODS))
def test_perfect_ranking_gets_the_exact_interval_of_disjoint_pairs(method):
    truth = np.repeat([True, False], [5, 6])
    found = auc_interval(truth, truth * 1.0, method=method)
    assert found.estimate == found.high == 1
    # R 4.2.2: binom.test(5, 5)$conf.int = 0.4781762, 1
    assert found.low == pytest.approx(0.4781762, abs=1e-7)
    assert np.isnan(found.standard_error)
    assert any("perfect" in note for note in found.notes)
    reversed_one = auc_interval(truth, -1.0 * truth, method=method)
    assert (reversed_one.low, reversed_one.high) == pytest.approx((0, 1 - 0.4781762), abs=1e-7)


def test_perfect_ranking_of_clusters_counts_pairs_of_clusters():
    truth = np.tile([True, False], 6)
    groups = np.repeat(np.arange(6), 2)
    found = auc_interval(truth, truth * 1.0, groups=groups)
    assert found.low == pytest.approx(0.025 ** (1 / 3))
    alone = auc_interval(truth, truth * 1.0, groups=np.zeros(12))
    assert np.isnan(alone.low)
    assert any("No interval" in note for note in alone.notes)


@pytest.mark.parametrize("method", sorted(AUC_METHODS))
@pytest.mark.parametrize("truth", [[1, 1, 1], [0, 0], []])
def test_one_class_has_no_auc(method, truth):
    found = auc_interval(truth, np.arange(len(truth)), method=method)
    assert np.isnan([found.estimate, found.low, found.high, found.standard_error]).all()
    assert found.n == 0
    assert any("Undefined" in note for note in found.notes)


@pytest.mark.parametrize("method", ["delong", "delong_logit", "percentile"])
def test_constant_scores_have_an_auc_but_no_interval(method):
    found = auc_interval([0, 1, 1, 0, 1], np.full(5, 0.3), method=method, n_resamples=50, rng=1)
    assert found.estimate == 0.5
    assert np.isnan([found.low, found.high, found.standard_error]).all()
    assert any("No interval" in note for note in found.notes)


def test_undefined_statistics_are_nan():
    assert np.isnan(auc([1, 1], [0.1, 0.2]))
    assert np.isnan(average_precision([0, 0], [0.1, 0.2]))
    assert np.isnan(recall_at_fpr([1, 1], [0.1, 0.2], 0.1))
    assert np.isnan(recall_at_fpr([0, 0], [0.1, 0.2], 0.1))
    assert np.isnan(roc_curve([1, 1], [0.1, 0.2]).false_positive_rate).all()
    assert np.isnan(precision_recall_curve([0, 0], [0.1, 0.2]).recall).all()
    assert np.isnan(delong_covariance([1, 0, 0], [[3, 2, 4]]).covariance).all()


@given(ranking=rankings(least=2))
@some
def test_clusters_of_one_case_are_independent_cases(ranking):
    truth, scores, _ = ranking
    plain = delong_covariance(truth, [scores, np.abs(scores)])
    single = delong_covariance(
        truth, [scores, np.abs(scores)], groups=[f"case {i}" for i in range(truth.size)]
    )
    assert single.clusters == truth.size
    np.testing.assert_allclose(single.covariance, plain.covariance, atol=1e-12)


def test_clustered_variance_follows_obuchowski():
    # Obuchowski (1997) written out with loops over clusters.
    rng = np.random.default_rng(4)
    truth, groups = rng.random(60) < 0.4, rng.integers(0, 12, 60)
    scores = np.round(rng.normal(size=60) + truth + rng.normal(size=12)[groups], 1)
    placements, area = delong_placements(truth, scores), auc(truth, scores)
    m, n = truth.sum(), (~truth).sum()
    a = [(placements[(groups == g) & truth] - area).sum() for g in range(12)]
    b = [(placements[(groups == g) & ~truth] - area).sum() for g in range(12)]
    of_a, of_b = (len(set(groups[own])) for own in (truth, ~truth))
    s10 = of_a / ((of_a - 1) * m) * np.square(a).sum()
    s01 = of_b / ((of_b - 1) * n) * np.square(b).sum()
    s11 = 12 / 11 * np.dot(a, b)
    expected = s10 / m + s01 / n + 2 * s11 / (m * n)
    found = delong_covariance(truth, [scores], groups=groups)
    assert found.covariance[0, 0] == pytest.approx(expected, rel=1e-12)
    told = auc_interval(truth, scores, groups=groups)
    assert told.standard_error == pytest.approx(np.sqrt(expected))
    assert any("12 clusters" in note for note in told.notes)
    assert any("Fewer than 20" in note for note in told.notes)


def test_copies_of_a_case_within_clusters_are_not_new_information():
    rng = np.random.default_rng(7)
    truth, scores = binormal(rng, 30, 40, 0.8)
    groups = np.arange(70)
    once = delong_covariance(truth, [scores], groups=groups)
    often = delong_covariance(truth, [scores], groups=groups, counts=np.full(70, 9))
    np.testing.assert_allclose(once.covariance, often.covariance, rtol=1e-9)


@pytest.mark.parametrize(("m", "n"), [(100, 100), (20, 200)])
def test_coverage_on_a_binormal_market(m, n):
    # The documented shortfall with 20 positives is left as room; a coverage above the level by
    # more than 3 Monte Carlo errors would be as wrong.
    area, sets = 0.85, 1000
    rng = np.random.default_rng(11)
    held = 0
    for _ in range(sets):
        found = auc_interval(*binormal(rng, m, n, area))
        held += found.low <= area <= found.high
    documented = {(100, 100): 0.9605, (20, 200): 0.9305}[m, n]
    error = np.sqrt(documented * (1 - documented) * (1 / sets + 1 / 2000))
    assert held / sets == pytest.approx(documented, abs=3 * error)


def test_perfect_rankings_hold_the_truth_at_least_as_often_as_promised():
    area, sets, perfect, held = 0.99, 400, 0, 0
    rng = np.random.default_rng(3)
    for _ in range(sets):
        found = auc_interval(*binormal(rng, 8, 30, area))
        perfect += found.estimate == 1
        held += found.estimate == 1 and found.low <= area
    assert perfect > 50
    assert held == perfect


STATISTICS = {
    "auc": auc,
    "average_precision": average_precision,
    "recall_at_fpr": lambda truth, scores: recall_at_fpr(truth, scores, 0.2),
}


@functools.cache
def plain_bootstrap(stratify):
    """Two models, and every statistic of resamples drawn in a loop: the bootstrap by its book."""
    rng = np.random.default_rng(1)
    truth, first = binormal(rng, 25, 40, 0.8)
    scores = [np.round(first, 1), first + rng.normal(size=truth.size)]
    strata = [np.flatnonzero(truth), np.flatnonzero(~truth)] if stratify else [np.arange(65)]
    values = {key: [] for key in STATISTICS}
    for _ in range(600):
        rows = np.concatenate([rng.choice(own, own.size) for own in strata])
        for key, call in STATISTICS.items():
            values[key].append([call(truth[rows], one[rows]) for one in scores])
    return truth, scores, {key: np.array(drawn) for key, drawn in values.items()}


@pytest.mark.parametrize("stratify", [False, True])
@pytest.mark.parametrize("models", [1, 2])
@pytest.mark.parametrize("key", sorted(RANK_STATISTICS))
def test_draws_have_the_distribution_of_the_plain_bootstrap(key, models, stratify):
    truth, scores, plain = plain_bootstrap(stratify)
    expected = plain[key][:, :models]
    drawn = rank_draws(
        truth,
        scores[:models],
        key,
        rate=0.2 if key == "recall_at_fpr" else None,
        stratify=stratify,
        n_resamples=4000,
        rng=2,
    )
    assert drawn.values.shape == (4000, models)
    assert not drawn.binning_error.any()
    error = np.sqrt(1 / 600 + 1 / 4000)
    shift = np.abs(drawn.values.mean(0) - expected.mean(0))
    assert np.all(shift < 4 * error * expected.std(0))
    np.testing.assert_allclose(drawn.values.std(0), expected.std(0), rtol=4 * error)
    if models == 2:
        found, plainly = (np.corrcoef(values.T)[0, 1] for values in (drawn.values, expected))
        assert found == pytest.approx(plainly, abs=4 * error)


@pytest.mark.parametrize("key", ["auc", "average_precision"])
def test_one_model_and_two_agree_and_two_equal_models_never_differ(key):
    rng = np.random.default_rng(2)
    truth, scores = binormal(rng, 60, 60, 0.7)
    both = rank_draws(truth, [scores, 2 * scores], key, n_resamples=300, rng=5)
    np.testing.assert_allclose(both.values[:, 0], both.values[:, 1], rtol=1e-12)
    alone = rank_draws(truth, [scores], key, n_resamples=3000, rng=6)
    assert both.values.std() == pytest.approx(alone.values.std(), rel=0.2)


def test_counts_are_drawn_as_independent_cases(monkeypatch):
    rng = np.random.default_rng(8)
    truth, scores = binormal(rng, 300, 500, 0.8)
    scores = np.round(scores)
    cells, counts = np.unique(np.column_stack([truth, scores]), axis=0, return_counts=True)
    expected = np.sqrt(delong_covariance(truth, [scores]).covariance[0, 0])
    for cost in (0, 10**9):  # binomial draws for all; case draws for all
        monkeypatch.setattr("evalcore.ranking.draws.CASES_PER_BINOMIAL", cost)
        drawn = rank_draws(
            cells[:, 0], [cells[:, 1]], "auc", counts=counts, n_resamples=4000, rng=1
        )
        assert drawn.values.std() == pytest.approx(expected, rel=0.05)


def test_whole_clusters_are_drawn():
    rng = np.random.default_rng(9)
    groups = np.repeat(np.arange(80), 6)
    truth = (rng.random(80) < 0.4)[groups]
    scores = rng.normal(size=480) + truth + rng.normal(size=80)[groups]
    expected = np.sqrt(delong_covariance(truth, [scores], groups=groups).covariance[0, 0])
    naive = np.sqrt(delong_covariance(truth, [scores]).covariance[0, 0])
    drawn = rank_draws(truth, [scores], "auc", groups=groups, n_resamples=4000, rng=1).values
    assert drawn.std() == pytest.approx(expected, rel=0.08)
    assert expected > 1.3 * naive


@pytest.mark.parametrize("ties", [False, True])
def test_binning_error_is_bounded_by_what_is_returned(ties):
    rng = np.random.default_rng(10)
    truth, scores = binormal(rng, 400, 700, 0.8)
    scores = np.round(scores, 1) if ties else scores
    exact = rank_draws(truth, [scores, -scores], "auc", n_resamples=500, rng=3)
    binned = rank_draws(truth, [scores, -scores], "auc", n_resamples=500, rng=3, max_bins=25)
    gap = np.abs(exact.values - binned.values)
    assert not exact.binning_error.any()
    assert np.all(gap.max(0) > 0)
    assert np.all(gap.max(0) <= binned.binning_error)
    # Far less than the bound, because a bin keeps the share of pairs that was observed in it.
    assert np.all(np.sqrt((gap**2).mean(0)) < 0.1 * exact.values.std(0))


def test_binned_draws_spread_as_the_exact_ones():
    truth, scores = binormal(np.random.default_rng(12), 500, 500, 0.8)
    expected = np.sqrt(delong_covariance(truth, [scores]).covariance[0, 0])
    drawn = rank_draws(truth, [scores], "auc", n_resamples=6000, rng=1, max_bins=50)
    assert 0 < drawn.binning_error[0] < 0.03
    assert drawn.values.mean() == pytest.approx(auc(truth, scores), abs=4 * expected / 77)
    assert drawn.values.std() == pytest.approx(expected, rel=0.05)


def test_draws_without_a_class_are_nan_and_strata_always_have_both():
    truth, scores = [1, 0, 0], [0.3, 0.2, 0.5]
    plain = rank_draws(truth, [scores], "auc", n_resamples=300, rng=1).values
    assert 0.15 < np.isnan(plain).mean() < 0.5  # (2/3)^3 + (1/3)^3 = 1/3
    fixed = rank_draws(truth, [scores], "auc", n_resamples=300, rng=1, stratify=True).values
    assert not np.isnan(fixed).any()
    assert np.isnan(rank_draws([1, 1], [[1, 2]], "auc", n_resamples=3, stratify=True).values).all()


def test_seed_fixes_the_draws_and_blocks_fill_every_row(monkeypatch):
    truth, scores = binormal(np.random.default_rng(0), 20, 30, 0.8)
    monkeypatch.setattr("evalcore.ranking.draws.BLOCK", 150)
    first, second = (rank_draws(truth, [scores], "auc", n_resamples=25, rng=4) for _ in range(2))
    np.testing.assert_array_equal(first.values, second.values)
    assert np.all((first.values >= 0) & (first.values <= 1))


def test_percentile_interval_reads_the_draws():
    truth, scores = binormal(np.random.default_rng(0), 40, 60, 0.8)
    found = auc_interval(truth, scores, method="percentile", n_resamples=2000, rng=3, stratify=True)
    drawn = rank_draws(truth, [scores], "auc", n_resamples=2000, rng=3, stratify=True).values
    assert (found.low, found.high) == pytest.approx(np.quantile(drawn, [0.025, 0.975]))
    assert found.standard_error == pytest.approx(drawn.std(ddof=1))
    delong = auc_interval(truth, scores, method="delong")
    assert found.width == pytest.approx(delong.width, rel=0.15)


def test_infinite_scores_are_ranks_like_any_other():
    assert auc([1, 0, 0], [np.inf, 0.2, -np.inf]) == 1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: auc([0, 1], [0.1, np.nan]), "scores must not be missing"),
        (lambda: auc([0, 2], [0.1, 0.2]), "truth must hold only 0 and 1"),
        (lambda: auc([0, 1, 1], [0.1, 0.2]), "scores must be as long as truth"),
        (lambda: auc([0, 1], [0.1, 0.2], counts=[1, -1]), "counts must be whole"),
        (lambda: roc_curve([0, 1], ["a", "b"]), "scores must be numbers"),
        (lambda: recall_at_fpr([0, 1], [0.1, 0.2], 5), "rate must be from 0 to 1"),
        (lambda: delong_covariance([0, 1], []), "scores_by_model must hold"),
        (lambda: delong_covariance([0, 1], [[1, np.nan]]), r"scores_by_model\[0\] must not"),
        (lambda: delong_covariance([0, 1], [[1, 2]], groups=[1]), "groups must be as long"),
        (lambda: auc_interval([0, 1], [1, 2], method="exact"), "method must be one of 'delong"),
        (lambda: auc_interval([0, 1], [1, 2], confidence_level=1), "confidence_level must"),
        (
            lambda: auc_interval([0, 1], [1, 2], method="hanley_mcneil", groups=[1, 2]),
            "method .with groups. must be one of",
        ),
        (lambda: rank_draws([0, 1], [], "auc"), "scores_by_model must hold"),
        (lambda: rank_draws([], [[]], "auc"), "truth must hold at least one case"),
        (lambda: rank_draws([0, 1], [[1, 2]], "f1"), "statistic must be one of 'auc'"),
        (lambda: rank_draws([0, 1], [[1, 2]], "recall_at_fpr"), "rate must be from 0 to 1"),
        (lambda: rank_draws([0, 1], [[1, 2]], "auc", n_resamples=0), "n_resamples must be"),
        (lambda: rank_draws([0, 1], [[1, 2]], "auc", max_bins=0), "max_bins must be"),
        (
            lambda: rank_draws([0, 1], [[1, 2]], "auc", groups=[1, 2], stratify=True),
            "stratify must be False with groups",
        ),
    ],
)
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize("method", ["delong_logit", "delong", "hanley_mcneil"])
def test_tables_of_many_sets_give_the_interval_of_each(method):
    rng = np.random.default_rng(8)
    positives, negatives = rng.integers(0, 4, (6, 9)), rng.integers(0, 5, (6, 9))
    positives[0, 1:], negatives[1] = 0, 0  # one distinct positive score; a class that never occurs
    positives[2], negatives[2] = np.arange(9) > 4, np.arange(9) <= 4  # a perfect order
    tables = auc_tables(positives, negatives)
    limits = tables.limits(method, 0.9)
    for place, (yes, no) in enumerate(zip(positives, negatives, strict=True)):
        scores = np.concatenate([np.repeat(np.arange(9.0), yes), np.repeat(np.arange(9.0), no)])
        truth = np.repeat([1, 0], [yes.sum(), no.sum()])
        made = auc_interval(truth, scores, method=method, confidence_level=0.9)
        expected = [made.estimate, made.low, made.high]
        found = [tables.auc[place], *limits[:, place]]
        np.testing.assert_allclose(found, expected, atol=1e-12)
    with pytest.raises(ValueError, match="method must be one of"):
        tables.limits("percentile")
