"""The table: everything that people can do with a game. Chat calls nothing else.

Each change is one transaction; what must be seen on Discord is wished for in the
same transaction and sent after it by the outbox.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from bot.doors.absence import AbsenceService
from bot.doors.archive import ArchiveService
from bot.doors.channels import ChannelService
from bot.doors.denials import DenialCache
from bot.doors.keepsakes import KeepsakeService
from bot.doors.lobbies import LobbyService
from bot.doors.memos import MemoService
from bot.doors.muting import MutedGameService
from bot.doors.orders import OrderService
from bot.doors.peace import between_steps
from bot.doors.preferences import PreferenceService
from bot.doors.privacy import PrivacyService
from bot.doors.repair import RepairService
from bot.doors.servers import ServerService
from bot.doors.standstill import StandstillService
from bot.doors.timekeeping import Timekeeping
from bot.errors import Refusal
from bot.life import enqueue, seats
from bot.life.captains import captains_of
from bot.life.keepsakes import voiceless_refusal
from bot.life.playing import load_seated_game, require_active_seat
from bot.life.pulse import Pulse
from bot.life.rounds import Clock, StepRunner
from bot.life.steps import EntropySource
from bot.store import Store
from bot.store.records import Game
from bot.telling.reader import Reader
from bot.work.showing import StillSettings
from bot.work.trials import SetupTrials
from bot.work.workers import Workers
from rules.protocol import AgreeDraw, Concede


async def _do_not_wait(_game_id: int, _key: str) -> None:
    """Where nothing is sent."""


class Services:
    """All games of one bot."""

    def __init__(
        self,
        store: Store,
        workers: Workers,
        clock: Clock,
        chance: EntropySource,
        *,
        most_games: int = 10,
        stills: StillSettings | None = None,
        pulse: Pulse | None = None,
    ) -> None:
        """Without a `pulse` the clock is one that is set by hand: see `VirtualPulse`."""
        self.store = store
        self.workers = workers
        self.trials = SetupTrials(workers)
        self.archive = ArchiveService(store)
        self.rounds = StepRunner(store, workers, clock, chance, pulse)
        self.rounds.digest_of = self.archive.digest_of
        self.reader = Reader(store, workers, self.trials, self.now, digest=ArchiveService.digest_now, stills=stills)
        self.lobbies = LobbyService(
            store, workers, self.rounds, self.reader, trials=self.trials, chance=chance, most_games=most_games
        )
        self.orders = OrderService(store, workers, self.rounds, chance, self.reader)
        self.denials = DenialCache(store)
        self.absence = AbsenceService(store, self.rounds)
        self.servers = ServerService(store, self.rounds)
        self.time = Timekeeping(store, self.rounds)
        self.repair = RepairService(store, workers, self.rounds, self.time)
        self.preferences = PreferenceService(store, self.rounds)
        self.privacy = PrivacyService(
            store,
            self.archive,
            self.now,
            lambda: self.rounds.changed(),  # noqa: PLW0108 - it is set later
        )
        self.channels = ChannelService(store, self.rounds, self.time)
        self.muting = MutedGameService(store, self.rounds, self.time)
        self.keepsakes = KeepsakeService(store, workers, self.rounds)
        self.memos = MemoService(store)
        self.standstill = StandstillService(store, self.rounds, self.time)
        self.rounds.stuck = self.standstill.stop
        self.asked_by = workers.asked_by
        """Says who jobs are done for meanwhile."""
        self.admit = workers.admit
        """Raises `Refusal` if too many pictures are being made for the same user."""
        self.arrived: Callable[[int, str], Awaitable[None]] = _do_not_wait
        """Waits, for a while, until the message of a game by this key stands where it belongs."""

    async def announced(self, game_id: int) -> None:
        """Wait, for a while, until its channel has been told of a game."""
        await self.arrived(game_id, "lobby")

    @property
    def in_hand(self) -> StepRunner:
        """Knows which games are in the middle of a step."""
        return self.rounds

    def now(self) -> int:
        """Seconds of Unix time."""
        return self.rounds.now()

    # --- the end -----------------------------------------------------------------------------------------------

    @between_steps
    async def concede(self, user_id: int, game_id: int) -> None:
        """Give up. Raises `Refusal`."""
        playing = await self.reader.playing(game_id)
        seat = require_active_seat(playing, user_id)
        if seat.conceded:
            raise Refusal("game_over")
        async with self.store.write() as tx:
            await seats.note_presence(tx, playing, user_id, now=self.now())
        await self.rounds.act(playing, Concede(seat=seat.seat), conceded=seat)

    @between_steps
    async def offer_draw(self, user_id: int, game_id: int) -> bool:
        """Offer or accept a draw, which lapses when the game goes on; whether all now agree. Raises `Refusal`."""
        async with self.store.write() as tx:
            playing = await load_seated_game(tx, game_id)
            seat = require_active_seat(playing, user_id)
            await tx.seats.change(game_id, seat.seat, draw_at=playing.game.step_no)
            await seats.note_presence(tx, playing, user_id, now=self.now())
            captains = await captains_of(tx, playing)
            voices = [other for other in playing.seats if other.user_id and not other.conceded and other != seat]
            agreed = all(other.draw_at == playing.game.step_no for other in voices)
            # A computer captain fights on: against it alone there is nobody who could agree.
            if agreed and not captains.opposed(seat.team):
                raise Refusal("nobody_agrees")
            others = [other for other in voices if other.team != seat.team]
            if agreed and (captains.unheard([seat, *voices]) or not others):
                raise voiceless_refusal(playing.game)
            if not agreed:
                await enqueue.announce_draw_offer(tx, game_id, playing.game.step_no, now=self.now())
        self.rounds.changed()
        if agreed:
            await self.rounds.act(playing, AgreeDraw())
        return agreed

    @between_steps
    async def decline_draw(self, user_id: int, game_id: int) -> None:
        """Say no to a draw that others have offered: their offers lapse. Raises `Refusal`."""
        async with self.store.write() as tx:
            playing = await load_seated_game(tx, game_id)
            game, seat = playing.game, require_active_seat(playing, user_id)
            offers = [other for other in playing.seats if other.draw_at == game.step_no]
            if not offers:
                raise Refusal("lapsed")
            if seat.conceded or seat in offers:
                raise Refusal("other_side")
            for other in offers:
                await tx.seats.change(game_id, other.seat, draw_at=None)
            await seats.note_presence(tx, playing, user_id, now=self.now())
            await enqueue.add_log_entry(tx, game, "draw_declined", now=self.now(), user_id=user_id, seat=seat.seat)
            await enqueue.close_draw_offer(tx, game_id, game.step_no, now=self.now())
        self.rounds.changed()

    # --- what Discord has answered -----------------------------------------------------------------------------

    async def not_allowed(self, game: Game, permission: str) -> None:
        """Something cannot be told for lack of a permission: its host learns of each such permission once."""
        async with self.store.write() as tx:
            if await tx.games.find(game.id) is None:
                return  # it has been deleted
            await enqueue.report_missing_permission(tx, game, permission, now=self.now())
        self.rounds.changed()

    async def quarantined(self, game: Game) -> None:
        """Discord lets the bot open no new direct messages: the game's thread says so once."""
        async with self.store.write() as tx:
            await enqueue.report_quarantine(tx, game, now=self.now())
        self.rounds.changed()

    async def dms_closed(self, game_id: int, user_id: int) -> None:
        """Say once, in the thread, how somebody who takes no direct messages gets at their orders."""
        async with self.store.write() as tx:
            if await tx.games.find(game_id) is None:
                return  # it has been deleted
            await enqueue.explain_closed_dms(tx, game_id, user_id, now=self.now())
        self.rounds.changed()
