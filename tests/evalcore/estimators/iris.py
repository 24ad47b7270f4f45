"""The flowers, their frozen split and the figures that the tests of estimators share."""

from __future__ import annotations

import csv
import json

import numpy as np

from evalcore.estimators import Rule, load_cases, make_cases
from tests.samples import REFERENCE

FIGURES = json.loads((REFERENCE / "estimators.json").read_text())
IRIS = load_cases("iris")
LDA = Rule(kind="discriminant")


def knn(k: int, *, scale: bool = False) -> Rule:
    """Return nearest neighbours, on the features as they are unless said otherwise."""
    return Rule(kind="neighbours", k=k, scale=scale)


def split_iris():
    """Return training and test cases of the frozen split, and the fold of each training case."""
    with (REFERENCE / "iris_split.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    parts = {role: [row for row in rows if row["role"] == role] for role in ("train", "test")}
    names = ("sepal_length", "sepal_width", "petal_length", "petal_width")
    tables = {
        role: make_cases([[float(row[name]) for name in names] for row in part],
                         [row["species"] for row in part])
        for role, part in parts.items()
    }  # fmt: skip
    return tables["train"], tables["test"], np.array([int(row["fold"]) for row in parts["train"]])


def folds_of(splitter, table, *, groups=None) -> np.ndarray:
    """Return the fold of every case that a splitter of scikit-learn gives it."""
    fold = np.empty(table.n, int)
    for place, (_, held) in enumerate(splitter.split(table.features, table.target, groups)):
        fold[held] = place
    return fold


def grouped_iris(size: int = 5):
    """Return the flowers in random order, in groups of a size."""
    order = np.random.default_rng(5).permutation(150)
    return make_cases(IRIS.features[order], IRIS.target[order], groups=np.arange(150) // size)
