"""DeLong's covariance of AUCs, from the placement of every case; independent cases or clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evalcore.checks import check_same_length
from evalcore.ranking.curves import check_ranking


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DeLong:
    """AUCs of one or more models on the same cases, with their covariance.

    Attributes
    ----------
    auc : ndarray, shape (M,)
        nan when one class does not occur.
    covariance : ndarray, shape (M, M)
        Of the AUCs; nan with fewer than two positives or negatives (with groups: clusters that
        hold them).
    influence : ndarray, shape (n, M)
        What one copy of a case adds to each AUC's error: (placement - AUC) / number of its class.
        It sums to 0 over the cases of each class.
    positives, negatives : int
        Number of cases of each class.
    clusters : int or None
        Number of clusters, when groups were given.
    """

    auc: np.ndarray
    covariance: np.ndarray
    influence: np.ndarray
    positives: int
    negatives: int
    clusters: int | None = None


def delong_placements(truth: Any, scores: Any, *, counts: Any = None) -> np.ndarray:
    """Return for each case the share of the other class that it is ordered rightly against.

    The placement of a positive is the share of negatives below it, that of a negative the share of
    positives above it; ties count half. The mean over either class is the AUC. One sort serves all.

    Parameters
    ----------
    truth : array-like of bool or 0/1, shape (n,)
    scores : array-like of float, shape (n,)
        Higher speaks for the positive class.
    counts : array-like of int, shape (n,), optional
        How often each case occurs.

    Returns
    -------
    ndarray, shape (n,)
        nan where the other class does not occur.

    Raises
    ------
    ValueError
        If lengths differ, the truth is not 0/1 or a score is missing.

    References
    ----------
    Sun, Xu (2014), "Fast Implementation of DeLong's Algorithm", IEEE Signal Processing Letters 21.
    """
    return _placements(*check_ranking(truth, scores, counts))


def _placements(truth: np.ndarray, scores: np.ndarray, counts: np.ndarray | None) -> np.ndarray:
    order = np.argsort(scores)
    values, labels = scores[order], truth[order]
    last = np.flatnonzero(np.append(values[1:] != values[:-1], True)[: len(values)])
    size = np.diff(last, prepend=-1) if len(last) < len(scores) else None
    sorted_counts = None if counts is None else counts[order]
    placement = np.empty(len(scores))
    in_order = np.empty(len(scores))
    for own, rival, sign in ((labels, ~labels, 1.0), (~labels, labels, -1.0)):
        # Share of the other class at or below each distinct score, less half of those that share
        # it: what a positive has beaten, and one less what a negative has.
        cases = rival if sorted_counts is None else sorted_counts * rival
        below = np.cumsum(cases, dtype=float)
        total = below[-1] if below.size else 0.0
        below = below if size is None else below[last]
        below[1:] += below[:-1].copy()
        with np.errstate(invalid="ignore", divide="ignore"):
            below /= sign * 2.0 * total
        if sign < 0:
            below += 1.0
        np.copyto(in_order, below if size is None else np.repeat(below, size), where=own)
    placement[order] = in_order
    return placement


def delong_covariance(
    truth: Any, scores_by_model: Sequence[Any], *, counts: Any = None, groups: Any = None
) -> DeLong:
    """Return the AUCs of models on the same cases with DeLong's covariance.

    The AUC is a mean over positives and a mean over negatives at once, so its variance is the
    variance of the placements of the positives over their number, plus that of the negatives over
    theirs, each with the divisor one less than the number. With groups, placements are summed
    within clusters first, which lets the cases of a cluster depend on each other.

    Parameters
    ----------
    truth : array-like of bool or 0/1, shape (n,)
    scores_by_model : sequence of array-like, each of shape (n,)
        Higher speaks for the positive class.
    counts : array-like of int, shape (n,), optional
        How often each case occurs; without groups the copies are independent cases.
    groups : array-like, shape (n,), optional
        Cluster of each case.

    Raises
    ------
    ValueError
        If lengths differ, the truth is not 0/1, a score is missing or there are no models.

    References
    ----------
    DeLong, DeLong, Clarke-Pearson (1988), Biometrics 44, 837-845; clusters: Obuchowski (1997),
    "Nonparametric Analysis of Clustered ROC Curve Data", Biometrics 53, 567-578.
    """
    if len(scores_by_model) == 0:
        raise ValueError("scores_by_model must hold the scores of at least one model; got none")
    checked = [
        check_ranking(truth, scores, counts, name=f"scores_by_model[{m}]")
        for m, scores in enumerate(scores_by_model)
    ]
    labels, _, weights = checked[0]
    check_same_length({"truth": labels, "groups": groups})
    copies = np.ones(len(labels)) if weights is None else weights.astype(float)
    parts = np.array([_placements(*one) for one in checked])
    means, numbers, covariance = [], [], np.zeros((len(parts), len(parts)))
    for own in (np.flatnonzero(labels), np.flatnonzero(~labels)):
        own_copies = copies[own]
        number = int(own_copies.sum())
        block, mean = _influence(np.take(parts, own, axis=1), own_copies, number)
        parts[:, own] = block
        block *= np.sqrt(own_copies)
        covariance += _cross(block, block, number)
        means.append(mean)
        numbers.append(number)
    clusters = None
    if groups is not None:
        covariance, clusters = _clustered(parts, labels, copies, groups)
    return DeLong(
        auc=means[0] if all(numbers) else np.full(len(parts), np.nan),
        covariance=covariance,
        influence=parts.T,
        positives=numbers[0],
        negatives=numbers[1],
        clusters=clusters,
    )


def _influence(
    placements: np.ndarray, copies: np.ndarray, number: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return (placement - mean) / number of one class, shape (M, number of rows), and the mean."""
    if number == 0:
        return np.full_like(placements, np.nan), np.full(len(placements), np.nan)
    # Relative to one of the values, so that equal placements have exactly no spread.
    origin = placements[:, [np.argmax(copies > 0)]]
    placements -= origin
    shift = (placements @ copies / number)[:, None]
    placements -= shift
    placements /= number
    return placements, (origin + shift)[:, 0]


def _cross(a: np.ndarray, b: np.ndarray, number: int) -> np.ndarray:
    """Return the cross products of the models over units, corrected for the mean taken off."""
    return a @ b.T * (number / (number - 1) if number > 1 else np.nan)


def _clustered(
    parts: np.ndarray, labels: np.ndarray, copies: np.ndarray, groups: Any
) -> tuple[np.ndarray, int]:
    """Return Obuchowski's covariance and the number of clusters.

    Each of the three terms has the correction of the clusters that bear on it: those with
    positives, those with negatives, and all.
    """
    occurs = np.flatnonzero(copies > 0)
    _, code = np.unique(np.asarray(groups)[occurs], return_inverse=True)
    clusters = int(code.max(initial=-1)) + 1
    weighted = parts[:, occurs] * copies[occurs]
    sums, numbers = [], []
    for own in (labels[occurs], ~labels[occurs]):
        sums.append(np.array([np.bincount(code[own], row[own], clusters) for row in weighted]))
        numbers.append(len(np.unique(code[own])))
    mixed = _cross(sums[0], sums[1], clusters)
    own_terms = _cross(sums[0], sums[0], numbers[0]) + _cross(sums[1], sums[1], numbers[1])
    return own_terms + mixed + mixed.T, clusters
