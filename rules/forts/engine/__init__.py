"""Positions, actions and player-turns of Naval Battle."""
