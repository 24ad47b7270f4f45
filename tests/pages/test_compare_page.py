"""What the Compare page shows: the gap, what decides it, and the ledger of comparisons."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from tests.pages.test_every_page import open_app
from tests.pages.test_metric_page import shown
from tests.samples import SAMPLES


def choose(app: AppTest, key: str, option: str) -> AppTest:
    return app.selectbox(key=key).select(option).run()


def test_digits_gap_is_not_decided() -> None:
    app = open_app("pages/compare.py", "digits")
    assert app.metric[0].value.replace("\\", "") == "+0.56 points"
    text = shown(app)
    assert "On these 360 cases network leads logreg in accuracy by 0.56 points" in text
    assert "not shown to be better" in text
    assert "6 of 360 cases decide: network alone is right on 4, logreg alone on 2." in text


def test_the_six_cases_are_listed_with_who_is_right() -> None:
    app = open_app("pages/compare.py", "digits")
    table = next(t.value for t in app.dataframe if "network said" in t.value.columns)
    right = dict(zip(table["case"].astype(int), table["right"], strict=True))
    assert right == {
        67: "network", 82: "network", 136: "network", 184: "network", 70: "logreg", 207: "logreg",
    }  # fmt: skip


def test_the_tests_are_those_of_the_reference() -> None:
    """tests/reference/digits.json and mcnemar.json: exact 0.6875, mid-p 0.453, chi2 0.414."""
    app = open_app("pages/compare.py", "digits")
    table = next(t.value for t in app.dataframe if "test" in t.value.columns)
    found = dict(zip(table["test"], table["p"], strict=True))
    assert found["McNemar, score (without correction)"] == "0.41"
    assert found["McNemar, exact"] == "0.69"
    assert found["McNemar, mid-p"] == "0.45"
    assert found["McNemar, continuity-corrected"] == "0.68"


def test_a_margin_can_show_equivalence() -> None:
    app = open_app("pages/compare.py", "digits")
    app.number_input(key="margin").set_value(5.0).run()
    assert not app.exception
    assert "shown to be equivalent within the margin" in shown(app)


def test_the_ledger_counts_what_was_looked_at_and_can_be_cleared() -> None:
    app = open_app("pages/compare.py", "listings")
    assert "One comparison so far" in shown(app)
    choose(app, "b", "boosting")
    assert "2 comparisons so far" in shown(app)
    choose(app, "a", "boosting")
    choose(app, "b", "linear")
    assert "2 comparisons so far" in shown(app), "the same pair the other way round"
    next(b for b in app.button if b.label == "Clear the list").click().run()
    assert "One comparison so far" in shown(app)


def test_all_models_are_counted_by_holm() -> None:
    app = open_app("pages/compare.py", "listings")
    app.segmented_control(key="compare").set_value("All models").run()
    assert not app.exception
    assert "3 comparisons: 1 of them is significant alone, 0 when all are counted" in shown(app)


def test_separate_test_sets() -> None:
    app = open_app("pages/compare.py", "unlabelled")
    assert any("Two scores from" in info.value for info in app.info)
    assert any("Type how many cases" in info.value for info in app.info), "no invented numbers"
    app.number_input(key="right_a").set_value(56)
    app.number_input(key="cases_a").set_value(70)
    app.number_input(key="right_b").set_value(48)
    app.number_input(key="cases_b").set_value(80).run()
    # Newcombe (1998c), table II, 56/70 against 48/80: .0524 to .3339.
    assert "A minus B is +20.00 points, 95% interval +5.2 to +33.4" in shown(app)
    app.number_input(key="right_a").set_value(71).run()
    assert "cannot be more right cases" in app.error[0].value


def test_the_python_of_the_page_gives_the_same_gap(tmp_path, monkeypatch, capsys) -> None:
    app = open_app("pages/compare.py", "digits")
    code = next(block.value for block in app.code if "compare_models" in block.value)
    (tmp_path / "digits.csv").write_bytes((SAMPLES / "digits.csv").read_bytes())
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "reproduced", "exec"), {})
    assert "only_a=4, only_b=2" in capsys.readouterr().out
