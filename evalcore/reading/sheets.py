"""Parquet and Excel -> Table."""

from __future__ import annotations

import csv
import datetime
import io
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evalcore.reading.delimited import read_delimited
from evalcore.reading.errors import ReadingError, told_as
from evalcore.reading.limits import Limits
from evalcore.reading.phrases import listed, quoted
from evalcore.reading.table import Table, make_table


def is_parquet(data: bytes) -> bool:
    """Return whether the bytes are a Parquet file."""
    return data.startswith(b"PAR1")


def read_parquet(data: bytes, file: str, *, limits: Limits) -> Table:
    """Return the table of a Parquet file; its metadata is checked before a value is read.

    Raises
    ------
    ReadingError
        If the file is damaged or larger than the limits.
    """
    from pyarrow import parquet

    message = (
        f"The Parquet file {quoted(file)} is damaged or uses something that is not read here. "
        "Save it again, or as CSV."
    )
    with told_as(message, pa.ArrowException, OSError, ValueError):
        source = parquet.ParquetFile(pa.BufferReader(data))
        meta = source.metadata
        size = sum(meta.row_group(place).total_byte_size for place in range(meta.num_row_groups))
        size = max(size, meta.num_rows * meta.num_columns * 8)
        limits.check(file, rows=meta.num_rows, columns=meta.num_columns, unpacked_bytes=size)
        texts = [field.name for field in source.schema_arrow if _is_text(field.type)]
        table = parquet.read_table(pa.BufferReader(data), read_dictionary=texts).flatten()
        table.validate(full=True)
        columns = [_typed_column(column, file, limits) for column in table.columns]
    if table.num_rows == 0 or not columns:
        raise ReadingError(f"{quoted(file)} has columns but no rows.")
    return make_table(file, table.column_names, columns, find_row=lambda place: place + 1)


def _is_text(kind: Any) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def _typed_column(column: Any, file: str, limits: Limits) -> Any:
    """Return a column as text, numbers or truth values, whatever its type was."""
    if pa.types.is_dictionary(column.type):
        if _is_text(column.type.value_type):
            limits.check(file, unpacked_bytes=sum(map(_expanded_size, column.chunks)))
        column = column.cast(column.type.value_type)
    kind = column.type
    if pa.types.is_floating(kind):
        column = column if kind == pa.float32() else column.cast(pa.float64())
        return pc.if_else(pc.is_nan(column), None, column)
    if pa.types.is_string(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return column
    try:
        return column.cast(pa.string())
    except (pa.ArrowException, UnicodeError):
        texts = [None if value is None else str(value) for value in column.to_pylist()]
        return pa.array(texts, pa.string())


def _expanded_size(chunk: Any) -> int:
    """Return the bytes of a chunk of dictionary codes once every code is its text."""
    lengths = pc.binary_length(chunk.dictionary).to_numpy(zero_copy_only=False)
    codes = chunk.indices.drop_null().to_numpy(zero_copy_only=False)
    return int(np.bincount(codes, minlength=len(lengths)) @ lengths) if len(lengths) else 0


def read_excel(
    data: bytes, file: str, *, limits: Limits, suits: Callable[[Table], bool] = lambda _: True
) -> Table:
    """Return the first sheet of an Excel workbook that holds a table and ``suits``.

    When none suits it is the first that holds a table, so that it can be said what it lacks.

    Raises
    ------
    ReadingError
        If the workbook is damaged or no sheet holds a table.
    """
    import openpyxl

    message = (
        f"The Excel file {quoted(file)} is damaged or cannot be read here. Save it again as .xlsx, "
        "or as CSV."
    )
    # openpyxl raises whatever a damaged workbook makes its parsers raise.
    with told_as(message, Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        sheets = list(book.worksheets)
    first: Table | None = None
    problem = ReadingError(f"No sheet of {quoted(file)} holds a table.")
    for sheet in sheets:
        with told_as(message, Exception), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text = _sheet_text(sheet, file, limits)
        if not text:
            continue
        try:
            table = read_delimited(text, file, limits=limits, delimiter=",")
        except ReadingError as error:
            problem = error
            continue
        if len(sheets) > 1:
            others = listed([other.title for other in sheets if other is not sheet])
            table.notes.insert(0, f"Read the sheet {quoted(sheet.title)}; not read: {others}.")
        if suits(table):
            return table
        first = first or table
    if first is None:
        raise problem
    return first


def _sheet_text(sheet: Any, file: str, limits: Limits) -> bytes:
    """Return a sheet as CSV, empty when it has fewer than two rows with content."""
    rows: list[list[str]] = []
    size = 0
    for values in sheet.iter_rows(values_only=True):
        row = [_cell_text(value) for value in values]
        while row and not row[-1]:
            row.pop()
        size += sum(map(len, row))
        rows.append(row)
        limits.check(file, rows=len(rows), unpacked_bytes=size)
    if sum(any(row) for row in rows) < 2:
        return b""
    width = max(map(len, rows))
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(r + [""] * (width - len(r)) for r in rows)
    return out.getvalue().encode("utf-8", errors="replace")


def _cell_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    return str(value)
