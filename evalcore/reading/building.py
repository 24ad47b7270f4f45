"""A table and the roles of its columns -> Predictions."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np

from evalcore.predictions import Predictions
from evalcore.reading.classes import Content, read_classes
from evalcore.reading.columns import (
    count_column,
    group_column,
    number_column,
    slice_column,
    value_column,
)
from evalcore.reading.limits import Limits
from evalcore.reading.long_files import spread
from evalcore.reading.phrases import counted, quoted
from evalcore.reading.roles import Roles, described
from evalcore.reading.table import Table
from evalcore.results import Column, JoinReport, ReadingReport


def build(
    table: Table,
    roles: Roles,
    *,
    name: str,
    mark: str,
    limits: Limits,
    join: JoinReport | None = None,
) -> Predictions:
    """Return the predictions that a table holds, its columns read by their roles.

    Parameters
    ----------
    table : Table
    roles : Roles
    name : str
        Name of the predictions.
    mark : str
        Digest of the source; the digest of the result covers the roles too.
    limits : Limits
    join : JoinReport, optional

    Raises
    ------
    ReadingError
        If cells that must be numbers are not, there are too many classes or models, or the labels
        of a model and of the truth do not meet.
    """
    digest = hashlib.sha256(f"{mark} {name} {roles!r}".encode(errors="replace")).hexdigest()
    table = replace(
        table,
        notes=[*table.notes, *roles.notes],
        warnings=[*table.warnings, *roles.warnings],
    )
    columns, rows = described(table, roles), table.n
    groups: np.ndarray | None = None
    group_name = roles.group
    if roles.model is not None:
        table, roles, groups = spread(table, roles, limits)
        if groups is not None:
            group_name = roles.id or "case"
    limits.check(table.file, models=len(roles.models))
    content = _read_content(table, roles, limits)
    if groups is None and roles.group is not None:
        groups = group_column(table, roles.group)
    uses = roles.uses()
    return Predictions(
        name=name,
        digest=digest,
        task=roles.task or "classification",
        truth=content.truth,
        outputs=content.outputs,
        scores=content.scores,
        classes=content.classes,
        positive=content.positive,
        groups=groups,
        group_name=group_name,
        slices={column: slice_column(table, column) for column in roles.slices},
        counts=None if roles.count is None else count_column(table, roles.count),
        ids=None if roles.id is None else table[roles.id].as_text(trimmed=True),
        details={
            cells.name: cells.as_text()
            for cells in table.columns
            if cells.name not in uses or uses[cells.name].role == "group"
        },
        report=_report(table, content, rows=rows, columns=columns, join=join),
    )


def _read_content(table: Table, roles: Roles, limits: Limits) -> Content:
    if roles.task not in ("regression", "score"):
        return read_classes(table, roles, limits)
    content = Content()
    if roles.truth is not None and roles.task == "regression":
        content.truth = number_column(table, roles.truth)
    read = value_column if roles.task == "score" else number_column
    for model, columns in roles.models.items():
        column = columns.value or columns.output or columns.score
        if column is not None:
            content.outputs[model] = read(table, column)
    return content


def _report(
    table: Table,
    content: Content,
    *,
    rows: int,
    columns: tuple[Column, ...],
    join: JoinReport | None,
) -> ReadingReport:
    """Return what is said of the reading, with what is missing in it."""
    missing_truth = 0 if content.truth is None else _missing(content.truth)
    missing_outputs = {model: _missing(values) for model, values in content.outputs.items()}
    warnings = list(table.warnings)
    if missing_truth:
        number = counted(missing_truth, "row")
        warnings.append(f"{number} without a truth; left out of every score.")
    warnings += [
        f"{counted(number, 'row')} without a prediction of {quoted(model)}; left out of its scores."
        for model, number in missing_outputs.items()
        if number
    ]
    return ReadingReport(
        rows=rows,
        columns=columns,
        notes=tuple(dict.fromkeys(table.notes)),
        warnings=tuple(dict.fromkeys(warnings)),
        missing_truth=missing_truth,
        missing_outputs=missing_outputs,
        join=join,
    )


def _missing(values: np.ndarray) -> int:
    gone = values < 0 if values.dtype == np.int32 else np.isnan(values)
    return int(gone.sum())
