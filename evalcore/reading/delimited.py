"""Delimited text -> Table: CSV, TSV and their relatives, whatever stands around the data."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from evalcore.reading.dialect import DELIMITERS, Dialect, records, sniff
from evalcore.reading.errors import ReadingError
from evalcore.reading.limits import Limits
from evalcore.reading.phrases import counted, listed, quoted
from evalcore.reading.table import Table, make_table, trim, with_decimal_mark

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
    if dialect is None:
        raise ReadingError(f"The file {quoted(file)} is empty.")
    limits.check(file, columns=dialect.width)
    ragged = _Ragged()
    columns = _parse(data, dialect, file, ragged)
    notes = _layout_notes(dialect)
    if ragged.comments:
        notes.append(f"{counted(ragged.comments, 'comment line')} below the header left out.")
    kept_rows, dropped = _rows_to_keep(columns)
    if ragged.unclosed:
        raise _unclosed_quote(data, dialect, file)
    if ragged.number:
        notes.append(_ragged_footer(data, dialect, file, ragged))
    notes += dropped
    if kept_rows is not None:
        columns = [column.take(pa.array(kept_rows)) for column in columns]
    n = len(columns[0])
    if n == 0:
        raise ReadingError(f"The file {quoted(file)} has a header but no rows below it.")
    limits.check(file, rows=n)
    has_header = bool(dialect.names)
    names = dialect.names or ("",) * dialect.width
    blank = [
        place
        for place, name in enumerate(names)
        if has_header and not name and dialect.width > 1 and not _is_filled(columns[place]).any()
    ]
    if blank == [dialect.width - 1]:
        notes.append("Rows end in a separator; the empty column behind it was left out.")
    elif blank:
        notes.append(f"{counted(len(blank), 'column')} without a name or content left out.")
    keep = [place for place in range(dialect.width) if place not in blank]
    table = make_table(
        file,
        [names[place] for place in keep],
        [columns[place] for place in keep],
        find_row=partial(_file_row, data, dialect, kept_rows),
        has_header=has_header,
        notes=notes,
    )
    return with_decimal_mark(table, hint="," if dialect.delimiter == ";" else None)


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


def _rows(data: bytes, dialect: Dialect) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each record of the data, whatever their number, with its row."""
    text = data[dialect.start :].decode("utf-8", errors="replace")
    for row, record in enumerate(records(text, dialect.delimiter), start=dialect.first_row):
        yield row, record.cells


def _unclosed_quote(data: bytes, dialect: Dialect, file: str) -> ReadingError:
    row = dialect.first_row
    with suppress(csv.Error):
        for row, cells in _rows(data, dialect):  # noqa: B007 - the row at which reading ends
            if len(cells) != dialect.width:
                break
    return ReadingError(
        f"Row {row:,} of {quoted(file)} cannot be read; most likely a quotation mark is opened "
        "there and never closed. Close it, or double every quotation mark inside a cell.",
        row=row,
    )


def _is_filled(column: Any) -> np.ndarray:
    return pc.not_equal(pc.utf8_trim_whitespace(column), "").to_numpy()


def _rows_to_keep(columns: list[Any]) -> tuple[np.ndarray | None, list[str]]:
    """Return the rows that are cases, None when all are, with a sentence on those that are not."""
    n = len(columns[0])
    filled = np.zeros(n, bool)
    for column in columns:
        if filled.all():
            break
        filled |= _is_filled(column)
    notes = []
    blank = int(n - filled.sum())
    if blank:
        notes.append(f"{counted(blank, 'row')} without any content left out.")
    footer = [row for row in range(max(n - 3, 1), n) if _is_footer(columns, row)]
    if footer:
        first = trim(columns[0][footer[0]].as_py())
        one = len(footer) == 1
        last = "row" if one else counted(len(footer), "row")
        verb = "is not a case and was" if one else "are not cases and were"
        notes.append(f"The last {last}, beginning {quoted(first)}, {verb} left out.")
        filled[footer] = False
    return (np.flatnonzero(filled), notes) if notes else (None, [])


def _file_row(data: bytes, dialect: Dialect, kept: np.ndarray | None, place: int) -> int:
    """Return the row of the file in which a row of the table stands, found by reading up to it."""
    wanted = place if kept is None else int(kept[place])
    whole = (row for row, cells in _rows(data, dialect) if len(cells) == dialect.width)
    return next(islice(whole, max(wanted, 0), None), dialect.first_row + wanted)


def _is_footer(columns: list[Any], row: int) -> bool:
    cells = [trim(column[row].as_py()) for column in columns]
    empty = sum(not cell for cell in cells)
    return bool(_FOOTER.match(cells[0])) and 2 * empty >= len(cells) - 1 and empty > 0


def _ragged_footer(data: bytes, dialect: Dialect, file: str, ragged: _Ragged) -> str:
    """Return the note on a footer, or refuse rows that have a wrong number of cells."""
    odd: tuple[int, int] | None = None
    for row, cells in _rows(data, dialect):
        if not any(map(trim, cells)) or cells[0].lstrip().startswith("#"):
            continue
        width = len(cells)
        if width != dialect.width:
            odd = odd or (row, width)
        if width > dialect.width or (odd and width == dialect.width):
            break
    else:
        if odd and ragged.number <= _FOOTER_ROWS:
            last = "line" if ragged.number == 1 else counted(ragged.number, "line")
            return f"The last {last} of the file left out: {listed(ragged.texts, most=2)}."
    row, width = odd or (dialect.first_row, 0)
    raise ReadingError(
        f"Row {row:,} of {quoted(file)} has {counted(width, 'cell')} where the other rows have "
        f"{dialect.width:,}. Put quotation marks around a cell that holds the separator, or fill "
        "in the missing cells.",
        row=row,
    )


def _layout_notes(dialect: Dialect) -> list[str]:
    notes = []
    if dialect.delimiter != "," and dialect.width > 1:
        kind = DELIMITERS.get(dialect.delimiter, quoted(dialect.delimiter))
        notes.append(f"The columns are separated by {kind}.")
    if dialect.above:
        lines = counted(len(dialect.above), "line")
        notes.append(f"{lines} above the header left out, beginning {quoted(dialect.above[0])}.")
    if not dialect.names:
        notes.append("The file has no header; its columns were named by their position.")
    return notes
