"""Cached calls of the simulators, whose arguments are numbers: all visitors share the answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import streamlit as st

from evalcore import binomial, simulation
from evalcore.results import Coverage
from evalcore.simulation import Batches, Duel, Leaderboards, RepeatedLooks, Thresholdout

Function = TypeVar("Function", bound=Callable[..., Any])


def _cached(function: Function) -> Function:
    return st.cache_data(function, max_entries=60, show_spinner=False)


@_cached
def exact_coverages(
    n: int, points: int, methods: tuple[str, ...], level: float
) -> tuple[Coverage, ...]:
    """Return the exact coverage of methods at so many true shares from 0 to 1."""
    shares = np.linspace(0.0, 1.0, points)
    return binomial.exact_coverages(n, shares, methods, confidence_level=level)


@_cached
def coverage_along_n(
    sizes: tuple[int, ...], proportion: float, method: str, level: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return coverage and mean width at every number of cases."""
    return simulation.coverage_along_n(sizes, proportion, method=method, confidence_level=level)


@_cached
def duels(
    accuracy_a: float, accuracy_b: float, correlation: float, sizes: tuple[int, ...], level: float
) -> list[Duel]:
    """Return who wins how often at every number of cases."""
    cells = simulation.shared_difficulty_cells(accuracy_a, accuracy_b, correlation)
    return [simulation.which_wins(n, cells, confidence_level=level) for n in sizes]


@_cached
def null_batches(
    digest: str | None,
    _differences: np.ndarray | None,
    _counts: np.ndarray | None,
    tests: int,
    batches: int,
    alpha: float,
    seed: int,
) -> Batches:
    """Return tests of nothing; ``digest`` stands for the differences."""
    return simulation.null_batches(
        tests, _differences, counts=_counts, n_batches=batches, significance=alpha, rng=seed
    )


@_cached
def leaderboards(
    middle: float, spread: float, entries: int, n_public: int, n_private: int, seed: int
) -> Leaderboards:
    """Return the boards of entries whose true accuracies spread around a middle."""
    truth = simulation.spread_of_accuracies(middle, spread, entries)
    return simulation.leaderboards(truth, n_public, n_private, rng=seed)


@_cached
def repeated_looks(
    n: int, looks: int, accuracy: float, threshold: float, noise: float, budget: int, seed: int
) -> RepeatedLooks:
    """Return what is believed after each look at one holdout."""
    settings = Thresholdout(threshold=threshold, noise=noise, budget=budget)
    return simulation.repeated_looks(n, looks, accuracy=accuracy, reusable=settings, rng=seed)
