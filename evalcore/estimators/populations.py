"""Two synthetic populations, so that the true error of a fitted rule is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evalcore.checks import check_whole
from evalcore.estimators.cases import CaseTable

_MEANS = np.array([[[1.0, 0.0]], [[0.0, 1.0]]])
_CENTRES = _MEANS + np.random.default_rng(2009).normal(size=(2, 10, 2))
_SPREAD = np.sqrt(0.2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """Where cases can be drawn without end.

    Attributes
    ----------
    key, label : str
    sentence : str
        What it is, for people.
    features : int
        How many features its cases have unless said otherwise.
    true_error : float or None
        Error of every rule, where the labels have nothing to do with the features; None where it
        depends on the rule and is measured on fresh cases.
    values : callable
        ``(target, features, generator) -> (n, features)``.
    """

    key: str
    label: str
    sentence: str
    features: int
    true_error: float | None
    values: Callable[[np.ndarray, int, np.random.Generator], np.ndarray]

    def draw(self, n: int, rng: np.random.Generator, *, features: int | None = None) -> CaseTable:
        """Return n cases, half of them of each class, in random order.

        Raises
        ------
        ValueError
            If n is below 2.
        """
        check_whole(n, "n", least=2)
        width = self.features if features is None else features
        target = rng.permutation(np.arange(n) % 2)
        return CaseTable(
            name=self.label,
            features=self.values(target, width, rng),
            target=target,
            classes=("A", "B"),
            columns=tuple(f"x{j + 1}" for j in range(width)),
        )


def _mixture(target: np.ndarray, features: int, rng: np.random.Generator) -> np.ndarray:
    centres = _CENTRES[target, rng.integers(10, size=len(target))]
    values = rng.normal(size=(len(target), features))
    values[:, :2] = centres + _SPREAD * values[:, :2]
    return values


def _noise(target: np.ndarray, features: int, rng: np.random.Generator) -> np.ndarray:
    return rng.normal(size=(len(target), features))


POPULATIONS = {
    one.key: one
    for one in (
        Population(
            key="mixture",
            label="Two clouds",
            sentence=(
                "Synthetic. Two classes in the plane, each a mixture of ten small normal clouds. "
                "The true error of a fitted rule is measured on fresh cases."
            ),
            features=2,
            true_error=None,
            values=_mixture,
        ),
        Population(
            key="noise",
            label="Pure noise",
            sentence=(
                "Synthetic. Twenty random features and labels that have nothing to do with them: "
                "the true error of every rule is exactly 50%."
            ),
            features=20,
            true_error=0.5,
            values=_noise,
        ),
    )
}


def true_error(
    population: Population,
    predict: Callable[[np.ndarray], np.ndarray],
    *,
    rng: np.random.Generator,
    features: int | None = None,
    fresh: int = 100_000,
) -> float:
    """Return the error of a fitted rule: exact where the population fixes it, else on fresh cases.

    Parameters
    ----------
    population : Population
    predict : callable
        ``(m, p) features -> (m,) class codes``.
    rng : numpy.random.Generator
    features : int, optional
        How many features the rule was fitted to; by default those of the population.
    fresh : int
        How many fresh cases are drawn; the error so measured has a standard error of at most
        0.5 / sqrt(fresh).
    """
    if population.true_error is not None:
        return population.true_error
    cases = population.draw(fresh, rng, features=features)
    return float(np.mean(predict(cases.features) != cases.target))
