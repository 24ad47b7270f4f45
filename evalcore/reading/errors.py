"""The errors that say what is wrong with a file, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from evalcore.results import Column


class ReadingError(ValueError):
    """A file cannot be read as predictions; the message is one plain sentence or two.

    Attributes
    ----------
    file : str or None
        Name of the file.
    row : int or None
        Row of the file, counted from 1 with the header, where it is known.
    column : str or None
        Name of the column.
    columns : tuple of Column
        The columns that were read, with the roles they were taken for; empty when the file did not
        get that far. ``roles_from_columns`` makes an edited list the ``roles`` of the next reading.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        row: int | None = None,
        column: str | None = None,
        columns: Sequence[Column] = (),
    ) -> None:
        super().__init__(message)
        self.file = file
        self.row = row
        self.column = column
        self.columns = tuple(columns)


class LabelsDoNotMeet(ReadingError):  # noqa: N818 - the name is part of the interface
    """The labels of a model and of the truth have none in common.

    Attributes
    ----------
    model : str
        The model concerned.
    truth_labels, predicted_labels : tuple of str
        The two sets of labels.
    mapping : dict of str to str
        A proposal, predicted label to truth label; empty when none can be guessed.
    """

    def __init__(
        self,
        message: str,
        *,
        model: str,
        truth_labels: Sequence[str],
        predicted_labels: Sequence[str],
        mapping: Mapping[str, str],
        file: str | None = None,
        column: str | None = None,
    ) -> None:
        super().__init__(message, file=file, column=column)
        self.model = model
        self.truth_labels = tuple(truth_labels)
        self.predicted_labels = tuple(predicted_labels)
        self.mapping = dict(mapping)


@contextmanager
def about(file: str) -> Iterator[None]:
    """Name the file in every error that names none."""
    try:
        yield
    except ReadingError as problem:
        problem.file = problem.file or file
        raise


@contextmanager
def told_as(message: str, *causes: type[Exception]) -> Iterator[None]:
    """Turn the errors that damaged bytes make a library raise into one plain sentence."""
    try:
        yield
    except ReadingError:
        raise
    except causes:
        raise ReadingError(message) from None
