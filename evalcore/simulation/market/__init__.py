"""Does an interval hold on data like yours? The loaded cases play the market."""

from evalcore.simulation.market.coverage import market_coverage
from evalcore.simulation.market.plan import NAIVE

__all__ = ["NAIVE", "market_coverage"]
