"""One validator per kind of argument.

Every public function checks its arguments here, so that a bad value is refused in the same words
everywhere: the argument, what is allowed, and what came.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np


def check_fraction(value: Any, name: str) -> float:
    """Return ``value`` as a float strictly between 0 and 1.

    Used for confidence levels, significance levels and power.

    Raises
    ------
    ValueError
        If the value is not a number strictly between 0 and 1.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not 0.0 < number < 1.0:
        raise ValueError(f"{name} must be strictly between 0 and 1, such as 0.95; got {value!r}")
    return number


def check_proportion(value: Any, name: str) -> float:
    """Return ``value`` as a float from 0 to 1, ends included.

    Raises
    ------
    ValueError
        If the value is not a number from 0 to 1.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not 0.0 <= number <= 1.0:
        raise ValueError(f"{name} must be from 0 to 1; got {value!r}")
    return number


def check_positive(value: Any, name: str) -> float:
    """Return ``value`` as a finite float above 0.

    Raises
    ------
    ValueError
        If the value is not a finite number above 0.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not (np.isfinite(number) and number > 0):
        raise ValueError(f"{name} must be a finite number above 0; got {value!r}")
    return number


def check_whole(value: Any, name: str, *, least: int = 0) -> int:
    """Return ``value`` as an int of at least ``least``.

    Raises
    ------
    ValueError
        If the value is not a whole number or is below ``least``.
    """
    try:
        number = int(value)
        whole = number == value
    except (TypeError, ValueError, OverflowError):
        number, whole = 0, False
    if not whole or number < least:
        raise ValueError(f"{name} must be a whole number of at least {least}; got {value!r}")
    return number


def check_choice(value: Any, allowed: Iterable[str], name: str) -> str:
    """Return ``value`` if it is one of ``allowed``.

    Raises
    ------
    ValueError
        If the value is not among the allowed ones; the message lists them.
    """
    options = list(allowed)
    if value not in options:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}; got {value!r}")
    return str(value)


def check_binomial(k: Any, n: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return successes and trials as float arrays of one shape.

    Raises
    ------
    ValueError
        Unless 0 <= k <= n everywhere and both are whole numbers.
    """
    successes, trials = np.broadcast_arrays(np.asarray(k, float), np.asarray(n, float))
    whole = (np.floor(successes) == successes) & (np.floor(trials) == trials)
    if not np.all(whole & (trials >= 0)):
        raise ValueError(f"k and n must be whole numbers of at least 0; got k={k!r}, n={n!r}")
    if not np.all((successes >= 0) & (successes <= trials)):
        raise ValueError(f"k must be from 0 to n; got k={k!r}, n={n!r}")
    return successes, trials


def check_counts(counts: Any, size: int) -> np.ndarray | None:
    """Return the multiplicities of ``size`` cases as int64, or None when every case occurs once.

    Raises
    ------
    ValueError
        If the length is wrong or a count is not a whole number of at least 0.
    """
    if counts is None:
        return None
    values = np.asarray(counts)
    if values.shape != (size,):
        raise ValueError(
            f"counts must hold one number per case, {size} of them; got shape {values.shape}"
        )
    numbers = values.astype(float)
    if not np.all(np.isfinite(numbers) & (numbers >= 0) & (np.floor(numbers) == numbers)):
        raise ValueError("counts must be whole numbers of at least 0")
    return values.astype(np.int64)


def check_values(values: Any, name: str) -> np.ndarray:
    """Return ``values`` as a one-dimensional float array.

    Raises
    ------
    ValueError
        If the values are not numbers or not one-dimensional.
    """
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers; got {values!r}"[:200]) from None
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional; got shape {array.shape}")
    return array


def check_binary(truth: Any, name: str = "truth") -> np.ndarray:
    """Return a 0/1 or boolean array as booleans.

    Raises
    ------
    ValueError
        If a value is neither 0 nor 1.
    """
    array = np.asarray(truth)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional; got shape {array.shape}")
    if array.dtype != bool and not np.isin(array, (0, 1)).all():
        raise ValueError(f"{name} must hold only 0 and 1 (or False and True)")
    return array.astype(bool)


def check_same_length(arrays: Mapping[str, Any]) -> int:
    """Return the common length of the named arrays, ignoring those that are None.

    Raises
    ------
    ValueError
        If two lengths differ; the message names both arrays.
    """
    lengths = {name: len(array) for name, array in arrays.items() if array is not None}
    first_name, first = next(iter(lengths.items()))
    for name, length in lengths.items():
        if length != first:
            raise ValueError(
                f"{name} must be as long as {first_name}: it has {length} values and "
                f"{first_name} has {first}"
            )
    return first


def as_generator(rng: Any) -> np.random.Generator:
    """Return a numpy Generator from None, an integer seed or a Generator."""
    return np.random.default_rng(rng)
