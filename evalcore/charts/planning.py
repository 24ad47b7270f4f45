"""Plans as curves: power against cases, labels against the gap, what a budget buys."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evalcore.charts.style import Chart, Palette, base_layout, plain, quick_figure

HEIGHT = 320
# On a phone more numbers than these would be turned aslant.
MOST_TICKS = 6


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
    drawn = [_within(curve, x_range, y_range) for curve in curves]
    traces = [_line(curve, 3.0 if i == 0 else 2.0) for i, curve in enumerate(drawn)]
    notes = _names(drawn, log, palette, below=names_below)
    shapes = []
    if target is not None:
        level, words = target
        shapes.append(_level_line(level, palette))
        notes.append(_level_name(level, words, log, palette))
    if chosen is not None:
        ends = drawn[0].y[[0, -1]] if len(drawn[0].y) else np.zeros(2)
        traces.append(_point(chosen, palette))
        notes.append(_point_name(chosen, log, palette, rising=bool(ends[1] >= ends[0])))
    longest = 0 if names_below else max(len(curve.label) for curve in drawn)
    layout = base_layout(title, height=HEIGHT, palette=palette)
    layout |= {
        "annotations": notes,
        "shapes": shapes,
        "margin": {**layout["margin"], "r": 14 + int(6.4 * longest)},
        "xaxis": _axis(layout["xaxis"], x_axis, drawn, "x", x_range, logarithmic="x" in log),
        "yaxis": _axis(layout["yaxis"], y_axis, drawn, "y", y_range, logarithmic="y" in log),
    }
    said = [chosen.text] if chosen is not None else []
    said += [_ends(curve) for curve in drawn if len(curve.x)]
    alt = f"{title}. {'; '.join(said)}."
    return Chart(figure=quick_figure(traces, layout), alt=alt, name=name)


def _within(
    curve: Curve, x_range: tuple[float, float] | None, y_range: tuple[float, float] | None
) -> Curve:
    keep = np.isfinite(curve.x) & np.isfinite(curve.y)
    for values, span in ((curve.x, x_range), (curve.y, y_range)):
        if span is not None:
            keep &= (values >= span[0]) & (values <= span[1])
    return replace(curve, x=curve.x[keep], y=curve.y[keep])


def _line(curve: Curve, width: float) -> dict[str, Any]:
    look: dict[str, Any] = {
        "mode": "lines",
        "line": {"color": curve.color, "width": width, "dash": curve.dash},
    }
    if curve.dots:
        look = {"mode": "markers", "marker": {"size": 7, "color": curve.color}}
    return {
        "type": "scatter",
        "x": curve.x,
        "y": curve.y,
        "hovertemplate": f"{plain(curve.label)}<br>%{{x:,.6~g}}<br>%{{y:,.4~g}}<extra></extra>",
        **look,
    }


def _names(
    curves: Sequence[Curve], log: str, palette: Palette, *, below: bool
) -> list[dict[str, Any]]:
    """Return every name at the end of its line, pushed apart where two would overlap."""
    named = [curve for curve in curves if len(curve.x) and curve.label]
    if not named:
        return []
    places = [(_places(curve.x, "x" in log), _places(curve.y, "y" in log)) for curve in named]
    wide, high = (np.ptp(np.concatenate(values)) or 1.0 for values in zip(*places, strict=True))
    notes: list[dict[str, Any]] = []
    for position in sorted(range(len(named)), key=lambda i: -places[i][1][-1]):
        x, y = (float(values[-1]) for values in places[position])
        clash = [note["y"] for note in notes if abs(note["x"] - x) < 0.1 * wide]
        if clash and not below:
            y = min(y, min(clash) - high * 16 / (HEIGHT - 110))
        notes.append(
            {
                "x": x,
                "y": y,
                "xanchor": "right" if below else "left",
                "yanchor": "top" if below else "middle",
                "xshift": -4 if below else 6,
                "text": plain(named[position].label),
                "showarrow": False,
                "font": {"size": 12, "color": named[position].color},
                # Below its end a name may lie on another line.
                "bgcolor": palette.background if below else "rgba(0,0,0,0)",
            }
        )
    return notes


def _level_line(level: float, palette: Palette) -> dict[str, Any]:
    line = {"color": palette.quiet, "width": 1, "dash": "dot"}
    ends = {"xref": "paper", "x0": 0, "x1": 1, "y0": level, "y1": level}
    return {"type": "line", "line": line, **ends}


def _level_name(level: float, words: str, log: str, palette: Palette) -> dict[str, Any]:
    return {
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "y": _place(level, "y" in log),
        "yanchor": "bottom",
        "text": plain(words),
        "showarrow": False,
        "font": {"size": 12, "color": palette.quiet},
    }


def _point(chosen: Mark, palette: Palette) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": [chosen.x],
        "y": [chosen.y],
        "mode": "markers",
        "cliponaxis": False,
        "marker": {
            "color": palette.wrong,
            "symbol": "diamond",
            "size": 13,
            "line": {"color": palette.background, "width": 2},
        },
        "hovertemplate": f"{plain(chosen.text)}<extra></extra>",
    }


def _point_name(chosen: Mark, log: str, palette: Palette, *, rising: bool) -> dict[str, Any]:
    """Return the words of the chosen point on the free side of the line: below when it rises."""
    return {
        "x": _place(chosen.x, "x" in log),
        "y": _place(chosen.y, "y" in log),
        "text": plain(chosen.text),
        "showarrow": False,
        "xanchor": "left",
        "yanchor": "top" if rising else "bottom",
        "xshift": 6,
        "yshift": -4 if rising else 4,
        "font": {"size": 12, "color": palette.text},
    }


def _place(value: float, logarithmic: bool) -> float:
    """Return where Plotly puts an annotation: on a logarithmic axis it wants the exponent."""
    return math.log10(value) if logarithmic else value


def _places(values: np.ndarray, logarithmic: bool) -> np.ndarray:
    return np.log10(values) if logarithmic else values


def _axis(
    look: dict[str, Any],
    words: str,
    curves: Sequence[Curve],
    name: str,
    span: tuple[float, float] | None,
    *,
    logarithmic: bool,
) -> dict[str, Any]:
    """Return an axis in the look of all, with its words, its range and where it has ticks."""
    values = np.concatenate([getattr(curve, name) for curve in curves])
    low, high = span or ((values.min(), values.max()) if values.size else (1.0, 10.0))
    axis = {**look, "title": {**look["title"], "text": plain(words)}}
    if not logarithmic:
        shape = {"nticks": 6, "tickformat": ",.9~g", "range": list(span) if span else None}
        return axis | shape
    ticks = _ticks(low, high)
    return axis | {
        "type": "log",
        "tickmode": "array",
        "tickvals": ticks,
        "ticktext": [f"{tick:,.6g}" if tick < 1e6 else f"{tick / 1e6:,.6g} M" for tick in ticks],
        "range": [math.log10(low), math.log10(high)],
    }


def _ticks(low: float, high: float) -> list[float]:
    """Return round numbers between two ends: as many of 1, 2, 5 times a power of ten as fit."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks: list[float] = []
    for steps in ((1, 2, 5), (1, 3), (1,)):
        ticks = [float(f"{step}e{decade}") for decade in decades for step in steps]
        ticks = [tick for tick in ticks if low * 0.999 <= tick <= high * 1.001]
        if len(ticks) <= MOST_TICKS:
            return ticks
    return ticks[:: math.ceil(len(ticks) / MOST_TICKS)]


def _ends(curve: Curve) -> str:
    first, last = (f"{curve.x[i]:,.6g} gives {curve.y[i]:,.4g}" for i in (0, -1))
    return f"{curve.label}: {first}, {last}" if curve.label else f"{first}, {last}"
