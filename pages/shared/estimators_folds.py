"""Which cases each round of K-fold and nested cross-validation fits, validates and tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.charts import Block, rounds_chart
from evalcore.estimators import (
    ESTIMATORS,
    CaseTable,
    ErrorEstimate,
    Round,
    Rule,
    fold_rounds,
    kfold_error,
    nested_error,
    nested_rounds,
)
from evalcore.wording import (
    estimating_does_not_say,
    note_sentence,
    standard_error_sentence,
    winners_sentence,
)
from pages.shared import controls
from pages.shared.estimators_code import folds_code
from pages.shared.estimators_data import Source
from pages.shared.estimators_work import repeated
from pages.shared.frame import palette
from pages.shared.showing import downloads, fold_outs, sentences, show_chart
from pages.shared.text import escape

NESTED_KS = (1, 3, 5, 9, 15)


def show_folds(source: Source, rule: Rule, seed: int) -> None:
    """Show which folds each round fits, validates and tests, and what such folds lead to."""
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        nested = (
            st.selectbox(
                "Design", ["K-fold", "Nested"], key="fold_design", bind="query-params",
                width=controls.WIDTH,
            )
            == "Nested"
        )  # fmt: skip
        folds = st.number_input(
            "Folds", 3 if nested else 2, 10, 5, key="folds", bind="query-params",
            width=controls.WIDTH,
        )  # fmt: skip
        stratify = st.toggle("Stratify", value=True, key="stratify", bind="query-params")
        shuffle = st.toggle("Shuffle", value=True, key="shuffle", bind="query-params")
    options: dict[str, Any] = {"folds": int(folds), "stratify": stratify}
    if not nested:
        options["shuffle"] = shuffle
    try:
        (outer,) = fold_rounds(source.table, **options, rng=[seed, 0])
        _rounds_picture(outer, nested)
        ks = _nested_ks(source.table, outer) if nested else []
        estimate = _folded(source, rule, ks, options, seed)
    except ValueError as error:
        st.error(escape(note_sentence(f"this cannot be done: {error}")), icon=":material/block:")
        return
    if estimate is None:
        return
    for warning in estimate.warnings:
        st.warning(escape(note_sentence(warning)), icon=":material/warning:")
    lines = [
        f"Every case is judged once, by a rule fitted to about {estimate.n_fit:,.0f} others; all "
        f"in all {estimate.fits:,} fits.",
        standard_error_sentence(estimate),
        winners_sentence(estimate.chosen) if estimate.chosen else None,
    ]
    sentences([line for line in lines if line])
    table = _fold_table(source.table, [one.held for one in outer], estimate)
    given = "".join(f", {key}={value!r}" for key, value in options.items())
    of = "kfold_error(cases, " + repr(rule)
    if nested:
        of = f"nested_error(cases, [Rule(kind='neighbours', k=k) for k in {ks}]"
    keys = ("nested",) if nested else ("kfold", "repeated")
    fold_outs(
        not_said=estimating_does_not_say(),
        formulas=[ESTIMATORS[key].formula for key in keys],
        explanation=[
            "S² is the variance of the J fold errors; the corrected standard error adds the ratio "
            "of judged to fitted cases for what the fits share.",
            *(f"{ESTIMATORS[key].label}: {ESTIMATORS[key].reference}." for key in keys),
        ],
        code=folds_code(source, f"{of}{given}, rng=[{seed}, 0])", seed),
    )
    downloads(
        table=table,
        record=estimate,
        sentence=" ".join(line for line in lines if line),
        name="folds",
    )


def _rounds_picture(outer: Sequence[Round], nested: bool) -> None:
    sizes = [len(one.held) for one in outer]
    if nested:
        places = range(len(outer))
        roles = [
            ["test" if f == i else "validate" if f == j else "fit" for f in places]
            for i in places
            for j in places
            if j != i
        ]
        caption = (
            "V validates: it helps to choose. T tests the winner, fitted to all other folds. "
            "Everything else is fitted."
        )
    else:
        roles = [
            ["validate" if f == i else "fit" for f in range(len(outer))] for i in range(len(outer))
        ]
        caption = "V is judged in its round; everything else is fitted. Every case is V once."
    rounds = [
        [Block(cases=size, role=role) for size, role in zip(sizes, line, strict=True)]
        for line in roles
    ]
    chart = rounds_chart(rounds, title="Which cases do what in each round", palette=palette())
    show_chart(chart, key="rounds_chart")
    st.caption(caption)


def _nested_ks(table: CaseTable, outer: Sequence[Round]) -> list[int]:
    """Return the candidates that the smallest inner fit can serve."""
    smallest = min(len(one.fit) for rounds in nested_rounds(table, outer) for one in rounds)
    return [k for k in NESTED_KS if k <= smallest]


def _folded(
    source: Source,
    rule: Rule,
    ks: Sequence[int],
    options: dict[str, Any],
    seed: int,
) -> ErrorEstimate | None:
    candidates = [Rule(kind="neighbours", k=k) for k in ks]

    def one(_: int, progress: Any) -> ErrorEstimate:
        if candidates:
            return nested_error(
                source.table, candidates, rng=[seed, 0], progress=progress, **options
            )
        return kfold_error(source.table, rule, rng=[seed, 0], progress=progress, **options)

    settings = ("folds", source.mark, rule, tuple(ks), tuple(options.items()), seed)
    found = repeated(settings, one, own=source.own)
    return found[0] if found else None


def _fold_table(
    table: CaseTable, held: Sequence[np.ndarray], estimate: ErrorEstimate
) -> pd.DataFrame:
    rows = []
    for place, cases in enumerate(held):
        counts = np.bincount(table.target[cases], minlength=len(table.classes))
        by_class = {f"cases of {name}": int(c) for name, c in zip(table.classes, counts,
                                                                  strict=True)}  # fmt: skip
        chosen = {"chosen": estimate.chosen[place]} if estimate.chosen else {}
        error = 100 * estimate.round_errors[place]
        rows.append({"fold": place + 1, "error": error, **chosen, "cases": len(cases), **by_class})
    found = pd.DataFrame(rows)
    st.dataframe(
        found,
        hide_index=True,
        column_config={"error": st.column_config.NumberColumn(format="%.1f%%")},
        alt="Every fold with its error and its cases of each class",
    )
    return found
