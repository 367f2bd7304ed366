"""What a captain is asked, with the state it is asked in."""

from __future__ import annotations

from msgspec import Struct, structs

from bot.errors import Refusal
from bot.jobs.drafts import DraftResult
from bot.lifecycle.outbox import enqueue
from bot.lifecycle.steps.playing import SeatedGame, refuse_left_out, refuse_unless_running
from bot.presenters.source import GameSource
from bot.store.models.records import AnswerRow, GivenBy, OutboxMessage, RequestRow
from bot.store.queries.transaction import Transaction


class PendingRequest(Struct, frozen=True, kw_only=True):
    """What a captain is asked, with the state it is asked in."""

    seated_game: SeatedGame
    row: RequestRow
    state: str
    """Secret: for workers only, which show a seat's view of it."""
    answer: AnswerRow | None
    """What they have sealed."""
    panel_message: OutboxMessage | None = None
    """Their panel in the outbox, if it was asked for or they have just changed something."""
    draft_result: DraftResult | None = None
    """What has become of their draft, if they have just changed it."""
    other_awaited_seats: tuple[int, ...] = ()
    """The seats of other captains who the game waits for, too."""
    advances_game: bool = False
    """Whether the game goes on with what they have just sealed."""
    events_by_step: tuple[str, ...] = ()
    """Events since the game last waited for them, each step's as JSON; only what their seat may see may be shown."""
    late_answers: dict[int, GivenBy] = {}
    """Seats whose captains let their time pass meanwhile, and what answered for each."""

    def with_draft(self, text: str) -> PendingRequest:
        """The same with another draft, which is kept nowhere."""
        return structs.replace(self, row=structs.replace(self.row, draft=text, focus=""))


async def games_asking(tx: Transaction, user_id: int) -> list[int]:
    """The games that ask somebody something."""
    return sorted({row.game_id for row in await tx.requests.open_of_user(user_id)})


async def only_game(tx: Transaction, user_id: int) -> int:
    """The only game that asks somebody something. Raises `Refusal` if none does, or several do."""
    open_games = await games_asking(tx, user_id)
    if not open_games:
        raise Refusal("nothing_asked")
    if len(open_games) > 1:
        raise Refusal("which_game")
    return open_games[0]


async def read_pending_request(
    source: GameSource, user_id: int, request_id: str | None = None, *, with_panel: bool = False
) -> PendingRequest:
    """What a captain is asked in a game: what it waits for first. Raises `Refusal`."""
    tx, playing = source.tx, source.seated_game
    seat = playing.seat_of(user_id)
    if seat is None:
        raise Refusal("not_seated")
    refuse_unless_running(playing.game)
    refuse_left_out(playing.game)
    every = await source.open_requests()
    mine = [row for row in every if row.seat == seat.seat and not seat.is_computer_controlled]
    found = [row for row in mine if request_id in (None, row.id)]
    if not found:
        raise Refusal("stale" if request_id else "nothing_asked")
    # What the game waits for comes before what they may do besides, and what is open before what is sealed.
    row = min(found, key=lambda row: (row.optional, row.status != "open"))
    answers = await source.answers_to([row.id]) if row.status == "sealed" else {}
    message = await tx.messages.find(playing.game.id, enqueue.panel_subject(row).key) if with_panel else None
    others = [row for row in every if row.seat != seat.seat and row.status == "open" and not row.optional]
    leading = await tx.steps.history_of_request(row, last_step=playing.game.step_no)
    return PendingRequest(
        seated_game=playing,
        row=row,
        state=leading.state,
        answer=answers.get(row.id),
        panel_message=message,
        other_awaited_seats=tuple(
            {row.seat: None for row in others if not playing.seats[row.seat].is_computer_controlled}
        ),
        events_by_step=leading.events_by_step,
        late_answers=leading.late_answers,
    )
