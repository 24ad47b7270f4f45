"""The joint table of truth and labels: all that a metric of labels depends on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from evalcore.clusters import Partition
from evalcore.metrics import Margins
from evalcore.predictions import MISSING, Predictions

DENSE_KEYS = 1 << 20
DENSE_INDICATORS = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """How often each combination of truth and labels occurs; only those that do occur.

    Attributes
    ----------
    codes : ndarray of int, shape (m, 1 + models)
        Class codes of each cell: the truth, then what each model said.
    counts : ndarray of int64, shape (m,)
        Cases in each cell, at least 1.
    models : tuple of str
    n_classes : int
    index : ndarray of int, shape (rows,)
        Cell of each row of the predictions; -1 for a row left out.
    left_out : int
        Cases without a truth or without a label of one of the models.
    """

    codes: np.ndarray
    counts: np.ndarray
    models: tuple[str, ...]
    n_classes: int
    index: np.ndarray
    left_out: int

    @property
    def n(self) -> int:
        """Number of cases."""
        return int(self.counts.sum())

    def margins(self, model: str, draws: np.ndarray | None = None) -> Margins:
        """Return the margins of one model's confusion matrix.

        Parameters
        ----------
        model : str
            One of ``models``.
        draws : array or sparse array, shape (R, m), optional
            Cases in each cell of R resamples; by default the observed counts, without the axis R.

        Returns
        -------
        Margins
            Arrays of shape (R, K), or (K,).
        """
        truth = self.codes[:, 0]
        said = self.codes[:, 1 + self.models.index(model)]
        weights = self.counts if draws is None else draws
        hits = np.where(truth == said, truth, MISSING)
        right, actual, predicted = (self._by_class(c, weights) for c in (hits, truth, said))
        return Margins(right=right, actual=actual, predicted=predicted)

    def _by_class(self, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
        kept = labels != MISSING
        if weights.ndim == 1:
            sums = np.bincount(labels[kept], weights=weights[kept], minlength=self.n_classes)
            return sums.astype(float)
        cell = np.flatnonzero(kept)
        shape = (len(labels), self.n_classes)
        indicator = sparse.csr_array((np.ones(len(cell)), (cell, labels[kept])), shape=shape)
        if sparse.issparse(weights):
            return (weights @ indicator).toarray()
        if shape[0] * shape[1] <= DENSE_INDICATORS:
            return weights.astype(float, copy=False) @ indicator.toarray()
        return (indicator.T @ weights.T).T

    def collapsed(self, code: int | None) -> Cells:
        """Return the table with one class against the rest, or right against wrong.

        Parameters
        ----------
        code : int or None
            The class that keeps its own code, 1, all others becoming 0; with None every truth
            becomes 0 and a label 0 when it is right, 1 when it is wrong.
        """
        if code is not None:
            short = (self.codes == code).astype(np.int64)
        else:
            short = (self.codes != self.codes[:, :1]).astype(np.int64)
        merged, codes = _joint_table(list(short.T), 3)
        counts = np.bincount(merged, weights=self.counts, minlength=len(codes))
        used = self.index >= 0
        index = np.where(used, merged[self.index], MISSING) if len(merged) else self.index
        return Cells(
            codes=codes,
            counts=counts.astype(np.int64),
            models=self.models,
            n_classes=2,
            index=index,
            left_out=self.left_out,
        )

    def by_cluster(self, parts: Partition) -> sparse.csr_array:
        """Return the cases of each cell in each cluster, shape (G, m).

        Parameters
        ----------
        parts : Partition
            Of the rows that are not left out, in their order.
        """
        used = self.index[self.index >= 0]
        entries = (parts.counts.astype(float), (parts.codes, used))
        table = sparse.csr_array(entries, shape=(parts.clusters, len(self.counts)))
        table.sum_duplicates()
        return table


def cells(
    predictions: Predictions, models: Sequence[str] | str, *, threshold: float | None = None
) -> Cells:
    """Return the joint table of truth and labels over the cases that all the models labelled.

    Parameters
    ----------
    predictions : Predictions
        Of a classification task; without a truth the table is empty.
    models : str or sequence of str
    threshold : float, optional
        Score above which a case is called positive, in place of the model's own labels.

    Raises
    ------
    ValueError
        If a model is unknown, or has neither labels nor a score of the positive class.
    """
    names = (models,) if isinstance(models, str) else tuple(models)
    labels = [predictions.labels_of(name, threshold=threshold) for name in names]
    truth = predictions.truth
    if truth is None:
        truth = np.full(predictions.n_rows, MISSING, np.int32)
    index, table = _joint_table([truth, *labels], len(predictions.classes) + 1)
    weights = predictions.counts
    sums = np.bincount(index, weights=weights, minlength=len(table))
    counts = sums.astype(np.int64)
    kept = (table != MISSING).all(axis=1) & (counts > 0)
    new_index = np.full(len(table), MISSING, np.int64)
    new_index[kept] = np.arange(kept.sum())
    return Cells(
        codes=table[kept],
        counts=counts[kept],
        models=names,
        n_classes=len(predictions.classes),
        index=index if kept.all() else new_index[index],
        left_out=int(counts[~kept].sum()),
    )


def _joint_table(columns: Sequence[np.ndarray], base: int) -> tuple[np.ndarray, np.ndarray]:
    """Return which distinct combination each row holds, and the combinations, missing as -1."""
    index = columns[0].astype(np.int64) + 1
    table = np.arange(base)[:, None]
    for column in columns[1:]:
        index = index * base
        index += column
        index += 1
        if len(table) * base <= DENSE_KEYS:
            present = np.bincount(index, minlength=len(table) * base) > 0
            seen = np.flatnonzero(present)
            index = (np.cumsum(present) - 1)[index]
        else:
            seen, index = np.unique(index, return_inverse=True)
        table = np.column_stack([table[seen // base], seen % base])
    return index, table - 1
