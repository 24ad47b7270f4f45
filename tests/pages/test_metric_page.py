"""What the One metric page shows: the answer, its size, and every closer look."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.metrics import METRICS
from tests.pages.test_every_page import open_app
from tests.samples import SAMPLES

VIEWS = {
    "digits": ["Every model", "Resamples", "Curves", "Every metric", "Does it hold?"],
    "screening": ["Resamples", "Curves", "Every metric", "Does it hold?"],
    "listings": ["Every model", "Resamples", "Errors", "Every metric", "Does it hold?"],
    "log": ["Resamples", "Every metric", "Does it hold?"],
    "slices": ["Slices", "Resamples"],
    "groups": ["Resamples", "Every metric", "Does it hold?"],
}


def shown(app: AppTest) -> str:
    texts = [*app.markdown, *app.caption]
    return "\n".join(element.value for element in texts).replace("\\", "")


def test_digits_accuracy() -> None:
    app = open_app("pages/metric.py", "digits")
    assert app.metric[0].value.replace("\\", "") == "96.9%"
    assert "94.6% to 98.3%" in shown(app)
    assert "349 of 360 cases · standard error 0.9 points" in shown(app)
    assert "about 1,375 cases" in shown(app)


def test_the_other_model_and_another_level() -> None:
    app = open_app("pages/metric.py", "digits")
    app.selectbox(key="model").set_value("logreg")
    app.selectbox(key="confidence").set_value(0.99).run()
    assert app.metric[0].value.replace("\\", "") == "96.4%"
    assert "347 of 360 cases · standard error 1.0 points" in shown(app)
    assert "99% Wilson interval" in shown(app)


def test_recall_counts_the_cases_of_the_class() -> None:
    app = open_app("pages/metric.py", "digits")
    recall = next(m for m in app.selectbox(key="metric").options if m == "Recall")
    app.selectbox(key="metric").select(recall).run()
    app.selectbox(key="class").set_value("8").run()
    assert app.metric[0].value.replace("\\", "") == "91.4%"
    assert "32 of 35 actual positives" in shown(app)


@pytest.mark.parametrize(("data", "view"), [(d, v) for d, views in VIEWS.items() for v in views])
def test_every_closer_look_can_be_opened(data: str, view: str) -> None:
    app = open_app("pages/metric.py", data)
    assert view in app.segmented_control(key="view").options
    if view == "Does it hold?" and data != "log":
        return  # it draws a thousand test sets; the test of it below opens it for the others
    app.segmented_control(key="view").set_value(view).run()
    assert not app.exception, [element.value for element in app.exception]


def test_groups_change_the_interval_and_the_naive_one_is_the_contrast() -> None:
    app = open_app("pages/metric.py", "groups")
    assert "20 of 40 cases in 10 groups" in shown(app)
    assert "If rows of one patient were taken for independent cases" in shown(app)
    app.toggle(key="by_group").set_value(False).run()
    assert "20 of 40 cases" in shown(app)


def test_a_threshold_turns_scores_into_labels() -> None:
    app = open_app("pages/metric.py", "screening")
    before = app.metric[0].value
    app.number_input(key="threshold").set_value(3.0).run()
    assert app.metric[0].value != before


def test_the_python_of_the_page_gives_the_same_number(tmp_path, monkeypatch, capsys) -> None:
    app = open_app("pages/metric.py", "digits")
    code = next(block.value for block in app.code if "metric_interval" in block.value)
    (tmp_path / "digits.csv").write_bytes((SAMPLES / "digits.csv").read_bytes())
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "reproduced", "exec"), {})
    assert "estimate=0.96944" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("data", "metric", "methods", "said"),
    [
        ("digits", "macro_f1", {"Delta method", "Bootstrap BCa"}, "of 360 cases"),
        ("screening", "auc", {"DeLong", "DeLong, log odds"}, "Not judged here: Bootstrap"),
        ("listings", "median_absolute_error", {"Order statistics"}, "held the true value"),
        ("groups", "accuracy", {"Cluster-robust", "Wilson, groups ignored"}, "of 10 groups"),
    ],
)
def test_does_it_hold_judges_the_methods_of_any_metric(
    data: str, metric: str, methods: set[str], said: str
) -> None:
    app = open_app("pages/metric.py", data)
    app.selectbox(key="metric").select(METRICS[metric].label).run()
    app.segmented_control(key="view").set_value("Does it hold?").run()
    assert not app.exception, [element.value for element in app.exception]
    table = next(d.value for d in app.dataframe if "held the true value" in d.value)
    assert methods <= set(table["method"])
    assert table["held the true value"].between(0, 1).all()
    assert said in shown(app)
