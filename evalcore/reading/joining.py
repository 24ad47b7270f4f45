"""Truth and models in separate files -> one table, matched by an id."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from evalcore.predictions import Predictions
from evalcore.reading import words
from evalcore.reading.building import build
from evalcore.reading.errors import ReadingError, about
from evalcore.reading.guessing import resolve_roles
from evalcore.reading.labels import apply_mapping, fold_labels
from evalcore.reading.limits import LIMITS, Limits
from evalcore.reading.phrases import counted, listed, quoted
from evalcore.reading.reader import read_predictions, read_table
from evalcore.reading.roles import OF_MODELS, ModelColumns, Roles, read_given
from evalcore.reading.table import Cells, Table
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
    limits.check(
        " + ".join(name for _, name in files), upload_bytes=sum(len(data) for data, _ in files)
    )
    tables = [read_table(data, name, limits=limits, suits=_is_side) for data, name in files]
    table, guessed, join = _merge(_sides(tables, on))
    with about(table.file):
        given = read_given(roles, table)
        if "models" in given:
            guessed.pop("task", None)
        found = resolve_roles(table, guessed | given)
        mark = hashlib.sha256(repr(on).encode())
        for data, _ in files:
            mark.update(hashlib.sha256(data).digest())
        return build(table, found, name=table.file, mark=mark.hexdigest(), limits=limits, join=join)


@dataclass(slots=True)
class _Side:
    """One of the files: its table, its roles, and the row of every id that occurs once."""

    table: Table
    roles: Roles
    key: str
    rows: pd.Series
    duplicated: list[str]

    @property
    def file(self) -> str:
        return self.table.file

    @property
    def stem(self) -> str:
        """Name of the file without folders and endings."""
        name = PurePosixPath(self.file.replace("\\", "/")).name
        return name.split(".")[0] if not name.startswith(".") else name

    @property
    def without_id(self) -> int:
        return int((self.table[self.key].labels.codes < 0).sum())


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
        with about(table.file):
            roles = resolve_roles(table, {"id": key, "model": None}, complete=False)
        ids = table[key].labels
        once = ids.rows_per_name() == 1
        order = np.argsort(ids.codes, kind="stable")[(ids.codes < 0).sum() :]
        rows = order[once[ids.codes[order]]]
        names = np.array(ids.names, object)
        sides.append(_Side(table, roles, key, pd.Series(rows, names[once]), names[~once].tolist()))
    return _truth_first(sides)


def _is_side(table: Table) -> bool:
    """Return whether a table holds a truth or a model, as a file to join must."""
    roles = resolve_roles(table, {}, complete=False)
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
        if named or (cells.distinct >= 0.9 * len(cells) and not cells.has_decimals):
            return cells.name
    raise ReadingError(
        f"{quoted(table.file)} has no column that names its cases, so it cannot be joined with the "
        f"other files; its columns are {listed(table.names, most=20)}. Add the same id column to "
        "every file, or upload a file that is complete in itself alone.",
        file=table.file,
    )


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


def _merge(sides: list[_Side]) -> tuple[Table, dict[str, Any], JoinReport]:
    """Return the joined table, the roles found on the way to it, and what met and what did not."""
    base = sides[0]
    labelled = base.roles.truth is not None
    names = list(dict.fromkeys(n for s in (sides[:1] if labelled else sides) for n in s.rows.index))
    indexes = [s.rows.reindex(names, fill_value=-1).to_numpy(np.int64) for s in sides]
    _refuse_strangers(sides, indexes, labelled=labelled)
    report = _report(sides, names, indexes, labelled=labelled)
    notes = [f"{quoted(side.file)}: {note}" for side in sides for note in side.table.notes]
    warnings = [f"{quoted(side.file)}: {text}" for side in sides for text in side.table.warnings]
    columns = {base.key: Cells(base.key, pa.chunked_array([pa.array(names, pa.string())]))}
    models: dict[str, ModelColumns] = {}
    for place, (side, index) in enumerate(zip(sides, indexes, strict=True)):
        _add_models(models, side, _add_columns(columns, side, index, first=place == 0))
        if side.roles.truth is None and not side.roles.models:
            warnings.append(
                f"No column of {quoted(side.file)} was recognised as what a model said; its "
                "columns are shown beside the cases unless they are given another role."
            )
        if labelled and place > 0 and side.roles.truth is not None:
            warnings += _disagreement(base, side, indexes[0], index)
    warnings += _sentences(report)
    notes += dict.fromkeys(note for side in sides for note in side.roles.notes)
    table = Table(
        file=" + ".join(side.file for side in sides),
        columns=tuple(columns.values()),
        notes=notes,
        warnings=warnings,
    )
    guessed = {
        "truth": base.roles.truth, "models": models, "id": base.key, "group": base.roles.group,
        "count": base.roles.count, "slices": base.roles.slices, "model": None, "ignored": (),
    }  # fmt: skip
    if not labelled and any(columns.value is not None for columns in models.values()):
        guessed["task"] = "score"
    return table, guessed, report


def _refuse_strangers(sides: list[_Side], indexes: list[np.ndarray], *, labelled: bool) -> None:
    """Refuse a file that shares no id with the truth or, without a truth, with any other file."""
    found = np.stack(indexes) >= 0
    for place, side in enumerate(sides[1:] if labelled else sides, start=int(labelled)):
        others = found[:1] if labelled else np.delete(found, place, axis=0)
        if np.any(found[place] & others.any(axis=0)):
            continue
        known = sides[:1] if labelled else [other for other in sides if other is not side]
        keys = listed(dict.fromkeys(one.key for one in (side, *known)))
        problem = (
            f"No id of {quoted(side.file)} occurs in {listed([other.file for other in known])} "
            f"(compared: {keys})"
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
        raise ReadingError(problem, file=side.file, column=side.key)


def _report(
    sides: list[_Side], names: list[str], indexes: list[np.ndarray], *, labelled: bool
) -> JoinReport:
    duplicated = dict.fromkeys(name for side in sides for name in side.duplicated)
    known = {*names, *duplicated}
    strangers = dict.fromkeys(n for s in sides[1:] for n in s.rows.index if n not in known)
    models = indexes[1:] if labelled and not sides[0].roles.models else indexes
    hits = (np.stack(models) >= 0).sum(axis=0)
    without = [n for n, hit in zip(names, hits.tolist(), strict=True) if not hit]
    return JoinReport(
        key=sides[0].key,
        matched=int((hits > (0 if labelled else 1)).sum()),
        truth_without_prediction=tuple(n for n in without if n not in duplicated and labelled),
        prediction_without_truth=tuple(strangers) if labelled else (),
        without_id=sum(side.without_id for side in sides),
        duplicated=tuple(duplicated),
    )


def _add_columns(
    columns: dict[str, Cells], side: _Side, index: np.ndarray, *, first: bool
) -> dict[str, str]:
    """Add a file's columns to the joined ones; return their names there, by name in the file."""
    uses = side.roles.uses()
    renamed: dict[str, str] = {}
    for cells in side.table.columns:
        role = uses[cells.name].role if cells.name in uses else "detail"
        wanted = first or role in OF_MODELS or (role == "detail" and cells.name not in columns)
        if cells.name == side.key or role == "ignored" or not wanted:
            continue
        endings = chain(["", f" ({side.stem})"], (f" ({side.stem} {k})" for k in count(2)))
        name = _free_name((cells.name + ending for ending in endings), columns)
        columns[name] = replace(cells.take(index), name=name)
        renamed[cells.name] = name
    return renamed


def _add_models(models: dict[str, ModelColumns], side: _Side, renamed: dict[str, str]) -> None:
    """Add a file's models; one that is only called a prediction is named after the file."""
    stem = words.rest_of(words.OUTPUT_NAMES, side.stem) or side.stem
    for model, columns in side.roles.models.items():
        name = model
        if len(side.roles.models) == 1 and model in columns.columns() and _is_generic(model):
            name = stem
        others = chain([name, f"{stem}: {name}"], (f"{name} ({k})" for k in count(3)))
        models[_free_name(others, models)] = columns.renamed(renamed)


def _is_generic(name: str) -> bool:
    role_words = (words.OUTPUT_NAMES, words.SCORE_NAMES, words.CORRECT_NAMES)
    return words.truth_rank(name) is not None or any(
        words.rest_of(patterns, name) == "" for patterns in role_words
    )


def _free_name(names: Iterator[str], taken: Container[str]) -> str:
    return next(name for name in names if name not in taken)


def _disagreement(base: _Side, side: _Side, base_index: np.ndarray, index: np.ndarray) -> list[str]:
    both = (base_index >= 0) & (index >= 0)
    columns = [one.table[one.roles.truth or ""].labels for one in (base, side)]
    folded, _ = fold_labels([labels.names for labels in columns])
    ours, theirs = (
        np.array([*apply_mapping(labels.names, folded), ""], object)[labels.codes[rows[both]]]
        for labels, rows in zip(columns, (base_index, index), strict=True)
    )
    number = int((ours != theirs).sum())
    if not number:
        return []
    return [
        f"The truth in {quoted(side.file)} differs from that in {quoted(base.file)} "
        f"for {counted(number, 'case')}; the latter was used."
    ]


def _sentences(report: JoinReport) -> list[str]:
    alone, strange, twice = (
        report.truth_without_prediction, report.prediction_without_truth, report.duplicated
    )  # fmt: skip
    sentences = []
    if alone:
        cases = counted(len(alone), "case")
        sentences.append(f"{cases} of the truth in no model's file: {listed(alone, most=5)}.")
    if strange:
        cases = counted(len(strange), "predicted case")
        sentences.append(f"{cases} without a truth left out: {listed(strange, most=5)}.")
    if report.without_id:
        sentences.append(f"{counted(report.without_id, 'row')} without an id left out.")
    if twice:
        sentences.append(
            f"{counted(len(twice), 'id')} found more than once in one file, and left out there: "
            f"{listed(twice, most=5)}."
        )
    return sentences
