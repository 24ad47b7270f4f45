"""The rules whose error is estimated: scikit-learn pipelines that prepare inside every fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from evalcore.checks import check_choice, check_whole
from evalcore.estimators.cases import CaseTable

MOST_CATEGORIES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleKind:
    """One row of RULES: what it is called, whether scales matter to it, and how it is made."""

    label: str
    scaled: bool
    make: Callable[[Rule, int], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A way to fit a classifier, with all that is decided before the cases are seen.

    Attributes
    ----------
    kind : str
        A key of ``RULES``.
    k : int
        Neighbours that vote, for nearest neighbours.
    trees : int
        For the forest.
    scale : bool
        Whether features are standardised with the mean and standard deviation of the fitted cases.
    select : int or None
        How many features are kept by their F statistic on the fitted cases; None keeps all.
    """

    kind: str
    k: int = 5
    trees: int = 100
    scale: bool = True
    select: int | None = None

    def __post_init__(self) -> None:
        """Refuse what no fit could use."""
        check_choice(self.kind, RULES, "kind")
        check_whole(self.k, "k", least=1)
        check_whole(self.trees, "trees", least=1)
        if self.select is not None:
            check_whole(self.select, "select", least=1)

    @property
    def setting(self) -> str:
        """What distinguishes it from other rules of its kind, such as "k = 5"."""
        return f"k = {self.k}" if self.kind == "neighbours" else self._kind.label

    @property
    def label(self) -> str:
        """What the rule is called, with its tuning constant."""
        more = f", {self.setting}" if self.kind == "neighbours" else ""
        return self._kind.label + more

    @property
    def _kind(self) -> RuleKind:
        return RULES[self.kind]

    def build(self, table: CaseTable, seed: int) -> Pipeline:
        """Return an unfitted pipeline for a table: fill gaps, encode, scale, select, classify."""
        steps = _preparation(table, scale=self.scale and self._kind.scaled)
        if self.select is not None:
            steps.append(SelectKBest(f_classif, k=min(self.select, len(table.columns))))
        return make_pipeline(*steps, self._kind.make(self, seed))


RULES: dict[str, RuleKind] = {
    "neighbours": RuleKind(
        label="Nearest neighbours",
        scaled=True,
        make=lambda rule, seed: KNeighborsClassifier(rule.k),
    ),
    "logistic": RuleKind(
        label="Logistic regression",
        scaled=True,
        make=lambda rule, seed: LogisticRegression(max_iter=5000),
    ),
    "tree": RuleKind(
        label="Tree",
        scaled=False,
        make=lambda rule, seed: DecisionTreeClassifier(random_state=seed),
    ),
    "forest": RuleKind(
        label="Forest",
        scaled=False,
        make=lambda rule, seed: RandomForestClassifier(rule.trees, random_state=seed),
    ),
    "discriminant": RuleKind(
        label="Linear discriminant",
        scaled=True,
        make=lambda rule, seed: LinearDiscriminantAnalysis(),
    ),
    "majority": RuleKind(
        label="Majority class",
        scaled=False,
        make=lambda rule, seed: DummyClassifier(strategy="most_frequent"),
    ),
}


def _preparation(table: CaseTable, *, scale: bool) -> list[Any]:
    gaps = bool(np.isnan(table.features).any())
    numeric: list[Any] = [SimpleImputer(strategy="median", keep_empty_features=True)] * gaps
    numeric += [StandardScaler()] * scale
    if not table.categorical:
        return numeric
    plain = [j for j in range(len(table.columns)) if j not in table.categorical]
    encoder = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=MOST_CATEGORIES, sparse_output=False
    )
    parts = [("categories", encoder, list(table.categorical))]
    if plain:
        parts.append(("numbers", make_pipeline(*numeric) if numeric else "passthrough", plain))
    return [ColumnTransformer(parts)]
