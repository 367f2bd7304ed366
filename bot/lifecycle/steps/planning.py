"""Plan what a step changes, from a snapshot of the game and the result of the rules, and write the plan.

`plan_step` is a pure function of values. `write_changes` stores its result inside one transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, structs

from bot.jobs import play
from bot.jobs.stored import encode
from bot.lifecycle.outbox import enqueue, reminders
from bot.lifecycle.steps.budgets import budget_deadline
from bot.lifecycle.steps.early import resolves_early
from bot.lifecycle.steps.snapshot import Snapshot
from bot.store.models.records import (
    OWN_GIVERS,
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
from rules.core.registry import RULESETS
from rules.core.replay import Computation, UndoAction
from rules.core.revealing import is_hidden_step
from rules.interface import hopeless


class ResolvedStep(Struct, frozen=True, kw_only=True):
    cause: StepCause  # the answered requests, or an action
    step_result: play.StepResult  # state, events and requests that the rules return
    given_by: Mapping[str, GivenBy] = {}  # how each answer that was not sealed came about, by request id
    now: int  # when the step was resolved (Unix seconds)
    nonces: Sequence[str] = ()  # nonces for the commitments of computers' and unsealed answers: at least one for each


class StepChanges(Struct, frozen=True, kw_only=True):
    game_id: int
    step: StepRow  # the new step to store
    answers: tuple[AnswerRow, ...]  # answers that nobody had sealed: given by computers, defaults or standing orders
    closed_requests: tuple[RequestRow, ...]  # requests that this step answers or withdraws
    renamed_requests: tuple[tuple[RequestRow, str], ...]
    """Requests set aside because another seat is asked now, each with the id under which it is kept."""
    new_requests: tuple[RequestRow, ...]  # without `promoted_requests`
    promoted_requests: tuple[tuple[RequestRow, RequestRow], ...]
    """Requests that could be answered ahead and are awaited now: (before, after)."""
    changed_requests: tuple[RequestRow, ...]  # open requests whose text changes in this step
    void_request_ids: tuple[str, ...]  # requests whose early answers cannot be carried out and are deleted
    dropped_reminders: tuple[OutboxMessage, ...]  # unsent reminders of closed requests, to be deleted
    retired_messages: tuple[OutboxMessage, ...]  # messages whose key becomes free for a new message
    retargeted_messages: tuple[tuple[OutboxMessage, MessageSubject], ...]  # messages that get a new subject
    reposted_messages: tuple[OutboxMessage, ...]  # panels to post again at the bottom
    deleted_messages: tuple[OutboxMessage, ...]  # obsolete direct messages
    notice_user_ids: tuple[int, ...]  # users who get something new: their obsolete messages may be removed
    renewed_messages: tuple[OutboxMessage, ...]  # messages to edit
    patiently_renewed_messages: tuple[OutboxMessage, ...]  # messages to edit only if no press shows their content first
    message_requests: tuple[MessageRequest, ...]  # messages to post, or to edit if they exist
    kept_draw_offers: tuple[int, ...]  # seats whose draw offer outlives the step
    hopeless_seats: tuple[int, ...]  # seats whose next panels say, for the first time, what conceding costs
    battles: tuple[Request, ...]  # requests for which a battle must be opened
    called_off_requests: frozenset[str]  # ids of requests whose battles are called off
    game_columns: dict[str, Any]  # changed columns of the game's row

    open_requests: tuple[RequestRow, ...]  # after the step
    resolves_early: bool  # whether a phase ends as soon as all captains have sealed
    parent_id: int | None  # the game whose battle this is; None: no battle
    is_match: bool  # whether the second game of a match begins when this one is over

    def can_advance(self, now: int) -> bool:
        deadline = self.game_columns["deadline"]
        is_late = deadline is not None and deadline <= now
        return not self.is_over and bool(due_requests(self.open_requests, late=is_late, early=self.resolves_early))

    @property
    def concerns_other_games(self) -> bool:
        """Whether a battle, the parent of this battle, or the second game of a match may have to begin or advance."""
        opens_second_game = self.is_match and self.is_over
        return opens_second_game or self.parent_id is not None or any(row.body.battle for row in self.open_requests)

    @property
    def is_over(self) -> bool:
        return bool(self.game_columns["phase"] == "over")


def plan_step(before: Snapshot, outcome: ResolvedStep) -> StepChanges:
    """Return what a step changes. Deterministic: equal arguments give equal changes."""
    return _StepPlanner(before, outcome).plan_changes()


class _StepPlanner:
    def __init__(self, before: Snapshot, outcome: ResolvedStep) -> None:
        self.before = before
        self.outcome = outcome
        self.game = before.game
        self.step_result = outcome.step_result
        self.now = outcome.now  # Unix seconds
        self.no = self.game.step_no + 1  # of the step
        self.is_over = self.step_result.result is not None
        self.pending_requests = {request.id: request for request in self.step_result.pending}
        # The open requests before the step; of a battle's request, the rules may have changed the body.
        self.rows = [self._current_row(row) for row in before.open_requests]
        self.nonces: Iterator[str] = iter(outcome.nonces)
        self.messages = {message.key: message for message in before.messages}
        self.draw_offer = self.messages.get(DrawOfferSubject(self.game.step_no).key)
        self.is_hidden = is_hidden_step(
            [row.body for row in self.rows if row.id in self.step_result.answers],
            public=self.step_result.has_public_event,
        )
        pending = () if self.is_over else self.step_result.pending
        pending_seats = {request.id: request.seat for request in pending if request.id not in self.step_result.answers}
        self.renamed_requests = [row for row in self.rows if pending_seats.get(row.id, row.seat) != row.seat]
        self.kept_ids = pending_seats.keys() - {row.id for row in self.renamed_requests}
        self.closed_requests = [row for row in self.rows if row.id not in self.kept_ids]
        # Deadlines by clock: requests of one captain that follow each other on a clock share its deadline.
        self.clocks = {row.body.clock: row.deadline for row in self.rows if row.body.clock}
        rows_by_id = {row.id: row for row in self.rows if row not in self.renamed_requests}
        # Each request that is asked now, with its row if it could already be answered ahead.
        self.to_ask = [
            (request, rows_by_id.get(request.id))
            for request in pending
            if is_first_answer(rows_by_id.get(request.id), request)
        ]
        self.renewed_messages: dict[int, OutboxMessage] = {}
        self.patiently_renewed: dict[int, OutboxMessage] = {}
        self.message_requests: list[MessageRequest] = []
        self.unsealed_answers = [
            self._new_answer(row, self.step_result.answers[row.id], source, self.step_result.computations.get(row.id))
            for row, source in self._unsealed_rows()
        ]
        self.answers = {**before.answers, **{answer.request_id: answer for answer in self.unsealed_answers}}
        self.unused_budgets = self._deadlines_of_unused_budgets()

    def _current_row(self, row: RequestRow) -> RequestRow:
        request = self.pending_requests.get(row.id)
        if request and row.body.battle and request.optional != row.body.optional:
            return structs.replace(row, body=request)
        return row

    def _deadlines_of_unused_budgets(self) -> dict[str, int | None]:
        """Return deadlines of requests that close unanswered, by budget.

        Requests with one budget share their captain's time. If such a request is asked again under another id, as after
        another captain's concession, it gets the old deadline.
        """
        unanswered = [row for row in self.closed_requests if row.id not in self.answers]
        return {row.body.budget: row.deadline for row in unanswered if row.body.budget}

    def plan_changes(self) -> StepChanges:
        self._report_step()
        new_rows = [self._new_request(request) for request, row in self.to_ask if row is None]
        promoted = [(row, self._promoted_request(request, row)) for request, row in self.to_ask if row is not None]
        asked_rows = [*new_rows, *(row for _, row in promoted)]
        deadline = self._game_deadline(asked_rows)
        if self.is_over or deadline != self.game.deadline:
            self._settle_proposals()
        sent_reminders, unsent_reminders = self._obsolete_reminders()
        retargeted, reposted = self._retarget_panels(promoted)
        self._show_requests(asked_rows)
        removed = self._obsolete_messages()
        reused = self._reused_panels(asked_rows, removed)
        reused_panels = [panel for panel, _ in reused]
        self._announce_awaited()
        return StepChanges(
            game_id=self.game.id,
            step=self._step_row(),
            answers=(*self.unsealed_answers, *self._computed_answers(asked_rows)),
            closed_requests=tuple(self.closed_requests),
            renamed_requests=tuple((row, f"{row.id}{SET_ASIDE_MARK}{self.no}") for row in self.renamed_requests),
            new_requests=tuple(new_rows),
            promoted_requests=tuple(promoted),
            void_request_ids=tuple(row.id for row, _ in promoted if row.id in self.step_result.void_request_ids),
            dropped_reminders=tuple(unsent_reminders),
            retired_messages=tuple(sent_reminders),
            retargeted_messages=(*retargeted, *reused, *self._kept_offer_message()),
            reposted_messages=tuple(reposted),
            deleted_messages=tuple(message for message in removed if message not in reused_panels),
            notice_user_ids=tuple(sorted(self._notified_users())),
            renewed_messages=tuple(
                message for message in self.renewed_messages.values() if message.id not in self.patiently_renewed
            ),
            patiently_renewed_messages=tuple(self.patiently_renewed.values()),
            message_requests=tuple(self.message_requests),
            kept_draw_offers=self._kept_draw_offers(),
            hopeless_seats=self._hopeless_seats(asked_rows),
            battles=tuple(request for request, _ in self.to_ask if request.battle),
            open_requests=self._open_requests(asked_rows),
            resolves_early=self.game.early,
            parent_id=self.game.parent_id,
            is_match=self.game.is_match,
            changed_requests=tuple(
                row for row in self.rows if row not in self.before.open_requests and row.id in self.kept_ids
            ),
            called_off_requests=frozenset(row.id for row in self.closed_requests if row.body.battle)
            - self.step_result.answers.keys(),
            game_columns=self._game_columns(deadline),
        )

    def _game_columns(self, deadline: int | None) -> dict[str, Any]:
        return {
            "phase": "over" if self.is_over else "running",
            "version": self.game.version + 1,
            "claimed_at": None,
            "step_no": self.no,
            "deadline": deadline,
            "ended_at": self.now if self.is_over else None,
        }

    def _open_requests(self, asked_rows: Sequence[RequestRow]) -> tuple[RequestRow, ...]:
        asked_ids = {row.id for row in asked_rows}
        kept = [row for row in self.rows if row.id in self.kept_ids and row.id not in asked_ids]
        return (*kept, *asked_rows)

    def _computed_answers(self, asked_rows: Sequence[RequestRow]) -> list[AnswerRow]:
        void_ids, computed = self.step_result.void_request_ids, self.step_result.computer_answers
        return [
            self._new_answer(row, computed[row.id].body, "computer", computed[row.id].computation)
            for row in asked_rows
            if self._is_computed(row.body) and (row.id not in self.answers or row.id in void_ids)
        ]

    def _kept_draw_offers(self) -> tuple[int, ...]:
        # An offer counts for the step in which it was made (`draw_at`); a hidden step must not show that there was one.
        if not self.is_hidden:
            return ()
        return tuple(seat.seat for seat in self.before.seated_game.seats if seat.draw_at == self.game.step_no)

    def _hopeless_seats(self, asked_rows: Sequence[RequestRow]) -> tuple[int, ...]:
        """Return the seats of people who are asked now, hardly ever win from here, and have not read so before."""
        seats = self.before.seated_game.seats
        max_share = RULESETS[self.game.system].hopeless_share(self.game.setup.options)
        numbers = hopeless.hopeless_seats(self.step_result.strengths, [seat.team for seat in seats], max_share)
        asked_seats = {row.seat for row in asked_rows if not row.body.battle}
        candidates = [seats[number] for number in numbers if number in asked_seats]
        return tuple(seat.seat for seat in candidates if not seat.is_computer_controlled and seat.hopeless_step is None)

    def _kept_offer_message(self) -> list[tuple[OutboxMessage, MessageSubject]]:
        return [(self.draw_offer, DrawOfferSubject(self.no))] if self.is_hidden and self.draw_offer else []

    # --- the step ----------------------------------------------------------------------------------------------------

    @property
    def _is_announced(self) -> bool:
        return not (self.is_hidden or isinstance(self.outcome.cause, UndoAction))

    def _report_step(self) -> None:
        """Show what the step has changed in messages that exist, and report it in the thread."""
        for row, source in self._unsealed_rows():
            if source == "draft":
                self._request_direct_message(row, CountedDraftSubject(row.id))
        self._close_messages()
        if not self.is_hidden:
            self._renew(self.draw_offer)
            for act in self.before.open_proposals:
                self._renew(self.messages.get(LogEntrySubject(act.id).key))
        if self._is_announced:
            subject = self._step_subject()
            self._request_message(subject, slow=self._keeps_acting(subject.clock))

    def _announce_awaited(self) -> None:
        """List in the thread the captains that are awaited, unless the step's message says who acts next."""
        awaited = [request for request, _ in self.to_ask if self._needs_announcement(request)]
        clock = awaited[0].clock if len(awaited) == 1 else ""
        if awaited and not (clock and self._is_announced):
            self._request_message(SealsSubject(self.no, clock=clock))

    def _step_row(self) -> StepRow:
        cause = self.outcome.cause
        if isinstance(cause, RequestsAnswered):
            cause = structs.replace(cause, hidden=self.is_hidden)
        step_result = self.step_result
        game_id = self.game.id
        return StepRow(
            game_id=game_id,
            no=self.no,
            cause=cause,
            events=step_result.events,
            state=step_result.state,
            resolved_at=self.now,
            revealed=step_result.is_revealing,
        )

    def _step_subject(self) -> StepSubject:
        """Return the subject of the message that reports the step, alone or with earlier steps of one shared clock."""
        clocks = {row.body.clock for row in self.rows if row.id in self.step_result.answers}
        subject = StepSubject(self.no, self.no, clock=clocks.pop() if len(clocks) == 1 else "")
        earlier = self.messages.get(subject.key) if subject.clock else None
        return structs.replace(subject, first=earlier.subject_as(StepSubject).first) if earlier else subject

    def _keeps_acting(self, clock: str) -> bool:
        """Return whether the captain whose requests share this clock has another one to answer."""
        return (
            bool(clock)
            and not self.is_over
            and any(clock == request.clock for request in self.step_result.pending if is_waited_for(request))
        )

    def _unsealed_rows(self) -> list[tuple[RequestRow, GivenBy]]:
        return [(row, self.outcome.given_by[row.id]) for row in self.rows if row.id in self.outcome.given_by]

    def _new_answer(self, row: RequestRow, body: str, given_by: GivenBy, computation: Computation | None) -> AnswerRow:
        return sealed_answer(
            row,
            body,
            game=self.game.seed_hash,
            nonce=next(self.nonces),
            given_by=given_by,
            computation=computation,
            now=self.now,
        )

    # --- what is asked -----------------------------------------------------------------------------------------------

    def _new_request(self, request: Request) -> RequestRow:
        asked_at, deadline = self._request_times(request)
        is_computed = self._is_computed(request)
        draft = ""
        if self._is_first_of_kind(request) and not is_computed:
            draft = self.step_result.drafts.get(request.id, "")  # from the captain's standing orders
        return RequestRow(
            game_id=self.game.id,
            id=request.id,
            seat=request.seat,
            body=request,
            step_no=self.no,
            asked_at=asked_at,
            deadline=deadline,
            optional=request.optional or request.ahead or request.battle is not None,
            status="sealed" if is_computed else "open",
            draft=draft,
            focus="",
            version=1 if is_computed or draft else 0,
        )

    def _promoted_request(self, request: Request, row: RequestRow) -> RequestRow:
        """Return the row of an early request that is awaited now, with its draft; its seal stays unless void."""
        asked_at, deadline = self._request_times(request)
        status = "open" if request.id in self.step_result.void_request_ids else row.status
        inherited = row.inherited and status == "sealed"
        if status == "open" and self._is_computed(request):
            status = "sealed"
        return structs.replace(
            row,
            body=request,
            step_no=self.no,
            asked_at=asked_at,
            deadline=deadline,
            optional=request.optional,
            status=status,
            inherited=inherited,
            version=row.version + 1,
        )

    def _is_computed(self, request: Request) -> bool:
        return request.id in self.step_result.computer_answers and not request.battle

    def _is_first_of_kind(self, request: Request) -> bool:
        """Return whether the seat has never had a request of this kind; standing orders then fill the first draft."""
        same_kind = [other for other, _ in self.to_ask if (other.seat, other.kind) == (request.seat, request.kind)]
        return (request.seat, request.kind) not in self.before.asked_kinds and len(same_kind) == 1

    def _request_times(self, request: Request) -> tuple[int, int | None]:
        """Return when a request is asked and its deadline (None: none), in Unix seconds."""
        asked_at = self.game.paused_at or self.now  # the end of a pause extends all deadlines by its length
        if request.clock in self.clocks:
            return asked_at, self.clocks[request.clock]
        if request.budget in self.unused_budgets:
            return asked_at, self.unused_budgets[request.budget]
        own_deadline = self._request_deadline(request, asked_at) if is_waited_for(request) else None
        if own_deadline is not None and request.within:
            own_deadline = min(own_deadline, asked_at + request.within)
        earlier_rows = [*self.before.budget_requests, *self.closed_requests]
        return asked_at, budget_deadline(request, earlier_rows, self.answers, began=asked_at, own_deadline=own_deadline)

    def _request_deadline(self, request: Request, began: int) -> int:
        """Return the deadline of a request with its own time; at fixed hours, mid-round requests share the round's."""
        if request.live and self.game.pace.since is not None:
            deadlines = [
                row.deadline for row in self.rows if row.body.round == request.round and row.deadline is not None
            ]
            if deadlines:
                return max(deadlines)
        return self.game.pace.due_at(began, request.round)

    def _retarget_panels(
        self, promoted: Sequence[tuple[RequestRow, RequestRow]]
    ) -> tuple[list[tuple[OutboxMessage, MessageSubject]], list[OutboxMessage]]:
        """Point panels of promoted requests at the new rows, and tell captains whose answer became void.

        Return the messages with their new subjects, and the open panels to post again.
        """
        retargeted: list[tuple[OutboxMessage, MessageSubject]] = []
        reposted: list[OutboxMessage] = []
        for early_row, row in promoted:
            if row.id in self.step_result.void_request_ids:
                self._request_direct_message(row, VoidAnswerSubject(row.id))
            if message := self.messages.get(enqueue.panel_subject(early_row).key):
                retargeted.append((message, enqueue.panel_subject(row)))
                if row.status == "sealed":
                    self._renew(message)
                else:
                    reposted.append(message)
        return retargeted, reposted

    def _game_deadline(self, new_rows: Iterable[RequestRow]) -> int | None:
        rows = [*(row for row in self.rows if row.id in self.kept_ids), *new_rows]
        return min((row.deadline for row in rows if row.deadline is not None), default=None)

    def _needs_announcement(self, request: Request) -> bool:
        """Return whether the thread must announce a request: not a computer's, nor a further one on the same clock."""
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
        if (user_id := self.before.user_in_seat(row.seat)) is not None:
            self._request_message(subject, user_id, patient=patient)

    def _renew(self, message: OutboxMessage | None) -> None:
        if message:
            self.renewed_messages[message.id] = message

    def _close_messages(self) -> None:
        """Renew the messages that show closed requests: panels, lists of seals, and the line about who acts next."""
        for row in self.closed_requests:
            if message := self.messages.get(enqueue.panel_subject(row).key):
                if message.subject_as(RequestSubject).request == row.id:
                    self.patiently_renewed[message.id] = message
                else:
                    self._request_direct_message(row, enqueue.panel_subject(row), patient=True)
            if enqueue.is_in_seal_list(row):
                self._renew(self.messages.get(enqueue.seals_subject(row).key))
        last_step_message = next(
            (message for message in reversed(self.before.messages) if isinstance(message.subject, StepSubject)), None
        )
        unanswered_turns = [
            row
            for row in self.closed_requests
            if row.body.clock and not row.optional and row.id not in self.step_result.answers
        ]
        if last_step_message and any(
            last_step_message.subject_as(StepSubject).last == row.step_no for row in unanswered_turns
        ):
            self._renew(last_step_message)  # the line about who acts next stays: it was true when posted

    def _obsolete_reminders(self) -> tuple[list[OutboxMessage], list[OutboxMessage]]:
        """Return reminders about closed requests: those that were sent or tried, and those that were not."""
        closed_ids = {row.id for row in self.closed_requests}
        sent: list[OutboxMessage] = []
        unsent: list[OutboxMessage] = []
        for message in self.before.messages:
            subject = message.subject
            if isinstance(subject, ReminderSubject) and subject.request in closed_ids:
                if message.message_id is None and not message.attempts:
                    unsent.append(message)
                else:
                    self._renew(message)
                    sent.append(message)
        return sent, unsent

    def _settle_proposals(self) -> None:
        """Renew messages of requests for more time, which end with the game's present deadline."""
        for act in self.before.acts:
            if act.params.get("deadline") == self.game.deadline:
                self._renew(self.messages.get(TimeRequestSubject(act.id).key))

    def _show_requests(self, rows: Iterable[RequestRow]) -> None:
        rows_by_id = {row.id: row for row in rows}
        for request, _ in self.to_ask:
            self._show_request(rows_by_id[request.id])

    def _show_request(self, row: RequestRow) -> None:
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
        seats = (
            {seat.seat for seat in self.before.seated_game.seats}
            if self.is_over
            else {request.seat for request, _ in self.to_ask}
        )
        return {user_id for seat in seats if (user_id := self.before.user_in_seat(seat)) is not None}

    def _obsolete_messages(self) -> list[OutboxMessage]:
        """Return direct messages that a new request or the end of the game makes obsolete.

        A message about a missed deadline stays until a later request is closed. In a finished game each captain keeps
        the last panel, which announces the end.
        """
        users = self._notified_users()
        messages = [
            message
            for message in self.before.messages
            if message.message_id is not None and message.user_id in users and message.kind in enqueue.PASSING_KINDS
        ]
        kept_keys = self._renew_last_panels(messages) if self.is_over else self._shown_keys()
        open_ids = {*self.kept_ids, *(request.id for request, _ in self.to_ask)}
        obsolete = [
            message
            for message in messages
            if message.key not in kept_keys and message.subject_as(RequestSubject).request not in open_ids
        ]
        for message in obsolete:
            self.renewed_messages.pop(message.id, None)
            self.patiently_renewed.pop(message.id, None)
        return obsolete

    def _renew_last_panels(self, messages: Sequence[OutboxMessage]) -> set[str]:
        """Renew each user's last panel. Returns the keys of these panels."""
        panels = {message.user_id: message for message in messages if message.kind == "panel"}
        self.patiently_renewed |= {message.id: message for message in panels.values()}
        return {message.key for message in panels.values()}

    def _shown_keys(self) -> set[str]:
        """Return the keys of messages about missed deadlines and counted drafts, and of panels that go on."""
        rows = [*self.closed_requests]
        for seat in {request.seat for request, _ in self.to_ask}:
            rows += self.before.last_closed_requests(seat, self.closed_requests)
        late_rows = [row for row in rows if row.id in self.answers and self.answers[row.id].is_late]
        kept_rows = [row for row in self.rows if row.id in self.kept_ids]
        requested_panels = [message.subject for message in self.message_requests if message.subject.kind == "panel"]
        # A panel that shows something new is reused.
        panels = [*map(enqueue.panel_subject, [*late_rows, *kept_rows]), *requested_panels]
        return {subject.key for subject in (*panels, *(CountedDraftSubject(row.id) for row in rows))}

    def _reused_panels(
        self, asked_rows: Iterable[RequestRow], removed: Sequence[OutboxMessage]
    ) -> list[tuple[OutboxMessage, MessageSubject]]:
        """Return panels of closed requests to reuse for optional requests, with their new subjects.

        An optional request needs no ping, and one edit costs one call to Discord instead of two.
        """
        panels = [message for message in removed if message.kind == "panel"]
        requested_keys = {message_request.subject.key for message_request in self.message_requests}
        reused: list[tuple[OutboxMessage, MessageSubject]] = []
        for row in asked_rows:
            subject = enqueue.panel_subject(row)
            if not row.optional or subject.key not in requested_keys or subject.key in self.messages:
                continue
            own_panels = [message for message in panels if message.user_id == self.before.user_in_seat(row.seat)]
            if own_panels:
                panels.remove(own_panels[-1])
                reused.append((own_panels[-1], subject))
        return reused


def sealed_answer(
    row: RequestRow,
    body: str,
    *,
    game: str,
    nonce: str,
    given_by: GivenBy,
    computation: Computation | None = None,
    now: int,
) -> AnswerRow:
    """Return an answer to a request with its commitment; `game` is the hash of the game's seed."""
    return AnswerRow(
        game_id=row.game_id,
        request_id=row.id,
        seat=row.seat,
        body=body,
        nonce=nonce,
        commitment=fairness.hash_answer(game, row.id, body, nonce),
        given_by=given_by,
        sealed_at=now,
        computation=encode(computation) if computation else "",
    )


def due_requests(rows: Sequence[RequestRow], *, late: bool, early: bool) -> list[RequestRow]:
    """Return the requests to resolve now: a sealed optional one alone, else all that the game waits for, or none.

    Unless `early`, sealed answers wait for the deadline. Nothing is due while a required battle is being played.
    """
    sealed_optional = [row for row in rows if row.body.optional and not row.body.ahead and row.status == "sealed"]
    if sealed_optional:
        return sealed_optional[:1]
    battle_requests = [row for row in rows if row.body.battle and not row.body.optional]
    if any(row.status != "sealed" for row in battle_requests):
        return []  # a battle has its own deadline
    awaited = [row for row in rows if not row.optional] + battle_requests
    if late:
        return awaited
    all_sealed = all(row.status == "sealed" for row in awaited)
    ends_now = all_sealed and (resolves_early(rows, early=early) or all(map(_never_waits, awaited)))
    return awaited if ends_now else []


def _never_waits(row: RequestRow) -> bool:
    """Return whether an answer takes effect at once: it is asked mid-round, is not secret, or has no deadline."""
    return row.body.live or not row.body.sealed or row.deadline is None


def is_waited_for(request: Request) -> bool:
    """Return whether the game waits for a captain's answer, which gives it a deadline."""
    return not (request.optional or request.ahead or request.battle)


async def write_changes(tx: Transaction, changes: StepChanges, *, now: int) -> None:
    """Write the rows that a step changes, within the step's transaction."""
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
        game_id, {answer.seat for answer in changes.answers if answer.given_by in OWN_GIVERS}
    )
    for _, row in changes.promoted_requests:
        await tx.requests.promote_early(row)
    await tx.messages.delete_untried([message.id for message in changes.dropped_reminders])
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
    await tx.seats.note_hopeless(game_id, changes.hopeless_seats, changes.step.no)
    await tx.games.change(game_id, **changes.game_columns)


def is_first_answer(row: RequestRow | None, request: Request) -> bool:
    """Return whether the request is asked now for the first time; it may have been answerable early."""
    return row is None or (row.body.ahead and not request.ahead)
