"""Rate finished games, and start rematches."""
