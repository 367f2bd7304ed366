"""Define what every game implements, and what all games share."""
