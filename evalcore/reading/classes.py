"""Label and probability columns -> class names, codes and scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from evalcore.predictions import label_codes, sort_labels
from evalcore.reading.columns import label_column, number_column, too_many_classes
from evalcore.reading.errors import LabelsDoNotMeet, ReadingError
from evalcore.reading.labels import apply_mapping, fold_labels, guess_mapping, guess_positive
from evalcore.reading.limits import Limits
from evalcore.reading.phrases import counted, listed, quoted
from evalcore.reading.roles import ModelColumns, Roles
from evalcore.reading.table import Labels, Table


@dataclass(slots=True, kw_only=True)
class Content:
    """The arrays of Predictions that depend on the task.

    Attributes
    ----------
    truth, outputs, scores, classes, positive
        As in Predictions.
    """

    truth: np.ndarray | None = None
    outputs: dict[str, np.ndarray] = field(default_factory=dict)
    scores: dict[str, np.ndarray] = field(default_factory=dict)
    classes: tuple[str, ...] = ()
    positive: str | None = None


def read_classes(table: Table, roles: Roles, limits: Limits) -> Content:
    """Return the classes of a table, and truth and answers as codes of them.

    Raises
    ------
    LabelsDoNotMeet
        If a model's labels and the truth's have none in common.
    ReadingError
        If there are too many classes, or a score is not a number.
    """
    columns = [] if roles.truth is None else [roles.truth]
    columns += [c.output for c in roles.models.values() if c.output is not None]
    cells = {column: label_column(table, column, limits) for column in columns}
    _tell_translated(table, cells.values(), roles.labels)
    names = {column: apply_mapping(v.names, roles.labels) for column, v in cells.items()}
    folded, said = fold_labels(list(names.values()))
    table.notes.extend(said)
    names = {column: apply_mapping(v, folded) for column, v in names.items()}
    _warn_of_strangers(table, roles, names)
    chances = {
        model: _chance_columns(c, roles, folded)
        for model, c in roles.models.items()
        if c.probabilities
    }
    found = [label for v in names.values() for label in v]
    found += [label for by_class in chances.values() for label in by_class]
    classes = sort_labels(found or ["0", "1"])
    if len(classes) > limits.classes:
        widest = max(names, key=lambda column: len(names[column]), default=columns[0])
        raise too_many_classes(table, widest, len(classes), limits)
    codes = {
        column: np.append(label_codes(v, classes), np.int32(-1))[cells[column].codes]
        for column, v in names.items()
    }
    content = Content(classes=classes, positive=_positive(table, roles, classes, folded))
    if roles.truth is not None:
        content.truth = codes[roles.truth]
    for model, model_columns in roles.models.items():
        if model_columns.output is not None:
            content.outputs[model] = codes[model_columns.output]
        _add_scores(content, table, model, model_columns, chances.get(model))
    return content


def _tell_translated(table: Table, columns: Iterable[Labels], mapping: Mapping[str, str]) -> None:
    """Say which labels of the file were read as which others."""
    found = dict.fromkeys(label for column in columns for label in column.names)
    said = [
        f"{quoted(label)} read as {quoted(mapping[label])}"
        for label in found
        if mapping.get(label, label) != label
    ]
    if said:
        more = f" and {len(said) - 8:,} more" if len(said) > 8 else ""
        table.notes.append(f"Labels translated: {', '.join(said[:8])}{more}.")


def _warn_of_strangers(table: Table, roles: Roles, names: dict[str, list[str]]) -> None:
    """Name labels the truth never has; refuse models that share no label with it."""
    if roles.truth is None:
        return
    known = list(dict.fromkeys(names[roles.truth]))
    for model, columns in roles.models.items():
        said = list(dict.fromkeys(names[columns.output])) if columns.output is not None else []
        strange = [label for label in said if label not in known]
        if said and len(strange) == len(said) and len(known) >= 2:
            raise _no_label_shared(table, model, columns.output, known, said)
        if strange:
            table.warnings.append(
                f"{quoted(model)} uses {counted(len(strange), 'label')} that the truth never has: "
                f"{listed(strange, most=5)}."
            )
    if not known:
        table.warnings.append("The truth is empty in every row.")
    elif len(known) == 1:
        only = quoted(known[0])
        table.warnings.append(
            f"The truth holds one class only, {only}; only its recall can be read."
        )


def _no_label_shared(
    table: Table, model: str, column: str | None, known: list[str], said: list[str]
) -> LabelsDoNotMeet:
    mapping = guess_mapping(said, known)
    meant = ", ".join(f"{quoted(a)} means {quoted(b)}" for a, b in mapping.items())
    advice = (
        f"Probably {meant}; confirm it, or correct the file."
        if mapping
        else "Say which label means which, or choose another column."
    )
    return LabelsDoNotMeet(
        f"The labels of {quoted(model)} ({listed(said, most=5)}) and of the truth "
        f"({listed(known, most=5)}) in {quoted(table.file)} have none in common. {advice}",
        model=model,
        truth_labels=known,
        predicted_labels=said,
        mapping=mapping,
        column=column,
    )


def _chance_columns(columns: ModelColumns, roles: Roles, folded: dict[str, str]) -> dict[str, str]:
    labels = apply_mapping(apply_mapping(columns.probabilities, roles.labels), folded)
    return dict(zip(labels, columns.probabilities.values(), strict=True))


def _positive(
    table: Table, roles: Roles, classes: tuple[str, ...], folded: dict[str, str]
) -> str | None:
    if roles.positive is not None:
        wanted = roles.labels.get(str(roles.positive), str(roles.positive))
        wanted = folded.get(wanted, wanted)
        if wanted not in classes:
            raise ReadingError(
                f"There is no class {quoted(wanted)} in {quoted(table.file)} to be the positive "
                f"one; the classes are {listed(classes, most=12)}.",
            )
        return wanted
    positive, told = guess_positive(classes)
    if positive is not None and not told:
        table.notes.append(
            f"{quoted(positive)}, the last of the two classes, was taken as the positive class."
        )
    return positive


def _add_scores(
    content: Content,
    table: Table,
    model: str,
    columns: ModelColumns,
    chances: dict[str, str] | None,
) -> None:
    if chances:
        content.scores[model] = _chances(table, chances, content.classes)
        if columns.output is None and len(chances) > 1:
            content.outputs[model] = _most_likely(content.scores[model])
            table.notes.append(
                f"{quoted(model)} has no column of labels; its answer is the class with the "
                "highest probability."
            )
    elif columns.score is not None:
        if len(content.classes) > 2:
            raise ReadingError(
                f"The column {quoted(columns.score)} of {quoted(table.file)} cannot be the score "
                f"of {quoted(model)}: one number per case says nothing about "
                f"{len(content.classes):,} classes. Give a probability per class, or no score.",
                column=columns.score,
            )
        content.scores[model] = number_column(table, columns.score, finite=False)


def _chances(table: Table, columns: dict[str, str], classes: tuple[str, ...]) -> np.ndarray:
    chances = np.full((table.n, len(classes)), np.nan)
    for label, column in columns.items():
        chances[:, classes.index(label)] = number_column(table, column, finite=False)
    if len(classes) == 2 and len(columns) == 1:
        given = classes.index(next(iter(columns)))
        present = chances[~np.isnan(chances[:, given]), given]
        if present.size and present.min() >= 0 and present.max() <= 1:
            chances[:, 1 - given] = 1.0 - chances[:, given]
    return chances


def _most_likely(chances: np.ndarray) -> np.ndarray:
    filled = np.where(np.isnan(chances), -np.inf, chances)
    codes = filled.argmax(axis=1).astype(np.int32)
    codes[np.isnan(chances).all(axis=1)] = -1
    return codes
