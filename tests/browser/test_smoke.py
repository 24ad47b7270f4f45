"""The app starts, answers, and keeps to itself."""

from __future__ import annotations

import pytest
from playwright.sync_api import Error, expect

from tests.browser.harness import BACKGROUNDS, Seen, assert_no_horizontal_scroll, goto


def test_theme_follows_the_reader(open_page):
    for theme, background in BACKGROUNDS.items():
        page = open_page(theme=theme)
        goto(page, "/")
        expect(page.get_by_test_id("stApp")).to_have_css("background-color", background)


def test_harness_sees_foreign_requests_and_errors(app, browser):
    page = browser.new_page()
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
    page.close()


def test_harness_sees_a_page_that_is_too_wide(page):
    goto(page, "/")
    page.get_by_test_id("stMain").evaluate(
        "e => { const wide = document.createElement('div'); wide.className = 'too-wide';"
        " wide.style.cssText = 'width: 3000px; height: 1px'; e.append(wide); }"
    )
    with pytest.raises(AssertionError, match="too-wide"):
        assert_no_horizontal_scroll(page)


def test_missing_browser_fails_loudly(chromium):
    with pytest.raises(Error, match="nowhere"):
        chromium.launch(executable_path="/nowhere/chromium")
