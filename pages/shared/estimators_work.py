"""Fits that take their time: kept once made, shown while they run, and left at any moment."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from typing import Any

import streamlit as st

from evalcore.estimators.rounds import Progress

MOST_KEPT = 3_000
STOPPED = "stopped_work"
_LOCK = threading.Lock()


@st.cache_resource(show_spinner=False)
def _shared() -> dict[Hashable, Any]:
    return {}


def _store(*, own: bool) -> dict[Hashable, Any]:
    """Return where results are kept: for this session only, when they come from a user's file."""
    return st.session_state.setdefault("own_estimates", {}) if own else _shared()


def repeated(
    settings: Hashable,
    one: Callable[[int, Progress], Any],
    *,
    repetitions: int = 1,
    own: bool = False,
    doing: str = "Fitting",
) -> list[Any]:
    """Return the results of all repetitions, or of those made before somebody said stop.

    Parameters
    ----------
    settings : hashable
        All that the results depend on; each repetition is kept under it.
    one : callable
        ``(repetition, progress) -> result``.
    own : bool
        Whether the cases come from a file of this session.
    doing : str
        What is said beside the progress.

    Any change on the page ends the work too: Streamlit leaves it at the next sign of progress.
    """
    store = _store(own=own)
    missing = [r for r in range(repetitions) if (settings, r) not in store]
    if missing and st.session_state.get(STOPPED) == settings:
        done = repetitions - len(missing)
        with st.container(horizontal=True, vertical_alignment="center", key="stopped"):
            st.markdown(f"Stopped after {done} of {repetitions}.", width="content")
            st.button("Go on", icon=":material/play_arrow:", on_click=_forget_stop)
    elif missing:
        _work(store, settings, one, missing, repetitions, doing)
    found = (store.get((settings, r)) for r in range(repetitions))
    return [answer for answer in found if answer is not None]


def _work(
    store: dict[Hashable, Any],
    settings: Hashable,
    one: Callable[[int, Progress], Any],
    missing: list[int],
    repetitions: int,
    doing: str,
) -> None:
    place = st.empty()
    with place.container(horizontal=True, vertical_alignment="center"):
        bar = st.progress(0.0, text=doing)
        st.button("Stop", icon=":material/stop:", on_click=_stop, args=(settings,), width="content")
    shown = time.monotonic()
    for position, repetition in enumerate(missing):

        def report(done: int, total: int, position: int = position) -> None:
            nonlocal shown
            if time.monotonic() - shown > 0.2:
                shown = time.monotonic()
                share = (position + min(done / max(total, 1), 1.0)) / len(missing)
                at = repetitions - len(missing) + position + 1
                bar.progress(share, text=f"{doing}, {at} of {repetitions}")

        answer = one(repetition, report)
        with _LOCK:
            store[settings, repetition] = answer
            while len(store) > MOST_KEPT:
                store.pop(next(iter(store)))
        report(1, 1)
    place.empty()


def _stop(settings: Hashable) -> None:
    st.session_state[STOPPED] = settings


def _forget_stop() -> None:
    st.session_state.pop(STOPPED, None)
