"""What one score says: the sentence a person may say of it, and the one they may not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from evalcore.confusion import Cases
from evalcore.metrics import Metric
from evalcore.predictions import Predictions
from evalcore.resampling import MarketCoverage
from evalcore.results import ConfusionMatrix, Interval
from evalcore.simulation import NAIVE
from evalcore.sizing.single import size_for_half
from evalcore.slices import SliceReport
from evalcore.wording.numbers import (
    estimate_text,
    level,
    lower_first,
    note_sentence,
    range_text,
    size_text,
    units,
)

UNIT_MEANINGS = {
    "actual positives": "cases whose true class is {label}",
    "actual negatives": "cases whose true class is not {label}",
    "predicted positives": "cases the model called {label}",
    "predicted negatives": "cases the model did not call {label}",
    "actual or predicted positives": "cases that are {label} or were called so",
}


def unit_meaning(unit: str, label: str | None) -> str | None:
    """Return what a unit counts for a class, or None where the unit speaks for itself."""
    meaning = UNIT_MEANINGS.get(unit)
    return None if meaning is None or label is None else meaning.format(label=label)


def subject(metric: Metric, label: str | None, model: str) -> str:
    """Return what is measured: "Recall of 8, network"."""
    named = f"{metric.label} of class {label}" if metric.per_class else metric.label
    return f"{named}, {model}"


def report_sentence(
    interval: Interval, metric: Metric, label: str | None, model: str, data: str, method: str
) -> str:
    """Return a score as it can be quoted: what, of which model, on what, with its interval."""
    what = lower_first(metric.label)
    if metric.per_class and label is not None:
        what = f"{what} of class {label}"
    if not interval.defined:
        return f"On {data} there is no {what} of {model}."
    return (
        f"On {data} the {what} of {model} is {estimate_text(interval, metric.scale)} "
        f"({size_text(interval)}), {level(interval.confidence_level)} {method} interval "
        f"{range_text(interval, metric.scale)}."
    )


def interval_sentence(interval: Interval, metric: Metric, label: str | None = None) -> str:
    """Return the sentence that may be said of an estimate and its interval."""
    what = metric.label if metric.label.isupper() else lower_first(metric.label)
    if metric.per_class and label is not None:
        what = f"{what} of class {label}"
    if not interval.defined:
        why = interval.notes[0] if interval.notes else "there is nothing to compute it from"
        return f"There is no {what} here: {lower_first(note_sentence(why))}"
    if not (math.isfinite(interval.low) and math.isfinite(interval.high)):
        reasons = " ".join(note_sentence(note) for note in interval.notes)
        return f"These cases give no interval for the {what}. {reasons}".strip()
    return (
        f"Test sets like this one are consistent with a true {what} anywhere from "
        f"{range_text(interval, metric.scale)}."
    )


def halving_sentence(interval: Interval) -> str | None:
    """Return how many units would halve the interval, or None where there is none."""
    size = size_for_half(interval) if interval.defined else None
    if size is None:
        return None
    times = size / interval.n
    many = "four times" if 3.95 < times < 4.05 else f"{times:.1f} times"
    return f"Halving that range takes about {units(size, interval.unit)}, {many} as many."


def does_not_say(interval: Interval, metric: Metric, label: str | None = None) -> list[str]:
    """Return what an interval does not mean, one sentence each."""
    said = level(interval.confidence_level)
    lines = [
        f"It does not say that the true value lies in this range with probability {said}. The "
        f"{said} belongs to the procedure: over many test sets its ranges hold the true value "
        f"about that often.",
        "It is not the range in which the next test score will fall: that score carries the luck "
        "of its own cases as well.",
        "It covers the luck of which cases were drawn, nothing else: not wrong labels, not cases "
        "that differ from those the model will meet, not a model picked because of this score.",
    ]
    meaning = unit_meaning(interval.unit, label)
    if meaning is not None:
        lines.append(
            f"It does not get narrower with every new case, only with more {interval.unit} "
            f"({meaning})."
        )
    return lines


def confusion_sentence(matrix: ConfusionMatrix) -> str:
    """Return how many cases are right, how many are wrong and how scattered the mistakes are."""
    wrong = matrix.n - matrix.correct
    if matrix.n == 0:
        return "No case has both a truth and a prediction of this model."
    if wrong == 0:
        return f"All {units(matrix.n, 'cases')} are right; there is no mistake to look at."
    off_diagonal = int((matrix.counts > 0).sum() - (matrix.counts.diagonal() > 0).sum())
    mistakes = f"{wrong:,} mistake" + ("" if wrong == 1 else "s")
    cells = "one cell" if off_diagonal == 1 else f"{off_diagonal:,} cells"
    return f"{matrix.correct:,} of {units(matrix.n, 'cases')} are right; {mistakes} in {cells}."


def pairs_sentence(pairs: Sequence[tuple[int, str, str]]) -> str:
    """Return the most confused pairs, largest first: "8 read as 1 (2 times)"."""
    if not pairs:
        return "No two classes were confused."
    parts = [
        f"{true} read as {predicted} ({'once' if count == 1 else f'{count:,} times'})"
        for count, true, predicted in pairs
    ]
    return "Most confused: " + ", ".join(parts) + "."


def confident_sentence(cases: Cases, probability: float) -> str:
    """Return how many mistakes were made with more than a stated probability."""
    total = int(cases.counts.sum())
    if cases.probability_said is None:
        return "This model states no probabilities, so its mistakes have no order of confidence."
    above = cases.above(probability)
    share = f"{above:,} of the {total:,} mistakes" if total != 1 else f"{above} of 1 mistake"
    verb = "was" if above == 1 else "were"
    return f"{share} {verb} made with a stated probability above {probability:g}."


def disagreement_sentence(predictions: Predictions, rows: np.ndarray) -> str:
    """Return on how many cases the models differ."""
    number = int(predictions.weights[rows].sum())
    total = units(predictions.n_cases, "cases")
    return f"The models give different answers on {number:,} of {total}."


def naive_sentence(
    naive: Interval, clustered: Interval, metric: Metric, group_name: str | None
) -> str | None:
    """Return what the interval would be if cases of one group were taken for independent."""
    if not (math.isfinite(naive.width) and math.isfinite(clustered.width)):
        return None
    ratio = naive.width / clustered.width
    much = "narrower" if ratio < 0.95 else "wider" if ratio > 1.05 else "about as wide"
    said = (
        f"If rows of one {group_name or 'group'} were taken for independent cases, the interval "
        f"would be {range_text(naive, metric.scale)}, {much}"
        + (" without reason." if ratio < 0.95 else ".")
    )
    effect = (clustered.standard_error / naive.standard_error) ** 2 if naive.standard_error else 1.0
    if effect > 1.05:
        alone = units(round(naive.n / effect), naive.unit)
        said += (
            f" The {units(naive.n, naive.unit)} tell about as much as {alone} without groups "
            f"would (design effect {effect:.1f})."
        )
    return said


def slice_sentence(report: SliceReport, scale: str) -> str:
    """Return how many levels there are, which looks worst, and how sure that is."""
    number = len(report.levels)
    levels = f"{number} level" + ("" if number == 1 else "s")
    if report.worst is None or number < 2:
        return f"{report.slice_name} has {levels}."
    worst = next(one for one in report.levels if one.level == report.worst)
    said = (
        f"{report.slice_name} has {levels}. {worst.level} is worst here with "
        f"{estimate_text(worst.interval, scale)}, and the worst in {worst.share_worst:.0%} of "
        "resamples"
    )
    often = max(report.levels, key=lambda one: one.share_worst)
    if often.level != worst.level:
        said += f" ({often.level} in {often.share_worst:.0%})"
    sure = "." if worst.share_worst >= 0.95 else ": another test set may well name another."
    return said + sure


def few_cases_sentence(report: SliceReport) -> str:
    """Return which levels have too few cases to be read closely."""
    names = [one.level for one in report.levels if one.few]
    listed = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return f"Few cases, so wide and shaky intervals: {listed}."


def market_sentence(found: MarketCoverage, labels: Mapping[str, str]) -> str:
    """Return how often the intervals held the true value, over all methods."""
    best = max(found.held, key=lambda key: -abs(found.held[key] - found.confidence_level))
    low, high = min(found.held.values()), max(found.held.values())
    spread = f"{low:.1%}" if low == high else f"{low:.1%} to {high:.1%}, depending on the method,"
    nearest = ""
    if len(found.held) > 1:
        nearest = (
            f"; {labels.get(best, best)} came closest to its promise with {found.held[best]:.1%}"
        )
    return (
        f"Of {found.n_sets:,} test sets of {units(found.n, found.unit)} {spread} gave a "
        f"{level(found.confidence_level)} interval that held the true value{nearest}."
    )


def market_labels(labels: Mapping[str, str], found: MarketCoverage) -> dict[str, str]:
    """Return the labels of the methods judged; one that ignores the groups says so."""
    named = {}
    for key in (*found.held, *found.left_out):
        method = key.removeprefix(NAIVE)
        name = labels.get(method, method)
        named[key] = name if method == key else f"{name}, groups ignored"
    return named


def market_limits(found: MarketCoverage, labels: Mapping[str, str]) -> list[str]:
    """Return what a simulation of test sets had to leave out, and what it has to say of groups."""
    lines = []
    naive = next((key for key in found.held if key.startswith(NAIVE)), None)
    if naive is not None:
        lines.append(
            f"Whole groups were drawn; an interval that ignores them ({labels[naive]}) held the "
            f"true value in {found.held[naive]:.1%}."
        )
    if found.left_out:
        names = [labels.get(key, key) for key in found.left_out]
        listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
        lines.append(
            f"Not judged here: {listed}, because resampling every one of these test sets "
            "that way would be too slow."
        )
    if found.n_sets < found.n_asked:
        error = found.monte_carlo_error(found.confidence_level)
        lines.append(
            f"Fewer than {found.n_asked:,} test sets were drawn, to take seconds and not minutes: "
            f"near {level(found.confidence_level)} a share is known to within {200 * error:.1f} "
            "points."
        )
    absent = max(found.undefined.values())
    if absent > 0:
        share = "fewer than 0.1%" if absent < 0.001 else f"up to {absent:.1%}"
        lines.append(
            f"Some test sets, {share} by method, gave no interval; they count as not holding."
        )
    return lines


def loaded_sentence(predictions: Predictions) -> str:
    """Return what is loaded: cases, models, classes."""
    parts = [units(predictions.n_cases, "cases")]
    models = len(predictions.models)
    parts.append(f"{models} model" + ("" if models == 1 else "s"))
    if predictions.task == "classification" and predictions.classes:
        number = len(predictions.classes)
        parts.append(f"{number} class" + ("" if number == 1 else "es"))
    if predictions.task == "regression":
        parts.append("numeric target")
    if not predictions.is_labelled:
        parts.append("no truth")
    if predictions.groups is not None:
        groups = int(predictions.groups.max()) + 1 if len(predictions.groups) else 0
        parts.append(f"{groups:,} groups")
    return " · ".join(parts)


def missing_sentence(predictions: Predictions, model: str) -> str | None:
    """Return how many cases of a model are left out for a missing cell, or None."""
    gone = predictions.report.missing_outputs.get(model, 0)
    if gone == 0:
        return None
    verb = "has" if gone == 1 else "have"
    return f"{units(gone, 'cases')} {verb} no prediction of {model} and are left out of its scores."


def what_would_decide_sentence(cases: int, disagreement: float, gap: float) -> str:
    """Return how many cases would settle a comparison that these cases leave open."""
    return (
        f"If the gap really is {100 * gap:.2g} points and the two differ on {disagreement:.1%} of "
        f"cases, about {units(cases, 'cases')} would show it four times in five. Better plan for "
        "the smallest gap that matters to you."
    )
