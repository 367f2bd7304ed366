"""Naval Battle: four ships and a fort a side, on hexes."""

from rules.forts.game import Forts

GAME = Forts()
