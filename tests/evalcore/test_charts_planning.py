"""Plan charts are made unchecked, for speed: here Plotly checks them."""

from __future__ import annotations

import json

import numpy as np
import plotly.graph_objects as go
import pytest

from evalcore.charts import DARK, LIGHT, Chart, Curve, Mark, plan_chart

X = np.geomspace(20, 5_000, 30)


def made(**changes: object) -> Chart:
    """Return a chart with everything that a plan chart can hold."""
    curves = [
        Curve(label="exact <b>", x=X, y=X / 60, color=LIGHT.model(0)),
        Curve(label="formula", x=X, y=X / 61, color=LIGHT.quiet, dash="dash"),
        Curve(label="", x=X, y=X / 70, color=LIGHT.quiet, dots=True),
    ]
    options = {
        "title": "Power", "x_axis": "cases", "y_axis": "power, %", "palette": LIGHT, "name": "p",
        "chosen": Mark(x=900, y=15, text="900: 15%"), "target": (80.0, "aimed at"), **changes,
    }  # fmt: skip
    return plan_chart(curves, **options)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"log": "x", "palette": DARK},
        {"log": "xy", "x_range": (30.0, 2_000.0), "y_range": (1.0, 50.0), "names_below": True},
        {"y_range": (0, 103), "chosen": None, "target": None},
    ],
)
def test_plotly_accepts_every_plan_chart_as_it_is(changes: dict[str, object]) -> None:
    drawn = json.loads(made(**changes).figure.to_json())
    checked = json.loads(go.Figure(drawn).to_json())
    for part in (drawn, checked):
        part["layout"].pop("template", None)
    assert without_none(drawn) == without_none(checked)


def without_none(part: object) -> object:
    """Return a figure without what is not set or empty."""
    if isinstance(part, dict):
        kept = {key: value for key, value in part.items() if value is not None and value != []}
        return {key: without_none(value) for key, value in kept.items()}
    return [without_none(value) for value in part] if isinstance(part, list) else part


def test_a_plan_chart_shows_what_it_was_given() -> None:
    chart = made(log="x", x_range=(100.0, 2_000.0))
    lines = [trace for trace in chart.figure.data if trace.mode == "lines"]
    assert all(x.min() >= 100 and x.max() <= 2_000 for x in (line.x for line in lines))
    assert chart.figure.layout.xaxis.type == "log"
    assert chart.figure.layout.xaxis.title.text == "cases"
    assert "exact &lt;b&gt;" in {note.text for note in chart.figure.layout.annotations}
    assert "900: 15%" in chart.alt
