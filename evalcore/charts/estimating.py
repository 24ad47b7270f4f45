"""Estimators against the true error, error against a tuning constant, and the rounds of folds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from evalcore.charts.style import Chart, Palette, base_figure, plain, shorten

# Loading the estimators loads scikit-learn, which no other page needs.
if TYPE_CHECKING:
    from evalcore.estimators.study import NeighbourCurve

ROW_HEIGHT = 40
CURVE_HEIGHT = 360
LABEL_HEIGHT = 15
CURVES = (
    ("apparent", "apparent", "dot", "circle", 2),
    ("cross_validated", "cross-validated", "solid", "diamond", 0),
    ("true", "true", "dash", "square", 1),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """One row of a spread chart: an estimate over repetitions.

    Attributes
    ----------
    label : str
        Written at the left.
    values : sequence of float
        One per repetition, as fractions.
    text : str
        Written at the right, after the mean.
    place : int
        Which colour and shape the row has: rows of one kind share them.
    """

    label: str
    values: Sequence[float]
    text: str
    place: int = 0

    @property
    def mean(self) -> float:
        """Mean over repetitions."""
        return float(np.mean(self.values))


def spread_chart(
    rows: Sequence[Spread], *, truth: float, title: str, axis: str, palette: Palette, name: str
) -> Chart:
    """Return every repetition as a small point, the mean as a large one, against the true error.

    Parameters
    ----------
    rows : sequence of Spread
        First on top.
    truth : float
        Drawn as a line; nan draws none.
    """
    figure = base_figure(title, height=70 + ROW_HEIGHT * len(rows), palette=palette)
    for kind in sorted({row.place for row in rows}):
        _draw_kind(figure, [(y, row) for y, row in enumerate(rows) if row.place == kind], palette)
    notes = [
        {
            "x": 1, "xref": "paper", "xanchor": "left", "xshift": 10, "y": y, "showarrow": False,
            "text": plain(_said(row)), "font": {"size": 12, "color": palette.model(row.place)},
        }
        for y, row in enumerate(rows)
    ]  # fmt: skip
    top = figure.layout.margin.t
    if math.isfinite(truth):
        figure.add_vline(x=100 * truth, line={"color": palette.text, "width": 2, "dash": "dash"})
        notes.append(
            {
                "x": 100 * truth, "y": 1, "yref": "paper", "yanchor": "bottom", "showarrow": False,
                "text": f"true error {100 * truth:.1f}%",
                "font": {"size": 12, "color": palette.text},
            }
        )  # fmt: skip
        top += 16
    longest = max((len(_said(row)) for row in rows), default=0)
    figure.update_layout(annotations=notes, margin={"t": top, "r": 16 + int(6.4 * longest)})
    figure.update_yaxes(
        tickmode="array",
        tickvals=list(range(len(rows))),
        ticktext=[plain(shorten(row.label, 22)) for row in rows],
        range=[len(rows) - 0.4, -0.6],
        showgrid=False,
    )
    ends = [value for row in rows for value in row.values]
    ends += [truth] if math.isfinite(truth) else []
    low, high = 100 * min(ends, default=0.0), 100 * max(ends, default=1.0)
    room = max(0.06 * (high - low), 0.6)
    figure.update_xaxes(
        title_text=plain(axis), range=[max(low - room, -1.2), high + room], nticks=6
    )
    said = "; ".join(
        f"{row.label}: mean {100 * row.mean:.1f}%, from {100 * min(row.values):.1f}% to "
        f"{100 * max(row.values):.1f}%, {row.text}"
        for row in rows
    )
    line = f" The true error is {100 * truth:.1f}%." if math.isfinite(truth) else ""
    return Chart(figure=figure, alt=f"{title}. {said}.{line}", name=name)


def _said(row: Spread) -> str:
    return f"{100 * row.mean:.1f}% · {row.text}" if row.text else f"{100 * row.mean:.1f}%"


def _draw_kind(figure: go.Figure, rows: Sequence[tuple[int, Spread]], palette: Palette) -> None:
    """Draw the rows of one kind: their repetitions in one trace, their means in another."""
    kind = rows[0][1].place
    color, symbol = palette.model(kind), ("circle", "diamond")[kind % 2]
    # A fixed zigzag keeps equal values apart without inventing any randomness.
    small = [
        (100 * value, y + 0.11 * (place % 5 - 2), plain(row.label))
        for y, row in rows
        for place, value in enumerate(row.values)
    ]
    large = [(100 * row.mean, y, f"{plain(row.label)}, mean") for y, row in rows]
    edge = {"color": palette.background, "width": 2}
    for points, marker in (
        (small, {"size": 6, "opacity": 0.4}),
        (large, {"size": 13, "line": edge}),
    ):
        x, y, text = zip(*points, strict=True)
        figure.add_trace(
            go.Scatter(
                x=x,
                y=y,
                text=text,
                mode="markers",
                cliponaxis=False,
                marker={"color": color, "symbol": symbol, **marker},
                hovertemplate="%{text}<br>%{x:.1f}%<extra></extra>",
            )
        )


def neighbour_chart(
    curve: NeighbourCurve, *, title: str, palette: Palette, chosen: int | None = None
) -> Chart:
    """Return the errors of a curve against k, the chosen k ringed; unknown errors are left out."""
    figure = base_figure(title, height=CURVE_HEIGHT, palette=palette)
    errors = [100 * np.asarray(getattr(curve, field), dtype=float) for field, *_ in CURVES]
    known = [place for place, values in enumerate(errors) if np.isfinite(values).any()]
    shifts = _label_shifts([errors[place] for place in known])
    parts = []
    for place, shift in zip(known, shifts, strict=True):
        _, label, dash, symbol, hue = CURVES[place]
        values, color = errors[place], palette.model(hue)
        figure.add_trace(
            go.Scatter(
                x=list(curve.ks),
                y=values,
                mode="lines+markers",
                cliponaxis=False,
                line={"color": color, "width": 2.5, "dash": dash},
                marker={"size": 8, "symbol": symbol},
                hovertemplate=f"k = %{{x}}<br>{label} %{{y:.1f}}%<extra></extra>",
            )
        )
        figure.add_annotation(
            x=1, xref="paper", xanchor="left", xshift=8, y=float(values[-1]), yshift=shift,
            text=label, showarrow=False, font={"size": 12, "color": color},
        )  # fmt: skip
        points = ", ".join(f"{k}: {v:.1f}%" for k, v in zip(curve.ks, values, strict=True))
        parts.append(f"{label} error by k {points}")
    if chosen is not None:
        place = curve.ks.index(chosen)
        figure.add_trace(
            go.Scatter(
                x=[chosen], y=[100 * curve.cross_validated[place]], mode="markers",
                cliponaxis=False, hoverinfo="skip",
                marker={
                    "size": 20, "symbol": "circle-open", "color": palette.text,
                    "line": {"width": 2},
                },
            )
        )  # fmt: skip
        parts.append(f"chosen k {chosen}")
    figure.update_layout(margin={"r": 106})
    figure.update_xaxes(title_text="neighbours that vote, k", nticks=8)
    figure.update_yaxes(title_text="error, percent", rangemode="tozero", nticks=6)
    return Chart(figure=figure, alt=f"{title}. {'; '.join(parts)}.", name="error_against_k")


def _label_shifts(curves: Sequence[np.ndarray]) -> list[float]:
    """Return how many pixels each label moves up so that labels of close ends do not touch."""
    scale = 0.75 * CURVE_HEIGHT / max(1e-9, *(float(np.nanmax(values)) for values in curves))
    ends = [scale * float(values[-1]) for values in curves]
    shifts = [0.0] * len(ends)
    free = -math.inf
    for place in sorted(range(len(ends)), key=ends.__getitem__):
        shifts[place] = max(free - ends[place], 0.0)
        free = ends[place] + shifts[place] + LABEL_HEIGHT
    return shifts


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Cases of one fold in one round: how many, and what they are there for."""

    cases: int
    role: str


ROLES = {"fit": "", "validate": "V", "test": "T"}


def rounds_chart(rounds: Sequence[Sequence[Block]], *, title: str, palette: Palette) -> Chart:
    """Return one line per round and one block per fold: fitted, validated (V) or tested (T)."""
    figure = base_figure(title, height=110 + 24 * len(rounds), palette=palette)
    colors = {"fit": palette.grid, "validate": palette.right, "test": palette.wrong}
    for place in range(max(len(line) for line in rounds)):
        blocks = [line[place] for line in rounds]
        figure.add_trace(
            go.Bar(
                x=[block.cases for block in blocks],
                y=list(range(1, len(rounds) + 1)),
                orientation="h",
                marker={
                    "color": [colors[block.role] for block in blocks],
                    "line": {"color": palette.background, "width": 1.5},
                },
                text=[ROLES[block.role] for block in blocks],
                textposition="inside",
                insidetextanchor="middle",
                textangle=0,
                constraintext="none",
                textfont={"color": palette.background, "size": 11},
                hovertemplate=[
                    f"round %{{y}}, fold {place + 1}: {block.role}, {block.cases:,} cases"
                    "<extra></extra>"
                    for block in blocks
                ],
            )
        )
    figure.update_layout(barmode="stack", bargap=0.12)
    figure.update_yaxes(
        title_text="round", autorange="reversed", showgrid=False, nticks=min(len(rounds), 12)
    )
    figure.update_xaxes(title_text="cases, fold by fold", showgrid=False, nticks=6)
    said = "; ".join(
        f"round {number}: "
        + ", ".join(
            f"{role} fold {' and '.join(str(i + 1) for i, b in enumerate(line) if b.role == role)}"
            for role in ("validate", "test")
            if any(b.role == role for b in line)
        )
        for number, line in enumerate(rounds, start=1)
    )
    return Chart(figure=figure, alt=f"{title}. {said}; all other folds fit.", name="rounds")
