"""Charts of the simulators: few traces, everything counted, readable without colour."""

import numpy as np

from evalcore.charts import (
    DARK,
    LIGHT,
    MOST_DRAWN,
    Axes,
    Line,
    cut_axis_chart,
    enlarge,
    lines_chart,
    pile_chart,
    reshuffle_chart,
    slices_chart,
    smallest_p_chart,
)
from evalcore.simulation import ShareWorld, join_piles, leaderboards, pile_block

PILE = join_piles(
    [pile_block(ShareWorld(truth=0.9), 50, b, method="wald", seed=1) for b in range(6)], 500
)


def draw(**options):
    given = {"title": "Intervals", "axis": "accuracy", "palette": LIGHT, "by_score": False}
    return pile_chart(PILE, **given | options)


def test_a_pile_has_one_trace_of_lines_and_one_of_marks_per_kind():
    chart = draw()
    assert [trace.mode for trace in chart.figure.data] == ["lines", "markers"] * 2
    hits, misses = chart.figure.data[1], chart.figure.data[3]
    held = PILE.held[-MOST_DRAWN:]
    assert (len(hits.x), len(misses.x)) == (held.sum(), (~held).sum())
    assert hits.marker.symbol != misses.marker.symbol
    assert hits.marker.color != misses.marker.color
    lines = np.array(chart.figure.data[2].x, float).reshape(-1, 3)
    assert np.isnan(lines[:, 2]).all()
    np.testing.assert_allclose(lines[:, 0], PILE.low[-MOST_DRAWN:][~held])


def test_a_pile_counts_more_than_it_draws():
    said = draw().alt
    assert f"The last {MOST_DRAWN} of 500 intervals" in said
    assert f"{PILE.held.sum():,} hold the truth" in said


def test_a_pile_sorted_by_score_rises():
    marks = [draw(by_score=True).figure.data[place] for place in (1, 3)]
    rows = np.concatenate([trace.y for trace in marks])
    scores = np.concatenate([trace.x for trace in marks])
    assert np.all(np.diff(scores[np.argsort(rows)]) >= 0)
    arrival = draw().figure.data[1]
    assert np.all(np.diff(arrival.y) > 0)


def test_an_empty_pile_is_drawn():
    chart = pile_chart(
        join_piles([PILE], 0), title="Intervals", axis="x", palette=DARK, by_score=False
    )
    assert "The last 0 of 0" in chart.alt


def test_lines_differ_without_colour():
    x = np.array([1.0, 10.0])
    lines = [Line(label=f"l{i}", x=x, y=x + i, marked=True) for i in range(4)]
    axes = Axes(x="cases", y="percent", log=True, reference=(5.0, "promised"))
    chart = lines_chart(lines, axes, title="Curves", palette=LIGHT, name="curves")
    styles = {(trace.line.dash, trace.marker.symbol) for trace in chart.figure.data}
    assert len(styles) == 4
    assert "l3: 4 at 1, 13 at 10" in chart.alt
    assert chart.figure.layout.xaxis.type == "log"


def test_bands_stay_out_of_the_legend():
    x = np.array([1.0, 2.0])
    line = Line(label="a", x=x, y=x, low=x - 1, high=x + 1)
    chart = lines_chart([line], Axes(x="x", y="y"), title="T", palette=LIGHT, name="n")
    assert [trace.showlegend for trace in chart.figure.data] == [False, None]


def test_smallest_p_values_below_the_line_are_marked():
    smallest = np.array([0.01, 0.02, 0.049, 0.3, 0.8])
    chart = smallest_p_chart(smallest, 0.05, title="Smallest", palette=LIGHT)
    below, above = chart.figure.data
    assert list(below.y) == [3]
    assert sum(above.y) == 2
    assert below.marker.pattern.shape == "/"
    assert "3 of 5 batches have a p-value below 0.05" in chart.alt


def test_reshuffled_ranks_and_slices():
    boards = leaderboards([0.7, 0.8, 0.9], 40, 40, n_repeats=4, rng=1)
    chart = reshuffle_chart(boards, title="Ranks", palette=LIGHT, repeat=2)
    winner = chart.figure.data[2]
    assert winner.y[0] == boards.ranks(2)[0][boards.winner[2]]
    assert len({trace.marker.symbol for trace in chart.figure.data}) == 3
    chart = slices_chart(boards, title="Slices", palette=LIGHT, repeat=2)
    first, second = chart.figure.data[1], chart.figure.data[2]
    assert np.all(np.diff(first.x) >= 0)
    assert sorted(second.x) == sorted(100 * boards.private[2])


def test_a_cut_axis_says_what_it_does():
    chart = cut_axis_chart((0.97, 0.98), start=96.0, title="Cut", palette=LIGHT)
    assert chart.figure.layout.yaxis.range[0] == 96.0
    assert "2 times as high" in chart.alt


def test_a_projected_chart_has_large_type():
    chart = draw()
    height = chart.figure.layout.height
    large = enlarge(chart).figure.layout
    assert large.font.size >= 18
    assert large.xaxis.tickfont.size >= 18
    assert large.height > height
