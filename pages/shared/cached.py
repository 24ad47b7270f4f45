"""Cached calls of evalcore, keyed by the digest of the predictions.

Streamlit hashes only a sample of a large array, so the digest stands for the content.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import streamlit as st

from evalcore import (
    clusters,
    comparison,
    confusion,
    intervals,
    resampling,
    simulation,
    sizing,
    slices,
)
from evalcore.clusters import ClusterSummary
from evalcore.confusion import Cases, ClassRates
from evalcore.intervals import bands
from evalcore.metrics import Setting
from evalcore.predictions import MISSING, Predictions
from evalcore.results import (
    Comparison,
    ConfusionMatrix,
    Interval,
    ModelComparisons,
    UnpairedComparison,
)
from evalcore.simulation import ScoresWorld
from evalcore.sizing.search import first_reaching
from evalcore.sufficient import rank_cases

Function = TypeVar("Function", bound=Callable[..., Any])


def _cached(function: Function) -> Function:
    return st.cache_data(
        function,
        hash_funcs={
            Predictions: lambda predictions: predictions.digest,
            Setting: repr,
        },
        scope="session",
        max_entries=300,
        show_spinner=False,
    )


@_cached
def metric_interval(predictions: Predictions, metric: str, model: str, **options: Any) -> Interval:
    """Return ``evalcore.metric_interval`` of the same arguments."""
    return intervals.metric_interval(predictions, metric, model, **options)


@_cached
def metric_table(predictions: Predictions, **options: Any) -> list[intervals.MetricRow]:
    """Return ``evalcore.metric_table`` of the same arguments."""
    return intervals.metric_table(predictions, **options)


@_cached
def draws(predictions: Predictions, metric: str, model: str, **options: Any) -> np.ndarray:
    """Return the bootstrap draws of one model, shape (n_resamples,)."""
    return resampling.sampling_distribution(predictions, metric, [model], **options)[:, 0]


@_cached
def slice_intervals(
    predictions: Predictions, metric: str, model: str, slice_name: str, **options: Any
) -> slices.SliceReport:
    """Return ``evalcore.slice_intervals`` of the same arguments."""
    return slices.slice_intervals(predictions, metric, model, slice_name, **options)


@_cached
def curves(
    predictions: Predictions, model: str, label: str, confidence_level: float
) -> dict[str, bands.CurveBand]:
    """Return the ROC, precision-recall and reliability curves of one class."""
    asked = {"confidence_level": confidence_level}
    return {
        "roc": bands.roc_band(predictions, model, label, **asked),
        "precision_recall": bands.precision_recall_band(predictions, model, label, **asked),
        "reliability": bands.reliability_band(predictions, model, label, **asked),
    }


@_cached
def compare_models(
    predictions: Predictions, metric: str, model_a: str, model_b: str, **options: Any
) -> Comparison:
    """Return ``evalcore.compare_models`` of the same arguments."""
    return comparison.compare_models(predictions, metric, model_a, model_b, **options)


@_cached
def ignoring_pairing(
    predictions: Predictions, metric: str, model_a: str, model_b: str, **options: Any
) -> UnpairedComparison:
    """Return ``evalcore.comparison.ignoring_pairing`` of the same arguments."""
    return comparison.ignoring_pairing(predictions, metric, model_a, model_b, **options)


@_cached
def compare_all(predictions: Predictions, metric: str, **options: Any) -> ModelComparisons:
    """Return ``evalcore.compare_all`` of the same arguments."""
    return comparison.compare_all(predictions, metric, **options)


@_cached
def confusion_matrix(
    predictions: Predictions, model: str, threshold: float | None
) -> ConfusionMatrix:
    """Return ``evalcore.confusion_matrix`` of the same arguments."""
    return confusion.confusion_matrix(predictions, model, threshold=threshold)


@_cached
def scores_world(predictions: Predictions, model: str, label: str) -> ScoresWorld | None:
    """Return a model's scores of a class as a world; None without cases of both kinds."""
    cases = rank_cases(predictions, model, label)
    if not 0 < cases.positives < cases.n:
        return None
    return simulation.scores_world(cases.truth, cases.scores[:, 0], counts=cases.counts)


@_cached
def class_rates(
    predictions: Predictions, model: str, threshold: float | None, confidence_level: float
) -> list[ClassRates]:
    """Return the rates of every class of a model; groups, where there are any, are respected."""
    if predictions.groups is not None:
        return confusion.grouped_class_rates(
            predictions, model, threshold=threshold, confidence_level=confidence_level
        )
    matrix = confusion.confusion_matrix(predictions, model, threshold=threshold)
    return confusion.class_rates(matrix, confidence_level=confidence_level)


@_cached
def find_cases(
    predictions: Predictions,
    model: str,
    true: str | None,
    said: str | None,
    threshold: float | None,
) -> Cases:
    """Return the mistakes of a model, or the cases of one cell."""
    return confusion.find_cases(predictions, model, true=true, said=said, threshold=threshold)


# Plans depend on the numbers typed in, so these are the functions of evalcore themselves.
half_width_sample_size = _cached(sizing.half_width_sample_size)
auc_sample_size = _cached(sizing.auc_sample_size)
mean_sample_size = _cached(sizing.mean_sample_size)
pilot_sample_size = _cached(sizing.pilot_sample_size)
simulated_sample_size = _cached(sizing.simulated_sample_size)
requirement_sample_size = _cached(sizing.requirement_sample_size)
requirement_power = _cached(sizing.requirement_power)
cases_for_errors = _cached(sizing.cases_for_errors)
expected_best = _cached(sizing.expected_best)
paired_sample_size = _cached(sizing.paired_sample_size)
mcnemar_power = _cached(sizing.mcnemar_power)
mcnemar_power_curve = _cached(sizing.mcnemar_power_curve)
detectable_difference = _cached(sizing.detectable_difference)
budget_curve = _cached(sizing.budget_curve)
sequential_sample_size = _cached(sizing.sequential_sample_size)
sequential_plan = _cached(sizing.sequential_plan)
disagreement_from_predictions = _cached(sizing.disagreement_from_predictions)


@_cached
def formula_sizes(
    differences: list[float], disagreements: list[float], *, power: float, **options: Any
) -> np.ndarray:
    """Return the cases by gap (rows) and disagreement (columns) from Connor's formula.

    The inverse of ``evalcore.sizing.formula_power``, which unlike the sizes of evalcore does not
    enumerate the exact power beside it; nan where the gap is impossible.
    """
    return np.array(
        [
            [
                first_reaching(
                    lambda n, d=d, gap=gap: sizing.formula_power(n, d, gap, **options) >= power,
                    1_000,
                )
                if gap <= d
                else np.nan
                for d in disagreements
            ]
            for gap in differences
        ]
    )


@_cached
def group_summary(predictions: Predictions, model: str, other: str | None) -> ClusterSummary:
    """Return how alike the cases of one group are, in what a plan rests on.

    That is whether ``model`` is right or, with ``other``, the difference of being right.
    """
    values = _right(predictions, model)
    if other is not None:
        values = values - _right(predictions, other)
    known = np.isfinite(values)
    groups = np.asarray(predictions.groups)[known]
    return clusters.summarise_clusters(values[known], groups, counts=predictions.weights[known])


def _right(predictions: Predictions, model: str) -> np.ndarray:
    labels, truth = predictions.labels_of(model), np.asarray(predictions.truth)
    known = (labels != MISSING) & (truth != MISSING)
    return np.where(known, labels == truth, np.nan)
