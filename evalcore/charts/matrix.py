"""The confusion matrix as a heatmap."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from evalcore.charts.style import Chart, Palette, base_figure, plain, shorten
from evalcore.confusion import most_confused
from evalcore.results import ConfusionMatrix
from evalcore.wording import confusion_sentence, pairs_sentence

TEXT_UP_TO = 20
SIDE = 470


def confusion_chart(
    matrix: ConfusionMatrix,
    *,
    title: str,
    palette: Palette,
    shares: bool = False,
    chosen: tuple[str, str] | None = None,
) -> Chart:
    """Return the confusion matrix: rows truth, columns prediction, right and wrong in two colours.

    Each colour runs from nothing to its own largest cell, so that two mistakes stand out beside
    hundreds of right answers. A layer of points without ink lies over the cells to be clicked;
    their ``customdata`` is (true class, predicted class).

    Parameters
    ----------
    matrix : ConfusionMatrix
    title : str
    shares : bool
        Percent of the row instead of counts.
    chosen : (str, str), optional
        True and predicted class of the cell to outline.
    """
    size = len(matrix.classes)
    labels = [plain(shorten(label, 16)) for label in matrix.classes]
    figure = base_figure(title, height=SIDE + 90, palette=palette)
    values = _values(matrix, shares)
    diagonal = np.eye(size, dtype=bool)
    for where, color in ((diagonal, palette.right), (~diagonal, palette.wrong)):
        figure.add_trace(_layer(matrix, values, where, color, palette, shares))
    figure.add_trace(_targets(matrix, values, shares))
    if chosen is not None and set(chosen) <= set(matrix.classes):
        row, column = (matrix.classes.index(label) for label in chosen)
        figure.add_shape(
            type="rect",
            x0=column - 0.5,
            x1=column + 0.5,
            y0=row - 0.5,
            y1=row + 0.5,
            line={"color": palette.text, "width": 3},
        )
    ticks = {
        "tickmode": "array",
        "tickvals": list(range(size)),
        "ticktext": labels,
        "showgrid": False,
        "constrain": "domain",
    }
    if size > 30:
        ticks["tickfont"] = {"size": 9, "color": palette.text}
    figure.update_xaxes(side="top", range=[-0.5, size - 0.5], **ticks)
    # The class names stand above the matrix, where its title is, so the axis is named below it.
    figure.add_annotation(
        x=0.5, xref="paper", y=0, yref="paper", yshift=-20, yanchor="middle",
        text="predicted class", showarrow=False,
    )  # fmt: skip
    figure.update_yaxes(title_text="true class", range=[size - 0.5, -0.5], **ticks)
    room = figure.layout.margin.t + 26
    figure.update_layout(clickmode="event+select", margin={"t": room, "b": 34})
    pairs = [(p.count, p.true, p.predicted) for p in most_confused(matrix, top=3)]
    alt = f"{title}. {confusion_sentence(matrix)} {pairs_sentence(pairs)}"
    return Chart(figure=figure, alt=alt, name="confusion_matrix")


def _values(matrix: ConfusionMatrix, shares: bool) -> np.ndarray:
    if not shares:
        return matrix.counts.astype(float)
    totals = matrix.counts.sum(axis=1, keepdims=True)
    return np.where(totals == 0, np.nan, 100.0 * matrix.counts / np.maximum(totals, 1))


def _layer(
    matrix: ConfusionMatrix,
    values: np.ndarray,
    where: np.ndarray,
    color: str,
    palette: Palette,
    shares: bool,
) -> go.Heatmap:
    shown = np.where(where, values, np.nan)
    top = np.nanmax(shown) if np.isfinite(shown).any() else 0.0
    text = None
    if len(matrix.classes) <= TEXT_UP_TO:
        form = "{:.0f}%" if shares else "{:,.0f}"
        text = [
            ["" if not v > 0 else form.format(v) if v >= 0.5 else "<1%" for v in row]
            for row in shown
        ]
    return go.Heatmap(
        z=np.where(shown > 0, shown, np.nan),
        zmin=0,
        zmax=max(top, 1e-9),
        colorscale=[[0, palette.background], [1, color]],
        showscale=False,
        text=text,
        texttemplate=None if text is None else "%{text}",
        textfont={"size": 14 if len(matrix.classes) <= 12 else 10},
        xgap=1,
        ygap=1,
        hoverinfo="skip",
    )


def _targets(matrix: ConfusionMatrix, values: np.ndarray, shares: bool) -> go.Scatter:
    size = len(matrix.classes)
    rows, columns = np.divmod(np.arange(size * size), size)
    unit = "% of the row" if shares else " cases"
    hover = [
        f"true {plain(matrix.classes[i])}<br>predicted {plain(matrix.classes[j])}<br>"
        f"{values[i, j]:,.0f}{unit}"
        for i, j in zip(rows, columns, strict=True)
    ]
    invisible = {"marker": {"opacity": 0}}
    return go.Scatter(
        x=columns,
        y=rows,
        mode="markers",
        marker={"symbol": "square", "size": max(4, 0.8 * SIDE / size), "opacity": 0},
        selected=invisible,
        unselected=invisible,
        customdata=[
            [matrix.classes[i], matrix.classes[j]] for i, j in zip(rows, columns, strict=True)
        ],
        hovertext=hover,
        hoverinfo="text",
    )
