"""Measure one score: what is measured, and the scores that are no share of cases."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from evalcore.metrics import metrics_for
from evalcore.predictions import Predictions
from evalcore.wording import (
    half_width_problem,
    level,
    mean_sentence,
    percent_text,
    share_problem,
)
from pages.shared import cached, controls, planning
from pages.shared.python import sizing_code
from pages.shared.sizing_found import Found, grid, width_chart
from pages.shared.sizing_pilot import plan_pilot
from pages.shared.sizing_shares import (
    ask_part,
    plan_errors,
    plan_requirement,
    plan_width,
    plan_winner,
)
from pages.shared.state import Loaded

PILOT = "pilot"
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
        return plan_pilot(loaded)
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
