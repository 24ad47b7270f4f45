"""Names from files are shown as they are, and a spreadsheet runs none of them."""

from __future__ import annotations

import pandas as pd
import pytest

from pages.shared.text import csv_bytes, escape


@pytest.mark.parametrize(
    "name",
    [
        ":red[x]", "**b**", "[l](http://example.org)", "![i](http://example.org/i.png)", "$x$",
        "<img src=x>", "`c`", "# h", "- x", "1. x", "~~s~~", "a_b_c", ":smile:", "&amp;", "\\*x",
    ],
)  # fmt: skip
def test_every_mark_of_markdown_is_escaped(name: str) -> None:
    shown = escape(name)
    marks = set("\\`*_{}[]()#+-.!|<>~$:&^='/\"")
    position = 0
    while position < len(shown):
        if shown[position] == "\\":
            assert shown[position + 1] in marks
            position += 2
        else:
            assert shown[position] not in marks
            position += 1


@pytest.mark.parametrize("name", ["https://example.org/a", "www.example.org", "me@example.org"])
def test_addresses_do_not_become_links(name: str) -> None:
    shown = escape(name)
    assert "\u2060" in shown
    assert shown.replace("\u2060", "").replace("\\", "") == name


def test_line_breaks_become_blanks() -> None:
    assert escape("a\n\nb\tc") == "a b c"


def test_formulas_are_defused_and_numbers_kept() -> None:
    table = pd.DataFrame({"=1+1": ["=cmd()", "@x", "plain"], "n": [-1, 2, 3]})
    assert csv_bytes(table).decode("utf-8-sig").splitlines() == [
        "'=1+1,n",
        "'=cmd(),-1",
        "'@x,2",
        "plain,3",
    ]
