"""The interval of a mean of values that are already in memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from evalcore.checks import check_fraction, check_same_length, check_values, check_whole
from evalcore.intervals.evidence import gather
from evalcore.intervals.methods import Request
from evalcore.intervals.metric import interval_of
from evalcore.metrics import METRICS, Setting
from evalcore.predictions import make_predictions
from evalcore.results import Interval

# What a method is called when clusters are the independent units.
CLUSTERED = {"t": "clustered_t"}


def mean_interval(
    values: Any,
    *,
    method: str = "t",
    confidence_level: float = 0.95,
    groups: Any = None,
    counts: Any = None,
    n_resamples: int = 9999,
    rng: int | np.random.Generator | None = None,
    name: str = "mean",
    unit: str = "cases",
) -> Interval:
    """Return the mean of values with its confidence interval.

    The standard error is s / sqrt(n) with the n - 1 variance; with groups it is cluster-robust
    (CR1), and t has one degree of freedom less than there are clusters. Measured coverage of the
    95 % t interval for lognormal values with a log standard deviation of 1: 0.899 at n = 50, 0.917
    at n = 100, 0.940 at n = 400 (40,000 samples each); for exponential values 0.935, 0.941, 0.945.

    Parameters
    ----------
    values : array-like of float, shape (n,)
        nan is left out, and counted in the notes.
    method : str
        "t", "normal", "percentile", "bca" or "bootstrap_t"; with groups all but "normal".
    confidence_level : float
    groups : array-like, shape (n,), optional
        Cluster of each value.
    counts : array-like of int, shape (n,), optional
        How often each value occurs.
    n_resamples : int
    rng : None, int or numpy.random.Generator
    name, unit : str
        What is estimated, and what n counts when there are no groups.

    Returns
    -------
    Interval
        Limits are nan, with the reason, for a single value and for values that are all equal.

    Raises
    ------
    ValueError
        If lengths differ, a value is infinite, or the method is unknown.

    References
    ----------
    Student (1908). The probable error of a mean. Biometrika 6, 1-25.
    """
    array = check_values(values, "values")
    check_same_length({"values": array, "groups": groups, "counts": counts})
    if np.isinf(array).any():
        raise ValueError("values must be finite or nan; got an infinite one")
    request = Request(
        confidence_level=check_fraction(confidence_level, "confidence_level"),
        n_resamples=check_whole(n_resamples, "n_resamples", least=1),
        rng=rng,
    )
    predictions = make_predictions(
        None, {"values": array}, task="score", groups=groups, counts=counts
    )
    evidence = gather(predictions, "mean_score", "values", Setting())
    # A mean of 0/1 values that is asked for as a mean is treated as one.
    evidence = replace(
        evidence,
        family="mean",
        bounds=METRICS["mean_score"].bounds,
        name=name,
        unit=evidence.unit if groups is not None else unit,
        successes=None,
    )
    key = CLUSTERED.get(method, method) if evidence.clustered else method
    made = interval_of(evidence, request, key)
    if evidence.defined and np.isnan(made.low) and _all_zero_or_one(array):
        advice = "0/1 values that all agree: use the Wilson interval of a proportion"
        return replace(made, notes=(*made.notes, advice))
    return made


def _all_zero_or_one(values: np.ndarray) -> bool:
    return bool(np.isin(values[~np.isnan(values)], (0.0, 1.0)).all())
