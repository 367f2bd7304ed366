"""`python -m bot` is `war-galley`."""

from bot.cli.main import app

app()
