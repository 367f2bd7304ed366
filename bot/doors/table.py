"""The table: everything that people can do with a game. Chat calls nothing else.

Each change is one transaction; what must be seen on Discord is wished for in the
same transaction and sent after it by the outbox.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from msgspec import UNSET, structs

from bot.doors import first, lobby, options, rematch, servers
from bot.doors.absence import Absence
from bot.doors.archive import Archive
from bot.doors.channels import Channels
from bot.doors.lobby import NewGame
from bot.doors.memos import Memos
from bot.doors.orders import Orders
from bot.doors.preferences import Preferences
from bot.doors.privacy import Privacy
from bot.doors.repair import Repair
from bot.doors.servers import Servers
from bot.doors.standstill import Standstill
from bot.doors.timekeeping import Timekeeping
from bot.errors import Failed, Refusal, TooMuch
from bot.life import enqueue, seats
from bot.life.captains import captains_of
from bot.life.playing import Playing, playing_of, refuse_unless_lobby, seated
from bot.life.rounds import Clock, Rounds
from bot.life.steps import Chance
from bot.store import Store
from bot.store.queries import Transaction
from bot.store.records import Game, Player, Started
from bot.telling.reader import Reader
from bot.work import play
from bot.work.showing import Stills
from bot.work.trials import Trials
from bot.work.workers import Workers
from rules.protocol import AgreeDraw, Concede

log = logging.getLogger(__name__)


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
    ) -> None:
        self.store = store
        self.workers = workers
        self.trials = Trials(workers)
        self.archive = Archive(store)
        self.rounds = Rounds(store, workers, clock, chance)
        self.rounds.digest_of = self.archive.digest_of
        self.reader = Reader(store, workers, self.trials, self.now, digest=Archive.digest_now, stills=stills)
        self.orders = Orders(store, workers, self.rounds, chance, self.reader)
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
        self.memos = Memos(store)
        self.standstill = Standstill(store, self.rounds, self.time)
        self.asked_by = workers.asked_by
        """Says who jobs are done for meanwhile."""
        self.admit = workers.admit
        """Raises `Refusal` if too many pictures are being made for the same user."""
        self._chance = chance
        self._most_games = most_games
        self.arrived: Callable[[int, str], Awaitable[None]] = _nobody_waits
        """Waits, for a while, until the message of a game by this key stands where it belongs."""

    async def announced(self, game_id: int) -> None:
        """Wait, for a while, until its channel has been told of a game."""
        await self.arrived(game_id, "lobby")

    def now(self) -> int:
        """Seconds of Unix time."""
        return self.rounds.now()

    # --- the lobby ---------------------------------------------------------------------------------------------

    async def create(self, host: Player, wish: NewGame) -> int:
        """Open a lobby; returns the game's number. Raises `Refusal`."""
        async with self.store.write() as tx:
            await self._refuse_too_many(tx, host)
            wish = await servers.admitted(tx, wish)
            game_id = await lobby.open_lobby(tx, host, wish, seed=self._chance(), now=self.now())
            await enqueue.lobby(tx, game_id, now=self.now())
        log.info("game opened", extra={"game": game_id, "system": wish.system})
        self.rounds.changed()
        return game_id

    async def play_now(self, player: Player, wish: NewGame) -> int:
        """Begin somebody's first game, or find the one that is open: asked twice, there is one. Returns its number.

        Raises `Refusal`.
        """
        async with self.store.write() as tx:
            there = await first.standing(tx, player.user_id, wish)
            if there is None:
                await self._refuse_too_many(tx, player)
                wish = await servers.admitted(tx, wish)
                number = await lobby.open_lobby(tx, player, wish, seed=self._chance(), now=self.now())
            else:
                number = there.id
        if there is None or there.phase == "lobby":
            try:
                await self.start(player.user_id, number)
            except Refusal as refused:
                if refused.key not in ("already_started", "busy"):
                    raise  # else it was begun meanwhile, by another press
        return number

    async def rematch(self, player: Player, game_id: int, *, roles: tuple[int, ...], manager: bool) -> tuple[int, bool]:
        """Open the rematch of a game that is over, or join the one that is open; its number, and whether it is new.

        Raises `Refusal`.
        """
        async with self.store.write() as tx:
            playing = await playing_of(tx, game_id)
            there = await rematch.standing(tx, game_id)
            if there is None:
                await self._refuse_too_many(tx, player)
                seed = self._chance()
                number = await rematch.open_rematch(
                    tx, playing, player, roles=roles, manager=manager, seed=seed, now=self.now()
                )
            else:
                number, again = there.id, await playing_of(tx, there.id)
                refuse_unless_lobby(again.game)
                await lobby.sit_down(tx, again, player, None, now=self.now())
        self.rounds.changed()
        return number, there is None

    async def _refuse_too_many(self, tx: Transaction, host: Player) -> None:
        """Raise `Refusal` if somebody has opened as many games as they may."""
        mine = await tx.games.of_user(host.user_id)
        if sum(game.host_id == host.user_id for game in mine) >= self._most_games:
            raise Refusal("too_many_games", most=self._most_games)

    async def join(self, player: Player, game_id: int, team: int | None = None) -> None:
        """Take a seat. Raises `Refusal`."""
        async with self.store.write() as tx:
            playing = await playing_of(tx, game_id)
            refuse_unless_lobby(playing.game)
            await lobby.sit_down(tx, playing, player, team, now=self.now())
        self.rounds.changed()

    async def leave(self, user_id: int, game_id: int) -> None:
        """Give a seat back before the game begins; a host who leaves calls it off. Raises `Refusal`."""
        async with self.store.write() as tx:
            playing = await playing_of(tx, game_id)
            refuse_unless_lobby(playing.game)
            seat = playing.seat_of(user_id)
            if seat is None:
                raise Refusal("not_in")
            await lobby.stand_up(tx, playing, seat, now=self.now())
        self.rounds.changed()

    async def cancel(self, user_id: int, game_id: int) -> None:
        """Call a game off before it begins. Raises `Refusal`."""
        playing = await self.reader.playing(game_id)
        if user_id != playing.game.host_id:
            raise Refusal("not_host")
        await self.leave(user_id, game_id)

    async def add_word(self, user_id: int, game_id: int, text: str, words_seen: str | None = None) -> Playing:
        """Add a captain's word to the dice, or change it; without any text take it back. Raises `Refusal`.

        With their word they agree to the others': to those that they have seen, by their token, and to no others;
        None: they have seen them all.
        """
        word = lobby.word_of(text)
        async with self.store.write() as tx:
            playing = await playing_of(tx, game_id)
            refuse_unless_lobby(playing.game)
            seat = playing.seat_of(user_id)
            if seat is None:
                raise Refusal("not_in")
            if word is not None and words_seen is not None:
                lobby.refuse_unseen_words(playing, words_seen)
            await lobby.put_word(tx, playing, seat, word, now=self.now())
            playing = await playing_of(tx, game_id)
        self.rounds.changed()
        return playing

    async def choose(self, user_id: int, game_id: int, key: str, value: str) -> None:
        """Set an option of a game that has not begun, as its host. Raises `Refusal`."""
        async with self.store.write() as tx:
            message = await options.choose(tx, await playing_of(tx, game_id), user_id, key, value, now=self.now())
        if message:
            self.rounds.expects(message.due_at)

    async def set_scenario(self, user_id: int, game_id: int, text: str) -> Playing:
        """Take a host's own scenario, or go back to the game's own. Raises `Refusal`; `OrderError` if it is no good."""
        playing = await self.reader.playing(game_id)
        setup = options.with_scenario(playing, user_id, text)
        await self.trials.refuse(setup, user_id)
        async with self.store.write() as tx:
            playing = await options.set_scenario(tx, playing, user_id, setup, now=self.now())
        self.rounds.changed()
        return playing

    async def turn_options(self, user_id: int, game_id: int, page: int) -> None:
        """Show another page of the options, from 0, in a lobby's message, as its host. Raises `Refusal`."""
        async with self.store.write() as tx:
            options.refuse_unless_host(await playing_of(tx, game_id), user_id)
            message = await enqueue.lobby(tx, game_id, now=self.now(), page=page)
        self.rounds.expects(message.due_at)

    async def start(self, user_id: int, game_id: int, words_seen: str | None = None) -> None:
        """Begin a game; seats that are still free go to the computer. Raises `Refusal` or `OrderError`.

        `words_seen` is the token of the words in the dice that the host has seen, if any.
        """
        playing = await self.reader.playing(game_id)
        refuse_unless_lobby(playing.game)
        if user_id != playing.game.host_id:
            raise Refusal("not_host")
        lobby.refuse_unagreed_words(playing, words_seen)
        done = await self._begun(playing)
        done = await self.rounds.tallied(playing.game, Started(), done)
        async with self.store.write() as tx:
            again = await playing_of(tx, game_id)
            refuse_unless_lobby(again.game)
            if (again.seats, again.game.setup) != (playing.seats, playing.game.setup):
                raise Refusal("busy")
            await lobby.fill(tx, game_id, again.seats)
            await self._seat_captains(tx, again)
            await enqueue.lobby(tx, game_id, now=self.now())
            await enqueue.beginning(tx, game_id, now=self.now())
            await self.rounds.steps.commit(tx, again.game, Started(), done)
        log.info("game began", extra={"game": game_id})
        self.rounds.go_on(game_id)

    async def _begun(self, playing: Playing) -> play.Advanced:
        """What a game begins with. Raises `OrderError`, and `Refusal` if it is its host's scenario that fails."""
        own = playing.game.setup.scenario is not UNSET
        if own and (refused := await self.trials.why_not(playing.game.setup)):
            raise refused
        computers = tuple(seat.seat for seat in playing.seats if seat.computer or seat.free)
        aside = structs.replace(playing.beside(), computers=computers)
        try:
            return await self.workers.run(play.begin, playing.game.setup, playing.dice_seed, aside)
        except (Failed, TooMuch) as failed:
            if not own:
                raise
            log.warning("scenario fails", extra={"game": playing.game.id, "why": str(failed)})
            raise Refusal("scenario_fails") from failed

    async def _seat_captains(self, tx: Transaction, playing: Playing) -> None:
        """Remember who began in which seat; where the computer has one, nothing is at stake."""
        for seat in playing.seats:
            if seat.user_id is not None:
                await tx.captains.begin(playing.game.id, seat.seat, user_id=seat.user_id, from_step=0)
        if not all(seat.user_id for seat in playing.seats):
            await tx.games.change(playing.game.id, rated=False)

    # --- the end -----------------------------------------------------------------------------------------------

    async def concede(self, user_id: int, game_id: int) -> None:
        """Give up. Raises `Refusal`."""
        playing = await self.reader.playing(game_id)
        seat = seated(playing, user_id)
        if seat.conceded:
            raise Refusal("game_over")
        async with self.store.write() as tx:
            await seats.here(tx, playing, user_id, now=self.now())
        await self.rounds.act(playing, Concede(seat=seat.seat), conceded=seat)

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
            # A computer captain fights on; against it alone, or against captains that one's own side has put there,
            # there is nobody who could agree.
            if agreed and not any(other.team != seat.team and captains.may_speak(other) for other in voices):
                raise Refusal("nobody_agrees" if not captains.opposed(seat.team) else "no_voice")
            if not agreed:
                await enqueue.draw_offer(tx, game_id, playing.game.step_no, now=self.now())
        self.rounds.changed()
        if agreed:
            await self.rounds.act(playing, AgreeDraw())
        return agreed

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
            await enqueue.lacking(tx, game, permission, now=self.now())
        self.rounds.changed()

    async def dms_closed(self, game_id: int, user_id: int) -> None:
        """Say once, in the thread, how somebody who takes no direct messages gets at their orders."""
        async with self.store.write() as tx:
            await enqueue.closed_dms(tx, game_id, user_id, now=self.now())
        self.rounds.changed()
