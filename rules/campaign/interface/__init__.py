"""What captains are asked and shown."""
