"""The closer looks of the One metric page, one function each."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.charts import Row, bootstrap_chart, curve_chart, error_chart, interval_chart
from evalcore.intervals import METHODS
from evalcore.intervals.bands import CurveBand
from evalcore.metrics import METRICS
from evalcore.predictions import Predictions
from evalcore.resampling import MarketCoverage
from evalcore.results import Interval
from evalcore.simulation import market_coverage
from evalcore.wording import (
    estimate_text,
    few_cases_sentence,
    market_labels,
    market_limits,
    market_sentence,
    note_sentence,
    range_text,
    size_text,
    slice_sentence,
    value_text,
)
from pages.shared import cached
from pages.shared.frame import palette
from pages.shared.question import Question
from pages.shared.showing import axis_title, bullets, sentences, show_chart
from pages.shared.text import csv_bytes, escape

MOST_ROWS = 25
DRAWS = 2_000
View = Callable[[Predictions, Question], None]


def offered_views(predictions: Predictions, question: Question) -> dict[str, View]:
    """Return the views that these predictions and this metric have, by their names."""
    views: dict[str, View] = {}
    if question.metric.per_class and len(predictions.classes) > 1:
        views["Every class"] = show_classes
    if len(predictions.models) > 1:
        views["Every model"] = show_models
    if predictions.slices:
        views["Slices"] = show_slices
    views["Resamples"] = show_resamples
    if predictions.task == "classification" and question.model in predictions.scores:
        views["Curves"] = show_curves
    if predictions.task == "regression":
        views["Errors"] = show_errors
    views["Every metric"] = show_table
    views["Does it hold?"] = show_market
    return views


def show_classes(predictions: Predictions, question: Question) -> None:
    """Show every class with its interval, lowest first."""
    options = {**question.options}
    options.pop("label", None)
    rows = [
        (
            name,
            cached.metric_interval(
                predictions, question.metric.key, question.model, label=name, **options
            ),
        )
        for name in predictions.classes
    ]
    title = f"{question.metric.label} of every class, {question.model}"
    _forest(rows, question, predictions, title, chosen=question.label, kind="class")


def show_models(predictions: Predictions, question: Question) -> None:
    """Show every model with its interval, lowest first."""
    offered = [m for m in predictions.models if _same_question(predictions, question, m)]
    rows = [
        (
            name,
            cached.metric_interval(predictions, question.metric.key, name, **question.options),
        )
        for name in offered
    ]
    title = f"{question.metric.label} of every model"
    _forest(rows, question, predictions, title, chosen=question.model, kind="model")
    st.caption(
        "Whether these intervals overlap does not settle which model is better: they carry the "
        "luck of the same cases. That takes a comparison case by case."
    )


def _same_question(predictions: Predictions, question: Question, model: str) -> bool:
    if "scores" in question.metric.needs or "probabilities" in question.metric.needs:
        return model in predictions.scores
    return model in predictions.outputs or model in predictions.scores


def _forest(
    rows: list[tuple[str, Interval]],
    question: Question,
    predictions: Predictions,
    title: str,
    *,
    chosen: str | None,
    kind: str,
) -> None:
    ordered = sorted(rows, key=lambda row: (not row[1].defined, row[1].estimate, row[0]))
    shown = ordered[:MOST_ROWS]
    color = palette().model(predictions.models.index(question.model))
    chart = interval_chart(
        [Row(label=n, interval=i, color=color if n == chosen else None) for n, i in shown],
        title=title,
        axis=axis_title(question.metric),
        scale=question.metric.scale,
        palette=palette(),
        name=f"{question.metric.key}_by_{kind}",
        bounds=question.metric.bounds,
    )
    show_chart(chart, key=f"{kind}_chart")
    if len(shown) < len(ordered):
        st.caption(f"The lowest {len(shown)} of {len(ordered)}.")


def show_slices(predictions: Predictions, question: Question) -> None:
    """Show every level of a slice column, alone and all together, and which is worst how surely."""
    name = st.selectbox(
        "Slice by", list(predictions.slices), key="slice", bind="query-params", width=240
    )
    report = cached.slice_intervals(
        predictions,
        question.metric.key,
        question.model,
        name,
        confidence_level=question.level,
        rng=question.seed,
        **question.target,
    )
    if not report.levels:
        sentences([note_sentence(note) for note in report.notes])
        return
    scale = question.metric.scale
    sentences([slice_sentence(report, scale), *map(note_sentence, report.notes)])
    color = palette().model(predictions.models.index(question.model))
    ordered = sorted(
        report.levels, key=lambda one: (not one.interval.defined, one.interval.estimate)
    )
    rows = [Row(label="all cases", interval=report.overall, color=color)]
    for one in ordered[:MOST_ROWS]:
        label = f"{one.level} (few)" if one.few else one.level
        rows.append(Row(label=label, interval=one.interval, outer=one.simultaneous))
    chart = interval_chart(
        rows,
        title=f"{question.metric.label} by {name}, {question.model}",
        axis=axis_title(question.metric),
        scale=scale,
        palette=palette(),
        name=f"{question.metric.key}_by_slice",
        bounds=question.metric.bounds,
    )
    show_chart(chart, key="slice_chart")
    st.caption(
        "Thick: each level on its own. Thin: all levels at once, so that the chance of any of them "
        "missing its true value is what the confidence level says."
    )
    if any(one.few for one in report.levels):
        st.caption(escape(few_cases_sentence(report)))
    table = pd.DataFrame(
        {
            "level": [one.level for one in ordered],
            "cases": [one.cases for one in ordered],
            "estimate": [estimate_text(one.interval, scale) for one in ordered],
            "alone": [range_text(one.interval, scale) for one in ordered],
            "all at once": [range_text(one.simultaneous, scale) for one in ordered],
            "worst in": [f"{one.share_worst:.0%} of resamples" for one in ordered],
        }
    )
    _table(table, "slices", "Every level of the slice with its intervals")


def show_resamples(predictions: Predictions, question: Question) -> None:
    """Show the bootstrap distribution with the interval shaded."""
    drawn = cached.draws(
        predictions,
        question.metric.key,
        question.model,
        setting=question.setting,
        n_resamples=DRAWS,
        rng=question.seed,
        stratify=question.stratify,
        by_group=question.by_group,
    )
    interval = cached.metric_interval(
        predictions, question.metric.key, question.model, **question.options
    )
    if not (np.isfinite(drawn).any() and interval.defined):
        st.markdown("There is nothing to resample here.")
        return
    chart = bootstrap_chart(
        drawn,
        interval,
        title=f"{question.metric.label} in {DRAWS:,} resamples",
        axis=axis_title(question.metric),
        scale=question.metric.scale,
        palette=palette(),
        color=palette().model(predictions.models.index(question.model)),
    )
    show_chart(chart, key="resamples_chart")
    what = "groups" if predictions.groups is not None and question.by_group else "cases"
    st.caption(
        f"Each resample draws as many {what} again, with replacement. The line is the estimate, "
        "the shaded range the interval of the chosen method."
    )


def show_curves(predictions: Predictions, question: Question) -> None:
    """Show ROC, precision-recall and reliability curves of one class."""
    label = question.label or predictions.positive or predictions.classes[0]
    found = cached.curves(predictions, question.model, label, question.level)
    color = palette().model(predictions.models.index(question.model))
    drawings = {
        "roc": ("ROC", "false-positive rate", "recall", "no better than chance", False),
        "precision_recall": ("Precision and recall", "recall", "precision", None, False),
        "reliability": (
            "Reliability", "stated probability", "share that happened", "right as often as said",
            True,
        ),
    }  # fmt: skip
    columns = st.columns(3)
    for column, (key, (title, x_axis, y_axis, diagonal, points)) in zip(
        columns, drawings.items(), strict=True
    ):
        with column:
            _curve(found[key], f"{title}, {label}", x_axis, y_axis, diagonal, points, color, key)
    st.caption(
        "The bands are Wilson intervals of each point alone; the whole curve need not lie in them."
    )


def _curve(
    band: CurveBand,
    title: str,
    x_axis: str,
    y_axis: str,
    diagonal: str | None,
    points: bool,
    color: str,
    key: str,
) -> None:
    if band.notes or not len(band.x):
        st.markdown(f"**{escape(title)}**")
        sentences([note_sentence(note) for note in band.notes])
        return
    chart = curve_chart(
        band,
        title=title,
        x_axis=x_axis,
        y_axis=y_axis,
        palette=palette(),
        color=color,
        name=key,
        diagonal=diagonal,
        points=points,
    )
    show_chart(chart, key=f"{key}_chart")


def show_errors(predictions: Predictions, question: Question) -> None:
    """Show how the errors of a regression are spread, with its largest cases named."""
    errors = predictions.outputs[question.model] - predictions.truth
    present = np.isfinite(errors)
    if not present.any():
        st.markdown("There is no case with both a truth and a prediction.")
        return
    rows = np.flatnonzero(present)
    ids = rows + 1 if predictions.ids is None else np.asarray(predictions.ids[rows], dtype=object)
    chart = error_chart(
        errors[present],
        [str(name) for name in ids],
        title=f"Errors of {question.model}, the largest named",
        palette=palette(),
        color=palette().model(predictions.models.index(question.model)),
    )
    show_chart(chart, key="errors_chart")
    st.caption("To the right of the line the model said too much, to the left too little.")


def show_table(predictions: Predictions, question: Question) -> None:
    """Show every metric of every model with its interval."""
    options = {**question.target, "confidence_level": question.level}
    rows = cached.metric_table(predictions, **options)
    table = pd.DataFrame(
        {
            "metric": [METRICS[row.metric].label for row in rows],
            "class": [row.label or "" for row in rows],
            "model": [row.model for row in rows],
            "estimate": [estimate_text(row.interval, METRICS[row.metric].scale) for row in rows],
            "interval": [range_text(row.interval, METRICS[row.metric].scale) for row in rows],
            "method": [METHODS[row.interval.method].label for row in rows],
            "from": [size_text(row.interval) for row in rows],
        }
    )
    if not table["class"].any():
        table = table.drop(columns="class")
    exact = pd.DataFrame(
        {
            "metric": [row.metric for row in rows],
            "class": [row.label for row in rows],
            "model": [row.model for row in rows],
            "estimate": [row.interval.estimate for row in rows],
            "low": [row.interval.low for row in rows],
            "high": [row.interval.high for row in rows],
            "standard_error": [row.interval.standard_error for row in rows],
            "confidence_level": [row.interval.confidence_level for row in rows],
            "method": [row.interval.method for row in rows],
            "n": [row.interval.n for row in rows],
            "unit": [row.interval.unit for row in rows],
            "notes": ["; ".join(row.interval.notes) for row in rows],
        }
    )
    _table(table, "every_metric", "Every metric of every model with its interval", exact)


def _table(table: pd.DataFrame, name: str, alt: str, exact: pd.DataFrame | None = None) -> None:
    st.dataframe(table, hide_index=True, alt=alt)
    st.download_button(
        "This table as CSV",
        csv_bytes(table if exact is None else exact),
        f"{name}.csv",
        "text/csv",
        icon=":material/download:",
    )


def show_market(predictions: Predictions, question: Question) -> None:
    """Draw test sets from the loaded cases and count how often each method held their value."""
    drawn = "sets of as many whole groups" if question.by_group else "sets of the same size"
    st.markdown(
        "Take the loaded cases as the whole world, so that the true value is known. Draw test "
        f"{drawn} from them, make an interval from each, and count."
    )
    found = _market(predictions, question)
    if isinstance(found, str):
        sentences([found])
        return
    labels = market_labels({key: entry.label for key, entry in METHODS.items()}, found)
    sentences([market_sentence(found, labels), *market_limits(found, labels)])
    _market_table(found, labels, question)
    bullets(
        [
            "The next score is held less often: it carries the luck of its own cases, and the "
            "interval does not promise anything about it.",
            "Future cases may differ from these; this says only how the methods do on cases like "
            "them.",
        ]
    )


def _market_table(found: MarketCoverage, labels: Mapping[str, str], question: Question) -> None:
    percent = st.column_config.NumberColumn(format="percent")
    shown = ("held the true value", "Monte Carlo error", "held the next score", "no interval")
    columns = {
        "method": [labels.get(key, key) for key in found.held],
        "held the true value": list(found.held.values()),
        "Monte Carlo error": [found.monte_carlo_error(share) for share in found.held.values()],
        "held the next score": list(found.held_next.values()),
        "mean width": [
            value_text(found.width[key], question.metric.scale, 1) for key in found.held
        ],
        "no interval": list(found.undefined.values()),
    }
    if not any(found.undefined.values()):
        del columns["no interval"]
    table = pd.DataFrame(columns)
    st.dataframe(
        table,
        hide_index=True,
        column_config={name: percent for name in shown if name in table},
        alt="How often each method held the value of the loaded cases",
    )


def _market(predictions: Predictions, question: Question) -> MarketCoverage | str:
    key = ("market", predictions.digest, repr(question.setting), question.metric.key,
           question.model, question.level, question.seed, question.by_group)  # fmt: skip
    kept = st.session_state.setdefault("markets", {})
    if key not in kept:
        bar = st.progress(0.0, text="Drawing test sets")
        try:
            kept[key] = market_coverage(
                predictions,
                question.metric.key,
                question.model,
                setting=question.setting,
                by_group=question.by_group,
                confidence_level=question.level,
                rng=question.seed,
                progress=lambda done, total: bar.progress(done / total, text="Drawing test sets"),
            )
        except ValueError as error:
            kept[key] = note_sentence(str(error))
        bar.empty()
    return kept[key]
