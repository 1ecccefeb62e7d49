"""Pure ranking: numbers in, numbers out; no files, no clock."""

from sui_memory.scoring.affinity import affine
from sui_memory.scoring.decay import decayed, freshness
from sui_memory.scoring.diversity import distinct
from sui_memory.scoring.evidence import BAR, Grounds, covered, evidence_of, heaviest
from sui_memory.scoring.feedback import encouraged, fed_back, use_rate, used
from sui_memory.scoring.fusion import Fused, Rankings, fold, fuse, steps
from sui_memory.scoring.succession import succeeded
from sui_memory.scoring.timeliness import closeness, timely
from sui_memory.scoring.weights import Weights, weights_of

__all__ = [
    "BAR",
    "Fused",
    "Grounds",
    "Rankings",
    "Weights",
    "affine",
    "closeness",
    "covered",
    "decayed",
    "distinct",
    "encouraged",
    "evidence_of",
    "fed_back",
    "fold",
    "freshness",
    "fuse",
    "heaviest",
    "steps",
    "succeeded",
    "timely",
    "use_rate",
    "used",
    "weights_of",
]
