"""Tries each failure of tests/crash/expected.py on a real bot: what it prints, how it ends, how it recovers.

`python -m tests.crash.failures [WORD ...]` tries all, or those whose first column holds one of the words.
"""

from __future__ import annotations

import asyncio
import re
import sqlite3
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, closing, nullcontext, suppress
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp

from tests import pg
from tests.crash.expected import FAILURES, FINAL
from tests.forked import Forked
from tests.loopback import failing
from tests.loopback.endpoint import free_port
from tests.loopback.gateway import Gateway, living, log_lines

MOST_S = 240.0
SIDE_BY_SIDE = 3  # failures that are tried at once
TOKEN = "MTIzNDU2Nzg5MDEyMzQ1Njc4.GbCdEf.c2VjcmV0LXRva2VuLW9mLWEtYm90"
SHORT = {"FIRST_PAUSE_S": "0.2"}  # settings of bots that wait hardly at all before they try again
WAITS = "the bot waits"


class Failed(Exception):
    """The bot has not done what was expected."""


class Tried(NamedTuple):
    code: int | None  # its exit code; None: it runs on
    line: str
    recovery: str


class Place:
    """A bot of its own: its folder, its Discord, its database."""

    def __init__(self, folder: Path, discord: Gateway, server: pg.Server | None, settings: dict[str, str]) -> None:
        self.folder, self.discord, self.server = folder, discord, server
        self.settings = {"DISCORD_TOKEN": TOKEN, **settings}
        self.file = folder / "games.sqlite"

    def living(self, **settings: str) -> Any:
        return living(self.folder, self.discord, **{**self.settings, **settings})

    def postgres(self) -> pg.Server:
        if self.server is None:
            raise Failed(pg.NO_SERVER)
        return self.server

    async def final(self, **settings: str) -> Tried:
        """Run the bot until it ends."""
        async with self.living(**settings) as bot:
            code = await asyncio.wait_for(bot.wait(), MOST_S)
        plain = [line for line in self._log() if not line.startswith("{")]
        if len(plain) != 1:
            raise Failed("\n".join(plain))
        return Tried(code, plain[0].removeprefix("war-galley: "), "")

    async def waits(self, times: int = 1) -> str:
        """Return why the bot waits, once it has said so this often."""
        await until(lambda: len(self.lines(WAITS)) >= times, "the bot does not wait")
        return str(self.lines(WAITS)[-1]["why"])

    async def retried(self, end: Callable[[], object] = lambda: None, **settings: str) -> Tried:
        """Run the bot, end the failure, and see it recover."""
        async with self.living(**settings) as bot:
            line = await self.waits()
            end()
            return await self.recovered(bot, line)

    async def recovered(self, bot: Forked, line: str) -> Tried:
        """Wait until the bot has started after all."""
        began = time.monotonic()
        await asyncio.wait_for(self.discord.ready.wait(), MOST_S)
        return Tried(bot.returncode, line, f"ready after {time.monotonic() - began:.1f} s")

    def lines(self, event: str) -> list[dict[str, Any]]:
        return [line for line in log_lines(self.folder) if line["event"].startswith(event)]

    def _log(self) -> list[str]:
        return (self.folder / "log").read_text("utf-8").splitlines()


async def until(happened: Callable[[], object], otherwise: str) -> None:
    """Look again and again. Raises `Failed`."""
    with suppress(TimeoutError):
        async with asyncio.timeout(MOST_S):
            while not happened():  # noqa: ASYNC110 - it happens in another process
                await asyncio.sleep(0.02)
            return
    raise Failed(otherwise)


# --- settings ----------------------------------------------------------------------------------------------------


async def no_token(place: Place) -> Tried:
    return await place.final(DISCORD_TOKEN=" ")


async def token_with_spaces(place: Place) -> Tried:
    return await place.final(DISCORD_TOKEN="Bot token")


async def setting_out_of_range(place: Place) -> Tried:
    return await place.final(WORKERS="0")


async def phase_length(place: Place) -> Tried:
    return await place.final(PHASE_LENGTH="bananas")


async def health_file(place: Place) -> Tried:
    return await place.final(HEALTH_FILE=str(place.folder / "nowhere" / "health"))


async def same_port(place: Place) -> Tried:
    port = str(free_port())
    return await place.final(HTTP_PORT=port, INTERACTIONS_PORT=port)


async def missing_game(place: Place) -> Tried:
    return await place.final(GAMES="no_such_package")


async def port_taken(place: Place) -> Tried:
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    return await place.retried(server.close, HTTP_PORT=str(server.sockets[0].getsockname()[1]))


# --- Discord -----------------------------------------------------------------------------------------------------


async def bad_token(place: Place) -> Tried:
    place.discord.failures = [failing.UNAUTHORIZED]
    return await place.final()


async def token_reset(place: Place) -> Tried:
    async with place.living() as bot:
        await asyncio.wait_for(place.discord.ready.wait(), MOST_S)
        place.discord.resumable = False
        place.discord.close_codes = [4004]
        await place.discord.hang_up()
        code = await asyncio.wait_for(bot.wait(), MOST_S)
    (line,) = [line for line in (place.folder / "log").read_text("utf-8").splitlines() if not line.startswith("{")]
    return Tried(code, line.removeprefix("war-galley: "), "")


def closing_with(code: int, **settings: str) -> Callable[[Place], Awaitable[Tried]]:
    async def closed(place: Place) -> Tried:
        place.discord.close_codes = [code]
        return await place.final(**settings)

    return closed


def answering(failure: failing.Failing, times: int = 1) -> Callable[[Place], Awaitable[Tried]]:
    async def answered(place: Place) -> Tried:
        place.discord.failures = [failure] * times
        tried = await place.retried()
        seconds = place.lines(WAITS)[0]["seconds"]
        return tried._replace(recovery=f"{tried.recovery}, having waited {seconds} s")

    return answered


async def unreachable(place: Place) -> Tried:
    url, place.discord.url = place.discord.url, f"http://127.0.0.1:{free_port()}/api/v10"
    port = int(re.findall(r":(\d+)/", place.discord.url)[0])
    async with place.living() as bot:
        line = await place.waits()
        async with forwarded(port, int(re.findall(r":(\d+)/", url)[0])):
            return await place.recovered(bot, line)


@asynccontextmanager
async def forwarded(port: int, to: int) -> AsyncIterator[None]:
    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(1 << 16):
                writer.write(data)
                await writer.drain()
        writer.close()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", to)
        await asyncio.gather(pump(reader, back), pump(there, writer))

    server = await asyncio.start_server(accept, "127.0.0.1", port)
    try:
        yield
    finally:
        server.close()


async def few_identifies(place: Place) -> Tried:
    place.discord.remaining, place.discord.reset_after_s = 49, 2.0

    def reset() -> None:
        if place.discord.identifies:
            raise Failed("it has identified")
        place.discord.remaining = 1000

    return await place.retried(reset)


# --- the database ------------------------------------------------------------------------------------------------


async def wrong_url(place: Place) -> Tried:
    return await place.final(DATABASE_URL="mysql://galley:secret@host/games")


async def foreign_file(place: Place) -> Tried:
    with closing(sqlite3.connect(place.file)) as connection, connection:
        connection.execute("CREATE TABLE people (name TEXT)")
    return await place.final()


async def newer_tables(place: Place) -> Tried:
    async with place.living():
        await asyncio.wait_for(place.discord.ready.wait(), MOST_S)
    (place.folder / "log").unlink()
    with closing(sqlite3.connect(place.file)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    return await place.final()


async def missing_database(place: Place) -> Tried:
    address = place.postgres().database()
    place.postgres().drop(address)
    return await place.final(DATABASE_URL=address)


async def server_away(place: Place) -> Tried:
    address = place.postgres().database()
    place.postgres().stop()
    try:
        async with place.living(DATABASE_URL=address) as bot:
            line = await place.waits()
            place.postgres().start()
            return await place.recovered(bot, line)
    finally:
        place.postgres().stop()
        place.postgres().start()


async def file_in_use(place: Place) -> Tried:
    async with Gateway().open() as other, AsyncExitStack() as stack:
        (place.folder / "other").mkdir()
        there = f"sqlite+aiosqlite:///{place.file}"
        await stack.enter_async_context(living(place.folder / "other", other, DATABASE_URL=there))
        await asyncio.wait_for(other.ready.wait(), MOST_S)
        async with place.living() as bot:
            line = await place.waits()
            await stack.aclose()
            return await place.recovered(bot, line)


async def full_disk(place: Place) -> Tried:
    import resource  # noqa: PLC0415

    async with place.living(MAX_FILE_BYTES="6000") as bot:
        line = await place.waits()
        resource.prlimit(bot.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        return await place.recovered(bot, line)


# --- while it runs -----------------------------------------------------------------------------------------------


async def connection_lost(place: Place) -> Tried:
    async with place.living() as bot:
        await asyncio.wait_for(place.discord.ready.wait(), MOST_S)
        place.discord.ready.clear()
        await place.discord.hang_up()
        await until(lambda: place.discord.resumes, "it does not resume")
        line = place.lines("Shard ID None has successfully RESUMED")[-1]["event"]
        return await place.recovered(bot, line)


async def gateway_away(place: Place) -> Tried:
    async with place.living() as bot:
        await asyncio.wait_for(place.discord.ready.wait(), MOST_S)
        place.discord.ready.clear()
        place.discord.handshakes_fail = 2
        await place.discord.hang_up()
        await until(lambda: place.lines("Attempting a reconnect"), "it does not say so")
        tried = await place.recovered(bot, "Attempting a reconnect in")
    lines = place.lines("Attempting a reconnect")
    if any(line["level"] != "warning" or "exception" in line for line in lines):
        raise Failed(str(lines))
    return tried


async def few_identifies_left(place: Place) -> Tried:
    async with place.living() as bot:
        await asyncio.wait_for(place.discord.ready.wait(), MOST_S)
        place.discord.ready.clear()
        place.discord.resumable, place.discord.remaining, place.discord.reset_after_s = False, 49, 1.0
        await place.discord.hang_up()
        await until(lambda: place.lines("too few connections"), "it does not say so")
        line = place.lines("too few connections")[0]["event"]
        if place.discord.identifies != 1:
            raise Failed("it has identified")
        place.discord.remaining = 1000
        return await place.recovered(bot, line)


async def session_ended(place: Place) -> Tried:
    async with place.living() as bot:
        await asyncio.wait_for(place.discord.ready.wait(), MOST_S)
        place.discord.ready.clear()
        place.discord.resumable = False
        await place.discord.hang_up()
        await until(lambda: place.discord.identifies == 2, "it does not identify")
        line = place.lines("Shard ID None session has been invalidated")[-1]["event"]
        return await place.recovered(bot, line)


async def server_goes(place: Place) -> Tried:
    server, port = place.postgres(), free_port()
    address = server.database()
    async with place.living(DATABASE_URL=address, HTTP_PORT=str(port)) as bot:
        await asyncio.wait_for(place.discord.ready.wait(), MOST_S)
        server.stop()
        try:
            status, _ = await fetch(port, "healthz")
            metrics, text = await fetch(port, "metrics")
        finally:
            server.start()
        if (status, metrics) != (503, 200) or "war_galley_connected " not in text:
            raise Failed(f"/healthz answers {status}, /metrics {metrics}")
        line = place.lines("database cannot be read")[0]["event"]
        began = time.monotonic()
        async with asyncio.timeout(MOST_S):
            while (await fetch(port, "healthz"))[0] != 200:  # noqa: ASYNC110 - as above
                await asyncio.sleep(0.1)
        return Tried(bot.returncode, line, f"healthy after {time.monotonic() - began:.1f} s")


async def fetch(port: int, path: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(f"http://127.0.0.1:{port}/{path}") as answer:
        return answer.status, await answer.text()


SCENARIOS: dict[str, Callable[[Place], Awaitable[Tried]]] = {
    "no token": no_token,
    "the token with something else": token_with_spaces,
    "a setting out of its range": setting_out_of_range,
    "`PHASE_LENGTH` is no length of time": phase_length,
    "`HEALTH_FILE` in a folder that is not there": health_file,
    "one port for two things": same_port,
    "a package of `GAMES` is missing": missing_game,
    "`HTTP_PORT` is taken": port_taken,
    "Discord refuses the token": bad_token,
    "the token is reset while the bot runs": token_reset,
    "a shard that Discord does not know": closing_with(4010),
    "too many servers for one connection": closing_with(4011),
    "a version that Discord no longer knows": closing_with(4012),
    "an intent that Discord does not know": closing_with(4013),
    "`MEMBERS_INTENT` without the intent": closing_with(4014, MEMBERS_INTENT="true"),
    "Cloudflare limits the address": answering(failing.BANNED_BY_CLOUDFLARE),
    "Cloudflare blocks the address": answering(failing.BLOCKED_BY_CLOUDFLARE),
    "Discord limits the bot": answering(failing.rate_limited(35.0)),
    "Discord is out of order": answering(failing.OUT_OF_ORDER),
    "a login page in Discord's place": answering(failing.LOGIN_PAGE),
    "no way to Discord": unreachable,
    "few connections remain": few_identifies,
    "a database that is neither SQLite nor PostgreSQL": wrong_url,
    "a file of another program": foreign_file,
    "a database of a newer version": newer_tables,
    "a database that does not exist": missing_database,
    "PostgreSQL is not there yet": server_away,
    "another bot has the file": file_in_use,
    "the disk is full": full_disk,
    "Discord hangs up": connection_lost,
    "Discord is away for a while": gateway_away,
    "Discord ends the session": session_ended,
    "few connections remain while the bot runs": few_identifies_left,
    "PostgreSQL goes away": server_goes,
}
ON_POSTGRES = {missing_database, server_away, server_goes}
"""They stop the one server that there is, one after the other."""


async def attempt(name: str, server: pg.Server | None, settings: dict[str, str]) -> Tried:
    row = next(failure for failure in FAILURES if failure.name == name)
    with tempfile.TemporaryDirectory(prefix="war-galley-") as folder:
        async with Gateway().open() as discord:
            try:
                tried = await SCENARIOS[name](Place(Path(folder), discord, server, settings))
            except (Failed, TimeoutError) as error:
                log = Path(folder) / "log"
                raise Failed(f"{error!r}\n{log.read_text() if log.exists() else ''}") from error
            text = (Path(folder) / "log").read_text("utf-8")
    if tried.code != (2 if row.then == FINAL else None):
        raise Failed(f"{row.then}, but the exit code is {tried.code}: {tried.line}")
    if not row.matches(tried.line):
        raise Failed(f"the line is {tried.line!r}")
    if "Traceback" in text or TOKEN in text:
        raise Failed(text)
    return tried


async def main(words: list[str]) -> int:
    names = [name for name in SCENARIOS if not words or any(word in name for word in words)]
    install, turn, places = pg.binaries(), asyncio.Lock(), asyncio.Semaphore(SIDE_BY_SIDE)
    failed = 0

    async def one(name: str, server: pg.Server | None) -> None:
        nonlocal failed
        async with AsyncExitStack() as stack:
            if SCENARIOS[name] in ON_POSTGRES:
                await stack.enter_async_context(turn)
            await stack.enter_async_context(places)
            try:
                tried = await attempt(name, server, {})
            except Failed as error:
                failed += 1
                sys.stdout.write(f"FAILED  {name}: {error}\n")
            else:
                code = "runs   " if tried.code is None else f"exit {tried.code} "
                sys.stdout.write(f"{code} {name}: {tried.line}{' -> ' if tried.recovery else ''}{tried.recovery}\n")
            sys.stdout.flush()

    with pg.server(install) if install else nullcontext() as server:
        await asyncio.gather(*(one(name, server) for name in names))
    sys.stdout.write(f"{len(names) - failed} of {len(names)} failures are as docs/reference.md says\n")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
