"""Intervals side by side: the methods of one metric, the classes of one model, the models."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from evalcore.charts.style import FONT_SIZE, Chart, Palette, base_figure, plain, shorten
from evalcore.results import Interval
from evalcore.wording import estimate_text, range_text

ROW_HEIGHT = 34
HAIRLINE, THIN, THICK = 1, 3, 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of an interval chart.

    Attributes
    ----------
    label : str
        Written at the left.
    interval : Interval
    color : str or None
        None draws it thin and grey: not the one in question.
    outer : Interval or None
        A wider interval of the same estimate, drawn as a hairline.
    text : str or None
        Written at the right, in place of the limits.
    """

    label: str
    interval: Interval
    color: str | None = None
    outer: Interval | None = None
    text: str | None = None

    def limits(self, scale: str) -> str:
        """Return what is written at the right of the line."""
        return range_text(self.interval, scale) if self.text is None else self.text


def interval_chart(
    rows: Sequence[Row],
    *,
    title: str,
    axis: str,
    scale: str,
    palette: Palette,
    name: str,
    bounds: tuple[float, float] = (-math.inf, math.inf),
    zero: tuple[str, str] | None = None,
) -> Chart:
    """Return a chart of intervals, one a line, first on top, the limits written at the right.

    Parameters
    ----------
    rows : sequence of Row
    title, axis : str
        What the chart shows; what is on its axis, with the unit.
    scale : {"percent", "number", "target"}
    bounds : (float, float)
        Range of the metric; the axis is never drawn beyond it by padding alone.
    zero : (str, str), optional
        For differences: 0 is on the axis, marked, and these words stand to its left and right.
    """
    factor = 100.0 if scale == "percent" else 1.0
    room = 86 if zero is None else 118
    figure = base_figure(title, height=room + ROW_HEIGHT * max(len(rows), 1), palette=palette)
    figure.add_traces([*_lines(rows, factor, palette), _points(rows, factor, scale, palette)])
    longest = max((len(row.limits(scale)) for row in rows), default=0)
    span = _range(rows, factor, bounds, symmetric=zero is not None)
    # All at once: Plotly checks a layout as a whole each time a part of it is added.
    figure.update_layout(
        margin={"r": 16 + int(6.6 * longest)},
        annotations=[
            {
                "x": 1,
                "xref": "paper",
                "xanchor": "left",
                "xshift": 8,
                "y": place,
                "text": row.limits(scale),
                "showarrow": False,
                "font": {"size": FONT_SIZE, "color": row.color or palette.quiet},
            }
            for place, row in enumerate(rows)
        ],
        xaxis={"title": {"text": plain(axis)}, "range": span, "nticks": 6},
        yaxis={
            "tickmode": "array",
            "tickvals": list(range(len(rows))),
            "ticktext": [plain(shorten(row.label)) for row in rows],
            "range": [len(rows) - 0.5, -0.5],
            "showgrid": False,
        },
    )
    if zero is not None:
        _mark_zero(figure, zero, palette)
    said = "; ".join(
        f"{row.label}: {estimate_text(row.interval, scale)}, {row.limits(scale)}" for row in rows
    )
    return Chart(figure=figure, alt=f"{title}. {said}.", name=name)


def _lines(rows: Sequence[Row], factor: float, palette: Palette) -> list[go.Scatter]:
    """Return one trace for each colour and width of line, hairlines first, under the others."""
    drawn: dict[tuple[int, str], tuple[list[float | None], list[int | None]]] = {}
    for place, row in enumerate(rows):
        color = row.color or palette.quiet
        thick = THIN if row.color is None else THICK
        for width, one in ((HAIRLINE, row.outer), (thick, row.interval)):
            if one is not None and one.defined and math.isfinite(one.width):
                x, y = drawn.setdefault((width, color), ([], []))
                x += [factor * one.low, factor * one.high, None]
                y += [place, place, None]
    return [
        go.Scatter(
            x=x,
            y=y,
            mode="lines",
            cliponaxis=False,
            line={"color": color, "width": width},
            hoverinfo="skip",
        )
        for (width, color), (x, y) in sorted(drawn.items(), key=lambda item: item[0][0])
    ]


def _points(rows: Sequence[Row], factor: float, scale: str, palette: Palette) -> go.Scatter:
    shown = [(place, row) for place, row in enumerate(rows) if row.interval.defined]
    return go.Scatter(
        x=[factor * row.interval.estimate for _, row in shown],
        y=[place for place, _ in shown],
        mode="markers",
        cliponaxis=False,
        marker={
            "color": [row.color or palette.quiet for _, row in shown],
            "size": [9 if row.color is None else 13 for _, row in shown],
            "opacity": 1,
            "line": {"color": palette.background, "width": 2},
        },
        hovertext=[
            f"{plain(row.label)}<br>{estimate_text(row.interval, scale)}<br>{row.limits(scale)}"
            + (f"<br>all at once: {range_text(row.outer, scale)}" if row.outer is not None else "")
            for _, row in shown
        ],
        hoverinfo="text",
    )


def _mark_zero(figure: go.Figure, words: tuple[str, str], palette: Palette) -> None:
    figure.add_vline(x=0, line={"color": palette.text, "width": 1.5})
    for text, anchor, shift in ((words[0], "right", -8), (words[1], "left", 8)):
        figure.add_annotation(
            x=0, y=1, yref="paper", yanchor="bottom", xanchor=anchor, xshift=shift,
            text=plain(shorten(text, 22)), showarrow=False,
            font={"size": 12, "color": palette.quiet},
        )  # fmt: skip
    figure.update_layout(margin={"t": figure.layout.margin.t + 16})


def _range(
    rows: Sequence[Row], factor: float, bounds: tuple[float, float], *, symmetric: bool = False
) -> tuple[float, float] | None:
    ends = [
        end
        for one in (i for row in rows for i in (row.interval, row.outer) if i is not None)
        for end in (one.low, one.estimate, one.high)
        if math.isfinite(end)
    ]
    if not ends:
        return None
    low, high = min(ends), max(ends)
    if symmetric:
        # Both directions get the same room, so that no gap looks larger than it is.
        high = max(abs(low), abs(high)) or 1.0
        return -1.08 * factor * high, 1.08 * factor * high
    room = 0.06 * (high - low) or 0.05 * (abs(high) or 1.0)
    # Padding stops just past a bound, so that a limit on the bound is still drawn whole.
    low_end = max(low - room, min(low, bounds[0]) - 0.015 * (high - low + room))
    high_end = min(high + room, max(high, bounds[1]) + 0.015 * (high - low + room))
    return factor * low_end, factor * high_end
