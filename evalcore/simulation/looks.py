"""Repeated looks at one holdout, with and without the reusable holdout."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from evalcore.checks import as_generator, check_fraction, check_positive, check_whole


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RepeatedLooks:
    """What an analyst believes after each look at a holdout, over many repeats.

    Attributes
    ----------
    truth : float
        True accuracy of every variant that is ever tried.
    plain : ndarray, shape (n_repeats, looks + 1)
        The best score the holdout has shown so far, when it answers every question.
    reusable : ndarray, shape (n_repeats, looks + 1)
        The same when Thresholdout answers.
    spent : ndarray of int, shape (n_repeats, looks + 1)
        Answers that used up some of Thresholdout's budget.
    silent : ndarray of bool, shape (n_repeats, looks + 1)
        Whether the budget is used up, after which Thresholdout answers nothing.
    """

    truth: float
    plain: np.ndarray
    reusable: np.ndarray
    spent: np.ndarray
    silent: np.ndarray


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholdout:
    """How the reusable holdout is set.

    Attributes
    ----------
    threshold : float
        Gap between the training and the holdout score up to which the training score is the answer.
    noise : float
        Scale of the Laplace noise of an answer from the holdout; the comparison with the threshold
        has noise of two and of four times that scale.
    budget : int
        Answers from the holdout before it falls silent.
    """

    threshold: float = 0.04
    noise: float = 0.01
    budget: int = 20


def repeated_looks(
    n: int,
    looks: int,
    *,
    accuracy: float = 0.8,
    changed: float = 0.1,
    reusable: Thresholdout | None = None,
    n_repeats: int = 200,
    rng: Any = None,
) -> RepeatedLooks:
    """Return what an analyst reports who keeps every change that a holdout seems to like.

    Each look tries a variant of the current model that answers a share of the cases anew and is no
    better and no worse in truth; the variant is kept when the answer is above the best so far. Only
    the number of cases right matters, so a variant is drawn exactly as that number less a
    hypergeometric one plus a binomial one, on the holdout and on a training set of the same size
    that Thresholdout compares it with.

    Parameters
    ----------
    n : int
        Cases of the holdout, and of the training set.
    looks : int
        Variants tried.
    accuracy : float
        True accuracy of every variant.
    changed : float
        Share of the cases that a variant answers anew.
    reusable : Thresholdout, optional
    n_repeats : int
    rng : None, int or numpy.random.Generator

    Raises
    ------
    ValueError
        If an argument is not allowed.

    References
    ----------
    Dwork, Feldman, Hardt, Pitassi, Reingold, Roth (2015), The reusable holdout, Science 349,
    636-638.
    """
    size, steps = check_whole(n, "n", least=2), check_whole(looks, "looks", least=1)
    truth, share = check_fraction(accuracy, "accuracy"), check_fraction(changed, "changed")
    repeats = check_whole(n_repeats, "n_repeats", least=1)
    settings = reusable or Thresholdout()
    check_positive(settings.noise, "noise")
    check_positive(settings.threshold, "threshold")
    check_whole(settings.budget, "budget")
    generator = as_generator(rng)
    anew = max(1, round(share * size))
    climb = (size, steps, truth, anew, repeats, generator)
    plain = _climb(*climb, lambda _, holdout: holdout)
    guard = _Guard(settings, repeats, generator)
    kept = _climb(*climb, guard.answer)
    spent = np.array(guard.history).T
    return RepeatedLooks(
        truth=truth, plain=plain, reusable=kept, spent=spent, silent=spent >= settings.budget
    )


class _Guard:
    """Thresholdout for many repeats at once."""

    def __init__(self, settings: Thresholdout, repeats: int, rng: np.random.Generator) -> None:
        self._settings, self._rng = settings, rng
        self._spent = np.zeros(repeats, np.int64)
        self._threshold = settings.threshold + self._laplace(2.0)
        self.history: list[np.ndarray] = []

    def answer(self, training: np.ndarray, holdout: np.ndarray) -> np.ndarray:
        """Return an answer per repeat; nan once the budget is used up."""
        open_still = self._spent < self._settings.budget
        over = np.abs(holdout - training) > self._threshold + self._laplace(4.0)
        looked = over & open_still
        fresh = self._settings.threshold + self._laplace(2.0)
        self._threshold = np.where(looked, fresh, self._threshold)
        self._spent = self._spent + looked
        self.history.append(self._spent)
        given = np.where(looked, holdout + self._laplace(1.0), training)
        return np.where(open_still, given, np.nan)

    def _laplace(self, times: float) -> np.ndarray:
        return self._rng.laplace(scale=times * self._settings.noise, size=len(self._spent))


def _climb(
    n: int,
    looks: int,
    truth: float,
    anew: int,
    repeats: int,
    rng: np.random.Generator,
    answer: Callable[[np.ndarray, np.ndarray], np.ndarray],
) -> np.ndarray:
    """Return the best answer after each look, shape (repeats, looks + 1)."""
    right = rng.binomial(n, truth, (2, repeats))
    best = np.full((repeats, looks + 1), np.nan)
    best[:, 0] = answer(*(right / n))
    for look in range(1, looks + 1):
        lost = rng.hypergeometric(right, n - right, anew)
        tried = right - lost + rng.binomial(anew, truth, (2, repeats))
        got = answer(*(tried / n))
        # Nothing is above nan: without a first answer there is none to beat.
        better = got > best[:, look - 1]
        best[:, look] = np.where(better, got, best[:, look - 1])
        right = np.where(better, tried, right)
    return best
