"""ROC, precision-recall and reliability curves with their pointwise bands."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from evalcore.charts.style import Chart, Palette, base_figure, translucent
from evalcore.intervals.bands import CurveBand
from evalcore.wording import level

HEIGHT = 380


def curve_chart(
    band: CurveBand,
    *,
    title: str,
    x_axis: str,
    y_axis: str,
    palette: Palette,
    color: str,
    name: str,
    diagonal: str | None = None,
    points: bool = False,
) -> Chart:
    """Return a curve from 0 to 1 with its band.

    Parameters
    ----------
    band : CurveBand
    title, x_axis, y_axis : str
    color : str
        Of the model.
    diagonal : str, optional
        What the diagonal stands for; drawn only when given.
    points : bool
        Whether each point is marked (few bins) or the curve is drawn alone.
    """
    figure = base_figure(title, height=HEIGHT, palette=palette)
    if diagonal is not None:
        figure.add_trace(
            go.Scatter(
                x=[0, 1],
                y=[0, 1],
                mode="lines",
                line={"color": palette.quiet, "width": 1, "dash": "dot"},
                hoverinfo="skip",
            )
        )
        figure.add_annotation(
            x=0.98, y=0.02, text=f"dotted: {diagonal}", showarrow=False, xanchor="right",
            yanchor="bottom", font={"color": palette.quiet, "size": 12},
        )  # fmt: skip
    outline = np.concatenate([band.high, band.low[::-1]])
    figure.add_trace(
        go.Scatter(
            x=np.concatenate([band.x, band.x[::-1]]),
            y=outline,
            fill="toself",
            fillcolor=translucent(color),
            line={"width": 0},
            hoverinfo="skip",
        )
    )
    figure.add_trace(
        go.Scatter(
            x=band.x,
            y=band.y,
            mode="lines+markers" if points else "lines",
            line={"color": color, "width": 2.5},
            marker={"size": 8},
            customdata=np.column_stack([band.low, band.high, band.n, band.at]),
            hovertemplate=(
                "%{y:.3f} (%{customdata[0]:.3f} to %{customdata[1]:.3f})<br>"
                "from %{customdata[2]:,.0f} cases, at %{customdata[3]:.4g}<extra></extra>"
            ),
        )
    )
    figure.update_xaxes(title_text=x_axis, range=[-0.01, 1.01], tickformat=".1f", nticks=6)
    figure.update_yaxes(title_text=y_axis, range=[-0.01, 1.02], tickformat=".1f", nticks=6)
    middle = len(band.x) // 2
    alt = (
        f"{title}. {len(band.x)} points, each with its {level(band.confidence_level)} Wilson band; "
        f"in the middle {x_axis} {band.x[middle]:.2f} goes with {y_axis} {band.y[middle]:.2f} "
        f"({band.low[middle]:.2f} to {band.high[middle]:.2f})."
    )
    return Chart(figure=figure, alt=alt, name=name)
