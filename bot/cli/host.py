"""Implement the shell's commands for the host: show the bot's status, submit requests to it, and check backups."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from bot.cli.shell import opened_store
from bot.errors import Refusal
from bot.jobs import stored
from bot.lifecycle.steps import snapshot
from bot.services.archive import ArchiveService
from bot.services.host import HostService
from bot.services.privacy import PrivacyService
from bot.store import DatabaseInUse, Store, StoreUnavailable, check_copy
from bot.store.queries.host_requests import HostRequest
from rules.core.registry import RULESETS

REQUEST_TIMEOUT_S: Final = 120.0
LOOK_INTERVAL_S: Final = 0.5
DAY_S: Final = 86_400
MAX_LISTED_SERVERS: Final = 100
OPEN_PHASES: Final = ("lobby", "running", "resolving")
PHASES: Final = (*OPEN_PHASES, "over", "cancelled")


class RequestPending(Exception):
    """The bot has not carried out a request in time, but will later."""


def _now() -> int:
    return int(time.time())


def request_of_bot(database: str, request: HostRequest, wait_s: float = REQUEST_TIMEOUT_S) -> HostRequest:
    """Submit a request to the bot that uses a database, or carry it out here if none runs, and return it.

    Raises `RequestPending` if the bot takes longer than `wait_s`, `StoreUnavailable` if the database can't be used.
    """

    async def submit_or_carry_out() -> HostRequest:
        try:
            async with opened_store(Store.open(database)) as store:
                return await _carry_out(store, request)
        except DatabaseInUse:
            return await _submit_and_wait(database, request, wait_s)

    return asyncio.run(submit_or_carry_out())


async def _carry_out(store: Store, request: HostRequest) -> HostRequest:
    async with store.write() as tx:
        request_id = await tx.host_requests.add(request)
    await HostService(store, PrivacyService(store, ArchiveService(store), _now), _now).carry_out_all()
    async with store.read() as tx:
        return await _find_request(tx, request_id)


async def _submit_and_wait(database: str, request: HostRequest, wait_s: float) -> HostRequest:
    """Store a request for the running bot and return it when done. Raises `RequestPending` after `wait_s`."""
    async with opened_store(Store.open_unclaimed(database)) as store:
        async with store.write() as tx:
            request_id = await tx.host_requests.add(request)
        until = time.monotonic() + wait_s
        while time.monotonic() < until:
            await asyncio.sleep(LOOK_INTERVAL_S)
            async with store.read() as tx:
                stored_request = await _find_request(tx, request_id)
            if stored_request.done_at is not None:
                return stored_request
    raise RequestPending(
        f"request {request_id} waits for the bot, which carries it out as soon as it can, also after a restart"
    )


async def _find_request(tx: Any, number: int) -> HostRequest:  # noqa: ANN401 - a transaction
    request: HostRequest | None = await tx.host_requests.find(number)
    if request is None:
        raise StoreUnavailable(f"request {number} has gone: was the database replaced?")
    return request


def status_lines(database: str, server: int = 0) -> list[str]:
    """Return lines about the bot's status, or about the open games of one server. Raises `StoreUnavailable`."""

    async def read_lines() -> list[str]:
        async with opened_store(Store.open_for_reading(database)) as store:
            bot_count = await store.count_bots()
            revision = await store.revision()
            async with store.read() as tx:
                if server:
                    return [*_game_lines(await tx.games.open_on(server))]
                running_text = {0: "not running", 1: "running"}.get(bot_count, f"{bot_count} running")
                lines = [f"bot: {running_text}", f"tables: {revision}"]
                lines += _server_lines(await tx.servers.names_by_id(), await tx.games.count_by_server())
                statistics = await tx.messages.count_statistics(now=_now())
                lines.append(
                    f"outbox: {statistics.waiting_messages} messages wait, the oldest for"
                    f" {statistics.oldest_waiting_s} s; {statistics.undeliverable_messages} never arrived"
                )
                lines.append(f"requests of the host that wait: {await tx.host_requests.count_waiting()}")
                denied = await tx.denials.all_denied()
                lines.append(f"denied users: {', '.join(map(str, sorted(denied.users))) or 'none'}")
                lines.append(f"denied servers: {', '.join(map(str, sorted(denied.servers))) or 'none'}")
                errors = await tx.error_counts.counts_since(_now() - DAY_S)
                lines.append(f"errors in the last 24 hours: {sum(error.count for error in errors)}")
                lines += [f"  {error.count} × {error.kind}, last {format_time(error.last_at)}" for error in errors]
                return lines

    return asyncio.run(read_lines())


def _server_lines(names_by_id: dict[int, str], counts_by_server: dict[int, dict[str, int]]) -> Iterator[str]:
    """Yield the servers that the bot is on or that have games, those with the most open games first."""
    yield f"servers: {len(names_by_id)}"

    def busiest_first(guild_id: int) -> tuple[int, int]:
        counts = counts_by_server.get(guild_id, {})
        open_games = sum(counts.get(phase, 0) for phase in OPEN_PHASES)
        return -open_games, guild_id

    busiest = sorted({*names_by_id, *counts_by_server}, key=busiest_first)
    for guild_id in busiest[:MAX_LISTED_SERVERS]:
        no_name = "games of no server" if guild_id == 0 else "the bot is not there"
        name = _printable(names_by_id.get(guild_id, "")) or no_name
        counts = counts_by_server.get(guild_id, {})
        phases = [f"{counts[phase]} {phase}" for phase in PHASES if phase in counts]
        yield f"  {guild_id} ({name}): {', '.join(phases) or 'no games'}"
    if len(busiest) > MAX_LISTED_SERVERS:
        yield f"  and {len(busiest) - MAX_LISTED_SERVERS} more"


def _printable(text: str) -> str:
    return "".join(character for character in text if character.isprintable())


def _game_lines(games: list[Any]) -> Iterator[str]:
    for game in games:
        battle = f", a battle of #{game.parent_id}" if game.parent_id else ""
        yield f"#{game.id} {game.system}, {game.phase}, opened {format_time(game.created_at)}{battle}"
    if not games:
        yield "no open games"


def format_time(when: int) -> str:
    return f"{datetime.fromtimestamp(when, UTC):%Y-%m-%d %H:%M:%S} UTC"


def describe_backup(source: str) -> str:
    """Return a one-line description of a backup file, or of a database to which a dump was restored.

    A file is copied and upgraded as at the bot's start, and every game is read. Raises `StoreUnavailable`.
    """

    async def read_all(url: str) -> str:
        async with opened_store(Store.open_for_reading(url)) as store:
            return await _read_all(store)

    async def restore(copy: Path) -> str:
        async with opened_store(Store.open(f"sqlite+aiosqlite:///{copy}")) as store:
            return await _read_all(store)

    if "://" in source:
        return asyncio.run(read_all(source))
    with tempfile.TemporaryDirectory(prefix="war-galley-check-") as folder:
        copy = Path(folder) / "games.sqlite"
        shutil.copyfile(source, copy)
        try:
            check_copy(copy)
            return asyncio.run(restore(copy))
        except StoreUnavailable as error:
            raise StoreUnavailable(f"{source}: {error}") from error


async def _read_all(store: Store) -> str:
    """Read every game. Raises `StoreUnavailable` for the first that the bot could not continue."""
    async with store.read() as tx:
        game_ids = await tx.games.all_ids()
    running_count = 0
    for game_id in game_ids:
        try:
            async with store.read() as tx:
                game_snapshot = await snapshot.read_snapshot(tx, game_id)
                step = await tx.steps.find(game_id, game_snapshot.game.step_no)
            running_count += game_snapshot.game.is_in_progress
            if step is not None and game_snapshot.game.system in RULESETS:
                stored.read_state(RULESETS[game_snapshot.game.system], step.state)
            elif step is None and game_snapshot.game.step_no >= 0:
                raise ValueError("its last step is missing")
        except (msgspec.MsgspecError, Refusal, ValueError) as error:
            raise StoreUnavailable(f"game #{game_id} can't be read: {error}") from error
    return f"{len(game_ids)} games, {running_count} of them running, and all can be read"
