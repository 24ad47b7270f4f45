"""Settings of the whole suite."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

# A shared machine is slow now and then, which is no fault of the code; elsewhere than in CI every
# run tries new examples, in CI the same ones, so that a change is judged by what it changed.
settings.register_profile(
    "margin", deadline=None, max_examples=30, derandomize=bool(os.environ.get("CI"))
)
settings.load_profile("margin")


class OneBrowser(LoadScopeScheduling):
    """Hands out one test at a time, but the tests in a browser all to one worker, and first.

    Groups of tests that are marked, as the plain scheduler has them, pytest 9.2 no longer sees.
    """

    def _split_scope(self, nodeid: str) -> str:
        return "browser" if nodeid.startswith("tests/browser/") else nodeid


def pytest_xdist_make_scheduler(config: pytest.Config, log) -> OneBrowser:
    return OneBrowser(config, log)
