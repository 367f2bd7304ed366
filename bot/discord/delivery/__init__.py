"""How messages reach Discord, and what is done where it refuses them."""
