"""How far each case moves a metric: influence values and the jackknife."""

from __future__ import annotations

import numpy as np

from evalcore.metrics import Margins, Metric, Setting
from evalcore.predictions import MISSING, Predictions
from evalcore.sufficient.columns import CaseColumns, case_columns
from evalcore.sufficient.joint import Cells, cells
from evalcore.sufficient.ranks import HALL_SHEATHER, rank_influence, rank_problems, rank_value
from evalcore.sufficient.resolve import class_of, resolve_metric
from evalcore.sufficient.values import count_value, mean_value, weighted_median

STEP = 1e-20
BLOCK = 1 << 20


def influence(
    predictions: Predictions, metric: Metric | str, model: str, setting: Setting | None = None
) -> np.ndarray:
    """Return the influence of every row on a metric: n times the pull of one more such case.

    The values sum to 0 over the cases, and ``sqrt(sum(counts * influence^2)) / n`` is the standard
    error of the delta method. For a metric of labels that is
    ``sqrt(g' (diag(p) - p p') g / n)`` with g the gradient with respect to the cell shares p, so
    random weights (class shares) are treated as random. Gradients are exact to rounding, by the
    complex step.

    Parameters
    ----------
    predictions : Predictions
    metric : Metric or str
    model : str
    setting : Setting, optional

    Returns
    -------
    ndarray, shape (rows,)
        nan for the rows left out, and everywhere when the metric is undefined.

    Raises
    ------
    ValueError
        If the metric, model or class is unknown, or the metric is for another task.

    References
    ----------
    Hampel, F. R. (1974). The influence curve and its role in robust estimation. JASA 69, 383-393.
    Squire, W. and Trapp, G. (1998). Using complex variables to estimate derivatives of real
    functions. SIAM Review 40, 110-112.
    """
    row = resolve_metric(predictions, metric)
    chosen = setting or Setting()
    values = np.full(predictions.n_rows, np.nan)
    if row.family == "rank":
        problems = rank_problems(predictions, row, model, chosen)
        if np.isfinite(rank_value(row, problems, 0, chosen.rate)):
            values[problems[0].rows] = rank_influence(row, problems, 0, chosen.rate)
        return values
    if row.columns is None:
        table = cells(predictions, model, threshold=chosen.threshold)
        by_cell = cell_influence(row, table, model, class_of(predictions, row, chosen))
        used = table.index >= 0
        values[used] = by_cell[table.index[used]]
        return values
    case = case_columns(predictions, row, model, chosen)
    if case.defined:
        values[case.rows] = _column_influence(row, case)
    return values


def standard_error(values: np.ndarray, counts: np.ndarray | None = None) -> float:
    """Return the delta-method standard error from influence values: ``sqrt(sum(w u^2)) / n``.

    Parameters
    ----------
    values : ndarray, shape (n,)
        Influence values; nan in rows left out.
    counts : ndarray of int, shape (n,), optional

    Returns
    -------
    float
        nan when every row is left out.
    """
    used = ~np.isnan(values)
    weights = np.ones(len(values)) if counts is None else counts.astype(float)
    total = weights[used].sum()
    if total == 0:
        return float("nan")
    return float(np.sqrt(weights[used] @ values[used] ** 2) / total)


def count_gradient(metric: Metric, margins: Margins, code: int = 0) -> Margins:
    """Return the derivatives of a metric of labels with respect to each margin, each shape (K,).

    By the complex step: the imaginary part of f(x + ih) / h, which subtracts nothing and so is
    exact to rounding.
    """
    vectors = np.stack([margins.right, margins.actual, margins.predicted]).astype(float)
    size = vectors.shape[1]
    slopes = np.empty(3 * size)
    block = max(1, BLOCK // (3 * size))
    for start in range(0, 3 * size, block):
        which = np.arange(start, min(start + block, 3 * size))
        moved = np.tile(vectors.astype(complex), (len(which), 1, 1))
        moved[np.arange(len(which)), which // size, which % size] += 1j * STEP
        right, actual, predicted = np.moveaxis(moved, 1, 0)
        shifted = Margins(right=right, actual=actual, predicted=predicted)
        slopes[which] = np.imag(count_value(metric, shifted, code)) / STEP
    right, actual, predicted = slopes.reshape(3, size)
    return Margins(right=right, actual=actual, predicted=predicted)


def cell_influence(metric: Metric, table: Cells, model: str, code: int = 0) -> np.ndarray:
    """Return the influence of a case in each cell, shape (m,); nan when the metric is undefined."""
    margins = table.margins(model)
    if not np.isfinite(count_value(metric, margins, code)):
        return np.full(len(table.counts), np.nan)
    slope = count_gradient(metric, margins, code)
    truth = table.codes[:, 0]
    said = table.codes[:, 1 + table.models.index(model)]
    pull = (
        slope.actual[truth] + slope.predicted[said] + np.where(truth == said, slope.right[truth], 0)
    )
    # A metric of shares does not change when all counts grow alike, so the mean is 0 but for
    # rounding.
    pull -= table.counts @ pull / table.n
    return table.n * pull


def count_errors(
    metric: Metric, table: Cells, model: str, draws: np.ndarray, code: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Return a metric of labels and its delta-method standard error on many tables at once.

    Parameters
    ----------
    metric : Metric
        Of labels. One asked of a class must depend on the margins of that class alone.
    table : Cells
        Whose cells the draws fill.
    model : str
    draws : ndarray of int, shape (R, m)
        Cases in each cell.
    code : int
        The class that the metric is asked of.

    Returns
    -------
    (ndarray, ndarray), shape (R,) each
        nan where the metric is undefined.
    """
    margins = table.margins(model, draws)
    truth = table.codes[:, 0]
    said = table.codes[:, 1 + table.models.index(model)]
    labels = np.stack([np.where(truth == said, truth, MISSING), truth, said])
    asked = [code] if metric.per_class else np.unique(labels[1:])
    moved = [v.astype(complex) for v in (margins.right, margins.actual, margins.predicted)]
    shifted = Margins(right=moved[0], actual=moved[1], predicted=moved[2])
    pull = np.zeros(draws.shape)
    for vector, kind in zip(moved, labels, strict=True):
        for c in asked:
            vector[:, c] += 1j * STEP
            slope = np.imag(count_value(metric, shifted, code)) / STEP
            vector[:, c] = vector[:, c].real
            pull[:, kind == c] += slope[:, None]
    values = count_value(metric, margins, code)
    with np.errstate(invalid="ignore"):
        pull -= np.einsum("rm,rm->r", draws, pull)[:, None] / draws.sum(axis=1)[:, None]
        errors = np.sqrt(np.einsum("rm,rm->r", draws, pull**2))
    return values, np.where(np.isfinite(values), errors, np.nan)


def mean_gradient(metric: Metric, means: np.ndarray) -> np.ndarray:
    """Return the derivatives of a metric of means with respect to each mean, shape (p,).

    By the complex step; a sum of absolute values, which is not analytic, has the signs instead.
    """
    moved = means + 1j * STEP * np.eye(len(means))
    values = mean_value(metric, moved)
    return values.imag / STEP if np.iscomplexobj(values) else np.sign(means)


def _column_influence(metric: Metric, case: CaseColumns) -> np.ndarray:
    if metric.family == "quantile":
        return _median_influence(case.columns[:, 0], case.counts)
    means = case.counts @ case.columns / case.n
    if not np.isfinite(mean_value(metric, means)):
        return np.full(len(case.rows), np.nan)
    return (case.columns - means) @ mean_gradient(metric, means)


def _median_influence(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return ``(1/2 - [x <= median]) / density``, the density from the gap of two order statistics.

    References
    ----------
    Hall, P. and Sheather, S. J. (1988). On the distribution of a Studentized quantile. JRSS B 50,
    381-391 (the half-width of the gap on the scale of shares: 0.97 n^(-1/3) for the median).
    """
    n = int(counts.sum())
    order = np.argsort(values)
    ends = np.cumsum(counts[order])
    half = min(HALL_SHEATHER * n ** (-1 / 3), 0.5)
    ranks = np.clip(np.ceil(n * np.array([0.5 - half, 0.5 + half])), 1, n)
    low, high = values[order][np.searchsorted(ends, ranks)]
    below = values <= weighted_median(values, counts)
    share = counts @ below / n
    return (share - below) * (high - low) * n / max(ranks[1] - ranks[0], 1)
