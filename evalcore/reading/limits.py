"""How large an upload may be: the one place where every limit of reading is set."""

from __future__ import annotations

from dataclasses import dataclass

from evalcore.reading.errors import ReadingError
from evalcore.reading.phrases import counted, quoted, size_text


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

    def check(self, file: str, **found: int) -> None:
        """Refuse a file of which more was found than is read, as in ``rows=10_000_001``.

        Raises
        ------
        ReadingError
            If a number is beyond its limit.
        """
        for kind, number in found.items():
            most = getattr(self, kind)
            if number > most:
                verb, advice = _REFUSED[kind]
                size = size_text(most) if kind.endswith("bytes") else counted(most, kind[:-1])
                raise ReadingError(
                    f"{quoted(file)} {verb} more than {size}, the most that is read. {advice}",
                    file=file,
                )


LIMITS = Limits()

_REFUSED = {
    "upload_bytes": (
        "has",
        "Compress it, leave out columns, or group equal rows with a count column.",
    ),
    "unpacked_bytes": (
        "unpacks to",
        "Leave out columns, first those of long text, or group equal rows with a count column.",
    ),
    "rows": ("has", "Group equal rows and give their number in a count column."),
    "columns": ("has", "Leave out columns."),
    "models": ("holds", "Say which columns are models, or leave some out."),
}
