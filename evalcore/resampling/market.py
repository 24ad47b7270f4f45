"""How often intervals from simulated test sets hold the value of a market of known cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

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
from evalcore.resampling.simulated import MEAN_METHODS, READS_DRAWS, simulate

# The largest test sets that are resampled: some seconds for 1,000 of them.
MOST_CASES = 10_000

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketCoverage:
    """How often intervals from simulated test sets held the value they were after.

    Attributes
    ----------
    market_value : float
        Value over all the cases, which plays the truth.
    n : int
        Cases, or whole groups, in each simulated test set.
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
    unit : {"cases", "clusters"}
        What n counts.
    left_out : tuple of str
        Methods that the metric has and that were not judged, because resampling the sets that way
        would be too slow.
    n_asked : int
        Test sets asked for; more than ``n_sets`` where so many would have taken minutes.
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
    unit: str = "cases"
    left_out: tuple[str, ...] = ()
    n_asked: int = 0

    def monte_carlo_error(self, share: float) -> float:
        """Return the standard error that a share has from the number of simulated sets."""
        return float(np.sqrt(share * (1 - share) / self.n_sets))


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
    touched; sets that share weights are only slightly correlated. Methods that read no bootstrap
    need the first two moments of each set alone, which are drawn at any n at once.

    Parameters
    ----------
    values : array-like, shape (N,)
        The market, such as the absolute error of every case.
    methods : str or sequence of str, optional
        Keys of ``MEAN_METHODS``; by default all, or above 10,000 cases those that resample nothing.
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
    sets = check_whole(n_sets, "n_sets", least=2)
    resamples = check_whole(n_resamples, "n_resamples", least=2)
    weights = check_counts(counts, len(market))
    if weights is None:
        weights = np.ones(len(market), np.int64)
    if weights.sum() == 0 or not np.isfinite(market).all():
        raise ValueError("values must be finite numbers, at least one of them")
    size = check_whole(int(weights.sum()) if n is None else n, "n", least=2)
    chosen = _mean_methods(methods, size)
    limits = {key: np.empty((2, sets)) for key in chosen}
    estimates = np.empty(sets)
    done = 0
    for simulated in simulate(market, weights, size, sets, resamples, as_generator(rng), chosen):
        which = slice(done, done + len(simulated.mean))
        estimates[which] = simulated.mean
        for key in chosen:
            limits[key][:, which] = MEAN_METHODS[key](simulated, level)
        done = which.stop
        if progress is not None:
            progress(done, sets)
    value = float(weights @ market / weights.sum())
    return summarise_coverage(value, limits, estimates, size, resamples, level)


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
    return summarise_coverage(value, limits, estimates, size, 0, level)


def _mean_methods(methods: Sequence[str] | str | None, n: int) -> tuple[str, ...]:
    chosen = _methods(methods, MEAN_METHODS)
    resampling = [key for key in chosen if key in READS_DRAWS]
    if n <= MOST_CASES or not resampling:
        return chosen
    if methods is None:
        return tuple(key for key in chosen if key not in READS_DRAWS)
    raise ValueError(
        f"n must be at most {MOST_CASES:,} to simulate {', '.join(resampling)}; got {n:,}"
    )


def _methods(methods: Sequence[str] | str | None, table: Mapping[str, Any]) -> tuple[str, ...]:
    if methods is None:
        return tuple(table)
    names = (methods,) if isinstance(methods, str) else tuple(methods)
    return tuple(check_choice(name, table, "methods") for name in names)


def summarise_coverage(
    value: float,
    limits: Mapping[str, np.ndarray],
    estimates: np.ndarray,
    n: int,
    n_resamples: int,
    level: float,
    *,
    unit: str = "cases",
    left_out: tuple[str, ...] = (),
    n_asked: int = 0,
) -> MarketCoverage:
    """Return the coverage of limits that were made from simulated test sets.

    Parameters
    ----------
    value : float
        Of the market.
    limits : dict of str to ndarray, shape (2, S)
        Per method; nan where a set gives no interval.
    estimates : ndarray, shape (S,)
    n, n_resamples : int
    level : float
    unit, left_out, n_asked
        As in ``MarketCoverage``; by default as many sets were asked for as there are.
    """
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
        unit=unit,
        left_out=left_out,
        n_asked=n_asked or len(estimates),
    )
