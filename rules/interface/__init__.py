"""Questions to captains, their answers, and what captains see of a game."""
