"""Guess from names and contents which column plays which role."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from evalcore.reading import words
from evalcore.reading.errors import ReadingError
from evalcore.reading.model_guesses import (
    find_models,
    find_values,
    first_of_two,
    share_within,
    task_of,
)
from evalcore.reading.phrases import listed, quoted
from evalcore.reading.roles import Given, Roles, described
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


def _single(
    key: str, given: Given, free: _Free, guess: Callable[[_Free], str | None]
) -> str | None:
    if key in given:
        return given.get(key)
    found = guess(free)
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
    """Return the column that names the model of each row, when ids repeat across its levels.

    A column called "model" may as well hold what the one model of a wide file said: then its labels
    are those of the truth, or nothing else is left to be a prediction.
    """
    ranked = [c for c in free.cells() if words.truth_rank(c.name) is not None]
    for cells in free.cells():
        if not words.MODEL_NAMES.fullmatch(cells.name) or cells.is_numeric:
            continue
        others = [c for c in free.cells() if c is not cells and c not in ranked]
        if ranked and (not others or any(share_within(cells, truth) >= 0.5 for truth in ranked)):
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
        key = _guess_id(cells, _first_column(free.table, roles), long=roles.model is not None)
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


def _first_column(table: Table, roles: Roles) -> str | None:
    return next((name for name in table.names if name not in roles.ignored), None)


def _guess_id(cells: list[Cells], leading: str | None, *, long: bool) -> str | None:
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
    first = next((c for c in cells if c.name == leading), None)
    if first is None or words.has_role_word(first.name) or not first.is_whole:
        return None
    return first.name if len(first) > 2 and _counts_up(first) else None


def _is_case_name(name: str) -> bool:
    low = name.casefold()
    return low in words.CASE_WORDS or low.endswith(("_id", " id", "-id", ".id"))


def _has_decimals(cells: Cells) -> bool:
    return cells.is_numeric and not cells.is_whole


def _repeats(cells: Cells) -> bool:
    return 1 < cells.distinct < cells.filled


def _is_evaluation_log(table: Table) -> bool:
    """Return whether the table is a sample log of lm-evaluation-harness."""
    return "doc_id" in table and ("resps" in table or "filtered_resps" in table)


def _guess_models(
    roles: Roles, table: Table, free: _Free, given: Given, *, log: bool, complete: bool
) -> None:
    """Fill in the models, and the truth when nothing but its contents gives it away."""
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
    if told in (None, "score") and _wants_values(roles, table, given, log=log, complete=complete):
        candidates = free.cells()
        if roles.truth is not None and "truth" not in given:
            candidates.append(table[roles.truth])
        values = find_values(candidates, table, log=log, told=told == "score")
        if values:
            roles.models, roles.task = values, "score"
            roles.truth = given.get("truth")
    place = {name: position for position, name in enumerate(table.names)}
    ordered = sorted(roles.models.items(), key=lambda m: min(place[c] for c in m[1].columns()))
    roles.models = dict(ordered if roles.model is None else ordered[:1])


def _wants_values(roles: Roles, table: Table, given: Given, *, log: bool, complete: bool) -> bool:
    """Return whether a column that says right or wrong is to be preferred to labels."""
    if log or roles.task == "score":
        return True
    if roles.truth is not None and _mostly_different(table[roles.truth]):
        return not ("truth" in given and _enough(roles))
    patterns = words.OUTPUT_NAMES if complete else words.OUTPUT_NAMES + words.SCORE_NAMES
    named = any(
        words.rest_of(patterns, name) is not None
        for columns in roles.models.values()
        for name in columns.columns()
    )
    return (roles.truth is None and not named) or (complete and not _enough(roles))


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
        found = [name for model in roles.models.values() for name in model.columns()]
        taken = f" beside {listed(found, most=4)} of a model" if found else ""
        missing = (
            f"no truth was recognised among them{taken}; needed are a truth and a model's "
            "predictions, two models, or a column that says right or wrong for each case"
        )
    else:
        missing = (
            f"{quoted(roles.truth)} was taken as the truth, and no column as the predictions of a "
            "model; add one, or say which column it is"
        )
    raise ReadingError(f"{columns}; {missing}.", file=table.file, columns=described(table, roles))
