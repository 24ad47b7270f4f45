"""How often two models differ: typed in, from two accuracies, or counted in a file."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import streamlit as st

from evalcore import sizing
from evalcore.predictions import Predictions
from evalcore.reading import LIMITS, ReadingError, join_predictions, read_predictions
from evalcore.results import Comparison, Interval
from evalcore.wording import (
    gain_problem,
    gap_problem,
    gap_sentence,
    note_sentence,
    observed_gap_sentence,
    percent_text,
    rate_problem,
    rate_sentence,
    share_problem,
)
from pages.shared import cached, controls, planning
from pages.shared.state import Loaded
from pages.shared.text import escape

TYPED, ACCURACIES, FROM_LOADED, FROM_UPLOAD = "typed", "accuracies", "loaded", "upload"
SOURCES = {
    TYPED: "Typed in",
    ACCURACIES: "From two accuracies",
    FROM_LOADED: "From the loaded file",
    FROM_UPLOAD: "From another file",
}
ABSOLUTE, RELATIVE, SEEN = "absolute", "relative", "seen"
GAP_KINDS = {ABSOLUTE: "points, absolute", RELATIVE: "% relative to A"}
FILE_TYPES = ["csv", "tsv", "txt", "json", "jsonl", "ndjson", "parquet", "xlsx", "gz", "zip"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """What is known of two models before labelling, as fractions.

    Attributes
    ----------
    disagreement : float
        Share of cases on which exactly one is right, or an upper bound of it.
    labels_differ : float
        Share of cases on which their labels differ; at least the disagreement.
    gap : float
        Absolute.
    accuracy_a, accuracy_b : float
    interval : Interval or None
        Of the disagreement, where it was counted.
    lines : tuple of str
        Where the numbers come from.
    """

    disagreement: float
    labels_differ: float
    gap: float
    accuracy_a: float
    accuracy_b: float
    interval: Interval | None = None
    lines: tuple[str, ...] = ()


def ask_rates(loaded: Loaded) -> Rates | None:
    """Draw where the disagreement comes from and return it; None when it is impossible."""
    source = planning.ask_choice(
        "Disagreement", "source", SOURCES,
        help="The share of cases on which exactly one of the two models is right.",
    )  # fmt: skip
    if source == ACCURACIES:
        return _from_accuracies()
    if source == FROM_LOADED:
        return _from_file(loaded.predictions)
    if source == FROM_UPLOAD:
        uploaded = _upload()
        return None if uploaded is None else _from_file(uploaded)
    rate = planning.ask_percent("Exactly one right", "d", 8.0)
    return _with_gap(rate, rate)


def _with_gap(
    rate: float,
    labels_differ: float,
    interval: Interval | None = None,
    lines: tuple[str, ...] = (),
    seen: Comparison | None = None,
) -> Rates | None:
    """Ask for the gap to be found and for the accuracy it starts from."""
    kinds = GAP_KINDS if seen is None else {**GAP_KINDS, SEEN: "as seen in the file"}
    slot = st.container(width="content")
    with st.popover("Gap", icon=":material/height:"):
        kind = planning.ask_choice("Gap is in", "gap_kind", kinds)
        accuracy = planning.ask_percent(
            "Accuracy of A", "accuracy_a", 90.0, help="The model in use; B is better by the gap."
        )
    if kind == SEEN and seen is not None:
        gap, accuracy = abs(seen.difference.estimate), min(seen.value_a, seen.value_b)
        lines = (*lines, observed_gap_sentence(gap, seen.difference.n))
    else:
        with slot:
            unit = "%" if kind == RELATIVE else "points"
            gap = planning.ask_number(f"Gap to find, {unit}", "gap", 1.0) / 100
        if kind == RELATIVE:
            lines = (gap_sentence(gap * accuracy, gap, accuracy), *lines)
            gap *= accuracy
    if planning.problems(
        share_problem(accuracy, "The accuracy of A"), gap_problem(gap, rate)
    ) or planning.problems(gain_problem(gap, accuracy)):
        return None
    better = min(accuracy + gap, 1.0)
    bounds = sizing.discordance_bounds(accuracy, better)
    # A rate counted in a file is what it is; the accuracy typed beside it is only a guess.
    if interval is None and planning.problems(rate_problem(rate, bounds, accuracy)):
        return None
    return Rates(
        disagreement=rate,
        labels_differ=labels_differ,
        gap=gap,
        accuracy_a=accuracy,
        accuracy_b=better,
        interval=interval,
        lines=lines,
    )


def _from_accuracies() -> Rates | None:
    a = planning.ask_percent("Accuracy of A", "accuracy_a", 90.0)
    b = planning.ask_percent("Accuracy of B", "accuracy_b", 91.0)
    rho = planning.ask_number(
        "Correlation of being right", "rho", 0.5, low=-1.0, high=1.0, step=0.05,
        help="0 when the models' mistakes are independent, 1 when they make the same ones. Two "
        "models for one task often have 0.4 to 0.7.",
    )  # fmt: skip
    if planning.problems(
        share_problem(a, "The accuracy of A"),
        share_problem(b, "The accuracy of B"),
        None if a != b else "Two models of the same accuracy have no gap to find; change one.",
    ):
        return None
    try:
        rate = sizing.discordance_from_correlation(a, b, rho)
    except ValueError as error:
        planning.problems(note_sentence(str(error).replace("rho", "the correlation", 1)))
        return None
    if planning.problems(gap_problem(abs(a - b), rate)):
        return None
    line = (
        f"These accuracies and a correlation of {rho:.4g} leave {percent_text(rate)} of the cases "
        "on which exactly one model is right."
    )
    return Rates(
        disagreement=rate,
        labels_differ=rate,
        gap=abs(a - b),
        accuracy_a=a,
        accuracy_b=b,
        lines=(line,),
    )


def _from_file(predictions: Predictions) -> Rates | None:
    if predictions.task != "classification" or len(predictions.models) < 2:
        st.info(
            "Counting where two models differ takes a file with the labels of two models; this "
            "one has none. Type the disagreement in, or bring another file.",
            icon=":material/info:",
        )
        return None
    models = list(predictions.models)
    a = st.selectbox("Model A", models, key="a", bind="query-params", width=controls.WIDTH)
    others = [model for model in models if model != a]
    b = st.selectbox("Model B", others, key="b", bind="query-params", width=controls.WIDTH)
    truth = predictions.truth is not None
    try:
        differ = cached.disagreement_from_predictions(predictions, a, b)
        found = (
            cached.disagreement_from_predictions(predictions, a, b, correctness=True)
            if truth
            else differ
        )
    except ValueError as error:
        planning.problems(note_sentence(str(error)))
        return None
    if not (found.defined and differ.defined):
        planning.problems("No case has a label of both models, so nothing can be counted.")
        return None
    cautious = planning.ask_choice(
        "Plan with", "end", {"estimate": "the share counted", "high": "its upper limit"},
        help="The upper limit is the cautious choice: the file is only a sample.",
    )  # fmt: skip
    classes = len(predictions.classes)
    lines = (rate_sentence(found, correctness=truth, classes=classes),)
    if truth and classes > 2 and differ.estimate > found.estimate:
        lines += (
            f"Their labels differ on {percent_text(differ.estimate)}: on some cases both are wrong "
            "in different ways. Without a truth only that larger share would be known.",
        )
    upper = cautious == "high"
    rate = found.high if upper else found.estimate
    labels = max(rate, differ.high if upper else differ.estimate)
    seen = cached.compare_models(predictions, "accuracy", a, b) if truth else None
    return _with_gap(rate, labels, found, lines, seen)


def _upload() -> Predictions | None:
    files = st.file_uploader(
        "Labels of both models, with or without the truth",
        type=FILE_TYPES,
        accept_multiple_files=True,
        key="sizing_upload",
        max_upload_size=LIMITS.upload_bytes // 2**20,
    )
    if not files:
        st.caption(
            "One file with a column for each model, or one file each with an id. It stays beside "
            "what is loaded, and is not in the address."
        )
        return None
    given = tuple((file.getvalue(), file.name) for file in files)
    mark = hashlib.sha256(b"".join(hashlib.sha256(data).digest() for data, _ in given)).hexdigest()
    kept = st.session_state.get("sizing_uploaded")
    if kept is None or kept[0] != mark:
        try:
            with st.spinner("Reading"):
                read = (
                    read_predictions(*given[0])
                    if len(given) == 1
                    else join_predictions(list(given))
                )
        except ReadingError as error:
            st.error(escape(str(error)), icon=":material/error:")
            return None
        kept = (mark, read)
        st.session_state["sizing_uploaded"] = kept
    return kept[1]
