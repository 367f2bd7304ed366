"""The table: everything that people can do with a game, and how a game goes on by itself.

Chat calls nothing else. Each change is one transaction; what must be seen on Discord is
wanted in the same transaction and sent after it by the outbox.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime

import msgspec
from msgspec import Struct

from bot import lobby, work
from bot.errors import Refusal
from bot.lobby import NewGame
from bot.store import Store
from bot.store.queries import Transaction
from bot.store.records import Answer, Game, Player, RequestRow, SeatRow, StepRow
from bot.workers import Workers
from rules.dice import commitment
from rules.errors import OrderError
from rules.protocol import Act, AgreeDraw, Concede
from rules.view import Text

log = logging.getLogger(__name__)

STALLED_SECONDS = 300
"""A claim older than this is taken over."""

PATIENCE_SECONDS = 20
"""How long an answer to a press may take before the outbox shows the panel in its stead."""

Clock = Callable[[], datetime]
"""Tells the time, aware and in UTC."""
Chance = Callable[[], str]
"""Gives 64 random hex digits that nobody can guess."""


class Playing(Struct, frozen=True, kw_only=True):
    """A game and who sits at it."""

    game: Game
    seats: list[SeatRow]
    players: dict[int, Player]

    def seat_of(self, user_id: int) -> SeatRow | None:
        """Find somebody's seat."""
        return next((seat for seat in self.seats if seat.user_id == user_id), None)

    @property
    def computers(self) -> tuple[int, ...]:
        """Seats played by the computer."""
        return tuple(seat.seat for seat in self.seats if seat.computer)

    def name(self, user_id: int | None, computer: str) -> str:
        """What somebody is called; `computer` names seats without a player."""
        player = self.players.get(user_id or 0)
        return player.name if player else computer

    def names(self, computer: str) -> dict[int, str]:
        """Display names by seat."""
        return {seat.seat: self.name(seat.user_id, computer) for seat in self.seats}


class Asked(Struct, frozen=True, kw_only=True):
    """What a captain is asked, with the state it is asked in."""

    playing: Playing
    row: RequestRow
    state: str
    """Secret: for workers only, which show a seat's view of it."""
    answer: Answer | None
    """What he has sealed."""


class Table:
    """All games of one bot."""

    def __init__(self, store: Store, workers: Workers, clock: Clock, chance: Chance, *, most_games: int = 10) -> None:
        self.store = store
        self.workers = workers
        self._clock = clock
        self._chance = chance
        self._most_games = most_games
        self.changed: Callable[[], None] = lambda: None
        """Called after each commit that wants messages sent or deadlines kept."""
        self._going_on: set[asyncio.Task[None]] = set()

    def now(self) -> int:
        """Seconds of Unix time."""
        return int(self._clock().timestamp())

    # --- looking -----------------------------------------------------------------------------------------------

    async def playing(self, game_id: int) -> Playing:
        """Find a game. Raises `Refusal`."""
        async with self.store.read() as tx:
            return await _playing(tx, game_id)

    async def game_of_place(self, place_id: int) -> Game | None:
        """Find the game whose thread this is."""
        async with self.store.read() as tx:
            return await tx.game_of_place(place_id)

    async def games_of(self, user_id: int, *, ended: bool = False) -> list[Game]:
        """Games of a player, newest first; open ones only unless `ended`."""
        phases = ("lobby", "running", "resolving", *(("over",) if ended else ()))
        async with self.store.read() as tx:
            return await tx.games_of(user_id, phases=phases)

    async def lobbies(self, channel_id: int) -> list[Game]:
        """Games of a channel that have not begun, newest first."""
        async with self.store.read() as tx:
            return await tx.lobbies(channel_id)

    async def state(self, game: Game) -> StepRow:
        """The last step of a game. Raises `Refusal` if it has not begun."""
        async with self.store.read() as tx:
            step = await tx.step(game.id, game.step_no)
        if step is None:
            raise Refusal("not_started")
        return step

    async def asked(self, user_id: int, game_id: int | None = None, request_id: str | None = None) -> Asked:
        """Find what a captain is asked: in one game, or in the only one that asks him. Raises `Refusal`."""
        async with self.store.read() as tx:
            if game_id is None:
                open_games = sorted({row.game_id for row in await tx.open_requests_of(user_id)})
                if not open_games:
                    raise Refusal("nothing_asked")
                if len(open_games) > 1:
                    raise Refusal("which_game", games=", ".join(f"#{number}" for number in open_games))
                (game_id,) = open_games
            playing = await _playing(tx, game_id)
            seat = playing.seat_of(user_id)
            if seat is None:
                raise Refusal("not_seated")
            _refuse_unless_running(playing.game)
            mine = [row for row in await tx.requests(game_id) if row.seat == seat.seat]
            found = [row for row in mine if request_id in (None, row.id)]
            if not found:
                raise Refusal("stale" if request_id else "nothing_asked")
            row = next((row for row in found if row.status == "open"), found[0])
            step = await tx.step(game_id, playing.game.step_no)
            answers = await tx.answers(game_id, [row.id])
        assert step is not None  # noqa: S101 - a running game has its state
        return Asked(playing=playing, row=row, state=step.state, answer=answers.get(row.id))

    # --- the lobby ---------------------------------------------------------------------------------------------

    async def create(self, host: Player, wish: NewGame) -> int:
        """Open a lobby; returns the game's number. Raises `Refusal`."""
        async with self.store.write() as tx:
            mine = await tx.games_of(host.user_id)
            if sum(game.host_id == host.user_id for game in mine) >= self._most_games:
                raise Refusal("too_many_games", most=self._most_games)
            game_id = await lobby.open_lobby(tx, host, wish, seed=self._chance(), now=self.now())
            await self._want_lobby(tx, game_id)
        self.changed()
        return game_id

    async def join(self, player: Player, game_id: int, team: int | None = None) -> None:
        """Take a seat. Raises `Refusal`."""
        async with self.store.write() as tx:
            playing = await _playing(tx, game_id)
            _refuse_unless_lobby(playing.game)
            seat = lobby.seat_for(playing.game, playing.seats, player.user_id, team)
            await tx.know(player)
            await tx.change_seat(game_id, seat.seat, user_id=player.user_id, kept_for=None)
            await self._want_lobby(tx, game_id)
        self.changed()

    async def leave(self, user_id: int, game_id: int) -> None:
        """Give a seat back before the game begins; a host who leaves calls it off. Raises `Refusal`."""
        async with self.store.write() as tx:
            playing = await _playing(tx, game_id)
            _refuse_unless_lobby(playing.game)
            seat = playing.seat_of(user_id)
            if seat is None:
                raise Refusal("not_in")
            if user_id == playing.game.host_id:
                await tx.change_game(game_id, phase="cancelled", ended_at=self.now())
            else:
                await tx.change_seat(game_id, seat.seat, user_id=None)
            await self._want_lobby(tx, game_id)
        self.changed()

    async def cancel(self, user_id: int, game_id: int) -> None:
        """Call a game off before it begins. Raises `Refusal`."""
        playing = await self.playing(game_id)
        if user_id != playing.game.host_id:
            raise Refusal("not_host")
        await self.leave(user_id, game_id)

    async def start(self, user_id: int, game_id: int) -> None:
        """Begin a game; seats that are still free go to the computer. Raises `Refusal` or `OrderError`."""
        playing = await self.playing(game_id)
        _refuse_unless_lobby(playing.game)
        if user_id != playing.game.host_id:
            raise Refusal("not_host")
        computers = tuple(seat.seat for seat in playing.seats if seat.computer or seat.free)
        done = await self.workers.run(work.begin, playing.game.setup, playing.game.seed, computers)
        async with self.store.write() as tx:
            again = await _playing(tx, game_id)
            _refuse_unless_lobby(again.game)
            if again.seats != playing.seats:
                raise Refusal("busy")
            await lobby.fill(tx, game_id, again.seats)
            await self._want_lobby(tx, game_id)
            await tx.want(game_id, "begin", kind="begin", now=self.now())
            await self._commit_step(tx, again.game, "start", done)
        self._go_on(game_id)

    # --- orders ------------------------------------------------------------------------------------------------

    async def press(self, user_id: int, game_id: int, request_id: str, version: int, token: str) -> Asked:
        """Press an option of a panel. Raises `Refusal` or `OrderError`; the draft is then as it was."""
        asked = await self.asked(user_id, game_id, request_id)
        if asked.row.version != version:
            raise Refusal("stale")
        game, row = asked.playing.game, asked.row
        draft, seals = await self.workers.run(work.press, game.system, asked.state, row.body, row.draft, token)
        asked = await self._redraft(asked, draft)
        return await self.seal(user_id, game_id, request_id, asked.row.version) if seals else asked

    async def type(self, user_id: int, text: str, game_id: int | None = None, request_id: str | None = None) -> Asked:
        """Put typed text into the draft. Raises `Refusal` or `OrderError`; the draft is then as it was."""
        asked = await self.asked(user_id, game_id, request_id)
        game, row = asked.playing.game, asked.row
        draft = await self.workers.run(work.amend, game.system, asked.state, row.body, row.draft, text)
        return await self._redraft(asked, draft)

    async def missing(self, asked: Asked) -> tuple[Text, ...]:
        """What a draft still lacks before it can be sealed."""
        game, row = asked.playing.game, asked.row
        return await self.workers.run(work.missing, game.system, asked.state, row.body, row.draft)

    async def seal(self, user_id: int, game_id: int, request_id: str, version: int) -> Asked:
        """Seal the draft; when nobody is missing the game goes on. Raises `Refusal` or `OrderError`."""
        asked = await self.asked(user_id, game_id, request_id)
        row = asked.row
        if row.version != version:
            raise Refusal("stale")
        if row.status == "sealed":
            raise Refusal("already_sealed")
        body = await self.workers.run(work.complete, asked.playing.game.system, asked.state, row.body, row.draft)
        nonce = self._chance()
        answer = Answer(
            game_id=game_id,
            request_id=row.id,
            seat=row.seat,
            body=body,
            nonce=nonce,
            commitment=commitment(body, nonce),
            given_by="captain",
            sealed_at=self.now(),
        )
        async with self.store.write() as tx:
            changed = await self._changed(tx, asked, status="sealed")
            await tx.add_answer(answer)
            await self._want_seals(tx, asked.playing.game)
        self._go_on(game_id)
        return msgspec.structs.replace(asked, row=changed, answer=answer)

    async def unseal(self, user_id: int, game_id: int, request_id: str, version: int) -> Asked:
        """Break one's own seal, to change the draft. Raises `Refusal`."""
        asked = await self.asked(user_id, game_id, request_id)
        if asked.row.version != version:
            raise Refusal("stale")
        if asked.row.status != "sealed":
            raise Refusal("not_sealed")
        return await self._redraft(asked, asked.row.draft)

    async def _redraft(self, asked: Asked, draft: str) -> Asked:
        """Store a changed draft; a seal on the old one breaks."""
        async with self.store.write() as tx:
            changed = await self._changed(tx, asked, status="open", draft=draft)
            if asked.row.status == "sealed":
                await tx.drop_answer(asked.row.game_id, asked.row.id)
                await self._want_seals(tx, asked.playing.game)
        self.changed()
        return msgspec.structs.replace(asked, row=changed, answer=None)

    async def _changed(self, tx: Transaction, asked: Asked, **columns: str) -> RequestRow:
        game = await tx.game(asked.row.game_id)
        if game is None or game.phase != "running" or game.step_no != asked.playing.game.step_no:
            raise Refusal("busy")  # the deadline has come while he wrote
        changed = await tx.change_request(asked.row, **columns)
        if changed is None:
            raise Refusal("stale")
        await self.want_panel(tx, changed, patience=PATIENCE_SECONDS)
        return changed

    # --- going on ----------------------------------------------------------------------------------------------

    def _go_on(self, game_id: int) -> None:
        """See in the background whether a game can go on; what was committed is sent meanwhile."""
        self.changed()
        task = asyncio.create_task(self._advance_logged(game_id), name=f"advance #{game_id}")
        self._going_on.add(task)
        task.add_done_callback(self._going_on.discard)

    async def _advance_logged(self, game_id: int) -> None:
        try:
            await self.advance(game_id)
        except Exception:
            # The claim stays: it is taken over when it is old, so that a fault passes or is mended by an upgrade.
            log.exception("game %d could not be resolved", game_id)

    async def settle(self) -> None:
        """Wait until no game is being resolved."""
        while self._going_on:
            await asyncio.gather(*self._going_on)

    async def advance(self, game_id: int) -> None:
        """Resolve what is due: while all have sealed or the deadline has passed, the game goes on."""
        while await self._advance_once(game_id):
            self.changed()

    async def _advance_once(self, game_id: int) -> bool:
        now = self.now()
        async with self.store.write() as tx:
            game = await tx.game(game_id)
            if game is None or game.phase != "running":
                return False
            rows = await tx.requests(game_id)
            late = game.deadline is not None and game.deadline <= now
            if not rows or not (late or all(row.status == "sealed" for row in rows)):
                return False
            playing = await _playing(tx, game_id)
            step = await tx.step(game_id, game.step_no)
            sealed = await tx.answers(game_id, [row.id for row in rows])
            claimed = await tx.claim(game, now=now)
        if claimed is None or step is None:
            return False
        texts = {key: answer.body for key, answer in sealed.items()}
        texts |= await self._unsealed_but_complete(game, step, [row for row in rows if row.id not in texts])
        done = await self.workers.run(work.advance, game.system, step.state, texts, game.seed, playing.computers)
        async with self.store.write() as tx:
            current = await tx.game(game_id)
            if current is None or current.version != claimed.version:
                return False  # somebody took the claim over
            for row in rows:
                if row.id not in sealed:
                    given = "captain" if row.id in texts else "deadline"
                    await self._add_computed(tx, game_id, row.seat, row.id, done.answers[row.id], given_by=given)
            await tx.close_requests(game_id)
            await self._close_panels(tx, rows)
            await self._commit_step(tx, claimed, "answers", done)
        return True

    async def _unsealed_but_complete(self, game: Game, step: StepRow, rows: list[RequestRow]) -> dict[str, str]:
        """Drafts that lack nothing but the seal count when the time is up."""
        found = {}
        for row in rows:
            if row.draft:
                try:
                    found[row.id] = await self.workers.run(work.complete, game.system, step.state, row.body, row.draft)
                except OrderError:
                    continue  # unfinished: the deadline's default answers
        return found

    async def concede(self, user_id: int, game_id: int) -> None:
        """Give up. Raises `Refusal`."""
        playing = await self.playing(game_id)
        seat = _seated(playing, user_id)
        if seat.conceded:
            raise Refusal("game_over")
        await self._act(playing, Concede(seat=seat.seat), conceded=seat)

    async def offer_draw(self, user_id: int, game_id: int) -> bool:
        """Offer or accept a draw, which lapses when the game goes on; whether all now agree. Raises `Refusal`."""
        async with self.store.write() as tx:
            playing = await _playing(tx, game_id)
            seat = _seated(playing, user_id)
            await tx.change_seat(game_id, seat.seat, draw_at=playing.game.step_no)
            voices = [other for other in playing.seats if other.user_id and not other.conceded and other != seat]
            agreed = all(other.draw_at == playing.game.step_no for other in voices)
            # A computer captain fights on; alone against it there is nobody who could agree.
            if agreed and not any(other.team != seat.team for other in voices):
                raise Refusal("nobody_agrees")
            if not agreed:
                await tx.want(game_id, f"draw:{playing.game.step_no}", kind="draw", ref=str(seat.seat), now=self.now())
        self.changed()
        if agreed:
            await self._act(playing, AgreeDraw())
        return agreed

    async def _act(self, playing: Playing, act: Act, conceded: SeatRow | None = None) -> None:
        async with self.store.write() as tx:
            game = await tx.game(playing.game.id)
            if game is None or game.phase != "running":
                raise Refusal("busy")
            step = await tx.step(game.id, game.step_no)
            claimed = await tx.claim(game, now=self.now())
        if claimed is None or step is None:
            raise Refusal("busy")
        done = await self.workers.run(work.act, game.system, step.state, act, game.seed, playing.computers)
        async with self.store.write() as tx:
            if conceded:
                await tx.change_seat(game.id, conceded.seat, conceded=True)
            still = {request.id for request in done.pending}
            rows = await tx.requests(game.id)
            for row in rows:
                if row.id not in still:
                    await tx.change_request(row, status="closed")
            await self._close_panels(tx, [row for row in rows if row.id not in still])
            await self._commit_step(tx, claimed, work.encode(act), done)
        self._go_on(game.id)

    async def _commit_step(self, tx: Transaction, game: Game, cause: str, done: work.Advanced) -> None:
        """Store a step with all that follows from it: new requests, the deadline, and what must be seen."""
        now, no = self.now(), game.step_no + 1
        await tx.add_step(
            StepRow(game_id=game.id, no=no, cause=cause, events=done.events, state=done.state, resolved_at=now)
        )
        over = done.result is not None
        known = {row.id for row in await tx.requests(game.id)}
        new = [request for request in done.pending if request.id not in known]
        deadline = None if over else now + game.phase_seconds if new else game.deadline
        await tx.change_game(
            game.id,
            phase="over" if over else "running",
            version=game.version + 1,
            claimed_at=None,
            step_no=no,
            deadline=deadline,
            ended_at=now if over else None,
        )
        await tx.want(game.id, f"step:{no}", kind="step", ref=str(no), now=now)
        if over:
            await tx.close_requests(game.id)
        for request in new:
            await tx.add_request(game.id, request, step_no=no, deadline=deadline)
        for key, body in done.computed.items():
            if key not in known:
                seat = next(request.seat for request in new if request.id == key)
                await self._add_computed(tx, game.id, seat, key, body, given_by="computer")
                row = await tx.request(game.id, key)
                if row:
                    await tx.change_request(row, status="sealed")
        if any(request.id not in done.computed for request in new):
            await tx.want(game.id, f"seals:{no}", kind="seals", ref=str(no), now=now)
        for request in new:
            row = await tx.request(game.id, request.id)
            if row:
                await self.want_panel(tx, row)

    async def _add_computed(
        self, tx: Transaction, game_id: int, seat: int, request_id: str, body: str, *, given_by: str
    ) -> None:
        nonce = self._chance()
        await tx.add_answer(
            Answer(
                game_id=game_id,
                request_id=request_id,
                seat=seat,
                body=body,
                nonce=nonce,
                commitment=commitment(body, nonce),
                given_by=given_by,  # type: ignore[arg-type] # one of the three, by our own callers
                sealed_at=self.now(),
            )
        )

    # --- time and restarts -------------------------------------------------------------------------------------

    async def wake(self) -> int | None:
        """Do all that is due and say when to be called next, in Unix seconds."""
        async with self.store.read() as tx:
            due = await tx.due_games(self.now())
        for game_id in due:
            await self._advance_logged(game_id)
        async with self.store.read() as tx:
            stalled = await tx.unfinished_claims(older_than=self.now())
            times = [await tx.next_deadline(), *((game.claimed_at or 0) + STALLED_SECONDS for game in stalled)]
        await self.take_over(older_than=self.now() - STALLED_SECONDS)
        return min((time for time in times if time is not None), default=None)

    async def take_over(self, *, older_than: int) -> None:
        """Free games whose resolving was broken off, and resolve them."""
        async with self.store.write() as tx:
            for game in await tx.unfinished_claims(older_than=older_than):
                log.warning("game %d: taking over a claim of %s", game.id, game.claimed_at)
                await tx.change_game(game.id, phase="running", version=game.version + 1, claimed_at=None)

    async def recover(self) -> None:
        """After a start: nobody else resolves here, so go on with every game that was left in the middle."""
        await self.take_over(older_than=self.now())
        async with self.store.read() as tx:
            running = await tx.running_games()
        for game_id in running:
            await self._advance_logged(game_id)
        self.changed()

    # --- what must be seen -------------------------------------------------------------------------------------

    async def want_panel(self, tx: Transaction, row: RequestRow, *, patience: int = 0) -> None:
        """See to it that a captain's panel shows his draft, within some seconds if whoever pressed does not show it."""
        seats = await tx.seats(row.game_id)
        user_id = next(seat.user_id for seat in seats if seat.seat == row.seat)
        if user_id is not None:
            at = self.now() + patience
            await tx.want(row.game_id, f"panel:{row.id}", kind="panel", ref=row.id, user_id=user_id, now=at)

    async def _close_panels(self, tx: Transaction, rows: list[RequestRow]) -> None:
        for row in rows:
            if await tx.message(row.game_id, f"panel:{row.id}"):
                await self.want_panel(tx, row)
        for no in sorted({row.step_no for row in rows}):
            if rows:
                await tx.want(rows[0].game_id, f"seals:{no}", kind="seals", ref=str(no), now=self.now())

    async def _want_seals(self, tx: Transaction, game: Game) -> None:
        for no in sorted({row.step_no for row in await tx.requests(game.id)}):
            await tx.want(game.id, f"seals:{no}", kind="seals", ref=str(no), now=self.now())

    async def thread_opened(self, game_id: int, thread_id: int) -> None:
        """A game has got its thread."""
        async with self.store.write() as tx:
            await tx.change_game(game_id, thread_id=thread_id)
            await self._want_lobby(tx, game_id)
        self.changed()

    async def dms_closed(self, game_id: int, user_id: int) -> None:
        """Somebody takes no direct messages: say once, in the thread, how he gets at his orders."""
        async with self.store.write() as tx:
            if await tx.message(game_id, f"dms:{user_id}") is None:
                await tx.want(game_id, f"dms:{user_id}", kind="dms", ref=str(user_id), now=self.now())
        self.changed()

    async def panel_seen(self, asked: Asked, message_id: int) -> None:
        """A captain was shown his panel in a message; if another one is his panel, that is brought up to date."""
        key = f"panel:{asked.row.id}"
        async with self.store.write() as tx:
            message = await tx.message(asked.row.game_id, key)
            if message and message.message_id == message_id:
                await tx.change_message(message.id, sent=message.wanted)
            elif message:
                await tx.change_message(message.id, due_at=self.now())
        self.changed()

    async def _want_lobby(self, tx: Transaction, game_id: int) -> None:
        await tx.want(game_id, "lobby", kind="lobby", now=self.now())


async def _playing(tx: Transaction, game_id: int) -> Playing:
    game = await tx.game(game_id)
    if game is None:
        raise Refusal("unknown_game", piece=f"#{game_id}")
    seats = await tx.seats(game_id)
    ids = [user for seat in seats for user in (seat.user_id, seat.kept_for) if user]
    return Playing(game=game, seats=seats, players=await tx.players({*ids, game.host_id}))


def _refuse_unless_lobby(game: Game) -> None:
    if game.phase in ("over", "cancelled"):
        raise Refusal("game_over")
    if game.phase != "lobby":
        raise Refusal("already_started")


def _refuse_unless_running(game: Game) -> None:
    if game.phase == "lobby":
        raise Refusal("not_started")
    if game.phase in ("over", "cancelled"):
        raise Refusal("game_over")


def _seated(playing: Playing, user_id: int) -> SeatRow:
    seat = playing.seat_of(user_id)
    if seat is None:
        raise Refusal("not_seated")
    _refuse_unless_running(playing.game)
    if playing.game.phase == "resolving":
        raise Refusal("busy")
    return seat
