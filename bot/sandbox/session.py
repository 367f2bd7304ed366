"""The sandbox: the real bot in a simulated Discord on this machine, used in the browser without a token."""

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

from bot.config import BotSettings
from bot.discord.app import build_bot, system_entropy
from bot.jobs.workers import Workers
from bot.lifecycle.process.pulse import VirtualPulse
from bot.lifecycle.steps.storing import EntropySource
from bot.sandbox.server import HOST, PAGES_PATH, bind_port, serve_page
from bot.sandbox.snapshot import SNAPSHOT_FILE, SnapshotError
from bot.sandbox.world import BotBuilder, SandboxWorld
from bot.store import StoreUnavailable

DATABASE_FILE = "games.sqlite"
PAGES_FOLDER = "pages"
_EXIT_UNUSABLE = 2


def run_sandbox(*, port: int, data: Path, fresh: bool, chance: EntropySource = system_entropy) -> None:
    """Run the sandbox until Ctrl-C. If something is unusable, print one line and exit with code 2.

    Raises `OSError` if a file or folder is unusable.
    """
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    try:
        listener = bind_port(port)  # first of all: another sandbox may be using the folder
    except OSError as error:
        _exit_with_line(
            f"port {port} is taken; choose another with --port" if error.errno == errno.EADDRINUSE else str(error)
        )
    workers = Workers()
    try:
        if fresh:
            delete_saved(data)
        data.mkdir(parents=True, exist_ok=True)
        _check_saved_files(data)
        public_url = f"http://{HOST}:{listener.getsockname()[1]}{PAGES_PATH}"
        asyncio.run(_serve_world(listener, data, bot_builder(data, workers, chance, public_url), public_url))
    except (SnapshotError, StoreUnavailable) as broken:
        _exit_with_line(
            f"the games in {data} cannot be opened ({broken}); begin anew with --fresh, or name another folder"
        )
    finally:
        workers.close()
    typer.echo(f"The games are kept in {data}/.")


def delete_saved(data: Path) -> None:
    """Delete only the files that a sandbox has left in its folder."""
    for name in (DATABASE_FILE, f"{DATABASE_FILE}-wal", f"{DATABASE_FILE}-shm", SNAPSHOT_FILE):
        (data / name).unlink(missing_ok=True)
    for folder in ("media", PAGES_FOLDER):
        shutil.rmtree(data / folder, ignore_errors=True)


def bot_builder(data: Path, workers: Workers, chance: EntropySource, public_url: str = "") -> BotBuilder:
    """Return what builds the sandbox's bots. With `public_url`, all games have pages there."""
    config = BotSettings(
        database_url=f"sqlite+aiosqlite:///{data / DATABASE_FILE}",
        most_openings=1000,
        most_server_openings=1000,
        public_url=public_url,
        pages_dir=str(data / PAGES_FOLDER),
        _env_file=None,
    )
    return lambda clock: build_bot(
        config, clock=clock, workers=workers, chance=chance, pulse=VirtualPulse(clock), pages_everywhere=True
    )


async def _serve_world(listener: socket.socket, data: Path, builder: BotBuilder, public_url: str) -> None:
    async with SandboxWorld.open(builder, folder=data, now=datetime.now(UTC)) as world:
        world.pages_folder, world.public_url = data / PAGES_FOLDER, public_url
        await serve_page(world, listener, lambda address: typer.echo(f"War Galley is at {address}  (Ctrl-C ends it)"))


def _check_saved_files(data: Path) -> None:
    """Raise `SnapshotError` if either the bot's database or the saved Discord is missing."""
    missing = [name for name in (DATABASE_FILE, SNAPSHOT_FILE) if not (data / name).exists()]
    if len(missing) == 1:
        raise SnapshotError(f"{missing[0]} is missing")


def _exit_with_line(line: str) -> NoReturn:
    typer.echo(f"war-galley: {line}", err=True)
    raise typer.Exit(_EXIT_UNUSABLE)
