"""Charts of the simulators: piles of intervals, curves, reshuffled ranks, a cut axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from evalcore.charts.style import Chart, Palette, base_figure, plain, translucent
from evalcore.simulation import Leaderboards, Pile

HEIGHT = 380
MOST_DRAWN = 200
LARGE = 19
LEGEND_LINE = 16
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "star")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Line:
    """One curve.

    Attributes
    ----------
    label : str
    x, y : ndarray, shape (m,)
    low, high : ndarray or None
        A band around the curve.
    marked : bool
        Whether every point has a mark.
    """

    label: str
    x: np.ndarray
    y: np.ndarray
    low: np.ndarray | None = None
    high: np.ndarray | None = None
    marked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Axes:
    """What stands on the two axes of a curve chart.

    Attributes
    ----------
    x, y : str
        Titles, with the unit.
    log : bool
        Whether x is logarithmic.
    y_range : (float, float) or None
    reference : (float, str) or None
        A level of y to compare with, and what it is.
    """

    x: str
    y: str
    log: bool = False
    y_range: tuple[float, float] | None = None
    reference: tuple[float, str] | None = None


def lines_chart(
    lines: Sequence[Line], axes: Axes, *, title: str, palette: Palette, name: str
) -> Chart:
    """Return curves that differ in colour and in dash or mark, named in a legend below.

    Parameters
    ----------
    lines : sequence of Line
    axes : Axes
    title, name : str
    """
    # On a phone every name takes a line of its own below the chart.
    room = LEGEND_LINE * max(len(lines) - 2, 0)
    figure = base_figure(title, height=HEIGHT + room, palette=palette)
    for place, line in enumerate(lines):
        _draw_line(figure, line, place, palette)
    if axes.reference is not None:
        level, words = axes.reference
        figure.add_hline(y=level, line={"color": palette.quiet, "width": 1.5, "dash": "dot"})
        figure.add_annotation(
            x=1, xref="paper", xanchor="right", y=level, yanchor="bottom", text=plain(words),
            showarrow=False, font={"size": 12, "color": palette.quiet},
        )  # fmt: skip
    figure.update_xaxes(title_text=plain(axes.x), nticks=7)
    if axes.log:
        figure.update_xaxes(type="log", tickformat=",~s", dtick="D2")
    figure.update_yaxes(title_text=plain(axes.y), nticks=6)
    if axes.y_range is not None:
        figure.update_yaxes(range=list(axes.y_range))
    figure.update_layout(
        showlegend=len(lines) > 1,
        legend={"orientation": "h", "y": -0.25, "yanchor": "top", "x": 0, "itemwidth": 34},
    )
    said = "; ".join(
        f"{line.label}: {line.y[0]:.4g} at {line.x[0]:,.4g}, {line.y[-1]:.4g} at {line.x[-1]:,.4g}"
        for line in lines
        if len(line.x)
    )
    return Chart(figure=figure, alt=f"{title}. {axes.y} by {axes.x}. {said}.", name=name)


def _draw_line(figure: go.Figure, line: Line, place: int, palette: Palette) -> None:
    color = palette.model(place)
    if line.low is not None and line.high is not None:
        figure.add_trace(
            go.Scatter(
                x=np.concatenate([line.x, line.x[::-1]]),
                y=np.concatenate([line.high, line.low[::-1]]),
                fill="toself",
                fillcolor=translucent(color, 0.16),
                line={"width": 0},
                hoverinfo="skip",
                showlegend=False,
            )
        )
    figure.add_trace(
        go.Scatter(
            x=line.x,
            y=line.y,
            name=plain(line.label),
            mode="lines+markers" if line.marked else "lines",
            line={"color": color, "width": 2.5, "dash": DASHES[place % len(DASHES)]},
            marker={"size": 9, "symbol": SYMBOLS[place % len(SYMBOLS)]},
            hovertemplate=f"{plain(line.label)}<br>%{{x:,.4~g}}: %{{y:.4~g}}<extra></extra>",
        )
    )


def pile_chart(pile: Pile, *, title: str, axis: str, palette: Palette, by_score: bool) -> Chart:
    """Return the last 200 intervals of a pile, hits and misses apart in colour and in shape.

    Hits have a dot and a thin line, misses a cross and a thick one.

    Parameters
    ----------
    pile : Pile
    title, axis : str
    by_score : bool
        Sorted by score in place of the order of arrival.
    """
    start = max(0, pile.n_sets - MOST_DRAWN)
    shown = slice(start, pile.n_sets)
    score, low, high, held = (a[shown] for a in (pile.score, pile.low, pile.high, pile.held))
    defined = np.isfinite(low)
    order = np.argsort(score, kind="stable") if by_score else np.arange(len(score))
    number = start + 1.0 + np.arange(len(score))
    row = np.empty(len(score))
    row[order] = np.arange(len(score), dtype=float)
    figure = base_figure(title, height=HEIGHT + 90, palette=palette)
    # A rim around the crosses keeps them apart from the lines that they stand on.
    misses = Kind("misses the truth", palette.wrong, "x", 10, 2.2, palette.background)
    kinds = (
        (held & defined, Kind("holds the truth", palette.right, "circle", 5, 1.3)),
        (~held & defined, misses),
    )
    for which, kind in kinds:
        ends = (low[which], high[which])
        _draw_intervals(figure, score[which], ends, row[which], number[which], kind)
    figure.add_vline(x=pile.truth, line={"color": palette.text, "width": 2})
    figure.add_annotation(
        x=pile.truth, y=1, yref="paper", yanchor="bottom", text="the truth", showarrow=False,
        font={"color": palette.text, "size": 12},
    )  # fmt: skip
    figure.update_xaxes(title_text=plain(axis), nticks=7)
    figure.update_yaxes(
        showticklabels=False,
        showgrid=False,
        range=[max(len(score), 20) - 0.4, -0.6],
        title_text="lowest to highest score" if by_score else "first to last test set",
    )
    figure.update_layout(
        showlegend=True,
        legend={"orientation": "h", "y": -0.18, "yanchor": "top", "x": 0},
        margin={"t": figure.layout.margin.t + 16},
    )
    alt = (
        f"{title}. The last {len(score):,} of {pile.n_sets:,} intervals; of all, "
        f"{int(pile.held.sum()):,} hold the truth {pile.truth:.4g} and "
        f"{int(pile.held_next.sum()):,} hold the next test set's score."
    )
    return Chart(figure=figure, alt=alt, name="pile")


class Kind(NamedTuple):
    """How the intervals of one kind are drawn; ``rim`` is the colour around their marks."""

    words: str
    color: str
    symbol: str
    size: int
    width: float
    rim: str | None = None


def _draw_intervals(
    figure: go.Figure,
    score: np.ndarray,
    ends: tuple[np.ndarray, np.ndarray],
    row: np.ndarray,
    number: np.ndarray,
    kind: Kind,
) -> None:
    figure.add_trace(
        go.Scatter(
            x=_segments(*ends),
            y=_segments(row, row),
            mode="lines",
            line={"color": kind.color, "width": kind.width},
            hoverinfo="skip",
            showlegend=False,
        )
    )
    figure.add_trace(
        go.Scatter(
            x=score,
            y=row,
            mode="markers",
            name=kind.words,
            marker={
                "color": kind.color,
                "symbol": kind.symbol,
                "size": kind.size,
                "line": {"color": kind.rim, "width": 0 if kind.rim is None else 1},
            },
            customdata=np.column_stack([number, *ends]),
            hovertemplate=(
                f"test set %{{customdata[0]:,.0f}} {kind.words}<br>%{{x:.4~g}} "
                "(%{customdata[1]:.4~g} to %{customdata[2]:.4~g})<extra></extra>"
            ),
        )
    )


def smallest_p_chart(
    smallest: np.ndarray, significance: float, *, title: str, palette: Palette
) -> Chart:
    """Return the histogram of the smallest p-value of each batch, those below the line marked.

    Parameters
    ----------
    smallest : ndarray, shape (n_batches,)
    significance : float
    title : str
    """
    edges = np.arange(0.0, 1.0 + significance / 2, significance)
    edges = edges if edges[-1] >= 1.0 else np.append(edges, 1.0)
    counts, _ = np.histogram(smallest, bins=edges)
    figure = base_figure(title, height=HEIGHT - 60, palette=palette)
    for part, color, pattern in (
        (slice(0, 1), palette.wrong, "/"),
        (slice(1, None), palette.quiet, ""),
    ):
        figure.add_trace(
            go.Bar(
                x=((edges[:-1] + edges[1:]) / 2)[part],
                y=counts[part],
                width=(np.diff(edges) * 0.94)[part],
                marker={"color": color, "line": {"width": 0}, "pattern": {"shape": pattern}},
                hovertemplate="around %{x:.3f}: %{y:,} batches<extra></extra>",
            )
        )
    figure.add_annotation(
        x=edges[1], xanchor="left", xshift=6, y=counts[0], yanchor="top", showarrow=False,
        text=f"{counts[0]:,} batches below {significance:g}", font={"color": palette.text},
    )  # fmt: skip
    figure.update_xaxes(title_text="smallest p-value of a batch", range=[0, 1], nticks=6)
    figure.update_yaxes(title_text="batches", nticks=5)
    alt = (
        f"{title}. {counts[0]:,} of {len(smallest):,} batches have a p-value below "
        f"{significance:g}."
    )
    return Chart(figure=figure, alt=alt, name="smallest_p")


def reshuffle_chart(boards: Leaderboards, *, title: str, palette: Palette, repeat: int) -> Chart:
    """Return one leaderboard's ranks in public and in private, joined by lines.

    The public winner is drawn thick with diamonds, the truly best with squares.
    """
    public, private = boards.ranks(repeat)
    winner = int(boards.winner[repeat])
    figure = base_figure(title, height=HEIGHT, palette=palette)
    rest = np.setdiff1d(np.arange(len(public)), [winner, 0])
    groups = (
        (rest, palette.quiet, 1.0, "circle", 5, "others"),
        (np.array([0]), palette.right, 2.5, "square", 9, "truly best"),
        (np.array([winner]), palette.wrong, 3.5, "diamond", 11, "public winner"),
    )
    for which, color, width, symbol, size, words in groups:
        figure.add_trace(
            go.Scatter(
                x=_segments(np.zeros(len(which)), np.ones(len(which))),
                y=_segments(public[which], private[which]),
                mode="lines+markers",
                name=words,
                line={"color": color, "width": width},
                marker={"symbol": symbol, "size": size},
                hovertemplate="rank %{y:.0f}<extra></extra>",
            )
        )
    figure.update_xaxes(
        tickvals=[0, 1], ticktext=["public set", "private set"], range=[-0.12, 1.12], showgrid=False
    )
    figure.update_yaxes(
        title_text="rank, 1 is best", range=[len(public) + 0.6, 0.4], nticks=6, showgrid=False
    )
    figure.update_layout(
        showlegend=True, legend={"orientation": "h", "y": -0.12, "yanchor": "top", "x": 0}
    )
    alt = (
        f"{title}. The public winner of {len(public)} is number {private[winner]:.3g} on the "
        f"private set; the truly best is number {public[0]:.3g} in public and {private[0]:.3g} "
        "in private."
    )
    return Chart(figure=figure, alt=alt, name="reshuffle")


def slices_chart(boards: Leaderboards, *, title: str, palette: Palette, repeat: int) -> Chart:
    """Return the scores of slices on one test set and on the next, lowest first; percent."""
    order = np.argsort(boards.public[repeat], kind="stable")
    first, second = (100.0 * board[repeat][order] for board in (boards.public, boards.private))
    places = np.arange(len(first), dtype=float)
    figure = base_figure(title, height=134 + 17 * len(first), palette=palette)
    figure.add_trace(
        go.Scatter(
            x=_segments(first, second), y=_segments(places, places), mode="lines",
            line={"color": palette.grid, "width": 3}, hoverinfo="skip", showlegend=False,
        )
    )  # fmt: skip
    for values, color, symbol, words in (
        (first, palette.model(0), "circle", "this test set"),
        (second, palette.model(1), "diamond-open", "the next test set"),
    ):
        figure.add_trace(
            go.Scatter(
                x=values, y=places, mode="markers", name=words,
                marker={"color": color, "symbol": symbol, "size": 10, "line": {"width": 2}},
                hovertemplate="%{x:.1f}%<extra></extra>",
            )
        )  # fmt: skip
    figure.update_xaxes(title_text="accuracy of the slice, percent", nticks=7)
    names = [f"slice {place + 1}" for place in order]
    figure.update_yaxes(
        tickmode="array", tickvals=places, ticktext=names, showgrid=False,
        range=[len(first) - 0.4, -0.6],
    )  # fmt: skip
    figure.update_layout(
        showlegend=True,
        legend={"orientation": "h", "y": -60 / (40 + 17 * len(first)), "yanchor": "top", "x": 0},
    )
    again = int(np.argmin(second))
    alt = (
        f"{title}. {names[0]} is lowest with {first[0]:.1f}% and has {second[0]:.1f}% next time, "
        f"when {names[again]} is lowest with {second[again]:.1f}%."
    )
    return Chart(figure=figure, alt=alt, name="slices")


def cut_axis_chart(scores: Sequence[float], *, start: float, title: str, palette: Palette) -> Chart:
    """Return two scores as bars on an axis that starts at ``start`` percent: how not to show them.

    Parameters
    ----------
    scores : (float, float)
        Fractions, of A and of B.
    start : float
        Percent, below both scores.
    """
    percent = [100.0 * score for score in scores]
    figure = base_figure(title, height=HEIGHT - 70, palette=palette)
    figure.add_trace(
        go.Bar(
            x=["A", "B"],
            y=percent,
            width=0.55,
            marker={"color": [palette.model(0), palette.model(1)], "line": {"width": 0}},
            text=[f"{value:.1f}%" for value in percent],
            textposition="outside",
            cliponaxis=False,
            hoverinfo="skip",
        )
    )
    top = max(percent) + 0.18 * (max(percent) - start)
    figure.update_yaxes(title_text="accuracy, percent", range=[start, min(top, 108.0)], nticks=5)
    figure.update_xaxes(type="category")
    ratio = (percent[1] - start) / max(percent[0] - start, 1e-9)
    alt = (
        f"{title}. A {percent[0]:.1f}%, B {percent[1]:.1f}% on an axis from {start:g}%, where the "
        f"bar of B is {ratio:.2g} times as high as that of A."
    )
    return Chart(figure=figure, alt=alt, name="cut_axis")


def enlarge(chart: Chart) -> Chart:
    """Return a chart for a projector: large type, a third higher. The figure itself is changed."""
    figure = chart.figure
    figure.update_layout(
        font_size=LARGE, title_font_size=LARGE + 5, legend_font_size=LARGE,
        height=figure.layout.height * 1.3,
        margin={"t": figure.layout.margin.t + 12},
    )  # fmt: skip
    figure.update_xaxes(tickfont_size=LARGE, title_font_size=LARGE)
    figure.update_yaxes(tickfont_size=LARGE, title_font_size=LARGE)
    figure.update_annotations(font_size=LARGE)
    return chart


def _segments(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Return start, end, nan, start, end, nan ...: many lines in one trace."""
    return np.column_stack([start, end, np.full(len(start), np.nan)]).ravel()
