"""What leaving cases out says: the jackknife of a statistic, and who is in a bootstrap sample."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.charts import Curve, Mark, plan_chart
from evalcore.estimators import STATISTICS, Jackknife, inclusion_probability, jackknife
from evalcore.wording import inclusion_sentence, jackknife_sentence, lower_first
from pages.shared import controls
from pages.shared.estimators_code import jackknife_code
from pages.shared.estimators_data import Source
from pages.shared.frame import palette
from pages.shared.showing import downloads, fold_outs, sentences, show_chart

# Leaving out each case in turn takes as many passes over the column as there are cases.
MOST = 5_000
LIMIT = 1.0 - float(np.exp(-1.0))


def show_left_out(source: Source, seed: int) -> None:
    """Show the jackknife of one column, and how likely a case is in a bootstrap sample."""
    table = source.table
    numeric = [i for i in range(len(table.columns)) if i not in table.categorical]
    if not numeric:
        st.info("These cases have no column of numbers; choose others.", icon=":material/block:")
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        column = st.selectbox(
            "Column", numeric, format_func=lambda i: table.columns[i], key="jack_column",
            width=controls.WIDTH,
        )  # fmt: skip
        chosen = st.selectbox(
            "Statistic", list(STATISTICS), format_func=lambda key: STATISTICS[key].label,
            index=1, key="statistic", bind="query-params", width=controls.WIDTH,
        )  # fmt: skip
    values = table.features[:, column]
    values = values[~np.isnan(values)]
    if not 2 <= len(values) <= MOST:
        st.info(
            f"The jackknife is shown for 2 to {MOST:,} cases; this column has {len(values):,}.",
            icon=":material/block:",
        )
        return
    found = jackknife(values, STATISTICS[chosen].value)
    said = jackknife_sentence(found, what=lower_first(STATISTICS[chosen].label), n=len(values))
    sentences([said, STATISTICS[chosen].remark])
    shown = _jackknife_table(found)
    if table.groups is not None:
        st.caption("Cases are left out one at a time, as if those of one group told nothing alike.")
    st.subheader("How likely is a case in a bootstrap sample?", anchor=False)
    inclusion = inclusion_sentence(inclusion_probability(table.n), table.n)
    sentences([inclusion])
    _inclusion_chart(table.n)
    fold_outs(
        not_said=[
            "The jackknife takes the cases as independent and the statistic as smooth. It says "
            "nothing of how a rule fitted to these cases will do on others.",
        ],
        formulas=[
            r"\widehat{bias} = (n-1)\left(\bar t_{(\cdot)} - t\right),\quad "
            r"\widehat{SE} = \sqrt{\tfrac{n-1}{n}\sum_i (t_{(i)} - \bar t_{(\cdot)})^2}",
            r"1 - \left(1 - \tfrac1n\right)^n \to 1 - e^{-1} \approx 0.632",
        ],
        explanation=[
            "t is the statistic of all cases, t without case i the same with one left out, and "
            "their mean what the bar stands for. A bootstrap sample draws n times from n cases; "
            "each draw misses a given one with probability 1 - 1/n.",
            "References: Quenouille (1956); Tukey (1958); Efron (1983).",
        ],
        code=jackknife_code(source, column, chosen, seed),
    )
    downloads(table=shown, record=found, sentence=f"{said} {inclusion}", name="jackknife")


def _jackknife_table(found: Jackknife) -> pd.DataFrame:
    rows = (
        ("statistic of all cases", found.estimate),
        ("mean of those without one case", found.mean),
        ("jackknife bias", found.bias),
        ("bias-corrected", found.corrected),
        ("jackknife standard error", found.standard_error),
        ("smallest without one case", float(found.leave_one_out.min())),
        ("largest without one case", float(found.leave_one_out.max())),
    )
    table = pd.DataFrame(rows, columns=["what", "value"])
    st.dataframe(
        table,
        hide_index=True,
        column_config={"value": st.column_config.NumberColumn(format="%.6g")},
        alt="The statistic, its jackknife bias and standard error, and the corrected value",
    )
    return table


def _inclusion_chart(n: int) -> None:
    sizes = np.unique(np.geomspace(1, max(1_000, 50 * n), 60).round())
    chance = np.array([inclusion_probability(int(size)) for size in sizes])
    own = 100 * inclusion_probability(n)
    chart = plan_chart(
        [Curve(label="", x=sizes, y=100 * chance, color=palette().model(0))],
        title=f"Chance to be in a sample, {100 * LIMIT:.1f}% in the limit",
        x_axis="cases (log)",
        y_axis="chance, %",
        palette=palette(),
        name="inclusion",
        chosen=Mark(x=n, y=own, text=f"{n:,} cases: {own:.1f}%"),
        target=(100 * LIMIT, ""),
        log="x",
        y_range=(50, 102),
    )
    show_chart(chart, key="inclusion_chart")
    st.caption("The axis starts at 50%: the chance never falls below its limit.")
