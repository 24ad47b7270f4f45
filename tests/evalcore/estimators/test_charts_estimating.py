"""Charts of estimators, of error against k and of rounds."""

from __future__ import annotations

import math

import pytest

from evalcore.charts import DARK, LIGHT, Block, Spread, neighbour_chart, rounds_chart, spread_chart
from evalcore.estimators.study import NeighbourCurve

ROWS = [
    Spread(label="Apparent error", values=[0.0, 0.02], text="1 fit", place=1),
    Spread(label="K-fold", values=[0.3, 0.2], text="10 fits", place=0),
]


def test_every_repetition_the_means_and_the_truth_are_drawn():
    chart = spread_chart(
        ROWS, truth=0.27, title="Error", axis="error, percent", palette=LIGHT, name="n"
    )
    points, means = chart.figure.data[0::2], chart.figure.data[1::2]
    assert [list(trace.x) for trace in points] == [[30.0, 20.0], [0.0, 2.0]]
    assert [list(trace.x) for trace in means] == [[25.0], [1.0]]
    assert [trace.y[0] for trace in means] == [1, 0]
    assert {trace.marker.symbol for trace in means} == {"circle", "diamond"}
    assert chart.figure.layout.shapes[0].x0 == 27.0
    assert "K-fold: mean 25.0%, from 20.0% to 30.0%, 10 fits" in chart.alt
    assert chart.alt.endswith("The true error is 27.0%.")
    unknown = spread_chart(ROWS, truth=math.nan, title="E", axis="a", palette=DARK, name="n")
    assert not unknown.figure.layout.shapes


@pytest.mark.parametrize("true", [(0.3, 0.2), (math.nan, math.nan)])
def test_known_errors_are_drawn_against_k(true):
    curve = NeighbourCurve(ks=(1, 9), apparent=(0.0, 0.2), cross_validated=(0.3, 0.2), true=true)
    chart = neighbour_chart(curve, title="Curve", palette=LIGHT, chosen=9)
    known = 3 if math.isfinite(true[0]) else 2
    assert len(chart.figure.data) == known + 1
    assert chart.figure.data[-1].x[0] == 9
    assert ("true error by k 1: 30.0%" in chart.alt) == (known == 3)
    # Ends that coincide get labels that do not.
    shifts = [note.yshift for note in chart.figure.layout.annotations]
    assert len(set(shifts)) == known
    assert sorted(shifts)[1] - sorted(shifts)[0] >= 12


def test_each_round_shows_what_every_fold_is_there_for():
    roles = [["validate", "fit"], ["fit", "test"]]
    rounds = [[Block(cases=5, role=role) for role in line] for line in roles]
    chart = rounds_chart(rounds, title="Rounds", palette=LIGHT)
    assert [list(bar.text) for bar in chart.figure.data] == [["V", ""], ["", "T"]]
    assert [list(bar.x) for bar in chart.figure.data] == [[5, 5], [5, 5]]
    colors = {color for bar in chart.figure.data for color in bar.marker.color}
    assert len(colors) == 3
    assert "round 1: validate fold 1; round 2: test fold 2; all other folds fit" in chart.alt
