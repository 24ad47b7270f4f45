"""Measure one score: how many cases until it is known well enough, or shown to be good enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from evalcore import sizing
from evalcore.charts import Chart, Curve, Mark, plan_chart
from evalcore.intervals import interval_methods
from evalcore.metrics import METRICS, metrics_for
from evalcore.predictions import Predictions
from evalcore.results import SampleSize
from evalcore.sizing.search import round_up
from evalcore.wording import (
    assurance_sentence,
    errors_sentence,
    half_width_problem,
    half_width_sentence,
    level,
    luck_sentence,
    mean_sentence,
    passing_sentence,
    percent_text,
    points_text,
    power_text,
    requirement_sentence,
    saw_tooth_sentence,
    share_problem,
    units,
    winner_sentence,
)
from pages.shared import cached, controls, planning
from pages.shared.frame import palette
from pages.shared.python import sizing_code
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
# What informs a share, and what is asked for its part of all cases.
SHARES = {
    "accuracy": ("cases", None, 90.0, 100.0),
    "recall": ("actual positives", "Positives", 80.0, 1.0),
    "specificity": ("actual negatives", "Negatives", 90.0, 99.0),
    "precision": ("predicted positives", "Called positive", 80.0, 5.0),
    "slice": ("cases of the slice", "In the slice", 90.0, 5.0),
}
NAMES = {"slice": "the accuracy in the slice"}
AIMS = {
    "width": "Plus or minus",
    "requirement": "Better than",
    "errors": "At most k misses",
    "winner": "Best of several",
}
METHODS = {"normal": "Normal formula", "wilson": "Wilson", "clopper_pearson": "Clopper-Pearson"}
GUARANTEES = {
    "expected": "as expected",
    "average": "on average",
    "80": "with 80% assurance",
    "90": "with 90% assurance",
}
SAID = {
    "expected": "if the score comes out as expected",
    "average": "on average over all test sets",
    "80": "in 80% of all test sets",
    "90": "in 90% of all test sets",
}
SLOW = 50_000


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
        "width": _width,
        "requirement": _requirement,
        "errors": _errors,
        "winner": _winner,
    }
    return aims[aim](measure)


def _name(measure: str) -> str:
    return NAMES.get(measure, f"the {measure}")


def _ask_share(measure: str) -> tuple[float, str, str | None]:
    """Return the share of all cases that inform a measure, their unit and what was asked."""
    unit, question, _, usual = SHARES[measure]
    if question is None:
        return 1.0, unit, None
    return (
        planning.ask_percent(
            question, f"share_{measure}", usual, step=0.5, help="Share of all cases."
        ),
        unit,
        question,
    )


def _ask_expected(measure: str) -> float:
    return planning.ask_percent(
        "Expected value", f"expected_{measure}", SHARES[measure][2], help="Your best guess."
    )


def _width(measure: str) -> Found | None:
    expected = _ask_expected(measure)
    half = planning.ask_number("Plus or minus, points", "width", 5.0, step=0.5) / 100
    share, unit, asked = _ask_share(measure)
    with st.popover("Options", icon=":material/tune:"):
        method = planning.ask_choice("Interval", "size_method", METHODS)
        guarantee = planning.ask_choice(
            "Narrow enough", "guarantee", GUARANTEES,
            help="The interval's width depends on the score that comes out. Assurance: the share "
            "of test sets whose interval is no wider than wished.",
        )  # fmt: skip
        confidence = controls.pick_level()
    if planning.problems(
        share_problem(expected, "The expected value"),
        half_width_problem(half),
        share_problem(share, asked) if asked is not None and share != 1 else None,
    ):
        return None
    options: dict[str, Any] = {"confidence_level": confidence, "prevalence": share, "unit": unit}
    rough = cached.half_width_sample_size(expected, half, **options)
    chosen = {**options, "method": method, **_guarantee(guarantee)}
    with planning.waiting(rough.n > SLOW, "Enumerating the outcomes"):
        size = cached.half_width_sample_size(expected, half, **chosen)
    achieved = f"Achieves plus or minus {points_text(size.achieved)}"
    if size.goal == "assurance":
        achieved = f"Achieves that width in {power_text(size.achieved)} of all test sets"
    widths = half * np.geomspace(0.25, 4.0, 17)
    widths = widths[widths < 0.5]
    labels = [cached.half_width_sample_size(expected, float(w), **options).labels for w in widths]
    found = half_width_sentence(
        size,
        what=_name(measure),
        expected=expected,
        half_width=half,
        confidence_level=confidence,
        guarantee=SAID[guarantee],
    )
    return Found(
        size=size,
        achieved=achieved,
        sentence=found,
        lines=(assurance_sentence(),) if size.goal == "assurance" else (),
        chart=_width_chart(labels, 100 * widths, size.labels, 100 * half, "points"),
        formulas=(r"n = \frac{z^2\,p\,(1-p)}{E^2}",),
        explanation=(
            "The formula gives the size of the normal interval. For Wilson and Clopper-Pearson "
            "the smallest n whose own interval is narrow enough is searched, with the outcomes "
            "enumerated where the answer is an average or an assurance. n counts what informs the "
            "metric; all cases are n divided by its share.",
            "References: Brown, Cai, DasGupta (2001); Kupper, Hafner (1989) for the assurance.",
        ),
        code=sizing_code("half_width_sample_size", expected, half, **chosen),
        inputs=(
            ("Measured", MEASURES[measure]),
            ("Expected value", percent_text(expected)),
            ("Plus or minus", points_text(half)),
            (f"{asked or 'All'}, share of the cases", percent_text(share)),
            ("Interval", f"{level(confidence)} {METHODS[method]}, {GUARANTEES[guarantee]}"),
        ),
    )


def _guarantee(key: str) -> dict[str, Any]:
    if key == "average":
        return {"average": True}
    return {} if key == "expected" else {"assurance": int(key) / 100}


def _requirement(measure: str) -> Found | None:
    expected = _ask_expected(measure)
    required = planning.ask_percent(
        "Better than", "required", 80.0 if measure in ("accuracy", "slice") else 70.0
    )
    share, unit, asked = _ask_share(measure)
    with st.popover("Options", icon=":material/tune:"):
        power = planning.ask_percent("Chance to succeed (power)", "power", 80.0)
        significance = planning.ask_percent("Level", "level", 5.0)
    order = None
    if expected <= required:
        order = (
            f"A model that is right on {percent_text(expected)} cannot be shown to be above "
            f"{percent_text(required)}. Expect more than is required, or require less."
        )
    if planning.problems(
        share_problem(expected, "The expected value"),
        share_problem(required, "What is required"),
        share_problem(power, "The chance to succeed"),
        share_problem(significance, "The level"),
        share_problem(share, asked) if asked is not None and share != 1 else None,
        order,
    ):
        return None
    options = {"power": power, "significance": significance}
    size = _spread(cached.requirement_sample_size(expected, required, **options), share, unit)
    errors = sizing.largest_passing_errors(size.n, required, significance=significance)
    return Found(
        size=size,
        achieved=f"Achieves a chance to succeed of {power_text(size.achieved)}",
        sentence=requirement_sentence(
            size,
            what=_name(measure),
            expected=expected,
            required=required,
            errors=errors,
            power=power,
            significance=significance,
        ),
        lines=(saw_tooth_sentence(),),
        chart=_requirement_chart(size, expected, required, power, significance),
        formulas=(r"\Pr(X \le k \mid 1-p_0) < \alpha,\quad \Pr(X \le k \mid 1-p) \ge 1-\beta",),
        explanation=(
            "X is the number of misses among n cases and k the most that still pass. The smallest "
            "n from which both hold for good is searched by enumeration.",
            "Reference: Chernick, Liu (2002).",
        ),
        code=sizing_code("requirement_sample_size", expected, required, **options),
        inputs=(
            ("Measured", MEASURES[measure]),
            ("Expected value", percent_text(expected)),
            ("Better than", percent_text(required)),
            (f"{asked or 'All'}, share of the cases", percent_text(share)),
            ("Power and level", f"{percent_text(power)}, {percent_text(significance)}"),
        ),
    )


def _errors(measure: str) -> Found | None:
    allowed = planning.ask_whole("Misses allowed", "misses", 3, low=0, high=100_000)
    required = planning.ask_percent("Better than", "required", 80.0)
    expected = _ask_expected(measure)
    share, unit, asked = _ask_share(measure)
    with st.popover("Options", icon=":material/tune:"):
        significance = planning.ask_percent("Level", "level", 5.0)
    if planning.problems(
        share_problem(expected, "The expected value"),
        share_problem(required, "What is required"),
        share_problem(significance, "The level"),
        share_problem(share, asked) if asked is not None and share != 1 else None,
    ):
        return None
    size = _spread(
        cached.cases_for_errors(allowed, required, significance=significance), share, unit
    )
    chance = float(cached.requirement_power(size.n, expected, required, significance=significance))
    true = np.linspace(required, 1.0, 42)[1:-1]
    passing = [
        float(cached.requirement_power(size.n, float(p), required, significance=significance))
        for p in true
    ]
    chart = plan_chart(
        [Curve(label="", x=100 * true, y=100 * np.array(passing), color=palette().model(0))],
        title="Chance to pass, by how good it really is",
        x_axis=f"true value of {_name(measure)}, %",
        y_axis="chance to pass, %",
        palette=palette(),
        name="chance_to_pass",
        chosen=Mark(x=100 * expected, y=100 * chance, text=f"{percent_text(chance)} pass")
        if expected > required
        else None,
        y_range=(0, 103),
    )
    return Found(
        size=size,
        achieved=f"Achieves {power_text(size.achieved)} confidence",
        sentence=errors_sentence(
            size, what=_name(measure), required=required, errors=allowed, significance=significance
        ),
        lines=(passing_sentence(expected, chance),),
        chart=chart,
        formulas=(r"\Pr(X \le k \mid n,\, 1-p_0) < \alpha",),
        explanation=(
            "X is the number of misses among n cases of a model that is just not good enough. "
            "Without any miss this is the rule of three, about 3 / (1 − required) at 5%.",
        ),
        code=sizing_code("cases_for_errors", allowed, required, significance=significance),
        inputs=(
            ("Measured", MEASURES[measure]),
            ("Misses allowed", f"{allowed:,}"),
            ("Better than", percent_text(required)),
            (f"{asked or 'All'}, share of the cases", percent_text(share)),
            ("Level", percent_text(significance)),
        ),
    )


def _winner(measure: str) -> Found | None:
    models = planning.ask_whole("Models that compete", "models", 20, high=100_000)
    margin = planning.ask_number("Margin, points", "margin", 5.0, step=0.5) / 100
    expected = _ask_expected(measure)
    share, unit, asked = _ask_share(measure)
    confidence = controls.pick_level()
    if planning.problems(
        share_problem(expected, "The expected value"),
        half_width_problem(margin),
        share_problem(share, asked) if asked is not None and share != 1 else None,
    ):
        return None
    options = {"models": models, "confidence_level": confidence}
    size = _spread(sizing.hoeffding_sample_size(margin, **options), share, unit)
    lines = []
    if size.n <= SLOW:
        best = cached.expected_best(size.n, expected, models)
        lines.append(luck_sentence(expected, best, models, size.n))
    margins = margin * np.geomspace(0.25, 4.0, 17)
    margins = margins[margins < 1]
    labels = [
        _spread(sizing.hoeffding_sample_size(float(m), **options), share, unit).labels
        for m in margins
    ]
    return Found(
        size=size,
        achieved=f"Achieves {power_text(size.achieved)} confidence",
        sentence=winner_sentence(size, models=models, margin=margin, level_=confidence),
        lines=tuple(lines),
        chart=_width_chart(labels, 100 * margins, size.labels, 100 * margin, "points"),
        formulas=(r"n = \frac{\ln(\text{models}/\alpha)}{2\,\epsilon^2}",),
        explanation=(
            "Hoeffding's inequality with a union bound over the models: it holds for any accuracy "
            "and any dependence between the models.",
            "Reference: Hoeffding (1963).",
        ),
        code=sizing_code("hoeffding_sample_size", margin, **options),
        inputs=(
            ("Models that compete", f"{models:,}"),
            ("Truly worse by at most", points_text(margin)),
            ("Confidence", level(confidence)),
        ),
    )


def _auc() -> Found | None:
    auc = planning.ask_number("Expected AUC", "auc", 0.85, high=1.0, step=0.01)
    half = planning.ask_number("Plus or minus", "auc_width", 0.03, high=1.0, step=0.01)
    share = planning.ask_percent(
        "Positives", "share_recall", 1.0, step=0.5, help="Share of all cases."
    )
    confidence = controls.pick_level()
    if planning.problems(
        share_problem(auc, "The expected AUC"),
        half_width_problem(half),
        share_problem(share, "The share of positives"),
    ):
        return None
    options = {"prevalence": share, "confidence_level": confidence}
    size = cached.auc_sample_size(auc, half, **options)
    widths = half * np.geomspace(0.25, 4.0, 17)
    widths = widths[widths < 0.5]
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
        chart=_width_chart(labels, widths, size.labels, half, "AUC"),
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
            ("Positives among the cases", percent_text(share)),
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
    widths = half * np.geomspace(0.25, 4.0, 17)
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
        chart=_width_chart(labels, widths, size.labels, half, "unit of the values"),
        formulas=(r"t_{n-1}\,\frac{s}{\sqrt{n}} \le E",),
        explanation=("s is the standard deviation of the values case by case.",),
        code=sizing_code("mean_sample_size", spread, half, **options),
        inputs=(
            ("Standard deviation", f"{spread:,.6g}"),
            ("Plus or minus", f"{half:,.6g}"),
            ("Interval", f"{level(confidence)}, {method}"),
        ),
    )


def _pilot(loaded: Loaded) -> Found | None:
    predictions = loaded.predictions
    model = controls.pick_model(predictions)
    offered_metrics = metrics_for(predictions, model)
    if not offered_metrics:
        st.info("This model has nothing in the file that can be scored; pick another.")
        return None
    metric = controls.pick_metric(offered_metrics)
    label = controls.pick_class(predictions) if metric.per_class else None
    asked: dict[str, Any] = controls.pick_needed(predictions, metric, [model])
    if label is not None:
        asked["label"] = label
    percent = metric.scale == "percent"
    unit = {"percent": "points", "target": "unit of the target"}.get(metric.scale, "its unit")
    key = "width" if percent else f"width_{metric.scale}"
    usual = cached.metric_interval(predictions, metric.key, model, **asked)
    start = _round(usual.standard_error, percent)
    half = planning.ask_number(f"Plus or minus, {unit}", key, start, step=start / 10)
    methods = interval_methods(predictions, metric.key, model=model)
    with st.popover("Options", icon=":material/tune:"):
        method = controls.pick_method({name: one.label for name, one in methods.items()})
        confidence = controls.pick_level()
        seed = controls.pick_seed()
    options = {**asked, "method": method, "confidence_level": confidence, "rng": seed}
    half = half / 100 if percent else half
    if planning.problems(None if half > 0 else "Plus or minus 0 takes endless cases; enter more."):
        return None
    try:
        size = cached.pilot_sample_size(predictions, metric.key, model, half, **options)
    except ValueError as error:
        planning.problems(f"{str(error).capitalize()}.")
        return None
    said = points_text(half) if percent else f"{half:,.4g}"
    got = points_text(size.achieved) if percent else f"{size.achieved:,.4g}"
    widths = half * np.geomspace(0.25, 4.0, 9)
    labels = [
        cached.pilot_sample_size(predictions, metric.key, model, float(w), **options).labels
        for w in widths
    ]
    name = METRICS[metric.key].label + (f" of {label}" if label is not None else "")
    factor = 100 if percent else 1
    return Found(
        size=size,
        achieved=f"Achieves plus or minus {got}",
        sentence=mean_sentence(
            size,
            what=name,
            half_width=said,
            confidence_level=confidence,
            basis=f"judged by {model} on the {units(predictions.n_cases, 'cases')} loaded",
        ),
        chart=_width_chart(labels, factor * widths, size.labels, factor * half, unit),
        formulas=(r"n = n_\text{pilot}\left(\frac{z\,\mathrm{SE}_\text{pilot}}{E}\right)^2",),
        explanation=(
            "The standard error of the pilot shrinks with the square root of the size. Where the "
            "pilot has groups its clustered error is used and whole groups are counted. Choose a "
            "resampling interval to have the standard error simulated.",
        ),
        code=sizing_code("pilot_sample_size", metric.key, model, half, loaded=loaded, **options),
        inputs=(
            ("Measured", name),
            ("Pilot", f"{model}, {units(predictions.n_cases, 'cases')}"),
            ("Plus or minus", said),
            ("Interval", f"{level(confidence)}, {methods[method].label}"),
        ),
    )


def _round(error: float, percent: bool) -> float:
    """Return a half-width to start with: the pilot's standard error, to one digit."""
    known = error == error and 0 < error < float("inf")
    start = float(f"{(100 if percent else 1) * error:.1g}") if known else 1.0
    return start


def _spread(size: SampleSize, share: float, unit: str) -> SampleSize:
    """Return a size whose n are only a share of the cases that get a label."""
    values = {name: getattr(size, name) for name in size.__dataclass_fields__}
    return SampleSize(**{**values, "unit": unit, "labels": round_up(size.n / share)})


def _width_chart(
    labels: list[int], widths: np.ndarray, chosen_labels: int, chosen: float, unit: str
) -> Chart:
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


def _requirement_chart(
    size: SampleSize, expected: float, required: float, power: float, significance: float
) -> Chart:
    around = max(60, min(size.n, 1500))
    sizes = np.arange(max(1, size.n - around), size.n + around + 1)
    powers = cached.requirement_power(sizes, expected, required, significance=significance)
    return plan_chart(
        [Curve(label="", x=sizes.astype(float), y=100 * powers, color=palette().model(0))],
        title="Chance to succeed, saw-toothed",
        x_axis=size.unit,
        y_axis="chance to succeed, %",
        palette=palette(),
        name="requirement_power",
        chosen=Mark(x=size.n, y=100 * size.achieved, text=f"{size.n:,} {size.unit}"),
        target=(100 * power, "aimed at"),
    )
