"""The controls that say where test sets come from, and how each is judged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from evalcore.metrics import METRICS, metrics_for
from evalcore.predictions import Predictions
from evalcore.simulation import (
    ERROR_SHAPES,
    ClusterWorld,
    RankWorld,
    ShareWorld,
    World,
    error_world,
    market_world,
)
from evalcore.sufficient import case_columns
from pages.shared import controls
from pages.shared.coverage_loaded import LOADED, pick_loaded
from pages.shared.python import reading_code
from pages.shared.state import Loaded

STATISTICS = {
    "accuracy": "Accuracy",
    "recall": "Recall",
    "clusters": "Accuracy, cases in groups",
    "mean": "Mean of errors",
    "median": "Median of errors",
    "auc": "AUC",
}
MEANS = ("mae", "mean_score")
MOST_LEFT_OUT = 50
LEAST_CASES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One choice of the world and of the way to judge it."""

    world: World
    code: str
    statistic: str
    n: int
    method: str
    level: float
    seed: int
    digest: str

    @property
    def key(self) -> tuple[object, ...]:
        """What decides which test sets are drawn, and the level they are judged at."""
        return (self.digest, self.statistic, self.code, self.n, self.level, self.seed)

    @property
    def in_percent(self) -> bool:
        """Whether the score is a share."""
        return self.statistic in ("accuracy", "recall", "clusters", "auc")


def ask(loaded: Loaded) -> Scene:
    """Draw the controls and return what they say."""
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="controls"):
        statistic = st.selectbox(
            "Score",
            list(STATISTICS),
            format_func=lambda key: STATISTICS.get(key, key),
            key="statistic",
            bind="query-params",
            width=controls.WIDTH,
        )
        world, code = _pick_world(statistic, loaded)
        n = st.number_input(
            "Cases in a test set",
            10,
            5_000,
            100,
            step=10,
            key="n",
            bind="query-params",
            width=controls.WIDTH,
        )
        method = controls.pick_method(dict(world.methods))
        level = controls.pick_level()
        with st.popover("Options", icon=":material/tune:"):
            seed = controls.pick_seed()
    return Scene(
        world=world,
        code=code,
        statistic=statistic,
        n=n,
        method=method,
        level=level,
        seed=seed,
        digest=loaded.predictions.digest,
    )


def _pick_world(statistic: str, loaded: Loaded) -> tuple[World, str]:
    """Return the world and the Python that makes it."""
    if statistic in ("mean", "median"):
        return _pick_market(statistic, loaded)
    if statistic != "clusters" and (found := pick_loaded(statistic, loaded)) is not None:
        return found
    world = _pick_known(statistic)
    return world, f"world = {world!r}"


def _pick_known(statistic: str) -> World:
    if statistic == "auc":
        area = _pick_share("True AUC", "auc", 0.85, low=0.5)
        return RankWorld(truth=area, prevalence=_pick_share("Share of positives", "positives", 0.2))
    truth = _pick_share("True value", "truth", 0.9)
    if statistic == "recall":
        prevalence = _pick_share("Share of positives", "positives", 0.2)
        return ShareWorld(truth=truth, informing=prevalence)
    if statistic == "clusters":
        size = st.number_input(
            "Cases in a group", 2, 50, 10, key="group", bind="query-params", width=controls.WIDTH
        )
        alike = _pick_share("Likeness in a group", "alike", 0.2)
        return ClusterWorld(truth=truth, size=size, correlation=alike)
    return ShareWorld(truth=truth)


def _pick_market(statistic: str, loaded: Loaded) -> tuple[World, str]:
    predictions = loaded.predictions
    usable = {m: v for m in predictions.models if (v := _loaded_values(predictions, m))}
    shape = st.selectbox(
        "Errors",
        [*([LOADED] if usable else []), *ERROR_SHAPES],
        format_func=lambda key: ERROR_SHAPES[key][0] if key in ERROR_SHAPES else "Loaded cases",
        key="errors",
        bind="query-params",
        width=controls.WIDTH,
    )
    most = MOST_LEFT_OUT
    if shape == LOADED:
        model = st.selectbox(
            "Model", list(usable), key="model", bind="query-params", width=controls.WIDTH
        )
        metric, values, counts = usable[model]
        most = min(most, int(counts.sum()) - 3)
    largest = st.number_input(
        "Largest left out",
        0,
        most,
        0,
        key="largest",
        bind="query-params",
        width=controls.WIDTH,
        help="So many of the largest errors are taken out of the market before sets are drawn.",
    )
    given = f"statistic={statistic!r}, without_largest={largest}"
    if shape != LOADED:
        world = error_world(shape, statistic=statistic, without_largest=largest)
        return world, f"world = error_world({shape!r}, {given})"
    world = market_world(values, statistic=statistic, counts=counts, without_largest=largest)
    code = (
        "from evalcore.metrics import METRICS\nfrom evalcore.sufficient import case_columns\n"
        f"{reading_code(loaded, [])}\n"
        f"case = case_columns(predictions, METRICS[{metric!r}], {model!r})\n"
        f"world = market_world(case.columns[:, 0], counts=case.counts, {given})"
    )
    return world, code


def _loaded_values(
    predictions: Predictions, model: str
) -> tuple[str, np.ndarray, np.ndarray] | None:
    """Return per-case errors of a model with their counts, None where they say nothing."""
    key = next((key for key in MEANS if key in _keys(predictions, model)), None)
    if key is None:
        return None
    case = case_columns(predictions, METRICS[key], model)
    values = case.columns[:, 0] if case.defined else None
    if values is None or case.n < LEAST_CASES or values.min() == values.max():
        return None
    return key, values, case.counts


def _keys(predictions: Predictions, model: str) -> set[str]:
    return {metric.key for metric in metrics_for(predictions, model)}


def _pick_share(label: str, key: str, value: float, *, low: float = 0.0) -> float:
    return st.number_input(
        label,
        low + 0.005,
        0.995,
        value,
        step=0.01,
        format="%.3g",
        key=key,
        bind="query-params",
        width=controls.WIDTH,
    )
