"""What lies on the sea map and what happens there."""
