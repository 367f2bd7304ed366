"""A game on paper: its chapters, its file, and what that file proves."""
