"""Which cases and which rule: a population, a real table or a table of the visitor's own."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
import streamlit as st

from evalcore.estimators import (
    FEATURE_LIMITS,
    POPULATIONS,
    RULES,
    TABLES,
    CaseTable,
    Population,
    Rule,
    cases_of,
    load_cases,
    read_features,
)
from evalcore.reading import ReadingError
from evalcore.wording import note_sentence, units
from pages.shared import controls
from pages.shared.text import escape

OWN = "own"
FILE_TYPES = ["csv", "tsv", "txt", "json", "jsonl", "parquet", "xlsx", "gz", "zip"]
LABELS = {
    **{key: one.label for key, one in POPULATIONS.items()},
    **{key: label for key, (label, _) in TABLES.items()},
    OWN: "My own table",
}
RULE_LABELS = {key: one.label for key, one in RULES.items()}
TREES = 50
NO_GROUP = "no groups"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Source:
    """Cases to work on, and where they come from.

    ``table`` is the first draw of a population, or the real cases; ``code`` is the Python that
    makes the population or the cases.
    """

    key: str
    population: Population | None
    table: CaseTable
    mark: str
    code: str

    @property
    def own(self) -> bool:
        """Whether the cases come from a file of this session."""
        return self.key == OWN


def pick_cases() -> tuple[str, int]:
    """Return which cases are chosen, and how many a population gives."""
    key = st.selectbox(
        "Cases", list(LABELS), format_func=lambda k: LABELS.get(k, k), key="cases",
        bind="query-params", width=controls.WIDTH,
    )  # fmt: skip
    if key not in POPULATIONS:
        return key, 0
    n = st.number_input(
        "Cases in a draw", 30, 500, 50, 10, key="draw", bind="query-params", width=controls.WIDTH
    )
    return key, int(n)


def source_of(key: str, n: int, seed: int) -> Source | None:
    """Return the chosen cases; None while a table of one's own is still to come."""
    if key == OWN:
        return _current_own()
    if key not in POPULATIONS:
        return Source(
            key=key, population=None, table=_real(key), mark=key, code=f"load_cases({key!r})"
        )
    population = POPULATIONS[key]
    table = population.draw(n, np.random.default_rng([n, seed, 0]))
    return Source(
        key=key, population=population, table=table, mark=f"{key} {n} {seed}",
        code=f"POPULATIONS[{key!r}]",
    )  # fmt: skip


@st.cache_resource(show_spinner=False)
def _real(key: str) -> CaseTable:
    return load_cases(key)


def pick_rule() -> Rule:
    """Return the chosen rule."""
    kind = st.selectbox(
        "Rule", list(RULES), format_func=lambda k: RULE_LABELS.get(k, k), key="rule",
        bind="query-params", width=controls.WIDTH,
    )  # fmt: skip
    if kind != "neighbours":
        return Rule(kind=kind, trees=TREES)
    k = st.number_input(
        "Neighbours, k", 1, 99, 1, 2, key="k", bind="query-params", width=controls.WIDTH
    )
    return Rule(kind=kind, k=k)


def own_table_box() -> None:
    """Take a table of features, and let its target and groups be chosen."""
    with st.container(border=True, key="own_table"):
        file = st.file_uploader(
            "A table of features with a known class: one row per case",
            type=FILE_TYPES,
            key="features",
            max_upload_size=FEATURE_LIMITS.upload_bytes // 2**20,
        )
        if file is not None:
            _read(file.getvalue(), file.name)
        problem = st.session_state.get("features_problem")
        if problem:
            st.error(escape(problem), icon=":material/error:")
        read = st.session_state.get("features_file")
        if read is None:
            st.caption(
                "Numeric and categorical columns are welcome, and a group such as the patient. "
                "The file stays in this session; nothing is kept."
            )
            return
        with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
            target = st.selectbox(
                "Target", read.targets, key="features_target", width=controls.WIDTH
            )
            others = [name for name in read.groups if name != target]
            guess = read.guessed_group
            st.selectbox(
                "Groups",
                [None, *others],
                index=1 + others.index(guess) if guess in others else 0,
                format_func=lambda name: NO_GROUP if name is None else name,
                key="features_group",
                width=controls.WIDTH,
            )


def _read(data: bytes, name: str) -> None:
    mark = hashlib.sha256(name.encode() + data).hexdigest()
    if st.session_state.get("features_mark") == mark:
        return
    st.session_state["features_mark"] = mark
    st.session_state["features_problem"] = None
    try:
        st.session_state["features_file"] = read_features(data, name)
    except ReadingError as error:
        st.session_state["features_problem"] = str(error)
    else:
        for key in ("features_target", "features_group"):
            st.session_state.pop(key, None)


def _current_own() -> Source | None:
    file = st.session_state.get("features_file")
    if file is None:
        return None
    target = st.session_state.get("features_target") or file.targets[0]
    group = st.session_state.get("features_group", file.guessed_group)
    group = group if group != target else None
    asked = (st.session_state.get("features_mark"), target, group)
    made = st.session_state.get("features_source")
    if made is not None and made[0] == asked:
        return made[1]
    try:
        table = cases_of(file, target=target, group=group)
    except ReadingError as error:
        st.error(escape(str(error)), icon=":material/error:")
        return None
    read = f"read_features(Path({file.name!r}).read_bytes(), {file.name!r})"
    source = Source(
        key=OWN, population=None, table=table, mark=table.digest,
        code=f"cases_of({read}, target={target!r}, group={group!r})",
    )  # fmt: skip
    st.session_state["features_source"] = (asked, source)
    return source


def describe(source: Source) -> str:
    """Return what the cases are, in one line."""
    table = source.table
    if source.population is not None:
        return source.population.sentence
    sizes = ", ".join(
        f"{name} {size:,}"
        for name, size in zip(table.classes[:6], table.class_sizes[:6], strict=True)
    )
    more = f" and {len(table.classes) - 6} more classes" if len(table.classes) > 6 else ""
    groups = "" if table.groups is None else f" {units(table.units, 'groups')} kept whole."
    notes = " ".join(map(note_sentence, table.notes))
    return (
        f"{units(table.n, 'cases')}, {len(table.columns)} features; {sizes}{more}.{groups} {notes}"
    )
