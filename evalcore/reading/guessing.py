"""Guess from names and contents which column plays which role."""

from __future__ import annotations

import numpy as np

from evalcore.reading import words
from evalcore.reading.errors import ReadingError
from evalcore.reading.model_guesses import find_models, find_values, first_of_two, task_of
from evalcore.reading.phrases import listed, quoted
from evalcore.reading.roles import Given, Roles
from evalcore.reading.table import Cells, Table

_SLICE_LEVELS = 50
_WHOLE_LEVELS = 12
_ID_LENGTH = 80


def resolve_roles(table: Table, given: Given, *, complete: bool = True) -> Roles:
    """Return the role of every column: given ones as they are, all others guessed.

    With ``complete=False`` a table may lack a truth or models, as one of several files to join.

    Raises
    ------
    ReadingError
        If there is neither a truth with a model, nor two models, nor a column of right and wrong.
    """
    roles = Roles(
        positive=given.get("positive"), labels=given.get("labels") or {}, task=given.get("task")
    )
    free = _Free(table, given)
    roles.ignored = given.get("ignored") if "ignored" in given else _index_columns(free)
    free.use(roles.ignored)
    roles.count = _single("count", given, free, _guess_count)
    log = _is_evaluation_log(table) and "truth" not in given and "models" not in given
    roles.model = _single("model", given, free, _guess_model)
    if not log and roles.task != "score":
        roles.truth = _single("truth", given, free, _guess_truth)
    elif given.get("truth") is not None:
        roles.truth = given.get("truth")
    roles.id, roles.group = _guess_id_and_group(given, free, roles)
    free.use((roles.id, roles.group))
    if "models" in given:
        roles.models = dict(given.get("models"))
        roles.task = roles.task or task_of(table, roles)
    else:
        _guess_models(roles, table, free, given, log=log, complete=complete)
    for columns in roles.models.values():
        free.use(columns.columns())
    if "slices" in given:
        roles.slices = given.get("slices")
    else:
        cases = table[roles.id].distinct if roles.model and roles.id else table.n
        roles.slices = tuple(c.name for c in free.cells() if _is_slice(c, cases, log=log))
    if complete:
        _refuse_without_models(roles, table)
    return roles


class _Free:
    """The columns that no role has claimed yet."""

    def __init__(self, table: Table, given: Given) -> None:
        self.table = table
        named = {given.get(key) for key in ("truth", "id", "group", "count", "model")}
        named |= set(given.get("slices") or ()) | set(given.get("ignored") or ())
        for columns in (given.get("models") or {}).values():
            named |= set(columns.columns())
        self.used = {name for name in named if name is not None}

    def use(self, names: tuple[str | None, ...] | list[str]) -> None:
        self.used |= {name for name in names if name is not None}

    def cells(self) -> list[Cells]:
        return [cells for cells in self.table.columns if cells.name not in self.used]


def _single(key: str, given: Given, free: _Free, guess: object) -> str | None:
    if key in given:
        return given.get(key)
    found = guess(free)  # type: ignore[operator]
    free.use((found,))
    return found


def _index_columns(free: _Free) -> tuple[str, ...]:
    """Return unnamed columns that only number the rows."""
    if not free.table.has_header:
        return ()
    found = []
    for cells in free.cells():
        name = cells.name.casefold()
        unnamed = cells.name in free.table.unnamed or name.startswith("unnamed: ")
        row_names = name in ("index", "level_0", "rownames", "__index_level_0__")
        if (unnamed or row_names) and cells.is_whole and (unnamed or _counts_up(cells)):
            if unnamed and not _counts_up(cells) and cells.distinct < len(cells):
                continue
            found.append(cells.name)
    return tuple(found)


def _counts_up(cells: Cells) -> bool:
    values = cells.numbers.values
    return bool(values.size and values[0] in (0, 1) and np.all(np.diff(values) == 1))


def _guess_count(free: _Free) -> str | None:
    for cells in free.cells():
        if words.COUNT_NAMES.fullmatch(cells.name) and cells.is_whole:
            present = cells.numbers.present
            if present.min() >= 0 and not _counts_up(cells):
                return cells.name
    return None


def _guess_model(free: _Free) -> str | None:
    """Return the column that names the model of each row, when ids repeat across its levels."""
    for cells in free.cells():
        if not words.MODEL_NAMES.fullmatch(cells.name) or cells.is_numeric:
            continue
        if 1 <= cells.distinct <= max(len(cells) // 2, 1):
            return cells.name
    return None


def _guess_truth(free: _Free) -> str | None:
    ranked = []
    for place, cells in enumerate(free.cells()):
        rank = words.truth_rank(cells.name)
        if rank is not None and cells.distinct > 0:
            ranked.append((rank, place, cells.name))
    return min(ranked)[2] if ranked else None


def _guess_id_and_group(given: Given, free: _Free, roles: Roles) -> tuple[str | None, str | None]:
    group, key = given.get("group"), given.get("id")
    cells = free.cells()
    if "id" not in given:
        key = _guess_id(cells, long=roles.model is not None)
    if "group" not in given and roles.model is None:
        candidates = [c for c in cells if c.name != key and words.GROUP_NAMES.fullmatch(c.name)]
        group = next((c.name for c in candidates if _repeats(c)), None)
        if group is None and key is not None and "id" not in given and _repeats(free.table[key]):
            group, key = key, None
            roles.warnings.append(
                f"{_repeat_sentence(free.table[group])}; they were taken as groups of rows that "
                "belong together."
            )
    return key, group


def _repeat_sentence(cells: Cells) -> str:
    often = np.flatnonzero(cells.labels.rows_per_name() > 1)
    names = [cells.labels.names[k] for k in often[:3]]
    return (
        f"{len(often):,} of {cells.distinct:,} values in {quoted(cells.name)} stand on more than "
        f"one row (such as {listed(names)})"
    )


def _guess_id(cells: list[Cells], *, long: bool) -> str | None:
    named = [
        c
        for c in cells
        if words.ID_NAMES.fullmatch(c.name)
        and not _has_decimals(c)
        and max(map(len, c.sample), default=0) <= _ID_LENGTH
    ]
    if long:
        return next((c.name for c in named if _repeats(c)), None)
    unique = [c.name for c in named if c.distinct == len(c)]
    if unique:
        return unique[0]
    nearly = [c for c in named if c.distinct >= 0.5 * len(c)]
    if nearly:
        return nearly[0].name
    repeated = [c for c in named if _is_case_name(c.name) and c.distinct > 1]
    if repeated:
        return repeated[0].name
    first = cells[0] if cells else None
    if first is not None and not words.has_role_word(first.name) and first.is_whole:
        return first.name if len(first) > 2 and _counts_up(first) else None
    return None


def _is_case_name(name: str) -> bool:
    low = name.casefold()
    return low in words.CASE_WORDS or low.endswith(("_id", " id", "-id", ".id"))


def _has_decimals(cells: Cells) -> bool:
    return cells.is_numeric and not cells.is_whole


def _repeats(cells: Cells) -> bool:
    present = len(cells) - int((cells.labels.codes < 0).sum()) if len(cells) else 0
    return 1 < cells.distinct < present


def _is_evaluation_log(table: Table) -> bool:
    """Return whether the table is a sample log of lm-evaluation-harness."""
    return "doc_id" in table and ("resps" in table or "filtered_resps" in table)


def _guess_models(
    roles: Roles, table: Table, free: _Free, given: Given, *, log: bool, complete: bool
) -> None:
    told = roles.task
    if told != "score" and not log:
        if roles.truth is None and "truth" not in given:
            roles.truth = _lone_truth(free)
            free.use((roles.truth,))
            if roles.truth is not None:
                roles.warnings.append(
                    f"No column is named as a truth; {quoted(roles.truth)} was taken as it."
                )
        roles.models = find_models(table, roles, free.cells())
    patterns = words.OUTPUT_NAMES if complete else words.OUTPUT_NAMES + words.SCORE_NAMES
    unnamed = roles.truth is None and not any(
        words.rest_of(patterns, name) is not None
        for columns in roles.models.values()
        for name in columns.columns()
    )
    wanted = log or told == "score" or unnamed or (complete and not _enough(roles))
    answers_vary = roles.truth is not None and _mostly_different(table[roles.truth])
    if not wanted and not answers_vary:
        return
    candidates = free.cells() + (
        [table[roles.truth]] if roles.truth and "truth" not in given else []
    )
    values = find_values(candidates, table, log=log)
    if values and told in (None, "score"):
        truth_given = "truth" in given and roles.truth is not None
        if truth_given and _enough(roles):
            return
        roles.models, roles.task = values, "score"
        roles.truth = None if not truth_given else roles.truth


def _enough(roles: Roles) -> bool:
    return bool(roles.models) and (roles.truth is not None or len(roles.models) > 1)


def _mostly_different(cells: Cells) -> bool:
    return not cells.is_numeric and cells.distinct > 20 and cells.distinct > 0.5 * len(cells)


def _lone_truth(free: _Free) -> str | None:
    """Return the only column whose labels meet those of the only column named as a prediction."""
    named = [c for c in free.cells() if words.rest_of(words.OUTPUT_NAMES, c.name) is not None]
    others = [
        c
        for c in free.cells()
        if c not in named
        and not words.SLICE_NAMES.fullmatch(c.name)
        and words.rest_of(words.SCORE_NAMES, c.name) is None
    ]
    if not free.table.has_header:
        return first_of_two(free.cells())
    if len(named) != 1:
        return None
    labels = set(named[0].labels.names) if named[0].distinct <= 1000 else set()
    meeting = [
        c
        for c in others
        if (c.distinct <= 1000 and labels & set(c.labels.names))
        or (c.is_numeric and named[0].is_numeric)
    ]
    return meeting[0].name if len(meeting) == 1 else None


def _is_slice(cells: Cells, cases: int, *, log: bool) -> bool:
    if not 2 <= cells.distinct <= _SLICE_LEVELS:
        return False
    if words.SLICE_NAMES.fullmatch(cells.name):
        return cells.distinct <= max(cases // 2, 2)
    if cells.distinct > cases // 2:
        return False
    if log:
        return cells.name.startswith("doc.") and not cells.is_numeric
    if cells.is_numeric:
        return cells.is_whole and cells.distinct <= _WHOLE_LEVELS
    return max(map(len, cells.labels.names)) <= 60


def _refuse_without_models(roles: Roles, table: Table) -> None:
    if any(c.output or c.value or c.score or c.probabilities for c in roles.models.values()) and (
        roles.truth is not None
        or roles.task == "score"
        or len(roles.models) > 1
        or roles.model is not None
    ):
        return
    columns = f"The columns of {quoted(table.file)} are {listed(table.names, most=12)}"
    if roles.truth is None:
        missing = (
            "among them no truth was recognised; needed are a truth and a model's predictions, "
            "two models, or a column that says right or wrong for each case"
        )
    else:
        missing = (
            f"{quoted(roles.truth)} was taken as the truth, and no column as the predictions of a "
            "model; add one, or say which column it is"
        )
    raise ReadingError(f"{columns}; {missing}.", file=table.file)
