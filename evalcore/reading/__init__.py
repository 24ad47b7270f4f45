r"""Read uploads: the bytes of a file and its name -> Predictions.

The path of a file, and the module of each step::

    bytes              reader        read_predictions: calls the steps below in this order
    -> unpacked        unpacking     gzip and zip opened, strangers refused
    -> decoded         encodings     any common encoding -> UTF-8
    -> Table           delimited     CSV and its relatives, laid out as dialect found
                       records       JSON, one record at a time; flat_records many at a time
                       sheets        Parquet and Excel
    -> Roles           guessing      which column is what: given by hand (roles), else guessed
                       model_guesses which columns are whose labels, scores and probabilities
    -> one row a case  long_files    rows per case and model spread out
    -> Predictions     building      columns -> arrays (columns), labels -> classes (classes)

    several files      joining       one Table and its roles from files matched by an id

What the steps share: table (Cells: text, labels and numbers on demand; notes and warnings),
numbers and labels (how people write them), words (what a column name says), limits, errors and
phrases (what is said to people).

>>> data = b"truth,model\na,a\nb,b\nb,a\n"
>>> read_predictions(data, "three.csv").classes
('a', 'b')
"""

from evalcore.reading.errors import LabelsDoNotMeet, ReadingError
from evalcore.reading.joining import join_predictions
from evalcore.reading.limits import LIMITS, Limits
from evalcore.reading.reader import read_predictions
from evalcore.reading.roles import ROLES, roles_from_columns

__all__ = [
    "LIMITS",
    "ROLES",
    "LabelsDoNotMeet",
    "Limits",
    "ReadingError",
    "join_predictions",
    "read_predictions",
    "roles_from_columns",
]
