"""What the questions of the Test-set size page share: numbers asked, money, groups, answer."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from evalcore import sizing
from evalcore.predictions import Predictions
from evalcore.results import Cost, SampleSize
from evalcore.wording import (
    cost_sentence,
    group_sentence,
    money_text,
    percent_text,
    plan_does_not_say,
)
from pages.shared import cached, controls
from pages.shared.showing import downloads, sentences
from pages.shared.sizing_summary import Summary, as_html, as_markdown
from pages.shared.text import escape

Rows = tuple[tuple[str, str], ...]

NUMBER = "%.6g"
UNGROUPED = "independent cases"
TYPED = "groups, typed in"
MEASURED = "groups, as in the loaded file"
# From so many cases on, enumerating takes long enough to say so.
SLOW = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    """What a label costs and how many there are already."""

    price: float
    labels_per_case: int
    share_labelled: float

    def cost(self, cases: int) -> Cost:
        """Return what labelling these cases costs."""
        return sizing.cost(
            cases,
            price=self.price,
            labels_per_case=self.labels_per_case,
            share_labelled=self.share_labelled,
        )

    def sentence(self, cost: Cost) -> str:
        """Return what has to be bought."""
        return cost_sentence(
            cost,
            price=self.price,
            labels_per_case=self.labels_per_case,
            share_labelled=self.share_labelled,
        )


def ask_number(
    label: str,
    key: str,
    default: float,
    *,
    low: float = 0.0,
    high: float | None = None,
    step: float = 0.1,
    help: str | None = None,
) -> float:
    """Return a number typed in; it is kept in the address."""
    return float(
        st.number_input(
            label,
            min_value=low,
            max_value=high,
            value=default,
            step=step,
            format=NUMBER,
            key=key,
            bind="query-params",
            width=controls.WIDTH,
            help=help,
        )
    )


def ask_percent(
    label: str, key: str, default: float, *, step: float = 1.0, help: str | None = None
) -> float:
    """Return a share typed in percent, as a fraction."""
    return ask_number(f"{label}, %", key, default, high=100.0, step=step, help=help) / 100


def ask_whole(
    label: str, key: str, default: int, *, low: int = 1, high: int = 10**9, help: str | None = None
) -> int:
    """Return a whole number typed in."""
    return int(
        st.number_input(
            label,
            low,
            high,
            default,
            key=key,
            bind="query-params",
            width=controls.WIDTH,
            help=help,
        )
    )


def ask_choice(label: str, key: str, options: dict[str, str], *, help: str | None = None) -> str:
    """Return the key of one of several options, the first at the start."""
    return st.selectbox(
        label,
        list(options),
        format_func=lambda option: options.get(option, option),
        key=key,
        bind="query-params",
        width=controls.WIDTH,
        help=help,
    )


def ask_money(predictions: Predictions | None, *, pair: bool) -> tuple[Money, float]:
    """Draw the price of a label, how labels are made and whether cases come in groups.

    Returns the money and by how much groups multiply the cases needed; without predictions, groups
    are not asked about.
    """
    price = ask_number(
        "Price of one label", "price", 0.5, step=0.05, help="In any currency you like."
    )
    with st.popover("Labels", icon=":material/payments:"):
        per_case = ask_whole(
            "Labels per case", "annotators", 1, high=100, help="Annotators who see each case."
        )
        labelled = ask_percent("Labelled already", "labelled", 0.0, help="Share of the cases.")
        effect = 1.0 if predictions is None else ask_groups(predictions, pair=pair)
    return Money(price=price, labels_per_case=per_case, share_labelled=labelled), effect


def ask_groups(predictions: Predictions, *, pair: bool) -> float:
    """Draw how alike the cases are and return by how much that multiplies the cases needed."""
    measurable = (
        predictions.groups is not None
        and predictions.truth is not None
        and predictions.task == "classification"
        and len(predictions.models) > pair
    )
    options = [UNGROUPED, TYPED, *([MEASURED] if measurable else [])]
    kind = ask_choice(
        "Cases are",
        "groups",
        {option: option for option in options},
        help="Cases of one patient, user or document resemble each other and tell less.",
    )
    if kind == TYPED:
        size = ask_number("Cases in a group, mean", "group_size", 5.0, low=1.0, step=1.0)
        alike = ask_number(
            "How alike they are (ICC)", "icc", 0.1, low=0.0, high=1.0, step=0.05,
            help="Intra-class correlation: 0 as different as any two cases, 1 all the same.",
        )  # fmt: skip
        return sizing.design_effect(size, alike)
    if kind == MEASURED and measurable:
        return _measured_effect(predictions, pair=pair)
    return 1.0


def _measured_effect(predictions: Predictions, *, pair: bool) -> float:
    models = list(predictions.models)
    model = st.selectbox("Model", models, key="group_model", bind="query-params")
    other = next(name for name in models if name != model) if pair else None
    found = cached.group_summary(predictions, model, other)
    effect = found.design_effect
    known = effect == effect and effect > 0
    st.caption(
        f"{found.clusters:,} groups of {found.mean_size:.3g} cases, ICC "
        f"{found.intraclass_correlation:.3g}, design effect {effect:.3g}."
        if known
        else "Every case of the file comes out the same, so it shows no design effect."
    )
    return effect if known else 1.0


def problems(*found: str | None) -> bool:
    """Show what is impossible and what would be possible; return whether there was anything."""
    said = [problem for problem in found if problem is not None]
    for problem in said:
        st.error(escape(problem), icon=":material/block:")
    return bool(said)


def answer(cost: Cost, money: Money, *, achieved: str, counted: str) -> None:
    """Show the labels to buy as one large number, with their cost and what they achieve."""
    with st.container(border=True, key="answer"):
        st.metric("Labels to buy", f"{cost.labels:,}")
        st.markdown(
            f"**Cost {escape(money_text(cost.total))}** at {escape(f'{money.price:,.6g}')} a label"
        )
        st.markdown(escape(achieved))
        st.caption(escape(counted))


def group_lines(effect: float) -> list[str]:
    """Return the sentence about groups, when there are any."""
    return [] if effect == 1.0 else [group_sentence(effect)]


def assumptions(size: SampleSize) -> None:
    """Show what must hold for a size to be right."""
    with st.expander("What must hold"):
        sentences(size.assumptions)


def finish(
    question: str,
    *,
    title: str,
    sentence: str,
    cost: Cost,
    money: Money,
    results: Rows,
    inputs: Rows,
    holds: Sequence[str],
    record: Any,
) -> None:
    """Offer the plan as a one-page summary, as a table, as JSON and as its sentence."""
    paid = (
        ("Labels to buy", f"{cost.labels:,}"),
        ("Cost", money_text(cost.total)),
    )
    asked = (
        ("Price of one label", f"{money.price:,.6g}"),
        ("Labels per case", f"{money.labels_per_case:,}"),
        ("Share labelled already", percent_text(money.share_labelled)),
    )
    summary = Summary(
        title=f"Test-set size: {title}",
        number=f"{cost.labels:,}",
        unit="labels to buy",
        sentence=sentence,
        results=(*paid, *results),
        inputs=(*inputs, *asked),
        notes=(*holds, *plan_does_not_say(question)),
    )
    table = pd.DataFrame([*summary.results, *summary.inputs], columns=["what", "value"])
    with st.container(horizontal=True, gap="small"):
        for name, data, ending, kind in (
            ("Summary, HTML", as_html(summary), "html", "text/html"),
            ("Summary, Markdown", as_markdown(summary), "md", "text/markdown"),
        ):
            st.download_button(name, data, f"margin_plan.{ending}", kind, icon=":material/article:")
    downloads(table=table, record=record, sentence=sentence, name="margin_plan")


def table_of(rows: Sequence[tuple[str, ...]], columns: Sequence[str], *, alt: str) -> pd.DataFrame:
    """Show rows of text as a table and return it."""
    table = pd.DataFrame(rows, columns=list(columns))
    st.dataframe(table, hide_index=True, alt=alt)
    return table


def waiting(slow: bool, words: str) -> AbstractContextManager[object]:
    """Return a block that shows progress when what it does takes a while, else nothing."""
    return st.spinner(words, show_time=True) if slow else nullcontext()
