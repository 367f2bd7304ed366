"""What captains are asked and shown: sheets, doctrines, choices, views, hints and lessons."""
