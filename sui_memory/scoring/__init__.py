"""Pure ranking: numbers in, numbers out; no files, no clock."""

from sui_memory.scoring.decay import decayed, freshness
from sui_memory.scoring.fusion import Fused, Rankings, fold, fuse

__all__ = ["Fused", "Rankings", "decayed", "fold", "freshness", "fuse"]
