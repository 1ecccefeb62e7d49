"""Pure ranking: numbers in, numbers out; no files, no clock."""

from sui_memory.scoring.decay import decayed, freshness
from sui_memory.scoring.fusion import Fused, Rankings, fuse

__all__ = ["Fused", "Rankings", "decayed", "freshness", "fuse"]
