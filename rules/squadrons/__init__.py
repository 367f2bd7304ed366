"""War Galley, the fleet game: two fleets of rowed galleys on hexes, moved by squadrons."""

from rules.squadrons.game import Squadrons

GAME = Squadrons()
