"""Controls that several pages share; every one of them is kept in the address."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from evalcore.metrics import Metric
from evalcore.predictions import Predictions
from evalcore.wording import level

LEVELS = (0.8, 0.9, 0.95, 0.99, 0.999)
# Two controls stand side by side on a phone.
WIDTH = 168


def pick_model(predictions: Predictions) -> str:
    """Return the chosen model."""
    return st.selectbox("Model", predictions.models, key="model", bind="query-params", width=WIDTH)


def pick_metric(metrics: Sequence[Metric]) -> Metric:
    """Return the chosen metric."""
    return st.selectbox(
        "Metric",
        metrics,
        format_func=lambda metric: metric.label,
        key="metric",
        bind="query-params",
        width=WIDTH,
    )


def pick_class(predictions: Predictions) -> str:
    """Return the chosen class: the positive one of two, else the first, until changed."""
    classes = predictions.classes
    first = 0 if predictions.positive is None else classes.index(predictions.positive)
    return st.selectbox(
        "Class", classes, index=first, key="class", bind="query-params", width=WIDTH
    )


def pick_method(methods: dict[str, str]) -> str:
    """Return the chosen interval method; ``methods`` maps keys to labels, the default first."""
    return st.selectbox(
        "Interval",
        list(methods),
        format_func=lambda key: methods.get(key, key),
        key="method",
        bind="query-params",
        width=WIDTH,
    )


def pick_level() -> float:
    """Return the chosen confidence level.

    The address may also give it as a fraction, ``?confidence=0.9``.
    """
    asked = st.query_params.get("confidence", "")
    if "confidence" not in st.session_state:
        for value in LEVELS:
            if asked == f"{value:g}":
                st.session_state["confidence"] = value
    return st.selectbox(
        "Confidence",
        LEVELS,
        index=LEVELS.index(0.95),
        format_func=level,
        key="confidence",
        bind="query-params",
        width=WIDTH,
    )
