"""Long files, one row per case and model -> one row per case."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from evalcore.reading.errors import ReadingError
from evalcore.reading.limits import Limits
from evalcore.reading.phrases import counted, listed, quoted
from evalcore.reading.roles import ModelColumns, Roles
from evalcore.reading.table import Cells, Labels, Table


@dataclass(slots=True, kw_only=True)
class Wide:
    """A long file as one row per case.

    Attributes
    ----------
    table : Table
    roles : Roles
        In terms of the columns of ``table``.
    groups : ndarray of int, shape (n,), or None
        Present when cases are repeats of one question.
    group_name : str or None
    notes, warnings : list of str
    """

    table: Table
    roles: Roles
    groups: np.ndarray | None = None
    group_name: str | None = None
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class _Rows:
    """Rows that have an id and a model: where they stand and which case they belong to."""

    rows: np.ndarray
    model: np.ndarray
    key: np.ndarray
    turn: np.ndarray
    clashing: np.ndarray


def spread(table: Table, roles: Roles, limits: Limits) -> Wide:
    """Return a long file with one row per case.

    Rows are matched by the id. When every model has an id equally often, the rows are repeats of
    one question: all are kept, and the id becomes the group. An id that only some model has more
    than once leaves that model without a prediction there; no row is ever multiplied.

    Raises
    ------
    ReadingError
        If there is no id and the models' rows cannot be matched by their order, or there are too
        many models.
    """
    models = table[roles.model or ""].labels
    if len(models.names) > limits.models:
        raise ReadingError(
            f"The column {quoted(roles.model or '')} of {quoted(table.file)} names "
            f"{len(models.names):,} models; at most {limits.models:,} are read.",
            file=table.file,
            column=roles.model,
        )
    notes: list[str] = []
    warnings: list[str] = []
    ids = _case_ids(table, roles, models, notes)
    used = np.flatnonzero((models.codes >= 0) & (ids >= 0))
    if not used.size:
        raise ReadingError(
            f"No row of {quoted(table.file)} has both an id and a model.", file=table.file
        )
    if used.size < table.n:
        warnings.append(f"{counted(table.n - used.size, 'row')} without an id or a model left out.")
    key, model = ids[used].astype(np.int64), models.codes[used]
    times = np.zeros((int(key.max()) + 1, len(models.names)), np.int64)
    np.add.at(times, (key, model), 1)
    repeated = _is_repeated(times)
    clashing = np.zeros(used.size, bool) if repeated else times[key, model] > 1
    turn = _occurrence(key * len(models.names) + model) if repeated else np.zeros_like(key)
    several = np.asarray((times > 1).any(axis=1))
    if several.any():
        warnings.append(_several_rows(table, roles, several, repeated=repeated))
    placed = _Rows(rows=used, model=model, key=key, turn=turn, clashing=clashing)
    wide = _assemble(table, roles, models, placed, warnings)
    if repeated:
        wide.group_name = roles.id or "case"
    else:
        wide.groups = None
    notes.append(
        f"The file has one row per case and model: {table.n:,} rows are {wide.table.n:,} cases of "
        f"{counted(len(models.names), 'model')}."
    )
    wide.notes, wide.warnings = notes, warnings
    return wide


def _several_rows(table: Table, roles: Roles, several: np.ndarray, *, repeated: bool) -> str:
    number = int(several.sum())
    if repeated:
        return (
            f"{counted(number, 'value')} of {quoted(roles.id or 'case')} were asked several times; "
            "all rows are kept, and those of one value form a group."
        )
    keys = np.flatnonzero(several)[:3]
    named = [table[roles.id].labels.names[key] for key in keys] if roles.id is not None else []
    return (
        f"{counted(number, 'id')} with several rows for one model, such as {listed(named)}; the "
        "prediction of that model is left empty there."
    )


def _assemble(
    table: Table, roles: Roles, models: Labels, placed: _Rows, warnings: list[str]
) -> Wide:
    turns = int(placed.turn.max()) + 1
    cases, first, place = np.unique(
        placed.key * turns + placed.turn, return_index=True, return_inverse=True
    )
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    place, base = rank[place], placed.rows[first[order]]
    wide: dict[str, np.ndarray] = {}
    for code, model in enumerate(models.names):
        mine = (placed.model == code) & ~placed.clashing
        wide[model] = np.full(base.size, -1, np.int64)
        wide[model][place[mine]] = placed.rows[mine]
    columns, models_found = _wide_columns(table, roles, base, wide)
    conflict = _conflicting_truth(table, roles, placed.rows, place, base.size)
    if conflict.any():
        warnings.append(
            f"{counted(int(conflict.sum()), 'case')} with different truths in different rows; the "
            "truth is left empty there."
        )
        index = np.where(conflict, -1, base)
        columns = [table[c.name].take(index) if c.name == roles.truth else c for c in columns]
    return Wide(
        table=table.with_columns(columns),
        roles=replace(roles, models=models_found, model=None, notes=[], warnings=[]),
        groups=np.unique(cases[order] // turns, return_inverse=True)[1].astype(np.int64),
    )


def _wide_columns(
    table: Table, roles: Roles, base: np.ndarray, wide: dict[str, np.ndarray]
) -> tuple[list[Cells], dict[str, ModelColumns]]:
    template = next(iter(roles.models.values()), ModelColumns())
    per_model = {*template.columns(), roles.model}
    made = [cells.take(base) for cells in table.columns if cells.name not in per_model]
    taken = {cells.name for cells in made}
    found: dict[str, ModelColumns] = {}
    for model, index in wide.items():
        names: dict[str | None, str] = {}
        for column in template.columns():
            name = f"{column} of {model}"
            while name in taken:
                name += "'"
            taken.add(name)
            names[column] = name
            made.append(table[column].take(index).renamed(name))
        found[model] = ModelColumns(
            output=names.get(template.output),
            score=names.get(template.score),
            value=names.get(template.value),
            probabilities={label: names[c] for label, c in template.probabilities.items()},
        )
    return made, found


def _case_ids(table: Table, roles: Roles, models: Labels, notes: list[str]) -> np.ndarray:
    if roles.id is not None:
        return table[roles.id].labels.codes
    if len(set(models.rows_per_name().tolist())) == 1:
        notes.append("There is no id; the rows of the models were matched by their order.")
        return np.where(models.codes < 0, -1, _occurrence(models.codes))
    raise ReadingError(
        f"{quoted(table.file)} has one row per case and model, but no column that names the case. "
        "Add an id column, or say which column it is.",
        file=table.file,
    )


def _is_repeated(times: np.ndarray) -> bool:
    """Return whether at least half the ids repeat, equally often for every model that has them."""
    highest = times.max(axis=1)
    several = highest > 1
    even = ((times == highest[:, None]) | (times == 0)).all(axis=1)
    return bool(even[several].all() and 2 * several.sum() >= max((highest > 0).sum(), 1))


def _occurrence(keys: np.ndarray) -> np.ndarray:
    """Return for each row how many rows with the same key stand before it."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    turn = np.empty(keys.size, np.int64)
    turn[order] = np.arange(keys.size) - np.repeat(starts, np.diff(np.r_[starts, keys.size]))
    return turn


def _conflicting_truth(
    table: Table, roles: Roles, rows: np.ndarray, place: np.ndarray, n_cases: int
) -> np.ndarray:
    if roles.truth is None:
        return np.zeros(n_cases, bool)
    largest = np.iinfo(np.int32).max
    codes = table[roles.truth].labels.codes[rows]
    low, high = np.full(n_cases, largest, np.int32), np.full(n_cases, -1, np.int32)
    np.minimum.at(low, place, np.where(codes < 0, largest, codes))
    np.maximum.at(high, place, codes)
    return (high >= 0) & (low != high)
