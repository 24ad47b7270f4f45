"""Sizes found by drawing test sets from a pilot."""

from dataclasses import replace

import numpy as np
import pytest

from evalcore.intervals import metric_interval
from evalcore.intervals.repeated import repeated_half_widths, table_of
from evalcore.metrics import METRICS, Setting
from evalcore.predictions import make_predictions
from evalcore.sizing import pilot_sample_size, simulated_sample_size
from evalcore.sufficient import count_errors, influence, metric_value, standard_error

OF_COUNTS = [key for key, metric in METRICS.items() if metric.value is not None]


def pilot_of(table):
    """Return predictions with one row for each cell of a confusion matrix."""
    table = np.asarray(table)
    truth, said = (axis.ravel() for axis in np.indices(table.shape))
    return make_predictions(truth, {"m": said}, counts=table.ravel())


BINARY = pilot_of([[180, 12], [9, 39]])
THREE = pilot_of([[40, 5, 1], [4, 20, 2], [0, 2, 6]])


@pytest.mark.parametrize("metric", OF_COUNTS)
def test_errors_of_many_tables_are_those_of_each(metric):
    table = table_of(THREE, metric, "m", label="1")
    draws = np.random.default_rng(1).multinomial(60, table.cells.counts / table.cells.n, 4)
    values, errors = count_errors(table.metric, table.cells, "m", draws, table.code)
    for counts, value, error in zip(draws, values, errors, strict=True):
        setting = table_setting(table)
        one = drawn(table, counts)
        assert value == pytest.approx(metric_value(one, metric, "m", setting), rel=1e-12)
        direct = standard_error(influence(one, metric, "m", setting), one.counts)
        assert error == pytest.approx(direct, rel=1e-9)


def table_setting(table):
    """Return the setting that asks for class 1."""
    return Setting(label="1") if table.metric.per_class else Setting()


def drawn(table, counts):
    """Return predictions in which the cells of a table occur so often."""
    truth, said = table.cells.codes.T
    made = make_predictions(truth, {"m": said}, counts=counts)
    return replace(made, classes=THREE.classes, positive=None)


@pytest.mark.parametrize("method", ["delta", "effective_wilson"])
@pytest.mark.parametrize("metric", ["f1", "macro_f1", "balanced_accuracy", "kappa"])
@pytest.mark.parametrize("n", [3, 12, 90])
def test_half_widths_are_those_of_the_interval(metric, method, n):
    """Small sets too: there many draws lie on a bound, or show no spread, or have no F1."""
    label = "2" if metric == "f1" else None
    table = table_of(THREE, metric, "m", label=label)
    draws = np.random.default_rng(n).multinomial(n, table.cells.counts / table.cells.n, 12)
    halves = repeated_half_widths(table, draws, method=method, confidence_level=0.9)
    for counts, half in zip(draws, halves, strict=True):
        options = {"label": label, "method": method, "confidence_level": 0.9}
        made = metric_interval(drawn(table, counts), metric, "m", **options)
        assert half == pytest.approx(made.width / 2, rel=1e-9, nan_ok=True)


@pytest.mark.parametrize("assurance", [None, 0.8, 0.9])
def test_fresh_test_sets_of_the_size_have_the_width(assurance):
    """Against 2,000 test sets drawn independently of the search, at the size and well beside it."""
    found = simulated_sample_size(BINARY, "f1", "m", 0.05, assurance=assurance)
    table = table_of(BINARY, "f1", "m")
    shares, rng = table.cells.counts / table.cells.n, np.random.default_rng(99)

    def half(n):
        draws = rng.multinomial(n, shares, 2_000)
        widths = repeated_half_widths(table, draws, method="delta")
        return widths.mean() if assurance is None else np.quantile(widths, assurance)

    assert found.size.labels == found.size.n
    assert found.size.achieved <= 0.05
    # The Monte Carlo error of the fresh mean is 0.4 percent, of the quantiles 0.8 percent.
    assert half(found.size.n) == pytest.approx(0.05, rel=0.025)
    assert 0 < found.error < 0.03 * found.size.n
    other = simulated_sample_size(BINARY, "f1", "m", 0.05, assurance=assurance, rng=5)
    assert abs(other.size.n - found.size.n) < 5 * np.hypot(found.error, other.error) + 1


def test_assurance_costs_cases_and_near_one_the_formula_is_too_small():
    good = pilot_of([[180, 2], [1, 57]])
    sizes = [
        simulated_sample_size(good, "f1", "m", 0.05, assurance=share).size.n
        for share in (0.5, 0.8, 0.9)
    ]
    assert sizes == sorted(set(sizes))
    plain = simulated_sample_size(good, "f1", "m", 0.05).size.n
    assert sizes[2] > 1.2 * plain > 1.2 * pilot_sample_size(good, "f1", "m", 0.05).labels


def test_a_large_size_agrees_with_the_scaled_error():
    simulated = simulated_sample_size(BINARY, "f1", "m", 0.002).size.n
    assert simulated == pytest.approx(pilot_sample_size(BINARY, "f1", "m", 0.002).labels, rel=0.01)


def test_the_same_test_sets_serve_every_width():
    sizes = [simulated_sample_size(BINARY, "f1", "m", width).size.n for width in (0.04, 0.05, 0.06)]
    assert sizes == sorted(sizes, reverse=True)
    one, two = (simulated_sample_size(BINARY, "f1", "m", width) for width in (0.05, 0.06))
    common = np.intersect1d(one.sizes, two.sizes)
    assert len(common) > 4
    np.testing.assert_array_equal(
        one.half_widths[np.isin(one.sizes, common)], two.half_widths[np.isin(two.sizes, common)]
    )


def test_sets_without_a_score_know_nothing():
    """With positives in 2 percent of the cases, 60 cases often hold none."""
    rare = pilot_of([[975, 5], [4, 16]])
    found = simulated_sample_size(rare, "f1", "m", 0.4)
    missed = (1 - 25 / 1000) ** found.size.n
    assert found.undefined == pytest.approx(missed, abs=0.06)
    assert found.undefined > 0.05
    assert simulated_sample_size(rare, "f1", "m", 0.05).undefined == 0.0


@pytest.mark.parametrize(
    ("pilot", "metric", "options", "message"),
    [
        (BINARY, "recall", {}, "metric must be a function of the confusion counts"),
        (BINARY, "f1", {"half_width": 0.5}, r"half_width must be below 0\.5"),
        (BINARY, "f1", {"method": "bca"}, "method must be one of 'delta'"),
        (BINARY, "f1", {"n_draws": 10}, "n_draws must be a whole number of at least 100"),
        (BINARY, "f1", {"assurance": 1.0}, "assurance must be strictly between 0 and 1"),
        (pilot_of([[9, 0], [0, 9]]), "f1", {}, "must show how much F1 varies; it is 1 in it"),
        (pilot_of([[9, 0], [0, 0]]), "f1", {"label": "1"}, "it is undefined in it"),
    ],
)
def test_what_cannot_be_simulated_is_refused(pilot, metric, options, message):
    given = {"half_width": 0.1, **options}
    with pytest.raises(ValueError, match=message):
        simulated_sample_size(pilot, metric, "m", given.pop("half_width"), **given)


def test_a_pilot_with_groups_is_refused():
    grouped = make_predictions([0, 1, 1, 0], {"m": [0, 1, 0, 0]}, groups=np.array([0, 0, 1, 1]))
    with pytest.raises(ValueError, match="predictions must be of independent cases"):
        simulated_sample_size(grouped, "f1", "m", 0.1)
