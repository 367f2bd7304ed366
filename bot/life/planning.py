"""What a step changes: planned from a snapshot of its game and from what the rules have made of it, then written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, structs

from bot.life import enqueue, reminders
from bot.life.ahead import is_first_answer
from bot.life.budgets import budget_deadline
from bot.life.early import resolves_early
from bot.life.snapshot import Snapshot
from bot.store.messages import MessageRequest
from bot.store.queries import Transaction
from bot.store.records import (
    SET_ASIDE_MARK,
    AnswerRow,
    GivenBy,
    OutboxMessage,
    RequestRow,
    RequestsAnswered,
    StepCause,
    StepRow,
)
from bot.store.subjects import (
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
from bot.work import play
from rules import fairness
from rules.protocol import Request
from rules.replay import UndoAction
from rules.revealing import is_hidden_step


class ResolvedStep(Struct, frozen=True, kw_only=True):
    """What was put into a step, and what has come of it."""

    cause: StepCause
    done: play.StepResult
    given: Mapping[str, GivenBy] = {}
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
    closed: tuple[RequestRow, ...]
    """Asked no more."""
    aside: tuple[tuple[RequestRow, str], ...]
    """Kept under other ids, with those: what is asked of another seat from now on."""
    asked: tuple[RequestRow, ...]
    """New requests."""
    taken_up: tuple[tuple[RequestRow, RequestRow], ...]
    """Requests that could be answered ahead and are asked now, as they were and as they are."""
    bodies: tuple[RequestRow, ...]
    """Requests that stay and are otherwise from now on: the game waits for them."""
    void: tuple[str, ...]
    """Those of them whose answer cannot be carried out any more."""
    dropped: tuple[OutboxMessage, ...]
    """Reminders that were never sent."""
    set_aside: tuple[OutboxMessage, ...]
    """Messages that are used no more for what is wanted under their keys."""
    moved: tuple[tuple[OutboxMessage, MessageSubject], ...]
    """Messages that are about something else from now on."""
    posted: tuple[OutboxMessage, ...]
    """Messages to be posted once more, below all else."""
    removed: tuple[OutboxMessage, ...]
    """Direct messages that go, and are not replaced."""
    passed: tuple[int, ...]
    """Users whose passing notices go."""
    renewed: tuple[OutboxMessage, ...]
    """Messages to be made again."""
    patient: tuple[OutboxMessage, ...]
    """The same, but not before a press shows them."""
    wishes: tuple[MessageRequest, ...]
    """New messages, in their order, and old ones that may be about something else."""
    draws: tuple[int, ...]
    """Seats whose offer of a draw outlives the step."""
    battles: tuple[Request, ...]
    """Questions to be answered by games of their own."""
    called_off: frozenset[str]
    """Questions whose games nobody needs any more."""
    game: dict[str, Any]
    """Columns of the game."""

    open: tuple[RequestRow, ...]
    """What is asked after it."""
    early: bool
    """Whether the game goes on as soon as all have sealed."""
    parent: int | None
    """The game of which it is a battle."""

    def goes_on(self, now: int) -> bool:
        """Whether another step follows at once."""
        late = self.game["deadline"] is not None and self.game["deadline"] <= now
        return not self.over and bool(due_requests(self.open, late=late, early=self.early))

    @property
    def concerns_others(self) -> bool:
        """Whether a game of which it is a battle, or one that it has opened, may have to go on."""
        return self.parent is not None or any(row.body.battle for row in self.open)

    @property
    def over(self) -> bool:
        """Whether the game ends."""
        return bool(self.game["phase"] == "over")


def plan_step(before: Snapshot, outcome: ResolvedStep) -> StepChanges:
    """Work out what a step changes. The same snapshot and outcome always give the same changes."""
    return _StepPlanner(before, outcome).changes()


class _StepPlanner:
    """One step of one game."""

    def __init__(self, before: Snapshot, outcome: ResolvedStep) -> None:
        self.before, self.outcome = before, outcome
        self.game, self.done, self.now = before.game, outcome.done, outcome.now
        self.no = self.game.step_no + 1
        self.over = self.done.result is not None
        self.asked_now = {request.id: request for request in self.done.pending}
        self.rows = [self._as_it_is(row) for row in before.open]
        self.nonces: Iterator[str] = iter(outcome.nonces)
        self.messages = {message.key: message for message in before.messages}
        seats = {} if self.over else {one.id: one.seat for one in self.done.pending if one.id not in self.done.answers}
        self.aside = [row for row in self.rows if seats.get(row.id, row.seat) != row.seat]
        self.still = seats.keys() - {row.id for row in self.aside}
        self.gone = [row for row in self.rows if row.id not in self.still]
        self.clocks = {row.body.clock: row.deadline for row in self.rows if row.body.clock}
        known = {row.id: row for row in self.rows if row not in self.aside}
        pending = () if self.over else self.done.pending
        self.new = [
            (request, known.get(request.id)) for request in pending if is_first_answer(known.get(request.id), request)
        ]
        self.renewed: dict[int, OutboxMessage] = {}
        self.patient: dict[int, OutboxMessage] = {}
        self.wishes: list[MessageRequest] = []
        self.given = [self._answer(row, self.done.answers[row.id], by) for row, by in self._unsealed()]
        self.answers = {**before.answers, **{answer.request_id: answer for answer in self.given}}
        # Who gives up beside a question changes its name, not its time.
        broken_off = [row for row in self.gone if row.body.budget and row.id not in self.answers]
        self.budgets = {row.body.budget: row.deadline for row in broken_off}

    def _as_it_is(self, row: RequestRow) -> RequestRow:
        """What is asked, as the rules say now: nobody waits for a battle, and later the game does."""
        now = self.asked_now.get(row.id)
        return structs.replace(row, body=now) if now and row.body.battle and now.optional != row.body.optional else row

    def changes(self) -> StepChanges:
        """What the step changes."""
        hidden = self._hidden()
        told = not (hidden or isinstance(self.outcome.cause, UndoAction))
        for row, by in self._unsealed():
            if by == "captain":
                self._tell(row, CountedDraftSubject(row.id))
        self._close()
        offer = self.messages.get(DrawOfferSubject(self.game.step_no).key)
        if not hidden:
            self._renew(offer)
            for act in self.before.proposed:
                self._renew(self.messages.get(LogEntrySubject(act.id).key))
        if told:
            subject = self._step()
            self._want(subject, slow=self._acts_on(subject.clock))
        asked = [self._asked(request) for request, row in self.new if row is None]
        taken_up = [(row, self._taken_up(request, row)) for request, row in self.new if row is not None]
        deadline = self._deadline([*asked, *(row for _, row in taken_up)])
        if self.over or deadline != self.game.deadline:
            self._settle_proposals()
        reminded = self._reminders()
        moved, posted = self._move([*taken_up])
        now_asked = [*asked, *(row for _, row in taken_up)]
        for request, _ in self.new:
            self._ask(next(row for row in now_asked if row.id == request.id))
        removed = self._passed()
        reused = self._reused(now_asked, removed)
        moved += reused
        awaited = [request for request, _ in self.new if self._awaited(request)]
        clock = awaited[0].clock if len(awaited) == 1 else ""
        if awaited and not (clock and told):  # the step itself says who acts next
            self._want(SealsSubject(self.no, clock=clock))
        computed = [
            self._answer(row, self.done.computed[row.id], "computer")
            for row in now_asked
            if self._computed(row.body) and (row.id not in self.answers or row.id in self.done.void)
        ]
        taken = {row.id for row, _ in taken_up}
        return StepChanges(
            game_id=self.game.id,
            step=self._step_row(hidden=hidden),
            answers=(*self.given, *computed),
            closed=tuple(self.gone),
            aside=tuple((row, f"{row.id}{SET_ASIDE_MARK}{self.no}") for row in self.aside),
            asked=tuple(asked),
            taken_up=tuple(taken_up),
            void=tuple(row.id for row, _ in taken_up if row.id in self.done.void),
            dropped=tuple(one for one in reminded if one.message_id is None and not one.attempts),
            set_aside=tuple(one for one in reminded if one.message_id is not None or one.attempts),
            moved=(*moved, *(((offer, DrawOfferSubject(self.no)),) if hidden and offer else ())),
            posted=tuple(posted),
            removed=tuple(one for one in removed if one not in [message for message, _ in reused]),
            passed=tuple(sorted(self._users())),
            renewed=tuple(one for one in self.renewed.values() if one.id not in self.patient),
            patient=tuple(self.patient.values()),
            wishes=tuple(self.wishes),
            draws=tuple(one.seat for one in self.before.playing.seats if hidden and one.draw_at == self.game.step_no),
            battles=tuple(request for request, _ in self.new if request.battle),
            open=(*(row for row in self.rows if row.id in self.still and row.id not in taken), *now_asked),
            early=self.game.early,
            parent=self.game.parent_id,
            bodies=tuple(row for row in self.rows if row not in self.before.open and row.id in self.still),
            called_off=frozenset({row.id for row in self.gone if row.body.battle} - {*self.done.answers}),
            game={
                "phase": "over" if self.over else "running",
                "version": self.game.version + 1,
                "claimed_at": None,
                "step_no": self.no,
                "deadline": deadline,
                "ended_at": self.now if self.over else None,
            },
        )

    # --- the step ----------------------------------------------------------------------------------------------------

    def _hidden(self) -> bool:
        """Whether nobody but who answered may know of the step."""
        answered = [row.body for row in self.rows if row.id in self.done.answers]
        return is_hidden_step(answered, public=self.done.public)

    def _step_row(self, *, hidden: bool) -> StepRow:
        cause = self.outcome.cause
        if isinstance(cause, RequestsAnswered):
            cause = structs.replace(cause, hidden=hidden)
        done, game_id = self.done, self.game.id
        return StepRow(
            game_id=game_id,
            no=self.no,
            cause=cause,
            events=done.events,
            state=done.state,
            resolved_at=self.now,
            revealed=done.revealed,
        )

    def _step(self) -> StepSubject:
        """The message that tells of the step: its own, or that of all that is done on one clock."""
        clocks = {row.body.clock for row in self.rows if row.id in self.done.answers}
        subject = StepSubject(self.no, self.no, clock=clocks.pop() if len(clocks) == 1 else "")
        known = self.messages.get(subject.key) if subject.clock else None
        return structs.replace(subject, first=known.about(StepSubject).first) if known else subject

    def _acts_on(self, clock: str) -> bool:
        """Whether who acts on a clock goes on acting after the step."""
        return (
            bool(clock) and not self.over and any(clock == one.clock for one in self.done.pending if is_waited_for(one))
        )

    def _unsealed(self) -> list[tuple[RequestRow, GivenBy]]:
        return [(row, self.outcome.given[row.id]) for row in self.rows if row.id in self.outcome.given]

    def _answer(self, row: RequestRow, body: str, by: GivenBy) -> AnswerRow:
        return sealed_answer(row, body, game=self.game.seed_hash, nonce=next(self.nonces), given_by=by, now=self.now)

    # --- what is asked -----------------------------------------------------------------------------------------------

    def _asked(self, request: Request) -> RequestRow:
        began, due = self._time(request)
        computed = self._computed(request)
        draft = "" if computed or not self._first(request) else self.done.drafts.get(request.id, "")
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

    def _taken_up(self, request: Request, row: RequestRow) -> RequestRow:
        """What could be answered ahead is asked now, with the draft and the seal that it has."""
        began, due = self._time(request)
        status = "open" if request.id in self.done.void else row.status
        inherited = row.inherited and status == "sealed"
        if status == "open" and self._computed(request):
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

    def _computed(self, request: Request) -> bool:
        """Whether the computer has answered it already."""
        return request.id in self.done.computed and not request.battle

    def _first(self, request: Request) -> bool:
        """Whether its seat was never asked the like before; then it begins with the captain's standing orders."""
        like = [one for one, _ in self.new if (one.seat, one.kind) == (request.seat, request.kind)]
        return (request.seat, request.kind) not in self.before.kinds and len(like) == 1

    def _time(self, request: Request) -> tuple[int, int | None]:
        """When a request is asked, and until when it waits."""
        began = self.game.paused_at or self.now  # in a pause no time passes: it is added when the game goes on
        fresh = self._due(request, began) if is_waited_for(request) else None
        if fresh is not None and request.within:
            fresh = min(fresh, began + request.within)
        if request.clock in self.clocks:
            return began, self.clocks[request.clock]
        if request.budget in self.budgets:
            return began, self.budgets[request.budget]
        asked = [*self.before.on_budgets, *self.gone]
        return began, budget_deadline(request, asked, self.answers, began=began, fresh=fresh)

    def _due(self, request: Request, began: int) -> int:
        """When a question is due that has its time to itself; one in mid-round of a fixed hour ends with its round."""
        if request.live and self.game.pace.since is not None:
            ends = [row.deadline for row in self.rows if row.body.round == request.round and row.deadline is not None]
            if ends:
                return max(ends)
        return self.game.pace.due(began, request.round)

    def _move(
        self, taken_up: Sequence[tuple[RequestRow, RequestRow]]
    ) -> tuple[list[tuple[OutboxMessage, MessageSubject]], list[OutboxMessage]]:
        """Panels of what could be answered ahead are those of what is asked now; the open ones are posted once more.

        Captains whose answer is void by now hear of it.
        """
        moved: list[tuple[OutboxMessage, MessageSubject]] = []
        posted: list[OutboxMessage] = []
        for before, row in taken_up:
            if row.id in self.done.void:
                self._tell(row, VoidAnswerSubject(row.id))
            if message := self.messages.get(enqueue.panel_subject(before).key):
                moved.append((message, enqueue.panel_subject(row)))
                if row.status == "sealed":
                    self._renew(message)
                else:
                    posted.append(message)
        return moved, posted

    def _deadline(self, asked: Iterable[RequestRow]) -> int | None:
        rows = [*(row for row in self.rows if row.id in self.still), *asked]
        return min((row.deadline for row in rows if row.deadline is not None), default=None)

    def _awaited(self, request: Request) -> bool:
        """Whether the thread must say that somebody is asked: not the computer, nor again within one clock."""
        return is_waited_for(request) and request.id not in self.done.computed and request.clock not in self.clocks

    # --- what is seen ------------------------------------------------------------------------------------------------

    def _want(
        self,
        subject: MessageSubject,
        user_id: int | None = None,
        *,
        at: int | None = None,
        patient: bool = False,
        slow: bool = False,
    ) -> None:
        self.wishes.append(MessageRequest(subject, self.now if at is None else at, user_id, patient, slow))

    def _tell(self, row: RequestRow, subject: MessageSubject, *, patient: bool = False) -> None:
        """Want a message to the captain who is asked something; a computer gets none."""
        if (user_id := self.before.user(row.seat)) is not None:
            self._want(subject, user_id, patient=patient)

    def _renew(self, message: OutboxMessage | None) -> None:
        if message:
            self.renewed[message.id] = message

    def _close(self) -> None:
        """Panels and lists of what is asked no more lose their buttons."""
        for row in self.gone:
            if message := self.messages.get(enqueue.panel_subject(row).key):
                if message.about(RequestSubject).request == row.id:
                    self.patient[message.id] = message
                else:
                    self._tell(row, enqueue.panel_subject(row), patient=True)
            if enqueue.is_in_seal_list(row):
                self._renew(self.messages.get(enqueue.seals_subject(row).key))
        last = next((one for one in reversed(self.before.messages) if isinstance(one.subject, StepSubject)), None)
        open_turns = [
            row for row in self.gone if row.body.clock and not row.optional and row.id not in self.done.answers
        ]
        if last and any(last.about(StepSubject).last == row.step_no for row in open_turns):
            self._renew(last)  # that somebody acts next stays told where they did: it was so

    def _reminders(self) -> list[OutboxMessage]:
        """Reminders of what is asked no more: what was sent is brought up to date."""
        gone = {row.id for row in self.gone}
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

    def _ask(self, row: RequestRow) -> None:
        """Show a captain what they are asked."""
        if row.body.battle or row.status == "sealed":
            return
        if row.id in self.done.useless and self._first(row.body):
            self._tell(row, StandingOrdersSubject(row.id))
        self._tell(row, enqueue.panel_subject(row), patient=True)
        player = self.before.player(row.seat)
        if player and not row.optional and row.deadline is not None and self.game.paused_at is None:
            for which, at in reminders.planned_reminders(player, row.asked_at, row.deadline, self.now).items():
                self._want(ReminderSubject(row.id, which), player.user_id, at=at)

    def _users(self) -> set[int]:
        """Who is asked something new; at the end, everybody."""
        seats = {seat.seat for seat in self.before.playing.seats} if self.over else {one.seat for one, _ in self.new}
        return {user_id for seat in seats if (user_id := self.before.user(seat)) is not None}

    def _passed(self) -> list[OutboxMessage]:
        """What a new question, or the end, makes out of date in captains' direct messages.

        What is said of a deadline that has passed stays until a question that was asked after it is closed. In a game
        that is over each captain keeps the last panel, which says so.
        """
        users = self._users()
        shown = [
            one
            for one in self.before.messages
            if one.message_id is not None and one.user_id in users and one.kind in enqueue.PASSING_KINDS
        ]
        if self.over:
            last = {one.user_id: one for one in shown if one.kind == "panel"}
            kept = {one.key for one in last.values()}
            self.patient |= {one.id: one for one in last.values()}
        else:
            seats = sorted({request.seat for request, _ in self.new})
            rows = [*self.gone, *(row for seat in seats for row in self.before.last_closed(seat, self.gone))]
            late = [row for row in rows if row.id in self.answers and self.answers[row.id].late]
            kept = {enqueue.panel_subject(row).key for row in late} | {CountedDraftSubject(row.id).key for row in rows}
            # A panel that shows something new is used again.
            kept |= {enqueue.panel_subject(row).key for row in self.rows if row.id in self.still}
            kept |= {wish.subject.key for wish in self.wishes if wish.subject.kind == "panel"}
        asked = {*self.still, *(request.id for request, _ in self.new)}
        gone = [one for one in shown if one.key not in kept and one.about(RequestSubject).request not in asked]
        for one in gone:
            self.renewed.pop(one.id, None)
            self.patient.pop(one.id, None)
        return gone

    def _reused(
        self, asked: Iterable[RequestRow], removed: Sequence[OutboxMessage]
    ) -> list[tuple[OutboxMessage, MessageSubject]]:
        """Panels of closed questions that show, from now on, what their captains may do while they wait.

        Nobody need be called for that, and Discord is asked once, not twice.
        """
        left = [one for one in removed if one.kind == "panel"]
        wanted = {wish.subject.key for wish in self.wishes}
        found: list[tuple[OutboxMessage, MessageSubject]] = []
        for row in asked:
            panel = enqueue.panel_subject(row)
            if not row.optional or panel.key not in wanted or panel.key in self.messages:
                continue
            if mine := [one for one in left if one.user_id == self.before.user(row.seat)]:
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
    await tx.requests.close(changes.closed)
    for row, request_id in changes.aside:
        await tx.answers.drop(game_id, row.id, now=now)
        await tx.requests.put_aside(row, request_id)
    await tx.requests.add_all(changes.asked)
    for row in changes.bodies:
        await tx.requests.rewrite(row)
    for request_id in changes.void:
        await tx.answers.drop(game_id, request_id, now=now)
    await tx.answers.add_all(changes.answers)
    await tx.captains.acted(game_id, {answer.seat for answer in changes.answers if answer.given_by == "captain"})
    for _, row in changes.taken_up:
        await tx.requests.ask_now(row)
    await tx.messages.drop([one.id for one in changes.dropped])
    await tx.messages.renew_all(changes.renewed, now=now)
    await tx.messages.renew_all(changes.patient, now=now, patient=True)
    await tx.messages.set_aside(changes.set_aside)
    for message, subject in changes.moved:
        await tx.messages.change_subject(message, subject)
    await tx.removals.take_away([*changes.posted, *changes.removed], now=now)
    await tx.messages.repost(changes.posted)
    await tx.messages.renew_all(changes.posted, now=now)
    await tx.messages.unwant(changes.removed)
    await tx.removals.remove_passed(game_id, changes.passed, now=now)
    await tx.messages.want_all(game_id, changes.wishes, now=now)
    await tx.seats.move_draws(game_id, changes.draws, changes.step.no)
    await tx.games.change(game_id, **changes.game)
