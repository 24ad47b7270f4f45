"""Limits: too large is refused before the memory is spent."""

from __future__ import annotations

import gzip
import io
import tracemalloc
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evalcore.reading import LIMITS, Limits, ReadingError, read_predictions

SMALL = Limits(unpacked_bytes=2**20, rows=1000)
ZEROS = bytes(2**25)


def zip_of(content: bytes, name: str = "a.csv") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return out.getvalue()


def parquet_of(table: pa.Table) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out)
    return out.getvalue()


def test_the_defaults_are_those_promised():
    assert (
        Limits(
            upload_bytes=200 * 2**20, unpacked_bytes=2**30, rows=10_000_000, classes=1000, models=50
        )
        == LIMITS
    )


@pytest.mark.parametrize(
    "bomb",
    [
        gzip.compress(ZEROS),
        zip_of(ZEROS),
        gzip.compress(gzip.compress(ZEROS)),
        zip_of(ZEROS, "xl/workbook.xml"),
        zip_of(gzip.compress(ZEROS), "a.gz"),
    ],
    ids=["gzip", "zip", "gzip twice", "excel", "gzip in zip"],
)
def test_bombs_are_refused_within_the_limit(bomb):
    tracemalloc.start()
    try:
        with pytest.raises(ReadingError, match="unpacks to more than 1 MB"):
            read_predictions(bomb, "bomb", limits=SMALL)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * SMALL.unpacked_bytes


def test_a_zip_that_lies_about_its_size_is_refused():
    data = bytearray(zip_of(ZEROS))
    entry = data.index(b"PK\x01\x02")
    data[entry + 24 : entry + 28] = (100).to_bytes(4, "little")
    with pytest.raises(ReadingError):
        read_predictions(bytes(data), "bomb.zip", limits=SMALL)


def test_a_file_packed_again_and_again_is_refused():
    data = b"y_true,y_pred\na,a\nb,b\n"
    for _ in range(5):
        data = gzip.compress(data)
    with pytest.raises(ReadingError, match="packed inside itself"):
        read_predictions(data, "f.gz")


def test_upload_rows_classes_and_models():
    def read(text: str, **limits: int):
        return read_predictions(text.encode(), "f.csv", limits=Limits(**limits))

    text = "y_true,y_pred\n" + "a,a\nb,c\n" * 50
    assert read(text, rows=100, classes=3, models=1).n_cases == 100
    for limits, words in (
        ({"rows": 99}, "more than 99 rows"),
        ({"classes": 2}, "3 different labels"),
        ({"upload_bytes": 100}, "more than 100 bytes"),
        ({"columns": 1}, "more than 1 column"),
    ):
        with pytest.raises(ReadingError, match=words):
            read(text, **limits)
    wide = "true," + ",".join(f"model_{k}" for k in range(51)) + "\n" + ",".join("ab" * 26) + "\n"
    with pytest.raises(ReadingError, match="more than 50 models"):
        read(wide + ",".join("ba" * 26) + "\n")
    long = "id,model,truth,pred\n" + "".join(f"{k % 9},m{k // 9},a,a\n" for k in range(9 * 51))
    with pytest.raises(ReadingError, match="more than 50 models"):
        read(long, models=50)


def test_parquet_is_judged_by_its_metadata():
    table = pa.table({"y_true": ["a"] * 2000, "y_pred": ["b"] * 2000})
    with pytest.raises(ReadingError, match="more than 1,000 rows"):
        read_predictions(parquet_of(table), "f.parquet", limits=SMALL)
    numbers = pa.table({f"c{k}": np.zeros(900) for k in range(200)})
    with pytest.raises(ReadingError, match="unpacks to more than 1 MB"):
        read_predictions(parquet_of(numbers), "f.parquet", limits=SMALL)


def test_long_text_repeated_in_a_dictionary_is_not_expanded():
    text = pa.array(["x" * 10_000] * 900).dictionary_encode()
    table = pa.table({"y_true": ["a", "b", "a"] * 300, "y_pred": ["a"] * 900, "text": text})
    with pytest.raises(ReadingError, match="Leave out columns, first those of long text"):
        read_predictions(parquet_of(table), "f.parquet", limits=SMALL)


def test_json_rows_and_names_are_counted_while_reading():
    lines = b'{"y_true": "a", "y_pred": "a"}\n' * 1001
    with pytest.raises(ReadingError, match="more than 1,000 rows"):
        read_predictions(lines, "f.jsonl", limits=SMALL)
    lines = b"\n".join(b'{"n%d": 1}' % k for k in range(300))
    with pytest.raises(ReadingError, match="more than 100 columns"):
        read_predictions(lines, "f.jsonl", limits=Limits(columns=100))


def test_excel_rows_are_counted_while_reading():
    out = io.BytesIO()
    pd.DataFrame({"y_true": ["a", "b"] * 20, "y_pred": ["a"] * 40}).to_excel(out, index=False)
    assert read_predictions(out.getvalue(), "f.xlsx").n_cases == 40
    with pytest.raises(ReadingError, match="more than 30 rows"):
        read_predictions(out.getvalue(), "f.xlsx", limits=Limits(rows=30))
