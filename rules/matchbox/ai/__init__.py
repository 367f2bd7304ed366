"""The computer captains, who carry out many rounds at once to choose their orders."""
