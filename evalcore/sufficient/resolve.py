"""Which row of METRICS and which class a question is about."""

from __future__ import annotations

from evalcore.checks import check_choice
from evalcore.metrics import METRICS, Metric, Setting
from evalcore.predictions import Predictions


def resolve_metric(predictions: Predictions, metric: Metric | str) -> Metric:
    """Return the row of METRICS.

    Raises
    ------
    ValueError
        If there is no such metric or it is made for another task.
    """
    row = metric if isinstance(metric, Metric) else METRICS[check_choice(metric, METRICS, "metric")]
    if row.task != predictions.task:
        fitting = [key for key, other in METRICS.items() if other.task == predictions.task]
        raise ValueError(
            f"metric must be one for {predictions.task}: {', '.join(fitting)}; got {row.key!r}"
        )
    return row


def class_of(predictions: Predictions, metric: Metric, setting: Setting) -> int:
    """Return the code of the class that a metric is asked of; 0 when it is asked of none.

    Raises
    ------
    ValueError
        If a class is needed and neither the setting nor the predictions name one.
    """
    if not metric.per_class:
        return 0
    label = predictions.positive if setting.label is None else setting.label
    if label is None:
        raise ValueError(
            f"label must name a class for {metric.key!r}, because there is no positive class; "
            f"the classes are {', '.join(predictions.classes[:20])}"
        )
    return predictions.class_code(label)
