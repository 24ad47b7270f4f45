"""Luck in tests: many comparisons, repeated looks at one holdout, slices."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.binomial import proportion_interval
from evalcore.charts import Axes, Line, lines_chart, slices_chart, smallest_p_chart
from evalcore.comparison import compare_models
from evalcore.metrics import METRICS, metrics_for
from evalcore.predictions import Predictions
from evalcore.simulation import Batches, Leaderboards, RepeatedLooks
from evalcore.sufficient import case_columns
from evalcore.wording import batches_sentence, finding_sentence, looks_sentence, slices_sentence
from pages.shared import controls, luck_cached, teaching
from pages.shared.frame import palette
from pages.shared.python import reading_code
from pages.shared.showing import fold_outs
from pages.shared.state import Loaded

NORMAL = "normal"
LOADED = "loaded"
SOURCES = {LOADED: "Loaded, centred at 0", NORMAL: "Normal"}
BATCHES = 1_000
MEANS = ("accuracy", "mae", "mean_score")


@st.fragment
def show_batches(loaded: Loaded) -> None:
    """Show how often a batch of tests of nothing holds a small p-value all the same."""
    predictions = loaded.predictions
    tests, first, second, confidence, batch, seed = _ask_batches(predictions)
    alpha = round(1.0 - confidence, 6)
    values, counts, digest = None, None, None
    if first is not None:
        values, counts = _differences(predictions, first, second)
        digest = f"{predictions.digest} {first} {second}"
    found = luck_cached.null_batches(digest, values, counts, tests, BATCHES, alpha, seed)
    if not teaching.guessed(
        "batches",
        f"Of 100 batches of {tests} tests of nothing, how many hold a p-value below {alpha:g}?",
        100 * found.any_below,
    ):
        return
    teaching.say([batches_sentence(found), finding_sentence(found, batch - 1)])
    _batch_charts(found)
    if teaching.presenting():
        return
    _explain_batches(_batches_code(loaded, first, second, tests, alpha, seed))
    table = pd.DataFrame(
        {
            "batch": np.arange(1, BATCHES + 1),
            "smallest_p": found.smallest,
            "smallest_p_holm": found.smallest_adjusted,
        }
    )
    teaching.downloads(
        table=table,
        numbers={
            "tests": tests,
            "batches": BATCHES,
            "share_below": found.share_below,
            "any_below": found.any_below,
            "expected_any": found.expected_any,
            "any_after_holm": found.any_after_holm,
        },
        sentence=batches_sentence(found),
        name="margin_many_tests",
    )


def _explain_batches(code: str) -> None:
    fold_outs(
        not_said=[
            "A small p-value out of many is not a finding: luck hands them out at a known rate.",
            "A correction keeps false alarms rare; it does not make true findings more frequent.",
        ],
        formulas=[r"P(\text{at least one}) = 1 - (1-\alpha)^m", r"p_{(1)}^{Holm} = m\,p_{(1)}"],
        explanation=[
            "Each test is a t test on a resample of the differences less their mean, so that their "
            "spread stays and the gap is gone. For normal differences its p-value is uniform.",
            "Reference: Holm (1979), Scandinavian Journal of Statistics 6, 65-70.",
        ],
        code=code,
    )


def _ask_batches(
    predictions: Predictions,
) -> tuple[int, str | None, str | None, float, int, int]:
    """Return tests, the two models (None for normal differences), level, batch shown and seed."""
    pairs = _pairs(predictions)
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="controls"):
        tests = st.number_input(
            "Tests in a batch", 1, 200, 20, key="tests", bind="query-params", width=controls.WIDTH
        )
        source = st.selectbox(
            "Differences",
            [*([LOADED] if pairs else []), NORMAL],
            format_func=lambda key: SOURCES.get(key, key),
            key="differences",
            bind="query-params",
            width=controls.WIDTH + 30,
        )
        first = second = None
        if source == LOADED:
            first = st.selectbox(
                "Model A", list(pairs), key="a", bind="query-params", width=controls.WIDTH
            )
            second = st.selectbox(
                "Model B", pairs[first], key="b", bind="query-params", width=controls.WIDTH
            )
        confidence = controls.pick_level()
        batch = st.number_input(
            "Batch shown", 1, BATCHES, 1, key="batch", bind="query-params", width=controls.WIDTH
        )
        with st.popover("Options", icon=":material/tune:"):
            seed = controls.pick_seed()
    return tests, first, second, confidence, batch, seed


def _batch_charts(found: Batches) -> None:
    tests = found.p_values.shape[1]
    quiet = 1.0 - found.significance
    chart = smallest_p_chart(
        found.smallest,
        found.significance,
        title=f"The smallest of {tests} p-values, {BATCHES:,} batches",
        palette=palette(),
    )
    teaching.show_chart(chart, key="smallest_p")
    number = np.unique(np.round(np.geomspace(1, max(tests, 50), 40))).astype(int)
    expected = lines_chart(
        [Line(label="at least one", x=number.astype(float), y=100 * (1 - quiet**number))],
        Axes(
            x="tests in a batch",
            y="percent of batches",
            y_range=(0, 101),
            reference=(100 * found.any_below, f"drawn, {tests} tests"),
        ),
        title="Chance of at least one false alarm",
        palette=palette(),
        name="false_alarms",
    )
    if not teaching.presenting():
        teaching.show_chart(expected, key="false_alarms")


def _pairs(predictions: Predictions) -> dict[str, list[str]]:
    """Return, per model, the others that it differs from in a way that a t test can look at."""
    if not predictions.is_labelled and predictions.task != "score":
        return {}
    usable = [m for m in predictions.models if _score(predictions, m) is not None]
    pairs = {}
    for a in usable:
        others = [b for b in usable if b != a and _varies(_differences(predictions, a, b))]
        if others:
            pairs[a] = others
    return pairs


def _score(predictions: Predictions, model: str) -> str | None:
    offered = {metric.key for metric in metrics_for(predictions, model)}
    return next((key for key in MEANS if key in offered), None)


def _varies(pair: tuple[np.ndarray, np.ndarray]) -> bool:
    values = pair[0][pair[1] > 0]
    return len(values) > 1 and bool(np.isfinite(values).all() and np.ptp(values) > 0)


def _differences(predictions: Predictions, a: str, b: str) -> tuple[np.ndarray, np.ndarray]:
    """Return A minus B with counts, case by case; for labels three kinds of case are enough."""
    key = _score(predictions, a)
    if key == "accuracy":
        found = compare_models(predictions, key, a, b)
        kinds = (found.only_a, found.only_b, found.both + found.neither)
        return np.array([1.0, -1.0, 0.0]), np.array(kinds)
    case = case_columns(predictions, METRICS[key], (a, b))
    return case.of(a)[:, 0] - case.of(b)[:, 0], case.counts


def _batches_code(
    loaded: Loaded, a: str | None, b: str | None, tests: int, alpha: float, seed: int
) -> str:
    given = f"n_batches={BATCHES}, significance={alpha!r}, rng={seed}"
    start = "from evalcore.simulation import null_batches\n"
    ends = "print(found.any_below, found.expected_any, found.any_after_holm)\n"
    if a is None:
        return f"{start}\nfound = null_batches({tests}, {given})\n{ends}"
    key = _score(loaded.predictions, a)
    if key == "accuracy":
        return (
            f"{start}{reading_code(loaded, ['compare_models'])}\n"
            f"pair = compare_models(predictions, 'accuracy', {a!r}, {b!r})\n"
            "kinds = [pair.only_a, pair.only_b, pair.both + pair.neither]\n"
            f"found = null_batches({tests}, [1, -1, 0], counts=kinds, {given})\n{ends}"
        )
    return (
        "from evalcore.metrics import METRICS\n"
        f"{start}from evalcore.sufficient import case_columns\n{reading_code(loaded, [])}\n"
        f"case = case_columns(predictions, METRICS[{key!r}], ({a!r}, {b!r}))\n"
        "differences = case.columns[:, 0] - case.columns[:, 1]\n"
        f"found = null_batches({tests}, differences, counts=case.counts, {given})\n{ends}"
    )


@st.fragment
def show_looks(_: Loaded) -> None:
    """Show what repeated looks make of one holdout, and what noise and a budget save."""
    n, looks, accuracy, settings, seed = _ask_looks()
    found = luck_cached.repeated_looks(n, looks, accuracy, *settings, seed)
    if not teaching.guessed(
        "looks",
        f"No variant is better than {accuracy:.0%}. After {looks} looks, what does the plain "
        "holdout show, in percent?",
        100 * float(found.plain[:, -1].mean()),
    ):
        return
    teaching.say([looks_sentence(found)])
    _looks_charts(found, settings[2])
    if teaching.presenting():
        return
    _explain_looks(n, looks, accuracy, settings, seed)
    table = pd.DataFrame(
        {
            "look": np.arange(looks + 1),
            "plain": np.median(found.plain, axis=0),
            "reusable": np.nanmedian(found.reusable, axis=0),
            "spent": found.spent.mean(axis=0),
        }
    )
    teaching.downloads(
        table=table,
        numbers={
            "truth": accuracy,
            "plain": float(found.plain[:, -1].mean()),
            "reusable": float(np.nanmean(found.reusable[:, -1])),
            "spent": float(found.spent[:, -1].mean()),
        },
        sentence=looks_sentence(found),
        name="margin_looks",
    )


def _ask_looks() -> tuple[int, int, float, tuple[float, float, int], int]:
    """Return cases, looks, true accuracy, (threshold, noise, budget) as fractions, and seed."""
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="controls"):
        n = st.number_input(
            "Cases", 50, 50_000, 1_000, step=100, key="holdout", bind="query-params",
            width=controls.WIDTH,
        )  # fmt: skip
        looks = st.number_input(
            "Looks", 5, 1_000, 200, step=10, key="looks", bind="query-params", width=controls.WIDTH
        )
        threshold = st.number_input(
            "Threshold, points", 0.5, 20.0, 4.0, step=0.5, format="%.3g", key="allowed",
            bind="query-params", width=controls.WIDTH,
            help="The training score is the answer until the holdout is further off than this.",
        )  # fmt: skip
        noise = st.number_input(
            "Noise, points", 0.1, 10.0, 0.5, step=0.1, format="%.3g", key="noise",
            bind="query-params", width=controls.WIDTH,
            help="Scale of the Laplace noise on an answer from the holdout.",
        )  # fmt: skip
        budget = st.number_input(
            "Budget, answers", 1, 1_000, 20, key="budget", bind="query-params",
            width=controls.WIDTH,
        )  # fmt: skip
        with st.popover("Options", icon=":material/tune:"):
            accuracy = st.number_input(
                "True accuracy", 0.5, 0.99, 0.8, step=0.05, key="true_accuracy", bind="query-params"
            )
            seed = controls.pick_seed()
    return n, looks, accuracy, (threshold / 100, noise / 100, budget), seed


def _looks_charts(found: RepeatedLooks, budget: int) -> None:
    x = np.arange(found.plain.shape[1], dtype=float)
    lines = []
    for label, values in (("plain holdout", found.plain), ("reusable holdout", found.reusable)):
        low, middle, high = 100 * np.nanquantile(values, [0.1, 0.5, 0.9], axis=0)
        lines.append(Line(label=label, x=x, y=middle, low=low, high=high))
    chart = lines_chart(
        lines,
        Axes(
            x="looks at the holdout",
            y="accuracy believed, percent",
            reference=(100 * found.truth, "the truth"),
        ),
        title="Believed after each look",
        palette=palette(),
        name="looks",
    )
    teaching.show_chart(chart, key="looks_chart")
    if teaching.presenting():
        return
    st.caption("Line: middle of 200 repeats. Band: 8 in 10 of them.")
    spent = found.spent.mean(axis=0)
    chart = lines_chart(
        [Line(label="spent", x=x, y=spent)],
        Axes(x="looks at the holdout", y="answers spent", reference=(float(budget), "budget")),
        title="What the looks cost of the budget",
        palette=palette(),
        name="budget",
    )
    teaching.show_chart(chart, key="budget_chart")


def _explain_looks(
    n: int, looks: int, accuracy: float, settings: tuple[float, float, int], seed: int
) -> None:
    threshold, noise, budget = settings
    fold_outs(
        not_said=[
            "The reusable holdout does not make repeated looks free: it bounds what they can "
            "gain, at about the threshold, for as long as the budget lasts.",
            "A holdout read once, for a model already chosen, needs none of this.",
        ],
        formulas=[
            r"|\hat a_{holdout} - \hat a_{train}| > T + \mathrm{Lap}(2\sigma) + "
            r"\mathrm{Lap}(4\sigma)\ \Rightarrow\ \hat a_{holdout} + \mathrm{Lap}(\sigma)",
            r"\text{else}\ \Rightarrow\ \hat a_{train}",
        ],
        explanation=[
            "Each look tries a variant that answers one case in ten anew and is no better in "
            "truth; it is kept when the answer is above the best so far.",
            "An answer that comes from the holdout costs one of the budget; when it is used up, "
            "there are no more answers.",
            "Reference: Dwork and others (2015), Science 349, 636-638.",
        ],
        code=(
            "from evalcore.simulation import Thresholdout, repeated_looks\n\n"
            f"settings = Thresholdout(threshold={threshold!r}, noise={noise!r}, "
            f"budget={budget})\n"
            f"found = repeated_looks({n}, {looks}, accuracy={accuracy!r}, reusable=settings, "
            f"rng={seed})\nprint(found.plain[:, -1].mean(), found.spent[:, -1].mean())\n"
        ),
    )


@st.fragment
def show_slices(_: Loaded) -> None:
    """Show how slices of equal quality spread, and how their ranking changes."""
    accuracy, number, n, spread, repeat, seed = _ask_slices()
    boards = luck_cached.leaderboards(accuracy, spread / 100, number, n, n, seed)
    if not teaching.guessed(
        "slices",
        "How often is the worst slice the worst again on the next test set?",
        100 * boards.last_again,
    ):
        return
    one = proportion_interval(round(n * accuracy), n, method="wald")
    width = (
        f"A slice of {n:,} cases at {accuracy:.0%} is known to about "
        f"±{100 * one.width / 2:.1f} points (95%)."
    )
    teaching.say([slices_sentence(boards), width])
    chart = slices_chart(
        boards,
        title="The same slices on two test sets",
        palette=palette(),
        repeat=repeat - 1,
    )
    teaching.show_chart(chart, key="slices_chart")
    if teaching.presenting():
        return
    table = _slices_table(boards, repeat)
    _explain_slices(accuracy, number, n, spread, seed)
    teaching.downloads(
        table=table,
        numbers={
            "range": boards.range,
            "worst_again": boards.last_again,
            "rank_correlation": boards.rank_correlation,
        },
        sentence=slices_sentence(boards),
        name="margin_slices",
    )


def _ask_slices() -> tuple[float, int, int, float, int, int]:
    """Return accuracy, slices, cases in each, spread in points, pair of sets shown and seed."""
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="controls"):
        percent = st.number_input(
            "Accuracy, percent", 50.0, 99.0, 90.0, step=1.0, format="%.4g", key="slice_accuracy",
            bind="query-params", width=controls.WIDTH,
        )  # fmt: skip
        number = st.number_input(
            "Slices", 2, 50, 20, key="slices", bind="query-params", width=controls.WIDTH
        )
        n = st.number_input(
            "Cases in a slice", 10, 20_000, 250, step=50, key="per_slice", bind="query-params",
            width=controls.WIDTH,
        )  # fmt: skip
        spread = st.number_input(
            "True spread, points", 0.0, 10.0, 0.0, step=0.5, format="%.3g", key="slice_spread",
            bind="query-params", width=controls.WIDTH,
            help="Standard deviation of the slices' true accuracies; 0: all are equal.",
        )  # fmt: skip
        repeat = st.number_input(
            "Pair of sets",
            1,
            2_000,
            1,
            key="slice_repeat",
            bind="query-params",
            width=controls.WIDTH,
        )
        with st.popover("Options", icon=":material/tune:"):
            seed = controls.pick_seed()
    return round(percent / 100, 6), number, n, spread, repeat, seed


def _slices_table(boards: Leaderboards, repeat: int) -> pd.DataFrame:
    table = pd.DataFrame(
        {
            "slice": [f"slice {i + 1}" for i in range(len(boards.truth))],
            "true accuracy": boards.truth,
            "this test set": boards.public[repeat - 1],
            "next test set": boards.private[repeat - 1],
            "how often the worst": boards.share_last,
        }
    )
    st.dataframe(
        table,
        hide_index=True,
        column_config=dict.fromkeys(
            table.columns[1:], st.column_config.NumberColumn(format="percent")
        ),
        alt="Each slice's true accuracy, its two scores, and how often it is the worst",
    )
    return table


def _explain_slices(accuracy: float, number: int, n: int, spread: float, seed: int) -> None:
    fold_outs(
        not_said=[
            "The lowest of many slices is not shown to be a weak one: some slice is always lowest.",
            "A slice that matters needs a test set sized for that slice.",
        ],
        formulas=[r"\pm z \sqrt{p(1-p)/n}"],
        explanation=[
            "2,000 pairs of test sets are drawn from slices of known accuracy; ties share the last "
            "place.",
        ],
        code=(
            "from evalcore.simulation import leaderboards, spread_of_accuracies\n\n"
            f"truth = spread_of_accuracies({accuracy!r}, {spread / 100!r}, {number})\n"
            f"boards = leaderboards(truth, {n}, {n}, rng={seed})\n"
            "print(boards.range, boards.last_again, boards.rank_correlation)\n"
        ),
    )
