"""Let the computer command for captains who have conceded, in the game and its battles.

Other captains neither wait for them nor face an opponent with nothing to lose. Their sealed answers count. If the
concession is taken back, they command again and the computer's answers are deleted.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from msgspec import Struct

from bot.errors import Refusal
from bot.jobs.computing import ComputedAnswer
from bot.lifecycle.outbox import enqueue, reminders
from bot.lifecycle.steps import battles
from bot.lifecycle.steps.playing import SeatedGame
from bot.lifecycle.steps.storing import StepStore
from bot.lifecycle.steps.undo import conceded_seats
from bot.store.models.records import RequestRow, SeatRow
from bot.store.queries.transaction import Transaction


class ConcededBattleSeat(Struct, frozen=True):
    seated_game: SeatedGame  # the battle
    seat: SeatRow  # the seat in the battle that the computer takes over
    computer_answers: Mapping[str, ComputedAnswer]  # by request id


async def with_computer_answers(
    battle_seats: Sequence[tuple[SeatedGame, SeatRow]],
    compute_answers: Callable[[SeatedGame, int], Awaitable[Mapping[str, ComputedAnswer]]],
) -> list[ConcededBattleSeat]:
    return [
        ConcededBattleSeat(seated_game, seat, await compute_answers(seated_game, seat.seat))
        for seated_game, seat in battle_seats
    ]


async def answer_by_computer(
    tx: Transaction, steps: StepStore, game_id: int, seat: int, computed: Mapping[str, ComputedAnswer], *, now: int
) -> None:
    """Seal the computer's answers to open requests of a seat, and cancel its reminders."""
    rows = [row for row in await tx.requests.open_of_game(game_id) if row.seat == seat]
    for row in rows:
        if row.status == "open" and row.id in computed:
            await steps.answer_for_computer(tx, row, computed[row.id])
    await reminders.cancel_reminders(tx, rows, now=now)
    await tx.messages.renew_keys(game_id, [enqueue.panel_subject(row).key for row in rows], now=now)
    await enqueue.update_seals(tx, rows, now=now)


async def answer_battles_by_computer(
    tx: Transaction, steps: StepStore, conceded_seats: Sequence[ConcededBattleSeat], *, now: int
) -> None:
    """Hand these battle seats to the computer. Raises `Refusal` if a battle has advanced meanwhile."""
    for battle_seat in conceded_seats:
        game_before = battle_seat.seated_game.game
        game = await tx.games.find_for_update(game_before.id)
        if game is None or not game.is_in_progress:
            continue  # the concession itself has called it off
        if (game.phase, game.step_no) != (game_before.phase, game_before.step_no) or game.phase == "resolving":
            raise Refusal("busy")
        await tx.seats.change(game.id, battle_seat.seat.seat, conceded=True, draw_at=None)
        await enqueue.update_captains(tx, game.id, now=now)
        await answer_by_computer(tx, steps, game.id, battle_seat.seat.seat, battle_seat.computer_answers, now=now)


async def return_command(tx: Transaction, game_id: int, seat: SeatRow, *, now: int) -> list[int]:
    """Give command back to a captain whose concession was taken back. Return the ids of affected battles."""
    battle_ids: list[int] = []
    for seated_game, battle_seat in await battles.battle_seats_of(tx, game_id, seat, given_up=True):
        if battle_seat.seat not in conceded_seats(await tx.steps.causes_of_game(seated_game.game.id)):
            await tx.seats.change(seated_game.game.id, battle_seat.seat, conceded=False)
            await enqueue.update_captains(tx, seated_game.game.id, now=now)
            await _reopen_requests(tx, seated_game.game.id, battle_seat.seat, now=now)
            battle_ids.append(seated_game.game.id)
    await _reopen_requests(tx, game_id, seat.seat, now=now)
    return battle_ids


async def _reopen_requests(tx: Transaction, game_id: int, seat: int, *, now: int) -> None:
    """Reopen requests of a seat that the computer has answered."""
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
