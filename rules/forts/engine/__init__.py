"""Positions, actions and player-turns of Naval Battle (NB parts 1 to 10)."""
