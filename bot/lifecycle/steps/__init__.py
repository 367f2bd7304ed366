"""Plan the next step of a game, carry it out and store it."""
