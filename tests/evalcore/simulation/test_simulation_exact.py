"""Exact coverage: several methods at once, along n, and over a range."""

import json
from pathlib import Path

import numpy as np
import pytest

from evalcore.binomial import (
    PROPORTION_METHODS,
    exact_coverage,
    exact_coverages,
    proportion_limits,
)
from evalcore.simulation import coverage_along_n, coverage_range

REFERENCE = Path(__file__).parents[2] / "reference"
NAMES = {"likelihood_ratio": "lrt", "arcsine": "arcsine_anscombe", "logit": "logit_half"}
ROWS = json.loads((REFERENCE / "coverage.json").read_text())["cases"]


@pytest.mark.parametrize("method", PROPORTION_METHODS)
def test_coverage_along_n_agrees_with_the_reference(method):
    # coverage.json: enumeration over k = 0..n in Python, checked in R 4.2.2 (max diff 7e-16).
    name = NAMES.get(method, method)
    for row in ROWS:
        coverage, width = coverage_along_n(
            [row["n"]], row["p"], method=method, confidence_level=row["level"]
        )
        assert coverage[0] == pytest.approx(row["coverage"][name], abs=1e-9)
        assert width[0] == pytest.approx(row["expected_width"][name], abs=1e-9)


def test_coverage_along_n_is_that_of_each_n_alone():
    sizes = [1, 2, 7, 40, 333]
    coverage, width = coverage_along_n(sizes, 0.93, method="jeffreys")
    alone = [exact_coverage(n, 0.93, method="jeffreys") for n in sizes]
    assert coverage == pytest.approx([float(one.coverage) for one in alone], abs=1e-11)
    assert width == pytest.approx([float(one.expected_width) for one in alone], abs=1e-11)


def test_more_cases_can_cover_less():
    # Brown, Cai, DasGupta (2001), Statistical Science 16, table 1: at p = 0.5 the Wald interval
    # covers 0.951 at n = 17 and 0.904 at n = 18.
    coverage, _ = coverage_along_n([17, 18], 0.5, method="wald")
    assert coverage == pytest.approx([0.951, 0.904], abs=5e-4)


@pytest.mark.parametrize("n", [1, 2, 9, 10, 361])
@pytest.mark.parametrize("method", PROPORTION_METHODS)
def test_every_method_treats_right_and_wrong_alike(method, n):
    k = np.arange(n + 1.0)
    low, high = proportion_limits(k, n, method=method, confidence_level=0.9)
    assert 1.0 - high[::-1] == pytest.approx(low, abs=1e-9)


def test_several_methods_share_their_probabilities_and_change_nothing():
    shares = np.linspace(0, 1, 41)
    methods = ["wald", "blaker", "midp"]
    for method, found in zip(methods, exact_coverages(30, shares, methods), strict=True):
        alone = exact_coverage(30, shares, method=method)
        assert found.method == method
        np.testing.assert_array_equal(found.coverage, alone.coverage)
        np.testing.assert_allclose(found.expected_width, alone.expected_width, rtol=1e-13)


def test_range_reads_the_lowest_and_the_mean():
    found = exact_coverage(50, np.linspace(0, 1, 1001), method="wilson")
    whole, inner = coverage_range(found), coverage_range(found, (0.05, 0.95))
    assert whole.minimum == found.coverage.min()
    assert found.coverage[np.argmin(abs(found.proportion - whole.at))] == whole.minimum
    # exact_coverage states the minimum between 0.05 and 0.95 on a grid ten times finer: 0.9308.
    assert 0.9308 <= inner.minimum < 0.9325
    assert whole.mean == pytest.approx(found.coverage.mean())
    assert whole.mean_width == pytest.approx(found.expected_width.mean())


def test_bad_arguments_are_named():
    found = exact_coverage(5, [0.2, 0.4])
    with pytest.raises(ValueError, match="ends must hold"):
        coverage_range(found, (0.5, 0.6))
    with pytest.raises(ValueError, match="n must be a whole number of at least 1"):
        coverage_along_n([3, 0], 0.5)
    with pytest.raises(ValueError, match="proportion must be from 0 to 1"):
        coverage_along_n([3], 1.5)
