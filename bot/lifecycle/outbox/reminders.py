"""Plan reminders when a request is asked. Their text is made when they are sent, from what is missing then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.lifecycle.outbox import quiet_hours
from bot.store.models.records import Player, RequestRow
from bot.store.models.subjects import ReminderSubject
from bot.store.queries.transaction import Transaction

_MIN_PHASE_S: Final = 1_800
_SHORT_PHASE_S: Final = 4 * 3_600


def reminder_times(begin: int, deadline: int) -> dict[str, int]:
    """Return when to remind, in Unix seconds: at `half` the time, and when an eighth, or at least an hour, is left."""
    length = deadline - begin
    if length < _MIN_PHASE_S:
        return {}
    if length < _SHORT_PHASE_S:
        return {"last": deadline - length // 4}
    return {"half": begin + length // 2, "last": deadline - max(length // 8, 3_600)}


def planned_reminders(player: Player, begin: int, deadline: int, now: int) -> dict[str, int]:
    """Return when to remind a player (Unix seconds), by `half` and `last`, as far as they want it."""
    if player.reminders == "none":
        return {}
    considerate_times = {
        which: quiet_hours.considerate_time(player, due, deadline)
        for which, due in reminder_times(begin, deadline).items()
    }
    times = {which: moment for which, moment in considerate_times.items() if moment is not None and moment > now}
    # Quiet hours may delay the first reminder until after the last one.
    if player.reminders == "last" or ("last" in times and times.get("half", 0) >= times["last"]):
        times.pop("half", None)
    return times


async def schedule_reminders(tx: Transaction, rows: Sequence[RequestRow], *, now: int) -> None:
    await cancel_reminders(tx, rows, now=now)
    for row in rows:
        game = await tx.games.find_for_update(row.game_id)
        if row.optional or row.deadline is None or game is None or game.paused_at is not None:
            continue
        user_id = next(seat.user_id for seat in await tx.seats.of_game(row.game_id) if seat.seat == row.seat)
        player = (await tx.players.find_all([user_id])).get(user_id) if user_id else None
        if player:
            for which, due in planned_reminders(player, row.asked_at, row.deadline, now).items():
                await tx.messages.request(row.game_id, ReminderSubject(row.id, which), user_id=player.user_id, now=due)


async def cancel_reminders(tx: Transaction, rows: Sequence[RequestRow], *, now: int) -> None:
    """Delete unsent reminders of these requests; update those that were sent, and free their keys."""
    for game_id in {row.game_id for row in rows}:
        request_ids = {row.id for row in rows if row.game_id == game_id}
        reminders = [
            reminder
            for reminder in await tx.messages.of_kinds(game_id, ("remind",))
            if reminder.subject_as(ReminderSubject).request in request_ids
        ]
        sent = [reminder for reminder in reminders if reminder.message_id is not None or reminder.attempts]
        await tx.messages.delete_untried([reminder.id for reminder in reminders if reminder not in sent])
        await tx.messages.renew_all(sent, now=now)
        await tx.messages.retire(sent)
