"""Geometry of points, boxes, hexes and land on a plane."""
