"""Public bug reports about uploads: each folder of tests/cases named u* with its right values."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from evalcore.binomial import proportion_interval
from evalcore.confusion import confusion_matrix
from evalcore.reading import LabelsDoNotMeet, join_predictions, read_predictions

CASES = Path(__file__).parents[2] / "cases"


def expected(case: str) -> dict:
    return json.loads((CASES / case / "expected.json").read_text(encoding="utf-8"))["expected"]


def load(case: str, name: str = "predictions.csv", **options):
    return read_predictions((CASES / case / name).read_bytes(), name, **options)


def correct(predictions, model=None) -> int:
    said = predictions.outputs[model or predictions.models[0]]
    return int(((said == predictions.truth) & (predictions.truth >= 0)).sum())


def auc(predictions) -> float:
    """Share of pairs in the right order, ties half; written out so that nothing is shared."""
    scores = next(iter(predictions.scores.values()))
    positive = predictions.truth == predictions.class_code(predictions.positive)
    gaps = scores[positive][:, None] - scores[~positive][None, :]
    return float((gaps > 0).mean() + 0.5 * (gaps == 0).mean())


ONE_MODEL = [
    "u01_utf16_tab",
    "u02_utf8_bom_quoted",
    "u04_class_NA_namibia",
    "u06_labels_1_vs_1.0",
    "u10_trailing_comma_rows",
    "u11_unnamed_index_columns",
    "u13_whitespace_in_labels",
    "u19_zip_from_macos",
    "u20_newlines_inside_cells",
]


def test_every_upload_case_is_tested():
    others = ["u08_join_19_digit_ids", "u14_booleans", "u21_lm_eval_samples_jsonl"]
    others += ["u22_regression_thousands", "u24_two_models_shuffled_rows"]
    assert sorted([*ONE_MODEL, *others]) == sorted(path.name for path in CASES.glob("u*"))


@pytest.mark.parametrize("case", ONE_MODEL)
def test_scores_of_one_model(case):
    right = expected(case)
    predictions = load(case, "predictions.zip" if "zip" in case else "predictions.csv")
    scored = predictions.n_cases - sum(predictions.report.missing_outputs.values())
    assert predictions.n_cases == right.get("n", right.get("n_rows"))
    assert scored == right.get("n_scored", predictions.n_cases)
    assert correct(predictions) == right.get("correct", right.get("correct_trimmed"))
    assert correct(predictions) / scored == pytest.approx(right["accuracy"], abs=1e-9)
    assert predictions.report.missing_truth == 0
    if "classes" in right:
        assert list(predictions.classes) == [str(label) for label in right["classes"]]
    if "columns" in right:
        assert [column.name for column in predictions.report.columns] == right["columns"]
    if "wilson95" in right:
        interval = proportion_interval(correct(predictions), scored)
        assert [interval.low, interval.high] == pytest.approx(right["wilson95"], abs=1e-9)
    if "auc" in right:
        assert auc(predictions) == pytest.approx(right["auc"], abs=1e-9)


def test_utf16_says_so():
    notes = load("u01_utf16_tab").report.notes
    assert any("UTF-16" in note for note in notes)
    assert any("tabs" in note for note in notes)


def test_na_is_a_class():
    right = expected("u04_class_NA_namibia")
    matrix = confusion_matrix(load("u04_class_NA_namibia"), "y_pred")
    assert matrix.left_out == right["missing"]
    support = dict(zip(matrix.classes, matrix.counts.sum(axis=1).tolist(), strict=True))
    assert support == right["support"]
    recall = np.diag(matrix.counts) / matrix.counts.sum(axis=1)
    assert dict(zip(matrix.classes, recall, strict=True)) == pytest.approx(right["recall"])


def test_whole_numbers_with_a_point_are_the_same_class():
    right = expected("u06_labels_1_vs_1.0")
    predictions = load("u06_labels_1_vs_1.0")
    matrix = confusion_matrix(predictions, "y_pred")
    table = {
        truth: dict(zip(matrix.classes, map(int, row), strict=True))
        for truth, row in zip(matrix.classes, matrix.counts, strict=True)
    }
    assert table == right["confusion_rows_truth"]
    assert predictions.report.missing_outputs == {"y_pred": right["missing_predictions"]}
    assert any('"1.0"' in note for note in predictions.report.notes)
    assert any("2 rows without a prediction" in text for text in predictions.report.warnings)


def test_join_on_long_ids():
    right = expected("u08_join_19_digit_ids")
    folder = CASES / "u08_join_19_digit_ids"
    files = [((folder / name).read_bytes(), name) for name in ("predictions.csv", "truth.csv")]
    for order in (files, files[::-1]):
        predictions = join_predictions(order)
        join = predictions.report.join
        assert predictions.n_rows == right["truth_rows"]
        assert join.matched == right["matched"]
        assert list(join.truth_without_prediction) == right["truth_without_prediction"]
        assert list(join.prediction_without_truth) == right["prediction_without_truth"]
        assert join.without_id == right["predictions_without_id"]
        assert join.duplicated == ()
        assert correct(predictions) == right["correct"]
        assert correct(predictions) / join.matched == right["accuracy"]
        assert len(predictions.report.warnings) >= 3


def test_index_columns_are_no_scores():
    predictions = load("u11_unnamed_index_columns")
    roles = {column.name: column.role for column in predictions.report.columns}
    assert roles == {
        "column 1": "ignored",
        "Unnamed: 0": "ignored",
        "y_true": "truth",
        "y_pred": "output",
        "score": "score",
    }


def test_trimmed_cells_are_counted():
    notes = load("u13_whitespace_in_labels").report.notes
    assert 'Blanks around the label removed in 1 cell of "y_true".' in notes
    assert 'Blanks around the label removed in 5 cells of "y_pred".' in notes


def test_booleans_fold_and_a_blank_stays_blank():
    right = expected("u14_booleans")["a"]
    predictions = load("u14_booleans", "a.csv")
    missing = predictions.report.missing_outputs["y_pred"]
    assert (predictions.n_rows, missing) == (right["n_rows"], right["missing_predictions"])
    assert correct(predictions) == right["correct"]
    assert correct(predictions) / (predictions.n_rows - missing) == right["accuracy"]
    assert predictions.classes == ("False", "True")
    assert predictions.positive == "True"


def test_labels_that_do_not_meet_offer_a_mapping():
    right = expected("u14_booleans")["b"]
    with pytest.raises(LabelsDoNotMeet) as caught:
        load("u14_booleans", "b.csv")
    problem = caught.value
    assert problem.mapping == {"1": "yes", "0": "no"}
    assert (problem.model, problem.file, problem.column) == ("y_pred", "b.csv", "y_pred")
    assert (problem.truth_labels, problem.predicted_labels) == (("yes", "no"), ("1", "0"))
    predictions = load("u14_booleans", "b.csv", roles={"labels": problem.mapping})
    assert predictions.n_cases == right["n"]
    assert correct(predictions) == right["correct_if_yes_is_1"]
    assert predictions.positive == "yes"


def test_zip_says_which_member_was_read():
    notes = load("u19_zip_from_macos", "predictions.zip").report.notes
    assert notes[0] == 'Read "run 12/predictions.csv" from the zip file.'


def test_text_cells_keep_their_line_breaks():
    predictions = load("u20_newlines_inside_cells")
    texts = predictions.details["text"]
    assert texts[0] == 'Great,\nreally "great"'
    assert texts[1] == "Line one\r\nline two\r\n"
    assert "\u2028" in texts[2]
    assert texts.isna().sum() == expected("u20_newlines_inside_cells")["empty_text_cells"]


def test_filters_of_one_log_are_models_on_the_same_documents():
    right = expected("u21_lm_eval_samples_jsonl")
    predictions = load("u21_lm_eval_samples_jsonl", "samples_gsm8k.jsonl")
    assert predictions.task == "score"
    assert predictions.truth is None
    assert predictions.n_cases == right["documents"]
    assert sorted(predictions.models) == right["filters"]
    assert list(predictions.ids) == [str(k) for k in range(8)]
    assert predictions.groups is None
    for short, model in (("strict", "strict-match"), ("flexible", "flexible-extract")):
        values = predictions.outputs[model]
        assert (values.sum(), len(values)) == (right[short]["correct"], right[short]["n"])
        interval = proportion_interval(int(values.sum()), len(values))
        assert interval.estimate == right[short]["value"]
        assert [interval.low, interval.high] == pytest.approx(right[short]["wilson95"], abs=1e-9)
    flexible, strict = (predictions.outputs[m] for m in ("flexible-extract", "strict-match"))
    paired = right["paired_flexible_vs_strict"]
    assert int((flexible > strict).sum()) == paired["b"]
    assert int((strict > flexible).sum()) == paired["c"]


def test_money_is_read_as_numbers():
    right = expected("u22_regression_thousands")
    predictions = load("u22_regression_thousands")
    errors = predictions.outputs["y_pred"] - predictions.truth
    assert predictions.task == "regression"
    assert np.isfinite(errors).sum() == right["n"]
    assert np.abs(errors).mean() == pytest.approx(right["mae"], abs=1e-9)
    assert np.sqrt((errors**2).mean()) == pytest.approx(right["rmse"], abs=1e-9)
    assert errors.mean() == pytest.approx(right["mean_error_pred_minus_true"], abs=1e-9)
    assert any("thousands commas" in note for note in predictions.report.notes)


def test_models_in_files_of_their_own_are_aligned():
    right = expected("u24_two_models_shuffled_rows")
    folder = CASES / "u24_two_models_shuffled_rows"
    names = ("model_a.csv", "model_b.csv", "truth.csv")
    predictions = join_predictions([((folder / name).read_bytes(), name) for name in names])
    assert predictions.models == ("model_a", "model_b")
    assert predictions.n_cases == predictions.report.join.matched == right["n"]
    assert predictions.ids[0] == "001"
    hits = {m: predictions.outputs[m] == predictions.truth for m in predictions.models}
    a, b = hits["model_a"], hits["model_b"]
    assert (a.sum(), b.sum()) == (right["correct_a"], right["correct_b"])
    assert (a & ~b).sum() == right["b_only_a_right"]
    assert (b & ~a).sum() == right["c_only_b_right"]
    assert (a != b).mean() == pytest.approx(right["disagreement"])
