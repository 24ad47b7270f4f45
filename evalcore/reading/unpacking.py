"""An upload -> the one table inside it, with every size checked before memory is spent."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from pathlib import PurePosixPath

from evalcore.reading.errors import ReadingError, told_as
from evalcore.reading.limits import Limits
from evalcore.reading.phrases import listed, quoted, word_set

_DEPTH = 3
_STEP = 2**20
_TABLES = word_set(
    ".csv .tsv .tab .txt .psv .json .jsonl .ndjson .parquet .pq .xlsx .xlsm .gz .zip"
)
_BAD_ZIP = (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, zlib.error, ValueError)
_STRANGERS = (
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (
        b"\xd0\xcf\x11\xe0",
        "an old Excel file (.xls) or one with a password; save it as .xlsx without",
    ),
    (b"BZh", "compressed with bzip2; use gzip or zip"),
    (b"\xfd7zXZ", "compressed with xz; use gzip or zip"),
    (b"7z\xbc\xaf", "a 7z archive; use gzip or zip"),
    (b"Rar!", "a RAR archive; use gzip or zip"),
    (b"\x28\xb5\x2f\xfd", "compressed with Zstandard; use gzip or zip"),
    (b"\x93NUMPY", "a NumPy array; save it as CSV"),
    (b"\x80\x04\x95", "a Python pickle; save it as CSV"),
    (b"SQLite format 3", "a SQLite database; export the table as CSV"),
)


def unpack(data: bytes, file: str, *, limits: Limits) -> tuple[bytes, list[str]]:
    """Return the bytes of the one table in an upload, and what was opened to get there.

    gzip and zip are opened, also one inside the other. Excel files, which are zip files too, come
    back as they are once their size is checked.

    Raises
    ------
    ReadingError
        If the upload is empty, too large, damaged, encrypted, holds several tables or none.
    """
    limits.check(file, upload_bytes=len(data))
    notes: list[str] = []
    for _ in range(_DEPTH):
        if data.startswith(b"\x1f\x8b"):
            data = _open_gzip(data, file, limits)
        elif data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
            opened = _open_zip(data, file, limits)
            if opened is None:
                break
            data, member = opened
            notes.append(f"Read {quoted(member)} from the zip file.")
        else:
            break
    else:
        if data.startswith((b"\x1f\x8b", b"PK\x03\x04")) and not is_excel(data):
            raise ReadingError(
                f"{quoted(file)} is packed inside itself too often. Unpack it first."
            )
    _refuse_strangers(data, file)
    return data, notes


def is_excel(data: bytes) -> bool:
    """Return whether the bytes are an Excel workbook (.xlsx)."""
    if not data.startswith(b"PK\x03\x04"):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _has_workbook(archive)
    except _BAD_ZIP:
        return False


def _has_workbook(archive: zipfile.ZipFile) -> bool:
    return any(name.endswith("xl/workbook.xml") for name in archive.namelist())


def _refuse_strangers(data: bytes, file: str) -> None:
    if not data.strip(b" \t\r\n\x00\xef\xbb\xbf"):
        raise ReadingError(f"The file {quoted(file)} is empty.")
    for start, kind in _STRANGERS:
        if data.startswith(start):
            raise ReadingError(
                f"{quoted(file)} is {kind}. Upload a table of predictions: CSV, JSON Lines, "
                "Parquet or Excel (.xlsx)."
            )


def _open_gzip(data: bytes, file: str, limits: Limits) -> bytes:
    content = bytearray()
    message = f"The gzip file {quoted(file)} is damaged or incomplete. Upload it again."
    with (
        told_as(message, EOFError, OSError, zlib.error),
        gzip.GzipFile(fileobj=io.BytesIO(data)) as stream,
    ):
        while piece := stream.read(_STEP):
            content += piece
            limits.check(file, unpacked_bytes=len(content))
    return bytes(content)


def _open_zip(data: bytes, file: str, limits: Limits) -> tuple[bytes, str] | None:
    """Return the only table of a zip file and its name, None for an Excel workbook."""
    message = f"The zip file {quoted(file)} is damaged or packed in an unusual way. Pack it again."
    with told_as(message, *_BAD_ZIP), zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        limits.check(file, unpacked_bytes=sum(member.file_size for member in members))
        if _has_workbook(archive):
            return None
        member = _only_table(members, file)
        if member.flag_bits & 0x1:
            raise ReadingError(
                f"{quoted(member.filename)} in {quoted(file)} is encrypted. Upload it without "
                "a password."
            )
        with archive.open(member) as stream:
            content = stream.read(limits.unpacked_bytes + 1)
    limits.check(file, unpacked_bytes=len(content))
    return content, member.filename


def _only_table(members: list[zipfile.ZipInfo], file: str) -> zipfile.ZipInfo:
    real = [member for member in members if not member.is_dir() and not _is_litter(member.filename)]
    tables = [m for m in real if PurePosixPath(m.filename).suffix.casefold() in _TABLES]
    likely = tables or real
    if len(likely) == 1:
        return likely[0]
    if not likely:
        raise ReadingError(f"The zip file {quoted(file)} holds no file.")
    raise ReadingError(
        f"The zip file {quoted(file)} holds {len(likely)} files: "
        f"{listed([member.filename for member in likely])}. Upload one of them, or several at once "
        "to join them."
    )


def _is_litter(name: str) -> bool:
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if not parts or "__MACOSX" in parts:
        return True
    return parts[-1].startswith(".") or parts[-1].casefold() in ("thumbs.db", "desktop.ini")
