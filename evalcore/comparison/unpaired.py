"""Two models on separate test sets, and a paired comparison as it would be without pairing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.stats import chi2, fisher_exact

from evalcore.binomial import proportion_interval, proportion_limits
from evalcore.checks import check_choice, check_fraction, check_whole
from evalcore.comparison.confidence import NAN, from_error
from evalcore.comparison.models import gap_interval, make_request
from evalcore.comparison.study import make_study
from evalcore.intervals.evidence import gather
from evalcore.intervals.metric import interval_of
from evalcore.intervals.scales import critical_value
from evalcore.predictions import Predictions
from evalcore.results import HypothesisTest, Interval, UnpairedComparison

WARNING = (
    "The two sets are separate: which cases each model met adds to the error, so a real gap takes "
    "many more cases to see than when both answer the same ones."
)
CONTRAST = (
    "As if each model had a test set of its own; both answered the same cases, so this is only the "
    "contrast that shows what pairing buys."
)


def _wald(k: np.ndarray, n: np.ndarray, level: float) -> tuple[float, float]:
    p = k / n
    gap, half = p[0] - p[1], critical_value(level) * np.sqrt((p * (1 - p) / n).sum())
    return (gap - half, gap + half) if half > 0 else (NAN, NAN)


def _newcombe(k: np.ndarray, n: np.ndarray, level: float) -> tuple[float, float]:
    p, (low, high) = k / n, proportion_limits(k, n, confidence_level=level)
    gap = p[0] - p[1]
    return gap - np.hypot(p[0] - low[0], high[1] - p[1]), gap + np.hypot(
        high[0] - p[0], p[1] - low[1]
    )


UNPAIRED_METHODS: dict[str, Callable[[np.ndarray, np.ndarray, float], tuple[float, float]]] = {
    "newcombe": _newcombe,
    "agresti_caffo": lambda k, n, level: _wald(k + 1, n + 2, level),
    "wald": _wald,
}


def unpaired_comparison(
    k1: int, n1: int, k2: int, n2: int, *, method: str = "newcombe", confidence_level: float = 0.95
) -> UnpairedComparison:
    """Return the comparison of two proportions measured on separate test sets.

    Parameters
    ----------
    k1, n1, k2, n2 : int
        Successes and cases of the first model, then of the second.
    method : {"newcombe", "agresti_caffo", "wald"}
        Wilson limits of both, combined; Wald with a success and a failure added to each, which may
        pass 1; Wald, nan where it has no width.
    confidence_level : float

    Returns
    -------
    UnpairedComparison
        The p-value is that of the pooled chi-squared test without correction; Fisher's exact one
        stands beside. Where the interval decides otherwise than p, a note says so.

    Raises
    ------
    ValueError
        Unless 0 <= k <= n and n >= 1, the method is known and the level lies in (0, 1).

    References
    ----------
    Newcombe (1998), Statistics in Medicine 17, 873-890; Agresti, Caffo (2000), The American
    Statistician 54, 280-288.
    """
    n = np.array([check_whole(n1, "n1", least=1), check_whole(n2, "n2", least=1)], float)
    level = check_fraction(confidence_level, "confidence_level")
    chosen = UNPAIRED_METHODS[check_choice(method, UNPAIRED_METHODS, "method")]
    first, second = (
        proportion_interval(*counts, confidence_level=level) for counts in ((k1, n1), (k2, n2))
    )
    low, high = map(float, chosen(np.array([k1, k2], float), n, level))
    gap, pooled = first.estimate - second.estimate, (k1 + k2) / n.sum()
    variance = pooled * (1 - pooled) * (1 / n).sum()
    p_value = float(chi2.sf(gap**2 / variance, 1)) if variance > 0 else 1.0
    fisher = float(fisher_exact([[k1, n1 - k1], [k2, n2 - k2]]).pvalue)
    contradict = low == low and (low > 0 or high < 0) != (p_value < 1 - level)
    split = ("The interval and the pooled test fall on two sides of this level.",)
    difference = Interval(
        name="difference of separate samples", estimate=gap, low=low, high=high,
        standard_error=float(np.hypot(first.standard_error, second.standard_error)),
        confidence_level=level, method=method, n=int(n.sum()), unit="cases",
    )  # fmt: skip
    return UnpairedComparison(
        interval_a=first, interval_b=second, difference=difference,
        p_value=p_value, test="chi2_pooled", disjoint=_disjoint(first, second),
        beside=(HypothesisTest(method="fisher", p_value=fisher),),
        notes=(WARNING, *(split if contradict else ())),
    )  # fmt: skip


def _disjoint(first: Interval, second: Interval) -> bool:
    return first.low > second.high or second.low > first.high


def ignoring_pairing(
    predictions: Predictions,
    metric: str,
    model_a: str,
    model_b: str,
    *,
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    rng: int | np.random.Generator | None = 0,
    **asked: Any,
) -> UnpairedComparison:
    """Return what would be said of two models on the same cases if the pairing were ignored.

    The standard error is that of two independent samples, ``sqrt(SE_a^2 + SE_b^2)``. Proportions
    get the pooled chi-squared test; means and clusters t with 2 n - 2 degrees of freedom; other
    metrics a normal test.

    Parameters
    ----------
    predictions, metric, model_a, model_b, confidence_level, n_resamples, rng
        As for ``compare_models``.
    **asked
        ``label``, ``threshold``, ``tolerance``, ``rate`` and ``by_group`` of the same.

    Raises
    ------
    ValueError
        As for ``compare_models``.
    """
    study = make_study(predictions, metric, (model_a, model_b), **asked)
    request = make_request(confidence_level, n_resamples, rng)
    clustered = study.parts is not None
    a, b = (
        gather(study.predictions, study.metric, name, study.setting, by_group=clustered)
        for name in study.models
    )
    first, second = interval_of(a, request), interval_of(b, request)
    degrees = 2 * study.units[0] - 2 if study.kind == "mean" or clustered else None
    error = float(np.hypot(a.standard_error, b.standard_error)) if study.defined else NAN
    made = from_error(study.gap, error, "z" if degrees is None else "t", degrees=degrees)
    difference = gap_interval(study, made, "independent", request.confidence_level)
    found = UnpairedComparison(
        interval_a=first, interval_b=second, difference=difference, p_value=made.p_value,
        test=made.test, disjoint=_disjoint(first, second), notes=(CONTRAST, *difference.notes),
    )  # fmt: skip
    if study.kind != "proportion" or clustered or not study.defined:
        return found
    n = study.predictions.n_cases
    pooled = unpaired_comparison(int(a.successes or 0), n, int(b.successes or 0), n)
    return replace(found, p_value=pooled.p_value, test=pooled.test, beside=pooled.beside)
