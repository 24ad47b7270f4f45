r"""Read uploads: the bytes of a file and its name -> Predictions.

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
