"""METHODS: the procedures that compare two models, and which of them a metric is offered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from evalcore.clusters import few_clusters_note, robust_standard_error
from evalcore.comparison.confidence import NO_SPREAD, Confidence, from_draws, from_error
from evalcore.comparison.proportions import PAIRED_METHODS, PairedTable
from evalcore.comparison.study import EQUAL, Study
from evalcore.intervals import METHODS as INTERVAL_METHODS
from evalcore.intervals.methods import Request
from evalcore.ranking import delong_covariance
from evalcore.resampling import jackknife_acceleration
from evalcore.sufficient import rank_problems, standard_error


@dataclass(frozen=True, slots=True)
class ComparisonMethod:
    """One procedure: an interval of the difference and the test that is its inversion.

    ``key`` and ``label`` are its names in code and on the screen; ``formula`` is LaTeX;
    ``reference`` says where it comes from, ``remark`` when to use it or what is wrong with it.
    ``confidence(study of two models, request)`` makes it where both values are defined; ``test`` is
    the key of the test that it inverts.
    """

    key: str
    label: str
    confidence: Callable[[Study, Request], Confidence]
    formula: str
    reference: str
    remark: str
    test: str


def _paired(key: str) -> Callable[[Study, Request], Confidence]:
    def confidence(study: Study, request: Request) -> Confidence:
        table = study.table or PairedTable(0, 0, 0, 0)
        # The table counts who is right, and an error rate counts who is not.
        return PAIRED_METHODS[key](table if study.metric.higher_is_better else table.swap())

    return confidence


def _gap_pull(study: Study) -> np.ndarray:
    return study.pulls[:, 0] - study.pulls[:, 1]


def _student(study: Study, request: Request) -> Confidence:
    n = study.predictions.n_cases
    error = standard_error(_gap_pull(study), study.counts) * np.sqrt(n / max(n - 1, 0.5))
    return from_error(study.gap, error if n > 1 else np.nan, "paired_t", degrees=n - 1)


def _delta(study: Study, request: Request) -> Confidence:
    return from_error(study.gap, standard_error(_gap_pull(study), study.counts), "z")


def _clustered(study: Study, request: Request) -> Confidence:
    clusters, table = study.units[0], study.table
    notes = few_clusters_note(clusters)
    if study.kind == "proportion" and table and table.only_a == table.only_b == 0:
        made = PAIRED_METHODS["tango"](PairedTable(clusters, 0, 0, 0))
        why = f"the models never differ; the interval is the score one of {clusters:,} cases alike"
        return replace(made, test="clustered_t", notes=(*notes, why))
    error = robust_standard_error(_gap_pull(study), study.parts) if study.parts else np.nan
    return from_error(study.gap, error, "clustered_t", degrees=clusters - 1, notes=notes)


def _delong(study: Study, request: Request) -> Confidence:
    first = rank_problems(study.predictions, study.metric, study.models, study.setting)[0]
    found = delong_covariance(
        first.truth,
        list(first.scores.T),
        counts=first.counts,
        groups=study.parts.codes if study.parts else None,
    )
    apart = float(np.trace(found.covariance))
    variance = apart - 2 * float(found.covariance[0, 1])
    error = float(np.sqrt(variance)) if variance > NO_SPREAD * apart else 0.0 * apart
    notes = few_clusters_note(study.parts.clusters) if study.parts else ()
    return from_error(study.gap, error, "delong", notes=notes)


def _percentile(study: Study, request: Request) -> Confidence:
    return from_draws(_gap_draws(study, request), study.gap)


def _bca(study: Study, request: Request) -> Confidence:
    pull, counts = -_gap_pull(study), study.counts
    if study.parts is not None:
        pull, counts = study.parts.sums(pull), np.ones(study.parts.clusters)
    return from_draws(_gap_draws(study, request), study.gap, jackknife_acceleration(pull, counts))


def _gap_draws(study: Study, request: Request) -> np.ndarray:
    least = ceil(2 / (1 - request.confidence_level))
    if request.n_resamples < least:
        raise ValueError(
            f"n_resamples must be at least {least:,} for a confidence level of "
            f"{request.confidence_level:g}; got {request.n_resamples}"
        )
    first, second = study.draws(request).T
    return np.where(np.abs(first - second) <= EQUAL * np.abs(first), 0.0, first - second)


_ROWS = (
    ComparisonMethod(
        "tango", "Tango, score", _paired("tango"),
        r"|b-c-n\delta| \le z\,\sqrt{n\,(2\hat q_\delta+\delta(1-\delta))}",
        "Tango (1998), Statistics in Medicine 17, 891-908",
        "The inversion of McNemar's test, so that the interval and the test always agree.",
        "mcnemar_chi2",
    ),
    ComparisonMethod(
        "newcombe", "Newcombe, method 10", _paired("newcombe"),
        r"\hat\delta \mp \sqrt{\ell_1^2 - 2\hat\varphi\,\ell_1 u_2 + u_2^2}",
        "Newcombe (1998), Statistics in Medicine 17, 2635-2650",
        "Wilson's limits of both models, combined; close to its level for small tables too.",
        "newcombe",
    ),
    ComparisonMethod(
        "wald", "Wald", _paired("wald"),
        r"\hat\delta \pm z\,\sqrt{b+c-(b-c)^2/n}\,/\,n",
        "Fleiss, Levin, Paik (2003), Statistical Methods for Rates and Proportions, chapter 13",
        "The textbook form; too short when few cases differ, and none when none do.",
        "wald",
    ),
    ComparisonMethod(
        "agresti_min", "Agresti-Min", _paired("agresti_min"),
        r"\text{Wald with } b+\tfrac12,\ c+\tfrac12,\ n+2",
        "Agresti, Min (2005), Statistics in Medicine 24, 729-740",
        "Half a case added to each cell mends most of what is wrong with Wald.",
        "agresti_min",
    ),
    ComparisonMethod(
        "bonett_price", "Bonett-Price", _paired("bonett_price"),
        r"\text{Wald with } b+1,\ c+1,\ n+2",
        "Bonett, Price (2012), J. Educational and Behavioral Statistics 37, 479-488",
        "Like Agresti-Min with more added: a little wide when the models seldom differ.",
        "bonett_price",
    ),
    ComparisonMethod(
        "delong", "DeLong, paired", _delong,
        r"A_1-A_2 \pm z\sqrt{S_{11}+S_{22}-2S_{12}}",
        "DeLong et al. (1988), Biometrics 44, 837-845; clusters: Obuchowski (1997), ibid. 53, 567",
        "From how each case is ranked by both models; needs no draws.",
        "delong",
    ),
    ComparisonMethod(
        "delta", "Delta method", _delta,
        r"\hat\delta \pm z\sqrt{\textstyle\sum_i (u_i-v_i)^2}\,/\,n",
        "Agresti (2013), Categorical Data Analysis, section 16.1",
        "From how far each case pulls on both metrics; no draws, needs many cases.",
        "z",
    ),
    # The same of the differences as of one model, and so are the words.
    *(
        ComparisonMethod(row.key, row.label, make, row.formula, row.reference, row.remark, test)
        for row, make, test in (
            (INTERVAL_METHODS["t"], _student, "paired_t"),
            (INTERVAL_METHODS["clustered_t"], _clustered, "clustered_t"),
            (INTERVAL_METHODS["percentile"], _percentile, "bootstrap"),
            (INTERVAL_METHODS["bca"], _bca, "bootstrap_bca"),
        )
    ),
)  # fmt: skip
METHODS: dict[str, ComparisonMethod] = {row.key: row for row in _ROWS}

_BOOTSTRAP = ("percentile", "bca")
_OFFERED = {
    "proportion": (*PAIRED_METHODS, *_BOOTSTRAP),
    "mean": ("t", *_BOOTSTRAP),
    "auc": ("delong", *_BOOTSTRAP),
    "other": (*_BOOTSTRAP, "delta"),
}


def offered_methods(study: Study) -> tuple[str, ...]:
    """Return the keys of the methods offered for a study, the default first."""
    if study.parts is None or study.kind == "auc":
        return _OFFERED[study.kind]
    return ("clustered_t", *_BOOTSTRAP)
