"""The Test-set size page in a real browser: a link, an example, a number typed in."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, expect

from tests.browser.harness import (
    WAIT,
    assert_no_horizontal_scroll,
    assert_no_traceback,
    goto,
    idle,
)


def asked(page: Page) -> dict[str, list[str]]:
    """Return the settings that the address holds."""
    return parse_qs(urlsplit(page.url).query)


def test_a_plan_comes_as_a_link_and_changes_with_what_is_typed(page):
    goto(page, "/sizing?d=8.412&gap=0.924&test=Formula")
    answer = page.locator(".st-key-answer")
    expect(answer).to_contain_text("7,734", timeout=WAIT)
    expect(answer).to_contain_text("79.0% power")
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible(timeout=WAIT)
    gap = page.get_by_label("Gap to find, points")
    gap.fill("2")
    gap.press("Enter")
    expect(answer).to_contain_text("1,651", timeout=WAIT)
    idle(page)
    assert asked(page)["gap"] == ["2"]
    assert asked(page)["d"] == ["8.412"]
    gap.fill("20")
    gap.press("Enter")
    expect(page.get_by_test_id("stAlert").first).to_contain_text("impossible", timeout=WAIT)
    assert_no_traceback(page)


def test_an_example_fills_the_controls_and_the_address(open_page):
    page = open_page(width=390, theme="dark")
    goto(page, "/sizing")
    answer = page.locator(".st-key-answer")
    expect(answer).to_contain_text("6,457", timeout=WAIT)
    page.get_by_role("button", name="Examples").click()
    page.get_by_text("Screening recall at 1% prevalence").click()
    expect(answer).to_contain_text("24,600", timeout=WAIT)
    idle(page)
    assert asked(page)["question"] == ["Measure one score"]
    page.get_by_role("button", name="Examples").click()
    page.get_by_text("A tenth of a point on a leaderboard").click()
    expect(answer).to_contain_text("629,884", timeout=WAIT)
    idle(page)
    assert asked(page)["gap"] == ["0.1"]
    assert_no_horizontal_scroll(page)
    assert_no_traceback(page)


def test_a_summary_can_be_taken_away(page):
    goto(page, "/sizing?gap=2")
    expect(page.locator(".st-key-answer")).to_contain_text("1,645", timeout=WAIT)
    with page.expect_download() as download:
        page.get_by_role("button", name="Summary, HTML").click()
    summary = download.value.path().read_text(encoding="utf-8")
    assert "1,645" in summary
    assert "a gap of 2 points" in summary
    assert "http" not in summary
