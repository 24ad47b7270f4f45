"""The Data page: what is seen first, what is done with a refused file, how cases are shown."""

from __future__ import annotations

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.reading import read_predictions
from pages.shared import upload
from pages.shared.cases import localized
from pages.shared.preview import preview_table
from tests.samples import ROOT

REFUSED = b"Kennung;Befund;Automat\n1;a;a\n2;b;x\n3;b;x\n4;a;x\n5;a;x\n6;b;b\n"


def page(*files: tuple[str, bytes]) -> AppTest:
    """Open the page and upload files to it."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    assert not app.exception
    if files:
        app.file_uploader[0].set_value([(name, data, "text/csv") for name, data in files])
        app.run()
    assert not app.exception
    return app


def texts(app: AppTest) -> str:
    shown = [*app.markdown, *app.caption]
    return "\n".join(element.value.replace("\\", "") for element in shown)


def press(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception
    return app


def give_roles(monkeypatch: pytest.MonkeyPatch, roles: dict[str, str]) -> None:
    """Edit the table of columns as a visitor would; AppTest cannot type into it."""
    edit = upload.columns_editor

    def edited(columns, *, key):
        shown = edit(columns, key=key)
        return [replace(column, role=roles.get(column.name, column.role)) for column in shown]

    monkeypatch.setattr(upload, "columns_editor", edited)


def test_scores_and_their_comparison_come_first():
    app = page()
    assert [heading.value for heading in app.subheader][:2] == ["At a glance", "Your predictions"]
    shown = texts(app)
    assert "Loaded sample: **Digits" in shown
    assert "On these 360 cases network leads logreg in accuracy by 0.56 points" in shown
    assert "a reload of the page forgets them" in shown
    assert "Parquet or Excel (.xlsx)" in shown


def test_a_file_is_loaded_and_one_model_is_not_compared():
    app = page(("mine.csv", b"truth,net\na,a\nb,a\nb,b\n"))
    shown = texts(app)
    assert "Loaded: **mine.csv**" in shown
    assert "On these" not in shown
    assert app.metric[0].value.replace("\\", "") == "66.7%"


def test_a_refused_file_is_repaired_by_its_own_columns(monkeypatch):
    app = page(("befund.csv", REFUSED))
    assert "no truth was recognised" in app.error[0].value
    assert "Say which column is what:" in texts(app)
    assert app.data_editor[0].value["column"].tolist() == ["Kennung", "Befund", "Automat"]
    assert "Loaded sample: **Digits" in texts(app)
    give_roles(monkeypatch, {"Befund": "truth", "Automat": "output"})
    press(app, "Read it like this")
    assert not app.error
    assert "Loaded: **befund.csv**" in texts(app)
    assert app.metric[0].value.replace("\\", "") == "33.3%"


def test_roles_that_do_not_help_are_explained_and_can_be_given_again(monkeypatch):
    app = page(("befund.csv", REFUSED))
    with monkeypatch.context() as patch:
        give_roles(patch, {"Befund": "truth", "Automat": "truth"})
        press(app, "Read it like this")
        assert any("Only one column can be the truth" in error.value for error in app.error)
    with monkeypatch.context() as patch:
        give_roles(patch, {"Befund": "truth", "Automat": "score"})
        press(app, "Read it like this")
        assert "a number is needed" in app.error[0].value
        assert "Loaded sample: **Digits" in texts(app)
    give_roles(monkeypatch, {"Befund": "truth", "Automat": "output"})
    press(app, "Read it like this")
    assert "Loaded: **befund.csv**" in texts(app)


def test_labels_are_translated_and_that_is_said(monkeypatch):
    data = b"Befund,Automat,x\nyes,1,7\nno,0,8\nno,1,9\nyes,1,7\n"
    app = page(("befund.csv", data))
    give_roles(monkeypatch, {"Befund": "truth", "Automat": "output", "x": "detail"})
    press(app, "Read it like this")
    assert "none in common" in app.error[0].value
    press(app, "Read it like this")
    assert not app.error
    assert 'Labels translated: "1" read as "yes", "0" read as "no".' in texts(app)
    assert app.metric[0].value.replace("\\", "") == "75.0%"


def test_files_that_do_not_belong_together_are_refused():
    app = page(
        ("one.csv", b"id,y_true,y_pred\n1,a,a\n2,b,a\n"),
        ("two.csv", b"id,y_true,y_pred\nx,c,c\ny,d,c\n"),
    )
    assert "two files with a truth cannot be joined" in app.error[0].value
    assert "The x beside a file's name removes it" in texts(app)
    assert "Loaded sample: **Digits" in texts(app)


def test_first_cases_name_the_groups_as_the_file_does():
    rows = [f"P{i // 2:03d},{'ab'[i % 2]},a" for i in range(12)]
    data = "\n".join(["patient_id,truth,model", *rows]).encode()
    shown = preview_table(read_predictions(data, "f.csv"))
    assert shown["group: patient_id"].tolist()[:3] == ["P000", "P000", "P001"]


def test_large_counts_and_targets_get_separators():
    data = b"truth,predicted,count\na,a,1612700\na,b,100\nb,b,3\n"
    counts = preview_table(read_predictions(data, "counts.csv"))
    assert localized(counts)["count"]["type_config"]["format"] == "localized"
    data = b"truth,model\n125000.5,120000\n99.5,80\n0.25,1\n"
    assert set(localized(preview_table(read_predictions(data, "f.csv")))) == {"truth", "model said"}
    data = b"truth,model\n0.0005,0.0004\n0.0007,0.0001\n"
    assert localized(preview_table(read_predictions(data, "f.csv"))) == {}
