"""Estimate the error of a rule in every way, beside its true error where that is known.

The only module that loads scikit-learn's estimators and splitters; ``import evalcore`` does not
load it.

>>> kfold_error(load_cases("iris"), Rule(kind="neighbours", k=5)).estimate < 0.1
True
"""

from evalcore.estimators.bootstrap import (
    bootstrap_errors,
    inclusion_probability,
    no_information_rate,
    out_of_bag_error,
)
from evalcore.estimators.cases import TABLES, CaseTable, load_cases, make_cases
from evalcore.estimators.estimates import ESTIMATORS, LABEL_METRICS, TARGETS, ErrorEstimate, score
from evalcore.estimators.jackknife import STATISTICS, Jackknife, jackknife
from evalcore.estimators.nested import (
    Tuning,
    first_minimum,
    nested_error,
    nested_rounds,
    tune,
)
from evalcore.estimators.populations import POPULATIONS, Population, true_error
from evalcore.estimators.rounds import Round, fold_rounds
from evalcore.estimators.rules import RULES, Rule
from evalcore.estimators.splitting import (
    apparent_error,
    held_out_predictions,
    holdout_error,
    holdout_round,
    kfold_error,
    leave_one_out_error,
)
from evalcore.estimators.study import (
    Design,
    Repetition,
    estimate_errors,
    fits_needed,
    neighbour_curve,
    neighbour_grid,
    offered_estimators,
    repeat_estimators,
    tuning_curve,
)
from evalcore.estimators.upload import FEATURE_LIMITS, cases_of, read_features
from evalcore.estimators.wrong_turns import (
    WRONG_TURNS,
    held_errors,
    optimism,
    wrong_turn,
)

__all__ = [
    "ESTIMATORS",
    "FEATURE_LIMITS",
    "LABEL_METRICS",
    "POPULATIONS",
    "RULES",
    "STATISTICS",
    "TABLES",
    "TARGETS",
    "WRONG_TURNS",
    "CaseTable",
    "Design",
    "ErrorEstimate",
    "Jackknife",
    "Population",
    "Repetition",
    "Round",
    "Rule",
    "Tuning",
    "apparent_error",
    "bootstrap_errors",
    "cases_of",
    "estimate_errors",
    "first_minimum",
    "fits_needed",
    "fold_rounds",
    "held_errors",
    "held_out_predictions",
    "holdout_error",
    "holdout_round",
    "inclusion_probability",
    "jackknife",
    "kfold_error",
    "leave_one_out_error",
    "load_cases",
    "make_cases",
    "neighbour_curve",
    "neighbour_grid",
    "nested_error",
    "nested_rounds",
    "no_information_rate",
    "offered_estimators",
    "optimism",
    "out_of_bag_error",
    "read_features",
    "repeat_estimators",
    "score",
    "true_error",
    "tune",
    "tuning_curve",
    "wrong_turn",
]
