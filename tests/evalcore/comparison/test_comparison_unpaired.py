"""Separate test sets, and the contrast of ignoring the pairing."""

import json

import numpy as np
import pandas as pd
import pytest

from evalcore.comparison import UNPAIRED_METHODS, ignoring_pairing, unpaired_comparison
from evalcore.predictions import make_predictions
from evalcore.reading import read_predictions
from tests.samples import CASES, REFERENCE, sample

SEPARATE = json.loads((REFERENCE / "two_proportions.json").read_text())["cases"]
TWIN = json.loads((REFERENCE / "listings_lesson_moments.json").read_text())
DIGITS = json.loads((REFERENCE / "digits.json").read_text())["paired"]


@pytest.mark.parametrize("case", SEPARATE, ids=lambda c: f"{c['k1']}-{c['k2']}")
def test_separate_samples_agree_with_r(case):
    # R 4.2.2 prop.test, fisher.test; the limits by hand, see the file's meta.
    counts = [case[key] for key in ("k1", "n1", "k2", "n2")]
    for method in UNPAIRED_METHODS:
        found = unpaired_comparison(*counts, method=method, confidence_level=case["level"])
        right = case["newcombe_hybrid" if method == "newcombe" else method]
        if right[0] == right[1]:
            assert np.isnan(found.difference.low)
        else:
            limits = (found.difference.low, found.difference.high)
            assert limits == pytest.approx(right, abs=1e-8)
        assert found.difference.estimate == pytest.approx(case["diff"], rel=1e-9)
        assert found.p_value == pytest.approx(case["chi2_pooled_p"], rel=1e-8)
        assert found.beside[0].p_value == pytest.approx(case["fisher_p"], rel=1e-8)
    assert "separate" in found.notes[0]


def test_overlapping_intervals_do_not_decide():
    (folder,) = CASES.glob("m01_*")
    right = json.loads((folder / "expected.json").read_text())["expected"]
    counts = pd.read_csv(folder / "counts.csv").iloc[::-1]
    found = unpaired_comparison(*counts[["correct", "n"]].to_numpy().ravel())
    assert (found.interval_b.low, found.interval_b.high) == pytest.approx(right["wilson_A"])
    assert found.difference.estimate == pytest.approx(right["difference_B_minus_A"])
    limits = (found.difference.low, found.difference.high)
    assert limits == pytest.approx(right["newcombe95"], abs=1e-9)
    assert found.p_value == pytest.approx(right["p_two_sided"], rel=1e-9)
    assert not found.disjoint
    assert unpaired_comparison(95, 100, 50, 100).disjoint


def test_equal_extremes_have_p_1():
    found = unpaired_comparison(10, 10, 30, 30)
    assert found.p_value == 1.0
    assert found.difference.low < 0 < found.difference.high
    with pytest.raises(ValueError, match="n2 must be a whole number of at least 1"):
        unpaired_comparison(1, 2, 0, 0)
    with pytest.raises(ValueError, match="k must be from 0 to n"):
        unpaired_comparison(3, 2, 0, 1)


def test_pairing_ignored_on_the_digits():
    found = ignoring_pairing(sample("digits"), "accuracy", "network", "logreg")
    assert found.difference.standard_error == pytest.approx(DIGITS["se_independent"], rel=1e-9)
    # R 4.2.2 prop.test(c(349, 347), c(360, 360), correct = FALSE).
    assert found.p_value == pytest.approx(0.677975442910788, rel=1e-9)
    assert not found.disjoint
    assert "contrast" in found.notes[0]


def test_pairing_ignored_hides_what_pairing_shows():
    (folder,) = CASES.glob("m02_*")
    right = json.loads((folder / "expected.json").read_text())["expected"]
    data = read_predictions((folder / "predictions.csv").read_bytes(), "predictions.csv")
    found = ignoring_pairing(data, "accuracy", *data.models)
    assert found.p_value == pytest.approx(right["unpaired_p"], rel=1e-9)


def test_pairing_ignored_on_the_listings():
    # scipy 1.17.1 ttest_ind; item 31 of the second source.
    table = pd.read_csv(REFERENCE / TWIN["file"])
    data = make_predictions(table["true_price"], table[["linear", "boosting"]], task="regression")
    found = ignoring_pairing(data, "mae", "linear", "boosting")
    right = TWIN["pairs"]["linear-boosting"]["ttest_ind_p"]
    assert found.p_value == pytest.approx(right, rel=1e-9)
    assert found.test == "t"
    assert ignoring_pairing(data, "rmse", "linear", "boosting").test == "z"


def test_pairing_ignored_where_a_model_has_no_value():
    data = make_predictions(["a", "a"], {"x": ["a", "b"], "y": ["a", "a"]}, classes="abc")
    found = ignoring_pairing(data, "recall", "x", "y", label="c")
    assert np.isnan(found.p_value)
    assert any("undefined" in note for note in found.notes)
