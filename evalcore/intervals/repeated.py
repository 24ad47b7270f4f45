"""Half-widths of one metric of labels on many confusion tables at once, as a simulation wants."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evalcore.checks import check_choice, check_fraction
from evalcore.intervals.closed import (
    MEANS_OF_RATES,
    equal_rates_sizes,
    has_spread,
    smoothed_sizes,
)
from evalcore.intervals.evidence import INFORMING
from evalcore.intervals.scales import critical_value, logit_limits, wilson_limits
from evalcore.metrics import Metric, Setting
from evalcore.predictions import Predictions
from evalcore.sufficient import Cells, cells, class_of, count_errors, resolve_metric

REPEATED_METHODS = ("delta", "effective_wilson")
# Numbers held at once for the tables that show no spread.
BLOCK = 1 << 21


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The confusion cells of one model, and the metric that is asked of tables like it.

    Attributes
    ----------
    cells : Cells
    metric : Metric
    model : str
    code : int
        Of the class that the metric is asked of; 0 when it is asked of none.
    """

    cells: Cells
    metric: Metric
    model: str
    code: int

    @property
    def default_method(self) -> str:
        """Key of the interval that ``metric_interval`` takes when none is asked for."""
        return "effective_wilson" if self.metric.key in MEANS_OF_RATES else "delta"

    def rate_sizes(self, draws: np.ndarray) -> np.ndarray:
        """Return ``equal_rates_size`` of each draw; infinite where the metric has none."""
        if self.metric.key not in MEANS_OF_RATES:
            return np.full(len(draws), np.inf)
        return equal_rates_sizes(self.metric.key, self.cells.margins(self.model, draws))


def table_of(
    predictions: Predictions,
    metric: str,
    model: str,
    *,
    label: str | None = None,
    threshold: float | None = None,
) -> Table:
    """Return the confusion cells on which a metric of labels depends.

    Raises
    ------
    ValueError
        If the metric is no function of the confusion counts (or is a plain proportion), the model
        or class is unknown, or the predictions have no case with a truth and a label.
    """
    row = resolve_metric(predictions, metric)
    if row.value is None:
        raise ValueError(
            f"metric must be a function of the confusion counts, such as 'f1'; got {metric!r}"
        )
    table = cells(predictions, model, threshold=threshold)
    if table.n == 0:
        raise ValueError("predictions must have cases with a truth and a label; they have none")
    code = class_of(predictions, row, Setting(label=label))
    return Table(cells=table, metric=row, model=model, code=code)


def repeated_half_widths(
    table: Table, draws: np.ndarray, *, method: str, confidence_level: float = 0.95
) -> np.ndarray:
    """Return half the width of the interval on each of many tables.

    The limits are those of ``metric_interval``, also where a table shows no spread.

    Parameters
    ----------
    table : Table
    draws : ndarray of int, shape (R, m)
        Cases in each of the table's cells.
    method : str
        One of ``REPEATED_METHODS``.
    confidence_level : float

    Returns
    -------
    ndarray, shape (R,)
        nan where the metric is undefined or has no interval.
    """
    wilson = check_choice(method, REPEATED_METHODS, "method") == "effective_wilson"
    quantile = critical_value(check_fraction(confidence_level, "confidence_level"))
    values, errors = count_errors(table.metric, table.cells, table.model, draws, table.code)
    bounds, square = table.metric.bounds, np.unique(table.cells.codes).size ** 2
    usable = has_spread(values, errors) & (values > bounds[0]) & (values < bounds[1])
    halves = np.full(len(draws), np.nan)
    if usable.any():
        value, error = values[usable], errors[usable]
        if wilson:
            sizes = (value - bounds[0]) * (bounds[1] - value) / error**2
            sizes = np.fmin(sizes, table.rate_sizes(draws[usable]))
            low, high = wilson_limits(value, sizes, quantile, bounds)
        else:
            low, high = logit_limits(value, error, quantile, bounds)
        halves[usable] = (high - low) / 2.0
    rest = np.flatnonzero(np.isfinite(values) & ~usable)
    step = max(1, BLOCK // square)
    for start in range(0, len(rest), step):
        block = rest[start : start + step]
        halves[block] = _without_spread(table, draws[block], values[block], quantile)
    return halves


def _without_spread(
    table: Table, draws: np.ndarray, values: np.ndarray, quantile: float
) -> np.ndarray:
    """Return half-widths where the standard error is 0 or the value lies on a bound."""
    truth, said = table.cells.codes.T
    informing = INFORMING[table.metric.unit](truth, said, table.code)
    sizes = np.fmin(
        draws[:, informing].sum(axis=1).astype(float),
        smoothed_sizes(table.metric, table.cells, table.model, draws, table.code),
    )
    sizes = np.fmin(sizes, table.rate_sizes(draws))
    low, high = wilson_limits(values, sizes, quantile, table.metric.bounds)
    return (high - low) / 2.0
