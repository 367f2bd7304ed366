"""Decide who captains a game, and keep what captains agree on."""
