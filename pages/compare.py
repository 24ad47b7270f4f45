"""Is model A really better than model B? On the same cases, with every comparison counted."""

from __future__ import annotations

from typing import Any

import streamlit as st

from evalcore.charts import Row, agreement_chart, interval_chart
from evalcore.comparison import comparison_methods
from evalcore.metrics import METRICS, Metric, metrics_for
from evalcore.predictions import Predictions
from evalcore.results import Comparison, UnpairedComparison
from evalcore.sizing import paired_sample_size
from evalcore.wording import (
    comparison_sentence,
    deciding_sentence,
    gap_digits,
    gap_range_text,
    gap_text,
    gap_unit,
    level,
    lower_first,
    note_sentence,
    p_sentences,
    p_text,
    unpaired_sentence,
    what_would_decide_sentence,
)
from pages.shared import cached, controls, ledger
from pages.shared.comparing import show_differing, show_many, show_separate, show_tests
from pages.shared.frame import open_page, palette
from pages.shared.python import comparison_code
from pages.shared.showing import (
    bullets,
    downloads,
    fold_outs,
    intervals_table,
    sentences,
    show_chart,
)
from pages.shared.state import Loaded
from pages.shared.text import escape

OF_LABELS = ("proportion", "count")
VERDICTS = {
    "shown better": ("green", ":material/check_circle:"),
    "shown worse": ("green", ":material/check_circle:"),
    "shown different": ("green", ":material/check_circle:"),
    "shown not worse": ("blue", ":material/shield:"),
    "shown equivalent": ("blue", ":material/drag_handle:"),
    "not decided": ("gray", ":material/balance:"),
}


def main() -> None:
    loaded = open_page("pages/compare.py")
    predictions = loaded.predictions
    views = {}
    if predictions.is_labelled and len(predictions.models) > 1:
        views["Two models"] = two_models
        if len(predictions.models) > 2:
            views["All models"] = show_many
    views["Separate test sets"] = show_separate
    if "Two models" not in views:
        st.info(
            "A comparison on the same cases needs the truth and two models. Two scores from "
            "separate test sets can be compared here all the same.",
            icon=":material/compare_arrows:",
        )
    st.fragment(controls.pick_view("What is compared", views, key="compare"))(loaded)


def two_models(loaded: Loaded) -> None:
    predictions = loaded.predictions
    model_a, model_b, metric, options = ask(predictions)
    found = cached.compare_models(predictions, metric.key, model_a, model_b, **options)
    ledger.note(predictions, found, options)
    contrast_options = {k: v for k, v in options.items() if k not in ("method", "margin")}
    unpaired = cached.ignoring_pairing(
        predictions, metric.key, model_a, model_b, **contrast_options
    )
    answer(found, unpaired, metric)
    lines = [comparison_sentence(found), deciding_sentence(found)]
    lines += [note_sentence(note) for note in found.notes]
    sentences([line for line in lines if line])
    what_would_decide(found)
    if not found.difference.defined:
        return
    left, right = st.columns(2, gap="large")
    with left:
        if found.both is not None:
            chart = agreement_chart(found, title="Who is right on which cases", palette=palette())
            show_chart(chart, key="agreement")
        else:
            st.subheader("Case by case", anchor=False)
            st.markdown(
                escape(f"The two models' errors have a correlation of {found.correlation:.2f}.")
            )
    with right:
        show_tests(found)
        st.subheader("If the pairing is ignored", anchor=False)
        sentences([unpaired_sentence(found, unpaired)])
        st.caption(f"Unpaired p-value {p_text(unpaired.p_value)}, for contrast only.")
    show_differing(predictions, found, options)
    ledger.show()
    explain(loaded, found, metric, options)


def what_would_decide(found: Comparison) -> None:
    """Lead from an open question on all cases to the size of the test set that would settle it."""
    counted = found.only_a is not None and found.only_b is not None and found.both is not None
    gap = abs(found.difference.estimate)
    if found.verdict != "not decided" or found.difference.unit != "cases" or not (counted and gap):
        return
    disagreement = (found.only_a + found.only_b) / found.difference.n
    size = paired_sample_size(disagreement, gap, method="connor")
    sentences([what_would_decide_sentence(size.n, disagreement, gap)])
    st.page_link(
        "pages/sizing.py",
        label="Plan a test set for this gap",
        icon=":material/calculate:",
        query_params={"d": f"{100 * disagreement:.4g}", "gap": f"{100 * gap:.3g}"},
    )


def ask(predictions: Predictions) -> tuple[str, str, Metric, dict[str, Any]]:
    """Draw the controls; return the two models, the metric and the options of evalcore."""
    models = list(predictions.models)
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="controls"):
        model_a = st.selectbox(
            "Model A", models, key="a", bind="query-params", width=controls.WIDTH
        )
        others = [model for model in models if model != model_a]
        model_b = st.selectbox(
            "Model B", others, key="b", bind="query-params", width=controls.WIDTH
        )
        shared = set(metrics_for(predictions, model_b))
        offered = [m for m in metrics_for(predictions, model_a) if m in shared]
        metric = controls.pick_metric(offered)
        label = controls.pick_class(predictions) if metric.per_class else None
        options: dict[str, Any] = controls.pick_needed(predictions, metric, [model_a, model_b])
        if label is not None:
            options["label"] = label
        methods = comparison_methods(predictions, metric.key, label=label)
        options["method"] = controls.pick_method({k: m.label for k, m in methods.items()})
        options["confidence_level"] = controls.pick_level()
        with st.popover("Options", icon=":material/tune:"):
            options |= finer(predictions, metric, [model_a, model_b])
    return model_a, model_b, metric, options


def finer(predictions: Predictions, metric: Metric, models: list[str]) -> dict[str, Any]:
    """Draw the finer options and return those that are not at their default."""
    options: dict[str, Any] = {}
    unit = {"percent": "points", "target": "unit of the target"}.get(metric.scale, "metric's unit")
    margin = st.number_input(
        f"Margin that does not matter, {unit}",
        min_value=0.0,
        value=None,
        placeholder="none",
        key="margin",
        bind="query-params",
        help="With a margin, the page can show that two models are as good as equal, or that A "
        "is not worse than B by more than the margin.",
    )
    if margin:
        options["margin"] = margin / 100 if metric.scale == "percent" else margin
    if metric.family in OF_LABELS and not metric.columns:
        threshold = controls.pick_threshold(predictions, models)
        if threshold is not None:
            options["threshold"] = threshold
    if controls.pick_grouping(predictions) is False:
        options["by_group"] = False
    options["rng"] = controls.pick_seed()
    return options


def answer(found: Comparison, unpaired: UnpairedComparison, metric: Metric) -> None:
    """Show the verdict, the gap with its interval, and the chart that explains it."""
    difference = found.difference
    color, icon = VERDICTS[found.verdict]
    digits = gap_digits(difference, metric.scale)
    with st.container(border=True, key="answer"):
        words, picture = st.columns([2, 3], gap="medium")
        with words:
            st.badge(verdict_words(found), icon=icon, color=color)
            gap = gap_text(difference.estimate, metric.scale, digits)
            st.metric(
                escape(f"{metric.label}, {found.model_a} minus {found.model_b}"),
                escape(f"{gap}{gap_unit(metric)}"),
            )
            st.markdown(
                f"**{escape(gap_range_text(difference, metric.scale))}** · "
                f"{level(difference.confidence_level)} interval"
            )
            st.caption(f"p {p_text(found.p_value)}")
        with picture:
            if difference.defined:
                gap_chart(found, unpaired, metric)


def verdict_words(found: Comparison) -> str:
    if found.verdict in ("shown better", "shown worse"):
        return f"{escape(found.favours)} shown better"
    if found.verdict == "shown not worse":
        return f"{escape(found.model_a)} shown not worse"
    return found.verdict


def gap_chart(found: Comparison, unpaired: UnpairedComparison, metric: Metric) -> None:
    """Show the gap with zero on the axis, and what ignoring the pairing would make of it."""
    scale = metric.scale
    rows = [
        Row(
            label="same cases",
            interval=found.difference,
            color=palette().model(0),
            text=gap_range_text(found.difference, scale),
        ),
        Row(
            label="if pairing is ignored",
            interval=unpaired.difference,
            text=gap_range_text(unpaired.difference, scale),
        ),
    ]
    unit = {"percent": "points", "target": "unit of the target"}.get(scale)
    axis = f"{lower_first(metric.label)}, {found.model_a} − {found.model_b}"
    low, high = f"← {found.model_b} better", f"{found.model_a} better →"
    if metric.higher_is_better is False:
        low, high = f"← {found.model_a} better", f"{found.model_b} better →"
    if metric.higher_is_better is None:
        low, high = f"← {found.model_b} higher", f"{found.model_a} higher →"
    chart = interval_chart(
        rows,
        title="The gap and its interval",
        axis=f"{axis}, {unit}" if unit else axis,
        scale=scale,
        palette=palette(),
        name="gap",
        zero=(low, high),
    )
    show_chart(chart, key="gap_chart")


def explain(loaded: Loaded, found: Comparison, metric: Metric, options: dict[str, Any]) -> None:
    method = comparison_methods(loaded.predictions, metric.key, label=options.get("label"))[
        options["method"]
    ]
    with st.expander("What the words mean"):
        bullets(
            [
                "Statistical is not practical: with enough cases a gap that matters to nobody is "
                "shown to be real. Set a margin that matters before looking.",
                "The two models were fixed before the test cases were seen. A model picked because "
                "of this page has used these cases up.",
            ]
        )
    fold_outs(
        not_said=p_sentences(found),
        formulas=[METRICS[metric.key].formula, method.formula],
        explanation=[f"{method.label}: {method.remark}", f"Reference: {method.reference}."],
        code=comparison_code(loaded, metric.key, found.model_a, found.model_b, **options),
    )
    table = intervals_table(
        [found.difference],
        {
            "metric": [metric.key],
            "model_a": [found.model_a],
            "model_b": [found.model_b],
            "verdict": [found.verdict],
            "p_value": [found.p_value],
        },
    )
    downloads(
        table=table, record=found, sentence=comparison_sentence(found), name="margin_comparison"
    )


main()
