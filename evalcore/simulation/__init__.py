"""Simulators that teach: what an interval promises, and what luck does to tests and rankings.

Exact where enumeration is possible; else drawn, and the same for the same seed.
"""

from evalcore.simulation.batches import Batches, null_batches
from evalcore.simulation.duel import Duel, DuelCells, shared_difficulty_cells, which_wins
from evalcore.simulation.exact import CoverageRange, coverage_along_n, coverage_range
from evalcore.simulation.leaderboard import (
    Leaderboards,
    leaderboards,
    spread_of_accuracies,
)
from evalcore.simulation.looks import RepeatedLooks, Thresholdout, repeated_looks
from evalcore.simulation.market import NAIVE, market_coverage
from evalcore.simulation.pile import (
    BLOCK,
    Pile,
    join_piles,
    next_score_share,
    pile_block,
    share_error,
)
from evalcore.simulation.worlds import (
    ERROR_SHAPES,
    ClusterWorld,
    MarketWorld,
    RankWorld,
    ScoresWorld,
    ShareWorld,
    World,
    error_world,
    market_world,
    scores_world,
)

__all__ = [
    "BLOCK",
    "ERROR_SHAPES",
    "NAIVE",
    "Batches",
    "ClusterWorld",
    "CoverageRange",
    "Duel",
    "DuelCells",
    "Leaderboards",
    "MarketWorld",
    "Pile",
    "RankWorld",
    "RepeatedLooks",
    "ScoresWorld",
    "ShareWorld",
    "Thresholdout",
    "World",
    "coverage_along_n",
    "coverage_range",
    "error_world",
    "join_piles",
    "leaderboards",
    "market_coverage",
    "market_world",
    "next_score_share",
    "null_batches",
    "pile_block",
    "repeated_looks",
    "scores_world",
    "share_error",
    "shared_difficulty_cells",
    "spread_of_accuracies",
    "which_wins",
]
