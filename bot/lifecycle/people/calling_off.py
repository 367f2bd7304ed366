"""Call games off: unrated, with a log entry that says why, and news of it for the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from bot.jobs import play
from bot.jobs.workers import Workers
from bot.lifecycle.outbox import enqueue
from bot.lifecycle.people import giving_up, keepsakes
from bot.lifecycle.people.abandoning import note_lobby_loss
from bot.lifecycle.people.captains import captains_of
from bot.lifecycle.ratings.unrating import make_unrated
from bot.lifecycle.steps import clock
from bot.lifecycle.steps.playing import SeatedGame
from bot.lifecycle.steps.runner import StepRunner
from bot.store import Store
from bot.store.queries.transaction import Transaction
from rules.core.keepsakes import KeepsakeUpdate
from rules.core.protocol import CallOff, Seat

LOBBY_LAPSED: Final = "lobby_over"  # kind of the log entry of a lobby that has lain too long
LOBBY_LOST: Final = "lobby_lost"  # kind of the log entry of a lobby on a server that has removed the bot
GAME_LAPSED: Final = "lapsed"  # kind of the log entry of a game in which nobody has acted


async def call_off_lobby(
    tx: Transaction,
    seated_game: SeatedGame,
    *,
    by: int | None,
    bars: bool = True,
    now: int,
    kind: str = "",
    user_id: int | None = None,
    **params: int,
) -> None:
    """Call a lobby off. `by` and `bars`: who answers for that, see `abandoning.note_lobby_loss`.

    A log entry of this `kind` by `user_id` says why; without a `kind`, the host did it.
    """
    game = seated_game.game
    await note_lobby_loss(tx, seated_game, by=by, bars=bars and kind != LOBBY_LAPSED, now=now)
    if kind:
        entry_id = await tx.audit_log.add_for_game(game, kind, now=now, user_id=user_id, params=params)
        await enqueue.tell_host(tx, game, entry_id, now=now)
    await tx.games.change(game.id, phase="cancelled", ended_at=now)
    await enqueue.update_lobby(tx, game.id, now=now)
    await enqueue.update_invitations(tx, game.id, now=now)


async def call_off_game(
    store: Store,
    workers: Workers,
    step_runner: StepRunner,
    seated_game: SeatedGame,
    kind: str,
    *,
    user_id: int | None = None,
    **params: int,
) -> None:
    """Call a running game off, unrated. The log entry of this `kind` says why. Raises `Refusal` if it is busy.

    Keepsakes go home with the losses so far. Otherwise a losing captain could save them by waiting, or ask a friend who
    manages the server. If a fault of the bot stopped the game, or only one side ever had people, nothing changes them.
    """
    now = step_runner.now()
    losses: Mapping[Seat, Sequence[KeepsakeUpdate]] | None = None
    async with store.read() as tx:
        is_stuck = await clock.stopping_act_kind(tx, seated_game.game.id) == clock.STUCK
        counts = not is_stuck and len((await captains_of(tx, seated_game)).sides_with_people) > 1
        step = await tx.steps.find(seated_game.game.id, seated_game.game.step_no)
    if counts and step and keepsakes.has_keepsakes(seated_game.game):
        game = seated_game.game
        losses = await workers.run_step(game.host_id, play.keepsakes_if_untaught, game.system, step.state)

    async def say_why(tx: Transaction) -> None:
        game = seated_game.game
        if kind == GAME_LAPSED:
            await giving_up.note_lapsed(tx, seated_game, now=now)
        await make_unrated(tx, game)
        if losses is not None:
            await keepsakes.send_home(tx, game, losses, now=now)
        entry_id = await enqueue.add_log_entry(tx, game, kind, now=now, user_id=user_id, **params)
        if user_id is None:  # otherwise the end of the game says enough
            await enqueue.tell_host(tx, game, entry_id, now=now)

    await step_runner.apply_out_of_turn(seated_game, CallOff(), first=say_why)
