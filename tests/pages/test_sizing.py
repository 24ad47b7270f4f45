"""The Test-set size page: the plans a user reads, and what it says of impossible ones."""

from __future__ import annotations

import io

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from evalcore.reading import read_predictions
from pages.shared.sizing_summary import Summary, as_html, as_markdown
from pages.shared.state import Loaded
from tests.pages.data import HOSTILE_NAMES, loaded
from tests.samples import CASES, ROOT


def plan(data: str | Loaded | None = None, **asked: str) -> AppTest:
    """Open the page by a link that holds these settings."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    if data is not None:
        app.session_state["loaded"] = loaded(data) if isinstance(data, str) else data
    app.switch_page("pages/sizing.py")
    for key, value in asked.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception, [element.value for element in app.exception]
    return app


def labels(app: AppTest) -> int:
    """Return the large number."""
    return int(app.metric[0].value.replace(",", ""))


def text(app: AppTest) -> str:
    """Return every sentence of the page, escapes removed."""
    parts = [*app.markdown, *app.caption, *app.error, *app.info]
    return "\n".join(part.value for part in parts).replace("\\", "")


ONE = {"question": "Measure one score"}
BUDGET = {"question": "What can my budget do?"}


def test_a_one_point_gap() -> None:
    app = plan()
    assert labels(app) == 6457
    said = text(app)
    assert "Cost 3,228.50" in said
    assert "Achieves 80.0% power" in said
    assert "a gap of 1 point (absolute)" in said
    assert "The formula (z + z)² d / gap² says 6,280 cases" in said
    assert "saw-toothed" in said


def test_the_worked_example_is_shown_as_it_is() -> None:
    """d = .08412, gap = .00924: formula 7,734 cases, exact power there .790, 7,926 for .80.

    Power by enumeration in R 4.2.2: 0.790104589662607 at n = 7,734.
    """
    app = plan(d="8.412", gap="0.924", test="Formula")
    assert labels(app) == 7734
    said = text(app)
    assert "Achieves 79.0% power" in said
    assert "has 79.0% power there, short of the 80% aimed at" in said
    assert "keeps 80% from 7,926 cases on" in said


def test_only_the_disagreements_get_a_label() -> None:
    app = plan(d="8.412", gap="0.924", test="Formula", labelling="only disagreements")
    assert labels(app) == 651
    assert "7,734 cases that both models answer" in text(app)


def test_a_tenth_of_a_point_takes_some_630_000_cases() -> None:
    app = plan(d="8", gap="0.1")
    assert 620_000 < labels(app) < 635_000


def test_a_size_too_large_to_enumerate_says_so() -> None:
    app = plan(d="8", gap="0.01")
    assert labels(app) == pytest.approx(7.849 * 0.08 / 0.0001**2, rel=1e-3)
    assert "too many to enumerate" in text(app)


@pytest.mark.parametrize(("test", "size"), [("Formula", 110), ("Formula by Connor", 108)])
def test_disagreement_from_two_accuracies(test: str, size: int) -> None:
    """CT 75 %, MRI 85 %, correlation .6 (statulator.com, paired proportions): 110 and 108."""
    app = plan(source="From two accuracies", accuracy_a="75", accuracy_b="85", rho="0.6", test=test)
    assert labels(app) == size
    assert "leave 13.95% of the cases" in text(app)


def test_separate_sets_stand_beside_the_common_one() -> None:
    """80 % against 85 %: 906 per model; R 4.2.2 power.prop.test gives 905.3."""
    app = plan(d="10", gap="5", accuracy_a="80", look="Separate test sets", test="Formula")
    assert labels(app) == 314
    said = text(app)
    assert "906 cases for each model, 1,812 labels in all" in said
    assert "between 5% and 35%" in said


def test_label_disagreement_is_an_upper_bound_of_discordance() -> None:
    """25 of 120 differ in label, 13 in correctness: 2,126 or 4,088 cases for a gap of 2 points."""
    file = CASES / "m19_disagreement_is_not_discordance" / "predictions.csv"
    data = file.read_bytes()
    labelled = Loaded(
        predictions=read_predictions(data, file.name),
        files=((data, file.name),),
        roles=None,
        sample=None,
    )
    asked = {"source": "From the loaded file", "gap": "2", "test": "Formula"}
    app = plan(labelled, **asked)
    assert labels(app) == pytest.approx(2126, abs=1)
    assert "right on 10.83% of the 120 cases" in text(app)
    bare = pd.read_csv(io.BytesIO(data), dtype=str)
    truth = labelled.predictions.report.columns
    names = [column.name for column in truth if column.role == "truth"]
    unlabelled = bare.drop(columns=names).to_csv(index=False).encode()
    app = plan(
        Loaded(
            predictions=read_predictions(unlabelled, "bare.csv"),
            files=((unlabelled, "bare.csv"),),
            roles=None,
            sample=None,
        ),
        **asked,
    )
    assert labels(app) == pytest.approx(4088, abs=1)
    assert "upper bound of d" in text(app)
    assert "Over the interval of d" in text(app)


def test_the_gap_may_be_read_from_the_file() -> None:
    app = plan("digits", source="From the loaded file", gap_kind="as seen in the file")
    assert "The gap planned for, 0.5556 points" in text(app)
    assert labels(app) > 4000


def test_disagreement_from_an_upload_beside_what_is_loaded() -> None:
    app = plan("listings", source="From another file", gap="2")
    assert not app.metric
    rows = "\n".join(f"{i},a,{'ab'[i % 10 == 0]}" for i in range(200))
    app.file_uploader[0].upload("both.csv", f"id,old,new\n{rows}\n".encode(), "text/csv").run()
    assert not app.exception
    assert "The two labels differ on 10% of the 200 cases" in text(app)
    assert labels(app) == labels(plan(d="10", gap="2"))
    assert app.session_state["loaded"].sample == "listings"


def test_an_upload_that_cannot_be_read_is_explained() -> None:
    app = plan(source="From another file")
    app.file_uploader[0].upload("letter.csv", b"Dear team,\nplease find attached.\n").run()
    assert not app.exception
    assert "letter.csv" in app.error[0].value.replace("\\", "")


def test_a_file_without_labels_of_two_models_is_explained() -> None:
    app = plan("listings", source="From the loaded file")
    assert not app.metric
    assert "two models" in app.info[0].value


def test_comparisons_and_slices_share_the_level() -> None:
    alone, many = plan(gap="2"), plan(gap="2", comparisons="10", slices="5")
    assert labels(many) > 5 * labels(alone)
    assert "in each of 5 slices" in text(many)


def test_one_sided_takes_fewer_cases() -> None:
    assert labels(plan(gap="2", sides="B better than A only")) < labels(plan(gap="2"))


def test_groups_multiply_the_cases() -> None:
    app = plan(gap="2", groups="groups, typed in", group_size="5", icc="0.1")
    assert labels(app) == pytest.approx(1.4 * labels(plan(gap="2")), abs=1)
    assert "1.4 of them tell as much" in text(app)


def test_groups_are_measured_in_the_loaded_file() -> None:
    app = plan("groups", **ONE, groups="groups, as in the loaded file")
    assert any("design effect" in caption.value for caption in app.caption)
    assert app.metric


def test_money_counts_annotators_and_labels_that_exist() -> None:
    app = plan(gap="2", price="2", annotators="3", labelled="25")
    cases = labels(plan(gap="2"))
    new = -(-cases * 3 // 4)
    assert labels(app) == 3 * new
    assert f"Cost {2 * 3 * new:,}" in text(app)


def test_relative_gaps_are_said_in_points() -> None:
    app = plan(gap="1", gap_kind="% relative to A")
    assert "is 0.9 points absolute" in text(app)
    assert labels(app) > 6457


def test_screening_recall_needs_25_000_cases_for_250_positives() -> None:
    app = plan(**ONE, measure="Recall")
    assert labels(app) == 24_600
    assert "246 actual positives" in text(app)


def test_the_textbook_half_width() -> None:
    """p = .15, plus or minus .03: z² p q / E² = 544.2, so 545."""
    assert labels(plan(**ONE, expected_accuracy="15", width="3")) == 545


def test_an_assured_width_takes_more_cases() -> None:
    expected = plan(**ONE, expected_accuracy="80", size_method="Wilson")
    assured = plan(
        **ONE, expected_accuracy="80", size_method="Wilson", guarantee="with 90% assurance"
    )
    assert labels(expected) == 245
    assert labels(assured) == 272
    assert "91.4% of all test sets" in text(assured)


def test_better_than_80_percent() -> None:
    app = plan(**ONE, aim="Better than", expected_accuracy="83")
    assert labels(app) == 1107
    assert "passes with at most 199 errors" in text(app)


def test_at_most_three_misses() -> None:
    """P(X <= 3) < .05 for X binomial(n, .05) first at n = 153; scipy 1.17 binom.cdf."""
    app = plan(**ONE, aim="At most k misses", required="95", expected_accuracy="99")
    assert labels(app) == 153
    assert "passes such a test" in text(app)


def test_twenty_teams() -> None:
    """Hoeffding with a union bound, margin .05, 20 teams, 95 %: ln(20 / .05) / .005 = 1,199."""
    app = plan(**ONE, aim="Best of several")
    assert labels(app) == 1199
    assert "score is optimistic" in text(app)


@pytest.mark.parametrize("measure", ["AUC", "A mean, such as MAE", "Precision", "Specificity"])
def test_every_score_has_a_plan(measure: str) -> None:
    assert labels(plan(**ONE, measure=measure)) > 100


@pytest.mark.parametrize(
    ("data", "metric"),
    [("listings", "Mean absolute error"), ("digits", "Macro F1"), ("breast_cancer", "Recall")],
)
def test_any_metric_is_planned_from_the_loaded_file(data: str, metric: str) -> None:
    app = plan(data, **ONE, measure="From the loaded file", metric=metric)
    assert labels(app) > 0
    assert metric in text(app)
    assert "loaded" in text(app)


def test_f1_of_the_loaded_file_is_simulated_and_says_so() -> None:
    asked = {**ONE, "measure": "From the loaded file", "metric": "F1", "half_f1": "5"}
    app = plan("screening", **asked)
    said = text(app)
    assert "This is simulated: 1,000 test sets" in said
    assert "points on average" in said
    assured = plan("screening", **asked, pilot_guarantee="with 90% assurance")
    assert labels(assured) > 1.1 * labels(app)
    assert "in 90% of test sets" in text(assured)
    assert "simulated_sample_size(predictions, 'f1'" in "".join(c.value for c in assured.code)
    scaled = plan("screening", **asked, method="Bootstrap percentile")
    assert "simulated" not in text(scaled)


def test_a_pilot_in_which_nothing_varies_is_refused_with_a_reason() -> None:
    """In every group of that file half of the cases are right, so whole groups do not differ."""
    app = plan("groups", **ONE, measure="From the loaded file", metric="Accuracy")
    assert not app.metric
    assert "must show how much" in app.error[0].value.replace("\\", "")


def test_what_a_budget_decides() -> None:
    app = plan(**BUDGET)
    assert labels(app) == 4000
    assert "a gap of 1.27 points (absolute) or more" in text(app)
    table = app.dataframe[0].value.set_index("question")["answer"]
    assert table["Accuracy near 90%, 95% interval"] == "plus or minus 0.93 points"
    assert table["Shown better than 80%"] == "with at most 758 errors"


def test_a_slice_of_250_cases_is_known_to_3_7_points() -> None:
    """Normal half-width 3.7 points at 250 cases and 90 %; Wilson's is 3.73."""
    app = plan(**BUDGET, budget="2500", share_slice="5")
    table = app.dataframe[0].value.set_index("question")
    assert table.loc["Accuracy in a slice of 5%, 95% interval", "from"] == "250 cases"
    assert "3.7" in table.loc["Accuracy in a slice of 5%, 95% interval", "answer"]


@pytest.mark.parametrize(
    "look",
    ["By gap and disagreement", "Only the disagreements", "Separate test sets", "Every test"],
)
def test_every_closer_look(look: str) -> None:
    app = plan(look=look)
    assert len(app.dataframe) == 1
    assert len(app.dataframe[0].value) >= 2


def test_labelling_one_by_one_stops_early_and_judges_where_one_stands() -> None:
    app = plan(gap="2", look="Only the disagreements", only_a="2", only_b="40")
    table = app.dataframe[0].value.set_index("labelled")
    assert "expected of" in table.loc["one by one, may stop", "labels"]
    assert "stop, B is shown better" in text(app)
    assert "B was right on 95.24% of the 42 cases" in text(app)
    assert "however often one looks, its share of all deciding cases is between" in text(app)
    one = plan(gap="2", look="Only the disagreements", sides="B better than A only", only_b="9")
    assert "one by one, may stop" in set(one.dataframe[0].value["labelled"])
    assert "one-sided test that may stop" in text(one)
    assert "share of all deciding cases is at least" in text(one)
    assert "label the next" in text(one)


@pytest.mark.parametrize(
    ("asked", "possible"),
    [
        ({"gap": "9"}, "at most 8 points"),
        ({"gap": "0"}, "smallest gap that matters"),
        ({"d": "0"}, "above 0%"),
        ({"d": "40", "gap": "5", "accuracy_a": "80"}, "between 5% and 35%"),
        ({"gap": "5", "accuracy_a": "97"}, "at most 3 points"),
        ({"power": "100"}, "below 100%"),
        ({"level": "0"}, "above 0%"),
        ({"source": "From two accuracies", "rho": "-1"}, "correlation must be from"),
        ({"source": "From two accuracies", "accuracy_b": "90"}, "same accuracy"),
        ({**ONE, "width": "0"}, "Enter something between"),
        ({**ONE, "measure": "Recall", "share_recall": "0"}, "above 0%"),
        ({**ONE, "expected_accuracy": "100"}, "below 100%"),
        ({**ONE, "aim": "Better than", "expected_accuracy": "75"}, "require less"),
        ({**ONE, "measure": "A mean, such as MAE", "sd": "0"}, "enter more"),
        ({**ONE, "measure": "AUC", "auc": "1"}, "below 100%"),
        ({**BUDGET, "budget": "0"}, "more than 0"),
        ({**BUDGET, "budget": "0.1"}, "more than the budget"),
        ({**BUDGET, "labelled": "100"}, "less than 100%"),
    ],
)
def test_impossible_inputs_say_what_is_possible(asked: dict[str, str], possible: str) -> None:
    app = plan(**asked)
    assert not app.metric
    assert possible in app.error[0].value.replace("\\", "")


def test_the_summary_holds_everything_and_no_markup_of_a_user() -> None:
    summary = Summary(
        title="Test-set size: <b>",
        number="7,734",
        unit="labels to buy",
        sentence=HOSTILE_NAMES[0],
        results=((HOSTILE_NAMES[1], "79.0%"),),
        inputs=(("Measured", HOSTILE_NAMES[4]),),
        notes=(HOSTILE_NAMES[3],),
    )
    page = as_html(summary)
    assert "7,734" in page
    assert "79.0%" in page
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page
    written = as_markdown(summary)
    assert "**7,734 labels to buy**" in written
    assert "](http" not in written
    assert "<img" not in written.replace("\\<", "")
