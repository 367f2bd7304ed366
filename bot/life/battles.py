"""Games that are played to answer a question of another one, its parent: opened, reported, called off."""

from __future__ import annotations

from collections.abc import Collection

from bot.life import enqueue
from bot.store.queries import Transaction
from bot.store.records import Game
from rules.protocol import Request


async def open_game(tx: Transaction, parent: Game, request: Request, *, seed: str, now: int) -> None:
    """Open the game whose end answers a request, for the same captains; it begins as soon as it can.

    It is rated as little as a single round would be: what it decides is rated with its parent.
    """
    battle, ours = request.battle, await tx.seats(parent.id)
    assert battle is not None  # noqa: S101 - the caller has looked
    game_id = await tx.add_game(
        setup=battle.setup,
        pace=parent.pace,
        system=battle.setup.system,
        name=parent.name,
        locale=parent.locale,
        guild_id=parent.guild_id,
        channel_id=parent.channel_id,
        host_id=parent.host_id,
        phase="lobby",
        early=parent.early,
        extensions=parent.extensions,
        rated=False,
        private=parent.private,
        seed=seed,
        created_at=now,
        parent_id=parent.id,
        parent_request=request.id,
    )
    for seat, (team, own) in enumerate(zip(battle.setup.teams, battle.seats, strict=True)):
        user_id = ours[own].user_id
        await tx.add_seat(game_id=game_id, seat=seat, team=team, user_id=user_id, computer=user_id is None)
    await enqueue.act(tx, parent, "battle_opened", now=now, number=game_id)


async def begin(tx: Transaction, game: Game, *, now: int) -> None:
    """Seat the captains of a battle that begins, and open its thread."""
    for seat in await tx.seats(game.id):
        if seat.user_id is not None:
            await tx.begin_captaincy(game.id, seat.seat, user_id=seat.user_id, from_step=0)
    await enqueue.beginning(tx, game.id, now=now)


async def call_off(tx: Transaction, parent_id: int, requests: Collection[str], *, now: int) -> None:
    """End the battles that would answer these requests: nobody asks any more how they end."""
    for game in await tx.battles_of(parent_id) if requests else ():
        if game.parent_request in requests and game.phase in ("lobby", "running", "resolving"):
            rows = await tx.requests(game.id)
            for row in rows:
                await tx.change_request(row, status="closed")
            await enqueue.closed_panels(tx, rows, answered=(), now=now)
            await tx.change_game(
                game.id, phase="cancelled", version=game.version + 1, claimed_at=None, deadline=None, ended_at=now
            )
