"""Forty games of all kinds by three bots on one PostgreSQL, while limits fill up, terms end, and bots are killed.

Captains press and type, readers export and verify, hosts and strangers do more than they may. Now and then a bot is
killed, or stopped for so long that it loses its lease. `tests.crash.evidence` then compares what the database holds
with what Discord shows. `python -m tests.crash.together` plays all of `SCRIPTS`; `--gateway` lets presses reach bots
through the gateway and not over HTTP.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import random
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import aiohttp
import msgspec
import psycopg

from bot.discord.ids import CustomId
from bot.jobs import stored
from bot.store import Store
from rules.core.protocol import Request
from rules.core.registry import RULESETS
from tests import pg
from tests.crash import evidence
from tests.crash.fleet import PLACES, Fleet
from tests.loopback.endpoint import SigningShards, free_port
from tests.loopback.gateway import Answered, pressable
from tests.loopback.shards import SHARDS

BOTS: Final = ("one", "two", "three")
TERMS_S: Final = "75 60 40"  # of lobbies, idle games and pauses
MAX_OPENINGS: Final = 4  # of one person within an hour
MAX_SERVER_OPENINGS: Final = 60
AT_ONCE: Final = 12  # scripts that are played at once: each takes a share of the machine, as pictures and bots do
ANSWER_MOST_S: Final = 20.0  # after which somebody presses again
THOUGHT_MOST_S: Final = 2.0  # before a captain presses or writes
READ_EVERY_S: Final = (3.0, 9.0)
LOOK_EVERY_S: Final = 0.4
POST_MOST_S: Final = 3.0  # for which a bot may take no press before another gets it
SCRIPT_MOST_S: Final = 1500.0
ROUNDS: Final = 3  # that both captains order before one gives up: with these a game is rated
BETWEEN_KILLS_S: Final = (10.0, 30.0)  # since all shards are held again
STOPPED_S: Final = 9.0  # longer than a lease
SMALL: Final[Mapping[str, Mapping[str, str]]] = {
    "matchbox": {"galleys": "1"},
    "squadrons": {"sides": "first"},
    "campaign": {"map": "gulf", "players": "2"},
}  # options with which games are quick to play
REFUSALS: Final = {
    "opening": "within an hour",
    "posting": "many times",
    "abandoning": "after others had added words",
}  # of what people do too often: a part of the answer
KEPT: Final = {"table": "coffee", "deployment": "ready", "points": "36", "crews": "kept"}
CREWS: Final = '{"build":"5","xp":9,"promotions":"rm"}'
SEASON: Final = {
    "map": "gulf",
    "captains": "AB",
    "turn": 23,
    "talents": {"A": 3, "B": 3},
    "ports": {"A": "PIR SAL", "B": "EPI CAL"},
    "galleys": [f"{name} 5-5+3/5 r0 n0" for name in ("A1 WGU", "A2 WGU", "B1 EGU", "B2 EGU")],
}  # two fleets that meet in the last but one turn
MEETING: Final = ("A1 A2: EGU attack; dice", "repair all; pay A 2")  # their orders
_GAMES = "SELECT id, parent_id, system, phase, host_id, channel_id, thread_id, paused_at, step_no FROM games"
_REQUESTS = """
    SELECT game_id, id, seat, draft, body, status FROM requests
    WHERE status <> 'closed' AND NOT optional ORDER BY game_id, id
"""
_ROUNDS = """
    SELECT a.game_id, a.seat, count(DISTINCT r.body::jsonb ->> 'round') FROM answers a
    JOIN requests r ON r.game_id = a.game_id AND r.id = a.request_id AND r.status = 'closed'
    WHERE a.given_by = 'captain' GROUP BY a.game_id, a.seat
"""
_ACTS = "SELECT game_id, kind, user_id FROM acts ORDER BY id"
_CHOSEN = "SELECT 1 FROM games WHERE id = %s AND setup::jsonb -> 'options' ->> %s = %s"
_WORDS = "SELECT 1 FROM seats WHERE game_id = %s AND word IS NOT NULL"
_STATE = "SELECT s.state FROM steps s JOIN games g ON g.id = s.game_id AND s.no = g.step_no WHERE g.id = %s"


class Game(NamedTuple):
    id: int
    parent_id: int | None
    system: str
    phase: str
    host_id: int
    channel_id: int
    thread_id: int | None
    paused_at: int | None
    step_no: int


class Pending(NamedTuple):
    game: int
    id: str
    seat: int
    draft: str
    body: str
    status: str


class Ended(Exception):
    """A game has ended sooner than a script wanted: its term was over while no bot took presses."""


class View(NamedTuple):
    """The rows of the database when they were last read."""

    games: dict[int, Game]
    requests: dict[int, list[Pending]]  # open and sealed ones, by game
    captains: dict[int, dict[int, int]]  # users by game and seat
    rounds: dict[int, dict[int, int]]  # rounds that captains have ordered, by game and seat
    acts: dict[int, list[str]]  # kinds of log entries by game


class Discord(SigningShards):
    """A Discord that sends what people do to the first bot that takes it, as behind a load balancer."""

    def __init__(self, ports: Mapping[str, int]) -> None:
        """`ports`: those on which bots take presses, by name; empty: they hear them through the gateway."""
        super().__init__()
        self.ports_of = ports
        self.ports = [*ports.values()]

    async def _tell_of(self, place: int, event: str, data: Mapping[str, Any]) -> None:
        for _ in range(len(self.ports)):
            with suppress(aiohttp.ClientError, AssertionError, TimeoutError):
                async with asyncio.timeout(POST_MOST_S):
                    await super()._tell_of(place, event, data)
                    return
        if not self.ports:
            await super()._tell_of(place, event, data)


class Together:
    """The games, and what everybody has done in them."""

    def __init__(self, fleet: Fleet, discord: Discord, seed: str) -> None:
        self.fleet, self.discord = fleet, discord
        self.chance = random.Random(seed)
        self.view = View({}, {}, {}, {}, {})
        self.said: dict[str, list[str]] = defaultdict(list)
        """Answers to what must be refused or proved, by what it was."""
        self.kills: Counter[str] = Counter()
        self._users = itertools.count(101)
        self._places = itertools.cycle(PLACES)
        self._looked = asyncio.Condition()
        self._thinking = asyncio.Semaphore(2)

    # --- looking -----------------------------------------------------------------------------------------------

    async def look(self) -> None:
        """Read the database again and again."""
        while True:
            with suppress(psycopg.Error):
                self.view = await asyncio.to_thread(self._read)
                async with self._looked:
                    self._looked.notify_all()
            await asyncio.sleep(LOOK_EVERY_S)

    def _read(self) -> View:
        with psycopg.connect(pg.plain(self.fleet.database)) as connection:
            games = [Game(*row) for row in connection.execute(_GAMES)]
            requests = [Pending(*row) for row in connection.execute(_REQUESTS)]
            seats = connection.execute("SELECT game_id, seat, user_id FROM seats WHERE user_id > 0").fetchall()
            rounds = connection.execute(_ROUNDS).fetchall()
            acts = connection.execute(_ACTS).fetchall()
        view = View({game.id: game for game in games}, *(defaultdict(kind) for kind in (list, dict, dict, list)))
        for pending in requests:
            view.requests[pending.game].append(pending)
        for game, seat, user in seats:
            view.captains[game][seat] = user
        for game, seat, count in rounds:
            view.rounds[game][seat] = count
        for game, kind, _ in acts:
            view.acts[game].append(kind)
        return view

    async def fresh(self) -> None:
        """Wait until the database was read twice: once at least it was read since now."""
        async with self._looked:
            await self._looked.wait()
            await self._looked.wait()

    async def until(self, holds: Callable[[], object], number: int = 0) -> None:
        """Wait until it holds. Raises `Ended` if the game `number` ends before."""
        while not holds():
            self.raise_if_over(number)
            await self.fresh()

    async def insist(self, holds: Callable[[], object], act: Callable[[], Awaitable[object]], number: int = 0) -> None:
        """Act until it has the effect: no bot may have heard it, and one that did may have been killed.

        Raises `Ended` if the game `number` ends before.
        """
        while not holds():
            self.raise_if_over(number)
            with suppress(TimeoutError, LookupError):
                async with asyncio.timeout(ANSWER_MOST_S):
                    await act()
            await self.fresh()

    def raise_if_over(self, number: int) -> None:
        if number and self.is_over(number):
            raise Ended(number)

    # --- people ------------------------------------------------------------------------------------------------

    def person(self) -> int:
        return next(self._users)

    def message_with(self, place: int, verb: str, game: int) -> tuple[dict[str, Any], CustomId]:
        """Return the newest message in a place that has such a button. Raises `LookupError`."""
        for message in reversed(self.discord.channels.get(place, [])):
            for ref in pressable(message):
                if (ref.verb, ref.game) == (verb, game):
                    return message, ref
        raise LookupError(verb, game)

    async def press_in(self, user: int, place: int, verb: str, game: int) -> Answered:
        message, ref = self.message_with(place, verb, game)
        return await self.discord.press(user, message, ref.pack())

    async def join(self, user: int, place: int, number: int, word: str = "") -> None:
        """Send the form that a lobby's **Join** opens."""
        message, button = self.message_with(place, "join", number)
        form = CustomId(verb="join_sent", game=number, token=button.token)
        await self.discord.submit(user, message, form.pack(), word)

    async def confirm(self, user: int, answered: Answered, verb: str) -> None:
        """Press the first button of this verb in a private answer, if there is one."""
        if answered.reply:
            for ref in itertools.islice((ref for ref in pressable(answered.reply) if ref.verb == verb), 1):
                await self.discord.press(user, answered.reply, ref.pack())

    async def opened(self, system: str, host: int, **fields: str | int) -> int:
        """Open a lobby with the options of a small game, and return its number."""
        place = next(self._places)

        def numbers() -> list[int]:
            return [game.id for game in self.view.games.values() if game.host_id == host and game.phase == "lobby"]

        await self.insist(numbers, lambda: self.discord.command(host, "new", place, game=system, **fields))
        number = numbers()[-1]
        await self.choose(number, SMALL.get(system, {}))
        return number

    async def choose(self, number: int, options: Mapping[str, str]) -> None:
        """Let the host of a lobby choose options one after another."""
        game = self.view.games[number]
        for key, value in options.items():
            ref = CustomId(verb="option", game=number, token=key)

            def is_chosen(key: str = key, value: str = value) -> list[Any]:
                return self.fleet.rows(_CHOSEN, number, key, value)

            async def pick(ref: CustomId = ref, value: str = value) -> None:
                lobby, _ = self.message_with(game.channel_id, "start", number)
                await self.discord.press(game.host_id, listing(lobby, ref, value), ref.pack(), value)

            await self.insist(is_chosen, pick, number)

    def change(self, statement: str, *values: object) -> None:
        with psycopg.connect(pg.plain(self.fleet.database)) as connection:
            connection.execute(statement, values)

    async def begun(self, system: str, **fields: Any) -> int:
        """Open a game for two people, and begin it; return its number."""
        host, guest = self.person(), self.person()
        number = await self.opened(system, host, **fields)
        await self.begin(number, host, guest)
        return number

    async def begin(self, number: int, host: int, *guests: int) -> None:
        place = self.view.games[number].channel_id
        for guest in guests:
            await self.insist(
                lambda guest=guest: guest in self.view.captains[number].values(),
                lambda guest=guest: self.join(guest, place, number),
                number,
            )
        await self.insist(
            lambda: self.view.games[number].phase in ("running", "resolving", "over"),
            lambda: self.press_in(host, place, "start", number),
            number,
        )

    # --- captains ----------------------------------------------------------------------------------------------

    async def fight(self, number: int, until: Callable[[], object], *, only: int | None = None) -> None:
        """Let captains, or `only` one of them, answer what they are asked, until the game is over or `until`."""
        while not (until() or self.is_over(number)):
            for pending in self.view.requests[number]:
                user = self.view.captains[number].get(pending.seat)
                if pending.status == "open" and user is not None and only in (None, user):
                    await asyncio.sleep(self.chance.uniform(0, THOUGHT_MOST_S))
                    with suppress(TimeoutError, LookupError):
                        async with asyncio.timeout(ANSWER_MOST_S):
                            await self._answer(user, pending)
            await self.fresh()

    def is_over(self, number: int) -> bool:
        return self.view.games[number].phase in ("over", "cancelled")

    def have_ordered(self, number: int, rounds: int = ROUNDS) -> bool:
        counts = self.view.rounds[number].values()
        return len(counts) > 1 and min(counts) >= rounds

    async def _answer(self, user: int, pending: Pending) -> None:
        """Press at random, or write orders; then seal."""
        panels = [
            (message, ref)
            for message, refs in self.discord.panels(user)
            for ref in refs
            if (ref.game, ref.request) == (pending.game, pending.id)
        ]
        seal = next(((message, ref) for message, ref in panels if ref.verb == "seal"), None)
        if pending.draft and seal:
            await self.discord.press(user, seal[0], seal[1].pack())
            return
        presses = [(message, ref) for message, ref in panels if ref.verb == "press"]
        if not pending.draft and presses and self.chance.random() < 0.3:
            message, ref = self.chance.choice(presses)
            await self.discord.press(user, message, ref.pack())
            return
        text = await self._orders(pending)
        await self.discord.command(
            user, "orders", self.view.games[pending.game].channel_id, game=str(pending.game), text=text
        )

    async def _orders(self, pending: Pending) -> str:
        game = self.view.games[pending.game]
        request = msgspec.json.decode(pending.body, type=Request)
        if game.system == "campaign" and request.round == SEASON["turn"]:
            return MEETING[pending.seat]
        async with self._thinking:
            return await asyncio.to_thread(self._computer_orders, game, request)

    def _computer_orders(self, game: Game, request: Request) -> str:
        rules = RULESETS[game.system]
        ((state,),) = self.fleet.rows(_STATE, game.id)
        view = rules.view(stored.read_state(rules, state), request.seat)
        return rules.format_answer(request, rules.computer_answer(view, request, "00"))

    async def concede(self, number: int, seat: int = 1) -> None:
        user, place = self.view.captains[number][seat], self.view.games[number].channel_id

        async def give_up() -> None:
            await self.confirm(user, await self.discord.command(user, "concede", place, game=str(number)), "concede")

        await self.insist(lambda: self.is_over(number), give_up)

    async def note(self, what: str, *act: Any, **fields: Any) -> str:
        """Use a command, and note under `what` how it was answered; again, if no bot has answered."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(2 * ANSWER_MOST_S):
                    said = (await self.discord.command(*act, **fields)).said
                    self.said[what].append(said)
                    return said


def listing(lobby: dict[str, Any], option: CustomId, value: str) -> dict[str, Any]:
    """Return the private message in which a host chooses the value of an option."""
    chosen = {"type": 3, "id": 1, "custom_id": option.pack(), "options": [{"label": value, "value": value}]}
    return {**lobby, "id": f"9{lobby['id']}", "flags": 64, "components": [{"type": 1, "id": 2, "components": [chosen]}]}


# --- what people do --------------------------------------------------------------------------------------------------

Script = Callable[[Together], Awaitable[None]]


def fought(system: str) -> Script:
    async def play(run: Together) -> None:
        number = await run.begun(system, phase="2h", early=True)
        await run.fight(number, lambda: run.have_ordered(number))
        await run.concede(number)

    return play


async def drawn(run: Together) -> None:
    number = await run.begun("matchbox", phase="2h")
    await run.fight(number, lambda: run.have_ordered(number))
    place = run.view.games[number].channel_id
    first, second = run.view.captains[number].values()
    for user in itertools.cycle((first, second)):
        if run.is_over(number):
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(ANSWER_MOST_S):
                await run.discord.command(user, "draw", place, game=str(number))
        await run.fresh()


async def lapsed_lobby(run: Together) -> None:
    number = await run.opened("forts", run.person())
    await run.until(lambda: run.is_over(number))


async def abandoned_lobbies(run: Together) -> None:
    """Call two lobbies off with a word of the guest; a third rated one is refused."""
    host = run.person()
    await abandoned_lobby(run, host)
    number = await abandoned_lobby(run, host)
    await run.note("abandoning", host, "new", run.view.games[number].channel_id, game="matchbox")


async def abandoned_lobby(run: Together, host: int) -> int:
    guest, number = run.person(), await run.opened("matchbox", host)
    place = run.view.games[number].channel_id
    await run.insist(lambda: run.fleet.rows(_WORDS, number), lambda: run.join(guest, place, number, "sardine"), number)

    async def call_off() -> None:
        await run.confirm(host, await run.press_in(host, place, "leave", number), "leave")

    await run.insist(lambda: run.is_over(number), call_off)
    return number


async def ended_lobby(run: Together) -> None:
    number = await run.opened("ramspeed", run.person())
    place, manager = run.view.games[number].channel_id, run.person()
    await run.insist(
        lambda: run.is_over(number), lambda: run.discord.command(manager, "host end", place, game=str(number))
    )


def paused(system: str, *, by_manager: bool = False) -> Script:
    async def play(run: Together) -> None:
        number = await run.begun(system, phase="2h")
        game = run.view.games[number]
        first, second = run.view.captains[number].values()
        await run.fight(number, lambda: run.have_ordered(number, 1))
        await run.insist(
            lambda: "pause_asked" in run.view.acts[number],
            lambda: run.discord.command(first, "extend", game.channel_id, game=str(number), pause=True),
            number,
        )
        await run.insist(
            lambda: "paused" in run.view.acts[number],
            lambda: run.press_in(second, run.view.games[number].thread_id or 0, "agree", number),
            number,
        )
        if by_manager:
            manager = run.person()
            await run.insist(
                lambda: run.view.games[number].paused_at is None,
                lambda: run.discord.command(manager, "host resume", game.channel_id, game=str(number)),
            )
        await run.until(lambda: run.view.games[number].paused_at is None)
        await run.fight(number, lambda: run.have_ordered(number))
        await run.concede(number)

    return play


def idle(system: str, **fields: Any) -> Script:
    async def play(run: Together) -> None:
        number = await run.begun(system, phase="1m", **fields)
        await run.until(lambda: run.is_over(number))

    return play


def crews(ends: str) -> Script:
    async def play(run: Together) -> None:
        host, guest = run.person(), run.person()
        for user in (host, guest):
            for crew, name in enumerate(("Argo", "Thetis"), start=1):
                values = (user, "matchbox", crew, name, CREWS)
                statement = "INSERT INTO keepsakes (user_id, system, number, name, body) VALUES (%s, %s, %s, %s, %s)"
                await asyncio.to_thread(run.change, statement, *values)
        number = await run.opened("matchbox", host, phase="1m" if ends == "idle" else "2h")
        await run.choose(number, KEPT)
        await run.begin(number, host, guest)
        await run.fight(number, lambda: run.have_ordered(number, 1 if ends == "idle" else ROUNDS))
        run.said["crews held"].append(str(len(run.fleet.rows("SELECT 1 FROM keepsakes WHERE game_id = %s", number))))
        if ends == "idle":
            await run.until(lambda: run.is_over(number))
        else:
            await run.concede(number)

    return play


async def season(run: Together) -> None:
    """Sail the last turns of a season with a battle; the guest gives both up."""
    host, guest = run.person(), run.person()
    number = await run.opened("campaign", host, phase="2h", early=True)
    changed = "jsonb_set(setup::jsonb, '{position}', to_jsonb(%s::text))"
    statement = f"UPDATE games SET setup = {changed}::text WHERE id = %s"
    await asyncio.to_thread(run.change, statement, json.dumps(SEASON), number)
    await run.begin(number, host, guest)

    def battles() -> list[int]:
        return [game.id for game in run.view.games.values() if game.parent_id == number]

    await run.fight(number, battles)
    for battle in battles():
        await run.until(lambda battle=battle: run.view.games[battle].phase in ("running", "over"))
        await run.fight(battle, lambda battle=battle: run.have_ordered(battle, 1))
        await run.concede(battle)
    await run.fight(number, lambda: False)


async def against_computer(run: Together) -> None:
    """A captain leaves a game against the computer, and a manager ends it."""
    host, manager = run.person(), run.person()
    number = await run.opened("matchbox", host, computer=1, phase="2h")
    await run.begin(number, host)
    await run.fight(number, lambda: run.view.rounds[number].get(0))
    place = run.view.games[number].channel_id
    await run.insist(
        lambda: run.is_over(number), lambda: run.discord.command(manager, "host end", place, game=str(number))
    )


async def too_many(run: Together) -> None:
    """Open more lobbies at once than one person may; each is called off."""
    host, place = run.person(), PLACES[0]
    opening = [run.note("opening", host, "new", place, game="matchbox", rated=False) for _ in range(2 * MAX_OPENINGS)]
    await asyncio.gather(*opening)
    manager = run.person()
    for number in [game.id for game in run.view.games.values() if game.host_id == host]:
        await run.insist(
            lambda number=number: run.is_over(number),
            lambda number=number: run.discord.command(manager, "host end", place, game=str(number)),
        )


async def too_often(run: Together) -> None:
    """A manager pauses and resumes a game more often than may be."""
    number = await run.begun("matchbox", phase="2h")
    manager, place = run.person(), run.view.games[number].channel_id
    for count in range(2 * evidence.MAX_POSTS):
        await run.note("posting", manager, f"host {('pause', 'resume')[count % 2]}", place, game=str(number))
    await run.insist(
        lambda: run.view.games[number].paused_at is None or run.is_over(number),
        lambda: run.discord.command(run.person(), "host resume", place, game=str(number)),
    )
    await run.concede(number)


SCRIPTS: Final[Sequence[Script]] = (
    *(fought(system) for system in RULESETS for _ in range(3)),
    *(paused(system) for system in ("matchbox", "forts", "ramspeed")),
    paused("matchbox", by_manager=True),
    *(idle(system) for system in ("matchbox", "forts", "ramspeed", "squadrons")),
    idle("matchbox", missed="hold"),
    *(crews(ends) for ends in ("conceded", "conceded", "idle")),
    season,
    drawn,
    drawn,
    *[lapsed_lobby] * 2,
    abandoned_lobbies,
    *[ended_lobby] * 2,
    *[against_computer] * 2,
    too_many,
    too_often,
)


# --- what happens to bots, and who reads -----------------------------------------------------------------------------


async def disturb(run: Together) -> None:
    """Kill a bot at random moments and start it again, or stop it until another has its shards."""
    while True:
        await run.fleet.until(lambda: run.discord.connected(*range(SHARDS)))
        await asyncio.sleep(run.chance.uniform(*BETWEEN_KILLS_S))
        victim = run.chance.choice(BOTS)
        process = run.fleet.bots[victim]
        if run.chance.random() < 0.3:
            process.send_signal(signal.SIGSTOP)
            await asyncio.sleep(STOPPED_S)
            process.send_signal(signal.SIGCONT)
            run.kills["stopped"] += 1
        else:
            process.kill()
            await process.wait()
            run.kills["killed"] += 1
            await asyncio.sleep(run.chance.uniform(0, 3))
            await start(run, victim)


async def start(run: Together, name: str) -> None:
    ports = run.discord.ports_of
    port = {"INTERACTIONS_PORT": str(ports[name])} if ports else {}
    settings = {"SAME_DICE": "", "TERMS_S": TERMS_S, "MOST_OPENINGS": str(MAX_OPENINGS)}
    settings |= {"MOST_SERVER_OPENINGS": str(MAX_SERVER_OPENINGS), "PICTURE_WIDTH": "320"}
    await run.fleet.start(name, **settings, **port)


async def read(run: Together) -> None:
    """Export and verify games while they are played."""
    while True:
        await asyncio.sleep(run.chance.uniform(*READ_EVERY_S))
        begun = [game for game in run.view.games.values() if game.step_no > 0 and game.parent_id is None]
        if begun:
            game, user = run.chance.choice(begun), run.person()
            name = run.chance.choice(("history export", "verify"))
            with suppress(TimeoutError):
                async with asyncio.timeout(2 * ANSWER_MOST_S):
                    await run.discord.command(user, name, game.channel_id, game=str(game.id))


# --- the run ---------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def together(
    folder: Path, server: pg.Server, database: str, seed: str, *, over_http: bool
) -> AsyncIterator[Together]:
    """Start the bots on a database without games; they end with the block."""
    ports = {name: free_port() for name in BOTS} if over_http else {}
    async with Discord(ports).open() as discord:
        assert isinstance(discord, Discord)
        discord.guard.expected |= {"thread of a message", "kept attachment", "second response"}
        fleet = Fleet(folder, server, database, discord)
        run = Together(fleet, discord, seed)
        looking = asyncio.create_task(run.look())
        try:
            await asyncio.gather(*(start(run, name) for name in BOTS))
            await fleet.until(lambda: discord.connected(*range(SHARDS)))
            yield run
        finally:
            looking.cancel()
            await fleet.close()


async def play(run: Together, scripts: Sequence[Script], *, at_once: int = AT_ONCE, calm: bool = False) -> None:
    """Play scripts side by side with readers and, unless `calm`, disturbances; then wait until all is sent."""
    beside = [asyncio.create_task(act(run)) for act in ([read] if calm else [read, disturb])]
    slots = asyncio.Semaphore(at_once)
    try:
        async with asyncio.timeout(SCRIPT_MOST_S), asyncio.TaskGroup() as group:
            for script in scripts:
                group.create_task(until_played(run, script, slots))
    finally:
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)
    for name in BOTS:
        run.fleet.bots[name].send_signal(signal.SIGCONT)
        if run.fleet.bots[name].returncode is not None:
            await start(run, name)
    await run.fleet.settled()


async def until_played(run: Together, script: Script, slots: asyncio.Semaphore) -> None:
    """Play a script, once more with other people if a game ended too soon for it."""
    async with slots:
        while True:
            with suppress(Ended):
                return await script(run)


async def stop(run: Together) -> None:
    """Stop all bots in order; the database belongs to nobody then."""
    for name in BOTS:
        assert await run.fleet.stop(name) == 0


def faults(found: evidence.Evidence, run: Together) -> dict[str, list[str]]:
    """Return what is wrong, by claim."""
    wrong = evidence.faults(found)
    wrong["nobody opened too many games"] = [*evidence.openings(found, MAX_OPENINGS)]
    wrong["no bot logged an error"] = [
        f"{name}: {line['event']} {line.get('exception', '')[-300:]}"
        for name in BOTS
        for line in run.fleet.lines(name)
        if line["level"] == "error"
    ]
    for what, text in REFUSALS.items():
        if run.said[what] and not any(text in said for said in run.said[what]):
            wrong[f"{what} is refused in the end"] = [said[:200] for said in run.said[what][-1:]]
    return wrong


def main() -> None:
    """Play all scripts and print what held; ends with an error if anything did not."""
    parser = argparse.ArgumentParser(prog="python -m tests.crash.together", description="Forty games, disturbed.")
    parser.add_argument("--gateway", action="store_true", help="presses reach bots through the gateway")
    parser.add_argument("--calm", action="store_true", help="no bot is killed or stopped")
    parser.add_argument("--seed", default="1", help="of the moments at which bots are killed, %(default)s")
    parser.add_argument("--at-once", type=int, default=AT_ONCE, help="scripts that are played at once, %(default)s")
    parser.add_argument("--only", nargs="*", type=int, help="numbers of scripts, from 0")
    given = parser.parse_args()
    install = pg.binaries()
    if install is None:
        sys.exit(pg.NO_SERVER)
    scripts = [*SCRIPTS] if given.only is None else [SCRIPTS[number] for number in given.only]
    random.Random(given.seed).shuffle(scripts)

    async def run_all(server: pg.Server, folder: Path) -> int:
        database = server.database(name="together")
        await (await Store.open(database)).close()
        began = time.monotonic()
        async with together(folder, server, database, given.seed, over_http=not given.gateway) as run:
            await play(run, scripts, at_once=given.at_once, calm=given.calm)
            await stop(run)
            wrong = faults(await evidence.gather(database, discord=run.discord), run)
            games = Counter(game.system for game in run.view.games.values())
            sys.stdout.write(f"{sum(games.values())} games {dict(games)}, {time.monotonic() - began:.0f} s\n")
            sys.stdout.write(f"disturbances: {dict(run.kills)}\n")
            for claim, sentences in wrong.items():
                sys.stdout.write(f"{'FAILS' if sentences else 'holds'}  {claim}\n")
                sys.stdout.writelines(f"       {sentence}\n" for sentence in sentences)
        return int(any(wrong.values()))

    with pg.server(install) as server, tempfile.TemporaryDirectory(prefix="war-galley-") as name:
        sys.exit(asyncio.run(run_all(server, Path(name))))


if __name__ == "__main__":
    main()
