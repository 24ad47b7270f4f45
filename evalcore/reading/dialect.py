"""How a delimited text is laid out: delimiter, lines above the header, the header itself."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

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
class Record:
    """One record of the head of the file.

    Attributes
    ----------
    cells : tuple of str
    end : int
        Number of bytes of the file up to the end of the record.
    """

    cells: tuple[str, ...]
    end: int


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
    has_header : bool
    trailing : bool
        Whether data rows end in a delimiter that the header lacks.
    """

    delimiter: str
    names: tuple[str, ...]
    width: int
    start: int
    first_row: int
    above: tuple[str, ...]
    has_header: bool
    trailing: bool


def records(text: str, delimiter: str) -> Iterator[tuple[list[str], int]]:
    """Yield each record of a text with the number of characters up to its end.

    Only carriage returns and newlines end a record, and none inside a quoted cell does.
    """
    consumed = 0

    def lines() -> Iterator[str]:
        nonlocal consumed
        for match in re.finditer(r"[^\r\n]*(?:\r\n|\r|\n|$)", text):
            if match.group():
                consumed = match.end()
                yield match.group()

    reader = csv.reader(lines(), delimiter=delimiter, strict=False)
    for cells in reader:
        yield cells, consumed


def sniff(data: bytes, *, delimiter: str | None = None) -> Dialect | None:
    """Return the layout of a UTF-8 delimited file, or None when it holds no record at all.

    ``delimiter`` is found out when not given.
    """
    text, whole = _head(data)
    first_line = text.lstrip().split("\n", 1)[0].strip()
    told = _SEP_LINE.fullmatch(first_line)
    options = [told.group(1)] if told else list(DELIMITERS)
    best: tuple[tuple[float, ...], str, list[Record]] | None = None
    for option in options if delimiter is None else [delimiter]:
        found = _read_head(text, option, whole)
        if found:
            quality = _quality(found)
            if best is None or quality > best[0]:
                best = (quality, option, found)
    if best is None:
        return None
    return _layout(best[1], best[2])


def _head(data: bytes) -> tuple[str, bool]:
    whole = len(data) <= _HEAD_BYTES
    return data[:_HEAD_BYTES].decode("utf-8", errors="ignore"), whole


def _read_head(text: str, delimiter: str, whole: bool) -> list[Record]:
    found: list[Record] = []
    previous, size = 0, 0
    try:
        for cells, end in islice(records(text, delimiter), _HEAD_RECORDS):
            if end == len(text) and not whole and found:
                break
            size += len(text[previous:end].encode())
            previous = end
            found.append(Record(cells=tuple(cells), end=size))
    except csv.Error:
        pass
    return found


def _quality(found: list[Record]) -> tuple[float, ...]:
    widths = [len(record.cells) for record in found if _is_content(record)]
    if not widths:
        return (0.0, 0.0, 0.0)
    width = _usual_width(widths)
    if width < 2:
        return (0.0, 0.0, 0.0)
    share = widths.count(width) / len(widths)
    first_wide = next(size for size in widths if size > 1)
    return (round(share, 2), float(first_wide in (width, width - 1)), float(width))


def _usual_width(widths: list[int]) -> int:
    common = Counter(widths).most_common()
    most = common[0][1]
    return max(width for width, times in common if times == most)


def _is_content(record: Record) -> bool:
    return any(trim(cell) for cell in record.cells) and not _is_comment(record)


def _is_comment(record: Record) -> bool:
    return bool(record.cells) and record.cells[0].lstrip().startswith("#")


def _layout(delimiter: str, found: list[Record]) -> Dialect:
    content = [k for k, record in enumerate(found) if _is_content(record)]
    if not content:
        content = [k for k, record in enumerate(found) if any(map(trim, record.cells))]
    if not content:
        return _no_rows(delimiter)
    widths = [len(found[k].cells) for k in content]
    width = _usual_width(widths[1:] or widths)
    header = _header_place(found, content, width)
    data = [k for k in content if k > header]
    cells = tuple(trim(cell) for cell in found[header].cells)
    if len(cells) == width + 1:
        cells = cells[:-1]
    body = [found[k].cells for k in data if len(found[k].cells) == width]
    commented = _commented_header(found, header, width)
    has_header = commented is None and _is_header(cells, body)
    lines = (delimiter.join(found[k].cells).strip(delimiter + " ") for k in range(header))
    above = tuple(line for line in lines if line and not _SEP_LINE.fullmatch(line + delimiter))
    if commented is not None:
        above, names = above[:-1], commented
        start, first_row = found[header - 1].end, header + 1
    elif has_header:
        names, start, first_row = cells, found[header].end, header + 2
    else:
        names, start, first_row = (), (found[header - 1].end if header else 0), header + 1
    trailing = bool(names) and len(names) == width - 1
    return Dialect(
        delimiter=delimiter,
        names=names + ("",) * (width - len(names)) if names else names,
        width=max(width, len(names)),
        start=start,
        first_row=first_row,
        above=above,
        has_header=bool(names),
        trailing=trailing,
    )


def _no_rows(delimiter: str) -> Dialect:
    return Dialect(
        delimiter=delimiter,
        names=(),
        width=0,
        start=0,
        first_row=1,
        above=(),
        has_header=False,
        trailing=False,
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


def _commented_header(found: list[Record], header: int, width: int) -> tuple[str, ...] | None:
    """Return the names from a line such as ``# id,true,pred`` right above the data."""
    if header == 0 or not _is_comment(found[header - 1]) or width < 2:
        return None
    cells = found[header - 1].cells
    names = tuple(trim(cell).lstrip("#").strip() or trim(cell) for cell in cells)
    if len(names) != width or not all(names) or _known(found[header].cells):
        return None
    return names if _known(names) else None


def _is_header(cells: tuple[str, ...], body: list[tuple[str, ...]]) -> bool:
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


def _known(cells: tuple[str, ...]) -> bool:
    words = (re.split(r"[^a-z]+", cell.casefold()) for cell in cells)
    return any(part in _KNOWN_WORDS for parts in words for part in parts if len(cells) > 0)
