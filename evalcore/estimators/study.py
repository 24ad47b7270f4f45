"""Every estimator on the same cases, over repetitions, beside the true error where it is known."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evalcore.checks import check_choice, check_whole
from evalcore.estimators.bootstrap import bootstrap_errors, out_of_bag_error
from evalcore.estimators.cases import CaseTable
from evalcore.estimators.estimates import ESTIMATORS, ErrorEstimate
from evalcore.estimators.nested import Tuning, nested_error
from evalcore.estimators.populations import Population, true_error
from evalcore.estimators.rounds import Progress
from evalcore.estimators.rules import Rule
from evalcore.estimators.splitting import (
    apparent_error,
    holdout_error,
    kfold_error,
    leave_one_out_error,
)

FROM_RESAMPLES = ("bootstrap", "632", "632plus")


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """The sizes that the estimators are asked with.

    Attributes
    ----------
    test_share : float
        Of the holdout.
    order : {"random", "time"}
        Of the holdout.
    folds, repeats : int
        Of K-fold and its repetition.
    resamples : int
        Of the bootstrap.
    ks : tuple of int
        Among which nested cross-validation chooses.
    nested_folds : int
    """

    test_share: float = 0.3
    order: str = "random"
    folds: int = 10
    repeats: int = 3
    resamples: int = 25
    ks: tuple[int, ...] = (1, 5, 9)
    nested_folds: int = 4


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Repetition:
    """All estimates of one set of cases.

    Attributes
    ----------
    estimates : dict of str to ErrorEstimate
    seconds : dict of str to float
        The three bootstrap estimates come from the same fits and share their time.
    refused : dict of str to str
        Why an estimator was refused.
    truth : float
        True error of the rule fitted to all cases; nan where it is unknown.
    """

    estimates: dict[str, ErrorEstimate]
    seconds: dict[str, float]
    refused: dict[str, str]
    truth: float


def offered_estimators(table: CaseTable, rule: Rule) -> list[str]:
    """Return the estimators that make sense for a rule and a table, cheapest reading first."""
    grouped = table.groups is not None
    missing = set() if rule.kind == "neighbours" else {"nested"}
    missing |= set() if rule.kind == "forest" and not grouped else {"oob"}
    missing |= set(FROM_RESAMPLES) if grouped else set()
    return [key for key in ESTIMATORS if key not in missing]


def fits_needed(method: str, table: CaseTable, design: Design) -> int:
    """Return how many fits an estimator takes, before any is made."""
    folds, outer = design.folds, design.nested_folds
    costs = {
        "apparent": 1,
        "holdout": 1,
        "oob": 1,
        "kfold": folds,
        "repeated": folds * design.repeats,
        "loocv": table.units,
        "bootstrap": design.resamples,
        "632": design.resamples + 1,
        "632plus": design.resamples + 1,
        "nested": outer * (outer - 1) * len(design.ks) + outer,
    }
    return costs[check_choice(method, costs, "method")]


def estimate_errors(
    table: CaseTable,
    rule: Rule,
    *,
    methods: Sequence[str] | None = None,
    design: Design | None = None,
    population: Population | None = None,
    fresh: int = 100_000,
    rng: Any = 0,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Repetition:
    """Return several estimates of the error of one rule on one set of cases.

    Parameters
    ----------
    methods : sequence of str, optional
        Keys of ``ESTIMATORS``; by default all that are offered.
    population : Population, optional
        Where the cases were drawn; then the true error of the rule fitted to all of them is given.
    fresh : int
        How many fresh cases measure it.

    Raises
    ------
    ValueError
        If a method is unknown. What an estimator itself refuses stands in ``refused``.
    """
    plan = Design() if design is None else design
    asked = offered_estimators(table, rule) if methods is None else list(methods)
    for method in asked:
        check_choice(method, ESTIMATORS, "methods")
    estimates: dict[str, ErrorEstimate] = {}
    seconds: dict[str, float] = {}
    refused: dict[str, str] = {}
    costs = {method: fits_needed(method, table, plan) for method in asked}
    before = 0

    def report(done: int, _: int) -> None:
        if progress is not None:
            progress(before + done, sum(costs.values()))

    shared: dict[str, Any] = {"rng": rng, "n_jobs": n_jobs, "progress": report}
    for method in asked:
        if method in estimates:
            continue
        before = sum(costs[key] for key in asked[: asked.index(method)])
        start = time.perf_counter()
        try:
            found = _run(method, table, rule, plan, shared)
        except ValueError as error:
            refused[method] = str(error)
            continue
        taken = time.perf_counter() - start
        for key, estimate in found.items():
            if key in asked:
                estimates[key], seconds[key] = estimate, taken
    truth = float("nan")
    if population is not None:
        model = rule.build(table, 0).fit(table.features, table.target)
        generator = np.random.default_rng([table.n, *_numbers(rng)])
        width = len(table.columns)
        truth = true_error(population, model.predict, rng=generator, features=width, fresh=fresh)
    return Repetition(estimates=estimates, seconds=seconds, refused=refused, truth=truth)


def repeat_estimators(
    source: Population | CaseTable,
    rule: Rule,
    *,
    n: int = 60,
    repetition: int = 0,
    seed: int = 1,
    **options: Any,
) -> Repetition:
    """Return one repetition: fresh cases of a population, or new splits of the same cases.

    Repetition r of a seed is always the same, however many are asked for.

    Parameters
    ----------
    source : Population or CaseTable
    n : int
        Cases drawn from a population.
    repetition, seed : int
    **options
        As for ``estimate_errors``.

    Raises
    ------
    ValueError
        As for ``estimate_errors``.
    """
    rng = [seed, repetition]
    if isinstance(source, CaseTable):
        return estimate_errors(source, rule, rng=rng, **options)
    table = source.draw(n, np.random.default_rng([n, *rng]))
    return estimate_errors(table, rule, population=source, rng=rng, **options)


@dataclass(frozen=True, slots=True, kw_only=True)
class NeighbourCurve:
    """Three errors against the number of neighbours.

    Attributes
    ----------
    ks : tuple of int
    apparent, cross_validated, true : tuple of float
        ``true`` is nan where it is unknown.
    """

    ks: tuple[int, ...]
    apparent: tuple[float, ...]
    cross_validated: tuple[float, ...]
    true: tuple[float, ...]


def neighbour_curve(
    table: CaseTable,
    ks: Sequence[int],
    *,
    population: Population | None = None,
    folds: int = 10,
    fresh: int = 100_000,
    rng: Any = 0,
    progress: Progress | None = None,
) -> NeighbourCurve:
    """Return apparent, cross-validated and true error of nearest neighbours for each k.

    All k are judged on the same folds and on the same fresh cases.

    Raises
    ------
    ValueError
        If a k is larger than the smallest fit, or as for ``kfold_error``.
    """
    apparent, crossed, true = [], [], []
    for done, k in enumerate(ks, start=1):
        rule = Rule(kind="neighbours", k=k)
        crossed.append(kfold_error(table, rule, folds=folds, rng=rng).estimate)
        apparent.append(apparent_error(table, rule).estimate)
        model = rule.build(table, 0).fit(table.features, table.target)
        generator = np.random.default_rng([table.n, *_numbers(rng)])
        true.append(
            float("nan")
            if population is None
            else true_error(population, model.predict, rng=generator, fresh=fresh)
        )
        if progress is not None:
            progress(done, len(ks))
    return NeighbourCurve(
        ks=tuple(ks), apparent=tuple(apparent), cross_validated=tuple(crossed), true=tuple(true)
    )


def tuning_curve(tuning: Tuning) -> NeighbourCurve:
    """Return the curve of a tuning of nearest neighbours, of which only one error is known."""
    unknown = (float("nan"),) * len(tuning.errors)
    return NeighbourCurve(
        ks=tuple(rule.k for rule in tuning.candidates),
        apparent=unknown,
        cross_validated=tuning.errors,
        true=unknown,
    )


def neighbour_grid(table: CaseTable, *, folds: int, most: int) -> tuple[int, ...]:
    """Return the odd k up to ``most`` that the smallest of some folds' fits can serve."""
    check_whole(folds, "folds", least=2)
    limit = min(most, table.n - -(-table.n // folds) - 1)
    return tuple(range(1, max(limit, 1) + 1, 2))


def _numbers(rng: Any) -> list[int]:
    return [int(rng)] if isinstance(rng, int) else [int(one) for one in rng]


def _run(
    method: str, table: CaseTable, rule: Rule, plan: Design, shared: dict[str, Any]
) -> dict[str, ErrorEstimate]:
    if method in FROM_RESAMPLES:
        return bootstrap_errors(table, rule, resamples=plan.resamples, **shared)
    rng = shared["rng"]
    candidates = [Rule(kind="neighbours", k=k) for k in plan.ks]
    runs: dict[str, Callable[[], ErrorEstimate]] = {
        "apparent": lambda: apparent_error(table, rule, rng=rng),
        "holdout": lambda: holdout_error(
            table, rule, test_share=plan.test_share, order=plan.order, rng=rng
        ),
        "kfold": lambda: kfold_error(table, rule, folds=plan.folds, **shared),
        "repeated": lambda: kfold_error(
            table, rule, folds=plan.folds, repeats=plan.repeats, **shared
        ),
        "loocv": lambda: leave_one_out_error(table, rule, **shared),
        "nested": lambda: nested_error(table, candidates, folds=plan.nested_folds, **shared),
        "oob": lambda: out_of_bag_error(table, rule, rng=rng, n_jobs=shared["n_jobs"]),
    }
    return {method: runs[method]()}
