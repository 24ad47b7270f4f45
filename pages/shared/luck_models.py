"""Luck between models: which of two wins, the best of many, two scores on a cut axis."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.charts import (
    Axes,
    Line,
    Row,
    cut_axis_chart,
    interval_chart,
    lines_chart,
    reshuffle_chart,
)
from evalcore.comparison import paired_difference_interval
from evalcore.results import Interval
from evalcore.simulation import Duel, Leaderboards, shared_difficulty_cells
from evalcore.sizing import expected_best
from evalcore.wording import (
    cut_axis_sentence,
    duel_sentence,
    gap_range_text,
    leaderboard_sentence,
    level,
    optimism_sentence,
)
from pages.shared import controls, luck_cached, teaching
from pages.shared.frame import palette
from pages.shared.showing import fold_outs
from pages.shared.state import Loaded

SIZES = (50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000)
MANY = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)


@st.fragment
def show_duel(_: Loaded) -> None:
    """Show how often a test set finds the better of two models, against its size."""
    low, high, shared, confidence, n = _ask_duel()
    cells = shared_difficulty_cells(low, high, shared)
    found = luck_cached.duels(low, high, shared, SIZES, confidence)
    chosen = found[SIZES.index(n)]
    if not teaching.guessed(
        "duel", f"On {n:,} cases, how often does the better model measure higher?",
        100 * chosen.same_set,
    ):  # fmt: skip
        return
    agreement = (
        f"The two differ on {cells.disagreement:.1%} of all cases and by "
        f"{100 * cells.gap:.1f} points in accuracy."
    )
    teaching.say([duel_sentence(chosen), agreement])
    _duel_chart(found)
    if teaching.presenting():
        return
    table = _duel_table(found)
    _explain_duel(low, high, shared, confidence)
    teaching.downloads(
        table=table,
        numbers={**asdict(cells), "duels": [asdict(one) for one in found]},
        sentence=duel_sentence(chosen),
        name="margin_which_wins",
    )


def _duel_chart(found: list[Duel]) -> None:
    x = np.array(SIZES, float)
    curves = {
        "same set: better one higher": [one.same_set for one in found],
        "separate sets: better one higher": [one.separate_sets for one in found],
        "paired test significant": [one.paired_test for one in found],
        "intervals lie apart": [one.disjoint for one in found],
    }
    chart = lines_chart(
        [Line(label=k, x=x, y=100 * np.array(v), marked=True) for k, v in curves.items()],
        Axes(x="cases in the test set", y="percent of test sets", log=True, y_range=(-2, 103)),
        title="How often a test set shows the better one",
        palette=palette(),
        name="which_wins",
    )
    teaching.show_chart(chart, key="duel")


def _duel_table(found: list[Duel]) -> pd.DataFrame:
    table = pd.DataFrame([asdict(one) for one in found])
    st.dataframe(
        table,
        hide_index=True,
        column_config={
            "n": st.column_config.NumberColumn("cases", format="localized"),
            **{
                key: st.column_config.NumberColumn(label, format="percent")
                for key, label in (
                    ("same_set", "same set"),
                    ("tied", "tied"),
                    ("separate_sets", "separate sets"),
                    ("paired_test", "paired test"),
                    ("disjoint", "intervals apart"),
                )
            },
        },
        alt="How often the better model is found, by number of cases",
    )
    return table


def _explain_duel(low: float, high: float, shared: float, confidence: float) -> None:
    code = (
        "from evalcore.simulation import shared_difficulty_cells, which_wins\n\n"
        f"cells = shared_difficulty_cells({low!r}, {high!r}, {shared!r})\n"
        f"for n in {list(SIZES)!r}:\n"
        f"    print(which_wins(n, cells, confidence_level={confidence!r}))\n"
    )
    fold_outs(
        not_said=[
            "It does not say which of your two models is better; it says how often a test set of "
            "this size would tell, were the truth as set here.",
            "Whether two intervals overlap is no test: it ignores that both models answered the "
            "same cases, and so it needs far more of them.",
        ],
        formulas=[
            r"P(\text{both right}) = \Phi_2(z_A, z_B; \rho)",
            r"P(B > A) = \sum_m P(M=m)\, P(X_B > m/2 \mid m)",
        ],
        explanation=[
            "Each model is right when the difficulty of the case plus noise of its own stays below "
            "a threshold; shared difficulty is the correlation of the two sums.",
            "All four shares are enumerated, not drawn. Significant means McNemar's exact test, in "
            "favour of the better model; intervals are the normal ones.",
            "Reference: Dietterich (1998), Neural Computation 10, 1895-1923.",
        ],
        code=code,
    )


def _ask_duel() -> tuple[float, float, float, float, int]:
    """Return the lower and the higher accuracy, the shared difficulty, the level and the cases."""
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="controls"):
        accuracy_a = _percent("Accuracy A, percent", "accuracy_a", 90.0)
        accuracy_b = _percent("Accuracy B, percent", "accuracy_b", 91.0)
        shared = st.slider(
            "Shared difficulty", 0.0, 1.0, 0.8, step=0.01, key="shared", bind="query-params",
            width=controls.WIDTH,
            help="0: what is hard for A says nothing about B. 1: what is hard for A is hard for B.",
        )  # fmt: skip
        confidence = controls.pick_level()
        n = st.select_slider(
            "Cases", SIZES, 1_000, key="size", bind="query-params", width=controls.WIDTH
        )
    low, high = sorted((accuracy_a, accuracy_b))
    return low, high, shared, confidence, n


@st.fragment
def show_best(_: Loaded) -> None:
    """Show what the best of many models shows, is worth, and scores on fresh cases."""
    middle, entries, n, n_private, spread, seed, repeat = _ask_best()
    boards = luck_cached.leaderboards(middle, spread / 100, entries, n, n_private, seed)
    best = expected_best(n, middle, entries)
    if not teaching.guessed(
        "best",
        f"{entries} models, all truly right on {middle:.1%}: what does the best show on {n:,} "
        "cases, in percent?",
        100 * best,
    ):
        return
    teaching.say([optimism_sentence(n, middle, entries, best), leaderboard_sentence(boards)])
    _best_charts(boards, n, middle, repeat)
    numbers = {
        "shown": boards.shown,
        "worth": boards.deserved,
        "fresh": boards.fresh,
        "keeps_first": boards.keeps_first,
        "best_wins": boards.best_wins,
        "rank_correlation": boards.rank_correlation,
        "expected_best_of_equal": best,
    }
    if teaching.presenting():
        return
    _explain_best(middle, entries, n, n_private, spread, seed)
    public, private = boards.ranks(repeat - 1)
    table = pd.DataFrame(
        {
            "true_accuracy": boards.truth,
            "public": boards.public[repeat - 1],
            "private": boards.private[repeat - 1],
            "public_rank": public,
            "private_rank": private,
        }
    )
    teaching.downloads(
        table=table,
        numbers=numbers,
        sentence=leaderboard_sentence(boards),
        name="margin_leaderboard",
    )


def _ask_best() -> tuple[float, int, int, int, float, int, int]:
    """Return accuracy, models, cases of both sets, spread, seed, and the competition shown."""
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="controls"):
        middle = _percent("Accuracy, percent", "accuracy", 80.0)
        entries = st.number_input(
            "Models", 2, 1_000, 50, key="entries", bind="query-params", width=controls.WIDTH
        )
        n = st.number_input(
            "Cases, public", 20, 20_000, 400, step=100, key="public", bind="query-params",
            width=controls.WIDTH,
        )  # fmt: skip
        n_private = st.number_input(
            "Cases, private", 20, 20_000, 400, step=100, key="private", bind="query-params",
            width=controls.WIDTH,
        )  # fmt: skip
        spread = st.number_input(
            "True spread, points", 0.0, 10.0, 1.0, step=0.5, format="%.3g", key="spread",
            bind="query-params", width=controls.WIDTH,
            help="Standard deviation of the models' true accuracies.",
        )  # fmt: skip
        with st.popover("Options", icon=":material/tune:"):
            seed = controls.pick_seed()
            repeat = st.number_input(
                "Competition shown", 1, 2_000, 1, key="repeat", bind="query-params"
            )
    return middle, entries, n, n_private, spread, seed, repeat


def _best_charts(boards: Leaderboards, n: int, middle: float, repeat: int) -> None:
    sizes = sorted({100, 400, 2_000, n})
    x = np.array(MANY, float)
    lines = [
        Line(
            label=f"{size:,} cases",
            x=x,
            y=np.array([100 * (expected_best(size, middle, k) - middle) for k in MANY]),
            marked=True,
        )
        for size in sizes
    ]
    left, right = st.columns(2, gap="large")
    with left:
        chart = lines_chart(
            lines,
            Axes(x="models tried, all equal", y="points above the truth", log=True),
            title="How much the best of many flatters itself",
            palette=palette(),
            name="optimism",
        )
        teaching.show_chart(chart, key="optimism")
    with right:
        chart = reshuffle_chart(
            boards, title="Public ranks against private ones", palette=palette(), repeat=repeat - 1
        )
        teaching.show_chart(chart, key="reshuffle")


def _explain_best(
    middle: float, entries: int, n: int, n_private: int, spread: float, seed: int
) -> None:
    fold_outs(
        not_said=[
            "The winner's score on the set that chose it is no estimate of its accuracy; a score "
            "on cases that chose nothing is.",
            "Models that make the same mistakes flatter themselves less than the independent ones "
            "here.",
        ],
        formulas=[r"E[\max] = \frac1n \sum_{j=0}^{n-1} \left(1 - P(X \le j)^k\right)"],
        explanation=[
            "For equal models the expected maximum of k binomial scores is summed, not drawn.",
            "The boards are drawn 2,000 times from models whose true accuracies spread as set.",
        ],
        code=(
            "from evalcore.simulation import leaderboards, spread_of_accuracies\n"
            "from evalcore.sizing import expected_best\n\n"
            f"print(expected_best({n}, {middle!r}, {entries}))\n"
            f"truth = spread_of_accuracies({middle!r}, {spread / 100!r}, {entries})\n"
            f"boards = leaderboards(truth, {n}, {n_private}, rng={seed})\n"
            "print(boards.shown, boards.deserved, boards.fresh)\n"
        ),
    )


@st.fragment
def show_cut_axis(_: Loaded) -> None:
    """Show two scores on an axis that starts high, and the same as a gap with its interval."""
    both, only_a, only_b, neither, confidence = _ask_cut_axis()
    n = both + only_a + only_b + neither
    if n == 0 or both + min(only_a, only_b) == 0:
        st.info("Both models need at least one right case.", icon=":material/info:")
        return
    score_a, score_b = (both + only_a) / n, (both + only_b) / n
    highest = max(0.0, np.floor(100 * min(score_a, score_b) - 1e-9))
    start = float(min(96.0, highest))
    found = paired_difference_interval(both, only_b, only_a, neither, confidence_level=confidence)
    seen = (100 * score_b - start) / (100 * score_a - start)
    if not teaching.guessed(
        "cut", f"Cut at {start:g}%, how many percent of A's bar is B's bar high?", 100 * seen,
        highest=400,
    ):  # fmt: skip
        return
    teaching.say([cut_axis_sentence(score_a, score_b, start)])
    _cut_charts((score_a, score_b), start, found)
    differing = n - both - neither
    teaching.say(
        [
            f"{n:,} cases. On the left {differing:,} of them make the whole picture; on the right "
            "one sees whether they can."
        ]
    )
    if teaching.presenting():
        return
    _explain_cut_axis(both, only_a, only_b, neither, confidence)
    table = pd.DataFrame(
        {"model": ["A", "B"], "right": [both + only_a, both + only_b], "cases": [n, n]}
    )
    teaching.downloads(
        table=table,
        numbers=asdict(found),
        sentence=cut_axis_sentence(score_a, score_b, start),
        name="margin_cut_axis",
    )


def _ask_cut_axis() -> tuple[int, int, int, int, float]:
    """Return the four kinds of case and the level."""
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="controls"):
        both = _count("Both right", "both", 345)
        only_a = _count("Only A right", "only_a", 2)
        only_b = _count("Only B right", "only_b", 4)
        neither = _count("Both wrong", "neither", 9)
        confidence = controls.pick_level()
    return both, only_a, only_b, neither, confidence


def _explain_cut_axis(both: int, only_a: int, only_b: int, neither: int, confidence: float) -> None:
    fold_outs(
        not_said=[
            "A gap whose interval holds 0 is not shown to be none; these cases cannot tell.",
        ],
        formulas=[r"\hat d = (b - a) / n"],
        explanation=[
            "a and b are the cases that only A, and only B, got right. The interval is Newcombe's "
            "for paired proportions (1998, Statistics in Medicine 17, 2635-2650, method 10).",
        ],
        code=(
            "from evalcore import paired_difference_interval\n\n"
            f"print(paired_difference_interval({both}, {only_b}, {only_a}, {neither}, "
            f"confidence_level={confidence!r}))\n"
        ),
    )


def _cut_charts(scores: tuple[float, float], start: float, found: Interval) -> None:
    left, right = st.columns(2, gap="large")
    with left:
        chart = cut_axis_chart(
            scores,
            start=start,
            title=f"Do not: an axis from {start:g}%",
            palette=palette(),
        )
        teaching.show_chart(chart, key="cut_axis")
    with right:
        row = Row(
            label="B − A",
            interval=found,
            color=palette().model(1),
            text=gap_range_text(found, "percent"),
        )
        chart = interval_chart(
            [row],
            title=f"Do: the gap with its {level(found.confidence_level)} interval",
            axis="accuracy, B − A, points",
            scale="percent",
            palette=palette(),
            name="gap",
            zero=("← A better", "B better →"),
        )
        teaching.show_chart(chart, key="gap")


def _percent(label: str, key: str, value: float) -> float:
    given = st.number_input(
        label, 1.0, 99.9, value, step=0.5, key=key, bind="query-params", width=controls.WIDTH,
        format="%.4g",
    )  # fmt: skip
    return round(given / 100.0, 6)


def _count(label: str, key: str, value: int) -> int:
    return st.number_input(
        label, 0, 1_000_000, value, key=key, bind="query-params", width=controls.WIDTH
    )
