"""Apparent error, holdout, leave-one-out and K-fold cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit, StratifiedShuffleSplit

from evalcore.checks import check_choice, check_fraction
from evalcore.estimators.cases import CaseTable
from evalcore.estimators.estimates import ErrorEstimate, error_of, pooled_confusion
from evalcore.estimators.rounds import Progress, Round, fold_rounds, predict_rounds, unsound
from evalcore.estimators.rules import Rule
from evalcore.intervals import metric_interval
from evalcore.predictions import Predictions, make_predictions

ORDERS = ("random", "time")
POOLED = (
    "a binomial standard error of the pooled cases is wrong here: their scores come from several "
    "rules that share most of their cases, and the luck of training is not in it"
)


def apparent_error(table: CaseTable, rule: Rule, *, rng: Any = 0) -> ErrorEstimate:
    """Return the error of a rule on the very cases it was fitted to.

    References
    ----------
    Efron (1983), "Estimating the Error Rate of a Prediction Rule", JASA 78, 316-331.
    """
    everything = np.arange(table.n)
    said = predict_rounds(table, [(rule, Round(fit=everything, held=everything))], rng=rng)
    confusion = pooled_confusion(table, [everything], said)
    return ErrorEstimate(
        method="apparent",
        estimate=error_of(confusion),
        classes=table.classes,
        confusion=confusion,
        fits=1,
        n_fit=table.n,
        notes=("no standard error: the scored cases have built the rule",),
    )


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
    check_choice(order, ORDERS, "order")
    check_fraction(test_share, "test_share")
    grouped = by_group and table.groups is not None
    one = _holdout(table, test_share, order, stratify=stratify, grouped=grouped, rng=rng)
    (said,) = predict_rounds(table, [(rule, one)], rng=rng)
    confusion = pooled_confusion(table, [one.held], [said])
    tested = _predictions(table.take(one.held), said)
    interval = metric_interval(
        tested, "error_rate", "rule", confidence_level=confidence_level, by_group=grouped
    )
    return ErrorEstimate(
        method="holdout",
        estimate=error_of(confusion),
        classes=table.classes,
        confusion=confusion,
        fits=1,
        n_fit=len(one.fit),
        standard_error=interval.standard_error,
        interval=interval,
        notes=("the interval covers this fitted rule, not the luck of its training cases",),
        warnings=unsound(table, [one]),
    )


def _holdout(
    table: CaseTable, share: float, order: str, *, stratify: bool, grouped: bool, rng: Any
) -> Round:
    if order == "time":
        test = round(share * table.n)
        if not 0 < test < table.n:
            raise ValueError(f"test_share must leave cases on both sides; got {share!r}")
        return Round(fit=np.arange(table.n - test), held=np.arange(table.n - test, table.n))
    seed = int(np.random.default_rng(rng).integers(2**31 - 1))
    if grouped:
        splitter: Any = GroupShuffleSplit(1, test_size=share, random_state=seed)
    elif stratify:
        splitter = StratifiedShuffleSplit(1, test_size=share, random_state=seed)
    else:
        splitter = ShuffleSplit(1, test_size=share, random_state=seed)
    try:
        fit, held = next(splitter.split(table.features, table.target, table.groups))
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
    grouped = by_group and table.groups is not None
    folds = table.groups if grouped else np.arange(table.n)
    (rounds,) = fold_rounds(table, folds=folds)
    said = predict_rounds(
        table, [(rule, one) for one in rounds], rng=rng, n_jobs=n_jobs, progress=progress
    )
    confusion = pooled_confusion(table, [one.held for one in rounds], said)
    notes = ["no standard error: the scores come from fits that are almost copies of one another"]
    sizes = table.class_sizes[table.class_sizes > 0]
    if rule.kind == "majority" and not grouped and sizes.max() - sizes.min() <= 1:
        notes.append(
            "leaving a case out makes its class the smaller one, so the majority of the rest is "
            "always another class: an artefact of equal class sizes, not a fault of the data"
        )
    return ErrorEstimate(
        method="loocv",
        estimate=error_of(confusion),
        classes=table.classes,
        confusion=confusion,
        fits=len(rounds),
        n_fit=float(np.mean([len(one.fit) for one in rounds])),
        round_errors=_round_errors(table, rounds, said),
        binomial_standard_error=_binomial(error_of(confusion), table.n),
        notes=(*notes, POOLED),
        warnings=unsound(table, rounds),
    )


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

    Returns
    -------
    ErrorEstimate
        With J rounds of error variance S^2, ``standard_error`` is
        sqrt((1 / J + n_test / n_train) S^2) and ``naive_standard_error`` sqrt(S^2 / J), which
        takes overlapping fits for independent ones and shrinks with every repetition.

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
    said = predict_rounds(
        table, [(rule, one) for one in rounds], rng=rng, n_jobs=n_jobs, progress=progress
    )
    confusion = pooled_confusion(table, [one.held for one in rounds], said)
    errors = np.asarray(_round_errors(table, rounds, said))
    corrected, naive = resampled_errors(errors, rounds)
    return ErrorEstimate(
        method="kfold" if len(passes) == 1 else "repeated",
        estimate=error_of(confusion),
        classes=table.classes,
        confusion=confusion,
        fits=len(rounds),
        n_fit=float(np.mean([len(one.fit) for one in rounds])),
        round_errors=tuple(errors.tolist()),
        standard_error=corrected,
        naive_standard_error=naive,
        binomial_standard_error=_binomial(error_of(confusion), table.n),
        notes=(POOLED,),
        warnings=unsound(table, rounds),
    )


def resampled_errors(errors: np.ndarray, rounds: list[Round]) -> tuple[float, float]:
    """Return the corrected (Nadeau and Bengio 2003) and the naive standard error of a mean."""
    if len(errors) < 2:
        return float("nan"), float("nan")
    variance = float(np.var(errors, ddof=1))
    ratio = float(np.mean([len(one.held) / len(one.fit) for one in rounds]))
    share = 1 / len(errors)
    return float(np.sqrt((share + ratio) * variance)), float(np.sqrt(share * variance))


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


def _round_errors(
    table: CaseTable, rounds: list[Round], said: list[np.ndarray]
) -> tuple[float, ...]:
    pairs = zip(rounds, said, strict=True)
    return tuple(float(np.mean(codes != table.target[one.held])) for one, codes in pairs)


def _binomial(error: float, n: int) -> float:
    return float(np.sqrt(error * (1 - error) / n))
