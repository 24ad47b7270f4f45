"""Tables of cases: which they are, what was said of them, and what else the file holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.predictions import Predictions
from pages.shared.text import csv_bytes

MOST_ROWS = 5_000


def case_columns(predictions: Predictions, rows: np.ndarray) -> pd.DataFrame:
    """Return the columns that tell which cases these are: id or row number, and count."""
    if predictions.ids is not None:
        table = pd.DataFrame({"case": np.asarray(predictions.ids[rows], dtype=object)})
    else:
        table = pd.DataFrame({"row": rows + 1})
    if predictions.counts is not None:
        table["count"] = predictions.counts[rows]
    return table


def localized(table: pd.DataFrame) -> dict[str, Any]:
    """Return a column configuration that separates the thousands of counts and targets."""
    numbers = table.select_dtypes("number").drop(columns="row", errors="ignore")
    large = [name for name in numbers if numbers[name].abs().max() >= 1_000]
    return {name: st.column_config.NumberColumn(format="localized") for name in large}


def free_name(table: pd.DataFrame, name: str) -> str:
    """Return a column name that the table does not hold yet."""
    while name in table.columns:
        name += " (file)"
    return name


def show_cases(
    predictions: Predictions, rows: np.ndarray, table: pd.DataFrame, *, name: str
) -> None:
    """Show a table of cases with the other columns of the file beside it, and offer it as CSV."""
    for column, values in predictions.details.items():
        table[free_name(table, column)] = np.asarray(values[rows], dtype=object)
    probability = st.column_config.NumberColumn(format="%.2f")
    st.dataframe(
        table.head(MOST_ROWS),
        hide_index=True,
        column_config=localized(table.head(MOST_ROWS))
        | {c: probability for c in ("P(said)", "P(true)") if c in table.columns},
        alt=f"{len(table):,} rows: which case, what was true and what was said",
    )
    if len(table) > MOST_ROWS:
        st.caption(f"The first {MOST_ROWS:,} of {len(table):,} rows; the download holds all.")
    st.download_button(
        "These cases as CSV",
        csv_bytes(table),
        f"{name}.csv",
        "text/csv",
        icon=":material/download:",
    )
