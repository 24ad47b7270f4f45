"""Intervals for a proportion, their exact coverage, and the exact test of one proportion."""

from evalcore.binomial.coverage import exact_coverage, exact_coverages
from evalcore.binomial.intervals import (
    least_successes,
    one_sided_limit,
    proportion_interval,
    proportion_limits,
    proportion_test,
)
from evalcore.binomial.methods import PROPORTION_METHODS, ProportionMethod

__all__ = [
    "PROPORTION_METHODS",
    "ProportionMethod",
    "exact_coverage",
    "exact_coverages",
    "least_successes",
    "one_sided_limit",
    "proportion_interval",
    "proportion_limits",
    "proportion_test",
]
