"""What captains are asked and shown, and what becomes of their answers."""
