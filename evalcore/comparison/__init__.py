"""Two or more models on the same cases: the gap with its interval, and the test that agrees."""

from evalcore.comparison.exchange import exchange_test
from evalcore.comparison.many import ADJUSTMENTS, adjust_p_values, compare_all
from evalcore.comparison.methods import METHODS, ComparisonMethod
from evalcore.comparison.models import compare_models, comparison_methods, delong_test, equivalence
from evalcore.comparison.numeric import sign_flip_test, signed_rank_test
from evalcore.comparison.proportions import PAIRED_METHODS, paired_difference_interval
from evalcore.comparison.study import discordant_rows
from evalcore.comparison.tests import MCNEMAR_TESTS, bowker_test, mcnemar_test
from evalcore.comparison.unpaired import UNPAIRED_METHODS, ignoring_pairing, unpaired_comparison

__all__ = [
    "ADJUSTMENTS",
    "MCNEMAR_TESTS",
    "METHODS",
    "PAIRED_METHODS",
    "UNPAIRED_METHODS",
    "ComparisonMethod",
    "adjust_p_values",
    "bowker_test",
    "compare_all",
    "compare_models",
    "comparison_methods",
    "delong_test",
    "discordant_rows",
    "equivalence",
    "exchange_test",
    "ignoring_pairing",
    "mcnemar_test",
    "paired_difference_interval",
    "sign_flip_test",
    "signed_rank_test",
    "unpaired_comparison",
]
