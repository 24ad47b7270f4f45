"""Estimators against the truth, and the error of nearest neighbours against k."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.charts import Spread, neighbour_chart, spread_chart
from evalcore.estimators import (
    ESTIMATORS,
    LABEL_METRICS,
    TARGETS,
    CaseTable,
    Design,
    Repetition,
    Rule,
    fits_needed,
    inclusion_probability,
    neighbour_curve,
    offered_estimators,
    repeat_estimators,
    score,
)
from evalcore.metrics import METRICS
from evalcore.wording import (
    curve_sentence,
    estimating_does_not_say,
    holdout_sentence,
    inclusion_sentence,
    spread_sentence,
    standard_error_sentence,
    study_sentence,
    value_text,
    winners_sentence,
)
from pages.shared import controls
from pages.shared.estimators_code import curve_code, study_code
from pages.shared.estimators_data import Source
from pages.shared.estimators_work import repeated
from pages.shared.frame import palette
from pages.shared.showing import bullets, downloads, fold_outs, sentences, show_chart
from pages.shared.text import escape

FRESH = 10_000
CURVE_FRESH = 100_000
# Fits of an estimator and repetition, in units of a light rule on a small table, beyond which it
# waits until it is asked for.
QUICK_FITS = 250
WEIGHTS = {"forest": 10.0, "logistic": 4.0}
SMALL_TABLE = 20_000
FIXED = ("apparent", "loocv")
OTHER_SCORES = tuple(key for key in LABEL_METRICS if not METRICS[key].per_class)
KS = (1, 3, 5, 9, 15, 25, 41)


def show_estimators(source: Source, rule: Rule, seed: int) -> None:
    """Show every estimator over repetitions against the true error."""
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        repetitions = st.selectbox(
            "Repetitions", [1, 10, 25, 50, 100], index=1, key="repetitions", bind="query-params",
            width=controls.WIDTH,
            help="New draws of a population, or new splits of the same real cases.",
        )  # fmt: skip
        with st.popover("Options", icon=":material/tune:"):
            design, slow = _ask_design()
    methods, waiting = _methods(source.table, rule, design, slow)
    found = _study(source, rule, design, methods, repetitions, seed)
    if waiting:
        st.caption(
            escape(f"Not run, until slow ones are allowed under Options: {', '.join(waiting)}.")
        )
    if not found:
        return
    _say_study(source, found)
    _study_chart(source, rule, found)
    table = _study_table(found)
    _problems(found[0])
    _by_class(found[0])
    shown = list(found[0].estimates)
    drawn = inclusion_sentence(inclusion_probability(source.table.n), source.table.n)
    fold_outs(
        not_said=estimating_does_not_say(),
        formulas=[ESTIMATORS[key].formula for key in shown],
        explanation=[
            f"{ESTIMATORS[key].label}, of {TARGETS[ESTIMATORS[key].target]}: "
            f"{ESTIMATORS[key].remark} Fits: {ESTIMATORS[key].cost}. Reference: "
            f"{ESTIMATORS[key].reference}."
            for key in shown
        ]
        + ([drawn] if "632" in shown else []),
        code=study_code(source, rule, methods, design, repetitions, seed),
    )
    downloads(
        table=table,
        record=list(found[0].estimates.values()),
        sentence=_study_sentence(source, found),
        name="error_estimates",
    )


def _ask_design() -> tuple[Design, bool]:
    folds = st.slider("Folds", 2, 20, 10, key="study_folds", bind="query-params")
    repeats = st.slider("Repeats of repeated K-fold", 2, 10, 3, key="repeats", bind="query-params")
    resamples = st.slider("Bootstrap resamples", 5, 200, 25, 5, key="resamples",
                          bind="query-params")  # fmt: skip
    share = st.slider("Share of the holdout", 0.1, 0.9, 0.3, 0.05, key="test_share",
                      bind="query-params")  # fmt: skip
    in_time = st.toggle(
        "Hold out the last rows", key="in_time", bind="query-params",
        help="As when the future is to be predicted: the table must be in order of time.",
    )  # fmt: skip
    slow = st.toggle(
        "Allow slow ones", key="slow", bind="query-params",
        help="Repeated and nested K-fold, and what takes very many fits.",
    )  # fmt: skip
    order = "time" if in_time else "random"
    return Design(
        test_share=share, order=order, folds=folds, repeats=repeats, resamples=resamples
    ), slow


def _methods(
    table: CaseTable, rule: Rule, design: Design, slow: bool
) -> tuple[list[str], list[str]]:
    """Return what is run, and in words what waits because it takes many fits."""
    weight = WEIGHTS.get(rule.kind, 1.0) * max(1.0, table.features.size / SMALL_TABLE)
    run, waiting = [], []
    for key in offered_estimators(table, rule):
        fits = fits_needed(key, table, design)
        if slow or (key not in ("repeated", "nested") and fits * weight <= QUICK_FITS):
            run.append(key)
        else:
            waiting.append(f"{ESTIMATORS[key].label} ({fits:,} fits)")
    return run, waiting


def _study(
    source: Source,
    rule: Rule,
    design: Design,
    methods: Sequence[str],
    repetitions: int,
    seed: int,
) -> list[Repetition]:
    varying = [key for key in methods if key not in FIXED]

    def one(repetition: int, progress: Any) -> Repetition:
        # Without a new draw nothing in these two changes, so once is enough.
        same = source.population is None and repetition > 0
        return repeat_estimators(
            source.population or source.table,
            rule,
            n=source.table.n,
            repetition=repetition,
            seed=seed,
            methods=varying if same else methods,
            design=design,
            fresh=FRESH,
            n_jobs=2 if rule.kind == "forest" else 1,
            progress=progress,
        )

    settings = ("study", source.mark, rule, design, tuple(methods), seed)
    return repeated(settings, one, repetitions=repetitions, own=source.own)


def _values(found: Sequence[Repetition], key: str) -> list[float]:
    return [one.estimates[key].estimate for one in found if key in one.estimates]


def _truth(found: Sequence[Repetition]) -> float:
    return float(np.mean([one.truth for one in found]))


def _study_sentence(source: Source, found: Sequence[Repetition]) -> str:
    known = source.population is not None and source.population.true_error is not None
    return study_sentence(
        {one.label: float(np.mean(_values(found, key)))
         for key, one in found[0].estimates.items()},
        _truth(found), repetitions=len(found), n=source.table.n,
        fresh=None if known else FRESH * len(found),
    )  # fmt: skip


def _say_study(source: Source, found: Sequence[Repetition]) -> None:
    first = found[0].estimates
    if not first:
        return
    lines: list[str | None] = [_study_sentence(source, found)]
    if "kfold" in first:
        lines.append(spread_sentence(_values(found, "kfold"), [one.truth for one in found]))
    sentences([line for line in lines if line])


def _study_chart(source: Source, rule: Rule, found: Sequence[Repetition]) -> None:
    rows = [
        Spread(
            label=one.label,
            values=_values(found, key),
            text=f"{one.fits:,} fit{'' if one.fits == 1 else 's'}",
            place=0 if one.target == "procedure" else 1,
        )
        for key, one in found[0].estimates.items()
    ]
    chart = spread_chart(
        rows, truth=_truth(found), title=f"Error of {rule.label[:1].lower()}{rule.label[1:]}",
        axis="estimated error, percent", palette=palette(), name="estimators",
    )  # fmt: skip
    show_chart(chart, key="study_chart")
    st.caption(
        "Small: each repetition. Large: their mean. Circles aim at the procedure at its training "
        "size, diamonds at the rule fitted to these cases."
        + ("" if source.population else " Nothing varies in a row with a single small point.")
    )


def _study_table(found: Sequence[Repetition]) -> pd.DataFrame:
    truth = _truth(found)
    rows = []
    for key, one in found[0].estimates.items():
        values = _values(found, key)
        seconds = [each.seconds[key] for each in found if key in each.seconds]
        rows.append(
            {
                "estimator": one.label,
                "estimates the error of": TARGETS[one.target],
                "mean": 100 * float(np.mean(values)),
                "SD over repetitions": 100 * float(np.std(values, ddof=1))
                if len(values) > 1
                else math.nan,
                "mean − truth": 100 * (float(np.mean(values)) - truth),
                "cases fitted": one.n_fit,
                "fits": one.fits,
                "seconds": float(np.mean(seconds)),
            }
        )
    table = pd.DataFrame(rows)
    if not math.isfinite(truth):
        table = table.drop(columns="mean − truth")
    numbers = {"mean": "%.1f%%", "SD over repetitions": "%.1f", "mean − truth": "%.1f",
               "cases fitted": "%.0f", "seconds": "%.2f"}  # fmt: skip
    st.dataframe(
        table,
        hide_index=True,
        column_config={
            name: st.column_config.NumberColumn(format=form) for name, form in numbers.items()
        },
        alt="Every estimator with its target, mean, spread, fits and seconds",
    )
    return table


def _problems(first: Repetition) -> None:
    for key, reason in first.refused.items():
        st.info(escape(f"{ESTIMATORS[key].label} is refused: {reason}."), icon=":material/block:")
    warned = {w: one.label for one in first.estimates.values() for w in one.warnings}
    for warning, label in warned.items():
        st.warning(escape(f"{label}: {warning}."), icon=":material/warning:")


def _by_class(first: Repetition) -> None:
    """Show what a single repetition says: standard errors, true classes, another score."""
    with st.expander("A single repetition: standard errors, every class, other scores"):
        estimates = first.estimates
        lines = [holdout_sentence(one) for one in estimates.values()]
        lines += [standard_error_sentence(one) for one in estimates.values()]
        lines += [winners_sentence(one.chosen) for one in estimates.values() if one.chosen]
        sentences([line for line in lines if line])
        metric = st.selectbox(
            "Score beside the error", OTHER_SCORES, format_func=lambda key: METRICS[key].label,
            key="other_score", bind="query-params", width=2 * controls.WIDTH,
        )  # fmt: skip
        row = METRICS[metric]
        rows = [
            {
                "estimator": one.label,
                row.label: value_text(score(one, metric), row.scale, 1 if row.scale == "percent"
                                      else 3),
                **{f"error of {name}": 100 * error for name, error in one.by_class.items()},
            }
            for one in estimates.values()
        ]  # fmt: skip
        config = {
            f"error of {name}": st.column_config.NumberColumn(format="%.1f%%")
            for one in estimates.values()
            for name in one.classes
        }
        st.dataframe(
            pd.DataFrame(rows), hide_index=True, column_config=config,
            alt="Error of every estimator among the cases of each true class",
        )  # fmt: skip
        notes = {note: one.label for one in estimates.values() for note in one.notes}
        bullets([f"{label}: {note}." for note, label in notes.items()])


def show_curve(source: Source, seed: int) -> None:
    """Show apparent, cross-validated and true error of nearest neighbours against k."""
    most = source.table.n * 9 // 10 - 1
    ks = tuple(k for k in KS if k <= most)
    folds = min(10, int(min(size for size in source.table.class_sizes if size)))
    if folds < 2:
        st.info(
            "Some class has a single case, so no stratified fold can hold it out. Choose other "
            "cases.", icon=":material/block:",
        )  # fmt: skip
        return
    found = repeated(
        ("curve", source.mark, ks, folds, seed),
        lambda _, progress: neighbour_curve(
            source.table, ks, population=source.population, folds=folds, fresh=CURVE_FRESH,
            rng=seed, progress=progress,
        ),
        own=source.own,
    )  # fmt: skip
    if not found:
        return
    curve = found[0]
    sentences([curve_sentence(curve)])
    chart = neighbour_chart(curve, title="Error of nearest neighbours against k", palette=palette())
    show_chart(chart, key="curve_chart")
    if source.population is None:
        st.caption("The true error is not known for real cases.")
    table = pd.DataFrame(
        {
            "k": curve.ks, "apparent": curve.apparent,
            "cross_validated": curve.cross_validated, "true": curve.true,
        }
    )  # fmt: skip
    fold_outs(
        not_said=estimating_does_not_say(),
        formulas=[ESTIMATORS["apparent"].formula, ESTIMATORS["kfold"].formula],
        explanation=[
            f"Every k is judged on the same {folds} stratified folds; features are standardised "
            "inside each fit. A synthetic population's true error is counted on "
            f"{CURVE_FRESH:,} fresh cases, unless it is known exactly.",
            f"Reference: {ESTIMATORS['kfold'].reference}.",
        ],
        code=curve_code(source, ks, folds, seed),
    )
    downloads(table=table, record=curve, sentence=curve_sentence(curve), name="error_against_k")
