"""The page of estimators in a real browser: a deep link, one look at the test set, a phone."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.harness import WAIT, assert_no_horizontal_scroll, goto, idle

QUICK = "repetitions=1&draw=30&study_folds=5&resamples=5"


def test_a_deep_link_shows_the_estimators_beside_the_truth(page):
    goto(page, f"/estimators?{QUICK}")
    main = page.get_by_test_id("stMain")
    expect(main).to_contain_text("the fitted rule's true error is", timeout=WAIT)
    expect(page.locator(".st-key-study_chart .main-svg").first).to_be_visible(timeout=WAIT)
    expect(page.locator(".st-key-study_chart")).to_contain_text("Leave-one-out")


def test_the_test_set_is_read_once_and_a_later_change_is_marked(page):
    goto(page, "/estimators?look_at=Laboratory&cases=Iris+flowers&lab_k=9")
    main = page.get_by_test_id("stMain")
    page.locator(".st-key-freeze button").click(timeout=WAIT)
    expect(page.locator(".st-key-first_look")).to_contain_text("The test set has been read",
                                                               timeout=WAIT)  # fmt: skip
    page.get_by_text("Standardise", exact=True).click()
    expect(main).to_contain_text("made after the look", timeout=WAIT)
    expect(main).to_contain_text("standardised yes to no")


def test_work_can_be_stopped_and_taken_up_again(page):
    # Not goto(): it waits for the end of the work that is to be stopped.
    query = QUICK.replace("repetitions=1", "repetitions=100")
    page.goto(f"/estimators?{query}&seed=77", wait_until="domcontentloaded", timeout=WAIT)
    page.get_by_role("button", name="Stop").click(timeout=WAIT)
    expect(page.locator(".st-key-stopped")).to_contain_text("Stopped after", timeout=WAIT)
    expect(page.get_by_role("button", name="Go on")).to_be_visible()


def test_the_page_fits_a_phone(open_page):
    page = open_page(width=390, theme="dark")
    goto(page, f"/estimators?{QUICK}")
    for view in ("Estimators", "Folds", "Laboratory"):
        page.get_by_role("radio", name=view, exact=True).click()
        idle(page)
        expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible(timeout=WAIT)
        assert_no_horizontal_scroll(page)
