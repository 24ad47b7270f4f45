"""Closer looks at a plan for two models: other gaps, fewer labels, separate sets, other tests."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import streamlit as st

from evalcore import sizing
from evalcore.charts import Curve, plan_chart
from evalcore.results import SequentialPlan
from evalcore.wording import (
    TEST_NAMES,
    bounds_sentence,
    money_text,
    only_disagreements_sentence,
    percent_text,
    points_text,
    power_text,
    separate_sets_sentence,
    sequential_sentence,
    split_sentence,
    stopping_sentence,
)
from pages.shared import cached, planning
from pages.shared.frame import palette
from pages.shared.showing import sentences, show_chart
from pages.shared.sizing_pair import FORMULAS, TESTS, PairPlan
from pages.shared.text import csv_bytes

# Discordant cases of a sequential plan beyond which it is computed on request only.
MOST_AT_ONCE = 6_000
WAYS = ("labelled", "cases answered", "labels", "cost", "power")


def offered_views() -> dict[str, Callable[[PairPlan, planning.Money], None]]:
    """Return the closer looks at a pair plan, by name."""
    return {
        "By gap and disagreement": show_table,
        "Only the disagreements": show_disagreements,
        "Separate test sets": show_separate,
        "Every test": show_tests,
    }


def show_table(plan: PairPlan, _: planning.Money) -> None:
    """Show the cases needed by gap and disagreement rate."""
    d, gap = plan.rates.disagreement, plan.rates.gap
    gaps = [factor * gap for factor in (0.25, 0.5, 1.0, 2.0, 4.0) if factor * gap <= 1]
    rates = [factor * d for factor in (0.5, 1.0, 2.0, 4.0) if factor * d <= 1]
    cells = cached.formula_sizes(gaps, rates, power=plan.test.power, **plan.test.single)
    columns = ["gap", *(f"d {percent_text(rate)}" for rate in rates)]
    rows = [
        (
            points_text(one),
            *("impossible" if np.isnan(v) else f"{_grouped(v, plan):,}" for v in row),
        )
        for one, row in zip(gaps, cells, strict=True)
    ]
    table = planning.table_of(rows, columns, alt="Cases needed by gap and disagreement rate")
    st.caption(
        f"{plan.size.unit.capitalize()} by the formula with Connor's refinement, "
        f"{percent_text(plan.test.power)} power; a gap above d is impossible."
    )
    st.download_button(
        "This table as CSV", csv_bytes(table), "sizes.csv", "text/csv", icon=":material/download:"
    )


def _grouped(cases: float, plan: PairPlan) -> int:
    return int(np.ceil(cases * plan.effect - 1e-9))


def show_disagreements(plan: PairPlan, money: planning.Money) -> None:
    """Show labelling only the disagreements, at once or one by one, beside labelling all."""
    rates = plan.rates
    some = sizing.label_only_disagreements(
        plan.size, rates.disagreement, label_disagreement=rates.labels_differ
    )
    sentences([only_disagreements_sentence(plan.size, some)])
    power = power_text(plan.size.achieved)
    rows = [
        (
            name,
            f"{plan.size.n * plan.test.slices:,}",
            f"{labels:,}",
            money_text(money.cost(labels).total),
            power,
        )
        for name, labels in (
            ("every case", plan.size.labels),
            ("only the disagreements", some.labels),
        )
    ]
    found = _sequential(plan)
    if found is not None:
        labels = round(found.expected_labels)
        total = money_text(money.cost(labels).total)
        said = f"{labels:,} expected of {found.labels:,.0f}"
        rows.append(("one by one, may stop", f"{found.n:,}", said, total, power_text(found.power)))
    planning.table_of(rows, WAYS, alt="Labels and cost of each way of labelling")
    if found is not None:
        significance = plan.test.single["significance"]
        sentences([sequential_sentence(found, significance=significance)])
        _stopping(found, significance)


def _sequential(plan: PairPlan) -> SequentialPlan | None:
    """Return the plan that may stop early; None where it is not offered or not asked for."""
    rates, test = plan.rates, plan.test
    if plan.effect != 1.0 or test.slices > 1:
        st.caption(
            "Labelling one by one with leave to stop early is offered for independent cases "
            "without slices."
        )
        return None
    expected = 8.0 * (rates.disagreement / rates.gap) ** 2
    if expected > MOST_AT_ONCE and not st.toggle(
        "Work out labelling one by one, which may stop early (takes a while)",
        key="sequential",
        bind="query-params",
    ):
        return None
    with planning.waiting(expected > MOST_AT_ONCE / 4, "Working out when it stops"):
        return cached.sequential_sample_size(
            rates.disagreement,
            rates.gap,
            label_disagreement=rates.labels_differ,
            power=test.power,
            **test.single,
        )


def _stopping(found: SequentialPlan, significance: float) -> None:
    """Let the labels so far be judged, and show the lead that would stop."""
    leads, one_sided = found.stopping_lead, found.alternative == "one-sided"
    most = min(len(leads) - 1, 5000)
    seen = np.arange(1, most + 1)
    possible = leads[1 : most + 1] <= seen
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**Where do we stand?** Count the labels so far on which only one was right.")
        with st.container(horizontal=True, gap="small", key="stand"):
            only_a = planning.ask_whole("Only A right", "only_a", 0, low=0)
            only_b = planning.ask_whole("Only B right", "only_b", 0, low=0)
        bet = {"concentration": found.concentration, "alternative": found.alternative}
        value = float(sizing.log_e_value(only_b, only_a, **bet))
        low, high = sizing.split_limits(only_b, only_a, confidence_level=1 - significance, **bet)
        sentences(
            [
                stopping_sentence(value, only_a, only_b, significance=significance),
                split_sentence(
                    only_a, only_b, float(low), float(high), confidence_level=1 - significance
                ),
            ]
        )
        against = "“B is no better”" if one_sided else "an even split"
        st.caption(
            f"The evidence is what a fair bet of 1 against {against} has become; the interval "
            "holds the shares against which the same bet has not won enough, so it excludes 50% "
            "exactly when the evidence says stop. Label the disagreements in random order; a case "
            "on which both are wrong changes nothing. The bet (Beta mixture, c = "
            f"{found.concentration:.4g}) is fixed before the first label."
        )
        rule = pd.DataFrame({"exactly one right": seen, "lead that stops": leads[1 : most + 1]})
        st.download_button(
            "The stopping rule as CSV",
            csv_bytes(rule[possible]),
            "stopping_rule.csv",
            "text/csv",
            icon=":material/download:",
        )
    with right:
        chart = plan_chart(
            [
                Curve(
                    label="", x=seen[possible].astype(float),
                    y=leads[1 : most + 1][possible].astype(float), color=palette().model(0),
                )
            ],
            title="The lead that stops",
            x_axis="labelled cases with exactly one model right",
            y_axis="lead of B" if one_sided else "lead of one model",
            palette=palette(),
            name="stopping_lead",
        )  # fmt: skip
        show_chart(chart, key="stopping_lead")


def show_separate(plan: PairPlan, money: planning.Money) -> None:
    """Show what two separate test sets would take beside one common set."""
    rates, test = plan.rates, plan.test
    unpaired = sizing.unpaired_sample_size(
        rates.accuracy_a, rates.accuracy_b, power=test.power, **test.single
    )
    unpaired = sizing.with_design_effect(unpaired, plan.effect * test.slices)
    sentences([separate_sets_sentence(plan.size, unpaired, rates.accuracy_a, rates.accuracy_b)])
    low, high = sizing.discordance_bounds(rates.accuracy_a, rates.accuracy_b)
    sentences([bounds_sentence(low, high)])
    rows = [
        (name, f"{size.n:,}", size.unit, f"{size.labels:,}",
         money_text(money.cost(size.labels).total))
        for name, size in (("one common set", plan.size), ("two separate sets", unpaired))
    ]  # fmt: skip
    planning.table_of(
        rows, ("test set", "n", "counts", "labels", "cost"), alt="Common set beside separate sets"
    )


def show_tests(plan: PairPlan, money: planning.Money) -> None:
    """Show the size by every test and formula."""
    d, gap = plan.rates.disagreement, plan.rates.gap
    rows = []
    with planning.waiting(plan.size.n > planning.SLOW / 4, "Enumerating every test"):
        for method, label in TESTS.items():
            if method not in FORMULAS and plan.enumerated is None:
                continue
            size = cached.paired_sample_size(d, gap, **{**plan.test.options, "method": method})
            cost = money.cost(_grouped(size.labels, plan))
            rows.append(
                (label, f"{_grouped(size.n, plan):,}", power_text(size.achieved),
                 f"{cost.labels:,}", money_text(cost.total))
            )  # fmt: skip
    planning.table_of(
        rows, ("size by", plan.size.unit, "power there", "labels", "cost"), alt="Size by every test"
    )
    st.caption(
        "Beside a formula stands the power of the exact test at its size. "
        f"The test that decides: {TEST_NAMES[plan.test.enumerated]}."
    )
