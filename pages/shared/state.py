"""What is loaded in this session, and the samples it can be replaced by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from evalcore.predictions import Predictions
from evalcore.reading import join_predictions, read_predictions

ASSETS = Path(__file__).parents[2] / "assets"
SAMPLE_PARAMETER = "sample"
# Controls whose choices are about the data that is loaded.
CHOICES = ("model", "a", "b", "baseline", "metric", "class", "method", "slice", "threshold",
           "tolerance", "margin", "view", "compare")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A predictions file that comes with the app."""

    key: str
    label: str
    file: str
    sentence: str
    roles: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The predictions of this session and where they came from."""

    predictions: Predictions
    files: tuple[tuple[bytes, str], ...]
    roles: Mapping[str, Any] | None
    sample: str | None

    @property
    def title(self) -> str:
        """What the data is called: the sample's name or the file's."""
        return SAMPLES[self.sample].label if self.sample else self.predictions.name


SAMPLES = {
    sample.key: sample
    for sample in (
        Sample(
            key="digits",
            label="Digits: network against logistic regression",
            file="digits.csv",
            sentence="Real. 360 handwritten digits, ten classes, two models with probabilities.",
        ),
        Sample(
            key="breast_cancer",
            label="Breast cancer: two classifiers",
            file="breast_cancer.csv",
            sentence="Real. 171 biopsies, malignant or benign, two models with probabilities.",
        ),
        Sample(
            key="screening",
            label="Screening: rare positives",
            file="screening.csv",
            sentence="Synthetic. 5,000 cases of which 1 percent are positive, one score.",
        ),
        Sample(
            key="listings",
            label="Listing prices: three models",
            file="listings.csv",
            sentence="Synthetic. 600 flats with their price and what three models said of it.",
        ),
    )
}
FIRST_SAMPLE = "digits"


def current() -> Loaded:
    """Return what is loaded; the sample named in the address, or the first one, from the start."""
    if "loaded" not in st.session_state:
        asked = st.query_params.get(SAMPLE_PARAMETER, FIRST_SAMPLE)
        st.session_state["loaded"] = _sample(asked if asked in SAMPLES else FIRST_SAMPLE)
    loaded: Loaded = st.session_state["loaded"]
    _write_address(loaded)
    return loaded


def use_sample(key: str) -> None:
    """Load a sample in place of what is loaded."""
    _replace(_sample(key))


def use_files(
    files: tuple[tuple[bytes, str], ...], *, roles: Mapping[str, Any] | None = None
) -> Loaded:
    """Read files and load them; what was loaded stays when they cannot be read.

    Raises
    ------
    ReadingError
        With one sentence that says what, where and what to do.
    """
    loaded = _read(files, roles, sample=None)
    _replace(loaded)
    return loaded


def use_roles(roles: Mapping[str, Any]) -> Loaded:
    """Read what is loaded again with other column roles.

    Raises
    ------
    ReadingError
        When the roles do not fit the columns; what was loaded stays.
    """
    before = current()
    loaded = _read(before.files, roles, sample=before.sample)
    st.session_state["loaded"] = loaded
    return loaded


def _replace(loaded: Loaded) -> None:
    """Load something else, and forget the choices that were about the data before."""
    st.session_state["loaded"] = loaded
    for key in CHOICES:
        st.session_state.pop(key, None)
        st.query_params.pop(key, None)


def _read(
    files: tuple[tuple[bytes, str], ...], roles: Mapping[str, Any] | None, *, sample: str | None
) -> Loaded:
    if len(files) == 1:
        predictions = read_predictions(*files[0], roles=roles)
    else:
        predictions = join_predictions(list(files), roles=roles)
    return Loaded(predictions=predictions, files=files, roles=roles, sample=sample)


@st.cache_resource(show_spinner=False)
def _sample(key: str) -> Loaded:
    sample = SAMPLES[key]
    data = (ASSETS / "samples" / sample.file).read_bytes()
    return _read(((data, sample.file),), sample.roles, sample=key)


def _write_address(loaded: Loaded) -> None:
    wanted = loaded.sample if loaded.sample not in (None, FIRST_SAMPLE) else None
    if wanted is None:
        st.query_params.pop(SAMPLE_PARAMETER, None)
    elif st.query_params.get(SAMPLE_PARAMETER) != wanted:
        st.query_params[SAMPLE_PARAMETER] = wanted
