"""Properties: junk makes no traceback, hostile names come back, layout does not matter."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from evalcore.predictions import Predictions
from evalcore.reading import ReadingError, join_predictions, read_predictions

FEW = settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "![x](http://example.org/a.png)",
    ":red[x] $x^2$ `code`",
    "**a**, \"b\"; 'c'\td|e",
    "line one\nline two",
    "a\u2028b\u00a0c",
    '"',
    "=1+1",
    "#comment",
    "NA",
    "🙂",
]
TEXT = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff\u200b"),
    min_size=1,
    max_size=12,
)


def is_safe(label: str) -> bool:
    """Leave out what reading folds on purpose: blanks around, 1.0 for 1, TRUE for true."""
    folded = label.casefold() in ("true", "false") or label.replace(".", "").lstrip("-").isdigit()
    return label == label.strip() and label != "" and not folded


LABELS = st.one_of(st.sampled_from(HOSTILE), TEXT.filter(is_safe))


@st.composite
def tables(draw):
    classes = draw(st.lists(LABELS, min_size=2, max_size=5, unique=True))
    cells = st.one_of(st.sampled_from(classes), st.just(""))
    rows = draw(st.lists(st.tuples(cells, cells), min_size=2, max_size=20))
    truths, said = {a for a, _ in rows} - {""}, {b for _, b in rows} - {""}
    assume(truths & said)
    return [(str(k), *row) for k, row in enumerate(rows)]


def as_csv(rows, delimiter=",", newline="\n", quoting=csv.QUOTE_MINIMAL) -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=newline, quoting=quoting)
    writer.writerows([("id", "y_true", "y_pred"), *rows])
    return out.getvalue()


ROLES = {"truth": "y_true", "models": ["y_pred"], "id": "id", "task": "classification"}


def read(data: bytes, name: str = "f.csv") -> Predictions:
    return read_predictions(data, name, roles=ROLES)


def check(predictions: Predictions, rows) -> None:
    names = np.array([*predictions.classes, ""], object)
    assert names[predictions.truth].tolist() == [truth for _, truth, _ in rows]
    assert names[predictions.outputs["y_pred"]].tolist() == [said for *_, said in rows]
    assert predictions.ids.tolist() == [key for key, *_ in rows]


@FEW
@given(tables())
def test_hostile_labels_come_back_exactly_from_csv(rows):
    check(read(as_csv(rows).encode()), rows)


@FEW
@given(tables())
def test_hostile_labels_come_back_exactly_from_other_formats(rows):
    records = [dict(zip(("id", "y_true", "y_pred"), row, strict=True)) for row in rows]
    check(read("\n".join(map(json.dumps, records)).encode()), rows)
    check(read(json.dumps(records, ensure_ascii=False).encode()), rows)
    out = io.BytesIO()
    pd.DataFrame(records).to_parquet(out)
    check(read(out.getvalue()), rows)


@FEW
@given(
    tables(),
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_delimiter_line_ends_quotes_and_encoding_do_not_matter(
    rows, delimiter, newline, quoting, encoding
):
    check(read(as_csv(rows, delimiter, newline, quoting).encode(encoding)), rows)


@FEW
@given(st.lists(TEXT.filter(is_safe), min_size=2, max_size=4, unique=True))
def test_hostile_column_names_come_back_exactly(names):
    assume(not names[0].startswith("#"))
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([names, ["a"] * len(names), ["b"] * len(names)])
    roles = {"truth": names[0], "models": names[1:], "task": "classification"}
    predictions = read_predictions(out.getvalue().encode(), "f.csv", roles=roles)
    assert list(predictions.models) == names[1:]
    for text in (*predictions.report.notes, *predictions.report.warnings):
        assert "\n" not in text


def refusal(data: bytes) -> ReadingError | None:
    try:
        predictions = read_predictions(data, "junk.csv")
    except ReadingError as problem:
        return problem
    assert predictions.n_rows > 0
    return None


def outcome(data: bytes) -> None:
    problem = refusal(data)
    assert problem is None or (str(problem).endswith(".") and "\n" not in str(problem))


@FEW
@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_refused(data):
    outcome(data)


@FEW
@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text):
    outcome(text.encode("utf-8", errors="replace"))


@FEW
@given(st.text('ab10.,;|\t\n"#- ', max_size=120))
def test_any_table_like_text_is_read_or_refused(text):
    outcome(text.encode())
    outcome(("y_true,y_pred,score\n" + text).encode())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=12,
)


@FEW
@given(JSON, st.lists(st.dictionaries(st.sampled_from(["truth", "pred", "x"]), JSON), max_size=5))
def test_any_json_is_read_or_refused(value, records):
    outcome(json.dumps(value).encode())
    outcome("\n".join(map(json.dumps, records)).encode())


def valid_files() -> dict[str, bytes]:
    table = pd.DataFrame(
        {"y_true": ["a", "b", "a"], "y_pred": ["a", "b", "b"], "score": [0.1, 0.9, 0.4]}
    )
    text = table.to_csv(index=False).encode()
    sheet, columns, archive = io.BytesIO(), io.BytesIO(), io.BytesIO()
    table.to_excel(sheet, index=False)
    table.to_parquet(columns)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr("f.csv", text)
    return {
        "csv": text,
        "jsonl": table.to_json(orient="records", lines=True).encode(),
        "xlsx": sheet.getvalue(),
        "parquet": columns.getvalue(),
        "zip": archive.getvalue(),
        "gz": gzip.compress(text),
    }


FILES = valid_files()


@pytest.mark.parametrize("kind", FILES)
@FEW
@given(data=st.data())
def test_damaged_files_are_read_or_refused(kind, data):
    content = bytearray(FILES[kind])
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    outcome(bytes(content[: data.draw(st.integers(1, len(content)))]))
    outcome(bytes(content))


@FEW
@given(
    st.lists(st.tuples(st.sampled_from("abc "), st.sampled_from("xy")), min_size=1, max_size=8),
    st.lists(st.tuples(st.sampled_from("abcd "), st.sampled_from("xy")), min_size=1, max_size=8),
)
def test_a_join_never_multiplies(left, right):
    truth = "id,label\n" + "".join(f"{key},{label}\n" for key, label in left)
    model = "id,pred\n" + "".join(f"{key},{label}\n" for key, label in right)
    try:
        predictions = join_predictions([(truth.encode(), "t.csv"), (model.encode(), "m.csv")])
    except ReadingError:
        return
    once = [key for key, _ in left if key != " " and sum(key == other for other, _ in left) == 1]
    assert predictions.ids.tolist() == once
    answers = {key: label for key, label in right if sum(key == other for other, _ in right) == 1}
    names = np.array([*predictions.classes, None], object)
    assert names[predictions.truth].tolist() == [dict(left)[key] for key in once]
    assert names[predictions.outputs["m"]].tolist() == [answers.get(key) for key in once]
    assert predictions.report.join.matched == sum(key in answers for key in once)
