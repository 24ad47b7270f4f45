"""Guess which columns are the labels, numbers, scores and probabilities of which model."""

from __future__ import annotations

import json
from string import digits

import numpy as np

from evalcore.reading import words
from evalcore.reading.labels import apply_mapping, fold_labels
from evalcore.reading.limits import LIMITS
from evalcore.reading.numbers import is_plain_number
from evalcore.reading.roles import ModelColumns, Roles
from evalcore.reading.table import Cells, Table, trim

_WORDS_OF_TRUTH = ("1", "0", "true", "false", "yes", "no", "1.0", "0.0")


def find_models(table: Table, roles: Roles, free: list[Cells]) -> dict[str, ModelColumns]:
    """Return the models among the free columns, named after what their columns are called.

    Columns named as predictions or scores come first. Only without a column named as a prediction
    does every column whose contents look like the truth's count as a model.
    """
    truth = table[roles.truth] if roles.truth is not None else None
    outputs = _named(free, words.OUTPUT_NAMES, roles.truth)
    scores = _named(free, words.SCORE_NAMES, roles.truth)
    scores = {c: r for c, r in scores.items() if c not in outputs and c.numeric_share >= 0.5}
    if roles.task is None and truth is not None:
        roles.task = "regression" if _is_regression(truth, free) else "classification"
    if truth is None and outputs and all(c.has_decimals for c in outputs):
        roles.task = "regression"
    if roles.task == "regression":
        return _regression_models(truth, outputs, [c for c in free if c not in scores])
    roles.task = "classification"
    families = _families(_class_names(truth, outputs, free), free, outputs)
    in_family = {name for chances in families.values() for name in chances.values()}
    scores = {c: rest for c, rest in scores.items() if c.name not in in_family}
    binary = truth is not None and few_labels(truth) and len(set(_folded([truth])[0])) <= 2
    if binary:
        as_scores = {c: rest for c, rest in outputs.items() if c.has_decimals}
        outputs = {c: rest for c, rest in outputs.items() if c not in as_scores}
        scores = {**as_scores, **scores}
    others = [c for c in free if c not in outputs and c not in scores and c.name not in in_family]
    plain = _plain_outputs(truth, others, explicit=bool(outputs), scored=bool(scores or families))
    models = {_model_name(rest, c): ModelColumns(output=c.name) for c, rest in outputs.items()}
    models |= {c.name: ModelColumns(output=c.name) for c in plain if c.name not in models}
    for stem, chances in families.items():
        owner = _owner(stem, models)
        if owner is None:
            owner = stem or "model"
            models[owner] = ModelColumns()
        models[owner].probabilities = chances
    if scores and truth is not None and not binary and few_labels(truth) and truth.distinct > 2:
        roles.notes.append(_unused_scores(scores))
    else:
        _add_scores(models, scores)
    if not models and binary:
        scales = [c for c in others if c.is_numeric and c.distinct > 2]
        models = {
            c.name: ModelColumns(score=c.name)
            for c in scales
            if not words.SLICE_NAMES.fullmatch(c.name)
        }
    return models


def task_of(table: Table, roles: Roles) -> str:
    """Return the task that the columns of known models show."""
    columns = list(roles.models.values())
    if any(c.value is not None for c in columns):
        return "score"
    outputs = [table[c.output] for c in columns if c.output is not None]
    if roles.truth is None:
        return (
            "regression" if outputs and all(c.has_decimals for c in outputs) else "classification"
        )
    if not outputs:
        return "classification"
    return "regression" if _is_regression(table[roles.truth], outputs) else "classification"


def find_values(
    free: list[Cells], table: Table, *, log: bool, told: bool
) -> dict[str, ModelColumns]:
    """Return the columns that say for each case how good the answer was, one model each.

    A column that is only called "score" is one where ``told`` says that there are such columns.
    """
    if log:
        name = _first_metric(table)
        return {name: ModelColumns(value=name)} if name else {}
    patterns = words.MARK_NAMES if told else words.CORRECT_NAMES
    found: dict[str, ModelColumns] = {}
    for cells in free:
        rest = words.rest_of(patterns, cells.name)
        if rest is not None and (cells.is_fraction or _says_right_or_wrong(cells)):
            found.setdefault(_model_name(rest, cells), ModelColumns(value=cells.name))
    distinct = {name: columns for name, columns in found.items() if columns.value != name}
    if distinct:
        return distinct
    return dict(list(found.items())[:1])


def _first_metric(table: Table) -> str | None:
    """Return the first metric that an evaluation log names, or its first number per document."""
    if "metrics" in table:
        for text in table["metrics"].sample:
            try:
                named = json.loads(text)
            except ValueError:
                continue
            for name in named if isinstance(named, list) else ():
                if str(name) in table and table[str(name)].distinct:
                    return str(name)
    for cells in table.columns:
        if words.rest_of(words.MARK_NAMES, cells.name) is not None and (
            cells.is_numeric or _says_right_or_wrong(cells)
        ):
            return cells.name
    return None


def _says_right_or_wrong(cells: Cells) -> bool:
    if not 1 <= cells.distinct <= 4:
        return False
    return all(label.casefold() in _WORDS_OF_TRUTH for label in cells.labels.names)


def _named(free: list[Cells], patterns: tuple, truth: str | None) -> dict[Cells, str]:
    """Return the columns whose name has a role word, with the rest of the name."""
    truth_parts = _parts(truth or "")
    found = {}
    for cells in free:
        rest = words.rest_of(patterns, cells.name)
        if rest is None or cells.distinct == 0:
            continue
        known = words.truth_rank(rest) is not None or bool(rest and _parts(rest) <= truth_parts)
        found[cells] = "" if known else rest
    return found


def _parts(name: str) -> set[str]:
    return {part for part in name.casefold().replace("-", "_").replace(" ", "_").split("_") if part}


def _model_name(rest: str, cells: Cells) -> str:
    if not rest:
        return cells.name
    return f"model {rest}" if rest.isdigit() else rest


def few_labels(cells: Cells) -> bool:
    """Return whether a column holds no more different labels than classes may be."""
    return cells.distinct <= LIMITS.classes


def _folded(columns: list[Cells]) -> list[list[str]]:
    names = [c.labels.names for c in columns]
    folded, _ = fold_labels(names)
    return [apply_mapping(column, folded) for column in names]


def _is_regression(truth: Cells, free: list[Cells]) -> bool:
    """Return whether the truth is a number to be met closely rather than a class to be hit."""
    if truth.numeric_share < 0.9:
        return False
    if not truth.is_numeric:
        return any("." in text for text in truth.sample)
    if truth.distinct <= 2 and truth.is_whole and np.abs(truth.numbers.present).max() <= 2:
        return False
    if any(len(text) > 1 and text.startswith("0") and text.isdigit() for text in truth.sample):
        return False
    if not truth.is_whole:
        return True
    named = [c for c in free if words.rest_of(words.OUTPUT_NAMES, c.name) is not None]
    beside = named or [
        c for c in free if c.is_numeric and words.rest_of(words.SCORE_NAMES, c.name) is None
    ]
    meeting = max((share_within(c, truth) for c in beside if few_labels(c)), default=0.0)
    if truth.distinct > LIMITS.classes:
        return True
    if named and meeting < 0.5:
        return any(c.is_numeric for c in named)
    often = len(truth) / truth.distinct
    if truth.distinct <= 20:
        only_scores = truth.distinct <= 10 and all(cells.is_fraction for cells in beside)
        return not named and meeting < 0.5 and bool(beside) and not only_scores
    return not ((truth.distinct <= 50 and often >= 4) or often >= 20)


def share_within(cells: Cells, truth: Cells) -> float:
    """Return the share of a column's cells whose label is one of the truth's."""
    if not few_labels(truth):
        return 0.0
    known, said = _folded([truth, cells])
    shared = set(known)
    rows = cells.labels.rows_per_name()
    within = np.array([label in shared for label in said], bool)
    return float(rows[within].sum() / rows.sum()) if rows.sum() else 0.0


def first_of_two(cells: list[Cells]) -> str | None:
    """Return the first column whose labels are those of another, or the first of two numbers."""
    few = [c for c in cells if few_labels(c) and not c.has_decimals]
    for first in few:
        if any(c is not first and share_within(c, first) >= 0.5 for c in few):
            return first.name
    numbers = [c.name for c in cells if c.is_numeric]
    return numbers[0] if len(numbers) > 1 else None


def _plain_outputs(
    truth: Cells | None, others: list[Cells], *, explicit: bool, scored: bool
) -> list[Cells]:
    """Return columns without a telling name with the labels of the truth, or of each other."""
    candidates = [
        c
        for c in others
        if 1 <= c.distinct <= LIMITS.classes
        and not words.SLICE_NAMES.fullmatch(c.name)
        and not c.has_decimals
        and (not explicit or words.MODEL_LIKE.fullmatch(c.name))
    ]
    model_like = [c for c in candidates if words.MODEL_LIKE.fullmatch(c.name)]
    if truth is not None:
        if not few_labels(truth):
            return []
        meeting = [
            c for c in candidates if share_within(c, truth) >= (0.9 if c.is_numeric else 0.5)
        ]
        if meeting or explicit or scored:
            return meeting
        # A column named like a model is one, even where it never says a class of the truth.
        return [c for c in model_like if not c.is_numeric]
    if explicit or scored:
        return candidates if explicit else []
    pool = model_like if len(model_like) > 1 else candidates
    meeting = [
        c
        for c in pool
        if any(d is not c and share_within(c, d) >= 0.5 and share_within(d, c) >= 0.5 for d in pool)
    ]
    return meeting if len(meeting) > 1 else []


def _class_names(truth: Cells | None, outputs: dict[Cells, str], free: list[Cells]) -> list[str]:
    sources = [truth] if truth is not None else []
    sources += list(outputs)
    if not sources:
        sources = [c for c in free if not all(map(is_plain_number, c.sample)) and c.distinct <= 50]
    names = [c for c in sources if few_labels(c) and not c.has_decimals]
    return list(dict.fromkeys(label for column in _folded(names) for label in column))


def _families(
    classes: list[str], free: list[Cells], outputs: dict[Cells, str]
) -> dict[str, dict[str, str]]:
    """Return model -> class -> column for columns named after a class that hold its probability."""
    by_length = sorted(classes, key=len, reverse=True)
    found: dict[str, dict[str, str]] = {}
    for cells in free:
        if cells in outputs or not cells.is_numeric or words.COUNT_NAMES.fullmatch(cells.name):
            continue
        for label in by_length:
            stem = words.probability_stem(cells.name, label)
            if stem is not None:
                found.setdefault(stem, {}).setdefault(label, cells.name)
                break
    numbered = _numbered_neighbours(free, found)
    return {
        stem: {label: chances[label] for label in classes if label in chances}
        for stem, chances in found.items()
        if len(chances) > 1 or (len(classes) == 2 and stem not in numbered)
    }


def _numbered_neighbours(free: list[Cells], found: dict[str, dict[str, str]]) -> set[str]:
    """Return stems such as ``score_`` whose numbers count models rather than classes."""
    names = {name for chances in found.values() for name in chances.values()}
    others = {c.name.rstrip(digits) for c in free if c.name not in names}
    first = {stem: next(iter(chances.values())) for stem, chances in found.items()}
    return {s for s, c in first.items() if c != c.rstrip(digits) and c.rstrip(digits) in others}


def _add_scores(models: dict[str, ModelColumns], scores: dict[Cells, str]) -> None:
    for cells, rest in scores.items():
        owner = _owner(rest, models)
        if owner is None or models[owner].score is not None:
            owner = _model_name(rest, cells)
            if owner in models and models[owner].score is not None:
                owner = cells.name
            models.setdefault(owner, ModelColumns())
        models[owner].score = cells.name


def _owner(rest: str, models: dict[str, ModelColumns]) -> str | None:
    """Return the model that the rest of a column name means; ``""`` means the only one."""
    if not rest:
        return next(iter(models)) if len(models) == 1 else None
    low = rest.casefold()
    names = {name.casefold(): name for name in models}
    for wanted in (low, f"model {low}", f"model_{low}"):
        if wanted in names:
            return names[wanted]
    return None


def _unused_scores(scores: dict[Cells, str]) -> str:
    names = " and ".join(f'"{trim(c.name)}"' for c in list(scores)[:3])
    return (
        f"{names}: one number per case says nothing about more than two classes; it is shown "
        "beside the cases only."
    )


def _regression_models(
    truth: Cells | None, outputs: dict[Cells, str], free: list[Cells]
) -> dict[str, ModelColumns]:
    found = {
        _model_name(rest, c): ModelColumns(output=c.name)
        for c, rest in outputs.items()
        if c.numeric_share >= 0.5
    }
    others = [
        c
        for c in free
        if c not in outputs
        and c.is_numeric
        and not words.SLICE_NAMES.fullmatch(c.name)
        and (not found or words.MODEL_LIKE.fullmatch(c.name))
        and (truth is None or _same_scale(c, truth))
    ]
    return found | {c.name: ModelColumns(output=c.name) for c in others}


def _same_scale(cells: Cells, truth: Cells) -> bool:
    middle, target = (float(np.median(np.abs(c.numbers.present))) for c in (cells, truth))
    return target == 0 or middle == 0 or 0.1 <= middle / target <= 10
