"""Cases of the fleet game."""
