"""Parquet and Excel -> Table."""

from __future__ import annotations

import csv
import datetime
import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evalcore.reading.delimited import read_delimited
from evalcore.reading.errors import ReadingError
from evalcore.reading.limits import Limits, size_text
from evalcore.reading.naming import name_columns
from evalcore.reading.phrases import counted, listed, quoted
from evalcore.reading.table import Cells, Table


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

    try:
        source = parquet.ParquetFile(pa.BufferReader(data))
        meta = source.metadata
        _refuse_large(meta, file, limits)
        texts = [
            field.name
            for field in source.schema_arrow
            if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
        ]
        table = parquet.read_table(
            pa.BufferReader(data), read_dictionary=texts, use_threads=True
        ).flatten()
        columns = [_typed_column(column, file, limits) for column in table.columns]
    except (pa.ArrowException, OSError, UnicodeError, ValueError) as problem:
        if isinstance(problem, ReadingError):
            raise
        raise ReadingError(
            f"The Parquet file {quoted(file)} is damaged or uses something that is not read here. "
            "Save it again, or as CSV.",
            file=file,
        ) from None
    if table.num_rows == 0 or not columns:
        raise ReadingError(f"{quoted(file)} has columns but no rows.", file=file)
    names, unnamed, notes = name_columns(table.column_names)
    cells = tuple(
        Cells(name, column).from_file(file, lambda place: place + 1)
        for name, column in zip(names, columns, strict=True)
    )
    return Table(file=file, columns=cells, unnamed=unnamed, notes=notes)


def _refuse_large(meta: Any, file: str, limits: Limits) -> None:
    size = sum(meta.row_group(place).total_byte_size for place in range(meta.num_row_groups))
    cells = meta.num_rows * meta.num_columns * 8
    if meta.num_rows > limits.rows:
        raise ReadingError(
            f"{quoted(file)} has {counted(meta.num_rows, 'row')}; at most {limits.rows:,} are "
            "read. Group equal rows and give their number in a count column.",
            file=file,
        )
    if max(size, cells) > limits.unpacked_bytes or meta.num_columns > limits.columns:
        raise ReadingError(
            f"{quoted(file)} unpacks to {size_text(max(size, cells))} in "
            f"{counted(meta.num_columns, 'column')}; at most {size_text(limits.unpacked_bytes)} "
            f"and {limits.columns:,} columns are read. Leave out columns.",
            file=file,
        )


def _typed_column(column: Any, file: str, limits: Limits) -> Any:
    """Return a column as text, numbers or truth values, whatever its type was."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        _refuse_expansion(column, file, limits)
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_floating(kind):
        column = column.cast(pa.float64()) if kind != pa.float32() else column.cast(pa.float32())
        return pc.if_else(pc.is_nan(column), None, column)
    if pa.types.is_string(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return column
    try:
        return column.cast(pa.string())
    except (pa.ArrowException, UnicodeError):
        texts = [None if value is None else str(value) for value in column.to_pylist()]
        return pa.chunked_array([pa.array(texts, pa.string())])


def _refuse_expansion(column: Any, file: str, limits: Limits) -> None:
    total = 0
    for chunk in column.chunks:
        if pa.types.is_string(chunk.dictionary.type) or pa.types.is_large_string(
            chunk.dictionary.type
        ):
            lengths = pc.binary_length(chunk.dictionary).to_numpy(zero_copy_only=False)
            codes = chunk.indices.drop_null().to_numpy(zero_copy_only=False)
            total += (
                int(np.bincount(codes, minlength=len(lengths)) @ lengths) if len(lengths) else 0
            )
    if total > limits.unpacked_bytes:
        raise ReadingError(
            f"{quoted(file)} unpacks to {size_text(total)}; at most "
            f"{size_text(limits.unpacked_bytes)} are read. Leave out columns of long text.",
            file=file,
        )


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
    titles, sheets = _sheets(data, file, limits)
    first: tuple[str, Table] | None = None
    problem = ReadingError(f"No sheet of {quoted(file)} holds a table.", file=file)
    for title, text in sheets:
        try:
            table = read_delimited(text, file, limits=limits, delimiter=",")
        except ReadingError as error:
            problem = error
            continue
        first = first or (title, table)
        if suits(table):
            return _of_sheet(table, title, titles)
    if first is None:
        raise problem
    return _of_sheet(first[1], first[0], titles)


def _of_sheet(table: Table, title: str, titles: list[str]) -> Table:
    if len(titles) > 1:
        others = listed([other for other in titles if other != title])
        table.notes.insert(0, f"Read the sheet {quoted(title)}; not read: {others}.")
    return table


def _sheets(
    data: bytes, file: str, limits: Limits
) -> tuple[list[str], Iterator[tuple[str, bytes]]]:
    """Return the titles of all sheets, and one after the other those with content, as CSV."""
    import openpyxl

    with _reading_excel(file):
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        sheets = list(book.worksheets)

    def texts() -> Iterator[tuple[str, bytes]]:
        for sheet in sheets:
            with _reading_excel(file):
                text = _sheet_text(sheet, file, limits)
            if text:
                yield sheet.title, text

    return [sheet.title for sheet in sheets], texts()


@contextmanager
def _reading_excel(file: str) -> Iterator[None]:
    """Turn whatever a damaged workbook makes its reader raise into one plain sentence."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except ReadingError:
        raise
    except Exception:  # openpyxl raises whatever a damaged workbook makes its parsers raise
        raise ReadingError(
            f"The Excel file {quoted(file)} is damaged or cannot be read here. Save it again as "
            ".xlsx, or as CSV.",
            file=file,
        ) from None


def _sheet_text(sheet: Any, file: str, limits: Limits) -> bytes:
    """Return a sheet as CSV, empty when it has fewer than two rows with content."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    rows = list(_sheet_rows(sheet, file, limits))
    if sum(any(row) for row in rows) < 2:
        return b""
    width = max(map(len, rows))
    for row in rows:
        writer.writerow(row + [""] * (width - len(row)))
    return out.getvalue().encode("utf-8", errors="replace")


def _sheet_rows(sheet: Any, file: str, limits: Limits) -> Iterator[list[str]]:
    size = 0
    for number, values in enumerate(sheet.iter_rows(values_only=True), start=1):
        if number > limits.rows:
            raise ReadingError(
                f"{quoted(file)} has more than {limits.rows:,} rows, the most that is read.",
                file=file,
            )
        row = [_cell_text(value) for value in values]
        while row and not row[-1]:
            row.pop()
        size += sum(map(len, row))
        if size > limits.unpacked_bytes:
            raise ReadingError(
                f"{quoted(file)} unpacks to more than {size_text(limits.unpacked_bytes)}, the most "
                "that is read.",
                file=file,
            )
        yield row


def _cell_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    return str(value)
