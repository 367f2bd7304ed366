"""Answers given ahead: kept under seal until they are asked for, then carried out if they still can be.

Until then the row of such a request is one that nobody waits for.
"""

from __future__ import annotations

from bot.life import enqueue
from bot.store.queries import Transaction
from bot.store.records import RequestRow
from rules.protocol import Request


async def given(tx: Transaction, game_id: int) -> dict[str, str]:
    """What a game's captains have sealed ahead, by request."""
    rows = [row.id for row in await tx.requests.of(game_id) if row.body.ahead and row.status == "sealed"]
    return {key: answer.body for key, answer in (await tx.answers.to(game_id, rows)).items()}


def is_new(row: RequestRow | None, request: Request) -> bool:
    """Whether something is asked that was not asked before, be it that it could be answered already."""
    return row is None or (row.body.ahead and not request.ahead)


async def ask(
    tx: Transaction, row: RequestRow, request: Request, *, step_no: int, now: int, deadline: int | None, void: bool
) -> None:
    """Ask what could be answered ahead. A sealed answer stays unless it is `void`; then its captain learns of it."""
    if void:
        await tx.answers.drop(row.game_id, row.id, now=now)
        await enqueue.void(tx, row, now=now)
    status = "open" if void else row.status
    changed = await tx.requests.ask_now(row, request, step_no=step_no, now=now, deadline=deadline, status=status)
    await enqueue.moved_panel(tx, row, changed, now=now)
