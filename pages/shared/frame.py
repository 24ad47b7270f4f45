"""The frame of every page: browser title, menu, what is loaded, heading."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from evalcore.charts import DARK, LIGHT, Palette
from evalcore.wording import level, loaded_sentence
from pages.shared.controls import LEVELS, in_percent
from pages.shared.state import ASSETS, Loaded, current
from pages.shared.text import escape

# Streamlit has no setting for the empty space above a page or the width of its text.
_STYLE = """
<style>
[data-testid="stMainBlockContainer"] {padding: 2.6rem 2.5rem 4rem; max-width: 76rem;}
@media (max-width: 640px) {[data-testid="stMainBlockContainer"] {padding: 4rem 1rem 3rem;}}
[data-testid="stHeading"] h1 {padding: 0.2rem 0 0;}
</style>
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One entry of the menu."""

    path: str
    label: str
    icon: str
    section: str | None
    question: str


PAGES = {
    page.path: page
    for page in (
        Page(
            path="app.py",
            label="Data",
            icon=":material/upload_file:",
            section=None,
            question="Which predictions shall be looked at?",
        ),
        Page(
            path="pages/metric.py",
            label="One metric",
            icon=":material/straighten:",
            section="Measure",
            question="How far can this score be trusted?",
        ),
        Page(
            path="pages/errors.py",
            label="Errors",
            icon=":material/grid_on:",
            section="Measure",
            question="Where does the model go wrong, and how surely?",
        ),
        Page(
            path="pages/compare.py",
            label="Compare models",
            icon=":material/compare_arrows:",
            section="Decide",
            question="Is one model really better on the same cases?",
        ),
        Page(
            path="pages/sizing.py",
            label="Test-set size",
            icon=":material/calculate:",
            section="Decide",
            question="How many cases have to be labelled, and what does that cost?",
        ),
        Page(
            path="pages/coverage.py",
            label="Coverage",
            icon=":material/stacked_line_chart:",
            section="Understand",
            question="What does 95 percent promise, and what not?",
        ),
        Page(
            path="pages/luck.py",
            label="Luck",
            icon=":material/casino:",
            section="Understand",
            question="What can luck alone do to tests and leaderboards?",
        ),
        Page(
            path="pages/estimators.py",
            label="Estimate a procedure's error",
            icon=":material/science:",
            section="Understand",
            question="How well do the ways to estimate an error find the true one?",
        ),
    )
}


def open_page(path: str) -> Loaded:
    """Draw everything around a page and return what is loaded."""
    page = PAGES[path]
    icon = ASSETS / "icon.svg"
    st.set_page_config(page_title=f"{page.label} · Margin", page_icon=str(icon), layout="wide")
    st.html(_STYLE)
    _menu()
    _tidy_address(path)
    loaded = current()
    _loaded_bar(loaded, path)
    st.title(page.label, anchor=False)
    st.markdown(page.question)
    return loaded


def _tidy_address(path: str) -> None:
    """Turn a confidence level given as ``0.9`` or ``90%`` into the ``90`` that the page shows.

    The address is the link that people copy, so it must say what the page says.
    """
    asked = st.query_params.get("confidence", "")
    for value in LEVELS:
        if asked in (f"{value:g}", level(value)):
            settings = st.query_params.to_dict() | {"confidence": in_percent(value)}
            st.switch_page(path, query_params=settings)


def palette() -> Palette:
    """Return the chart colours of the theme the visitor sees."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def _menu() -> None:
    st.logo(str(ASSETS / "logo.svg"), size="large", icon_image=str(ASSETS / "icon.svg"))
    section = None
    with st.sidebar:
        for page in PAGES.values():
            if page.section != section:
                section = page.section
                st.caption(str(section))
            st.page_link(page.path, label=page.label, icon=page.icon)


def _loaded_bar(loaded: Loaded, path: str) -> None:
    predictions = loaded.predictions
    what = "Loaded sample" if loaded.sample else "Loaded"
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="loaded_bar"):
        st.markdown(
            f"{what}: **{escape(loaded.title)}** · {escape(loaded_sentence(predictions))}",
            width="stretch",
        )
        if path != "app.py":
            st.page_link("app.py", label="Replace", icon=":material/swap_horiz:", width="content")
