"""The sandbox: the real bot in a Discord that runs on this machine, played in the browser, without a token."""

from __future__ import annotations

import asyncio
import errno
import logging
import shutil
import socket
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

import typer

from bot.config import Config
from bot.discord.app import build, system_chance
from bot.life.pulse import VirtualPulse
from bot.life.steps import Chance
from bot.sandbox.server import listen, serve
from bot.sandbox.snapshot import SNAPSHOT, SnapshotError
from bot.sandbox.world import Builder, World
from bot.store import StoreUnavailable
from bot.work.workers import Workers

GAMES = "games.sqlite"
"""The bot's database, in the sandbox's folder."""
_UNUSABLE = 2


def run(*, port: int, data: Path, fresh: bool, chance: Chance = system_chance) -> None:
    """Run the sandbox until Ctrl-C. If something can't be used, print one line and exit with code 2.

    Raises `OSError` if it is a file or a folder.
    """
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    try:
        door = listen(port)  # first of all: another sandbox may be using the folder
    except OSError as error:
        _stop(f"port {port} is taken; choose another with --port" if error.errno == errno.EADDRINUSE else str(error))
    workers = Workers()
    try:
        if fresh:
            forget(data)
        data.mkdir(parents=True, exist_ok=True)
        _check_halves(data)
        asyncio.run(_play(door, data, bot_in(data, workers, chance)))
    except (SnapshotError, StoreUnavailable) as broken:
        _stop(f"the games in {data} cannot be opened ({broken}); begin anew with --fresh, or name another folder")
    finally:
        workers.close()
    typer.echo(f"The games are kept in {data}/.")


def forget(data: Path) -> None:
    """Remove what a sandbox has left in its folder, and nothing else."""
    for name in (GAMES, f"{GAMES}-wal", f"{GAMES}-shm", SNAPSHOT):
        (data / name).unlink(missing_ok=True)
    shutil.rmtree(data / "media", ignore_errors=True)


def bot_in(data: Path, workers: Workers, chance: Chance) -> Builder:
    """Return a function that makes the real bot on the database of this folder, for `World.open`."""
    config = Config(database_url=f"sqlite+aiosqlite:///{data / GAMES}", _env_file=None)
    return lambda clock: build(config, clock=clock, workers=workers, chance=chance, pulse=VirtualPulse(clock))


async def _play(door: socket.socket, data: Path, builder: Builder) -> None:
    async with World.open(builder, folder=data, now=datetime.now(UTC)) as world:
        await serve(world, door, lambda address: typer.echo(f"War Galley is at {address}  (Ctrl-C ends it)"))


def _check_halves(data: Path) -> None:
    """Raise `SnapshotError` if only one is there: the bot's games, or the Discord that they are played in."""
    missing = [name for name in (GAMES, SNAPSHOT) if not (data / name).exists()]
    if len(missing) == 1:
        raise SnapshotError(f"{missing[0]} is missing")


def _stop(line: str) -> NoReturn:
    typer.echo(f"war-galley: {line}", err=True)
    raise typer.Exit(_UNUSABLE)
