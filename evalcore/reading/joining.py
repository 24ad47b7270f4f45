"""Truth and models in separate files -> one table, matched by an id."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from evalcore.predictions import Predictions
from evalcore.reading import words
from evalcore.reading.building import build
from evalcore.reading.errors import ReadingError
from evalcore.reading.guessing import resolve_roles
from evalcore.reading.labels import fold_labels
from evalcore.reading.limits import LIMITS, Limits
from evalcore.reading.phrases import counted, listed, quoted
from evalcore.reading.reader import read_predictions, read_table
from evalcore.reading.roles import Given, ModelColumns, Roles, read_given
from evalcore.reading.table import Cells, Labels, Table
from evalcore.results import JoinReport

_TRUTH_FILE = ("truth", "gold", "label", "actual", "solution", "reference", "answer", "target")


def join_predictions(
    files: Sequence[tuple[bytes, str]],
    *,
    on: str | None = None,
    roles: Mapping[str, Any] | None = None,
    limits: Limits = LIMITS,
) -> Predictions:
    """Join a file with the truth and files with the answers of models, matched by an id.

    Ids are compared as text, blanks around them aside. Rows without an id and ids that occur
    several times in one file are left out of the match and counted, never multiplied; ids on one
    side only are named in ``report.join``. Cases without a prediction stay, with a missing output.

    Parameters
    ----------
    files : sequence of (bytes, str)
        Content and name of each file, in any order. A file that holds one model gives it its name.
    on : str, optional
        The id column, by its name in every file; guessed when absent.
    roles : mapping, optional
        As for ``read_predictions``, in terms of the columns of the joined table.
    limits : Limits, optional

    Raises
    ------
    ReadingError
        If a file cannot be read, there is no common id, or no id matches.
    """
    if not files:
        raise ReadingError("There is no file to join.")
    if len(files) == 1:
        return read_predictions(files[0][0], files[0][1], roles=roles, limits=limits)
    total = sum(len(data) for data, _ in files)
    if total > limits.upload_bytes:
        raise ReadingError(
            f"The files have {total:,} bytes together; at most {limits.upload_bytes:,} are taken."
        )
    tables = [read_table(data, name, limits=limits, suits=_is_side) for data, name in files]
    sides = _sides(tables, on)
    table, guessed, join = _merge(sides)
    given = read_given(roles, table)
    found = resolve_roles(table, _with_defaults(given, guessed))
    name = " + ".join(side.table.file for side in sides)
    mark = hashlib.sha256(
        b"".join(hashlib.sha256(data).digest() for data, _ in files) + repr(on).encode()
    ).hexdigest()
    return build(table, found, name=name, mark=mark, limits=limits, join=join)


@dataclass(slots=True)
class _Side:
    """One of the files: its table, roles and ids."""

    table: Table
    roles: Roles
    key: str
    ids: Labels
    single: Any

    @property
    def stem(self) -> str:
        """Name of the file without folders and endings."""
        name = PurePosixPath(self.table.file.replace("\\", "/")).name
        return name.split(".")[0] if not name.startswith(".") else name

    def row_of(self) -> dict[str, int]:
        """Return the row of every id that occurs exactly once."""
        rows = np.full(len(self.ids.names), -1, np.int64)
        present = np.flatnonzero(self.ids.codes >= 0)
        rows[self.ids.codes[present]] = present
        return {name: int(rows[k]) for k, name in enumerate(self.ids.names) if self.single[k]}


def _sides(tables: Sequence[Table], on: str | None) -> list[_Side]:
    """Return the files with their roles, the one that holds the truth first."""
    sides = []
    for table in tables:
        key = on if on is not None else _id_column(table, tables)
        if key not in table:
            raise ReadingError(
                f"{quoted(table.file)} has no column {quoted(key)} to join on; its columns are "
                f"{listed(table.names, most=20)}.",
                file=table.file,
                column=key,
            )
        roles = resolve_roles(table, Given(values={"id": key, "model": None}), complete=False)
        ids = table[key].labels
        sides.append(_Side(table, roles, key, ids, np.equal(ids.rows_per_name(), 1)))
    return _truth_first(sides)


def _is_side(table: Table) -> bool:
    """Return whether a table holds a truth or a model, as a file to join must."""
    roles = resolve_roles(table, Given(), complete=False)
    return roles.truth is not None or bool(roles.models)


def _id_column(table: Table, tables: Sequence[Table]) -> str:
    """Return the column that names the cases: shared by name and unique, or by its contents."""
    shared = [c for c in table.columns if all(c.name in other for other in tables)]
    pool = shared or list(table.columns)
    ranked = sorted(
        (c for c in pool if words.truth_rank(c.name) is None and c.distinct > 0),
        key=lambda c: (not words.ID_NAMES.fullmatch(c.name), -c.distinct),
    )
    for cells in ranked:
        named = words.ID_NAMES.fullmatch(cells.name)
        if named or (cells.distinct >= 0.9 * len(cells) and not _is_decimal(cells)):
            return cells.name
    raise ReadingError(
        f"{quoted(table.file)} has no column that names its cases, so it cannot be joined with the "
        f"other files; its columns are {listed(table.names, most=20)}. Add the same id column to "
        "every file, or upload a file that is complete in itself alone.",
        file=table.file,
    )


def _is_decimal(cells: Cells) -> bool:
    return cells.is_numeric and not cells.is_whole


def _truth_first(sides: list[_Side]) -> list[_Side]:
    with_truth = [side for side in sides if side.roles.truth is not None]
    named = [s for s in with_truth if any(word in s.stem.casefold() for word in _TRUTH_FILE)]
    ranked = sorted(with_truth, key=lambda s: words.truth_rank(s.roles.truth or "") or 0)
    if not with_truth:
        return sides
    holder = (named or ranked)[0]
    for side in sides:
        truth = side.roles.truth
        if side is not holder and truth is not None and not side.roles.models:
            side.roles.models = {truth: ModelColumns(output=truth)}
            side.roles.truth = None
    return [holder, *(side for side in sides if side is not holder)]


def _merge(sides: list[_Side]) -> tuple[Table, Roles, JoinReport]:
    base = sides[0]
    labelled = base.roles.truth is not None
    names = _case_names(sides if not labelled else sides[:1])
    lookups = [side.row_of() for side in sides]
    indexes = [
        np.fromiter((rows.get(name, -1) for name in names), np.int64, len(names))
        for rows in lookups
    ]
    _refuse_strangers(sides, indexes, labelled=labelled)
    report = _report(sides, names, indexes, labelled=labelled)
    columns = [_id_cells(base.key, names)]
    notes, warnings = _collected(sides)
    merged = Roles(id=base.key, truth=base.roles.truth)
    taken = {base.key}
    for place, (side, index) in enumerate(zip(sides, indexes, strict=True)):
        renamed = _add_columns(columns, taken, side, index, first=place == 0)
        _add_models(merged, side, renamed, several=len(sides) > 1)
        if side.roles.truth is None and not side.roles.models:
            warnings.append(
                f"No column of {quoted(side.table.file)} was recognised as what a model said; its "
                "columns are shown beside the cases unless they are given another role."
            )
        if place == 0:
            merged.group, merged.count = side.roles.group, side.roles.count
            merged.slices = side.roles.slices
        elif labelled and side.roles.truth is not None:
            warnings += _disagreement(base, side, indexes[0], index)
    warnings += _sentences(report, labelled=labelled)
    for side in sides:
        notes += [note for note in side.roles.notes if note not in notes]
    table = Table(
        file=" + ".join(side.table.file for side in sides),
        columns=tuple(columns),
        notes=notes,
        warnings=warnings,
    )
    return table, merged, report


def _case_names(sides: list[_Side]) -> list[str]:
    names: dict[str, None] = {}
    for side in sides:
        names |= dict.fromkeys(n for n, one in zip(side.ids.names, side.single, strict=True) if one)
    return list(names)


def _id_cells(name: str, names: list[str]) -> Cells:
    import pyarrow as pa

    return Cells(name, pa.array(names, pa.string()))


def _refuse_strangers(sides: list[_Side], indexes: list[np.ndarray], *, labelled: bool) -> None:
    """Refuse a file that shares no id with the truth or, without a truth, with any other file."""
    found = np.stack(indexes) >= 0
    for place, side in enumerate(sides):
        if labelled and place == 0:
            continue
        others = found[0] if labelled else np.delete(found, place, axis=0).any(axis=0)
        if np.any(found[place] & others):
            continue
        known = sides[:1] if labelled else [other for other in sides if other is not side]
        keys = listed(dict.fromkeys(one.key for one in (side, *known)))
        problem = (
            f"No id of {quoted(side.table.file)} occurs in "
            f"{listed([other.table.file for other in known])} (compared: {keys})"
        )
        if labelled and side.roles.truth is not None:
            problem += (
                "; both hold a truth, and two files with a truth cannot be joined unless they "
                "share ids. Remove one of the two, or give both the ids of the same cases."
            )
        else:
            problem += (
                ", so they cannot be joined. Remove the file that does not belong to the others, "
                "or give all files the ids of the same cases."
            )
        raise ReadingError(problem, file=side.table.file, column=side.key)


def _report(
    sides: list[_Side], names: list[str], indexes: list[np.ndarray], *, labelled: bool
) -> JoinReport:
    duplicated: dict[str, None] = {}
    for side in sides:
        twice = (n for n, one in zip(side.ids.names, side.single, strict=True) if not one)
        duplicated |= dict.fromkeys(twice)
    models = indexes[1:] if labelled and not sides[0].roles.models else indexes
    found = np.stack(models) >= 0
    anywhere = np.asarray(found.any(axis=0))
    known = set(names)
    strangers: dict[str, None] = {}
    if labelled:
        for side in sides[1:]:
            strangers |= dict.fromkeys(
                n for n in side.ids.names if n not in known and n not in duplicated
            )
    without = [
        n
        for n, hit in zip(names, anywhere.tolist(), strict=True)
        if not hit and n not in duplicated
    ]
    matched = int(anywhere.sum() if labelled else (found.sum(axis=0) > 1).sum())
    return JoinReport(
        key=sides[0].key,
        matched=matched,
        truth_without_prediction=tuple(without) if labelled else (),
        prediction_without_truth=tuple(strangers),
        without_id=int(sum((side.ids.codes < 0).sum() for side in sides)),
        duplicated=tuple(duplicated),
    )


def _add_columns(
    columns: list[Cells], taken: set[str], side: _Side, index: np.ndarray, *, first: bool
) -> dict[str, str]:
    """Add a file's columns to the joined ones; return their names there, by name in the file."""
    uses = side.roles.uses()
    renamed: dict[str, str] = {}
    for cells in side.table.columns:
        role = uses.get(cells.name, "detail")
        answer = role in ("output", "score", "probability", "value")
        if (
            cells.name == side.key
            or role == "ignored"
            or (not first and not answer and (role != "detail" or cells.name in taken))
        ):
            continue
        name, again = cells.name, 1
        while name in taken:
            name = (
                f"{cells.name} ({side.stem})"
                if again == 1
                else f"{cells.name} ({side.stem} {again})"
            )
            again += 1
        taken.add(name)
        renamed[cells.name] = name
        columns.append(cells.take(index).renamed(name))
    return renamed


def _add_models(merged: Roles, side: _Side, renamed: dict[str, str], *, several: bool) -> None:
    for model, columns in side.roles.models.items():
        name = model
        if len(side.roles.models) == 1 and several and model in columns.columns():
            generic = (
                words.rest_of(words.OUTPUT_NAMES, model) == ""
                or words.rest_of(words.SCORE_NAMES, model) == ""
                or words.rest_of(words.CORRECT_NAMES, model) == ""
                or words.truth_rank(model) is not None
            )
            name = _from_stem(side.stem) if generic else model
        candidate, again = name, 2
        while candidate in merged.models:
            candidate = f"{_from_stem(side.stem)}: {name}" if again == 2 else f"{name} ({again})"
            again += 1
        merged.models[candidate] = ModelColumns(
            output=renamed.get(columns.output or ""),
            score=renamed.get(columns.score or ""),
            value=renamed.get(columns.value or ""),
            probabilities={k: renamed[v] for k, v in columns.probabilities.items()},
        )
        if columns.value is not None:
            merged.task = "score"


def _from_stem(stem: str) -> str:
    return words.rest_of(words.OUTPUT_NAMES, stem) or stem


def _disagreement(base: _Side, side: _Side, base_index: np.ndarray, index: np.ndarray) -> list[str]:
    both = np.flatnonzero((base_index >= 0) & (index >= 0))
    mine = base.table[base.roles.truth or ""].labels
    other = side.table[side.roles.truth or ""].labels
    folded, _ = fold_labels([mine.names, other.names])
    ours = np.array([*(folded.get(n, n) for n in mine.names), ""], object)[
        mine.codes[base_index[both]]
    ]
    theirs = np.array([*(folded.get(n, n) for n in other.names), ""], object)[
        other.codes[index[both]]
    ]
    number = int((ours != theirs).sum())
    if not number:
        return []
    return [
        f"The truth in {quoted(side.table.file)} differs from that in {quoted(base.table.file)} "
        f"for {counted(number, 'case')}; the latter was used."
    ]


def _collected(sides: list[_Side]) -> tuple[list[str], list[str]]:
    notes = [f"{quoted(side.table.file)}: {note}" for side in sides for note in side.table.notes]
    warnings = [
        f"{quoted(side.table.file)}: {text}" for side in sides for text in side.table.warnings
    ]
    return notes, warnings


def _sentences(report: JoinReport, *, labelled: bool) -> list[str]:
    sentences = []
    if report.truth_without_prediction:
        sentences.append(
            f"{counted(len(report.truth_without_prediction), 'case')} of the truth in no model's "
            f"file: {listed(report.truth_without_prediction, most=5)}."
        )
    if report.prediction_without_truth:
        sentences.append(
            f"{counted(len(report.prediction_without_truth), 'predicted case')} without a truth "
            f"left out: {listed(report.prediction_without_truth, most=5)}."
        )
    if report.without_id:
        sentences.append(f"{counted(report.without_id, 'row')} without an id left out.")
    if report.duplicated:
        sentences.append(
            f"{counted(len(report.duplicated), 'id')} found more than once in one file, and left "
            f"out there: {listed(report.duplicated, most=5)}."
        )
    return sentences


def _with_defaults(given: Given, guessed: Roles) -> Given:
    """Return the given roles, and for every key that is absent the role found while joining."""
    defaults: dict[str, Any] = {
        "truth": guessed.truth, "models": guessed.models, "id": guessed.id, "group": guessed.group,
        "count": guessed.count, "slices": guessed.slices, "model": None, "ignored": (),
    }  # fmt: skip
    if "models" not in given and guessed.task is not None and guessed.truth is None:
        defaults["task"] = guessed.task
    return Given(values=defaults | given.values)
