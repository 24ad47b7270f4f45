"""Small pieces of the sentences that reading writes."""

from __future__ import annotations

from collections.abc import Iterable

_SHOWN = 80


def quoted(text: str) -> str:
    """Return a name or cell of the file in double quotes, on one line and not too long."""
    line = " ".join(str(text).split())
    if len(line) > _SHOWN:
        line = line[: _SHOWN - 3] + "..."
    return f'"{line}"'


def listed(names: Iterable[str], *, most: int = 8) -> str:
    """Return quoted names as ``"a", "b" and "c"``; beyond ``most`` the rest is counted."""
    shown = [quoted(name) for name in names]
    if len(shown) > most:
        return ", ".join(shown[:most]) + f" and {len(shown) - most:,} more"
    if len(shown) < 2:
        return "".join(shown)
    return ", ".join(shown[:-1]) + " and " + shown[-1]


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """Return ``"1 row"`` or ``"1,234 rows"``."""
    word = singular if number == 1 else (plural or singular + "s")
    return f"{number:,} {word}"


def size_text(size: int) -> str:
    """Return a number of bytes as people write it, such as ``"200 MB"``."""
    for unit, scale in (("GB", 2**30), ("MB", 2**20), ("KB", 2**10)):
        if size >= scale:
            return f"{size / scale:.3g} {unit}"
    return f"{size} bytes"


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text that blanks separate."""
    return frozenset(text.split())
