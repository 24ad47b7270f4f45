"""Rounds of fitting and judging: which cases are fitted, which are held out, and the fits."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    PredefinedSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
)
from sklearn.utils.parallel import Parallel, delayed

from evalcore.checks import check_whole
from evalcore.estimators.cases import CaseTable
from evalcore.estimators.estimates import ErrorEstimate
from evalcore.estimators.rules import Rule

FOLDED = ("kfold", "repeated", "nested")
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Round:
    """One fit: the rows it is fitted to and the rows it is judged on."""

    fit: np.ndarray
    held: np.ndarray


def seeds(rng: Any, size: int) -> list[int]:
    """Return seeds fixed before any fit, so that the number of workers changes nothing."""
    return np.random.default_rng(rng).integers(2**31 - 1, size=size).tolist()


def predict_rounds(
    table: CaseTable,
    jobs: Sequence[tuple[Rule, Round]],
    *,
    rng: Any,
    n_jobs: int = 1,
    progress: Progress | None = None,
    method: str = "predict",
) -> list[np.ndarray]:
    """Fit each job's rule to its cases and return what it says of the held-out ones.

    Parameters
    ----------
    jobs : sequence of (Rule, Round)
    rng : None, int or numpy.random.Generator
    n_jobs : int
        Threads that fit at the same time; the answer does not depend on it.
    progress : callable, optional
        ``(done, total)`` after each fit, in the calling thread; raising in it stops the work.
    method : {"predict", "predict_proba"}

    Returns
    -------
    list of ndarray
        Class codes (held,), or probabilities (held, K), of each job.

    Raises
    ------
    ValueError
        If a round has fewer cases to fit than the rule asks neighbours.
    """
    jobs = list(jobs)
    smallest = min(len(one.fit) for _, one in jobs)
    most = max((rule.k for rule, _ in jobs if rule.kind == "neighbours"), default=0)
    if most > smallest:
        raise ValueError(f"k must be at most {smallest}, the cases in the smallest fit; got {most}")
    drawn = zip(jobs, seeds(rng, len(jobs)), strict=True)
    with config_context(assume_finite=True, skip_parameter_validation=True):
        work = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(
            delayed(_fit_and_predict)(table, rule, one, seed, method) for (rule, one), seed in drawn
        )
        try:
            return list(_watched(work, len(jobs), progress))
        except BaseException:
            # Fits that were ordered and are not wanted any more are no reason for a warning. The
            # filter alone is not enough: scikit-learn sets it anew in the threads that still fit.
            with warnings.catch_warnings(), suppress(UserWarning):
                warnings.simplefilter("ignore", UserWarning)
                work.close()
            raise


def _watched(
    answers: Iterable[np.ndarray], total: int, progress: Progress | None
) -> Iterator[np.ndarray]:
    for done, answer in enumerate(answers, start=1):
        if progress is not None:
            progress(done, total)
        yield answer


def _fit_and_predict(
    table: CaseTable, rule: Rule, one: Round, seed: int, method: str
) -> np.ndarray:
    known = table.target[one.fit]
    # A fit that sees a single class can say nothing else, whatever the rule.
    alone = (known == known[0]).all()
    model = DummyClassifier(strategy="most_frequent") if alone else rule.build(table, seed)
    model.fit(table.features[one.fit], known)
    said = getattr(model, method)(table.features[one.held])
    if method == "predict":
        return said
    full = np.zeros((len(one.held), len(table.classes)))
    full[:, model.classes_] = said
    return full


def fold_rounds(
    table: CaseTable,
    *,
    folds: int | np.ndarray,
    repeats: int = 1,
    stratify: bool = True,
    shuffle: bool = True,
    by_group: bool = True,
    rng: Any = 0,
) -> list[list[Round]]:
    """Return the rounds of K-fold cross-validation, one list per repetition.

    Parameters
    ----------
    folds : int or ndarray, shape (n,)
        How many folds, or the fold of every case.
    repeats : int
    stratify : bool
        Whether every fold gets each class in its share.
    shuffle : bool
        False takes the cases as they stand in the file.
    by_group : bool
        Whether cases of one group stay in one fold, where the table has groups.

    Raises
    ------
    ValueError
        If there are fewer cases, groups or cases of a class (when stratified) than folds.
    """
    check_whole(repeats, "repeats", least=1)
    if not isinstance(folds, int | np.integer):
        given = np.asarray(folds)
        if given.shape != (table.n,):
            raise ValueError(f"folds must name a fold for each of {table.n} cases")
        return [_rounds(PredefinedSplit(np.unique(given, return_inverse=True)[1]), table, None)]
    grouped = by_group and table.groups is not None
    _check_folds(table, int(folds), stratify=stratify, grouped=grouped)
    kinds: dict[tuple[bool, bool], Any] = {
        (False, False): KFold,
        (True, False): StratifiedKFold,
        (False, True): GroupKFold,
        (True, True): StratifiedGroupKFold,
    }
    kind = kinds[stratify, grouped]
    groups = table.groups if grouped else None
    if not shuffle:
        return [_rounds(kind(folds), table, groups)]
    return [
        _rounds(kind(folds, shuffle=True, random_state=seed), table, groups)
        for seed in seeds(rng, repeats)
    ]


def _rounds(splitter: Any, table: CaseTable, groups: np.ndarray | None) -> list[Round]:
    split = splitter.split(table.features, table.target, groups)
    return [Round(fit=fit, held=held) for fit, held in split]


def _check_folds(table: CaseTable, folds: int, *, stratify: bool, grouped: bool) -> None:
    check_whole(folds, "folds", least=2)
    units = table.units if grouped else table.n
    if folds > units:
        what = "groups" if grouped else "cases"
        raise ValueError(f"folds must be at most {units}, the number of {what}; got {folds}")
    sizes = table.class_sizes
    rarest = int(np.argmin(np.where(sizes > 0, sizes, table.n + 1)))
    if stratify and folds > sizes[rarest]:
        raise ValueError(
            f"folds must be at most {sizes[rarest]}, the cases of class "
            f"{table.classes[rarest]!r}, for each fold to hold one; got {folds}"
        )


def unsound(table: CaseTable, rounds: Sequence[Round]) -> tuple[str, ...]:
    """Return what is wrong with the rounds themselves: a class never fitted, a group split."""
    found = []
    unseen = [set(table.target[one.held]) - set(table.target[one.fit]) for one in rounds]
    hit = sum(bool(one) for one in unseen)
    if hit:
        names = ", ".join(table.classes[code] for code in sorted(set.union(*unseen))[:5])
        found.append(
            f"in {hit} of {len(rounds)} rounds a class is judged that the fit never saw ({names}); "
            "shuffle or stratify the cases"
        )
    if table.groups is not None and any(
        np.isin(table.groups[one.held], table.groups[one.fit]).any() for one in rounds
    ):
        found.append(
            "cases of one group stand on both sides of a split, so the rule is judged on groups "
            "that it knows"
        )
    return tuple(found)


def pooled_confusion(
    table: CaseTable, rounds: Sequence[Round], said: Sequence[np.ndarray]
) -> np.ndarray:
    """Return the confusion matrix over held-out cases, every case adding 1 in all."""
    size = len(table.classes)
    rows, codes = np.concatenate([one.held for one in rounds]), np.concatenate(said)
    weights = 1.0 / np.bincount(rows, minlength=table.n)[rows]
    cells = table.target[rows] * size + codes
    return np.bincount(cells, weights=weights, minlength=size * size).reshape(size, size)


def error_of(confusion: np.ndarray) -> float:
    """Return the off-diagonal share."""
    return float((confusion.sum() - np.trace(confusion)) / confusion.sum())


def pooled_estimate(
    method: str,
    table: CaseTable,
    rounds: Sequence[Round],
    said: Sequence[np.ndarray],
    **more: Any,
) -> ErrorEstimate:
    """Return the error over all held-out cases, with the standard errors of the rounds."""
    confusion = pooled_confusion(table, rounds, said)
    estimate = error_of(confusion)
    errors = [
        float(np.mean(codes != table.target[one.held]))
        for one, codes in zip(rounds, said, strict=True)
    ]
    spread: dict[str, float] = {}
    if method in FOLDED and len(rounds) > 1:
        variance, share = float(np.var(errors, ddof=1)), 1 / len(rounds)
        ratio = float(np.mean([len(one.held) / len(one.fit) for one in rounds]))
        spread = {
            "standard_error": math.sqrt((share + ratio) * variance),
            "naive_standard_error": math.sqrt(share * variance),
            "binomial_standard_error": math.sqrt(estimate * (1 - estimate) / confusion.sum()),
        }
    given: dict[str, Any] = {
        "estimate": estimate,
        "confusion": confusion,
        "fits": len(rounds),
        "n_fit": float(np.mean([len(np.unique(one.fit)) for one in rounds])),
        "round_errors": tuple(errors),
        "warnings": () if method == "apparent" else unsound(table, rounds),
        **spread,
        **more,
    }
    return ErrorEstimate(method=method, classes=table.classes, **given)
