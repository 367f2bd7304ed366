"""Define the map: hexes, ships, leaders, fleets, land, and positions as text."""
