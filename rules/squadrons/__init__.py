"""War Galley, the fleet game: two fleets of rowed galleys on hexes, moved by squadrons."""
