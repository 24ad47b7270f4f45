"""The interval of any metric of any predictions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evalcore.checks import check_choice, check_fraction, check_proportion, check_whole
from evalcore.clusters import partition
from evalcore.intervals.evidence import (
    Evidence,
    family_of,
    gather,
    group_codes,
    informing_rows,
    is_clustered,
)
from evalcore.intervals.methods import IntervalMethod, Limits, Request
from evalcore.intervals.registry import METHODS, offered_methods
from evalcore.metrics import Setting
from evalcore.predictions import Predictions
from evalcore.results import Interval
from evalcore.sufficient import resolve_metric


def metric_interval(
    predictions: Predictions,
    metric: str,
    model: str,
    *,
    label: str | None = None,
    threshold: float | None = None,
    tolerance: float | None = None,
    rate: float = 0.05,
    method: str | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    rng: int | np.random.Generator | None = 0,
    stratify: bool = False,
    by_group: bool | None = None,
) -> Interval:
    """Return a metric of one model with the interval that says how far it can be trusted.

    Parameters
    ----------
    predictions : Predictions
    metric : str
        A key of ``METRICS``, made for the task of the predictions.
    model : str
    label : str, optional
        The class, for metrics of one class; by default the positive class.
    threshold : float, optional
        Score above which a case is called positive, in place of the model's own labels.
    tolerance : float, optional
        Largest error within tolerance, in the unit of the target; 0 by default.
    rate : float
        False-positive rate at which recall is read.
    method : str, optional
        A key of ``interval_methods(predictions, metric)``; by default the first.
    confidence_level : float
    n_resamples : int
        Draws of the bootstrap methods.
    rng : None, int or numpy.random.Generator
    stratify : bool
        Whether the bootstrap holds the class sizes fixed.
    by_group : bool, optional
        Whether clusters, not cases, are the independent units; by default they are when the
        predictions have groups. False gives the naive interval as a contrast.

    Notes
    -----
    Measured coverage of the defaults at 95 %, 300 to 600 samples each unless said: macro F1, F1,
    MCC and kappa of three classes 0.95 to 0.96 at n = 100, but MCC and kappa 0.92 and macro F1 0.93
    with 4 rare positives in 100 cases; macro F1 of ten classes 0.94 at n = 200, and 0.93 to 0.96
    with a class of 3 in 300 cases (the delta method: 0.86), where macro recall falls to 0.88;
    balanced accuracy 0.94 to 0.97, 0.90 with those 4 positives (the delta
    method: 0.57); means as in ``mean_interval``; RMSE of normal errors 0.94 at n = 50, of Laplace
    errors 0.90 there and 0.93 at 100 and 400; R squared 0.94; Brier score and log loss 0.94 to
    0.96; median by order statistics 0.96; AUC 0.95; average precision 0.93 with 18 and with 60
    positives; recall at a rate 0.94 to 0.96; clustered proportions 0.94 to 0.97 with 10 to 100
    clusters. The expected calibration error is biased upward: 0.91 to 0.94 for a miscalibrated
    model, and for a calibrated one the interval all but never reaches the truth near 0, so its
    notes give the value that chance alone would show.

    Returns
    -------
    Interval
        ``n`` counts the independent units that inform the estimate. What is undefined is nan with
        the reason in ``notes``; ``method`` names the method that made the limits.

    Raises
    ------
    ValueError
        If the metric, model, class or method is unknown, or an option is not allowed.
    """
    check_fraction(confidence_level, "confidence_level")
    check_whole(n_resamples, "n_resamples", least=1)
    setting = Setting(
        label=label,
        threshold=threshold,
        tolerance=tolerance,
        rate=check_proportion(rate, "rate"),
    )
    evidence = gather(predictions, metric, model, setting, by_group=by_group)
    request = Request(
        confidence_level=float(confidence_level),
        n_resamples=n_resamples,
        rng=rng,
        stratify=stratify,
    )
    return interval_of(evidence, request, method)


def interval_methods(
    predictions: Predictions,
    metric: str,
    *,
    model: str | None = None,
    by_group: bool | None = None,
) -> dict[str, IntervalMethod]:
    """Return the interval methods offered for a metric on these data, the default first.

    Parameters
    ----------
    predictions : Predictions
    metric : str
    model : str, optional
        Whose scores decide whether they are all 0/1; by default those of all models.
    by_group : bool, optional
        As for ``metric_interval``.

    Raises
    ------
    ValueError
        If the metric or model is unknown, or made for another task.
    """
    row = resolve_metric(predictions, metric)
    if model is not None:
        check_choice(model, predictions.models, "model")
    family, bounds = family_of(predictions, row, model)
    clustered = is_clustered(predictions, by_group)
    keys = offered_methods(row, family, bounds, clustered=clustered)
    return {key: METHODS[key] for key in keys}


def effective_size(
    predictions: Predictions,
    metric: str,
    model: str,
    *,
    label: str | None = None,
    threshold: float | None = None,
    by_group: bool | None = None,
) -> tuple[int, str]:
    """Return how many independent units inform a metric, and what they are.

    Recall is informed by the actual positives, precision by the predicted ones, an AUC by the
    smaller class; where cases come in clusters, by the clusters that hold such cases.

    Parameters
    ----------
    predictions, metric, model, label, threshold, by_group
        As for ``metric_interval``.

    Raises
    ------
    ValueError
        If the metric, model or class is unknown.
    """
    row = resolve_metric(predictions, metric)
    check_choice(model, predictions.models, "model")
    setting = Setting(label=label, threshold=threshold)
    rows, n = informing_rows(predictions, row, model, setting)
    if not is_clustered(predictions, by_group):
        return n, row.unit
    parts = partition(group_codes(predictions, rows), counts=predictions.weights[rows])
    return parts.clusters, "clusters"


def interval_of(evidence: Evidence, request: Request, method: str | None = None) -> Interval:
    """Return the interval that a method makes of the evidence; the default method when None.

    Raises
    ------
    ValueError
        If the method is not offered for this metric on these data.
    """
    keys = offered_methods(
        evidence.metric, evidence.family, evidence.bounds, clustered=evidence.clustered
    )
    key = keys[0] if method is None else check_choice(method, keys, "method")
    limits = Limits()
    if not evidence.defined and not any("undefined" in note for note in evidence.notes):
        limits = Limits(notes=("undefined: these cases do not determine it",))
    if evidence.defined:
        limits = _checked(METHODS[key].limits(evidence, request), evidence)
    return Interval(
        name=evidence.name,
        estimate=evidence.estimate,
        low=limits.low,
        high=limits.high,
        standard_error=limits.standard_error,
        confidence_level=request.confidence_level,
        method=limits.method or key,
        n=evidence.n,
        unit=evidence.unit,
        successes=evidence.successes,
        cases=evidence.cases if evidence.clustered else None,
        case_unit=evidence.metric.unit,
        notes=tuple(dict.fromkeys((*evidence.notes, *limits.notes))),
    )


def _checked(limits: Limits, evidence: Evidence) -> Limits:
    """Return the limits with what is odd about them in the notes; nan when they have no width."""
    if np.isnan(limits.low) or (evidence.family == "proportion" and limits.notes):
        return limits
    if limits.low == limits.high:
        why = f"no interval: both limits are {limits.low:g}, a value that many cases share"
        return replace(limits, low=np.nan, high=np.nan, notes=(*limits.notes, why))
    notes = list(limits.notes)
    low, high = evidence.bounds
    beyond = [f"below {low:g}"] * (limits.low < low) + [f"above {high:g}"] * (limits.high > high)
    if beyond:
        notes.append(f"the limits leave the possible range: they go {' and '.join(beyond)}")
    slack = 1e-12 * abs(evidence.estimate)
    if not limits.low - slack <= evidence.estimate <= limits.high + slack:
        notes.append("the interval does not hold the estimate: the resamples lie to one side of it")
    return replace(limits, notes=tuple(notes))
