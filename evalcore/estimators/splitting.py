"""Apparent error, holdout, leave-one-out and K-fold cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit, StratifiedShuffleSplit

from evalcore.checks import check_choice, check_fraction
from evalcore.estimators.cases import CaseTable
from evalcore.estimators.estimates import ErrorEstimate
from evalcore.estimators.rounds import (
    Progress,
    Round,
    fold_rounds,
    pooled_estimate,
    predict_rounds,
)
from evalcore.estimators.rules import Rule
from evalcore.intervals import metric_interval
from evalcore.predictions import Predictions, make_predictions

ORDERS = ("random", "time")


def apparent_error(table: CaseTable, rule: Rule, *, rng: Any = 0) -> ErrorEstimate:
    """Return the error of a rule on the very cases it was fitted to.

    References
    ----------
    Efron (1983), "Estimating the Error Rate of a Prediction Rule", JASA 78, 316-331.
    """
    one = Round(fit=np.arange(table.n), held=np.arange(table.n))
    said = predict_rounds(table, [(rule, one)], rng=rng)
    note = "no standard error: the scored cases have built the rule"
    return pooled_estimate("apparent", table, [one], said, notes=(note,))


def holdout_error(
    table: CaseTable,
    rule: Rule,
    *,
    test_share: float = 0.3,
    order: str = "random",
    stratify: bool = True,
    by_group: bool = True,
    confidence_level: float = 0.95,
    rng: Any = 0,
) -> ErrorEstimate:
    """Return the error on test cases that had no part in the fit, with its interval.

    Parameters
    ----------
    test_share : float
        Share of the cases (of the groups, where the table has groups) that is held out.
    order : {"random", "time"}
        "time" holds out the last cases of the table, as when the future is to be predicted.
    stratify : bool
        Whether both parts get each class in its share; not for groups or time.
    by_group : bool
        Whether groups stay whole, and count as the independent units of the interval.

    Raises
    ------
    ValueError
        If the share leaves nothing to fit or to test, or a class is too rare to be in both parts.
    """
    grouped = by_group and table.groups is not None
    one = holdout_round(
        table, test_share=test_share, order=order, stratify=stratify, by_group=by_group, rng=rng
    )
    said = predict_rounds(table, [(rule, one)], rng=rng)
    tested = _predictions(table.take(one.held), said[0])
    interval = metric_interval(
        tested, "error_rate", "rule", confidence_level=confidence_level, by_group=grouped
    )
    note = "the interval covers this fitted rule, not the luck of its training cases"
    return pooled_estimate(
        "holdout", table, [one], said,
        interval=interval, standard_error=interval.standard_error, notes=(note,),
    )  # fmt: skip


def holdout_round(
    table: CaseTable,
    *,
    test_share: float = 0.3,
    order: str = "random",
    stratify: bool = True,
    by_group: bool = True,
    rng: Any = 0,
) -> Round:
    """Return which cases train and which test; arguments and errors as for ``holdout_error``."""
    check_choice(order, ORDERS, "order")
    share = check_fraction(test_share, "test_share")
    grouped = by_group and table.groups is not None
    if order == "time":
        test = round(share * table.n)
        if not 0 < test < table.n:
            raise ValueError(f"test_share must leave cases on both sides; got {test_share!r}")
        return Round(fit=np.arange(table.n - test), held=np.arange(table.n - test, table.n))
    seed = int(np.random.default_rng(rng).integers(2**31 - 1))
    if grouped:
        splitter: Any = GroupShuffleSplit(1, test_size=share, random_state=seed)
    elif stratify:
        splitter = StratifiedShuffleSplit(1, test_size=share, random_state=seed)
    else:
        splitter = ShuffleSplit(1, test_size=share, random_state=seed)
    try:
        groups = table.groups if grouped else None
        fit, held = next(splitter.split(table.features, table.target, groups))
    except ValueError as error:
        raise ValueError(f"test_share {share!r} cannot be held out: {error}") from None
    return Round(fit=np.sort(fit), held=np.sort(held))


def leave_one_out_error(
    table: CaseTable,
    rule: Rule,
    *,
    by_group: bool = True,
    rng: Any = 0,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> ErrorEstimate:
    """Return the share of cases misjudged by rules fitted to all others.

    With groups (and ``by_group``) a whole group is left out at a time.

    References
    ----------
    Stone (1974), "Cross-Validatory Choice and Assessment of Statistical Predictions", JRSS B 36,
    111-147.
    """
    groups = table.groups if by_group else None
    (rounds,) = fold_rounds(table, folds=np.arange(table.n) if groups is None else groups)
    jobs = [(rule, one) for one in rounds]
    said = predict_rounds(table, jobs, rng=rng, n_jobs=n_jobs, progress=progress)
    notes = ["no standard error: the scores come from fits that are almost copies of one another"]
    sizes = table.class_sizes[table.class_sizes > 0]
    if rule.kind == "majority" and groups is None and sizes.max() - sizes.min() <= 1:
        notes.append(
            "leaving a case out makes its class the smaller one, so the majority of the rest is "
            "always another class: an artefact of equal class sizes, not a fault of the data"
        )
    return pooled_estimate("loocv", table, rounds, said, notes=tuple(notes))


def kfold_error(
    table: CaseTable,
    rule: Rule,
    *,
    folds: int | np.ndarray = 5,
    repeats: int = 1,
    stratify: bool = True,
    shuffle: bool = True,
    by_group: bool = True,
    rng: Any = 0,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> ErrorEstimate:
    """Return the cross-validated error, pooled over cases, with its corrected standard error.

    Parameters
    ----------
    folds, repeats, stratify, shuffle, by_group
        As for ``fold_rounds``.

    Raises
    ------
    ValueError
        As for ``fold_rounds``.

    References
    ----------
    Geisser (1975), "The Predictive Sample Reuse Method with Applications", JASA 70, 320-328;
    Nadeau and Bengio (2003), "Inference for the Generalization Error", Machine Learning 52,
    239-281.
    """
    passes = fold_rounds(
        table, folds=folds, repeats=repeats, stratify=stratify, shuffle=shuffle,
        by_group=by_group, rng=rng,
    )  # fmt: skip
    rounds = [one for rounds in passes for one in rounds]
    jobs = [(rule, one) for one in rounds]
    said = predict_rounds(table, jobs, rng=rng, n_jobs=n_jobs, progress=progress)
    method = "kfold" if len(passes) == 1 else "repeated"
    return pooled_estimate(method, table, rounds, said)


def held_out_predictions(
    table: CaseTable,
    rule: Rule,
    *,
    folds: int | np.ndarray = 5,
    stratify: bool = True,
    by_group: bool = True,
    rng: Any = 0,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Predictions:
    """Return the class probabilities of every case from the K-fold round that left it out.

    They can be given to every metric and page; an interval of them takes the cases for judged by
    one rule, which they are not.

    Raises
    ------
    ValueError
        As for ``fold_rounds``.
    """
    (rounds,) = fold_rounds(table, folds=folds, stratify=stratify, by_group=by_group, rng=rng)
    given = predict_rounds(
        table, [(rule, one) for one in rounds], rng=rng, n_jobs=n_jobs, progress=progress,
        method="predict_proba",
    )  # fmt: skip
    scores = np.empty((table.n, len(table.classes)))
    scores[np.concatenate([one.held for one in rounds])] = np.concatenate(given)
    return _predictions(table, scores.argmax(axis=1), scores)


def _predictions(
    table: CaseTable, said: np.ndarray, scores: np.ndarray | None = None
) -> Predictions:
    names = np.asarray(table.classes, dtype=object)
    return make_predictions(
        names[table.target],
        {"rule": names[said]},
        scores=None if scores is None else {"rule": scores},
        classes=table.classes,
        groups=table.groups,
        name=table.name,
    )
