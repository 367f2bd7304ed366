"""`python -m bot` is `war-galley`."""

from bot.cli import app

app()
