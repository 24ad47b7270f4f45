"""How large an upload may be: the one place where every limit of reading is set."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Sizes beyond which a file is refused before memory is spent on it.

    Attributes
    ----------
    upload_bytes : int
        Largest upload, as it arrives.
    unpacked_bytes : int
        Largest content after unpacking gzip, zip, Excel or Parquet.
    rows : int
        Most data rows.
    classes : int
        Most different labels.
    models : int
        Most models in one set of predictions.
    columns : int
        Most columns in one table.
    """

    upload_bytes: int = 200 * 2**20
    unpacked_bytes: int = 2**30
    rows: int = 10_000_000
    classes: int = 1_000
    models: int = 50
    columns: int = 5_000


LIMITS = Limits()


def size_text(size: int) -> str:
    """Return a number of bytes as people write it, such as ``"200 MB"``."""
    for unit, scale in (("GB", 2**30), ("MB", 2**20), ("KB", 2**10)):
        if size >= scale:
            return f"{size / scale:.3g} {unit}"
    return f"{size} bytes"
