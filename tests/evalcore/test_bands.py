"""Bands of ROC, precision-recall and reliability curves are Wilson intervals of their points."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics as sklearn_metrics

from evalcore.binomial import proportion_limits
from evalcore.intervals.bands import precision_recall_band, reliability_band, roc_band
from evalcore.predictions import make_predictions
from tests.samples import sample

TRUTH = np.array([0, 0, 1, 1, 0, 1, 1, 0, 1, 0])
SCORE = np.array([0.1, 0.4, 0.35, 0.8, 0.2, 0.7, 0.9, 0.6, 0.55, 0.3])


def small() -> object:
    return make_predictions(TRUTH, {}, scores={"m": SCORE})


def test_roc_points_are_those_of_scikit_learn() -> None:
    band = roc_band(small(), "m", "1")
    x, y, at = sklearn_metrics.roc_curve(TRUTH, SCORE, drop_intermediate=False)
    assert band.x == pytest.approx(x)
    assert band.y == pytest.approx(y)
    assert band.at[1:] == pytest.approx(at[1:])
    low, high = proportion_limits(5 * y, 5, method="wilson", confidence_level=0.95)
    assert band.low == pytest.approx(low)
    assert band.high == pytest.approx(high)


def test_precision_is_informed_by_the_cases_called() -> None:
    band = precision_recall_band(small(), "m", "1")
    assert band.n.tolist() == list(range(1, 11))
    found = np.cumsum(TRUTH[np.argsort(-SCORE)])
    assert band.y == pytest.approx(found / band.n)
    assert band.x == pytest.approx(found / 5)


def test_reliability_counts_every_case_once() -> None:
    band = reliability_band(sample("breast_cancer"), "logistic", "malignant")
    assert band.n.sum() == 171
    assert np.all((band.low <= band.y) & (band.y <= band.high))
    assert (band.y * band.n).sum() == pytest.approx((sample("breast_cancer").truth == 1).sum())


def test_bands_hold_at_the_edges() -> None:
    band = roc_band(small(), "m", "1", confidence_level=0.9)
    assert band.low[0] == 0.0
    assert band.high[0] > 0.0
    assert band.high[-1] == 1.0
    assert band.low[-1] < 1.0


def test_without_both_classes_there_is_no_curve_but_a_reason() -> None:
    one_class = make_predictions([1, 1], {}, scores={"m": [0.2, 0.9]}, classes=["0", "1"])
    for band in (roc_band(one_class, "m", "1"), precision_recall_band(one_class, "m", "1")):
        assert len(band.x) == 0
        assert band.notes
    logits = make_predictions([0, 1], {}, scores={"m": [-2.0, 3.0]})
    assert "not probabilities" in reliability_band(logits, "m", "1").notes[0]


def test_many_thresholds_are_thinned_and_keep_both_ends() -> None:
    band = roc_band(sample("screening"), sample("screening").models[0], "1")
    assert len(band.x) <= 400
    assert (band.x[0], band.y[0], band.x[-1], band.y[-1]) == (0, 0, 1, 1)
