"""Measure a share, such as recall: to a half-width, against a requirement, or as a contest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

from evalcore import sizing
from evalcore.charts import Chart, Curve, Mark, plan_chart
from evalcore.results import SampleSize
from evalcore.sizing.search import round_up
from evalcore.wording import (
    assurance_sentence,
    errors_sentence,
    half_width_problem,
    half_width_sentence,
    intervals_sentence,
    level,
    luck_sentence,
    passing_sentence,
    percent_text,
    points_text,
    power_text,
    requirement_problem,
    requirement_sentence,
    saw_tooth_sentence,
    share_problem,
    winner_sentence,
)
from pages.shared import cached, controls, planning
from pages.shared.frame import palette
from pages.shared.python import sizing_code
from pages.shared.sizing_found import Found, grid, width_chart

# What informs a share, and what is asked for its part of all cases.
SHARES = {
    "accuracy": ("cases", None, 90.0, 100.0),
    "recall": ("actual positives", "Positives", 80.0, 1.0),
    "specificity": ("actual negatives", "Negatives", 90.0, 99.0),
    "precision": ("predicted positives", "Called positive", 80.0, 5.0),
    "slice": ("cases of the slice", "In the slice", 90.0, 5.0),
}
NAMES = {"slice": "the accuracy in the slice"}
# How many sizes are shown on either side of the one chosen.
AROUND = 120
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The cases that inform a share, as a part of all cases."""

    measure: str
    share: float
    unit: str
    question: str | None

    @property
    def name(self) -> str:
        """What is measured, inside a sentence."""
        return NAMES.get(self.measure, f"the {self.measure}")

    @property
    def problem(self) -> str | None:
        """What is possible when there are no such cases."""
        if self.question is None or self.share == 1:
            return None
        return share_problem(self.share, self.question)

    @property
    def row(self) -> tuple[str, str]:
        """What was put in, for the summary."""
        return f"{self.question or 'All'}, share of the cases", percent_text(self.share)

    def of(self, size: SampleSize) -> SampleSize:
        """Return a size whose n are only this part of the cases that get a label."""
        return replace(size, unit=self.unit, labels=round_up(size.n / self.share))


def ask_part(measure: str) -> Part:
    """Ask for the part of all cases that inform a measure, where it is not all of them."""
    unit, question, _, usual = SHARES[measure]
    share = 1.0
    if question is not None:
        share = planning.ask_percent(
            question, f"share_{measure}", usual, step=0.5, help="Share of all cases."
        )
    return Part(measure=measure, share=share, unit=unit, question=question)


def ask_expected(measure: str) -> float:
    """Ask for the value that the score is expected to have."""
    return planning.ask_percent(
        "Expected value", f"expected_{measure}", SHARES[measure][2], help="Your best guess."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Width:
    """What is asked of an interval."""

    part: Part
    expected: float
    half: float
    method: str
    guarantee: str
    confidence: float

    @property
    def base(self) -> dict[str, Any]:
        """Level, share and unit as keyword arguments."""
        return {
            "confidence_level": self.confidence,
            "prevalence": self.part.share,
            "unit": self.part.unit,
        }

    @property
    def options(self) -> dict[str, Any]:
        """All of it as keyword arguments of ``half_width_sample_size``."""
        options = {**self.base, "method": self.method}
        if self.guarantee == "average":
            options["average"] = True
        elif self.guarantee != "expected":
            options["assurance"] = int(self.guarantee) / 100
        return options


def _ask_width(measure: str) -> Width | None:
    expected = ask_expected(measure)
    half = planning.ask_number("Plus or minus, points", "width", 5.0, step=0.5) / 100
    part = ask_part(measure)
    with st.popover("Options", icon=":material/tune:"):
        method = planning.ask_choice("Interval", "size_method", METHODS)
        guarantee = planning.ask_choice(
            "Narrow enough", "guarantee", GUARANTEES,
            help="The interval's width depends on the score that comes out. Assurance: the share "
            "of test sets whose interval is no wider than wished.",
        )  # fmt: skip
        confidence = controls.pick_level()
    if planning.problems(
        share_problem(expected, "The expected value"), half_width_problem(half), part.problem
    ):
        return None
    return Width(
        part=part,
        expected=expected,
        half=half,
        method=method,
        guarantee=guarantee,
        confidence=confidence,
    )


def plan_width(measure: str) -> Found | None:
    """Ask for a half-width and return the plan; None when it is impossible."""
    asked = _ask_width(measure)
    if asked is None:
        return None
    expected, half, part = asked.expected, asked.half, asked.part
    rough = cached.half_width_sample_size(expected, half, **asked.base)
    with planning.waiting(rough.n > planning.SLOW, "Enumerating the outcomes"):
        size = cached.half_width_sample_size(expected, half, **asked.options)
    achieved = f"Achieves plus or minus {points_text(size.achieved)}"
    lines = []
    if size.goal == "assurance":
        achieved = f"Achieves that width in {power_text(size.achieved)} of all test sets"
        lines.append(assurance_sentence())
    beside = {
        label: cached.half_width_sample_size(expected, half, method=key, **asked.base).n
        for key, label in METHODS.items()
    }
    lines.append(intervals_sentence(beside, part.unit))
    widths = grid(half, 0.5)
    labels = [
        cached.half_width_sample_size(expected, float(w), **asked.base).labels for w in widths
    ]
    return Found(
        size=size,
        achieved=achieved,
        sentence=half_width_sentence(
            size,
            what=part.name,
            expected=expected,
            half_width=half,
            confidence_level=asked.confidence,
            guarantee=SAID[asked.guarantee],
        ),
        lines=tuple(lines),
        chart=width_chart(labels, 100 * widths, size.labels, 100 * half, "points"),
        formulas=(r"n = \frac{z^2\,p\,(1-p)}{E^2}",),
        explanation=(
            "The formula gives the size of the normal interval. For Wilson and Clopper-Pearson "
            "the smallest n whose own interval is narrow enough is searched, with the outcomes "
            "enumerated where the answer is an average or an assurance. n counts what informs the "
            "metric; all cases are n divided by its share. The chart is that of the formula.",
            "References: Brown, Cai, DasGupta (2001); Kupper, Hafner (1989) for the assurance.",
        ),
        code=sizing_code("half_width_sample_size", expected, half, **asked.options),
        inputs=(
            ("Measured", part.name),
            ("Expected value", percent_text(expected)),
            ("Plus or minus", points_text(half)),
            part.row,
            (
                "Interval",
                f"{level(asked.confidence)} {METHODS[asked.method]}, {GUARANTEES[asked.guarantee]}",
            ),
        ),
    )


def plan_requirement(measure: str) -> Found | None:
    """Ask what must be exceeded and return the plan; None when it is impossible."""
    expected = ask_expected(measure)
    required = planning.ask_percent("Better than", "required", 80.0)
    part = ask_part(measure)
    with st.popover("Options", icon=":material/tune:"):
        power = planning.ask_percent("Chance to succeed", "power", 80.0, help="The power.")
        significance = planning.ask_percent("Level", "level", 5.0)
    if planning.problems(
        share_problem(expected, "The expected value"),
        share_problem(required, "What is required"),
        share_problem(power, "The chance to succeed"),
        share_problem(significance, "The level"),
        part.problem,
        requirement_problem(expected, required),
    ):
        return None
    options = {"power": power, "significance": significance}
    size = part.of(cached.requirement_sample_size(expected, required, **options))
    return Found(
        size=size,
        achieved=f"Achieves a chance to succeed of {power_text(size.achieved)}",
        sentence=requirement_sentence(
            size,
            what=part.name,
            expected=expected,
            required=required,
            errors=sizing.largest_passing_errors(size.n, required, significance=significance),
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
            ("Measured", part.name),
            ("Expected value", percent_text(expected)),
            ("Better than", percent_text(required)),
            part.row,
            ("Power and level", f"{percent_text(power)}, {percent_text(significance)}"),
        ),
    )


def plan_errors(measure: str) -> Found | None:
    """Ask how many misses may occur and return the fewest cases; None when it is impossible."""
    allowed = planning.ask_whole("Misses allowed", "misses", 3, low=0, high=100_000)
    required = planning.ask_percent("Better than", "required", 80.0)
    expected = ask_expected(measure)
    part = ask_part(measure)
    with st.popover("Options", icon=":material/tune:"):
        significance = planning.ask_percent("Level", "level", 5.0)
    if planning.problems(
        share_problem(expected, "The expected value"),
        share_problem(required, "What is required"),
        share_problem(significance, "The level"),
        part.problem,
    ):
        return None
    size = part.of(cached.cases_for_errors(allowed, required, significance=significance))
    chance = float(cached.requirement_power(size.n, expected, required, significance=significance))
    return Found(
        size=size,
        achieved=f"Achieves {power_text(size.achieved)} confidence",
        sentence=errors_sentence(
            size, what=part.name, required=required, errors=allowed, significance=significance
        ),
        lines=(passing_sentence(expected, chance),),
        chart=_passing_chart(size.n, part, expected, chance, required, significance),
        formulas=(r"\Pr(X \le k \mid n,\, 1-p_0) < \alpha",),
        explanation=(
            "X is the number of misses among n cases of a model that is just not good enough. "
            "Without any miss this is the rule of three, about 3 / (1 − required) at 5%.",
        ),
        code=sizing_code("cases_for_errors", allowed, required, significance=significance),
        inputs=(
            ("Measured", part.name),
            ("Misses allowed", f"{allowed:,}"),
            ("Better than", percent_text(required)),
            part.row,
            ("Level", percent_text(significance)),
        ),
    )


def plan_winner(measure: str) -> Found | None:
    """Ask how many models compete and return the plan; None when it is impossible."""
    models = planning.ask_whole("Models that compete", "models", 20, high=100_000)
    margin = planning.ask_number("Margin, points", "winner_margin", 5.0, step=0.5) / 100
    expected = ask_expected(measure)
    part = ask_part(measure)
    with st.popover("Options", icon=":material/tune:"):
        confidence = controls.pick_level()
    if planning.problems(
        share_problem(expected, "The expected value"), half_width_problem(margin), part.problem
    ):
        return None
    options = {"models": models, "confidence_level": confidence}
    size = part.of(sizing.hoeffding_sample_size(margin, **options))
    lines = []
    if size.n <= planning.SLOW:
        best = cached.expected_best(size.n, expected, models)
        lines.append(luck_sentence(expected, best, models, size.n))
    margins = grid(margin, 1.0)
    labels = [part.of(sizing.hoeffding_sample_size(float(m), **options)).labels for m in margins]
    return Found(
        size=size,
        achieved=f"Achieves {power_text(size.achieved)} confidence",
        sentence=winner_sentence(size, models=models, margin=margin, confidence_level=confidence),
        lines=tuple(lines),
        chart=width_chart(labels, 100 * margins, size.labels, 100 * margin, "points"),
        formulas=(r"n = \frac{\ln(\text{models}/\alpha)}{2\,\epsilon^2}",),
        explanation=(
            "Hoeffding's inequality with a union bound over the models: it holds for any accuracy "
            "and any dependence between the models.",
            "Reference: Hoeffding (1963).",
        ),
        code=sizing_code("hoeffding_sample_size", margin, **options),
        inputs=(
            ("Models that compete", f"{models:,}"),
            ("Margin", points_text(margin)),
            part.row,
            ("Confidence", level(confidence)),
        ),
    )


def _passing_chart(
    n: int, part: Part, expected: float, chance: float, required: float, significance: float
) -> Chart:
    true = np.linspace(required, 1.0, 42)[1:-1]
    passing = [
        float(cached.requirement_power(n, float(p), required, significance=significance))
        for p in true
    ]
    chosen = Mark(x=100 * expected, y=100 * chance, text=f"{percent_text(chance)} pass")
    return plan_chart(
        [Curve(label="", x=100 * true, y=100 * np.array(passing), color=palette().model(0))],
        title="Chance to pass, by how good it really is",
        x_axis=f"true value of {part.name}, %",
        y_axis="chance to pass, %",
        palette=palette(),
        name="chance_to_pass",
        chosen=chosen if expected > required else None,
        y_range=(0, 103),
    )


def _requirement_chart(
    size: SampleSize, expected: float, required: float, power: float, significance: float
) -> Chart:
    sizes = np.arange(max(1, size.n - AROUND), size.n + AROUND + 1)
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
