"""The open request of a captain, with the state in which it was asked."""

from __future__ import annotations

from typing import Final

from msgspec import Struct, structs

from bot.errors import Refusal
from bot.jobs.drafts import DraftResult
from bot.lifecycle.outbox import enqueue
from bot.lifecycle.steps.playing import SeatedGame, refuse_left_out, refuse_unless_running
from bot.presenters.source import GameSource
from bot.presenters.verdicts import ParentFacts, read_running_parent
from bot.store.models.records import AnswerRow, GivenBy, OutboxMessage, RequestRow
from bot.store.queries.transaction import Transaction

TURNS_WITH_LEGEND: Final = 2


class PendingRequest(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame
    row: RequestRow  # with the captain's draft
    state: str
    """Secret, for workers only: the whole state in which the request was asked."""
    answer: AnswerRow | None  # None while the captain has not sealed
    panel_message: OutboxMessage | None = None
    """The captain's panel in the outbox; None if it was not read."""
    draft_result: DraftResult | None = None  # of the change just made; None if there was none
    other_awaited_seats: tuple[int, ...] = ()  # of other people whose required answers are missing
    advances_game: bool = False  # whether the change just made starts the next step
    events_by_step: tuple[str, ...] = ()
    """Stored events (JSON) of each step since the game last awaited this captain, who may not see all of them."""
    late_answers: dict[int, GivenBy] = {}
    """Maps the seat of each captain who missed a deadline in `events_by_step` to the source of the answer."""
    is_first_game: bool = False  # whether the captain has finished no game of this kind
    parent: ParentFacts | None = None  # the game that a battle belongs to

    @property
    def needs_legend(self) -> bool:
        """Return whether the panel explains its picture: in the first two turns of a first game of its kind."""
        return self.is_first_game and 1 <= self.row.body.round <= TURNS_WITH_LEGEND

    def with_draft(self, text: str) -> PendingRequest:
        """Return a copy with another draft, which is not stored."""
        return structs.replace(self, row=structs.replace(self.row, draft=text, focus=""))


async def games_asking(tx: Transaction, user_id: int) -> list[int]:
    return sorted({row.game_id for row in await tx.requests.open_of_user(user_id)})


async def only_game(tx: Transaction, user_id: int) -> int:
    """Return the only game that has an open request for a user. Raises `Refusal` if none has, or several have."""
    open_games = await games_asking(tx, user_id)
    if not open_games:
        raise Refusal("nothing_asked")
    if len(open_games) > 1:
        raise Refusal("which_game")
    return open_games[0]


async def read_pending_request(
    source: GameSource, user_id: int, request_id: str | None = None, *, with_panel: bool = False
) -> PendingRequest:
    """Return a captain's request, the one that blocks the game first. Raises `Refusal` if there is none."""
    tx, seated_game = source.tx, source.seated_game
    seat = seated_game.seat_of(user_id)
    if seat is None:
        raise Refusal("not_seated")
    refuse_unless_running(seated_game.game)
    refuse_left_out(seated_game.game)
    rows = await source.open_requests()
    own_rows = [row for row in rows if row.seat == seat.seat and not seat.is_computer_controlled]
    matches = [row for row in own_rows if request_id in (None, row.id)]
    if not matches:
        raise Refusal("stale" if request_id else "nothing_asked")
    # Required requests come before optional ones, and open ones before sealed ones.
    row = min(matches, key=lambda row: (row.optional, row.status != "open"))
    answers = await source.answers_to([row.id]) if row.status == "sealed" else {}
    message = await tx.messages.find(seated_game.game.id, enqueue.panel_subject(row).key) if with_panel else None
    others_open_rows = [row for row in rows if row.seat != seat.seat and row.status == "open" and not row.optional]
    awaited_people = [row.seat for row in others_open_rows if not seated_game.seats[row.seat].is_computer_controlled]
    history = await tx.steps.history_of_request(
        row, last_step=seated_game.game.step_no, user_id=user_id, system=seated_game.game.system
    )
    return PendingRequest(
        seated_game=seated_game,
        row=row,
        state=history.state,
        answer=answers.get(row.id),
        panel_message=message,
        other_awaited_seats=tuple(dict.fromkeys(awaited_people)),
        events_by_step=history.events_by_step,
        late_answers=history.late_answers,
        is_first_game=history.is_first_game,
        parent=await read_running_parent(source),
    )
