"""Settings of the whole suite."""

from __future__ import annotations

import os

from hypothesis import settings

# A shared machine is slow now and then, which is no fault of the code; elsewhere than in CI every
# run tries new examples, in CI the same ones, so that a change is judged by what it changed.
settings.register_profile(
    "margin", deadline=None, max_examples=30, derandomize=bool(os.environ.get("CI"))
)
settings.load_profile("margin")
