"""Intervals read off bootstrap draws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from evalcore.checks import check_fraction

MOST_UNDEFINED = 0.05
# Values closer than this, relative to their size, differ by rounding only.
EQUAL = 1e-13
NAN = float("nan")


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawLimits:
    """Limits read off draws.

    Attributes
    ----------
    low, high : float
        nan when the draws hold no interval; ``notes`` says why.
    undefined : float
        Share of the draws in which the statistic was undefined; they are left out.
    notes : tuple of str
    """

    low: float
    high: float
    undefined: float = 0.0
    notes: tuple[str, ...] = ()


def percentile_limits(draws: np.ndarray, confidence_level: float = 0.95) -> DrawLimits:
    """Return the quantiles of the draws at alpha / 2 and 1 - alpha / 2.

    Quantiles interpolate linearly between order statistics (numpy's default, type 7).

    Parameters
    ----------
    draws : ndarray, shape (R,)
        nan where the statistic is undefined in a resample.
    confidence_level : float

    Returns
    -------
    DrawLimits
        Of nan when there is no defined draw or all are equal: a bootstrap without spread says
        nothing about the error of the estimate.

    References
    ----------
    Efron, B. (1979). Bootstrap methods: another look at the jackknife. Annals of Statistics 7,
    1-26. Hyndman, R. J. and Fan, Y. (1996). Sample quantiles in statistical packages. The American
    Statistician 50, 361-365.
    """
    level = check_fraction(confidence_level, "confidence_level")
    defined, undefined, notes = _usable(draws)
    if len(defined) == 0:
        return DrawLimits(low=NAN, high=NAN, undefined=undefined, notes=notes)
    tail = (1 - level) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return DrawLimits(low=float(low), high=float(high), undefined=undefined, notes=notes)


def bca_limits(
    draws: np.ndarray, estimate: float, acceleration: float, confidence_level: float = 0.95
) -> DrawLimits:
    """Return bias-corrected and accelerated limits.

    They are quantiles (type 7) of the draws at ``ndtr(z0 + (z0 + z) / (1 - a (z0 + z)))``, with z0
    the normal quantile of the share of draws below the estimate (ties counted half) and a the
    acceleration.

    Parameters
    ----------
    draws : ndarray, shape (R,)
    estimate : float
        Value in the data themselves.
    acceleration : float
        See ``jackknife_acceleration``.
    confidence_level : float

    Returns
    -------
    DrawLimits
        Of nan when the draws have no spread or lie all on one side of the estimate.

    References
    ----------
    Efron, B. (1987). Better bootstrap confidence intervals. JASA 82, 171-185.
    """
    level = check_fraction(confidence_level, "confidence_level")
    defined, undefined, notes = _usable(draws)
    if len(defined) == 0:
        return DrawLimits(low=NAN, high=NAN, undefined=undefined, notes=notes)
    below = share_below(defined, estimate)
    reason = ""
    if not np.isfinite(acceleration):
        reason = "undefined: the jackknife that measures the acceleration has no spread"
    elif not 0 < below < 1:
        reason = "undefined: all bootstrap draws lie on one side of the estimate"
    if reason:
        return DrawLimits(low=NAN, high=NAN, undefined=undefined, notes=(*notes, reason))
    low, high = np.quantile(defined, bca_levels(below, acceleration, level))
    return DrawLimits(low=float(low), high=float(high), undefined=undefined, notes=notes)


def share_below(draws: np.ndarray, estimate: float | np.ndarray) -> np.ndarray:
    """Return the share of draws (first axis) below the estimate, ties counted half.

    Draws that differ from the estimate by rounding only are ties.
    """
    slack = EQUAL * np.abs(estimate)
    return (
        np.mean(draws < estimate - slack, axis=0) + np.mean(draws <= estimate + slack, axis=0)
    ) / 2


def bca_levels(
    below: float | np.ndarray, acceleration: float | np.ndarray, level: float
) -> np.ndarray:
    """Return the two quantile levels that BCa reads, shape (2, ...).

    Parameters
    ----------
    below : float or ndarray
        Share of draws below the estimate, ties counted half; strictly between 0 and 1.
    acceleration : float or ndarray
    level : float
        Confidence level.
    """
    centre = ndtri(below)
    normal = ndtri((1 - level) / 2)
    ends = []
    for z in (normal, -normal):
        moved = centre + z
        slope = 1 - acceleration * moved
        # Beyond the pole of the transformation the level has run to its end.
        inside = np.where(
            slope > 0, centre + moved / np.where(slope > 0, slope, 1), np.sign(z) * np.inf
        )
        ends.append(ndtr(inside))
    return np.array(ends)


def jackknife_acceleration(
    values: np.ndarray, counts: np.ndarray | None = None, *, strata: np.ndarray | None = None
) -> float:
    """Return the acceleration ``sum(u^3) / (6 sum(u^2)^1.5)`` with u = mean of values - value.

    Parameters
    ----------
    values : ndarray, shape (j,)
        The statistic with each case (or cluster) left out.
    counts : ndarray, shape (j,), optional
        How many cases give each value.
    strata : ndarray, shape (j,), optional
        For stratified resampling: the mean is that of the stratum.

    Returns
    -------
    float
        nan when the values do not differ.

    References
    ----------
    Efron, B. (1987). Better bootstrap confidence intervals. JASA 82, 171-185, equation 6.6.
    """
    weights = np.ones(len(values)) if counts is None else np.asarray(counts, float)
    kept = np.isfinite(values)
    values, weights = values[kept], weights[kept]
    if len(values) == 0:
        return NAN
    names = np.zeros(len(values), int) if strata is None else strata[kept]
    _, stratum = np.unique(names, return_inverse=True)
    sizes = np.bincount(stratum, weights=weights)
    centre = np.bincount(stratum, weights=weights * (values - values[0])) / sizes
    pull = centre[stratum] - (values - values[0])
    largest = np.abs(pull).max()
    # Differences of rounding size only are no spread.
    if largest <= EQUAL * max(np.abs(values).max(), 1e-300):
        return NAN
    pull /= largest
    return float(weights @ pull**3 / (6 * (weights @ pull**2) ** 1.5))


def bootstrap_t_limits(
    draws: np.ndarray,
    errors: np.ndarray,
    estimate: float,
    standard_error: float,
    confidence_level: float = 0.95,
) -> DrawLimits:
    """Return limits from quantiles of the studentised draws.

    ``estimate - q * standard_error`` at the quantiles q of (draw - estimate) / its own error at
    1 - alpha / 2 and alpha / 2.

    Parameters
    ----------
    draws, errors : ndarray, shape (R,)
        The statistic and its standard error in each resample.
    estimate, standard_error : float
        The same in the data.
    confidence_level : float

    Returns
    -------
    DrawLimits
        A resample without spread has no studentised value and is left out.

    References
    ----------
    Efron, B. (1982). The Jackknife, the Bootstrap and Other Resampling Plans, section 10.10. Hall,
    P. (1988). Theoretical comparison of bootstrap confidence intervals. Annals of Statistics 16,
    927-953.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        studentised = np.where(errors > 0, (draws - estimate) / errors, NAN)
    read = percentile_limits(studentised, confidence_level)
    return DrawLimits(
        low=estimate - read.high * standard_error,
        high=estimate - read.low * standard_error,
        undefined=read.undefined,
        notes=read.notes,
    )


def _usable(draws: np.ndarray) -> tuple[np.ndarray, float, tuple[str, ...]]:
    """Return the defined draws (none when they have no spread), the share undefined, and notes."""
    defined = draws[~np.isnan(draws)]
    if len(defined) == 0:
        return defined, 1.0, ("undefined: the metric is undefined in every resample",)
    undefined = (len(draws) - len(defined)) / len(draws)
    notes: tuple[str, ...] = ()
    if undefined > MOST_UNDEFINED:
        share = f"{undefined:.1%}"
        notes = (f"the metric is undefined in {share} of the resamples, which are left out",)
    if defined.max() - defined.min() <= EQUAL * np.abs(defined).max():
        return defined[:0], undefined, (*notes, "undefined: all bootstrap draws are equal")
    return defined, undefined, notes
