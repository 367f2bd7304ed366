"""The fleet game itself: what lies on the map, orders in notation, and what happens in a turn."""
