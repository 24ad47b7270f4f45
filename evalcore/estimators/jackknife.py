"""The jackknife: bias and standard error of any statistic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistic:
    """One row of STATISTICS.

    Attributes
    ----------
    key, label : str
    value : callable
        ``values (n,) -> float``.
    remark : str
        What the jackknife says of it, in one sentence.
    """

    key: str
    label: str
    value: Callable[[np.ndarray], float]
    remark: str


def _variation(values: np.ndarray) -> float:
    mean = np.mean(values)
    return float(np.std(values) / abs(mean)) if mean else float("nan")


STATISTICS = {
    key: Statistic(key=key, label=label, value=value, remark=remark)
    for key, label, value, remark in (
        ("mean", "Mean", np.mean,
         "A mean has no bias, and its jackknife error is s / sqrt(n), as the textbook says."),
        ("variance", "Variance (divisor n)", np.var,
         "Divided by n a variance is too small; the correction is that of dividing by n - 1, "
         "exactly."),
        ("deviation", "Standard deviation (divisor n)", np.std,
         "The root of a variance that is too small is too small as well."),
        ("variation", "Coefficient of variation", _variation,
         "A quotient of two means is biased even when both are not."),
        ("median", "Median", np.median,
         "A median moves in jumps when a case is left out: its jackknife error is unreliable."),
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Jackknife:
    """A statistic and what leaving out each case says of it.

    Attributes
    ----------
    estimate : float
    leave_one_out : ndarray, shape (n,)
        The statistic without each case.
    mean, bias, corrected, standard_error : float
    """

    estimate: float
    leave_one_out: np.ndarray
    mean: float
    bias: float
    corrected: float
    standard_error: float


def jackknife(data: Any, statistic: Callable[[np.ndarray], float]) -> Jackknife:
    """Return the jackknife bias and standard error of a statistic.

    With t the statistic, t_i without case i and t. their mean: bias (n - 1)(t. - t), corrected
    n t - (n - 1) t., standard error sqrt((n - 1) / n * sum (t_i - t.)^2). Made for smooth
    statistics; of a median it is unreliable.

    Parameters
    ----------
    data : array-like, shape (n,) or (n, ...)
        Cases along the first axis, at least two.
    statistic : callable
        ``array -> float``.

    Raises
    ------
    ValueError
        If there are fewer than two cases.

    References
    ----------
    Quenouille (1956), Biometrika 43, 353-360; Tukey (1958), Annals of Mathematical Statistics 29,
    614.
    """
    cases = np.asarray(data)
    n = len(cases) if cases.ndim else 0
    if n < 2:
        raise ValueError(f"data must hold at least two cases; got {n}")
    estimate = float(statistic(cases))
    values = np.array([float(statistic(np.delete(cases, i, axis=0))) for i in range(n)])
    mean = float(values.mean())
    bias = (n - 1) * (mean - estimate)
    return Jackknife(
        estimate=estimate,
        leave_one_out=values,
        mean=mean,
        bias=bias,
        corrected=estimate - bias,
        standard_error=float(np.sqrt((n - 1) / n * np.sum((values - mean) ** 2))),
    )
