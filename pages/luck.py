"""What luck alone can do to tests, leaderboards, holdouts and slices."""

from __future__ import annotations

from evalcore.binomial import proportion_interval
from evalcore.simulation import null_batches
from evalcore.sizing import expected_best
from pages.shared import teaching
from pages.shared.controls import pick_view
from pages.shared.frame import open_page
from pages.shared.luck_models import show_best, show_cut_axis, show_duel
from pages.shared.luck_tests import show_batches, show_looks, show_slices
from pages.shared.teaching import Exercise

VIEWS = {
    "Which model wins?": show_duel,
    "Many comparisons": show_batches,
    "Best of many": show_best,
    "Repeated looks": show_looks,
    "Slices": show_slices,
    "The cut axis": show_cut_axis,
}


def main() -> None:
    loaded = open_page("pages/luck.py")
    teaching.switches()
    pick_view("What is shown", VIEWS, key="luck_view")(loaded)
    teaching.exercises(questions())


def questions() -> list[Exercise]:
    """Return the exercises, with answers that are computed here and now."""
    alarm = null_batches(20, n_batches=1).expected_any
    best = expected_best(400, 0.8, 50) - 0.8
    slice_width = proportion_interval(225, 250, method="wald").width / 2
    return [
        Exercise(
            key="twenty_tests",
            question="A dashboard tests 20 metrics of two equal models, each at 0.05, and nothing "
            "is there to be found. How likely is at least one significant result?",
            answer=100 * alarm,
            tolerance=1.5,
            unit="percent",
            hint="Each of the 20 stays quiet with probability 0.95; all of them must.",
            because=f"It is {alarm:.0%}: one false alarm is likelier than none.",
        ),
        Exercise(
            key="fifty_models",
            question="Fifty settings of a model are all truly right on 80% of cases. By how many "
            "points is the best of them expected to beat 80% on a test set of 400?",
            answer=100 * best,
            tolerance=0.4,
            unit="points",
            hint="Best of many: 50 models, 80%, 400 cases.",
            because=f"About {100 * best:.1f} points, all of it luck.",
        ),
        Exercise(
            key="one_slice",
            question="A test set of 5,000 cases is reported in 20 equal slices, each near 90%. "
            "How far, to either side, does the 95% interval of one slice reach?",
            answer=100 * slice_width,
            tolerance=0.2,
            unit="points",
            hint="A slice has 250 cases; the half-width is 1.96 standard errors.",
            because=f"±{100 * slice_width:.1f} points, so slices a few points apart are one herd.",
        ),
    ]


main()
