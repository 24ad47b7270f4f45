"""Palette, layout and text of every chart, in both themes."""

from __future__ import annotations

import html
import textwrap
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

TITLE_WIDTH = 46
FONT_SIZE = 13


@dataclass(frozen=True, slots=True, kw_only=True)
class Palette:
    """Colours of one theme: Okabe and Ito (2008), lighter tones of the same hues on dark.

    Attributes
    ----------
    models : tuple of str
        One per model, in file order; they start again after the last.
    right, wrong : str
        Hits and misses; shape or place differs too, never colour alone.
    quiet, text, grid, background : str
        Bars that are not in question, text, lines and page.
    """

    models: tuple[str, ...]
    right: str
    wrong: str
    quiet: str
    text: str
    grid: str
    background: str

    def model(self, position: int) -> str:
        """Return the colour of the model at a position in file order."""
        return self.models[position % len(self.models)]


LIGHT = Palette(
    models=("#0072B2", "#B34E00", "#00795A", "#A8518A", "#8A6100", "#2B7FB8"),
    right="#0072B2",
    wrong="#D55E00",
    quiet="#66727F",
    text="#17212B",
    grid="#E3E8ED",
    background="#FFFFFF",
)
DARK = Palette(
    models=("#56B4E9", "#F08A4B", "#35C79A", "#E3A0C8", "#F0B83F", "#9AD2F5"),
    right="#56B4E9",
    wrong="#F08A4B",
    quiet="#A3B0BD",
    text="#E7EDF3",
    grid="#2C3947",
    background="#10161D",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A figure with the text that stands for it where it cannot be seen.

    Attributes
    ----------
    figure : plotly Figure
    alt : str
        What the chart shows, with its numbers, in plain text.
    name : str
        File name for a download, without an ending.
    """

    figure: go.Figure
    alt: str
    name: str


def plain(text: str) -> str:
    """Return text that Plotly shows as it is.

    Plotly renders a subset of HTML in every label, and TeX between dollar signs.
    """
    flat = " ".join(str(text).split())
    return html.escape(flat, quote=False).replace("$", "&#36;")


def translucent(color: str, alpha: float = 0.22) -> str:
    """Return a #RRGGBB colour with some of the background showing through."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha})"


def shorten(text: str, width: int = 24) -> str:
    """Return text cut to a width, so that a long class name leaves room for the chart."""
    flat = " ".join(str(text).split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def base_figure(title: str, *, height: int, palette: Palette) -> go.Figure:
    """Return an empty figure in the style of the app: title at the left, no frame, quiet grid."""
    # One layout given whole costs a tenth of the same layout built up by updates.
    return go.Figure(layout=base_layout(title, height=height, palette=palette))


def base_layout(title: str, *, height: int, palette: Palette) -> dict[str, Any]:
    """Return the layout of ``base_figure``, to be completed before a figure is made of it."""
    lines = textwrap.wrap(" ".join(title.split()), TITLE_WIDTH)
    axis = {
        "gridcolor": palette.grid,
        "zeroline": False,
        "fixedrange": True,
        "automargin": True,
        "tickfont": {"size": FONT_SIZE, "color": palette.text},
        "title": {"font": {"size": FONT_SIZE, "color": palette.text}},
    }
    return {
        "title": {
            "text": "<br>".join(plain(line) for line in lines),
            "x": 0,
            "xref": "container",
            "xanchor": "left",
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            # Plotly hangs one line below this point but stands the first of several on it.
            "pad": {"t": 6 if len(lines) < 2 else 18, "l": 2},
            "font": {"size": 15, "color": palette.text},
        },
        "height": height + 20 * (len(lines) - 1),
        "margin": {"l": 8, "r": 8, "t": 26 + 20 * len(lines), "b": 8},
        "showlegend": False,
        "dragmode": False,
        "hoverlabel": {"align": "left"},
        "font": {"size": FONT_SIZE, "color": palette.text},
        "plot_bgcolor": "rgba(0,0,0,0)",
        "paper_bgcolor": "rgba(0,0,0,0)",
        "xaxis": axis,
        "yaxis": axis,
    }


def quick_figure(traces: list[dict[str, Any]], layout: dict[str, Any]) -> go.Figure:
    """Return a figure of traces and a layout written out in full, unchecked.

    Plotly's checking takes twenty times as long as everything else, too long for charts that are
    redrawn at every key. A test has it check what is made here.
    """
    return go.Figure(data=traces, layout=layout, _validate=False)
