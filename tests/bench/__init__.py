"""What takes how long: `python -m tests.bench`. No test depends on it."""
