"""Delimited text -> Table: CSV, TSV and their relatives, whatever stands around the data."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from evalcore.reading.dialect import DELIMITERS, Dialect, records, sniff
from evalcore.reading.errors import ReadingError
from evalcore.reading.limits import Limits
from evalcore.reading.naming import name_columns
from evalcore.reading.phrases import counted, listed, quoted
from evalcore.reading.table import Cells, Table, trim, with_decimal_mark

_BLOCK = 2**22
_FOOTER_ROWS = 5
_SHOWN = 200
_FOOTER = re.compile(r"(?:grand |sub)?(?:totals?|sum|average|mean|count|rows?)\b", re.IGNORECASE)


@dataclass(slots=True)
class _Ragged:
    """Records whose number of cells differs from the others."""

    comments: int = 0
    texts: list[str] = field(default_factory=list)
    number: int = 0
    unclosed: bool = False

    def __call__(self, row: Any) -> str:
        text = row.text
        if text.lstrip().startswith("#"):
            self.comments += 1
        elif text.strip():
            self.number += 1
            self.unclosed |= text.count('"') % 2 == 1
            if len(self.texts) < _FOOTER_ROWS:
                self.texts.append(text[:_SHOWN])
        return "skip"


def read_delimited(
    data: bytes, file: str, *, limits: Limits, delimiter: str | None = None
) -> Table:
    """Return the table in a UTF-8 text of delimited rows.

    ``delimiter`` is found out when not given.

    Raises
    ------
    ReadingError
        If the text holds no table, a row has too many or too few cells, a quotation mark is never
        closed, or a limit is passed.
    """
    dialect = sniff(data, delimiter=delimiter)
    if dialect is None or dialect.width == 0:
        raise ReadingError(f"The file {quoted(file)} is empty.", file=file)
    if dialect.width > limits.columns:
        raise ReadingError(
            f"The file {quoted(file)} has {dialect.width:,} columns; at most {limits.columns:,} "
            "are read.",
            file=file,
        )
    ragged = _Ragged()
    columns = _parse(data, dialect, file, ragged)
    notes = _layout_notes(dialect)
    if ragged.comments:
        notes.append(f"{counted(ragged.comments, 'comment line')} below the header left out.")
    kept_rows, dropped = _rows_to_keep(columns, dialect)
    if ragged.unclosed:
        raise _unclosed_quote(data, dialect, file)
    if ragged.number:
        notes.append(_ragged_footer(data, dialect, file, ragged))
    notes += dropped
    if kept_rows is not None:
        columns = [column.take(pa.array(kept_rows)) for column in columns]
    _refuse_size(len(columns[0]), file, limits)
    names, unnamed, naming_notes, keep = _names(dialect, columns)
    find_row = partial(_file_row, data, dialect, kept_rows)
    table = Table(
        file=file,
        columns=tuple(
            Cells(name, columns[place]).from_file(file, find_row)
            for name, place in zip(names, keep, strict=True)
        ),
        has_header=dialect.has_header,
        unnamed=unnamed,
        notes=notes + naming_notes,
    )
    return with_decimal_mark(table, hint="," if dialect.delimiter == ";" else None)


def _refuse_size(n: int, file: str, limits: Limits) -> None:
    if n == 0:
        raise ReadingError(f"The file {quoted(file)} has a header but no rows below it.", file=file)
    if n > limits.rows:
        raise ReadingError(
            f"The file {quoted(file)} has {n:,} rows; at most {limits.rows:,} are "
            "read. Group equal rows and give their number in a count column.",
            file=file,
        )


def _parse(data: bytes, dialect: Dialect, file: str, ragged: _Ragged) -> list[Any]:
    body = memoryview(data)[dialect.start :]
    columns = [str(place) for place in range(dialect.width)]
    quotes = b'"' in data
    block = _BLOCK
    while True:
        try:
            table = arrow_csv.read_csv(
                pa.BufferReader(pa.py_buffer(body)),
                read_options=arrow_csv.ReadOptions(column_names=columns, block_size=block),
                parse_options=arrow_csv.ParseOptions(
                    delimiter=dialect.delimiter,
                    newlines_in_values=quotes,
                    invalid_row_handler=ragged,
                ),
                convert_options=arrow_csv.ConvertOptions(
                    column_types=dict.fromkeys(columns, pa.string()), strings_can_be_null=False
                ),
            )
        except pa.ArrowInvalid as problem:
            if "Empty CSV" in str(problem):
                return [pa.chunked_array([pa.array([], pa.string())]) for _ in columns]
            if "block" in str(problem) and block < len(body):
                ragged.comments, ragged.number = 0, 0
                ragged.texts.clear()
                block = min(block * 16, len(body) + 1)
                continue
            raise _unclosed_quote(data, dialect, file) from None
        return list(table.columns)


def _unclosed_quote(data: bytes, dialect: Dialect, file: str) -> ReadingError:
    row = dialect.first_row
    text = data[dialect.start :].decode("utf-8", errors="replace")
    try:
        for place, (cells, _) in enumerate(records(text, dialect.delimiter)):
            row = dialect.first_row + place
            if len(cells) != dialect.width:
                break
    except csv.Error:
        pass
    return ReadingError(
        f"Row {row:,} of {quoted(file)} cannot be read; most likely a quotation mark is opened "
        "there and never closed. Close it, or double every quotation mark inside a cell.",
        file=file,
        row=row,
    )


def _rows_to_keep(columns: list[Any], dialect: Dialect) -> tuple[np.ndarray | None, list[str]]:
    """Return the rows that are cases, None when all are, with a sentence on those that are not."""
    n = len(columns[0]) if columns else 0
    if n == 0:
        return None, []
    filled = np.zeros(n, bool)
    for column in columns:
        if filled.all():
            break
        cells = pc.not_equal(pc.utf8_trim_whitespace(column), "")
        filled |= cells.to_numpy()
    footer = [row for row in range(max(n - 3, 1), n) if _is_footer(columns, row)]
    notes = []
    blank = int(n - filled.sum())
    if blank:
        notes.append(f"{counted(blank, 'row')} without any content left out.")
    if footer:
        first = trim(columns[0][footer[0]].as_py())
        last = "row" if len(footer) == 1 else counted(len(footer), "row")
        verb = "is not a case and was" if len(footer) == 1 else "are not cases and were"
        notes.append(f"The last {last}, beginning {quoted(first)}, {verb} left out.")
        filled[footer] = False
    if not notes:
        return None, []
    return np.flatnonzero(filled), notes


def _file_row(data: bytes, dialect: Dialect, kept: np.ndarray | None, place: int) -> int:
    """Return the row of the file in which a row of the table stands, found by reading up to it."""
    wanted = place if kept is None else int(kept[place])
    seen = -1
    text = data[dialect.start :].decode("utf-8", errors="replace")
    for position, (cells, _) in enumerate(records(text, dialect.delimiter)):
        seen += len(cells) == dialect.width
        if seen == wanted:
            return dialect.first_row + position
    return dialect.first_row + wanted


def _is_footer(columns: list[Any], row: int) -> bool:
    cells = [trim(column[row].as_py()) for column in columns]
    empty = sum(not cell for cell in cells)
    return bool(_FOOTER.match(cells[0])) and 2 * empty >= len(cells) - 1 and empty > 0


def _ragged_footer(data: bytes, dialect: Dialect, file: str, ragged: _Ragged) -> str:
    """Return the note on a footer, or refuse rows that have a wrong number of cells."""
    text = data[dialect.start :].decode("utf-8", errors="replace")
    seen_ragged: tuple[int, int] | None = None
    for place, (cells, _) in enumerate(records(text, dialect.delimiter)):
        content = any(trim(cell) for cell in cells) and not cells[0].lstrip().startswith("#")
        if not content:
            continue
        if len(cells) != dialect.width:
            seen_ragged = seen_ragged or (dialect.first_row + place, len(cells))
            if len(cells) > dialect.width:
                break
        elif seen_ragged:
            break
    else:
        if seen_ragged and ragged.number <= _FOOTER_ROWS:
            last = "line" if ragged.number == 1 else counted(ragged.number, "line")
            return f"The last {last} of the file left out: {listed(ragged.texts, most=2)}."
    row, width = seen_ragged or (dialect.first_row, 0)
    raise ReadingError(
        f"Row {row:,} of {quoted(file)} has {counted(width, 'cell')} where the other rows have "
        f"{dialect.width:,}. Put quotation marks around a cell that holds the separator, or fill "
        "in the missing cells.",
        file=file,
        row=row,
    )


def _is_empty(column: Any) -> bool:
    return not pc.any(pc.not_equal(pc.utf8_trim_whitespace(column), "")).as_py()


def _layout_notes(dialect: Dialect) -> list[str]:
    notes = []
    if dialect.delimiter != ",":
        kind = DELIMITERS.get(dialect.delimiter, quoted(dialect.delimiter))
        if dialect.width > 1:
            notes.append(f"The columns are separated by {kind}.")
    if dialect.above:
        lines = counted(len(dialect.above), "line")
        notes.append(f"{lines} above the header left out, beginning {quoted(dialect.above[0])}.")
    if not dialect.has_header:
        notes.append("The file has no header; its columns were named by their position.")
    return notes


def _names(
    dialect: Dialect, columns: list[Any]
) -> tuple[list[str], frozenset[str], list[str], list[int]]:
    names = list(dialect.names) if dialect.names else [""] * dialect.width
    notes = []
    blank = [
        place
        for place, name in enumerate(names)
        if dialect.has_header and not name and dialect.width > 1 and _is_empty(columns[place])
    ]
    keep = [place for place in range(dialect.width) if place not in blank]
    if blank == [dialect.width - 1]:
        notes.append("Rows end in a separator; the empty column behind it was left out.")
    elif blank:
        notes.append(f"{counted(len(blank), 'column')} without a name or content left out.")
    named, unnamed, more = name_columns([names[k] for k in keep], header=dialect.has_header)
    return named, unnamed, notes + more, keep
