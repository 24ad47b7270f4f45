"""The way from the bytes of one file to Predictions."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from evalcore.predictions import Predictions
from evalcore.reading.building import build
from evalcore.reading.delimited import read_delimited
from evalcore.reading.encodings import to_utf8
from evalcore.reading.errors import ReadingError, about
from evalcore.reading.guessing import resolve_roles
from evalcore.reading.limits import LIMITS, Limits
from evalcore.reading.phrases import quoted
from evalcore.reading.records import is_json, read_records
from evalcore.reading.roles import described, read_given
from evalcore.reading.sheets import is_parquet, read_excel, read_parquet
from evalcore.reading.table import Table
from evalcore.reading.unpacking import is_excel, unpack

_WEB = (b"<!doctype", b"<html", b"<?xml", b"<head", b"<body", b"<svg")


def read_predictions(
    data: bytes, name: str, *, roles: Mapping[str, Any] | None = None, limits: Limits = LIMITS
) -> Predictions:
    """Read the bytes of an upload as predictions.

    CSV and its relatives, JSON Lines, JSON, Parquet and Excel are recognised by their content,
    alone or inside a gzip or zip file, in UTF-8, UTF-16 or Windows-1252. Labels are text and only
    an empty cell is missing. What was understood and done stands in ``report``.

    Parameters
    ----------
    data : bytes
        The file.
    name : str
        Its name, for messages and for ``Predictions.name``.
    roles : mapping, optional
        Roles of columns that override the guess; an absent key is guessed, None means that nothing
        has the role::

            {"truth": column, "models": {model: {"output": column, "score": column,
             "probabilities": {class: column}, "value": column}} or [output columns],
             "id": column, "group": column, "count": column, "slices": [columns],
             "model": column naming the model of each row, "positive": class,
             "labels": {from: to}, "task": "classification" | "regression" | "score",
             "ignored": [columns]}
    limits : Limits, optional
        Sizes beyond which a file is refused.

    Raises
    ------
    ReadingError
        If the file cannot be read; the message names file, row and column where known.
    LabelsDoNotMeet
        If a model's labels and the truth's have none in common; it proposes a mapping, to be
        passed as ``roles={"labels": mapping}``.
    """

    def suits(table: Table) -> bool:
        try:
            resolve_roles(table, read_given(roles, table))
        except ReadingError:
            return False
        return True

    table = read_table(data, name, limits=limits, suits=suits)
    with about(name):
        found = resolve_roles(table, read_given(roles, table))
        mark = hashlib.sha256(data).hexdigest()
        try:
            return build(table, found, name=name, mark=mark, limits=limits)
        except ReadingError as problem:
            problem.columns = described(table, found)
            raise


def read_table(
    data: bytes, name: str, *, limits: Limits, suits: Callable[[Table], bool] = lambda _: True
) -> Table:
    """Read the bytes of an upload as a table, without asking what its columns mean.

    Of the sheets of a workbook it is the first that ``suits``.

    Raises
    ------
    ReadingError
        If the bytes hold no table or a limit is passed.
    """
    with about(name):
        content, notes = unpack(data, name, limits=limits)
        if is_parquet(content):
            table = read_parquet(content, name, limits=limits)
        elif is_excel(content):
            table = read_excel(content, name, limits=limits, suits=suits)
        else:
            text, note = to_utf8(content, name)
            notes += [note] if note else []
            table = _read_text(text, name, limits)
    table.notes[:0] = notes
    return table


def _read_text(text: bytes, name: str, limits: Limits) -> Table:
    start = text[:4096].lstrip()
    if not start and not text.strip():
        raise ReadingError(f"The file {quoted(name)} is empty.")
    if start[:16].lower().startswith(_WEB):
        raise ReadingError(
            f"{quoted(name)} is a web page or XML, not a table of predictions. Download the table "
            "itself as CSV."
        )
    read = read_records if is_json(text) else read_delimited
    return read(text, name, limits=limits)
