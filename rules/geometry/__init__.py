"""Compute with points, boxes and hexes on a plane."""
