"""A plan on one page, to be handed on: Markdown, or HTML that needs nothing else."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

from pages.shared.text import escape

_STYLE = """
body {font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 2.5rem auto; padding: 0 1rem;
      color: #17212b; background: #fff}
h1 {font-size: 1.5rem} h2 {font-size: 1.05rem; margin-top: 1.6rem}
.large {font-size: 3rem; font-weight: 700; line-height: 1.1; margin: 0}
.quiet {color: #66727f}
table {border-collapse: collapse; width: 100%}
td, th {text-align: left; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid #dce2e8;
        vertical-align: top}
@media (prefers-color-scheme: dark) {
  body {color: #e7edf3; background: #10161d} .quiet {color: #a3b0bd}
  td, th {border-color: #2c3947}
}
@media print {body {margin: 0 auto; color: #000; background: #fff}}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a plan says on one page; plain text throughout.

    Attributes
    ----------
    title : str
        The question that was asked.
    number, unit : str
        The large number and what it counts.
    sentence : str
        For a planning document.
    results, inputs : tuple of (str, str)
        What came out and what was put in, a name and a value each.
    notes : tuple of str
        What must hold, and what the plan does not say.
    """

    title: str
    number: str
    unit: str
    sentence: str
    results: tuple[tuple[str, str], ...]
    inputs: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


def as_markdown(summary: Summary) -> str:
    """Return a summary as Markdown in which no text from a user is markup."""
    lines = [f"# {escape(summary.title)}", "", f"**{escape(summary.number)} {summary.unit}**", ""]
    lines += [escape(summary.sentence), ""]
    for heading, rows in (("What comes out", summary.results), ("What was put in", summary.inputs)):
        lines += [f"## {heading}", "", "| | |", "|---|---|"]
        lines += [f"| {escape(name)} | {escape(value)} |" for name, value in rows]
        lines.append("")
    lines += ["## What must hold, and what this does not say", ""]
    lines += [f"- {escape(note)}" for note in summary.notes]
    return "\n".join(lines) + "\n"


def as_html(summary: Summary) -> str:
    """Return a summary as an HTML page that loads nothing."""
    notes = "".join(f"<li>{html.escape(note)}</li>" for note in summary.notes)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(summary.title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{html.escape(summary.title)}</h1>\n"
        f'<p class="large">{html.escape(summary.number)}</p>\n'
        f'<p class="quiet">{html.escape(summary.unit)}</p>\n'
        f"<p>{html.escape(summary.sentence)}</p>\n"
        f"<h2>What comes out</h2>\n{_table(summary.results)}\n"
        f"<h2>What was put in</h2>\n{_table(summary.inputs)}\n"
        f"<h2>What must hold, and what this does not say</h2>\n<ul>{notes}</ul>\n"
        '<p class="quiet">Made with Margin.</p>\n</body>\n</html>\n'
    )


def _table(rows: Sequence[tuple[str, str]]) -> str:
    cells = "".join(
        f"<tr><th>{html.escape(name)}</th><td>{html.escape(value)}</td></tr>"
        for name, value in rows
    )
    return f"<table>{cells}</table>"
