"""Measure one score: what is measured, and the scores that are no share of cases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from evalcore.intervals import interval_methods
from evalcore.metrics import Metric, metrics_for
from evalcore.predictions import Predictions
from evalcore.wording import (
    half_width_problem,
    level,
    mean_sentence,
    note_sentence,
    percent_text,
    points_text,
    share_problem,
    units,
)
from pages.shared import cached, controls, planning
from pages.shared.python import sizing_code
from pages.shared.sizing_found import Found, grid, width_chart
from pages.shared.sizing_shares import (
    ask_part,
    plan_errors,
    plan_requirement,
    plan_width,
    plan_winner,
)
from pages.shared.state import Loaded

PILOT = "pilot"
UNITS = {"percent": "points", "target": "unit of the target"}
MEASURES = {
    "accuracy": "Accuracy",
    "recall": "Recall",
    "specificity": "Specificity",
    "precision": "Precision",
    "slice": "Accuracy in a slice",
    "auc": "AUC",
    "mean": "A mean, such as MAE",
    PILOT: "From the loaded file",
}
AIMS = {
    "width": "Plus or minus",
    "requirement": "Better than",
    "errors": "At most k misses",
    "winner": "Best of several",
}


def offered(predictions: Predictions) -> dict[str, str]:
    """Return what can be measured: metrics of the loaded file only when it has a truth."""
    pilot = any(metrics_for(predictions, model) for model in predictions.models)
    return {key: label for key, label in MEASURES.items() if pilot or key != PILOT}


def ask_one(loaded: Loaded, measure: str, aim: str) -> Found | None:
    """Draw the controls of a measure and an aim, and return the plan; None when impossible."""
    if measure == "auc":
        return _auc()
    if measure == "mean":
        return _mean()
    if measure == PILOT:
        return _pilot(loaded)
    aims: dict[str, Callable[[str], Found | None]] = {
        "width": plan_width,
        "requirement": plan_requirement,
        "errors": plan_errors,
        "winner": plan_winner,
    }
    return aims[aim](measure)


def _auc() -> Found | None:
    auc = planning.ask_number("Expected AUC", "auc", 0.85, high=1.0, step=0.01)
    half = planning.ask_number("Plus or minus", "auc_width", 0.03, high=1.0, step=0.01)
    share = ask_part("recall").share
    with st.popover("Options", icon=":material/tune:"):
        confidence = controls.pick_level()
    if planning.problems(
        share_problem(auc, "The expected AUC"),
        half_width_problem(half),
        share_problem(share, "The share of positives"),
    ):
        return None
    options = {"prevalence": share, "confidence_level": confidence}
    size = cached.auc_sample_size(auc, half, **options)
    widths = grid(half, 0.5)
    labels = [cached.auc_sample_size(auc, float(w), **options).labels for w in widths]
    return Found(
        size=size,
        achieved=f"Achieves plus or minus {size.achieved:.4g}",
        sentence=mean_sentence(
            size,
            what="the AUC",
            half_width=f"{half:.4g}",
            confidence_level=confidence,
            basis=f"when it is near {auc:.4g} and {percent_text(share)} of the cases are positive",
        ),
        chart=width_chart(labels, widths, size.labels, half, "AUC"),
        formulas=(
            r"\mathrm{Var} = \frac{A(1-A) + (m-1)\left(\tfrac{A}{2-A}-A^2\right) + "
            r"(k-1)\left(\tfrac{2A^2}{1+A}-A^2\right)}{m\,k}",
        ),
        explanation=(
            "m positives and k negatives; solved for the number of cases.",
            "Reference: Hanley, McNeil (1982).",
        ),
        code=sizing_code("auc_sample_size", auc, half, **options),
        inputs=(
            ("Expected AUC", f"{auc:.4g}"),
            ("Plus or minus", f"{half:.4g}"),
            ("Positives, share of the cases", percent_text(share)),
            ("Confidence", level(confidence)),
        ),
    )


def _mean() -> Found | None:
    spread = planning.ask_number(
        "Standard deviation", "sd", 10.0, step=1.0,
        help="Of the values case by case (the absolute errors, for MAE), from a pilot or a guess.",
    )  # fmt: skip
    half = planning.ask_number("Plus or minus, same unit", "mean_width", 1.0, step=0.5)
    with st.popover("Options", icon=":material/tune:"):
        method = planning.ask_choice("Interval", "mean_method", {"t": "t", "normal": "Normal"})
        confidence = controls.pick_level()
    if planning.problems(
        None if spread > 0 else "A standard deviation of 0 means that nothing varies; enter more.",
        None if half > 0 else "No number of cases gives plus or minus 0; enter more than 0.",
    ):
        return None
    options = {"method": method, "confidence_level": confidence}
    size = cached.mean_sample_size(spread, half, **options)
    widths = grid(half, float("inf"))
    labels = [cached.mean_sample_size(spread, float(w), **options).labels for w in widths]
    return Found(
        size=size,
        achieved=f"Achieves plus or minus {size.achieved:.4g}",
        sentence=mean_sentence(
            size,
            what="the mean",
            half_width=f"{half:,.6g}",
            confidence_level=confidence,
            basis=f"when the values have a standard deviation of {spread:,.6g}",
        ),
        chart=width_chart(labels, widths, size.labels, half, "unit of the values"),
        formulas=(r"t_{n-1}\,\frac{s}{\sqrt{n}} \le E",),
        explanation=("s is the standard deviation of the values case by case.",),
        code=sizing_code("mean_sample_size", spread, half, **options),
        inputs=(
            ("Standard deviation", f"{spread:,.6g}"),
            ("Plus or minus", f"{half:,.6g}"),
            ("Interval", f"{level(confidence)}, {method}"),
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pilot:
    """A metric of the loaded file and the half-width that is wished, in the metric's unit."""

    metric: Metric
    model: str
    half: float
    options: dict[str, Any]
    method_label: str

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
    )


def _pilot(loaded: Loaded) -> Found | None:
    predictions = loaded.predictions
    asked = _ask_pilot(predictions)
    if asked is None:
        return None
    target = (predictions, asked.metric.key, asked.model)
    # The size goes with the inverse square of the width: two points draw the line.
    widths = grid(asked.half, float("inf"), points=2)
    try:
        size, *ends = [
            cached.pilot_sample_size(*target, float(half), **asked.options)
            for half in (asked.half, *widths)
        ]
    except ValueError as error:
        planning.problems(note_sentence(str(error)))
        return None
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
            "pilot has groups its clustered error is used and whole groups are counted. Choose a "
            "bootstrap interval to have the standard error simulated.",
        ),
        code=sizing_code(
            "pilot_sample_size",
            asked.metric.key,
            asked.model,
            asked.half,
            loaded=loaded,
            **asked.options,
        ),
        inputs=(
            ("Measured", asked.name),
            ("Pilot", f"{asked.model}, {cases}"),
            ("Plus or minus", asked.said(asked.half)),
            ("Interval", f"{level(confidence)}, {asked.method_label}"),
        ),
    )
