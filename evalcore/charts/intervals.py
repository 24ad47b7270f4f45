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
    places = list(range(len(rows)))
    for place, row in zip(places, rows, strict=True):
        _draw(figure, place, row, factor, scale, palette)
    for place, row in zip(places, rows, strict=True):
        figure.add_annotation(
            x=1,
            xref="paper",
            xanchor="left",
            xshift=8,
            y=place,
            text=row.limits(scale),
            showarrow=False,
            font={"size": FONT_SIZE, "color": row.color or palette.quiet},
        )
    longest = max((len(row.limits(scale)) for row in rows), default=0)
    figure.update_layout(margin={"r": 16 + int(6.6 * longest)})
    figure.update_yaxes(
        tickmode="array",
        tickvals=places,
        ticktext=[plain(shorten(row.label)) for row in rows],
        range=[len(rows) - 0.5, -0.5],
        showgrid=False,
    )
    span = _range(rows, factor, bounds, symmetric=zero is not None)
    figure.update_xaxes(title_text=plain(axis), range=span, nticks=6)
    if zero is not None:
        _mark_zero(figure, zero, palette)
    said = "; ".join(
        f"{row.label}: {estimate_text(row.interval, scale)}, {row.limits(scale)}" for row in rows
    )
    return Chart(figure=figure, alt=f"{title}. {said}.", name=name)


def _draw(
    figure: go.Figure, place: int, row: Row, factor: float, scale: str, palette: Palette
) -> None:
    interval = row.interval
    if not interval.defined:
        return
    chosen = row.color is not None
    color = row.color or palette.quiet
    hover = f"{plain(row.label)}<br>{estimate_text(interval, scale)}<br>{row.limits(scale)}"
    if row.outer is not None and math.isfinite(row.outer.width):
        figure.add_trace(
            go.Scatter(
                x=[factor * row.outer.low, factor * row.outer.high],
                y=[place, place],
                mode="lines",
                cliponaxis=False,
                line={"color": color, "width": 1},
                hovertemplate=f"all at once: {range_text(row.outer, scale)}<extra></extra>",
            )
        )
    if math.isfinite(interval.low) and math.isfinite(interval.high):
        figure.add_trace(
            go.Scatter(
                x=[factor * interval.low, factor * interval.high],
                y=[place, place],
                mode="lines",
                cliponaxis=False,
                line={"color": color, "width": 6 if chosen else 3},
                hovertemplate=hover + "<extra></extra>",
            )
        )
    figure.add_trace(
        go.Scatter(
            x=[factor * interval.estimate],
            y=[place],
            mode="markers",
            cliponaxis=False,
            marker={
                "color": color,
                "size": 13 if chosen else 9,
                "line": {"color": palette.background, "width": 2},
            },
            hovertemplate=hover + "<extra></extra>",
        )
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
