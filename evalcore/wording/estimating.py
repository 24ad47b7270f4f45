"""What estimates of an error rate say, over repetitions and beside the truth."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from evalcore.wording.numbers import level, lower_first, units

# Loading the estimators loads scikit-learn, which no other page needs.
if TYPE_CHECKING:
    from evalcore.estimators.estimates import ErrorEstimate
    from evalcore.estimators.jackknife import Jackknife
    from evalcore.estimators.nested import Tuning
    from evalcore.estimators.study import NeighbourCurve
    from evalcore.estimators.wrong_turns import Optimism, WrongTurn


def percent(value: float) -> str:
    """Return a fraction as people say it, one decimal: 26.3%."""
    return f"{100 * value:.1f}%"


def _off(gap: float) -> str:
    if abs(gap) < 0.0005:
        return "on the mark"
    return f"{100 * abs(gap):.1f} points too {'high' if gap > 0 else 'low'}"


def _inside(label: str) -> str:
    """Return a label as it stands inside a sentence; K-fold keeps its K."""
    return label if label[1:2] == "-" else lower_first(label)


def study_sentence(
    means: Mapping[str, float], truth: float, *, repetitions: int, n: int, fresh: int | None
) -> str:
    """Return which estimator comes closest to the truth on average, and how far off the worst is.

    Parameters
    ----------
    means : mapping of str to float
        Mean over repetitions by the label of each estimator.
    truth : float
        Mean true error; nan where it is unknown.
    fresh : int or None
        Fresh cases that measured it in all; None when it is known exactly.
    """
    draws = "one draw" if repetitions == 1 else f"{repetitions:,} draws"
    if not math.isfinite(truth):
        low, high = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
        splits = "one set of splits" if repetitions == 1 else f"{repetitions:,} sets of splits"
        return (
            f"Over {splits} of the same {units(n, 'cases')} the means run from "
            f"{percent(means[low])} ({_inside(low)}) to {percent(means[high])} "
            f"({_inside(high)}). The true error is not known here, and the points scatter by "
            "the luck of the split only, not by the luck of the cases."
        )
    how = "exactly" if fresh is None else f"on average, from {fresh:,} fresh cases"
    gaps = {key: mean - truth for key, mean in means.items()}
    best = min(gaps, key=lambda key: abs(gaps[key]))
    worst = max(gaps, key=lambda key: abs(gaps[key]))
    text = (
        f"Over {draws} of {units(n, 'cases')} the fitted rule's true error is {percent(truth)} "
        f"{how}."
    )
    if len(means) < 2:
        return f"{text} {best} is {_off(gaps[best])} on average."
    return (
        f"{text} {best} comes closest on average ({_off(gaps[best])}), "
        f"{_inside(worst)} is farthest off ({_off(gaps[worst])})."
    )


def spread_sentence(values: Sequence[float], truths: Sequence[float]) -> str | None:
    """Return how far a single estimate lies from the truth of its own cases, or None."""
    gaps = np.asarray(values, dtype=float) - np.asarray(truths, dtype=float)
    if len(gaps) < 3 or not np.isfinite(gaps).all():
        return None
    return (
        "A single K-fold estimate typically misses the true error of its own rule by "
        f"{100 * math.sqrt(float(np.mean(gaps**2))):.1f} points: being right on average is not "
        "being right this time."
    )


def standard_error_sentence(estimate: ErrorEstimate) -> str | None:
    """Return the corrected standard error beside those that take the rounds for independent."""
    if not math.isfinite(estimate.standard_error) or estimate.interval is not None:
        return None
    return (
        f"{estimate.label} here: {percent(estimate.estimate)}, corrected "
        f"standard error {100 * estimate.standard_error:.1f} points (Nadeau and Bengio). The "
        f"rounds taken for independent would give {100 * estimate.naive_standard_error:.1f}, the "
        f"pooled cases taken for one binomial test "
        f"{100 * estimate.binomial_standard_error:.1f}; both are wrong, because the rounds share "
        "most of the cases they fit, and several rules are judged, not one."
    )


def holdout_sentence(estimate: ErrorEstimate) -> str | None:
    """Return what a holdout says of its fitted rule, with its interval."""
    interval = estimate.interval
    if interval is None or not math.isfinite(interval.low):
        return None
    return (
        f"The holdout's rule, fitted to {estimate.n_fit:,.0f} cases, has an error of "
        f"{percent(estimate.estimate)} on {units(interval.n, interval.unit)}, "
        f"{level(interval.confidence_level)} interval {percent(interval.low)} to "
        f"{percent(interval.high)}. The interval is about that rule, not about the one fitted to "
        "all cases."
    )


def winners_sentence(chosen: Sequence[str]) -> str:
    """Return the winner of each outer fold of nested cross-validation."""
    different = len(set(chosen))
    agree = "the same" if different == 1 else f"{different} different winners"
    return (
        f"Chosen in the {len(chosen)} outer folds: {', '.join(chosen)} ({agree}). The nested error "
        "is that of choosing and fitting together, not of any one of them."
    )


def curve_sentence(curve: NeighbourCurve) -> str:
    """Return where each error is smallest, and what k = 1 says of its own cases."""
    best = int(np.argmin(curve.cross_validated))
    text = (
        f"On the cases it was fitted to, k = {curve.ks[0]} errs in {percent(curve.apparent[0])}; "
        f"cross-validated, in {percent(curve.cross_validated[0])}. Cross-validation is lowest at "
        f"k = {curve.ks[best]} ({percent(curve.cross_validated[best])})"
    )
    if not math.isfinite(curve.true[0]):
        return f"{text}."
    lowest = int(np.argmin(curve.true))
    return (
        f"{text}, the true error at k = {curve.ks[lowest]} ({percent(curve.true[lowest])}); the "
        f"k that cross-validation picks truly errs in {percent(curve.true[best])}."
    )


def tuning_sentence(tuning: Tuning) -> str:
    """Return what was chosen, by which rule, and that its error is not an estimate."""
    smallest = tuning.errors[tuning.place]
    ties = [
        rule.k
        for rule, error in zip(tuning.candidates, tuning.errors, strict=True)
        if error == smallest
    ]
    tie = f" (equal at k = {', '.join(map(str, ties))}: the first counts)" if len(ties) > 1 else ""
    return (
        f"The training cases choose k = {tuning.chosen.k} with a cross-validated error of "
        f"{percent(smallest)}{tie}. That number was picked as the smallest of "
        f"{len(tuning.errors)}, so it flatters; only the test set, read once, can say more."
    )


def look_sentence(number: int, changes: Sequence[str]) -> str:
    """Return what a look at the test set is worth: the first one, or one after changes."""
    if number == 1:
        return "First look: the rule was frozen before the test set was read."
    what = ", ".join(changes) if changes else "nothing"
    return (
        f"Look {number}, made after the test set had been read; changed since the first look: "
        f"{what}. Its score is no longer that of an untouched test set."
    )


def wrong_turn_sentence(turn: WrongTurn, tempting: Optimism, honest: Optimism, reps: int) -> str:
    """Return how much better than the truth a wrong turn looks, and how the right way does."""
    margin = f"Monte Carlo error {100 * tempting.standard_error:.1f}"
    clear = abs(tempting.mean) > 2 * tempting.standard_error
    amount = "little" if tempting.mean > 0 else "much"
    verdict = (
        f"reports {100 * abs(tempting.mean):.1f} points too {amount} error on average ({margin})"
        if clear
        else f"is off by {100 * abs(tempting.mean):.1f} points on average ({margin}), which these "
        "draws cannot tell from nothing; it is a leak all the same, and larger with fewer cases"
    )
    side = "below" if honest.mean > 0 else "above"
    return (
        f"Over {reps:,} draws, to {turn.tempting} {verdict}. To {turn.honest} ends "
        f"{100 * abs(honest.mean):.1f} points {side} the truth (Monte Carlo error "
        f"{100 * honest.standard_error:.1f})."
    )


def estimating_does_not_say() -> list[str]:
    """Return what no estimate of an error rate means, one sentence each."""
    return [
        "An estimate of the procedure is not the error of the rule you keep: it averages over "
        "rules fitted to other cases.",
        "None of this covers cases that differ from those in the table: another site, another "
        "year, other labels.",
        "Once several rules have been compared by these numbers, the smallest of them flatters "
        "its rule. Judge the choice from outside, by nested cross-validation or an untouched test "
        "set.",
        "Repeating the split shows the luck of the split. It creates no new cases.",
    ]


def jackknife_sentence(found: Jackknife, *, what: str, n: int) -> str:
    """Return what leaving out each case in turn says of a statistic."""
    if not math.isfinite(found.standard_error):
        return f"The {what} is not defined for these cases, or not without one of them."
    start = f"The {what} of these {units(n, 'cases')} is {found.estimate:.4g}, with a jackknife "
    error = f"standard error of {found.standard_error:.4g}."
    if abs(found.bias) <= 1e-9 * max(abs(found.estimate), found.standard_error):
        return f"{start}{error} It shows no bias."
    side = "high" if found.bias > 0 else "low"
    return (
        f"{start}{error} By the jackknife it is {abs(found.bias):.3g} too {side}; corrected it is "
        f"{found.corrected:.4g}."
    )


def inclusion_sentence(probability: float, n: int) -> str:
    """Return how likely a case is to be in a bootstrap sample."""
    return (
        f"A bootstrap sample of {units(n, 'cases')} holds a given case with probability "
        f"{percent(probability)}, so about {n * probability:,.0f} distinct ones; the other "
        f"{percent(1 - probability)} are left out and judge the rule. With many cases it is "
        "63.2%: hence the name of the .632 estimator."
    )
