"""Who has given up commands no more, neither here nor in battles: the computer goes on for them.

Other captains neither wait for them nor face somebody who has nothing to lose. What they had sealed counts. If their
giving up is taken back, they command again, and what the computer has answered for them is forgotten.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from msgspec import Struct

from bot.errors import Refusal
from bot.lifecycle.outbox import enqueue, reminders
from bot.lifecycle.steps import battles
from bot.lifecycle.steps.playing import SeatedGame
from bot.lifecycle.steps.storing import StepStore
from bot.lifecycle.steps.undo import conceded_seats
from bot.store.models.records import RequestRow, SeatRow
from bot.store.queries.transaction import Transaction


class ConcededBattleSeat(Struct, frozen=True):
    """A seat in a running battle whose captain gives up the game above."""

    seated_game: SeatedGame
    seat: SeatRow
    computer_answers: Mapping[str, str]
    """What the computer answers for it, by request."""


async def with_computer_answers(
    held: Sequence[tuple[SeatedGame, SeatRow]], think: Callable[[SeatedGame, int], Awaitable[Mapping[str, str]]]
) -> list[ConcededBattleSeat]:
    """Return these seats in battles with the computer's answers, that it is to `think` of outside any transaction."""
    return [ConcededBattleSeat(playing, seat, await think(playing, seat.seat)) for playing, seat in held]


async def answer_by_computer(
    tx: Transaction, steps: StepStore, game_id: int, seat: int, computed: Mapping[str, str], *, now: int
) -> None:
    """Let the computer answer what a seat is asked and has not sealed, by these answers."""
    rows = [row for row in await tx.requests.open_of_game(game_id) if row.seat == seat]
    for row in rows:
        if row.status == "open" and row.id in computed:
            await steps.answer_for_computer(tx, row, computed[row.id])
    await reminders.cancel_reminders(tx, rows, now=now)
    await _update_panels(tx, game_id, rows, now=now)


async def answer_battles_by_computer(
    tx: Transaction, steps: StepStore, given: Sequence[ConcededBattleSeat], *, now: int
) -> None:
    """Let the computer fight on with these fleets. Raises `Refusal` if a battle has gone on meanwhile."""
    for fleet in given:
        there, game = fleet.seated_game.game, await tx.games.find_for_update(fleet.seated_game.game.id)
        if game is None or not game.is_in_progress:
            continue  # the giving up itself has called it off
        if (game.phase, game.step_no) != (there.phase, there.step_no) or game.phase == "resolving":
            raise Refusal("busy")
        await tx.seats.change(game.id, fleet.seat.seat, conceded=True, draw_at=None)
        await enqueue.update_captains(tx, game.id, now=now)
        await answer_by_computer(tx, steps, game.id, fleet.seat.seat, fleet.computer_answers, now=now)


async def return_command(tx: Transaction, game_id: int, seat: SeatRow, *, now: int) -> list[int]:
    """Let a captain whose giving up was taken back command again, in battles too. Returns those battles' numbers."""
    found: list[int] = []
    for playing, theirs in await battles.battle_seats_of(tx, game_id, seat, given_up=True):
        if theirs.seat not in conceded_seats(await tx.steps.causes_of_game(playing.game.id)):
            await tx.seats.change(playing.game.id, theirs.seat, conceded=False)
            await enqueue.update_captains(tx, playing.game.id, now=now)
            await _reopen_requests(tx, playing.game.id, theirs.seat, now=now)
            found.append(playing.game.id)
    await _reopen_requests(tx, game_id, seat.seat, now=now)
    return found


async def _reopen_requests(tx: Transaction, game_id: int, seat: int, *, now: int) -> None:
    """Ask a captain what the computer has answered for them."""
    rows = [row for row in await tx.requests.open_of_game(game_id) if row.seat == seat and row.status == "sealed"]
    answers = await tx.answers.by_request(game_id, [row.id for row in rows])
    opened: list[RequestRow] = []
    for row in rows:
        if row.id in answers and answers[row.id].given_by == "computer":
            await tx.answers.break_seal(game_id, row.id, now=now)
            opened.append(await tx.requests.change(row, status="open") or row)
    for row in opened:
        await enqueue.update_panel(tx, row, at=now)
    await reminders.schedule_reminders(tx, opened, now=now)
    await enqueue.update_seals(tx, opened, now=now)


async def _update_panels(tx: Transaction, game_id: int, rows: Sequence[RequestRow], *, now: int) -> None:
    await tx.messages.renew_keys(game_id, [enqueue.panel_subject(row).key for row in rows], now=now)
    await enqueue.update_seals(tx, rows, now=now)
