"""Test-set size: how many cases and labels a decision needs, and what a budget can decide."""

from __future__ import annotations

from typing import Any

import streamlit as st

from evalcore import sizing
from evalcore.wording import (
    formula_sentence,
    paired_saw_tooth_sentence,
    plan_does_not_say,
    plan_words,
    power_text,
    rate_range_sentence,
    units,
)
from pages.shared import planning
from pages.shared.controls import pick_view
from pages.shared.frame import open_page
from pages.shared.planning import Money
from pages.shared.python import sizing_code
from pages.shared.showing import bullets, fold_outs, sentences, show_chart
from pages.shared.sizing_budget import show_budget
from pages.shared.sizing_one import AIMS, PILOT, ask_one, offered
from pages.shared.sizing_pair import (
    LABELLING,
    PairPlan,
    ask_test,
    close_chart,
    deciding,
    ends_of_interval,
    labels_chart,
    plan_pair,
    power_chart,
)
from pages.shared.sizing_rates import ask_rates
from pages.shared.sizing_shares import SHARES
from pages.shared.sizing_views import offered_views
from pages.shared.state import Loaded

QUESTIONS = {
    "one": "Measure one score",
    "pair": "Tell two models apart",
    "budget": "What can my budget do?",
}
PLAIN: dict[str, Any] = {
    "groups": planning.UNGROUPED, "test": "exact", "power": 80.0, "level": 5.0,
    "sides": "two-sided", "comparisons": 1, "slices": 1, "source": "typed",
    "gap_kind": "absolute", "accuracy_a": 90.0, "labelling": "every",
}  # fmt: skip
PRESETS: dict[str, dict[str, Any]] = {
    "Screening recall at 1% prevalence": {
        "question": "one", "measure": "recall", "aim": "width", "expected_recall": 80.0,
        "width": 5.0, "share_recall": 1.0, "size_method": "normal", "guarantee": "expected",
    },
    "A one-point gap": {**PLAIN, "question": "pair", "d": 8.0, "gap": 1.0},
    "A tenth of a point on a leaderboard": {**PLAIN, "question": "pair", "d": 8.0, "gap": 0.1},
    "The formula, checked": {
        **PLAIN, "question": "pair", "d": 8.412, "gap": 0.924, "test": "normal",
    },
}  # fmt: skip


def main() -> None:
    loaded = open_page("pages/sizing.py")
    body(loaded)


@st.fragment
def body(loaded: Loaded) -> None:
    with st.container(horizontal=True, gap="small", key="question_bar"):
        question = st.segmented_control(
            "What shall be decided",
            list(QUESTIONS),
            default="pair",
            format_func=lambda key: QUESTIONS.get(key, key),
            required=True,
            key="question",
            bind="query-params",
            label_visibility="collapsed",
            wrap=True,
        )
        st.menu_button(
            "Examples", list(PRESETS), key="example", on_click=use_example, icon=":material/bolt:"
        )
    {"one": one_score, "budget": show_budget}.get(question, two_models)(loaded)


def use_example() -> None:
    """Put the numbers of the chosen example into the controls."""
    st.session_state.update(PRESETS[st.session_state["example"]])


def one_score(loaded: Loaded) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="controls"):
        measure = planning.ask_choice("Score", "measure", offered(loaded.predictions))
        aim = planning.ask_choice("Aim", "aim", AIMS) if measure in SHARES else "width"
        found = ask_one(loaded, measure, aim)
        # A pilot with groups is measured with them.
        grouped = None if measure == PILOT else loaded.predictions
        money, effect = planning.ask_money(grouped, pair=False)
    if found is None:
        return
    size = found.size
    if effect != 1.0:
        size = sizing.with_design_effect(size, effect)
    cost = money.cost(size.labels)
    left, right = st.columns([2, 3], gap="large")
    with left:
        counted = f"{units(size.labels, 'cases')} in the test set"
        if size.labels != size.n:
            counted += f", {units(size.n, size.unit)} expected among them"
        planning.answer(cost, money, achieved=found.achieved, counted=counted)
    with right:
        if found.chart is not None:
            show_chart(found.chart, key="plan_chart")
    lines = [found.sentence, *planning.group_lines(effect), money.sentence(cost), *found.lines]
    sentences(lines)
    planning.assumptions(size)
    fold_outs(
        not_said=plan_does_not_say("one"),
        formulas=found.formulas,
        explanation=found.explanation,
        code=found.code,
    )
    results = (
        (size.unit.capitalize(), f"{size.n:,}"),
        ("Cases in the test set", f"{size.labels:,}"),
        ("Achieves", found.achieved.removeprefix("Achieves ")),
    )
    planning.finish(
        "one",
        title=QUESTIONS["one"],
        sentence=" ".join(lines),
        cost=cost,
        money=money,
        results=results,
        inputs=found.inputs,
        holds=size.assumptions,
        record=size,
    )


def two_models(loaded: Loaded) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="controls"):
        rates = ask_rates(loaded)
        test = ask_test()
        labelling = planning.ask_choice(
            "Label", "labelling", LABELLING,
            help="Cases on which both models say the same add nothing to the gap.",
        )  # fmt: skip
        money, effect = planning.ask_money(loaded.predictions, pair=True)
    if rates is None or test is None:
        return
    plan = plan_pair(rates, test, effect, only=labelling == "only")
    cost = money.cost(plan.labelled.labels)
    left, right = st.columns([2, 3], gap="large")
    with left:
        planning.answer(
            cost,
            money,
            achieved=f"Achieves {power_text(plan.size.achieved)} power",
            counted=f"{units(plan.size.n, plan.size.unit)} that both models answer",
        )
    with right:
        show_chart(power_chart(plan), key="power_chart")
    lines = [*rates.lines, plan.sentence, *planning.group_lines(effect), money.sentence(cost)]
    sentences([*lines, *explained(plan)])
    close, by_gap = st.columns(2, gap="large")
    with close:
        show_chart(close_chart(plan), key="close_chart")
    with by_gap:
        show_chart(labels_chart(plan), key="labels_chart")
    closer_look(plan, money)
    explain_pair(plan)
    planning.finish(
        "pair",
        title=QUESTIONS["pair"],
        sentence=" ".join(lines),
        cost=cost,
        money=money,
        results=plan.results,
        inputs=plan.inputs,
        holds=plan.labelled.assumptions,
        record=plan.labelled,
    )


def explain_pair(plan: PairPlan) -> None:
    """Show the fold-outs: what must hold, the words, the formula, the Python."""
    planning.assumptions(plan.labelled)
    with st.expander("What the words mean"):
        bullets(plan_words())
    fold_outs(
        not_said=plan_does_not_say("pair"),
        formulas=[r"n = \frac{(z_{1-\alpha/2} + z_{1-\beta})^2\, d}{\Delta^2}"],
        explanation=[
            "d is the share of cases on which exactly one model is right and Δ the gap. The exact "
            "power adds up, over every number of such cases and every split of them, the "
            "probability of those splits that the test calls significant.",
            "References: Miettinen (1968); Connor (1987); Suissa, Shuster (1991).",
        ],
        code=sizing_code(
            "paired_sample_size", plan.rates.disagreement, plan.rates.gap, **plan.options
        ),
    )


def explained(plan: PairPlan) -> list[str]:
    """Return the sentences beside the plan: formula, saw-tooth, interval of the disagreement."""
    lines = list(plan.lines)
    if plan.enumerated is not None:
        lines.append(formula_sentence(plan.enumerated, plan.formula, power=plan.test.power))
        lines.append(paired_saw_tooth_sentence(deciding(plan)))
    if plan.rates.interval is not None:
        lines.append(rate_range_sentence(*ends_of_interval(plan), plan.rates.interval))
    return lines


def closer_look(plan: PairPlan, money: Money) -> None:
    """Let one of the closer looks be chosen, and show it; the others cost nothing."""
    st.subheader("A closer look", anchor=False)
    pick_view("A closer look", offered_views(), key="look")(plan, money)


main()
