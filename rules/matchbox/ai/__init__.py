"""The computer captains, which simulate many rounds to choose their orders."""
