"""Benchmarks: how fast, how big and how good, on generated corpora that anyone can rebuild."""
