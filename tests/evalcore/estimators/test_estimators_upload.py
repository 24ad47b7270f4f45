"""Tables of features as people bring them."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.estimators import (
    RULES,
    Rule,
    cases_of,
    kfold_error,
    make_cases,
    out_of_bag_error,
    read_features,
)
from evalcore.reading import Limits, ReadingError
from tests.samples import CASES

ROWS = 60


def table_csv() -> bytes:
    """Return a table with numbers, gaps, categories, an id, a constant and patients."""
    rng = np.random.default_rng(0)
    lines = ["row_id,patient,age,site,note,constant,outcome"]
    for i in range(ROWS):
        sick = i % 3 == 0
        age = "" if i % 11 == 0 else f"{50 + 10 * sick + rng.normal(scale=4):.1f}"
        site = ("north", "south", "")[i % 3 if i % 7 else 2]
        lines.append(f"{i},p{i // 4},{age},{site},free text {i},1,{'sick' if sick else 'well'}")
    lines.append("60,p99,40,north,free text 60,1,")
    return "\n".join(lines).encode()


def test_columns_become_numbers_categories_target_and_group():
    file = read_features(table_csv(), "patients.csv")
    assert file.guessed_group == "patient"
    assert "outcome" in file.targets
    cases = cases_of(file, target="outcome", group="patient")
    assert cases.columns == ("age", "site")
    assert cases.categorical == (1,)
    assert cases.classes == ("sick", "well")
    assert (cases.n, cases.units) == (60, 15)
    assert np.isnan(cases.features[0, 0])
    assert any("1 row without a target" in note for note in cases.notes)
    assert any('"row_id", "note" and "constant"' in note for note in cases.notes)


@pytest.mark.parametrize("kind", list(RULES))
def test_every_rule_fits_gaps_and_categories(kind):
    file = read_features(table_csv(), "patients.csv")
    rule = Rule(kind=kind, trees=50)
    found = kfold_error(cases_of(file, target="outcome"), rule, folds=5)
    assert 0 <= found.estimate < (0.4 if kind == "majority" else 0.3)
    grouped = kfold_error(cases_of(file, target="outcome", group="patient"), rule, folds=5)
    assert not grouped.warnings
    if kind == "forest":
        assert out_of_bag_error(cases_of(file, target="outcome"), rule).estimate < 0.3


def test_a_category_seen_only_when_judged_is_no_trouble():
    features = np.array([[0.0], [1], [0], [1], [0], [1], [2]])
    table = make_cases(features, [*"ababab", "a"], categorical=[0])
    found = kfold_error(table, Rule(kind="logistic"), folds=np.r_[np.zeros(6, int), 1])
    assert found.confusion.sum() == 7


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "is empty"),
        (b"a,b\n1.5,2.5\n", "has no column that could be the target"),
        (b"<html></html>", "is a web page"),
        (b"x\na\nb\na\nb\n", "has no column that could be the target"),
    ],
)
def test_what_is_no_table_of_features_is_explained(data, complaint):
    with pytest.raises(ReadingError, match=complaint):
        read_features(data, "file.csv")


def test_limits_are_kept():
    few = Limits(rows=3, columns=500, classes=50)
    with pytest.raises(ReadingError):
        read_features(b"x,y\n1,a\n2,b\n3,a\n4,b\n5,a\n", "long.csv", limits=few)


def test_impossible_choices_of_columns_are_explained():
    file = read_features(table_csv(), "patients.csv")
    with pytest.raises(ReadingError, match='has no column "weight"'):
        cases_of(file, target="weight")
    with pytest.raises(ReadingError, match="holds a single class"):
        cases_of(file, target="constant")
    alone = read_features(b"y,z\na,1\nb,1\na,1\nb,1\n", "alone.csv")
    with pytest.raises(ReadingError, match="has no feature"):
        cases_of(alone, target="y")


FILES = sorted(
    file for file in CASES.rglob("*.*") if file.is_file() and file.suffix not in (".json", ".md")
)


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_whatever_people_bring_is_read_or_explained(file):
    with suppress(ReadingError):
        read = read_features(file.read_bytes(), file.name)
        for target in read.targets[:3]:
            cases = cases_of(read, target=target, group=read.guessed_group)
            assert cases.features.shape == (cases.n, len(cases.columns))
            assert not np.isinf(cases.features).any()


@given(st.binary(max_size=300))
def test_random_bytes_are_read_or_explained(data):
    with suppress(ReadingError):
        read = read_features(data, "random.bin")
        cases_of(read, target=read.targets[0])
