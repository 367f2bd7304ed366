"""Driving the bot in simcord as its users do: commands, direct messages, buttons, forms, time and restarts."""

from __future__ import annotations

import hashlib
import json
import logging
import pickle
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import discord
import psycopg
import simcord
from discord.app_commands import CommandTree
from psycopg.rows import dict_row
from simcord.results import InteractionResult
from sqlalchemy import make_url

from bot.config import BotSettings
from bot.discord.app import WarGalley, build_bot
from bot.discord.commands import syncing
from bot.discord.ids import CustomId, parse_custom_id
from bot.errors import Refusal
from bot.jobs.workers import Workers
from bot.lifecycle.process.pulse import VirtualPulse
from bot.presenters.asked import PendingRequest
from bot.sandbox import private
from bot.sandbox.world import advance_paused_edits
from bot.services.options import default_game
from tests import pg, quick_simcord, wire

MOST_SETTLE_S = 60.0  # how long the bot may be busy after one act
SHARED = {
    *("system", "opponent", "opponent2", "opponent3", "computer", "phase", "early"),
    *("extensions", "missed", "private", "rated", "name"),
}  # options of `/galley new`; all others are a game's own
AFAR = "900x600 ; A1:south 5-5+3/5 @450,80^0 ; B1:north 5-5+3/5 @450,520^180"  # two galleys out of each other's reach
ABEAM = "900x600 ; A1:south 4-4+4/4 @400,300^0 ; B1:north 4-4+4/4 @470,300^0"
"""Two galleys side by side, each in range of the other's fire."""
PASSING = {"subscribers", "http_requests", "transcript", "faults"}
"""Attributes of simcord that belong to one bot's run; the others are the Discord that bots find."""

quick_simcord.poll_quickly()
quick_simcord.patch_copying()
_payload = syncing.command_payload
known_commands: dict[str, list[dict[str, Any]]] = {}  # registered commands, by their English names


async def _payload_found_once(tree: CommandTree[Any]) -> list[dict[str, Any]]:
    """Return the commands as sent to Discord; other languages are read once, not by each of hundreds of bots."""
    english = json.dumps([command.to_dict(tree) for command in tree.get_commands()])
    if english not in known_commands:
        known_commands[english] = await _payload(tree)
    return known_commands[english]


syncing.command_payload = _payload_found_once


def parts(message: Any) -> Iterator[Any]:
    """Return all components of a message, nested ones too, as discord.py objects."""
    waiting = list(message.components)
    while waiting:
        component = waiting.pop(0)
        yield component
        waiting = [*getattr(component, "children", []), *waiting]


def text_of(message: Any) -> str:
    texts = [part.content for part in parts(message) if hasattr(part, "content")]
    return "\n".join(filter(None, [message.content, *texts]))


def refs(message: Any) -> dict[str, CustomId]:
    """Return the enabled buttons and selects of a message by `verb` or `verb token`.

    Equal ones of different games are told apart by the game's number: `verb token #game`.
    """
    enabled = [part for part in parts(message) if not getattr(part, "disabled", False)]
    ids = [ref for part in enabled if (ref := parse_custom_id(getattr(part, "custom_id", None) or ""))]
    games: dict[str, set[int]] = {}
    for ref in ids:
        games.setdefault(f"{ref.verb} {ref.token}".strip(), set()).add(ref.game)
    names = (f"{ref.verb} {ref.token}".strip() for ref in ids)
    return {name if len(games[name]) == 1 else f"{name} #{ref.game}": ref for name, ref in zip(names, ids, strict=True)}


def _turning(message: Any, towards: int, verb: str = "page") -> CustomId | None:
    """Return the button for a panel's next page (1) or the one before (-1), if there is one."""
    turns = (ref for ref in refs(message).values() if ref.verb == verb)
    return next((ref for ref in turns if (ref.token_as_number or 0) - ref.page == towards), None)


class Env(private.StrictEnv):
    """A Discord in which people act only after they have seen the result of what was done."""

    short_s = private.MAX_SHORT_TIMER_REPRODUCIBLE_S
    lets_pass = True  # whether time passes until a burst of edits is over

    async def settle(self, timeout: float | None = None, idle: float = 0.01) -> None:  # noqa: ASYNC109 - simcord's own
        """Wait until the bot is at rest and has shown everything."""
        await super().settle(timeout, idle)
        if self.lets_pass:
            await advance_paused_edits(self)

    async def _settle_internal(self, *, timeout: float | None = None, **kwargs: Any) -> None:  # noqa: ASYNC109
        """Settle; a bot that is started has as long for what came due meanwhile as for anything else."""
        await super()._settle_internal(timeout=timeout and max(timeout, MOST_SETTLE_S), **kwargs)


class Begun(NamedTuple):
    """A begun game, from which bots of many tests go on, each with a Discord and a database of its own."""

    database: Path
    discord: bytes
    chances: int  # how many seeds and nonces it took


class Sea:
    def __init__(self, database_url: str, workers: Workers, counter: Iterator[int], **settings: Any) -> None:
        self.database_url = database_url
        self._settings = settings
        self.pages_everywhere = False  # whether games have pages although no manager has turned them on
        self._workers = workers
        self._counter = counter
        self.env: Env
        self._expected: set[str] = set()
        self.bot: WarGalley
        self.answers: list[Any] = []
        """Messages that answered the last interaction, private or not, besides edits of the pressed message."""
        self.languages: dict[int, str] = {}  # Discord locales of users who do not speak English
        self.chances: list[str] = []  # every seed and nonce so far
        self.faults: list[logging.LogRecord] = []
        """The bot's logged errors; a test that provokes one takes it from here."""

    def make_bot(self) -> WarGalley:
        """Make a bot with predictable random numbers, so that tests never flake."""
        return build_bot(
            BotSettings(database_url=self.database_url, _env_file=None, **self._settings),
            clock=self.now,
            workers=self._workers,
            chance=self._chance,
            pulse=VirtualPulse(self.now),
            pages_everywhere=self.pages_everywhere,
        )

    def now(self) -> datetime:
        return self.env.now()

    def _chance(self) -> str:
        self.chances.append(hashlib.sha256(str(next(self._counter)).encode()).hexdigest())
        return self.chances[-1]

    @asynccontextmanager
    async def open(self, begun: Begun | None = None) -> AsyncIterator[Sea]:
        """Start the bot among three players on one server; its own errors, and what Discord refuses, fail the test.

        With `begun`, whose database this one must be a copy of, another bot has begun a game before.
        """
        self.bot = self.make_bot()
        self.env = Env(self.bot, settle_timeout=MOST_SETTLE_S)
        self.env.guard.expected = self._expected
        if begun:
            self._find_land(begun)
        else:
            self.settle_land()
        await self.env.start()
        try:
            with self._listening():
                await self.env.settle()
                yield self
        finally:
            await self.bot.close()
            await self.env.shutdown()
        self.env.raise_errors()
        wire.check_limits(self.env)
        if wire.OPENAPI.exists():
            wire.check_schemas(self.env)
        assert not self.faults, [record.getMessage() for record in self.faults]

    def settle_land(self) -> None:
        """Make the server, its channel and its players."""
        self.guild = self.env.create_guild("Sea")
        self.channel = self.guild.create_text_channel("war-room")
        self.anna, self.bela, self.cili = (self.member(name) for name in ("anna", "bela", "cili"))

    def _find_land(self, begun: Begun) -> None:
        vars(self.env.backend).update(pickle.loads(begun.discord))
        for _ in range(begun.chances):
            self._chance()
        backend = self.env.backend
        (guild,) = backend.guilds
        self.guild = simcord.GuildHandle(self.env, self.env.backend.get_guild(guild))
        self.channel = self.guild.channels["war-room"]
        members = {
            user.name: simcord.MemberActor(self.env, self.guild, simcord.UserHandle(self.env, user))
            for user in backend.users.values()
        }
        self.anna, self.bela, self.cili = (members[name] for name in ("anna", "bela", "cili"))

    def begun(self) -> Begun:
        """Return a state from which others may go on after the bot is closed; the database is this one's own."""
        lasting = {name: value for name, value in vars(self.env.backend).items() if name not in PASSING}
        file = make_url(self.database_url).database
        assert file
        return Begun(Path(file), pickle.dumps(lasting), len(self.chances))

    def move_to_server(self, language: str) -> None:
        """Let the players act on another server, which has this language."""
        self.guild = self.env.create_guild("Tenger", preferred_locale=language)
        self.channel = self.guild.create_text_channel("hadiszoba")
        self.anna, self.bela, self.cili = (self.guild.add_member(who.user) for who in (self.anna, self.bela, self.cili))

    def member(self, name: str, **fields: Any) -> Any:
        return self.guild.add_member(self.env.create_user(name, **fields))

    def manager(self, name: str = "dora") -> Any:
        role = self.guild.create_role("harbour master", permissions=discord.Permissions(manage_guild=True))
        return self.guild.add_member(self.env.create_user(name), roles=[role])

    @contextmanager
    def _listening(self) -> Iterator[None]:
        ear = logging.Handler(logging.ERROR)
        ear.emit = self.faults.append  # type: ignore[method-assign]
        logging.getLogger("bot").addHandler(ear)
        try:
            yield
        finally:
            logging.getLogger("bot").removeHandler(ear)

    async def restart(self, *, after_s: float = 0) -> None:
        """Stop the bot, let time pass, and start another on the same database and the same Discord."""
        await self.bot.close()
        if after_s:
            await self.env.advance_time(after_s)
        self.bot = self.make_bot()
        await self.env.restart_bot(self.bot)
        await self.env.settle()

    # --- looking -----------------------------------------------------------------------------------------------

    @property
    def thread(self) -> Any:
        return self.channel.threads[-1]

    def told(self, thread: Any = None) -> str:
        return "\n".join(text_of(message) for message in (thread or self.thread).history())

    def dms(self, who: Any) -> list[Any]:
        return list(who.user.dm_channel.history())

    def panel(self, who: Any) -> Any:
        return next(message for message in self._newest(who) if {"type", "unseal"} & set(refs(message)))

    def reply(self, who: Any) -> Any:
        """Return the newest direct message that has buttons: the panel, or an answer to typed orders below it."""
        return next(message for message in self._newest(who) if refs(message))

    def _newest(self, who: Any) -> Iterator[Any]:
        """Return a player's direct messages, the newest first, without private answers to commands."""
        seen = quick_simcord.iterate_newest_first(who.user.dm_channel, who.user)
        return (message for message in seen if not message.flags.ephemeral)

    def again(self, who: Any, message: Any) -> Any:
        """Return a message as somebody sees it now, even one that nobody else sees."""
        viewer, place = _at(who, message), who.user.dm_channel if message.guild is None else self._place(message)
        return quick_simcord.refetch_message(place, viewer, message.id)

    def _place(self, message: Any) -> Any:
        channels = [channel for channel in self.guild.channels.values() if channel.name]
        threads = [thread for channel in channels for thread in channel.threads]
        return next(place for place in (*channels, *threads) if place.id == message.channel.id)

    def said(self, result: Any, *, pressed: int | None = None) -> str:
        """Return all text that answered an interaction, besides an edit of the pressed message."""
        messages = [answer.message for answer in [result.response, *result.followups] if answer is not None]
        self.answers = [answer for answer in messages if answer.id != pressed]
        return "\n".join(text_of(answer) for answer in self.answers)

    async def asked(self, who: Any, game: int | None = None) -> PendingRequest | None:
        """Return somebody's open request, read only; None if they have sealed or are asked nothing."""
        try:
            pending = await self.bot.services.reader.requests.pending_request(who.id, game)
        except Refusal:
            return None
        return pending if pending.row.status == "open" else None

    def rows(self, *tables: str) -> dict[str, list[dict[str, Any]]]:
        """Return rows of the database; without names, of the tables that make up games."""
        with self._beside() as connection:
            return {
                table: [dict(row) for row in connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()]
                for table in tables or ("games", "seats", "requests", "answers", "steps", "players")
            }

    def everything(self) -> dict[str, list[dict[str, Any]]]:
        """Return the rows of all tables."""
        on_server = self.database_url.startswith("postgres")
        tables = (
            "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'"
            if on_server
            else "SELECT name FROM sqlite_master WHERE type = 'table'"
        )
        with self._beside() as connection:
            names = [row["name"] for row in connection.execute(tables).fetchall()]
            return {
                name: [dict(row) for row in connection.execute(f'SELECT * FROM "{name}"').fetchall()] for name in names
            }

    def change_rows(self, statement: str, *values: Any) -> None:
        """Change the database behind the bot's back, as a crash might leave it."""
        with self._beside() as connection:
            if isinstance(connection, psycopg.Connection):
                statement = statement.replace("%", "%%").replace("?", "%s")
            connection.execute(statement, values)

    @contextmanager
    def _beside(self) -> Iterator[Any]:
        """Connect to the database beside the bot; commits at the end."""
        if self.database_url.startswith("postgres"):
            with psycopg.connect(pg.plain(self.database_url), row_factory=dict_row) as connection:
                yield connection
            return
        with closing(sqlite3.connect(str(make_url(self.database_url).database))) as file, file:
            file.row_factory = sqlite3.Row
            yield file

    def expect(self, *rules: str) -> None:
        """Let Discord refuse calls by these rules, for a test that provokes it."""
        self._expected |= {*rules}

    # --- acting ------------------------------------------------------------------------------------------------

    def speaking(self, who: Any) -> Any:
        """Let what is done meanwhile come from somebody's own Discord, in their language."""
        return private.with_user_locale(self.languages.get(who.id, "en-US"))

    async def settle(self) -> None:
        """Wait until Discord shows what was done without it: nobody waits for that otherwise."""
        await self.bot.services.step_runner.wait_until_idle()
        await self.bot._scheduler._outbox.settle()
        while (looking := self.bot._scheduler._reschedule_task) and not looking.done():
            await looking  # else time would pass before it is known for what the bot waits
        await self.env.settle()

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Let several people act before the bot has done anything about the first; `env.settle()` afterwards."""

        async def go_on(**_: Any) -> None:
            return None

        self.env._settle_internal = go_on  # type: ignore[method-assign]
        try:
            yield
        finally:
            del self.env._settle_internal

    def full_name(self, name: str) -> str:
        """Return the full name of a command: it may be given without its groups; `host undo` is `galley-host undo`."""
        roots = self.bot.tree.get_commands(type=discord.AppCommandType.chat_input)
        known = {command.qualified_name for root in roots for command in root.walk_commands()}
        groups = ("galley", "galley history", "galley-host")
        return next(
            full for full in (name, f"galley-{name}", *(f"{group} {name}" for group in groups)) if full in known
        )

    async def command(self, who: Any, name: str, /, *, at: Any = None, **options: Any) -> str:
        """Use a command (`full_name`), and return the answer. Options of a game itself are chosen in its lobby."""
        as_newcomers = options.pop("as_newcomers", False)
        own = {key: options.pop(key) for key in [*options] if name == "new" and key not in SHARED}
        if name == "new":
            options["game"] = options.pop("system", default_game())
            if not as_newcomers:  # tests of newcomers ask for what a new host is offered
                options.setdefault("rated", True)
        with self.speaking(who):
            result = await who.slash(at or self.channel, self.full_name(name), **options)
            result = await self._without_word(who, result)
        await self.env.settle()
        said = self.said(result)
        for key, value in own.items():
            (game, *_) = await self.bot.services.reader.games.games_of_user(who.id)
            await self.bot.services.lobbies.choose_option(who.id, game.id, key, str(value))
            await self.settle()
        return said

    async def choose(self, who: Any, key: str, value: str, *, at: Any = None) -> str:
        """Choose an option in the newest lobby's message, after its host has turned to it; return other answers."""
        lobbies = (message for message in reversed((at or self.channel).history()) if "start" in refs(message))
        message = await self.turned_by_host(next(lobbies), f"option {key}")
        with self.speaking(who):
            result = await who.select(message, [value], custom_id=refs(message)[f"option {key}"].pack())
        await self.env.settle()
        return self.said(result, pressed=message.id)

    async def sealed_texts(self, who: Any) -> str:
        """Return what the button below the last log of somebody answers: the texts that the hashes cover."""
        logged = next(message for message in reversed(self.answers) if "sealed" in refs(message))
        return await self.press(who, logged, "sealed")

    async def turned_by_host(self, lobby: Any, key: str) -> Any:
        """Return a lobby on the page that has a button or list; on its last if none has."""
        number = refs(lobby)["start"].game
        (host_id,) = (row["host_id"] for row in self.rows("games")["games"] if row["id"] == number)
        host = next((who for who in (self.anna, self.bela, self.cili) if who.id == host_id), self.anna)
        return await self.turned(host, lobby, key, "options")

    async def direct_command(self, who: Any, name: str, /, **options: Any) -> str:
        """Use a command (see `full_name`) in the direct messages with the bot, and return the answer."""
        with self.speaking(who):
            result = await who.user.slash(self.full_name(name), **options)
            result = await self._without_word(who.user, result)
        await self.env.settle()
        return self.said(result)

    async def press(self, who: Any, message: Any, key: str) -> str:
        """Press a button by its verb, or `verb token`, also under More; return what was answered besides the edit."""
        message = await self.turned(who, message, key)
        return await self.click(who, message, refs(message)[key])

    async def turned(self, who: Any, message: Any, key: str, verb: str = "page") -> Any:
        """Return a panel on the page that has a button or list; on its last if none has. `options`: a lobby, by its
        host."""
        for towards in (1, -1, 1):
            while key not in refs(message) and (turn := _turning(message, towards, verb)):
                await self.click(who, message, turn)
                aside = verb == "options" and not message.flags.ephemeral
                message = self.answers[-1] if aside else self.again(who, message)
        return message

    async def read(self, who: Any) -> str:
        """Return the text of all pages of a player's panel, which ends on its first page."""
        panel = self.panel(who)
        while back := _turning(panel, -1):
            await self.click(who, panel, back)
            panel = self.again(who, panel)
        pages = [text_of(panel)]
        while more := _turning(panel, 1):
            await self.click(who, panel, more)
            panel = self.again(who, panel)
            pages.append(text_of(panel))
        if "page 0" in refs(panel):
            await self.click(who, panel, refs(panel)["page 0"])
        return "\n".join(pages)

    async def click(self, who: Any, message: Any, ref: CustomId) -> str:
        """Press this button; return what was answered besides the edit. Who joins adds no word to the dice."""
        result = await self.click_only(who, message, ref)
        with self.speaking(who):
            result = await self._without_word(_at(who, message), result)
        await self.env.settle()
        return self.said(result, pressed=message.id)

    async def _without_word(self, who: Any, result: InteractionResult) -> InteractionResult:
        """Send the form in which those who join are asked for a word, empty."""
        form_id = parse_custom_id(result.modal["custom_id"]) if result.modal else None
        if form_id and form_id.verb in ("join_sent", "rematch_sent"):
            return await who.submit_modal(result, {"text": ""})
        return result

    async def click_only(self, who: Any, message: Any, ref: CustomId) -> InteractionResult:
        self.env.before_press(message.channel.id, message.id, who.id)
        with self.speaking(who):
            return await _at(who, message).click(message, custom_id=ref.pack())

    async def pick(self, who: Any, message: Any, group: str, token: str) -> str:
        """Choose from a select; return what was answered besides the edit."""
        with self.speaking(who):
            message = await self.turned(who, message, f"pick {group}")
        return await self.choose_from(who, message, refs(message)[f"pick {group}"], token)

    async def choose_from(self, who: Any, message: Any, ref: CustomId, token: str) -> str:
        """Choose from the select with this id; return what was answered besides the edit."""
        with self.speaking(who):
            self.env.before_press(message.channel.id, message.id, who.id)
            result = await _at(who, message).select(message, [token], custom_id=ref.pack())
        await self.env.settle()
        return self.said(result, pressed=message.id)

    async def open_form(self, who: Any, message: Any) -> InteractionResult:
        """Press "Type orders", and return the form that opens."""
        return await self.click_only(who, message, refs(message)["type"])

    async def send_form(self, who: Any, message: Any, form: InteractionResult, text: str) -> str:
        """Send an opened form; return what was answered besides the edit of the message that it hangs on."""
        with self.speaking(who):
            result = await _at(who, message).submit_modal(form, {"text": text})
        await self.env.settle()
        return self.said(result, pressed=message.id)

    async def write(self, who: Any, text: str, *files: tuple[str, bytes]) -> str:
        """Write to the bot directly; return its reply, or else the panel that it posted below."""
        before = {message.id for message in self.dms(who)}
        attached = self.env.backend.store_attachments(who.user.dm_channel.id, files)
        await who.user.send_dm(text, attachments=attached)
        await self.env.settle()
        replies = [message for message in self.dms(who) if message.id not in before and message.author.bot]
        answers = [message for message in replies if message.reference] or replies
        return "\n".join(map(text_of, answers))

    async def seal(self, who: Any, orders: str = "") -> None:
        """Write orders, and press **Seal** below them."""
        if orders:
            await self.write(who, orders)
        await self.press(who, next(message for message in self._newest(who) if "seal" in refs(message)), "seal")

    async def both_seal(self, annas: str = "A1 FFFFF", belas: str = "B1 FFFFF") -> None:
        await self.seal(self.anna, annas)
        await self.seal(self.bela, belas)

    async def concede(self, who: Any, game: int = 1) -> None:
        await self.command(who, "concede", game=str(game))
        await self.press(who, self.answers[0], "concede")
        await self.settle()

    async def edit(self, who: Any, message: Any, text: str) -> None:
        """Edit what somebody has written to the bot directly."""
        await who.user.edit(message, text)
        await self.env.settle()

    async def begin(self, *others: Any, **options: Any) -> None:
        """Let Anna open a game, the others join it, and Anna start it."""
        await self.command(self.anna, "new", **options)
        for other in others:
            await self.command(other, "join")
        await self.command(self.anna, "start")

    async def begin_at(self, position: str, *others: Any, words: bool = False, **options: Any) -> None:
        """Begin a game with galleys that lie on the table already: the first round begins at once.

        `words`: whether the others add words to its dice.
        """
        await self.command(self.anna, "new", **options)
        for other in others:
            await self.command(other, "join")
        for other in (*others, *others) if words else ():  # the first ones agree again
            await self.bot.services.lobbies.add_word(other.id, self.rows("games")["games"][-1]["id"], other.name)
        self.change_rows("UPDATE games SET setup = json_set(setup, '$.position', ?) WHERE phase = 'lobby'", position)
        await self.command(self.anna, "start")


def _at(who: Any, message: Any) -> Any:
    """Return the object by which somebody acts on a message: in direct messages they are no member of a server."""
    return who.user if message.guild is None else who
