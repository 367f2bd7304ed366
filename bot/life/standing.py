"""A captain's default standing orders: they enter the first draft of a game that takes any."""

from __future__ import annotations

from bot.life import enqueue
from bot.store.queries import Transaction
from bot.store.records import Game, RequestRow
from bot.work import drafts
from rules.errors import OrderError


async def put_in(tx: Transaction, game: Game, row: RequestRow, state: str, *, now: int) -> RequestRow:
    """Start a draft with its captain's default; one that can't be used here is reported to them. Returns the row."""
    user_id = next(seat.user_id for seat in await tx.seats.of(game.id) if seat.seat == row.seat)
    player = (await tx.players.find([user_id])).get(user_id) if user_id else None
    text = player.standing.get(game.system) if player else None
    if text is None or row.optional or await _asked_before(tx, row):
        return row
    try:
        # It only reads a few words: that needs no worker, and so belongs to the same transaction.
        draft = drafts.with_standing(game.system, state, row.body, text)
    except OrderError:
        await enqueue.useless_standing(tx, row, user_id or 0, now=now)
        return row
    changed = await tx.requests.change(row, draft=draft) if draft else None
    return changed or row


async def _asked_before(tx: Transaction, row: RequestRow) -> bool:
    """Return whether this seat was asked the same kind of question before; then it has standing orders already."""
    asked = await tx.requests.since(row.game_id, 0)
    return any((other.seat, other.body.kind) == (row.seat, row.body.kind) and other.id != row.id for other in asked)
