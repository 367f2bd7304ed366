"""What captains are asked and shown: deployment, drafts, decisions, views, hints and lessons."""
