"""One life of the bot: goes on with a scripted game where the last life ended, and may be killed at a point.

Run as a process of its own: `main`, or that of `tests.crash.season`, with DATABASE STUB JOURNAL KILL_AT as arguments.
Prints how many points it passed. A point is just before a commit, or just before or after a sending or a deletion.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

import discord
from sqlalchemy import Engine, event

from bot.config import BotSettings
from bot.discord.app import WarGalley
from bot.errors import Refusal
from bot.jobs import stored
from bot.lifecycle.outbox.outbox import SentMessage
from bot.lifecycle.process.pulse import VirtualPulse
from bot.lifecycle.steps.runner import Clock
from bot.presenters.asked import PendingRequest
from bot.services import orders
from bot.services.lobby import NewGame
from bot.services.table import Services
from bot.store.models.pace import Pace
from bot.store.models.records import OutboxMessage, Player, Removal
from bot.store.queries import messages
from rules.core.registry import RULESETS
from tests import here
from tests.loopback.rest import CHANNEL, GUILD

T = TypeVar("T")
HOST, GUEST = Player(user_id=1, name="anna", locale="en-US"), Player(user_id=2, name="béla", locale="hu")
READS = {"postgresql_readonly", "reading"}  # the option of a transaction on a server that changes nothing
LAST_ROUND = 1  # the guest gives up when the bot asks for the orders of a later round


class Points:
    """Counts the points passed and kills the process at one of them."""

    def __init__(self, kill_at: int) -> None:
        self.passed = 0
        self._kill_at = kill_at

    def __call__(self) -> None:
        self.passed += 1
        if self.passed == self._kill_at:
            os.kill(os.getpid(), signal.SIGKILL)


async def live(
    database: str,
    stub: str,
    points: Points,
    script: Callable[[WarGalley], Awaitable[None]],
    *,
    commits: bool = True,
    clock: Clock = lambda: datetime.now(UTC),
) -> None:
    """Do what a script says until everything is sent; without `commits` only sendings and deletions are points."""
    discord.http.Route.BASE = stub
    # Asked just before the COMMIT; what follows one changes nothing on disk until the next point.
    if commits:
        event.listen(Engine, "commit", lambda on: None if READS & on.get_execution_options().keys() else points())
    bot = WarGalley(
        BotSettings(database_url=database, picture_width=320, _env_file=None),
        clock=clock,
        workers=here.workers(),  # a kill must take them too
        chance=lambda: hashlib.sha256(b"always the same game").hexdigest(),
        pulse=VirtualPulse(clock),  # the game runs without a gateway
    )
    await bot.login("token")
    assert bot._scheduler is not None
    outbox = bot._scheduler._outbox
    plain = outbox._deliver

    assert outbox._deleter is not None
    delete = outbox._deleter._delete

    async def counted(message: OutboxMessage, *loaded: object) -> SentMessage | None:
        points()
        sent = await plain(message, *loaded)
        points()
        return sent

    async def counted_deletion(removal: Removal) -> None:
        points()
        await delete(removal)
        points()

    outbox._deliver, outbox._deleter._delete = counted, counted_deletion
    await bot.services.step_runner.recover_claims()
    await settle(bot)
    await script(bot)
    await settle(bot)
    await bot.close()


# Each edit is a point at which to kill, and nobody here answers a press.
messages.EDIT_INTERVAL_S = 0  # type: ignore[misc]
orders.PRESS_TIMEOUT_S = 0  # type: ignore[misc]


async def settle(bot: WarGalley) -> None:
    assert bot._scheduler is not None
    for _ in range(3):
        await bot.services.step_runner.wait_until_idle()
        await bot._scheduler._outbox.settle()
        await asyncio.sleep(0)


DUEL = NewGame(
    system=next(iter(RULESETS)),
    guild_id=GUILD,
    channel_id=CHANNEL,
    locale="en",
    pace=Pace(seconds=86_400),
    options={"galleys": "1"},
    rated=True,
)


async def as_it_is() -> None:
    """Leave a game as it was opened."""


async def begin(table: Services, new_game: NewGame = DUEL, lay_out: Callable[[], Awaitable[None]] = as_it_is) -> None:
    """Open a game, let the guest join, and start it once it is laid out, as far as that is not done."""
    if not await table.reader.games.games_of_user(HOST.user_id, ended=True):
        await table.lobbies.open_lobby(HOST, new_game)
    playing = await table.reader.games.seated_game(1)
    if playing.seat_of(GUEST.user_id) is None:
        await table.lobbies.join_lobby(GUEST, 1)
    if (await table.reader.games.seated_game(1)).game.phase == "lobby":
        await lay_out()
        await table.lobbies.start_game(HOST.user_id, 1)


async def duel(bot: WarGalley, journal: Path) -> None:
    """Play until the guest has given up."""
    table = bot.services
    await begin(table)
    while (await table.reader.games.seated_game(1)).game.phase != "over":
        await settle(bot)
        for player in (HOST, GUEST):
            pending = await asked_of(table, player)
            if pending and pending.row.body.round > LAST_ROUND and player is GUEST:
                await table.concede_game(player.user_id, 1)
                break
            if pending and pending.answer is None and pending.row.body.round <= LAST_ROUND:
                await answer(table, pending, journal)


async def asked_of(table: Services, player: Player, game: int = 1) -> PendingRequest | None:
    try:
        return await table.reader.requests.pending_request(player.user_id, game)
    except Refusal:
        return None


async def answer(table: Services, pending: PendingRequest, journal: Path, text: str = "") -> None:
    """Answer, by default as the computer would, and write down that the bot has taken the seal."""
    rules = RULESETS[pending.seated_game.game.system]
    state = stored.read_state(rules, pending.state)
    request = pending.row.body
    text = text or rules.format_answer(request, rules.computer_answer(rules.view(state, request.seat), request, "00"))
    pending = await table.orders.type_text(pending, text)
    sealed = await table.orders.seal_draft(pending, pending.row.version)
    assert sealed.answer is not None
    with journal.open("a") as file:
        file.write(f"{pending.seated_game.game.id} {sealed.answer.request_id}\t{sealed.answer.body}\n")
        file.flush()
        os.fsync(file.fileno())


def main() -> None:
    main_of(duel)


def main_of(play: Callable[..., Awaitable[None]], clock: Clock = lambda: datetime.now(UTC)) -> None:
    """Live once, by a script that writes down what it has sealed."""
    logging.basicConfig(level=logging.ERROR)
    database, stub, journal, kill_at = sys.argv[1:]
    points = Points(int(kill_at))
    asyncio.run(live(database, stub, points, partial(play, journal=Path(journal)), clock=clock))
    sys.stdout.write(f"{points.passed}\n")
