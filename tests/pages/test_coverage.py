"""The Coverage page: what a class sees when one thing is moved."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.binomial import exact_coverage
from evalcore.intervals import metric_interval
from tests.pages.test_every_page import open_app
from tests.samples import sample

PAGE = "pages/coverage.py"


def open_coverage(data: str | None = None) -> AppTest:
    return open_app(PAGE, data)


def view(app: AppTest, name: str) -> AppTest:
    app.session_state["coverage_view"] = name
    return app.run()


def words(app: AppTest) -> str:
    return " ".join(element.value for element in app.markdown).replace("\\", "")


def chart(app: AppTest, place: int = 0) -> dict:
    return json.loads(app.get("plotly_chart")[place].proto.spec)


def kinds_drawn(app: AppTest) -> int:
    """Return how many kinds of interval, hits and misses, have marks in the chart."""
    marks = [trace["x"] for trace in chart(app)["data"] if trace["mode"] == "markers"]
    return sum(bool(x["bdata"] if isinstance(x, dict) else x) for x in marks)


def test_buttons_add_test_sets_and_keep_those_that_were_drawn():
    app = open_coverage()
    assert "Of 100 intervals" in words(app)
    before = [metric.value for metric in app.metric]
    app.button(key="add_50").click().run()
    assert "Of 150 intervals" in words(app)
    app.number_input(key="sets").set_value(100).run()
    assert [metric.value for metric in app.metric] == before
    app.button(key="add_500").click().run()
    assert "Of 600 intervals" in words(app)
    assert "The last 200 of 600 are drawn; all are counted." in [c.value for c in app.caption]
    app.button(key="reset").click().run()
    assert "No test set has been drawn yet." in words(app)
    app.button(key="add_1").click().run()
    assert "The one interval holds the truth" in words(app)
    assert kinds_drawn(app) == 1


def test_playing_adds_sets_by_itself_until_it_is_paused():
    app = open_coverage()
    app.button(key="play").click().run()
    assert app.session_state["sets"] > 100
    played = app.session_state["sets"]
    app.run()
    assert app.session_state["sets"] == played + 10
    app.button(key="pause").click().run()
    paused = app.session_state["sets"]
    app.run()
    assert app.session_state["sets"] == paused


def test_the_count_is_set_beside_what_enumeration_says():
    app = open_coverage()
    app.number_input(key="n").set_value(10).run()
    app.selectbox(key="method").set_value("wald").run()
    exact = float(exact_coverage(10, 0.9, method="wald").coverage)
    assert f"holds a true share of 90.0% in {exact:.1%} of test sets" in words(app)
    app.number_input(key="sets").set_value(5_000).run()
    held = float(app.metric[0].value.split("%")[0])
    assert held == pytest.approx(100 * exact, abs=4 * 0.7)


def test_the_loaded_errors_are_a_market_with_or_without_their_largest():
    app = open_coverage("listings")
    app.selectbox(key="statistic").set_value("mean").run()
    assert app.selectbox(key="errors").value == "loaded"
    truth = chart(app)["layout"]["shapes"][0]["x0"]
    # listings.json, linear: mean error 56,189.3, and 50,552.3 without the six largest.
    assert truth == pytest.approx(56189.3476, abs=1e-3)
    app.number_input(key="largest").set_value(6).run()
    assert chart(app)["layout"]["shapes"][0]["x0"] == pytest.approx(50552.3405, abs=1e-3)
    app.number_input(key="n").set_value(600).run()
    app.button(key="draw_thousand").click().run()
    table = app.dataframe[0].value
    assert set(table["method"]) >= {"Student's t", "Bootstrap percentile", "Bootstrap BCa"}
    assert table["held the truth"].between(0.91, 0.97).all()


@pytest.mark.parametrize(("statistic", "metric"), [("recall", "recall"), ("auc", "auc")])
def test_recall_and_auc_of_the_loaded_cases_are_a_market(statistic: str, metric: str):
    app = open_coverage("digits")
    app.selectbox(key="statistic").set_value(statistic).run()
    app.selectbox(key="source").set_value("loaded").run()
    app.selectbox(key="model").set_value("logreg").run()
    app.selectbox(key="class").set_value("8").run()
    expected = metric_interval(sample("digits"), metric, "logreg", label="8").estimate
    assert chart(app)["layout"]["shapes"][0]["x0"] == pytest.approx(100 * expected)
    app.button(key="add_500").click().run()
    assert "Of 600 intervals" in words(app)
    code = " ".join(block.value for block in app.code)
    assert ("scores_world(" if statistic == "auc" else "world = ShareWorld(") in code
    assert not app.exception


def test_exact_coverage_is_that_of_evalcore():
    app = view(open_coverage(), "Exact coverage")
    table = app.dataframe[0].value.set_index("method")
    wald = exact_coverage(50, [i / 1000 for i in range(1001)], method="wald").coverage
    assert table.loc["Wald (normal)", "lowest coverage"] == pytest.approx(wald.min())
    assert table.loc["Wald (normal)", "mean coverage"] == pytest.approx(wald.mean())
    app.slider(key="span").set_value((0.4, 0.6)).run()
    narrowed = app.dataframe[0].value.set_index("method")
    assert narrowed.loc["Wald (normal)", "lowest coverage"] > 0.9
    app.multiselect(key="methods").set_value([]).run()
    assert "Choose at least one method." in [info.value for info in app.info]


def test_the_saw_tooth_against_the_cases():
    app = view(open_coverage(), "Exact coverage")
    app.selectbox(key="along").set_value("against the cases").run()
    assert "More cases do not always cover more" in words(app)
    assert chart(app)["layout"]["xaxis"]["title"]["text"] == "cases"


def test_the_answer_is_hidden_until_somebody_has_guessed():
    app = open_coverage()
    app.toggle(key="predict").set_value(True).run()
    assert "how many hold the truth?" in words(app)
    assert not app.metric
    assert not app.get("plotly_chart")
    app.slider(key="guess_pile").set_value(95).run()
    app.button(key="show_pile").click().run()
    assert "You said 95%; it is 91.0%: off by 4." in words(app)
    assert len(app.metric) == 2
    app.button(key="again_pile").click().run()
    assert not app.metric


def test_presenter_mode_keeps_the_chart_and_the_controls():
    app = open_coverage()
    app.toggle(key="present").set_value(True).run()
    assert len(app.get("plotly_chart")) == 1
    assert chart(app)["layout"]["font"]["size"] >= 18
    assert app.button(key="add_50")
    assert not app.expander
    assert "hold the score" not in words(app)


@pytest.mark.parametrize(
    ("key", "right", "wrong"),
    [("expected_misses", 2, 38), ("wald_ten", 65, 95), ("next_score", 83, 95)],
)
def test_exercises_know_their_answers(key, right, wrong):
    app = open_coverage()
    box = app.number_input(key=f"exercise_{key}")
    box.set_value(wrong).run()
    assert app.warning[0].value.startswith("Not yet")
    app.number_input(key=f"exercise_{key}").set_value(right).run()
    assert app.success[0].value.startswith("Right")
