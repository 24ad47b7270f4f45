"""What a plan says: the sentence for a planning document, its cost, and what is impossible.

Shares, gaps and half-widths come in as fractions and are said in percent and points.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from evalcore.results import Cost, Interval, SampleSize, SequentialPlan, SimulatedSize
from evalcore.wording.numbers import level, range_text, units

TEST_NAMES = {
    "exact": "exact McNemar test",
    "midp": "mid-p McNemar test",
    "chi2": "chi-squared McNemar test",
    "chi2_corrected": "chi-squared McNemar test with correction",
    "normal": "formula (z + z)² d / gap²",
    "connor": "formula with Connor's refinement",
}


def percent_text(share: float) -> str:
    """Return a share in percent with up to four digits that tell something: "8.412%"."""
    return f"{100 * share:.4g}%"


def points_text(gap: float) -> str:
    """Return a gap between two shares in points: "1 point", "0.1 points"."""
    text = f"{100 * gap:.4g}"
    return f"{text} point" if text == "1" else f"{text} points"


def power_text(power: float) -> str:
    """Return a power in percent with one decimal, never rounded up to a target it misses."""
    return f"{math.floor(1000 * power + 1e-9) / 10:.1f}%"


def money_text(total: float) -> str:
    """Return an amount without a currency; cents only where they matter."""
    return f"{total:,.0f}" if total >= 100_000 or total == round(total) else f"{total:,.2f}"


def cost_sentence(cost: Cost, *, price: float, labels_per_case: int, share_labelled: float) -> str:
    """Return what has to be bought and what it costs."""
    start = f"{units(cost.cases, 'cases')} need a label"
    if cost.cases == 1:
        start = "1 case needs a label"
    if share_labelled > 0:
        start += f", {percent_text(share_labelled)} have theirs already"
    each = f" of {labels_per_case} annotators each" if labels_per_case > 1 else ""
    labels = f"{cost.labels:,} label" + ("" if cost.labels == 1 else "s")
    return f"{start}: {labels}{each}, {money_text(cost.total)} at {price:,.6g} a label."


def half_width_sentence(
    size: SampleSize,
    *,
    what: str,
    expected: float,
    half_width: float,
    confidence_level: float,
    guarantee: str,
) -> str:
    """Return what measuring one share to a half-width takes."""
    return (
        f"To know {what} to plus or minus {points_text(half_width)} ({level(confidence_level)} "
        f"interval, absolute) when it is near {percent_text(expected)}, {guarantee}, the test set "
        f"needs {_counted(size)}."
    )


def mean_sentence(
    size: SampleSize, *, what: str, half_width: str, confidence_level: float, basis: str
) -> str:
    """Return what measuring any other metric to a half-width takes; ``half_width`` has its unit."""
    return (
        f"To know {what} to plus or minus {half_width} ({level(confidence_level)} interval), "
        f"{basis}, the test set needs {_counted(size)}."
    )


def simulated_sentence(found: SimulatedSize, ignorance: str) -> str:
    """Return that a size was simulated, how exactly, and how sets without a score were counted.

    ``ignorance`` is half the range of the metric with its unit.
    """
    give = max(math.ceil(1.96 * found.error), 1)
    said = (
        f"This is simulated: {found.n_draws:,} test sets of each size were drawn from the file, "
        f"which fixes the size to give or take {units(give, found.size.unit)} (95% Monte Carlo)."
    )
    if found.undefined > 0:
        share = "fewer than 1 in 100" if found.undefined < 0.01 else percent_text(found.undefined)
        said += (
            f" In {share} of the sets the score does not exist, because no case informs it; such a "
            f"set counts as knowing nothing, plus or minus {ignorance}."
        )
    return said


def intervals_sentence(sizes: Mapping[str, int], unit: str) -> str:
    """Return what each kind of interval needs when the score comes out as expected."""
    listed = ", ".join(f"{name} {n:,}" for name, n in sizes.items())
    return f"By kind of interval, if the score comes out as expected, in {unit}: {listed}."


def requirement_sentence(
    size: SampleSize,
    *,
    what: str,
    expected: float,
    required: float,
    errors: int | None,
    power: float,
    significance: float,
) -> str:
    """Return what showing that a share is better than required takes, and when it passes."""
    passes = "" if errors is None else f" It passes with at most {units(errors, 'errors')}."
    return (
        f"To show with a one-sided exact test at {percent_text(significance)} that {what} is above "
        f"{percent_text(required)}, with a chance of {percent_text(power)} to succeed if it is "
        f"really {percent_text(expected)}, the test set needs {_counted(size)}.{passes}"
    )


def errors_sentence(
    size: SampleSize, *, what: str, required: float, errors: int, significance: float
) -> str:
    """Return how many cases still show a requirement with so many errors."""
    allowed = "no error at all" if errors == 0 else f"at most {units(errors, 'errors')}"
    return (
        f"If {allowed} may occur, {_counted(size)} are the fewest that show {what} to be above "
        f"{percent_text(required)} (one-sided exact test at {percent_text(significance)})."
    )


def passing_sentence(expected: float, chance: float) -> str:
    """Return how likely a plan with a fixed number of errors is to succeed."""
    return (
        f"A model whose true value is {percent_text(expected)} passes such a test in "
        f"{percent_text(chance)} of the times it is given."
    )


def winner_sentence(
    size: SampleSize, *, models: int, margin: float, confidence_level: float
) -> str:
    """Return how many cases keep the score of the best of several models honest."""
    return (
        f"With {_counted(size)} the winner of {units(models, 'models')} is, with "
        f"{percent_text(confidence_level)} confidence, truly no more than {points_text(margin)} "
        "worse than it looks."
    )


def luck_sentence(expected: float, best: float, models: int, n: int) -> str:
    """Return how optimistic the winner's score is."""
    return (
        f"The winner's score is optimistic all the same: of {units(models, 'models')} that are all "
        f"right on {percent_text(expected)}, the best scores {percent_text(best)} on average on "
        f"{units(n, 'cases')}."
    )


def paired_sentence(
    size: SampleSize,
    *,
    disagreement: float,
    gap: float,
    power: float,
    significance: float,
    alternative: str,
    comparisons: int,
    slices: int,
    only_disagreements: bool,
) -> str:
    """Return what telling two models apart on the same cases takes."""
    method = TEST_NAMES[size.method]
    counted = "" if comparisons == 1 else f", one of {comparisons} comparisons"
    sliced = "" if slices == 1 else f", in each of {slices} slices"
    label = "all of them need a label"
    if only_disagreements:
        label = f"about {size.labels:,} of them, those on which the models differ, need a label"
    each = "the same " + (
        f"{size.n:,} cases per slice ({size.n * slices:,} in all)"
        if slices > 1
        else units(size.n, "cases")
    )
    return (
        f"To find a gap of {points_text(gap)} (absolute) between two models of which exactly one "
        f"is right on {percent_text(disagreement)} of the cases, with {percent_text(power)} power "
        f"({method}, {alternative}, {percent_text(significance)} level{counted}{sliced}), both "
        f"models must answer {each}; {label}."
    )


def observed_gap_sentence(gap: float, cases: int) -> str:
    """Return what planning with a gap seen in a small file means."""
    return (
        f"The gap planned for, {points_text(gap)}, is the one seen on the {units(cases, 'cases')} "
        "of the file. A gap seen once is often larger than the true one; better plan for the "
        "smallest gap that matters."
    )


def gain_problem(gap: float, accuracy: float) -> str | None:
    """Return what is possible when a gap would lift a model above 100%."""
    if accuracy + gap <= 1 + 1e-12:
        return None
    return (
        f"A model right on {percent_text(accuracy)} can be beaten by at most "
        f"{points_text(1 - accuracy)}. Enter a smaller gap or a lower accuracy of A."
    )


def gap_sentence(gap: float, relative: float, accuracy: float) -> str:
    """Return what a relative gap is in points."""
    return (
        f"A gain of {percent_text(relative)} relative to an accuracy of {percent_text(accuracy)} "
        f"is {points_text(gap)} absolute; that is the gap planned for."
    )


def formula_sentence(exact: SampleSize, formula: SampleSize, *, power: float) -> str:
    """Return what the formula says beside what the exact test needs."""
    verdict = "short of" if formula.achieved < power else "at or above"
    test = "exact test" if exact.method == "exact" else TEST_NAMES[exact.method]
    return (
        f"The formula (z + z)² d / gap² says {formula.n:,} cases. The exact test has "
        f"{power_text(formula.achieved)} power there, {verdict} the {percent_text(power)} aimed "
        f"at; the {test} keeps {percent_text(power)} from {exact.n:,} cases on."
    )


def saw_tooth_sentence() -> str:
    """Return why more cases can mean a smaller chance to succeed."""
    return (
        "The chance is saw-toothed: the number of errors that passes is whole, so one case more "
        "can lower it a little. The size given is the one from which it stays."
    )


def paired_saw_tooth_sentence(deciding: float) -> str:
    """Return why the power of a paired test is saw-toothed, and where that shows."""
    return (
        f"About {deciding:,.0f} cases will decide, those with exactly one model right. Given their "
        "number, power is saw-toothed: the split that counts as significant is whole, so one "
        "deciding case more can lower it. Their number is luck itself, which smooths most of that "
        "away; the size given is the one from which the power stays at or above the target."
    )


def assurance_sentence() -> str:
    """Return why more cases can mean less assurance."""
    return (
        "The assurance is saw-toothed: scores come in whole cases, so one case more can lower it "
        "a little. The size given is the one from which it stays."
    )


def rate_sentence(found: Interval, *, correctness: bool, classes: int) -> str:
    """Return where a disagreement rate comes from and how well it is known."""
    share = percent_text(found.estimate)
    known = f"{level(found.confidence_level)} interval {range_text(found, 'percent')}"
    if correctness:
        return (
            f"Exactly one of the two is right on {share} of the {units(found.n, found.unit)} "
            f"({known})."
        )
    start = f"The two labels differ on {share} of the {units(found.n, found.unit)} ({known})"
    if classes == 2:
        return f"{start}. With two classes exactly one of them is then right, so this is d itself."
    return (
        f"{start}. With more than two classes both can be wrong and differ, so this is an upper "
        "bound of d: the size is large enough, perhaps larger than needed."
    )


def rate_range_sentence(low: SampleSize | None, high: SampleSize | None, interval: Interval) -> str:
    """Return how the uncertainty of the disagreement rate carries over into the size."""
    ends = range_text(interval, "percent")
    if low is None and high is None:
        return f"Over the interval of d, {ends}, this gap is possible nowhere."
    if low is None or high is None:
        size = low or high
        return f"Over the interval of d, {ends}, up to {size.n if size else 0:,} cases are needed."
    return (
        f"Over the interval of d, {ends}, the size runs from {low.n:,} to {units(high.n, 'cases')}."
    )


def only_disagreements_sentence(every: SampleSize, some: SampleSize) -> str:
    """Return what labelling only the disagreements saves and what it loses."""
    return (
        f"Both models answer all {every.labels:,} cases, which costs no label. Cases on which they "
        f"say the same add nothing to the gap, so about {some.labels:,} labels do the work of "
        f"{every.labels:,}. What is lost: the accuracy of either model. Only the gap is known."
    )


def sequential_sentence(plan: SequentialPlan, *, significance: float) -> str:
    """Return what labelling one by one with permission to stop takes."""
    return (
        f"Labelled in random order with a {plan.alternative} test that may stop at any label, "
        f"{plan.n:,} cases are "
        f"needed for {power_text(plan.power)} power: {plan.labels:,.0f} labels if it never "
        f"stops early, {plan.expected_labels:,.0f} expected if the gap is as planned and "
        f"{plan.expected_labels_without_gap:,.0f} if there is none. Without a gap it stops wrongly "
        f"with a chance of {percent_text(plan.size)}, below {percent_text(significance)}, however "
        "often one looks."
    )


def stopping_sentence(log_e: float, only_a: int, only_b: int, *, significance: float) -> str:
    """Return whether the labels so far have decided."""
    value = math.exp(min(log_e, 700.0))
    needed = 1.0 / significance
    said = f"{value:,.3g}" if value < 1e6 else "above 1,000,000"
    if value >= needed:
        ahead = "A" if only_a > only_b else "B"
        return f"Evidence {said}, at least {needed:,.6g}: stop, {ahead} is shown better."
    return f"Evidence {said}, below the {needed:,.6g} needed: label the next disagreement."


def split_sentence(
    only_a: int, only_b: int, low: float, high: float, *, confidence_level: float
) -> str:
    """Return B's share of the deciding cases so far with its limits at any time."""
    seen = only_a + only_b
    if seen == 0:
        return "No label has decided yet, so nothing is known of how the deciding cases split."
    reach = f"between {percent_text(low)} and {percent_text(high)}"
    if high >= 1 and low < 1:
        reach = f"at least {percent_text(low)}"
    return (
        f"B was right on {percent_text(only_b / seen)} of the {units(seen, 'cases')} that decided "
        f"so far. With {percent_text(confidence_level)} confidence, however often one looks, its "
        f"share of all deciding cases is {reach}; 50% would be no gap."
    )


def separate_sets_sentence(paired: SampleSize, unpaired: SampleSize, a: float, b: float) -> str:
    """Return what two separate test sets would take beside one common set."""
    ratio = unpaired.labels / paired.labels
    return (
        f"On two separate test sets, accuracies {percent_text(a)} and {percent_text(b)} take "
        f"{unpaired.n:,} cases for each model, {unpaired.labels:,} labels in all: {ratio:.1f} "
        f"times the {paired.labels:,} of one common set."
    )


def bounds_sentence(low: float, high: float) -> str:
    """Return which disagreement rates two accuracies leave possible."""
    return (
        f"With these accuracies exactly one model is right on between {percent_text(low)} and "
        f"{percent_text(high)} of the cases; the less, the cheaper a comparison on common cases."
    )


def group_sentence(effect: float) -> str:
    """Return what groups of alike cases do to the size."""
    return (
        f"Cases come in groups, so {effect:.3g} of them tell as much as one independent case; the "
        "sizes here are multiplied by that."
    )


def budget_sentence(
    *, budget: float, cases: int, gap: float, disagreement: float, power: float
) -> str:
    """Return what a budget can decide."""
    start = f"A budget of {money_text(budget)} pays for labels on {units(cases, 'cases')}"
    if not math.isfinite(gap):
        return (
            f"{start}. With two models that differ in correctness on {percent_text(disagreement)} "
            f"of them, no gap is found with {percent_text(power)} power; more labels are needed."
        )
    return (
        f"{start}. That finds a gap of {points_text(gap)} (absolute) or more between two models "
        f"that differ in correctness on {percent_text(disagreement)} of them, with "
        f"{percent_text(power)} power."
    )


def too_many_sentence(n: int) -> str:
    """Return why a very large size comes from the formula."""
    return (
        f"About {n:,} cases are too many to enumerate here, so the size comes from Connor's "
        "formula; at such sizes it and the exact test differ by less than half a percent."
    )


def gap_problem(gap: float, disagreement: float) -> str | None:
    """Return what is possible when a gap and a disagreement rate contradict each other."""
    if not 0 < disagreement <= 1:
        return (
            "Two models that never differ cannot be told apart. The share of cases on which "
            "exactly one is right must be above 0% and at most 100%."
        )
    if gap <= 0:
        return "No number of cases can find a gap of 0. Enter the smallest gap that matters."
    if gap > disagreement * (1 + 1e-9):
        return (
            f"A gap of {points_text(gap)} is impossible when exactly one model is right on "
            f"{percent_text(disagreement)} of the cases: only those can make a gap, so it is at "
            f"most {points_text(disagreement)}."
        )
    return None


def rate_problem(disagreement: float, bounds: tuple[float, float], accuracy: float) -> str | None:
    """Return what is possible when a disagreement rate contradicts the accuracies."""
    low, high = bounds
    if low - 1e-9 <= disagreement <= high + 1e-9:
        return None
    return (
        f"With model A right on {percent_text(accuracy)} of the cases and this gap, exactly one "
        f"model is right on between {percent_text(low)} and {percent_text(high)} of them; "
        f"{percent_text(disagreement)} is impossible."
    )


def requirement_problem(expected: float, required: float) -> str | None:
    """Return what is possible when a model is not expected to meet a requirement."""
    if expected > required:
        return None
    return (
        f"A model that is right on {percent_text(expected)} cannot be shown to be above "
        f"{percent_text(required)}. Expect more than is required, or require less."
    )


def share_problem(value: float, what: str) -> str | None:
    """Return what is possible when a share is 0 or 1 and would leave nothing to plan."""
    if 0 < value < 1:
        return None
    return f"{what} must be above 0% and below 100%; at {percent_text(value)} nothing varies."


def half_width_problem(half_width: float) -> str | None:
    """Return what is possible when a half-width is 0 or covers everything."""
    if 0 < half_width < 0.5:
        return None
    return (
        f"Plus or minus {points_text(half_width)} is impossible: no test set gives 0 points, and "
        "50 points say nothing. Enter something between."
    )


def plan_does_not_say(question: str) -> list[str]:
    """Return what a plan for one of the questions ("one", "pair", "budget") does not mean."""
    lines = [
        "It is right for the expected values that were entered. If they turn out otherwise, so "
        "does what the test set can decide.",
        "It counts the luck of which cases are drawn, nothing else: wrong labels and cases unlike "
        "those the model will meet are not made up for by more cases.",
    ]
    if question == "pair":
        lines.append(
            "Power of 80% means that one such study in five misses a gap that is there. A study "
            "that finds nothing has not shown that the models are equal."
        )
    if question == "budget":
        lines.append(
            "The smallest gap found is not the gap that there is; a smaller one may be real and "
            "will mostly be missed."
        )
    return lines


def plan_words() -> Sequence[str]:
    """Return what the words of a plan mean, for people who plan and do not test."""
    return (
        "Gap: accuracy of one model minus that of the other, in points (90% against 91% is 1 "
        "point). Absolute, unless relative is chosen.",
        "Disagreement d: share of cases on which exactly one of the two models is right. Only "
        "these cases tell the models apart.",
        "Power: how often a study of this size finds the gap, if it is as large as planned.",
        "Level: how often it cries wolf when there is no gap.",
        "McNemar's test: asks whether the cases that only one model got right are split evenly "
        "between the two. Exact: with no approximation. Mid-p: counts half of the observed split, "
        "a little less strict. Chi-squared: an approximation, slightly too eager with few cases.",
        "Two-sided: either model may turn out better. One-sided: only one direction is asked.",
    )


def _counted(size: SampleSize) -> str:
    found = units(size.n, size.unit)
    if size.labels == size.n:
        return found
    return f"{found}, and so {units(size.labels, 'cases')} in all"
