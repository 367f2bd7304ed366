"""Ask captains and show them the game: deployment, drafts, decisions, views, hints and lessons."""
