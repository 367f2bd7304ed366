"""Games that have not begun: opened, joined, set up and started."""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import Final, NamedTuple

from msgspec import UNSET, structs

from bot.errors import JobFailed, JobLimitExceeded, Refusal
from bot.jobs import play
from bot.jobs.trials import SetupTrials
from bot.jobs.workers import Workers
from bot.lifecycle.outbox import enqueue
from bot.lifecycle.people import keepsakes
from bot.lifecycle.ratings.rematching import is_unchanged_rematch
from bot.lifecycle.ratings.unrating import make_unrated
from bot.lifecycle.steps.early import is_solo_lobby, resolve_early_while_solo
from bot.lifecycle.steps.playing import SeatedGame, load_seated_game, refuse_unless_lobby
from bot.lifecycle.steps.runner import StepRunner
from bot.lifecycle.steps.storing import EntropySource
from bot.presenters.reader import Reader
from bot.services import first, lobby, options, rematch, servers
from bot.services.lobby import NewGame
from bot.store import Store
from bot.store.models.records import GameStarted, Player
from bot.store.queries.transaction import Transaction
from rules.core.protocol import Setup
from rules.core.registry import RULESETS

log = logging.getLogger(__name__)

CANCEL_WINDOW_S: Final = 3600
"""Seconds in which somebody may open and call off as many games as they may have open."""


class RematchResult(NamedTuple):
    """What came of somebody's wish for a rematch."""

    number: int
    is_new: bool
    """Nobody had asked for it before."""
    has_begun: bool
    is_same_game: bool
    """It is still played as the game was."""


class LobbyService:
    """What people may do with games that have not begun."""

    def __init__(
        self,
        store: Store,
        workers: Workers,
        rounds: StepRunner,
        reader: Reader,
        *,
        trials: SetupTrials,
        chance: EntropySource,
        most_games: int,
    ) -> None:
        """Nobody opens more than `most_games` at a time."""
        self._store = store
        self._workers = workers
        self._step_runner = rounds
        self._reader = reader
        self._trials = trials
        self._entropy = chance
        self._max_games = most_games

    async def open_lobby(self, host: Player, wish: NewGame) -> int:
        """Open a lobby; returns the game's number. Raises `Refusal`."""
        async with self._store.write(of_many=True) as tx:
            await self._refuse_too_many(tx, host)
            wish = await servers.admit_new_game(tx, wish)
            game_id = await lobby.open_lobby(tx, host, wish, seed=self._entropy(), now=self._step_runner.now())
            await enqueue.update_lobby(tx, game_id, now=self._step_runner.now())
        log.info("game opened", extra={"game": game_id, "system": wish.system})
        self._step_runner.on_change()
        return game_id

    async def play_now(self, player: Player, wish: NewGame, *, after: int = 0) -> tuple[int, bool]:
        """Begin somebody's first game, or find the one that is open: asked twice, there is one.

        Returns its number, and whether it was going on already. Games up to the number `after` don't count.
        Raises `Refusal`.
        """
        async with self._store.write(of_many=True) as tx:
            there = await first.find_open_first_game(tx, player.user_id, wish, after=after)
            if there is None:
                await self._refuse_too_many(tx, player)
                wish = await servers.admit_new_game(tx, wish)
                number = await lobby.open_lobby(tx, player, wish, seed=self._entropy(), now=self._step_runner.now())
            else:
                number = there.id
        if there is None or there.phase == "lobby":
            try:
                await self.start_game(player.user_id, number)
            except Refusal as refused:
                if refused.key not in ("already_started", "busy"):
                    raise  # else it was begun meanwhile, by another press
        return number, there is not None and there.phase != "lobby"

    async def open_or_join_rematch(
        self, player: Player, game_id: int, *, roles: tuple[int, ...], manager: bool
    ) -> RematchResult:
        """Open the rematch of a game that is over, or join the one that is open, which begins when all have.

        If its host has chosen other settings since, it waits until they press Start: who accepted may still leave.
        Raises `Refusal`.
        """
        async with self._store.write(of_many=True) as tx:
            playing = await load_seated_game(tx, game_id)
            there = await rematch.find_open_rematch(tx, game_id)
            if there is None:
                await self._refuse_too_many(tx, player)
                seed = self._entropy()
                number = await rematch.open_rematch(
                    tx, playing, player, roles=roles, manager=manager, seed=seed, now=self._step_runner.now()
                )
            else:
                number, again = there.id, await load_seated_game(tx, there.id)
                refuse_unless_lobby(again.game)
                if again.seat_of(player.user_id) is None:
                    await lobby.sit_down(tx, again, player, None, now=self._step_runner.now())
            same = await is_unchanged_rematch(tx, playing.game, there or (await load_seated_game(tx, number)).game)
        self._step_runner.on_change()
        return RematchResult(
            number, there is None, there is not None and await self._start_rematch_if_ready(number), same
        )

    async def _start_rematch_if_ready(self, game_id: int) -> bool:
        """Begin a rematch that is as it was promised, if all its captains are there; whether it has begun.

        Whatever door the last one came by: else its host presses Start, so that who accepted may still leave.
        """
        async with self._store.read() as tx:
            of = await rematch.find_previous_game(tx, game_id)
            playing = await load_seated_game(tx, game_id)
            promised = of is not None and await rematch.is_rematch_promised(tx, await load_seated_game(tx, of), playing)
        if promised and playing.game.phase == "lobby":
            # It was begun or changed by another press, or a word in the dice was: then its host presses Start.
            with suppress(Refusal):
                await self._start_game(playing)
            playing = await self._reader.seated_game(game_id)
        return playing.game.phase != "lobby"

    async def decline_rematch(self, user_id: int, game_id: int) -> None:
        """Say no to the rematch of a game that is over. Raises `Refusal`."""
        async with self._store.write() as tx:
            await rematch.decline_rematch(tx, await load_seated_game(tx, game_id), user_id, now=self._step_runner.now())
        self._step_runner.on_change()

    async def _refuse_too_many(self, tx: Transaction, host: Player) -> None:
        """Raise `Refusal` if somebody hosts as many games as they may, or just called off as many.

        Each lobby is a message in its channel, which tells all who read it. Who has given their seat away hosts still.
        """
        if len(await tx.games.hosted_by_user(host.user_id)) >= self._max_games:
            raise Refusal("too_many_games", most=self._max_games)
        gone = await tx.games.hosted_by_user(host.user_id, phases=("cancelled",), most=self._max_games)
        since = self._step_runner.now() - CANCEL_WINDOW_S
        if sum(game.created_at > since for game in gone) >= self._max_games:
            raise Refusal("too_many_called_off", most=self._max_games)

    async def join_lobby(self, player: Player, game_id: int, team: int | None = None) -> bool:
        """Take a seat; return whether the game begins with that, as a rematch does. Raises `Refusal`."""
        async with self._store.write() as tx:
            playing = await load_seated_game(tx, game_id)
            refuse_unless_lobby(playing.game)
            await lobby.sit_down(tx, playing, player, team, now=self._step_runner.now())
            again = await rematch.find_previous_game(tx, game_id)
        self._step_runner.on_change()
        return again is not None and await self._start_rematch_if_ready(game_id)

    async def leave_lobby(self, user_id: int, game_id: int) -> bool:
        """Give a seat back before the game begins; return whether that calls it off, as a host's does.

        Raises `Refusal`.
        """
        async with self._store.write() as tx:
            playing = await load_seated_game(tx, game_id)
            refuse_unless_lobby(playing.game)
            seat = playing.require_seat(user_id)
            await lobby.stand_up(tx, playing, seat, now=self._step_runner.now())
        self._step_runner.on_change()
        return user_id == playing.game.host_id

    async def would_cancel(self, user_id: int, game_id: int) -> bool:
        """Whether somebody who leaves a game before it begins calls it off, as its host. Raises `Refusal`."""
        playing = await self._reader.seated_game(game_id)
        if user_id != playing.game.host_id:
            return False
        refuse_unless_lobby(playing.game)
        return True

    async def add_word(self, user_id: int, game_id: int, text: str, words_seen: str | None = None) -> SeatedGame:
        """Add a captain's word to the dice, or change it; without any text take it back. Raises `Refusal`.

        With their word they agree to the others': to those that they have seen, by their token, and to no others;
        None: they have seen them all.
        """
        word = lobby.parse_word(text)
        async with self._store.write() as tx:
            playing = await load_seated_game(tx, game_id)
            refuse_unless_lobby(playing.game)
            seat = playing.require_seat(user_id)
            if word is not None and words_seen is not None:
                lobby.refuse_unseen_words(playing, words_seen)
            await lobby.store_word(tx, playing, seat, word, now=self._step_runner.now())
            playing = await load_seated_game(tx, game_id)
        self._step_runner.on_change()
        return playing

    async def choose_option(self, user_id: int, game_id: int, key: str, value: str) -> None:
        """Set an option of a game that has not begun, as its host. Raises `Refusal`."""
        async with self._store.write() as tx:
            playing, now = await load_seated_game(tx, game_id), self._step_runner.now()
            message = await options.choose_option(tx, playing, user_id, key, value, now=now)
        if message:
            self._step_runner.on_expected(message.due_at)

    async def choose_game(self, user_id: int, game_id: int, system: str) -> None:
        """Set what is played in a game that has not begun, as its host. Raises `Refusal`."""
        async with self._store.write() as tx:
            playing, now = await load_seated_game(tx, game_id), self._step_runner.now()
            message = await options.choose_game(tx, playing, user_id, system, now=now)
        if message:
            self._step_runner.on_expected(message.due_at)

    async def set_scenario(self, user_id: int, game_id: int, text: str) -> SeatedGame:
        """Take a host's own scenario, or go back to the game's own. Raises `Refusal`; `OrderError` if it is no good."""
        playing = await self._reader.seated_game(game_id)
        setup = options.setup_with_scenario(playing, user_id, text)
        await self._trials.refuse_if_unplayable(setup, user_id)
        async with self._store.write() as tx:
            playing = await options.set_scenario(tx, playing, user_id, setup, now=self._step_runner.now())
        self._step_runner.on_change()
        return playing

    async def start_game(
        self, user_id: int, game_id: int, words_seen: str | None = None, free_seen: int | None = None
    ) -> None:
        """Begin a game; seats that are still free go to the computer. Raises `Refusal` or `OrderError`.

        `words_seen` is the token of the words in the dice that the host has seen, if any, and `free_seen` how many
        seats were free then.
        """
        playing = await self._reader.seated_game(game_id)
        refuse_unless_lobby(playing.game)
        if user_id != playing.game.host_id:
            raise Refusal("not_host")
        if free_seen not in (None, sum(seat.is_free for seat in playing.seats)):
            raise Refusal("lobby_changed")
        await self._start_game(playing, words_seen)

    async def _start_game(self, playing: SeatedGame, words_seen: str | None = None) -> None:
        """Begin a game as it was read, or not at all: it may have been changed since."""
        game_id = playing.game.id
        lobby.refuse_unagreed_words(playing, words_seen)
        async with self._store.read() as tx:
            setup = await _final_setup(tx, playing)
        done = await self._first_step(_store_setup(playing, setup))
        done = await self._step_runner.add_statistics(playing.game, GameStarted(), done)
        async with self._store.write() as tx:
            again = await load_seated_game(tx, game_id)
            refuse_unless_lobby(again.game)
            read, setup = setup, await _final_setup(tx, again)
            # The rules know no names: what is called otherwise meanwhile keeps nobody from beginning.
            if _agreed_settings(again) != _agreed_settings(playing) or keepsakes.without_keepsake_names(
                setup
            ) != keepsakes.without_keepsake_names(read):
                raise Refusal("busy")
            if setup != again.game.setup:
                await tx.games.change(game_id, setup=setup)
                again = _store_setup(again, setup)
            await lobby.fill_free_seats(tx, game_id, again.seats)
            game = again.game
            if is_solo_lobby(again):
                game = await resolve_early_while_solo(tx, game)
            await self._seat_captains(tx, again)
            await enqueue.update_lobby(tx, game_id, now=self._step_runner.now())
            await enqueue.update_invitations(tx, game_id, now=self._step_runner.now())
            await enqueue.announce_start(tx, game_id, now=self._step_runner.now())
            await self._step_runner.step_store.commit_step(tx, game, GameStarted(), done)
        log.info("game began", extra={"game": game_id})
        self._step_runner.start_advancing(game_id)

    async def _first_step(self, playing: SeatedGame) -> play.StepResult:
        """What a game begins with. Raises `OrderError`, and `Refusal` if it is its host's scenario that fails."""
        own = playing.game.setup.scenario is not UNSET
        if own and (refused := await self._trials.why_refused(playing.game.setup)):
            raise refused
        computers = tuple(seat.seat for seat in playing.seats if seat.computer or seat.is_free)
        aside = structs.replace(playing.step_context(), computer_seats=computers)
        try:
            game = playing.game
            return await self._workers.run_step(game.host_id, play.begin_game, game.setup, playing.dice_seed, aside)
        except (JobFailed, JobLimitExceeded) as failed:
            if not own:
                raise
            log.warning("scenario fails", extra={"game": playing.game.id, "why": str(failed)})
            raise Refusal("scenario_fails") from failed

    async def _seat_captains(self, tx: Transaction, playing: SeatedGame) -> None:
        """Remember who began in which seat; where the computer has one, nothing is at stake."""
        for seat in playing.seats:
            if seat.user_id is not None:
                await tx.captaincies.begin(playing.game.id, seat.seat, user_id=seat.user_id, from_step=0)
        if not all(seat.user_id for seat in playing.seats):
            await make_unrated(tx, playing.game)


async def _final_setup(tx: Transaction, playing: SeatedGame) -> Setup:
    """The setup with which a game begins now, as it is kept from then on. Raises `Refusal`."""
    return RULESETS[playing.game.system].with_edition(await keepsakes.with_keepsakes(tx, playing))


def _store_setup(playing: SeatedGame, setup: Setup) -> SeatedGame:
    """The game as it begins with this setup."""
    return structs.replace(playing, game=structs.replace(playing.game, setup=setup))


def _agreed_settings(playing: SeatedGame) -> tuple[object, ...]:
    """What those who sit in a lobby have agreed to."""
    return playing.seats, playing.game.setup, playing.game.pace, playing.game.early
