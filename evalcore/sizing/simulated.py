"""How many cases a function of the confusion counts, such as F1, needs: by simulation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from evalcore.binomial.limits import normal_quantile
from evalcore.checks import check_fraction, check_positive, check_whole
from evalcore.intervals.repeated import Table, repeated_half_widths, table_of
from evalcore.predictions import Predictions
from evalcore.results import SimulatedSize
from evalcore.sizing.search import round_up, size_of
from evalcore.sufficient import count_errors

# Each size simulated is this many times the one before it; between two the width is read off a
# line on logarithmic axes, on which it is all but straight.
STEP = 2.0**0.5
# How many times larger and smaller than the answer the sizes shown around it are.
AROUND = 4.0


def simulated_sample_size(
    predictions: Predictions,
    metric: str,
    model: str,
    half_width: float,
    *,
    label: str | None = None,
    threshold: float | None = None,
    method: str | None = None,
    confidence_level: float = 0.95,
    assurance: float | None = None,
    n_draws: int = 1_000,
    rng: int | np.random.Generator | None = 0,
) -> SimulatedSize:
    """Return the smallest test set whose interval is narrow enough, drawn from a labelled pilot.

    Test sets are multinomial draws of the pilot's confusion cells, and each gets the interval that
    ``metric_interval`` would give it. They grow by cases added to cases (common random numbers), on
    a grid of sizes a factor sqrt(2) apart, until the mean half-width, or with ``assurance`` the one
    that this share of the sets does not exceed, has fallen to ``half_width``; between two sizes it
    is read off on logarithmic axes. A set in which the metric is undefined (F1 without a positive)
    knows nothing: it counts with half the metric's range.

    Parameters
    ----------
    predictions : Predictions
        The pilot; its cases are taken to be independent.
    metric : str
        A function of the confusion counts: F1 and its kin, macro averages, MCC, kappa ...
    model : str
    half_width : float
        In the unit of the metric, below half its range.
    label, threshold
        As for ``metric_interval``.
    method : str, optional
        "delta" or "effective_wilson"; by default the one that ``metric_interval`` takes.
    confidence_level : float
    assurance : float, optional
        Such as 0.9.
    n_draws : int
        Test sets, at least 100.
    rng : None, int or numpy.random.Generator

    Raises
    ------
    ValueError
        If an argument is not allowed, the pilot has groups, or the metric does not vary in it.

    References
    ----------
    Kupper, Hafner (1989), The American Statistician 43, 101-105 (assurance); Glasserman, Yao
    (1992), Management Science 38, 884-908 (common random numbers).
    """
    if predictions.groups is not None:
        raise ValueError(
            "predictions must be of independent cases, without groups, to be simulated; "
            "pilot_sample_size respects groups"
        )
    level = check_fraction(confidence_level, "confidence_level")
    share = None if assurance is None else check_fraction(assurance, "assurance")
    draws = check_whole(n_draws, "n_draws", least=100)
    table = table_of(predictions, metric, model, label=label, threshold=threshold)
    width = _check_width(half_width, table.metric.bounds)
    guess = (normal_quantile(level) * _spread(table) / width) ** 2
    key = table.default_method if method is None else method
    curve = _Curve(
        table=table, method=key, level=level, assurance=share, n_draws=draws, seed=_seed(rng)
    )
    return _read_off(curve, curve.around(guess, width), width)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Point:
    """Half-widths of the test sets of one size: the one aimed at, its error, how many without."""

    n: int
    half: float
    error: float
    undefined: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Curve:
    """The half-width as a function of the size: the same test sets whatever is asked of them."""

    table: Table
    method: str
    level: float
    assurance: float | None
    n_draws: int
    seed: int

    def around(self, guess: float, width: float) -> list[_Point]:
        """Return points from well below to well above the size that reaches a half-width."""
        first = guess / AROUND**1.5
        while True:
            found = []
            for point in self._from(first):
                found.append(point)
                failing = [p.n for p in found if p.half > width]
                if not failing or point.n > AROUND * failing[-1]:
                    break
            if failing or found[0].n == 1:
                return found
            first /= AROUND**1.5

    def _from(self, first: float) -> Iterator[_Point]:
        generator = np.random.default_rng(self.seed)
        shares = self.table.cells.counts / self.table.cells.n
        counts = np.zeros((self.n_draws, len(shares)), np.int64)
        size, exact = 0, 1.0
        while True:
            grown = round_up(exact)
            if grown > size:
                counts += generator.multinomial(grown - size, shares, self.n_draws)
                size = grown
                if size >= first:
                    yield self._point(size, counts)
            exact *= STEP

    def _point(self, n: int, counts: np.ndarray) -> _Point:
        halves = repeated_half_widths(
            self.table, counts, method=self.method, confidence_level=self.level
        )
        unknown = np.isnan(halves)
        low, high = self.table.metric.bounds
        halves[unknown] = (high - low) / 2.0
        half, error = self._summary(halves)
        return _Point(n=n, half=half, error=error, undefined=float(unknown.mean()))

    def _summary(self, halves: np.ndarray) -> tuple[float, float]:
        """Return the half-width aimed at and its Monte Carlo standard error."""
        if self.assurance is None:
            return float(halves.mean()), float(halves.std(ddof=1) / np.sqrt(len(halves)))
        # Ranks one standard error of the binomial below and above bracket that of the quantile.
        spread = np.sqrt(self.assurance * (1.0 - self.assurance) / len(halves))
        ranks = np.clip(self.assurance + spread * np.array([-1.0, 0.0, 1.0]), 0.0, 1.0)
        low, half, high = np.quantile(halves, ranks, method="inverted_cdf")
        return float(half), float(high - low) / 2.0


def _read_off(curve: _Curve, points: list[_Point], width: float) -> SimulatedSize:
    """Return the size at which the curve falls to the width for good."""
    failing = [i for i, point in enumerate(points) if point.half > width]
    after = points[failing[-1] + 1] if failing else points[0]
    before = points[failing[-1]] if failing else after
    slope, exact = 1.0, float(after.n)
    if failing:
        steps = np.log([before.n, after.n]), np.log([before.half, after.half])
        slope = float(np.diff(steps[0])[0] / -np.diff(steps[1])[0])
        exact = before.n * (before.half / width) ** slope
    n = min(max(round_up(exact), before.n), after.n)
    achieved = before.half * (before.n / n) ** (1.0 / slope)
    pilot = curve.table.cells
    said = (
        f"Test sets are drawn from the pilot's {pilot.n:,} cases as if it were the population; "
        "its own luck carries over into the size. Cases are independent."
    )
    return SimulatedSize(
        size=size_of(
            n, method=curve.method, achieved=achieved, goal="half-width", assumptions=(said,)
        ),
        error=exact * slope * after.error / after.half,
        undefined=max(before.undefined, after.undefined),
        assurance=curve.assurance,
        n_draws=curve.n_draws,
        sizes=np.array([point.n for point in points]),
        half_widths=np.array([point.half for point in points]),
    )


def _spread(table: Table) -> float:
    """Return the delta-method standard error of the pilot times the root of its cases."""
    value, error = count_errors(
        table.metric, table.cells, table.model, table.cells.counts[None], table.code
    )
    low, high = table.metric.bounds
    if not (error[0] > 0 and low < value[0] < high):
        reason = f"it is {value[0]:g} in it" if np.isfinite(value[0]) else "it is undefined in it"
        raise ValueError(f"predictions must show how much {table.metric.label} varies; {reason}")
    return float(error[0] * np.sqrt(table.cells.n))


def _check_width(value: float, bounds: tuple[float, float]) -> float:
    width, most = check_positive(value, "half_width"), (bounds[1] - bounds[0]) / 2.0
    if width >= most:
        raise ValueError(f"half_width must be below {most:g}, half of the range; got {value!r}")
    return width


def _seed(rng: int | np.random.Generator | None) -> int:
    """Return a seed: a start below the answer draws the same test sets once more."""
    return int(np.random.default_rng(rng).integers(2**63))
