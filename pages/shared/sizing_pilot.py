"""Measure any score of the loaded file: scaled from its error there, or by simulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from evalcore.charts import Chart, Curve, Mark, plan_chart
from evalcore.intervals import interval_methods
from evalcore.intervals.repeated import REPEATED_METHODS
from evalcore.metrics import Metric, metrics_for
from evalcore.predictions import Predictions
from evalcore.results import SimulatedSize
from evalcore.wording import (
    level,
    mean_sentence,
    note_sentence,
    percent_text,
    points_text,
    simulated_sentence,
    units,
)
from pages.shared import cached, controls, planning
from pages.shared.frame import palette
from pages.shared.python import sizing_code
from pages.shared.sizing_found import Found, grid, width_chart
from pages.shared.state import Loaded

UNITS = {"percent": "points", "target": "unit of the target"}
GUARANTEES = {"average": "on average", "80": "with 80% assurance", "90": "with 90% assurance"}
# With more classes than these the draws take long enough to say so.
MANY_CLASSES = 20
# How many times fewer labels than the answer the chart starts at.
AROUND = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Pilot:
    """A metric of the loaded file and the half-width that is wished, in the metric's unit."""

    metric: Metric
    model: str
    half: float
    options: dict[str, Any]
    method_label: str
    simulated: bool
    assurance: float | None

    @property
    def factor(self) -> float:
        """How many of the screen's unit make one of the metric's."""
        return 100.0 if self.metric.scale == "percent" else 1.0

    @property
    def unit(self) -> str:
        """What the half-width is typed in."""
        return UNITS.get(self.metric.scale, "its own unit")

    @property
    def name(self) -> str:
        """What is measured: "Recall of 8"."""
        label = self.options.get("label")
        return self.metric.label + (f" of {label}" if label is not None else "")

    @property
    def guarantee(self) -> str:
        """Key of ``GUARANTEES``."""
        return "average" if self.assurance is None else f"{round(100 * self.assurance)}"

    def inputs(self, predictions: Predictions) -> tuple[tuple[str, str], ...]:
        """Return what was put in, for the summary."""
        cases = units(predictions.n_cases, "cases")
        confidence = level(self.options["confidence_level"])
        given = (
            ("Measured", self.name),
            ("Pilot", f"{self.model}, {cases}"),
            ("Plus or minus", self.said(self.half)),
            ("Interval", f"{confidence}, {self.method_label}"),
        )
        return (*given, ("Narrow enough", GUARANTEES[self.guarantee])) if self.simulated else given

    def said(self, half: float) -> str:
        """Return a half-width with its unit."""
        return points_text(half) if self.factor == 100 else f"{half:,.4g}"


def _ask_pilot(predictions: Predictions) -> Pilot | None:
    model = controls.pick_model(predictions)
    metrics = metrics_for(predictions, model)
    if not metrics:
        st.info("This model has nothing in the file that can be scored; pick another.")
        return None
    metric = controls.pick_metric(metrics)
    asked: dict[str, Any] = controls.pick_needed(predictions, metric, [model])
    if metric.per_class:
        asked["label"] = controls.pick_class(predictions)
    usual = cached.metric_interval(predictions, metric.key, model, **asked)
    percent = metric.scale == "percent"
    # A start that means something in the unit of the metric: the error it has in this file.
    error = (100 if percent else 1) * usual.standard_error
    start = float(f"{error:.1g}") if 0 < error < float("inf") else 1.0
    typed = planning.ask_number(
        f"Plus or minus, {UNITS.get(metric.scale, 'its own unit')}",
        f"half_{metric.key}",
        start,
        step=start / 10,
    )
    methods = interval_methods(predictions, metric.key, model=model)
    with st.popover("Options", icon=":material/tune:"):
        method = controls.pick_method({name: one.label for name, one in methods.items()})
        simulated = _can_be_simulated(predictions, metric, method)
        guarantee = "average"
        if simulated:
            guarantee = planning.ask_choice(
                "Narrow enough", "pilot_guarantee", GUARANTEES,
                help="Assurance: the share of test sets whose interval is no wider than wished.",
            )  # fmt: skip
        confidence = controls.pick_level()
        seed = controls.pick_seed()
    if planning.problems(None if typed > 0 else "Plus or minus 0 takes endless cases; enter more."):
        return None
    return Pilot(
        metric=metric,
        model=model,
        half=typed / 100 if percent else typed,
        options={**asked, "method": method, "confidence_level": confidence, "rng": seed},
        method_label=methods[method].label,
        simulated=simulated,
        assurance=None if guarantee == "average" else int(guarantee) / 100,
    )


def _can_be_simulated(predictions: Predictions, metric: Metric, method: str) -> bool:
    """Return whether test sets can be drawn: independent cases, a function of their table."""
    of_counts = metric.value is not None and predictions.groups is None
    return of_counts and method in REPEATED_METHODS


def plan_pilot(loaded: Loaded) -> Found | None:
    """Ask for a metric of the loaded file and return the plan; None when it is impossible."""
    asked = _ask_pilot(loaded.predictions)
    if asked is None:
        return None
    try:
        return _simulated(loaded, asked) if asked.simulated else _scaled(loaded, asked)
    except ValueError as error:
        planning.problems(note_sentence(str(error)))
        return None


def _simulated(loaded: Loaded, asked: Pilot) -> Found:
    low, high = asked.metric.bounds
    options = {
        **{key: asked.options[key] for key in ("label", "threshold") if key in asked.options},
        "method": asked.options["method"],
        "confidence_level": asked.options["confidence_level"],
        "assurance": asked.assurance,
        "rng": asked.options["rng"],
    }
    target = (asked.metric.key, asked.model, asked.half)
    many = len(loaded.predictions.classes) > MANY_CLASSES
    with planning.waiting(many, "Drawing test sets"):
        found = cached.simulated_sample_size(loaded.predictions, *target, **options)
    reached = asked.said(found.size.achieved)
    within = "" if asked.assurance is None else f" in {percent_text(asked.assurance)} of test sets"
    return Found(
        size=found.size,
        achieved=f"Achieves plus or minus {reached}{within or ' on average'}",
        sentence=mean_sentence(
            found.size,
            what=asked.name,
            half_width=asked.said(asked.half),
            confidence_level=asked.options["confidence_level"],
            basis=f"{GUARANTEES[asked.guarantee]}, judged by {asked.model} on cases like the "
            f"{loaded.predictions.n_cases:,} loaded",
        ),
        lines=(simulated_sentence(found, asked.said((high - low) / 2)),),
        chart=_simulated_chart(found, asked),
        formulas=(
            r"\frac1R\sum_{r=1}^{R} \tfrac12\left(u_r - l_r\right) \le E,\quad "
            r"N_r \sim \mathrm{Multinomial}(n, \hat p)",
        ),
        explanation=(
            "Test sets N are drawn from the cells of the file's confusion matrix, and each gets "
            "the interval from l to u that this app would show for it. The sets grow by cases "
            "added to cases, until their mean half-width is small enough; with an assurance, until "
            "that share of them is narrow enough.",
            "References: Kupper, Hafner (1989); Glasserman, Yao (1992).",
        ),
        code=sizing_code("simulated_sample_size", *target, loaded=loaded, **options),
        inputs=asked.inputs(loaded.predictions),
    )


def _simulated_chart(found: SimulatedSize, asked: Pilot) -> Chart:
    keep = found.sizes >= found.size.n / AROUND
    return plan_chart(
        [
            Curve(
                label="", x=found.sizes[keep].astype(float),
                y=asked.factor * found.half_widths[keep], color=palette().model(0),
            )
        ],
        title="What fewer or more labels would give",
        x_axis="labelled cases (log)",
        y_axis=f"plus or minus, {asked.unit} (log)",
        palette=palette(),
        name="half_width",
        chosen=Mark(
            x=found.size.n, y=asked.factor * found.size.achieved, text=f"{found.size.n:,} cases"
        ),
        log="xy",
    )  # fmt: skip


def _scaled(loaded: Loaded, asked: Pilot) -> Found:
    predictions = loaded.predictions
    target = (predictions, asked.metric.key, asked.model)
    # The size goes with the inverse square of the width: two points draw the line.
    widths = grid(asked.half, float("inf"), points=2)
    size, *ends = [
        cached.pilot_sample_size(*target, float(half), **asked.options)
        for half in (asked.half, *widths)
    ]
    confidence = asked.options["confidence_level"]
    cases = units(predictions.n_cases, "cases")
    return Found(
        size=size,
        achieved=f"Achieves plus or minus {asked.said(size.achieved)}",
        sentence=mean_sentence(
            size,
            what=asked.name,
            half_width=asked.said(asked.half),
            confidence_level=confidence,
            basis=f"judged by {asked.model} on the {cases} loaded",
        ),
        chart=width_chart(
            [end.labels for end in ends],
            asked.factor * widths,
            size.labels,
            asked.factor * asked.half,
            asked.unit,
        ),
        formulas=(r"n = n_\text{pilot}\left(\frac{z\,\mathrm{SE}_\text{pilot}}{E}\right)^2",),
        explanation=(
            "The standard error of the pilot shrinks with the square root of the size. Where the "
            "pilot has groups its clustered error is used and whole groups are counted. With a "
            "bootstrap interval the error is that of the bootstrap.",
        ),
        code=sizing_code(
            "pilot_sample_size",
            asked.metric.key,
            asked.model,
            asked.half,
            loaded=loaded,
            **asked.options,
        ),
        inputs=asked.inputs(predictions),
    )
