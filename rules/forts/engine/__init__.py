"""What lies on the board, and what happens there: positions, actions, a player-turn (NB parts 1 to 10)."""
