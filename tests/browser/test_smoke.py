"""The app starts, answers, and keeps to itself."""

from __future__ import annotations

import pytest
from playwright.sync_api import Error

from tests.browser.harness import Seen, assert_no_horizontal_scroll, goto


def test_theme_follows_the_reader(open_page):
    backgrounds = []
    for theme in ("light", "dark"):
        page = open_page(theme=theme)
        goto(page, "/")
        backgrounds.append(
            page.get_by_test_id("stApp").evaluate("e => getComputedStyle(e).backgroundColor")
        )
    assert backgrounds == ["rgb(255, 255, 255)", "rgb(16, 22, 29)"]


def test_harness_sees_foreign_requests_and_errors(app, browser):
    context = browser.new_context(base_url=app.url)
    page = context.new_page()
    seen = Seen()
    seen.watch(page)
    goto(page, "/")
    assert not seen.foreign(app.url)
    with page.expect_request("http://192.0.2.1/pixel.png"), page.expect_console_message():
        page.evaluate(
            "() => { new Image().src = 'http://192.0.2.1/pixel.png'; console.error('oh'); }"
        )
    with page.expect_event("pageerror"):
        page.evaluate("() => { setTimeout(() => { throw new Error('broken'); }, 0); }")
    assert seen.foreign(app.url) == ["http://192.0.2.1/pixel.png"]
    assert any(error.startswith("oh") for error in seen.errors)
    assert any("broken" in error for error in seen.errors)
    context.close()


def test_harness_sees_a_page_that_is_too_wide(page):
    goto(page, "/")
    page.get_by_test_id("stMain").evaluate(
        "e => { const wide = document.createElement('div'); wide.className = 'too-wide';"
        " wide.style.cssText = 'width: 3000px; height: 1px'; e.append(wide); }"
    )
    with pytest.raises(AssertionError, match="too-wide"):
        assert_no_horizontal_scroll(page)


def test_missing_browser_fails_loudly(browser):
    with pytest.raises(Error, match="nowhere"):
        browser.browser_type.launch(executable_path="/nowhere/chromium")
