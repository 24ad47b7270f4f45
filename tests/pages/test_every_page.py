"""Every page with everything that people bring: no traceback, the heading, the data's name."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.frame import PAGES
from pages.shared.state import FIRST_SAMPLE, SAMPLES
from tests.pages.data import FILES, loaded
from tests.samples import ROOT


def open_app(page: str, data: str | None) -> AppTest:
    """Run a page of the app in a new session, with a file already loaded."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    if data is not None:
        app.session_state["loaded"] = loaded(data)
    if page != "app.py":
        # The page a visitor asks for is the only one that runs, also on the very first request.
        app.switch_page(page)
    return app.run()


# Pages that hardly look at what is loaded meet the kinds of file that there are, not every file.
KINDS = [None, *SAMPLES, "unlabelled", "one row", "one class", "hostile"]
APART = ("pages/sizing.py", "pages/coverage.py", "pages/luck.py", "pages/estimators.py")
MEETINGS = [(page, data) for page in PAGES for data in (KINDS if page in APART else [None, *FILES])]


@pytest.mark.parametrize(("page", "data"), MEETINGS)
def test_page_shows_no_traceback(page: str, data: str | None) -> None:
    app = open_app(page, data)
    assert not app.exception, [element.value for element in app.exception]
    assert not app.error
    assert app.title[0].value == PAGES[page].label


def test_the_first_page_starts_with_the_sample() -> None:
    app = open_app("app.py", None)
    assert app.session_state["loaded"].sample == FIRST_SAMPLE
    assert [metric.value.replace("\\", "") for metric in app.metric] == ["96.9%", "96.4%"]
