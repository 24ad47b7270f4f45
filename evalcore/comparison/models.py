"""Two models compared on the same cases, by any metric: the interval, the test and the verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from evalcore.checks import (
    as_generator,
    check_binary,
    check_choice,
    check_counts,
    check_fraction,
    check_positive,
    check_same_length,
    check_values,
    check_whole,
)
from evalcore.comparison.confidence import NAN, Confidence, without_spread
from evalcore.comparison.exchange import exchange, exchangeable
from evalcore.comparison.methods import METHODS, ComparisonMethod, offered_methods
from evalcore.comparison.numeric import signed_rank_test
from evalcore.comparison.proportions import odd_limits
from evalcore.comparison.study import Study, make_study
from evalcore.comparison.tests import MCNEMAR_TESTS, mcnemar_test
from evalcore.intervals.methods import Request
from evalcore.predictions import Predictions
from evalcore.results import Comparison, Equivalence, HypothesisTest, Interval

# Why a test that stands beside can decide otherwise.
REASONS = {
    "mcnemar_exact": "The exact test adds up whole splits instead of a smooth curve",
    "mcnemar_midp": "Mid-p adds up whole splits and counts the observed one by half",
    "mcnemar_chi2": "The score test takes its variance from no difference",
    "mcnemar_chi2_corrected": "The corrected test imitates the exact one by a smooth curve",
    "sign_flip": "Sign flips ask if the differences are symmetric about 0, not just their mean",
    "wilcoxon": "Signed ranks weigh differences by their rank, not by their size",
    "exchange": "The exchange test asks whether the two models are alike case by case",
}


def compare_models(
    predictions: Predictions,
    metric: str,
    model_a: str,
    model_b: str,
    *,
    label: str | None = None,
    threshold: float | None = None,
    tolerance: float | None = None,
    rate: float = 0.05,
    method: str | None = None,
    confidence_level: float = 0.95,
    margin: float | None = None,
    n_resamples: int = 9999,
    rng: int | np.random.Generator | None = 0,
    by_group: bool | None = None,
) -> Comparison:
    """Return how far model A is ahead of model B on the cases that both answered.

    Recall is compared on the actual positives only, specificity on the actual negatives.

    Parameters
    ----------
    predictions : Predictions
    metric : str
        A key of ``METRICS``, made for the task of the predictions.
    model_a, model_b : str
    label, threshold, tolerance, rate
        As for ``metric_interval``.
    method : str, optional
        A key of ``comparison_methods(predictions, metric)``; by default the first.
    confidence_level : float
    margin : float, optional
        Largest gap that does not matter, for the test of equivalence.
    n_resamples, rng
        For the methods and tests that draw.
    by_group : bool, optional
        Whether clusters are the independent units; by default when there are any.

    Returns
    -------
    Comparison
        Difference, p-value and verdict come from one procedure. What is undefined is nan, with the
        reason in ``notes``.

    Raises
    ------
    ValueError
        If a metric, model, class or method is unknown, or an option is not allowed.
    """
    study = make_study(
        predictions, metric, (model_a, model_b), by_group=by_group, rate=rate,
        label=label, threshold=threshold, tolerance=tolerance,
    )  # fmt: skip
    request = make_request(confidence_level, n_resamples, rng)
    return compare_pair(study, request, *confidence_of(study, request, method), margin=margin)


def comparison_methods(
    predictions: Predictions, metric: str, **asked: Any
) -> dict[str, ComparisonMethod]:
    """Return the procedures offered for a metric on these predictions, the default first.

    Parameters
    ----------
    predictions, metric
        As for ``compare_models``, with two models or more.
    **asked
        ``label`` and ``by_group`` of the same.

    Raises
    ------
    ValueError
        If the metric or class is unknown, or there are fewer than two models.
    """
    study = make_study(predictions, metric, predictions.models, **asked)
    return {key: METHODS[key] for key in offered_methods(study)}


def delong_test(
    truth: Any,
    scores_a: Any,
    scores_b: Any,
    *,
    confidence_level: float = 0.95,
    counts: Any = None,
    groups: Any = None,
) -> Comparison:
    """Return DeLong's comparison of the AUCs of two scores on the same cases, A and B.

    The variance of the gap is ``V_a + V_b - 2 Cov``, from how each case is ranked by both scores;
    interval and test are normal. There is no interval when the two orders never differ.

    Parameters
    ----------
    truth : array-like of bool or 0/1, shape (n,)
    scores_a, scores_b : array-like of float, shape (n,)
        Higher speaks for the positive class; cases with nan are left out.
    confidence_level : float
    counts, groups : array-like, shape (n,), optional
        How often each case occurs, and its cluster.

    Raises
    ------
    ValueError
        If lengths differ, the truth is not 0/1 or the level is not in (0, 1).

    References
    ----------
    DeLong, DeLong, Clarke-Pearson (1988), Biometrics 44, 837-845; Obuchowski (1997), ibid. 53, 567.
    """
    labels = check_binary(truth)
    scores = {"A": check_values(scores_a, "scores_a"), "B": check_values(scores_b, "scores_b")}
    check_same_length({"truth": labels, **scores, "groups": groups, "counts": counts})
    made = Predictions(
        name="", digest="", task="classification", truth=labels.astype(np.int32), outputs={},
        scores=scores, classes=("negative", "positive"), positive="positive",
        groups=None if groups is None else np.unique(groups, return_inverse=True)[1],
        counts=check_counts(counts, len(labels)),
    )  # fmt: skip
    return compare_models(made, "auc", "A", "B", confidence_level=confidence_level)


def make_request(confidence_level: float, n_resamples: int, rng: Any) -> Request:
    """Return the checked request of a comparison."""
    return Request(
        confidence_level=check_fraction(confidence_level, "confidence_level"),
        n_resamples=check_whole(n_resamples, "n_resamples", least=1),
        rng=rng,
    )


def confidence_of(
    study: Study, request: Request, method: str | None = None
) -> tuple[str, Confidence]:
    """Return the key of the method asked for, or of the default, and what it says."""
    keys = offered_methods(study)
    key = keys[0] if method is None else check_choice(method, keys, "method")
    if not study.defined:
        why = "undefined: a model has no value on the shared cases"
        return key, without_spread(NAN, METHODS[key].test, why)
    made = METHODS[key].confidence(study, request)
    return key, made.with_width(request.confidence_level, study.gap)


def compare_pair(
    study: Study,
    request: Request,
    key: str,
    made: Confidence,
    *,
    margin: float | None = None,
    beside: bool = True,
) -> Comparison:
    """Return the comparison that a method makes of two models, with or without tests beside it."""
    level, higher = request.confidence_level, study.metric.higher_is_better
    difference = gap_interval(study, made, key, level)
    tested = None if margin is None else equivalence(made, margin, level, higher)
    tests = tuple(_beside(study, made, request)) if beside and study.defined else ()
    apart = higher is not None and abs(difference.estimate) > 0
    verdict, notes = _verdict(difference, higher, tested), difference.notes
    if tested is not None and tested.equivalent and verdict != "shown equivalent":
        notes += ("the gap is shown to be real, and to be smaller than the margin",)
    first, second = study.pulls.T
    spread = np.sqrt((study.counts @ first**2) * (study.counts @ second**2))
    cells = study.table._asdict() if study.table else {}
    if study.case_leads is not None and not cells:
        leads, names = np.sign(study.case_leads), {"only_a": 1, "only_b": -1, "ties": 0}
        cells = {name: int(study.counts[leads == sign].sum()) for name, sign in names.items()}
    return Comparison(
        model_a=study.models[0], value_a=float(study.values[0]),
        model_b=study.models[1], value_b=float(study.values[1]),
        metric=study.metric.key, label=study.label,
        difference=difference, p_value=made.p_value, test=made.test,
        verdict=verdict,
        favours=study.models[int((difference.estimate > 0) != higher)] if apart else None,
        correlation=float(study.counts @ (first * second) / spread) if spread > 0 else NAN,
        beside=tests, equivalence=tested,
        notes=(*notes, *_dissent(made, tests, level)), **cells,
    )  # fmt: skip


def gap_interval(study: Study, made: Confidence, method: str, level: float) -> Interval:
    """Return the interval of the gap between the two models of a study."""
    n, unit = study.units
    of_class = f" of {study.label}" if study.label is not None else ""
    name = f"{study.metric.label}{of_class}: {study.models[0]} minus {study.models[1]}"
    facts = {"name": name, "method": method, "n": n, "unit": unit, "notes": study.notes}
    found = made.interval(level, study.gap, **facts)
    if study.kind != "proportion":
        return found
    return replace(found, notes=(*found.notes, *odd_limits(found)))


def equivalence(
    confidence: Confidence, margin: float, confidence_level: float, higher_is_better: bool | None
) -> Equivalence:
    """Return two one-sided tests that a difference A - B lies within plus and minus a margin.

    Each is made at 1 - confidence_level, so equivalence is shown when the interval at
    2 confidence_level - 1 lies within the margin; where that interval has no width, nothing is.

    Raises
    ------
    ValueError
        If the margin is not above 0 or the level is not above 0.5.

    References
    ----------
    Schuirmann (1987), J. Pharmacokinetics and Biopharmaceutics 15, 657-680.
    """
    widest = check_positive(margin, "margin")
    if confidence_level <= 0.5:
        raise ValueError(f"confidence_level must be above 0.5 here; got {confidence_level!r}")
    level, limit = 2 * confidence_level - 1, 1 - confidence_level
    made = confidence.with_width(level, NAN)
    low, high = map(float, made.limits(level))
    not_worse, not_better = float(made.tails(-widest)[0]), float(made.tails(widest)[1])
    if higher_is_better is False:
        not_worse, not_better = not_better, not_worse
    return Equivalence(
        margin=widest, low=low, high=high, confidence_level=level,
        p_not_worse=not_worse, not_worse=not_worse < limit, p_not_better=not_better,
        equivalent=not_worse < limit and not_better < limit,
    )  # fmt: skip


def _verdict(difference: Interval, higher: bool | None, tested: Equivalence | None) -> str:
    if difference.low > 0 or difference.high < 0:
        if higher is None:
            return "shown different"
        return "shown better" if (difference.low > 0) == higher else "shown worse"
    if tested is None or not (tested.equivalent or (tested.not_worse and higher is not None)):
        return "not decided"
    return "shown equivalent" if tested.equivalent else "shown not worse"


def _beside(study: Study, made: Confidence, request: Request) -> Iterator[HypothesisTest]:
    """Yield the tests that stand beside the one the verdict comes from."""
    if study.kind == "proportion" and study.parts is None and study.table:
        for key in (key for key in MCNEMAR_TESTS if f"mcnemar_{key}" != made.test):
            p_value = mcnemar_test(study.table.only_a, study.table.only_b, method=key)
            yield HypothesisTest(method=f"mcnemar_{key}", p_value=p_value)
    elif exchangeable(study) and study.metric.family != "rank":
        yield exchange(study, request.n_resamples, as_generator(request.rng))
    if study.kind == "mean" and study.parts is None:
        yield signed_rank_test(study.case_gaps, counts=study.predictions.counts)


def _dissent(
    made: Confidence, tests: tuple[HypothesisTest, ...], confidence_level: float
) -> Iterator[str]:
    """Yield a sentence for every test that would decide otherwise at this level."""
    limit = 1 - confidence_level
    for test in tests:
        if np.isfinite(made.p_value) and (test.p_value < limit) != (made.p_value < limit):
            reason = REASONS.get(test.method) or REASONS[test.method.removesuffix("_exact")]
            yield (
                f"{reason}; its p-value of {test.p_value:.2g} would decide otherwise than the "
                f"interval, which has {made.p_value:.2g}."
            )
