"""A turn, phase by phase (RS-03)."""
