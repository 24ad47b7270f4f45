"""Loaded cases as the market: every family of metrics, judged by the methods of metric_interval."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import f1_score, roc_auc_score

from evalcore.binomial import exact_coverage
from evalcore.intervals import interval_methods, metric_interval
from evalcore.metrics import METRICS, Setting, metrics_for
from evalcore.predictions import make_predictions
from evalcore.resampling import MEAN_METHODS
from evalcore.simulation import NAIVE, market_coverage
from evalcore.sufficient import metric_value

SETTING = Setting(label="1", tolerance=1.0)


def difference_error(share, *sizes):
    """Return the Monte Carlo error of a difference of two such shares."""
    share = min(max(share, 0.05), 0.95)
    return np.sqrt(share * (1 - share) * sum(1 / size for size in sizes))


def labels(n=60, *, groups=None, seed=1):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    said = np.where(rng.random(n) < 0.75, truth, rng.integers(0, 3, n))
    shares = rng.dirichlet(np.ones(3), n) / 2
    shares[np.arange(n), said] += 0.5
    return make_predictions(truth, {"m": said}, scores={"m": shares}, groups=groups)


def scored(n=60, seed=2):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    scores = np.round(rng.normal(size=n) + 1.2 * truth, 1)
    return make_predictions(
        truth.astype(int), {"m": (scores > 0.6).astype(int)}, scores={"m": scores}, positive="1"
    )


def numbers(n=60, *, groups=None, seed=3):
    rng = np.random.default_rng(seed)
    truth = rng.lognormal(1, 0.5, n)
    shared = 0 if groups is None else rng.normal(size=n)[np.asarray(groups)]
    return make_predictions(
        truth, {"m": truth + rng.normal(size=n) + shared}, task="regression", groups=groups
    )


PAIRS = np.repeat(np.arange(20), 3)
FILES = {
    "labels": labels(),
    "scored": scored(),
    "numbers": numbers(),
    "labels in groups": labels(groups=PAIRS),
    "numbers in groups": numbers(groups=PAIRS),
}
EVERYTHING = [(file, m.key) for file, p in FILES.items() for m in metrics_for(p, "m")]


@pytest.mark.parametrize(("file", "key"), EVERYTHING)
def test_every_metric_has_a_market(file, key):
    predictions = FILES[file]
    done = []
    found = market_coverage(
        predictions, key, "m", setting=SETTING, n_sets=4, n_resamples=20, rng=1,
        progress=lambda ready, total: done.append((ready, total)),
    )  # fmt: skip
    assert found.market_value == pytest.approx(
        metric_value(predictions, METRICS[key], "m", SETTING), abs=1e-12
    )
    offered = interval_methods(predictions, key)
    judged = {name for name in found.held if not name.startswith(NAIVE)}
    assert judged | set(found.left_out) == set(offered)
    assert done[-1] == (found.n_sets, found.n_sets)
    grouped = predictions.groups is not None
    assert (found.n, found.unit) == ((20, "clusters") if grouped else (60, "cases"))
    assert judged


@pytest.mark.parametrize(
    ("file", "key"),
    [("labels", "macro_f1"), ("scored", "f1"), ("numbers", "rmse"), ("scored", "auc"),
     ("numbers", "median_absolute_error"), ("labels", "accuracy"),
     ("labels in groups", "f1"), ("numbers in groups", "mae")],
)  # fmt: skip
def test_coverage_is_that_of_a_loop_over_metric_interval(file, key):
    predictions = FILES[file]
    options = {"label": "1"} if METRICS[key].per_class else {}
    truth = metric_value(predictions, METRICS[key], "m", SETTING)
    rng = np.random.default_rng(5)
    methods = dict.fromkeys(interval_methods(predictions, key), 0)
    plain = [name for name in methods if name not in ("percentile", "bca", "bootstrap_t")][:2]
    widths = {name: [] for name in plain}
    sets = 150
    held = dict.fromkeys(plain, 0)
    for _ in range(sets):
        if predictions.groups is None:
            sample = predictions.select(rng.integers(0, 60, 60))
        else:
            units = rng.integers(0, 20, 20)
            rows = np.concatenate([np.flatnonzero(unit == PAIRS) for unit in units])
            sample = make_predictions(
                predictions.truth[rows] if predictions.task == "regression"
                else np.array(predictions.classes)[predictions.truth[rows]],
                {"m": predictions.outputs["m"][rows] if predictions.task == "regression"
                 else np.array(predictions.classes)[predictions.outputs["m"][rows]]},
                task=predictions.task, groups=PAIRS,
            )  # fmt: skip
        for name in plain:
            made = metric_interval(sample, key, "m", method=name, **options)
            held[name] += made.low <= truth <= made.high
            widths[name].append(made.high - made.low)
    found = market_coverage(predictions, key, "m", plain, setting=SETTING, n_sets=400, rng=1)
    for name in plain:
        limit = 4 * difference_error(held[name] / sets, sets, 400)
        assert found.held[name] == pytest.approx(held[name] / sets, abs=limit)
        error = np.nanstd(widths[name]) * np.sqrt(1 / sets + 1 / 400)
        assert found.width[name] == pytest.approx(np.nanmean(widths[name]), abs=4 * error + 1e-9)


def test_bootstraps_of_counts_are_those_of_a_loop_over_sklearn():
    predictions = FILES["labels"]
    truth, said = predictions.truth, predictions.outputs["m"]
    market = f1_score(truth, said, average="macro")
    rng = np.random.default_rng(6)
    widths, held, sets = [], 0, 60
    for _ in range(sets):
        rows = rng.integers(0, 60, 60)
        again = rows[rng.integers(0, 60, (60, 60))]
        tables = [np.bincount(3 * truth[r] + said[r], minlength=9).reshape(3, 3) for r in again]
        draws = [np.mean(2 * t.diagonal() / (t.sum(axis=0) + t.sum(axis=1))) for t in tables]
        low, high = np.quantile(draws, [0.1, 0.9])
        held += low <= market <= high
        widths.append(high - low)
    found = market_coverage(
        predictions, "macro_f1", "m", ["percentile", "bca"], n_sets=400, n_resamples=60,
        confidence_level=0.8, rng=2,
    )  # fmt: skip
    assert found.market_value == pytest.approx(market)
    error = np.std(widths) * np.sqrt(1 / sets + 1 / 400)
    assert found.width["percentile"] == pytest.approx(np.mean(widths), abs=4 * error)
    limit = 4 * difference_error(held / sets, sets, 400)
    assert found.held["percentile"] == pytest.approx(held / sets, abs=limit)


def test_the_value_of_an_auc_market_is_that_of_sklearn():
    predictions = FILES["scored"]
    found = market_coverage(predictions, "auc", "m", "delong", n_sets=2000, rng=3)
    scores = predictions.scores["m"]
    assert found.market_value == pytest.approx(roc_auc_score(predictions.truth, scores))
    assert 0.85 < found.held["delong"] < 0.96


def test_groups_that_share_their_answer_defeat_the_interval_that_ignores_them():
    rng = np.random.default_rng(7)
    groups = np.repeat(np.arange(100), 8)
    said = np.repeat(rng.random(100) < 0.7, 8).astype(int)
    predictions = make_predictions(np.ones(800, int), {"m": said}, groups=groups)
    found = market_coverage(predictions, "accuracy", "m", n_sets=300, n_resamples=200, rng=1)
    # Eight equal cases count as one: the naive interval is sqrt(8) times too narrow.
    share = 2 * stats.norm.cdf(1.959964 / np.sqrt(8)) - 1
    limit = 4 * difference_error(share, 300) + 0.02
    assert found.held["naive_wilson"] == pytest.approx(share, abs=limit)
    for key in ("clustered_delta", "percentile"):
        assert found.held[key] == pytest.approx(0.95, abs=4 * difference_error(0.95, 300) + 0.01)
    alone = market_coverage(
        predictions, "accuracy", "m", "wilson", by_group=False, n_sets=2000, rng=1
    )
    assert alone.unit == "cases"
    assert alone.held["wilson"] == pytest.approx(0.95, abs=0.03)


@pytest.mark.parametrize(
    ("file", "key"),
    [("labels", "macro_f1"), ("numbers", "r_squared"), ("numbers in groups", "mae")],
)
def test_the_same_seed_gives_the_same_coverage(file, key):
    made = [
        market_coverage(FILES[file], key, "m", n_sets=5, n_resamples=20, rng=seed)
        for seed in (1, 1, 2)
    ]
    assert made[0] == made[1]
    assert made[0].width != made[2].width


def test_rows_that_count_cases_are_as_many_rows():
    rng = np.random.default_rng(9)
    truth, said, counts = rng.lognormal(size=12), rng.lognormal(size=12), rng.integers(1, 6, 12)
    counted = make_predictions(truth, {"m": said}, counts=counts, task="regression")
    spread = make_predictions(
        np.repeat(truth, counts), {"m": np.repeat(said, counts)}, task="regression"
    )
    for key in ("rmse", "median_absolute_error", "mae"):
        one, other = (
            market_coverage(p, key, "m", n_sets=200, n_resamples=20, rng=1)
            for p in (counted, spread)
        )
        assert (one.n, one.market_value) == (other.n, pytest.approx(other.market_value))
        first = next(iter(one.held))
        assert one.width[first] == pytest.approx(other.width[first], rel=0.15)


def test_large_markets_leave_out_what_would_take_minutes():
    rng = np.random.default_rng(10)
    truth = rng.normal(size=30_000)
    predictions = make_predictions(truth, {"m": truth + rng.normal(size=30_000)}, task="regression")
    found = market_coverage(predictions, "mae", "m", n_sets=20, rng=1)
    assert found.left_out == ("percentile", "bca", "bootstrap_t")
    with pytest.raises(ValueError, match="n must be at most 20,000 cases to judge the methods"):
        market_coverage(predictions, "rmse", "m", rng=1)
    few = market_coverage(predictions, "rmse", "m", "delta", n=12_000, n_sets=1000, rng=1)
    assert (few.n_sets, few.n_asked) == (100, 1000)


def test_what_is_undefined_or_unknown_is_refused():
    predictions = make_predictions([0.0, 1, 2], {"m": [1.0, 1, 3]}, task="regression")
    with pytest.raises(ValueError, match="undefined here: undefined: 1 of 3 true values are 0"):
        market_coverage(predictions, "mape", "m")
    with pytest.raises(ValueError, match="methods must be one of 'delta', 'percentile'"):
        market_coverage(predictions, "rmse", "m", "wilson")
    with pytest.raises(ValueError, match="n must be a whole number of at least 2"):
        market_coverage(predictions, "mae", "m", n=1)


def test_coverage_of_a_recall_lets_the_number_of_positives_vary():
    # 5 percent positives in sets of 40: some sets hold none and have no interval.
    truth = np.repeat([1, 0], [50, 950])
    said = np.concatenate([np.repeat([1, 0], [40, 10]), np.zeros(950, int)])
    predictions = make_predictions(truth, {"m": said})
    found = market_coverage(predictions, "recall", "m", "wilson", n=40, n_sets=20_000, rng=2)
    assert found.market_value == pytest.approx(0.8)
    assert found.undefined["wilson"] == pytest.approx(0.95**40, abs=0.01)
    sizes = np.arange(1, 41)
    held = [exact_coverage(size, 0.8, method="wilson").coverage for size in sizes]
    expected = float(stats.binom(40, 0.05).pmf(sizes) @ np.ravel(held))
    limit = 4 * found.monte_carlo_error(expected)
    assert found.held["wilson"] == pytest.approx(expected, abs=limit)


def test_coverage_of_metrics_of_predictions():
    rng = np.random.default_rng(3)
    truth = rng.lognormal(3, 0.3, 200)
    predictions = make_predictions(truth, {"m": truth + rng.normal(0, 2, 200)}, task="regression")
    done = []
    mean = market_coverage(
        predictions,
        "mae",
        "m",
        n_sets=250,
        n_resamples=100,
        rng=1,
        progress=lambda ready, total: done.append((ready, total)),
    )
    assert done == [(100, 250), (200, 250), (250, 250)]
    assert set(mean.held) == {*MEAN_METHODS, "delta"}
    assert (mean.n, mean.n_sets, mean.n_resamples) == (200, 250, 100)
    share = market_coverage(
        predictions, "share_within", "m", "wilson", setting=Setting(tolerance=2.0), rng=1
    )
    assert share.held["wilson"] > 0.9
