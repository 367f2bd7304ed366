"""A turn, phase by phase (RS part 2)."""
