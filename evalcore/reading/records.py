"""JSON Lines and JSON -> Table: one record a case, nested objects opened one level deep."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from evalcore.reading.errors import ReadingError, told_as
from evalcore.reading.flat_records import flat_columns
from evalcore.reading.limits import Limits
from evalcore.reading.phrases import listed, quoted
from evalcore.reading.table import Table, make_table

_FLUSH = 50_000
_JSON_START = re.compile(rb"\{\s*[\"}]|\[\s*[\[{\]]|\[\s*$")


class _Number(str):
    """A JSON number as it is written, so that no digit is lost."""

    __slots__ = ()


_DECODER = json.JSONDecoder(
    parse_float=_Number, parse_int=_Number, parse_constant=lambda word: None
)


def is_json(data: bytes) -> bool:
    """Return whether a UTF-8 text begins as a JSON object or a list of objects does.

    A column of a CSV file may be called "{", so the next sign counts too.
    """
    return _JSON_START.match(data[:4096].lstrip()) is not None


def read_records(data: bytes, file: str, *, limits: Limits) -> Table:
    """Return the table of JSON Lines, of a JSON list of objects, or of an object holding one.

    Numbers and truth values become text exactly as written; null and absent keys are empty cells.

    Raises
    ------
    ReadingError
        If a line is not JSON or not an object, or a limit is passed.
    """
    first_row = 1 + data[: len(data) - len(data.lstrip())].count(b"\n")
    columns, opened = flat_columns(data), set[str]()
    if columns is None:
        builder = _Builder(file, limits)
        with told_as(f"{quoted(file)} nests its JSON too deeply to be read.", RecursionError):
            for row, record in _records(data, file):
                if not isinstance(record, dict):
                    raise ReadingError(
                        f"Row {row:,} of {quoted(file)} is not a JSON object with named values. "
                        'Write each case as an object such as {"truth": "a", "model": "b"}.',
                        row=row,
                    )
                first_row = first_row if builder.n else row
                builder.add(record)
        columns, opened = builder.finish(), builder.opened
    if not columns:
        raise ReadingError(f"{quoted(file)} holds no records.")
    limits.check(file, rows=len(next(iter(columns.values()))), columns=len(columns))
    notes = [f"Nested objects opened into columns of their own: {listed(sorted(opened))}."]
    return make_table(
        file,
        list(columns),
        list(columns.values()),
        find_row=lambda place: first_row + place,
        notes=notes if opened else [],
    )


class _Builder:
    """Collects records into Arrow columns, some rows at a time."""

    def __init__(self, file: str, limits: Limits) -> None:
        self.file = file
        self.limits = limits
        self.n = 0
        self.opened: set[str] = set()
        self._flushed = 0
        self._open: dict[str, list[str | None]] = {}
        self._chunks: dict[str, list[Any]] = {}

    def add(self, record: dict[str, Any]) -> None:
        """Add one record, its nested objects opened one level deep."""
        place = self.n - self._flushed
        self.n += 1
        self.limits.check(self.file, rows=self.n)
        for key, value in record.items():
            if isinstance(value, dict) and value:
                self.opened.add(key)
                for inner, content in value.items():
                    self._put(f"{key}.{inner}", place, _as_text(content))
            else:
                self._put(key, place, _as_text(value))
        if place + 1 >= _FLUSH:
            self._flush()

    def _put(self, key: str, place: int, text: str | None) -> None:
        column = self._open.get(key)
        if column is None:
            column = self._open[key] = []
            if key not in self._chunks:
                self._chunks[key] = [pa.nulls(self._flushed, pa.string())]
                self.limits.check(self.file, columns=len(self._chunks))
        column.extend([None] * (place + 1 - len(column)))
        column[place] = text

    def _flush(self) -> None:
        size = self.n - self._flushed
        for key, chunks in self._chunks.items():
            texts = self._open.pop(key, [])
            texts.extend([None] * (size - len(texts)))
            chunks.append(_text_array(texts))
        self._flushed = self.n

    def finish(self) -> dict[str, Any]:
        """Return the columns in order of first appearance."""
        if self.n > self._flushed:
            self._flush()
        return {_clean(k): pa.chunked_array(c, pa.string()) for k, c in self._chunks.items()}


def _records(data: bytes, file: str) -> Iterator[tuple[int, Any]]:
    if data[:4096].lstrip().startswith(b"{"):
        first, _, rest = data.lstrip().partition(b"\n")
        try:
            whole = _parse(first)
        except ValueError:
            whole = None
        if whole is not None and (rest.strip() or not _holds_table(whole)):
            yield from _lines(data, file)
            return
    try:
        content = _parse(data)
    except ValueError as problem:
        row = getattr(problem, "lineno", None)
        where = f": row {row:,} cannot be read" if row else ""
        raise ReadingError(
            f"{quoted(file)} is not valid JSON{where}. Write one object a line, or a list of "
            "objects.",
            row=row,
        ) from None
    yield from enumerate(_listed_records(content, file), start=1)


def _lines(data: bytes, file: str) -> Iterator[tuple[int, Any]]:
    for row, line in enumerate(io.BytesIO(data), start=1):
        if not line.strip():
            continue
        try:
            yield row, _parse(line.strip())
        except ValueError:
            raise ReadingError(
                f"Row {row:,} of {quoted(file)} is not valid JSON. Write one complete object a "
                "line.",
                row=row,
            ) from None


def _holds_table(content: Any) -> bool:
    return isinstance(content, dict) and any(isinstance(v, list) for v in content.values())


def _listed_records(content: Any, file: str) -> list[Any]:
    if isinstance(content, list):
        return content
    if isinstance(content, dict):
        lists = {key: value for key, value in content.items() if isinstance(value, list)}
        of_records = [v for v in lists.values() if v and all(isinstance(r, dict) for r in v)]
        if len(of_records) == 1:
            return of_records[0]
        lengths = {len(value) for value in lists.values()}
        if len(lists) > 1 and len(lengths) == 1 and len(lists) == len(content):
            return [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
        if not of_records:
            return [content]
    raise ReadingError(
        f"{quoted(file)} holds no list of records. Write a list of objects, one for each case."
    )


def _parse(text: bytes) -> Any:
    return _DECODER.decode(text.decode("utf-8"))


def _as_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if value is True:
        return "true"
    if value is False:
        return "false"
    return _compact(value)


def _compact(value: Any) -> str:
    """Return JSON text of a nested value, numbers as they were written."""
    if isinstance(value, dict):
        inner = (f"{json.dumps(k, ensure_ascii=False)}: {_compact(v)}" for k, v in value.items())
        return "{" + ", ".join(inner) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_compact, value)) + "]"
    return str(value) if isinstance(value, _Number) else json.dumps(value, ensure_ascii=False)


def _text_array(texts: list[str | None]) -> Any:
    try:
        return pa.array(texts, pa.string())
    except UnicodeEncodeError:
        return pa.array([None if text is None else _clean(text) for text in texts], pa.string())


def _clean(text: str) -> str:
    return text.encode("utf-8", errors="replace").decode()
