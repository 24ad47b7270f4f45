"""One metric of one model, with its interval."""

from __future__ import annotations

from dataclasses import asdict

import streamlit as st

from evalcore.charts import Row, interval_chart
from evalcore.intervals import METHODS
from evalcore.predictions import Predictions
from evalcore.results import Interval
from evalcore.wording import (
    does_not_say,
    halving_sentence,
    interval_sentence,
    missing_sentence,
    naive_sentence,
    note_sentence,
    report_sentence,
    subject,
    units,
)
from pages.shared import cached
from pages.shared.controls import pick_view
from pages.shared.frame import open_page, palette
from pages.shared.python import interval_code
from pages.shared.question import Question, ask
from pages.shared.showing import (
    answer_card,
    axis_title,
    downloads,
    fold_outs,
    intervals_table,
    sentences,
    show_chart,
)
from pages.shared.state import Loaded
from pages.shared.views import offered_views


def main() -> None:
    loaded = open_page("pages/metric.py")
    if not loaded.predictions.is_labelled:
        st.info(
            "These predictions have no truth, so no score can be computed. Add a column with the "
            "true answer, or look at where the models disagree on the Errors page.",
            icon=":material/label_off:",
        )
        return
    body(loaded)


@st.fragment
def body(loaded: Loaded) -> None:
    predictions = loaded.predictions
    question = ask(predictions)
    metric, label = question.metric, question.label
    interval = cached.metric_interval(predictions, metric.key, question.model, **question.options)
    answer, picture = st.columns([2, 3], gap="large")
    sentence = interval_sentence(interval, metric, label)
    with answer:
        answer_card(
            interval,
            metric,
            title=subject(metric, label, question.model),
            method_label=question.methods[question.method].label,
        )
        sentences([sentence, *_beside(interval, predictions, question)])
    with picture:
        methods_chart(predictions, question)
    closer_look(predictions, question)
    chosen = question.methods[question.method]
    fold_outs(
        not_said=does_not_say(interval, metric, label),
        formulas=[metric.formula, chosen.formula],
        explanation=[
            metric.definition,
            f"{chosen.label}: {chosen.remark}",
            f"Reference: {chosen.reference}.",
        ],
        code=interval_code(loaded, metric.key, question.model, **question.options),
    )
    about = {
        "data": loaded.title,
        "model": question.model,
        "metric": metric.key,
        "class": label,
    }
    table = intervals_table([interval], {key: [value] for key, value in about.items()})
    quoted = report_sentence(interval, metric, label, question.model, loaded.title, chosen.label)
    downloads(
        table=table, record=about | asdict(interval), sentence=quoted, name=f"margin_{metric.key}"
    )


def _beside(interval: Interval, predictions: Predictions, question: Question) -> list[str]:
    lines = [halving_sentence(interval), missing_sentence(predictions, question.model)]
    if question.by_group:
        naive = cached.metric_interval(
            predictions, question.metric.key, question.model,
            confidence_level=question.level, **{**question.target, "by_group": False},
        )  # fmt: skip
        lines.append(naive_sentence(naive, interval, question.metric, predictions.group_name))
    notes = interval.notes if interval.defined else interval.notes[1:]
    return [line for line in (*lines, *map(note_sentence, notes)) if line]


def methods_chart(predictions: Predictions, question: Question) -> None:
    """Show the interval of every method from the same cases, the chosen one in colour."""
    metric = question.metric
    color = palette().model(predictions.models.index(question.model))
    rows = []
    for key, entry in question.methods.items():
        options = {**question.options, "method": key, "rng": question.seed}
        interval = cached.metric_interval(predictions, metric.key, question.model, **options)
        # Where a method has nothing to work with, another one stands in, and says so.
        instead = METHODS.get(interval.method, entry)
        label = entry.label if instead.key == key else f"{entry.label}: {instead.label}"
        rows.append(
            Row(
                label=label,
                interval=interval,
                color=color if key == question.method else None,
            )
        )
    first = rows[0].interval
    chart = interval_chart(
        rows,
        title=f"Every method, from the same {units(first.n, first.unit)}",
        axis=axis_title(metric),
        scale=metric.scale,
        palette=palette(),
        name=f"{metric.key}_methods",
        bounds=metric.bounds,
    )
    show_chart(chart, key="methods_chart")


def closer_look(predictions: Predictions, question: Question) -> None:
    """Let one of the closer looks be chosen, and show it; the others cost nothing."""
    st.subheader("A closer look", anchor=False)
    pick_view("A closer look", offered_views(predictions, question), key="view")(
        predictions, question
    )


main()
