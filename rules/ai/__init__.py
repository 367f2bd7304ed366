"""Search for good orders within a computer captain's time."""
