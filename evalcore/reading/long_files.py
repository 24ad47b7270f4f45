"""Long files, one row per case and model -> one row per case."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from evalcore.reading.errors import ReadingError
from evalcore.reading.limits import Limits
from evalcore.reading.phrases import counted, listed, quoted
from evalcore.reading.roles import ModelColumns, Roles
from evalcore.reading.table import Cells, Labels, Table


def spread(table: Table, roles: Roles, limits: Limits) -> tuple[Table, Roles, np.ndarray | None]:
    """Return a long file with one row per case, its roles, and groups when cases are repeats.

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
    limits.check(table.file, models=len(models.names))
    ids = _case_ids(table, roles, models)
    used = np.flatnonzero((models.codes >= 0) & (ids >= 0))
    if not used.size:
        raise ReadingError(f"No row of {quoted(table.file)} has both an id and a model.")
    if used.size < table.n:
        table.warnings.append(
            f"{counted(table.n - used.size, 'row')} without an id or a model left out."
        )
    key, model = ids[used].astype(np.int64), models.codes[used]
    times = np.zeros((int(key.max()) + 1, len(models.names)), np.int64)
    np.add.at(times, (key, model), 1)
    repeated = _is_repeated(times)
    several = np.flatnonzero((times > 1).any(axis=1))
    if several.size:
        table.warnings.append(_several_rows(table, roles, several, repeated=repeated))
    clashing = (times[key, model] > 1) & (not repeated)
    turn = _occurrence(key * len(models.names) + model) * repeated
    place, _ = pd.factorize(key * (turn.max() + 1) + turn)
    first = np.unique(place, return_index=True)[1]
    base = used[first]
    placed = {}
    for code, name in enumerate(models.names):
        mine = (model == code) & ~clashing
        placed[name] = np.full(base.size, -1, np.int64)
        placed[name][place[mine]] = used[mine]
    conflict = _conflicting_truth(table, roles, used, place)
    columns, models_found = _wide_columns(table, roles, base, placed, conflict)
    table.notes.append(
        f"The file has one row per case and model: {table.n:,} rows are {base.size:,} cases of "
        f"{counted(len(models.names), 'model')}."
    )
    groups = np.unique(key[first], return_inverse=True)[1] if repeated else None
    return (
        replace(table, columns=tuple(columns)),
        replace(roles, models=models_found, model=None, notes=[], warnings=[]),
        groups,
    )


def _several_rows(table: Table, roles: Roles, several: np.ndarray, *, repeated: bool) -> str:
    if repeated:
        return (
            f"{counted(several.size, 'value')} of {quoted(roles.id or 'case')} were asked several "
            "times; all rows are kept, and those of one value form a group."
        )
    named = [table[roles.id].labels.names[key] for key in several[:3]] if roles.id else []
    return (
        f"{counted(several.size, 'id')} with several rows for one model, such as {listed(named)}; "
        "the prediction of that model is left empty there."
    )


def _wide_columns(
    table: Table,
    roles: Roles,
    base: np.ndarray,
    rows: dict[str, np.ndarray],
    conflict: np.ndarray,
) -> tuple[list[Cells], dict[str, ModelColumns]]:
    template = next(iter(roles.models.values()), ModelColumns())
    per_model = {*template.columns(), roles.model}
    index = np.where(conflict, -1, base)
    made = {
        cells.name: cells.take(index if cells.name == roles.truth else base)
        for cells in table.columns
        if cells.name not in per_model
    }
    found: dict[str, ModelColumns] = {}
    for model, index in rows.items():
        names = {}
        for column in template.columns():
            name = f"{column} of {model}"
            while name in made:
                name += "'"
            names[column] = name
            made[name] = replace(table[column].take(index), name=name)
        found[model] = template.renamed(names)
    return list(made.values()), found


def _case_ids(table: Table, roles: Roles, models: Labels) -> np.ndarray:
    if roles.id is not None:
        return table[roles.id].labels.codes
    if len(set(models.rows_per_name().tolist())) == 1:
        table.notes.append("There is no id; the rows of the models were matched by their order.")
        return np.where(models.codes < 0, -1, _occurrence(models.codes))
    raise ReadingError(
        f"{quoted(table.file)} has one row per case and model, but no column that names the case. "
        "Add an id column, or say which column it is."
    )


def _is_repeated(times: np.ndarray) -> bool:
    """Return whether at least half the ids repeat, equally often for every model that has them."""
    highest = times.max(axis=1)
    several = highest > 1
    even = ((times == highest[:, None]) | (times == 0)).all(axis=1)
    return bool(even[several].all() and 2 * several.sum() >= max((highest > 0).sum(), 1))


def _occurrence(keys: np.ndarray) -> np.ndarray:
    """Return for each row how many rows with the same key stand before it."""
    return pd.Series(keys).groupby(keys).cumcount().to_numpy()


def _conflicting_truth(
    table: Table, roles: Roles, rows: np.ndarray, place: np.ndarray
) -> np.ndarray:
    """Return which cases have different truths in their rows, empty ones aside; warn of them."""
    if roles.truth is None:
        return np.zeros(int(place.max()) + 1, bool)
    codes = pd.Series(table[roles.truth].labels.codes[rows])
    conflict = (codes.where(codes >= 0).groupby(place).nunique() > 1).to_numpy()
    if conflict.any():
        table.warnings.append(
            f"{counted(int(conflict.sum()), 'case')} with different truths in different rows; the "
            "truth is left empty there."
        )
    return conflict
