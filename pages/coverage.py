"""What does 95 percent mean? Test sets from a known world, and exact coverage."""

from __future__ import annotations

from evalcore.binomial import exact_coverage
from evalcore.simulation import next_score_share
from pages.shared import teaching
from pages.shared.controls import pick_view
from pages.shared.coverage_exact import show_exact
from pages.shared.coverage_pile import show_pile
from pages.shared.frame import open_page
from pages.shared.teaching import Exercise

VIEWS = {"Intervals pile up": show_pile, "Exact coverage": show_exact}


def main() -> None:
    loaded = open_page("pages/coverage.py")
    teaching.switches()
    pick_view("What is shown", VIEWS, key="coverage_view")(loaded)
    teaching.exercises(questions())


def questions() -> list[Exercise]:
    """Return the exercises, with answers that are computed here and now."""
    wald = float(exact_coverage(10, 0.9, method="wald").coverage)
    return [
        Exercise(
            key="expected_misses",
            question="Forty teams each score a model of their own on a test set of their own, and "
            "each report a 95% interval that keeps its promise. How many of the intervals are "
            "expected to miss the truth?",
            answer=40 * 0.05,
            tolerance=0.01,
            unit="intervals",
            hint="The promise is about the whole row of intervals: 5 in 100 miss.",
            because="5% of 40 are 2, and nothing on the reports says which two.",
        ),
        Exercise(
            key="wald_ten",
            question="Ten cases, a model that is right on 90% of all cases, and the Wald interval "
            "at 95%. How often does it hold the truth? Read it off the exact coverage.",
            answer=100 * wald,
            tolerance=1.0,
            unit="percent",
            hint="Exact coverage, 10 cases, Wald: look at a true share of 90%.",
            because=f"It is {wald:.1%}: with all ten right it has no width at all.",
        ),
        Exercise(
            key="next_score",
            question="An interval holds the truth 95 times in 100. About how often does it hold "
            "the score of the next test set of the same size?",
            answer=100 * next_score_share(0.95),
            tolerance=2.0,
            unit="percent",
            hint="Let a few thousand intervals pile up and read the second number.",
            because=f"About {next_score_share(0.95):.0%}: the next score is as far from the truth "
            "as this one, in a direction of its own.",
        ),
    ]


main()
