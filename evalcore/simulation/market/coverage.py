"""How often each method holds the value of the loaded cases, whatever the metric."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from evalcore.checks import as_generator, check_choice, check_fraction, check_whole
from evalcore.intervals.evidence import family_of, is_clustered
from evalcore.metrics import METRICS, Metric, Setting
from evalcore.predictions import Predictions
from evalcore.resampling import MarketCoverage, summarise_coverage
from evalcore.simulation.market.cases import MOST_ROWS, case_market
from evalcore.simulation.market.plan import DRAWN, Market, Plan
from evalcore.simulation.market.tables import right_or_wrong, table_market
from evalcore.simulation.market.values import AreaMarket, MeanMarket, MedianMarket
from evalcore.simulation.rankings import ranking_market
from evalcore.sufficient import (
    case_columns,
    cells,
    class_of,
    metric_notes,
    metric_value,
    rank_problems,
    resolve_metric,
)

Progress = Callable[[int, int], None]
PLAIN_MEAN = METRICS["mean_error"].combine


def market_coverage(
    predictions: Predictions,
    metric: Metric | str,
    model: str,
    methods: Sequence[str] | str | None = None,
    *,
    setting: Setting | None = None,
    by_group: bool | None = None,
    n: int | None = None,
    n_sets: int = 1000,
    n_resamples: int = 2000,
    confidence_level: float = 0.95,
    rng: Any = None,
    progress: Progress | None = None,
) -> MarketCoverage:
    """Return how often intervals for a metric held its value, with the loaded cases as the market.

    Test sets are drawn from the cases with replacement: cases one by one, or whole groups, in which
    case the usual interval that ignores groups is judged beside those that count them, under the
    key of its method after ``NAIVE``. The limits are those of ``metric_interval``. Bootstraps are
    judged where up to 100 sets can share one matrix of resampling weights: metrics of labels and of
    means; of rankings only where they have no other method. The methods that are offered for the
    metric and not judged are in ``left_out``.

    Parameters
    ----------
    predictions : Predictions
    metric : Metric or str
    model : str
    methods : str or sequence of str, optional
        Methods of the metric; by default all that can be judged.
    setting : Setting, optional
    by_group : bool, optional
        Whether whole groups are drawn; by default they are when there are any.
    n : int, optional
        Cases in a test set, or groups; by default as many as are loaded.
    n_sets : int
        Simulated test sets; fewer are drawn, at least 100, where so many would take minutes.
    n_resamples : int
        Bootstrap resamples of each; 500 where every set has to be resampled alone.
    confidence_level : float
    rng : None, int or numpy.random.Generator
    progress : callable, optional
        Called as ``progress(done, n_sets)`` now and then.

    Raises
    ------
    ValueError
        If an argument is not allowed, the metric is undefined on these cases, or none of its
        methods can be judged at this size.
    """
    row = resolve_metric(predictions, metric)
    check_choice(model, predictions.models, "model")
    level = check_fraction(confidence_level, "confidence_level")
    sets = check_whole(n_sets, "n_sets", least=2)
    resamples = check_whole(n_resamples, "n_resamples", least=2)
    market = _market(predictions, row, model, setting or Setting(), by_group)
    size = check_whole(market.n if n is None else n, "n", least=2)
    able = market.able(size)
    if not able:
        raise ValueError(
            f"n must be at most {MOST_ROWS:,} cases to judge the methods of {row.key!r}; got "
            f"{size:,} {market.unit}"
        )
    chosen = _chosen(methods, able)
    plan = Plan(
        n=size,
        n_sets=min(sets, market.affordable(size, resamples, chosen)),
        n_resamples=resamples,
        level=level,
        methods=chosen,
        rng=as_generator(rng),
        progress=progress or _silent,
    )
    found = market.judge(plan)
    limits = {key: _with_width(found.limits[key]) for key in chosen}
    return summarise_coverage(
        market.value,
        limits,
        found.estimates,
        size,
        resamples if set(DRAWN) & set(chosen) else 0,
        level,
        unit=market.unit,
        left_out=tuple(key for key in market.offered if key not in able),
        n_asked=sets,
    )


def _market(
    predictions: Predictions,
    metric: Metric,
    model: str,
    setting: Setting,
    by_group: bool | None,
) -> Market:
    """Return the market that fits the family of the metric."""
    clustered = is_clustered(predictions, by_group)
    if np.isnan(metric_value(predictions, metric, model, setting)):
        notes = metric_notes(predictions, metric, model, setting)
        why = "; ".join(notes) or "these cases do not determine it"
        raise ValueError(f"metric {metric.key!r} is undefined here: {why}")
    family, _ = family_of(predictions, metric, model)
    if clustered:
        return case_market(predictions, metric, model, setting, clustered=True)
    if metric.key == "auc":
        case = rank_problems(predictions, metric, model, setting)[0]
        ranking = ranking_market(case.truth, case.scores[:, 0], counts=case.counts)
        return AreaMarket(ranking=ranking, metric=metric)
    if metric.family in ("proportion", "count") and metric.columns is None:
        table = cells(predictions, model, threshold=setting.threshold)
        return table_market(table, metric, class_of(predictions, metric, setting))
    if family == "rank" or (family == "mean" and metric.combine is not PLAIN_MEAN):
        return case_market(predictions, metric, model, setting, clustered=False)
    case_values = case_columns(predictions, metric, model, setting)
    values, counts = case_values.columns[:, 0], case_values.counts
    if family == "proportion":
        right = round(float(counts @ values))
        return right_or_wrong(right, int(counts.sum()) - right)
    if family == "quantile":
        order = np.argsort(values, kind="stable")
        return MedianMarket(values=values[order], counts=counts[order])
    return MeanMarket(values=values, counts=counts, metric=metric)


def _chosen(methods: Sequence[str] | str | None, able: tuple[str, ...]) -> tuple[str, ...]:
    if methods is None:
        return able
    names = (methods,) if isinstance(methods, str) else tuple(methods)
    return tuple(check_choice(name, able, "methods") for name in names)


def _with_width(limits: np.ndarray) -> np.ndarray:
    """Return limits, nan where both are the same: such a set has no interval."""
    return np.where(limits[0] == limits[1], np.nan, limits)


def _silent(done: int, total: int) -> None:
    """Report no progress."""
