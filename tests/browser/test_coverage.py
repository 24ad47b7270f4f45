"""The Coverage page in a real browser."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.harness import WAIT, assert_no_horizontal_scroll, assert_no_traceback, goto, idle


def test_a_deep_link_opens_the_pile_it_describes_and_plays(page):
    goto(page, "/coverage?sets=250&n=40&order=By+score")
    main = page.get_by_test_id("stMain")
    expect(main).to_contain_text("Of 250 intervals", timeout=WAIT)
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible(timeout=WAIT)
    page.get_by_role("button", name="+50", exact=True).click()
    expect(main).to_contain_text("Of 300 intervals", timeout=WAIT)
    idle(page)
    page.get_by_role("button", name="Play").click()
    expect(main).not_to_contain_text("Of 300 intervals", timeout=WAIT)
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play")).to_be_visible(timeout=WAIT)
    assert "sets=" in page.url
    assert_no_traceback(page)


def test_a_projected_page_has_no_menu_and_does_not_scroll_sideways(page):
    goto(page, "/coverage?present=true")
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible(timeout=WAIT)
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    assert_no_horizontal_scroll(page)
