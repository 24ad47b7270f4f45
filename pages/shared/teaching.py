"""What the two teaching pages share: presenter mode, predict first, exercises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, make_dataclass
from typing import Any

import pandas as pd
import streamlit as st

from evalcore.charts import Chart, enlarge
from evalcore.wording import guess_sentence
from pages.shared import showing
from pages.shared.text import escape

# Only the chart and the controls, in large type, when the page is projected.
_PROJECTED = """
<style>
[data-testid="stSidebar"], [data-testid="stSidebarCollapsedControl"],
[data-testid="stExpandSidebarButton"], .st-key-loaded_bar {display: none;}
[data-testid="stMainBlockContainer"] {max-width: 100rem; padding-top: 1.5rem;}
[data-testid="stMain"] label p, [data-testid="stMain"] button p,
[data-testid="stMain"] [data-testid="stMarkdown"] p {font-size: 1.3rem;}
[data-testid="stMetricValue"] {font-size: 3.6rem;}
</style>
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exercise:
    """A question whose answer the page knows.

    Attributes
    ----------
    key, question, unit, hint, because : str
        ``because`` is shown with a right answer, ``hint`` with a wrong one.
    answer, tolerance : float
    """

    key: str
    question: str
    answer: float
    tolerance: float
    unit: str
    hint: str
    because: str


def switches() -> None:
    """Draw the two switches of a teacher."""
    with st.container(horizontal=True, gap="medium", key="teacher"):
        st.toggle(
            "Presenter mode",
            key="present",
            bind="query-params",
            help="Large type, only the chart and the controls.",
        )
        st.toggle(
            "Predict first",
            key="predict",
            bind="query-params",
            help="The answer stays hidden until a guess is made.",
        )
    if presenting():
        st.html(_PROJECTED)


def presenting() -> bool:
    """Return whether only the chart and the controls are wanted."""
    return bool(st.session_state.get("present", False))


def show_chart(chart: Chart, *, key: str) -> None:
    """Show a chart, larger in presenter mode."""
    showing.show_chart(enlarge(chart) if presenting() else chart, key=key)


def say(lines: Sequence[str]) -> None:
    """Show plain sentences, but not in presenter mode."""
    if not presenting():
        showing.sentences(lines)


def guessed(
    view: str, question: str, answer: float, *, unit: str = "%", highest: int = 100
) -> bool:
    """Return whether the answer may be seen: when nobody is to predict, or once somebody has.

    Parameters
    ----------
    view : str
        What is asked about; each has a guess of its own.
    question : str
    answer : float
        In ``unit``.
    unit : str
    highest : int
        Largest possible guess.
    """
    if not st.session_state.get("predict", False):
        return True
    seen = f"seen_{view}"
    with st.container(border=True, key="predict_box"):
        st.markdown(f"**{escape(question)}**")
        if st.session_state.get(seen) is not None:
            st.markdown(escape(guess_sentence(st.session_state[seen], answer, unit)))
            st.button("Guess again", key=f"again_{view}", on_click=_forget, args=(seen,))
            return True
        guess = st.slider(
            f"Your guess{', percent' if unit == '%' else f',{unit}'}",
            0,
            highest,
            highest // 2,
            key=f"guess_{view}",
        )
        st.button(
            "Show the answer",
            type="primary",
            key=f"show_{view}",
            on_click=_remember,
            args=(seen, guess),
        )
    return False


def downloads(*, table: pd.DataFrame, numbers: dict[str, Any], sentence: str, name: str) -> None:
    """Offer a simulation as a table, its numbers as JSON, and the sentence."""
    record = make_dataclass("Numbers", list(numbers))(**numbers)
    showing.downloads(table=table, record=record, sentence=sentence, name=name)


def _remember(key: str, guess: float) -> None:
    st.session_state[key] = guess


def _forget(key: str) -> None:
    st.session_state[key] = None


def exercises(questions: Sequence[Exercise]) -> None:
    """Show questions, each with a box for the answer that says whether it is right."""
    if presenting():
        return
    st.subheader("Try it yourself", anchor=False)
    for number, one in enumerate(questions, start=1):
        with st.expander(f"Exercise {number}"):
            st.markdown(escape(one.question))
            given = st.number_input(
                f"Your answer, {one.unit}", value=None, key=f"exercise_{one.key}", format="%g"
            )
            if given is None:
                continue
            if abs(given - one.answer) <= one.tolerance:
                st.success(escape(f"Right. {one.because}"), icon=":material/check_circle:")
            else:
                st.warning(escape(f"Not yet. {one.hint}"), icon=":material/lightbulb:")
