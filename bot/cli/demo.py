"""Play a whole game between two computer captains through the real bot in simcord, and write it to files."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import logging
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import discord
from msgspec import Struct
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from bot.config import BotSettings
from bot.discord.app import WarGalley, build_bot
from bot.discord.ids import CustomId, parse_custom_id
from bot.errors import Refusal
from bot.jobs import stored
from bot.jobs.workers import Workers
from bot.lifecycle.process.pulse import VirtualPulse
from bot.presenters.asked import PendingRequest
from bot.record.export import encode_export
from bot.sandbox import acts
from bot.sandbox.screen import draw_screen
from bot.sandbox.transcript import write_transcript, write_wire
from bot.sandbox.world import SandboxWorld, SimulatorRefusal
from bot.services.table import Services
from rules.chance.dice import derive_seed
from rules.core.errors import OrderError
from rules.core.protocol import Option, Request
from rules.core.registry import RULESETS

MAX_ANSWERS = 2000
THINKING_TIME_S = 10  # of virtual time after each action
MAX_PAGES = 8
_BUTTON_TYPE, _SELECT_TYPE = 2, 3

OnRequest = Callable[[Request], None]


class DemoError(Exception):
    """The game could not be played to its end."""


class VisibleControl(Struct, frozen=True):
    channel: int  # id of the channel in which the captain sees it
    message: int  # id of the message that has the control
    custom_id: CustomId  # of the button or list


def run_demo(
    *,
    system: str,
    seed: int,
    out: Path,
    wire: Path | None = None,
    options: Mapping[str, str] | None = None,
    progress: OnRequest | None = None,
) -> str:
    """Play a game, write `transcript.md`, `game.json` and the pictures to `out`, and return the winner's name.

    The same seed plays the same game. `wire` gets every REST call of the bot as JSON lines, whose order may vary
    between concurrent tasks. `options` are chosen in the game's lobby. Without `progress` a bar is shown on a terminal.
    Raises `DemoError`, or `OSError` if a file cannot be written.
    """
    if system not in RULESETS:
        raise DemoError(f"unknown game {system!r}; known: {', '.join(RULESETS)}")
    out.mkdir(parents=True, exist_ok=True)
    workers = Workers()
    try:
        with tempfile.TemporaryDirectory() as folder, _silence_warnings(), _progress_bar() as bar:
            return asyncio.run(
                _play_match(
                    seed=seed,
                    system=system,
                    options=dict(options or {}),
                    out=out,
                    wire=wire,
                    on_request=progress or bar,
                    workers=workers,
                    database=f"sqlite+aiosqlite:///{Path(folder) / 'demo.sqlite'}",
                )
            )
    finally:
        workers.close()


@contextmanager
def _silence_warnings() -> Iterator[None]:
    logger = logging.getLogger("discord")
    level_before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level_before)


@contextmanager
def _progress_bar() -> Iterator[OnRequest]:
    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed}"), TimeElapsedColumn()
    console = Console(stderr=True)
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
        task = progress.add_task("", total=None)
        yield lambda request: progress.update(task, advance=1, description=f"{request.round} · {request.kind}")


async def _play_match(
    *,
    seed: int,
    system: str,
    options: dict[str, str],
    out: Path,
    wire: Path | None,
    on_request: OnRequest,
    workers: Workers,
    database: str,
) -> str:
    """Play a game in a sandbox, write its files to `out`, and return the winner's name. Raises `DemoError`."""
    draw_numbers = itertools.count()

    def draw_entropy() -> str:
        return hashlib.sha256(f"{seed}/{next(draw_numbers)}".encode()).hexdigest()

    def build_demo_bot(clock: Callable[[], datetime]) -> discord.Client:
        config = BotSettings(database_url=database, _env_file=None)
        return build_bot(
            config, clock=clock, workers=workers, chance=draw_entropy, side_by_side=False, pulse=VirtualPulse(clock)
        )

    async with SandboxWorld.open(build_demo_bot, reproducible=True, thinking_time_s=THINKING_TIME_S) as world:
        match = DemoMatch(world, system, options, seed)
        await match.open_and_start()
        await match.play_to_end(on_request)
        write_transcript(world, out, reader=world.players[-1])
        await asyncio.to_thread((out / "game.json").write_bytes, await match.export_record())
        if wire is not None:
            write_wire(world, wire)
        return await match.winner_name()


class DemoMatch:
    """Two computer captains who answer through the real bot by every means that players have."""

    def __init__(self, world: SandboxWorld, system: str, options: dict[str, str], seed: int) -> None:
        self._world = world
        self._options = options
        self._rules = RULESETS[system]
        self._computer_seed = hashlib.sha256(f"captains {seed}".encode()).hexdigest()
        self._captain_ids = world.players[:2]
        self._answer_methods = itertools.cycle((self._answer_by_message, self._answer_by_form, self._answer_by_command))
        self._game = 0

    async def open_and_start(self) -> None:
        """Open a game, take both seats and start it. Raises `DemoError`."""
        host, guest = self._captain_ids
        channel_id = self._world.channel_id
        opening = {"game": self._rules.name, "early": "true"}  # rounds end when all have answered
        await self._perform(acts.Slash(player=host, channel=channel_id, command="galley new", options=opening))
        for key, value in self._options.items():
            option_list = await self._option_list(host, channel_id, key)
            allowed_values = next(option.values for option in self._rules.options if option.key == key)
            if value not in allowed_values:
                raise DemoError(f"{key} is one of {', '.join(allowed_values)}")
            await self._choose_value(host, option_list, value)
        await self._fill_form(guest, self._find_control(guest, channel_id, "join"), "")  # without a word for the dice
        start = self._find_control(guest, channel_id, "start")  # searched again, because the lobby has changed
        self._game = start.custom_id.game
        await self._click(host, start)

    async def _option_list(self, host: int, channel_id: int, key: str) -> VisibleControl:
        """Return the list of an option in the lobby, on whichever page it is. Raises `DemoError` if it has none."""
        for direction in (-1, 1):  # back to the first page, then through all
            while not (option_list := next(self._find_controls(host, channel_id, "option", token=key), None)):
                next_page = self._find_control(host, channel_id, "start").custom_id.page + direction
                page_button = next(self._find_controls(host, channel_id, "options", token=str(next_page)), None)
                if page_button is None:
                    break
                await self._click(host, page_button)
            if option_list:
                return option_list
        raise DemoError(f"the lobby has no list for {key}")

    async def play_to_end(self, on_request: OnRequest) -> None:
        for _ in range(MAX_ANSWERS):
            requests = [await self._open_request(captain_id) for captain_id in self._captain_ids]
            open_requests = [request for request in requests if request is not None]
            if not open_requests:
                return
            on_request(open_requests[0].row.body)
            await self._give_answer(open_requests[0])
        raise DemoError(f"no end after {MAX_ANSWERS} answers")

    async def winner_name(self) -> str:
        """Return the winner's name, or all names joined by ` = ` for a draw. Raises `DemoError`."""
        seated_game = await self._services.reader.games.seated_game(self._game)
        step = (await self._services.reader.pictures.picture_facts(self._game, 0, None, None)).step
        result = self._rules.result(stored.read_state(self._rules, step.state))
        if result is None:
            raise DemoError(f"nobody is asked, but the game is not over ({seated_game.game.phase})")
        names = seated_game.seat_names("")
        return " = ".join(names[seat] for seat in result.winners or sorted(names))

    async def export_record(self) -> bytes:
        return encode_export(await self._services.archive.export_finished(self._game))

    @property
    def _services(self) -> Services:
        """The bot's services, used for reading only. All actions go through Discord."""
        bot = self._world.env.bot
        if not isinstance(bot, WarGalley):
            raise TypeError(bot)
        return bot.services

    async def _open_request(self, captain: int) -> PendingRequest | None:
        try:
            pending = await self._services.reader.requests.pending_request(captain, self._game)
        except Refusal:
            return None
        return pending if pending.row.status == "open" and not pending.row.optional else None

    async def _give_answer(self, pending: PendingRequest) -> None:
        """Give the computer's answer by a button if one means it, else as text, and seal it."""
        rules, request = self._rules, pending.row.body
        captain = self._captain_ids[request.seat]
        state = stored.read_state(rules, pending.state)
        answer = rules.computer_answer(
            rules.view(state, request.seat), request, derive_seed(self._computer_seed, request.id)
        )
        for group in rules.draft_choices(state, request, pending.row.as_draft).groups:
            for option in group.options:
                if option.fault is None and self._is_answer_of_option(state, request, option, answer):
                    await self._press_option(captain, pending, option, group.key)
                    if not option.seals_answer:
                        await self._press_seal(captain)
                    return
        await next(self._answer_methods)(captain, rules.format_answer(request, answer), pending)
        next_request = await self._open_request(captain)
        if next_request and next_request.row.id == request.id:  # text typed in an open turn takes effect without a seal
            await self._press_seal(captain)

    def _is_answer_of_option(self, state: object, request: Request, option: Option, answer: object) -> bool:
        try:
            return bool(self._rules.parse_answer(state, request, option.draft) == answer)
        except OrderError:
            return False

    async def _press_option(self, captain: int, pending: PendingRequest, option: Option, group: str) -> None:
        dm_channel = self._direct_channel(captain)
        request_id = pending.row.id
        for _ in range(MAX_PAGES):
            buttons = self._find_controls(captain, dm_channel, "press", request=request_id, token=option.token)
            if button := next(buttons, None):
                await self._click(captain, button)
                return
            menus = self._find_controls(captain, dm_channel, "pick", request=request_id, token=group)
            if menu := next(menus, None):
                await self._choose_value(captain, menu, option.token)
                return
            await self._click(captain, self._find_control(captain, dm_channel, "page", request=request_id))
        raise DemoError(f"there is nothing to press for {option.token} on any page")

    async def _choose_value(self, captain: int, menu: VisibleControl, value: str) -> None:
        control = menu.custom_id.pack()
        await self._perform(
            acts.Select(player=captain, channel=menu.channel, message=menu.message, control=control, values=[value])
        )

    async def _answer_by_message(self, captain: int, text: str, _pending: PendingRequest) -> None:
        await self._perform(acts.Send(player=captain, channel=self._direct_channel(captain), text=text))

    async def _answer_by_form(self, captain: int, text: str, pending: PendingRequest) -> None:
        control = self._find_control(captain, self._direct_channel(captain), "type", request=pending.row.id)
        await self._fill_form(captain, control, text)

    async def _answer_by_command(self, captain: int, text: str, _pending: PendingRequest) -> None:
        options = {"text": text, "game": str(self._game)}
        await self._perform(
            acts.Slash(player=captain, channel=self._direct_channel(captain), command="galley orders", options=options)
        )

    async def _press_seal(self, captain: int) -> None:
        pending = await self._open_request(captain)
        if pending is None:
            raise DemoError("what was answered is no longer asked")
        row = pending.row
        seal = self._find_control(captain, self._direct_channel(captain), "seal", request=row.id, version=row.version)
        await self._click(captain, seal)

    def _direct_channel(self, captain: int) -> int:
        return self._world.env.backend.dm_channels[captain]

    def _find_control(self, captain: int, channel: int, verb: str, **fields: str | int) -> VisibleControl:
        control = next(self._find_controls(captain, channel, verb, **fields), None)
        if control is None:
            raise DemoError(f"there is nothing to press for {verb} {fields}")
        return control

    def _find_controls(self, captain: int, channel: int, verb: str, **fields: str | int) -> Iterator[VisibleControl]:
        """Yield the controls of this kind that the captain may use in the channel, newest message first."""
        for message in reversed(draw_screen(self._world, captain, channel)["messages"]):
            components_to_search = list(message["components"])
            while components_to_search:
                component = components_to_search.pop()
                components_to_search += component.get("components", ())
                is_usable = component["type"] in (_BUTTON_TYPE, _SELECT_TYPE) and not component.get("disabled")
                custom_id = parse_custom_id(component.get("custom_id") or "")
                if not is_usable or custom_id is None or custom_id.verb != verb:
                    continue
                if all(getattr(custom_id, key) == value for key, value in fields.items()):
                    yield VisibleControl(channel, int(message["id"]), custom_id)

    async def _click(self, captain: int, control: VisibleControl) -> acts.ActionReply:
        return await self._perform(
            acts.Click(
                player=captain, channel=control.channel, message=control.message, control=control.custom_id.pack()
            )
        )

    async def _fill_form(self, captain: int, control: VisibleControl, text: str) -> None:
        """Press a button that opens a form, and send the form. Raises `DemoError` if none opens."""
        reply = await self._click(captain, control)
        if reply.form is None:
            raise DemoError("no form was opened")
        form_id = str(reply.form["id"])
        await self._perform(acts.Submit(player=captain, channel=control.channel, form=form_id, values={"text": text}))

    async def _perform(self, act: acts.AnyAction) -> acts.ActionReply:
        try:
            reply = await self._world.perform(act)
        except SimulatorRefusal as refusal:
            raise DemoError(f"{type(act).__name__}: {refusal}") from refusal
        if reply.trouble:
            raise DemoError("; ".join(reply.trouble))
        return reply
