"""Two models on the same cases, and many: where they agree, who leads whom, who ranks where."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from evalcore.charts.style import Chart, Palette, base_figure, plain, shorten
from evalcore.metrics import METRICS
from evalcore.results import Comparison, ModelComparisons
from evalcore.wording import gap_digits, gap_text, gap_unit, p_text

SIDE = 300


def agreement_chart(found: Comparison, *, title: str, palette: Palette) -> Chart:
    """Return the two-by-two table of who is right on which cases; only two cells stand out.

    Those are the cases on which the models differ, the only ones that tell them apart.
    """
    cells = [
        (0, 0, found.both, "both right", None),
        (0, 1, found.only_a, f"only {found.model_a}", palette.model(0)),
        (1, 0, found.only_b, f"only {found.model_b}", palette.model(1)),
        (1, 1, found.neither, "both wrong", None),
    ]
    figure = base_figure(title, height=SIDE, palette=palette)
    for row, column, count, words, color in cells:
        figure.add_shape(
            type="rect",
            x0=column + 0.02,
            x1=column + 0.98,
            y0=row + 0.02,
            y1=row + 0.98,
            line={"color": palette.grid, "width": 1},
            fillcolor=color or palette.grid,
            opacity=1.0 if color else 0.55,
            layer="below",
        )
        ink = palette.background if color else palette.text
        figure.add_annotation(
            x=column + 0.5,
            y=row + 0.5,
            text=f"<b>{count:,}</b><br>{plain(shorten(words, 20))}",
            showarrow=False,
            font={"size": 16, "color": ink},
        )
    hidden = {"showticklabels": False, "showgrid": False, "title_text": ""}
    figure.update_xaxes(range=[0, 2], **hidden)
    figure.update_yaxes(range=[2, 0], **hidden)
    said = ", ".join(f"{words}: {count:,}" for _, _, count, words, _ in cells)
    return Chart(figure=figure, alt=f"{title}. {said}.", name="agreement")


def pair_chart(found: ModelComparisons, *, title: str, palette: Palette, level: float) -> Chart:
    """Return the gaps of all pairs, row minus column; those that stand after counting in colour.

    A model that is better than the other of its pair is shown in the colour of hits in its row, a
    worse one in the colour of misses, and a pair that does not stand in grey.
    """
    names = list(found.models)
    scale = METRICS[found.metric].scale
    size = len(names)
    state = np.full((size, size), np.nan)
    text = [["" for _ in names] for _ in names]
    hover = [["" for _ in names] for _ in names]
    for one in found.comparisons:
        i, j = names.index(one.model_a), names.index(one.model_b)
        digits = gap_digits(one.difference, scale)
        stands = one.p_adjusted < 1 - level
        ahead = 0.0 if not stands else 1.0 if one.favours == one.model_a else -1.0
        for row, column, sign in ((i, j, 1), (j, i, -1)):
            state[row, column] = sign * ahead
            gap = gap_text(sign * one.difference.estimate, scale, digits)
            text[row][column] = gap
            hover[row][column] = (
                f"{plain(names[row])} − {plain(names[column])}<br>{gap}"
                f"{gap_unit(METRICS[found.metric])}<br>adjusted p {p_text(one.p_adjusted)}"
            )
    figure = base_figure(title, height=130 + 46 * size, palette=palette)
    figure.add_trace(
        go.Heatmap(
            z=state,
            zmin=-1,
            zmax=1,
            colorscale=[[0, palette.wrong], [0.5, palette.grid], [1, palette.right]],
            showscale=False,
            text=text,
            texttemplate="%{text}",
            hovertext=hover,
            hoverinfo="text",
            xgap=2,
            ygap=2,
        )
    )
    labels = [plain(shorten(name, 16)) for name in names]
    ticks = {"tickmode": "array", "tickvals": list(range(size)), "ticktext": labels}
    figure.update_xaxes(side="top", showgrid=False, title_text="minus", **ticks)
    figure.update_yaxes(autorange="reversed", showgrid=False, **ticks)
    figure.update_layout(margin={"t": figure.layout.margin.t + 18})
    standing = [
        f"{one.model_a} minus {one.model_b} "
        f"{gap_text(one.difference.estimate, scale, gap_digits(one.difference, scale))}, "
        f"adjusted p {p_text(one.p_adjusted)}"
        for one in found.comparisons
    ]
    return Chart(figure=figure, alt=f"{title}. {'; '.join(standing)}.", name="pairs")


def rank_chart(found: ModelComparisons, *, title: str, palette: Palette) -> Chart:
    """Return the rank of every model with the ranks that the cases leave possible."""
    ordered = sorted(found.ranks, key=lambda one: (one.rank, one.model))
    figure = base_figure(title, height=100 + 36 * len(ordered), palette=palette)
    for place, one in enumerate(ordered):
        color = palette.model(found.models.index(one.model))
        figure.add_trace(
            go.Scatter(
                x=[one.low, one.high],
                y=[place, place],
                mode="lines",
                line={"color": color, "width": 5},
                hoverinfo="skip",
                cliponaxis=False,
            )
        )
        figure.add_trace(
            go.Scatter(
                x=[one.rank],
                y=[place],
                mode="markers",
                marker={
                    "size": 13,
                    "color": color,
                    "line": {"color": palette.background, "width": 2},
                },
                hovertemplate=f"rank {one.rank}, possible {one.low} to {one.high}<extra></extra>",
                cliponaxis=False,
            )
        )
        figure.add_annotation(
            x=1,
            xref="paper",
            xanchor="left",
            xshift=12,
            y=place,
            text=f"best in {one.share_best:.0%}",
            showarrow=False,
            font={"color": palette.quiet},
        )
    names = [plain(shorten(one.model)) for one in ordered]
    figure.update_yaxes(
        tickmode="array",
        tickvals=list(range(len(ordered))),
        ticktext=names,
        range=[len(ordered) - 0.5, -0.5],
        showgrid=False,
    )
    figure.update_xaxes(
        title_text="rank, 1 is best", dtick=1, range=[0.8, max(len(ordered), 2) + 0.2]
    )
    figure.update_layout(margin={"r": 110})
    said = "; ".join(
        f"{one.model}: rank {one.rank}, {one.low} to {one.high} possible, best in "
        f"{one.share_best:.0%} of resamples"
        for one in ordered
    )
    return Chart(figure=figure, alt=f"{title}. {said}.", name="ranks")
