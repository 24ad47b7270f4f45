"""The parts of the Compare page: tests, differing cases, many models, separate test sets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.charts import Row, interval_chart, pair_chart, rank_chart
from evalcore.comparison import ADJUSTMENTS, discordant_rows, unpaired_comparison
from evalcore.metrics import METRICS, Metric, metrics_for
from evalcore.predictions import Predictions
from evalcore.results import Comparison, ModelComparisons
from evalcore.wording import (
    gap_digits,
    gap_range_text,
    gap_text,
    label_of_test,
    lower_first,
    many_sentence,
    note_sentence,
    omnibus_sentence,
    p_text,
    range_text,
    separate_sentence,
)
from pages.shared import cached, controls, ledger
from pages.shared.cases import case_columns, free_name, show_cases
from pages.shared.frame import palette
from pages.shared.showing import sentences, show_chart
from pages.shared.state import Loaded
from pages.shared.text import csv_bytes

EVERY_PAIR = "every pair"
ADJUSTMENT_LABELS = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "hochberg": "Hochberg",
    "bh": "Benjamini-Hochberg",
}


def show_tests(found: Comparison) -> None:
    """Show the p-value of the procedure that decides, and those of the tests beside it."""
    st.subheader("Tests", anchor=False)
    rows = [("decides", label_of_test(found.test), found.p_value)]
    rows += [("beside", label_of_test(test.method), test.p_value) for test in found.beside]
    table = pd.DataFrame(rows, columns=["", "test", "p"])
    table["p"] = [p_text(value) for value in table["p"]]
    st.dataframe(table, hide_index=True, alt="Tests of the gap with their p-values")
    st.caption(
        "The first one decides: its p-value and the interval above come from one procedure and "
        "never contradict each other. The others are there for comparison."
    )
    if found.equivalence is not None:
        margin = found.equivalence
        st.caption(
            f"Two one-sided tests against the margin: equivalent p {p_text(margin.p_value)}, "
            f"A not worse p {p_text(margin.p_not_worse)}."
        )


def show_differing(predictions: Predictions, found: Comparison, options: dict[str, Any]) -> None:
    """Show the cases on which the two models differ: all the information there is."""
    asked = {k: options[k] for k in ("label", "threshold", "tolerance") if k in options}
    try:
        differing = discordant_rows(
            predictions, found.metric, found.model_a, found.model_b, **asked
        )
    except ValueError:
        # A metric of a ranking has no single cases that decide.
        return
    st.subheader("The cases on which they differ", anchor=False)
    if not len(differing.rows):
        st.markdown("There is none.")
        return
    rows = differing.rows
    table = case_columns(predictions, rows)
    names = np.asarray([*predictions.classes, ""], dtype=object)
    coded = predictions.task == "classification"
    if predictions.truth is not None:
        table["true"] = names[predictions.truth[rows]] if coded else predictions.truth[rows]
    for model in (found.model_a, found.model_b):
        if coded:
            codes = predictions.labels_of(model, threshold=options.get("threshold"))
            said = names[codes[rows]]
        else:
            said = predictions.outputs[model][rows]
        table[free_name(table, f"{model} said")] = said
    better = np.asarray([found.model_a, found.model_b], dtype=object)[differing.better]
    table["right" if found.both is not None else "closer"] = better
    show_cases(predictions, rows, table, name="differing_cases")


def show_many(loaded: Loaded) -> None:
    """Show every pair of models, the gaps against a baseline, and the ranks."""
    predictions = loaded.predictions
    metric, options = _ask_many(predictions)
    found = cached.compare_all(predictions, metric.key, **options)
    level = options["confidence_level"]
    for one in found.comparisons:
        ledger.note(predictions, one, options)
    sentences([omnibus_sentence(found, level), many_sentence(found, level)])
    sentences([note_sentence(note) for note in found.notes])
    if not all(one.difference.defined for one in found.comparisons):
        return
    left, right = st.columns(2, gap="large")
    with left:
        chart = pair_chart(found, title="Gaps, row minus column", palette=palette(), level=level)
        show_chart(chart, key="pairs")
        st.caption("Coloured where the gap stands when all comparisons are counted.")
    with right:
        if found.ranks:
            chart = rank_chart(
                found, title="Ranks that these cases leave possible", palette=palette()
            )
            show_chart(chart, key="ranks")
    _gap_forest(found, metric)
    _pair_table(found, metric)
    ledger.show()


def _ask_many(predictions: Predictions) -> tuple[Metric, dict[str, Any]]:
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="controls"):
        shared = [set(metrics_for(predictions, model)) for model in predictions.models]
        first = metrics_for(predictions, predictions.models[0])
        metric = controls.pick_metric([m for m in first if all(m in s for s in shared)])
        options: dict[str, Any] = controls.pick_needed(predictions, metric, predictions.models)
        if metric.per_class:
            options["label"] = controls.pick_class(predictions)
        baseline = st.selectbox(
            "Compare",
            [EVERY_PAIR, *predictions.models],
            format_func=lambda name: name if name == EVERY_PAIR else f"each with {name}",
            key="baseline",
            bind="query-params",
            width=controls.WIDTH,
        )
        options["baseline"] = None if baseline == EVERY_PAIR else baseline
        options["adjust"] = st.selectbox(
            "Counting",
            list(ADJUSTMENTS),
            format_func=lambda key: ADJUSTMENT_LABELS.get(key, key),
            key="adjust",
            bind="query-params",
            width=controls.WIDTH,
        )
        options["confidence_level"] = controls.pick_level()
        with st.popover("Options", icon=":material/tune:"):
            if controls.pick_grouping(predictions) is False:
                options["by_group"] = False
            options["rng"] = controls.pick_seed()
    return metric, options


def _gap_forest(found: ModelComparisons, metric: Metric) -> None:
    rows = [
        Row(
            label=f"{one.model_a} − {one.model_b}",
            interval=one.difference,
            outer=together,
            color=palette().model(0) if one.p_adjusted < 1 - together.confidence_level else None,
            text=gap_range_text(one.difference, metric.scale),
        )
        for one, together in zip(found.comparisons, found.simultaneous, strict=True)
    ]
    better = "lower" if metric.higher_is_better is False else "higher"
    unit = {"percent": ", points", "target": ", unit of the target"}.get(metric.scale, "")
    chart = interval_chart(
        rows,
        title=f"Gaps in {lower_first(metric.label)}",
        axis=f"first minus second{unit}; {better} is better",
        scale=metric.scale,
        palette=palette(),
        name="gaps",
        zero=("← second higher", "first higher →"),
    )
    show_chart(chart, key="gaps")
    st.caption("Thick: each gap on its own. Thin: all gaps at once.")


def _pair_table(found: ModelComparisons, metric: Metric) -> None:
    rows = found.comparisons
    table = pd.DataFrame(
        {
            "A": [one.model_a for one in rows],
            "B": [one.model_b for one in rows],
            "A minus B": [
                gap_text(
                    one.difference.estimate, metric.scale, gap_digits(one.difference, metric.scale)
                )
                for one in rows
            ],
            "alone": [gap_range_text(one.difference, metric.scale) for one in rows],
            "all at once": [gap_range_text(one, metric.scale) for one in found.simultaneous],
            "p alone": [p_text(one.p_value) for one in rows],
            "p, all counted": [p_text(one.p_adjusted) for one in rows],
        }
    )
    st.dataframe(table, hide_index=True, alt="Every comparison with its interval and p-values")
    st.download_button(
        "This table as CSV",
        csv_bytes(table),
        "comparisons.csv",
        "text/csv",
        icon=":material/download:",
    )


def show_separate(loaded: Loaded) -> None:
    """Compare two proportions from two separate test sets, for when that is all there is."""
    st.warning(
        "Two scores from separate test sets carry the luck of both. Score both models on the same "
        "cases whenever you can: far fewer cases then decide.",
        icon=":material/warning:",
    )
    left, right = st.columns(2, gap="large")
    with left:
        k_a, n_a = _ask_counts("A", 913)
    with right:
        k_b, n_b = _ask_counts("B", 921)
    level = controls.pick_level()
    if k_a is None or n_a is None or k_b is None or n_b is None:
        st.info("Type how many cases each test set had, and how many of them were right.")
        return
    if k_a > n_a or k_b > n_b:
        st.error("There cannot be more right cases than cases; lower the number of right ones.")
        return
    found = unpaired_comparison(k_a, n_a, k_b, n_b, confidence_level=level)
    sentences([separate_sentence(found), *map(note_sentence, found.notes)])
    rows = [
        Row(
            label="A − B",
            interval=found.difference,
            color=palette().model(0),
            text=gap_range_text(found.difference, "percent"),
        )
    ]
    chart = interval_chart(
        rows,
        title="The gap and its interval",
        axis="share right, A − B, points",
        scale="percent",
        palette=palette(),
        name="separate_gap",
        zero=("← B better", "A better →"),
    )
    show_chart(chart, key="separate_gap")
    tests = [(label_of_test(found.test), found.p_value)]
    tests += [(label_of_test(test.method), test.p_value) for test in found.beside]
    table = pd.DataFrame({"test": [t for t, _ in tests], "p": [p_text(p) for _, p in tests]})
    st.dataframe(table, hide_index=True, alt="Tests of two separate proportions")
    alone = METRICS["accuracy"].scale
    st.caption(
        f"A alone {range_text(found.interval_a, alone)}, B alone "
        f"{range_text(found.interval_b, alone)} (Wilson)."
    )


def _ask_counts(name: str, example: int) -> tuple[int | None, int | None]:
    lower = name.lower()
    k = st.number_input(
        f"{name}: cases right", 0, 10**9, None, 1, key=f"right_{lower}", bind="query-params",
        placeholder=f"such as {example}",
    )  # fmt: skip
    n = st.number_input(
        f"{name}: cases in its test set", 1, 10**9, None, 1, key=f"cases_{lower}",
        bind="query-params", placeholder="such as 1000",
    )  # fmt: skip
    return k, n
