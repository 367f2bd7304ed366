"""Open, join, set up and start games."""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import Final, NamedTuple

from msgspec import UNSET, Struct, structs

from bot.errors import JobFailed, JobLimitExceeded, Refusal
from bot.jobs import play
from bot.jobs.trials import SetupTrials
from bot.jobs.workers import Workers
from bot.lifecycle.outbox import enqueue
from bot.lifecycle.people import abandoning, hosts, keepsakes, tallies
from bot.lifecycle.people.posting import count_post
from bot.lifecycle.ratings.rematching import is_unchanged_rematch
from bot.lifecycle.ratings.unrating import make_unrated
from bot.lifecycle.steps import matches
from bot.lifecycle.steps.early import is_solo_lobby, resolve_early_while_solo
from bot.lifecycle.steps.playing import SeatedGame, load_seated_game, refuse_unless_lobby
from bot.lifecycle.steps.runner import StepRunner
from bot.lifecycle.steps.storing import EntropySource
from bot.presenters.reader import Reader
from bot.services import first, lobby, options, rematch, servers
from bot.services.base import GameService
from bot.services.lobby import NewGame
from bot.store import Store, retries_conflicts
from bot.store.models.records import GameStarted, Player, SeatRow
from bot.store.queries.transaction import Transaction
from bot.texts.whole import playable_systems
from rules.core.protocol import Setup
from rules.core.registry import RULESETS

log = logging.getLogger(__name__)

OPENING: Final = "opening"  # kind of the tally
OPENING_WINDOW_S: Final = 3600


class OpeningLimits(Struct, frozen=True, kw_only=True):
    """Limits of how many games may be opened. Openings count for an hour, however the game ends."""

    open_games: int = 10  # that one user may host at a time
    per_user: int = 10  # openings within `OPENING_WINDOW_S`
    per_server: int = 30  # openings within `OPENING_WINDOW_S`


class RematchResult(NamedTuple):
    number: int  # id of the rematch
    is_new: bool  # whether this call has opened it
    has_begun: bool  # whether the rematch has started, because all have accepted
    is_same_game: bool  # whether it has the settings of the finished game
    must_agree_again: bool  # whether the user must send their word again, because the lobby isn't as they have seen it


class JoinResult(NamedTuple):
    has_begun: bool  # whether the game has started with that, as a rematch does
    must_agree_again: bool  # see `RematchResult`


class LobbyService(GameService):
    """Operations on games that have not begun. Each raises `Refusal` if the user may not perform it."""

    def __init__(
        self,
        store: Store,
        workers: Workers,
        step_runner: StepRunner,
        reader: Reader,
        *,
        trials: SetupTrials,
        chance: EntropySource,
        limits: OpeningLimits,
    ) -> None:
        super().__init__(store, step_runner)
        self._workers = workers
        self._reader = reader
        self._trials = trials
        self._entropy = chance
        self._limits = limits

    async def open_lobby(self, host: Player, request: NewGame) -> int:
        async with self._store.write(of_many=True) as tx:
            await self._count_opening(tx, host.user_id, request.guild_id)
            request = await servers.admit_new_game(tx, request)
            game_id = await lobby.open_lobby(tx, host, request, second_seed=self._entropy(), now=self.now())
            await enqueue.update_lobby(tx, game_id, now=self.now())
        log.info("game opened", extra={"game": game_id, "system": request.system})
        self._note_change()
        return game_id

    async def play_now(self, player: Player, request: NewGame, *, after: int = 0) -> tuple[int, bool]:
        """Start the user's first game, or find their open one. Return its id and whether it was already running.

        Games with ids up to `after` are ignored. Raises `Refusal`.
        """
        async with self._store.write(of_many=True) as tx:
            open_game = await first.find_open_first_game(tx, player.user_id, request, after=after)
            if open_game is None:
                await self._count_opening(tx, player.user_id, request.guild_id)
                request = await servers.admit_new_game(tx, request)
                game_id = await lobby.open_lobby(tx, player, request, second_seed=self._entropy(), now=self.now())
            else:
                game_id = open_game.id
        if open_game is None or open_game.phase == "lobby":
            try:
                await self.start_game(player.user_id, game_id)
            except Refusal as refusal:
                if refusal.key not in ("already_started", "busy"):
                    raise  # those mean that another press has started it
        return game_id, open_game is not None and open_game.phase != "lobby"

    async def token_for_rematch(self, player: Player, game_id: int) -> str | None:
        """Return the token of what a user agrees to with a word in a finished game's rematch, "" if they open it.

        Return None if they already have a seat in it. Raises `Refusal`.
        """
        async with self._store.read() as tx:
            existing = await rematch.find_open_rematch(tx, game_id)
            if existing is None:
                rematch.refuse_unless_captain_of_finished(await load_seated_game(tx, game_id), player.user_id)
                return ""
            lobby_game = await load_seated_game(tx, existing.id)
            refuse_unless_lobby(lobby_game.game)
            if lobby_game.seat_of(player.user_id):
                return None
            lobby.seat_for(lobby_game.game, lobby_game.seats, player.user_id, None)
        return lobby.lobby_token(lobby_game)

    @retries_conflicts
    async def open_or_join_rematch(
        self,
        player: Player,
        game_id: int,
        *,
        roles: tuple[int, ...],
        manager: bool,
        word: str = "",
        seen: str | None = None,
    ) -> RematchResult:
        """Open or join the rematch of a finished game. It starts once all captains have accepted.

        If its host has changed settings, or somebody has added a word to the dice, it waits for their Start button,
        since captains may want to leave, or to add another word. Raises `Refusal`. `word`: for the dice, "" for none.
        `seen`: see `join_lobby`.
        """
        parsed_word = lobby.parse_word(word)
        must_agree_again = False
        async with self._store.write(of_many=True) as tx:
            seated_game = await load_seated_game(tx, game_id)
            existing = await rematch.find_open_rematch(tx, game_id)
            if existing is None:
                await self._count_opening(tx, player.user_id, seated_game.game.guild_id)
                second_seed = self._entropy()
                rematch_id = await rematch.open_rematch(
                    tx, seated_game, player, roles=roles, manager=manager, second_seed=second_seed, now=self.now()
                )
                if parsed_word is not None:
                    await self._store_first_word(tx, rematch_id, player, parsed_word)
            else:
                rematch_id, lobby_game = existing.id, await load_seated_game(tx, existing.id)
                refuse_unless_lobby(lobby_game.game)
                if lobby_game.seat_of(player.user_id) is None:
                    must_agree_again = await self._sit_down(tx, lobby_game, player, None, word=parsed_word, seen=seen)
            rematch_game = existing or (await load_seated_game(tx, rematch_id)).game
            is_same_game = await is_unchanged_rematch(tx, seated_game.game, rematch_game)
        self._note_change()
        is_new = existing is None
        has_begun = False if is_new else await self._start_rematch_if_ready(rematch_id)
        return RematchResult(rematch_id, is_new, has_begun, is_same_game, must_agree_again)

    async def _start_rematch_if_ready(self, game_id: int) -> bool:
        """Start a rematch with unchanged settings if all its captains are there. Return whether it has started."""
        async with self._store.read() as tx:
            previous_id = await rematch.find_previous_game(tx, game_id)
            seated_game = await load_seated_game(tx, game_id)
            is_as_promised = previous_id is not None and await rematch.is_rematch_promised(
                tx, await load_seated_game(tx, previous_id), seated_game
            )
        if is_as_promised and seated_game.game.phase == "lobby" and not any(seated_game.dice_words):
            # If another press started or changed the game meanwhile, the host must press Start.
            with suppress(Refusal):
                await self._start_game(seated_game)
            seated_game = await self._reader.games.seated_game(game_id)
        return seated_game.game.phase != "lobby"

    @retries_conflicts
    async def decline_rematch(self, user_id: int, game_id: int) -> None:
        async with self._store.write() as tx:
            await rematch.decline_rematch(tx, await load_seated_game(tx, game_id), user_id, now=self.now())
        self._note_change()

    async def _count_opening(self, tx: Transaction, host_id: int, guild_id: int) -> None:
        """Count a game that a user opens.

        Raises `Refusal` if they host too many games, or if they or others on the server have just opened many.

        A host who gave up their own seat still counts; games that this bot cannot play, or that somebody else opened,
        do not. Each opening leaves messages in the channel, and often a thread.
        """
        now = self.now()
        hosted = [game for game in await tx.games.hosted_by_user(host_id) if game.system in playable_systems()]
        if len(hosted) >= self._limits.open_games:
            hosted = [game for game in hosted if await hosts.has_opened(tx, game.id)]
        if len(hosted) >= self._limits.open_games:
            raise Refusal("too_many_games", most=self._limits.open_games)
        own_openings = await tallies.still_counted(tx, OPENING, host_id, now=now)
        if len(own_openings) >= (most := self._limits.per_user):
            raise Refusal("too_many_opened", most=most, when=own_openings[-most].until)
        server_openings = await tx.games.openings_on_server(guild_id, since=now - OPENING_WINDOW_S)
        if len(server_openings) >= (most := self._limits.per_server):
            raise Refusal("too_many_opened_here", most=most, when=server_openings[-most] + OPENING_WINDOW_S)
        await tallies.count(tx, OPENING, host_id, now=now, until=now + OPENING_WINDOW_S)

    async def token_for_joining(self, player: Player, game_id: int, team: int | None = None) -> str:
        """Return the token of what a user agrees to with a word. Raises `Refusal` if they can't join the lobby."""
        async with self._store.read() as tx:
            seated_game = await load_seated_game(tx, game_id)
            refuse_unless_lobby(seated_game.game)
            lobby.seat_for(seated_game.game, seated_game.seats, player.user_id, team)
            await abandoning.refuse_removed(tx, game_id, player.user_id, now=self.now())
        return lobby.lobby_token(seated_game)

    @retries_conflicts
    async def join_lobby(
        self, player: Player, game_id: int, team: int | None = None, word: str = "", seen: str | None = None
    ) -> JoinResult:
        """Take a seat, with a word for the dice or ("") without. Raises `Refusal`.

        Who joins must be asked for a word: the host may start the game in the next moment. With a word they agree to
        the words and settings that they have seen, given by their token (None: all).
        """
        parsed_word = lobby.parse_word(word)
        async with self._store.write() as tx:
            seated_game = await load_seated_game(tx, game_id)
            refuse_unless_lobby(seated_game.game)
            must_agree_again = await self._sit_down(tx, seated_game, player, team, word=parsed_word, seen=seen)
            previous_id = await rematch.find_previous_game(tx, game_id)
        self._note_change()
        has_begun = previous_id is not None and await self._start_rematch_if_ready(game_id)
        return JoinResult(has_begun=has_begun, must_agree_again=must_agree_again)

    async def _sit_down(
        self,
        tx: Transaction,
        seated_game: SeatedGame,
        player: Player,
        team: int | None,
        *,
        word: str | None,
        seen: str | None,
    ) -> bool:
        """Seat a user. Return whether they must send their word again, because the lobby isn't as they have seen it."""
        is_as_seen = seen is None or seen == lobby.lobby_token(seated_game)
        await lobby.sit_down(tx, seated_game, player, team, now=self.now())
        if word is None:
            return False
        await self._store_first_word(tx, seated_game.game.id, player, word, agreed=is_as_seen)
        return not is_as_seen

    async def _store_first_word(
        self, tx: Transaction, game_id: int, player: Player, word: str, *, agreed: bool = True
    ) -> None:
        seated_game = await load_seated_game(tx, game_id)
        seat = seated_game.require_seat(player.user_id)
        await lobby.store_word(tx, seated_game, seat, word, agreed=agreed, chance=self._entropy, now=self.now())

    @retries_conflicts
    async def leave_lobby(self, user_id: int, game_id: int) -> bool:
        """Leave a lobby. Return whether that cancels it, which it does for the host. Raises `Refusal`."""
        async with self._store.write() as tx:
            seated_game = await load_seated_game(tx, game_id)
            refuse_unless_lobby(seated_game.game)
            seat = seated_game.require_seat(user_id)
            await lobby.stand_up(tx, seated_game, seat, by=user_id, now=self.now())
        self._note_change()
        return user_id == seated_game.game.host_id

    async def would_cancel(self, user_id: int, game_id: int) -> bool:
        """Return whether the user is the host, whose leaving cancels the lobby. Raises `Refusal` if it is closed."""
        seated_game = await self._reader.games.seated_game(game_id)
        if user_id != seated_game.game.host_id:
            return False
        refuse_unless_lobby(seated_game.game)
        return True

    async def verdict_on_ending(
        self, user_id: int, game_id: int, removed: SeatRow | None = None
    ) -> abandoning.Verdict | None:
        """Return what counts for a captain who calls a lobby off, leaves it or removes another; None: nothing."""
        async with self._store.read() as tx:
            seated_game = await load_seated_game(tx, game_id)
        if seated_game.seat_of(user_id) is None:
            return None
        return abandoning.verdict_on(seated_game, user_id, removed=removed, now=self.now())

    @retries_conflicts
    async def add_word(self, user_id: int, game_id: int, text: str, seen: str | None = None) -> SeatedGame:
        """Add or change a captain's word for the dice; without text, take it back. Raises `Refusal`.

        With it the captain agrees to the other words that they have seen, given by their token (None: all).
        """
        word = lobby.parse_word(text)
        async with self._store.write() as tx:
            seated_game = await load_seated_game(tx, game_id)
            refuse_unless_lobby(seated_game.game)
            seat = seated_game.require_seat(user_id)
            if word is not None and seen is not None:
                lobby.refuse_unseen_changes(seated_game, seen)
            if word != seat.word:  # others must send theirs again
                await count_post(tx, game_id, user_id, now=self.now())
            agreed = seen is None or seen == lobby.lobby_token(seated_game)
            await lobby.store_word(tx, seated_game, seat, word, agreed=agreed, chance=self._entropy, now=self.now())
            seated_game = await load_seated_game(tx, game_id)
        self._note_change()
        return seated_game

    @retries_conflicts
    async def choose_option(self, user_id: int, game_id: int, key: str, value: str) -> None:
        async with self._store.write() as tx:
            seated_game, now = await load_seated_game(tx, game_id), self.now()
            message = await options.choose_option(tx, seated_game, user_id, key, value, now=now)
        if message:
            self._step_runner.listener.note_due_message(message.due_at)

    @retries_conflicts
    async def choose_game(self, user_id: int, game_id: int, system: str) -> None:
        async with self._store.write() as tx:
            seated_game, now = await load_seated_game(tx, game_id), self.now()
            message = await options.choose_game(tx, seated_game, user_id, system, now=now)
        if message:
            self._step_runner.listener.note_due_message(message.due_at)

    @retries_conflicts
    async def choose_match(self, user_id: int, game_id: int, *, is_match: bool) -> None:
        async with self._store.write() as tx:
            seated_game = await load_seated_game(tx, game_id)
            await options.choose_match(tx, seated_game, user_id, is_match=is_match, now=self.now())
        self._note_change()

    async def choose_rating(self, user_id: int, game_id: int, *, rated: bool) -> None:
        async with self._store.write() as tx:
            seated_game = await load_seated_game(tx, game_id)
            await options.choose_rating(tx, seated_game, user_id, rated=rated, now=self.now())
        self._note_change()

    async def set_scenario(self, user_id: int, game_id: int, text: str) -> SeatedGame:
        """Set the host's own scenario; without text, remove it. Raises `Refusal`, or `OrderError` if it is invalid."""
        seated_game = await self._reader.games.seated_game(game_id)
        setup = options.setup_with_scenario(seated_game, user_id, text)
        await self._trials.refuse_if_unplayable(setup, user_id)
        async with self._store.write() as tx:
            seated_game = await options.set_scenario(tx, seated_game, user_id, setup, now=self.now())
        self._note_change()
        return seated_game

    async def start_game(
        self, user_id: int, game_id: int, seen: str | None = None, free_seen: int | None = None
    ) -> None:
        """Start a game; the computer gets free seats. Raises `Refusal` or `OrderError`.

        `seen`: the token of the words that the host has seen (None: none). `free_seen`: the number of free seats
        that the host has seen.
        """
        seated_game = await self._reader.games.seated_game(game_id)
        refuse_unless_lobby(seated_game.game)
        if user_id != seated_game.game.host_id:
            raise Refusal("not_host")
        free_seats = sum(seat.is_free for seat in seated_game.seats)
        if free_seen is not None and free_seen != free_seats:
            raise Refusal("lobby_changed")
        await self._start_game(seated_game, seen)

    @retries_conflicts
    async def _start_game(self, seated_game: SeatedGame, seen: str | None = None) -> None:
        """Compute the first step and store it if the lobby has not changed. Raises `Refusal` or `OrderError`."""
        game_id = seated_game.game.id
        lobby.refuse_unagreed_words(seated_game, seen)
        lobby.refuse_unasked_guests(seated_game)
        async with self._store.read() as tx:
            setup = await _final_setup(tx, seated_game)
        if any(seated_game.dice_words) and lobby.have_keepsakes_changed(seated_game.game, setup):
            await self._ask_again(game_id)
        first_step = await self._first_step(_with_setup(seated_game, setup))
        first_step = await self._step_runner.add_statistics(seated_game.game, GameStarted(), first_step)
        async with self._store.write() as tx:
            current = await load_seated_game(tx, game_id)
            refuse_unless_lobby(current.game)
            current_setup = await _final_setup(tx, current)
            # The rules do not see names: renamed keepsakes do not matter.
            has_setup_changed = keepsakes.without_keepsake_names(current_setup) != keepsakes.without_keepsake_names(
                setup
            )
            if _agreed_settings(current) != _agreed_settings(seated_game) or has_setup_changed:
                raise Refusal("busy")
            if current.is_rated and all(seat.user_id is not None for seat in current.seats):
                await abandoning.refuse_barred(tx, current.game.host_id, now=self.now())
            await abandoning.update_mentions(tx, current, now=self.now())
            if current_setup != current.game.setup:
                await tx.games.change(game_id, setup=current_setup)
                current = _with_setup(current, current_setup)
            await lobby.give_free_seats_to_computer(tx, current.seats)
            game = current.game
            if game.is_match and sum(seat.user_id is not None for seat in current.seats) < matches.MATCH_GAMES:
                game = structs.replace(game, is_match=False)  # nobody exchanges sides with the computer
                await tx.games.change(game_id, is_match=False)
            if is_solo_lobby(current):
                game = await resolve_early_while_solo(tx, game)
            await self._seat_captains(tx, current)
            await enqueue.update_lobby(tx, game_id, now=self.now())
            await enqueue.update_invitations(tx, game_id, now=self.now())
            await enqueue.announce_start(tx, game_id, now=self.now())
            await self._step_runner.step_store.commit_step(tx, game, GameStarted(), first_step)
        log.info("game began", extra={"game": game_id})
        self._step_runner.start_advancing(game_id)

    async def _ask_again(self, game_id: int) -> None:
        """Ask for agreement to changed keepsakes, and raise `Refusal`."""
        async with self._store.write() as tx:
            seated_game = await load_seated_game(tx, game_id)
            refuse_unless_lobby(seated_game.game)
            await lobby.note_keepsakes(tx, seated_game, now=self.now())
            await enqueue.update_lobby(tx, game_id, now=self.now())
            seated_game = await load_seated_game(tx, game_id)
        self._note_change()
        lobby.refuse_unagreed_words(seated_game, None)
        raise Refusal("busy")

    async def _first_step(self, seated_game: SeatedGame) -> play.StepResult:
        """Return the first step of a game. Raises `OrderError`, or `Refusal` if the host's own scenario fails."""
        has_own_scenario = seated_game.game.setup.scenario is not UNSET
        if has_own_scenario and (refusal := await self._trials.why_refused(seated_game.game.setup)):
            raise refusal
        computer_seats = tuple(seat.seat for seat in seated_game.seats if seat.computer or seat.is_free)
        context = structs.replace(seated_game.step_context(), computer_seats=computer_seats)
        try:
            game = seated_game.game
            return await self._workers.run_step(
                game.host_id, play.begin_game, game.setup, seated_game.dice_seed, context
            )
        except (JobFailed, JobLimitExceeded) as error:
            if not has_own_scenario:
                raise
            log.warning("scenario fails", extra={"game": seated_game.game.id, "why": str(error)})
            raise Refusal("scenario_fails") from error

    async def _seat_captains(self, tx: Transaction, seated_game: SeatedGame) -> None:
        for seat in seated_game.seats:
            if seat.user_id is not None:
                await tx.captaincies.begin(seated_game.game.id, seat.seat, user_id=seat.user_id, from_step=0)
        if not all(seat.user_id for seat in seated_game.seats):
            await make_unrated(tx, seated_game.game)


async def _final_setup(tx: Transaction, seated_game: SeatedGame) -> Setup:
    return RULESETS[seated_game.game.system].with_edition(await keepsakes.with_keepsakes(tx, seated_game))


def _with_setup(seated_game: SeatedGame, setup: Setup) -> SeatedGame:
    return structs.replace(seated_game, game=structs.replace(seated_game.game, setup=setup))


def _agreed_settings(seated_game: SeatedGame) -> tuple[object, ...]:
    """Return what must not change between the host's press and the start of the game."""
    game = seated_game.game
    return seated_game.seats, game.setup, game.pace, game.early, game.is_match, game.rated
