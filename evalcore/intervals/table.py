"""Every metric of every model with its interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evalcore.checks import check_choice, check_fraction, check_proportion, check_whole
from evalcore.intervals.evidence import condensed, gather, is_clustered
from evalcore.intervals.methods import Request
from evalcore.intervals.metric import interval_of
from evalcore.metrics import METRICS, Metric, Setting
from evalcore.predictions import Predictions
from evalcore.results import Interval
from evalcore.sufficient import probabilities

TABLE_RESAMPLES = 499


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRow:
    """One line of the table of metrics.

    Attributes
    ----------
    metric : str
        Key in ``METRICS``.
    model : str
    label : str or None
        The class, for metrics of one class.
    interval : Interval
    """

    metric: str
    model: str
    label: str | None
    interval: Interval


def metric_table(
    predictions: Predictions,
    *,
    models: Sequence[str] | None = None,
    metrics: Sequence[str] | None = None,
    label: str | None = None,
    threshold: float | None = None,
    tolerance: float | None = None,
    rate: float = 0.05,
    confidence_level: float = 0.95,
    n_resamples: int = TABLE_RESAMPLES,
    rng: int | np.random.Generator | None = 0,
    by_group: bool | None = None,
) -> list[MetricRow]:
    """Return every metric of every model with the interval of its default method.

    Closed forms everywhere but for the few metrics that have none, which draw ``n_resamples``
    resamples and say so. Metrics whose needs the predictions do not meet (scores, probabilities, a
    tolerance) are left out.

    Parameters
    ----------
    predictions : Predictions
    models : sequence of str, optional
        All by default.
    metrics : sequence of str, optional
        Keys of ``METRICS`` for this task; all by default.
    label : str, optional
        The class, for metrics of one class; by default the positive class, and every class when
        there is none.
    threshold, tolerance, rate, confidence_level, rng, by_group
        As for ``metric_interval``.
    n_resamples : int

    Returns
    -------
    list of MetricRow
        In the order of ``METRICS``, then of the classes, then of the models.

    Raises
    ------
    ValueError
        If a model, metric or class is unknown.
    """
    setting = Setting(
        label=label, threshold=threshold, tolerance=tolerance, rate=check_proportion(rate, "rate")
    )
    request = Request(
        confidence_level=check_fraction(confidence_level, "confidence_level"),
        n_resamples=check_whole(n_resamples, "n_resamples", least=1),
        rng=rng,
    )
    names = predictions.models if models is None else tuple(models)
    clustered = is_clustered(predictions, by_group)
    short = {
        name: condensed(predictions, name, threshold=threshold, clustered=clustered)
        for name in names
        if predictions.truth is not None and _has_labels(predictions, name)
    }
    rows = []
    for metric, asked in _questions(predictions, metrics, setting):
        of_labels = metric.columns is None and metric.family != "rank"
        for model in (name for name in names if _supports(predictions, metric, name, asked)):
            if of_labels and model in short:
                unspent = replace(asked, threshold=None)
                evidence = gather(short[model], metric, model, unspent, by_group=clustered)
            else:
                evidence = gather(predictions, metric, model, asked, by_group=clustered)
            rows.append(
                MetricRow(
                    metric=metric.key,
                    model=model,
                    label=asked.label if metric.per_class else None,
                    interval=_with_draws_said(interval_of(evidence, request), n_resamples),
                )
            )
    return rows


def _questions(
    predictions: Predictions, keys: Sequence[str] | None, setting: Setting
) -> Iterator[tuple[Metric, Setting]]:
    fitting = [key for key, metric in METRICS.items() if metric.task == predictions.task]
    for key in fitting if keys is None else [check_choice(k, fitting, "metrics") for k in keys]:
        metric = METRICS[key]
        if not metric.per_class:
            yield metric, setting
            continue
        named = setting.label or predictions.positive
        for label in predictions.classes if named is None else (named,):
            yield metric, replace(setting, label=label)


def _supports(predictions: Predictions, metric: Metric, model: str, setting: Setting) -> bool:
    check_choice(model, predictions.models, "models")
    if "tolerance" in metric.needs and setting.tolerance is None:
        return False
    if "probabilities" in metric.needs:
        return probabilities(predictions, model)[0] is not None
    if "scores" in metric.needs:
        return predictions.score_of(model, str(setting.label)) is not None
    if metric.task != "classification":
        return model in predictions.outputs
    return _has_labels(predictions, model)


def _has_labels(predictions: Predictions, model: str) -> bool:
    if predictions.task != "classification":
        return False
    if model in predictions.outputs:
        return True
    positive = predictions.positive
    return positive is not None and predictions.score_of(model, positive) is not None


def _with_draws_said(interval: Interval, n_resamples: int) -> Interval:
    if interval.method not in ("bca", "percentile"):
        return interval
    return replace(interval, notes=(*interval.notes, f"from {n_resamples:,} resamples"))
