"""Charts show what they are given: literal names, both axes with units, an alternative text."""

from __future__ import annotations

import math

import numpy as np
import plotly.graph_objects as go
import pytest

from evalcore.binomial import proportion_interval
from evalcore.charts import (
    DARK,
    LIGHT,
    Row,
    agreement_chart,
    bootstrap_chart,
    confusion_chart,
    curve_chart,
    error_chart,
    interval_chart,
    pair_chart,
    plain,
    rank_chart,
)
from evalcore.charts.style import Chart, shorten, translucent
from evalcore.comparison import compare_all, compare_models
from evalcore.confusion import confusion_matrix
from evalcore.intervals.bands import precision_recall_band, reliability_band, roc_band
from evalcore.predictions import make_predictions
from tests.samples import sample

ACCURACY = proportion_interval(349, 360)


def rows() -> list[Row]:
    return [
        Row(label="network", interval=ACCURACY, color=LIGHT.model(0)),
        Row(label="nothing", interval=proportion_interval(0, 0)),
    ]


def axis_of(chart: Chart, name: str) -> go.layout.XAxis:
    return chart.figure.layout[name]


def test_plotly_gets_no_markup_from_a_name() -> None:
    assert (
        plain('<b>x</b> <a href="http://e.org">')
        == '&lt;b&gt;x&lt;/b&gt; &lt;a href="http://e.org"&gt;'
    )
    assert "$" not in plain("$x^2$")
    assert plain("two\nlines") == "two lines"


def test_long_names_are_cut() -> None:
    assert shorten("a" * 40, 10) == "a" * 9 + "…"
    assert shorten("short") == "short"


def test_colours_let_the_background_through() -> None:
    assert translucent("#0072B2", 0.5) == "rgba(0,114,178,0.5)"


def test_intervals_are_in_percent_and_said_in_words() -> None:
    chart = interval_chart(
        rows(), title="Accuracy", axis="accuracy, percent", scale="percent", palette=LIGHT, name="x"
    )
    bar = chart.figure.data[0]
    assert list(bar.x[:2]) == pytest.approx([100 * ACCURACY.low, 100 * ACCURACY.high])
    assert len(chart.figure.data[-1].x) == 1, "an undefined estimate has no point"
    assert axis_of(chart, "xaxis").title.text == "accuracy, percent"
    assert "network: 96.9%, 94.6% to 98.3%" in chart.alt
    assert "nan" not in chart.alt
    low, high = axis_of(chart, "xaxis").range
    assert low < 100 * ACCURACY.low < 100 * ACCURACY.high < high


def test_an_interval_on_a_bound_is_not_cut() -> None:
    perfect = proportion_interval(35, 35)
    chart = interval_chart(
        [Row(label="a", interval=perfect)], title="t", axis="a", scale="percent", palette=LIGHT,
        name="x", bounds=(0.0, 1.0),
    )  # fmt: skip
    assert 100 < axis_of(chart, "xaxis").range[1] < 101


def test_a_gap_always_has_zero_in_the_middle() -> None:
    found = compare_models(sample("digits"), "accuracy", "network", "logreg")
    chart = interval_chart(
        [Row(label="gap", interval=found.difference)], title="Gap", axis="points",
        scale="percent", palette=LIGHT, name="gap", zero=("← B", "A →"),
    )  # fmt: skip
    low, high = axis_of(chart, "xaxis").range
    assert low == pytest.approx(-high)
    assert {"← B", "A →"} <= {note.text for note in chart.figure.layout.annotations}


def test_the_matrix_sets_right_and_wrong_apart() -> None:
    matrix = confusion_matrix(sample("digits"), "network")
    chart = confusion_chart(matrix, title="Matrix", palette=LIGHT, chosen=("8", "1"))
    right, wrong, targets = chart.figure.data
    assert np.nansum(np.asarray(right.z, float)) == 349
    assert np.nansum(np.asarray(wrong.z, float)) == 11
    assert len(targets.x) == 100
    assert list(targets.customdata[81]) == ["8", "1"]
    assert "349 of 360 cases are right" in chart.alt
    assert chart.figure.layout.yaxis.title.text == "true class"
    assert "predicted class" in [note.text for note in chart.figure.layout.annotations]
    outline = chart.figure.layout.shapes[0]
    assert (outline.y0, outline.x0) == (7.5, 0.5)


def test_shares_are_of_the_row_and_an_empty_row_is_blank() -> None:
    predictions = make_predictions(["a", "a"], {"m": ["a", "b"]})
    chart = confusion_chart(
        confusion_matrix(predictions, "m"), title="Matrix", palette=DARK, shares=True
    )
    assert np.asarray(chart.figure.data[0].z, float)[0, 0] == 50
    assert np.isnan(np.asarray(chart.figure.data[0].z, float)[1, 1])


def test_hostile_class_names_stay_text() -> None:
    predictions = make_predictions(["<b>a</b>", "$x$"], {"m": ["<b>a</b>", "<b>a</b>"]})
    chart = confusion_chart(confusion_matrix(predictions, "m"), title="<i>t</i>", palette=LIGHT)
    shown = [*chart.figure.layout.xaxis.ticktext, *chart.figure.data[2].hovertext]
    assert not any("<b>a" in text or "$" in text for text in shown)
    assert "<i>" not in chart.figure.layout.title.text


def test_the_bootstrap_chart_counts_every_draw() -> None:
    draws = np.append(np.random.default_rng(0).normal(0.97, 0.01, 500), np.nan)
    chart = bootstrap_chart(
        draws, ACCURACY, title="Resamples", axis="accuracy", scale="percent", palette=LIGHT,
        color=LIGHT.model(0),
    )  # fmt: skip
    assert sum(chart.figure.data[0].y) == 500
    assert "500 resamples around 96.9%" in chart.alt


def test_the_largest_errors_are_named() -> None:
    chart = error_chart(
        np.array([0.1, -50.0, 2.0, 0.3]), ["a", "b", "c", "d"], title="Errors", palette=LIGHT,
        color=LIGHT.model(0),
    )  # fmt: skip
    assert [note.text for note in chart.figure.layout.annotations] == ["b", "c", "d"]
    assert "b: −50" in chart.alt


@pytest.mark.parametrize("band_of", [roc_band, precision_recall_band, reliability_band])
def test_curves_have_their_bands(band_of) -> None:
    band = band_of(sample("breast_cancer"), "forest", "malignant")
    chart = curve_chart(
        band, title="Curve", x_axis="x", y_axis="y", palette=LIGHT, color=LIGHT.model(1),
        name="curve", diagonal="chance",
    )  # fmt: skip
    assert len(chart.figure.data[-1].x) == len(band.x)
    assert "pointwise" not in chart.alt
    assert f"{len(band.x)} points" in chart.alt


def test_the_table_of_agreement_and_the_charts_of_many() -> None:
    digits = compare_models(sample("digits"), "accuracy", "network", "logreg")
    chart = agreement_chart(digits, title="Who is right", palette=LIGHT)
    assert "both right: 345, only network: 4, only logreg: 2, both wrong: 9" in chart.alt
    many = compare_all(sample("listings"), "mae", n_resamples=499)
    pairs = pair_chart(many, title="Gaps", palette=DARK, level=0.95)
    assert pairs.alt.count("adjusted p") == 3
    ranks = rank_chart(many, title="Ranks", palette=DARK)
    assert sum(math.isfinite(x) for trace in ranks.figure.data for x in trace.x) == 9
    assert ranks.figure.layout.xaxis.title.text == "rank, 1 is best"
