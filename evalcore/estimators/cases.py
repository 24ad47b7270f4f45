"""CaseTable: features with a known class, as a rule is fitted to; and four tables to begin with."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from evalcore.checks import check_choice, check_same_length
from evalcore.predictions import label_codes, sort_labels


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CaseTable:
    """Cases with their features and their class.

    Attributes
    ----------
    name : str
    features : ndarray of float, shape (n, p)
        nan where a number is missing; categories are whole numbers.
    target : ndarray of int, shape (n,)
        Position in ``classes``.
    classes : tuple of str
    columns : tuple of str
        Names of the p features.
    categorical : tuple of int
        Positions of the features that hold categories.
    groups : ndarray of int, shape (n,), or None
        Cases of one group must not stand on both sides of a split.
    notes : tuple of str
        What was done when the table was read.
    """

    name: str
    features: np.ndarray
    target: np.ndarray
    classes: tuple[str, ...]
    columns: tuple[str, ...]
    categorical: tuple[int, ...] = ()
    groups: np.ndarray | None = None
    notes: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """Number of cases."""
        return len(self.target)

    @property
    def units(self) -> int:
        """Number of cases, or of groups where there are any."""
        return self.n if self.groups is None else len(np.unique(self.groups))

    @property
    def class_sizes(self) -> np.ndarray:
        """Number of cases of each class, shape (K,)."""
        return np.bincount(self.target, minlength=len(self.classes))

    @property
    def digest(self) -> str:
        """sha256 of the content; equal digests mean equal cases."""
        found = hashlib.sha256(repr((self.classes, self.columns, self.categorical)).encode())
        for array in (self.features, self.target, self.groups):
            found.update(b"" if array is None else np.ascontiguousarray(array).tobytes())
        return found.hexdigest()

    def take(self, rows: np.ndarray) -> CaseTable:
        """Return some of the cases, in the given order."""
        groups = None if self.groups is None else self.groups[rows]
        return replace(self, features=self.features[rows], target=self.target[rows], groups=groups)


def make_cases(
    features: Any,
    target: Any,
    *,
    groups: Any = None,
    columns: Sequence[str] | None = None,
    categorical: Sequence[int] = (),
    name: str = "cases",
) -> CaseTable:
    """Build a CaseTable from arrays already in memory.

    Parameters
    ----------
    features : array-like of float, shape (n, p)
        nan where missing; categories as whole numbers.
    target : array-like, shape (n,)
        Labels of any type, compared as text.
    groups : array-like, shape (n,), optional
    columns : sequence of str, optional
    categorical : sequence of int
        Positions of the features that hold categories.

    Raises
    ------
    ValueError
        If the shapes do not fit, a feature is infinite or fewer than two classes occur.
    """
    values = np.asarray(features, dtype=float)
    if values.ndim != 2:
        raise ValueError(f"features must be two-dimensional; got shape {values.shape}")
    if np.isinf(values).any():
        raise ValueError("features must be finite or nan where missing; got an infinite one")
    labels = [str(label) for label in np.asarray(target, dtype=object)]
    check_same_length({"target": labels, "features": values, "groups": groups})
    classes = sort_labels(labels)
    if len(classes) < 2:
        raise ValueError(f"target must hold at least two classes; got {list(classes)!r}")
    names = [f"x{j + 1}" for j in range(values.shape[1])] if columns is None else columns
    return CaseTable(
        name=name,
        features=values,
        target=label_codes(labels, classes).astype(np.int64),
        classes=classes,
        columns=tuple(map(str, names)),
        categorical=tuple(categorical),
        groups=None if groups is None else pd.factorize(np.asarray(groups))[0],
    )


TABLES = {
    "iris": ("Iris flowers", load_iris),
    "wine": ("Wines", load_wine),
    "breast_cancer": ("Breast cancer", load_breast_cancer),
    "digits": ("Handwritten digits", load_digits),
}


def load_cases(key: str) -> CaseTable:
    """Return one of the real tables that come with scikit-learn.

    Parameters
    ----------
    key : str
        A key of ``TABLES``.

    Raises
    ------
    ValueError
        If there is no such table.
    """
    label, load = TABLES[check_choice(key, TABLES, "key")]
    found = load()
    target = np.asarray(found.target_names)[found.target]
    return make_cases(found.data, target, columns=found.feature_names, name=label)
