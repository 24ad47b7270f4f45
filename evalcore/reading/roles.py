"""The roles that columns can have, and roles given by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from evalcore.predictions import TASKS
from evalcore.reading.errors import ReadingError
from evalcore.reading.phrases import listed, quoted
from evalcore.reading.table import Table
from evalcore.results import Column

ROLES: dict[str, str] = {
    "truth": "What is right: the true class or the true number.",
    "output": "What a model said: a class or a number.",
    "score": "How strongly a model leans to the positive class; higher means more likely.",
    "probability": "A model's probability of one class.",
    "value": "How good an answer was, such as 1 for right and 0 for wrong.",
    "id": "Names the case, so that rows and files can be matched.",
    "group": "Rows that belong together, such as one patient, user or question.",
    "slice": "Splits the cases into parts, such as site or language.",
    "count": "How often the row occurs.",
    "model": "Names the model of the row, in a file with one row per case and model.",
    "detail": "No role; shown beside a case.",
    "ignored": "Left out, such as row numbers.",
}

_KEYS = (
    "truth", "models", "id", "group", "count", "slices", "model", "positive", "labels", "task",
    "ignored",
)  # fmt: skip
_MODEL_KEYS = ("output", "score", "probabilities", "value")


@dataclass(slots=True, kw_only=True)
class ModelColumns:
    """The columns of one model.

    Attributes
    ----------
    output, score, value : str or None
        Column names.
    probabilities : dict of str to str
        Class to column name.
    """

    output: str | None = None
    score: str | None = None
    value: str | None = None
    probabilities: dict[str, str] = field(default_factory=dict)

    def columns(self) -> list[str]:
        """All column names of the model."""
        single = [name for name in (self.output, self.score, self.value) if name is not None]
        return single + list(self.probabilities.values())


@dataclass(slots=True, kw_only=True)
class Roles:
    """Which column plays which role; see ``ROLES`` for their meaning.

    ``labels`` renames labels before they are compared; ``notes`` and ``warnings`` say what was
    guessed.
    """

    truth: str | None = None
    models: dict[str, ModelColumns] = field(default_factory=dict)
    id: str | None = None
    group: str | None = None
    count: str | None = None
    slices: tuple[str, ...] = ()
    model: str | None = None
    positive: str | None = None
    labels: dict[str, str] = field(default_factory=dict)
    task: str | None = None
    ignored: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def uses(self) -> dict[str, str]:
        """Return the role of every column that has one, by column name."""
        used = dict.fromkeys(self.ignored, "ignored")
        used |= dict.fromkeys(self.slices, "slice")
        for columns in self.models.values():
            used |= dict.fromkeys(columns.probabilities.values(), "probability")
            for role in ("score", "value", "output"):
                name = getattr(columns, role)
                if name is not None:
                    used[name] = role
        for role in ("count", "group", "id", "model", "truth"):
            name = getattr(self, role)
            if name is not None:
                used[name] = role
        return used


@dataclass(slots=True, kw_only=True)
class Given:
    """Roles given by hand: only the keys that were there; everything else is to be guessed."""

    values: dict[str, Any] = field(default_factory=dict)

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def get(self, key: str) -> Any:
        """Return a given role, None when absent or said to be none."""
        return self.values.get(key)


def described(table: Table, roles: Roles) -> tuple[Column, ...]:
    """Return the columns of a table with their roles and first cells."""
    uses = roles.uses()
    owner: dict[str, tuple[str | None, str | None]] = {}
    for model, columns in roles.models.items():
        shown = model if roles.model is None else None
        owner |= dict.fromkeys(columns.columns(), (shown, None))
        owner |= {name: (shown, label) for label, name in columns.probabilities.items()}
    made = []
    for cells in table.columns:
        model_name, label = owner.get(cells.name, (None, None))
        made.append(
            Column(
                name=cells.name,
                role=uses.get(cells.name, "detail"),
                model=model_name,
                class_label=label,
                examples=cells.sample[:3],
                distinct=cells.distinct,
            )
        )
    return tuple(made)


def read_given(roles: Mapping[str, Any] | None, table: Table) -> Given:
    """Check roles given by hand against the columns of a table.

    Raises
    ------
    ReadingError
        If a key or a column does not exist, or two roles claim one column.
    """
    given: dict[str, Any] = {}
    for key, value in (roles or {}).items():
        if key not in _KEYS:
            raise _refused(
                f"There is no role {quoted(str(key))}; roles are {listed(_KEYS, most=20)}.", table
            )
        given[key] = value
    for key in ("truth", "id", "group", "count", "model"):
        if given.get(key) is not None:
            given[key] = _column(given[key], key, table)
    for key in ("slices", "ignored"):
        if key in given:
            given[key] = tuple(_column(name, key, table) for name in given[key] or ())
    if "models" in given:
        given["models"] = _given_models(given["models"], table)
    if given.get("task") is not None and given["task"] not in TASKS:
        raise _refused(
            f"There is no task {quoted(str(given['task']))}; tasks are {listed(TASKS)}.", table
        )
    if "labels" in given:
        given["labels"] = {str(a): str(b) for a, b in (given["labels"] or {}).items()}
    if given.get("model") is not None and len(given.get("models") or ()) > 1:
        raise _refused(
            f"With {quoted(given['model'])} naming the model of each row there can be one model's "
            f"columns only, not those of {listed(given['models'])}.",
            table,
            column=given["model"],
        )
    _refuse_double_use(given, table)
    return Given(values=given)


def _given_models(models: Any, table: Table) -> dict[str, ModelColumns]:
    if models is None:
        return {}
    if not isinstance(models, Mapping):
        return {str(name): ModelColumns(output=_column(name, "models", table)) for name in models}
    found = {}
    for model, columns in models.items():
        if isinstance(columns, str):
            columns = {"output": columns}
        unknown = [key for key in columns if key not in _MODEL_KEYS]
        if unknown:
            raise _refused(
                f"A model has no {quoted(str(unknown[0]))}; it can have {listed(_MODEL_KEYS)}.",
                table,
            )
        single = {
            key: _column(columns[key], key, table)
            for key in ("output", "score", "value")
            if columns.get(key) is not None
        }
        probabilities = {
            str(label): _column(name, "probabilities", table)
            for label, name in (columns.get("probabilities") or {}).items()
        }
        found[str(model)] = ModelColumns(probabilities=probabilities, **single)
    return found


def _refuse_double_use(given: Mapping[str, Any], table: Table) -> None:
    claims: list[tuple[str, str]] = [
        (given[key], key) for key in ("truth", "id", "group", "count", "model") if given.get(key)
    ]
    claims += [(name, key) for key in ("slices", "ignored") for name in given.get(key) or ()]
    for model, columns in (given.get("models") or {}).items():
        claims += [(name, f"model {quoted(model)}") for name in columns.columns()]
    first: dict[str, str] = {}
    for name, key in claims:
        if name in first:
            raise _refused(
                f"The column {quoted(name)} cannot be both {first[name]} and {key}; "
                "give it one role.",
                table,
                column=name,
            )
        first[name] = key


def _column(name: Any, key: str, table: Table) -> str:
    if str(name) not in table:
        raise _refused(
            f"There is no column {quoted(str(name))} for the role {key}; the columns are "
            f"{listed(table.names, most=30)}.",
            table,
            column=str(name),
        )
    return str(name)


def _refused(message: str, table: Table, *, column: str | None = None) -> ReadingError:
    return ReadingError(message, file=table.file, column=column)


def roles_from_columns(
    columns: Iterable[Column],
    *,
    positive: str | None = None,
    labels: Mapping[str, str] | None = None,
    task: str | None = None,
) -> dict[str, Any]:
    """Return the ``roles`` argument of ``read_predictions`` that says what a list of columns says.

    The columns of a report give back the very same reading. An output or value without a model is
    a model of the column's own name; a score or probability without one belongs to the only model.

    Parameters
    ----------
    columns : iterable of Column
        Such as ``predictions.report.columns``, possibly edited.
    positive, labels, task : optional
        Passed on when given; guessed otherwise.

    Raises
    ------
    ReadingError
        If two columns have a role that only one can have.
    """
    table = list(columns)
    for role in _SINGLE:
        named = [column.name for column in table if column.role == role]
        if len(named) > 1:
            raise ReadingError(
                f"Only one column can be the {role}, not {listed(named)}; give the others another "
                "role.",
                column=named[1],
            )
    single = {column.role: column.name for column in table if column.role in _SINGLE}
    long = "model" in single
    models: dict[str, dict[str, Any]] = {}
    for column in table:
        if column.role in ("output", "value"):
            model = "" if long else (column.model or column.name)
            models.setdefault(model, {})[column.role] = column.name
    scored = [column for column in table if column.role in ("score", "probability")]
    only = next(iter(models)) if len(models) == 1 else None
    for column in scored:
        model = "" if long else (column.model or only or column.name)
        if column.role == "score":
            models.setdefault(model, {})["score"] = column.name
        else:
            chances = models.setdefault(model, {}).setdefault("probabilities", {})
            chances[column.class_label or column.name] = column.name
    found: dict[str, Any] = {role: single.get(role) for role in _SINGLE}
    order = {(c.model or c.name): None for c in table if c.role in _OF_MODELS}
    found["models"] = {m: models[m] for m in [*order, *models] if m in models}
    found["slices"] = [column.name for column in table if column.role == "slice"]
    found["ignored"] = [column.name for column in table if column.role == "ignored"]
    extra = {"positive": positive, "labels": labels, "task": task}
    return found | {key: value for key, value in extra.items() if value is not None}


_SINGLE = ("truth", "id", "group", "count", "model")
_OF_MODELS = ("output", "value", "score", "probability")
