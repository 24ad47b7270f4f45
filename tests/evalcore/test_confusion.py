"""The confusion matrix, the rates of each class and the mistakes.

Right values of the digits: tests/reference/digits.json, made by scikit-learn 1.9.1
(confusion_matrix, classification_report) from the predictions of a torch 2.13.0 network.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import metrics as sklearn_metrics

from evalcore.confusion import (
    class_rates,
    confusion_matrix,
    cut_matrix,
    disagreements,
    find_cases,
    grouped_class_rates,
    label_table,
    largest_misses,
    most_confused,
)
from evalcore.predictions import make_predictions
from evalcore.reading import read_predictions
from evalcore.results import ConfusionMatrix
from tests.samples import REFERENCE, sample

DIGITS = json.loads((REFERENCE / "digits.json").read_text())

# classification_report(y_test, network, digits=3) of scikit-learn 1.9.1: precision, recall, cases.
REPORT = {
    "0": (1.000, 0.972, 36), "1": (0.897, 0.972, 36), "2": (1.000, 0.971, 35),
    "3": (0.974, 1.000, 37), "4": (0.971, 0.944, 36), "5": (0.947, 0.973, 37),
    "6": (0.972, 0.972, 36), "7": (1.000, 1.000, 36), "8": (0.941, 0.914, 35),
    "9": (1.000, 0.972, 36),
}  # fmt: skip

ITEM_46 = "truth,predicted,count\n" + "\n".join(
    f"{i},{j},{count}"
    for i, row in enumerate([[40, 5, 5], [4, 38, 8], [2, 6, 42]], start=1)
    for j, count in enumerate(row, start=1)
)


@pytest.mark.parametrize("model", ["network", "logreg"])
def test_digits_matrix_is_the_reference(model: str) -> None:
    matrix = confusion_matrix(sample("digits"), model)
    assert matrix.counts.tolist() == DIGITS[model]["confusion"]
    assert (matrix.correct, matrix.n, matrix.left_out) == (DIGITS[model]["right"], 360, 0)


def test_digits_report_is_the_reference() -> None:
    rates = class_rates(confusion_matrix(sample("digits"), "network"))
    found = {
        r.label: (round(r.precision.estimate, 3), round(r.recall.estimate, 3), r.cases)
        for r in rates
    }
    assert found == REPORT
    assert rates[8].recall.successes == 32
    assert (rates[1].precision.successes, rates[1].precision.n) == (35, 39)
    assert rates[1].precision.unit == "predicted positives"


def test_digits_most_confused_triples() -> None:
    pairs = most_confused(confusion_matrix(sample("digits"), "network"), top=3)
    assert [(p.count, p.true, p.predicted) for p in pairs] == [
        (2, "8", "1"),
        (2, "4", "8"),
        (1, "9", "5"),
    ]


def test_digits_mistakes_and_the_confident_ones() -> None:
    predictions = sample("digits")
    cases = find_cases(predictions, "network")
    found = {
        int(predictions.ids[row]): (true, said, p_said, p_true)
        for row, true, said, p_said, p_true in zip(
            cases.rows,
            cases.truth,
            cases.said,
            cases.probability_said,
            cases.probability_true,
            strict=True,
        )
    }
    right = {
        case["image"]: (str(case["true"]), str(case["said"]), case["p_said"], case["p_true"])
        for case in DIGITS["network"]["wrong_images"]
    }
    assert found == right
    assert cases.above(0.9) == 3
    assert np.all(np.diff(cases.probability_said) <= 0)


def test_count_table_of_150_cases() -> None:
    """Item 46 of the fourth source: error .20 overall; .20, .24, .16 by class."""
    predictions = read_predictions(ITEM_46.encode(), "matrix.csv")
    matrix = confusion_matrix(predictions, predictions.models[0])
    assert matrix.counts.tolist() == [[40, 5, 5], [4, 38, 8], [2, 6, 42]]
    assert matrix.n - matrix.correct == 30
    rates = class_rates(matrix)
    assert [r.error_rate.estimate for r in rates] == [0.20, 0.24, 0.16]
    worst = most_confused(matrix, top=1)[0]
    assert (worst.count, worst.true, worst.predicted) == (8, "2", "3")


def test_cells_are_cases_of_that_cell() -> None:
    predictions = sample("digits")
    cases = find_cases(predictions, "network", true="8", said="1")
    assert sorted(int(predictions.ids[row]) for row in cases.rows) == [15, 333]


def test_binary_probability_of_the_class_said() -> None:
    predictions = make_predictions(
        ["no", "yes", "no"], {"m": ["yes", "no", "no"]}, scores={"m": [0.8, 0.3, 0.1]}
    )
    cases = find_cases(predictions, "m")
    assert cases.said.tolist() == ["yes", "no"]
    assert cases.probability_said == pytest.approx([0.8, 0.7])
    assert cases.probability_true == pytest.approx([0.2, 0.3])


def test_threshold_replaces_the_labels() -> None:
    predictions = make_predictions(
        ["no", "yes", "yes", "no"], {"m": ["no"] * 4}, scores={"m": [0.1, 0.9, 0.4, 0.6]}
    )
    assert confusion_matrix(predictions, "m").counts.tolist() == [[2, 0], [2, 0]]
    assert confusion_matrix(predictions, "m", threshold=0.5).counts.tolist() == [[1, 1], [1, 1]]


def test_missing_cells_are_left_out_and_counted() -> None:
    predictions = make_predictions(["a", None, "b", "b"], {"m": ["a", "a", None, "b"]})
    matrix = confusion_matrix(predictions, "m")
    assert (matrix.n, matrix.correct, matrix.left_out) == (2, 2, 2)


def test_a_class_never_predicted_has_no_precision() -> None:
    predictions = make_predictions(["a", "b"], {"m": ["a", "a"]})
    rates = class_rates(confusion_matrix(predictions, "m"))
    assert np.isnan(rates[1].precision.estimate)
    assert rates[1].precision.notes
    assert rates[1].recall.estimate == 0.0


def test_groups_widen_the_rates_of_a_class() -> None:
    groups = np.repeat(np.arange(10), 6)
    said = np.repeat(["a", "b", "a", "a", "b", "a", "a", "a", "b", "a"], 6)
    predictions = make_predictions(["a"] * 60, {"m": said}, groups=groups)
    alone = class_rates(confusion_matrix(predictions, "m"))[0]
    together = grouped_class_rates(predictions, "m")[0]
    assert together.recall.estimate == alone.recall.estimate
    assert together.cases == alone.cases == 60
    assert together.recall.width > 1.5 * alone.recall.width
    assert together.error_rate.low == pytest.approx(1 - together.recall.high)
    assert together.error_rate.successes == 18
    with pytest.raises(ValueError, match="groups"):
        grouped_class_rates(sample("digits"), "network")


def test_labels_of_two_models_are_crossed_without_a_truth() -> None:
    predictions = make_predictions(None, {"a": ["x", "y", "x"], "b": ["x", "x", None]})
    assert label_table(predictions, "a", "b").tolist() == [[1, 0], [1, 0]]


def test_without_truth_there_is_no_matrix() -> None:
    predictions = make_predictions(None, {"a": ["x", "y"], "b": ["x", "x"]})
    with pytest.raises(ValueError, match="without a truth"):
        confusion_matrix(predictions, "a")
    assert disagreements(predictions).tolist() == [1]


def test_largest_misses_come_first_and_missing_ones_not_at_all() -> None:
    predictions = make_predictions(
        [1.0, 2.0, 3.0, 4.0], {"m": [1.5, 9.0, np.nan, 4.0]}, task="regression"
    )
    rows, misses = largest_misses(predictions, "m")
    assert rows.tolist() == [1, 0, 3]
    assert misses.tolist() == [7.0, 0.5, 0.0]


def test_cut_matrix_keeps_the_classes_with_most_mistakes() -> None:
    counts = np.diag([9, 9, 9, 9])
    counts[1, 3] = 4
    matrix = ConfusionMatrix(counts=counts, classes=("a", "b", "c", "d"))
    small = cut_matrix(matrix, 2)
    assert small.classes == ("b", "d")
    assert small.counts.tolist() == [[9, 4], [0, 9]]


LABELS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1)


@given(LABELS)
def test_matrix_is_that_of_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    truth, said = zip(*pairs, strict=True)
    assume(len({*truth, *said}) > 1)  # scikit-learn warns about one class alone
    matrix = confusion_matrix(make_predictions(truth, {"m": said}), "m")
    expected = sklearn_metrics.confusion_matrix(truth, said, labels=list(matrix.classes))
    assert np.array_equal(matrix.counts, expected)


@given(LABELS)
def test_a_count_of_two_is_two_rows(pairs: list[tuple[str, str]]) -> None:
    truth, said = zip(*pairs, strict=True)
    once = make_predictions(truth, {"m": said}, counts=[2] * len(pairs))
    twice = make_predictions(truth * 2, {"m": said * 2})
    assert np.array_equal(confusion_matrix(once, "m").counts, confusion_matrix(twice, "m").counts)
