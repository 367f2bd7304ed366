"""Ask captains, show them the game, and carry out their answers."""
