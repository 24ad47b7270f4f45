"""Data: load predictions, see what was understood, and the first results at once."""

from __future__ import annotations

import hashlib

import pandas as pd
import streamlit as st

from evalcore.metrics import metrics_for
from evalcore.predictions import Predictions
from evalcore.reading import LIMITS, ROLES, LabelsDoNotMeet, ReadingError, roles_from_columns
from evalcore.results import Column
from evalcore.wording import estimate_text, level, range_text, size_text, subject
from pages.shared import cached
from pages.shared.frame import PAGES, open_page
from pages.shared.preview import preview_table
from pages.shared.showing import bullets
from pages.shared.state import SAMPLES, Loaded, use_files, use_roles, use_sample
from pages.shared.text import escape

TASK_LABELS = {
    "classification": "classes",
    "regression": "numbers to be close to the truth",
    "score": "a score per case, already judged",
}
FILE_TYPES = ["csv", "tsv", "txt", "json", "jsonl", "ndjson", "parquet", "xlsx", "gz", "zip"]


def main() -> None:
    loaded = open_page("app.py")
    st.markdown(
        "Margin reads a file of predictions and says how far each score in it can be trusted."
        + (" A sample is loaded; put your own file in its place." if loaded.sample else "")
    )
    upload, samples = st.columns(2, gap="large")
    with upload:
        upload_box()
    with samples:
        sample_box(loaded)
    glance(loaded.predictions)
    understood(loaded)


def upload_box() -> None:
    st.subheader("Your predictions", anchor=False)
    files = st.file_uploader(
        "One file with the truth and the models, or one file each",
        type=FILE_TYPES,
        accept_multiple_files=True,
        key="upload",
        max_upload_size=LIMITS.upload_bytes // 2**20,
    )
    with st.popover("What should be in the file?", type="tertiary", icon=":material/help:"):
        st.markdown(
            "One row per case: a column with the true answer and a column for each model with "
            "what it said. Scores or probabilities, an id, a group such as the patient, and "
            "columns to slice by are welcome. CSV, TSV, JSON Lines, Parquet or Excel, zipped or "
            "not. Files stay in this session; nothing is kept."
        )
        st.code("id,truth,model_a,model_b\n1,cat,cat,dog\n2,dog,dog,dog\n", language=None)
    if files:
        read_upload(tuple((file.getvalue(), file.name) for file in files))
    else:
        st.session_state.pop("upload_outcome", None)
    problem = st.session_state.get("upload_outcome", {}).get("problem")
    if problem is not None:
        explain(problem, st.session_state["upload_outcome"]["files"])


def read_upload(files: tuple[tuple[bytes, str], ...]) -> None:
    """Read an upload once; the outcome is kept until other files are chosen."""
    digest = hashlib.sha256()
    for data, name in files:
        digest.update(name.encode() + hashlib.sha256(data).digest())
    mark = digest.hexdigest()
    if st.session_state.get("upload_outcome", {}).get("mark") == mark:
        return
    problem: ReadingError | None = None
    with st.spinner("Reading"):
        try:
            use_files(files)
        except ReadingError as error:
            problem = error
    st.session_state["upload_outcome"] = {"mark": mark, "problem": problem, "files": files}
    if problem is None:
        st.rerun()


def explain(problem: ReadingError, files: tuple[tuple[bytes, str], ...]) -> None:
    """Say what could not be read; where labels only need translating, offer the translation."""
    st.error(escape(str(problem)), icon=":material/error:")
    if not isinstance(problem, LabelsDoNotMeet):
        st.caption("What was loaded before is still loaded.")
        return
    st.markdown("Which true class does each predicted label stand for?")
    proposed = pd.DataFrame(
        {
            "predicted label": list(problem.predicted_labels),
            "true class": [problem.mapping.get(label) for label in problem.predicted_labels],
        }
    )
    edited = st.data_editor(
        proposed,
        hide_index=True,
        disabled=["predicted label"],
        column_config={
            "true class": st.column_config.SelectboxColumn(options=list(problem.truth_labels))
        },
        key="mapping",
    )
    if st.button("Read it like this", type="primary"):
        chosen = edited.dropna(subset=["true class"])
        labels = dict(zip(chosen["predicted label"], chosen["true class"], strict=True))
        try:
            use_files(files, roles={"labels": labels})
        except ReadingError as error:
            st.error(escape(str(error)), icon=":material/error:")
            return
        st.session_state["upload_outcome"]["problem"] = None
        st.rerun()


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
    with st.container(horizontal=True):
        for path in ("pages/metric.py", "pages/errors.py"):
            page = PAGES[path]
            st.page_link(path, label=f"{page.label}: {page.question}", icon=page.icon)


def understood(loaded: Loaded) -> None:
    """Show what the file was taken for, and let the roles of its columns be changed."""
    report = loaded.predictions.report
    st.subheader("What was understood", anchor=False)
    for warning in report.warnings:
        st.warning(escape(warning), icon=":material/warning:")
    if report.notes:
        bullets(report.notes)
    with st.expander("The first cases", expanded=True):
        st.dataframe(
            preview_table(loaded.predictions),
            hide_index=True,
            alt="The first cases as they were understood",
        )
    with st.expander(f"Columns and their roles ({len(report.columns)})"):
        roles_editor(loaded)


def roles_editor(loaded: Loaded) -> None:
    report = loaded.predictions.report
    st.markdown(
        "Change what a column is taken for. A model can have a label column, a score, or one "
        "probability per class; give them the same model name."
    )
    table = pd.DataFrame(
        {
            "column": [column.name for column in report.columns],
            "first cells": [", ".join(column.examples) for column in report.columns],
            "role": [column.role for column in report.columns],
            "model": [column.model for column in report.columns],
            "class": [column.class_label for column in report.columns],
        }
    )
    edited = st.data_editor(
        table,
        hide_index=True,
        disabled=["column", "first cells"],
        column_config={
            "role": st.column_config.SelectboxColumn(options=list(ROLES), required=True)
        },
        key=f"roles_{loaded.predictions.digest}",
    )
    with st.container(horizontal=True, gap="small"):
        task = task_choice(loaded.predictions)
        positive = positive_choice(loaded.predictions)
    with st.popover("What do the roles mean?", type="tertiary", icon=":material/help:"):
        bullets([f"{role}: {meaning}" for role, meaning in ROLES.items()])
    if st.button("Read again with these roles", icon=":material/refresh:"):
        apply_roles(loaded, edited, task, positive)


def task_choice(predictions: Predictions) -> str:
    return st.selectbox(
        "What the models say",
        list(TASK_LABELS),
        index=list(TASK_LABELS).index(predictions.task),
        format_func=lambda task: TASK_LABELS[task],
        key=f"task_{predictions.digest}",
        width=240,
    )


def positive_choice(predictions: Predictions) -> str | None:
    if len(predictions.classes) != 2:
        return None
    return st.selectbox(
        "Positive class",
        predictions.classes,
        index=predictions.classes.index(str(predictions.positive)),
        key=f"positive_{predictions.digest}",
        width=240,
    )


def apply_roles(loaded: Loaded, edited: pd.DataFrame, task: str, positive: str | None) -> None:
    columns = [
        Column(name=row.column, role=row.role, model=row.model or None, class_label=row.cls or None)
        for row in edited.rename(columns={"class": "cls"}).itertuples()
    ]
    same_task = task == loaded.predictions.task
    roles = roles_from_columns(
        columns,
        positive=positive if same_task else None,
        # How labels translate is not a matter of columns, so it outlives a change of roles.
        labels=(loaded.roles or {}).get("labels"),
        task=task,
    )
    try:
        use_roles(roles)
    except ReadingError as error:
        st.error(escape(str(error)), icon=":material/error:")
        return
    st.rerun()


main()
