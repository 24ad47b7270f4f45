"""The paths people take: the sample at once, a file of their own, a link, a hostile file."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from pages.shared.frame import PAGES
from tests.browser.harness import (
    BACKGROUNDS,
    WAIT,
    assert_no_horizontal_scroll,
    assert_no_traceback,
    follow,
    goto,
    idle,
)
from tests.pages.data import HOSTILE_MODEL, HOSTILE_NAMES, hostile_csv
from tests.samples import CASES

UTF16 = CASES / "u01_utf16_tab" / "predictions.csv"


def upload(page: Page, file: Path) -> None:
    page.get_by_test_id("stFileUploader").locator("input[type=file]").set_input_files(file)
    expect(page.get_by_test_id("stMain")).to_contain_text(f"Loaded: {file.name}", timeout=WAIT)
    idle(page)


def test_a_fresh_start_shows_the_digits_and_leads_to_their_interval(page):
    goto(page, "/")
    glance = page.get_by_test_id("stMetricValue")
    expect(glance.first).to_have_text("96.9%", timeout=WAIT)
    follow(page, "One metric")
    expect(page.locator(".st-key-answer")).to_contain_text("94.6% to 98.3%")
    expect(page.locator(".st-key-answer")).to_contain_text("349 of 360 cases")
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible(timeout=WAIT)
    assert_no_traceback(page)


def test_a_level_is_taken_along_and_a_method_of_another_page_is_not(page):
    goto(page, "/metric")
    page.get_by_role("combobox", name="Confidence, %").click()
    page.get_by_role("option", name="80", exact=True).click()
    expect(page.locator(".st-key-answer")).to_contain_text("80% Wilson interval", timeout=WAIT)
    follow(page, "Compare models")
    expect(page.get_by_test_id("stMain")).to_contain_text("80% interval", timeout=WAIT)
    assert page.url.endswith("/compare?confidence=80")


def test_a_utf16_file_is_read_and_its_labels_keep_their_letters(page):
    goto(page, "/")
    upload(page, UTF16)
    expect(page.get_by_test_id("stMetricValue").first).to_have_text("80.0%", timeout=WAIT)
    expect(page.get_by_test_id("stMain")).to_contain_text("UTF-16")
    follow(page, "Errors")
    expect(page.locator(".js-plotly-plot").first).to_contain_text("señal", timeout=WAIT)


def test_a_file_that_cannot_be_read_is_explained_and_changes_nothing(page, tmp_path):
    broken = tmp_path / "letter.csv"
    broken.write_text("Dear team,\nplease find attached the predictions.\n")
    goto(page, "/")
    page.get_by_test_id("stFileUploader").locator("input[type=file]").set_input_files(broken)
    alert = page.get_by_test_id("stAlert")
    expect(alert).to_contain_text("letter.csv", timeout=WAIT)
    expect(page.get_by_test_id("stMain")).to_contain_text("Loaded sample: Digits")
    assert_no_traceback(page)


def test_labels_that_do_not_meet_are_translated_by_the_reader(page):
    goto(page, "/")
    file = CASES / "u14_booleans" / "b.csv"
    page.get_by_test_id("stFileUploader").locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name="Read it like this").click(timeout=WAIT)
    expect(page.get_by_test_id("stMain")).to_contain_text("Loaded: b.csv", timeout=WAIT)
    expect(page.get_by_test_id("stMetricValue").first).to_have_text("75.0%")


def test_a_deep_link_is_answered_as_the_very_first_request(page, first_answer):
    assert "347 of 360 cases are right" in first_answer
    goto(page, "/metric?sample=screening&metric=Recall&confidence=0.9")
    main = page.get_by_test_id("stMain")
    expect(main).to_contain_text("actual positives", timeout=WAIT)
    expect(main).to_contain_text("90% Wilson interval")


def test_hostile_names_are_shown_as_they_are_on_every_page(page, tmp_path):
    file = tmp_path / "hostile.csv"
    file.write_bytes(hostile_csv())
    goto(page, "/")
    upload(page, file)
    main = page.get_by_test_id("stMain")
    for label in ("One metric", "Errors"):
        follow(page, label)
        expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible(timeout=WAIT)
        shown = main.inner_text().replace("\u2060", "")
        assert HOSTILE_MODEL in shown
        assert_no_traceback(page)
    ticks = page.locator(".js-plotly-plot").first.inner_text()
    assert any(name[:12] in ticks for name in HOSTILE_NAMES if "<" in name)
    assert not main.locator("img[src*='192.0.2.1'], a[href*='example.org']").count()


def test_a_cell_of_the_matrix_lists_its_cases(page):
    goto(page, "/errors")
    points = page.locator(".st-key-matrix .scatterlayer .points path")
    expect(points).to_have_count(100, timeout=WAIT)
    points.nth(81).click(force=True)
    heading = page.get_by_role("heading", name="2 cases of class 8 called 1")
    expect(heading).to_be_visible(timeout=WAIT)


@pytest.mark.parametrize("width", [1280, 390])
def test_no_page_scrolls_sideways(open_page, width):
    page = open_page(width=width)
    goto(page, "/")
    for entry in PAGES.values():
        follow(page, entry.label)
        for theme, background in BACKGROUNDS.items():
            page.emulate_media(color_scheme=theme)
            app = page.get_by_test_id("stApp")
            expect(app).to_have_css("background-color", background)
            if entry.label != "Data":
                expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible(timeout=WAIT)
            idle(page)
            assert_no_horizontal_scroll(page)
            assert_no_traceback(page)
