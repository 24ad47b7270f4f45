"""Speed of the exact sizes, beside a plain enumeration of one power.

Reported, never asserted: run with ``pytest -m benchmark -s tests/benchmarks``.
"""

import numpy as np
import pytest
from scipy.stats import binom

from evalcore.sizing import (
    detectable_difference,
    mcnemar_power,
    paired_sample_size,
    paired_size_table,
    sequential_plan,
)
from tests.benchmarks.measuring import report, seconds

pytestmark = pytest.mark.benchmark


def plain_power(n, d, gap):
    """Return the power summed over every number of discordant cases, without truncation."""
    m = np.arange(n + 1)
    k = binom.ppf(0.025, m, 0.5) - 1
    worse = (1 - gap / d) / 2
    return float(binom.pmf(m, n, d) @ (binom.cdf(k, m, worse) + binom.cdf(k, m, 1 - worse)))


@pytest.mark.parametrize(("d", "gap"), [(0.084, 0.0092), (0.08, 0.001)])
def test_exact_size_against_one_plain_power(record_property, d, gap):
    sizes = []
    ours = seconds(lambda: sizes.append(paired_sample_size(d, gap).n))
    n = sizes[0]
    plain = seconds(lambda: plain_power(n, d, gap), 1)
    figures = {
        "n": n,
        "exact_size_seconds": ours,
        "one_power_seconds": seconds(lambda: mcnemar_power(n, d, gap)),
        "one_plain_power_seconds": plain,
        "size_over_plain_power": ours / plain,
        "inverse_seconds": seconds(lambda: detectable_difference(n, d), 1),
        "sequential_seconds": seconds(lambda: sequential_plan(n, d, gap), 1),
    }
    report(record_property, **figures)
    assert mcnemar_power(n, d, gap) == pytest.approx(plain_power(n, d, gap), abs=1e-9)


def test_table_of_exact_sizes(record_property):
    gaps, rates = [0.005, 0.01, 0.02, 0.05], [0.05, 0.1, 0.2]
    report(record_property, table_seconds=seconds(lambda: paired_size_table(gaps, rates), 1))
    assert np.isfinite(paired_size_table(gaps, rates)).all()
