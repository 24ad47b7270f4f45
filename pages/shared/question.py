"""What the One metric page is asked: model, metric, class, method, level and the finer options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from evalcore.intervals import IntervalMethod, interval_methods
from evalcore.metrics import Metric, Setting, metrics_for
from evalcore.predictions import Predictions
from pages.shared import controls

RATES = (0.01, 0.02, 0.05, 0.1, 0.2)
DRAWN = ("percentile", "bca", "bootstrap_t")
SEED = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One choice of all controls."""

    model: str
    metric: Metric
    label: str | None
    method: str
    methods: dict[str, IntervalMethod]
    level: float
    setting: Setting
    stratify: bool
    by_group: bool | None
    seed: int

    @property
    def target(self) -> dict[str, Any]:
        """What is measured, as keyword arguments of evalcore; nothing that is at its default."""
        named = {
            "label": self.label,
            "threshold": self.setting.threshold,
            "tolerance": self.setting.tolerance,
        }
        given = {key: value for key, value in named.items() if value is not None}
        if "rate" in self.metric.needs:
            given["rate"] = self.setting.rate
        if self.by_group is False:
            given["by_group"] = False
        return given

    @property
    def options(self) -> dict[str, Any]:
        """What is measured and how the interval is made."""
        options = {**self.target, "method": self.method, "confidence_level": self.level}
        if self.method in DRAWN:
            options["rng"] = self.seed
            if self.stratify:
                options["stratify"] = True
        return options


def ask(predictions: Predictions) -> Question:
    """Draw the controls and return what they say."""
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="controls"):
        model = controls.pick_model(predictions)
        metric = controls.pick_metric(metrics_for(predictions, model))
        label = controls.pick_class(predictions) if metric.per_class else None
        by_group = st.session_state.get("by_group", True) if _grouped(predictions) else None
        methods = interval_methods(predictions, metric.key, model=model, by_group=by_group)
        method = controls.pick_method({key: entry.label for key, entry in methods.items()})
        level = controls.pick_level()
        needed = _needed(predictions, metric, model)
        with st.popover("Options", icon=":material/tune:"):
            setting, stratify, by_group, seed = _options(predictions, metric, model, label, method)
    return Question(
        model=model,
        metric=metric,
        label=label,
        method=method,
        methods=methods,
        level=level,
        setting=Setting(
            label=label,
            threshold=setting.threshold,
            tolerance=needed.get("tolerance"),
            rate=needed.get("rate", setting.rate),
        ),
        stratify=stratify,
        by_group=by_group,
        seed=seed,
    )


def _grouped(predictions: Predictions) -> bool:
    return predictions.groups is not None


def _needed(predictions: Predictions, metric: Metric, model: str) -> dict[str, float]:
    """Draw the control that the metric cannot do without."""
    if "tolerance" in metric.needs:
        value = st.number_input(
            "Tolerance, unit of the target",
            min_value=0.0,
            value=_round_miss(predictions, model),
            key="tolerance",
            bind="query-params",
            width=controls.WIDTH,
        )
        return {"tolerance": value}
    if "rate" in metric.needs:
        rate = st.selectbox(
            "False-positive rate",
            RATES,
            index=RATES.index(0.05),
            format_func=lambda value: f"{value:.0%}",
            key="rate",
            bind="query-params",
            width=controls.WIDTH,
        )
        return {"rate": rate}
    return {}


def _round_miss(predictions: Predictions, model: str) -> float:
    misses = np.abs(predictions.outputs[model] - predictions.truth)
    middle = float(np.nanmedian(misses)) if np.isfinite(misses).any() else 0.0
    return float(f"{middle:.1g}")


def _options(
    predictions: Predictions, metric: Metric, model: str, label: str | None, method: str
) -> tuple[Setting, bool, bool | None, int]:
    threshold, stratify, by_group, drawn = None, False, None, method in DRAWN
    labels_asked = metric.family in ("proportion", "count")
    if labels_asked and predictions.positive and model in predictions.scores:
        threshold = st.number_input(
            f"Threshold on the score of {predictions.positive}".replace(":", " "),
            value=None if model in predictions.outputs else predictions.default_threshold(model),
            placeholder="the model's own labels",
            step=0.05,
            key="threshold",
            bind="query-params",
            help="A case is called positive when its score is above the threshold.",
        )
    if _grouped(predictions):
        by_group = st.toggle(
            "Cases of one group count together",
            value=True,
            key="by_group",
            bind="query-params",
            help="Cases of one group resemble each other, so they tell less than as many others.",
        )
    if drawn and predictions.task == "classification" and not by_group:
        stratify = st.toggle(
            "Resamples keep the class sizes",
            key="stratify",
            bind="query-params",
            help="For a test set that was drawn class by class.",
        )
    seed = st.number_input(
        "Seed of the resampling", 0, 2**31 - 1, SEED, key="seed", bind="query-params"
    )
    return Setting(threshold=threshold), stratify, by_group, seed
