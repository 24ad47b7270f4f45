"""Flat JSON Lines read many at a time: the same table as when they are parsed one by one."""

from __future__ import annotations

import json
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.reading import LIMITS, ReadingError, flat_records, records
from evalcore.reading.flat_records import flat_columns

VALUES = st.one_of(
    st.text(max_size=6),
    st.sampled_from(
        ["NA", "007", "1.0", 'a "b", c', "back\\slash\\", "{}", "a: b", "é\n", "\ud800"]
    ),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.none(),
)
KEYS = st.lists(st.text(st.characters(codec="utf-8"), max_size=4), min_size=1, unique=True)


def table_of(data: bytes):
    try:
        table = records.read_records(data, "f.jsonl", limits=LIMITS)
    except ReadingError as problem:
        return str(problem), problem.row
    return [(cells.name, cells.text.to_pylist()) for cells in table.columns]


def one_by_one(data: bytes):
    with patch.object(records, "flat_columns", return_value=None):
        return table_of(data)


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_records_written_alike_are_read_as_one_by_one(data):
    keys = data.draw(KEYS)
    rows = data.draw(st.lists(st.fixed_dictionaries(dict.fromkeys(keys, VALUES)), min_size=1))
    spaces = data.draw(st.sampled_from([(", ", ": "), (",", ":"), (" , ", " : ")]))
    ascii_only = data.draw(st.booleans())
    lines = [json.dumps(row, ensure_ascii=ascii_only, separators=spaces) for row in rows]
    text = data.draw(st.sampled_from(["\n", "\r\n", "\n\n"])).join(lines).encode(errors="replace")
    with patch.object(flat_records, "_BLOCK", data.draw(st.sampled_from([1, 100]))):
        assert table_of(text) == one_by_one(text)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from([*'{{}}"":,,1a', "\\", "\n", " ", '{"a": 1}\n', '"a": 1, "b": '])))
def test_whatever_looks_like_records_is_read_as_one_by_one(pieces):
    text = ('{"a": 1, "b": 2}\n' + "".join(pieces)).encode()
    assert table_of(text) == one_by_one(text)


def test_values_stay_as_they_are_written():
    numbers = ["1.0", "1E5", "-0", "1234567890123456789", "0.10", "true", "false", '"007"', '"NA"']
    lines = "".join(f'{{"id": "c{k}", "v": {text}}}\n' for k, text in enumerate(numbers)).encode()
    assert flat_columns(lines)["v"].to_pylist() == [text.strip('"') for text in numbers]
    assert flat_columns(b'{"a": null}\n{"a": "null"}\n')["a"].to_pylist() == [None, "null"]


@pytest.mark.parametrize(
    "line",
    [
        '{"b": 1, "a": 2}',
        '{"a": 1}',
        '{"a": 1, "b": 2, "c": 3}',
        '{"a": {"x": 1}, "b": 2}',
        '{"a": [1, 2], "b": 2}',
        '{"a": 1,  "b": 2}',
        '{"a": 007, "b": 2}',
        '{"a": NaN, "b": 2}',
        '{"a": "\t", "b": 2}',
        '{"a": "\\x", "b": 2}',
        '{"a": 1, "b": 2',
    ],
)
def test_irregular_records_are_left_to_be_parsed(line):
    assert flat_columns(f'{{"a": 1, "b": 2}}\n{line}\n'.encode()) is None
