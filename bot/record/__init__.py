"""A game on paper: its rounds as they are told, its file, and what that proves."""
