"""Runs the bot: the shell's commands, health and metrics."""
