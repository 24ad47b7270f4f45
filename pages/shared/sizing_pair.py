"""Tell two models apart: how many common cases, how many labels, and what else would do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from evalcore import sizing
from evalcore.charts import Chart, Curve, Mark, plan_chart
from evalcore.results import SampleSize
from evalcore.wording import (
    paired_sentence,
    percent_text,
    points_text,
    power_text,
    share_problem,
    too_many_sentence,
)
from pages.shared import cached, planning
from pages.shared.frame import palette
from pages.shared.sizing_rates import Rates

TESTS = {
    "exact": "Exact McNemar",
    "midp": "McNemar, mid-p",
    "chi2": "McNemar, chi-squared",
    "chi2_corrected": "McNemar, corrected",
    "normal": "Formula",
    "connor": "Formula by Connor",
}
SIDES = {"two-sided": "either may be better", "one-sided": "B better than A only"}
LABELLING = {"every": "every case", "only": "only disagreements"}
FORMULAS = ("normal", "connor")
# Beyond so many cases enumerating the power takes longer than anybody waits.
MOST_ENUMERATED = 2_000_000
# Up to so many cases the ends of an interval are enumerated as well.
SMALL = 20_000
# How many sizes the close-up shows on either side.
REACH = 40


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
    only: bool
    lines: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What the plan takes, for a planning document."""
        return paired_sentence(
            self.labelled,
            disagreement=self.rates.disagreement,
            gap=self.rates.gap,
            power=self.test.power,
            significance=self.test.significance,
            alternative=self.test.alternative,
            comparisons=self.test.comparisons,
            slices=self.test.slices,
            only_disagreements=self.only,
        )

    @property
    def options(self) -> dict[str, Any]:
        """The keyword arguments that gave the size."""
        return {**self.test.options, "method": self.size.method}

    @property
    def results(self) -> tuple[tuple[str, str], ...]:
        """What comes out, for the summary."""
        return (
            (f"{self.size.unit.capitalize()} that both models answer", f"{self.size.n:,}"),
            ("Cases to label", f"{self.labelled.labels:,}"),
            ("Power achieved", power_text(self.size.achieved)),
            ("Formula (z + z)² d / gap²", f"{self.formula.n:,} cases"),
            ("Exact power at the formula's size", power_text(self.formula.achieved)),
        )

    @property
    def inputs(self) -> tuple[tuple[str, str], ...]:
        """What was put in, for the summary."""
        test = self.test
        return (
            ("Exactly one model right", percent_text(self.rates.disagreement)),
            ("Gap to find, absolute", points_text(self.rates.gap)),
            ("Power and level", f"{percent_text(test.power)}, {percent_text(test.significance)}"),
            ("Test", f"{TESTS[self.size.method]}, {test.alternative}"),
            ("Comparisons and slices", f"{test.comparisons:,}, {test.slices:,}"),
        )


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
        with planning.waiting(formula.n > planning.SLOW, "Enumerating the power"):
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
        only=only,
        lines=lines,
    )


def ends_of_interval(plan: PairPlan) -> tuple[SampleSize | None, SampleSize | None]:
    """Return the sizes at both ends of the interval of the disagreement, None where impossible."""
    interval, gap = plan.rates.interval, plan.rates.gap
    if interval is None:
        return None, None
    # An end may need many times the cases of the estimate, too many to enumerate in passing.
    options = {**plan.options, "method": plan.size.method if plan.size.n < SMALL else "connor"}
    ends = [
        sizing.with_design_effect(cached.paired_sample_size(rate, gap, **options), plan.effect)
        if rate >= gap
        else None
        for rate in (interval.low, interval.high)
    ]
    return ends[0], ends[1]


def power_chart(plan: PairPlan) -> Chart:
    """Return power against n: the formula's smooth curve, and the exact power beside it."""
    d, gap, n = plan.rates.disagreement, plan.rates.gap, round(plan.size.n / plan.effect)
    smooth = np.unique(np.geomspace(max(n / 20, 1), 2.2 * n, 40).round())
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
    elif plan.enumerated is not None:
        points = 10 if n <= planning.SLOW else 5
        sizes = np.unique(np.linspace(n / 20, 2.2 * n, points).round())
        with planning.waiting(n > planning.SLOW, "Enumerating the power"):
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


def labels_chart(plan: PairPlan) -> Chart:
    """Return labels against the gap for several disagreement rates, on logarithmic axes."""
    d, gap = plan.rates.disagreement, plan.rates.gap
    rates = [d, *(rate for rate in (d / 4, 4 * d) if gap / 4 < rate < 0.9)]
    cases = np.geomspace(10, max(1e6, 40.0 * plan.size.n), 25).astype(int)
    options = {**plan.test.single, "power": plan.test.power, "method": "connor"}
    curves = []
    for position, rate in enumerate(rates):
        found = cached.budget_curve(cases.tolist(), disagreement=rate, proportions={}, **options)
        share = plan.effect * plan.test.slices * (rate if plan.only else 1.0)
        curves.append(
            Curve(
                label=f"d {100 * rate:.3g}%",
                x=100 * found["difference"][::-1],
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
        x_range=(100 * gap / 5, 100 * min(gap * 5, 1.0)),
        y_range=(max(labels / 250, 0.5), 60.0 * labels),
        names_below=True,
    )
