"""The table in which people say which column of a file is what."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from evalcore.predictions import Predictions
from evalcore.reading import ROLES, ReadingError, roles_from_columns
from evalcore.results import Column
from pages.shared.showing import bullets
from pages.shared.state import Loaded, use_roles
from pages.shared.text import escape

TASK_LABELS = {
    "classification": "classes",
    "regression": "numbers to be close to the truth",
    "score": "a score per case, already judged",
}


def columns_editor(columns: Sequence[Column], *, key: str) -> list[Column]:
    """Show columns with their roles to be edited; return them as they were edited."""
    table = pd.DataFrame(
        {
            "column": [column.name for column in columns],
            "first cells": [", ".join(column.examples) for column in columns],
            "role": [column.role for column in columns],
            "model": [column.model for column in columns],
            "class": [column.class_label for column in columns],
        }
    ).astype({"model": object, "class": object})
    edited = st.data_editor(
        table,
        hide_index=True,
        disabled=["column", "first cells"],
        column_config={
            "role": st.column_config.SelectboxColumn(options=list(ROLES), required=True),
            "model": st.column_config.TextColumn(),
            "class": st.column_config.TextColumn(),
        },
        key=key,
    )
    return [
        Column(
            name=name,
            role=role,
            model=_given(model),
            class_label=_given(label),
            examples=column.examples,
            distinct=column.distinct,
        )
        for column, (name, role, model, label) in zip(
            columns,
            edited[["column", "role", "model", "class"]].itertuples(index=False, name=None),
            strict=True,
        )
    ]


def _given(cell: object) -> str | None:
    return str(cell) if isinstance(cell, str) and cell else None


def roles_help() -> None:
    """Offer what each role means."""
    with st.popover("What do the roles mean?", type="tertiary", icon=":material/help:"):
        bullets([f"{role}: {meaning}" for role, meaning in ROLES.items()])


def loaded_roles(loaded: Loaded) -> None:
    """Let the roles of what is loaded be changed."""
    st.markdown(
        "Change what a column is taken for. A model can have a label column, a score, or one "
        "probability per class; give them the same model name."
    )
    digest = loaded.predictions.digest
    edited = columns_editor(loaded.predictions.report.columns, key=f"roles_{digest}")
    with st.container(horizontal=True, gap="small"):
        task = _task_choice(loaded.predictions)
        positive = _positive_choice(loaded.predictions)
    roles_help()
    if st.button("Read again with these roles", icon=":material/refresh:"):
        _apply(loaded, edited, task, positive)


def _task_choice(predictions: Predictions) -> str:
    return st.selectbox(
        "What the models say",
        list(TASK_LABELS),
        index=list(TASK_LABELS).index(predictions.task),
        format_func=lambda task: TASK_LABELS[task],
        key=f"task_{predictions.digest}",
        width=240,
    )


def _positive_choice(predictions: Predictions) -> str | None:
    if len(predictions.classes) != 2:
        return None
    return st.selectbox(
        "Positive class",
        predictions.classes,
        index=predictions.classes.index(str(predictions.positive)),
        key=f"positive_{predictions.digest}",
        width=240,
    )


def _apply(loaded: Loaded, edited: list[Column], task: str, positive: str | None) -> None:
    same_task = task == loaded.predictions.task
    try:
        roles = roles_from_columns(
            edited,
            positive=positive if same_task else None,
            # How labels translate is not a matter of columns, so it outlives a change of roles.
            labels=(loaded.roles or {}).get("labels"),
            task=task,
        )
        use_roles(roles)
    except ReadingError as error:
        st.error(escape(str(error)), icon=":material/error:")
        return
    st.rerun()
