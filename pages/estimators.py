"""Ways to estimate the error of a rule, beside its true error; and a laboratory of wrong turns."""

from __future__ import annotations

import streamlit as st

from evalcore.estimators import Rule
from pages.shared import controls
from pages.shared.estimators_data import (
    OWN,
    Source,
    describe,
    own_table_box,
    pick_cases,
    pick_rule,
    source_of,
)
from pages.shared.estimators_folds import show_folds
from pages.shared.estimators_left_out import show_left_out
from pages.shared.estimators_views import show_curve, show_estimators
from pages.shared.frame import open_page
from pages.shared.laboratory import show_laboratory, show_wrong_turns
from pages.shared.showing import sentences

VIEWS = ("Estimators", "Error against k", "Folds", "Leaving out", "Laboratory", "Wrong turns")
# Of these the rule is nearest neighbours, whatever the k; of those below there is none.
NEIGHBOURS_ONLY = ("Error against k", "Laboratory")
NO_RULE = ("Leaving out",)


def main() -> None:
    open_page("pages/estimators.py")
    # No fragment here: the rerun of one waits for the run under way, so that fits that take
    # their time could not be left.
    view = st.segmented_control(
        "What to look at",
        VIEWS,
        default=VIEWS[0],
        required=True,
        key="look_at",
        bind="query-params",
        label_visibility="collapsed",
        wrap=True,
    )
    if view == "Wrong turns":
        show_wrong_turns()
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="controls"):
        key, n = pick_cases()
        given = view in NEIGHBOURS_ONLY or view in NO_RULE
        rule = Rule(kind="neighbours") if given else pick_rule()
        with st.popover("Seed", icon=":material/tune:"):
            seed = controls.pick_seed()
    if key == OWN:
        own_table_box()
    source = source_of(key, n, seed)
    if source is None:
        st.info("Bring a table above, or choose other cases.", icon=":material/upload_file:")
        return
    sentences([describe(source)])
    show(view, source, rule, seed)


def show(view: str, source: Source, rule: Rule, seed: int) -> None:
    """Show one of the views of these cases."""
    if view == "Error against k":
        show_curve(source, seed)
    elif view == "Folds":
        show_folds(source, rule, seed)
    elif view == "Leaving out":
        show_left_out(source, seed)
    elif view == "Laboratory":
        show_laboratory(source, seed)
    else:
        show_estimators(source, rule, seed)


main()
