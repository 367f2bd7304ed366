"""Define the map: hexes, ships, leaders, fleets, land, and positions as text (SQ 2, 10.1)."""
