"""The confusion matrix, the rates of each class and the mistakes themselves."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.charts import Row, confusion_chart, interval_chart
from evalcore.comparison import bowker_test
from evalcore.confusion import (
    ClassRates,
    cut_matrix,
    disagreements,
    label_table,
    largest_misses,
    most_confused,
)
from evalcore.metrics import METRICS
from evalcore.predictions import Predictions
from evalcore.results import ConfusionMatrix, Interval
from evalcore.wording import (
    confident_sentence,
    confusion_sentence,
    disagreement_sentence,
    missing_sentence,
    pairs_sentence,
    range_text,
    symmetry_sentence,
    units,
)
from pages.shared import cached, controls
from pages.shared.cases import case_columns, free_name, show_cases
from pages.shared.frame import open_page, palette
from pages.shared.python import matrix_code
from pages.shared.showing import copy_link, sentences, show_chart
from pages.shared.state import Loaded
from pages.shared.text import csv_bytes, escape

READABLE_CLASSES = 60
MOST_PAIRS = 50
MOST_CLASSES = 15


def main() -> None:
    loaded = open_page("pages/errors.py")
    predictions = loaded.predictions
    if predictions.task == "classification" and predictions.is_labelled:
        confusion_body(loaded)
    elif predictions.task == "classification":
        show_disagreements(predictions)
    else:
        show_misses(predictions)


@st.fragment
def confusion_body(loaded: Loaded) -> None:
    predictions = loaded.predictions
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="controls"):
        model = controls.pick_model(predictions)
        level = controls.pick_level()
        shares = (
            st.selectbox(
                "Cells", ["Counts", "Percent of the row"], key="cells", bind="query-params",
                width=controls.WIDTH,
            )
            == "Percent of the row"
        )  # fmt: skip
        with st.popover("Options", icon=":material/tune:"):
            threshold = controls.pick_threshold(predictions, [model])
            if threshold is None:
                st.caption("The matrix holds the labels that the model gave.")
    matrix = cached.confusion_matrix(predictions, model, threshold)
    rates = cached.class_rates(predictions, model, threshold, level)
    sentences([line for line in _summary(matrix, predictions, model) if line])

    cell = None
    left, right = st.columns([3, 2], gap="large")
    with left:
        cell = _matrix_chart(matrix, model, shares)
    with right:
        _recall_chart(rates, predictions, model)
    _mistakes(predictions, model, threshold, cell)
    _rates_table(rates)
    _pairs_table(matrix)
    with st.expander("What this does not say"):
        st.markdown(
            "- A cell of two cases is two cases: with other test cases it could as well be none "
            "or five.\n"
            "- A stated probability is what the model says of itself; whether it is right that "
            "often is another question.\n"
            "- The class with the lowest rate here is often the one with the fewest cases. Read "
            "its interval before calling it the worst."
        )
    with st.expander("How it is computed"):
        st.markdown(
            "Rows are the true class, columns the predicted one. Recall is the diagonal cell over "
            "its row, precision the diagonal cell over its column, the error rate one minus "
            "recall; each has a Wilson interval (Wilson 1927) from the cases of its row or column, "
            "or where the file has groups a cluster-robust one (Liang and Zeger 1986)."
        )
    with st.expander("Reproduce in Python"):
        st.code(matrix_code(loaded, model, threshold), language="python", wrap_lines=True)
    copy_link()


def _summary(matrix: ConfusionMatrix, predictions: Predictions, model: str) -> list[str | None]:
    pairs = [(p.count, p.true, p.predicted) for p in most_confused(matrix, top=3)]
    return [
        f"{confusion_sentence(matrix)} {pairs_sentence(pairs) if matrix.n else ''}".strip(),
        missing_sentence(predictions, model),
    ]


def _matrix_chart(matrix: ConfusionMatrix, model: str, shares: bool) -> tuple[str, str] | None:
    shown = cut_matrix(matrix, READABLE_CLASSES)
    picked = st.session_state.get("matrix", {}).get("selection", {}).get("points", [])
    cell = tuple(picked[0]["customdata"][:2]) if picked else None
    if cell is not None and not set(cell) <= set(shown.classes):
        cell = None
    chart = confusion_chart(
        shown,
        title=f"Confusion matrix of {model}",
        palette=palette(),
        shares=shares,
        chosen=cell,
    )
    show_chart(chart, key="matrix", on_select="rerun", selection_mode="points")
    if len(shown.classes) < len(matrix.classes):
        st.caption(
            f"The {len(shown.classes)} classes with most mistakes, of {len(matrix.classes)}."
        )
    st.caption("Click a cell to list its cases below; click it again for all mistakes.")
    return cell


def _recall_chart(rates: list[ClassRates], predictions: Predictions, model: str) -> None:
    ordered = sorted(
        rates, key=lambda rate: (not rate.recall.defined, rate.recall.estimate, rate.label)
    )[:MOST_CLASSES]
    color = palette().model(predictions.models.index(model))
    chart = interval_chart(
        [Row(label=rate.label, interval=rate.recall, color=color) for rate in ordered],
        title=f"Recall of each class, {model}, lowest first",
        axis="recall, percent of the cases of the class",
        scale="percent",
        palette=palette(),
        name="recall_by_class",
        bounds=METRICS["recall"].bounds,
    )
    show_chart(chart, key="recall_chart")
    if len(ordered) < len(rates):
        st.caption(f"The lowest {len(ordered)} of {len(rates)} classes; all are listed below.")
    if predictions.groups is not None:
        st.caption("Cases of one group count together in these intervals.")


def _mistakes(
    predictions: Predictions, model: str, threshold: float | None, cell: tuple[str, str] | None
) -> None:
    true, said = cell if cell is not None else (None, None)
    cases = cached.find_cases(predictions, model, true, said, threshold)
    total = int(cases.counts.sum())
    if cell is None:
        st.subheader("The mistakes", anchor=False)
    else:
        st.subheader(
            f"{units(total, 'cases')} of class {escape(true)} called {escape(said)}", anchor=False
        )
    if total == 0:
        st.markdown("There is none.")
        return
    if cell is None and cases.probability_said is not None:
        limit = st.slider(
            "A mistake is confident above a stated probability of",
            0.0, 1.0, 0.9, 0.01, key="confident", bind="query-params",
        )  # fmt: skip
        st.markdown(escape(confident_sentence(cases, limit)))
    table = case_columns(predictions, cases.rows)
    table["true"] = cases.truth
    table["said"] = cases.said
    if cases.probability_said is not None:
        table["P(said)"] = cases.probability_said
        table["P(true)"] = cases.probability_true
    show_cases(predictions, cases.rows, table, name="cases")


def _rates_table(rates: list[ClassRates]) -> None:
    st.subheader("Every class", anchor=False)
    columns = {"class": [rate.label for rate in rates], "cases": [rate.cases for rate in rates]}
    for key in ("error_rate", "recall", "precision"):
        intervals: list[Interval] = [getattr(rate, key) for rate in rates]
        name = METRICS[key].label.lower()
        columns[name] = [100 * i.estimate for i in intervals]
        columns[f"{name}, interval"] = [range_text(i, "percent") for i in intervals]
    table = pd.DataFrame(columns)
    percent = st.column_config.NumberColumn(format="%.1f%%")
    st.dataframe(
        table,
        hide_index=True,
        column_config=dict.fromkeys(("error rate", "recall", "precision"), percent),
        alt="Error rate, recall and precision of every class with their intervals",
    )
    st.download_button(
        "Every class as CSV", csv_bytes(table), "classes.csv", "text/csv",
        icon=":material/download:",
    )  # fmt: skip


def _pairs_table(matrix: ConfusionMatrix) -> None:
    pairs = most_confused(matrix, top=MOST_PAIRS)
    if not pairs:
        return
    with st.expander("The most confused pairs"):
        table = pd.DataFrame(
            {
                "true": [pair.true for pair in pairs],
                "said": [pair.predicted for pair in pairs],
                "cases": [pair.count for pair in pairs],
            }
        )
        st.dataframe(table, hide_index=True, alt="The most confused pairs of classes")


def show_disagreements(predictions: Predictions) -> None:
    """Show the cases on which unlabelled models differ: all that a comparison would need."""
    st.info(
        "These predictions have no truth, so nothing can be called a mistake. What can be seen is "
        "where the models disagree: the cases worth labelling first.",
        icon=":material/label_off:",
    )
    models = [model for model in predictions.models if model in predictions.outputs]
    if len(models) < 2:
        st.markdown("There is only one model, so there is nothing to set against it.")
        return
    rows = disagreements(predictions)
    st.markdown(escape(disagreement_sentence(predictions, rows)))
    if len(models) == 2:
        level = controls.pick_level()
        symmetry = bowker_test(label_table(predictions, *models))
        sentences([symmetry_sentence(symmetry, *models, confidence_level=level)])
    names = np.asarray([*predictions.classes, ""], dtype=object)
    table = case_columns(predictions, rows)
    for model in models:
        table[free_name(table, model)] = names[predictions.outputs[model][rows]]
    show_cases(predictions, rows, table, name="disagreements")


def show_misses(predictions: Predictions) -> None:
    """Show the cases a regression missed by most, or those with the lowest score."""
    model = controls.pick_model(predictions)
    rows, badness = largest_misses(predictions, model)
    table = case_columns(predictions, rows)
    if predictions.truth is None:
        st.markdown("The cases with the lowest score come first.")
        table["score"] = badness
    else:
        st.markdown("The cases with the largest misses come first.")
        table["true"] = predictions.truth[rows]
        table["said"] = predictions.outputs[model][rows]
        table["missed by"] = badness
    show_cases(predictions, rows, table, name="misses")


main()
