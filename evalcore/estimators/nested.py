"""Choosing a tuning constant inside the cases left for it, and judging the choice outside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evalcore.estimators.cases import CaseTable
from evalcore.estimators.estimates import ErrorEstimate
from evalcore.estimators.rounds import (
    Progress,
    Round,
    error_of,
    fold_rounds,
    pooled_confusion,
    pooled_estimate,
    predict_rounds,
)
from evalcore.estimators.rules import Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """The cross-validated error of each candidate, and the first of the smallest.

    Attributes
    ----------
    candidates : tuple of Rule
    errors : tuple of float
        Pooled over cases; the smallest is an optimistic estimate, for it was picked.
    fits : int
    """

    candidates: tuple[Rule, ...]
    errors: tuple[float, ...]
    fits: int

    @property
    def place(self) -> int:
        """Position of the first minimum."""
        return first_minimum(self.errors)

    @property
    def chosen(self) -> Rule:
        """The winner: of equal errors the first candidate."""
        return self.candidates[self.place]


def first_minimum(errors: Sequence[float]) -> int:
    """Return the position of the smallest error; of equal ones, the first."""
    return int(np.argmin(np.asarray(errors, dtype=float)))


def tune(
    table: CaseTable,
    candidates: Sequence[Rule],
    *,
    folds: int | np.ndarray = 5,
    stratify: bool = True,
    by_group: bool = True,
    rng: Any = 0,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Tuning:
    """Return the K-fold error of every candidate on the same folds, and the first minimum.

    Raises
    ------
    ValueError
        If there is no candidate, or as for ``fold_rounds``.
    """
    if not candidates:
        raise ValueError("candidates must hold at least one rule")
    (rounds,) = fold_rounds(table, folds=folds, stratify=stratify, by_group=by_group, rng=rng)
    jobs = [(rule, one) for rule in candidates for one in rounds]
    said = predict_rounds(table, jobs, rng=rng, n_jobs=n_jobs, progress=progress)
    errors = _pooled_errors(table, rounds, said)
    return Tuning(candidates=tuple(candidates), errors=errors, fits=len(jobs))


def _pooled_errors(
    table: CaseTable, rounds: Sequence[Round], said: Sequence[np.ndarray]
) -> tuple[float, ...]:
    size = len(rounds)
    return tuple(
        error_of(pooled_confusion(table, rounds, said[start : start + size]))
        for start in range(0, len(said), size)
    )


def nested_rounds(table: CaseTable, outer: Sequence[Round], inner: Any = None) -> list[list[Round]]:
    """Return the inner rounds of each outer one, as rows of the whole table.

    Parameters
    ----------
    outer : sequence of Round
    inner : scikit-learn splitter, optional
        Divides the cases left for the choice; by default the other outer folds rotate.
    """
    if inner is None:
        return [
            [
                Round(fit=np.setdiff1d(one.fit, other.held), held=other.held)
                for other in outer
                if other is not one
            ]
            for one in outer
        ]
    return [
        [
            Round(fit=one.fit[fit], held=one.fit[held])
            for fit, held in inner.split(table.features[one.fit], table.target[one.fit])
        ]
        for one in outer
    ]


def nested_error(
    table: CaseTable,
    candidates: Sequence[Rule],
    *,
    folds: int | np.ndarray = 5,
    inner: Any = None,
    stratify: bool = True,
    by_group: bool = True,
    rng: Any = 0,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> ErrorEstimate:
    """Return the error of the whole procedure: choose among candidates, then fit.

    For every outer fold the choice is made anew, by cross-validation of the cases outside it, and
    the winner is fitted to them and judged on the fold. What is used in the end is chosen by
    ``tune`` on all cases; its own smallest error is not an estimate of anything.

    Parameters
    ----------
    candidates : sequence of Rule
    folds : int or ndarray
        Outer folds, at least 3 of them when the outer folds rotate inside.
    inner : scikit-learn splitter, optional
        As for ``nested_rounds``.

    Returns
    -------
    ErrorEstimate
        ``chosen`` lists the winner of every outer fold.

    Raises
    ------
    ValueError
        If there are fewer than 3 folds, or as for ``fold_rounds``.

    References
    ----------
    Cawley and Talbot (2010), "On Over-fitting in Model Selection and Subsequent Selection Bias in
    Performance Evaluation", JMLR 11, 2079-2107.
    """
    (outer,) = fold_rounds(table, folds=folds, stratify=stratify, by_group=by_group, rng=rng)
    if inner is None and len(outer) < 3:
        raise ValueError(f"folds must be at least 3 for the others to rotate; got {len(outer)}")
    rotations = nested_rounds(table, outer, inner)
    jobs = [(rule, one) for rounds in rotations for rule in candidates for one in rounds]
    total = len(jobs) + len(outer)

    def report(done: int, _: int) -> None:
        if progress is not None:
            progress(done, total)

    said = predict_rounds(table, jobs, rng=rng, n_jobs=n_jobs, progress=report)
    winners, start = [], 0
    for rounds in rotations:
        stop = start + len(rounds) * len(candidates)
        winners.append(candidates[first_minimum(_pooled_errors(table, rounds, said[start:stop]))])
        start = stop
    final = list(zip(winners, outer, strict=True))
    judged = predict_rounds(table, final, rng=rng, n_jobs=n_jobs)
    return pooled_estimate(
        "nested", table, outer, judged, fits=total, chosen=tuple(rule.setting for rule in winners)
    )
