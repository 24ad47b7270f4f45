"""The Luck page: the numbers of every view as a visitor reads them."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.sizing import expected_best
from tests.pages.test_every_page import open_app

PAGE = "pages/luck.py"


def open_luck(view: str, data: str | None = None) -> AppTest:
    app = open_app(PAGE, data)
    app.session_state["luck_view"] = view
    return app.run()


def words(app: AppTest) -> str:
    return " ".join(element.value for element in app.markdown).replace("\\", "")


def test_which_model_wins_starts_with_the_published_pair():
    app = open_luck("Which model wins?")
    said = words(app)
    assert "On 1,000 cases the better model measures higher 85.0% of the time" in said
    assert "differ on 8.4% of all cases and by 1.0 points" in said
    table = app.dataframe[0].value.set_index("n")
    # Of 2,000 simulated sets of 10,000 cases 93 and 30 percent; by enumeration 92.7 and 30.4.
    assert table.loc[10_000, "paired_test"] == pytest.approx(0.927, abs=5e-4)
    assert table.loc[10_000, "disjoint"] == pytest.approx(0.304, abs=5e-4)


def test_which_model_wins_does_not_ask_which_is_called_a():
    app = open_luck("Which model wins?")
    before = words(app)
    app.number_input(key="accuracy_a").set_value(91.0).run()
    app.number_input(key="accuracy_b").set_value(90.0).run()
    assert words(app) == before
    app.number_input(key="accuracy_a").set_value(90.0).run()
    assert not app.exception
    assert "by 0.0 points" in words(app)


@pytest.mark.parametrize(("data", "source"), [("listings", "loaded"), ("one row", "normal")])
def test_many_comparisons_take_the_loaded_differences_where_there_are_some(data, source):
    app = open_luck("Many comparisons", data)
    assert app.selectbox(key="differences").value == source
    assert "Of 1,000 batches of 20 tests" in words(app)
    assert "(independent tests: 64.2%)" in words(app)
    app.number_input(key="tests").set_value(1).run()
    assert "(independent tests: 5.0%)" in words(app)
    app.number_input(key="tests").set_value(50).run()
    assert "(independent tests: 92.3%)" in words(app)


def test_best_of_many_names_the_points_of_luck():
    app = open_luck("Best of many")
    expected = expected_best(400, 0.8, 50)
    assert f"is expected to show {expected:.1%} on 400 cases: 4.4 points of luck" in words(app)
    app.number_input(key="entries").set_value(2).run()
    assert f"is expected to show {expected_best(400, 0.8, 2):.1%}" in words(app)
    assert "Over 2,000 competitions of 2 models" in words(app)


def test_repeated_looks_tell_the_truth_beside_what_is_believed():
    app = open_luck("Repeated looks")
    assert "the truth is 80.0% all along" in words(app)
    few = words(app)
    app.number_input(key="looks").set_value(5).run()
    assert "After 5 looks" in words(app)
    assert few != words(app)


def test_slices_of_250_cases():
    app = open_luck("Slices")
    assert "A slice of 250 cases at 90% is known to about ±3.7 points (95%)." in words(app)
    assert "All 20 slices are equally good" in words(app)
    app.number_input(key="slice_spread").set_value(3.0).run()
    assert "The 20 slices truly range from" in words(app)


def test_the_cut_axis_shows_the_gap_with_its_interval():
    app = open_luck("The cut axis")
    assert "Cut at 96%, the bar of B looks 2.43 times as high" in words(app)
    assert len(app.get("plotly_chart")) == 2
    for key in ("both", "only_a", "only_b"):
        app.number_input(key=key).set_value(0).run()
    assert "Both models need at least one right case." in [info.value for info in app.info]


VIEWS = {
    "Which model wins?": "duel",
    "Many comparisons": "batches",
    "Best of many": "best",
    "Repeated looks": "looks",
    "Slices": "slices",
    "The cut axis": "cut",
}


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_can_be_predicted_and_presented(view):
    app = open_luck(view)
    charts = len(app.get("plotly_chart"))
    app.toggle(key="predict").set_value(True).run()
    assert not app.get("plotly_chart")
    app.slider(key=f"guess_{VIEWS[view]}").set_value(12).run()
    app.button(key=f"show_{VIEWS[view]}").click().run()
    assert "You said 12%" in words(app)
    assert len(app.get("plotly_chart")) == charts
    app.toggle(key="present").set_value(True).run()
    assert not app.exception
    assert app.get("plotly_chart")
    assert not app.expander


@pytest.mark.parametrize(
    ("key", "right", "wrong"),
    [("twenty_tests", 64, 5), ("fifty_models", 4.4, 0), ("one_slice", 3.7, 0.4)],
)
def test_exercises_know_their_answers(key, right, wrong):
    app = open_luck("Slices")
    app.number_input(key=f"exercise_{key}").set_value(wrong).run()
    assert app.warning[0].value.startswith("Not yet")
    app.number_input(key=f"exercise_{key}").set_value(right).run()
    assert app.success[0].value.startswith("Right")
