"""One column of a table -> the array that Predictions holds for its role."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from evalcore.predictions import label_codes, sort_labels
from evalcore.reading.errors import ReadingError
from evalcore.reading.limits import Limits
from evalcore.reading.numbers import parse_number
from evalcore.reading.phrases import counted, quoted
from evalcore.reading.table import Labels, Table

_RIGHT = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}


def number_column(table: Table, column: str, *, finite: bool = True) -> np.ndarray:
    """Return a column as numbers, nan where empty; say in the notes how people wrote them.

    Raises
    ------
    ReadingError
        If a cell is no number, or infinite where ``finite`` is asked for.
    """
    numbers = table[column].numbers
    if numbers.unreadable:
        place, text = numbers.unreadable[0]
        more = numbers.n_unreadable - 1
        others = f" ({counted(more, 'more cell')} like it)" if more else ""
        raise bad_cell(table, column, place, text, f"a number is needed{others}")
    if finite:
        infinite = np.flatnonzero(np.isinf(numbers.values))
        if infinite.size:
            raise bad_cell(table, column, int(infinite[0]), "inf", "a finite number is needed")
    if numbers.marks:
        table.notes.append(
            f"{quoted(column)} is written with {', '.join(numbers.marks)}; read as numbers."
        )
    return numbers.values


def value_column(table: Table, column: str) -> np.ndarray:
    """Return how good each answer was: numbers, or 1 and 0 for true and false, yes and no.

    Raises
    ------
    ReadingError
        If a cell is neither.
    """
    cells = table[column]
    words = [label.casefold() for label in cells.labels.names] if cells.distinct <= 10 else []
    if not any(word in _RIGHT for word in words):
        return number_column(table, column)
    read = [_RIGHT[word] if word in _RIGHT else parse_number(word, cells.mark) for word in words]
    if None in read:
        text = cells.labels.names[read.index(None)]
        place = int(np.argmax(cells.labels.codes == read.index(None)))
        raise bad_cell(table, column, place, text, "true, false or a number is needed")
    return np.array([*read, np.nan], float)[cells.labels.codes]


def label_column(table: Table, column: str, limits: Limits) -> Labels:
    """Return a column as labels; say in the notes how many were trimmed.

    Raises
    ------
    ReadingError
        If there are far more different labels than classes may be.
    """
    cells = table[column]
    if cells.distinct > 10 * limits.classes:
        raise too_many_classes(table, column, cells.distinct, limits)
    if cells.labels.trimmed:
        number = counted(cells.labels.trimmed, "cell")
        table.notes.append(f"Blanks around the label removed in {number} of {quoted(column)}.")
    return cells.labels


def group_column(table: Table, column: str) -> np.ndarray:
    """Return the group of each row as a code; a row without one is a group of its own."""
    labels = table[column].labels
    codes = labels.codes.astype(np.int64)
    blank = np.flatnonzero(codes < 0)
    if blank.size:
        codes[blank] = len(labels.names) + np.arange(blank.size)
        table.notes.append(
            f"{counted(blank.size, 'row')} without a value in {quoted(column)}; each is a group of "
            "its own."
        )
    return codes


def slice_column(table: Table, column: str) -> Any:
    """Return the levels of a column that splits the cases, in reading order."""
    labels = table[column].labels
    ordered = list(sort_labels(labels.names))
    places = np.append(label_codes(labels.names, ordered), np.int32(-1))
    categories: Any = pd.Index(ordered, dtype="str")
    return pd.Categorical.from_codes(places[labels.codes], categories=categories)


def count_column(table: Table, column: str) -> np.ndarray:
    """Return how often each row occurs, as int64.

    Raises
    ------
    ReadingError
        If a cell is not a whole number of at least 0.
    """
    values = table[column].numbers.values
    whole = np.isfinite(values) & (values >= 0) & (np.floor(values) == values)
    bad = np.flatnonzero(~whole)
    if bad.size:
        text = table[column].text[int(bad[0])].as_py() or ""
        raise bad_cell(table, column, int(bad[0]), text, "a whole number of at least 0 is needed")
    return values.astype(np.int64)


def bad_cell(table: Table, column: str, place: int, text: str, needed: str) -> ReadingError:
    """Return the error that one cell is not what its role needs."""
    origin = table[column].origin
    file, name = (table.file, column) if origin is None else (origin.file, origin.column)
    row = place + 2 if origin is None else origin.find_row(place)
    return ReadingError(
        f"Row {row:,} of {quoted(file)} holds {quoted(text)} in the column {quoted(name)}, where "
        f"{needed}. Correct the cell, leave it empty, or give the column another role.",
        file=file,
        row=row,
        column=name,
    )


def too_many_classes(table: Table, column: str, number: int, limits: Limits) -> ReadingError:
    """Return the error that labels are free text rather than classes."""
    return ReadingError(
        f"{quoted(table.file)} holds {number:,} different labels, most of them in "
        f"{quoted(column)}; at most {limits.classes:,} classes are read. If that is free text, "
        "choose another column, or one that says right or wrong.",
        column=column,
    )
