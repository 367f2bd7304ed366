"""A captain's orders: what they are asked, draft and seal."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple, TypeVar

from msgspec import structs

from bot.errors import Refusal
from bot.jobs import drafts
from bot.jobs.drafts import HINT_SEED_DIGITS, DraftResult, HintRef, SubmittedForm
from bot.jobs.showing import PictureStyle
from bot.jobs.workers import Workers
from bot.lifecycle.outbox import enqueue
from bot.lifecycle.outbox.quiet_hours import is_away
from bot.lifecycle.people import agreement, seats
from bot.lifecycle.steps.playing import load_seated_game
from bot.lifecycle.steps.runner import StepRunner
from bot.lifecycle.steps.storing import EntropySource
from bot.lifecycle.steps.undo import is_public_step
from bot.presenters.asked import PendingRequest
from bot.presenters.reader import Reader
from bot.store import Store
from bot.store.engine.shard import CLOSED_VERSION, DraftVersion
from bot.store.models.records import AnswerRow, Game, OutboxMessage, RequestRow
from bot.store.queries.seats import SeatInGame
from bot.store.queries.transaction import Transaction
from bot.texts.style import ZERO_WIDTH_SPACE
from bot.urgency import as_unhurried
from rules.core.registry import RULESETS

PRESS_TIMEOUT_S: Final = 20
"""How long an answer to a press may take before the outbox shows the panel in its stead."""
MAX_REMEMBERED: Final = 1000
"""Drafts of which is remembered that they were only added to, and panels that presses show.

A press of a draft that is forgotten is refused as old.
"""
K = TypeVar("K")
V = TypeVar("V")


class DraftVersionRange(NamedTuple):
    """Versions of a draft between which it was only added to, without looking at anything else."""

    first: int
    last: int


class OrderService:
    """Takes captains' orders, in all games of one bot."""

    def __init__(
        self, store: Store, workers: Workers, rounds: StepRunner, chance: EntropySource, reader: Reader
    ) -> None:
        self._store = store
        self._reader = reader
        self._workers = workers
        self._step_runner = rounds
        self._entropy = chance
        self._version_ranges: dict[tuple[int, str, int], DraftVersionRange] = {}
        self._remote_versions: dict[tuple[int, str, int], int] = {}
        """The versions to which other bots have changed drafts."""
        self._panels_of_presses: dict[int, int] = {}
        """How often the rows of panels were wanted when a press last took it on itself to show them."""

    async def preview_text(self, asked: PendingRequest, text: str) -> DraftResult:
        """What would become of a draft with typed text in it. Nothing is changed. Raises `OrderError`."""
        return await self._run_draft_job(drafts.type_text, asked, text.replace(ZERO_WIDTH_SPACE, ""))

    async def press_option(
        self, asked: PendingRequest, version: int, token: str, *, shown: bool = False
    ) -> PendingRequest:
        """Press an option of a panel; what comes of it is `shown` by the caller, else by the outbox.

        An option that adds is taken from an older panel too, if since then the draft was only added to.
        Raises `Refusal` or `OrderError`; the draft is then as it was. So with all that follow.
        """
        return await self._retry_on_conflict(asked, lambda now: self._press_once(now, version, token, shown=shown))

    async def _press_once(
        self, asked: PendingRequest, version: int, token: str, *, shown: bool
    ) -> PendingRequest | None:
        row, key = asked.row, _draft_key(asked.row)
        run = self._version_ranges.get(key)
        if run is None or run.last != row.version or row.status == "sealed":
            run = DraftVersionRange(row.version, row.version)
        if not run.first <= version <= run.last:
            raise Refusal("changed")
        worked = await self._run_draft_job(drafts.press_option, asked, token)
        if version != row.version and not worked.only_adds:
            raise Refusal("changed")
        since = run.first if worked.only_adds else None
        kept = await self._store_draft(
            asked, worked, breaks=not _changes_focus_only(asked, worked), shown=shown, since=since
        )
        if kept and worked.only_adds:
            _remember_recent(self._version_ranges, key, DraftVersionRange(run.first, kept.row.version))
        return kept

    def note_draft_changed(self, told: DraftVersion) -> None:
        """Another bot has changed a draft; one that was closed is asked again, after going back."""
        key = (told.game_id, told.request_id, told.step_no)
        known = self._remote_versions.get(key, -1)
        if told.last_version > known or known == CLOSED_VERSION:
            _remember_recent(self._remote_versions, key, told.last_version)
            _remember_recent(self._version_ranges, key, DraftVersionRange(told.first_version, told.last_version))

    def is_outdated_version(self, asked: PendingRequest) -> bool:
        """Whether another bot has changed a draft since, or the game has gone on there: it shows more."""
        return self._remote_versions.get(_draft_key(asked.row), -1) > asked.row.version

    async def type_text(
        self, asked: PendingRequest, text: str, *, shown: bool = False, below: bool = False
    ) -> PendingRequest:
        """Put typed text into the draft; where a press acts at once, what is typed whole does so too.

        Where it was written in direct messages, the panel is posted again `below` it.
        """
        return await self._change_draft(
            drafts.type_text, asked, text.replace(ZERO_WIDTH_SPACE, ""), shown=shown, below=below
        )

    async def fill_form(self, asked: PendingRequest, filled: SubmittedForm, *, shown: bool = False) -> PendingRequest:
        """Put what was chosen in a form's lists into the draft, however the draft has changed since it was opened."""
        return await self._change_draft(drafts.fill_form, asked, filled, shown=shown)

    async def _change_draft(
        self, job: Callable[..., DraftResult], asked: PendingRequest, *given: object, shown: bool, below: bool = False
    ) -> PendingRequest:
        async def put(now: PendingRequest) -> PendingRequest | None:
            worked = await self._run_draft_job(job, now, *given)
            try:
                return await self._store_draft(
                    now, worked, breaks=not _changes_focus_only(now, worked), shown=shown, below=below
                )
            except Refusal as refused:
                if refused.key != "changed":
                    raise
            # The draft has changed meanwhile, as when two messages come together: what is given goes into that one.
            return None

        return await self._retry_on_conflict(asked, put)

    async def take_hint(self, asked: PendingRequest, hint: HintRef, *, shown: bool = False) -> PendingRequest:
        """Put a hint into the draft, found again by its seed."""
        _refuse_hint(asked)

        async def put(now: PendingRequest) -> PendingRequest | None:
            return await self._store_draft(
                now, await self._run_draft_job(drafts.take_hint, now, hint), breaks=True, shown=shown
            )

        return await self._retry_on_conflict(asked, put)

    async def seal_draft(self, asked: PendingRequest, version: int, *, shown: bool = False) -> PendingRequest:
        """Seal the draft; when nobody is missing the game goes on."""

        async def put(now: PendingRequest) -> PendingRequest | None:
            _refuse_changed_request(now, version)
            if now.row.status == "sealed":
                raise Refusal("already_sealed")
            return await self._store_draft(
                now, await self._run_draft_job(drafts.seal_draft, now), breaks=False, shown=shown
            )

        return await self._retry_on_conflict(asked, put)

    async def unseal_draft(self, asked: PendingRequest, version: int) -> PendingRequest:
        """Break one's own seal, to change the draft; the caller shows it."""

        async def put(now: PendingRequest) -> PendingRequest | None:
            _refuse_changed_request(now, version)
            if now.row.status != "sealed":
                raise Refusal("not_sealed")
            return await self._store_draft(now, DraftResult(draft=now.row.as_draft), breaks=True, shown=True)

        return await self._retry_on_conflict(asked, put)

    async def _retry_on_conflict(
        self, asked: PendingRequest, put: Callable[[PendingRequest], Awaitable[PendingRequest | None]]
    ) -> PendingRequest:
        """Put something into a draft, again if what was asked is by now not quite the same."""
        while (kept := await put(asked)) is None:
            await self._step_runner.wait_for_step(asked.row.game_id)
            user_id = asked.seated_game.seats[asked.row.seat].user_id
            asked = await self._reader.pending_request(user_id or 0, asked.row.game_id, asked.row.id)
        return kept

    async def _run_draft_job(
        self, job: Callable[..., DraftResult], asked: PendingRequest, *given: object
    ) -> DraftResult:
        """Let a worker do all that a press needs, in one job; the picture is another, for which no press waits."""
        game, row = asked.seated_game.game, asked.row
        return await self._workers.run_rules(job, game.system, asked.state, row.body, row.as_draft, *given)

    def new_hint_seed(self) -> str:
        """Chance (hex) for a hint: of its own, as the dice of the game are nobody's to see, nor what hangs on them."""
        return self._entropy()[:HINT_SEED_DIGITS]

    async def compute_hint(self, asked: PendingRequest, hint: HintRef) -> drafts.Hint:
        """What the computer would answer in a captain's place, and one reason; found again it is the same.

        Raises `Refusal` where it counts.
        """
        _refuse_hint(asked)
        game, row = asked.seated_game.game, asked.row
        return await self._workers.run_rules(
            drafts.compute_hint, game.system, asked.state, row.body, hint.seed, hint.stopped_after
        )

    async def suggest_orders(
        self, asked: PendingRequest, typed: str, look: PictureStyle, *, most: int
    ) -> list[tuple[str, str]]:
        """How orders that a captain is typing may go on: words, and the orders themselves.

        Raises `JobOutdated` if they have typed on meanwhile.
        """
        game, row = asked.seated_game.game, asked.row
        return await self._workers.run_suggestion(
            drafts.suggest_continuations, game.system, asked.state, row.body, typed, look, most=most
        )

    async def _store_draft(
        self,
        asked: PendingRequest,
        worked: DraftResult,
        *,
        breaks: bool,
        shown: bool,
        below: bool = False,
        since: int | None = None,
    ) -> PendingRequest | None:
        """Store in one transaction what has become of a draft, and what is sealed with it, or no more.

        None: nothing is stored, as others have done something in secret meanwhile. It must be worked again, and nobody
        may notice: from a refusal a captain would learn of it. Where it is `shown` by the caller, nobody is woken for
        that: the outbox shows it if nothing else has in time. It shows it in the panel's place, or `below` all else.
        The draft was only added to `since` this version.
        """
        row, now, answer, goes_on = asked.row, self._step_runner.now(), None, False
        due: list[int] = []
        broken = breaks and row.status == "sealed"
        async with self._store.write() as tx:
            held = await tx.seats.seat_in_game(row.game_id, row.seat)
            if held is None or await self._has_secret_steps_since(tx, held.game, asked.seated_game.game.step_no):
                return None
            game = held.game
            asked, news = await self._note_presence(tx, asked, held)
            game, row = (asked.seated_game.game if news else game), asked.row
            changed = await tx.requests.change(row, since=since, **_changed_columns(worked, breaks=breaks))
            if changed is None:
                raise Refusal("changed")
            if broken:
                await tx.answers.break_seal(row.game_id, row.id, now=now)
            if worked.answer is not None:
                _refuse_claim(asked, worked.answer, now)
                answer = await self._store_seal(tx, row, worked.answer, held, game)
                agreed = not row.optional and await agreement.advance_if_agreed(tx, game, now=now)
                goes_on = agreed or await self._step_runner.can_advance(tx, game)
            if (broken or answer) and not goes_on:
                # Else the step that follows shows them, before what came of it.
                due += await enqueue.update_seals(tx, [row], now=now)
            at = now + PRESS_TIMEOUT_S if shown or goes_on else now
            user_id = asked.seated_game.seats[row.seat].user_id or 0
            if below:
                message = await enqueue.repost_panel(tx, changed, user_id, at=at, now=now)
            else:
                message = await enqueue.update_panel_after_press(tx, changed, user_id, at=at)
        if shown:
            _remember_recent(self._panels_of_presses, message.id, message.wanted)
        if goes_on:
            self._step_runner.start_advancing(row.game_id)
        elif news or below:
            self._step_runner.on_change()
        else:
            for at in {*due, message.due_at}:
                self._step_runner.on_expected(at)
        kept = answer or (None if breaks else asked.answer)
        return structs.replace(
            asked, row=changed, answer=kept, panel_message=message, draft_result=worked, advances_game=goes_on
        )

    async def _store_seal(self, tx: Transaction, row: RequestRow, body: str, held: SeatInGame, game: Game) -> AnswerRow:
        """Store what a captain answers, and that they have given orders."""
        if not held.has_ordered:
            await tx.captaincies.note_orders(row.game_id, {row.seat})
        return await self._step_runner.step_store.store_answer(tx, row, body, given_by="captain", game=game)

    async def _note_presence(
        self, tx: Transaction, asked: PendingRequest, held: SeatInGame | None
    ) -> tuple[PendingRequest, bool]:
        """Count a captain as present; the game as it is then, and whether anything is new."""
        news = await seats.note_return(tx, asked.seated_game, held, now=self._step_runner.now())
        if not news:
            return asked, False
        row = await _with_times(tx, asked.row)
        return structs.replace(asked, seated_game=await load_seated_game(tx, row.game_id), row=row), True

    async def _has_secret_steps_since(self, tx: Transaction, game: Game, since: int) -> bool:
        """Whether steps have come since this one, all of them in secret, or one is in hand that may be.

        Raises `Refusal` if others have: the deadline.
        """
        if game.phase == "running" and game.step_no == since:
            return False
        causes = [cause for number, cause in await tx.steps.causes_of_game(game.id) if number > since]
        going_on = game.phase == "resolving" and self._step_runner.is_busy(game)
        if not (game.phase == "running" or going_on) or any(map(is_public_step, causes)):
            raise Refusal("busy")
        return True

    def is_panel_overtaken(self, panel: OutboxMessage) -> bool:
        """Whether a press shows something newer in the place of a panel than what was wanted when its row was read."""
        return panel.message_id is not None and self.is_shown_by_press(panel)

    def is_shown_by_press(self, panel: OutboxMessage) -> bool:
        """Whether a press shows, anywhere, something newer of a panel than what was wanted when its row was read."""
        return self._panels_of_presses.get(panel.id, 0) > panel.wanted

    async def note_direct_reply(
        self, user_id: int, game_id: int, *, channel_id: int, message_id: int, over: bool = False
    ) -> None:
        """Note a direct message that holds until its reader is asked, or writes, something else.

        What they read there before about this game goes. Once the game is `over`, the new message goes too.
        """
        now = self._step_runner.now()
        async with self._store.write() as tx:
            await tx.removals.make_due(game_id, [user_id], now=now)
            place = {"channel_id": channel_id, "message_id": message_id}
            await tx.removals.add(game_id, user_id, due_at=now if over else None, **place)
        self._step_runner.on_change()

    async def delete_unheard(self, game_id: int, user_id: int, *, channel_id: int, message_id: int) -> None:
        """A direct message has arrived unheard that nobody needs any more: it goes."""
        async with self._store.write() as tx:
            await tx.removals.add(
                game_id, user_id, due_at=self._step_runner.now(), channel_id=channel_id, message_id=message_id
            )

    async def forget_shown(self, game_id: int, message_id: int) -> None:
        """A press has shown something in a message that the outbox does not know of."""
        async with self._store.write() as tx:
            await tx.messages.forget_shown(game_id, message_id)

    async def note_panel_shown(self, panel: OutboxMessage) -> None:
        """A press has shown all that a panel was to show when its row was read."""
        async with self._store.write() as tx:
            await tx.messages.change(panel.id, sent=panel.wanted, shown=None)
        self._step_runner.on_change()

    async def note_panel_seen(self, asked: PendingRequest, message_id: int) -> None:
        """A captain has seen the panel in a message; a panel that is another, or older, is brought up to date."""

        async def note(tx: Transaction) -> bool:
            if asked.panel_message and await tx.messages.note_shown_by_press(asked.panel_message, message_id):
                return True
            await tx.messages.forget_shown(asked.row.game_id, message_id)
            if message := await tx.messages.find(asked.row.game_id, enqueue.panel_subject(asked.row).key):
                await enqueue.renew_message(tx, message, now=self._step_runner.now())
            return False

        with as_unhurried():
            up_to_date = await self._store.write_shared(note)
        if not up_to_date:
            self._step_runner.on_change()


def _draft_key(row: RequestRow) -> tuple[int, str, int]:
    """Names a draft; what is asked again under the same id, after going back, is asked by another step."""
    return row.game_id, row.id, row.step_no


async def _with_times(tx: Transaction, row: RequestRow) -> RequestRow:
    """Return a request as it was read, but with the times that it has now: they move when its captain comes back."""
    now = await tx.requests.find(row.game_id, row.id) or row
    return structs.replace(row, deadline=now.deadline, asked_at=now.asked_at)


def _remember_recent(recent: dict[K, V], key: K, value: V) -> None:
    """Keep a value as the newest; the oldest is forgotten."""
    recent.pop(key, None)
    recent[key] = value
    if len(recent) > MAX_REMEMBERED:
        del recent[next(iter(recent))]


def _changed_columns(worked: DraftResult, *, breaks: bool) -> dict[str, str | bool]:
    """What changes in a request's row."""
    draft: dict[str, str | bool] = {"draft": worked.draft.text, "focus": worked.draft.focus}
    opened: dict[str, str | bool] = {"status": "open", "inherited": False} if breaks else {}
    return {**draft, **opened, **({} if worked.answer is None else {"status": "sealed"})}


def _changes_focus_only(asked: PendingRequest, worked: DraftResult) -> bool:
    """Whether a captain only looks at something else: the orders are as they were, and a seal on them holds."""
    return worked.answer is None and worked.draft.text == asked.row.draft


def _refuse_changed_request(asked: PendingRequest, version: int) -> None:
    """Raise `Refusal` if a draft is not the one whose button was pressed."""
    if asked.row.version != version:
        raise Refusal("changed")


def _refuse_hint(asked: PendingRequest) -> None:
    """Raise `Refusal` where a hint would count."""
    if not asked.seated_game.is_practice:
        raise Refusal("no_hints")


def _refuse_claim(asked: PendingRequest, answer: str, now: int) -> None:
    """Raise `Refusal` if an answer claims the win from a side one of whose captains has announced to be away."""
    playing, row = asked.seated_game, asked.row
    claims = RULESETS[playing.game.system].questions[row.body.kind].is_claim
    if claims is None or not any(map(claims, answer.split("\n"))):
        return
    for seat in playing.seats:
        player = playing.players.get(seat.user_id or 0)
        if seat.team != playing.seats[row.seat].team and not seat.conceded and player and is_away(player, now):
            raise Refusal("claim_away", name=player.name)
