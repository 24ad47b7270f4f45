"""Which column plays which role: guessed from names and contents, given by hand, sent back."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from evalcore.confusion import confusion_matrix
from evalcore.reading import (
    ROLES,
    LabelsDoNotMeet,
    ReadingError,
    read_predictions,
    roles_from_columns,
)

REFERENCE = Path(__file__).parents[2] / "reference"


def read(text: str, name: str = "f.csv", **options):
    return read_predictions(text.encode(), name, **options)


def roles_of(predictions) -> dict[str, tuple]:
    return {
        c.name: (c.role, *(x for x in (c.model, c.class_label) if x is not None))
        for c in predictions.report.columns
    }


def repeated(header: str, rows: list[str], times: int = 6) -> str:
    return "\n".join([header, *(row for _ in range(times) for row in rows)]) + "\n"


GUESSES = {
    "plain": (
        "true,net\na,a\nb,a\n",
        "classification",
        {"true": ("truth",), "net": ("output", "net")},
    ),
    "score of the only model": (
        "y_true,y_pred,score\n1,1,.9\n0,1,.7\n",
        "classification",
        {"y_true": ("truth",), "y_pred": ("output", "y_pred"), "score": ("score", "y_pred")},
    ),
    "score alone": (
        "label,prob\n1,.9\n0,.7\n",
        "classification",
        {"label": ("truth",), "prob": ("score", "prob")},
    ),
    "scores by model": (
        "y,score_a,pred_a,b_pred,b_prob\n1,.9,1,1,.8\n0,.2,0,1,.6\n",
        "classification",
        {
            "y": ("truth",),
            "score_a": ("score", "a"),
            "pred_a": ("output", "a"),
            "b_pred": ("output", "b"),
            "b_prob": ("score", "b"),
        },
    ),
    "prediction that is a probability": (
        "y_true,y_pred\n1,.9\n0,.2\n1,.45\n",
        "classification",
        {"y_true": ("truth",), "y_pred": ("score", "y_pred")},
    ),
    "probabilities of the only model": (
        "y_true,y_pred,prob_cat,p_dog\ncat,cat,.9,.1\ndog,cat,.6,.4\n",
        "classification",
        {
            "y_true": ("truth",),
            "y_pred": ("output", "y_pred"),
            "prob_cat": ("probability", "y_pred", "cat"),
            "p_dog": ("probability", "y_pred", "dog"),
        },
    ),
    "columns named as the classes": (
        "y_true,0,1,2\n0,.8,.1,.1\n1,.1,.8,.1\n2,.3,.3,.4\n",
        "classification",
        {
            "y_true": ("truth",),
            "0": ("probability", "model", "0"),
            "1": ("probability", "model", "1"),
            "2": ("probability", "model", "2"),
        },
    ),
    "two models with probabilities only": (
        "truth,net_p0,net_p1,tree_p0,tree_p1\n0,.8,.2,.6,.4\n1,.1,.9,.7,.3\n",
        "classification",
        {
            "truth": ("truth",),
            "net_p0": ("probability", "net", "0"),
            "net_p1": ("probability", "net", "1"),
            "tree_p0": ("probability", "tree", "0"),
            "tree_p1": ("probability", "tree", "1"),
        },
    ),
    "columns with the values of the truth that are slices": (
        repeated("sex,y_true,y_pred,region", ["F,F,F,N", "M,M,F,N", "M,F,F,S", "F,M,M,S"]),
        "classification",
        {
            "sex": ("slice",),
            "y_true": ("truth",),
            "y_pred": ("output", "y_pred"),
            "region": ("slice",),
        },
    ),
    "a baseline beside a prediction": (
        "y_true,y_pred,baseline\na,a,a\nb,a,a\n",
        "classification",
        {"y_true": ("truth",), "y_pred": ("output", "y_pred"), "baseline": ("output", "baseline")},
    ),
    "regression by whole numbers": (
        "true_age,pred_age\n" + "".join(f"{20 + k},{21 + k}\n" for k in range(60)),
        "regression",
        {"true_age": ("truth",), "pred_age": ("output", "pred_age")},
    ),
    "many classes by whole numbers": (
        "target,pred\n" + "".join(f"{k % 100},{(k * 7) % 100}\n" for k in range(3000)),
        "classification",
        {"target": ("truth",), "pred": ("output", "pred")},
    ),
    "ratings are classes": (
        repeated("y_true,y_pred", [f"{k},{k + 1}" for k in range(1, 5)]),
        "classification",
        {"y_true": ("truth",), "y_pred": ("output", "y_pred")},
    ),
    "two models without truth": (
        "id,gpt,llama\n1,a,a\n2,b,a\n",
        "classification",
        {"id": ("id",), "gpt": ("output", "gpt"), "llama": ("output", "llama")},
    ),
    "truth by its labels": (
        "text,kind_of_flower,predicted\nx,rose,rose\ny,lily,rose\nz,lily,lily\n",
        "classification",
        {
            "text": ("detail",),
            "kind_of_flower": ("truth",),
            "predicted": ("output", "predicted"),
        },
    ),
    "right or wrong": (
        "qid,correct_a,correct_b\n1,1,0\n2,1,1\n3,0,1\n",
        "score",
        {"qid": ("id",), "correct_a": ("value", "a"), "correct_b": ("value", "b")},
    ),
    "right or wrong beside free text": (
        "question,target,response,is_correct\n"
        + "".join(f"q{k},the {k},it is {k},{k % 3 == 0}\n" for k in range(30)),
        "score",
        {
            "question": ("id",),
            "target": ("detail",),
            "response": ("detail",),
            "is_correct": ("value", "is_correct"),
        },
    ),
    "one column of right or wrong": ("correct\n1\n0\n", "score", {"correct": ("value", "correct")}),
    "group and id": (
        repeated("patient_id,y_true,y_pred", ["A,1,1", "B,0,1", "C,1,0"]),
        "classification",
        {"patient_id": ("group",), "y_true": ("truth",), "y_pred": ("output", "y_pred")},
    ),
    "long": (
        "id,model,truth,prediction,score\n1,A,1,1,.9\n2,A,0,1,.8\n1,B,1,0,.1\n2,B,0,0,.2\n",
        "classification",
        {
            "id": ("id",),
            "model": ("model",),
            "truth": ("truth",),
            "prediction": ("output",),
            "score": ("score",),
        },
    ),
}


@pytest.mark.parametrize("kind", GUESSES)
def test_guess(kind):
    text, task, roles = GUESSES[kind]
    predictions = read(text)
    assert predictions.task == task
    assert roles_of(predictions) == roles
    assert {role for role, *_ in roles.values()} <= set(ROLES)


@pytest.mark.parametrize("kind", GUESSES)
def test_columns_sent_back_give_the_same_reading(kind):
    text, _, _ = GUESSES[kind]
    first = read(text)
    again = read(text, roles=roles_from_columns(first.report.columns))
    assert again.report.columns == first.report.columns
    assert (again.task, again.models, again.classes) == (first.task, first.models, first.classes)
    for model in first.outputs:
        np.testing.assert_array_equal(again.outputs[model], first.outputs[model])
    for model in first.scores:
        np.testing.assert_array_equal(again.scores[model], first.scores[model])


def test_digits():
    data = (REFERENCE / "digits_predictions.csv").read_bytes()
    predictions = read_predictions(data, "digits_predictions.csv")
    assert predictions.models == ("network", "logreg")
    assert predictions.classes == tuple("0123456789")
    assert {m: s.shape for m, s in predictions.scores.items()} == dict.fromkeys(
        predictions.models, (360, 10)
    )
    assert predictions.positive is None
    assert predictions.ids[0] == "0"
    correct = {m: confusion_matrix(predictions, m).correct for m in predictions.models}
    assert correct == {"network": 349, "logreg": 347}
    assert predictions.report.notes == predictions.report.warnings == ()


def test_listings():
    data = (REFERENCE / "listings_errors.csv").read_bytes()
    predictions = read_predictions(data, "listings_errors.csv")
    assert predictions.task == "regression"
    assert predictions.models == ("linear", "forest", "boosting")
    assert roles_of(predictions)["listing"] == ("id",)
    assert roles_of(predictions)["true_price"] == ("truth",)


def test_score_files_have_no_outputs():
    data = (REFERENCE / "scores_asah_real.csv").read_bytes()
    predictions = read_predictions(data, "scores_asah_real.csv")
    assert list(predictions.scores) == ["wfns", "s100b", "ndka"]
    assert predictions.outputs == {}
    assert (predictions.classes, predictions.positive) == (("0", "1"), "1")


def test_count_table():
    counts = [[40, 5, 5], [4, 38, 8], [2, 6, 42]]
    lines = [f"{a},{b},{counts[i][j]}" for i, a in enumerate("ABC") for j, b in enumerate("ABC")]
    predictions = read("truth,predicted,count\n" + "\n".join(lines))
    matrix = confusion_matrix(predictions, "predicted")
    np.testing.assert_array_equal(matrix.counts, counts)
    assert predictions.n_cases == 150
    errors = 1 - np.diag(matrix.counts) / matrix.counts.sum(axis=1)
    np.testing.assert_allclose(errors, [0.20, 0.24, 0.16])


@pytest.mark.parametrize(
    ("labels", "positive", "told"),
    [
        (("no", "yes"), "yes", True),
        (("ham", "spam"), "spam", True),
        (("0", "1"), "1", True),
        (("-1", "1"), "1", True),
        (("normal", "zebra"), "zebra", True),
        (("Fraud", "Legit"), "Fraud", True),
        (("cat", "dog"), "dog", False),
    ],
)
def test_positive_class(labels, positive, told):
    predictions = read("y_true,y_pred\n" + "".join(f"{label},{label}\n" for label in labels))
    assert predictions.positive == positive
    said = any("was taken as the positive class" in note for note in predictions.report.notes)
    assert said is not told
    other = next(label for label in labels if label != positive)
    text = "y_true,y_pred\n" + "".join(f"{label},{label}\n" for label in labels)
    assert read(text, roles={"positive": other}).positive == other


def test_scores_are_never_turned_round():
    predictions = read("y_true,score\n1,.1\n1,.2\n0,.8\n0,.9\n")
    np.testing.assert_array_equal(predictions.scores["score"], [0.1, 0.2, 0.8, 0.9])
    np.testing.assert_array_equal(predictions.score_of("score", "1"), [0.1, 0.2, 0.8, 0.9])


def test_probabilities_without_labels_are_answered_by_the_largest():
    predictions = read("y_true,prob_a,prob_b,prob_c\na,.5,.3,.2\nb,.5,.4,.1\nc,,,\n")
    np.testing.assert_array_equal(predictions.outputs["model"], [0, 0, -1])
    assert any("highest probability" in note for note in predictions.report.notes)


def test_one_number_for_many_classes_is_a_detail():
    predictions = read("y_true,y_pred,confidence\na,a,.9\nb,a,.8\nc,c,.7\n")
    assert list(predictions.details) == ["confidence"]
    assert any("more than two classes" in note for note in predictions.report.notes)
    roles = {"models": {"m": {"output": "y_pred", "score": "confidence"}}}
    with pytest.raises(ReadingError, match="nothing about 3 classes") as caught:
        read("y_true,y_pred,confidence\na,a,.9\nb,a,.8\nc,c,.7\n", roles=roles)
    assert caught.value.column == "confidence"


def test_repeated_ids_become_groups():
    predictions = read("id,y_true,y_pred\n1,a,a\n1,b,b\n2,a,b\n,b,b\n,a,a\n")
    assert predictions.group_name == "id"
    assert len(np.unique(predictions.groups)) == 4
    assert predictions.groups[0] == predictions.groups[1]
    assert any("stand on more than one row" in text for text in predictions.report.warnings)
    assert any("each is a group of its own" in note for note in predictions.report.notes)
    assert predictions.details["id"][0] == "1"


def test_leading_zeros_and_words_for_nothing_are_labels():
    predictions = read("y_true,y_pred\n007,007\nNone,null\nnull,nan\nnan,None\n")
    assert set(predictions.classes) == {"007", "None", "null", "nan"}
    assert (predictions.truth >= 0).all()


def test_truth_of_one_class_is_read_with_a_warning():
    predictions = read("y_true,y_pred\nt,f\nt,t\n")
    assert any("one class only" in text for text in predictions.report.warnings)
    assert read("y_true,y_pred\nt,f\nt,f\n").classes == ("f", "t")


def test_labels_only_a_model_uses_are_named():
    warnings = read("y_true,y_pred\na,a\nb,c\n").report.warnings
    assert warnings == ('"y_pred" uses 1 label that the truth never has: "c".',)


@pytest.mark.parametrize(
    ("truth", "said", "mapping"),
    [
        ("cat dog", "Cat DOG", {"Cat": "cat", "DOG": "dog"}),
        ("spam ham", "1 0", {"1": "spam", "0": "ham"}),
        ("True False", "1.0 0.0", {"1.0": "True", "0.0": "False"}),
        ("pos neg", "yes no", {"yes": "pos", "no": "neg"}),
        ("cat dog", "1 0", {}),
        ("red green blue", "0 1 2", {}),
    ],
)
def test_mapping_of_labels(truth, said, mapping):
    pairs = zip(truth.split(), said.split(), strict=True)
    text = "y_true,y_pred\n" + "".join(f"{a},{b}\n" for a, b in pairs)
    with pytest.raises(LabelsDoNotMeet) as caught:
        read(text)
    assert caught.value.mapping == mapping
    if mapping:
        predictions = read(text, roles={"labels": mapping})
        np.testing.assert_array_equal(predictions.truth, predictions.outputs["y_pred"])


WRONG = [
    ({"truth": "zz"}, 'There is no column "zz"', "zz"),
    ({"truth": "y_true", "models": ["y_true"]}, "cannot be both", "y_true"),
    ({"models": {"m": {"output": "y_pred", "score": "y_pred"}}}, "cannot be both", "y_pred"),
    ({"slices": ["y_true"], "truth": "y_true"}, "cannot be both", "y_true"),
    ({"models": {"m": {"said": "y_pred"}}}, 'A model has no "said"', None),
    ({"colour": "y_true"}, 'There is no role "colour"', None),
    ({"task": "guessing"}, 'There is no task "guessing"', None),
    ({"positive": "zebra"}, 'There is no class "zebra"', None),
    ({"truth": None, "models": ["y_pred"]}, "no truth was recognised", None),
    ({"count": "y_true", "truth": None, "models": ["y_pred", "s"]}, "a whole number", "y_true"),
]


@pytest.mark.parametrize(("roles", "words", "column"), WRONG)
def test_roles_that_cannot_be(roles, words, column):
    with pytest.raises(ReadingError, match=words) as caught:
        read("y_true,y_pred,s\na,a,b\nb,a,b\n", roles=roles)
    assert caught.value.column == column
    if "no column" in words:
        assert '"y_true", "y_pred" and "s"' in str(caught.value)


def test_roles_by_hand():
    text = "a,b,c,d,e,f,g\n1,1,.5,k,3,x,u\n0,1,.25,l,2,y,u\n"
    roles = {
        "truth": "a",
        "models": {"M": {"output": "b", "score": "c"}},
        "id": "d",
        "count": "e",
        "slices": ["f"],
        "group": "g",
        "positive": "0",
        "ignored": [],
    }
    predictions = read(text, roles=roles)
    assert predictions.models == ("M",)
    assert predictions.counts.tolist() == [3, 2]
    assert predictions.ids.tolist() == ["k", "l"]
    assert predictions.slices["f"].tolist() == ["x", "y"]
    assert predictions.groups.tolist() == [0, 0]
    assert predictions.positive == "0"
    as_numbers = read(text, roles=roles | {"task": "regression", "positive": None})
    assert as_numbers.truth.dtype == float


def test_long_file_names_what_is_missing_or_double():
    text = (
        "id,model,truth,prediction\n1,A,x,x\n2,A,y,x\n2,A,y,y\n1,B,x,y\n2,B,y,y\n3,B,x,x\n3,A,x,x\n"
        "4,A,x,x\n4,B,y,x\n,A,x,x\n5,B,x,x\n"
    )
    predictions = read(text)
    assert predictions.ids.tolist() == ["1", "2", "3", "4", "5"]
    assert predictions.classes == ("x", "y")
    np.testing.assert_array_equal(predictions.truth, [0, 1, 0, -1, 0])
    np.testing.assert_array_equal(predictions.outputs["A"], [0, -1, 0, 0, -1])
    np.testing.assert_array_equal(predictions.outputs["B"], [1, 1, 0, 0, 0])
    assert predictions.groups is None
    said = " ".join(predictions.report.warnings)
    assert '1 id with several rows for one model, such as "2"' in said
    assert "1 row without an id or a model" in said
    assert "1 case with different truths" in said


def test_long_file_with_probabilities_and_slices():
    rows = [f"{k},{m},{k % 2},.{k + 1},.{9 - k},{'NS'[k % 2]}" for m in "AB" for k in range(8)]
    predictions = read("id,model,truth,p_0,p_1,region\n" + "\n".join(rows))
    assert predictions.models == ("A", "B")
    assert predictions.scores["A"].shape == (8, 2)
    assert predictions.slices["region"].tolist() == ["N", "S"] * 4


def test_long_file_without_ids_is_matched_by_order():
    predictions = read("model,truth,prediction\nA,x,x\nA,y,x\nB,x,y\nB,y,y\n")
    assert predictions.n_cases == 2
    assert any("matched by their order" in note for note in predictions.report.notes)
    with pytest.raises(ReadingError, match="no column that names the case"):
        read("model,truth,prediction\nA,x,x\nA,y,x\nB,x,y\nB,y,y\nB,x,x\n")


def test_bad_cell_of_a_long_file_is_named_as_in_the_file():
    text = "id,model,truth,prediction\n1,A,1.5,1.25\n2,A,2.5,2\n1,B,1.5,bad\n2,B,2.5,2.25\n"
    with pytest.raises(ReadingError) as caught:
        read(text)
    assert (caught.value.row, caught.value.column) == (4, "prediction")


def log(records: list[dict]) -> str:
    base = {"doc": {"question": "q"}, "resps": [["r"]], "filtered_resps": ["r"], "target": "1"}
    return "\n".join(json.dumps(base | record) for record in records)


def test_questions_asked_again_form_groups():
    records = [
        {
            "doc_id": k,
            "filter": f,
            "metrics": ["exact_match", "f1"],
            "exact_match": k % 2,
            "f1": 0.5,
        }
        for _ in range(3)
        for k in range(4)
        for f in ("strict", "flexible")
    ]
    predictions = read(log(records), "samples.jsonl")
    assert predictions.n_cases == 12
    assert predictions.group_name == "doc_id"
    assert np.bincount(predictions.groups).tolist() == [3, 3, 3, 3]
    assert any("asked several times" in text for text in predictions.report.warnings)
    chosen = {"models": {"": {"value": "f1"}}, "model": "filter", "id": "doc_id"}
    again = read(log(records), "samples.jsonl", roles=chosen)
    np.testing.assert_array_equal(again.outputs["strict"], np.full(12, 0.5))


def test_old_logs_without_filter_or_metrics():
    records = [{"doc_id": k, "acc": float(k % 2), "acc_norm": 1.0} for k in range(5)]
    predictions = read(log(records), "samples.jsonl")
    assert (predictions.task, predictions.models) == ("score", ("acc",))
    np.testing.assert_array_equal(predictions.outputs["acc"], [0, 1, 0, 1, 0])


def test_true_and_false_are_values():
    text = '{"id": 1, "passed": true}\n{"id": 2, "passed": false}\n{"id": 3, "passed": null}\n'
    predictions = read(text, "f.jsonl")
    np.testing.assert_array_equal(predictions.outputs["passed"], [1, 0, np.nan])
    assert predictions.report.missing_outputs == {"passed": 1}


def test_columns_without_a_model_find_one():
    columns = read("y_true,y_pred,score\n1,1,.9\n0,1,.7\n").report.columns
    bare = [type(c)(name=c.name, role=c.role) for c in columns]
    assert roles_from_columns(bare, positive="0")["models"] == {
        "y_pred": {"output": "y_pred", "score": "score"}
    }
    assert roles_from_columns(bare, positive="0")["positive"] == "0"
