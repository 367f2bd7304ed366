"""Reminders: planned when something is asked, and made only when they are sent, from what is missing then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.lifecycle.outbox import enqueue, quiet_hours
from bot.store.models.records import Player, RequestRow
from bot.store.models.subjects import ReminderSubject
from bot.store.queries.transaction import Transaction

_MIN_PHASE_S: Final = 1_800
"""A phase shorter than half an hour needs no reminder."""
_SHORT_PHASE_S: Final = 4 * 3_600
"""In a phase shorter than this there is one, a quarter before its end."""


def reminder_times(begin: int, deadline: int) -> dict[str, int]:
    """When to remind of something that is asked at `begin`: `half` its time, and in its `last` eighth, or hour."""
    length = deadline - begin
    if length < _MIN_PHASE_S:
        return {}
    if length < _SHORT_PHASE_S:
        return {"last": deadline - length // 4}
    return {"half": begin + length // 2, "last": deadline - max(length // 8, 3_600)}


def planned_reminders(player: Player, begin: int, deadline: int, now: int) -> dict[str, int]:
    """Return when somebody is to be reminded from `now` on, by their settings."""
    if player.reminders == "none":
        return {}
    meant = {
        which: quiet_hours.considerate_time(player, due, deadline)
        for which, due in reminder_times(begin, deadline).items()
    }
    due = {which: moment for which, moment in meant.items() if moment is not None and moment > now}
    if player.reminders == "last" or ("last" in due and due.get("half", 0) >= due["last"]):
        due.pop("half", None)
    return due


async def schedule_reminders(tx: Transaction, rows: Sequence[RequestRow], *, now: int) -> None:
    """Remind the people who are asked this, at these deadlines and at no others."""
    await cancel_reminders(tx, rows, now=now)
    for row in rows:
        game = await tx.games.find_for_update(row.game_id)
        if row.optional or row.deadline is None or game is None or game.paused_at is not None:
            continue
        user_id = next(seat.user_id for seat in await tx.seats.of_game(row.game_id) if seat.seat == row.seat)
        player = (await tx.players.find_all([user_id])).get(user_id) if user_id else None
        if player:
            for which, due in planned_reminders(player, row.asked_at, row.deadline, now).items():
                await enqueue.schedule_reminder(tx, row, which, player.user_id, at=due)


async def cancel_reminders(tx: Transaction, rows: Sequence[RequestRow], *, now: int) -> None:
    """Remind nobody of this any more; what was sent is brought up to date, and not used for another reminder."""
    for game_id in {row.game_id for row in rows}:
        asked = {row.id for row in rows if row.game_id == game_id}
        found = [
            one
            for one in await tx.messages.of_kinds(game_id, ("remind",))
            if one.subject_as(ReminderSubject).request in asked
        ]
        sent = [one for one in found if one.message_id is not None or one.attempts]
        await tx.messages.delete_untried([one.id for one in found if one not in sent])
        await tx.messages.renew_all(sent, now=now)
        await tx.messages.retire(sent)
