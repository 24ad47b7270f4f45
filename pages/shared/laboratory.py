"""The laboratory: tune inside the training cases, read the test set once; and the wrong turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.binomial import proportion_interval
from evalcore.charts import Spread, neighbour_chart, spread_chart
from evalcore.estimators import (
    WRONG_TURNS,
    CaseTable,
    Rule,
    Tuning,
    held_errors,
    holdout_round,
    neighbour_grid,
    optimism,
    tune,
    tuning_curve,
    wrong_turn,
)
from evalcore.results import Interval
from evalcore.wording import (
    look_sentence,
    note_sentence,
    range_text,
    size_text,
    tuning_sentence,
    value_text,
    wrong_turn_sentence,
)
from pages.shared import controls
from pages.shared.estimators_code import tuning_code
from pages.shared.estimators_data import Source
from pages.shared.estimators_work import repeated
from pages.shared.frame import palette
from pages.shared.showing import downloads, fold_outs, sentences, show_chart
from pages.shared.text import escape

TEST_SHARE = 0.3
TURN_REPETITIONS = (20, 50, 100)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One reading of a test set: the settings it was made with and what it said."""

    settings: tuple[tuple[str, str], ...]
    k: int
    tuned_error: float
    test: Interval


def show_laboratory(source: Source, seed: int) -> None:
    """Tune nearest neighbours inside the training cases, freeze them, read the test set once."""
    settings, split = _ask_settings()
    settings["seed"] = seed
    try:
        one = holdout_round(source.table, test_share=TEST_SHARE, rng=split)
        train, test = source.table.take(one.fit), source.table.take(one.held)
        grid = neighbour_grid(train, folds=settings["folds"], most=settings["largest k"])
        rules = [Rule(kind="neighbours", k=k, scale=settings["standardised"]) for k in grid]
        found = repeated(
            ("tuning", source.mark, split, tuple(settings.items())),
            lambda _, progress: tune(
                train, rules, folds=settings["folds"], rng=seed, progress=progress
            ),
            own=source.own,
        )
    except ValueError as error:
        st.error(escape(note_sentence(f"this cannot be done: {error}")), icon=":material/block:")
        return
    if not found:
        return
    tuning = found[0]
    test_set = f"{source.mark} {split}"
    looks = st.session_state.setdefault("looks", {}).setdefault(test_set, [])
    chart = neighbour_chart(
        tuning_curve(tuning), title=f"Inside the {train.n:,} training cases",
        palette=palette(), chosen=tuning.chosen.k,
    )  # fmt: skip
    show_chart(chart, key="tuning_chart")
    sentences([tuning_sentence(tuning)])
    current = tuple((key, _word(value)) for key, value in settings.items())
    _freeze(looks, current, train, test, tuning)
    _show_looks(looks, current, test)
    _laboratory_foot(source, split, settings, grid, tuning)


def _ask_settings() -> tuple[dict[str, Any], int]:
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        folds = st.selectbox(
            "Folds inside", [3, 5, 10], index=1, key="lab_folds", bind="query-params",
            width=controls.WIDTH,
        )  # fmt: skip
        most = st.selectbox(
            "Largest k", [9, 21, 41], index=1, key="lab_k", bind="query-params",
            width=controls.WIDTH,
        )  # fmt: skip
        scaled = st.toggle("Standardise", value=True, key="lab_scale", bind="query-params")
        split = st.number_input(
            "Split", 1, 9999, 1, key="lab_split", bind="query-params", width=controls.WIDTH,
            help="Another split is another test set, which nobody has read yet.",
        )  # fmt: skip
    return {"folds": folds, "largest k": most, "standardised": scaled}, int(split)


def _word(value: object) -> str:
    return str(value) if not isinstance(value, bool) else "yes" if value else "no"


def _freeze(
    looks: list[Look],
    current: tuple[tuple[str, str], ...],
    train: CaseTable,
    test: CaseTable,
    tuning: Tuning,
) -> None:
    if any(look.settings == current for look in looks):
        return
    if looks:
        changes = ", ".join(_changes(looks[0], current))
        st.warning(
            escape(
                "The test set has been read. What you change from here on is made after the look "
                f"(so far: {changes}), and whatever it says now has lost its independence."
            ),
            icon=":material/visibility:",
        )
    words = "again" if looks else "once"
    st.button(
        f"Freeze k = {tuning.chosen.k} and read the {test.n:,} test cases {words}",
        type="secondary" if looks else "primary",
        icon=":material/lock:",
        key="freeze",
        on_click=_look,
        args=(looks, current, train, test, tuning),
    )


def _look(
    looks: list[Look],
    current: tuple[tuple[str, str], ...],
    train: CaseTable,
    test: CaseTable,
    tuning: Tuning,
) -> None:
    """Read the test set, and remember with which settings."""
    (error,) = held_errors(train, test, [tuning.chosen])
    interval = proportion_interval(round(error * test.n), test.n, name="test error")
    tuned = tuning.errors[tuning.place]
    looks.append(Look(settings=current, k=tuning.chosen.k, tuned_error=tuned, test=interval))


def _changes(first: Look, current: tuple[tuple[str, str], ...]) -> list[str]:
    before = dict(first.settings)
    return [f"{key} {before[key]} to {value}" for key, value in current if before[key] != value]


def _show_looks(looks: list[Look], current: tuple[tuple[str, str], ...], test: CaseTable) -> None:
    if not looks:
        st.caption("The test cases have not been read yet. They can be read once.")
        return
    first = looks[0]
    with st.container(border=True, key="first_look"):
        st.metric(
            f"Test error of k = {first.k}", escape(value_text(first.test.estimate, "percent", 1))
        )
        st.markdown(
            f"**{escape(range_text(first.test, 'percent'))}** · 95% Wilson interval · "
            f"{escape(size_text(first.test))}"
        )
        st.caption(
            escape(
                f"The test set has been read. {look_sentence(1, ())} The folds had promised "
                f"{value_text(first.tuned_error, 'percent', 1)}."
            )
        )
    if test.groups is not None:
        st.caption("The interval takes the test cases for independent; groups make it wider.")
    if len(looks) == 1:
        return
    table = pd.DataFrame(
        {
            "look": range(1, len(looks) + 1),
            "k": [look.k for look in looks],
            "test error": [100 * look.test.estimate for look in looks],
            "made": ["before the look", *["after the look"] * (len(looks) - 1)],
            "changed since the first": [", ".join(_changes(first, x.settings)) for x in looks],
        }
    )
    st.dataframe(
        table, hide_index=True, alt="Every look at the test set and what was changed before it",
        column_config={"test error": st.column_config.NumberColumn(format="%.1f%%")},
    )  # fmt: skip
    sentences([look_sentence(len(looks), _changes(first, looks[-1].settings))])


def _laboratory_foot(
    source: Source, split: int, settings: dict[str, Any], grid: tuple[int, ...], tuning: Tuning
) -> None:
    rules = (
        f"[Rule(kind='neighbours', k=k, scale={settings['standardised']}) for k in {list(grid)!r}]"
    )
    fold_outs(
        not_said=[
            "The error at the chosen k was chosen for being small. It is not an estimate.",
            "The test error is that of one fitted rule; other training cases give another.",
            "A second reading of the same test set is no second test.",
        ],
        formulas=[r"k^*=\min\,\arg\min_k \widehat{Err}_{CV}(k)"],
        explanation=[
            f"{TEST_SHARE:.0%} of the cases, stratified, are put away. Inside the rest, stratified "
            "folds judge every k; means and standard deviations come from the fitted part of each "
            "round. Of equal errors the first k counts. The winner is fitted to all training "
            "cases and meets the test cases once.",
            "Reference: Cawley, Talbot (2010), JMLR 11, 2079-2107.",
        ],
        code=tuning_code(source, split, TEST_SHARE, rules, settings["folds"], settings["seed"]),
    )
    table = pd.DataFrame({"k": list(grid), "cross_validated": tuning.errors})
    downloads(table=table, record=tuning, sentence=tuning_sentence(tuning), name="tuning")


def show_wrong_turns() -> None:
    """Show what a tempting shortcut reports beside the truth, over many draws."""
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        key = st.selectbox(
            "Wrong turn", list(WRONG_TURNS),
            format_func=lambda one: WRONG_TURNS[one].label if one in WRONG_TURNS else one,
            key="turn", bind="query-params", width=2 * controls.WIDTH,
        )  # fmt: skip
        repetitions = st.selectbox(
            "Draws", TURN_REPETITIONS, key="turn_draws", bind="query-params", width=controls.WIDTH
        )
        with st.popover("Seed", icon=":material/tune:"):
            seed = controls.pick_seed()
    turn = WRONG_TURNS[key]
    found = repeated(
        ("turn", key, seed),
        lambda repetition, _: wrong_turn(key, repetition=repetition, seed=seed),
        repetitions=repetitions,
        doing="Drawing and fitting",
    )
    if not found:
        return
    tempting = [one.tempting for one in found]
    honest = [one.honest for one in found]
    truth = [one.tempting_truth for one in found]
    off = optimism(tempting, truth)
    fair = optimism(honest, [one.honest_truth for one in found])
    sentence = wrong_turn_sentence(turn, off, fair, len(found))
    sentences([f"Measured on {turn.setting}.", sentence])
    chart = spread_chart(
        [
            Spread(label="Wrong turn", values=tempting, text="reported", place=1),
            Spread(label="Right way", values=honest, text="reported", place=0),
        ],
        truth=float(np.mean(truth)), title=turn.label, axis="reported error, percent",
        palette=palette(), name="wrong_turn",
    )  # fmt: skip
    show_chart(chart, key="turn_chart")
    st.caption("Small: each draw. Large: their mean. Diamonds took the wrong turn.")
    fold_outs(
        not_said=[
            "It does not say how much your own shortcut flatters: that depends on how many cases, "
            "features and candidates there are.",
            "A wrong turn that costs nothing here is still one: nobody can tell from the report.",
        ],
        formulas=[r"\text{optimism}=\operatorname{mean}(\text{true error}-\text{reported error})"],
        explanation=[
            f"Wrong turn: {turn.tempting}. Right way: {turn.honest}.",
            "Every draw is new. The true error is that of the rule each way ends with, counted on "
            "10,000 fresh cases or known exactly; the Monte Carlo error is the standard deviation "
            "of the gaps over the root of their number.",
            "References: Ambroise, McLachlan (2002), PNAS 99, 6562-6566; Cawley, Talbot (2010), "
            "JMLR 11, 2079-2107.",
        ],
        code="from evalcore.estimators import wrong_turn\n\n"
        f"for repetition in range({len(found)}):\n"
        f"    print(wrong_turn({key!r}, repetition=repetition, seed={seed}))\n",
    )
    table = pd.DataFrame({"wrong_turn": tempting, "right_way": honest, "truth": truth})
    downloads(table=table, record=found, sentence=sentence, name="wrong_turn")
