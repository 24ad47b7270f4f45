"""Intervals pile up: one test set after the other, and what all of them say together."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.binomial import exact_coverage
from evalcore.charts import MOST_DRAWN, Axes, Line, lines_chart, pile_chart
from evalcore.resampling import MarketCoverage, mean_coverage, proportion_coverage
from evalcore.simulation import (
    BLOCK,
    Pile,
    ShareWorld,
    join_piles,
    pile_block,
    share_error,
)
from evalcore.wording import (
    exact_sentence,
    level,
    market_sentence,
    pile_sentence,
    promise_sentence,
    share_text,
)
from pages.shared import teaching
from pages.shared.coverage_worlds import STATISTICS, Scene, ask
from pages.shared.frame import palette
from pages.shared.showing import fold_outs, sentences
from pages.shared.state import Loaded

MOST_SETS = 5_000
AT_START = 100
STEPS = (1, 10, 50, 500)
TICK = 0.7
PLAYED = 10
# So many weights for every outcome that a share has are as good as exact.
FINE = 10_000_000
MOST_ENUMERATED = 500
ARRIVAL, BY_SCORE = "arrival", "score"
ORDERS = {ARRIVAL: "As they came", BY_SCORE: "By score"}


def show_pile(loaded: Loaded) -> None:
    """Show the view; while it plays, it draws itself again and again."""
    ticking = st.session_state.get("playing", False)
    st.fragment(_show_pile, run_every=TICK if ticking else None)(loaded, ticking)


def _show_pile(loaded: Loaded, ticking: bool) -> None:
    if st.session_state.get("playing", False) != ticking:
        st.rerun()  # the clock is set outside of the fragment
    st.session_state.setdefault("sets", AT_START)
    if ticking:
        _add(PLAYED)
    scene = ask(loaded)
    _buttons()
    pile = _pile(scene, st.session_state["sets"])
    share = 100.0 * float(pile.held.mean()) if pile.n_sets else float("nan")
    if not teaching.guessed(
        "pile", f"Of 100 such {level(scene.level)} intervals, how many hold the truth?", share
    ):
        return
    _counts(pile)
    teaching.say([pile_sentence(pile), promise_sentence(pile), *_exactly(scene)])
    by_score = st.session_state.get("order", ARRIVAL) == BY_SCORE
    name = STATISTICS[scene.statistic]
    chart = pile_chart(
        pile.times(100.0) if scene.in_percent else pile,
        title=f"{level(scene.level)} intervals, {scene.n:,} cases each",
        axis=f"{name.lower() if name != 'AUC' else name}, "
        + ("percent" if scene.in_percent else "unit of the errors"),
        palette=palette(),
        by_score=by_score,
    )
    teaching.show_chart(chart, key="pile")
    if pile.n_sets > MOST_DRAWN:
        st.caption(f"The last {MOST_DRAWN} of {pile.n_sets:,} are drawn; all are counted.")
    if teaching.presenting():
        return
    _running(pile)
    _every_method(scene)
    _explain(scene, pile)


def _buttons() -> None:
    full = st.session_state["sets"] >= MOST_SETS
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="steps"):
        for step in STEPS:
            st.button(
                f"+{step}",
                key=f"add_{step}",
                on_click=_add,
                args=(step,),
                disabled=full,
            )
        # Two buttons that set, not one that toggles: a click that meets a tick of the clock can be
        # delivered twice.
        if st.session_state.get("playing", False):
            st.button("Pause", icon=":material/pause:", key="pause", on_click=_play, args=(False,))
        else:
            st.button(
                "Play", icon=":material/play_arrow:", key="play", on_click=_play, args=(True,)
            )
        st.button("Reset", icon=":material/restart_alt:", key="reset", on_click=_reset)
        with st.popover("View", icon=":material/visibility:"):
            st.selectbox(
                "Order",
                [ARRIVAL, BY_SCORE],
                format_func=lambda key: ORDERS.get(key, key),
                key="order",
                bind="query-params",
            )
            st.number_input("Test sets", 0, MOST_SETS, key="sets", bind="query-params")


def _add(step: int) -> None:
    st.session_state["sets"] = min(MOST_SETS, st.session_state.get("sets", 0) + step)
    if st.session_state["sets"] >= MOST_SETS:
        st.session_state["playing"] = False


def _play(playing: bool) -> None:
    st.session_state["playing"] = playing


def _reset() -> None:
    st.session_state["sets"] = 0
    st.session_state["playing"] = False


def _pile(scene: Scene, n_sets: int) -> Pile:
    """Return the first test sets of a scene; blocks that were drawn before are kept."""
    world = scene.world
    asked = (scene.key, scene.method)
    if st.session_state.get("pile_asked") != asked:
        st.session_state["pile_asked"], st.session_state["pile_blocks"] = asked, []
    blocks = st.session_state["pile_blocks"]
    while len(blocks) * BLOCK < n_sets or not blocks:
        blocks.append(
            pile_block(
                world,
                scene.n,
                len(blocks),
                method=scene.method,
                confidence_level=scene.level,
                seed=scene.seed,
            )
        )
    return join_piles(blocks, n_sets)


def _counts(pile: Pile) -> None:
    """Show the two shares side by side, each with its own Monte Carlo error."""
    held = float(pile.held.mean()) if pile.n_sets else float("nan")
    following = float(pile.held_next.mean()) if pile.n_sets else float("nan")
    with st.container(horizontal=True, gap="large", key="answer"):
        st.metric("hold the truth", share_text(held, pile.n_sets), width="content")
        st.metric(
            "hold the next test set's score", share_text(following, pile.n_sets), width="content"
        )


def _exactly(scene: Scene) -> list[str]:
    """Return what enumeration says where it can, beside what the draws say."""
    world = scene.world
    if not isinstance(world, ShareWorld) or world.informing < 1 or scene.n > MOST_ENUMERATED:
        return []
    found = exact_coverage(scene.n, world.truth, method=scene.method, confidence_level=scene.level)
    return [exact_sentence(found, world.methods[scene.method])]


def _running(pile: Pile) -> None:
    if pile.n_sets < 2:
        return
    number = np.arange(1, pile.n_sets + 1)
    keep = np.unique(np.linspace(0, pile.n_sets - 1, 300).astype(int))
    lines = []
    for label, hits in (("hold the truth", pile.held), ("hold the next score", pile.held_next)):
        share = (np.cumsum(hits) / number)[keep]
        error = np.array([share_error(s, m) for s, m in zip(share, number[keep], strict=True)])
        lines.append(
            Line(
                label=label,
                x=number[keep],
                y=100 * share,
                low=100 * (share - error),
                high=100 * (share + error),
            )
        )
    chart = lines_chart(
        lines,
        Axes(
            x="test sets so far",
            y="percent",
            y_range=(max(0.0, min(100 * pile.held_next.mean() - 15, 60)), 101.0),
            reference=(100 * pile.confidence_level, "promised"),
        ),
        title="The shares settle as sets are added",
        palette=palette(),
        name="running",
    )
    teaching.show_chart(chart, key="running")
    st.caption("The band is one Monte Carlo standard error to either side.")


def _every_method(scene: Scene) -> None:
    """Offer 1,000 test sets judged by every method, the same sets for all."""
    world = scene.world
    if not (isinstance(world, ShareWorld) or getattr(world, "statistic", "") == "mean"):
        return
    st.subheader("Every method on the same 1,000 test sets", anchor=False)
    kept = st.session_state.setdefault("every_method", {})
    if scene.key not in kept:
        if not st.button("Draw 1,000 test sets", icon=":material/casino:", key="draw_thousand"):
            return
        bar = st.progress(0.0, text="Drawing test sets")
        kept.clear()
        kept[scene.key] = _thousand(scene, bar)
        bar.empty()
    found = kept[scene.key]
    labels = world.methods
    sentences([market_sentence(found, labels)])
    table = pd.DataFrame(
        {
            "method": [labels[key] for key in found.held],
            "held the truth": list(found.held.values()),
            "Monte Carlo error": [found.monte_carlo_error(s) for s in found.held.values()],
            "held the next score": list(found.held_next.values()),
            "mean width": list(found.width.values()),
        }
    )
    percent = st.column_config.NumberColumn(format="percent")
    shown = ("held the truth", "Monte Carlo error", "held the next score")
    st.dataframe(
        table,
        hide_index=True,
        column_config=dict.fromkeys(shown, percent),
        alt="How often each method held the truth and the next score",
    )


def _thousand(scene: Scene, bar) -> MarketCoverage:
    world = scene.world
    options = {"n": scene.n, "confidence_level": scene.level, "rng": scene.seed}
    if isinstance(world, ShareWorld):
        informed = round(FINE * world.informing)
        right = round(informed * world.truth)
        kinds = [right, informed - right, FINE - informed]
        return proportion_coverage([1, 0, 0], [1, 1, 0], counts=kinds, **options)
    return mean_coverage(
        world.values,
        counts=world.counts,
        progress=lambda done, total: bar.progress(done / total, text="Drawing test sets"),
        **options,
    )


def _explain(scene: Scene, pile: Pile) -> None:
    fold_outs(
        not_said=[
            "It does not say that a given interval holds the truth with this probability: each one "
            "holds it or does not, and the share belongs to the procedure.",
            "It does not say where the next score will fall: that score has luck of its own, so an "
            "interval holds it less often.",
            "The world is known here. On real cases it is not, and a world that differs (few huge "
            "errors, cases in groups) can make the share smaller.",
        ],
        formulas=[r"\text{share} \pm \sqrt{\text{share}\,(1-\text{share}) / \text{test sets}}"],
        explanation=[
            "Each test set is drawn from the world, scored, and given an interval by the chosen "
            "method. The same seed draws the same sets, however they are added.",
            "A test set that gives no interval counts as a miss.",
        ],
        code=_code(scene, pile),
    )
    table = pd.DataFrame(
        {
            "test_set": np.arange(1, pile.n_sets + 1),
            "score": pile.score,
            "low": pile.low,
            "high": pile.high,
            "holds_truth": pile.held,
            "next_score": pile.next_score,
            "holds_next_score": pile.held_next,
        }
    )
    record = {
        "truth": pile.truth,
        "test_sets": pile.n_sets,
        "held": int(pile.held.sum()),
        "held_next": int(pile.held_next.sum()),
        "confidence_level": pile.confidence_level,
        "method": scene.method,
        "n": scene.n,
        "seed": scene.seed,
    }
    teaching.downloads(
        table=table, numbers=record, sentence=pile_sentence(pile), name="margin_pile"
    )


def _code(scene: Scene, pile: Pile) -> str:
    blocks = -(-pile.n_sets // BLOCK)
    call = (
        f"pile_block(world, {scene.n}, block, method={scene.method!r}, "
        f"confidence_level={scene.level!r}, seed={scene.seed!r})"
    )
    return (
        "from evalcore.simulation import *\n"
        f"{scene.code}\n"
        f"blocks = [{call} for block in range({max(blocks, 1)})]\n"
        f"pile = join_piles(blocks, {pile.n_sets})\n"
        "print(pile.held.mean(), pile.held_next.mean())\n"
    )
