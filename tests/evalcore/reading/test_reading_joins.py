"""Truth and models in separate files: matched by id, nothing multiplied, everything counted."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.reading import ReadingError, join_predictions, roles_from_columns

TRUTH = ("id,label,site\n1,a,N\n2,b,N\n3,a,S\n4,b,S\n", "truth.csv")
NET = ("id,pred,score\n4,b,.9\n3,a,.2\n2,a,.4\n1,a,.1\n", "runs/net.csv")
TREE = ("id,pred\n1,b\n2,b\n3,a\n9,a\n", "tree_predictions.csv")


def join(*files, **options):
    return join_predictions([(text.encode(), name) for text, name in files], **options)


def test_models_are_named_after_their_files():
    predictions = join(TRUTH, NET, TREE)
    assert predictions.models == ("net", "tree")
    assert predictions.ids.tolist() == ["1", "2", "3", "4"]
    np.testing.assert_array_equal(predictions.outputs["net"], [0, 0, 0, 1])
    np.testing.assert_array_equal(predictions.outputs["tree"], [1, 1, 0, -1])
    np.testing.assert_array_equal(predictions.scores["net"], [0.1, 0.4, 0.2, 0.9])
    assert predictions.slices["site"].tolist() == ["N", "N", "S", "S"]
    join_report = predictions.report.join
    assert (join_report.key, join_report.matched) == ("id", 4)
    assert join_report.prediction_without_truth == ("9",)


def test_order_of_files_changes_only_the_order_of_models():
    one, other = join(TRUTH, NET, TREE), join(TREE, NET, TRUTH)
    assert set(one.models) == set(other.models)
    for model in one.models:
        np.testing.assert_array_equal(one.outputs[model], other.outputs[model])


def test_columns_sent_back_give_the_same_join():
    first = join(TRUTH, NET, TREE)
    again = join(TRUTH, NET, TREE, roles=roles_from_columns(first.report.columns))
    assert again.report.columns == first.report.columns
    assert again.report.join == first.report.join
    assert again.models == first.models


def test_several_models_in_a_file_keep_their_names():
    both = ("id,forest,linear\n1,a,b\n2,b,b\n3,b,a\n4,b,a\n", "models.csv")
    assert join(TRUTH, both).models == ("forest", "linear")
    assert join(TRUTH, both, (both[0], "later.csv")).models == (
        "forest",
        "linear",
        "later: forest",
        "later: linear",
    )


def test_submissions_named_as_the_truth_are_models():
    submission = ("id,label\n1,a\n2,a\n3,a\n4,b\n", "mine.csv")
    predictions = join(submission, (TRUTH[0], "solution.csv"))
    assert predictions.models == ("mine",)
    np.testing.assert_array_equal(predictions.truth, [0, 1, 0, 1])


def test_repeated_and_empty_ids_are_counted_never_multiplied():
    net = ("id,pred\n1,a\n1,b\n2,b\n,a\n3,a\n 4 ,b\n", "net.csv")
    truth = ("id,label\n1,a\n2,b\n2,b\n3,a\n4,b\n5,a\n", "truth.csv")
    predictions = join(truth, net)
    report = predictions.report.join
    assert predictions.ids.tolist() == ["1", "3", "4", "5"]
    assert set(report.duplicated) == {"1", "2"}
    assert report.matched == 2
    assert report.without_id == 1
    assert report.truth_without_prediction == ("5",)
    assert report.prediction_without_truth == ()
    np.testing.assert_array_equal(predictions.outputs["net"], [-1, 0, 1, -1])
    said = " ".join(predictions.report.warnings)
    assert "2 ids found more than once in one file" in said
    assert "1 row without an id left out" in said


def test_models_without_truth_keep_every_case():
    predictions = join(NET, TREE)
    assert predictions.truth is None
    assert predictions.ids.tolist() == ["4", "3", "2", "1", "9"]
    assert predictions.report.join.matched == 3
    assert predictions.report.join.prediction_without_truth == ()


def test_truth_in_every_file_is_compared():
    one = ("id,y_true,y_pred\n1,1,1\n2,0,1\n", "one.csv")
    two = ("id,y_true,y_pred\n2,0.0,0\n1,0,1\n", "two.csv")
    predictions = join(one, two)
    assert predictions.models == ("one", "two")
    np.testing.assert_array_equal(predictions.truth, [1, 0])
    assert any(
        "differs from that" in text and "1 case" in text for text in predictions.report.warnings
    )


def test_regression_and_right_or_wrong_join_too():
    truth = ("id,price\n1,10.5\n2,20.25\n3,30\n", "truth.csv")
    model = ("id,pred\n3,31\n1,11.5\n2,20\n", "m.csv")
    predictions = join(truth, model, roles={"truth": "price"})
    assert predictions.task == "regression"
    np.testing.assert_array_equal(predictions.outputs["m"], [11.5, 20, 31])
    a, b = ("id,correct\n1,1\n2,0\n", "a.csv"), ("id,correct\n2,1\n1,1\n", "b.csv")
    predictions = join(a, b)
    assert (predictions.task, predictions.models) == ("score", ("a", "b"))
    np.testing.assert_array_equal(predictions.outputs["b"], [1, 1])


def test_key_may_be_told_or_have_two_names():
    truth = ("row,key,label\n1,x,a\n2,y,b\n", "truth.csv")
    model = ("key,row,pred\ny,7,b\nx,8,b\n", "m.csv")
    assert join(truth, model, on="key").report.join.matched == 2
    with pytest.raises(ReadingError, match="No id of"):
        join(truth, model, on="row")
    with pytest.raises(ReadingError, match='no column "zz" to join on'):
        join(truth, model, on="zz")
    other = ("case_id,pred\n1,a\n2,b\n4,b\n", "m.csv")
    assert join(TRUTH, other).report.join.matched == 3


def test_what_cannot_be_joined_is_refused():
    with pytest.raises(ReadingError, match="no file"):
        join_predictions([])
    with pytest.raises(ReadingError, match="names its cases"):
        join(TRUTH, ("pred\na\nb\na\na\nb\n", "m.csv"))
    with pytest.raises(ReadingError, match="no truth was recognised"):
        join(("id,x\n1,a\n2,b\n", "one.csv"), ("id,z\n1,7\n2,8\n", "two.csv"))


def test_one_file_is_simply_read():
    predictions = join(("id,y_true,y_pred\n1,a,a\n2,b,a\n", "one.csv"))
    assert (predictions.n_cases, predictions.report.join) == (2, None)


def test_bad_cell_is_named_in_its_own_file():
    truth = ("id,y_true\n1,1\n2,0\n3,1\n", "truth.csv")
    model = ("id,score\n3,.5\n1,.25\n2,oops\n", "m.csv")
    with pytest.raises(ReadingError) as caught:
        join(truth, model)
    assert (caught.value.file, caught.value.row, caught.value.column) == ("m.csv", 4, "score")
