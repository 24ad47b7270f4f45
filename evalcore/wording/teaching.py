"""What the simulators show, in words."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from evalcore.results import Coverage
from evalcore.simulation import (
    Batches,
    CoverageRange,
    Duel,
    Leaderboards,
    Pile,
    RepeatedLooks,
    share_error,
)
from evalcore.wording.comparing import p_text
from evalcore.wording.numbers import level, signed


def share_text(share: float, number: int) -> str:
    """Return a simulated share with its Monte Carlo error: "92.7% ± 0.8"."""
    if number == 0 or not math.isfinite(share):
        return "none yet"
    return f"{share:.1%} ± {100 * share_error(share, number):.1f}"


def pile_sentence(pile: Pile) -> str:
    """Return how often the intervals held the truth, and how often the next score."""
    if pile.n_sets == 0:
        return "No test set has been drawn yet."
    held, following = int(pile.held.sum()), int(pile.held_next.sum())
    if pile.n_sets == 1:
        truth, score = ("holds" if hits else "misses" for hits in (held, following))
        return f"The one interval {truth} the truth and {score} the score of the next test set."
    said = (
        f"Of {pile.n_sets:,} intervals, {held:,} hold the truth and {following:,} hold the score "
        "of the next test set."
    )
    if pile.undefined:
        said += f" {pile.undefined:,} test sets gave no interval, which counts as a miss."
    return said


def promise_sentence(pile: Pile) -> str:
    """Return whether the share that holds the truth agrees with what the level promises."""
    if pile.n_sets < 30:
        return "Draw more test sets before reading the share: so few can show nearly anything."
    share = float(pile.held.mean())
    error = share_error(pile.confidence_level, pile.n_sets)
    promise = level(pile.confidence_level)
    if abs(share - pile.confidence_level) <= 2 * error:
        return (
            f"That agrees with the {promise} that is promised, as far as {pile.n_sets:,} test sets "
            f"can tell (luck alone moves the share by {100 * error:.1f} points)."
        )
    side = "less" if share < pile.confidence_level else "more"
    return (
        f"That is {side} than the {promise} that is promised, by "
        f"{abs(share - pile.confidence_level) / error:.1f} times what luck alone moves the share "
        f"({100 * error:.1f} points with {pile.n_sets:,} test sets)."
    )


def exact_sentence(found: Coverage, label: str) -> str:
    """Return the exact coverage of one true share, beside draws from it."""
    return (
        f"Counted exactly, over all outcomes of {found.n:,} cases, the {label} interval holds a "
        f"true share of {float(found.proportion):.1%} in {float(found.coverage):.1%} of test sets."
    )


def coverage_sentence(found: Mapping[str, CoverageRange], confidence_level: float) -> str:
    """Return which method stays closest to its level on average, and which falls lowest."""
    closest = min(found, key=lambda name: abs(found[name].mean - confidence_level))
    lowest = min(found, key=lambda name: found[name].minimum)
    return (
        f"Over this range the {closest} interval covers {found[closest].mean:.1%} on average, the "
        f"closest to {level(confidence_level)}; the {lowest} interval falls lowest, to "
        f"{found[lowest].minimum:.1%} at a true share of {found[lowest].at:.1%}."
    )


def duel_sentence(duel: Duel) -> str:
    """Return how often a test set of this size points to the better model."""
    worse = 1.0 - duel.same_set - duel.tied
    return (
        f"On {duel.n:,} cases the better model measures higher {duel.same_set:.1%} of the time, "
        f"the two tie {duel.tied:.1%}, and the worse one wins {worse:.1%}. The paired test shows "
        f"it {duel.paired_test:.1%} of the time; the two intervals lie apart {duel.disjoint:.1%}."
    )


def batches_sentence(found: Batches) -> str:
    """Return how often a batch of tests of nothing shows something, before and after Holm."""
    batches, tests = found.p_values.shape
    said = f"{tests} tests" if tests > 1 else "one test"
    return (
        f"Nothing is there to be found. Of {batches:,} batches of {said}, {found.any_below:.1%} "
        f"hold a p-value below {found.significance:g} (independent tests: "
        f"{found.expected_any:.1%}); after Holm's correction {found.any_after_holm:.1%} do."
    )


def finding_sentence(found: Batches, batch: int = 0) -> str:
    """Return the smallest p-value of one batch, as the finding that it is not."""
    smallest = float(found.smallest[batch])
    adjusted = float(found.smallest_adjusted[batch])
    tests = found.p_values.shape[1]
    verdict = "looks like a finding" if smallest < found.significance else "looks like nothing"
    return (
        f"The smallest p-value of batch {batch + 1:,} is {p_text(smallest)}. Alone it {verdict}; "
        f"as the smallest of {tests} it counts as {p_text(adjusted)}."
    )


def optimism_sentence(n: int, proportion: float, models: int, expected: float) -> str:
    """Return how much the best of equal models flatters itself."""
    return (
        f"The best of {models:,} equal models, each right on {proportion:.1%} of all cases, is "
        f"expected to show {expected:.1%} on {n:,} cases: "
        f"{100 * (expected - proportion):.1f} points of luck."
    )


def leaderboard_sentence(boards: Leaderboards) -> str:
    """Return what the public winner shows, deserves and gets on fresh cases."""
    repeats, entries = boards.public.shape
    return (
        f"Over {repeats:,} competitions of {entries} models, the public winner shows "
        f"{boards.shown:.1%}, is truly worth {boards.deserved:.1%} and scores {boards.fresh:.1%} "
        f"on the private set. It leads there too in {boards.keeps_first:.0%} of them, and is the "
        f"truly best model in {boards.best_wins:.0%}."
    )


def looks_sentence(found: RepeatedLooks) -> str:
    """Return what is believed after the last look, and what is true."""
    repeats, looks = found.plain.shape
    plain, guarded = (float(np.nanmean(side[:, -1])) for side in (found.plain, found.reusable))
    spent = float(found.spent[:, -1].mean())
    return (
        f"After {looks - 1:,} looks the plain holdout shows {plain:.1%} and the reusable one "
        f"{guarded:.1%}, on average over {repeats:,} repeats; the truth is {found.truth:.1%} all "
        f"along. The reusable one has spent {spent:.1f} answers of its budget and has fallen "
        f"silent in {found.silent[:, -1].mean():.0%} of the repeats."
    )


def slices_sentence(boards: Leaderboards) -> str:
    """Return how far slices spread by luck and whether the worst stays the worst."""
    entries = len(boards.truth)
    equal = np.ptp(boards.truth) == 0
    start = (
        f"All {entries} slices are equally good"
        if equal
        else f"The {entries} slices truly range from {boards.truth[-1]:.1%} to "
        f"{boards.truth[0]:.1%}"
    )
    return (
        f"{start}, yet the measured ones lie {100 * boards.range:.1f} points apart on average. The "
        f"worst slice is the worst again on the next test set {boards.last_again:.0%} of the time; "
        f"the two rankings have a correlation of {signed(f'{boards.rank_correlation:z.2f}')}."
    )


def cut_axis_sentence(score_a: float, score_b: float, start: float) -> str:
    """Return how much an axis that does not start at 0 makes of a gap; ``start`` in percent."""
    seen = (100 * score_b - start) / (100 * score_a - start)
    return (
        f"Cut at {start:g}%, the bar of B looks {seen:.2f} times as high as that of A; the scores "
        f"themselves have a ratio of {score_b / score_a:.3f}."
    )


def guess_sentence(guess: float, answer: float, unit: str) -> str:
    """Return a guess beside the answer."""
    off = abs(guess - answer)
    verdict = "spot on" if off < 0.5 else f"off by {off:.0f}"
    return f"You said {guess:.0f}{unit}; it is {answer:.1f}{unit}: {verdict}."
