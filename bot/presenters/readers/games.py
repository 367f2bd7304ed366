"""Games and their seats, as people may see them, and players."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct, structs

from bot.errors import Refusal
from bot.jobs import play
from bot.lifecycle.people.captains import captains_of
from bot.lifecycle.ratings import ratings
from bot.lifecycle.steps.playing import SeatedGame, load_seated_game, require_active_seat
from bot.presenters import inbox, story
from bot.presenters.inbox import InboxEntry
from bot.presenters.readers.context import SubjectReader
from bot.presenters.source import GameSource
from bot.presenters.verdicts import ParentFacts, read_running_parent
from bot.store.models.records import Game, Player, RatingRow, RatingSummary, RequestRow
from rules.core.reports import BattleForecast


class GameStatus(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame
    awaited_requests: tuple[RequestRow, ...]  # required ones without an answer
    battles: tuple[SeatedGame, ...] = ()  # running battles of this game
    parent: SeatedGame | None = None  # the game that this battle is part of; None for other games


class ConcessionTerms(Struct, frozen=True, kw_only=True):
    """The effect of conceding on a captain."""

    seated_game: SeatedGame
    points_lost: int  # rating points; 0: none, or unknown
    gives_seat_back: bool  # whether the captain, who does not speak for the side yet, would only give the seat back
    parent: ParentFacts | None = None  # the game that a battle belongs to
    forecast: BattleForecast = BattleForecast()  # what the battle means so far for that game


class GameReader(SubjectReader):
    async def seated_game(self, game_id: int) -> SeatedGame:
        """Return a game and its seats. Raises `Refusal`."""
        async with self._context.store.read() as tx:
            return await load_seated_game(tx, game_id)

    async def seated_games(self, games: Iterable[Game]) -> list[SeatedGame]:
        async with self._context.store.read() as tx:
            return [await load_seated_game(tx, game.id) for game in games]

    async def concession_terms(self, game_id: int, user_id: int) -> ConcessionTerms:
        """Return what conceding a game would mean for the user. Raises `Refusal`."""
        async with self._context.store.read() as tx:
            seated_game = await load_seated_game(tx, game_id)
            seat = require_active_seat(seated_game, user_id)
            if not (seat.conceded or (await captains_of(tx, seated_game)).may_give_up(seat)):
                return ConcessionTerms(seated_game=seated_game, points_lost=0, gives_seat_back=True)
            points = await ratings.rating_at_stake(tx, seated_game, seat, now=self._context.now())
            terms = ConcessionTerms(seated_game=seated_game, points_lost=points, gives_seat_back=False)
            source = await GameSource.open(tx, game_id, self._context.digest)
            parent = await read_running_parent(source)
            if parent is None:
                return terms
            state = (await source.last_step()).state
        forecast = await self._context.workers.run_rules(
            play.foresee_battle, parent.battle, parent.state, seated_game.game.system, state, seat.seat
        )
        return structs.replace(terms, parent=parent, forecast=forecast)

    async def game_of_thread(self, place_id: int) -> Game | None:
        async with self._context.store.read() as tx:
            return await tx.games.by_thread(place_id)

    async def games_of_user(self, user_id: int, *, ended: bool = False, most: int | None = None) -> list[Game]:
        """Return at most `most` games of a player, newest first; finished ones only if `ended`."""
        phases = ("lobby", "running", "resolving") + (("over",) if ended else ())
        async with self._context.store.read() as tx:
            return await tx.games.of_user(user_id, phases=phases, most=most)

    async def read_inbox(self, user_id: int) -> list[InboxEntry]:
        async with self._context.store.read() as tx:
            return await inbox.read_inbox(tx, user_id)

    async def read_status(self, game_id: int) -> GameStatus:
        """Return which requests a game waits for. Raises `Refusal` if it has not begun."""
        async with self._context.open_game(game_id) as source:
            if source.game.step_no < 0:
                raise Refusal("not_started")
            awaited = [row for row in await source.open_requests() if row.status == "open" and not row.optional]
            battles = [
                battle
                for battle in await source.tx.games.battles_of(game_id)
                if battle.phase in ("running", "resolving")
            ]
            return GameStatus(
                seated_game=source.seated_game,
                awaited_requests=tuple(awaited),
                battles=tuple([await load_seated_game(source.tx, battle.id) for battle in reversed(battles)]),
                parent=(await story.read_start(source)).parent,
            )


class PlayerReader(SubjectReader):
    async def find_player(self, user_id: int) -> Player | None:
        """Return a player's preferences; None if they have never played nor set any."""
        async with self._context.store.read() as tx:
            return (await tx.players.find_all([user_id])).get(user_id)

    async def server_scores(self, guild_id: int) -> list[RatingSummary]:
        async with self._context.store.read() as tx:
            return await tx.ratings.scores(guild_id=guild_id)

    async def user_career(self, user_id: int) -> tuple[dict[str, RatingSummary], list[RatingRow], dict[int, str]]:
        """Return a user's ratings by kind of game, their results, and their battles' ids with the parents' kinds."""
        async with self._context.store.read() as tx:
            scores = {rating.system: rating for rating in await tx.ratings.scores(user_id=user_id)}
            return scores, await tx.ratings.of_user(user_id), await tx.ratings.battles_of_user(user_id)
