"""The disagreement rate of two models: what is possible, and where to get it before labelling."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from evalcore.checks import check_choice, check_proportion
from evalcore.intervals import metric_interval
from evalcore.predictions import MISSING, Predictions
from evalcore.results import Interval

SLACK = 1e-12


def discordance_bounds(
    proportion_a: float, proportion_b: float | None = None, difference: float | None = None
) -> tuple[float, float]:
    """Return the least and the most share of cases on which exactly one of two models can be right.

    |pA - pB| <= d <= min(pA + pB, 2 - pA - pB). Give either the accuracy of B or the difference, A
    minus B.
    """
    a = check_proportion(proportion_a, "proportion_a")
    if difference is not None and proportion_b is None:
        proportion_b = check_proportion(a - difference, "proportion_a - difference")
    elif difference is not None:
        raise ValueError("proportion_b and difference say the same; give one of them")
    b = check_proportion(proportion_b, "proportion_b")
    return abs(a - b), min(a + b, 2.0 - a - b)


def check_discordance(disagreement: float, proportion_a: float, proportion_b: float) -> float:
    """Return a disagreement rate that two models of these accuracies can have.

    Raises
    ------
    ValueError
        If it is impossible; the message says what is possible.
    """
    d = check_proportion(disagreement, "disagreement")
    low, high = discordance_bounds(proportion_a, proportion_b)
    if not low - SLACK <= d <= high + SLACK:
        raise ValueError(
            f"disagreement must be from {low:g} to {high:g} when the accuracies are "
            f"{proportion_a:g} and {proportion_b:g}; got {disagreement!r}"
        )
    return d


def discordance_from_correlation(proportion_a: float, proportion_b: float, rho: float) -> float:
    """Return the disagreement rate that two accuracies and the correlation of correctness imply.

    d = pA (1 - pB) + (1 - pA) pB - 2 rho sqrt(pA (1 - pA) pB (1 - pB)), with rho the correlation
    (phi) of "A is right" and "B is right"; 0 for independent mistakes.

    Raises
    ------
    ValueError
        If the three cannot occur together; the message gives the correlations that can.
    """
    low, high = discordance_bounds(proportion_a, proportion_b)
    miss_a, miss_b = 1.0 - proportion_a, 1.0 - proportion_b
    apart = proportion_a * miss_b + miss_a * proportion_b
    pull = 2.0 * math.sqrt(proportion_a * miss_a * proportion_b * miss_b)
    d = apart - rho * pull
    if not low - SLACK <= d <= high + SLACK or not abs(rho) <= 1.0 + SLACK:
        least, most = ((apart - high) / pull, (apart - low) / pull) if pull > 0 else (-1.0, 1.0)
        raise ValueError(
            f"rho must be from {least:.4g} to {most:.4g} when the accuracies are "
            f"{proportion_a:g} and {proportion_b:g}; got {rho!r}"
        )
    return min(max(d, low), high)


def disagreement_from_predictions(
    predictions: Predictions,
    model_a: str,
    model_b: str,
    *,
    correctness: bool = False,
    confidence_level: float = 0.95,
) -> Interval:
    """Return how often two models differ, with its interval; clustered when there are groups.

    By default it compares the labels themselves and needs no truth. With two classes that is the
    discordance d of correctness; with more it is an upper bound of d, because both can be wrong and
    differ: a size from it is too large, never too small. ``correctness`` counts d itself, the
    labelled cases on which exactly one model is right.

    Raises
    ------
    ValueError
        Unless the task is classification, both models have labels and, for correctness, there is a
        truth.
    """
    check_choice(predictions.task, ("classification",), "task of the predictions")
    a, b = predictions.labels_of(model_a), predictions.labels_of(model_b)
    known, differ = (a != MISSING) & (b != MISSING), a != b
    if correctness:
        if predictions.truth is None:
            raise ValueError("correctness needs a truth, and these predictions have none")
        known &= predictions.truth != MISSING
        differ = (a == predictions.truth) != (b == predictions.truth)
    marks = replace(
        predictions,
        task="score",
        truth=None,
        outputs={"differ": np.where(known, differ, np.nan)},
        scores={},
        classes=(),
        positive=None,
    )
    found = metric_interval(marks, "mean_score", "differ", confidence_level=confidence_level)
    kind, notes = "correctness", found.notes
    if not correctness:
        kind = "label"
        relation = "with two classes this equals"
        if len(predictions.classes) > 2:
            relation = "with more than two classes this is an upper bound of"
        notes += (f"{relation} the disagreement in correctness",)
    return replace(found, name=f"disagreement in {kind} of {model_a} and {model_b}", notes=notes)
