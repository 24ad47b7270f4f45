"""JSON Lines of flat records that are all written alike -> Arrow columns, many at a time."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

_BLOCK = 2**23
_CELL_END = "\x1f"
_KEY = re.compile(r'\{?[ \t]*"([^"\\\x00-\x1f]*)"[ \t]*:[ \t]*')
_VALUE = (
    r'^(?:"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"|true|false|null|'
    r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)$"
)


def flat_columns(data: bytes) -> dict[str, Any] | None:
    """Return text columns by key, with every number as it is written, or None.

    None means that the records have to be parsed one by one: they are nested, their keys differ
    or stand in another order, blanks are not regular, or a line is no record.
    """
    columns: dict[str, list[Any]] = {}
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + _BLOCK) + 1 or len(data)
        found = _columns_of(data[start:end])
        if found is None or (columns and list(found) != list(columns)):
            return None
        for key, values in found.items():
            columns.setdefault(key, []).append(values)
        start = end
    return {key: pa.chunked_array(chunks, pa.string()) for key, chunks in columns.items()}


def _columns_of(lines: bytes) -> dict[str, Any] | None:
    """Split lines at the commas outside of quotation marks, and each part at its key."""
    if _CELL_END.encode() in lines:
        return None
    plain = lines.replace(rb"\\", b"__").replace(rb"\"", b"__")
    signs = np.frombuffer(plain, np.uint8)
    inside = np.cumsum(signs == ord('"'), dtype=np.uint8) & 1
    split = np.frombuffer(lines, np.uint8).copy()
    split[(signs == ord(",")) & (inside == 0)] = ord(_CELL_END)
    width = split[: (lines.find(b"\n") + 1) or None].tobytes().count(_CELL_END.encode()) + 1
    names = [str(place) for place in range(width)]
    try:
        table = arrow_csv.read_csv(
            pa.py_buffer(split),
            read_options=arrow_csv.ReadOptions(column_names=names, block_size=len(lines) + 1),
            parse_options=arrow_csv.ParseOptions(delimiter=_CELL_END, quote_char=False),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid:
        return None
    found: dict[str, Any] = {}
    for place, column in enumerate(table.columns):
        cells = column.combine_chunks()
        key = _KEY.match(cells[0].as_py())
        if key is None or key.group().startswith("{") != (place == 0):
            return None
        name = key.group(1)
        values = _values(cells, key.group(), "}" if place == width - 1 else "")
        if values is None or name in found:
            return None
        found[name] = values
    return found


def _values(cells: Any, before: str, after: str) -> Any:
    """Return what stands between a key and the end of a record as text, null where it is null."""
    if not pc.all(pc.and_(pc.starts_with(cells, before), pc.ends_with(cells, after))).as_py():
        return None
    stop = -len(after) or None
    bare = pc.utf8_slice_codeunits(cells, len(before), stop)
    if not pc.all(pc.match_substring_regex(bare, _VALUE)).as_py():
        return None
    quoted = pc.starts_with(bare, '"')
    texts = pc.utf8_slice_codeunits(bare, 1, -1)
    values = pc.if_else(pc.equal(bare, "null"), None, pc.if_else(quoted, texts, bare))
    escaped = pc.match_substring(bare, "\\")
    if pc.any(escaped).as_py():
        meant = [json.loads(text) for text in bare.filter(escaped).to_pylist()]
        safe = [text.encode("utf-8", errors="replace").decode() for text in meant]
        values = pc.replace_with_mask(values, escaped, pa.array(safe, pa.string()))
    return values
