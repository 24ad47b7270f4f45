"""How well a score ranks positives above negatives: curves, AUC, its error, and its bootstrap."""

from evalcore.ranking.curves import (
    PrecisionRecallCurve,
    RocCurve,
    auc,
    average_precision,
    precision_recall_curve,
    recall_at_fpr,
    roc_curve,
)
from evalcore.ranking.delong import DeLong, delong_covariance, delong_placements
from evalcore.ranking.draws import RankDraws, rank_draws
from evalcore.ranking.intervals import AUC_METHODS, AucMethod, auc_interval
from evalcore.ranking.steps import RANK_STATISTICS
from evalcore.ranking.tables import AucTables, auc_tables

__all__ = [
    "AUC_METHODS",
    "RANK_STATISTICS",
    "AucMethod",
    "AucTables",
    "DeLong",
    "PrecisionRecallCurve",
    "RankDraws",
    "RocCurve",
    "auc",
    "auc_interval",
    "auc_tables",
    "average_precision",
    "delong_covariance",
    "delong_placements",
    "precision_recall_curve",
    "rank_draws",
    "recall_at_fpr",
    "roc_curve",
]
