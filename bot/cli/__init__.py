"""Run the bot, its shell commands, and the servers for health and metrics."""
