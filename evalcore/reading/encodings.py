"""Bytes of a text file in any common encoding -> the same text as UTF-8."""

from __future__ import annotations

import codecs

from evalcore.reading.errors import ReadingError, told_as
from evalcore.reading.phrases import quoted

_MARKED = {
    "UTF-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
    "UTF-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
}
_CHUNK = 2**22
_HEAD = 2**16
_WESTERN_HOLES = bytes.maketrans(b"\x81\x8d\x8f\x90\x9d", b"?????")
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\x0b\x0c\x1a\x1c\x1d\x1e\x1f")) + b"\x7f"


def to_utf8(data: bytes, file: str) -> tuple[bytes, str | None]:
    """Return the text of a file as UTF-8 without a byte-order mark, and a note when it was not.

    The byte-order mark decides. Without one, the place of zero bytes shows UTF-16; otherwise text
    that is valid UTF-8 is UTF-8, and everything else is Windows-1252.

    Raises
    ------
    ReadingError
        If the bytes are not text in any of these encodings.
    """
    if data.startswith(codecs.BOM_UTF8):
        return data[3:], None
    for kind, marks in _MARKED.items():
        if data.startswith(marks):
            return _recode(data, kind, file), f"The file is in {kind} and was read as such."
    wide = _unmarked_utf16(data)
    if wide:
        text = _recode(data, wide, file)
        return text, "The file is in UTF-16 without a mark that says so and was read as such."
    _refuse_binary(data, file)
    if data.isascii() or _is_utf8(data):
        return data, None
    if sum(data[:_HEAD].count(byte) for byte in range(0x80, 0xA0)) > 0.1 * min(len(data), _HEAD):
        raise _not_text(file)
    text = data.translate(_WESTERN_HOLES).decode("cp1252").encode()
    return text, "The file is not valid UTF-8 and was read as Windows-1252 (Western European)."


def _is_utf8(data: bytes) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    view = memoryview(data)
    try:
        for start in range(0, len(data), _CHUNK):
            decoder.decode(view[start : start + _CHUNK])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _unmarked_utf16(data: bytes) -> str | None:
    head = data[:_HEAD]
    even, odd = head[0::2].count(0), head[1::2].count(0)
    half = max(len(head) // 2, 1)
    if odd > 0.3 * half and even < 0.05 * half:
        return "UTF-16-LE"
    if even > 0.3 * half and odd < 0.05 * half:
        return "UTF-16-BE"
    return None


def _recode(data: bytes, encoding: str, file: str) -> bytes:
    message = (
        f"The file {quoted(file)} begins like {encoding} text but is damaged further on. Save it "
        "again as UTF-8 CSV."
    )
    with told_as(message, UnicodeError):
        text = data.decode(encoding).lstrip("\ufeff").encode()
    _refuse_binary(text, file)
    return text


def _refuse_binary(data: bytes, file: str) -> None:
    head = data[:_HEAD]
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if b"\x00" in data or controls > 0.01 * len(head):
        raise _not_text(file)


def _not_text(file: str) -> ReadingError:
    return ReadingError(
        f"The file {quoted(file)} is not a table that can be read here. Upload CSV, TSV, JSON "
        "Lines, JSON, Parquet or Excel (.xlsx), as it is or inside a gzip or zip file."
    )
