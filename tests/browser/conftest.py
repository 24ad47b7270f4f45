"""The app as a user starts it, and pages of it in a real Chromium."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, BrowserType, Page, sync_playwright

from tests.browser.harness import CHROMIUM, ROOT, App, Seen, free_port, goto, serve

HERE = Path(__file__).parent
CALL = pytest.StashKey[pytest.TestReport]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    """Keep the result of a test where its fixtures find it when they close."""
    report = yield
    if report.when == "call":
        item.stash[CALL] = report
    return report


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """Start the app the way ``make app`` does, on a free port."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app.py"]
    command += [f"--server.port={port}", "--server.address=127.0.0.1", "--server.headless=true"]
    command += ["--server.fileWatcherType=none"]
    log = tmp_path_factory.mktemp("app") / "log.txt"
    with serve(command, port=port, folder=ROOT, log=log) as running:
        yield running


@pytest.fixture(scope="session")
def chromium() -> Iterator[BrowserType]:
    """Return what starts Chromium."""
    with sync_playwright() as playwright:
        yield playwright.chromium


@pytest.fixture(scope="session")
def browser(
    app: App, chromium: BrowserType, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[BrowserContext]:
    """Start Chromium: Debian's where it is installed, else the one that Playwright fetched.

    It has a profile on disk, where it keeps the app's scripts compiled: they are most of what a
    page costs. Every page is a session of its own all the same.
    """
    arguments = ["--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]
    arguments += ["--force-color-profile=srgb"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        arguments.append("--no-sandbox")  # Chromium refuses to run as root with its sandbox
    context = chromium.launch_persistent_context(
        tmp_path_factory.mktemp("profile"),
        executable_path=CHROMIUM if CHROMIUM.exists() else None,
        args=arguments,
        base_url=app.url,
        reduced_motion="reduce",
        locale="en-US",
    )
    yield context
    context.close()


@pytest.fixture(scope="session")
def first_answer(browser: BrowserContext) -> str:
    """Send a deep link as the very first request the app gets, and return what its page said."""
    page = browser.new_page()
    goto(page, "/errors?model=logreg&confidence=90")
    said = page.get_by_test_id("stMain").inner_text()
    page.close()
    return said


@pytest.fixture
def open_page(
    app: App,
    browser: BrowserContext,
    first_answer: str,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> Iterator[Callable[..., Page]]:
    """Return a function that opens a blank page of a width and a theme.

    When the test ends, every page opened must have sent nothing to another host and must have
    shown no error in its console. The pages of a failed test leave a picture behind.
    """
    pages: list[Page] = []
    seen = Seen()

    def open_(*, width: int = 1280, height: int = 900, theme: str = "light") -> Page:
        page = browser.new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        # What the app remembers of an earlier page, such as a folded menu, is not this page's.
        page.add_init_script("localStorage.clear(); sessionStorage.clear();")
        seen.watch(page)
        pages.append(page)
        return page

    yield open_

    report = request.node.stash.get(CALL, None)
    if report is None or report.failed:
        for i, page in enumerate(pages):
            picture = tmp_path / f"page-{i}.png"
            page.screenshot(path=picture)
            print(f"{page.url} looked like {picture}")
        print(f"The app said:\n{app.log.read_text()[-4000:]}")
    for page in pages:
        page.close()
    assert not seen.foreign(app.url), "requests to other hosts"
    assert not seen.errors, "errors in the console"


@pytest.fixture
def page(open_page: Callable[..., Page]) -> Page:
    """Return a blank page of desktop width in the light theme."""
    return open_page()
