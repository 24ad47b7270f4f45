"""Plans as curves: power against cases, labels against the gap, what a budget buys."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from evalcore.charts.style import Chart, Palette, base_figure, plain

HEIGHT = 320


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Curve:
    """One line of a plan chart.

    Attributes
    ----------
    label : str
        Written at the end of the line.
    x, y : ndarray of float, shape (n,)
    color : str
    dash : str or None
        "dot" or "dash" for what is approximate or only beside the question.
    dots : bool
        Marks the points instead of joining them.
    """

    label: str
    x: np.ndarray
    y: np.ndarray
    color: str
    dash: str | None = None
    dots: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """The chosen point of a plan chart, with what is written beside it."""

    x: float
    y: float
    text: str


def plan_chart(
    curves: Sequence[Curve],
    *,
    title: str,
    x_axis: str,
    y_axis: str,
    palette: Palette,
    name: str,
    chosen: Mark | None = None,
    target: tuple[float, str] | None = None,
    log: str = "",
    x_range: tuple[float, float] | None = None,
    y_range: tuple[float, float] | None = None,
    names_below: bool = False,
) -> Chart:
    """Return curves with their names at their ends, the chosen point and the level aimed at.

    Parameters
    ----------
    curves : sequence of Curve
        The first is the one in question and drawn thick.
    title, x_axis, y_axis : str
        What the chart shows; what is on its axes, with the unit.
    chosen : Mark, optional
    target : (float, str), optional
        A horizontal line and what it stands for.
    log : str
        Which axes are logarithmic: "", "x" or "xy".
    x_range, y_range : (float, float), optional
    names_below : bool
        Write the names below the ends of falling lines, where right of them other lines pass.
    """
    figure = base_figure(title, height=HEIGHT, palette=palette)
    drawn = [_within(curve, x_range, y_range) for curve in curves]
    for position, curve in enumerate(drawn):
        _draw(figure, curve, 3.0 if position == 0 else 2.0)
    _name_ends(figure, drawn, log, below=names_below)
    if target is not None:
        level, words = target
        figure.add_hline(y=level, line={"color": palette.quiet, "width": 1, "dash": "dot"})
        figure.add_annotation(
            x=0, xref="paper", xanchor="left", yanchor="bottom", y=_place(level, "y" in log),
            text=plain(words), showarrow=False, font={"size": 12, "color": palette.quiet},
        )  # fmt: skip
    if chosen is not None:
        ends = drawn[0].y[[0, -1]] if len(drawn[0].y) else np.zeros(2)
        _mark(figure, chosen, log, palette, rising=bool(ends[1] >= ends[0]))
    for axis, letter, words, span in (
        ("xaxis", "x", x_axis, x_range),
        ("yaxis", "y", y_axis, y_range),
    ):
        values = [v for curve in drawn for v in (curve.x if letter == "x" else curve.y)]
        figure.update_layout({axis: _axis(words, values, span, logarithmic=letter in log)})
    said = [chosen.text] if chosen is not None else []
    said += [f"{curve.label}: {_ends(curve)}" for curve in drawn if len(curve.x)]
    return Chart(figure=figure, alt=f"{title}. {'; '.join(said)}.", name=name)


def _within(
    curve: Curve, x_range: tuple[float, float] | None, y_range: tuple[float, float] | None
) -> Curve:
    keep = np.isfinite(curve.x) & np.isfinite(curve.y)
    for values, span in ((curve.x, x_range), (curve.y, y_range)):
        if span is not None:
            keep &= (values >= span[0]) & (values <= span[1])
    return Curve(
        label=curve.label,
        x=curve.x[keep],
        y=curve.y[keep],
        color=curve.color,
        dash=curve.dash,
        dots=curve.dots,
    )


def _draw(figure: go.Figure, curve: Curve, width: float) -> None:
    figure.add_trace(
        go.Scatter(
            x=curve.x,
            y=curve.y,
            mode="markers" if curve.dots else "lines",
            line={"color": curve.color, "width": width, "dash": curve.dash},
            marker={"color": curve.color, "size": 7},
            hovertemplate=f"{plain(curve.label)}<br>%{{x:,.6~g}}<br>%{{y:,.4~g}}<extra></extra>",
        )
    )


def _name_ends(figure: go.Figure, curves: Sequence[Curve], log: str, *, below: bool) -> None:
    """Write every name at the end of its line, pushed apart where two would overlap."""
    named = [curve for curve in curves if len(curve.x) and curve.label]
    if not named:
        return
    ends = [
        [_place(float(v[-1]), axis in log) for axis, v in (("x", c.x), ("y", c.y))] for c in named
    ]
    spans = [
        np.ptp(
            [_place(float(v), axis in log) for c in named for v in (c.x if axis == "x" else c.y)]
        )
        for axis in "xy"
    ]
    apart = (0.1 * (spans[0] or 1.0), (spans[1] or 1.0) * 16 / (HEIGHT - 110))
    placed: list[tuple[float, float]] = []
    for position in sorted(range(len(named)), key=lambda i: -ends[i][1]):
        x, y = ends[position]
        clash = [other for at, other in placed if abs(at - x) < apart[0]]
        if clash and not below:
            y = min(y, min(clash) - apart[1])
        placed.append((x, y))
        figure.add_annotation(
            x=x,
            y=y,
            xanchor="right" if below else "left",
            yanchor="top" if below else "middle",
            xshift=-4 if below else 6,
            text=plain(named[position].label),
            showarrow=False,
            font={"size": 12, "color": named[position].color},
        )
    if not below:
        longest = max(len(curve.label) for curve in named)
        figure.update_layout(margin={"r": 14 + int(6.4 * longest)})


def _mark(figure: go.Figure, chosen: Mark, log: str, palette: Palette, *, rising: bool) -> None:
    """Draw the chosen point, its words on the free side of the line: below it when it rises."""
    figure.add_trace(
        go.Scatter(
            x=[chosen.x],
            y=[chosen.y],
            mode="markers",
            cliponaxis=False,
            marker={
                "color": palette.wrong,
                "symbol": "diamond",
                "size": 13,
                "line": {"color": palette.background, "width": 2},
            },
            hovertemplate=f"{plain(chosen.text)}<extra></extra>",
        )
    )
    figure.add_annotation(
        x=_place(chosen.x, "x" in log),
        y=_place(chosen.y, "y" in log),
        text=plain(chosen.text),
        showarrow=False,
        xanchor="left",
        yanchor="top" if rising else "bottom",
        xshift=6,
        yshift=-4 if rising else 4,
        font={"size": 12, "color": palette.text},
    )


def _place(value: float, logarithmic: bool) -> float:
    """Return where Plotly puts an annotation: on a logarithmic axis it wants the exponent."""
    return math.log10(value) if logarithmic else value


def _axis(
    words: str, values: Sequence[float], span: tuple[float, float] | None, *, logarithmic: bool
) -> dict[str, object]:
    low, high = span or (min(values, default=0.0), max(values, default=1.0))
    if not logarithmic:
        shape: dict[str, object] = {"nticks": 6, "tickformat": ",.6~g"}
        return shape | {"title_text": plain(words), "range": list(span) if span else None}
    ticks = _ticks(low, high)
    return {
        "title_text": plain(words),
        "type": "log",
        "tickmode": "array",
        "tickvals": ticks,
        "ticktext": [f"{tick:,.6g}" if tick < 1e6 else f"{tick / 1e6:,.6g} M" for tick in ticks],
        "range": [math.log10(low), math.log10(high)],
    }


def _ticks(low: float, high: float) -> list[float]:
    """Return round numbers between two ends: whole powers of ten, or 1, 2 and 5 of them."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1,) if len(decades) > 4 else (1, 2, 5)
    ticks = [float(f"{step}e{decade}") for decade in decades for step in steps]
    return [tick for tick in ticks if low * 0.999 <= tick <= high * 1.001]


def _ends(curve: Curve) -> str:
    first, last = (f"{curve.x[i]:,.6g} gives {curve.y[i]:,.4g}" for i in (0, -1))
    return f"{first}, {last}"
