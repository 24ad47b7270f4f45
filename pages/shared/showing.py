"""How results are shown: answer card, chart, fold-outs, downloads."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, is_dataclass
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from evalcore.charts import Chart
from evalcore.metrics import Metric
from evalcore.results import Interval
from evalcore.wording import (
    error_text,
    estimate_text,
    level,
    lower_first,
    range_text,
    size_text,
)
from pages.shared.text import csv_bytes, escape


def answer_card(interval: Interval, metric: Metric, *, title: str, method_label: str) -> None:
    """Show an estimate, its interval, its method, its size and its standard error together."""
    with st.container(border=True, key="answer"):
        st.metric(escape(title), escape(estimate_text(interval, metric.scale)))
        said = f"{level(interval.confidence_level)} {method_label} interval"
        st.markdown(f"**{escape(range_text(interval, metric.scale))}** · {escape(said)}")
        st.caption(
            f"{escape(size_text(interval))} · standard error "
            f"{escape(error_text(interval, metric.scale))}"
        )


def show_chart(chart: Chart, *, key: str, **options: Any) -> Any:
    """Show a chart with its alternative text; its menu saves it as SVG."""
    return st.plotly_chart(
        chart.figure,
        key=key,
        alt=chart.alt,
        config={
            "displaylogo": False,
            "modeBarButtons": [["toImage"]],
            "toImageButtonOptions": {"format": "svg", "filename": chart.name},
        },
        **options,
    )


def axis_title(metric: Metric) -> str:
    """Return what stands on the axis of a metric, with its unit."""
    unit = {"percent": ", percent", "target": ", unit of the target"}.get(metric.scale, "")
    return f"{lower_first(metric.label)}{unit}"


def sentences(lines: Sequence[str]) -> None:
    """Show plain sentences that may hold names from a file, one paragraph each."""
    for line in lines:
        st.markdown(escape(line))


def bullets(lines: Sequence[str]) -> None:
    """Show plain sentences as a list."""
    st.markdown("\n".join(f"- {escape(line)}" for line in lines))


def fold_outs(
    *, not_said: Sequence[str], formulas: Sequence[str], explanation: Sequence[str], code: str
) -> None:
    """Show the three fold-outs that stand under every answer."""
    with st.expander("What this does not say"):
        bullets(not_said)
    with st.expander("How it is computed"):
        for formula in formulas:
            st.latex(formula)
        sentences(explanation)
    with st.expander("Reproduce in Python"):
        st.code(code, language="python", wrap_lines=True)


def downloads(*, table: pd.DataFrame, record: Any, sentence: str, name: str) -> None:
    """Offer a result as a table, as JSON and as the sentence that goes with it."""
    with st.container(horizontal=True, gap="small"):
        st.download_button(
            "CSV", csv_bytes(table), f"{name}.csv", "text/csv", icon=":material/download:"
        )
        st.download_button(
            "JSON", as_json(record), f"{name}.json", "application/json", icon=":material/download:"
        )
        st.download_button(
            "Sentence", sentence, f"{name}.txt", "text/plain", icon=":material/download:"
        )
        copy_link()


def copy_link() -> None:
    """Offer the address of the page with its settings."""
    with st.popover("Copy link", icon=":material/link:"):
        st.markdown("This page with these settings. The data is not in it.")
        base = (st.context.url or "").split("?")[0]
        query = urlencode(st.query_params.to_dict())
        st.code(f"{base}?{query}" if query else base, language=None, wrap_lines=True)


def as_json(record: Any) -> str:
    """Return a result, a list of results or a dict as JSON; undefined values are null."""
    rows = record if isinstance(record, list) else [record]
    plain = [asdict(row) if is_dataclass(row) else row for row in rows]
    text = json.dumps(plain if isinstance(record, list) else plain[0], default=_plain_value)
    return json.dumps(json.loads(text, parse_constant=lambda _: None), ensure_ascii=False, indent=2)


def _plain_value(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else str(value)


def intervals_table(intervals: Sequence[Interval], first: dict[str, Sequence[Any]]) -> pd.DataFrame:
    """Return intervals as a table of plain numbers, after the columns of ``first``."""
    return pd.DataFrame(
        {
            **first,
            "right": [i.successes for i in intervals],
            "estimate": [i.estimate for i in intervals],
            "low": [i.low for i in intervals],
            "high": [i.high for i in intervals],
            "standard_error": [i.standard_error for i in intervals],
            "confidence_level": [i.confidence_level for i in intervals],
            "method": [i.method for i in intervals],
            "n": [i.n for i in intervals],
            "unit": [i.unit for i in intervals],
        }
    )
