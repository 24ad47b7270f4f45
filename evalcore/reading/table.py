"""A table of text cells, as every format is read into, with labels and numbers made on demand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from evalcore.reading.numbers import (
    NOT_A_NUMBER,
    decimal_mark,
    is_plain_number,
    number_marks,
    parse_number,
    parse_numbers,
)

_EXTRA_BLANKS = "\u200b\ufeff"
_SAMPLE = 1000
_TEXT: Any = pd.StringDtype("pyarrow", na_value=np.nan)


def trim(text: str) -> str:
    """Return a cell without surrounding blanks of any kind, zero-width ones included."""
    return text.strip().strip(_EXTRA_BLANKS).strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """The cells of a column as labels.

    Attributes
    ----------
    codes : ndarray of int32, shape (n,)
        Position in ``names``; -1 where the cell is empty.
    names : tuple of str
        Different labels, trimmed, in order of appearance.
    trimmed : int
        How many cells had blanks around their label.
    """

    codes: np.ndarray
    names: tuple[str, ...]
    trimmed: int = 0

    def rows_per_name(self) -> np.ndarray:
        """Return how many cells hold each label, shape (len(names),)."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.names))


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """The cells of a column as numbers.

    Attributes
    ----------
    values : ndarray of float64, shape (n,)
        nan where a cell is empty or no number.
    unreadable : tuple of (int, str)
        Row position and text of the first cells that are not numbers.
    n_unreadable : int
        How many cells are not numbers.
    marks : tuple of str
        What had to be undone, such as ``"thousands commas"``.
    """

    values: np.ndarray
    unreadable: tuple[tuple[int, str], ...] = ()
    n_unreadable: int = 0
    marks: tuple[str, ...] = ()

    @property
    def present(self) -> np.ndarray:
        """The values that are there."""
        return self.values[~np.isnan(self.values)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where the cells of a column stand in a file.

    Attributes
    ----------
    file, column : str
        Name of the file, and of the column in it.
    find_row : callable or None
        Row of the file, counted from 1, of a row of its table; a table begins in row 2 by default.
    rows : ndarray of int or None
        Rows of the table that were taken; None means all of them, in order.
    """

    file: str
    column: str
    find_row: Callable[[int], int] | None = None
    rows: np.ndarray | None = None

    def row(self, place: int) -> int:
        """Return the row of the file in which a cell stands."""
        taken = place if self.rows is None else int(self.rows[place])
        return taken + 2 if self.find_row is None else self.find_row(taken)

    def take(self, rows: np.ndarray) -> Origin:
        """Return the origin of some of the cells."""
        return replace(self, rows=rows if self.rows is None else self.rows[rows])


class Cells:
    """One column: its name, its cells as Arrow text, and what they mean when asked.

    Parameters
    ----------
    name : str
    array : pyarrow Array or ChunkedArray
        Text, or numbers and truth values from a typed file; nulls are empty cells.
    mark : str
        Decimal mark of the table.
    origin : Origin, optional
        Where the cells stand in the file, for messages.
    """

    def __init__(
        self, name: str, array: Any, *, mark: str = ".", origin: Origin | None = None
    ) -> None:
        self.name = name
        self.mark = mark
        self.origin = origin
        self._array = pa.chunked_array([array]) if isinstance(array, pa.Array) else array

    def __len__(self) -> int:
        return len(self._array)

    def renamed(self, name: str) -> Cells:
        """Return the same cells under another name."""
        return Cells(name, self._array, mark=self.mark, origin=self.origin)

    def marked(self, mark: str) -> Cells:
        """Return the same cells to be read with another decimal mark."""
        return Cells(self.name, self._array, mark=mark, origin=self.origin)

    def from_file(self, file: str, find_row: Callable[[int], int]) -> Cells:
        """Return the same cells, with the place in a file that messages name."""
        origin = Origin(file=file, column=self.name, find_row=find_row)
        return Cells(self.name, self._array, mark=self.mark, origin=origin)

    def take(self, rows: np.ndarray) -> Cells:
        """Return the cells at some row positions; -1 gives an empty cell."""
        index = pa.array(rows, mask=rows < 0)
        array = self._array.combine_chunks() if self._array.num_chunks > 1 else self._array
        origin = None if self.origin is None else self.origin.take(rows)
        return Cells(self.name, array.take(index), mark=self.mark, origin=origin)

    @cached_property
    def text(self) -> Any:
        """The cells as a chunked array of text."""
        kind = self._array.type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            return self._array
        if pa.types.is_boolean(kind):
            return pc.if_else(self._array, "true", "false")
        return self._array.cast(pa.string())

    @cached_property
    def distinct(self) -> int:
        """Number of different cells that are not empty."""
        if "labels" in self.__dict__:
            return len(self.labels.names)
        if len(self.sample) > _SAMPLE // 2 and self.is_numeric and not self.is_whole:
            return len(np.unique(self.numbers.present))
        number = pc.count_distinct(self.text, mode="only_valid").as_py()
        if number <= 2 * _SAMPLE:
            return len(self.labels.names)
        return number - int(pc.any(pc.equal(self.text, "")).as_py() or False)

    @cached_property
    def filled(self) -> int:
        """Number of cells that are not empty."""
        return int(pc.sum(pc.greater(pc.binary_length(self.text), 0)).as_py() or 0)

    @cached_property
    def labels(self) -> Labels:
        """The cells as codes of trimmed labels."""
        encoded = pc.dictionary_encode(self.text)
        if isinstance(encoded, pa.ChunkedArray):
            encoded = encoded.unify_dictionaries()
            chunks = encoded.chunks
        else:
            chunks = [encoded]
        if not chunks:
            return Labels(codes=np.empty(0, np.int32), names=())
        codes = np.concatenate(
            [chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False) for chunk in chunks]
        ).astype(np.int32, copy=False)
        dictionary = chunks[0].dictionary
        if not _has_blanks(dictionary):
            return _untouched_labels(codes, dictionary.to_pylist())
        return _trimmed_labels(codes, dictionary.to_pylist())

    @cached_property
    def sample(self) -> tuple[str, ...]:
        """Different trimmed cells among the first rows, empty ones left out."""
        head = self._array.slice(0, _SAMPLE)
        texts = Cells(self.name, head).text.unique().to_pylist()
        trimmed = (trim(text) for text in texts if text is not None)
        return tuple(dict.fromkeys(text for text in trimmed if text))

    @cached_property
    def looks_numeric(self) -> bool:
        """Whether nearly all of the first cells are numbers, and at least one is."""
        return self._numeric_share >= 0.9

    @cached_property
    def mostly_numeric(self) -> bool:
        """Whether at least half of the first cells are numbers."""
        return self._numeric_share >= 0.5

    @cached_property
    def _numeric_share(self) -> float:
        """Share of numbers among the different first cells; 0 when none is more than a blank."""
        numbers = [parse_number(text, self.mark) for text in self.sample]
        readable = [number for number in numbers if number is not None]
        some = any(number == number for number in readable)
        return len(readable) / len(numbers) if some else 0.0

    @cached_property
    def numbers(self) -> Numbers:
        """The cells as numbers, in whatever way people wrote them."""
        kind = self._array.type
        if pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind):
            array = self._array.cast(pa.float64())
            return Numbers(values=_to_numpy(array))
        if self.mark == ".":
            try:
                filled = pc.if_else(pc.equal(self.text, ""), None, self.text)
                return Numbers(values=_to_numpy(pc.cast(filled, pa.float64())))
            except pa.ArrowInvalid:
                pass
        return self._numbers_from_labels()

    def _numbers_from_labels(self) -> Numbers:
        labels = self.labels
        mark = decimal_mark(labels.names) or self.mark
        parsed, bad = parse_numbers(labels.names, mark=mark)
        shown = (name for name, value in zip(labels.names, parsed, strict=True) if value == value)
        marks = number_marks(islice(shown, _SAMPLE), mark)
        values = np.append(parsed, np.nan)[labels.codes]
        if not bad:
            return Numbers(values=values, marks=tuple(marks))
        rows = np.flatnonzero(np.isin(labels.codes, bad))
        first = tuple((int(row), labels.names[labels.codes[row]]) for row in rows[:5])
        return Numbers(values=values, unreadable=first, n_unreadable=len(rows), marks=tuple(marks))

    @cached_property
    def is_numeric(self) -> bool:
        """Whether every cell that is not empty is a number, and at least one is."""
        if not self.looks_numeric:
            return False
        return self.numbers.n_unreadable == 0 and self.numbers.present.size > 0

    @cached_property
    def is_whole(self) -> bool:
        """Whether the column is numeric and every number is whole."""
        if not self.is_numeric:
            return False
        present = self.numbers.present
        return bool(np.all(np.isfinite(present)) and np.all(np.floor(present) == present))

    @cached_property
    def is_fraction(self) -> bool:
        """Whether the column is numeric and every number lies from 0 to 1."""
        return self.is_numeric and bool(
            self.numbers.present.min() >= 0 and self.numbers.present.max() <= 1
        )

    @cached_property
    def plain_words(self) -> bool:
        """Whether the first cells hold something that is not a number, such as ``cat``."""
        return any(not is_plain_number(text) for text in self.sample)

    def as_text(self) -> Any:
        """Return the cells as a pandas text array, missing where empty."""
        filled = pc.if_else(pc.equal(self.text, ""), None, self.text)
        return _TEXT.__from_arrow__(filled)

    def trimmed_text(self) -> Any:
        """Return the cells as a pandas text array without surrounding blanks."""
        trimmed = pc.utf8_trim_whitespace(self.text)
        return _TEXT.__from_arrow__(pc.if_else(pc.equal(trimmed, ""), None, trimmed))


@dataclass(frozen=True, kw_only=True)
class Table:
    """Columns of equal length with unique names, and the sentences that reading them gave.

    Attributes
    ----------
    file : str
        Name of the file, for messages.
    columns : tuple of Cells
    has_header : bool
    unnamed : frozenset of str
        Columns the file gave no name.
    notes, warnings : list of str
    """

    file: str
    columns: tuple[Cells, ...]
    has_header: bool = True
    unnamed: frozenset[str] = frozenset()
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def n(self) -> int:
        """Number of data rows."""
        return len(self.columns[0]) if self.columns else 0

    @property
    def names(self) -> list[str]:
        """Column names in file order."""
        return [cells.name for cells in self.columns]

    @cached_property
    def _by_name(self) -> dict[str, Cells]:
        return {cells.name: cells for cells in self.columns}

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __getitem__(self, name: str) -> Cells:
        return self._by_name[name]

    def with_columns(self, columns: Sequence[Cells]) -> Table:
        """Return a table of other columns under the same file."""
        return replace(self, columns=tuple(columns))

    def take(self, rows: np.ndarray) -> Table:
        """Return some rows of the table."""
        return self.with_columns([cells.take(rows) for cells in self.columns])


def with_decimal_mark(table: Table, *, hint: str | None = None) -> Table:
    """Return the table with the decimal mark that its first rows give away.

    Parameters
    ----------
    hint : str, optional
        Mark to assume when no cell gives one away, as for a file separated by semicolons.
    """
    marked = [decimal_mark(cells.sample) for cells in table.columns if _holds_comma(cells)]
    if "," in marked and "." not in marked:
        mark = ","
    elif "." in marked or hint is None:
        mark = "."
    else:
        mark = hint if any(_holds_comma(cells) for cells in table.columns) else "."
    return table.with_columns([cells.marked(mark) for cells in table.columns])


def _has_blanks(dictionary: Any) -> bool:
    """Return whether some label has blanks around it or zero-width characters in it."""
    changed = pc.not_equal(pc.utf8_trim_whitespace(dictionary), dictionary)
    hidden = pc.match_substring_regex(dictionary, f"[{_EXTRA_BLANKS}]")
    return bool(pc.any(pc.or_(changed, hidden)).as_py())


def _untouched_labels(codes: np.ndarray, names: list[str]) -> Labels:
    if "" not in names:
        return Labels(codes=codes, names=tuple(names))
    empty = names.index("")
    places = np.arange(len(names) + 1, dtype=np.int32)
    places[empty:] -= 1
    places[[empty, -1]] = -1
    return Labels(codes=places[codes], names=tuple(names[:empty] + names[empty + 1 :]))


def _trimmed_labels(codes: np.ndarray, spelled: list[str]) -> Labels:
    names: dict[str, int] = {}
    places = np.full(len(spelled) + 1, -1, np.int32)
    changed = np.zeros(len(spelled) + 1, bool)
    for position, text in enumerate(spelled):
        label = trim(text)
        changed[position] = label not in (text, "")
        if label:
            places[position] = names.setdefault(label, len(names))
    return Labels(codes=places[codes], names=tuple(names), trimmed=int(changed[codes].sum()))


def _holds_comma(cells: Cells) -> bool:
    texts = cells.sample
    if not any("," in text for text in texts):
        return False
    readable = [
        text.casefold() in NOT_A_NUMBER
        or parse_number(text, ",") is not None
        or parse_number(text, ".") is not None
        for text in texts
    ]
    return sum(readable) >= 0.9 * len(readable)


def _to_numpy(array: Any) -> np.ndarray:
    if isinstance(array, pa.ChunkedArray):
        parts = [chunk.to_numpy(zero_copy_only=False) for chunk in array.chunks]
        return np.concatenate(parts).astype(float, copy=False) if parts else np.empty(0)
    return array.to_numpy(zero_copy_only=False).astype(float, copy=False)
