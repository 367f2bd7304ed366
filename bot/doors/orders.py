"""A captain's orders: what he is asked, what he drafts, what he seals."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct, structs

from bot.errors import Refusal
from bot.life import agreement, enqueue, seats
from bot.life.playing import Playing, playing_of, refuse_left_out, refuse_unless_running
from bot.life.rounds import Rounds
from bot.life.steps import Chance
from bot.store import Store
from bot.store.queries import Transaction
from bot.store.records import Answer, Message, RequestRow
from bot.work import drafts, showing
from bot.work.workers import Workers
from rules.protocol import Draft
from rules.view import Text

WHIMS: Final = 32
"""Hexadecimal digits of a hint's whims: a button has room for them, whatever game and request it names."""
PATIENCE_SECONDS: Final = 20
"""How long an answer to a press may take before the outbox shows the panel in its stead."""


class Asked(Struct, frozen=True, kw_only=True):
    """What a captain is asked, with the state it is asked in."""

    playing: Playing
    row: RequestRow
    state: str
    """Secret: for workers only, which show a seat's view of it."""
    answer: Answer | None
    """What he has sealed."""


class Orders:
    """Takes captains' orders, in all games of one bot."""

    def __init__(self, store: Store, workers: Workers, rounds: Rounds, chance: Chance) -> None:
        self._store = store
        self._workers = workers
        self._rounds = rounds
        self._chance = chance

    async def asked(self, user_id: int, game_id: int | None = None, request_id: str | None = None) -> Asked:
        """Find what a captain is asked: in one game, or in the only one that asks him. Raises `Refusal`."""
        async with self._store.read() as tx:
            if game_id is None:
                open_games = sorted({row.game_id for row in await tx.open_requests_of(user_id)})
                if not open_games:
                    raise Refusal("nothing_asked")
                if len(open_games) > 1:
                    raise Refusal("which_game", games=", ".join(f"#{number}" for number in open_games))
                (game_id,) = open_games
            playing = await playing_of(tx, game_id)
            seat = playing.seat_of(user_id)
            if seat is None:
                raise Refusal("not_seated")
            refuse_unless_running(playing.game)
            refuse_left_out(playing.game)
            mine = [row for row in await tx.requests(game_id) if row.seat == seat.seat]
            found = [row for row in mine if request_id in (None, row.id)]
            if not found:
                raise Refusal("stale" if request_id else "nothing_asked")
            # What the game waits for comes before what he may do besides, and what is open before what is sealed.
            row = min(found, key=lambda row: (row.optional, row.status != "open"))
            step = await tx.step(game_id, playing.game.step_no)
            answers = await tx.answers(game_id, [row.id])
        assert step is not None  # noqa: S101 - a running game has its state
        return Asked(playing=playing, row=row, state=step.state, answer=answers.get(row.id))

    async def press(self, user_id: int, game_id: int, request_id: str, version: int, token: str) -> Asked:
        """Press an option of a panel. Raises `Refusal` or `OrderError`; the draft is then as it was."""
        asked = await self.asked(user_id, game_id, request_id)
        if asked.row.version != version:
            raise Refusal("stale")
        game, row = asked.playing.game, asked.row
        draft, seals = await self._workers.run(drafts.press, game.system, asked.state, row.body, row.drafted, token)
        if draft.text == row.draft and not seals:
            return await self._refocus(asked, draft.focus)
        asked = await self._redraft(asked, draft)
        return await self.seal(user_id, game_id, request_id, asked.row.version) if seals else asked

    async def type(self, user_id: int, text: str, game_id: int | None = None, request_id: str | None = None) -> Asked:
        """Put typed text into the draft; where a press acts at once, what is typed whole does so too.

        Raises `Refusal` or `OrderError`; the draft is then as it was.
        """
        asked = await self._amended(user_id, text, game_id, request_id)
        game, row = asked.playing.game, asked.row
        if not row.body.sealed and await self._workers.run(
            drafts.acts, game.system, asked.state, row.body, row.drafted
        ):
            return await self.seal(user_id, game.id, row.id, row.version)
        return asked

    async def _amended(self, user_id: int, text: str, game_id: int | None, request_id: str | None) -> Asked:
        while True:
            asked = await self.asked(user_id, game_id, request_id)
            game, row = asked.playing.game, asked.row
            draft = await self._workers.run(drafts.amend, game.system, asked.state, row.body, row.drafted, text)
            try:
                return await self._redraft(asked, draft)
            except Refusal as refused:
                if refused.key != "stale":
                    raise
                # The draft has changed meanwhile, as when two messages come together: the text goes into that one.

    async def missing(self, asked: Asked) -> tuple[Text, ...]:
        """What a draft still lacks before it can be sealed."""
        game, row = asked.playing.game, asked.row
        return await self._workers.run(drafts.missing, game.system, asked.state, row.body, row.drafted)

    def whims(self) -> str:
        """Chance (hex) for a hint: of its own, as the dice of the game are nobody's to see, nor what hangs on them."""
        return self._chance()[:WHIMS]

    async def hint(self, asked: Asked, whims: str) -> drafts.Hint:
        """What the computer would answer in a captain's place, and one reason; for the same whims always the same.

        Raises `Refusal` where it counts.
        """
        if not asked.playing.practice:
            raise Refusal("no_hints")
        if not re.fullmatch(rf"[0-9a-f]{{{WHIMS}}}", whims):
            raise Refusal("stale")
        game, row = asked.playing.game, asked.row
        return await self._workers.run(drafts.hint, game.system, asked.state, row.body, whims)

    async def suggestions(self, asked: Asked, typed: str, look: showing.Look, *, most: int) -> list[tuple[str, str]]:
        """How orders that a captain is typing may go on: words, and the orders themselves."""
        game, row = asked.playing.game, asked.row
        return await self._workers.run(drafts.suggest, game.system, asked.state, row.body, typed, look, most=most)

    async def seal(self, user_id: int, game_id: int, request_id: str, version: int) -> Asked:
        """Seal the draft; when nobody is missing the game goes on. Raises `Refusal` or `OrderError`."""
        asked = await self.asked(user_id, game_id, request_id)
        row = asked.row
        if row.version != version:
            raise Refusal("stale")
        if row.status == "sealed":
            raise Refusal("already_sealed")
        body = await self._workers.run(drafts.complete, asked.playing.game.system, asked.state, row.body, row.draft)
        async with self._store.write() as tx:
            changed = await self._changed(tx, asked, status="sealed")
            answer = await self._rounds.steps.answer(tx, row, body, given_by="captain")
            goes_on = not row.optional and await agreement.go_on(tx, game_id, now=self._rounds.now())
            if not goes_on and not await self._rounds.goes_on(tx, game_id):
                # Else the step that follows shows them, before what came of it.
                await enqueue.changed_seals(tx, [asked.row], now=self._rounds.now())
        self._rounds.go_on(game_id)
        return structs.replace(asked, row=changed, answer=answer)

    async def unseal(self, user_id: int, game_id: int, request_id: str, version: int) -> Asked:
        """Break one's own seal, to change the draft. Raises `Refusal`."""
        asked = await self.asked(user_id, game_id, request_id)
        if asked.row.version != version:
            raise Refusal("stale")
        if asked.row.status != "sealed":
            raise Refusal("not_sealed")
        return await self._redraft(asked, asked.row.drafted)

    async def _refocus(self, asked: Asked, focus: str) -> Asked:
        """Look at something else; a seal holds, as nothing of the draft has changed."""
        async with self._store.write() as tx:
            changed = await self._changed(tx, asked, focus=focus)
        self._rounds.changed()
        return structs.replace(asked, row=changed)

    async def _redraft(self, asked: Asked, draft: Draft) -> Asked:
        """Store a changed draft; a seal on the old one breaks."""
        async with self._store.write() as tx:
            changed = await self._changed(
                tx, asked, status="open", draft=draft.text, focus=draft.focus, inherited=False
            )
            if asked.row.status == "sealed":
                await tx.drop_answer(asked.row.game_id, asked.row.id, now=self._rounds.now())
                await enqueue.changed_seals(tx, [asked.row], now=self._rounds.now())
        self._rounds.changed()
        return structs.replace(asked, row=changed, answer=None)

    async def _changed(self, tx: Transaction, asked: Asked, **columns: str | bool) -> RequestRow:
        game = await tx.game(asked.row.game_id)
        if game is None or game.phase != "running" or game.step_no != asked.playing.game.step_no:
            raise Refusal("busy")  # the deadline has come while he wrote
        await seats.come_back(tx, asked.playing, asked.row.seat, now=self._rounds.now())
        changed = await tx.change_request(asked.row, **columns)
        if changed is None:
            raise Refusal("stale")
        await enqueue.panel(tx, changed, at=self._rounds.now() + PATIENCE_SECONDS)
        return changed

    async def shown_otherwise(self, game_id: int, message_id: int) -> None:
        """A press has shown something in a message that the outbox does not know of."""
        async with self._store.write() as tx:
            await tx.shown_otherwise(game_id, message_id)

    async def panel_shown(self, panel: Message) -> None:
        """A press has shown all that a panel was to show when its row was read."""
        async with self._store.write() as tx:
            await tx.change_message(panel.id, sent=panel.wanted, shown=None)
        self._rounds.changed()

    async def panel_seen(self, asked: Asked, message_id: int) -> None:
        """A captain was shown his panel in a message; a panel that is another, or older, is brought up to date."""
        async with self._store.write() as tx:
            message = await tx.message(asked.row.game_id, enqueue.panel_key(asked.row))
            row = await tx.request(asked.row.game_id, asked.row.id)
            if message and row:
                await tx.shown_otherwise(asked.row.game_id, message_id)
                if message.message_id == message_id and row.version == asked.row.version:
                    await tx.change_message(message.id, sent=message.wanted)
                else:
                    await enqueue.renewed(tx, message, now=self._rounds.now())
        self._rounds.changed()
