"""The page of estimators: numbers a visitor sees, refusals, the laboratory and its looks."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.estimators import POPULATIONS, Rule, load_cases, repeat_estimators
from evalcore.wording import study_sentence
from tests.samples import ROOT

QUICK = {"repetitions": "1", "draw": "30", "study_folds": "5", "resamples": "5"}


def open_estimators(**query: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.switch_page("pages/estimators.py")
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception, [element.value for element in app.exception]
    return app


def words(app: AppTest) -> str:
    shown = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error]
    return "\n".join(element.value for element in shown).replace("\\", "")


def test_every_estimator_stands_beside_the_true_error() -> None:
    app = open_estimators(**QUICK)
    found = repeat_estimators(
        POPULATIONS["mixture"], Rule(kind="neighbours", k=1), n=30, seed=1,
        methods=["apparent", "loocv"], fresh=10_000,
    )  # fmt: skip
    table = app.dataframe[0].value.set_index("estimator")
    assert table.loc["Apparent error", "mean"] == 0.0
    assert table.loc["Leave-one-out", "mean"] == 100 * found.estimates["loocv"].estimate
    assert table.loc["Leave-one-out", "fits"] == 30
    said = study_sentence({"a": 0.0}, found.truth, repetitions=1, n=30, fresh=10_000)
    assert said.split(".")[0] in words(app)
    assert "Repeated K-fold (15 fits)" in words(app)


def test_unsound_folds_are_warned_of_and_impossible_ones_refused() -> None:
    app = open_estimators(
        look_at="Folds", cases="Iris flowers", folds="3", stratify="false", shuffle="false"
    )
    table = app.dataframe[0].value
    assert table["error"].tolist() == [100.0] * 3
    assert "a class is judged that the fit never saw" in words(app)
    assert table.filter(like="cases of").sum().tolist() == [50, 50, 50]


def test_nested_folds_list_their_winners() -> None:
    app = open_estimators(look_at="Folds", fold_design="Nested", folds="3", draw="30")
    assert "Chosen in the 3 outer folds: k = " in words(app)
    assert app.dataframe[0].value["chosen"].str.startswith("k = ").all()


def test_the_test_set_is_read_once_and_later_changes_are_marked() -> None:
    app = open_estimators(look_at="Laboratory", cases="Iris flowers", lab_k="9")
    assert "The test cases have not been read yet" in words(app)
    assert not app.metric
    app.button(key="freeze").click().run()
    first = app.metric[0]
    assert first.label.startswith("Test error of k = ")
    assert "The test set has been read. First look" in words(app)
    assert not [button for button in app.button if button.key == "freeze"]
    app.selectbox(key="lab_folds").select(3).run()
    assert "made after the look (so far: folds 5 to 3)" in words(app)
    app.button(key="freeze").click().run()
    assert app.metric[0].value == first.value
    looks = app.dataframe[0].value
    assert looks["made"].tolist() == ["before the look", "after the look"]
    assert looks["changed since the first"].tolist() == ["", "folds 5 to 3"]
    assert "no longer that of an untouched test set" in words(app)
    app.number_input(key="lab_split").set_value(2).run()
    assert "The test cases have not been read yet" in words(app)


def test_a_table_of_ones_own_is_asked_for_read_and_explained() -> None:
    app = open_estimators(cases="My own table", **QUICK)
    assert "Bring a table above" in words(app)
    app.get("file_uploader")[0].upload("letter.csv", b"Dear all\n").run()
    assert app.error
    rows = [f"{i},{i % 7},{'ab'[i % 2]},{'yes' if i % 7 > 3 else 'no'}" for i in range(60)]
    data = "\n".join(["size,weight,site,answer", *rows]).encode()
    app.get("file_uploader")[0].upload("cases.csv", data).run()
    assert not app.exception
    assert not app.error
    assert app.selectbox(key="features_target").value == "answer"
    assert "60 cases, 3 features; no 36, yes 24" in words(app)
    assert "The true error is not known here" in words(app)


def test_a_wrong_turn_is_measured() -> None:
    app = open_estimators(look_at="Wrong turns", turn="Select features before folding")
    assert "points too little error on average" in words(app)


@pytest.mark.parametrize(
    "query",
    [
        QUICK,
        {"look_at": "Error against k", "cases": "Iris flowers"},
        {"look_at": "Folds", "fold_design": "Nested", "folds": "3", "draw": "30"},
        {"look_at": "Laboratory", "draw": "40", "lab_k": "9"},
    ],
    ids=lambda query: query.get("look_at", "Estimators"),
)
def test_the_python_that_is_shown_runs(query: dict[str, str], capsys) -> None:
    app = open_estimators(**query)
    (code,) = [element.value for element in app.code if "import" in element.value]
    exec(compile(code, "shown", "exec"), {})
    assert capsys.readouterr().out


def test_the_jackknife_corrects_a_variance_to_the_unbiased_one() -> None:
    app = open_estimators(look_at="Leaving out", cases="Iris flowers")
    values = load_cases("iris").features[:, 0]
    table = app.dataframe[0].value.set_index("what")["value"]
    assert table["statistic of all cases"] == pytest.approx(values.var())
    assert table["bias-corrected"] == pytest.approx(values.var(ddof=1))
    said = words(app)
    assert "corrected it is" in said
    # 1 - (1 - 1/150)^150 = 0.63335 by hand.
    assert "with probability 63.3%, so about 95 distinct ones" in said


@pytest.mark.parametrize("statistic", ["Mean", "Median", "Coefficient of variation"])
def test_every_statistic_has_its_jackknife(statistic: str) -> None:
    app = open_estimators(look_at="Leaving out", draw="40", statistic=statistic)
    assert f"The {statistic.lower()} of these 40 cases is" in words(app)
    assert "jackknife standard error" in app.dataframe[0].value["what"].tolist()
