"""Limits from an estimate and its standard error that never leave the range of the metric."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logit, ndtri, stdtrit

Bounds = tuple[float, float]
Limits = tuple[float, float]
Values = float | np.ndarray
UNDEFINED: Limits = (float("nan"), float("nan"))


def critical_value(confidence_level: float, degrees: float | None = None) -> float:
    """Return the two-sided normal quantile, or that of Student's t with ``degrees`` of freedom."""
    tail = (1.0 - confidence_level) / 2.0
    if degrees is None:
        return float(-ndtri(tail))
    return float(-stdtrit(degrees, tail)) if degrees > 0 else float("nan")


def plain_limits(estimate: float, standard_error: float, quantile: float) -> Limits:
    """Return estimate plus and minus ``quantile`` standard errors."""
    half = quantile * standard_error
    return estimate - half, estimate + half


def scaled_limits(
    estimate: float, standard_error: float, quantile: float, bounds: Bounds
) -> Limits:
    """Return delta-method limits made on a scale without bounds and turned back.

    Between two finite bounds the scale is the logit of the share of the range (on [-1, 1] this is
    twice Fisher's z); with one finite bound the log of the distance from it; without bounds the
    estimate itself. The standard error on the scale is the plain one times the slope of the scale.

    Returns
    -------
    (float, float)
        nan where the estimate lies on a bound, because the scale is infinite there.
    """
    low, high = bounds
    if np.isinf(low) and np.isinf(high):
        return plain_limits(estimate, standard_error, quantile)
    if not low < estimate < high:
        return UNDEFINED
    if np.isfinite(low) and np.isfinite(high):
        first, last = logit_limits(estimate, standard_error, quantile, bounds)
        return float(first), float(last)
    if np.isfinite(low):
        factor = float(np.exp(min(quantile * standard_error / (estimate - low), 700.0)))
        return low + (estimate - low) / factor, low + (estimate - low) * factor
    factor = float(np.exp(min(quantile * standard_error / (high - estimate), 700.0)))
    return high - (high - estimate) * factor, high - (high - estimate) / factor


def logit_limits(
    estimate: Values, standard_error: Values, quantile: float, bounds: Bounds
) -> tuple[np.ndarray, np.ndarray]:
    """Return the limits of ``scaled_limits`` between two finite bounds, for arrays too.

    Every estimate has to lie strictly between the bounds.
    """
    low, high = bounds
    span = high - low
    share = (np.asarray(estimate) - low) / span
    half = quantile * np.asarray(standard_error) / (span * share * (1.0 - share))
    place = logit(share)
    return low + span * expit(place - half), low + span * expit(place + half)


def effective_wilson_limits(
    estimate: float, size: float, quantile: float, bounds: Bounds
) -> Limits:
    """Return Wilson's score limits for a share of the range seen in ``size`` effective cases.

    The estimate is read as the share ``(estimate - low) / (high - low)`` of its range, and ``size``
    is the number of independent 0/1 cases that would give the same standard error. Unlike the delta
    method it has a width on the bounds too.

    References
    ----------
    Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference.
    JASA 22, 209-212. Dean, N. and Pagano, M. (2015). Evaluating confidence interval methods for
    binomial proportions in clustered surveys. J. Survey Statistics and Methodology 3, 484-503.
    """
    low, high = bounds
    if not (np.isfinite(size) and size > 0 and np.isfinite(low) and np.isfinite(high)):
        return UNDEFINED
    first, last = wilson_limits(estimate, size, quantile, bounds)
    return float(first), float(last)


def wilson_limits(
    estimate: Values, size: Values, quantile: float, bounds: Bounds
) -> tuple[np.ndarray, np.ndarray]:
    """Return ``effective_wilson_limits`` of arrays, with finite bounds and sizes above 0."""
    low, high = bounds
    share = (np.asarray(estimate) - low) / (high - low)
    return (
        low + (high - low) * _wilson_low(share, size, quantile),
        high - (high - low) * _wilson_low(1.0 - share, size, quantile),
    )


def effective_cases(estimate: float, standard_error: float, bounds: Bounds) -> float:
    """Return the number of independent 0/1 cases whose mean has this standard error.

    ``u (1 - u) / se_u^2`` with u the share of the range between the bounds.
    """
    low, high = bounds
    variance = (estimate - low) * (high - estimate)
    return variance / standard_error**2 if standard_error > 0 else float("nan")


def _wilson_low(share: np.ndarray, size: Values, quantile: float) -> np.ndarray:
    # Product of the roots over the larger root keeps the limit inside [0, share] to the last bit.
    square = quantile * quantile / np.asarray(size)
    spread = np.maximum(share * (1.0 - share), 0.0) / size
    larger = share + square / 2 + quantile * np.sqrt(spread + square / (4 * np.asarray(size)))
    # Without a width (quantile 0) at a share of 0 both are 0, and so is the limit.
    return share * (share / np.where(larger > 0, larger, 1.0))
