"""What the One metric page is asked: model, metric, class, method, level and the finer options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from evalcore.intervals import IntervalMethod, interval_methods
from evalcore.metrics import Metric, Setting, metrics_for
from evalcore.predictions import Predictions
from pages.shared import controls

DRAWN = ("percentile", "bca", "bootstrap_t")
OF_LABELS = ("proportion", "count")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One choice of all controls."""

    model: str
    metric: Metric
    label: str | None
    method: str
    methods: dict[str, IntervalMethod]
    level: float
    needed: dict[str, float]
    threshold: float | None
    stratify: bool
    by_group: bool | None
    seed: int

    @property
    def setting(self) -> Setting:
        """What is measured besides the model."""
        return Setting(label=self.label, threshold=self.threshold, **self.needed)

    @property
    def target(self) -> dict[str, Any]:
        """What is measured, as keyword arguments of evalcore; nothing that is at its default."""
        named = {"label": self.label, "threshold": self.threshold, **self.needed}
        given = {key: value for key, value in named.items() if value is not None}
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
        needed = controls.pick_needed(predictions, metric, [model])
        # The methods depend on a toggle that is drawn after them, in the popover.
        grouped = predictions.groups is not None
        by_group = st.session_state.get("by_group", True) if grouped else None
        methods = interval_methods(predictions, metric.key, model=model, by_group=by_group)
        method = controls.pick_method({key: entry.label for key, entry in methods.items()})
        level = controls.pick_level()
        with st.popover("Options", icon=":material/tune:"):
            of_labels = metric.family in OF_LABELS and not metric.columns
            threshold = controls.pick_threshold(predictions, [model]) if of_labels else None
            by_group = controls.pick_grouping(predictions)
            stratify = _pick_stratified(predictions, method, by_group)
            seed = controls.pick_seed()
    return Question(
        model=model,
        metric=metric,
        label=label,
        method=method,
        methods=methods,
        level=level,
        needed=needed,
        threshold=threshold,
        stratify=stratify,
        by_group=by_group,
        seed=seed,
    )


def _pick_stratified(predictions: Predictions, method: str, by_group: bool | None) -> bool:
    if method not in DRAWN or predictions.task != "classification" or by_group:
        return False
    return st.toggle(
        "Resamples keep the class sizes",
        key="stratify",
        bind="query-params",
        help="For a test set that was drawn class by class.",
    )
