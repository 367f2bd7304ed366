"""The interface of every game, and what all games share."""
