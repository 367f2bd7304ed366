"""Read all that a step is planned from, at once, in the transaction that stores the step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct, structs

from bot.lifecycle.people import agreement
from bot.lifecycle.steps.playing import SeatedGame, load_seated_game
from bot.store.models.records import AnswerRow, Game, LogEntryRow, OutboxMessage, Player, RequestRow
from bot.store.queries.transaction import Transaction
from rules.core.protocol import Request


class Snapshot(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame  # the game with its seats and players
    requests: tuple[RequestRow, ...]
    """Open requests, by seat; also each seat's last closed mandatory request and all requests closed since."""
    answers: Mapping[str, AnswerRow]  # by request id
    asked_kinds: frozenset[tuple[int, str]] = frozenset()  # (seat, kind) of all requests; empty without standing orders
    messages: tuple[OutboxMessage, ...] = ()  # all of the game's messages, by row id
    acts: tuple[LogEntryRow, ...] = ()  # the audit log, oldest first
    open_proposals: tuple[LogEntryRow, ...] = ()  # proposals and agreements that a visible step ends
    budget_requests: tuple[RequestRow, ...] = ()
    """Closed requests on the budgets of the next requests, oldest first; their answers are in `answers`."""

    @property
    def game(self) -> Game:
        return self.seated_game.game

    @property
    def early_answers(self) -> dict[str, str]:
        request_ids = [row.id for row in self.requests if row.body.ahead and row.status == "sealed"]
        return {request_id: self.answers[request_id].body for request_id in request_ids}

    @property
    def open_requests(self) -> list[RequestRow]:
        return [row for row in self.requests if row.status != "closed"]

    def user_in_seat(self, seat: int) -> int | None:
        return self.seated_game.seats[seat].user_id

    def player_in_seat(self, seat: int) -> Player | None:
        return self.seated_game.players.get(self.user_in_seat(seat) or 0)

    def last_closed_requests(self, seat: int, closing: Iterable[RequestRow] = ()) -> list[RequestRow]:
        """Return a seat's last closed mandatory request and all closed since, counting `closing` as closed."""
        closed = [row for row in self.requests if row.status == "closed" and row.seat == seat]
        closed += [row for row in closing if row.seat == seat]
        mandatory_steps = [row.step_no for row in closed if not row.optional]
        return [row for row in closed if row.step_no >= max(mandatory_steps)] if mandatory_steps else []


async def read_requests(tx: Transaction, game_id: int) -> Snapshot:
    seated_game = await load_seated_game(tx, game_id)
    rows = await tx.requests.open_and_last_closed(game_id)
    earlier_requests = await tx.requests.asked_since(game_id, 0) if seated_game.standing_orders else ()
    kinds = frozenset((row.seat, row.body.kind) for row in earlier_requests)
    return Snapshot(
        seated_game=seated_game,
        requests=tuple(request for request, _ in rows),
        answers={answer.request_id: answer for _, answer in rows if answer},
        asked_kinds=kinds,
    )


async def with_budget_requests(tx: Transaction, snapshot: Snapshot, pending: Iterable[Request]) -> Snapshot:
    """Add the closed requests that share their captain's time (`budget`) with one of `pending`."""
    budgets = {request.budget for request in pending if request.budget}
    if not budgets:
        return snapshot
    closed_rows = await tx.requests.closed_on_budgets(snapshot.game.id, budgets)
    answers = {answer.request_id: answer for _, answer in closed_rows if answer}
    return structs.replace(
        snapshot, budget_requests=tuple(row for row, _ in closed_rows), answers={**answers, **snapshot.answers}
    )


async def read_snapshot(tx: Transaction, game_id: int) -> Snapshot:
    """Read all that a step is planned from. `read_requests` reads only seats and requests.

    Both raise `Refusal` if the game does not exist.
    """
    snapshot = await read_requests(tx, game_id)
    acts = await tx.audit_log.of_game(game_id)
    return structs.replace(
        snapshot,
        messages=tuple(await tx.messages.of_game(game_id)),
        acts=tuple(acts),
        open_proposals=tuple(await agreement.open_proposals(tx, snapshot.game, acts)),
    )
