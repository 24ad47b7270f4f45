"""The bootstrap error, its .632 and .632+ corrections, and the out-of-bag error of a forest."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import Pipeline

from evalcore.checks import check_whole
from evalcore.estimators.cases import CaseTable
from evalcore.estimators.estimates import ErrorEstimate
from evalcore.estimators.rounds import Progress, Round, pooled_estimate, predict_rounds, seeds
from evalcore.estimators.rules import Rule
from evalcore.estimators.splitting import apparent_error

LIMIT = 0.632
NO_ERROR = "no standard error: one set of cases does not show how such estimates scatter"


def inclusion_probability(n: int) -> float:
    """Return the probability 1 - (1 - 1/n)^n that a case is in a bootstrap sample of size n.

    It falls from 1 at n = 1 to its limit 1 - 1/e = 0.632; n times it is the expected number of
    distinct cases.

    Raises
    ------
    ValueError
        If n is not a whole number of at least 1.
    """
    check_whole(n, "n", least=1)
    return float(-np.expm1(n * np.log1p(-1 / n))) if n > 1 else 1.0


def no_information_rate(confusion: np.ndarray) -> float:
    """Return the error of a rule's answers if they were dealt to the cases at random.

    With p_g the share of class g and q_g the share of answers g: sum of p_g (1 - q_g).

    References
    ----------
    Efron and Tibshirani (1997), "Improvements on Cross-Validation: The .632+ Bootstrap Method",
    JASA 92, 548-560.
    """
    shares = confusion / confusion.sum()
    return float(shares.sum(axis=1) @ (1 - shares.sum(axis=0)))


def bootstrap_errors(
    table: CaseTable,
    rule: Rule,
    *,
    resamples: int = 100,
    indices: np.ndarray | None = None,
    rng: Any = 0,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> dict[str, ErrorEstimate]:
    """Return the bootstrap error and both corrections, from the same fits.

    Parameters
    ----------
    resamples : int
        How many samples of n cases are drawn with replacement.
    indices : ndarray of int, shape (B, n), optional
        The samples themselves, in place of drawing them.

    Returns
    -------
    dict
        "bootstrap": mean over cases of the error of the rules that did not see the case.
        "632": 0.368 apparent + 0.632 bootstrap. "632plus": the weight of the bootstrap error is
        w = 0.632 / (1 - 0.368 R), with the relative overfitting R = (bootstrap - apparent) /
        (no-information rate - apparent), from 0 to 1, and the bootstrap error cut at the
        no-information rate. All in ``parts``.

    Raises
    ------
    ValueError
        If the table has groups: cases of one group would stand on both sides; or if no case was
        ever left out.

    References
    ----------
    Efron (1983), JASA 78, 316-331; Efron and Tibshirani (1997), JASA 92, 548-560.
    """
    if table.groups is not None:
        raise ValueError(
            "the bootstrap is not offered for cases in groups: cases of one group would be fitted "
            "and judged in the same round; use K-fold, which keeps groups whole"
        )
    if indices is None:
        check_whole(resamples, "resamples", least=1)
        indices = np.random.default_rng(rng).integers(table.n, size=(resamples, table.n))
    rounds = [Round(fit=drawn, held=np.setdiff1d(np.arange(table.n), drawn)) for drawn in indices]
    rounds = [one for one in rounds if len(one.held)]
    if not rounds:
        raise ValueError("resamples must leave some case out; draw more of them")
    jobs = [(rule, one) for one in rounds]
    said = predict_rounds(table, jobs, rng=rng, n_jobs=n_jobs, progress=progress)
    boot = pooled_estimate("bootstrap", table, rounds, said, notes=(NO_ERROR,))
    return _corrected(apparent_error(table, rule, rng=rng), boot)


def _corrected(apparent: ErrorEstimate, boot: ErrorEstimate) -> dict[str, ErrorEstimate]:
    err, gamma = apparent.estimate, no_information_rate(apparent.confusion)
    cut = min(boot.estimate, gamma)
    overfit = (cut - err) / (gamma - err) if cut > err else 0.0
    weight = LIMIT / (1 - (1 - LIMIT) * overfit)
    parts = {
        "apparent": err,
        "bootstrap": boot.estimate,
        "no_information_rate": gamma,
        "relative_overfitting": overfit,
        "weight": weight,
    }
    notes = list(boot.notes)
    scale = boot.confusion.sum() / apparent.confusion.sum()
    if scale < 1:
        notes.append("cases that every resample held are left out")
    boot = replace(boot, parts=parts, notes=tuple(notes))
    if cut < boot.estimate:
        notes.append("the bootstrap error is cut at the no-information rate")
    found = {"bootstrap": boot}
    for method, share, outside in (("632", LIMIT, boot.estimate), ("632plus", weight, cut)):
        found[method] = replace(
            boot,
            method=method,
            estimate=(1 - share) * err + share * outside,
            confusion=(1 - share) * scale * apparent.confusion + share * boot.confusion,
            fits=boot.fits + 1,
            notes=tuple(notes) if method == "632plus" else boot.notes,
        )
    return found


def out_of_bag_error(
    table: CaseTable, rule: Rule, *, rng: Any = 0, n_jobs: int = 1
) -> ErrorEstimate:
    """Return the error of a forest's trees on the cases that each of them did not see.

    Raises
    ------
    ValueError
        If the rule is no forest, has fewer than 50 trees, or the table has groups.

    References
    ----------
    Breiman (2001), "Random Forests", Machine Learning 45, 5-32.
    """
    if rule.kind != "forest":
        raise ValueError(f"rule must be a forest, for there to be bags; got {rule.kind!r}")
    check_whole(rule.trees, "trees", least=50)
    if table.groups is not None:
        raise ValueError("out-of-bag is not offered for cases in groups: bags split the groups")
    steps = rule.build(table, seeds(rng, 1)[0]).steps[:-1]
    prepared = Pipeline(steps).fit_transform(table.features) if steps else table.features
    forest = RandomForestClassifier(
        rule.trees, oob_score=True, n_jobs=n_jobs, random_state=seeds(rng, 1)[0]
    )
    forest.fit(prepared, table.target)
    votes = forest.oob_decision_function_
    judged = np.flatnonzero(np.isfinite(votes).all(axis=1))
    said = forest.classes_[votes[judged].argmax(axis=1)]
    one = Round(fit=np.arange(table.n), held=judged)
    distinct = table.n * inclusion_probability(table.n)
    return pooled_estimate(
        "oob", table, [one], [said], n_fit=distinct, notes=(NO_ERROR,), warnings=()
    )
