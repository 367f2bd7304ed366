"""Naval Battle: four ships and a fort a side, on hexes."""
