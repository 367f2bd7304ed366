"""Bots that play side by side on one PostgreSQL, and captains who order by command and seal by a press.

What captains order follows from how the game stands, and what is left to chance is the same in every run: so a run in
which bots are killed or stopped must end as a calm one does. `python -m tests.crash.fleet` disturbs them for longer
than the tests do.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import psycopg
from sqlalchemy import delete

from bot.jobs import stored
from bot.services.lobby import NewGame
from bot.services.table import Services
from bot.store import Store
from bot.store.engine import revisions
from bot.store.models.pace import Pace
from bot.store.models.tables import beats
from rules.core.protocol import Request
from rules.core.registry import RULESETS
from tests import here, pg
from tests.forked import Forked
from tests.loopback.endpoint import SigningShards, free_port
from tests.loopback.gateway import living, log_lines
from tests.loopback.rest import CHANNEL
from tests.loopback.shards import OTHER_CHANNEL, SHARDS, ShardedGateway

SYSTEM = next(iter(RULESETS))
PLACES = (CHANNEL, OTHER_CHANNEL)
ANSWER_MOST_S = 6.0  # after this time without an answer a captain tries again: no bot may have got the request
PAUSE_S = 0.1
MOST_S = 240.0
LONG_STEPS = 6
LONG_STOP_S = 30.0
Happens = Callable[["Fleet", int], Awaitable[dict[str, float]]]
"""Disturbs running bots until each game has made that many steps; returns some figures."""
UNSENT = "SELECT 1 FROM outbox WHERE wanted > sent AND problem IS NULL AND due_at < 4000000000 AND kind <> 'remind'"
RESOLVING = "SELECT 1 FROM games WHERE phase = 'resolving'"


class Seat(NamedTuple):
    user: int
    game: int
    seat: int
    channel: int


class Asked(NamedTuple):
    request: str
    draft: str
    text: str  # their orders


class Fleet:
    """A Discord of two shards, a database, and the bots that play on it."""

    def __init__(self, folder: Path, server: pg.Server, database: str, discord: SigningShards) -> None:
        self.folder, self.server, self.database, self.discord = folder, server, database, discord
        self.seats: list[Seat] = []
        self.sealed: dict[tuple[int, str], str] = {}
        """Orders by game and request, of which the captain was told that they are sealed."""
        self._stack = AsyncExitStack()
        self.bots: dict[str, Forked] = {}

    async def start(self, name: str, **settings: str) -> None:
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        given = {"DATABASE_URL": self.database, "SHARDS": str(SHARDS), "WORKERS": "1", "PICTURE_WIDTH": "320"}
        given |= {"SAME_DICE": "1", **settings}
        self.bots[name] = await self._stack.enter_async_context(living(folder, self.discord, **given))

    async def stop(self, name: str) -> int:
        self.bots[name].send_signal(signal.SIGTERM)
        return await self.ended(name)

    async def ended(self, name: str) -> int:
        return await asyncio.wait_for(self.bots.pop(name).wait(), MOST_S)

    async def close(self) -> None:
        await self._stack.aclose()

    def rows(self, query: str, *given: object) -> list[tuple[Any, ...]]:
        try:
            with psycopg.connect(pg.plain(self.database), autocommit=True) as connection:
                return connection.execute(query, given).fetchall()
        except psycopg.OperationalError:
            return []

    def holders(self) -> dict[int, str]:
        live = "holder IS NOT NULL AND until > extract(epoch FROM clock_timestamp())"
        found = self.rows(f"SELECT substr(key, 7)::int, holder FROM leases WHERE starts_with(key, 'shard:') AND {live}")
        return dict(found)

    def lines(self, name: str) -> list[dict[str, Any]]:
        return log_lines(self.folder / name)

    def stopped(self, name: str) -> bool:
        return Path(f"/proc/{self.bots[name].pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"

    # --- playing -----------------------------------------------------------------------------------------------

    def step(self, game: int) -> int | None:
        found = self.rows("SELECT step_no FROM games WHERE id = %s", game)
        return found[0][0] if found else None

    async def play(self, steps: int) -> None:
        await asyncio.wait_for(asyncio.gather(*(self._captain(seat, steps) for seat in self.seats)), MOST_S)

    async def _captain(self, seat: Seat, steps: int) -> None:
        while (step := self.step(seat.game)) is None or step < steps:
            if asked := self._asked(seat):
                with suppress(TimeoutError):
                    async with asyncio.timeout(ANSWER_MOST_S):
                        await self._answer(seat, asked)
            await asyncio.sleep(PAUSE_S)

    async def _answer(self, seat: Seat, asked: Asked) -> None:
        if not asked.draft:
            await self.discord.command(seat.user, "orders", seat.channel, game=str(seat.game), text=asked.text)
            return
        for message, refs in self.discord.panels(seat.user):
            if seal := next((ref for ref in refs if ref.verb == "seal" and ref.request == asked.request), None):
                await self.discord.press(seat.user, message, seal.pack())
                query = "SELECT body FROM answers WHERE game_id = %s AND request_id = %s"
                for (body,) in self.rows(query, seat.game, asked.request):
                    self.sealed[seat.game, asked.request] = body
                return

    def _asked(self, seat: Seat) -> Asked | None:
        query = """
            SELECT r.id, r.draft, r.body, s.state FROM requests r
            JOIN games g ON g.id = r.game_id AND g.phase = 'running'
            JOIN steps s ON s.game_id = g.id AND s.no = g.step_no
            WHERE r.game_id = %s AND r.seat = %s AND r.status = 'open' AND NOT r.optional
        """
        found = self.rows(query, seat.game, seat.seat)
        if not found:
            return None
        number, draft, body, state = found[0]
        rules, request = RULESETS[SYSTEM], msgspec.json.decode(body, type=Request)
        view = rules.view(stored.read_state(rules, state), request.seat)
        return Asked(number, draft, rules.format_answer(request, rules.computer_answer(view, request, "00")))

    # --- how it ended ------------------------------------------------------------------------------------------

    async def until(self, happened: Callable[[], object], most_s: float = MOST_S) -> float:
        """Wait until it has happened; return the seconds."""
        began = time.monotonic()
        async with asyncio.timeout(most_s):
            while not happened():  # noqa: ASYNC110 - it happens in other processes
                await asyncio.sleep(0.02)
        return time.monotonic() - began

    async def settled(self) -> None:
        waits = (UNSENT, RESOLVING, "SELECT 1 FROM removals WHERE due_at IS NOT NULL")
        await self.until(lambda: self.rows("SELECT 1") and not any(self.rows(one) for one in waits))

    def states(self) -> list[tuple[Any, ...]]:
        return self.rows("SELECT game_id, no, state FROM steps ORDER BY game_id, no")

    def check(self, calm: Sequence[tuple[Any, ...]]) -> None:
        """Check that no order was lost, no message is doubled or missing, and all states are as in a calm run."""
        assert self.states() == list(calm)
        answers = {(game, one): body for game, one, body in self.rows("SELECT game_id, request_id, body FROM answers")}
        lost = {key: text for key, text in self.sealed.items() if answers.get(key) != text}
        assert self.sealed
        assert not lost
        marks = Counter(mark for _, mark in self.discord.marks())
        assert {mark: count for mark, count in marks.items() if count > 1} == {}
        wanted = {mark for (mark,) in self.rows("SELECT mark FROM outbox WHERE message_id IS NOT NULL")}
        assert wanted == marks.keys()
        assert not self.rows("SELECT 1 FROM outbox WHERE problem IS NOT NULL")


async def begin(database: str, games: int = 1) -> list[Seat]:
    """Open games on each server, let two captains join each, and start them; nothing of it is sent yet."""
    store = await Store.open(database)
    chance = hashlib.sha256(b"always the same game").hexdigest()
    table = Services(store, here.workers(), lambda: datetime.now(UTC), lambda: chance, opening_limits=here.MANY_GAMES)
    seats: list[Seat] = []
    users = iter(range(1, 1000))
    for _ in range(games):
        for channel in PLACES:
            guild = ShardedGateway().guilds[channel]
            pair = (here.person(next(users)), here.person(next(users)))
            wish = NewGame(
                system=SYSTEM,
                guild_id=guild,
                channel_id=channel,
                locale="en-US",
                pace=Pace(seconds=86_400),
                options={"galleys": "1"},
                rated=True,
            )
            number = await here.begin(table, wish, *pair)
            await table.step_runner.wait_until_idle()
            for seat in (await table.reader.games.seated_game(number)).seats:
                assert seat.user_id is not None
                seats.append(Seat(seat.user_id, number, seat.seat, channel))
    async with store.write() as tx:  # who plays it later was not away since
        await tx.games._connection.execute(delete(beats))
    await store.close()
    return seats


@asynccontextmanager
async def fleet(folder: Path, server: pg.Server, template: str, seats: Sequence[Seat]) -> AsyncIterator[Fleet]:
    """Return a fleet over a copy of a database in which games have begun."""
    database = server.database(template)
    async with SigningShards().open() as discord:
        assert isinstance(discord, SigningShards)
        # Of what one bot did just before it was killed or another edited the same message, the next one can't know.
        discord.guard.expected |= {"thread of a message", "kept attachment", "second response"}
        found = Fleet(folder, server, database, discord)
        found.seats = [*seats]
        try:
            yield found
        finally:
            await found.close()
    server.drop(database)


# --- what may happen to bots -----------------------------------------------------------------------------------------


async def halves(playing: Fleet, **of_the_victim: str) -> float:
    """Start two bots, of which `victim` holds shard 0; return the seconds that the second waited for its share."""
    await playing.start("victim", **of_the_victim)
    await playing.until(lambda: playing.holders().keys() == {0, 1})
    await playing.start("other")
    return await shared_out(playing)


async def shared_out(playing: Fleet) -> float:
    """Wait until two bots have a shard each, and a connection for it; return the seconds until they had the shard."""
    waited = await playing.until(lambda: len({*playing.holders().values()}) == SHARDS)
    await playing.until(lambda: playing.discord.connected(*range(SHARDS)))
    return waited


async def calmly(playing: Fleet, steps: int) -> dict[str, float]:
    waited = await halves(playing)
    began = time.monotonic()
    await playing.play(steps)
    took = time.monotonic() - began
    await playing.settled()
    for name in ("victim", "other"):
        assert await playing.stop(name) == 0
        assert [line for line in playing.lines(name) if line["level"] == "error"] == []
    return {"seconds until a second bot has its share": waited, "seconds for all steps, undisturbed": took}


async def spread(playing: Fleet, steps: int) -> dict[str, float]:
    """Let two bots take presses and commands in turn over HTTP, also the one without shard 0; each of them once.

    While the database is away they take none, and those not taken can come once more.
    """
    ports = {name: free_port() for name in ("one", "two")}
    for name, port in ports.items():
        await playing.start(name, INTERACTIONS_PORT=str(port), LOG_LEVEL="DEBUG")
    await playing.until(lambda: len({*playing.holders().values()}) == 2 and playing.discord.connected(0, 1))
    playing.discord.ports = [*ports.values()]
    await playing.play(steps)
    await playing.settled()
    for name, port in ports.items():
        assert [line for line in playing.lines(name) if line["event"] == "answered"]
        last = playing.discord.sent[-1]
        assert await playing.discord.post(port, last, *playing.discord.signed(last)) == (409, "")
    number = f'"id": "{json.loads(last)["id"]}"'.encode()
    once_more = last.replace(number, number[:-1] + b'9"', 1)
    playing.server.stop()
    for port in ports.values():
        assert await playing.discord.post(port, once_more, *playing.discord.signed(once_more)) == (503, "")
    playing.server.start()
    await playing.until(lambda: playing.holders().keys() == {0, 1})
    answers = [
        await playing.discord.post(port, once_more, *playing.discord.signed(once_more)) for port in ports.values()
    ]
    assert answers == [(202, ""), (409, "")]
    await playing.settled()
    return {}


async def killed(playing: Fleet, steps: int) -> dict[str, float]:
    await halves(playing, STEPS_TAKE_S="600")
    captains = asyncio.create_task(playing.play(steps))
    await playing.until(lambda: playing.rows(RESOLVING))
    playing.bots["victim"].kill()
    taken = await playing.until(lambda: len({*playing.holders().values()}) == 1)
    await playing.until(lambda: not playing.rows(RESOLVING))
    await captains
    await playing.settled()
    return {"seconds from kill -9 until another bot has the shard": taken}


async def stopped(playing: Fleet, steps: int, least_s: float = 0.0) -> dict[str, float]:
    """Stop the holder of shard 0 before it sends what it has counted as tried; it goes on after the others.

    Discord knows no nonce: a message that is sent twice stands there twice.
    """
    playing.discord.nonces_kept_s = 0
    await halves(playing, STOPS_BEFORE="step:1")
    victim = playing.holders()[0]
    captains = asyncio.create_task(playing.play(steps))
    await playing.until(lambda: playing.stopped("victim"))
    await asyncio.sleep(least_s)
    taken = await playing.until(lambda: victim not in playing.holders().values())
    await playing.until(lambda: playing.discord.connected(0, 1))
    await captains
    await playing.settled()
    playing.bots["victim"].send_signal(signal.SIGCONT)
    await playing.until(lambda: victim in playing.holders().values())  # it plays again, with a share of its own
    await playing.settled()
    return {"seconds from SIGSTOP until another bot has the shard": taken + least_s}


async def away(playing: Fleet, steps: int) -> dict[str, float]:
    await asyncio.gather(*(playing.start(name) for name in ("one", "two", "three")))
    await playing.until(lambda: playing.holders().keys() == {0, 1} and playing.discord.connected(0, 1))
    captains = asyncio.create_task(playing.play(steps))
    await playing.until(lambda: playing.sealed)
    playing.server.stop()
    await asyncio.sleep(1)
    playing.server.start()
    again = await playing.until(lambda: playing.holders().keys() == {0, 1})
    await captains
    await playing.settled()
    told = [line for name in playing.bots for line in playing.lines(name) if line["event"] == "commands told"]
    assert len(told) == 1
    return {"seconds from the database's start until all shards are held": again}


MORE = """
import sqlalchemy as sa
from alembic import op

revision, down_revision = "{0}", "{1}"


def upgrade():
    op.add_column("games", sa.Column("of_{0}", sa.String(8), server_default="new", nullable=False))
"""  # a migration as a later version may have


def later(folder: Path, versions: int, *, serves_all: bool) -> dict[str, str]:
    """Return settings of a bot that is `versions` later, each version with one more column."""
    migrations, newest = folder / f"later-{versions}", int(revisions.newest_revision())
    shutil.copytree(revisions.VERSIONS_FOLDER.parent, migrations)
    for number in range(newest + 1, newest + versions + 1):
        more = MORE.format(f"{number:04}", f"{number - 1:04}")
        (migrations / "versions" / f"{number:04}_more.py").write_text(more)
    serves_from = newest if serves_all else newest + versions
    return {"MIGRATIONS": str(migrations), "SERVES_FROM": f"{serves_from:04}"}


async def upgraded(playing: Fleet, steps: int) -> dict[str, float]:
    """Replace bots one after the other by those of the next version, while games go on; then by one of a version with
    which these can't play, so that they end by themselves."""
    await halves(playing)
    await playing.play(1)
    tables = playing.rows("SELECT version_num FROM alembic_version")
    new = later(playing.folder, 1, serves_all=True)
    for before, after in (("victim", "one"), ("other", "two")):
        assert await playing.stop(before) == 0
        await playing.start(after, **new)
        await shared_out(playing)
        await playing.play(2)  # by one of each
    assert playing.rows("SELECT version_num FROM alembic_version") != tables
    await playing.start("last", **later(playing.folder, 2, serves_all=False))
    for name in ("one", "two"):
        assert await playing.ended(name) == 0
        assert [line for line in playing.lines(name) if line["event"] == "a newer version plays on: this one ends"]
    await playing.until(lambda: playing.holders().keys() == {0, 1} and playing.discord.connected(0, 1))
    await playing.play(steps)
    await playing.settled()
    return {}


def main() -> None:
    """Disturb bots for longer than the tests do, and print what it took; ends with an error if something was lost."""
    parser = argparse.ArgumentParser(prog="python -m tests.crash.fleet", description="Several bots, disturbed.")
    parser.add_argument("steps", type=int, nargs="?", default=LONG_STEPS, help="so many each game has, %(default)s")
    given = parser.parse_args()
    install = pg.binaries()
    if install is None:
        sys.exit(pg.NO_SERVER)
    runs: dict[str, Happens] = {
        "calm": calmly,
        "killed": killed,
        "away": away,
        "http": spread,
        "upgraded": upgraded,
        "stopped": partial(stopped, least_s=LONG_STOP_S),
    }
    with pg.server(install) as server, tempfile.TemporaryDirectory(prefix="war-galley-") as name:
        seats = asyncio.run(begin(server.database(name="begun")))
        calm: list[tuple[Any, ...]] = []

        async def run(what: str, happens: Happens) -> None:
            async with fleet(Path(tempfile.mkdtemp(dir=name)), server, "begun", seats) as playing:
                took = await happens(playing, given.steps)
                calm.extend([] if calm else playing.states())
                playing.check(calm)
                rows = {**took, "orders lost": 0, "messages doubled": 0, "states unequal": 0}
                sys.stdout.writelines(f"{what:<10}{figure:<60}{value:>8.1f}\n" for figure, value in rows.items())
                sys.stdout.flush()

        for what, happens in runs.items():
            asyncio.run(run(what, happens))


if __name__ == "__main__":
    main()
