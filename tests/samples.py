"""The samples of the app, read once for every test that wants them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from evalcore.predictions import Predictions
from evalcore.reading import read_predictions

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "assets" / "samples"
REFERENCE = ROOT / "tests" / "reference"
CASES = ROOT / "tests" / "cases"


@cache
def sample(name: str) -> Predictions:
    """Return the sample with this name, as the app reads it."""
    file = f"{name}.csv"
    return read_predictions((SAMPLES / file).read_bytes(), file)
