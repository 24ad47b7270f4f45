"""JSON Lines and JSON -> Table: one record a case, nested objects opened one level deep."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from evalcore.reading.errors import ReadingError
from evalcore.reading.limits import Limits
from evalcore.reading.phrases import counted, listed, quoted
from evalcore.reading.table import Cells, Table

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
    builder = _Builder(file, limits)
    try:
        first_row = builder.add_all(_records(data, file))
    except RecursionError:
        raise ReadingError(
            f"{quoted(file)} nests its JSON too deeply to be read.", file=file
        ) from None
    columns = builder.finish()
    if not columns:
        raise ReadingError(f"{quoted(file)} holds no records.", file=file)
    notes = []
    if builder.opened:
        notes.append(
            f"Nested objects opened into columns of their own: {listed(sorted(builder.opened))}."
        )
    placed = (cells.from_file(file, lambda place: first_row + place) for cells in columns)
    return Table(file=file, columns=tuple(placed), notes=notes)


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

    def add_all(self, records: Iterable[tuple[int, Any]]) -> int:
        """Add numbered records; return the row of the first."""
        first = 1
        for row, record in records:
            if not isinstance(record, dict):
                raise ReadingError(
                    f"Row {row:,} of {quoted(self.file)} is not a JSON object with named values. "
                    'Write each case as an object such as {"truth": "a", "model": "b"}.',
                    file=self.file,
                    row=row,
                )
            if self.n == 0:
                first = row
            self._add(record)
        return first

    def _add(self, record: dict[str, Any]) -> None:
        if self.n >= self.limits.rows:
            raise ReadingError(
                f"{quoted(self.file)} has more than {counted(self.limits.rows, 'row')}, the most "
                "that is read.",
                file=self.file,
            )
        place = self.n - self._flushed
        for key, value in record.items():
            if isinstance(value, dict) and value:
                self.opened.add(key)
                for inner, content in value.items():
                    self._put(f"{key}.{inner}", place, _as_text(content))
            else:
                self._put(key, place, _as_text(value))
        self.n += 1
        if self.n - self._flushed >= _FLUSH:
            self._flush()

    def _put(self, key: str, place: int, text: str | None) -> None:
        column = self._open.get(key)
        if column is None:
            column = self._open[key] = []
            if key not in self._chunks:
                self._chunks[key] = [pa.nulls(self._flushed, pa.string())]
                if len(self._chunks) > self.limits.columns:
                    raise ReadingError(
                        f"{quoted(self.file)} has more than {self.limits.columns:,} different "
                        "names of values, the most that is read.",
                        file=self.file,
                    )
        if len(column) > place:
            column[place] = text
        else:
            column.extend([None] * (place - len(column)))
            column.append(text)

    def _flush(self) -> None:
        size = self.n - self._flushed
        for key, chunks in self._chunks.items():
            texts = self._open.pop(key, [])
            texts.extend([None] * (size - len(texts)))
            chunks.append(_text_array(texts))
        self._flushed = self.n

    def finish(self) -> list[Cells]:
        """Return the columns in order of first appearance."""
        if self.n > self._flushed:
            self._flush()
        return [
            Cells(_clean(key), pa.chunked_array(chunks, pa.string()))
            for key, chunks in self._chunks.items()
        ]


def _records(data: bytes, file: str) -> Iterator[tuple[int, Any]]:
    start = data[:4096].lstrip()
    if start.startswith(b"{"):
        first, rest = _first_line(data)
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
        raise ReadingError(
            f"{quoted(file)} is not valid JSON"
            + (f": row {row:,} cannot be read" if row else "")
            + ". Write one object a line, or a list of objects.",
            file=file,
            row=row,
        ) from None
    yield from enumerate(_listed_records(content, file), start=1)


def _first_line(data: bytes) -> tuple[bytes, bytes]:
    stripped = data.lstrip()
    line, _, rest = stripped.partition(b"\n")
    return line, rest


def _lines(data: bytes, file: str) -> Iterator[tuple[int, Any]]:
    start = row = 0
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        line = data[start:end].strip()
        start, row = end + 1, row + 1
        if not line:
            continue
        try:
            yield row, _parse(line)
        except ValueError:
            raise ReadingError(
                f"Row {row:,} of {quoted(file)} is not valid JSON. Write one complete object a "
                "line.",
                file=file,
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
        f"{quoted(file)} holds no list of records. Write a list of objects, one for each case.",
        file=file,
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
