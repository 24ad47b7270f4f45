"""How many cases, how many labels, how much money: sizing before a single case is labelled.

Shares, gaps and half-widths are absolute fractions. Every function raises ValueError for a bad
argument, naming it, what is allowed and what came.
"""

from evalcore.sizing.budget import (
    affordable_cases,
    budget_curve,
    cost,
    design_effect,
    paired_size_table,
    with_design_effect,
)
from evalcore.sizing.discordance import (
    check_discordance,
    disagreement_from_predictions,
    discordance_bounds,
    discordance_from_correlation,
)
from evalcore.sizing.paired import (
    PAIRED_SIZE_METHODS,
    detectable_difference,
    paired_sample_size,
    unpaired_power,
    unpaired_sample_size,
)
from evalcore.sizing.power import formula_power, mcnemar_power, mcnemar_power_curve
from evalcore.sizing.requirement import (
    cases_for_errors,
    expected_best,
    hoeffding_sample_size,
    largest_passing_errors,
    requirement_power,
    requirement_sample_size,
)
from evalcore.sizing.sequential import (
    label_only_disagreements,
    log_e_value,
    sequential_plan,
    sequential_sample_size,
    split_limits,
    stopping_leads,
)
from evalcore.sizing.simulated import simulated_sample_size
from evalcore.sizing.single import (
    HALF_WIDTH_METHODS,
    auc_sample_size,
    expected_half_width,
    half_width_sample_size,
    mean_sample_size,
    pilot_sample_size,
    size_for_half,
)

__all__ = [
    "HALF_WIDTH_METHODS",
    "PAIRED_SIZE_METHODS",
    "affordable_cases",
    "auc_sample_size",
    "budget_curve",
    "cases_for_errors",
    "check_discordance",
    "cost",
    "design_effect",
    "detectable_difference",
    "disagreement_from_predictions",
    "discordance_bounds",
    "discordance_from_correlation",
    "expected_best",
    "expected_half_width",
    "formula_power",
    "half_width_sample_size",
    "hoeffding_sample_size",
    "label_only_disagreements",
    "largest_passing_errors",
    "log_e_value",
    "mcnemar_power",
    "mcnemar_power_curve",
    "mean_sample_size",
    "paired_sample_size",
    "paired_size_table",
    "pilot_sample_size",
    "requirement_power",
    "requirement_sample_size",
    "sequential_plan",
    "sequential_sample_size",
    "simulated_sample_size",
    "size_for_half",
    "split_limits",
    "stopping_leads",
    "unpaired_power",
    "unpaired_sample_size",
    "with_design_effect",
]
