"""Drafting, sealing and unsealing captains' answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple, TypeVar

from msgspec import structs

from bot.errors import Refusal
from bot.jobs import drafts
from bot.jobs.drafts import DraftResult
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
from bot.services.base import GameService
from bot.store import Store
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
    first: int
    last: int


class OrderService(GameService):
    """Takes captains' orders. Methods raise `Refusal`, or `OrderError` from the rules, and then change nothing."""

    def __init__(
        self, store: Store, workers: Workers, step_runner: StepRunner, chance: EntropySource, reader: Reader
    ) -> None:
        super().__init__(store, step_runner)
        self._reader = reader
        self._workers = workers
        self._entropy = chance
        self._version_ranges: dict[tuple[int, str, int], DraftVersionRange] = {}
        self._remote_versions: dict[tuple[int, str, int], int] = {}
        self._panels_of_presses: dict[int, int] = {}

    async def preview_text(self, request: PendingRequest, text: str) -> DraftResult:
        return await self._run_draft_job(drafts.type_text, request, text.replace(ZERO_WIDTH_SPACE, ""))

    async def press_option(
        self, request: PendingRequest, version: int, token: str, *, shown_by_caller: bool = False
    ) -> PendingRequest:
        """Press an option of a panel. The caller shows the result if `shown_by_caller`, else the outbox does.

        An option that adds is also accepted from an older panel if the draft has only been added to since. Raises
        `Refusal` or `OrderError`, and leaves the draft unchanged, like all methods below.
        """
        return await self._retry_on_conflict(
            request, lambda now: self._press_once(now, version, token, shown_by_caller=shown_by_caller)
        )

    async def _press_once(
        self, request: PendingRequest, version: int, token: str, *, shown_by_caller: bool
    ) -> PendingRequest | None:
        row, key = request.row, _draft_key(request.row)
        version_range = self._version_ranges.get(key)
        if version_range is None or version_range.last != row.version or row.status == "sealed":
            version_range = DraftVersionRange(row.version, row.version)
        if not version_range.first <= version <= version_range.last:
            raise Refusal("changed")
        draft_result = await self._run_draft_job(drafts.press_option, request, token)
        if version != row.version and not draft_result.only_adds:
            raise Refusal("changed")
        since = version_range.first if draft_result.only_adds else None
        stored = await self._store_draft(
            request,
            draft_result,
            breaks=not _changes_focus_only(request, draft_result),
            shown_by_caller=shown_by_caller,
            since=since,
        )
        if stored and draft_result.only_adds:
            _remember_recent(self._version_ranges, key, DraftVersionRange(version_range.first, stored.row.version))
        return stored

    def note_draft_changed(self, draft: DraftVersion) -> None:
        """Note that another bot has changed a draft, or has reopened it after going back."""
        key = (draft.game_id, draft.request_id, draft.step_no)
        known = self._remote_versions.get(key, -1)
        if draft.last_version > known or known == CLOSED_VERSION:
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
            drafts.type_text, request, text.replace(ZERO_WIDTH_SPACE, ""), shown_by_caller=shown_by_caller, below=below
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
        async def put(now: PendingRequest) -> PendingRequest | None:
            draft_result = await self._run_draft_job(job, now, *arguments)
            try:
                return await self._store_draft(
                    now,
                    draft_result,
                    breaks=not _changes_focus_only(now, draft_result),
                    shown_by_caller=shown_by_caller,
                    below=below,
                )
            except Refusal as refusal:
                if refusal.key != "changed":
                    raise
            # The draft has changed meanwhile, for example by a second message: apply the change to the new draft.
            return None

        return await self._retry_on_conflict(request, put)

    async def take_hint(
        self, request: PendingRequest, hint: HintRef, *, shown_by_caller: bool = False
    ) -> PendingRequest:
        """Put a hint, computed again from its seed, into the draft."""
        _refuse_hint(request)

        async def put(now: PendingRequest) -> PendingRequest | None:
            return await self._store_draft(
                now,
                await self._run_draft_job(drafts.take_hint, now, hint),
                breaks=True,
                shown_by_caller=shown_by_caller,
            )

        return await self._retry_on_conflict(request, put)

    async def seal_draft(
        self, request: PendingRequest, version: int, *, shown_by_caller: bool = False
    ) -> PendingRequest:
        """Seal the draft. The game advances if all have sealed."""

        async def put(now: PendingRequest) -> PendingRequest | None:
            _refuse_changed_request(now, version)
            if now.row.status == "sealed":
                raise Refusal("already_sealed")
            return await self._store_draft(
                now, await self._run_draft_job(drafts.seal_draft, now), breaks=False, shown_by_caller=shown_by_caller
            )

        return await self._retry_on_conflict(request, put)

    async def unseal_draft(self, request: PendingRequest, version: int) -> PendingRequest:
        async def put(now: PendingRequest) -> PendingRequest | None:
            _refuse_changed_request(now, version)
            if now.row.status != "sealed":
                raise Refusal("not_sealed")
            return await self._store_draft(now, DraftResult(draft=now.row.as_draft), breaks=True, shown_by_caller=True)

        return await self._retry_on_conflict(request, put)

    async def _retry_on_conflict(
        self, request: PendingRequest, put: Callable[[PendingRequest], Awaitable[PendingRequest | None]]
    ) -> PendingRequest:
        while (stored := await put(request)) is None:
            await self._step_runner.wait_for_step(request.row.game_id)
            user_id = request.seated_game.seats[request.row.seat].user_id
            request = await self._reader.requests.pending_request(user_id or 0, request.row.game_id, request.row.id)
        return stored

    async def _run_draft_job(
        self, job: Callable[..., DraftResult], request: PendingRequest, *arguments: object
    ) -> DraftResult:
        game, row = request.seated_game.game, request.row
        return await self._workers.run_rules(job, game.system, request.state, row.body, row.as_draft, *arguments)

    def new_hint_seed(self) -> str:
        """Return a random seed (hex) for a hint, independent of the game's secret dice."""
        return self._entropy()[:HINT_SEED_DIGITS]

    async def compute_hint(self, request: PendingRequest, hint: HintRef) -> Hint:
        """Return the computer's answer and one reason, reproducible by the seed. Raises `Refusal` in rated games."""
        _refuse_hint(request)
        game, row = request.seated_game.game, request.row
        return await self._workers.run_rules(
            drafts.compute_hint, game.system, request.state, row.body, hint.seed, hint.stopped_after
        )

    async def suggest_orders(
        self, request: PendingRequest, typed: str, look: PictureStyle, *, most: int
    ) -> list[tuple[str, str]]:
        """Return continuations of typed orders, as (label, orders). Raises `JobOutdated` if more has been typed."""
        game, row = request.seated_game.game, request.row
        return await self._workers.run_suggestion(
            drafts.suggest_continuations, game.system, request.state, row.body, typed, look, most=most
        )

    async def _store_draft(
        self,
        request: PendingRequest,
        draft_result: DraftResult,
        *,
        breaks: bool,
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
        row, now, answer, advances = request.row, self.now(), None, False
        due: list[int] = []
        broken = breaks and row.status == "sealed"
        async with self._store.write() as tx:
            seat_in_game = await tx.seats.seat_in_game(row.game_id, row.seat)
            if seat_in_game is None or await self._has_secret_steps_since(
                tx, seat_in_game.game, request.seated_game.game.step_no
            ):
                return None
            game = seat_in_game.game
            request, has_returned = await self._note_presence(tx, request, seat_in_game)
            game, row = (request.seated_game.game if has_returned else game), request.row
            changed = await tx.requests.change(row, since=since, **_changed_columns(draft_result, breaks=breaks))
            if changed is None:
                raise Refusal("changed")
            if broken:
                await tx.answers.break_seal(row.game_id, row.id, now=now)
            if draft_result.answer is not None:
                _refuse_claim(request, draft_result.answer, now)
                answer = await self._store_seal(tx, row, draft_result.answer, seat_in_game, game)
                agreed = not row.optional and await agreement.advance_if_agreed(tx, game, now=now)
                advances = agreed or await self._step_runner.can_advance(tx, game)
            if (broken or answer) and not advances:
                # Otherwise the next step shows them.
                due += await enqueue.update_seals(tx, [row], now=now)
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
            for show_at in {*due, message.due_at}:
                self._step_runner.listener.note_due_message(show_at)
        stored_answer = answer or (None if breaks else request.answer)
        return structs.replace(
            request,
            row=changed,
            answer=stored_answer,
            panel_message=message,
            draft_result=draft_result,
            advances_game=advances,
        )

    async def _store_seal(self, tx: Transaction, row: RequestRow, body: str, held: SeatInGame, game: Game) -> AnswerRow:
        if not held.has_ordered:
            await tx.captaincies.note_orders(row.game_id, {row.seat})
        return await self._step_runner.step_store.store_answer(tx, row, body, given_by="captain", game=game)

    async def _note_presence(
        self, tx: Transaction, request: PendingRequest, held: SeatInGame | None
    ) -> tuple[PendingRequest, bool]:
        has_returned = await seats.note_return(tx, request.seated_game, held, now=self.now())
        if not has_returned:
            return request, False
        row = await _with_times(tx, request.row)
        return structs.replace(request, seated_game=await load_seated_game(tx, row.game_id), row=row), True

    async def _has_secret_steps_since(self, tx: Transaction, game: Game, since: int) -> bool:
        """Return whether all steps since are hidden, or one that may be is running. Raises `Refusal` otherwise."""
        if game.phase == "running" and game.step_no == since:
            return False
        causes = [cause for number, cause in await tx.steps.causes_of_game(game.id) if number > since]
        going_on = game.phase == "resolving" and self._step_runner.is_busy(game)
        if not (game.phase == "running" or going_on) or any(map(is_public_step, causes)):
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

    async def delete_unheard(self, game_id: int, user_id: int, *, channel_id: int, message_id: int) -> None:
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


def _draft_key(row: RequestRow) -> tuple[int, str, int]:
    return row.game_id, row.id, row.step_no


async def _with_times(tx: Transaction, row: RequestRow) -> RequestRow:
    now = await tx.requests.find(row.game_id, row.id) or row
    return structs.replace(row, deadline=now.deadline, asked_at=now.asked_at)


def _remember_recent(recent: dict[K, V], key: K, value: V) -> None:
    recent.pop(key, None)
    recent[key] = value
    if len(recent) > MAX_REMEMBERED:
        del recent[next(iter(recent))]


def _changed_columns(draft_result: DraftResult, *, breaks: bool) -> dict[str, str | bool]:
    draft: dict[str, str | bool] = {"draft": draft_result.draft.text, "focus": draft_result.draft.focus}
    opened: dict[str, str | bool] = {"status": "open", "inherited": False} if breaks else {}
    return {**draft, **opened, **({} if draft_result.answer is None else {"status": "sealed"})}


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
    claims = RULESETS[seated_game.game.system].questions[row.body.kind].is_claim
    if claims is None or not any(map(claims, answer.split("\n"))):
        return
    for seat in seated_game.seats:
        player = seated_game.players.get(seat.user_id or 0)
        if seat.team != seated_game.seats[row.seat].team and not seat.conceded and player and is_away(player, now):
            raise Refusal("claim_away", name=player.name)
