"""Formats, encodings and layouts: what surrounds the data must not change what is read."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import json
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evalcore.reading import ReadingError, read_predictions, records

ROWS = [
    ("1", "cat", "cat", "0.25"),
    ("2", "dog", "cat", "0.5"),
    ("3", "hören", "hören", "0.75"),
    ("4", "cat", "dog", ""),
    ("5", "dog", "", "0.125"),
]
NAMES = ("id", "y_true", "y_pred", "note")


def delimited(delimiter: str = ",", newline: str = "\n") -> str:
    return newline.join(delimiter.join(row) for row in (NAMES, *ROWS)) + newline


def frame() -> pd.DataFrame:
    table = pd.DataFrame(ROWS, columns=list(NAMES))
    return table.replace({"": None})


def zipped(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def workbook(sheets: dict[str, list[list]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def parquet(table: pd.DataFrame) -> bytes:
    out = io.BytesIO()
    table.to_parquet(out)
    return out.getvalue()


def same(a, b) -> None:
    assert (a.task, a.models, a.classes, a.positive) == (b.task, b.models, b.classes, b.positive)
    np.testing.assert_array_equal(a.truth, b.truth)
    for model in a.models:
        np.testing.assert_array_equal(a.outputs[model], b.outputs[model])
    assert a.ids.tolist() == b.ids.tolist()
    assert list(a.details) == list(b.details)


def plain():
    return read_predictions(delimited().encode(), "plain.csv")


JSON_ROWS = [dict(zip(NAMES, (cell or None for cell in row), strict=True)) for row in ROWS]
EXCEL = [list(NAMES), *([cell or None for cell in row] for row in ROWS)]

WAYS = {
    "tabs": delimited("\t").encode(),
    "semicolons": delimited(";").encode(),
    "bars": delimited("|").encode(),
    "windows line ends": delimited(newline="\r\n").encode(),
    "old mac line ends": delimited(newline="\r").encode(),
    "utf-8 with mark": delimited().encode("utf-8-sig"),
    "utf-16": delimited().encode("utf-16"),
    "utf-16 big endian with mark": codecs.BOM_UTF16_BE + delimited().encode("utf-16-be"),
    "utf-16 little endian without mark": delimited().encode("utf-16-le"),
    "utf-16 big endian without mark": delimited("\t").encode("utf-16-be"),
    "windows-1252": delimited().encode("cp1252"),
    "gzip": gzip.compress(delimited().encode()),
    "gzip in two members": gzip.compress(delimited()[:30].encode())
    + gzip.compress(delimited()[30:].encode()),
    "zip": zipped({"a/b.csv": delimited().encode()}),
    "zip of gzip": zipped({"b.csv.gz": gzip.compress(delimited().encode())}),
    "zip with litter": zipped(
        {
            "b.csv": delimited().encode(),
            "__MACOSX/._b.csv": b"\0",
            ".DS_Store": b"\0",
            "README": b"",
        }
    ),
    "json lines": "\n".join(map(json.dumps, JSON_ROWS)).encode(),
    "json lines with blank lines": "\n\n".join(map(json.dumps, JSON_ROWS)).encode("utf-8-sig"),
    "json list": json.dumps(JSON_ROWS, indent=1).encode(),
    "json of one list": json.dumps({"version": 1, "records": JSON_ROWS}).encode(),
    "json of columns": json.dumps({k: [r[k] for r in JSON_ROWS] for k in NAMES}).encode(),
    "parquet": parquet(frame()),
    "parquet with categories": parquet(frame().astype({"y_true": "category"})),
    "parquet with numbers": parquet(frame().astype({"id": int, "note": float})),
    "excel": workbook({"Sheet": EXCEL}),
    "excel with numbers": workbook(
        {"S": [[int(c) if c and c.isdigit() else c for c in r] for r in EXCEL]}
    ),
    "excel with titles": workbook({"S": [["Run 12"], [], *EXCEL]}),
    "excel, second sheet": workbook({"Cover": [["Title"]], "Data": EXCEL, "Later": EXCEL}),
    "title lines": ("Run 12\nmade in May\n\n" + delimited()).encode(),
    "comments": ("# run 12, made\n# in May\n" + delimited()).encode(),
    "comments within": delimited().replace("3,h", "# a third\n3,h").encode(),
    "blank lines": delimited(newline="\n\n").encode(),
    "rows of separators": (delimited() + ",,,\n,,,\n").encode(),
    "footer": (delimited() + "\n(5 rows)\n").encode(),
    "total": (delimited() + "Total,,,1.6\n").encode(),
    "trailing separators": "\n".join(
        line + "," * (place > 0) for place, line in enumerate(delimited().splitlines())
    ).encode(),
    "trailing separators everywhere": delimited().replace("\n", ",\n").encode(),
    "separator told": ("sep=;\n" + delimited(";")).encode(),
    "quoted": "\n".join(",".join(f'"{c}"' for c in row) for row in (NAMES, *ROWS)).encode(),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_writing_reads_the_same(way):
    same(read_predictions(WAYS[way], "plain.csv"), plain())


SAID = {
    "tabs": "The columns are separated by tabs.",
    "semicolons": "The columns are separated by semicolons.",
    "bars": "The columns are separated by vertical bars.",
    "utf-16": "The file is in UTF-16 and was read as such.",
    "utf-16 big endian without mark": "The file is in UTF-16 without a mark that says so",
    "windows-1252": "The file is not valid UTF-8 and was read as Windows-1252",
    "zip of gzip": 'Read "b.csv.gz" from the zip file.',
    "excel, second sheet": 'Read the sheet "Data"; not read: "Cover" and "Later".',
    "title lines": '2 lines above the header left out, beginning "Run 12".',
    "comments": '2 lines above the header left out, beginning "# run 12, made".',
    "comments within": "1 comment line below the header left out.",
    "rows of separators": "2 rows without any content left out.",
    "footer": 'The last line of the file left out: "(5 rows)".',
    "total": 'The last row, beginning "Total", is not a case and was left out.',
    "trailing separators": "Rows end in a separator; the empty column behind it was left out.",
}


@pytest.mark.parametrize("way", SAID)
def test_what_was_done_is_said(way):
    notes = read_predictions(WAYS[way], "plain.csv").report.notes
    assert any(note.startswith(SAID[way]) for note in notes), notes


def test_an_ordinary_file_gets_no_notes():
    assert plain().report.notes == ()
    assert plain().report.warnings == (
        '1 row without a prediction of "y_pred"; left out of its scores.',
    )


def test_digest_covers_bytes_name_and_roles():
    data = delimited().encode()
    digests = {
        read_predictions(data, "a.csv").digest,
        read_predictions(data + b"\n", "a.csv").digest,
        read_predictions(data, "b.csv").digest,
        read_predictions(data, "a.csv", roles={"id": None}).digest,
    }
    assert len(digests) == 4
    assert read_predictions(data, "a.csv").digest == read_predictions(data, "a.csv").digest


def test_header_row_may_be_missing():
    body = delimited().split("\n", 1)[1].encode()
    predictions = read_predictions(body, "plain.csv")
    assert predictions.classes == ("cat", "dog", "hören")
    assert [(c.name, c.role) for c in predictions.report.columns][1:3] == [
        ("column 2", "truth"),
        ("column 3", "output"),
    ]
    assert any("no header" in note for note in predictions.report.notes)
    assert any('"column 2" was taken as it' in text for text in predictions.report.warnings)


def test_header_may_stand_in_a_comment():
    text = "# made in May\n# id,y_true,y_pred,note\n" + delimited().split("\n", 1)[1]
    same(read_predictions(text.encode(), "plain.csv"), plain())


def test_a_column_may_be_called_by_the_sign_of_a_comment():
    predictions = read_predictions(b"#,y_true,y_pred\n1,a,a\n2,b,a\n3,b,b\n", "f.csv")
    assert [c.name for c in predictions.report.columns] == ["#", "y_true", "y_pred"]
    assert predictions.n_cases == 3


def test_repeated_names_are_numbered():
    predictions = read_predictions(b"y_true,pred,pred\na,a,b\nb,a,b\n", "f.csv")
    assert [c.name for c in predictions.report.columns] == ["y_true", "pred", "pred (2)"]
    assert predictions.models == ("pred", "pred (2)")
    assert 'Column names that occur twice were numbered: "pred (2)".' in predictions.report.notes


def test_a_column_may_already_have_the_numbered_name():
    predictions = read_predictions(b"pred,y_true,pred (2),pred\na,a,b,b\nb,b,a,a\n", "f.csv")
    names = [c.name for c in predictions.report.columns]
    assert names == ["pred", "y_true", "pred (2)", "pred (3)"]


def test_typed_columns_of_parquet():
    table = pd.DataFrame(
        {
            "y_true": [True, False, True],
            "y_pred": pd.array([True, None, False], "boolean"),
            "score": [0.5, np.nan, 0.25],
            "when": pd.to_datetime(["2026-01-01", "2026-01-02", None]),
            "many": [[1, 2], [], None],
        }
    )
    predictions = read_predictions(parquet(table), "f.parquet")
    assert predictions.classes == ("false", "true")
    np.testing.assert_array_equal(predictions.outputs["y_pred"], [1, -1, 0])
    np.testing.assert_array_equal(predictions.scores["y_pred"], [0.5, np.nan, 0.25])
    assert predictions.details["when"][0].startswith("2026-01-01")
    assert predictions.details["many"][0] == "[1, 2]"


def test_floats_of_parquet_are_whole_labels_and_nan_is_missing():
    table = pd.DataFrame({"y_true": [1, 0, 1, 0], "y_pred": [1.0, 0.0, np.nan, 1.0]})
    predictions = read_predictions(parquet(table), "f.parquet")
    assert predictions.classes == ("0", "1")
    np.testing.assert_array_equal(predictions.outputs["y_pred"], [1, 0, -1, 1])


def test_structs_of_parquet_open_like_json():
    records = [{"y_true": "a", "y_pred": "a", "doc": {"text": "x"}}] * 2
    flat = read_predictions("\n".join(map(json.dumps, records)).encode(), "f.jsonl")
    table = read_predictions(parquet(pd.DataFrame(records)), "f.parquet")
    assert list(flat.details) == list(table.details) == ["doc.text"]


def test_json_keeps_digits_words_and_null():
    lines = [
        '{"id": 1582218195625938945, "truth": "null", "pred": "NA", "score": 1e-3}',
        '{"id": 1582218195625938946, "truth": "NA", "pred": "null", "score": 0.10}',
        '{"id": 1582218195625938947, "truth": null, "pred": "NA", "extra": [0.10, {"a": 1}]}',
    ]
    predictions = read_predictions("\n".join(lines).encode(), "f.jsonl")
    assert predictions.ids.tolist()[0] == "1582218195625938945"
    assert predictions.classes == ("NA", "null")
    np.testing.assert_array_equal(predictions.truth, [1, 0, -1])
    np.testing.assert_array_equal(predictions.scores["pred"], [0.001, 0.1, np.nan])
    assert predictions.details["extra"][2] == '[0.10, {"a": 1}]'


def test_json_lines_of_many_flushes(monkeypatch):
    monkeypatch.setattr(records, "_FLUSH", 50)
    rows = [{"y_true": k % 3, "y_pred": k % 2, f"late{k // 60}": k} for k in range(121)]
    lines = "\n".join(map(json.dumps, rows)).encode()
    predictions = read_predictions(lines, "f.jsonl", roles={"slices": []})
    np.testing.assert_array_equal(predictions.truth, np.arange(121) % 3)
    assert predictions.details["late1"].isna().sum() == 61
    assert predictions.details["late2"][-1] == "120"


def test_excel_numbers_dates_and_truth_values():
    rows = [["id", "y_true", "y_pred", "score"], [1, True, "TRUE", 0.5], [2, False, "FALSE", 1.0]]
    predictions = read_predictions(workbook({"S": rows}), "f.xlsx")
    assert predictions.classes == ("False", "True")
    assert predictions.ids.tolist() == ["1", "2"]
    np.testing.assert_array_equal(predictions.scores["y_pred"], [0.5, 1.0])


def test_semicolons_go_with_decimal_commas():
    text = "y_true;y_pred\n1,5;1,25\n2,5;2,75\n1.234,5;1.200,0\n"
    predictions = read_predictions(text.encode(), "f.csv")
    np.testing.assert_array_equal(predictions.truth, [1.5, 2.5, 1234.5])
    np.testing.assert_array_equal(predictions.outputs["y_pred"], [1.25, 2.75, 1200.0])
    assert any("decimal commas" in note for note in predictions.report.notes)


def test_rows_longer_than_a_block_are_read():
    long = "x" * (9 * 2**20)
    text = f'text,y_true,y_pred\n"{long}",a,a\nshort,b,a\n'
    predictions = read_predictions(text.encode(), "f.csv")
    assert predictions.n_cases == 2
    assert len(predictions.details["text"][0]) == len(long)


REFUSED = {
    "several tables": (zipped({"a.csv": b"x", "b.csv": b"y"}), '"a.csv" and "b.csv"'),
    "empty zip": (zipped({}), "holds no file"),
    "damaged gzip": (gzip.compress(delimited().encode())[:-12], "damaged or incomplete"),
    "damaged zip": (zipped({"a.csv": delimited().encode()})[:80], "damaged"),
    "damaged parquet": (parquet(frame())[:200], "damaged"),
    "damaged excel": (workbook({"S": EXCEL})[:2000], "damaged"),
    "excel without a table": (workbook({"S": [["Title"]]}), "No sheet"),
    "bzip2": (bz2.compress(b"a,b"), "bzip2"),
    "pdf": (b"%PDF-1.7\n...", "PDF"),
    "image": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "image"),
    "web page": (b"\n <!DOCTYPE html><html></html>", "web page"),
    "old excel": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), ".xlsx"),
    "empty": (b"", "is empty"),
    "blank": (b" \n\t\r\n ", "is empty"),
    "only a mark": (codecs.BOM_UTF8, "is empty"),
    "header only": (b"y_true,y_pred\n", "no rows"),
    "one column": (b"y_true\na\nb\n", "no column as the predictions"),
    "no roles": (b"alpha,beta\n1,x\n2,y\n", "no truth was recognised"),
    "bytes": (np.random.default_rng(5).bytes(3000), "not a table"),
    "json of numbers": (b"[{}, 1]", "Row 2"),
    "json without records": (b'{"a": [1], "b": [1, 2]}', ""),
    "deep json": (b"[{" + b'"a":[' * 100_000, ""),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_table_is_refused_in_one_sentence(kind):
    data, words = REFUSED[kind]
    with pytest.raises(ReadingError) as caught:
        read_predictions(data, "mine.csv")
    assert words in str(caught.value)
    assert caught.value.file == "mine.csv"
    assert '"mine.csv"' in str(caught.value)
    assert "\n" not in str(caught.value)


def test_encrypted_zip_is_refused():
    data = bytearray(zipped({"a.csv": delimited().encode()}))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(ReadingError, match="encrypted"):
        read_predictions(bytes(data), "mine.zip")


@pytest.mark.parametrize(
    ("text", "row", "words"),
    [
        ("y_true,y_pred\na,a\nb,a,c\nb,b\n", 3, "has 3 cells where the other rows have 2"),
        ("id,y_true,y_pred\n1,a,a\n\n2,b\n3,b,b\n", 4, "has 2 cells where the other rows have 3"),
        ('y_true,y_pred\na,a\nb,a\n"b,a\nb,b\n', 4, "quotation mark"),
        ("a,b\n" * 9, 1, "no truth"),
    ],
)
def test_bad_rows_are_named(text, row, words):
    with pytest.raises(ReadingError, match=words) as caught:
        read_predictions(text.encode(), "f.csv")
    if "truth" not in words:
        assert caught.value.row == row


@pytest.mark.parametrize(
    ("text", "row", "column"),
    [
        ("y_true,y_pred\n1.5,1.25\n2.5,error\n3.25,3\n", 3, "y_pred"),
        ("y_true,y_pred\n\n1.5,1.25\n# x\n\n2.5,error\n3.25,3\n", 6, "y_pred"),
        ("Title\n\ny_true,y_pred,score\n1,1,.9\n0,0,.5\n,,\n0,1,high\n", 7, "score"),
        ("y_true,y_pred,count\na,a,3\nb,a,-1\n", 3, "count"),
        ("y_true,y_pred\n1.5,1.25\n2.5,inf\n3.25,3\n", 3, "y_pred"),
    ],
)
def test_bad_cells_are_named(text, row, column):
    roles = {"count": "count"} if column == "count" else None
    with pytest.raises(ReadingError) as caught:
        read_predictions(text.encode(), "f.csv", roles=roles)
    assert (caught.value.row, caught.value.column) == (row, column)
    assert f"Row {row} " in str(caught.value)


def test_bad_json_line_is_named():
    with pytest.raises(ReadingError, match="Row 3") as caught:
        read_predictions(b'{"truth": "a", "pred": "a"}\n\n{"truth": \n', "f.jsonl")
    assert caught.value.row == 3


def test_a_column_called_by_a_brace_is_no_json() -> None:
    data = b"{,truth,pred\n1,a,a\n2,b,a\n"
    predictions = read_predictions(data, "brace.csv", roles={"truth": "truth", "models": ["pred"]})
    assert predictions.n_cases == 2


def test_parquet_text_that_is_not_utf8_is_refused():
    broken = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(np.array([0, 1, 2], np.int32)), pa.py_buffer(b"\x80a")]
    )
    out = io.BytesIO()
    pq.write_table(pa.table({"y_true": broken, "y_pred": ["a", "a"]}), out)
    with pytest.raises(ReadingError, match="is damaged or uses something"):
        read_predictions(out.getvalue(), "f.parquet")
