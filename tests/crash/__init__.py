"""Kills the bot's process at every commit and every sending, and looks at what is left."""
