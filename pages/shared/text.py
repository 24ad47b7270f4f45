"""Text from files, made harmless for wherever it is shown."""

from __future__ import annotations

import re

import pandas as pd

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$:&^=\"'/])")
# Word joiners, which have no width, keep addresses from being turned into links.
_LINKS = re.compile(r"(://|www(?=\.)|@)")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def escape(text: object) -> str:
    """Return text that Streamlit's Markdown shows as it is: no markup, link, image or formula."""
    flat = " ".join(str(text).split())
    return _MARKDOWN.sub(r"\\\1", _LINKS.sub("\\1\u2060", flat))


def csv_bytes(table: pd.DataFrame) -> bytes:
    """Return a table as CSV in UTF-8 with a byte-order mark, safe to open in a spreadsheet.

    Text that a spreadsheet would run as a formula gets an apostrophe in front; numbers stay.
    """
    safe = table.rename(columns=_defuse)
    for name in safe.columns:
        if not pd.api.types.is_numeric_dtype(safe[name]):
            safe[name] = safe[name].map(_defuse)
    return safe.to_csv(index=False).encode("utf-8-sig")


def _defuse(cell: object) -> object:
    return "'" + cell if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
