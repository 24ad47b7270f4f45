"""Numbers as people write them."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.reading.numbers import decimal_mark, number_marks, parse_number
from evalcore.reading.table import Cells

WRITTEN = [
    ("1234.5", ".", 1234.5),
    ("-1.5e3", ".", -1500.0),
    ("+7", ".", 7.0),
    (".5", ".", 0.5),
    ("1,234.50", ".", 1234.5),
    ("12,345,678", ".", 12345678.0),
    ("(200.00)", ".", -200.0),
    ("−3", ".", -3.0),
    ("1\u202f050.00", ".", 1050.0),
    ("1 050", ".", 1050.0),
    ("1\u00a0050,25", ",", 1050.25),
    ("1'050.5", ".", 1050.5),
    ("1.234.567,5", ",", 1234567.5),
    ("0,5", ",", 0.5),
    ("95%", ".", 0.95),
    ("12,5 %", ",", 0.125),
    ("$1,200", ".", 1200.0),
    ("€ 3", ".", 3.0),
    ("($1,200.50)", ".", -1200.5),
    (" 4 ", ".", 4.0),
]
NOT_NUMBERS = [
    "cat",
    "1 2",
    "1,2,3",
    "12,34.5",
    "1.2.3",
    "--1",
    "0x10",
    "1e",
    "12-5",
    "1 0000",
    "(",
    "%",
]


@pytest.mark.parametrize(("text", "mark", "number"), WRITTEN)
def test_what_people_write(text, mark, number):
    assert parse_number(text, mark) == pytest.approx(number, abs=1e-12)


@pytest.mark.parametrize("text", NOT_NUMBERS)
def test_what_is_no_number(text):
    assert parse_number(text, ".") is None


@pytest.mark.parametrize("text", ["", " ", "NA", "n/a", "NaN", "null", "None", "-", "#N/A"])
def test_words_for_nothing_are_missing(text):
    assert math.isnan(parse_number(text, "."))


@pytest.mark.parametrize(
    ("texts", "mark"),
    [
        (["1,234.5"], "."),
        (["1.234,5"], ","),
        (["0,5", "1,234"], ","),
        (["0.5", "1,234"], "."),
        (["1,234"], None),
        (["1.234"], None),
        (["1,234,567"], "."),
        (["1.234.567"], ","),
        (["7", "cat"], None),
        (["0,5", "0,25", "0.5"], ","),
        (["(1.250,00)", "12,5%"], ","),
    ],
)
def test_decimal_mark(texts, mark):
    assert decimal_mark(texts) == mark


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_programs_write_is_read_exactly(number):
    assert parse_number(repr(number), ".") == number


@given(
    st.decimals(-(10**9), 10**9, places=2),
    st.sampled_from([(",", "."), (".", ","), ("\u202f", ",")]),
)
def test_grouped_numbers_are_read_exactly(number, marks):
    thousands, decimal = marks
    written = f"{number:,.2f}".replace(",", "T").replace(".", decimal).replace("T", thousands)
    assert parse_number(written, decimal) == float(number)


@given(st.text(max_size=12))
def test_no_text_makes_trouble(text):
    for mark in ".,":
        number = parse_number(text, mark)
        assert number is None or isinstance(number, float)
    assert decimal_mark([text]) in (".", ",", None)


def test_positions_of_what_is_unreadable():
    numbers = Cells("column", pa.chunked_array([["1", "x", "", "(2)"]])).numbers
    assert numbers.unreadable == ((1, "x"),)
    assert numbers.n_unreadable == 1
    assert numbers.values[[0, 3]].tolist() == [1.0, -2.0]


def test_marks_are_named_in_words():
    assert number_marks(["1,5"], ",") == ["decimal commas"]
    assert number_marks(["$1,200", "(3)", "5%", "1 000"], ".") == [
        "thousands commas",
        "currency signs",
        "brackets for negative numbers",
        "percent signs (5% is 0.05)",
        "blanks between thousands",
    ]
    assert number_marks(["1.5", "2"], ".") == []
