"""Hulls, moves and angles on a free table in inches (RS-01, RS-05 to RS-07)."""
