"""Let anyone take over the seats of captains who do not answer."""

from __future__ import annotations

from bot.errors import Refusal
from bot.lifecycle.people import giving_up, keepsakes, seats
from bot.lifecycle.people.agreement import advance_if_agreed
from bot.lifecycle.people.captains import captains_of, refuse_biased
from bot.lifecycle.people.posting import count_post
from bot.lifecycle.steps import battles
from bot.lifecycle.steps.playing import (
    SeatedGame,
    load_seated_game,
    refuse_unless_at_rest,
    refuse_unless_running,
    require_active_seat,
)
from bot.services import lobby
from bot.services.base import GameService, between_steps
from bot.store.models.records import Player
from bot.store.queries.transaction import Transaction
from bot.texts.whole import playable_systems


class AbsenceService(GameService):
    async def games_seeking_captain(self, guild_id: int) -> list[SeatedGame]:
        async with self._store.read() as tx:
            games = await tx.games.with_offered_seats(guild_id)
            playable = [game for game in games if game.system in playable_systems()]
            # Nobody may take over a seat in a game with keepsakes.
            return [await load_seated_game(tx, game.id) for game in playable if not keepsakes.has_keepsakes(game)]

    async def take_over_seat(self, player: Player, game_id: int, seat_no: int | None = None) -> SeatedGame:
        """Take an offered seat (None: the first), or the user's own from a planted captain without orders.

        Raises `Refusal`.
        """
        now = self.now()
        async with self._store.write() as tx:
            seated_game = await load_seated_game(tx, game_id)
            game = seated_game.game
            refuse_unless_running(game)
            if seated_game.seat_of(player.user_id):
                raise Refusal("already_in")
            captains = await captains_of(tx, seated_game)
            offered_seats = [
                seat
                for seat in seated_game.seats
                if (seat.is_offered or captains.may_reclaim(player.user_id, seat))
                and seat_no in (None, seat.seat)
                and not await battles.has_same_captain_above(tx, game, seat)
            ]
            if not offered_seats:
                raise Refusal("not_offered")
            seat = max(offered_seats, key=lambda seat: captains.has_held(player.user_id, seat))
            if not captains.may_reclaim(player.user_id, seat):
                keepsakes.refuse_substitutes(game)
            if game.private and not captains.has_held(player.user_id, seat):
                raise Refusal("private")
            refuse_unless_at_rest(game)
            await refuse_biased(tx, captains, player.user_id, seat)
            await count_post(tx, game_id, player.user_id, now=now)
            await seats.replace_captain(tx, seated_game, seat, player, "substituted", user_id=player.user_id, now=now)
        self._note_change()
        return seated_game

    @between_steps
    async def give_back_seat(self, user_id: int, game_id: int) -> None:
        """Offer the seat of a captain who does not speak for its side yet. Raises `Refusal`."""
        async with self._store.write() as tx:
            seated_game = await load_seated_game(tx, game_id)
            seat = require_active_seat(seated_game, user_id)
            refuse_unless_running(seated_game.game)
            refuse_unless_at_rest(seated_game.game)
            await count_post(tx, game_id, user_id, now=self.now())
            games = await seats.give_back_seat(tx, seated_game, seat, now=self.now())
            for game in games:
                await advance_if_agreed(tx, game, now=self.now())
        for game in games:
            self._step_runner.start_advancing(game.id)

    async def offer_seats_of_departed(self, user_id: int, guild_id: int) -> None:
        """Offer a user's seats on a server that they have left, or from which somebody has removed them."""
        async with self._store.write(of_many=True) as tx:
            await offer_seats(tx, user_id, "left", guild_id=guild_id, now=self.now(), counts=True)
        self._note_change()


async def offer_seats(
    tx: Transaction, user_id: int, kind: str, *, now: int, guild_id: int | None = None, counts: bool = False
) -> None:
    """Offer a user's seats on a server (None: everywhere), logged under `kind`; take them out of lobbies.

    If it `counts`, it offers none in games in which the user has made the bot post too often. There, seats are offered
    once they have missed deadlines.
    """
    for game in await tx.games.of_user(user_id):
        seated_game = await load_seated_game(tx, game.id)
        seat = seated_game.seat_of(user_id)
        is_on_server = guild_id in (None, game.guild_id)
        if is_on_server and seat and not seat.is_offered and not seat.conceded:
            if game.is_lobby:
                has_left = kind == "left"  # or a manager has removed them from the server, so that nobody is barred
                await lobby.stand_up(tx, seated_game, seat, by=user_id if has_left else None, bars=False, now=now)
            elif game.phase != "lobby":
                try:
                    if counts:
                        await count_post(tx, game.id, user_id, now=now)
                except Refusal:
                    await giving_up.note_offered(tx, seated_game, seat, kind, now=now)
                    continue
                await seats.offer_seat(tx, seated_game, seat, kind, now=now)
