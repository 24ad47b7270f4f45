"""A plan for one score, and the chart that all such plans share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evalcore.charts import Chart, Curve, Mark, plan_chart
from evalcore.results import SampleSize
from pages.shared.frame import palette


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A plan for one score, ready to be shown."""

    size: SampleSize
    achieved: str
    sentence: str
    formulas: tuple[str, ...]
    explanation: tuple[str, ...]
    code: str
    inputs: tuple[tuple[str, str], ...]
    lines: tuple[str, ...] = ()
    chart: Chart | None = None


def grid(middle: float, below: float, *, points: int = 17) -> np.ndarray:
    """Return half-widths from a quarter to four times one of them, all below a bound."""
    values = middle * np.geomspace(0.25, 4.0, points)
    return values[values < below]


def width_chart(
    labels: list[int], widths: np.ndarray, chosen_labels: int, chosen: float, unit: str
) -> Chart:
    """Return the half-width that other numbers of labels would give, the chosen one marked."""
    known = np.array(labels, float)
    return plan_chart(
        [Curve(label="", x=known, y=widths, color=palette().model(0))],
        title="What fewer or more labels would give",
        x_axis="labelled cases (log)",
        y_axis=f"plus or minus, {unit} (log)",
        palette=palette(),
        name="half_width",
        chosen=Mark(x=chosen_labels, y=chosen, text=f"{chosen_labels:,} cases"),
        log="xy",
    )
