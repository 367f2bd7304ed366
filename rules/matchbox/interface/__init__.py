"""What captains are asked and shown: deploying, drafting orders, deciding, views, hints and lessons."""
