"""What can my budget do? The gap it finds and how narrow each score becomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from evalcore import sizing
from evalcore.charts import Chart, Curve, Mark, plan_chart
from evalcore.wording import (
    budget_sentence,
    level,
    money_text,
    percent_text,
    plan_does_not_say,
    plan_words,
    points_text,
    share_problem,
    units,
)
from pages.shared import cached, controls, planning
from pages.shared.frame import palette
from pages.shared.python import sizing_code
from pages.shared.showing import bullets, fold_outs, sentences, show_chart
from pages.shared.state import Loaded

# Up to so many cases the gap is found by exact power, beyond by the formula.
MOST_EXACT = 20_000
CURVES = {"accuracy": "accuracy", "recall": "recall", "slice": "slice"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A budget and what is expected of the models it shall measure."""

    budget: float
    money: planning.Money
    disagreement: float
    power: float
    significance: float
    accuracy: float
    recall: float
    prevalence: float
    slice_share: float
    required: float
    confidence: float
    effect: float

    @property
    def proportions(self) -> dict[str, tuple[float, float]]:
        """Per score its expected value and the share of the cases that inform it."""
        return {
            "accuracy": (self.accuracy, 1.0),
            "recall": (self.recall, self.prevalence),
            "slice": (self.accuracy, self.slice_share),
        }

    @property
    def test(self) -> dict[str, Any]:
        """Power and level as keyword arguments."""
        return {"power": self.power, "significance": self.significance}

    @property
    def inputs(self) -> tuple[tuple[str, str], ...]:
        """What was put in, for the summary."""
        return (
            ("Budget", money_text(self.budget)),
            ("Exactly one model right", percent_text(self.disagreement)),
            ("Accuracy, recall", f"{percent_text(self.accuracy)}, {percent_text(self.recall)}"),
            ("Positives among the cases", percent_text(self.prevalence)),
            (
                "Power and level",
                f"{percent_text(self.power)}, {percent_text(self.significance)}",
            ),
            ("Confidence", level(self.confidence)),
        )

    def cases(self, budget: float, share: float = 1.0) -> int:
        """Return how many cases a budget pays for when a share of them gets a label."""
        return sizing.affordable_cases(
            budget,
            price=self.money.price,
            labels_per_case=self.money.labels_per_case,
            share_labelled=self.money.share_labelled,
            share_needed=share,
        )

    def independent(self, cases: float) -> int:
        """Return how many independent cases tell as much as these."""
        return max(int(cases / self.effect), 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetPlan:
    """What a budget decides.

    Attributes
    ----------
    cases, only_cases : int
        Cases in the test set when every case gets a label, and when only disagreements do.
    gap, only_gap : float
        Smallest gap found with the power; nan where none is.
    rows : tuple of (str, str, str)
        What is asked, the answer, and what it rests on.
    """

    question: Question
    cases: int
    only_cases: int
    gap: float
    only_gap: float
    rows: tuple[tuple[str, str, str], ...]


def ask_budget(groups: float, money: planning.Money, budget: float) -> Question | None:
    """Draw what is expected of the models; None when it is impossible."""
    rate = planning.ask_percent("Exactly one right", "d", 8.0)
    accuracy = planning.ask_percent("Accuracy, about", "accuracy_a", 90.0)
    with st.popover("Scores", icon=":material/tune:"):
        recall = planning.ask_percent("Recall, about", "expected_recall", 80.0)
        prevalence = planning.ask_percent("Positives", "share_recall", 1.0)
        share = planning.ask_percent("In the slice", "share_slice", 5.0)
        required = planning.ask_percent("Better than", "required", 80.0)
        power = planning.ask_percent("Power", "power", 80.0)
        significance = planning.ask_percent("Level", "level", 5.0)
        confidence = controls.pick_level()
    free = None
    if money.share_labelled >= 1:
        free = "With every case labelled already there is nothing to buy. Enter less than 100%."
    if planning.problems(
        None if budget > 0 else "A budget of 0 buys no label; enter more than 0.",
        None if money.price > 0 else "At a price of 0 no budget is needed; enter the real price.",
        free,
        None if 0 < rate <= 1 else "The disagreement must be above 0% and at most 100%.",
        share_problem(accuracy, "The accuracy"),
        share_problem(recall, "The recall"),
        share_problem(required, "The accuracy required"),
        share_problem(power, "The power"),
        share_problem(significance, "The level"),
        None if prevalence > 0 else "Without positives there is no recall; enter more than 0%.",
        None if share > 0 else "A slice without cases cannot be measured; enter more than 0%.",
    ):
        return None
    return Question(
        budget=budget,
        money=money,
        disagreement=rate,
        power=power,
        significance=significance,
        accuracy=accuracy,
        recall=recall,
        prevalence=prevalence,
        slice_share=share,
        required=required,
        confidence=confidence,
        effect=groups,
    )


def plan_budget(question: Question) -> BudgetPlan | None:
    """Return what the budget decides; None when it does not buy a single label."""
    cases = question.cases(question.budget)
    if planning.problems(
        None
        if cases >= 1
        else f"One case costs {question.money.cost(1).total:,.6g}, more than the budget."
    ):
        return None
    only = question.cases(question.budget, question.disagreement)
    gaps = [_gap(question, question.independent(n)) for n in (cases, only)]
    rows = [
        ("Gap found, all labelled", _said(gaps[0]), units(cases, "cases")),
        (
            "Gap found, disagreements labelled",
            _said(gaps[1]),
            f"{units(only, 'cases')} answered",
        ),
    ]
    effective = question.independent(cases)
    names = {
        "accuracy": f"Accuracy near {percent_text(question.accuracy)}",
        "recall": f"Recall near {percent_text(question.recall)}",
        "slice": f"Accuracy in a slice of {percent_text(question.slice_share)}",
    }
    for key, (expected, share) in question.proportions.items():
        half = sizing.expected_half_width(
            effective * share, expected, confidence_level=question.confidence
        )
        rows.append(
            (
                f"{names[key]}, {level(question.confidence)} interval",
                f"plus or minus {_said(half)}",
                units(round(cases * share), "cases"),
            )
        )
    errors = sizing.largest_passing_errors(
        effective, question.required, significance=question.significance
    )
    passes = "cannot be shown" if errors is None else f"with at most {units(errors, 'errors')}"
    if question.effect == 1.0:
        rows.append(
            (f"Shown better than {percent_text(question.required)}", passes, units(cases, "cases"))
        )
    return BudgetPlan(
        question=question,
        cases=cases,
        only_cases=only,
        gap=gaps[0],
        only_gap=gaps[1],
        rows=tuple(rows),
    )


def _gap(question: Question, cases: int) -> float:
    method = "exact" if cases <= MOST_EXACT else "connor"
    return cached.detectable_difference(
        cases, question.disagreement, method=method, **question.test
    )


def _said(gap: float) -> str:
    return points_text(float(f"{gap:.3g}")) if np.isfinite(gap) else "none"


def gap_chart(plan: BudgetPlan) -> Chart:
    """Return the smallest gap found against the budget, for both ways of labelling."""
    question = plan.question
    budgets = question.budget * np.geomspace(0.1, 10.0, 25)
    curves = []
    for name, share, color in (
        ("every case", 1.0, palette().model(0)),
        ("disagreements", question.disagreement, palette().model(1)),
    ):
        cases = [max(question.independent(question.cases(float(b), share)), 1) for b in budgets]
        found = cached.budget_curve(
            cases, disagreement=question.disagreement, proportions={}, **question.test
        )
        curves.append(
            Curve(
                label=name, x=budgets, y=100 * found["difference"], color=color,
                dash=None if share == 1.0 else "dash",
            )
        )  # fmt: skip
    chosen = None
    if np.isfinite(plan.gap):
        chosen = Mark(x=question.budget, y=100 * plan.gap, text=f"{_said(plan.gap)}")
    return plan_chart(
        curves,
        title="Smallest gap found, by budget",
        x_axis="budget (log)",
        y_axis="gap, points (log)",
        palette=palette(),
        name="gap_by_budget",
        chosen=chosen,
        log="xy",
    )


def width_chart(plan: BudgetPlan) -> Chart:
    """Return how narrow each score becomes against the budget."""
    question = plan.question
    budgets = question.budget * np.geomspace(0.1, 10.0, 25)
    cases = [question.independent(question.cases(float(b))) for b in budgets]
    found = cached.budget_curve(
        cases,
        disagreement=question.disagreement,
        proportions=question.proportions,
        confidence_level=question.confidence,
        **question.test,
    )
    curves = [
        Curve(
            label=label, x=budgets, y=100 * found[key], color=palette().model(position),
            dash=(None, "dash", "dot")[position],
        )
        for position, (key, label) in enumerate(CURVES.items())
    ]  # fmt: skip
    half = sizing.expected_half_width(
        question.independent(plan.cases), question.accuracy, confidence_level=question.confidence
    )
    return plan_chart(
        curves,
        title="How well each score is known, by budget",
        x_axis="budget (log)",
        y_axis="plus or minus, points (log)",
        palette=palette(),
        name="width_by_budget",
        chosen=Mark(x=question.budget, y=100 * half, text=points_text(float(f"{half:.3g}"))),
        log="xy",
    )


def show_budget(loaded: Loaded) -> None:
    """Ask for a budget and show what it decides."""
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="controls"):
        budget = planning.ask_number("Budget", "budget", 2000.0, step=100.0)
        money, effect = planning.ask_money(loaded.predictions, pair=False)
        question = ask_budget(effect, money, budget)
    plan = None if question is None else plan_budget(question)
    if plan is None or question is None:
        return
    cost = money.cost(plan.cases)
    sentence = budget_sentence(
        budget=budget,
        cases=plan.cases,
        gap=float(f"{plan.gap:.3g}"),
        disagreement=question.disagreement,
        power=question.power,
    )
    left, right = st.columns([2, 3], gap="large")
    with left:
        planning.answer(
            cost,
            money,
            achieved=f"Achieves {percent_text(question.power)} power for the gap below",
            counted=f"{units(plan.cases, 'cases')} in the test set",
        )
        sentences([sentence, *planning.group_lines(effect)])
    with right:
        show_chart(gap_chart(plan), key="gap_chart")
    planning.table_of(plan.rows, ("question", "answer", "from"), alt="What the budget can decide")
    show_chart(width_chart(plan), key="width_chart")
    _explain(plan)
    results = tuple((name, f"{answer} ({basis})") for name, answer, basis in plan.rows)
    planning.finish(
        "budget",
        title="What can my budget do?",
        sentence=sentence,
        cost=cost,
        money=money,
        results=results,
        inputs=question.inputs,
        holds=planning.group_lines(effect),
        record=plan,
    )


def _explain(plan: BudgetPlan) -> None:
    question = plan.question
    with st.expander("What the words mean"):
        bullets(plan_words())
    fold_outs(
        not_said=plan_does_not_say("budget"),
        formulas=[r"\Delta = \frac{(z_{1-\alpha/2} + z_{1-\beta})\sqrt{d}}{\sqrt{n}}"],
        explanation=[
            "The smallest gap at which the power reaches the target: by exact enumeration up to "
            "20,000 cases, by Connor's formula beyond and in the chart. Half-widths are those of "
            "the Wilson interval at the expected value.",
            "References: Connor (1987); Wilson (1927).",
        ],
        code=sizing_code(
            "detectable_difference", plan.cases, question.disagreement, **question.test
        ),
    )
