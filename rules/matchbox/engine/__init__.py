"""The rules of the game: positions, orders, and a round from the reveal to backing off."""
