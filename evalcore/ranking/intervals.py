"""Confidence intervals of the AUC."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy.special import expit, logit, ndtri

from evalcore.checks import check_choice, check_fraction
from evalcore.ranking.delong import DeLong, delong_covariance
from evalcore.ranking.draws import rank_draws
from evalcore.results import Interval

FEW_CLUSTERS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class AucSample:
    """What a method may read: the cases, their DeLong summary, and how to resample them.

    Attributes
    ----------
    truth, scores, counts, groups
        As given to ``auc_interval``.
    delong : DeLong
        Of the one model.
    resampling : dict
        ``n_resamples``, ``rng`` and ``stratify`` for ``rank_draws``.
    """

    truth: Any
    scores: Any
    counts: Any
    groups: Any
    delong: DeLong
    resampling: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class AucMethod:
    """One way to make a confidence interval for an AUC.

    Attributes
    ----------
    key, label : str
        The name in code and the name on the screen.
    limits : callable
        ``limits(sample, level) -> (standard error, low, high)``, for an AUC strictly between 0 and
        1; nan where the data do not give one.
    formula : str
        One line of LaTeX.
    reference : str
        Author, year and source.
    remark : str
        When to use it, or what is wrong with it.
    allows_groups : bool
        Whether it knows what to do with clusters.
    """

    key: str
    label: str
    limits: Callable[[AucSample, float], tuple[float, float, float]]
    formula: str
    reference: str
    remark: str
    allows_groups: bool = True


def _quantile(level: float) -> float:
    return float(-ndtri((1.0 - level) / 2.0))


def _delong_error(sample: AucSample) -> tuple[float, float]:
    area, variance = float(sample.delong.auc[0]), float(sample.delong.covariance[0, 0])
    return area, float(np.sqrt(variance)) if variance > 0 else float("nan")


def _delong_limits(sample: AucSample, level: float) -> tuple[float, float, float]:
    area, error = _delong_error(sample)
    half = _quantile(level) * error
    return error, area - half, area + half


def _delong_logit_limits(sample: AucSample, level: float) -> tuple[float, float, float]:
    area, error = _delong_error(sample)
    half = _quantile(level) * error / (area * (1.0 - area))
    return error, float(expit(logit(area) - half)), float(expit(logit(area) + half))


def _hanley_mcneil_limits(sample: AucSample, level: float) -> tuple[float, float, float]:
    area, m, n = float(sample.delong.auc[0]), sample.delong.positives, sample.delong.negatives
    both_beaten = area / (2.0 - area)
    beats_both = 2.0 * area**2 / (1.0 + area)
    excess = (m - 1) * (both_beaten - area**2) + (n - 1) * (beats_both - area**2)
    error = float(np.sqrt((area * (1.0 - area) + excess) / (m * n)))
    half = _quantile(level) * error
    return error, area - half, area + half


def _percentile_limits(sample: AucSample, level: float) -> tuple[float, float, float]:
    draws = rank_draws(
        sample.truth,
        [sample.scores],
        "auc",
        counts=sample.counts,
        groups=sample.groups,
        **sample.resampling,
    ).values[:, 0]
    drawn = draws[np.isfinite(draws)]
    if drawn.size < 2 or np.ptp(drawn) == 0:
        return float("nan"), float("nan"), float("nan")
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(drawn, [tail, 1.0 - tail])
    return float(drawn.std(ddof=1)), float(low), float(high)


_METHODS = (
    AucMethod(
        key="delong_logit",
        label="DeLong, log odds",
        limits=_delong_logit_limits,
        formula=r"\mathrm{logit}^{-1}\left(\mathrm{logit}\,A \pm z\,SE_{DeLong}/(A(1-A))\right)",
        reference="DeLong et al. (1988), Biometrics 44, 837-845; Pepe (2003), section 5.2",
        remark=(
            "The default: inside 0 to 1, close to its level with 100 cases of each class; with 20 "
            "of one class it covers 90 to 94 % instead of 95 %."
        ),
    ),
    AucMethod(
        key="delong",
        label="DeLong",
        limits=_delong_limits,
        formula=r"A \pm z\,SE_{DeLong},\quad SE^2 = S_{10}/m + S_{01}/n",
        reference="DeLong, DeLong, Clarke-Pearson (1988), Biometrics 44, 837-845",
        remark="The usual one: it can leave 0 to 1 and covers too little for an AUC near 1.",
    ),
    AucMethod(
        key="hanley_mcneil",
        label="Hanley-McNeil",
        limits=_hanley_mcneil_limits,
        formula=(
            r"SE^2 = \frac{A(1-A) + (m-1)(Q_1-A^2) + (n-1)(Q_2-A^2)}{mn},\ "
            r"Q_1 = \frac{A}{2-A},\ Q_2 = \frac{2A^2}{1+A}"
        ),
        reference="Hanley, McNeil (1982), Radiology 143, 29-36",
        remark=(
            "Needs only the AUC and the two counts, assuming exponential scores; on binormal "
            "scores it covered 95 to 97 %, also with 20 positives."
        ),
        allows_groups=False,
    ),
    AucMethod(
        key="percentile",
        label="Bootstrap percentile",
        limits=_percentile_limits,
        formula=r"\text{quantiles}\ \alpha/2,\ 1-\alpha/2\ \text{of the AUC of resampled cases}",
        reference="Efron, Tibshirani (1993), An Introduction to the Bootstrap, chapter 13",
        remark="No formula needed; a little narrow when either class is small.",
    ),
)

AUC_METHODS: Mapping[str, AucMethod] = MappingProxyType({method.key: method for method in _METHODS})


def auc_interval(
    truth: Any,
    scores: Any,
    *,
    method: str = "delong_logit",
    confidence_level: float = 0.95,
    counts: Any = None,
    groups: Any = None,
    n_resamples: int = 9999,
    rng: Any = None,
    stratify: bool = False,
    name: str = "AUC",
) -> Interval:
    """Return the confidence interval of an AUC.

    Measured on 2,000 binormal test sets per cell (Monte Carlo error 0.5 points near 95 %), the
    intervals at 95 % held the true AUC (0.70 to 0.99) in this percentage of sets:

    ===================  =========  ====  ====  ====  ====
    method               pos / neg  0.70  0.85  0.95  0.99
    ===================  =========  ====  ====  ====  ====
    delong_logit         100 / 100  96.4  96.1  95.6  93.7
    delong               100 / 100  95.6  94.7  92.6  86.4
    hanley_mcneil        100 / 100  95.6  95.4  96.3  96.1
    delong_logit         20 / 200   93.8  93.1  89.7  89.7
    delong               20 / 200   92.5  90.6  84.6  77.4
    hanley_mcneil        20 / 200   96.1  96.8  97.0  97.1
    ===================  =========  ====  ====  ====  ====

    So with some 20 cases of the smaller class the default falls short by 1 to 5 points, and with
    100 of each by 1 point at an AUC of 0.99.

    A perfect ranking (AUC 1, or 0) shows no spread to make an interval from. Pair each case of the
    smaller class with its own case of the other: these q disjoint pairs are independent, and each
    is ordered rightly with a probability that is at most the true AUC. Were that below
    (alpha / 2)^(1 / q), all q would be right with a probability under alpha / 2. So the interval is
    the Clopper-Pearson one for q of q, whatever the method; with groups, q counts disjoint pairs of
    clusters.

    Parameters
    ----------
    truth : array-like of bool or 0/1, shape (n,)
    scores : array-like of float, shape (n,)
        Higher speaks for the positive class. An AUC below 1/2 is kept, with a note.
    method : str
        A key of ``AUC_METHODS``.
    confidence_level : float
    counts : array-like of int, shape (n,), optional
        How often each case occurs.
    groups : array-like, shape (n,), optional
        Cluster of each case; the standard error then lets the cases of a cluster depend on each
        other (Obuchowski 1997), and the bootstrap draws whole clusters.
    n_resamples, rng, stratify
        For the bootstrap; see ``rank_draws``.
    name : str
        What the area is called.

    Returns
    -------
    Interval
        ``n`` counts the smaller class. The estimate is nan, with a note, when a class does not
        occur; the limits are nan, with a note, when no spread can be estimated.

    Raises
    ------
    ValueError
        If lengths differ, the truth is not 0/1, a score is missing, the method is not known or does
        not allow groups.

    References
    ----------
    DeLong, DeLong, Clarke-Pearson (1988), Biometrics 44, 837-845; Clopper, Pearson (1934).
    """
    level = check_fraction(confidence_level, "confidence_level")
    chosen = AUC_METHODS[check_choice(method, AUC_METHODS, "method")]
    if groups is not None and not chosen.allows_groups:
        able = [key for key, one in AUC_METHODS.items() if one.allows_groups]
        check_choice(method, able, "method (with groups)")
    summary = delong_covariance(truth, [scores], counts=counts, groups=groups)
    sample = AucSample(
        truth=truth,
        scores=scores,
        counts=counts,
        groups=groups,
        delong=summary,
        resampling={"n_resamples": n_resamples, "rng": rng, "stratify": stratify},
    )
    area = float(summary.auc[0])
    error, low, high = sample_limits(chosen, sample, level)
    fewer = "positives" if summary.positives <= summary.negatives else "negatives"
    return Interval(
        name=name,
        estimate=area,
        low=low,
        high=high,
        standard_error=error,
        confidence_level=level,
        method=method,
        n=min(summary.positives, summary.negatives),
        unit=f"actual {fewer}",
        notes=_notes(summary, low, high, chosen.label),
    )


def sample_limits(method: AucMethod, sample: AucSample, level: float) -> tuple[float, float, float]:
    """Return standard error, low and high by a method; nan where there is none.

    A perfect ranking has the exact limits that ``auc_interval`` describes, and no standard error.
    """
    area = float(sample.delong.auc[0])
    if area in (0.0, 1.0):
        return (float("nan"), *_perfect_limits(sample, area, level))
    if not np.isfinite(area):
        return float("nan"), float("nan"), float("nan")
    return method.limits(sample, level)


def _perfect_limits(sample: AucSample, area: float, level: float) -> tuple[float, float]:
    pairs = min(sample.delong.positives, sample.delong.negatives)
    if sample.groups is not None:
        pairs = _cluster_pairs(sample)
    bound = ((1.0 - level) / 2.0) ** (1.0 / pairs) if pairs else float("nan")
    return (bound, 1.0) if area == 1.0 else (0.0, 1.0 - bound)


def _cluster_pairs(sample: AucSample) -> int:
    """Return how many disjoint pairs of a cluster with positives and one with negatives exist."""
    truth, groups = np.asarray(sample.truth, bool), np.asarray(sample.groups)
    occurs = np.ones(len(truth), bool) if sample.counts is None else np.asarray(sample.counts) > 0
    with_positives, with_negatives = (np.unique(groups[own & occurs]) for own in (truth, ~truth))
    either = len(np.union1d(with_positives, with_negatives))
    return min(len(with_positives), len(with_negatives), either // 2)


def _notes(summary: DeLong, low: float, high: float, label: str) -> tuple[str, ...]:
    notes = [f"{summary.positives:,} actual positives and {summary.negatives:,} actual negatives."]
    area = float(summary.auc[0])
    if not np.isfinite(area):
        absent = "positives" if summary.positives == 0 else "negatives"
        return (*notes, f"Undefined: there are no actual {absent}, so no pair can be ordered.")
    if area < 0.5:
        notes.append("An AUC below 0.5: the score or the positive class may be reversed.")
    if summary.clusters is not None:
        notes.append(
            f"The cases form {summary.clusters:,} clusters, which are the independent units."
        )
        if summary.clusters < FEW_CLUSTERS:
            notes.append(f"Fewer than {FEW_CLUSTERS} clusters: the interval is likely too narrow.")
    if not np.isfinite(low):
        notes.append(
            f"No interval: {label} finds no spread in this order of scores. It takes scores that "
            "differ, and at least two cases (with groups: clusters) of each class."
        )
    elif area in (0.0, 1.0):
        notes.append(
            "The ranking is perfect and shows no spread, so the interval is the exact one for as "
            "many disjoint pairs as the smaller class allows."
        )
    elif low < 0 or high > 1:
        notes.append(f"The {label} limits leave the possible range from 0 to 1.")
    return tuple(notes)
