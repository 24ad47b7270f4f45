"""Numbers as people write them, with decimal and thousands marks, brackets, percent signs."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NOT_A_NUMBER = frozenset({"", "na", "n/a", "#n/a", "nan", "null", "none", "-", "--"})

_BLANKS = dict.fromkeys(map(ord, " \u00a0\u202f\u2009\u2007'\u2019"))
_CURRENCY = dict.fromkeys(map(ord, "$€£¥₹"))
_SIGNS = str.maketrans({"−": "-", "–": "-"})
_MARKS = re.compile(r"[-+(]*[\d.,]*\d[\d.,]*(?:e[-+]?\d+)?%?\)?", re.IGNORECASE)
_GROUPED_COMMA = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+")
_GROUPED_DOT = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+")
_PLAIN = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|[-+]?inf(?:inity)?", re.IGNORECASE)
_BLANK_GROUPS = re.compile(r"[-+(]?\D?\d{1,3}(?:[ \u00a0\u202f\u2009\u2007'\u2019]\d{3})+(?!\d)")


def is_plain_number(text: str) -> bool:
    """Return whether a cell is a number as programs write it, such as ``-1.5e3``."""
    return bool(_PLAIN.fullmatch(text))


def decimal_mark(texts: Iterable[str]) -> str | None:
    """Return the decimal mark that the cells give away: ``"."``, ``","`` or None.

    A cell gives its mark away when it holds both marks (the last is the decimal one), or one that
    cannot stand between thousands, as in ``0,5`` or ``12,25``. ``1,234`` gives nothing away.
    Contradicting cells count by majority.
    """
    votes = {",": 0, ".": 0}
    for text in texts:
        core = _core(text)
        if not _MARKS.fullmatch(core):
            continue
        digits = core.strip("-+()%")
        if "," in digits and "." in digits:
            votes[max(",", ".", key=digits.rfind)] += 1
        elif digits.count(",") == 1 and not _GROUPED_COMMA.fullmatch(digits):
            votes[","] += 1
        elif digits.count(".") == 1 and not _GROUPED_DOT.fullmatch(digits):
            votes["."] += 1
        elif digits.count(".") > 1:
            votes[","] += 1
        elif digits.count(",") > 1:
            votes["."] += 1
    if votes[","] == votes["."]:
        return None
    return max(votes, key=votes.__getitem__)


def parse_number(text: str, mark: str) -> float | None:
    """Return the number a cell stands for, nan for an empty one, None when it is no number.

    Parameters
    ----------
    text : str
        The cell, such as ``"1,234.50"``, ``"(200.00)"``, ``"1 050"``, ``"12,5 %"`` or ``"$3"``.
    mark : {".", ","}
        The decimal mark; the other one stands between thousands.
    """
    if mark == "." and _PLAIN.fullmatch(text):
        return float(text)
    if text.strip().casefold() in _NOT_A_NUMBER:
        return float("nan")
    core = _core(text)
    if core.startswith("(") and core.endswith(")"):
        core = "-" + core[1:-1]
    percent = core.endswith("%")
    core = core.rstrip("%")
    other = "," if mark == "." else "."
    whole, found, fraction = core.partition(mark)
    if other in whole and _thousands(whole.lstrip("-+"), other):
        whole = whole.replace(other, "")
    plain = whole + ("." + fraction if found else "")
    if not _PLAIN.fullmatch(plain) or (
        _has_blanks(text) and not _BLANK_GROUPS.search(text.strip())
    ):
        return None
    return float(plain) / (100.0 if percent else 1.0)


def number_marks(texts: Iterable[str], mark: str) -> list[str]:
    """Return what has to be undone to read the cells, as short noun phrases."""
    found: dict[str, None] = {}
    other = "," if mark == "." else "."
    for text in texts:
        core = text.strip()
        if mark == "," and "," in core:
            found["decimal commas"] = None
        if other in core:
            found["thousands commas" if other == "," else "thousands dots"] = None
        if _has_blanks(core) and _BLANK_GROUPS.search(core):
            found["blanks between thousands"] = None
        if core.startswith("(") and core.endswith(")"):
            found["brackets for negative numbers"] = None
        if core.endswith("%"):
            found["percent signs (5% is 0.05)"] = None
        if any(sign in core for sign in "$€£¥₹"):
            found["currency signs"] = None
    return list(found)


def _core(text: str) -> str:
    return text.strip().translate(_BLANKS).translate(_CURRENCY).translate(_SIGNS)


def _has_blanks(text: str) -> bool:
    bare = text.translate(_CURRENCY).strip(" \u00a0%")
    return bare != bare.translate(_BLANKS)


def _thousands(whole: str, other: str) -> bool:
    return bool((_GROUPED_COMMA if other == "," else _GROUPED_DOT).fullmatch(whole))
