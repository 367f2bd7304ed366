"""Run the `war-galley` command by `python -m bot`."""

from bot.cli.main import app

app()
