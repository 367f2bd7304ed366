"""A captain's orders: what they are asked, draft and seal."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple, TypeVar

from msgspec import structs

from bot.errors import Refusal
from bot.life import agreement, enqueue, seats
from bot.life.playing import load_seated_game
from bot.life.quiet_hours import is_away
from bot.life.rounds import StepRunner
from bot.life.steps import EntropySource
from bot.life.undo import is_public_step
from bot.store import Store
from bot.store.queries import Transaction
from bot.store.records import AnswerRow, Game, OutboxMessage, RequestRow
from bot.store.seats import SeatInGame
from bot.store.share import CLOSED_VERSION, DraftVersion
from bot.telling.asked import PendingRequest
from bot.telling.reader import Reader
from bot.urgency import as_unhurried
from bot.words.style import ZERO_WIDTH_SPACE
from bot.work import drafts
from bot.work.drafts import HINT_SEED_DIGITS, DraftResult, HintRef, SubmittedForm
from bot.work.showing import PictureStyle
from bot.work.workers import Workers
from rules.registry import RULESETS

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
        self._rounds = rounds
        self._chance = chance
        self._runs: dict[tuple[int, str, int], DraftVersionRange] = {}
        self._elsewhere: dict[tuple[int, str, int], int] = {}
        """The versions to which other bots have changed drafts."""
        self._pressed: dict[int, int] = {}
        """How often the rows of panels were wanted when a press last took it on itself to show them."""

    async def tried(self, asked: PendingRequest, text: str) -> DraftResult:
        """What would become of a draft with typed text in it. Nothing is changed. Raises `OrderError`."""
        return await self._worked(drafts.type_text, asked, text.replace(ZERO_WIDTH_SPACE, ""))

    async def press(self, asked: PendingRequest, version: int, token: str, *, shown: bool = False) -> PendingRequest:
        """Press an option of a panel; what comes of it is `shown` by the caller, else by the outbox.

        An option that adds is taken from an older panel too, if since then the draft was only added to.
        Raises `Refusal` or `OrderError`; the draft is then as it was. So with all that follow.
        """
        return await self._kept(asked, lambda now: self._press(now, version, token, shown=shown))

    async def _press(self, asked: PendingRequest, version: int, token: str, *, shown: bool) -> PendingRequest | None:
        row, key = asked.row, _draft_key(asked.row)
        run = self._runs.get(key)
        if run is None or run.last != row.version or row.status == "sealed":
            run = DraftVersionRange(row.version, row.version)
        if not run.first <= version <= run.last:
            raise Refusal("changed")
        worked = await self._worked(drafts.press_option, asked, token)
        if version != row.version and not worked.adds:
            raise Refusal("changed")
        since = run.first if worked.adds else None
        kept = await self._keep(asked, worked, breaks=not _changes_focus_only(asked, worked), shown=shown, since=since)
        if kept and worked.adds:
            _remember_recent(self._runs, key, DraftVersionRange(run.first, kept.row.version))
        return kept

    def heard(self, told: DraftVersion) -> None:
        """Another bot has changed a draft; one that was closed is asked again, after going back."""
        key = (told.game_id, told.request_id, told.step_no)
        known = self._elsewhere.get(key, -1)
        if told.last > known or known == CLOSED_VERSION:
            _remember_recent(self._elsewhere, key, told.last)
            _remember_recent(self._runs, key, DraftVersionRange(told.first, told.last))

    def is_old(self, asked: PendingRequest) -> bool:
        """Whether another bot has changed a draft since, or the game has gone on there: it shows more."""
        return self._elsewhere.get(_draft_key(asked.row), -1) > asked.row.version

    async def type(
        self, asked: PendingRequest, text: str, *, shown: bool = False, below: bool = False
    ) -> PendingRequest:
        """Put typed text into the draft; where a press acts at once, what is typed whole does so too.

        Where it was written in direct messages, the panel is posted again `below` it.
        """
        return await self._put(drafts.type_text, asked, text.replace(ZERO_WIDTH_SPACE, ""), shown=shown, below=below)

    async def fill(self, asked: PendingRequest, filled: SubmittedForm, *, shown: bool = False) -> PendingRequest:
        """Put what was chosen in a form's lists into the draft, however the draft has changed since it was opened."""
        return await self._put(drafts.fill_form, asked, filled, shown=shown)

    async def _put(
        self, job: Callable[..., DraftResult], asked: PendingRequest, *given: object, shown: bool, below: bool = False
    ) -> PendingRequest:
        async def put(now: PendingRequest) -> PendingRequest | None:
            worked = await self._worked(job, now, *given)
            try:
                return await self._keep(
                    now, worked, breaks=not _changes_focus_only(now, worked), shown=shown, below=below
                )
            except Refusal as refused:
                if refused.key != "changed":
                    raise
            # The draft has changed meanwhile, as when two messages come together: what is given goes into that one.
            return None

        return await self._kept(asked, put)

    async def take(self, asked: PendingRequest, hint: HintRef, *, shown: bool = False) -> PendingRequest:
        """Put a hint into the draft, found again by its seed."""
        _refuse_hint(asked)

        async def put(now: PendingRequest) -> PendingRequest | None:
            return await self._keep(now, await self._worked(drafts.take_hint, now, hint), breaks=True, shown=shown)

        return await self._kept(asked, put)

    async def seal(self, asked: PendingRequest, version: int, *, shown: bool = False) -> PendingRequest:
        """Seal the draft; when nobody is missing the game goes on."""

        async def put(now: PendingRequest) -> PendingRequest | None:
            _refuse_changed_request(now, version)
            if now.row.status == "sealed":
                raise Refusal("already_sealed")
            return await self._keep(now, await self._worked(drafts.seal_draft, now), breaks=False, shown=shown)

        return await self._kept(asked, put)

    async def unseal(self, asked: PendingRequest, version: int) -> PendingRequest:
        """Break one's own seal, to change the draft; the caller shows it."""

        async def put(now: PendingRequest) -> PendingRequest | None:
            _refuse_changed_request(now, version)
            if now.row.status != "sealed":
                raise Refusal("not_sealed")
            return await self._keep(now, DraftResult(draft=now.row.drafted), breaks=True, shown=True)

        return await self._kept(asked, put)

    async def _kept(
        self, asked: PendingRequest, put: Callable[[PendingRequest], Awaitable[PendingRequest | None]]
    ) -> PendingRequest:
        """Put something into a draft, again if what was asked is by now not quite the same."""
        while (kept := await put(asked)) is None:
            await self._rounds.step_over(asked.row.game_id)
            user_id = asked.playing.seats[asked.row.seat].user_id
            asked = await self._reader.asked(user_id or 0, asked.row.game_id, asked.row.id)
        return kept

    async def _worked(self, job: Callable[..., DraftResult], asked: PendingRequest, *given: object) -> DraftResult:
        """Let a worker do all that a press needs, in one job; the picture is another, for which no press waits."""
        game, row = asked.playing.game, asked.row
        return await self._workers.run(job, game.system, asked.state, row.body, row.drafted, *given)

    def new_hint_seed(self) -> str:
        """Chance (hex) for a hint: of its own, as the dice of the game are nobody's to see, nor what hangs on them."""
        return self._chance()[:HINT_SEED_DIGITS]

    async def hint(self, asked: PendingRequest, hint: HintRef) -> drafts.Hint:
        """What the computer would answer in a captain's place, and one reason; found again it is the same.

        Raises `Refusal` where it counts.
        """
        _refuse_hint(asked)
        game, row = asked.playing.game, asked.row
        return await self._workers.run(drafts.compute_hint, game.system, asked.state, row.body, hint.seed, hint.stopped)

    async def suggestions(
        self, asked: PendingRequest, typed: str, look: PictureStyle, *, most: int
    ) -> list[tuple[str, str]]:
        """How orders that a captain is typing may go on: words, and the orders themselves.

        Raises `JobOutdated` if they have typed on meanwhile.
        """
        game, row = asked.playing.game, asked.row
        return await self._workers.suggest(
            drafts.suggest_continuations, game.system, asked.state, row.body, typed, look, most=most
        )

    async def _keep(
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
        row, now, answer, goes_on = asked.row, self._rounds.now(), None, False
        due: list[int] = []
        broken = breaks and row.status == "sealed"
        async with self._store.write() as tx:
            held = await tx.seats.held(row.game_id, row.seat)
            if held is None or await self._went_on_in_secret(tx, held.game, asked.playing.game.step_no):
                return None
            game = held.game
            asked, news = await self._here(tx, asked, held)
            game, row = (asked.playing.game if news else game), asked.row
            changed = await tx.requests.change(row, since=since, **_changed_columns(worked, breaks=breaks))
            if changed is None:
                raise Refusal("changed")
            if broken:
                await tx.answers.drop(row.game_id, row.id, now=now)
            if worked.answer is not None:
                _refuse_claim(asked, worked.answer, now)
                answer = await self._seal(tx, row, worked.answer, held, game)
                agreed = not row.optional and await agreement.advance_if_agreed(tx, game, now=now)
                goes_on = agreed or await self._rounds.goes_on(tx, game)
            if (broken or answer) and not goes_on:
                # Else the step that follows shows them, before what came of it.
                due += await enqueue.update_seals(tx, [row], now=now)
            at = now + PRESS_TIMEOUT_S if shown or goes_on else now
            user_id = asked.playing.seats[row.seat].user_id or 0
            if below:
                message = await enqueue.repost_panel(tx, changed, user_id, at=at, now=now)
            else:
                message = await enqueue.update_panel_after_press(tx, changed, user_id, at=at)
        if shown:
            _remember_recent(self._pressed, message.id, message.wanted)
        if goes_on:
            self._rounds.go_on(row.game_id)
        elif news or below:
            self._rounds.changed()
        else:
            for at in {*due, message.due_at}:
                self._rounds.expects(at)
        kept = answer or (None if breaks else asked.answer)
        return structs.replace(asked, row=changed, answer=kept, message=message, worked=worked, goes_on=goes_on)

    async def _seal(self, tx: Transaction, row: RequestRow, body: str, held: SeatInGame, game: Game) -> AnswerRow:
        """Store what a captain answers, and that they have given orders."""
        if not held.acted:
            await tx.captains.acted(row.game_id, {row.seat})
        return await self._rounds.steps.answer(tx, row, body, given_by="captain", game=game)

    async def _here(
        self, tx: Transaction, asked: PendingRequest, held: SeatInGame | None
    ) -> tuple[PendingRequest, bool]:
        """Count a captain as present; the game as it is then, and whether anything is new."""
        news = await seats.note_return(tx, asked.playing, held, now=self._rounds.now())
        if not news:
            return asked, False
        row = await _with_times(tx, asked.row)
        return structs.replace(asked, playing=await load_seated_game(tx, row.game_id), row=row), True

    async def _went_on_in_secret(self, tx: Transaction, game: Game, since: int) -> bool:
        """Whether steps have come since this one, all of them in secret, or one is in hand that may be.

        Raises `Refusal` if others have: the deadline.
        """
        if game.phase == "running" and game.step_no == since:
            return False
        causes = [cause for number, cause in await tx.steps.causes(game.id) if number > since]
        going_on = game.phase == "resolving" and self._rounds.is_going_on(game)
        if not (game.phase == "running" or going_on) or any(map(is_public_step, causes)):
            raise Refusal("busy")
        return True

    def overtaken(self, panel: OutboxMessage) -> bool:
        """Whether a press shows something newer in the place of a panel than what was wanted when its row was read."""
        return panel.message_id is not None and self.shown_by_press(panel)

    def shown_by_press(self, panel: OutboxMessage) -> bool:
        """Whether a press shows, anywhere, something newer of a panel than what was wanted when its row was read."""
        return self._pressed.get(panel.id, 0) > panel.wanted

    async def answered(
        self, user_id: int, game_id: int, *, channel_id: int, message_id: int, over: bool = False
    ) -> None:
        """Note a direct message that holds until its reader is asked, or writes, something else.

        What they read there before about this game goes. Once the game is `over`, the new message goes too.
        """
        now = self._rounds.now()
        async with self._store.write() as tx:
            await tx.removals.remove_passed(game_id, [user_id], now=now)
            place = {"channel_id": channel_id, "message_id": message_id}
            await tx.removals.add(game_id, user_id, due_at=now if over else None, **place)
        self._rounds.changed()

    async def found_unheard(self, game_id: int, user_id: int, *, channel_id: int, message_id: int) -> None:
        """A direct message has arrived unheard that nobody needs any more: it goes."""
        async with self._store.write() as tx:
            await tx.removals.add(
                game_id, user_id, due_at=self._rounds.now(), channel_id=channel_id, message_id=message_id
            )

    async def shown_otherwise(self, game_id: int, message_id: int) -> None:
        """A press has shown something in a message that the outbox does not know of."""
        async with self._store.write() as tx:
            await tx.messages.shown_otherwise(game_id, message_id)

    async def panel_shown(self, panel: OutboxMessage) -> None:
        """A press has shown all that a panel was to show when its row was read."""
        async with self._store.write() as tx:
            await tx.messages.change(panel.id, sent=panel.wanted, shown=None)
        self._rounds.changed()

    async def panel_seen(self, asked: PendingRequest, message_id: int) -> None:
        """A captain has seen the panel in a message; a panel that is another, or older, is brought up to date."""

        async def note(tx: Transaction) -> bool:
            if asked.message and await tx.messages.shown_by_press(asked.message, message_id):
                return True
            await tx.messages.shown_otherwise(asked.row.game_id, message_id)
            if message := await tx.messages.find(asked.row.game_id, enqueue.panel_subject(asked.row).key):
                await enqueue.renew_message(tx, message, now=self._rounds.now())
            return False

        with as_unhurried():
            up_to_date = await self._store.together(note)
        if not up_to_date:
            self._rounds.changed()


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
    if not asked.playing.practice:
        raise Refusal("no_hints")


def _refuse_claim(asked: PendingRequest, answer: str, now: int) -> None:
    """Raise `Refusal` if an answer claims the win from a side one of whose captains has announced to be away."""
    playing, row = asked.playing, asked.row
    claims = RULESETS[playing.game.system].questions[row.body.kind].claims
    if claims is None or not any(map(claims, answer.split("\n"))):
        return
    for seat in playing.seats:
        player = playing.players.get(seat.user_id or 0)
        if seat.team != playing.seats[row.seat].team and not seat.conceded and player and is_away(player, now):
            raise Refusal("claim_away", name=player.name)
