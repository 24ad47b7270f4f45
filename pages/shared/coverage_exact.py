"""Exact coverage of the proportion intervals: against the true share, and against n."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.binomial import PROPORTION_METHODS
from evalcore.charts import Axes, Line, lines_chart
from evalcore.simulation import coverage_range
from evalcore.wording import coverage_sentence, level
from pages.shared import controls, luck_cached, teaching
from pages.shared.frame import palette
from pages.shared.showing import fold_outs
from pages.shared.state import Loaded

POINTS = 1_001
SIZES_SHOWN = 120
AT_START = ["wilson", "wald", "clopper_pearson"]
SHARES, SIZES = "against the true share", "against the cases"


@st.fragment
def show_exact(_: Loaded) -> None:
    """Show the coverage of several methods at once, by enumeration of every outcome."""
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="controls"):
        along = st.selectbox(
            "Coverage", [SHARES, SIZES], key="along", bind="query-params", width=controls.WIDTH + 40
        )
        n = st.number_input(
            "Cases" if along == SHARES else "Cases, up to",
            5,
            2_000 if along == SHARES else 500,
            50 if along == SHARES else 200,
            key="cases" if along == SHARES else "up_to",
            bind="query-params",
            width=controls.WIDTH,
        )
        if along == SIZES:
            p = st.number_input(
                "True share", 0.005, 0.995, 0.9, step=0.01, key="share", bind="query-params",
                format="%.3g", width=controls.WIDTH,
            )  # fmt: skip
        confidence = controls.pick_level()
        methods = st.multiselect(
            "Methods",
            list(PROPORTION_METHODS),
            default=AT_START,
            format_func=lambda key: PROPORTION_METHODS[key].label,
            key="methods",
            bind="query-params",
            width=controls.WIDTH * 3,
        )
    if not methods:
        st.info("Choose at least one method.", icon=":material/checklist:")
        return
    if along == SHARES:
        _against_share(n, tuple(methods), confidence)
    else:
        _against_size(n, p, tuple(methods), confidence)


def _against_share(n: int, methods: tuple[str, ...], confidence: float) -> None:
    span = st.slider(
        "Range of true shares", 0.0, 1.0, (0.0, 1.0), step=0.01, key="span", bind="query-params"
    )
    found = luck_cached.exact_coverages(n, POINTS, methods, confidence)
    ranges = {_label(one.method): coverage_range(one, span) for one in found}
    first = next(iter(ranges.values()))
    if not teaching.guessed(
        "exact",
        f"{next(iter(ranges))}, {n} cases: how low does its {level(confidence)} coverage fall?",
        100 * first.minimum,
    ):
        return
    teaching.say([coverage_sentence(ranges, confidence)])
    coverages, widths = [], []
    for one in found:
        inside = (one.proportion >= span[0]) & (one.proportion <= span[1])
        at, label = 100 * one.proportion[inside], _label(one.method)
        coverages.append(Line(label=label, x=at, y=100 * one.coverage[inside]))
        widths.append(Line(label=label, x=at, y=100 * one.expected_width[inside]))
    _charts(coverages, widths, "true share, percent", f"{n:,} cases", confidence, ranges)
    table = pd.DataFrame(
        {
            "method": list(ranges),
            "lowest coverage": [one.minimum for one in ranges.values()],
            "at a true share of": [one.at for one in ranges.values()],
            "mean coverage": [one.mean for one in ranges.values()],
            "mean width": [one.mean_width for one in ranges.values()],
        }
    )
    if not teaching.presenting():
        st.dataframe(
            table,
            hide_index=True,
            column_config=dict.fromkeys(
                table.columns[1:], st.column_config.NumberColumn(format="percent")
            ),
            alt="Lowest and mean coverage and mean width of each method over the range",
        )
    code = (
        "import numpy as np\n\nfrom evalcore.binomial import exact_coverages\n"
        "from evalcore.simulation import coverage_range\n\n"
        f"shares = np.linspace(0, 1, {POINTS})\n"
        f"for found in exact_coverages({n}, shares, {list(methods)!r}, "
        f"confidence_level={confidence!r}):\n"
        f"    print(found.method, coverage_range(found, {span!r}))\n"
    )
    _explain(methods, code, table, coverage_sentence(ranges, confidence))


def _against_size(n: int, p: float, methods: tuple[str, ...], confidence: float) -> None:
    sizes = tuple(np.unique(np.linspace(5, n, SIZES_SHOWN).astype(int)).tolist())
    found = {m: luck_cached.coverage_along_n(sizes, p, m, confidence) for m in methods}
    lowest = {_label(m): (found[m][0].min(), sizes[int(found[m][0].argmin())]) for m in methods}
    name, (low, where) = next(iter(lowest.items()))
    if not teaching.guessed(
        "saw", f"{name}, true share {p:.1%}: how low does its coverage fall?", 100 * low
    ):
        return
    sentence = (
        f"More cases do not always cover more. With a true share of {p:.1%}, the {name} interval "
        f"covers least at {where:,} cases: {low:.1%} in place of {level(confidence)}."
    )
    teaching.say([sentence])
    x = np.array(sizes)
    coverages = [Line(label=_label(m), x=x, y=100 * found[m][0]) for m in methods]
    widths = [Line(label=_label(m), x=x, y=100 * found[m][1]) for m in methods]
    _charts(coverages, widths, "cases", f"true share {p:.1%}", confidence, lowest)
    table = pd.DataFrame({"cases": sizes})
    for m in methods:
        table[f"{m}_coverage"], table[f"{m}_width"] = found[m]
    code = (
        "from evalcore.simulation import coverage_along_n\n\n"
        f"for method in {list(methods)!r}:\n"
        f"    print(method, coverage_along_n(range(5, {n + 1}), {p!r}, method=method, "
        f"confidence_level={confidence!r}))\n"
    )
    _explain(methods, code, table, sentence)


def _charts(
    coverages: list[Line], widths: list[Line], x: str, given: str, confidence: float, lowest: object
) -> None:
    floor = min(float(line.y.min()) for line in coverages)
    axes = Axes(
        x=x,
        y="coverage, percent",
        y_range=(max(0.0, max(floor - 1.0, 100 * confidence - 25.0)), 100.5),
        reference=(100 * confidence, level(confidence)),
    )
    chart = lines_chart(
        coverages, axes, title=f"Exact coverage, {given}", palette=palette(), name="coverage"
    )
    teaching.show_chart(chart, key="coverage")
    if floor < 100 * confidence - 25.0:
        st.caption(f"The axis starts above the lowest values, which fall to {floor:.1f}%.")
    if teaching.presenting():
        return
    chart = lines_chart(
        widths,
        Axes(x=x, y="mean width, points"),
        title=f"Expected width, {given}",
        palette=palette(),
        name="width",
    )
    teaching.show_chart(chart, key="width")


def _explain(methods: tuple[str, ...], code: str, table: pd.DataFrame, sentence: str) -> None:
    if teaching.presenting():
        return
    fold_outs(
        not_said=[
            "Coverage at one true share is not coverage at the next: the truth is never known, so "
            "read a range, not a point.",
            "A method that never falls below its level pays with width; one that is short on "
            "average pays with misses.",
        ],
        formulas=[
            r"C(p) = \sum_{k=0}^{n} \binom nk p^k (1-p)^{n-k}\,[\,low_k \le p \le high_k\,]",
            *(PROPORTION_METHODS[key].formula for key in methods),
        ],
        explanation=[
            "Every outcome from 0 to n right is listed with its probability; nothing is drawn.",
            "The teeth come from whole cases: as the truth moves, outcomes drop out one by one.",
            "Reference: Brown, Cai, DasGupta (2001), Statistical Science 16, 101-133.",
        ],
        code=code,
    )
    teaching.downloads(
        table=table,
        numbers={"rows": table.to_dict("records")},
        sentence=sentence,
        name="margin_coverage",
    )


def _label(method: str) -> str:
    return PROPORTION_METHODS[method].label
