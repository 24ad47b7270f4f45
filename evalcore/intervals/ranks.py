"""Intervals of one AUC, by the methods of ``evalcore.ranking``."""

from __future__ import annotations

from collections.abc import Callable

from evalcore.intervals.evidence import Evidence, group_codes
from evalcore.intervals.methods import Limits, Request
from evalcore.ranking import auc_interval
from evalcore.sufficient import rank_problems


def auc_method(method: str) -> Callable[[Evidence, Request], Limits]:
    """Return the method of ``AUC_METHODS`` as an interval method."""

    def limits(evidence: Evidence, request: Request) -> Limits:
        problem = rank_problems(
            evidence.predictions, evidence.metric, evidence.model, evidence.setting
        )[0]
        made = auc_interval(
            problem.truth,
            problem.scores[:, 0],
            method=method,
            counts=problem.counts,
            groups=group_codes(evidence.predictions, problem.rows) if evidence.clustered else None,
            confidence_level=request.confidence_level,
        )
        return Limits(
            low=made.low, high=made.high, standard_error=made.standard_error, notes=made.notes
        )

    return limits
