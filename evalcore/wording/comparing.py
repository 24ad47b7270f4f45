"""What a comparison says, with the size of the gap first and the p-value last."""

from __future__ import annotations

import math
from collections.abc import Sequence

from evalcore.metrics import METRICS, Metric
from evalcore.results import (
    Comparison,
    HypothesisTest,
    Interval,
    ModelComparisons,
    UnpairedComparison,
)
from evalcore.wording.numbers import (
    DASH,
    decimals,
    level,
    lower_first,
    signed,
    units,
    value_text,
)

TEST_LABELS = {
    "mcnemar_chi2": "McNemar, score (without correction)",
    "mcnemar_chi2_corrected": "McNemar, continuity-corrected",
    "mcnemar_exact": "McNemar, exact",
    "mcnemar_midp": "McNemar, mid-p",
    "newcombe": "Newcombe's interval, inverted",
    "wald": "Wald",
    "agresti_min": "Agresti-Min",
    "bonett_price": "Bonett-Price",
    "paired_t": "Paired t",
    "clustered_t": "Cluster-robust t",
    "delong": "DeLong",
    "z": "Normal",
    "t": "Two-sample t",
    "bootstrap": "Bootstrap",
    "bootstrap_bca": "Bootstrap BCa",
    "sign_flip": "Sign flips",
    "sign_flip_exact": "Sign flips, all counted",
    "exchange": "Exchanging the outputs",
    "exchange_exact": "Exchanging the outputs, all counted",
    "wilcoxon": "Wilcoxon signed ranks",
    "cochran_q": "Cochran's Q",
    "hotelling": "Hotelling's T squared",
    "wald_chi2": "Wald, chi-squared",
    "chi2_pooled": "Chi-squared, pooled",
    "fisher": "Fisher, exact",
    "bowker": "Bowker's symmetry",
}
# Units of which there are as many for one model as for the other.
OF_EVERY_MODEL = ("actual positives", "actual negatives")
# Averages and coefficients that ask which wrong class was said, not only whether it was wrong.
WRONG_CLASS_COUNTS = (
    "macro_precision",
    "macro_f1",
    "weighted_precision",
    "weighted_f1",
    "mcc",
    "kappa",
)


def label_of_test(key: str) -> str:
    """Return what people call a test."""
    return TEST_LABELS[key]


def p_text(p_value: float) -> str:
    """Return a p-value with two or three digits that tell something; never 0."""
    if not math.isfinite(p_value):
        return DASH
    if p_value < 0.0001:
        return "below 0.0001"
    if p_value > 0.9999:
        return "1"
    return (
        f"{p_value:.4f}"
        if p_value < 0.001
        else f"{p_value:.3f}"
        if p_value < 0.1
        else f"{p_value:.2f}"
    )


def gap_text(value: float, scale: str, digits: int) -> str:
    """Return a difference with its sign; one of a metric in percent is in points."""
    if not math.isfinite(value):
        return DASH
    factor = 100 if scale == "percent" else 1
    return signed(f"{factor * value:+,.{digits}f}")


def gap_digits(difference: Interval, scale: str) -> int:
    """Return how many decimals a gap deserves: one more than its interval."""
    return decimals(difference, scale) + (0 if scale == "target" else 1)


def gap_range_text(difference: Interval, scale: str) -> str:
    """Return the interval of a difference as "low to high", without a unit."""
    if not math.isfinite(difference.width):
        return DASH
    digits = decimals(difference, scale)
    low, high = (gap_text(end, scale, digits) for end in (difference.low, difference.high))
    return f"{low} to {high}"


def gap_unit(metric: Metric) -> str:
    """Return the unit of a difference with a blank before it, or nothing."""
    return " points" if metric.scale == "percent" else ""


def metric_name(metric: Metric, label: str | None) -> str:
    """Return a metric inside a sentence: "accuracy", "recall of 8"."""
    name = lower_first(metric.label)
    return f"{name} of {label}" if metric.per_class and label is not None else name


def comparison_sentence(found: Comparison) -> str:
    """Return the sentence that may be said of a comparison, the favoured model first."""
    metric = METRICS[found.metric]
    difference = found.difference
    cases = units(difference.n, difference.unit)
    name = metric_name(metric, found.label)
    if not difference.defined:
        why = difference.notes[0] if difference.notes else "one of the two has no value"
        why = why.removeprefix("undefined: ").rstrip(".")
        return f"On these {cases} the two models cannot be compared by {name}: {why}."
    digits = gap_digits(difference, metric.scale)
    size = value_text(abs(difference.estimate), "number", digits)
    if metric.scale == "percent":
        size = f"{100 * abs(difference.estimate):.{digits}f} points"
    interval = f"{level(difference.confidence_level)} interval"
    if found.favours is None:
        both = f"{found.model_a} and {found.model_b}"
        if difference.estimate == 0:
            return (
                f"On these {cases} {both} both have {_same_value(found, metric)} in {name}, a gap "
                f"of 0, {interval} {gap_range_text(difference, metric.scale)}: {ending(found)}."
            )
        start = f"On these {cases} {both} differ in {name} by {size}"
        return f"{start}, {interval} {gap_range_text(difference, metric.scale)}: {ending(found)}."
    other = found.model_b if found.favours == found.model_a else found.model_a
    lead = difference if difference.estimate > 0 else _mirrored(difference)
    leads = "leads" if metric.higher_is_better else "is lower than"
    return (
        f"On these {cases} {found.favours} {leads} {other} in {name} by {size}, {interval} "
        f"{gap_range_text(lead, metric.scale)}: {ending(found)}."
    )


def _same_value(found: Comparison, metric: Metric) -> str:
    digits = decimals(found.difference, metric.scale)
    return value_text(found.value_a, metric.scale, digits)


def ending(found: Comparison) -> str:
    """Return the verdict as the end of a sentence about the favoured model."""
    if found.verdict in ("shown better", "shown worse"):
        return "shown to be better"
    if found.verdict == "shown equivalent":
        return "shown to be equivalent within the margin"
    if found.verdict == "shown not worse":
        return f"{found.model_a} is shown not to be worse by more than the margin"
    if found.verdict == "shown different":
        return "shown to differ"
    return "not shown to be better" if found.favours is not None else "not shown to differ"


def _mirrored(difference: Interval) -> Interval:
    changes = {
        "estimate": -difference.estimate,
        "low": -difference.high,
        "high": -difference.low,
    }
    fields = {name: getattr(difference, name) for name in difference.__dataclass_fields__}
    return Interval(**{**fields, **changes})


def deciding_sentence(found: Comparison) -> str | None:
    """Return how many cases separate the two models, and how they split; None without a truth."""
    if found.only_a is None or found.only_b is None:
        return None
    if found.ties is not None:
        return _leading_sentence(found)
    number = sum(n or 0 for n in (found.both, found.only_a, found.only_b, found.neither))
    if number == 0:
        return None
    metric = METRICS[found.metric]
    total = units(number, metric.unit if metric.unit in OF_EVERY_MODEL else "cases")
    differ = found.only_a + found.only_b
    right = {"share_within": "within the tolerance", "mean_score": "at 1"}.get(metric.key, "right")
    if differ == 0 and found.metric in WRONG_CLASS_COUNTS:
        return f"The two are right on the same of the {total}; only their wrong answers can differ."
    if differ == 0:
        return f"The two agree on which cases are {right}; none of the {total} tells them apart."
    split = (
        f"{found.model_a} alone is {right} on {found.only_a:,}, {found.model_b} alone on "
        f"{found.only_b:,}"
    )
    if found.metric in WRONG_CLASS_COUNTS:
        return (
            f"On {differ:,} of {total} only one of the two is right: {split}. Which wrong answer a "
            "model gives counts too."
        )
    return f"{differ:,} of {total} {'decides' if differ == 1 else 'decide'}: {split}."


def _leading_sentence(found: Comparison) -> str:
    """Return on how many cases each model is closer to the truth, or has the higher score."""
    a, b, ties = found.only_a or 0, found.only_b or 0, found.ties or 0
    by_score = METRICS[found.metric].task == "score"
    more, equal = ("higher", "equally high") if by_score else ("closer", "equally close")
    tied = f", on {ties:,} both are {equal}" if ties else ""
    return f"{found.model_a} is {more} on {units(a, 'cases')} and {found.model_b} on {b:,}{tied}."


def unpaired_sentence(paired: Comparison, unpaired: UnpairedComparison) -> str:
    """Return what pairing buys: the independent answer beside the paired one."""
    scale = METRICS[paired.metric].scale
    contrast = gap_range_text(unpaired.difference, scale)
    ratio = unpaired.difference.width / paired.difference.width
    overlap = "do not overlap" if unpaired.disjoint else "overlap"
    much = f", {_times_as_wide(ratio)}" if math.isfinite(ratio) else ""
    return (
        f"If the two had been measured on separate cases, the interval would be {contrast}{much}. "
        f"The two separate intervals {overlap}, which is not the test: each carries in full how "
        "hard these cases are, and both models share that."
    )


def _times_as_wide(ratio: float) -> str:
    text = f"{ratio:.1f}"
    return "about as wide" if text == "1.0" else f"{text} times as wide"


def p_sentences(found: Comparison) -> list[str]:
    """Return what a p-value says and does not say."""
    start = f"The p-value, {p_text(found.p_value)},"
    if not math.isfinite(found.p_value):
        start = "There is no p-value here. A p-value"
    lines = [
        f"{start} is how often a gap at least this large, either way, would turn up if "
        "the two models were equally good. It is not the probability that they are.",
        "A large p-value does not show that two models are equal; it says that these cases cannot "
        "tell. Only a margin and its equivalence test can show that they are as good as equal.",
        "A small p-value does not mean a large gap. Read the size of the gap and its interval.",
    ]
    if found.p_adjusted == found.p_adjusted:
        lines.append(
            "With several comparisons the smallest p-value is small by luck alone; the adjusted "
            "one counts all of them."
        )
    return lines


def omnibus_sentence(found: ModelComparisons, confidence_level: float) -> str:
    """Return whether the models differ at all, before any pair is looked at."""
    test: HypothesisTest = found.omnibus
    if not math.isfinite(test.p_value):
        return "Whether the models differ at all cannot be tested on these cases."
    says = "that" if test.p_value < 1 - confidence_level else "too little to say that"
    return (
        f"Over all {len(found.models)} models at once: {label_of_test(test.method)}, p "
        f"{p_text(test.p_value)}. These cases show {says} the models differ."
    )


def many_sentence(found: ModelComparisons, confidence_level: float) -> str:
    """Return how many comparisons were made and how many of them stand."""
    number = len(found.comparisons)
    alpha = 1 - confidence_level
    stand = sum(one.p_adjusted < alpha for one in found.comparisons)
    alone = sum(one.p_value < alpha for one in found.comparisons)
    chance = 1 - (1 - alpha) ** number
    return (
        f"{units(number, 'comparisons') if number != 1 else '1 comparison'}: {alone} of them "
        f"{'is' if alone == 1 else 'are'} significant alone, {stand} when all are counted. If no "
        f"model were better, up to {chance:.0%} of such batches would hold a significant one by "
        "luck."
    )


def ledger_sentence(
    found: Sequence[Comparison], adjusted: Sequence[float], confidence_level: float
) -> str:
    """Return how many comparisons were looked at, and how many stand when all are counted."""
    number = len(found)
    if number == 1:
        return "One comparison so far. Every further one makes a small p-value by luck likelier."
    limit = 1 - confidence_level
    alone = sum(one.p_value < limit for one in found)
    stand = sum(value < limit for value in adjusted)
    return (
        f"{number} comparisons so far: {alone} with a p-value below {limit:.6g} alone, {stand} "
        f"when all are counted. If nothing differed, one below {limit:.6g} would turn up by luck "
        f"in up to {1 - confidence_level**number:.0%} of such sessions."
    )


def separate_sentence(found: UnpairedComparison) -> str:
    """Return what two separate test sets say of a gap."""
    difference = found.difference
    digits = gap_digits(difference, "percent")
    gap = gap_text(difference.estimate, "percent", digits)
    says = level(difference.confidence_level)
    shown = "is shown" if difference.low > 0 or difference.high < 0 else "is not shown"
    return (
        f"A minus B is {gap} points, {says} interval {gap_range_text(difference, 'percent')}: a "
        f"difference {shown}."
    )


def symmetry_sentence(
    found: HypothesisTest, model_a: str, model_b: str, *, confidence_level: float = 0.95
) -> str:
    """Return what Bowker's test says of two models' labels, and what it does not."""
    if not math.isfinite(found.p_value):
        return "The two models never give different labels, so nothing can be asked of them."
    leans = found.p_value < 1.0 - confidence_level
    says = "lean to some classes differently" if leans else "show no lean"
    return (
        f"Where {model_a} and {model_b} differ, their labels {says} (Bowker's test of symmetry, p "
        f"{p_text(found.p_value)}). Without the truth nothing says which of them is right."
    )
