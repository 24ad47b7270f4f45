"""Properties that every row of METRICS keeps, on small random predictions of its task."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.binomial import PROPORTION_METHODS
from evalcore.intervals import effective_size, interval_methods, metric_interval
from evalcore.metrics import METRICS, Setting
from evalcore.predictions import make_predictions
from evalcore.sufficient import influence, metric_value, standard_error

KEYS = sorted(METRICS)
CLASSES = ("a", "b", "c")
REASONS = ("no interval", "undefined")
DRAWN = {"percentile", "bca", "bootstrap_t"}
few = settings(max_examples=3)
seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(2, 18)


def random_predictions(task, seed, size, *, counts=False, groups=False):
    rng = np.random.default_rng(seed)
    extra = {
        "counts": rng.integers(1, 4, size) if counts else None,
        "groups": rng.integers(0, max(size // 3, 2), size) if groups else None,
    }
    if task == "score":
        values = rng.integers(0, 2, size) if seed % 2 else np.round(rng.normal(size=size), 1)
        return make_predictions(None, {"m": values}, task="score", **extra)
    if task == "regression":
        truth = rng.integers(-2, 6, size)
        said = truth + np.round(rng.normal(size=size), 1)
        return make_predictions(truth, {"m": said}, task="regression", **extra)
    truth = rng.integers(0, 3, size)
    stated = rng.dirichlet(np.ones(3), size)
    stated[np.arange(size), truth] += 0.5
    stated /= stated.sum(axis=1, keepdims=True)
    names = np.array(CLASSES)
    return make_predictions(
        names[truth],
        {"m": names[stated.argmax(axis=1)]},
        scores={"m": stated},
        classes=CLASSES,
        **extra,
    )


def options(key):
    needs = METRICS[key].needs
    chosen = {"label": "b"} if "class" in needs else {}
    return chosen | ({"tolerance": 0.5} if "tolerance" in needs else {})


def interval(predictions, key, **rest):
    return metric_interval(predictions, key, "m", **options(key), n_resamples=120, **rest)


def methods(predictions, key):
    """Return the methods offered, but only two of the binomial ones, which have their own tests."""
    offered = interval_methods(predictions, key)
    return [
        name for name in offered if name in ("wilson", "wald") or name not in PROPORTION_METHODS
    ]


def same(one, other, *, limits=True):
    fields = ["estimate", "n"] + (["low", "high", "standard_error"] if limits else [])
    for field in fields:
        assert getattr(one, field) == pytest.approx(
            getattr(other, field), rel=1e-7, abs=1e-9, nan_ok=True
        ), field


@pytest.mark.parametrize("key", KEYS)
@few
@given(seeds, sizes, st.booleans(), st.booleans())
def test_every_method_holds_its_estimate_inside_the_bounds_or_says_why(key, seed, size, counts, by):
    predictions = random_predictions(METRICS[key].task, seed, size, counts=counts, groups=by)
    low, high = METRICS[key].bounds
    for method in methods(predictions, key):
        made = interval(predictions, key, method=method)
        if np.isnan(made.estimate):
            assert np.isnan(made.low)
            assert np.isnan(made.high)
            assert any("undefined" in note for note in made.notes), made
            continue
        assert low <= made.estimate <= high
        if np.isnan(made.low):
            assert np.isnan(made.high)
            assert any(word in note.lower() for note in made.notes for word in REASONS)
            continue
        note = " ".join(made.notes)
        assert made.low < made.high or "zero width" in note, made
        slack = 1e-12 * (1 + abs(made.estimate))
        assert made.low - slack <= made.estimate <= made.high + slack or "not" in note, made
        assert (low <= made.low and made.high <= high) or "possible" in note, made


@pytest.mark.parametrize("key", KEYS)
@few
@given(seeds, sizes, st.booleans())
def test_the_order_of_rows_and_the_splitting_of_counts_change_nothing(key, seed, size, by):
    predictions = random_predictions(METRICS[key].task, seed, size, counts=True, groups=by)
    rows = np.repeat(np.arange(size), predictions.counts)
    np.random.default_rng(seed).shuffle(rows)
    long = replace(predictions.select(rows), counts=None)
    for method in methods(predictions, key):
        one, other = (interval(p, key, method=method) for p in (predictions, long))
        same(one, other, limits=method not in DRAWN)
        assert one.successes == other.successes


@pytest.mark.parametrize("key", KEYS)
@few
@given(seeds, st.integers(6, 18))
def test_four_times_the_cases_halve_the_standard_error(key, seed, size):
    once = random_predictions(METRICS[key].task, seed, size, counts=True)
    four = replace(once, counts=4 * once.counts)
    setting = Setting(**options(key))
    pull = influence(once, key, "m", setting)
    assert metric_value(four, key, "m", setting) == pytest.approx(
        metric_value(once, key, "m", setting), nan_ok=True
    )
    if METRICS[key].family in ("proportion", "count", "mean") and np.isfinite(pull).any():
        one, other = interval(once, key), interval(four, key)
        if one.standard_error > 0:
            # The n - 1 of means is the only thing that is not exactly a half.
            slack = 1 / one.n if METRICS[key].family == "mean" else 1e-9
            assert 2 * other.standard_error == pytest.approx(one.standard_error, rel=slack)
    if METRICS[key].key in ("auc", "auc_macro", "average_precision"):
        errors = [standard_error(influence(p, key, "m", setting), p.counts) for p in (once, four)]
        assert 2 * errors[1] == pytest.approx(errors[0], nan_ok=True)


@pytest.mark.parametrize("key", [k for k in KEYS if METRICS[k].task == "classification"])
@few
@given(seeds, sizes, st.permutations(range(3)))
def test_names_and_order_of_the_classes_change_nothing(key, seed, size, order):
    before = random_predictions("classification", seed, size)
    place = np.argsort(order)
    after = replace(
        before,
        truth=place[before.truth].astype(np.int32),
        outputs={"m": place[before.outputs["m"]].astype(np.int32)},
        scores={"m": before.scores["m"][:, order]},
        classes=tuple(f"class {CLASSES[code]}" for code in order),
    )
    given_options = options(key)
    renamed = {"label": "class b"} if "label" in given_options else {}
    for method in methods(before, key):
        if method in DRAWN:
            continue
        one = metric_interval(before, key, "m", method=method, **given_options)
        other = metric_interval(after, key, "m", method=method, **renamed)
        same(one, other)


@pytest.mark.parametrize("key", KEYS)
def test_what_cannot_be_computed_is_nan_with_a_reason(key):
    task = METRICS[key].task
    whole = random_predictions(task, 3, 9, groups=True)
    bare = replace(whole, truth=None)
    if task == "score":
        bare = replace(whole, outputs={"m": np.full(9, np.nan)})
    for by_group in (False, True):
        made = interval(bare, key, by_group=by_group)
        assert np.isnan([made.estimate, made.low, made.high, made.standard_error]).all()
        assert made.n == 0
        assert made.notes


@pytest.mark.parametrize("key", KEYS)
def test_the_size_is_that_of_the_interval(key):
    chosen = options(key)
    chosen.pop("tolerance", None)
    for groups in (False, True):
        predictions = random_predictions(METRICS[key].task, 8, 30, counts=True, groups=groups)
        made = interval(predictions, key)
        assert effective_size(predictions, key, "m", **chosen) == (made.n, made.unit)


@pytest.mark.parametrize("key", KEYS)
def test_a_metric_says_what_it_is(key):
    metric = METRICS[key]
    assert metric.key == key
    assert metric.bounds[0] < metric.bounds[1]
    assert metric.definition.endswith(".")
    assert metric.formula
    kinds = [metric.ratio is not None, metric.value is not None, metric.columns is not None]
    assert sum(kinds) == (0 if metric.family == "rank" else 1)
