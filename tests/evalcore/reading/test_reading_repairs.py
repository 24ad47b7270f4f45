"""Files that were refused or misread: headers in other languages, and what a refusal offers."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import openpyxl
import pytest

from evalcore.reading import (
    LabelsDoNotMeet,
    ReadingError,
    join_predictions,
    read_predictions,
    roles_from_columns,
)
from evalcore.reading import words as names


def read(text: str, name: str = "f.csv", **options):
    return read_predictions(text.encode(), name, **options)


def roles_of(columns) -> dict[str, str]:
    return {column.name: column.role for column in columns}


HEADERS = {
    "German": "Fallnummer;Patientin;Wahrheit;Vorhersage;Wahrscheinlichkeit;Anzahl",
    "German, adjectives": "Fall;Gruppe;tatsächlich;vorhergesagt;Konfidenz;Häufigkeit",
    "German, phrases": "ID;Kunde;tatsächliche Klasse;vorhergesagte Klasse;Risiko;Anzahl",
    "French": "identifiant;groupe;vérité;prédiction;probabilité;effectif",
    "French without accents": "numero;patiente;reel;predit;confiance;nombre",
    "Spanish": "caso;paciente;verdad;predicción;probabilidad;cantidad",
    "Spanish, adjectives": "identificador;grupo;real;predicho;puntuación;conteo",
    "Portuguese": "exemplo;paciente;verdadeiro;previsto;probabilidade;contagem",
    "Italian": "riga;paziente;vero;predetto;punteggio;conteggio",
    "Italian, phrases": "esempio;gruppo;classe reale;classe predetta;probabilità;frequenza",
}
ROWS = ("7;a;x;y;0,25;3", "3;a;y;y;0,75;12", "5;b;x;x;0,5;40", "9;b;y;y;0,875;1")


@pytest.mark.parametrize("language", HEADERS)
def test_headers_of_other_languages(language):
    predictions = read("\n".join([HEADERS[language], *ROWS]))
    found = [column.role for column in predictions.report.columns]
    assert found == ["id", "group", "truth", "output", "score", "count"]
    assert len(predictions.models) == 1
    np.testing.assert_array_equal(predictions.truth, [0, 1, 0, 1])
    np.testing.assert_array_equal(predictions.counts, [3, 12, 40, 1])


def test_soll_is_the_truth_beside_ist():
    predictions = read("Ist;Soll\nja;nein\nnein;nein\nja;ja\n")
    assert roles_of(predictions.report.columns) == {"Ist": "output", "Soll": "truth"}
    assert predictions.positive == "ja"
    assert roles_of(read("Ist;Vorhersage\nja;nein\nnein;nein\n").report.columns) == {
        "Ist": "truth",
        "Vorhersage": "output",
    }


@pytest.mark.parametrize("name", ["y_true", "label", "target", "expected", "ground truth"])
def test_english_truth_comes_before_words_of_other_languages(name):
    text = f"real,ist,{name},pred\n1,0,a,a\n0,0,b,a\n0,1,b,b\n1,1,a,b\n"
    assert roles_of(read(text).report.columns)[name] == "truth"


@pytest.mark.parametrize("name", ["list", "history", "really", "region", "vertical", "fallback"])
def test_words_that_contain_a_role_word_have_no_role(name):
    assert names.truth_rank(name) is None
    assert not names.has_role_word(name)
    assert names.ID_NAMES.fullmatch(name) is None


def test_refusal_carries_the_columns_and_their_roles_repair_it():
    text = "Kennung;Befund;Automat;Sicherheit\n1;a;x;0,5\n2;b;y;0,25\n3;b;x;0,75\n"
    with pytest.raises(ReadingError, match="no truth was recognised") as caught:
        read(text)
    columns = caught.value.columns
    assert [column.name for column in columns] == ["Kennung", "Befund", "Automat", "Sicherheit"]
    assert columns[0].role == "id"
    assert columns[1].examples == ("a", "b")
    roles = {"Befund": "truth", "Automat": "output", "Sicherheit": "score"}
    edited = [replace(column, role=roles.get(column.name, "id")) for column in columns]
    with pytest.raises(LabelsDoNotMeet) as again:
        read(text, roles=roles_from_columns(edited))
    assert roles_of(again.value.columns) == {"Kennung": "id", **roles}
    mapped = roles_from_columns(edited) | {"labels": {"x": "a", "y": "b"}}
    predictions = read(text, roles=mapped)
    np.testing.assert_array_equal(predictions.outputs["Automat"], [0, 1, 0])
    np.testing.assert_array_equal(predictions.scores["Automat"], [0.5, 0.25, 0.75])


def test_refusal_for_want_of_a_model_carries_the_columns_too():
    with pytest.raises(ReadingError, match="no column as the predictions") as caught:
        read("id,y_true,text\n1,a,one\n2,b,two\n3,a,three\n")
    assert roles_of(caught.value.columns)["y_true"] == "truth"


def test_a_bad_cell_carries_the_columns_so_that_another_role_can_be_given():
    with pytest.raises(ReadingError, match="Row 3") as caught:
        read("y_true,y_pred,score\n1,1,0.5\n0,1,high\n1,0,.25\n0,0,.5\n", roles={"truth": "y_true",
             "models": {"m": {"output": "y_pred", "score": "score"}}})  # fmt: skip
    assert roles_of(caught.value.columns)["score"] == "score"


def test_two_columns_cannot_both_be_the_truth():
    columns = read("y_true,y_pred\na,a\nb,a\n").report.columns
    both = [replace(column, role="truth", model=None) for column in columns]
    with pytest.raises(ReadingError, match='Only one column can be the truth, not "y_true" and'):
        roles_from_columns(both)


LONE = {
    "label and score": ("id,prediction,score\n1,a,.5\n2,b,.75\n3,a,.25\n", '"score" of a model'),
    "binary score": ("id,prediction,score\n1,a,1\n2,b,0\n3,a,1\n", '"prediction"'),
    "score alone": ("id,score\n1,.5\n2,.75\n3,.25\n", '"score" of a model'),
    "confidence": ("id,pred,confidence\n1,a,.5\n2,b,.75\n3,a,.25\n", '"confidence" of a model'),
}


@pytest.mark.parametrize("kind", LONE)
def test_a_lone_model_without_truth_is_refused(kind):
    text, found = LONE[kind]
    with pytest.raises(ReadingError, match="no truth was recognised") as caught:
        read(text)
    assert found in str(caught.value)
    assert "needed are a truth and a model's predictions" in str(caught.value)
    assert set(roles_of(caught.value.columns).values()) <= {"id", "output", "score"}


@pytest.mark.parametrize(
    "name",
    ["correct", "is_correct", "acc", "exact_match", "em", "right", "passed", "reward", "grade",
     "f1", "rouge_l", "rouge1", "bleu"],
)  # fmt: skip
def test_marks_make_a_score_task(name):
    predictions = read(f"id,prediction,{name}\n1,a,1\n2,b,0\n3,c,1\n")
    assert predictions.task == "score"
    np.testing.assert_array_equal(predictions.outputs[predictions.models[0]], [1, 0, 1])


def test_a_score_is_a_mark_where_that_is_said():
    predictions = read("id,score\n1,.5\n2,1\n3,0\n", roles={"task": "score"})
    np.testing.assert_array_equal(predictions.outputs["score"], [0.5, 1, 0])


def test_translated_labels_are_said():
    text = "y_true,y_pred\nyes,1\nno,0\nyes,0\nno,0\n"
    with pytest.raises(LabelsDoNotMeet) as caught:
        read(text)
    predictions = read(text, roles={"labels": caught.value.mapping})
    said = 'Labels translated: "1" read as "yes", "0" read as "no".'
    assert said in predictions.report.notes
    untouched = read("truth,model\nyes,yes\nno,no\n", roles={"labels": {"1": "yes"}})
    assert not any("translated" in note for note in untouched.report.notes)


def workbook(sheets: dict[str, list[list]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


README = [["Item", "Meaning"], ["y_true", "what is right"], ["y_pred", "what was said"]]
RAGGED = [["About"], ["a", "b", "c"], ["", "only"], ["x", "", "", "y"]]
RESULTS = [["id", "y_true", "y_pred"], ["p", "a", "a"], ["q", "b", "a"], ["r", "b", "b"]]
OTHER = [["id", "y_true", "y_pred"], ["p", "a", "b"]]


def test_the_first_sheet_that_holds_predictions_is_read():
    book = workbook({"Readme": README, "Old": RAGGED, "Results": RESULTS, "Other": OTHER})
    predictions = read_predictions(book, "b.xlsx")
    assert predictions.n_cases == 3
    said = 'Read the sheet "Results"; not read: "Readme", "Old" and "Other".'
    assert said in predictions.report.notes


def test_sheets_are_searched_when_files_are_joined():
    model = workbook({"Readme": README, "Run": [["id", "pred"], ["p", "a"], ["q", "b"]]})
    truth = b"id,label\np,a\nq,b\nr,a\n"
    predictions = join_predictions([(truth, "truth.csv"), (model, "net.xlsx")])
    assert predictions.models == ("net",)
    assert predictions.report.join.matched == 2


def test_without_predictions_the_first_sheet_is_named_with_its_columns():
    with pytest.raises(ReadingError, match='"Item" and "Meaning"') as caught:
        read_predictions(workbook({"Readme": README, "More": RAGGED}), "b.xlsx")
    assert [column.name for column in caught.value.columns] == ["Item", "Meaning"]
    other = {"truth": "Item", "models": ["Meaning"]}
    with pytest.raises(LabelsDoNotMeet):
        read_predictions(workbook({"Readme": README, "R": RESULTS}), "b.xlsx", roles=other)


TRUTH = (b"id,label\n1,a\n2,b\n3,a\n", "truth.csv")
NET = (b"id,pred\n1,a\n2,b\n3,a\n", "net.csv")
STRANGER = (b"id,pred\nx,a\ny,b\nz,a\n", "stranger.csv")
COMPLETE = (b"id,y_true,y_pred\n1,a,a\n2,b,a\n3,b,b\n", "one.csv")
SECOND = (b"id,y_true,y_pred\nx,c,c\ny,d,c\nz,d,d\n", "two.csv")


@pytest.mark.parametrize(
    "files",
    [(TRUTH, STRANGER), (TRUTH, NET, STRANGER), (COMPLETE, STRANGER), (NET, STRANGER)],
)
def test_files_without_an_id_in_common_are_refused(files):
    with pytest.raises(ReadingError, match="cannot be joined") as caught:
        join_predictions(files)
    assert '"stranger.csv"' in str(caught.value)
    assert "Remove the file" in str(caught.value)


def test_two_complete_files_without_an_id_in_common_are_refused():
    with pytest.raises(ReadingError, match="two files with a truth cannot be joined") as caught:
        join_predictions([COMPLETE, SECOND])
    assert '"two.csv"' in str(caught.value)
    assert '"one.csv"' in str(caught.value)
    assert caught.value.file == "two.csv"


def test_a_joined_file_without_a_recognised_model_is_named():
    notes = (b"id,remark\n1,so\n2,la\n3,mi\n", "notes.csv")
    warnings = join_predictions([COMPLETE, notes]).report.warnings
    assert any(text.startswith('No column of "notes.csv" was recognised') for text in warnings)
    assert not any("recognised" in text for text in join_predictions([TRUTH, NET]).report.warnings)
