"""The failures that docs/reference.md lists, each tried on a real bot: what it prints, how it ends, how it recovers.

`python -m tests.crash.failures [WORD ...]` tries all, or those whose first column holds one of the words.
"""

from __future__ import annotations

import asyncio
import re
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, closing, nullcontext, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import aiohttp

from tests import pg
from tests.forked import Forked
from tests.loopback import failing
from tests.loopback.endpoint import free_port
from tests.loopback.gateway import Gateway, living, log_lines

MOST_S = 240.0
SIDE_BY_SIDE = 3  # failures that are tried at once
TOKEN = "MTIzNDU2Nzg5MDEyMzQ1Njc4.GbCdEf.c2VjcmV0LXRva2VuLW9mLWEtYm90"
SHORT = {"FIRST_PAUSE_S": "0.2"}  # settings of bots that wait hardly at all before they try again
WAITS = "the bot waits"
FINAL, RETRIED, GOES_ON = "exits with 2", "tries again", "goes on"
BAD_TOKEN = "Discord does not accept DISCORD_TOKEN; copy it again from the developer portal"
TOO_OLD = "Discord does not understand this version any more (code {}); upgrade war-galley"
KEPT_AWAY = (
    "Cloudflare keeps this machine's address away from Discord (error code: {}); wait, stop what else asks Discord "
    "from here, or use another address"
)


class Failed(Exception):
    """The bot has not done what was expected."""


class Tried(NamedTuple):
    code: int | None  # its exit code; None: it runs on
    line: str
    recovery: str


class Place:
    """The folder, Discord and database of one bot."""

    def __init__(self, folder: Path, discord: Gateway, server: pg.Server | None, settings: dict[str, str]) -> None:
        self.folder, self.discord, self.server = folder, discord, server
        self.settings = {"DISCORD_TOKEN": TOKEN, **settings}
        self.file = folder / "games.sqlite"

    def living(self, **settings: str) -> Any:
        return living(self.folder, self.discord, **{**self.settings, **settings})

    @asynccontextmanager
    async def connected(self, **settings: str) -> AsyncIterator[Forked]:
        async with self.living(**settings) as bot:
            await asyncio.wait_for(self.discord.ready.wait(), MOST_S)
            self.discord.ready.clear()
            yield bot

    def postgres(self) -> pg.Server:
        if self.server is None:
            raise Failed(pg.NO_SERVER)
        return self.server

    async def final(self, **settings: str) -> Tried:
        async with self.living(**settings) as bot:
            return await self.ended(bot)

    async def ended(self, bot: Forked) -> Tried:
        code = await asyncio.wait_for(bot.wait(), MOST_S)
        plain = [line for line in (self.folder / "log").read_text("utf-8").splitlines() if not line.startswith("{")]
        if len(plain) != 1:
            raise Failed("\n".join(plain))
        return Tried(code, plain[0].removeprefix("war-galley: "), "")

    async def waits(self) -> str:
        await until(lambda: self.lines(WAITS), "the bot does not wait")
        return str(self.lines(WAITS)[-1]["why"])

    async def retried(self, end: Callable[[], object] = lambda: None, **settings: str) -> Tried:
        """Run the bot, end the failure, and see it recover."""
        async with self.living(**settings) as bot:
            line = await self.waits()
            end()
            return await self.recovered(bot, line)

    async def recovered(self, bot: Forked, line: str) -> Tried:
        began = time.monotonic()
        await asyncio.wait_for(self.discord.ready.wait(), MOST_S)
        return Tried(bot.returncode, line, f"ready after {time.monotonic() - began:.1f} s")

    def lines(self, event: str) -> list[dict[str, Any]]:
        return [line for line in log_lines(self.folder) if line["event"].startswith(event)]


async def until(happened: Callable[[], object], otherwise: str) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(MOST_S):
            while not happened():  # noqa: ASYNC110 - it happens in another process
                await asyncio.sleep(0.02)
            return
    raise Failed(otherwise)


Attempt = Callable[[Place], Awaitable[Tried]]


class Failure(NamedTuple):
    name: str
    line: str  # with `…` for what differs from host to host
    then: str
    attempt: Attempt
    on_postgres: bool

    def matches(self, line: str) -> bool:
        return re.fullmatch(".*".join(map(re.escape, self.line.split("…"))), line) is not None


FAILURES: Final = dict[str, Failure]()  # in the order of docs/reference.md


def failure(name: str, line: str, then: str, *, on_postgres: bool = False) -> Callable[[Attempt], Attempt]:
    """Add a function to `FAILURES`. One that stops the PostgreSQL server runs `on_postgres` alone."""

    def add(attempt: Attempt) -> Attempt:
        FAILURES[name] = Failure(name, line, then, attempt, on_postgres)
        return attempt

    return add


def ends(name: str, line: str, **settings: str) -> None:
    failure(name, line, FINAL)(lambda place: place.final(**settings))


def closed_with(code: int, name: str, line: str, **settings: str) -> None:
    @failure(name, line, FINAL)
    async def closed(place: Place) -> Tried:
        place.discord.close_codes = [code]
        return await place.final(**settings)


def answered(answer: failing.Failing, name: str, line: str) -> None:
    @failure(name, line, RETRIED)
    async def retried(place: Place) -> Tried:
        place.discord.failures = [answer]
        tried = await place.retried()
        return tried._replace(recovery=f"{tried.recovery}, having waited {place.lines(WAITS)[0]['seconds']} s")


# --- settings ----------------------------------------------------------------------------------------------------

ends("no token", "DISCORD_TOKEN is not set; put the bot's token into the environment or a .env file", DISCORD_TOKEN=" ")
ends(
    "the token with something else",
    "DISCORD_TOKEN: a token has no spaces, quotes or other such characters; copy it alone",
    DISCORD_TOKEN="Bot token",
)
ends("a setting out of its range", "WORKERS: Input should be greater than or equal to 1", WORKERS="0")
ends(
    "`PHASE_LENGTH` is no length of time",
    "PHASE_LENGTH: '…' is not a time from a minute to 30 days; write it as 24h, 2d 12h or 20:00",
    PHASE_LENGTH="bananas",
)
ends(
    "`HEALTH_FILE` in a folder that is not there",
    "HEALTH_FILE: there is no folder …",
    HEALTH_FILE=f"{tempfile.gettempdir()}/war-galley-nowhere/health",
)
ends(
    "one port for two things",
    "HTTP_PORT and INTERACTIONS_PORT are the same; choose another for one of them",
    HTTP_PORT="8099",
    INTERACTIONS_PORT="8099",
)
ends(
    "a package of `GAMES` is missing",
    "GAMES: no_such_package: No module named 'no_such_package'",
    GAMES="no_such_package",
)


@failure("`HTTP_PORT` is taken", "HTTP_HOST and HTTP_PORT cannot be had: …address already in use", RETRIED)
async def port_taken(place: Place) -> Tried:
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    return await place.retried(server.close, HTTP_PORT=str(server.sockets[0].getsockname()[1]))


# --- Discord -----------------------------------------------------------------------------------------------------


@failure("Discord refuses the token", BAD_TOKEN, FINAL)
async def bad_token(place: Place) -> Tried:
    place.discord.failures = [failing.UNAUTHORIZED]
    return await place.final()


@failure("the token is reset while the bot runs", BAD_TOKEN, FINAL)
async def token_reset(place: Place) -> Tried:
    async with place.connected() as bot:
        place.discord.resumable = False
        place.discord.close_codes = [4004]
        await place.discord.hang_up()
        return await place.ended(bot)


closed_with(
    4010,
    "a shard that Discord does not know",
    "Discord does not accept the number of a shard; set SHARDS to the same number for all bots",
)
closed_with(
    4011,
    "too many servers for one connection",
    "the bot is on too many servers for one connection; set SHARDS, as docs/running.md says under Several bots",
)
closed_with(4012, "a version that Discord no longer knows", TOO_OLD.format(4012))
closed_with(4013, "an intent that Discord does not know", TOO_OLD.format(4013))
closed_with(
    4014,
    "`MEMBERS_INTENT` without the intent",
    "MEMBERS_INTENT=true needs the Server Members Intent: switch it on in the developer portal under Bot, or set"
    " MEMBERS_INTENT=false",
    MEMBERS_INTENT="true",
)
answered(failing.BANNED_BY_CLOUDFLARE, "Cloudflare limits the address", KEPT_AWAY.format(1015))
answered(failing.BLOCKED_BY_CLOUDFLARE, "Cloudflare blocks the address", KEPT_AWAY.format(1020))
answered(
    failing.rate_limited(35.0),
    "Discord limits the bot",
    "Discord has limited the bot's requests for … s; if that happens often, look for another program with the same"
    " token",
)
answered(
    failing.OUT_OF_ORDER,
    "Discord is out of order",
    "Discord is out of order (503); nothing to do unless it lasts; see discordstatus.com",
)
answered(
    failing.LOGIN_PAGE,
    "a login page in Discord's place",
    "what answers is not Discord; check the network for a proxy or a login page",
)


@failure("no way to Discord", "Discord cannot be reached (…); check the network and the firewall", RETRIED)
async def unreachable(place: Place) -> Tried:
    url, place.discord.url = place.discord.url, f"http://127.0.0.1:{free_port()}/api/v10"
    here, there = (int(re.findall(r":(\d+)/", address)[0]) for address in (place.discord.url, url))
    async with place.living() as bot:
        line = await place.waits()
        async with forwarded(here, there):
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


@failure(
    "few connections remain",
    "only … connections to Discord remain for the next … s; look for what connects again and again, such as another"
    " program with the same token",
    RETRIED,
)
async def few_identifies(place: Place) -> Tried:
    place.discord.remaining, place.discord.reset_after_s = 49, 2.0

    def reset() -> None:
        if place.discord.identifies:
            raise Failed("it has identified")
        place.discord.remaining = 1000

    return await place.retried(reset)


# --- the database ------------------------------------------------------------------------------------------------

ends(
    "a database that is neither SQLite nor PostgreSQL",
    "the database cannot be opened: DATABASE_URL is of no use: games are kept in SQLite or PostgreSQL, not in mysql",
    DATABASE_URL="mysql://galley:secret@host/games",
)


@failure("a file of another program", "the database cannot be opened: …: it holds tables of another program", FINAL)
async def foreign_file(place: Place) -> Tried:
    with closing(sqlite3.connect(place.file)) as connection, connection:
        connection.execute("CREATE TABLE people (name TEXT)")
    return await place.final()


@failure(
    "a database of a newer version",
    "the database cannot be opened: …: its tables are of a newer war-galley (…)",
    FINAL,
)
async def newer_tables(place: Place) -> Tried:
    async with place.connected():
        pass
    (place.folder / "log").unlink()
    with closing(sqlite3.connect(place.file)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    return await place.final()


@failure(
    "a database that does not exist",
    'the database cannot be opened: …database "…" does not exist',
    FINAL,
    on_postgres=True,
)
async def missing_database(place: Place) -> Tried:
    address = place.postgres().database()
    place.postgres().drop(address)
    return await place.final(DATABASE_URL=address)


@failure(
    "PostgreSQL is not there yet",
    "the database cannot be used just now: …; start its server",
    RETRIED,
    on_postgres=True,
)
async def server_away(place: Place) -> Tried:
    address = place.postgres().database()
    place.postgres().stop()
    try:
        return await place.retried(place.postgres().start, DATABASE_URL=address)
    finally:
        place.postgres().stop()
        place.postgres().start()


@failure(
    "another bot has the file",
    "the database cannot be used just now: …: another war-galley is running on this database file; stop that one, or"
    " give this one a database of its own",
    RETRIED,
)
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


@failure(
    "the disk is full",
    "the database cannot be used just now: …; free some space on its disk; if there is enough, the disk may be broken",
    RETRIED,
)
async def full_disk(place: Place) -> Tried:
    async with place.living(MAX_FILE_BYTES="6000") as bot:
        line = await place.waits()
        resource.prlimit(bot.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        return await place.recovered(bot, line)


# --- while it runs -----------------------------------------------------------------------------------------------


@failure("Discord hangs up", "Shard ID None has successfully RESUMED session …", GOES_ON)
async def connection_lost(place: Place) -> Tried:
    async with place.connected() as bot:
        await place.discord.hang_up()
        await until(lambda: place.discord.resumes, "it does not resume")
        return await place.recovered(bot, place.lines("Shard ID None has successfully RESUMED")[-1]["event"])


@failure("Discord is away for a while", "Attempting a reconnect in…", GOES_ON)
async def gateway_away(place: Place) -> Tried:
    async with place.connected() as bot:
        place.discord.handshakes_fail = 2
        await place.discord.hang_up()
        await until(lambda: place.lines("Attempting a reconnect"), "it does not say so")
        tried = await place.recovered(bot, "Attempting a reconnect in")
    lines = place.lines("Attempting a reconnect")
    if any(line["level"] != "warning" or "exception" in line for line in lines):
        raise Failed(str(lines))
    return tried


@failure("Discord ends the session", "Shard ID None session has been invalidated.", GOES_ON)
async def session_ended(place: Place) -> Tried:
    async with place.connected() as bot:
        place.discord.resumable = False
        await place.discord.hang_up()
        await until(lambda: place.discord.identifies == 2, "it does not identify")
        return await place.recovered(bot, place.lines("Shard ID None session has been invalidated")[-1]["event"])


@failure("few connections remain while the bot runs", "too few connections to Discord remain", GOES_ON)
async def few_identifies_left(place: Place) -> Tried:
    async with place.connected() as bot:
        place.discord.resumable, place.discord.remaining, place.discord.reset_after_s = False, 49, 1.0
        await place.discord.hang_up()
        await until(lambda: place.lines("too few connections"), "it does not say so")
        if place.discord.identifies != 1:
            raise Failed("it has identified")
        place.discord.remaining = 1000
        return await place.recovered(bot, place.lines("too few connections")[0]["event"])


@failure("PostgreSQL goes away", "database cannot be read", GOES_ON, on_postgres=True)
async def server_goes(place: Place) -> Tried:
    server, port = place.postgres(), free_port()
    async with place.connected(DATABASE_URL=server.database(), HTTP_PORT=str(port)) as bot:
        server.stop()
        try:
            status, _ = await fetch(port, "healthz")
            metrics, text = await fetch(port, "metrics")
        finally:
            server.start()
        if (status, metrics) != (503, 200) or "war_galley_connected " not in text:
            raise Failed(f"/healthz answers {status}, /metrics {metrics}")
        began = time.monotonic()
        async with asyncio.timeout(MOST_S):
            while (await fetch(port, "healthz"))[0] != 200:  # noqa: ASYNC110 - it recovers in another process
                await asyncio.sleep(0.1)
        line = place.lines("database cannot be read")[0]["event"]
        return Tried(bot.returncode, line, f"healthy after {time.monotonic() - began:.1f} s")


async def fetch(port: int, path: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(f"http://127.0.0.1:{port}/{path}") as answer:
        return answer.status, await answer.text()


async def attempt(row: Failure, server: pg.Server | None, settings: dict[str, str]) -> Tried:
    with tempfile.TemporaryDirectory(prefix="war-galley-") as folder:
        log = Path(folder) / "log"
        async with Gateway().open() as discord:
            try:
                tried = await row.attempt(Place(Path(folder), discord, server, settings))
            except (Failed, TimeoutError) as error:
                raise Failed(f"{error!r}\n{log.read_text() if log.exists() else ''}") from error
            text = log.read_text("utf-8")
    if tried.code != (2 if row.then == FINAL else None):
        raise Failed(f"{row.then}, but the exit code is {tried.code}: {tried.line}")
    if not row.matches(tried.line):
        raise Failed(f"the line is {tried.line!r}")
    if "Traceback" in text or TOKEN in text:
        raise Failed(text)
    return tried


async def main(words: list[str]) -> int:
    rows = [row for row in FAILURES.values() if not words or any(word in row.name for word in words)]
    install, turn, places = pg.binaries(), asyncio.Lock(), asyncio.Semaphore(SIDE_BY_SIDE)
    failed = 0

    async def one(row: Failure, server: pg.Server | None) -> None:
        nonlocal failed
        async with turn if row.on_postgres else nullcontext(), places:
            try:
                tried = await attempt(row, server, {})
            except Failed as error:
                failed += 1
                sys.stdout.write(f"FAILED  {row.name}: {error}\n")
            else:
                code = "runs   " if tried.code is None else f"exit {tried.code} "
                sys.stdout.write(f"{code} {row.name}: {tried.line}{' -> ' if tried.recovery else ''}{tried.recovery}\n")
            sys.stdout.flush()

    with pg.server(install) if install else nullcontext() as server:
        await asyncio.gather(*(one(row, server) for row in rows))
    sys.stdout.write(f"{len(rows) - failed} of {len(rows)} failures are as docs/reference.md says\n")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
