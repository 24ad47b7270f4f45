"""The first cases as they were understood."""

from __future__ import annotations

import numpy as np
import pandas as pd

from evalcore.predictions import Predictions

ROWS = 8


def preview_table(predictions: Predictions) -> pd.DataFrame:
    """Return the first cases: id, truth, what each model said and how sure it was."""
    size = min(ROWS, predictions.n_rows)
    columns: dict[str, np.ndarray] = {}
    if predictions.ids is not None:
        columns["case"] = np.asarray(predictions.ids[:size], dtype=object)
    if predictions.truth is not None:
        columns["truth"] = _readable(predictions, predictions.truth[:size])
    for model in predictions.models:
        if model in predictions.outputs:
            columns[f"{model} said"] = _readable(predictions, predictions.outputs[model][:size])
        scores = predictions.scores.get(model)
        if scores is not None:
            if scores.ndim == 1:
                columns[f"{model} score"] = scores[:size]
            else:
                columns[f"{model} highest probability"] = scores[:size].max(axis=1)
    for name, levels in predictions.slices.items():
        columns[f"slice: {name}"] = np.asarray(levels[:size], dtype=object)
    if predictions.groups is not None:
        # The groups themselves are codes; what the file calls them is kept beside the cases.
        named = predictions.details.get(str(predictions.group_name))
        groups = predictions.groups if named is None else np.asarray(named, dtype=object)
        columns[f"group: {predictions.group_name}"] = groups[:size]
    if predictions.counts is not None:
        columns["count"] = predictions.counts[:size]
    return pd.DataFrame(columns)


def _readable(predictions: Predictions, values: np.ndarray) -> np.ndarray:
    if predictions.task != "classification":
        return values
    return np.asarray([*predictions.classes, None], dtype=object)[values]
