"""The bootstrap distribution of a metric, and the errors of a regression."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from evalcore.charts.style import Chart, Palette, base_figure, plain, shorten, translucent
from evalcore.results import Interval
from evalcore.wording import estimate_text, range_text, value_text

HEIGHT = 330
BINS = 60
NAMED = 3


def bootstrap_chart(
    draws: np.ndarray,
    interval: Interval,
    *,
    title: str,
    axis: str,
    scale: str,
    palette: Palette,
    color: str,
) -> Chart:
    """Return the histogram of bootstrap draws with the interval shaded and the estimate marked.

    Parameters
    ----------
    draws : ndarray, shape (R,)
        Undefined draws (nan) are left out.
    interval : Interval
        Any interval of the same metric; it need not come from these draws.
    """
    factor = 100.0 if scale == "percent" else 1.0
    values = factor * draws[np.isfinite(draws)]
    distinct = np.unique(values)
    counts, edges = np.histogram(values, bins=min(BINS, max(2 * len(distinct), 5)))
    figure = base_figure(title, height=HEIGHT, palette=palette)
    if math.isfinite(interval.low) and math.isfinite(interval.high):
        figure.add_vrect(
            x0=factor * interval.low, x1=factor * interval.high,
            fillcolor=translucent(color), line_width=0,
        )  # fmt: skip
    figure.add_trace(
        go.Bar(
            x=(edges[:-1] + edges[1:]) / 2,
            y=counts,
            width=np.diff(edges) * 0.96,
            marker={"color": color, "line": {"width": 0}},
            hovertemplate="%{x:.4g}: %{y:,} resamples<extra></extra>",
        )
    )
    figure.add_vline(x=factor * interval.estimate, line={"color": palette.text, "width": 2})
    figure.update_xaxes(title_text=plain(axis), nticks=7)
    figure.update_yaxes(title_text="resamples", nticks=4)
    alt = (
        f"{title}. {len(values):,} resamples around {estimate_text(interval, scale)}; the interval "
        f"{range_text(interval, scale)} is shaded."
    )
    return Chart(figure=figure, alt=alt, name="bootstrap_distribution")


def error_chart(
    errors: np.ndarray, labels: Sequence[str], *, title: str, palette: Palette, color: str
) -> Chart:
    """Return the histogram of predicted minus true, with the largest misses named.

    Parameters
    ----------
    errors : ndarray, shape (n,)
        Predicted minus true, in the unit of the target, without missing values.
    labels : sequence of str, length n
        What each case is called.
    """
    counts, edges = np.histogram(errors, bins=BINS)
    figure = base_figure(title, height=HEIGHT, palette=palette)
    figure.add_trace(
        go.Bar(
            x=(edges[:-1] + edges[1:]) / 2,
            y=counts,
            width=np.diff(edges) * 0.96,
            marker={"color": color, "line": {"width": 0}},
            hovertemplate="around %{x:,.4g}: %{y:,} cases<extra></extra>",
        )
    )
    figure.add_vline(x=0, line={"color": palette.text, "width": 1.5})
    largest = np.argsort(-np.abs(errors), kind="stable")[:NAMED]
    for step, place in enumerate(largest):
        figure.add_annotation(
            x=errors[place], y=0, text=plain(shorten(labels[place], 14)), ay=-34 - 20 * step, ax=0,
            arrowcolor=palette.quiet, font={"size": 12, "color": palette.text},
        )  # fmt: skip
    figure.update_xaxes(title_text="predicted minus true, unit of the target", nticks=6)
    figure.update_yaxes(title_text="cases", nticks=4)
    named = "; ".join(f"{labels[i]}: {value_text(errors[i], 'target', 0)}" for i in largest)
    alt = f"{title}. {len(errors):,} cases around 0; the largest misses are {named}."
    return Chart(figure=figure, alt=alt, name="errors")
