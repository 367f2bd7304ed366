"""Draw frames, and encode them as films."""
