"""Files that people bring: read once, and repaired together where they cannot be read."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from evalcore.reading import LIMITS, LabelsDoNotMeet, ReadingError, roles_from_columns
from pages.shared.roles_editor import columns_editor, roles_help
from pages.shared.state import use_files
from pages.shared.text import escape

FILE_TYPES = ["csv", "tsv", "txt", "json", "jsonl", "ndjson", "parquet", "xlsx", "gz", "zip"]
OUTCOME = "upload_outcome"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How the reading of an upload went; kept until other files are chosen.

    ``roles`` are those it was read with, and ``tries`` counts the readings.
    """

    mark: str
    files: tuple[tuple[bytes, str], ...]
    problem: ReadingError | None
    roles: Mapping[str, Any] | None = None
    tries: int = 1


def upload_box() -> None:
    """Take files, read them once, and help with what cannot be read."""
    st.subheader("Your predictions", anchor=False)
    files = st.file_uploader(
        "One file, or one with the truth and one per model",
        type=FILE_TYPES,
        accept_multiple_files=True,
        key="upload",
        max_upload_size=LIMITS.upload_bytes // 2**20,
    )
    st.caption(
        "CSV, TSV, JSON, JSON Lines, Parquet or Excel (.xlsx), also as .gz or .zip. Files stay in "
        "this session; a reload of the page forgets them."
    )
    with st.popover("What should be in the file?", type="tertiary", icon=":material/help:"):
        st.markdown(
            "One row per case: a column with the true answer and a column for each model with "
            "what it said. Scores or probabilities, an id, a group such as the patient, and "
            "columns to slice by are welcome."
        )
        st.code("id,truth,model_a,model_b\n1,cat,cat,dog\n2,dog,dog,dog\n", language=None)
    if not files:
        st.session_state.pop(OUTCOME, None)
        return
    outcome = _read_once(tuple((file.getvalue(), file.name) for file in files))
    if outcome.problem is not None:
        _explain(outcome, outcome.problem)


def _read_once(files: tuple[tuple[bytes, str], ...]) -> Outcome:
    digest = hashlib.sha256()
    for data, name in files:
        digest.update(name.encode() + hashlib.sha256(data).digest())
    mark = digest.hexdigest()
    before: Outcome | None = st.session_state.get(OUTCOME)
    if before is not None and before.mark == mark:
        return before
    return _read(Outcome(mark=mark, files=files, problem=None, tries=0), None)


def _read(before: Outcome, roles: Mapping[str, Any] | None) -> Outcome:
    """Read the files of an outcome with other roles; the page starts anew when that succeeds."""
    problem: ReadingError | None = None
    with st.spinner("Reading"):
        try:
            use_files(before.files, roles=roles)
        except ReadingError as error:
            problem = error
    outcome = Outcome(
        mark=before.mark,
        files=before.files,
        problem=problem,
        roles=roles,
        tries=before.tries + 1,
    )
    st.session_state[OUTCOME] = outcome
    if problem is None:
        st.rerun()
    return outcome


def _explain(outcome: Outcome, problem: ReadingError) -> None:
    """Say what could not be read, and offer what repairs it: labels translated or columns named."""
    st.error(escape(str(problem)), icon=":material/error:")
    if isinstance(problem, LabelsDoNotMeet):
        _translate(outcome, problem)
    elif len(outcome.files) > 1:
        st.caption(
            "What was loaded before is still loaded. The x beside a file's name removes it. In "
            "several files columns are known by their names, such as id, truth and prediction: "
            "rename them there, or load one file that holds the truth and the models."
        )
    elif len(problem.columns) > 1:
        st.markdown("Say which column is what:")
        _name_columns(outcome, problem, button="Read it like this")
    else:
        st.caption("What was loaded before is still loaded.")


def _translate(outcome: Outcome, problem: LabelsDoNotMeet) -> None:
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
        key=f"mapping_{outcome.mark}_{outcome.tries}",
    )
    pressed = st.button("Read it like this", type="primary")
    if len(outcome.files) == 1:
        with st.expander("Or say which column is what"):
            _name_columns(outcome, problem, button="Read with these roles")
    if pressed:
        chosen = edited.dropna(subset=["true class"])
        labels = dict(zip(chosen["predicted label"], chosen["true class"], strict=True))
        known = (outcome.roles or {}).get("labels", {})
        _read(outcome, {**(outcome.roles or {}), "labels": known | labels})
        st.rerun()


def _name_columns(outcome: Outcome, problem: ReadingError, *, button: str) -> None:
    edited = columns_editor(problem.columns, key=f"refused_{outcome.mark}_{outcome.tries}")
    st.caption(
        "Needed are a truth and the output or the score of a model. What was loaded before stays "
        "until this file can be read."
    )
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        pressed = st.button(button, type="primary")
        roles_help()
    if pressed:
        try:
            roles = roles_from_columns(edited)
        except ReadingError as error:
            st.error(escape(str(error)), icon=":material/error:")
            return
        after = _read(outcome, roles)
        if after.problem is not None and not after.problem.columns:
            after.problem.columns = tuple(edited)
        st.rerun()
