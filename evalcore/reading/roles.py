"""The roles that columns can have, and roles given by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

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

_SINGLE = ("truth", "id", "group", "count", "model")
_SEVERAL = ("slices", "ignored")
_ONE_OF_A_MODEL = ("output", "score", "value")
OF_MODELS = (*_ONE_OF_A_MODEL, "probability")
_KEYS = ("truth", "models", "id", "group", "count", "slices", "model", "positive", "labels", "task",
         "ignored")  # fmt: skip


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

    def renamed(self, names: Mapping[str, str]) -> ModelColumns:
        """Return the same columns under the names that they have in another table."""
        single = {role: names.get(getattr(self, role)) for role in _ONE_OF_A_MODEL}
        chances = {label: names[column] for label, column in self.probabilities.items()}
        return ModelColumns(probabilities=chances, **single)


class Use(NamedTuple):
    """The role of a column, and the model and class it belongs to."""

    role: str
    model: str | None = None
    label: str | None = None


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

    def uses(self) -> dict[str, Use]:
        """Return what every column that has a role is used for."""
        used = dict.fromkeys(self.ignored, Use("ignored"))
        used |= dict.fromkeys(self.slices, Use("slice"))
        for name, columns in self.models.items():
            model = name if self.model is None else None
            for label, column in columns.probabilities.items():
                used[column] = Use("probability", model, label)
            for role in _ONE_OF_A_MODEL:
                if getattr(columns, role) is not None:
                    used[getattr(columns, role)] = Use(role, model)
        for role in _SINGLE:
            if getattr(self, role) is not None:
                used[getattr(self, role)] = Use(role)
        return used


def described(table: Table, roles: Roles) -> tuple[Column, ...]:
    """Return the columns of a table with their roles and first cells."""
    uses = roles.uses()
    made = []
    for cells in table.columns:
        use = uses.get(cells.name, Use("detail"))
        made.append(
            Column(
                name=cells.name,
                role=use.role,
                model=use.model,
                class_label=use.label,
                examples=cells.sample[:3],
                distinct=cells.distinct,
            )
        )
    return tuple(made)


def read_given(roles: Mapping[str, Any] | None, table: Table) -> dict[str, Any]:
    """Check roles given by hand against the columns of a table; what is absent is to be guessed.

    Raises
    ------
    ReadingError
        If a key or a column does not exist, or two roles claim one column.
    """
    given = dict(roles or {})
    for key in given:
        if key not in _KEYS:
            raise ReadingError(
                f"There is no role {quoted(str(key))}; roles are {listed(_KEYS, most=20)}."
            )
    for key in _SINGLE:
        if given.get(key) is not None:
            given[key] = _column(given[key], key, table)
    for key in _SEVERAL:
        if key in given:
            given[key] = tuple(_column(name, key, table) for name in given[key] or ())
    if "models" in given:
        given["models"] = _given_models(given["models"], table)
    if given.get("task") not in (None, *TASKS):
        raise ReadingError(
            f"There is no task {quoted(str(given['task']))}; tasks are {listed(TASKS)}."
        )
    if "labels" in given:
        given["labels"] = {str(a): str(b) for a, b in (given["labels"] or {}).items()}
    if given.get("model") is not None and len(given.get("models") or ()) > 1:
        raise ReadingError(
            f"With {quoted(given['model'])} naming the model of each row there can be one model's "
            f"columns only, not those of {listed(given['models'])}.",
            column=given["model"],
        )
    _refuse_double_use(given)
    return given


def _given_models(models: Any, table: Table) -> dict[str, ModelColumns]:
    if not isinstance(models, Mapping):
        models = {_column(name, "models", table): name for name in models or ()}
    found = {}
    for model, columns in models.items():
        if not isinstance(columns, Mapping):
            columns = {"output": columns}
        for key in columns:
            if key not in (*_ONE_OF_A_MODEL, "probabilities"):
                raise ReadingError(
                    f"A model has no {quoted(str(key))}; it can have "
                    f"{listed(('output', 'score', 'probabilities', 'value'))}."
                )
        single = {
            key: _column(columns[key], key, table)
            for key in _ONE_OF_A_MODEL
            if columns.get(key) is not None
        }
        probabilities = {
            str(label): _column(name, "probabilities", table)
            for label, name in (columns.get("probabilities") or {}).items()
        }
        found[str(model)] = ModelColumns(probabilities=probabilities, **single)
    return found


def _refuse_double_use(given: Mapping[str, Any]) -> None:
    claims = [(given[key], key) for key in _SINGLE if given.get(key)]
    claims += [(name, key) for key in _SEVERAL for name in given.get(key) or ()]
    for model, columns in (given.get("models") or {}).items():
        claims += [(name, f"model {quoted(model)}") for name in columns.columns()]
    first: dict[str, str] = {}
    for name, key in claims:
        if name in first:
            raise ReadingError(
                f"The column {quoted(name)} cannot be both {first[name]} and {key}; "
                "give it one role.",
                column=name,
            )
        first[name] = key


def _column(name: Any, key: str, table: Table) -> str:
    if str(name) not in table:
        raise ReadingError(
            f"There is no column {quoted(str(name))} for the role {key}; the columns are "
            f"{listed(table.names, most=30)}.",
            column=str(name),
        )
    return str(name)


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
    found: dict[str, Any] = dict.fromkeys(_SINGLE)
    models: dict[str, dict[str, Any]] = {}
    for column in table:
        if column.role in _SINGLE:
            if found[column.role] is not None:
                named = [other.name for other in table if other.role == column.role]
                raise ReadingError(
                    f"Only one column can be the {column.role}, not {listed(named)}; give the "
                    "others another role.",
                    column=column.name,
                )
            found[column.role] = column.name
    owners = {c.model or c.name for c in table if c.role in ("output", "value")}
    only = next(iter(owners)) if len(owners) == 1 else None
    for column in table:
        if column.role not in OF_MODELS:
            continue
        scored = only if column.role in ("score", "probability") else None
        model = "" if found["model"] is not None else (column.model or scored or column.name)
        entry = models.setdefault(model, {})
        if column.role == "probability":
            label = column.class_label or column.name
            entry.setdefault("probabilities", {})[label] = column.name
        else:
            entry[column.role] = column.name
    found["models"] = models
    found["slices"] = [column.name for column in table if column.role == "slice"]
    found["ignored"] = [column.name for column in table if column.role == "ignored"]
    extra = {"positive": positive, "labels": labels, "task": task}
    return found | {key: value for key, value in extra.items() if value is not None}
