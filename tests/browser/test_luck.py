"""The Luck page in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.harness import WAIT, assert_no_horizontal_scroll, assert_no_traceback, goto

# The longest row of controls, beside two charts.
VIEWS = ("Repeated looks",)


def test_a_deep_link_asks_for_a_guess_before_it_answers(page):
    goto(page, "/luck?luck_view=Many+comparisons&tests=50&predict=true")
    main = page.get_by_test_id("stMain")
    expect(main).to_contain_text("Of 100 batches of 50 tests of nothing", timeout=WAIT)
    expect(page.locator(".js-plotly-plot")).to_have_count(0)
    page.get_by_role("button", name="Show the answer").click()
    expect(main).to_contain_text("You said 50%", timeout=WAIT)
    expect(main).to_contain_text("independent tests: 92.3%")
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible(timeout=WAIT)
    assert_no_traceback(page)


@pytest.mark.parametrize("view", VIEWS)
def test_no_view_scrolls_sideways_on_a_phone(open_page, view):
    page = open_page(width=390, theme="dark")
    goto(page, f"/luck?luck_view={view.replace(' ', '+').replace('?', '%3F')}")
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible(timeout=WAIT)
    assert_no_horizontal_scroll(page)
    assert_no_traceback(page)
