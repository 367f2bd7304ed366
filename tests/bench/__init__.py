"""Benchmarks: `python -m tests.bench`. No test depends on them."""
