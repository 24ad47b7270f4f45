"""Numbers, units and notes as text."""

from __future__ import annotations

import math

from evalcore.results import Interval

DASH = "–"
UNIT_FORMS = {
    "cases": "case",
    "actual positives": "actual positive",
    "actual negatives": "actual negative",
    "predicted positives": "predicted positive",
    "predicted negatives": "predicted negative",
    "actual or predicted positives": "actual or predicted positive",
    "cases of the smaller class": "case of the smaller class",
    "clusters": "group",
}


def whole(number: float) -> str:
    """Return a whole number with thousands separators."""
    return f"{round(number):,}"


def level(confidence_level: float) -> str:
    """Return a confidence level as people say it: 95%, 99.9%."""
    return f"{100 * confidence_level:.6g}%"


def signed(text: str) -> str:
    """Return text with a true minus sign in place of a leading hyphen."""
    return "−" + text[1:] if text.startswith("-") else text


def decimals(interval: Interval, scale: str) -> int:
    """Return how many decimals an interval deserves: about two digits of its width."""
    spread = interval.width / 2 if math.isfinite(interval.width) else interval.standard_error
    factor = 100 if scale == "percent" else 1
    if not math.isfinite(spread) or spread <= 0:
        return 1 if scale == "percent" else 3
    needed = 1 - math.floor(math.log10(spread * factor))
    least = {"percent": 1, "number": 3}.get(scale, 0)
    return max(least, min(needed if scale == "target" else needed - 1, 6))


def value_text(value: float, scale: str, digits: int) -> str:
    """Return a value in the scale of its metric; a dash where it is undefined."""
    if not math.isfinite(value):
        return DASH
    if scale == "percent":
        return signed(f"{100 * value:,.{digits}f}%")
    return signed(f"{value:,.{digits}f}")


def estimate_text(interval: Interval, scale: str) -> str:
    """Return the estimate, as many decimals as its interval deserves."""
    return value_text(interval.estimate, scale, decimals(interval, scale))


def range_text(interval: Interval, scale: str) -> str:
    """Return the interval as "low to high"; a dash where it is undefined."""
    digits = decimals(interval, scale)
    if not (math.isfinite(interval.low) or math.isfinite(interval.high)):
        return DASH
    low = value_text(interval.low, scale, digits)
    high = value_text(interval.high, scale, digits)
    return f"{low} to {high}"


def error_text(interval: Interval, scale: str) -> str:
    """Return the standard error with its unit: "0.9 points" for a metric in percent."""
    if not math.isfinite(interval.standard_error):
        return "undefined"
    if scale == "percent":
        points = 100 * interval.standard_error
        return f"{points:.{max(1, decimals(interval, scale))}f} points"
    return f"{interval.standard_error:,.{max(decimals(interval, scale), 0)}f}"


def units(n: int, unit: str) -> str:
    """Return a count with its unit in the singular or plural: "1 case", "35 actual positives"."""
    many = "groups" if unit == "clusters" else unit
    word = UNIT_FORMS.get(unit, unit) if n == 1 else many
    return f"{n:,} {word}"


def size_text(interval: Interval) -> str:
    """Return what the estimate was computed from: "349 of 360 cases", "600 cases in 40 groups"."""
    right = "" if interval.successes is None else f"{interval.successes:,} of "
    if interval.cases is None:
        return right + units(interval.n, interval.unit)
    groups = units(interval.n, interval.unit)
    return f"{right}{units(interval.cases, interval.case_unit)} in {groups}"


def note_sentence(note: str) -> str:
    """Return a note of a result as a sentence: capital letter, full stop, no "undefined:"."""
    text = note.removeprefix("undefined: ").removeprefix("no interval: ").strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def lower_first(text: str) -> str:
    """Return text with a small first letter, unless it starts with an abbreviation."""
    first = text.split(" ", 1)[0]
    # Abbreviations such as AUC, F1 or R keep their capitals.
    return (
        text
        if first[1:] != first[1:].lower() or len(first) == 1 or first[1:].isdigit()
        else (text[0].lower() + text[1:])
    )
