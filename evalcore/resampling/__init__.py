"""Sampling distributions by the bootstrap, and the intervals read off them."""

from evalcore.resampling.distribution import (
    acceleration,
    check_plan,
    mean_draws,
    sampling_distribution,
    studentized_draws,
)
from evalcore.resampling.limits import (
    DrawLimits,
    bca_limits,
    bootstrap_t_limits,
    jackknife_acceleration,
    percentile_limits,
)
from evalcore.resampling.market import (
    MarketCoverage,
    mean_coverage,
    proportion_coverage,
    summarise_coverage,
)
from evalcore.resampling.medians import clustered_median_draws, median_draws
from evalcore.resampling.simulated import MEAN_METHODS
from evalcore.resampling.sums import draw_sums

__all__ = [
    "MEAN_METHODS",
    "DrawLimits",
    "MarketCoverage",
    "acceleration",
    "bca_limits",
    "bootstrap_t_limits",
    "check_plan",
    "clustered_median_draws",
    "draw_sums",
    "jackknife_acceleration",
    "mean_coverage",
    "mean_draws",
    "median_draws",
    "percentile_limits",
    "proportion_coverage",
    "sampling_distribution",
    "studentized_draws",
    "summarise_coverage",
]
