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
    """

    label: str
    interval: Interval
    color: str | None = None
    outer: Interval | None = None


def interval_chart(
    rows: Sequence[Row],
    *,
    title: str,
    axis: str,
    scale: str,
    palette: Palette,
    name: str,
    bounds: tuple[float, float] = (-math.inf, math.inf),
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
    """
    factor = 100.0 if scale == "percent" else 1.0
    figure = base_figure(title, height=86 + ROW_HEIGHT * max(len(rows), 1), palette=palette)
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
            text=range_text(row.interval, scale),
            showarrow=False,
            font={"size": FONT_SIZE, "color": row.color or palette.quiet},
        )
    longest = max((len(range_text(row.interval, scale)) for row in rows), default=0)
    figure.update_layout(margin={"r": 16 + int(6.6 * longest)})
    figure.update_yaxes(
        tickmode="array",
        tickvals=places,
        ticktext=[plain(shorten(row.label)) for row in rows],
        range=[len(rows) - 0.5, -0.5],
        showgrid=False,
    )
    figure.update_xaxes(title_text=plain(axis), range=_range(rows, factor, bounds), nticks=6)
    said = "; ".join(
        f"{row.label}: {estimate_text(row.interval, scale)}, {range_text(row.interval, scale)}"
        for row in rows
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
    hover = (
        f"{plain(row.label)}<br>{estimate_text(interval, scale)}<br>{range_text(interval, scale)}"
    )
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


def _range(
    rows: Sequence[Row], factor: float, bounds: tuple[float, float]
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
    room = 0.06 * (high - low) or 0.05 * (abs(high) or 1.0)
    # Padding stops just past a bound, so that a limit on the bound is still drawn whole.
    low_end = max(low - room, min(low, bounds[0]) - 0.015 * (high - low + room))
    high_end = min(high + room, max(high, bounds[1]) + 0.015 * (high - low + room))
    return factor * low_end, factor * high_end
