"""Build all services of a bot, and the operations that end a game.

`bot.discord` uses only this module's `Services`. Each change is one transaction, which also requests the messages that
the outbox sends afterwards.
"""

from __future__ import annotations

from collections.abc import Callable

from bot.errors import Refusal
from bot.jobs.trials import SetupTrials
from bot.jobs.values import StillSettings
from bot.jobs.workers import Workers
from bot.lifecycle.outbox import enqueue
from bot.lifecycle.people import seats
from bot.lifecycle.people.captains import captains_of
from bot.lifecycle.people.keepsakes import voiceless_refusal
from bot.lifecycle.people.posting import count_post
from bot.lifecycle.process.pulse import Pulse
from bot.lifecycle.process.terms import DEFAULT_TERMS, TermKeeper
from bot.lifecycle.steps.backups import ThreadReader, read_nothing
from bot.lifecycle.steps.playing import load_seated_game, require_active_seat
from bot.lifecycle.steps.runner import Clock, StepListener, StepRunner
from bot.lifecycle.steps.storing import EntropySource
from bot.presenters.reader import Reader
from bot.services.absence import AbsenceService
from bot.services.archive import ArchiveService, RecordService
from bot.services.base import GameService, between_steps
from bot.services.channels import ChannelService
from bot.services.denials import DenialCache
from bot.services.keepsakes import KeepsakeService
from bot.services.lobbies import LobbyService, OpeningLimits
from bot.services.memos import MemoService
from bot.services.muting import MutedGameService
from bot.services.orders import OrderService
from bot.services.preferences import PreferenceService
from bot.services.privacy import PrivacyService
from bot.services.repair import RepairService
from bot.services.servers import ServerService
from bot.services.standstill import StandstillService
from bot.services.timekeeping import Timekeeping
from bot.store import Store
from bot.store.models.records import Game
from bot.store.models.subjects import DrawOfferSubject
from bot.store.queries.games import Terms
from rules.core.protocol import AgreeDraw, Concede


class Services(GameService):
    def __init__(
        self,
        store: Store,
        workers: Workers,
        clock: Clock,
        chance: EntropySource,
        *,
        opening_limits: OpeningLimits | None = None,
        terms: Terms = DEFAULT_TERMS,
        stills: StillSettings | None = None,
        pulse: Pulse | None = None,
        read_thread: ThreadReader = read_nothing,
        listener: StepListener | None = None,
        on_forgotten: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Create the services. Without a `pulse` the clock is set by hand (see `VirtualPulse`).

        They call `on_forgotten` with the id of each game that names somebody who is being forgotten.
        """
        self.store = store
        self.workers = workers
        self.trials = SetupTrials(workers)
        self.archive = ArchiveService(store)
        self.records = RecordService(store, workers)
        self.step_runner = StepRunner(
            store,
            workers,
            clock,
            chance,
            pulse,
            record_digest=self.archive.digest_of,
            read_thread=read_thread,
            listener=listener,
        )
        super().__init__(store, self.step_runner)
        self.reader = Reader(
            store,
            workers,
            self.trials,
            self.now,
            digest=ArchiveService.current_digest,
            stills=stills or StillSettings(),
        )
        self.lobbies = LobbyService(
            store,
            workers,
            self.step_runner,
            self.reader,
            trials=self.trials,
            chance=chance,
            limits=opening_limits or OpeningLimits(),
        )
        self.orders = OrderService(store, workers, self.step_runner, chance, self.reader)
        self.denials = DenialCache(store)
        self.absence = AbsenceService(store, self.step_runner)
        self.servers = ServerService(store, self.step_runner)
        self.timekeeping = Timekeeping(store, self.step_runner)
        self.repair = RepairService(store, workers, self.step_runner, self.timekeeping)
        self.preferences = PreferenceService(store, self.step_runner)
        self.privacy = PrivacyService(
            store, self.archive, self.now, self.step_runner.listener.note_change, on_forgotten
        )
        self.channels = ChannelService(store, self.step_runner, self.timekeeping)
        self.muting = MutedGameService(store, self.step_runner, self.timekeeping)
        self.keepsakes = KeepsakeService(store, workers, self.step_runner)
        self.terms = TermKeeper(store, workers, self.step_runner, terms)
        self.memos = MemoService(store)
        self.standstill = StandstillService(store, self.step_runner, self.timekeeping)
        self.asked_by = workers.requested_by  # set the user who has requested the jobs of this context
        self.admit = workers.count_picture_request

    # --- the end -----------------------------------------------------------------------------------------------

    @between_steps
    async def concede_game(self, user_id: int, game_id: int) -> None:
        """Give up for a seat's side. Raises `Refusal` if its captain may not speak for it."""
        seated_game = await self.reader.games.seated_game(game_id)
        seat = require_active_seat(seated_game, user_id)
        if seat.conceded:
            raise Refusal("game_over")
        async with self.store.write() as tx:
            (await captains_of(tx, seated_game)).refuse_voiceless(user_id, seat)
            await seats.note_presence(tx, seated_game, user_id, now=self.now())
        await self.step_runner.apply_out_of_turn(seated_game, Concede(seat=seat.seat), conceded=seat)

    @between_steps
    async def offer_draw(self, user_id: int, game_id: int) -> bool:
        """Offer or accept a draw, which lapses with the next step. Return whether all agree. Raises `Refusal`."""
        async with self.store.write() as tx:
            seated_game = await load_seated_game(tx, game_id)
            seat = require_active_seat(seated_game, user_id)
            captains = await captains_of(tx, seated_game)
            captains.refuse_voiceless(user_id, seat)
            await tx.seats.change(game_id, seat.seat, draw_at=seated_game.game.step_no)
            await seats.note_presence(tx, seated_game, user_id, now=self.now())
            other_captains = [other for other in seated_game.seats if captains.may_speak(other) and other != seat]
            have_all_agreed = all(other.draw_at == seated_game.game.step_no for other in other_captains)
            # Computers never agree to a draw.
            if have_all_agreed and not captains.has_opponents(seat.team):
                raise Refusal("nobody_agrees")
            human_opponents = [other for other in other_captains if other.team != seat.team]
            has_side_without_voice = captains.sides_without_voice([seat, *other_captains]) or not human_opponents
            if have_all_agreed and has_side_without_voice:
                raise voiceless_refusal(seated_game.game)
            if not have_all_agreed:
                await count_post(tx, game_id, user_id, now=self.now())
                await tx.messages.request(game_id, DrawOfferSubject(seated_game.game.step_no), now=self.now())
        self._note_change()
        if have_all_agreed:
            await self.step_runner.apply_out_of_turn(seated_game, AgreeDraw())
        return have_all_agreed

    @between_steps
    async def decline_draw(self, user_id: int, game_id: int) -> None:
        async with self.store.write() as tx:
            seated_game = await load_seated_game(tx, game_id)
            game, seat = seated_game.game, require_active_seat(seated_game, user_id)
            offering_seats = [offering for offering in seated_game.seats if offering.draw_at == game.step_no]
            if not offering_seats:
                raise Refusal("lapsed")
            if seat.conceded or seat in offering_seats:
                raise Refusal("other_side")
            (await captains_of(tx, seated_game)).refuse_voiceless(user_id, seat)
            for offering_seat in offering_seats:
                await tx.seats.change(game_id, offering_seat.seat, draw_at=None)
            await seats.note_presence(tx, seated_game, user_id, now=self.now())
            await enqueue.add_log_entry(tx, game, "draw_declined", now=self.now(), user_id=user_id, seat=seat.seat)
            await tx.messages.renew_keys(game_id, [DrawOfferSubject(game.step_no).key], now=self.now())
        self._note_change()

    # --- what Discord has answered -----------------------------------------------------------------------------

    async def report_missing_permission(self, game: Game, permission: str) -> None:
        """Tell the game's host, once for each permission, that the bot lacks it."""
        async with self.store.write() as tx:
            if await tx.games.find_for_update(game.id) is None:
                return  # it has been deleted
            await enqueue.report_missing_permission(tx, game, permission, now=self.now())
        self._note_change()

    async def report_quarantine(self, game: Game) -> None:
        async with self.store.write() as tx:
            await enqueue.report_quarantine(tx, game, now=self.now())
        self._note_change()

    async def report_closed_dms(self, game_id: int, user_id: int) -> None:
        """Explain in the thread, once, how a captain without direct messages gives orders."""
        async with self.store.write() as tx:
            if await tx.games.find_for_update(game_id) is None:
                return  # it has been deleted
            await enqueue.explain_closed_dms(tx, game_id, user_id, now=self.now())
        self._note_change()
