"""Ask captains, read their answers, and show them the game."""
