"""What captains are asked and shown: placing, plans, actions, views, hints and lessons."""
