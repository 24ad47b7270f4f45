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

from evalcore.reading.numbers import decimal_mark, number_marks, parse_number
from evalcore.reading.phrases import listed

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
    find_row : callable
        Row of the file, counted from 1, of the cell at a position.
    """

    file: str
    column: str
    find_row: Callable[[int], int]


@dataclass(frozen=True, eq=False)
class Cells:
    """One column: its name, its cells as Arrow text, and what they mean when asked.

    Attributes
    ----------
    name : str
    array : pyarrow ChunkedArray
        Text, or numbers and truth values from a typed file; nulls are empty cells.
    mark : str
        Decimal mark of the table.
    origin : Origin or None
        Where the cells stand in the file, for messages.
    """

    name: str
    array: Any
    mark: str = "."
    origin: Origin | None = None

    def __len__(self) -> int:
        return len(self.array)

    def take(self, rows: np.ndarray) -> Cells:
        """Return the cells at some row positions; -1 gives an empty cell."""
        index, origin = pa.array(rows, mask=rows < 0), self.origin
        if origin is not None:
            find_row = origin.find_row
            origin = replace(origin, find_row=lambda place: find_row(int(rows[place])))
        taken = _chunked(self.array.combine_chunks().take(index))
        return replace(self, array=taken, origin=origin)

    @cached_property
    def text(self) -> Any:
        """The cells as a chunked array of text."""
        if pa.types.is_string(self.array.type):
            return self.array
        if pa.types.is_boolean(self.array.type):
            return pc.if_else(self.array, "true", "false")
        return self.array.cast(pa.string())

    @cached_property
    def distinct(self) -> int:
        """Number of different cells that are not empty."""
        if "labels" in self.__dict__:
            return len(self.labels.names)
        if len(self.sample) > _SAMPLE // 2 and self.has_decimals:
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
        encoded = pc.dictionary_encode(self.text).unify_dictionaries().combine_chunks()
        codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        spelled = encoded.dictionary.to_pylist()
        blanks = _has_blanks(encoded.dictionary)
        trimmed = [trim(text) for text in spelled] if blanks else spelled
        places, names = pd.factorize(np.array([text or None for text in trimmed], object))
        number = 0
        if blanks:
            changed = [
                bool(label) and label != text for label, text in zip(trimmed, spelled, strict=True)
            ]
            number = int(np.array([*changed, False])[codes].sum())
        places = np.append(places, -1).astype(np.int32)
        return Labels(codes=places[codes], names=tuple(names), trimmed=number)

    @cached_property
    def sample(self) -> tuple[str, ...]:
        """Different trimmed cells among the first rows, empty ones left out."""
        head = replace(self, array=self.array.slice(0, _SAMPLE)).text.unique()
        texts = (trim(text) for text in head.to_pylist() if text is not None)
        return tuple(dict.fromkeys(text for text in texts if text))

    @cached_property
    def numeric_share(self) -> float:
        """Share of numbers among the different first cells; 0 when none is more than a blank."""
        numbers = [parse_number(text, self.mark) for text in self.sample]
        readable = [number for number in numbers if number is not None]
        some = any(number == number for number in readable)
        return len(readable) / len(numbers) if some else 0.0

    @cached_property
    def numbers(self) -> Numbers:
        """The cells as numbers, in whatever way people wrote them."""
        if not pa.types.is_string(self.array.type) or self.mark == ".":
            try:
                filled = self.array
                if pa.types.is_string(filled.type):
                    filled = pc.if_else(pc.equal(filled, ""), None, filled)
                return Numbers(values=filled.cast(pa.float64()).to_numpy())
            except pa.ArrowInvalid:
                pass
        labels = self.labels
        mark = decimal_mark(labels.names) or self.mark
        parsed = [parse_number(name, mark) for name in labels.names]
        shown = (name for name, value in zip(labels.names, parsed, strict=True) if value == value)
        marks = tuple(number_marks(islice(shown, _SAMPLE), mark))
        values = np.array([*parsed, None], float)[labels.codes]
        bad = [place for place, value in enumerate(parsed) if value is None]
        rows = np.flatnonzero(np.isin(labels.codes, bad))
        first = tuple((int(row), labels.names[labels.codes[row]]) for row in rows[:5])
        return Numbers(values=values, unreadable=first, n_unreadable=len(rows), marks=marks)

    @cached_property
    def is_numeric(self) -> bool:
        """Whether every cell that is not empty is a number, and at least one is."""
        if self.numeric_share < 0.9:
            return False
        return self.numbers.n_unreadable == 0 and self.numbers.present.size > 0

    @cached_property
    def is_whole(self) -> bool:
        """Whether the column is numeric and every number is whole."""
        if not self.is_numeric:
            return False
        present = self.numbers.present
        return bool(np.all(np.isfinite(present)) and np.all(np.floor(present) == present))

    @property
    def has_decimals(self) -> bool:
        """Whether the column is numeric and some number is not whole."""
        return self.is_numeric and not self.is_whole

    @cached_property
    def is_fraction(self) -> bool:
        """Whether the column is numeric and every number lies from 0 to 1."""
        return self.is_numeric and bool(
            self.numbers.present.min() >= 0 and self.numbers.present.max() <= 1
        )

    def as_text(self, *, trimmed: bool = False) -> Any:
        """Return the cells as a pandas text array, missing where empty."""
        text = pc.utf8_trim_whitespace(self.text) if trimmed else self.text
        return _TEXT.__from_arrow__(pc.if_else(pc.equal(text, ""), None, text))


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

    def take(self, rows: np.ndarray) -> Table:
        """Return some rows of the table."""
        return replace(self, columns=tuple(cells.take(rows) for cells in self.columns))


def make_table(
    file: str,
    names: Sequence[str],
    arrays: Sequence[Any],
    *,
    find_row: Callable[[int], int],
    has_header: bool = True,
    notes: Sequence[str] = (),
) -> Table:
    """Return the table of some Arrow arrays, its columns named uniquely.

    Parameters
    ----------
    names : sequence of str
        As they stand in the file: a missing name becomes ``column 3``, a repeated ``score (2)``.
    find_row : callable
        Row of the file, counted from 1, of a row of the table.
    """
    unique: dict[str, None] = {}
    unnamed, renamed = [], []
    taken = {name for name in names if name}
    for place, name in enumerate(names, start=1):
        wanted = candidate = name or f"column {place}"
        again = 2
        while candidate in unique or (candidate != name and candidate in taken):
            candidate = f"{wanted} ({again})"
            again += 1
        unique[candidate] = None
        if not name:
            unnamed.append(candidate)
        elif candidate != name:
            renamed.append(candidate)
    said = list(notes)
    if renamed:
        said.append(f"Column names that occur twice were numbered: {listed(renamed)}.")
    if unnamed and has_header:
        said.append(f"Columns without a name were named by their position: {listed(unnamed)}.")
    columns = tuple(
        Cells(
            name,
            _chunked(array),
            origin=Origin(file=file, column=name, find_row=find_row),
        )
        for name, array in zip(unique, arrays, strict=True)
    )
    return Table(
        file=file, columns=columns, has_header=has_header, unnamed=frozenset(unnamed), notes=said
    )


def with_decimal_mark(table: Table, *, hint: str | None = None) -> Table:
    """Return the table with the decimal mark that its first rows give away.

    Parameters
    ----------
    hint : str, optional
        Mark to assume when no cell gives one away, as for a file separated by semicolons.
    """
    with_comma = [cells for cells in table.columns if _holds_comma(cells)]
    marked = [decimal_mark(cells.sample) for cells in with_comma]
    mark = "."
    if "," in marked and "." not in marked:
        mark = ","
    elif "." not in marked and with_comma and hint is not None:
        mark = hint
    return replace(table, columns=tuple(replace(cells, mark=mark) for cells in table.columns))


def _chunked(array: Any) -> Any:
    return pa.chunked_array([array]) if isinstance(array, pa.Array) else array


def _has_blanks(dictionary: Any) -> bool:
    """Return whether some label has blanks around it or zero-width characters in it."""
    changed = pc.not_equal(pc.utf8_trim_whitespace(dictionary), dictionary)
    hidden = pc.match_substring_regex(dictionary, f"[{_EXTRA_BLANKS}]")
    return bool(pc.any(pc.or_(changed, hidden)).as_py())


def _holds_comma(cells: Cells) -> bool:
    texts = cells.sample
    if not any("," in text for text in texts):
        return False
    readable = [
        parse_number(text, ",") is not None or parse_number(text, ".") is not None for text in texts
    ]
    return sum(readable) >= 0.9 * len(readable)
