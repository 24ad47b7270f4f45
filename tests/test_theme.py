"""The theme: every setting is known to Streamlit, and all text can be read."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from streamlit import config

ROOT = Path(__file__).parents[1]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def luminance(color: str) -> float:
    """Return the relative luminance of #RRGGBB (WCAG 2.2)."""
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def theme() -> dict:
    return tomllib.loads(read(".streamlit/config.toml"))["theme"]


def test_contrast_is_measured_right():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21.0)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.005)  # WCAG's own example


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_text_is_readable(mode):
    colors = theme()[mode]
    grounds = (
        colors["backgroundColor"],
        colors["secondaryBackgroundColor"],
        colors["sidebar"]["backgroundColor"],
    )
    for ground in grounds:
        assert contrast(colors["textColor"], ground) >= 4.5
        assert contrast(colors["primaryColor"], ground) >= 4.5


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_logo_is_visible(mode):
    (color,) = set(re.findall(r"#[0-9A-F]{6}", read("assets/logo.svg") + read("assets/icon.svg")))
    colors = theme()[mode]
    for ground in (colors["backgroundColor"], colors["sidebar"]["backgroundColor"]):
        assert contrast(color, ground) >= 3.0


def test_every_setting_is_one_that_streamlit_knows():
    known = set(config.get_config_options())

    def names(prefix, table):
        for key, value in table.items():
            if isinstance(value, dict):
                yield from names(f"{prefix}{key}.", value)
            else:
                yield prefix + key

    assert set(names("", tomllib.loads(read(".streamlit/config.toml")))) <= known
