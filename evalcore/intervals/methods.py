"""What an interval method is: how it is called on the screen, and what it makes of the evidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evalcore.intervals.evidence import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """How an interval is wanted.

    Attributes
    ----------
    confidence_level : float
    n_resamples : int
    rng : None, int or numpy.random.Generator
    stratify : bool
        Whether resampling holds the class sizes fixed.
    """

    confidence_level: float = 0.95
    n_resamples: int = 9999
    rng: int | np.random.Generator | None = 0
    stratify: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a method returns.

    Attributes
    ----------
    low, high, standard_error : float
        nan where undefined.
    method : str or None
        The method that made the limits when it is not the one that was asked.
    notes : tuple of str
    """

    low: float = float("nan")
    high: float = float("nan")
    standard_error: float = float("nan")
    method: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalMethod:
    """One way to make an interval for a metric.

    Attributes
    ----------
    key, label : str
        The name in code and the name on the screen.
    formula : str
        One line of LaTeX.
    reference : str
        Author, year and source.
    remark : str
        When to use it, or what is wrong with it.
    limits : callable
        ``(evidence, request) -> Limits`` for evidence with a defined estimate.
    """

    key: str
    label: str
    formula: str
    reference: str
    remark: str
    limits: Callable[[Evidence, Request], Limits]
