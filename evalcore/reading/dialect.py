"""How a delimited text is laid out: delimiter, lines above the header, the header itself."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from evalcore.reading.numbers import parse_number
from evalcore.reading.phrases import word_set
from evalcore.reading.table import trim

DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "vertical bars"}

_HEAD_BYTES = 2**18
_HEAD_RECORDS = 200
_SEP_LINE = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
_KNOWN_WORDS = word_set(
    "id true truth label labels target pred prediction predicted output score prob probability "
    "class model count group correct gold actual expected reference answer index name text "
    "filter split value"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The layout of a delimited file.

    Attributes
    ----------
    delimiter : str
    names : tuple of str
        Header cells, padded to the width of the data; empty when the file has no header.
    width : int
        Cells in a data row.
    start : int
        Byte at which the data rows begin.
    first_row : int
        Row of the file, counted from 1, in which the data begins.
    above : tuple of str
        Lines above the header that were passed over.
    """

    delimiter: str
    names: tuple[str, ...]
    width: int
    start: int
    first_row: int
    above: tuple[str, ...]


class Record(NamedTuple):
    """The cells of one record, and the number of characters of the text up to its end."""

    cells: list[str]
    end: int


def records(text: str, delimiter: str) -> Iterator[Record]:
    """Yield each record of a text.

    Only carriage returns and newlines end a record, and none inside a quoted cell does.
    """
    consumed = 0

    def lines() -> Iterator[str]:
        nonlocal consumed
        for match in re.finditer(r"[^\r\n]*(?:\r\n|\r|\n|$)", text):
            if match.group():
                consumed = match.end()
                yield match.group()

    for cells in csv.reader(lines(), delimiter=delimiter, strict=False):
        yield Record(cells, consumed)


def sniff(data: bytes, *, delimiter: str | None = None) -> Dialect | None:
    """Return the layout of a UTF-8 delimited file, or None when it holds no record at all.

    ``delimiter`` is found out when not given.
    """
    text = data[:_HEAD_BYTES].decode("utf-8", errors="ignore")
    told = _SEP_LINE.fullmatch(text.lstrip().split("\n", 1)[0].strip())
    options = list(DELIMITERS) if told is None else [told.group(1)]
    heads = {
        option: _read_head(text, option, whole=len(data) <= _HEAD_BYTES)
        for option in (options if delimiter is None else [delimiter])
    }
    best = max(heads, key=lambda option: _quality(heads[option]))
    return _layout(best, heads[best], text)


def _read_head(text: str, delimiter: str, *, whole: bool) -> list[Record]:
    found: list[Record] = []
    try:
        for record in islice(records(text, delimiter), _HEAD_RECORDS):
            if record.end == len(text) and not whole and found:
                break
            found.append(record)
    except csv.Error:
        pass
    return found


def _quality(found: list[Record]) -> tuple[float, ...]:
    """Return how well a delimiter suits: rows of one width, the first wide one too, and wide."""
    widths = [len(record.cells) for record in found if _is_content(record)]
    width = _usual_width(widths)
    if width < 2:
        return (float(bool(found)) - 1,)
    share = widths.count(width) / len(widths)
    first_wide = next(size for size in widths if size > 1)
    return (round(share, 2), float(first_wide in (width, width - 1)), float(width))


def _usual_width(widths: list[int]) -> int:
    times = Counter(widths)
    return max(times, key=lambda width: (times[width], width), default=0)


def _is_content(record: Record) -> bool:
    return any(map(trim, record.cells)) and not _is_comment(record)


def _is_comment(record: Record) -> bool:
    return bool(record.cells) and record.cells[0].lstrip().startswith("#")


def _layout(delimiter: str, found: list[Record], text: str) -> Dialect | None:
    content = [k for k, record in enumerate(found) if _is_content(record)]
    content = content or [k for k, record in enumerate(found) if any(map(trim, record.cells))]
    if not content:
        return None
    widths = [len(found[k].cells) for k in content]
    width = _usual_width(widths[1:] or widths)
    header = _header_place(found, content, width)
    cells = tuple(map(trim, found[header].cells))
    if len(cells) == width + 1:
        cells = cells[:-1]
    body = [found[k].cells for k in content if k > header and len(found[k].cells) == width]
    lines = (delimiter.join(found[k].cells).strip(delimiter + " ") for k in range(header))
    above = tuple(line for line in lines if line and not _SEP_LINE.fullmatch(line + delimiter))
    names = _commented_header(found, header, width)
    first = header
    if names:
        above = above[:-1]
    elif _is_header(cells, body):
        names, first = cells, header + 1
    end = found[first - 1].end if first else 0
    return Dialect(
        delimiter=delimiter,
        names=names + ("",) * (width - len(names)) if names else (),
        width=max(width, len(names)),
        start=len(text[:end].encode()),
        first_row=first + 1,
        above=above,
    )


def _header_place(found: list[Record], content: list[int], width: int) -> int:
    """Return the position of the first record that is as wide as the data and filled."""
    for place in content:
        cells = found[place].cells
        filled = sum(bool(trim(cell)) for cell in cells)
        fits = len(cells) in (width, width - 1) or (len(cells) == width + 1 and not trim(cells[-1]))
        if fits and (filled > 1 or width == 1):
            return place
    return next((place for place in content if len(found[place].cells) == width), content[0])


def _commented_header(found: list[Record], header: int, width: int) -> tuple[str, ...]:
    """Return the names from a line such as ``# id,true,pred`` right above the data."""
    if header == 0 or not _is_comment(found[header - 1]) or width < 2:
        return ()
    cells = found[header - 1].cells
    names = tuple(trim(cell).lstrip("#").strip() or trim(cell) for cell in cells)
    if len(names) != width or not all(names) or _known(found[header].cells):
        return ()
    return names if _known(names) else ()


def _is_header(cells: Sequence[str], body: list[list[str]]) -> bool:
    """Return whether the first record names columns rather than being a case itself."""
    if _known(cells) or not body:
        return True
    header_like = data_like = 0
    for place, cell in enumerate(cells):
        below = {trim(row[place]) for row in body if place < len(row)} - {""}
        if not cell or not below:
            continue
        numeric_below = all(parse_number(text, ".") is not None for text in below)
        if parse_number(cell, ".") is not None:
            data_like += numeric_below
        elif cell in below:
            data_like += 1
        elif numeric_below or len(below) < len(body):
            header_like += 1
    return header_like >= data_like


def _known(cells: Sequence[str]) -> bool:
    words = (re.split(r"[^a-z]+", cell.casefold()) for cell in cells)
    return any(part in _KNOWN_WORDS for parts in words for part in parts)
