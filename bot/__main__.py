"""`python -m bot` is `war-galley`."""

from bot.ops.cli import app

app()
