"""The loaded predictions as the world that test sets are drawn from: an accuracy, recall or AUC."""

from __future__ import annotations

import numpy as np
import streamlit as st

from evalcore.metrics import metrics_for
from evalcore.predictions import Predictions
from evalcore.simulation import ShareWorld, World
from pages.shared import cached, controls
from pages.shared.python import reading_code
from pages.shared.state import Loaded

KNOWN, LOADED = "known", "loaded"
SOURCES = {KNOWN: "Choose it", LOADED: "The loaded cases"}
# With a model, the classes that a statistic can be drawn for; accuracy knows no class.
Offered = dict[str, list[str]]


def pick_loaded(statistic: str, loaded: Loaded) -> tuple[World, str] | None:
    """Return the loaded cases as a world and the Python that makes it.

    None when another world is chosen, or these cases offer none for the statistic.
    """
    predictions = loaded.predictions
    offered = _offered(statistic, predictions)
    if not offered:
        return None
    source = st.selectbox(
        "Truth",
        list(SOURCES),
        format_func=lambda key: SOURCES.get(key, key),
        key="source",
        bind="query-params",
        width=controls.WIDTH,
    )
    if source != LOADED:
        return None
    model = st.selectbox(
        "Model", list(offered), key="model", bind="query-params", width=controls.WIDTH
    )
    if statistic == "accuracy":
        world = ShareWorld(truth=_accuracy(predictions, model))
        return world, f"world = {world!r}"
    classes = offered[model]
    first = classes.index(predictions.positive) if predictions.positive in classes else 0
    label = st.selectbox(
        "Class", classes, index=first, key="class", bind="query-params", width=controls.WIDTH
    )
    if statistic == "recall":
        world = _recalls(predictions, model)[label]
        return world, f"world = {world!r}"
    code = (
        f"from evalcore.sufficient import rank_cases\n{reading_code(loaded, [])}\n"
        f"cases = rank_cases(predictions, {model!r}, {label!r})\n"
        "world = scores_world(cases.truth, cases.scores[:, 0], counts=cases.counts)"
    )
    return cached.scores_world(predictions, model, label), code


def _offered(statistic: str, predictions: Predictions) -> Offered:
    if predictions.task != "classification" or not predictions.is_labelled:
        return {}
    by_model = {
        model: OFFERED[statistic](predictions, model)
        for model in predictions.models
        if statistic in {metric.key for metric in metrics_for(predictions, model)}
    }
    return {model: classes for model, classes in by_model.items() if classes}


def _accuracy(predictions: Predictions, model: str) -> float:
    return cached.metric_interval(predictions, "accuracy", model).estimate


def _recalls(predictions: Predictions, model: str) -> dict[str, ShareWorld]:
    """Return the recall of each class, with the share of its cases, where it is not 0 or 1."""
    counts = cached.confusion_matrix(predictions, model, None).counts
    right, actual = np.diagonal(counts), counts.sum(axis=1)
    return {
        name: ShareWorld(truth=float(hits / cases), informing=float(cases / counts.sum()))
        for name, hits, cases in zip(predictions.classes, right, actual, strict=True)
        if 0 < hits < cases
    }


def _ranked_classes(predictions: Predictions, model: str) -> list[str]:
    """Return the classes that a model scores and that some but not all cases are in."""
    return [
        name
        for name in predictions.classes
        if predictions.score_of(model, name) is not None
        and cached.scores_world(predictions, model, name) is not None
    ]


OFFERED = {
    # An accuracy is of all classes; 0 and 1 leave nothing to draw.
    "accuracy": lambda p, model: list(p.classes) if 0.0 < _accuracy(p, model) < 1.0 else [],
    "recall": lambda p, model: list(_recalls(p, model)),
    "auc": _ranked_classes,
}
