"""Tempting wrong turns, measured: what they report beside the true error of what they built."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.preprocessing import StandardScaler

from evalcore.checks import check_choice
from evalcore.estimators.cases import CaseTable
from evalcore.estimators.estimates import ErrorEstimate
from evalcore.estimators.nested import first_minimum, tune
from evalcore.estimators.populations import POPULATIONS, true_error
from evalcore.estimators.rounds import Round, predict_rounds
from evalcore.estimators.rules import Rule
from evalcore.estimators.splitting import kfold_error

KS = (1, 3, 5, 7, 9, 13, 17, 21)
FOLDS = 5
FRESH = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What one set of cases gives: the tempting error, the honest one and the truth of both."""

    tempting: float
    honest: float
    tempting_truth: float
    honest_truth: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongTurn:
    """One row of WRONG_TURNS.

    Attributes
    ----------
    key, label : str
    tempting, honest : str
        What is done, in words; and what should be done.
    setting : str
        On which cases it is measured.
    run : callable
        ``generator -> Turn``.
    """

    key: str
    label: str
    tempting: str
    honest: str
    setting: str
    run: Callable[[np.random.Generator], Turn]


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimism:
    """How much too low an error is on average, with its Monte Carlo standard error."""

    mean: float
    standard_error: float


def wrong_turn(key: str, *, repetition: int = 0, seed: int = 1) -> Turn:
    """Return one measured instance of a wrong turn, on cases drawn anew.

    Parameters
    ----------
    key : str
        A key of ``WRONG_TURNS``.

    Raises
    ------
    ValueError
        If there is no such wrong turn.
    """
    chosen = WRONG_TURNS[check_choice(key, WRONG_TURNS, "key")]
    return chosen.run(np.random.default_rng([seed, repetition]))


def optimism(reported: Sequence[float], truth: Sequence[float]) -> Optimism:
    """Return the mean of truth minus report, positive where the report is too good."""
    gaps = np.asarray(truth, dtype=float) - np.asarray(reported, dtype=float)
    spread = float(gaps.std(ddof=1) / np.sqrt(len(gaps))) if len(gaps) > 1 else float("nan")
    return Optimism(mean=float(gaps.mean()), standard_error=spread)


def held_errors(train: CaseTable, test: CaseTable, candidates: Sequence[Rule]) -> list[float]:
    """Return the error of every candidate, fitted to all training cases, on the test cases.

    For the final rule this is a look that can be taken once; to choose by it is the wrong turn.
    """
    both = replace(
        train,
        features=np.concatenate([train.features, test.features]),
        target=np.concatenate([train.target, test.target]),
        groups=None,
    )
    rows = np.arange(both.n)
    one = Round(fit=rows[: train.n], held=rows[train.n :])
    said = predict_rounds(both, [(rule, one) for rule in candidates], rng=0)
    return [float(np.mean(codes != test.target)) for codes in said]


def _choose_on_test(rng: np.random.Generator) -> Turn:
    population = POPULATIONS["mixture"]
    train, test = population.draw(70, rng), population.draw(30, rng)
    candidates = [Rule(kind="neighbours", k=k) for k in KS]
    seen = held_errors(train, test, candidates)
    best = first_minimum(seen)
    kept = tune(train, candidates, folds=FOLDS, rng=rng).place
    fresh = population.draw(FRESH, rng)
    truths = held_errors(train, fresh, [candidates[best], candidates[kept]])
    return Turn(
        tempting=seen[best], honest=seen[kept], tempting_truth=truths[0], honest_truth=truths[1]
    )


def _scale_first(rng: np.random.Generator) -> Turn:
    population = POPULATIONS["mixture"]
    table = population.draw(40, rng)
    scaled = replace(table, features=StandardScaler().fit_transform(table.features))
    rule = Rule(kind="neighbours", k=5)
    seed = int(rng.integers(2**31 - 1))
    return _against(
        kfold_error(scaled, replace(rule, scale=False), folds=FOLDS, rng=seed),
        kfold_error(table, rule, folds=FOLDS, rng=seed),
        _truth(table, rule, population.key, rng),
    )


def _select_first(rng: np.random.Generator) -> Turn:
    population = POPULATIONS["noise"]
    table = population.draw(50, rng, features=500)
    keep = 10
    chosen = SelectKBest(f_classif, k=keep).fit(table.features, table.target)
    few = np.flatnonzero(chosen.get_support())
    reduced = replace(
        table, features=table.features[:, few], columns=tuple(table.columns[j] for j in few)
    )
    rule = Rule(kind="neighbours", k=5)
    seed = int(rng.integers(2**31 - 1))
    inside = replace(rule, select=keep)
    return _against(
        kfold_error(reduced, rule, folds=FOLDS, rng=seed),
        kfold_error(table, inside, folds=FOLDS, rng=seed),
        _truth(table, inside, population.key, rng),
    )


def _against(tempting: ErrorEstimate, honest: ErrorEstimate, truth: float) -> Turn:
    return Turn(
        tempting=tempting.estimate,
        honest=honest.estimate,
        tempting_truth=truth,
        honest_truth=truth,
    )


def _truth(table: CaseTable, rule: Rule, population: str, rng: np.random.Generator) -> float:
    model = rule.build(table, 0).fit(table.features, table.target)
    return true_error(POPULATIONS[population], model.predict, rng=rng, fresh=FRESH)


WRONG_TURNS = {
    one.key: one
    for one in (
        WrongTurn(
            key="choose_on_test",
            label="Choose on the test set",
            tempting="take the k with the smallest test error and report that error",
            honest="choose k by cross-validation inside the training cases, then test once",
            setting="70 training and 30 test cases of two overlapping clouds, "
            f"{len(KS)} values of k",
            run=_choose_on_test,
        ),
        WrongTurn(
            key="scale_first",
            label="Scale before splitting",
            tempting="standardise all cases together, then cross-validate",
            honest="standardise with the fitted cases of each round",
            setting="40 cases of two overlapping clouds, 5 neighbours",
            run=_scale_first,
        ),
        WrongTurn(
            key="select_first",
            label="Select features before folding",
            tempting="keep the 10 features that separate all cases best, then cross-validate",
            honest="select anew with the fitted cases of each round",
            setting="50 cases with 500 features that have nothing to do with the labels",
            run=_select_first,
        ),
    )
}
