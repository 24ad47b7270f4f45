"""Controls that several pages share; every one of them is kept in the address."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

from evalcore.metrics import Metric
from evalcore.predictions import Predictions

RATES = (0.01, 0.02, 0.05, 0.1, 0.2)
SEED = 1
LEVELS = (0.8, 0.9, 0.95, 0.99, 0.999)
# Two controls stand side by side on a phone.
WIDTH = 168


def choose(label: str, options: Sequence[Any], *, key: str, **settings: Any) -> Any:
    """Draw a select box and return its choice, which other pages with the same box start from."""
    # What another page offers and this one does not would stay in the address.
    if st.session_state.get(key) not in options:
        st.session_state.pop(key, None)
    return st.selectbox(
        label,
        options,
        key=key,
        bind="query-params",
        persist_state="session",
        width=WIDTH,
        **settings,
    )


def pick_view(
    heading: str, views: Mapping[str, Callable[..., None]], *, key: str
) -> Callable[..., None]:
    """Return the chosen one of several views, the first until another is chosen."""
    first = next(iter(views))
    name = st.segmented_control(
        heading,
        list(views),
        default=first,
        required=True,
        key=key,
        bind="query-params",
        label_visibility="collapsed",
        wrap=True,
    )
    return views[name if name in views else first]


def pick_model(predictions: Predictions) -> str:
    """Return the chosen model."""
    return choose("Model", predictions.models, key="model")


def pick_metric(metrics: Sequence[Metric]) -> Metric:
    """Return the chosen metric."""
    return choose("Metric", metrics, key="metric", format_func=lambda metric: metric.label)


def pick_class(predictions: Predictions) -> str:
    """Return the chosen class: the positive one of two, else the first, until changed."""
    classes = predictions.classes
    first = 0 if predictions.positive is None else classes.index(predictions.positive)
    return choose("Class", classes, key="class", index=first)


def pick_threshold(predictions: Predictions, models: Sequence[str]) -> float | None:
    """Return a threshold on the score of the positive class; None keeps the models' own labels.

    Nothing is drawn unless all of the models have such a score.
    """
    if predictions.positive is None or any(m not in predictions.scores for m in models):
        return None
    labelled = all(model in predictions.outputs for model in models)
    return st.number_input(
        "Threshold on the score of the positive class",
        value=None if labelled else predictions.default_threshold(models[0]),
        placeholder="the models' own labels",
        step=0.05,
        key="threshold",
        bind="query-params",
        help="A case is called positive when its score is above the threshold.",
    )


def pick_grouping(predictions: Predictions) -> bool | None:
    """Return whether cases of one group count together; None without groups."""
    if predictions.groups is None:
        return None
    return st.toggle(
        "Cases of one group count together",
        value=True,
        key="by_group",
        bind="query-params",
        help="Cases of one group resemble each other, so they tell less than as many others.",
    )


def pick_seed() -> int:
    """Return the seed of everything that is drawn at random."""
    return st.number_input(
        "Seed of the resampling", 0, 2**31 - 1, SEED, key="seed", bind="query-params"
    )


def pick_tolerance(predictions: Predictions, models: Sequence[str]) -> float:
    """Return the largest miss that counts as within tolerance."""
    misses = np.abs(predictions.outputs[models[0]] - predictions.truth)
    middle = float(np.nanmedian(misses)) if np.isfinite(misses).any() else 0.0
    return st.number_input(
        "Tolerance",
        min_value=0.0,
        value=float(f"{middle:.1g}"),
        key="tolerance",
        bind="query-params",
        width=WIDTH,
        help="In the unit of the target.",
    )


def pick_rate() -> float:
    """Return the false-positive rate at which recall is read."""
    return choose(
        "False-positive rate",
        RATES,
        key="rate",
        index=RATES.index(0.05),
        format_func=lambda value: f"{value:.0%}",
    )


def pick_needed(
    predictions: Predictions, metric: Metric, models: Sequence[str]
) -> dict[str, float]:
    """Draw the control that a metric cannot do without, and return it by its name in evalcore."""
    if "tolerance" in metric.needs:
        return {"tolerance": pick_tolerance(predictions, models)}
    if "rate" in metric.needs:
        return {"rate": pick_rate()}
    return {}


def pick_method(methods: dict[str, str]) -> str:
    """Return the chosen interval method; ``methods`` maps keys to labels, the default first."""
    return choose(
        "Interval", list(methods), key="method", format_func=lambda key: methods.get(key, key)
    )


def in_percent(value: float) -> str:
    """Return a level as it stands in an address: a percent sign there would be read twice."""
    return f"{100 * value:g}"


def pick_level() -> float:
    """Return the chosen confidence level."""
    return choose(
        "Confidence, %",
        LEVELS,
        key="confidence",
        index=LEVELS.index(0.95),
        format_func=in_percent,
    )
