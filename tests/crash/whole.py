"""The whole bot, as `war-galley run`, with another Discord: `python -m tests.crash.whole REST GATEWAY`."""

from __future__ import annotations

import sys

import discord
import yarl
from discord.gateway import DiscordWebSocket

from bot.cli import app

if __name__ == "__main__":
    discord.http.Route.BASE = sys.argv[1]
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(sys.argv[2])
    app(["run"])
