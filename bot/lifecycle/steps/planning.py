"""What a step changes: planned from a snapshot of its game and from what the rules have made of it, then written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, structs

from bot.jobs import play
from bot.lifecycle.outbox import enqueue, reminders
from bot.lifecycle.steps.ahead import is_first_answer
from bot.lifecycle.steps.budgets import budget_deadline
from bot.lifecycle.steps.early import resolves_early
from bot.lifecycle.steps.snapshot import Snapshot
from bot.store.models.records import (
    SET_ASIDE_MARK,
    AnswerRow,
    GivenBy,
    OutboxMessage,
    RequestRow,
    RequestsAnswered,
    StepCause,
    StepRow,
)
from bot.store.models.subjects import (
    CountedDraftSubject,
    DrawOfferSubject,
    LogEntrySubject,
    MessageSubject,
    ReminderSubject,
    RequestSubject,
    SealsSubject,
    StandingOrdersSubject,
    StepSubject,
    TimeRequestSubject,
    VoidAnswerSubject,
)
from bot.store.queries.messages import MessageRequest
from bot.store.queries.transaction import Transaction
from rules.chance import fairness
from rules.core.protocol import Request
from rules.core.replay import UndoAction
from rules.core.revealing import is_hidden_step


class ResolvedStep(Struct, frozen=True, kw_only=True):
    """What was put into a step, and what has come of it."""

    cause: StepCause
    step_result: play.StepResult
    given_by: Mapping[str, GivenBy] = {}
    """Who gave the answers that nobody had sealed, by request."""
    now: int
    """Unix time, s."""
    nonces: Sequence[str] = ()
    """Secrets for the seals on answers of computers and on those that nobody had sealed: at least one for each."""


class StepChanges(Struct, frozen=True, kw_only=True):
    """All that a step writes, in this order. Nothing in it asks the database."""

    game_id: int
    step: StepRow
    answers: tuple[AnswerRow, ...]
    """To be stored."""
    closed_requests: tuple[RequestRow, ...]
    """Asked no more."""
    renamed_requests: tuple[tuple[RequestRow, str], ...]
    """Kept under other ids, with those: what is asked of another seat from now on."""
    new_requests: tuple[RequestRow, ...]
    """New requests."""
    promoted_requests: tuple[tuple[RequestRow, RequestRow], ...]
    """Requests that could be answered ahead and are asked now, as they were and as they are."""
    changed_requests: tuple[RequestRow, ...]
    """Requests that stay and are otherwise from now on: the game waits for them."""
    void_request_ids: tuple[str, ...]
    """Those of them whose answer cannot be carried out any more."""
    dropped_reminders: tuple[OutboxMessage, ...]
    """Reminders that were never sent."""
    retired_messages: tuple[OutboxMessage, ...]
    """Messages that are used no more for what is wanted under their keys."""
    retargeted_messages: tuple[tuple[OutboxMessage, MessageSubject], ...]
    """Messages that are about something else from now on."""
    reposted_messages: tuple[OutboxMessage, ...]
    """Messages to be posted once more, below all else."""
    deleted_messages: tuple[OutboxMessage, ...]
    """Direct messages that go, and are not replaced."""
    notice_user_ids: tuple[int, ...]
    """Users whose passing notices go."""
    renewed_messages: tuple[OutboxMessage, ...]
    """Messages to be made again."""
    patiently_renewed_messages: tuple[OutboxMessage, ...]
    """The same, but not before a press shows them."""
    message_requests: tuple[MessageRequest, ...]
    """New messages, in their order, and old ones that may be about something else."""
    kept_draw_offers: tuple[int, ...]
    """Seats whose offer of a draw outlives the step."""
    battles: tuple[Request, ...]
    """Questions to be answered by games of their own."""
    called_off_requests: frozenset[str]
    """Questions whose games nobody needs any more."""
    game_columns: dict[str, Any]
    """Columns of the game."""

    open_requests: tuple[RequestRow, ...]
    """What is asked after it."""
    resolves_early: bool
    """Whether the game goes on as soon as all have sealed."""
    parent_id: int | None
    """The game of which it is a battle."""

    def can_advance(self, now: int) -> bool:
        """Whether another step follows at once."""
        late = self.game_columns["deadline"] is not None and self.game_columns["deadline"] <= now
        return not self.is_over and bool(due_requests(self.open_requests, late=late, early=self.resolves_early))

    @property
    def concerns_other_games(self) -> bool:
        """Whether a game of which it is a battle, or one that it has opened, may have to go on."""
        return self.parent_id is not None or any(row.body.battle for row in self.open_requests)

    @property
    def is_over(self) -> bool:
        """Whether the game ends."""
        return bool(self.game_columns["phase"] == "over")


def plan_step(before: Snapshot, outcome: ResolvedStep) -> StepChanges:
    """Work out what a step changes. The same snapshot and outcome always give the same changes."""
    return _StepPlanner(before, outcome).plan_changes()


class _StepPlanner:
    """One step of one game."""

    def __init__(self, before: Snapshot, outcome: ResolvedStep) -> None:
        self.before, self.outcome = before, outcome
        self.game, self.step_result, self.now = before.game, outcome.step_result, outcome.now
        self.no = self.game.step_no + 1
        self.is_over = self.step_result.result is not None
        self.new_requests = {request.id: request for request in self.step_result.pending}
        self.rows = [self._current_row(row) for row in before.open_requests]
        self.nonces: Iterator[str] = iter(outcome.nonces)
        self.messages = {message.key: message for message in before.messages}
        seats = (
            {}
            if self.is_over
            else {one.id: one.seat for one in self.step_result.pending if one.id not in self.step_result.answers}
        )
        self.renamed_requests = [row for row in self.rows if seats.get(row.id, row.seat) != row.seat]
        self.kept_requests = seats.keys() - {row.id for row in self.renamed_requests}
        self.closed_requests = [row for row in self.rows if row.id not in self.kept_requests]
        self.clocks = {row.body.clock: row.deadline for row in self.rows if row.body.clock}
        known = {row.id: row for row in self.rows if row not in self.renamed_requests}
        pending = () if self.is_over else self.step_result.pending
        self.new_rows = [
            (request, known.get(request.id)) for request in pending if is_first_answer(known.get(request.id), request)
        ]
        self.renewed_messages: dict[int, OutboxMessage] = {}
        self.patiently_renewed: dict[int, OutboxMessage] = {}
        self.message_requests: list[MessageRequest] = []
        self.given_by = [
            self._new_answer(row, self.step_result.answers[row.id], by) for row, by in self._unsealed_rows()
        ]
        self.answers = {**before.answers, **{answer.request_id: answer for answer in self.given_by}}
        # Who gives up beside a question changes its name, not its time.
        broken_off = [row for row in self.closed_requests if row.body.budget and row.id not in self.answers]
        self.budgets = {row.body.budget: row.deadline for row in broken_off}

    def _current_row(self, row: RequestRow) -> RequestRow:
        """What is asked, as the rules say now: nobody waits for a battle, and later the game does."""
        now = self.new_requests.get(row.id)
        return structs.replace(row, body=now) if now and row.body.battle and now.optional != row.body.optional else row

    def plan_changes(self) -> StepChanges:
        """What the step changes."""
        hidden = self._is_hidden()
        told = not (hidden or isinstance(self.outcome.cause, UndoAction))
        for row, by in self._unsealed_rows():
            if by == "captain":
                self._request_direct_message(row, CountedDraftSubject(row.id))
        self._close_messages()
        offer = self.messages.get(DrawOfferSubject(self.game.step_no).key)
        if not hidden:
            self._renew(offer)
            for act in self.before.open_proposals:
                self._renew(self.messages.get(LogEntrySubject(act.id).key))
        if told:
            subject = self._step_subject()
            self._request_message(subject, slow=self._keeps_acting(subject.clock))
        asked = [self._new_request(request) for request, row in self.new_rows if row is None]
        taken_up = [(row, self._promoted_request(request, row)) for request, row in self.new_rows if row is not None]
        deadline = self._game_deadline([*asked, *(row for _, row in taken_up)])
        if self.is_over or deadline != self.game.deadline:
            self._settle_proposals()
        reminded = self._obsolete_reminders()
        moved, posted = self._retarget_panels([*taken_up])
        now_asked = [*asked, *(row for _, row in taken_up)]
        for request, _ in self.new_rows:
            self._show_request(next(row for row in now_asked if row.id == request.id))
        removed = self._obsolete_messages()
        reused = self._reused_panels(now_asked, removed)
        moved += reused
        awaited = [request for request, _ in self.new_rows if self._needs_announcement(request)]
        clock = awaited[0].clock if len(awaited) == 1 else ""
        if awaited and not (clock and told):  # the step itself says who acts next
            self._request_message(SealsSubject(self.no, clock=clock))
        computed = [
            self._new_answer(row, self.step_result.computer_answers[row.id], "computer")
            for row in now_asked
            if self._is_computed(row.body)
            and (row.id not in self.answers or row.id in self.step_result.void_request_ids)
        ]
        taken = {row.id for row, _ in taken_up}
        return StepChanges(
            game_id=self.game.id,
            step=self._step_row(hidden=hidden),
            answers=(*self.given_by, *computed),
            closed_requests=tuple(self.closed_requests),
            renamed_requests=tuple((row, f"{row.id}{SET_ASIDE_MARK}{self.no}") for row in self.renamed_requests),
            new_requests=tuple(asked),
            promoted_requests=tuple(taken_up),
            void_request_ids=tuple(row.id for row, _ in taken_up if row.id in self.step_result.void_request_ids),
            dropped_reminders=tuple(one for one in reminded if one.message_id is None and not one.attempts),
            retired_messages=tuple(one for one in reminded if one.message_id is not None or one.attempts),
            retargeted_messages=(*moved, *(((offer, DrawOfferSubject(self.no)),) if hidden and offer else ())),
            reposted_messages=tuple(posted),
            deleted_messages=tuple(one for one in removed if one not in [message for message, _ in reused]),
            notice_user_ids=tuple(sorted(self._notified_users())),
            renewed_messages=tuple(
                one for one in self.renewed_messages.values() if one.id not in self.patiently_renewed
            ),
            patiently_renewed_messages=tuple(self.patiently_renewed.values()),
            message_requests=tuple(self.message_requests),
            kept_draw_offers=tuple(
                one.seat for one in self.before.seated_game.seats if hidden and one.draw_at == self.game.step_no
            ),
            battles=tuple(request for request, _ in self.new_rows if request.battle),
            open_requests=(
                *(row for row in self.rows if row.id in self.kept_requests and row.id not in taken),
                *now_asked,
            ),
            resolves_early=self.game.early,
            parent_id=self.game.parent_id,
            changed_requests=tuple(
                row for row in self.rows if row not in self.before.open_requests and row.id in self.kept_requests
            ),
            called_off_requests=frozenset(
                {row.id for row in self.closed_requests if row.body.battle} - {*self.step_result.answers}
            ),
            game_columns={
                "phase": "over" if self.is_over else "running",
                "version": self.game.version + 1,
                "claimed_at": None,
                "step_no": self.no,
                "deadline": deadline,
                "ended_at": self.now if self.is_over else None,
            },
        )

    # --- the step ----------------------------------------------------------------------------------------------------

    def _is_hidden(self) -> bool:
        """Whether nobody but who answered may know of the step."""
        answered = [row.body for row in self.rows if row.id in self.step_result.answers]
        return is_hidden_step(answered, public=self.step_result.has_public_event)

    def _step_row(self, *, hidden: bool) -> StepRow:
        cause = self.outcome.cause
        if isinstance(cause, RequestsAnswered):
            cause = structs.replace(cause, hidden=hidden)
        done, game_id = self.step_result, self.game.id
        return StepRow(
            game_id=game_id,
            no=self.no,
            cause=cause,
            events=done.events,
            state=done.state,
            resolved_at=self.now,
            revealed=done.is_revealing,
        )

    def _step_subject(self) -> StepSubject:
        """The message that tells of the step: its own, or that of all that is done on one clock."""
        clocks = {row.body.clock for row in self.rows if row.id in self.step_result.answers}
        subject = StepSubject(self.no, self.no, clock=clocks.pop() if len(clocks) == 1 else "")
        known = self.messages.get(subject.key) if subject.clock else None
        return structs.replace(subject, first=known.subject_as(StepSubject).first) if known else subject

    def _keeps_acting(self, clock: str) -> bool:
        """Whether who acts on a clock goes on acting after the step."""
        return (
            bool(clock)
            and not self.is_over
            and any(clock == one.clock for one in self.step_result.pending if is_waited_for(one))
        )

    def _unsealed_rows(self) -> list[tuple[RequestRow, GivenBy]]:
        return [(row, self.outcome.given_by[row.id]) for row in self.rows if row.id in self.outcome.given_by]

    def _new_answer(self, row: RequestRow, body: str, by: GivenBy) -> AnswerRow:
        return sealed_answer(row, body, game=self.game.seed_hash, nonce=next(self.nonces), given_by=by, now=self.now)

    # --- what is asked -----------------------------------------------------------------------------------------------

    def _new_request(self, request: Request) -> RequestRow:
        began, due = self._request_times(request)
        computed = self._is_computed(request)
        draft = "" if computed or not self._is_first_of_kind(request) else self.step_result.drafts.get(request.id, "")
        return RequestRow(
            game_id=self.game.id,
            id=request.id,
            seat=request.seat,
            body=request,
            step_no=self.no,
            asked_at=began,
            deadline=due,
            optional=request.optional or request.ahead or request.battle is not None,
            status="sealed" if computed else "open",
            draft=draft,
            focus="",
            version=1 if computed or draft else 0,
        )

    def _promoted_request(self, request: Request, row: RequestRow) -> RequestRow:
        """What could be answered ahead is asked now, with the draft and the seal that it has."""
        began, due = self._request_times(request)
        status = "open" if request.id in self.step_result.void_request_ids else row.status
        inherited = row.inherited and status == "sealed"
        if status == "open" and self._is_computed(request):
            status = "sealed"
        return structs.replace(
            row,
            body=request,
            step_no=self.no,
            asked_at=began,
            deadline=due,
            optional=request.optional,
            status=status,
            inherited=inherited,
            version=row.version + 1,
        )

    def _is_computed(self, request: Request) -> bool:
        """Whether the computer has answered it already."""
        return request.id in self.step_result.computer_answers and not request.battle

    def _is_first_of_kind(self, request: Request) -> bool:
        """Whether its seat was never asked the like before; then it begins with the captain's standing orders."""
        like = [one for one, _ in self.new_rows if (one.seat, one.kind) == (request.seat, request.kind)]
        return (request.seat, request.kind) not in self.before.asked_kinds and len(like) == 1

    def _request_times(self, request: Request) -> tuple[int, int | None]:
        """When a request is asked, and until when it waits."""
        began = self.game.paused_at or self.now  # in a pause no time passes: it is added when the game goes on
        fresh = self._request_deadline(request, began) if is_waited_for(request) else None
        if fresh is not None and request.within:
            fresh = min(fresh, began + request.within)
        if request.clock in self.clocks:
            return began, self.clocks[request.clock]
        if request.budget in self.budgets:
            return began, self.budgets[request.budget]
        asked = [*self.before.budget_requests, *self.closed_requests]
        return began, budget_deadline(request, asked, self.answers, began=began, fresh=fresh)

    def _request_deadline(self, request: Request, began: int) -> int:
        """When a question is due that has its time to itself; one in mid-round of a fixed hour ends with its round."""
        if request.live and self.game.pace.since is not None:
            ends = [row.deadline for row in self.rows if row.body.round == request.round and row.deadline is not None]
            if ends:
                return max(ends)
        return self.game.pace.due_at(began, request.round)

    def _retarget_panels(
        self, taken_up: Sequence[tuple[RequestRow, RequestRow]]
    ) -> tuple[list[tuple[OutboxMessage, MessageSubject]], list[OutboxMessage]]:
        """Panels of what could be answered ahead are those of what is asked now; the open ones are posted once more.

        Captains whose answer is void by now hear of it.
        """
        moved: list[tuple[OutboxMessage, MessageSubject]] = []
        posted: list[OutboxMessage] = []
        for before, row in taken_up:
            if row.id in self.step_result.void_request_ids:
                self._request_direct_message(row, VoidAnswerSubject(row.id))
            if message := self.messages.get(enqueue.panel_subject(before).key):
                moved.append((message, enqueue.panel_subject(row)))
                if row.status == "sealed":
                    self._renew(message)
                else:
                    posted.append(message)
        return moved, posted

    def _game_deadline(self, asked: Iterable[RequestRow]) -> int | None:
        rows = [*(row for row in self.rows if row.id in self.kept_requests), *asked]
        return min((row.deadline for row in rows if row.deadline is not None), default=None)

    def _needs_announcement(self, request: Request) -> bool:
        """Whether the thread must say that somebody is asked: not the computer, nor again within one clock."""
        return (
            is_waited_for(request)
            and request.id not in self.step_result.computer_answers
            and request.clock not in self.clocks
        )

    # --- what is seen ------------------------------------------------------------------------------------------------

    def _request_message(
        self,
        subject: MessageSubject,
        user_id: int | None = None,
        *,
        at: int | None = None,
        patient: bool = False,
        slow: bool = False,
    ) -> None:
        self.message_requests.append(MessageRequest(subject, self.now if at is None else at, user_id, patient, slow))

    def _request_direct_message(self, row: RequestRow, subject: MessageSubject, *, patient: bool = False) -> None:
        """Want a message to the captain who is asked something; a computer gets none."""
        if (user_id := self.before.user_in_seat(row.seat)) is not None:
            self._request_message(subject, user_id, patient=patient)

    def _renew(self, message: OutboxMessage | None) -> None:
        if message:
            self.renewed_messages[message.id] = message

    def _close_messages(self) -> None:
        """Panels and lists of what is asked no more lose their buttons."""
        for row in self.closed_requests:
            if message := self.messages.get(enqueue.panel_subject(row).key):
                if message.subject_as(RequestSubject).request == row.id:
                    self.patiently_renewed[message.id] = message
                else:
                    self._request_direct_message(row, enqueue.panel_subject(row), patient=True)
            if enqueue.is_in_seal_list(row):
                self._renew(self.messages.get(enqueue.seals_subject(row).key))
        last = next((one for one in reversed(self.before.messages) if isinstance(one.subject, StepSubject)), None)
        open_turns = [
            row
            for row in self.closed_requests
            if row.body.clock and not row.optional and row.id not in self.step_result.answers
        ]
        if last and any(last.subject_as(StepSubject).last == row.step_no for row in open_turns):
            self._renew(last)  # that somebody acts next stays told where they did: it was so

    def _obsolete_reminders(self) -> list[OutboxMessage]:
        """Reminders of what is asked no more: what was sent is brought up to date."""
        gone = {row.id for row in self.closed_requests}
        about = [(one, one.subject) for one in self.before.messages]
        found = [one for one, subject in about if isinstance(subject, ReminderSubject) and subject.request in gone]
        for one in found:
            if one.message_id is not None or one.attempts:
                self._renew(one)
        return found

    def _settle_proposals(self) -> None:
        """What was asked for under the old deadline, and cannot be agreed to any more, loses its button."""
        for act in self.before.acts:
            if act.params.get("deadline") == self.game.deadline:
                self._renew(self.messages.get(TimeRequestSubject(act.id).key))

    def _show_request(self, row: RequestRow) -> None:
        """Show a captain what they are asked."""
        if row.body.battle or row.status == "sealed":
            return
        if row.id in self.step_result.useless_standing_orders and self._is_first_of_kind(row.body):
            self._request_direct_message(row, StandingOrdersSubject(row.id))
        self._request_direct_message(row, enqueue.panel_subject(row), patient=True)
        player = self.before.player_in_seat(row.seat)
        if player and not row.optional and row.deadline is not None and self.game.paused_at is None:
            for which, at in reminders.planned_reminders(player, row.asked_at, row.deadline, self.now).items():
                self._request_message(ReminderSubject(row.id, which), player.user_id, at=at)

    def _notified_users(self) -> set[int]:
        """Who is asked something new; at the end, everybody."""
        seats = (
            {seat.seat for seat in self.before.seated_game.seats}
            if self.is_over
            else {one.seat for one, _ in self.new_rows}
        )
        return {user_id for seat in seats if (user_id := self.before.user_in_seat(seat)) is not None}

    def _obsolete_messages(self) -> list[OutboxMessage]:
        """What a new question, or the end, makes out of date in captains' direct messages.

        What is said of a deadline that has passed stays until a question that was asked after it is closed. In a game
        that is over each captain keeps the last panel, which says so.
        """
        users = self._notified_users()
        shown = [
            one
            for one in self.before.messages
            if one.message_id is not None and one.user_id in users and one.kind in enqueue.PASSING_KINDS
        ]
        if self.is_over:
            last = {one.user_id: one for one in shown if one.kind == "panel"}
            kept = {one.key for one in last.values()}
            self.patiently_renewed |= {one.id: one for one in last.values()}
        else:
            seats = sorted({request.seat for request, _ in self.new_rows})
            rows = [
                *self.closed_requests,
                *(row for seat in seats for row in self.before.last_closed_requests(seat, self.closed_requests)),
            ]
            late = [row for row in rows if row.id in self.answers and self.answers[row.id].is_late]
            kept = {enqueue.panel_subject(row).key for row in late} | {CountedDraftSubject(row.id).key for row in rows}
            # A panel that shows something new is used again.
            kept |= {enqueue.panel_subject(row).key for row in self.rows if row.id in self.kept_requests}
            kept |= {wish.subject.key for wish in self.message_requests if wish.subject.kind == "panel"}
        asked = {*self.kept_requests, *(request.id for request, _ in self.new_rows)}
        gone = [one for one in shown if one.key not in kept and one.subject_as(RequestSubject).request not in asked]
        for one in gone:
            self.renewed_messages.pop(one.id, None)
            self.patiently_renewed.pop(one.id, None)
        return gone

    def _reused_panels(
        self, asked: Iterable[RequestRow], removed: Sequence[OutboxMessage]
    ) -> list[tuple[OutboxMessage, MessageSubject]]:
        """Panels of closed questions that show, from now on, what their captains may do while they wait.

        Nobody need be called for that, and Discord is asked once, not twice.
        """
        left = [one for one in removed if one.kind == "panel"]
        wanted = {wish.subject.key for wish in self.message_requests}
        found: list[tuple[OutboxMessage, MessageSubject]] = []
        for row in asked:
            panel = enqueue.panel_subject(row)
            if not row.optional or panel.key not in wanted or panel.key in self.messages:
                continue
            if mine := [one for one in left if one.user_id == self.before.user_in_seat(row.seat)]:
                left.remove(mine[-1])
                found.append((mine[-1], panel))
        return found


def sealed_answer(row: RequestRow, body: str, *, game: str, nonce: str, given_by: GivenBy, now: int) -> AnswerRow:
    """An answer to a request of the `game` of this seed's hash, under a seal of its own."""
    return AnswerRow(
        game_id=row.game_id,
        request_id=row.id,
        seat=row.seat,
        body=body,
        nonce=nonce,
        commitment=fairness.hash_answer(game, row.id, body, nonce),
        given_by=given_by,
        sealed_at=now,
    )


def due_requests(rows: Sequence[RequestRow], *, late: bool, early: bool) -> list[RequestRow]:
    """The requests to be carried out now: one that was offered, alone, or all that the game waits for.

    Where not `early`, what all have sealed waits for its deadline; nothing is early while a battle goes on.
    """
    fought = [row for row in rows if row.body.battle and not row.body.optional]
    offered = [row for row in rows if row.body.optional and not row.body.ahead and row.status == "sealed"]
    if offered:
        return offered[:1]
    if any(row.status != "sealed" for row in fought):
        return []  # not even when the time is up: a battle has its own
    early = resolves_early(rows, early=early)
    waited = [row for row in rows if not row.optional] + fought
    if late:
        return waited
    sealed = all(row.status == "sealed" for row in waited)
    return waited if sealed and (early or all(map(_never_waits, waited))) else []


def _never_waits(row: RequestRow) -> bool:
    """Whether an answer never waits for its deadline: others are in mid-round, it is no secret, or there is none."""
    return row.body.live or not row.body.sealed or row.deadline is None


def is_waited_for(request: Request) -> bool:
    """Whether the game waits for a captain's answer, and so has a deadline for it."""
    return not (request.optional or request.ahead or request.battle)


async def write_changes(tx: Transaction, changes: StepChanges, *, now: int) -> None:
    """Write what a step changes."""
    game_id = changes.game_id
    await tx.steps.add(changes.step)
    await tx.requests.close(changes.closed_requests)
    for row, request_id in changes.renamed_requests:
        await tx.answers.break_seal(game_id, row.id, now=now)
        await tx.requests.set_aside(row, request_id)
    await tx.requests.add_all(changes.new_requests)
    for row in changes.changed_requests:
        await tx.requests.rewrite(row)
    for request_id in changes.void_request_ids:
        await tx.answers.break_seal(game_id, request_id, now=now)
    await tx.answers.add_all(changes.answers)
    await tx.captaincies.note_orders(
        game_id, {answer.seat for answer in changes.answers if answer.given_by == "captain"}
    )
    for _, row in changes.promoted_requests:
        await tx.requests.promote_early(row)
    await tx.messages.delete_untried([one.id for one in changes.dropped_reminders])
    await tx.messages.renew_all(changes.renewed_messages, now=now)
    await tx.messages.renew_all(changes.patiently_renewed_messages, now=now, patient=True)
    await tx.messages.retire(changes.retired_messages)
    for message, subject in changes.retargeted_messages:
        await tx.messages.change_subject(message, subject)
    await tx.removals.take_away([*changes.reposted_messages, *changes.deleted_messages], now=now)
    await tx.messages.repost(changes.reposted_messages)
    await tx.messages.renew_all(changes.reposted_messages, now=now)
    await tx.messages.cancel(changes.deleted_messages)
    await tx.removals.make_due(game_id, changes.notice_user_ids, now=now)
    await tx.messages.request_all(game_id, changes.message_requests, now=now)
    await tx.seats.move_draw_offers(game_id, changes.kept_draw_offers, changes.step.no)
    await tx.games.change(game_id, **changes.game_columns)
