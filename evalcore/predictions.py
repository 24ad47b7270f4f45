"""Predictions: the table of cases that every page and every metric reads."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from evalcore.checks import check_choice, check_counts, check_same_length
from evalcore.results import ReadingReport

TASKS = ("classification", "regression", "score")
MISSING = -1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Predictions:
    """Cases with their truth, what each model said, and how often each case occurs.

    Attributes
    ----------
    name : str
        Name of the file or sample.
    digest : str
        sha256 of the source and of how it was read; equal digests mean equal content.
    task : str
        "classification" (labels), "regression" (numbers) or "score" (a number per case and model
        that already says how good the answer was, such as 0/1 for wrong/right).
    truth : ndarray, shape (n,), or None
        Class codes (int32, -1 where missing) or numbers (nan where missing); None when the file
        has no truth.
    outputs : dict of str to ndarray, shape (n,)
        Per model: class codes (int32, -1 where missing), numbers, or the per-case score.
    scores : dict of str to ndarray, shape (n,) or (n, K)
        Per model: the score of the positive class, or one column per class in the order of
        ``classes``; nan where missing. Higher means more likely.
    classes : tuple of str
        Class names in the order of the codes; empty unless the task is classification.
    positive : str or None
        The positive class of a two-class problem.
    groups : ndarray of int, shape (n,), or None
        Cluster code of each case (cases of one question, patient or user share a code).
    group_name : str or None
        Name of the column the groups came from.
    slices : dict of str to pandas.Categorical
        Columns that split the cases, such as site or language.
    counts : ndarray of int64, shape (n,), or None
        How many identical cases a row stands for; None means one each.
    ids : pandas array of str, or None
        Case ids as text.
    details : dict of str to pandas array
        Columns without a role (a prompt, an image name), to be shown beside a case.
    report : ReadingReport
        What was understood and done when the source was read.
    """

    name: str
    digest: str
    task: str
    truth: np.ndarray | None
    outputs: dict[str, np.ndarray]
    scores: dict[str, np.ndarray] = field(default_factory=dict)
    classes: tuple[str, ...] = ()
    positive: str | None = None
    groups: np.ndarray | None = None
    group_name: str | None = None
    slices: dict[str, pd.Categorical] = field(default_factory=dict)
    counts: np.ndarray | None = None
    ids: Any = None
    details: dict[str, Any] = field(default_factory=dict)
    report: ReadingReport = field(default_factory=ReadingReport)

    @property
    def models(self) -> tuple[str, ...]:
        """Model names in file order: those with outputs, then those with scores only."""
        return tuple(dict.fromkeys([*self.outputs, *self.scores]))

    @property
    def n_rows(self) -> int:
        """Number of stored rows; see ``n_cases`` for the number of cases they stand for."""
        columns = [self.truth, *self.outputs.values(), *self.scores.values()]
        return next((len(column) for column in columns if column is not None), 0)

    @property
    def n_cases(self) -> int:
        """Number of cases, each row counted as often as it occurs."""
        return self.n_rows if self.counts is None else int(self.counts.sum())

    @property
    def is_labelled(self) -> bool:
        """Whether the models can be scored: a truth, or scores per case."""
        return self.task == "score" or self.truth is not None

    @property
    def weights(self) -> np.ndarray:
        """Multiplicities as int64, ones when every row is one case; shape (n,)."""
        return np.ones(self.n_rows, np.int64) if self.counts is None else self.counts

    def class_code(self, label: str) -> int:
        """Return the code of a class.

        Raises
        ------
        ValueError
            If there is no such class.
        """
        return self.classes.index(check_choice(label, self.classes, "label"))

    def score_of(self, model: str, label: str) -> np.ndarray | None:
        """Return the score of one class, shape (n,), or None where the model has none.

        A single score column belongs to the positive class; its negative serves the other class of
        a two-class problem (only the order of scores matters for a ranking).
        """
        scores = self.scores.get(model)
        if scores is None:
            return None
        if scores.ndim == 2:
            column = scores[:, self.class_code(label)]
            return None if np.isnan(column).all() else column
        if label == self.positive:
            return scores
        if len(self.classes) != 2:
            return None
        return 1.0 - scores if is_probability(scores) else -scores

    def labels_of(self, model: str, *, threshold: float | None = None) -> np.ndarray:
        """Return the class code each case was given by a model, shape (n,); -1 where missing.

        With a threshold, or for a model without a label column, a case is called positive when its
        score of the positive class is above the threshold.

        Raises
        ------
        ValueError
            If the model is unknown, or has neither labels nor a score of the positive class.
        """
        check_choice(model, self.models, "model")
        if threshold is None and model in self.outputs:
            return self.outputs[model]
        score = None if self.positive is None else self.score_of(model, self.positive)
        if score is None:
            raise ValueError(
                f"model {model!r} has no score of a positive class, so no threshold can be applied"
            )
        limit = self.default_threshold(model) if threshold is None else threshold
        yes = self.class_code(str(self.positive))
        labels = np.where(score > limit, yes, 1 - yes).astype(np.int32)
        return np.where(np.isnan(score), np.int32(MISSING), labels)

    def default_threshold(self, model: str) -> float:
        """Return the cut used when a model has scores but no labels: 0.5, or 0 off [0, 1]."""
        score = self.score_of(model, str(self.positive))
        return 0.5 if score is not None and is_probability(score) else 0.0

    def select(self, rows: np.ndarray) -> Predictions:
        """Return the predictions of some rows: a boolean mask or row numbers.

        The digest changes with the selection, so that a cached result is never reused for it.
        """
        rows = np.asarray(rows)
        mark = hashlib.sha256(self.digest.encode() + rows.tobytes()).hexdigest()
        return replace(
            self,
            digest=mark,
            truth=None if self.truth is None else self.truth[rows],
            outputs={name: values[rows] for name, values in self.outputs.items()},
            scores={name: values[rows] for name, values in self.scores.items()},
            groups=None if self.groups is None else self.groups[rows],
            slices={name: levels[rows] for name, levels in self.slices.items()},
            counts=None if self.counts is None else self.counts[rows],
            ids=None if self.ids is None else self.ids[rows],
            details={name: cells[rows] for name, cells in self.details.items()},
        )


def is_probability(scores: np.ndarray) -> bool:
    """Return whether every score present lies in [0, 1]."""
    present = scores[~np.isnan(scores)]
    return bool(present.size and present.min() >= 0 and present.max() <= 1)


def sort_labels(labels: Sequence[str]) -> tuple[str, ...]:
    """Return distinct labels in reading order: numbers by value, everything else as text."""
    distinct = list(dict.fromkeys(labels))
    try:
        return tuple(sorted(distinct, key=lambda label: (float(label), label)))
    except ValueError:
        return tuple(sorted(distinct, key=lambda label: (label.casefold(), label)))


def label_codes(labels: Any, classes: Sequence[str]) -> np.ndarray:
    """Return the int32 code of each label in ``classes``; -1 for None, nan and unknown labels."""
    codes = pd.Categorical(labels, categories=list(classes)).codes
    return np.asarray(codes, dtype=np.int32)


def make_predictions(
    truth: Any,
    outputs: Mapping[str, Any],
    *,
    task: str = "classification",
    scores: Mapping[str, Any] | None = None,
    classes: Sequence[str] | None = None,
    positive: str | None = None,
    groups: Any = None,
    slices: Mapping[str, Any] | None = None,
    counts: Any = None,
    name: str = "predictions",
) -> Predictions:
    """Build Predictions from arrays already in memory.

    Parameters
    ----------
    truth : array-like, shape (n,), or None
        Labels (any type, compared as text) or numbers.
    outputs : mapping of str to array-like, shape (n,)
        What each model said, in the terms of the truth; for the task "score" the per-case score.
    task : {"classification", "regression", "score"}
    scores : mapping of str to array-like, shape (n,) or (n, K)
        Score of the positive class, or one column per class in the order of ``classes``.
    classes : sequence of str, optional
        Class names; by default every label seen, numbers in order of value.
    positive : str, optional
        Positive class; by default the last of two classes.
    groups : array-like, shape (n,), optional
        Cluster of each case.
    slices : mapping of str to array-like, optional
    counts : array-like of int, shape (n,), optional
        How many identical cases a row stands for.

    Raises
    ------
    ValueError
        If lengths differ, a count is negative, or ``positive`` is not a class.
    """
    check_choice(task, TASKS, "task")
    columns = {str(key): np.asarray(values) for key, values in outputs.items()}
    score_columns = {key: np.asarray(v, float) for key, v in (scores or {}).items()}
    named = {f"outputs[{key!r}]": values for key, values in columns.items()}
    named |= {f"scores[{key!r}]": values for key, values in score_columns.items()}
    size = check_same_length({"truth": truth, "groups": groups, "counts": counts, **named})
    if task == "classification":
        as_text = {key: _as_text(values) for key, values in columns.items()}
        truth_text = [] if truth is None else _as_text(truth)
        seen = [truth_text, *as_text.values()]
        found = {label for values in seen for label in values if label is not None}
        names = tuple(map(str, classes)) if classes is not None else sort_labels(sorted(found))
        if positive is None and len(names) == 2:
            positive = names[1]
        if positive is not None:
            check_choice(positive, names, "positive")
        truth_array = None if truth is None else label_codes(truth_text, names)
        output_arrays = {key: label_codes(values, names) for key, values in as_text.items()}
    else:
        names, positive = (), None
        truth_array = None if truth is None else np.asarray(truth, float)
        output_arrays = {key: np.asarray(values, float) for key, values in columns.items()}
    group_codes = None if groups is None else pd.factorize(np.asarray(groups))[0]
    made = Predictions(
        name=name,
        digest="",
        task=task,
        truth=truth_array,
        outputs=output_arrays,
        scores=score_columns,
        classes=names,
        positive=positive,
        groups=group_codes,
        group_name=None if groups is None else "group",
        slices={key: pd.Categorical(values) for key, values in (slices or {}).items()},
        counts=check_counts(counts, size),
    )
    return replace(made, digest=content_digest(made))


def content_digest(predictions: Predictions) -> str:
    """Return a sha256 over the arrays of the predictions and what they are called."""
    digest = hashlib.sha256()
    header = (predictions.task, predictions.classes, predictions.positive, predictions.name)
    digest.update(repr(header).encode())
    arrays: dict[str, np.ndarray | None] = {
        "truth": predictions.truth,
        "groups": predictions.groups,
        "counts": predictions.counts,
        **{f"output {key}": values for key, values in predictions.outputs.items()},
        **{f"score {key}": values for key, values in predictions.scores.items()},
    }
    for key, array in arrays.items():
        if array is not None:
            digest.update(key.encode() + str(array.dtype).encode() + str(array.shape).encode())
            digest.update(np.ascontiguousarray(array).tobytes())
    for key, levels in predictions.slices.items():
        digest.update(repr((key, list(levels.categories))).encode())
        digest.update(np.ascontiguousarray(levels.codes).tobytes())
    return digest.hexdigest()


def _as_text(values: Any) -> list[str | None]:
    return [None if pd.isna(value) else str(value) for value in np.asarray(values, object)]
