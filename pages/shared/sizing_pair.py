"""Tell two models apart: how many common cases, how many labels, and what else would do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from evalcore import sizing
from evalcore.charts import Chart, Curve, Mark, plan_chart
from evalcore.results import SampleSize
from evalcore.wording import (
    TEST_NAMES,
    money_text,
    only_disagreements_sentence,
    percent_text,
    points_text,
    power_text,
    separate_sets_sentence,
    sequential_sentence,
    share_problem,
    stopping_sentence,
    too_many_sentence,
)
from pages.shared import cached, planning
from pages.shared.frame import palette
from pages.shared.showing import sentences, show_chart
from pages.shared.sizing_rates import Rates
from pages.shared.text import csv_bytes

TESTS = {
    "exact": "Exact McNemar",
    "midp": "McNemar, mid-p",
    "chi2": "McNemar, chi-squared",
    "chi2_corrected": "McNemar, corrected",
    "normal": "Formula (z + z)² d / gap²",
    "connor": "Formula, Connor's",
}
SIDES = {"two-sided": "either may be better", "one-sided": "B better than A only"}
LABELLING = {"every": "every case", "only": "only disagreements"}
FORMULAS = ("normal", "connor")
# Beyond so many cases enumerating the power takes longer than anybody waits.
MOST_ENUMERATED = 2_000_000
SLOW = 50_000
# How many sizes the close-up shows on either side.
REACH = 40
# Discordant cases of a sequential plan beyond which it is computed on request only.
MOST_AT_ONCE = 6_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Test:
    """The test that shall find the gap."""

    method: str
    power: float
    significance: float
    alternative: str
    comparisons: int
    slices: int

    @property
    def options(self) -> dict[str, Any]:
        """All of it as keyword arguments of ``paired_sample_size``."""
        return {
            "method": self.method,
            "power": self.power,
            "significance": self.significance,
            "alternative": self.alternative,
            "comparisons": self.comparisons,
            "slices": self.slices,
        }

    @property
    def single(self) -> dict[str, Any]:
        """The level and side of one of the tests made."""
        tests = self.comparisons * self.slices
        return {"significance": self.significance / tests, "alternative": self.alternative}

    @property
    def enumerated(self) -> str:
        """Key of the test whose power is enumerated; the exact one beside a formula."""
        return "exact" if self.method in FORMULAS else self.method


@dataclass(frozen=True, slots=True, kw_only=True)
class PairPlan:
    """What two models need: the size asked for, the formula's, and what was given up."""

    rates: Rates
    test: Test
    size: SampleSize
    labelled: SampleSize
    formula: SampleSize
    enumerated: SampleSize | None
    effect: float
    lines: tuple[str, ...] = ()


def ask_test() -> Test | None:
    """Draw the finer points of the test; None when they are impossible."""
    with st.popover("Test", icon=":material/tune:"):
        method = planning.ask_choice("Size by", "test", TESTS)
        power = planning.ask_percent("Power", "power", 80.0)
        significance = planning.ask_percent("Level", "level", 5.0)
        alternative = planning.ask_choice("Question", "sides", SIDES)
        comparisons = planning.ask_whole(
            "Comparisons to be made", "comparisons", 1, high=10_000,
            help="Each is tested at the level divided by their number (Bonferroni).",
        )  # fmt: skip
        slices = planning.ask_whole(
            "Slices, each to be decided", "slices", 1, high=10_000,
            help="Each needs its own cases and shares in the level.",
        )  # fmt: skip
    too_lenient = None
    if alternative == "one-sided" and significance >= 0.5:
        too_lenient = "The level of a one-sided test must be below 50%."
    if planning.problems(
        share_problem(power, "The power"), share_problem(significance, "The level"), too_lenient
    ):
        return None
    return Test(
        method=method,
        power=power,
        significance=significance,
        alternative=alternative,
        comparisons=comparisons,
        slices=slices,
    )


def plan_pair(rates: Rates, test: Test, effect: float, *, only: bool) -> PairPlan:
    """Return the plan; a size too large to enumerate comes from the formula and says so."""
    d, gap = rates.disagreement, rates.gap
    formula = cached.paired_sample_size(d, gap, **{**test.options, "method": "normal"})
    possible = formula.n <= MOST_ENUMERATED
    lines: tuple[str, ...] = ()
    enumerated = None
    if possible:
        with planning.waiting(formula.n > SLOW, "Enumerating the power"):
            enumerated = cached.paired_sample_size(
                d, gap, **{**test.options, "method": test.enumerated}
            )
    else:
        lines += (too_many_sentence(formula.n),)
    if test.method in FORMULAS or enumerated is None:
        method = test.method if test.method in FORMULAS else "connor"
        size = cached.paired_sample_size(d, gap, **{**test.options, "method": method})
    else:
        size = enumerated
    grouped = sizing.with_design_effect(size, effect) if effect != 1.0 else size
    labelled = grouped
    if only:
        labelled = sizing.label_only_disagreements(
            grouped, d, label_disagreement=rates.labels_differ
        )
    return PairPlan(
        rates=rates,
        test=test,
        size=grouped,
        labelled=labelled,
        formula=formula,
        enumerated=enumerated,
        effect=effect,
        lines=lines,
    )


def ends_of_interval(plan: PairPlan) -> tuple[SampleSize | None, SampleSize | None]:
    """Return the sizes at both ends of the interval of the disagreement, None where impossible."""
    interval, gap = plan.rates.interval, plan.rates.gap
    if interval is None:
        return None, None
    options = {**plan.test.options, "method": plan.size.method}
    ends = []
    for rate in (interval.low, interval.high):
        ends.append(
            sizing.with_design_effect(cached.paired_sample_size(rate, gap, **options), plan.effect)
            if rate >= gap
            else None
        )
    return ends[0], ends[1]


def power_chart(plan: PairPlan) -> Chart:
    """Return power against n: the formula's smooth curve, and the exact power beside it."""
    d, gap, n = plan.rates.disagreement, plan.rates.gap, round(plan.size.n / plan.effect)
    smooth = np.unique(np.geomspace(max(n / 20, 1), 2.2 * n, 60).round())
    powers = [sizing.formula_power(s, d, gap, **plan.test.single) for s in smooth]
    curves = [
        Curve(
            label="formula", x=smooth * plan.effect, y=100 * np.array(powers),
            color=palette().quiet, dash="dash",
        )
    ]  # fmt: skip
    options = {"method": plan.test.enumerated, **plan.test.single}
    if 2.2 * n <= 1_200:
        exact = cached.mcnemar_power_curve(1, int(2.2 * n) + 1, d, gap, **options)
        sizes = np.arange(1, len(exact) + 1.0)
        curves.insert(0, _exact_curve(sizes * plan.effect, exact))
    elif n <= SLOW:
        sizes = np.unique(np.linspace(n / 20, 2.2 * n, 16).round())
        exact = np.array([cached.mcnemar_power(int(s), d, gap, **options) for s in sizes])
        curves.insert(0, _exact_curve(sizes * plan.effect, exact, dots=True))
    return plan_chart(
        curves,
        title="Power against the number of cases",
        x_axis=f"{plan.size.unit} that both models answer",
        y_axis="power, %",
        palette=palette(),
        name="power",
        chosen=_chosen(plan),
        target=(100 * plan.test.power, f"{percent_text(plan.test.power)} aimed at"),
        y_range=(0, 103),
    )


def close_chart(plan: PairPlan) -> Chart:
    """Return the power given how many cases decide: there the saw-tooth shows."""
    lean = plan.rates.gap / plan.rates.disagreement
    middle = deciding(plan)
    low, high = max(1, middle - REACH), middle + REACH
    sizes = np.arange(low, high + 1.0)
    options = {"method": plan.test.enumerated, **plan.test.single}
    exact = cached.mcnemar_power_curve(low, high, 1.0, lean, **options)
    smooth = np.array([sizing.formula_power(m, 1.0, lean, **plan.test.single) for m in sizes])
    return plan_chart(
        [
            _exact_curve(sizes, exact),
            Curve(label="formula", x=sizes, y=100 * smooth, color=palette().quiet, dash="dash"),
        ],
        title="Close up: the saw-tooth",
        x_axis="cases with exactly one model right",
        y_axis="power, %",
        palette=palette(),
        name="power_close",
        target=(100 * plan.test.power, "aimed at"),
    )


def deciding(plan: PairPlan) -> int:
    """Return about how many cases of one test decide, as if all were independent."""
    return max(round(plan.size.n / plan.effect * plan.rates.disagreement), 1)


def _exact_curve(sizes: np.ndarray, powers: np.ndarray, *, dots: bool = False) -> Curve:
    return Curve(label="exact", x=sizes, y=100 * powers, color=palette().model(0), dots=dots)


def _chosen(plan: PairPlan) -> Mark:
    return Mark(
        x=plan.size.n,
        y=100 * plan.size.achieved,
        text=f"{plan.size.n:,}: {power_text(plan.size.achieved)}",
    )


def labels_chart(plan: PairPlan, *, only: bool) -> Chart:
    """Return labels against the gap for several disagreement rates, on logarithmic axes."""
    d, gap = plan.rates.disagreement, plan.rates.gap
    rates = [d, *(rate for rate in (d / 4, 4 * d) if gap / 4 < rate < 0.9)]
    cases = np.geomspace(10, max(1e6, 40.0 * plan.size.n), 40).round()
    options = {**plan.test.single, "power": plan.test.power, "method": "connor"}
    curves = []
    for position, rate in enumerate(rates):
        gaps = [cached.detectable_difference(int(n), rate, **options) for n in cases]
        share = plan.effect * plan.test.slices * (rate if only else 1.0)
        curves.append(
            Curve(
                label=f"d {percent_text(rate)}",
                x=100 * np.array(gaps[::-1]),
                y=share * cases[::-1],
                color=palette().model(0) if position == 0 else palette().quiet,
            )
        )
    labels = plan.labelled.labels
    return plan_chart(
        curves,
        title="Labels against the gap",
        x_axis="gap to find, points (log)",
        y_axis="labelled cases (log)",
        palette=palette(),
        name="labels_by_gap",
        chosen=Mark(x=100 * gap, y=labels, text=f"{labels:,} cases"),
        log="xy",
        x_range=(100 * gap / 8, 100 * min(gap * 8, 1.0)),
        y_range=(max(labels / 300, 1.0), 300.0 * labels),
        names_below=True,
    )


def offered_views() -> dict[str, Callable[[PairPlan, planning.Money], pd.DataFrame | None]]:
    """Return the closer looks at a pair plan, by name."""
    return {
        "By gap and disagreement": show_table,
        "Only the disagreements": show_disagreements,
        "Separate test sets": show_separate,
        "Every test": show_tests,
    }


def show_table(plan: PairPlan, _: planning.Money) -> pd.DataFrame:
    """Show the cases needed by gap and disagreement rate."""
    d, gap = plan.rates.disagreement, plan.rates.gap
    gaps = [factor * gap for factor in (0.25, 0.5, 1.0, 2.0, 4.0) if factor * gap <= 1]
    rates = [factor * d for factor in (0.5, 1.0, 2.0, 4.0) if factor * d <= 1]
    options = {**plan.test.options, "method": "connor"}
    with planning.waiting(plan.size.n > SLOW, "Filling the table"):
        cells = cached.paired_size_table(gaps, rates, **options)
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
    return table


def _grouped(cases: float, plan: PairPlan) -> int:
    return int(np.ceil(cases * plan.effect - 1e-9))


def show_disagreements(plan: PairPlan, money: planning.Money) -> pd.DataFrame | None:
    """Show labelling only the disagreements, at once or one by one, beside labelling all."""
    rates = plan.rates
    some = sizing.label_only_disagreements(
        plan.size, rates.disagreement, label_disagreement=rates.labels_differ
    )
    sentences([only_disagreements_sentence(plan.size, some)])
    rows = [
        ("every case", plan.size, plan.size.labels),
        ("only the disagreements", plan.size, some.labels),
    ]
    table = [
        (name, f"{size.n:,}", f"{labels:,}", money_text(money.cost(labels).total),
         power_text(size.achieved))
        for name, size, labels in rows
    ]  # fmt: skip
    columns = ("labelled", "cases answered", "labels", "cost", "power")
    if plan.test.alternative == "one-sided" or plan.effect != 1.0 or plan.test.slices > 1:
        st.caption(
            "The version that may stop early is offered for a two-sided test of independent cases "
            "without slices."
        )
        return planning.table_of(table, columns, alt="Labels and cost of each way of labelling")
    expected = 8.0 * (rates.disagreement / rates.gap) ** 2
    wanted = expected <= MOST_AT_ONCE or st.toggle(
        f"Work out the version that may stop early ({expected:,.0f} labels; takes a while)",
        key="sequential",
        bind="query-params",
    )
    if not wanted:
        return planning.table_of(table, columns, alt="Labels and cost of each way of labelling")
    with planning.waiting(expected > MOST_AT_ONCE / 4, "Working out when it stops"):
        found = cached.sequential_sample_size(
            rates.disagreement,
            rates.gap,
            label_disagreement=rates.labels_differ,
            power=plan.test.power,
            significance=plan.test.single["significance"],
        )
    labels = int(np.ceil(found.expected_labels))
    table.append(
        ("one by one, expected", f"{found.n:,}", f"{labels:,} of {found.labels:,.0f}",
         money_text(money.cost(labels).total), power_text(found.power))
    )  # fmt: skip
    shown = planning.table_of(table, columns, alt="Labels and cost of each way of labelling")
    significance = plan.test.single["significance"]
    sentences([sequential_sentence(found, significance=significance)])
    _stopping(found.stopping_lead, found.concentration, significance)
    return shown


def _stopping(leads: np.ndarray, concentration: float, significance: float) -> None:
    """Let the labels so far be judged, and show the lead that would stop."""
    most = min(len(leads) - 1, 5000)
    seen = np.arange(1, most + 1)
    possible = leads[1 : most + 1] <= seen
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**Where do we stand?** Count the labels so far on which only one was right.")
        with st.container(horizontal=True, gap="small", key="stand"):
            only_a = planning.ask_whole("Only A right", "only_a", 0, low=0)
            only_b = planning.ask_whole("Only B right", "only_b", 0, low=0)
        value = float(sizing.log_e_value(only_a, only_b, concentration=concentration))
        sentences([stopping_sentence(value, only_a, only_b, significance=significance)])
        st.caption(
            "The evidence is what a fair bet of 1 against an even split has become. Label the "
            "disagreements in random order; a case on which both are wrong changes nothing. The "
            f"bet (Beta mixture, c = {concentration:.4g}) is fixed before the first label."
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
            y_axis="lead of one model",
            palette=palette(),
            name="stopping_lead",
        )  # fmt: skip
        show_chart(chart, key="stopping_lead")


def show_separate(plan: PairPlan, money: planning.Money) -> pd.DataFrame:
    """Show what two separate test sets would take beside one common set."""
    rates, test = plan.rates, plan.test
    unpaired = sizing.unpaired_sample_size(
        rates.accuracy_a, rates.accuracy_b, power=test.power, **test.single
    )
    unpaired = sizing.with_design_effect(unpaired, plan.effect * test.slices)
    sentences([separate_sets_sentence(plan.size, unpaired, rates.accuracy_a, rates.accuracy_b)])
    low, high = sizing.discordance_bounds(rates.accuracy_a, rates.accuracy_b)
    sentences(
        [
            f"With these accuracies exactly one model is right on between {percent_text(low)} and "
            f"{percent_text(high)} of the cases; the less, the cheaper the comparison on common "
            "cases."
        ]
    )
    rows = [
        (name, f"{size.n:,}", size.unit, f"{size.labels:,}",
         money_text(money.cost(size.labels).total))
        for name, size in (("one common set", plan.size), ("two separate sets", unpaired))
    ]  # fmt: skip
    return planning.table_of(
        rows, ("test set", "n", "counts", "labels", "cost"), alt="Common set beside separate sets"
    )


def show_tests(plan: PairPlan, money: planning.Money) -> pd.DataFrame:
    """Show the size by every test and formula."""
    d, gap = plan.rates.disagreement, plan.rates.gap
    rows = []
    with planning.waiting(plan.size.n > SLOW / 4, "Enumerating every test"):
        for method, label in TESTS.items():
            if method not in FORMULAS and plan.enumerated is None:
                continue
            size = cached.paired_sample_size(d, gap, **{**plan.test.options, "method": method})
            cost = money.cost(_grouped(size.labels, plan))
            rows.append(
                (label, f"{_grouped(size.n, plan):,}", power_text(size.achieved),
                 f"{cost.labels:,}", money_text(cost.total))
            )  # fmt: skip
    table = planning.table_of(
        rows, ("size by", plan.size.unit, "power there", "labels", "cost"), alt="Size by every test"
    )
    st.caption(
        "Beside a formula stands the power of the exact test at its size. "
        f"The test that decides: {TEST_NAMES[plan.test.enumerated]}."
    )
    return table
