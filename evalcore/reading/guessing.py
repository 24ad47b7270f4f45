"""Guess from names and contents which column plays which role."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from evalcore.reading import words
from evalcore.reading.errors import ReadingError
from evalcore.reading.model_guesses import (
    few_labels,
    find_models,
    find_values,
    first_of_two,
    share_within,
    task_of,
)
from evalcore.reading.phrases import listed, quoted
from evalcore.reading.roles import Roles, described
from evalcore.reading.table import Cells, Table

_SLICE_LEVELS = 50
_WHOLE_LEVELS = 12
_ID_LENGTH = 80
_INDEX_NAMES = ("index", "level_0", "rownames", "__index_level_0__")


def resolve_roles(table: Table, given: Mapping[str, Any], *, complete: bool = True) -> Roles:
    """Return the role of every column: given ones as they are, all others guessed.

    With ``complete=False`` a table may lack a truth or models, as one of several files to join.

    Raises
    ------
    ReadingError
        If there is neither a truth with a model, nor two models, nor a column of right and wrong.
    """
    roles = Roles(**{key: value for key, value in given.items() if value is not None})

    def free() -> list[Cells]:
        used = roles.uses()
        return [cells for cells in table.columns if cells.name not in used]

    if "ignored" not in given:
        roles.ignored = _index_columns(table, free())
    if "count" not in given:
        roles.count = _guess_count(free())
    log = _is_evaluation_log(table) and "truth" not in given and "models" not in given
    if "model" not in given:
        roles.model = _guess_model(free())
    if "truth" not in given and not log and roles.task != "score":
        roles.truth = _guess_truth(free())
    _guess_id_and_group(roles, table, free(), given)
    set_aside = None
    if "models" not in given:
        set_aside = _guess_models(roles, table, free, given, log=log, complete=complete)
    roles.task = roles.task or task_of(table, roles)
    if "slices" not in given:
        cases = table[roles.id].distinct if roles.model and roles.id else table.n
        levels = (c for c in free() if c.name != set_aside and _is_slice(c, cases, log=log))
        roles.slices = tuple(cells.name for cells in levels)
    if complete:
        _refuse_without_models(roles, table)
    return roles


def _index_columns(table: Table, free: list[Cells]) -> tuple[str, ...]:
    """Return columns that only number the rows: unnamed ones, and those named as an index."""
    found = []
    for cells in free if table.has_header else ():
        name = cells.name.casefold()
        if cells.name in table.unnamed or name.startswith("unnamed: "):
            numbers_rows = cells.is_whole and (_counts_up(cells) or cells.distinct >= len(cells))
        else:
            numbers_rows = name in _INDEX_NAMES and cells.is_whole and _counts_up(cells)
        if numbers_rows:
            found.append(cells.name)
    return tuple(found)


def _counts_up(cells: Cells) -> bool:
    values = cells.numbers.values
    return bool(values.size and values[0] in (0, 1) and np.all(np.diff(values) == 1))


def _guess_count(free: list[Cells]) -> str | None:
    for cells in free:
        named = words.COUNT_NAMES.fullmatch(cells.name) and cells.is_whole
        if named and cells.numbers.present.min() >= 0 and not _counts_up(cells):
            return cells.name
    return None


def _guess_model(free: list[Cells]) -> str | None:
    """Return the column that names the model of each row, when ids repeat across its levels.

    A column called "model" may as well hold what the one model of a wide file said: then its labels
    are those of the truth, or nothing else is left to be a prediction.
    """
    ranked = [c for c in free if words.truth_rank(c.name) is not None]
    for cells in free:
        if not words.MODEL_NAMES.fullmatch(cells.name) or cells.is_numeric:
            continue
        alone = all(c is cells or c in ranked for c in free)
        if ranked and (alone or any(share_within(cells, truth) >= 0.5 for truth in ranked)):
            continue
        if 1 <= cells.distinct <= max(len(cells) // 2, 1):
            return cells.name
    return None


def _guess_truth(free: list[Cells]) -> str | None:
    ranks = {c.name: words.truth_rank(c.name) for c in free if c.distinct > 0}
    ranked = {name: rank for name, rank in ranks.items() if rank is not None}
    return min(ranked, key=ranked.__getitem__, default=None)


def _guess_id_and_group(
    roles: Roles, table: Table, free: list[Cells], given: Mapping[str, Any]
) -> None:
    if "id" not in given:
        leading = next((name for name in table.names if name not in roles.ignored), None)
        roles.id = _guess_id(free, leading, long=roles.model is not None)
    if "group" in given or roles.model is not None:
        return
    named = (c for c in free if c.name != roles.id and words.GROUP_NAMES.fullmatch(c.name))
    roles.group = next((c.name for c in named if _repeats(c)), None)
    if roles.group is not None or roles.id is None or "id" in given:
        return
    if _repeats(table[roles.id]):
        roles.group, roles.id = roles.id, None
        roles.warnings.append(
            f"{_repeat_sentence(table[roles.group])}; they were taken as groups of rows that "
            "belong together."
        )


def _repeat_sentence(cells: Cells) -> str:
    often = np.flatnonzero(cells.labels.rows_per_name() > 1)
    names = [cells.labels.names[k] for k in often[:3]]
    return (
        f"{len(often):,} of {cells.distinct:,} values in {quoted(cells.name)} stand on more than "
        f"one row (such as {listed(names)})"
    )


def _guess_id(free: list[Cells], leading: str | None, *, long: bool) -> str | None:
    named = [
        c
        for c in free
        if words.ID_NAMES.fullmatch(c.name)
        and not c.has_decimals
        and max(map(len, c.sample), default=0) <= _ID_LENGTH
    ]
    if long:
        return next((c.name for c in named if _repeats(c)), None)
    likely = [c for c in named if c.distinct == len(c)]
    likely += [c for c in named if c.distinct >= 0.5 * len(c)]
    likely += [c for c in named if _is_case_name(c.name) and c.distinct > 1]
    if likely:
        return likely[0].name
    for cells in free:
        if cells.name == leading and not words.has_role_word(leading):
            return leading if len(cells) > 2 and cells.is_whole and _counts_up(cells) else None
    return None


def _is_case_name(name: str) -> bool:
    low = name.casefold()
    return low in words.CASE_WORDS or low.endswith(("_id", " id", "-id", ".id"))


def _repeats(cells: Cells) -> bool:
    return 1 < cells.distinct < cells.filled


def _is_evaluation_log(table: Table) -> bool:
    """Return whether the table is a sample log of lm-evaluation-harness."""
    return "doc_id" in table and ("resps" in table or "filtered_resps" in table)


def _guess_models(
    roles: Roles,
    table: Table,
    free: Callable[[], list[Cells]],
    given: Mapping[str, Any],
    *,
    log: bool,
    complete: bool,
) -> str | None:
    """Fill in the models, and the truth when nothing but its contents gives it away.

    Return the column that was taken as the truth until one that says right or wrong was found.
    """
    told, set_aside = roles.task, None
    if told != "score" and not log and roles.truth is None and "truth" not in given:
        roles.truth = _lone_truth(table, free())
        if roles.truth is not None:
            roles.warnings.append(
                f"No column is named as a truth; {quoted(roles.truth)} was taken as it."
            )
    candidates = free()
    if told != "score" and not log:
        roles.models = find_models(table, roles, candidates)
    if told in (None, "score") and _wants_values(roles, table, given, log=log, complete=complete):
        if roles.truth is not None and "truth" not in given:
            candidates.append(table[roles.truth])
        values = find_values(candidates, table, log=log, told=told == "score")
        if values:
            roles.models, roles.task = values, "score"
            set_aside, roles.truth = roles.truth, given.get("truth")
    place = {name: position for position, name in enumerate(table.names)}
    ordered = sorted(roles.models.items(), key=lambda m: min(place[c] for c in m[1].columns()))
    roles.models = dict(ordered if roles.model is None else ordered[:1])
    return set_aside


def _wants_values(
    roles: Roles, table: Table, given: Mapping[str, Any], *, log: bool, complete: bool
) -> bool:
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


def _lone_truth(table: Table, free: list[Cells]) -> str | None:
    """Return the only column whose labels meet those of the only column named as a prediction."""
    if not table.has_header:
        return first_of_two(free)
    named = [c for c in free if words.rest_of(words.OUTPUT_NAMES, c.name) is not None]
    if len(named) != 1:
        return None
    answer = named[0]
    labels = set(answer.labels.names) if few_labels(answer) else set()
    meeting = [
        c.name
        for c in free
        if c is not answer
        and not words.SLICE_NAMES.fullmatch(c.name)
        and words.rest_of(words.SCORE_NAMES, c.name) is None
        and (
            (few_labels(c) and labels & set(c.labels.names)) or (c.is_numeric and answer.is_numeric)
        )
    ]
    return meeting[0] if len(meeting) == 1 else None


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
    found = [name for model in roles.models.values() for name in model.columns()]
    judged = roles.truth is not None or roles.task == "score"
    if found and (judged or len(roles.models) > 1 or roles.model is not None):
        return
    columns = f"The columns of {quoted(table.file)} are {listed(table.names, most=12)}"
    if roles.truth is None:
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
    raise ReadingError(f"{columns}; {missing}.", columns=described(table, roles))
