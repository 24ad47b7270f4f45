"""Intervals read off bootstrap draws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evalcore.intervals.closed import effective_wilson
from evalcore.intervals.evidence import Evidence, group_codes
from evalcore.intervals.methods import Limits, Request
from evalcore.resampling import (
    DrawLimits,
    acceleration,
    bca_limits,
    bootstrap_t_limits,
    percentile_limits,
    sampling_distribution,
    studentized_draws,
)
from evalcore.sufficient import case_columns


def percentile(evidence: Evidence, request: Request) -> Limits:
    """Quantiles of the bootstrap draws."""
    drawn = draws_of(evidence, request)
    return _read(evidence, request, drawn, percentile_limits(drawn, request.confidence_level))


def bca(evidence: Evidence, request: Request) -> Limits:
    """Bias-corrected and accelerated quantiles of the bootstrap draws."""
    drawn = draws_of(evidence, request)
    rate = acceleration(
        evidence.predictions,
        evidence.metric,
        evidence.model,
        setting=evidence.setting,
        stratify=request.stratify,
        by_group=evidence.clustered,
    )
    limits = bca_limits(drawn, evidence.estimate, rate, request.confidence_level)
    plain = percentile_limits(drawn, request.confidence_level)
    if np.isnan(limits.low) and np.isfinite(plain.low):
        reasons = tuple(note.replace("undefined: ", "no BCa: ") for note in limits.notes)
        read = _read(evidence, request, drawn, plain)
        return replace(read, method="percentile", notes=(*reasons, "percentiles in its place"))
    return _read(evidence, request, drawn, limits)


def bootstrap_t(evidence: Evidence, request: Request) -> Limits:
    """Limits from the draws of a mean, each divided by its own standard error."""
    case = case_columns(evidence.predictions, evidence.metric, evidence.model, evidence.setting)
    drawn, errors = studentized_draws(
        case.columns[:, 0],
        counts=case.counts,
        groups=group_codes(evidence.predictions, case.rows) if evidence.clustered else None,
        n_resamples=request.n_resamples,
        rng=request.rng,
    )
    limits = bootstrap_t_limits(
        drawn, errors, evidence.estimate, evidence.standard_error, request.confidence_level
    )
    return _read(evidence, request, drawn, limits)


def draws_of(evidence: Evidence, request: Request) -> np.ndarray:
    """Return the bootstrap draws of the metric, shape (n_resamples,)."""
    return sampling_distribution(
        evidence.predictions,
        evidence.metric,
        (evidence.model,),
        setting=evidence.setting,
        n_resamples=request.n_resamples,
        rng=request.rng,
        stratify=request.stratify,
        by_group=evidence.clustered,
    )[:, 0]


def _read(evidence: Evidence, request: Request, drawn: np.ndarray, limits: DrawLimits) -> Limits:
    if np.isnan(limits.low) and evidence.family in ("proportion", "count"):
        fallback = effective_wilson(evidence, request)
        key = "clustered_wilson" if evidence.clustered else "effective_wilson"
        reasons = (note.replace("undefined: ", "no bootstrap interval: ") for note in limits.notes)
        return replace(fallback, method=fallback.method or key, notes=(*reasons, *fallback.notes))
    if np.isnan(limits.low):
        return Limits(notes=limits.notes)
    defined = drawn[~np.isnan(drawn)]
    return Limits(
        low=limits.low,
        high=limits.high,
        standard_error=float(np.std(defined, ddof=1)) if len(defined) > 1 else float("nan"),
        notes=limits.notes,
    )
