"""The ledger: every comparison looked at in this session, and what each becomes when all count."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import streamlit as st

from evalcore.comparison import adjust_p_values
from evalcore.metrics import METRICS
from evalcore.predictions import Predictions
from evalcore.results import Comparison
from evalcore.wording import ledger_sentence, p_text
from pages.shared.text import escape

KEY = "ledger"
LEVEL = "ledger_level"
# Options that make it another question; level, method and seed only look at the same one anew.
ASKED = ("label", "threshold", "tolerance", "rate")


def note(predictions: Predictions, found: Comparison, options: dict[str, Any]) -> None:
    """Enter a comparison; looking at the same one again changes nothing but its p-value."""
    if not math.isfinite(found.p_value):
        return
    pair = frozenset((found.model_a, found.model_b))
    asked = tuple(options.get(name) for name in ASKED)
    entries = st.session_state.setdefault(KEY, {})
    entries[(predictions.digest, pair, found.metric, asked)] = found
    st.session_state[LEVEL] = found.difference.confidence_level


def show() -> None:
    """Show the ledger, with each p-value alone and adjusted for all of them by Holm."""
    entries: dict[Any, Comparison] = st.session_state.get(KEY, {})
    if not entries:
        return
    found = list(entries.values())
    adjusted = adjust_p_values([one.p_value for one in found], method="holm")
    st.subheader("Comparisons looked at in this session", anchor=False)
    st.markdown(escape(ledger_sentence(found, adjusted, st.session_state[LEVEL])))
    table = pd.DataFrame(
        {
            "A": [one.model_a for one in found],
            "B": [one.model_b for one in found],
            "metric": [METRICS[one.metric].label for one in found],
            "class": [one.label or "" for one in found],
            "p alone": [p_text(one.p_value) for one in found],
            "p, all counted (Holm)": [p_text(float(value)) for value in adjusted],
        }
    )
    st.dataframe(table, hide_index=True, alt="Comparisons of this session with their p-values")
    st.button(
        "Clear the list",
        icon=":material/delete_sweep:",
        on_click=lambda: st.session_state.pop(KEY, None),
        help="Clearing forgets the list, not the looking: what was seen still counts.",
    )
