"""Data: load predictions, see what was understood, and the first results at once."""

from __future__ import annotations

import streamlit as st

from evalcore.metrics import metrics_for
from evalcore.predictions import Predictions
from evalcore.wording import (
    comparison_sentence,
    estimate_text,
    level,
    range_text,
    size_text,
    subject,
)
from pages.shared import cached
from pages.shared.cases import localized
from pages.shared.frame import PAGES, open_page
from pages.shared.preview import preview_table
from pages.shared.roles_editor import loaded_roles
from pages.shared.showing import bullets
from pages.shared.state import SAMPLES, Loaded, use_sample
from pages.shared.text import escape
from pages.shared.upload import upload_box


def main() -> None:
    loaded = open_page("app.py")
    st.markdown(
        "Margin reads a file of predictions and says how far each score in it can be trusted."
        + (" A sample is loaded; put your own file in its place." if loaded.sample else "")
    )
    glance(loaded.predictions)
    upload, samples = st.columns(2, gap="large")
    with upload:
        upload_box()
    with samples:
        sample_box(loaded)
    understood(loaded)


def sample_box(loaded: Loaded) -> None:
    st.subheader("Or a sample", anchor=False)
    for sample in SAMPLES.values():
        chosen = loaded.sample == sample.key
        st.button(
            sample.label,
            key=f"sample_{sample.key}",
            help=sample.sentence,
            type="primary" if chosen else "secondary",
            icon=":material/check:" if chosen else ":material/table_view:",
            width="stretch",
            on_click=use_sample,
            args=(sample.key,),
        )
    if loaded.sample:
        st.caption(SAMPLES[loaded.sample].sentence)


def glance(predictions: Predictions) -> None:
    """Show the first score of every model with its interval."""
    st.subheader("At a glance", anchor=False)
    if not predictions.is_labelled:
        st.markdown("Without a truth there is no score yet, only where the models disagree.")
    shown = [model for model in predictions.models if metrics_for(predictions, model)]
    columns = st.columns(min(max(len(shown), 1), 4))
    for position, model in enumerate(shown[:8]):
        metric = metrics_for(predictions, model)[0]
        label = predictions.positive if metric.per_class else None
        interval = cached.metric_interval(predictions, metric.key, model, label=label)
        with columns[position % len(columns)], st.container(border=True):
            st.metric(
                escape(subject(metric, label, model)), escape(estimate_text(interval, metric.scale))
            )
            st.markdown(f"**{escape(range_text(interval, metric.scale))}**")
            st.caption(
                f"{level(interval.confidence_level)} interval · {escape(size_text(interval))}"
            )
    if len(shown) > 8:
        st.caption(f"The first 8 of {len(shown)} models; the others are on the next pages.")
    several = predictions.is_labelled and len(shown) > 1
    if several:
        compared(predictions, shown[0], shown[1])
    paths = ["pages/metric.py", "pages/errors.py", *(["pages/compare.py"] if several else [])]
    with st.container(horizontal=True):
        for path in paths:
            page = PAGES[path]
            st.page_link(path, label=page.label, icon=page.icon, help=page.question)


def compared(predictions: Predictions, model_a: str, model_b: str) -> None:
    """Say whether the first two models differ on the same cases."""
    metric = metrics_for(predictions, model_a)[0]
    if metric not in metrics_for(predictions, model_b):
        return
    label = predictions.positive if metric.per_class else None
    found = cached.compare_models(predictions, metric.key, model_a, model_b, label=label)
    st.markdown(escape(comparison_sentence(found)))


def understood(loaded: Loaded) -> None:
    """Show what the file was taken for, and let the roles of its columns be changed."""
    report = loaded.predictions.report
    st.subheader("What was understood", anchor=False)
    for warning in report.warnings:
        st.warning(escape(warning), icon=":material/warning:")
    if report.notes:
        bullets(report.notes)
    cases = preview_table(loaded.predictions)
    with st.expander("The first cases", expanded=True):
        st.dataframe(
            cases,
            hide_index=True,
            column_config=localized(cases),
            alt="The first cases as they were understood",
        )
    with st.expander(f"Columns and their roles ({len(report.columns)})"):
        loaded_roles(loaded)


main()
