"""Drafting, sealing and unsealing captains' answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple, TypeVar

from msgspec import structs

from bot.errors import Refusal
from bot.jobs import drafts
from bot.jobs.drafts import DraftResult, TypedText
from bot.jobs.values import HINT_SEED_DIGITS, Hint, HintRef, PictureStyle, SubmittedForm
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
from bot.presenters.wording import game_localizer
from bot.services.base import GameService
from bot.store import Store, retries_conflicts
from bot.store.engine.shard import CLOSED_VERSION, DraftVersion
from bot.store.models.records import AnswerRow, Game, OutboxMessage, RequestRow
from bot.store.queries.seats import SeatInGame
from bot.store.queries.transaction import Transaction
from bot.texts.style import ZERO_WIDTH_SPACE
from bot.urgency import as_unhurried
from rules.core.registry import RULESETS

PRESS_TIMEOUT_S: Final = 20
MAX_REMEMBERED: Final = 1000
K = TypeVar("K")
V = TypeVar("V")


class DraftVersionRange(NamedTuple):
    first: int  # the version of a draft since which it has only been added to
    last: int  # the draft's present version


class OrderService(GameService):
    """Takes captains' orders. Methods raise `Refusal`, or `OrderError` from the rules, and then change nothing."""

    def __init__(
        self, store: Store, workers: Workers, step_runner: StepRunner, chance: EntropySource, reader: Reader
    ) -> None:
        super().__init__(store, step_runner)
        self._reader = reader
        self._workers = workers
        self._entropy = chance
        self._version_ranges: dict[tuple[int, str, int], DraftVersionRange] = {}  # by `_draft_key`
        self._remote_versions: dict[tuple[int, str, int], int] = {}  # of drafts, as other bots report, by `_draft_key`
        self._panels_of_presses: dict[int, int] = {}  # by outbox id, the revision (`wanted`) that a press shows

    async def preview_text(self, request: PendingRequest, text: str) -> DraftResult:
        return await self._run_draft_job(drafts.type_text, request, _typed_text(request, text))

    async def press_option(
        self, request: PendingRequest, version: int, token: str, *, shown_by_caller: bool = False
    ) -> PendingRequest:
        """Press an option of a panel. The caller shows the result if `shown_by_caller`, else the outbox does.

        An option that adds is also accepted from an older panel if the draft has only been added to since. Raises
        `Refusal` or `OrderError`, and leaves the draft unchanged, like all methods below.
        """

        async def press(current: PendingRequest) -> PendingRequest | None:
            return await self._press_once(current, version, token, shown_by_caller=shown_by_caller)

        return await self._retry_on_conflict(request, press)

    async def _press_once(
        self, request: PendingRequest, version: int, token: str, *, shown_by_caller: bool
    ) -> PendingRequest | None:
        """Press an option once. Return None if a hidden step came in between."""
        row, key = request.row, _draft_key(request.row)
        version_range = self._version_ranges.get(key)
        if version_range is None or version_range.last != row.version or row.status == "sealed":
            version_range = DraftVersionRange(row.version, row.version)
        if not version_range.first <= version <= version_range.last:
            raise Refusal("changed")
        draft_result = await self._run_draft_job(drafts.press_option, request, token)
        if version != row.version and not draft_result.only_adds:
            raise Refusal("changed")
        # After a move to another ship, the old buttons would order for her what was meant for the one before.
        keeps_old_buttons = draft_result.only_adds and row.focus in ("", draft_result.draft.focus)
        since = version_range.first if keeps_old_buttons else None
        stored = await self._store_draft(
            request,
            draft_result,
            unseals=not _changes_focus_only(request, draft_result),
            shown_by_caller=shown_by_caller,
            since=since,
        )
        if stored and keeps_old_buttons:
            _remember_recent(self._version_ranges, key, DraftVersionRange(version_range.first, stored.row.version))
        return stored

    def note_draft_changed(self, draft: DraftVersion) -> None:
        """Note that another bot has changed a draft, or has reopened it after going back."""
        key = (draft.game_id, draft.request_id, draft.step_no)
        known_version = self._remote_versions.get(key, -1)
        if draft.last_version > known_version or known_version == CLOSED_VERSION:
            _remember_recent(self._remote_versions, key, draft.last_version)
            _remember_recent(self._version_ranges, key, DraftVersionRange(draft.first_version, draft.last_version))

    def is_outdated_version(self, request: PendingRequest) -> bool:
        return self._remote_versions.get(_draft_key(request.row), -1) > request.row.version

    async def type_text(
        self, request: PendingRequest, text: str, *, shown_by_caller: bool = False, below: bool = False
    ) -> PendingRequest:
        """Add typed text to the draft, or act at once where a press would.

        `below`: post the panel again below the text.
        """
        return await self._change_draft(
            drafts.type_text, request, _typed_text(request, text), shown_by_caller=shown_by_caller, below=below
        )

    async def fill_form(
        self, request: PendingRequest, filled: SubmittedForm, *, shown_by_caller: bool = False
    ) -> PendingRequest:
        return await self._change_draft(drafts.fill_form, request, filled, shown_by_caller=shown_by_caller)

    async def _change_draft(
        self,
        job: Callable[..., DraftResult],
        request: PendingRequest,
        *arguments: object,
        shown_by_caller: bool,
        below: bool = False,
    ) -> PendingRequest:
        """Run a job on a draft and store its result. If the draft has changed meanwhile, run it on the new one."""

        async def store_change(current: PendingRequest) -> PendingRequest | None:
            draft_result = await self._run_draft_job(job, current, *arguments)
            try:
                return await self._store_draft(
                    current,
                    draft_result,
                    unseals=not _changes_focus_only(current, draft_result),
                    shown_by_caller=shown_by_caller,
                    below=below,
                )
            except Refusal as refusal:
                if refusal.key != "changed":
                    raise
            # The draft has changed meanwhile, for example by a second message: apply the change to the new draft.
            return None

        return await self._retry_on_conflict(request, store_change)

    async def take_hint(
        self, request: PendingRequest, hint: HintRef, *, seals: bool = False, shown_by_caller: bool = False
    ) -> PendingRequest:
        """Put a hint, computed again from its seed, into the draft, and seal it if wanted."""
        _refuse_hint(request)
        job = drafts.take_and_seal_hint if seals else drafts.take_hint

        async def store_change(current: PendingRequest) -> PendingRequest | None:
            if seals and current.row.status == "sealed":
                raise Refusal("already_sealed")
            return await self._store_draft(
                current,
                await self._run_draft_job(job, current, hint, run=self._workers.run_hint),
                unseals=True,
                shown_by_caller=shown_by_caller,
            )

        return await self._retry_on_conflict(request, store_change)

    async def seal_draft(
        self, request: PendingRequest, version: int, *, shown_by_caller: bool = False
    ) -> PendingRequest:
        """Seal the draft. The game advances if all have sealed."""

        async def store_change(current: PendingRequest) -> PendingRequest | None:
            _refuse_changed_request(current, version)
            if current.row.status == "sealed":
                raise Refusal("already_sealed")
            return await self._store_draft(
                current,
                await self._run_draft_job(drafts.seal_draft, current),
                unseals=False,
                shown_by_caller=shown_by_caller,
            )

        return await self._retry_on_conflict(request, store_change)

    async def unseal_draft(self, request: PendingRequest, version: int) -> PendingRequest:
        async def store_change(current: PendingRequest) -> PendingRequest | None:
            _refuse_changed_request(current, version)
            if current.row.status != "sealed":
                raise Refusal("not_sealed")
            return await self._store_draft(
                current, DraftResult(draft=current.row.as_draft), unseals=True, shown_by_caller=True
            )

        return await self._retry_on_conflict(request, store_change)

    async def _retry_on_conflict(
        self, request: PendingRequest, try_once: Callable[[PendingRequest], Awaitable[PendingRequest | None]]
    ) -> PendingRequest:
        """Call `try_once` with the current request until it returns one; None means that a hidden step came between."""
        while (stored := await try_once(request)) is None:
            await self._step_runner.wait_for_step(request.row.game_id)
            user_id = request.seated_game.seats[request.row.seat].user_id
            request = await self._reader.requests.pending_request(user_id or 0, request.row.game_id, request.row.id)
        return stored

    async def _run_draft_job(
        self,
        job: Callable[..., DraftResult],
        request: PendingRequest,
        *arguments: object,
        run: Callable[..., Awaitable[DraftResult]] | None = None,
    ) -> DraftResult:
        game, row = request.seated_game.game, request.row
        run = run or self._workers.run_rules
        return await run(job, game.system, request.state, row.body, row.as_draft, *arguments)

    def new_hint_seed(self) -> str:
        """Return a random seed (hex) for a hint, independent of the game's secret dice."""
        return self._entropy()[:HINT_SEED_DIGITS]

    async def compute_hint(self, request: PendingRequest, hint: HintRef) -> Hint:
        """Return the computer's answer and one reason, reproducible by the seed. Raises `Refusal` in rated games."""
        _refuse_hint(request)
        game, row = request.seated_game.game, request.row
        return await self._workers.run_hint(
            drafts.compute_hint, game.system, request.state, row.body, hint.seed, hint.stopped_after
        )

    async def suggest_orders(
        self, request: PendingRequest, typed: str, style: PictureStyle, *, most: int
    ) -> list[tuple[str, str]]:
        """Return continuations of typed orders, as (label, orders). Raises `JobOutdated` if more has been typed."""
        game, row = request.seated_game.game, request.row
        return await self._workers.run_suggestion(
            drafts.suggest_continuations, game.system, request.state, row.body, typed, style, most=most
        )

    @retries_conflicts
    async def _store_draft(
        self,
        request: PendingRequest,
        draft_result: DraftResult,
        *,
        unseals: bool,
        shown_by_caller: bool,
        below: bool = False,
        since: int | None = None,
    ) -> PendingRequest | None:
        """Store a changed draft and its seal in one transaction.

        Return None if a hidden step came in between: the caller must repeat the work, because a refusal would reveal
        the step. The outbox shows the panel at once. If it is `shown_by_caller`, the outbox does so only when the
        caller takes too long. `below`: post the panel again. `since`: the version since which the draft was only added
        to.
        """
        row, now = request.row, self.now()
        answer: AnswerRow | None = None
        advances = False
        due_times: list[int] = []
        breaks_seal = unseals and row.status == "sealed"
        async with self._store.write() as tx:
            seat_in_game = await tx.seats.seat_in_game(row.game_id, row.seat)
            if seat_in_game is None or await self._has_secret_steps_since(
                tx, seat_in_game.game, request.seated_game.game.step_no
            ):
                return None
            game = seat_in_game.game
            request, has_returned = await self._note_presence(tx, request, seat_in_game)
            game, row = (request.seated_game.game if has_returned else game), request.row
            changed = await tx.requests.change(row, since=since, **_changed_columns(draft_result, unseals=unseals))
            if changed is None:
                raise Refusal("changed")
            if breaks_seal:
                await tx.answers.break_seal(row.game_id, row.id, now=now)
            if draft_result.answer is not None:
                _refuse_claim(request, draft_result.answer, now)
                answer = await self._store_seal(tx, row, draft_result.answer, seat_in_game, game)
                is_agreed = not row.optional and await agreement.advance_if_agreed(tx, game, now=now)
                advances = is_agreed or await self._step_runner.can_advance(tx, game)
            if (breaks_seal or answer) and not advances:
                # Otherwise the next step shows them.
                due_times += await enqueue.update_seals(tx, [row], now=now)
            show_at = now + PRESS_TIMEOUT_S if shown_by_caller or advances else now
            user_id = request.seated_game.seats[row.seat].user_id or 0
            if below:
                message = await enqueue.repost_panel(tx, changed, user_id, at=show_at, now=now)
            else:
                message = await enqueue.update_panel_after_press(tx, changed, user_id, at=show_at)
        if shown_by_caller:
            _remember_recent(self._panels_of_presses, message.id, message.wanted)
        if advances:
            self._step_runner.start_advancing(row.game_id)
        elif has_returned or below:
            self._note_change()
        else:
            for due_at in {*due_times, message.due_at}:
                self._step_runner.listener.note_due_message(due_at)
        stored_answer = answer or (None if unseals else request.answer)
        return structs.replace(
            request,
            row=changed,
            answer=stored_answer,
            panel_message=message,
            draft_result=draft_result,
            advances_game=advances,
        )

    async def _store_seal(
        self, tx: Transaction, row: RequestRow, body: str, seat_in_game: SeatInGame, game: Game
    ) -> AnswerRow:
        if not seat_in_game.has_ordered:
            await tx.captaincies.note_orders(row.game_id, {row.seat})
        return await self._step_runner.step_store.store_answer(tx, row, body, given_by="captain", game=game)

    async def _note_presence(
        self, tx: Transaction, request: PendingRequest, seat_in_game: SeatInGame | None
    ) -> tuple[PendingRequest, bool]:
        """Note that a captain who was absent is back. Return the request as it is then, and whether they were."""
        has_returned = await seats.note_return(tx, request.seated_game, seat_in_game, now=self.now())
        if not has_returned:
            return request, False
        row = await _with_times(tx, request.row)
        return structs.replace(request, seated_game=await load_seated_game(tx, row.game_id), row=row), True

    async def _has_secret_steps_since(self, tx: Transaction, game: Game, since: int) -> bool:
        """Return whether all steps since are hidden, or one that may be is running. Raises `Refusal` otherwise."""
        if game.phase == "running" and game.step_no == since:
            return False
        causes = [cause for number, cause in await tx.steps.causes_of_game(game.id) if number > since]
        is_step_running = game.phase == "resolving" and self._step_runner.is_busy(game)
        may_be_hidden = game.phase == "running" or is_step_running
        if not may_be_hidden or any(is_public_step(cause) for cause in causes):
            raise Refusal("busy")
        return True

    def is_panel_overtaken(self, panel: OutboxMessage) -> bool:
        return panel.message_id is not None and self.is_shown_by_press(panel)

    def is_shown_by_press(self, panel: OutboxMessage) -> bool:
        """Return whether a press shows newer content of the panel, in any message, than its row requests."""
        return self._panels_of_presses.get(panel.id, 0) > panel.wanted

    async def note_direct_reply(
        self, user_id: int, game_id: int, *, channel_id: int, message_id: int, over: bool = False
    ) -> None:
        """Delete earlier notices of the game in direct messages, and note a new one to be deleted next.

        If the game is `over`, the new one is deleted soon, too.
        """
        now = self.now()
        async with self._store.write() as tx:
            await tx.removals.make_due(game_id, [user_id], now=now)
            place = {"channel_id": channel_id, "message_id": message_id}
            await tx.removals.add(game_id, user_id, due_at=now if over else None, **place)
        self._note_change()

    async def delete_direct_message(self, game_id: int, user_id: int, *, channel_id: int, message_id: int) -> None:
        async with self._store.write() as tx:
            await tx.removals.add(game_id, user_id, due_at=self.now(), channel_id=channel_id, message_id=message_id)

    async def forget_shown(self, game_id: int, message_id: int) -> None:
        async with self._store.write() as tx:
            await tx.messages.forget_shown(game_id, message_id)

    async def note_panel_shown(self, panel: OutboxMessage) -> None:
        async with self._store.write() as tx:
            await tx.messages.change(panel.id, sent=panel.wanted, shown=None)
        self._note_change()

    async def note_panel_seen(self, request: PendingRequest, message_id: int) -> None:
        """Note which message shows a captain's panel; update the panel if it is elsewhere or outdated."""

        async def note(tx: Transaction) -> bool:
            if request.panel_message and await tx.messages.note_shown_by_press(request.panel_message, message_id):
                return True
            await tx.messages.forget_shown(request.row.game_id, message_id)
            if message := await tx.messages.find(request.row.game_id, enqueue.panel_subject(request.row).key):
                await tx.messages.renew_all([message], now=self.now())
            return False

        with as_unhurried():
            up_to_date = await self._store.write_shared(note)
        if not up_to_date:
            self._note_change()


def _typed_text(request: PendingRequest, text: str) -> TypedText:
    return TypedText(text.replace(ZERO_WIDTH_SPACE, ""), dict(game_localizer(request.seated_game).names))


def _draft_key(row: RequestRow) -> tuple[int, str, int]:
    return row.game_id, row.id, row.step_no


async def _with_times(tx: Transaction, row: RequestRow) -> RequestRow:
    """Return a request with its present deadline; a captain's return has moved it."""
    current = await tx.requests.find(row.game_id, row.id) or row
    return structs.replace(row, deadline=current.deadline, asked_at=current.asked_at)


def _remember_recent(recent: dict[K, V], key: K, value: V) -> None:
    """Store `key` as the newest in `recent`, and delete its oldest beyond `MAX_REMEMBERED`."""
    recent.pop(key, None)
    recent[key] = value
    if len(recent) > MAX_REMEMBERED:
        oldest = next(iter(recent))
        del recent[oldest]


def _changed_columns(draft_result: DraftResult, *, unseals: bool) -> dict[str, str | bool]:
    """Return the columns of a request that a changed draft sets. `unseals`: a seal is broken, if there was one."""
    columns: dict[str, str | bool] = {"draft": draft_result.draft.text, "focus": draft_result.draft.focus}
    if unseals:
        columns |= {"status": "open", "inherited": False}
    if draft_result.answer is not None:
        columns["status"] = "sealed"
    return columns


def _changes_focus_only(request: PendingRequest, draft_result: DraftResult) -> bool:
    return draft_result.answer is None and draft_result.draft.text == request.row.draft


def _refuse_changed_request(request: PendingRequest, version: int) -> None:
    if request.row.version != version:
        raise Refusal("changed")


def _refuse_hint(request: PendingRequest) -> None:
    if not request.seated_game.is_practice:
        raise Refusal("no_hints")


def _refuse_claim(request: PendingRequest, answer: str, now: int) -> None:
    """Raise `Refusal` if the answer claims a win from a side whose captain is away by notice."""
    seated_game, row = request.seated_game, request.row
    is_claim = RULESETS[seated_game.game.system].questions[row.body.kind].is_claim
    if is_claim is None or not any(is_claim(line) for line in answer.split("\n")):
        return
    own_team = seated_game.seats[row.seat].team
    for seat in seated_game.seats:
        player = seated_game.players.get(seat.user_id or 0)
        is_opponent = seat.team != own_team and not seat.conceded
        if is_opponent and player and is_away(player, now):
            raise Refusal("claim_away", name=player.name)
