"""The table: everything that people can do with a game. Chat calls nothing else.

Each change is one transaction; what must be seen on Discord is wished for in the
same transaction and sent after it by the outbox.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from bot.doors.absence import Absence
from bot.doors.archive import Archive
from bot.doors.channels import Channels
from bot.doors.denials import Denials
from bot.doors.keepsakes import Keepsakes
from bot.doors.lobbies import Lobbies
from bot.doors.memos import Memos
from bot.doors.muting import Muting
from bot.doors.orders import Orders
from bot.doors.peace import in_peace
from bot.doors.preferences import Preferences
from bot.doors.privacy import Privacy
from bot.doors.repair import Repair
from bot.doors.servers import Servers
from bot.doors.standstill import Standstill
from bot.doors.timekeeping import Timekeeping
from bot.errors import Refusal
from bot.life import enqueue, seats
from bot.life.captains import captains_of
from bot.life.keepsakes import voiceless
from bot.life.playing import playing_of, seated
from bot.life.pulse import Pulse
from bot.life.rounds import Clock, Rounds
from bot.life.steps import Chance
from bot.store import Store
from bot.store.records import Game
from bot.telling.reader import Reader
from bot.work.showing import Stills
from bot.work.trials import Trials
from bot.work.workers import Workers
from rules.protocol import AgreeDraw, Concede


async def _nobody_waits(_game_id: int, _key: str) -> None:
    """Where nothing is sent."""


class Table:
    """All games of one bot."""

    def __init__(
        self,
        store: Store,
        workers: Workers,
        clock: Clock,
        chance: Chance,
        *,
        most_games: int = 10,
        stills: Stills | None = None,
        pulse: Pulse | None = None,
    ) -> None:
        """Without a `pulse` the clock is one that is set by hand: see `VirtualPulse`."""
        self.store = store
        self.workers = workers
        self.trials = Trials(workers)
        self.archive = Archive(store)
        self.rounds = Rounds(store, workers, clock, chance, pulse)
        self.rounds.digest_of = self.archive.digest_of
        self.reader = Reader(store, workers, self.trials, self.now, digest=Archive.digest_now, stills=stills)
        self.lobbies = Lobbies(
            store, workers, self.rounds, self.reader, trials=self.trials, chance=chance, most_games=most_games
        )
        self.orders = Orders(store, workers, self.rounds, chance, self.reader)
        self.denials = Denials(store)
        self.absence = Absence(store, self.rounds)
        self.servers = Servers(store, self.rounds)
        self.time = Timekeeping(store, self.rounds)
        self.repair = Repair(store, workers, self.rounds, self.time)
        self.preferences = Preferences(store, self.rounds)
        self.privacy = Privacy(
            store,
            self.archive,
            self.now,
            lambda: self.rounds.changed(),  # noqa: PLW0108 - it is set later
        )
        self.channels = Channels(store, self.rounds, self.time)
        self.muting = Muting(store, self.rounds, self.time)
        self.keepsakes = Keepsakes(store, workers, self.rounds)
        self.memos = Memos(store)
        self.standstill = Standstill(store, self.rounds, self.time)
        self.rounds.stuck = self.standstill.stop
        self.asked_by = workers.asked_by
        """Says who jobs are done for meanwhile."""
        self.admit = workers.admit
        """Raises `Refusal` if too many pictures are being made for the same user."""
        self.arrived: Callable[[int, str], Awaitable[None]] = _nobody_waits
        """Waits, for a while, until the message of a game by this key stands where it belongs."""

    async def announced(self, game_id: int) -> None:
        """Wait, for a while, until its channel has been told of a game."""
        await self.arrived(game_id, "lobby")

    @property
    def in_hand(self) -> Rounds:
        """Knows which games are in the middle of a step."""
        return self.rounds

    def now(self) -> int:
        """Seconds of Unix time."""
        return self.rounds.now()

    # --- the end -----------------------------------------------------------------------------------------------

    @in_peace
    async def concede(self, user_id: int, game_id: int) -> None:
        """Give up. Raises `Refusal`."""
        playing = await self.reader.playing(game_id)
        seat = seated(playing, user_id)
        if seat.conceded:
            raise Refusal("game_over")
        async with self.store.write() as tx:
            await seats.here(tx, playing, user_id, now=self.now())
        await self.rounds.act(playing, Concede(seat=seat.seat), conceded=seat)

    @in_peace
    async def offer_draw(self, user_id: int, game_id: int) -> bool:
        """Offer or accept a draw, which lapses when the game goes on; whether all now agree. Raises `Refusal`."""
        async with self.store.write() as tx:
            playing = await playing_of(tx, game_id)
            seat = seated(playing, user_id)
            await tx.seats.change(game_id, seat.seat, draw_at=playing.game.step_no)
            await seats.here(tx, playing, user_id, now=self.now())
            captains = await captains_of(tx, playing)
            voices = [other for other in playing.seats if other.user_id and not other.conceded and other != seat]
            agreed = all(other.draw_at == playing.game.step_no for other in voices)
            # A computer captain fights on: against it alone there is nobody who could agree.
            if agreed and not captains.opposed(seat.team):
                raise Refusal("nobody_agrees")
            others = [other for other in voices if other.team != seat.team]
            if agreed and (captains.unheard([seat, *voices]) or not others):
                raise voiceless(playing.game)
            if not agreed:
                await enqueue.draw_offer(tx, game_id, playing.game.step_no, now=self.now())
        self.rounds.changed()
        if agreed:
            await self.rounds.act(playing, AgreeDraw())
        return agreed

    @in_peace
    async def decline_draw(self, user_id: int, game_id: int) -> None:
        """Say no to a draw that others have offered: their offers lapse. Raises `Refusal`."""
        async with self.store.write() as tx:
            playing = await playing_of(tx, game_id)
            game, seat = playing.game, seated(playing, user_id)
            offers = [other for other in playing.seats if other.draw_at == game.step_no]
            if not offers:
                raise Refusal("lapsed")
            if seat.conceded or seat in offers:
                raise Refusal("other_side")
            for other in offers:
                await tx.seats.change(game_id, other.seat, draw_at=None)
            await seats.here(tx, playing, user_id, now=self.now())
            await enqueue.act(tx, game, "draw_declined", now=self.now(), user_id=user_id, seat=seat.seat)
            await enqueue.lapsed_offer(tx, game_id, game.step_no, now=self.now())
        self.rounds.changed()

    # --- what Discord has answered -----------------------------------------------------------------------------

    async def not_allowed(self, game: Game, permission: str) -> None:
        """Something cannot be told for lack of a permission: its host learns of each such permission once."""
        async with self.store.write() as tx:
            if await tx.games.find(game.id) is None:
                return  # it has been deleted
            await enqueue.lacking(tx, game, permission, now=self.now())
        self.rounds.changed()

    async def quarantined(self, game: Game) -> None:
        """Discord lets the bot open no new direct messages: the game's thread says so once."""
        async with self.store.write() as tx:
            await enqueue.quarantined(tx, game, now=self.now())
        self.rounds.changed()

    async def dms_closed(self, game_id: int, user_id: int) -> None:
        """Say once, in the thread, how somebody who takes no direct messages gets at their orders."""
        async with self.store.write() as tx:
            if await tx.games.find(game_id) is None:
                return  # it has been deleted
            await enqueue.closed_dms(tx, game_id, user_id, now=self.now())
        self.rounds.changed()
