"""Does an interval hold on data like yours? The loaded cases play the market."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri, stdtrit

from evalcore.binomial import PROPORTION_METHODS, proportion_limits
from evalcore.checks import (
    as_generator,
    check_choice,
    check_counts,
    check_fraction,
    check_same_length,
    check_values,
    check_whole,
)
from evalcore.metrics import Metric, Setting
from evalcore.predictions import Predictions
from evalcore.resampling.limits import bca_levels, share_below
from evalcore.resampling.weights import weight_blocks
from evalcore.sufficient import case_columns, cells, class_of, resolve_metric

# Simulated samples that share one matrix of resampling weights, and the most numbers they hold.
SHARING = 100
MOST_VALUES = 1 << 22

Progress = Callable[[int, int], None]
Sets = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketCoverage:
    """How often intervals from simulated test sets held the value they were after.

    Attributes
    ----------
    market_value : float
        Value over all the cases, which plays the truth.
    n : int
        Cases in each simulated test set.
    n_sets, n_resamples : int
    confidence_level : float
    held : dict of str to float
        Per method, the share of test sets whose interval held the market's value.
    held_next : dict of str to float
        Per method, the share whose interval held the estimate of the next test set, which an
        interval for the market's value does not promise.
    width : dict of str to float
        Per method, the mean width of the intervals.
    undefined : dict of str to float
        Per method, the share of test sets without an interval, such as those whose cases are all
        equal; they count as not holding.
    """

    market_value: float
    n: int
    n_sets: int
    n_resamples: int
    confidence_level: float
    held: Mapping[str, float]
    held_next: Mapping[str, float]
    width: Mapping[str, float]
    undefined: Mapping[str, float]

    def monte_carlo_error(self, share: float) -> float:
        """Return the standard error that a share has from the number of simulated sets."""
        return float(np.sqrt(share * (1 - share) / self.n_sets))


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulated:
    """A block of simulated test sets with the bootstrap means of each.

    Attributes
    ----------
    mean, deviation, acceleration : ndarray, shape (S,)
        Of each set; the deviation is the standard error of its mean.
    draws : ndarray, shape (S, R)
        Bootstrap means less the mean of the set, sorted; empty when no method reads them.
    studentised : ndarray, shape (S, R)
        The same over the standard error of the resample, sorted; empty when not needed.
    n : int
    """

    mean: np.ndarray
    deviation: np.ndarray
    acceleration: np.ndarray
    draws: np.ndarray
    studentised: np.ndarray
    n: int


def market_coverage(
    predictions: Predictions,
    metric: Metric | str,
    model: str,
    methods: Sequence[str] | str | None = None,
    *,
    setting: Setting | None = None,
    n: int | None = None,
    n_sets: int = 1000,
    n_resamples: int = 2000,
    confidence_level: float = 0.95,
    rng: Any = None,
    progress: Progress | None = None,
) -> MarketCoverage:
    """Return how often intervals for a metric held its value, with the loaded cases as the market.

    Test sets are drawn from the cases with replacement, one by one. Offered for shares of labels
    (recall and precision with the varying number of cases that inform them) and for plain means.

    Parameters
    ----------
    predictions : Predictions
    metric : Metric or str
    model : str
    methods : str or sequence of str, optional
        Keys of ``PROPORTION_METHODS`` for a share, of ``MEAN_METHODS`` for a mean; by default all.
    setting : Setting, optional
    n : int, optional
        Cases in a test set; by default as many as are loaded.
    n_sets, n_resamples, confidence_level, rng, progress
        As in ``mean_coverage``.

    Raises
    ------
    ValueError
        If an argument is not allowed, or no such simulation exists for the metric.
    """
    row = resolve_metric(predictions, metric)
    chosen = setting or Setting()
    options: dict[str, Any] = {
        "n": n,
        "n_sets": n_sets,
        "confidence_level": confidence_level,
        "rng": rng,
    }
    if row.ratio is not None:
        code = class_of(predictions, row, chosen) if row.per_class else None
        table = cells(predictions, model, threshold=chosen.threshold).collapsed(code)
        each = table.margins(model, np.eye(len(table.counts)))
        successes, trials = row.ratio(each, 1)
        return proportion_coverage(successes, trials, methods, counts=table.counts, **options)
    if row.columns is None or row.combine is None or row.family == "quantile" or not _is_plain(row):
        raise ValueError(
            "metric must be a share of labels or a plain mean, whose intervals can be simulated "
            f"fast; got {row.key!r}"
        )
    case = case_columns(predictions, row, model, chosen)
    if not case.defined:
        raise ValueError(f"metric {row.key!r} is undefined here: {'; '.join(case.notes)}")
    values = case.columns[:, 0]
    if row.family == "proportion":
        ones = np.ones(len(values))
        return proportion_coverage(values, ones, methods, counts=case.counts, **options)
    options |= {"n_resamples": n_resamples, "progress": progress}
    return mean_coverage(values, methods, counts=case.counts, **options)


def mean_coverage(
    values: Any,
    methods: Sequence[str] | str | None = None,
    *,
    counts: Any = None,
    n: int | None = None,
    n_sets: int = 1000,
    n_resamples: int = 2000,
    confidence_level: float = 0.95,
    rng: Any = None,
    progress: Progress | None = None,
) -> MarketCoverage:
    """Return how often intervals for a mean held the market's mean.

    Up to 100 test sets share one matrix of resampling weights, so that their bootstrap means are
    one matrix product. Each set sees an ordinary bootstrap, so its chance to hold the value is not
    touched; sets that share weights are only slightly correlated. The time grows with
    n * n_resamples * n_sets / 100.

    Parameters
    ----------
    values : array-like, shape (N,)
        The market, such as the absolute error of every case.
    methods : str or sequence of str, optional
        Keys of ``MEAN_METHODS``; by default all.
    counts : array-like of int, shape (N,), optional
        How often each value occurs in the market.
    n : int, optional
        Cases in a test set; by default as many as the market has.
    n_sets : int
        Simulated test sets.
    n_resamples : int
        Bootstrap resamples of each.
    confidence_level : float
    rng : None, int or numpy.random.Generator
    progress : callable, optional
        Called as ``progress(done, n_sets)`` after each block of test sets.

    Raises
    ------
    ValueError
        If an argument is not allowed.
    """
    market = check_values(values, "values")
    level = check_fraction(confidence_level, "confidence_level")
    chosen = _methods(methods, MEAN_METHODS)
    sets, resamples = (
        check_whole(n_sets, "n_sets", least=2),
        check_whole(n_resamples, "n_resamples"),
    )
    weights = check_counts(counts, len(market))
    if weights is not None:
        market = np.repeat(market, weights)
    if len(market) == 0 or not np.isfinite(market).all():
        raise ValueError("values must be finite numbers, at least one of them")
    size = len(market) if n is None else check_whole(n, "n", least=2)
    generator = as_generator(rng)
    block = int(max(1, min(SHARING, MOST_VALUES // size)))
    limits = {key: np.empty((2, sets)) for key in chosen}
    estimates = np.empty(sets)
    for start in range(0, sets, block):
        stop = min(start + block, sets)
        samples = market[generator.integers(0, len(market), (stop - start, size))]
        simulated = _simulate(samples, resamples, generator, chosen)
        estimates[start:stop] = simulated.mean
        for key in chosen:
            limits[key][:, start:stop] = MEAN_METHODS[key](simulated, level)
        if progress is not None:
            progress(stop, sets)
    return _summary(market.mean(), limits, estimates, size, resamples, level)


def proportion_coverage(
    successes: Any,
    trials: Any,
    methods: Sequence[str] | str | None = None,
    *,
    counts: Any = None,
    n: int | None = None,
    n_sets: int = 1000,
    confidence_level: float = 0.95,
    rng: Any = None,
) -> MarketCoverage:
    """Return how often intervals for a proportion held the market's proportion.

    Test sets have a fixed number of cases; how many of them inform the proportion varies, as it
    does for a recall. A set that none informs has no interval.

    Parameters
    ----------
    successes, trials : array-like of 0 and 1, shape (N,)
        Whether each case succeeds, and whether it informs the proportion at all.
    methods : str or sequence of str, optional
        Keys of ``PROPORTION_METHODS``; by default all.
    counts, n, n_sets, confidence_level, rng
        As in ``mean_coverage``.

    Raises
    ------
    ValueError
        If an argument is not allowed or no case of the market informs the proportion.
    """
    hits, informs = check_values(successes, "successes"), check_values(trials, "trials")
    rows = check_same_length({"successes": hits, "trials": informs, "counts": counts})
    if (
        not (np.isin(informs, (0, 1)).all() and np.isin(hits, (0, 1)).all())
        or (hits > informs).any()
    ):
        raise ValueError("successes and trials must be 0 or 1, and no success without a trial")
    level = check_fraction(confidence_level, "confidence_level")
    chosen = _methods(methods, PROPORTION_METHODS)
    sets = check_whole(n_sets, "n_sets", least=2)
    weights = check_counts(counts, rows)
    kinds = np.bincount((hits + informs).astype(int), weights=weights, minlength=3)
    if kinds[1] + kinds[2] == 0:
        raise ValueError("trials must be 1 in at least one case of the market; got none")
    size = int(kinds.sum()) if n is None else check_whole(n, "n", least=1)
    drawn = as_generator(rng).multinomial(size, kinds / kinds.sum(), size=sets)
    k, informed = drawn[:, 2], drawn[:, 1] + drawn[:, 2]
    with np.errstate(invalid="ignore", divide="ignore"):
        estimates = k / informed
    pairs, place = np.unique(np.column_stack([k, informed]), axis=0, return_inverse=True)
    limits = {}
    for key in chosen:
        ends = proportion_limits(pairs[:, 0], pairs[:, 1], method=key, confidence_level=level)
        limits[key] = np.array(ends)[:, place.ravel()]
    value = kinds[2] / (kinds[1] + kinds[2])
    return _summary(value, limits, estimates, size, 0, level)


def _is_plain(metric: Metric) -> bool:
    """Return whether a metric is the mean of its column itself, not a function of it."""
    probe = np.array([2.0])
    return metric.combine is not None and float(metric.combine(probe)) == 2.0


def _methods(methods: Sequence[str] | str | None, table: Mapping[str, Any]) -> tuple[str, ...]:
    if methods is None:
        return tuple(table)
    names = (methods,) if isinstance(methods, str) else tuple(methods)
    return tuple(check_choice(name, table, "methods") for name in names)


def _simulate(
    samples: np.ndarray, n_resamples: int, rng: np.random.Generator, methods: tuple[str, ...]
) -> Simulated:
    """Return the moments of test sets, shape (S, n), and their bootstrap means."""
    sets, n = samples.shape
    mean = samples.mean(axis=1)
    offset = samples - mean[:, None]
    square = offset**2
    spread = square.sum(axis=1)
    # A set of equal values has rounding for a spread.
    spread[np.ptp(samples, axis=1) == 0] = 0.0
    with np.errstate(invalid="ignore", divide="ignore"):
        acceleration = (offset * square).sum(axis=1) / (6 * spread**1.5)
    needs_draws = not READS_DRAWS.isdisjoint(methods)
    needs_errors = "bootstrap_t" in methods
    draws = np.empty((sets, n_resamples if needs_draws else 0))
    studentised = np.empty((sets, n_resamples if needs_errors else 0))
    if needs_draws:
        # Single precision is ample beside the Monte Carlo error, once the means are taken off.
        unit = np.where(spread > 0, np.sqrt(spread / n), 1.0)[:, None]
        light, squared = (offset / unit).astype(np.float32), (square / unit**2).astype(np.float32)
        units = np.ones(n, np.int64)
        for which, weights in weight_blocks(units, n_resamples, rng, dtype=np.float32):
            draws[:, which] = light @ weights.T / n
            if needs_errors:
                variance = squared @ weights.T / n - draws[:, which] ** 2
                with np.errstate(invalid="ignore", divide="ignore"):
                    studentised[:, which] = draws[:, which] / np.sqrt(variance / (n - 1))
        draws *= unit
    draws.sort(axis=1)
    studentised.sort(axis=1)
    return Simulated(
        mean=mean,
        deviation=np.sqrt(spread / (n - 1) / n),
        acceleration=acceleration,
        draws=draws,
        studentised=studentised,
        n=n,
    )


def _normal(sets: Simulated, level: float) -> Sets:
    return _around(sets, float(-ndtri((1 - level) / 2)))


def _student(sets: Simulated, level: float) -> Sets:
    return _around(sets, float(-stdtrit(sets.n - 1, (1 - level) / 2)))


def _around(sets: Simulated, quantile: float) -> Sets:
    half = np.where(sets.deviation > 0, quantile * sets.deviation, np.nan)
    return sets.mean - half, sets.mean + half


def _percentile(sets: Simulated, level: float) -> Sets:
    tail = np.full(len(sets.mean), (1 - level) / 2)
    return _spread_only(
        sets, sets.mean + _read(sets.draws, tail), sets.mean + _read(sets.draws, 1 - tail)
    )


def _bca(sets: Simulated, level: float) -> Sets:
    below = share_below(sets.draws.T, np.zeros(len(sets.mean)))
    with np.errstate(invalid="ignore"):
        low, high = bca_levels(below, sets.acceleration, level)
    inside = (below > 0) & (below < 1) & np.isfinite(low) & np.isfinite(high)
    ends = [_read(sets.draws, np.where(inside, share, 0.5)) for share in (low, high)]
    low, high = (np.where(inside, sets.mean + end, np.nan) for end in ends)
    return _spread_only(sets, low, high)


def _bootstrap_t(sets: Simulated, level: float) -> Sets:
    tail = np.full(len(sets.mean), (1 - level) / 2)
    upper, lower = _read(sets.studentised, tail), _read(sets.studentised, 1 - tail)
    low, high = sets.mean - lower * sets.deviation, sets.mean - upper * sets.deviation
    return _spread_only(sets, low, high)


MEAN_METHODS: Mapping[str, Callable[[Simulated, float], Sets]] = {
    "t": _student,
    "normal": _normal,
    "percentile": _percentile,
    "bca": _bca,
    "bootstrap_t": _bootstrap_t,
}
READS_DRAWS = {"percentile", "bca", "bootstrap_t"}


def _spread_only(sets: Simulated, low: np.ndarray, high: np.ndarray) -> Sets:
    usable = sets.deviation > 0
    return np.where(usable, low, np.nan), np.where(usable, high, np.nan)


def _read(ordered: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Return the quantile (type 7) of each sorted row at its own share."""
    place = shares * (ordered.shape[1] - 1)
    below = np.floor(place).astype(int)
    above = np.minimum(below + 1, ordered.shape[1] - 1)
    row = np.arange(len(ordered))
    start = ordered[row, below]
    return start + (place - below) * (ordered[row, above] - start)


def _summary(
    value: float,
    limits: Mapping[str, np.ndarray],
    estimates: np.ndarray,
    n: int,
    n_resamples: int,
    level: float,
) -> MarketCoverage:
    following = np.roll(estimates, -1)
    held, held_next, width, undefined = {}, {}, {}, {}
    for key, (low, high) in limits.items():
        missing = np.isnan(low) | np.isnan(high)
        held[key] = float(np.mean((low <= value) & (value <= high)))
        held_next[key] = float(np.mean((low <= following) & (following <= high)))
        width[key] = float(np.mean((high - low)[~missing])) if not missing.all() else float("nan")
        undefined[key] = float(missing.mean())
    return MarketCoverage(
        market_value=float(value),
        n=n,
        n_sets=len(estimates),
        n_resamples=n_resamples,
        confidence_level=level,
        held=held,
        held_next=held_next,
        width=width,
        undefined=undefined,
    )
