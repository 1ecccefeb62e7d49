"""Embedding models behind one protocol: embedded, downloaded, exported or none. Import loads none."""

from sui_memory.embedding.catalogue import ModelInfo
from sui_memory.embedding.choose import NAMES, available, open_embedder, resolve
from sui_memory.embedding.throughput import throughput

__all__ = ["NAMES", "ModelInfo", "available", "open_embedder", "resolve", "throughput"]
