"""Unique names for the columns of a table."""

from __future__ import annotations

from collections.abc import Sequence

from evalcore.reading.phrases import listed


def name_columns(
    names: Sequence[str], *, header: bool = True
) -> tuple[list[str], frozenset[str], list[str]]:
    """Return unique names, which of them stand for a missing name, and sentences on the changes.

    A missing name becomes ``column 3``, a repeated one ``score (2)``.
    """
    unique: list[str] = []
    unnamed, renamed = [], []
    taken = {name for name in names if name}
    used: set[str] = set()
    for place, name in enumerate(names, start=1):
        wanted = name or f"column {place}"
        candidate, again = wanted, 2
        while candidate in used or (candidate != name and candidate in taken):
            candidate = f"{wanted} ({again})"
            again += 1
        used.add(candidate)
        unique.append(candidate)
        if not name:
            unnamed.append(candidate)
        elif candidate != name:
            renamed.append(candidate)
    notes = []
    if renamed:
        notes.append(f"Column names that occur twice were numbered: {listed(renamed)}.")
    if unnamed and header:
        notes.append(f"Columns without a name were named by their position: {listed(unnamed)}.")
    return unique, frozenset(unnamed), notes
