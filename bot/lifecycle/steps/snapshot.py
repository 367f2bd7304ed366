"""What a game's next step is planned from: all of it is read once, in the transaction that stores the step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct, structs

from bot.lifecycle.people import agreement
from bot.lifecycle.steps.playing import SeatedGame, load_seated_game
from bot.store.models.records import AnswerRow, Game, LogEntryRow, OutboxMessage, Player, RequestRow
from bot.store.queries.transaction import Transaction
from rules.core.protocol import Request


class Snapshot(Struct, frozen=True, kw_only=True):
    """How a game stands in the store."""

    seated_game: SeatedGame
    requests: tuple[RequestRow, ...]
    """What is asked and not closed, by seat; then, of each seat, the last closed request it was waited for, and all
    that were closed since."""
    answers: Mapping[str, AnswerRow]
    """The sealed answers to these, by request."""
    asked_kinds: frozenset[tuple[int, str]] = frozenset()
    """What each seat was ever asked, as seat and kind of question; only known where captains have standing orders."""
    messages: tuple[OutboxMessage, ...] = ()
    """Its rows of the outbox, in the order in which they were first wanted."""
    acts: tuple[LogEntryRow, ...] = ()
    """Its audit log."""
    open_proposals: tuple[LogEntryRow, ...] = ()
    """Proposals, and agreements to them, that the next step ends."""
    budget_requests: tuple[RequestRow, ...] = ()
    """What was asked on the budgets of what is asked next, and is closed, oldest first; `answers` has the answers."""

    @property
    def game(self) -> Game:
        """The game itself."""
        return self.seated_game.game

    @property
    def early_answers(self) -> dict[str, str]:
        """What captains have sealed ahead, by request."""
        rows = [row.id for row in self.requests if row.body.ahead and row.status == "sealed"]
        return {one: self.answers[one].body for one in rows}

    @property
    def open_requests(self) -> list[RequestRow]:
        """What is asked now."""
        return [row for row in self.requests if row.status != "closed"]

    def user_in_seat(self, seat: int) -> int | None:
        """Who holds a seat, if anybody does."""
        return self.seated_game.seats[seat].user_id

    def player_in_seat(self, seat: int) -> Player | None:
        """The player who holds a seat, if anybody does."""
        return self.seated_game.players.get(self.user_in_seat(seat) or 0)

    def last_closed_requests(self, seat: int, closing: Iterable[RequestRow] = ()) -> list[RequestRow]:
        """What a seat is asked no more: the last request it was waited for, and all since; with those `closing` now."""
        closed = [row for row in self.requests if row.status == "closed" and row.seat == seat]
        closed += [row for row in closing if row.seat == seat]
        waited = [row.step_no for row in closed if not row.optional]
        return [row for row in closed if row.step_no >= max(waited)] if waited else []


async def read_requests(tx: Transaction, game_id: int) -> Snapshot:
    """Who plays a game, and what is asked. Raises `DiscordError` if there is no such game."""
    playing = await load_seated_game(tx, game_id)
    found = await tx.requests.open_and_last_closed(game_id)
    asked_ever = await tx.requests.asked_since(game_id, 0) if playing.standing_orders else ()
    kinds = frozenset((row.seat, row.body.kind) for row in asked_ever)
    return Snapshot(
        seated_game=playing,
        requests=tuple(row for row, _ in found),
        answers={answer.request_id: answer for _, answer in found if answer},
        asked_kinds=kinds,
    )


async def with_budget_requests(tx: Transaction, found: Snapshot, pending: Iterable[Request]) -> Snapshot:
    """The snapshot with what was asked before on the budgets of what is asked now."""
    budgets = {request.budget for request in pending if request.budget}
    if not budgets:
        return found
    shared = await tx.requests.closed_on_budgets(found.game.id, budgets)
    answers = {answer.request_id: answer for _, answer in shared if answer}
    return structs.replace(found, budget_requests=tuple(row for row, _ in shared), answers={**answers, **found.answers})


async def read_snapshot(tx: Transaction, game_id: int) -> Snapshot:
    """All that a step is planned from. Raises `DiscordError` if there is no such game."""
    found = await read_requests(tx, game_id)
    acts = await tx.audit_log.of_game(game_id)
    return structs.replace(
        found,
        messages=tuple(await tx.messages.of_game(game_id)),
        acts=tuple(acts),
        open_proposals=tuple(await agreement.open_proposals(tx, found.game, acts)),
    )
