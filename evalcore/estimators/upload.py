"""A table of features as people bring it: the bytes of a file -> CaseTable."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from evalcore.estimators.cases import CaseTable, make_cases
from evalcore.reading.errors import ReadingError
from evalcore.reading.limits import Limits
from evalcore.reading.phrases import counted, listed, quoted
from evalcore.reading.reader import read_table
from evalcore.reading.table import Cells, Table
from evalcore.reading.words import GROUP_NAMES, ID_NAMES, truth_rank

FEATURE_LIMITS = Limits(
    upload_bytes=50 * 2**20, unpacked_bytes=2**28, rows=20_000, classes=50, columns=500
)
MOST_LEVELS = 200


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FeatureFile:
    """A file that was read, before it is decided which column is the target.

    Attributes
    ----------
    name : str
    targets : tuple of str
        Columns that could be the target, the likeliest first.
    groups : tuple of str
        Columns that could be groups, those named so first.
    """

    name: str
    table: Table
    targets: tuple[str, ...]
    groups: tuple[str, ...]

    @property
    def guessed_group(self) -> str | None:
        """The column whose name says that its cases belong together, or None."""
        first = self.groups[0] if self.groups else ""
        return first if GROUP_NAMES.fullmatch(first.strip()) else None


def read_features(data: bytes, name: str, *, limits: Limits = FEATURE_LIMITS) -> FeatureFile:
    """Read the bytes of a table of features; every format that predictions may have.

    Raises
    ------
    ReadingError
        If it is no table, passes a limit, or no column could be a target.
    """
    table = read_table(data, name, limits=limits)
    if table.n > limits.rows or len(table.columns) > limits.columns:
        raise ReadingError(
            f"{quoted(name)} has {table.n:,} rows and {len(table.columns):,} columns; up to "
            f"{limits.rows:,} rows and {limits.columns:,} columns can be fitted here. Take a "
            "random part of the rows.",
            file=name,
        )
    columns = table.columns
    targets = [one for one in columns if 2 <= one.distinct <= min(limits.classes, table.n - 1)]
    if not targets or len(columns) < 2:
        raise ReadingError(
            f"{quoted(name)} has no column that could be the target: one with 2 to "
            f"{limits.classes} different classes that repeat, beside at least one feature.",
            file=name,
        )
    order = {one.name: place for place, one in enumerate(columns)}
    ranks = {one.name: truth_rank(one.name) for one in targets}
    targets.sort(
        key=lambda one: (
            99 if ranks[one.name] is None else ranks[one.name],
            one.is_numeric and not one.is_whole,
            -order[one.name],
        )
    )
    groups = [one for one in columns if 2 <= one.distinct < table.n]
    groups.sort(key=lambda one: not GROUP_NAMES.fullmatch(one.name.strip()))
    return FeatureFile(
        name=name,
        table=table,
        targets=tuple(one.name for one in targets),
        groups=tuple(one.name for one in groups),
    )


def cases_of(file: FeatureFile, *, target: str, group: str | None = None) -> CaseTable:
    """Return the cases of a file once its target and group are decided.

    Numeric columns stay numbers (gaps are filled inside each fit), others become categories;
    ids, constants and texts that hardly repeat are left out, and said to be.

    Raises
    ------
    ReadingError
        If a column is unknown, no feature is left or fewer than two classes occur.
    """
    for column in filter(None, (target, group)):
        if column not in file.table:
            raise ReadingError(f"{quoted(file.name)} has no column {quoted(column)}.")
    labels = file.table[target].labels
    kept = np.flatnonzero(labels.codes >= 0)
    table = file.table.take(kept)
    values, names, categorical, left_out = _features(table, {target, group})
    if not names:
        raise ReadingError(f"{quoted(file.name)} has no feature beside the target and the group.")
    notes = []
    if categorical:
        notes.append(f"Read as categories: {listed(names[j] for j in categorical)}.")
    if len(kept) < file.table.n:
        notes.append(f"{counted(file.table.n - len(kept), 'row')} without a target left out.")
    if left_out:
        notes.append(f"Left out, as no use to a rule: {listed(left_out)}.")
    groups = None
    if group is not None:
        codes = table[group].labels.codes.astype(int)
        # A case without a group is a group of its own.
        groups = np.where(codes >= 0, codes, codes.max() + 1 + np.arange(len(codes)))
    truth = np.asarray(labels.names, dtype=object)[labels.codes[kept]]
    if len(pd.unique(truth)) < 2:
        raise ReadingError(f"The column {quoted(target)} holds a single class.")
    found = make_cases(
        np.column_stack(values), truth, groups=groups, columns=names, categorical=categorical,
        name=file.name,
    )  # fmt: skip
    return CaseTable(**{name: getattr(found, name) for name in _COPIED}, notes=tuple(notes))


_COPIED = ("name", "features", "target", "classes", "columns", "categorical", "groups")


def _features(
    table: Table, taken: set[str | None]
) -> tuple[list[np.ndarray], list[str], list[int], list[str]]:
    values: list[np.ndarray] = []
    names: list[str] = []
    categorical: list[int] = []
    left_out: list[str] = []
    for cells in table.columns:
        if cells.name in taken:
            continue
        if _is_useless(cells, table.n):
            left_out.append(cells.name)
            continue
        if cells.is_numeric:
            values.append(np.where(np.isinf(cells.numbers.values), np.nan, cells.numbers.values))
        else:
            categorical.append(len(names))
            values.append(cells.labels.codes.astype(float))
        names.append(cells.name)
    return values, names, categorical, left_out


def _is_useless(cells: Cells, n: int) -> bool:
    if cells.distinct < 2:
        return True
    if cells.is_numeric:
        every = cells.distinct == n and cells.is_whole
        return every and ID_NAMES.fullmatch(cells.name.strip()) is not None
    return cells.distinct > min(MOST_LEVELS, n // 2)
