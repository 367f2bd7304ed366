"""A game and who sits at it, and who may do what with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import UNSET, Struct

from bot.errors import Refusal
from bot.jobs import play
from bot.store.models.records import Game, Player, SeatRow
from bot.store.queries.transaction import Transaction
from bot.texts.whole import playable_systems
from rules.chance import fairness

_NO_ANSWERS: Final[Mapping[str, str]] = {}


class SeatedGame(Struct, frozen=True, kw_only=True):
    """A game and who sits at it."""

    game: Game
    seats: list[SeatRow]
    players: dict[int, Player]
    is_rated: bool
    """Whether it is rated, or is a battle of a game that is."""

    def seat_of(self, user_id: int) -> SeatRow | None:
        """The seat that somebody holds; None if they hold none."""
        return next((seat for seat in self.seats if seat.user_id == user_id), None)

    def require_seat(self, user_id: int) -> SeatRow:
        """The seat that somebody holds. Raises `Refusal` if they hold none."""
        if seat := self.seat_of(user_id):
            return seat
        raise Refusal("not_in")

    @property
    def computer_seats(self) -> tuple[int, ...]:
        """Seats played by the computer, from the start or since their captains have given up."""
        return tuple(seat.seat for seat in self.seats if seat.is_computer_controlled)

    @property
    def dice_words(self) -> tuple[str | None, ...]:
        """What was added to the dice, by seat."""
        return tuple(seat.word for seat in self.seats)

    @property
    def dice_seed(self) -> str:
        """The seed (hex) from which its dice are thrown, once it has begun: a secret as its seed is."""
        return fairness.derive_dice_seed(self.game.seed, self.dice_words)

    @property
    def standing_orders(self) -> dict[int, str]:
        """Default standing orders for this game, by seat, as captains typed them."""
        found = {seat.seat: self.players.get(seat.user_id or 0) for seat in self.seats}
        texts = {seat: player.standing.get(self.game.system) for seat, player in found.items() if player}
        return {seat: text for seat, text in texts.items() if text is not None}

    def step_context(self, ahead: Mapping[str, str] = _NO_ANSWERS) -> play.StepContext:
        """What a step needs to know besides the game's state; some answers were given `ahead`, by request."""
        return play.StepContext(
            computer_seats=self.computer_seats, early_answers=ahead, standing_orders=self.standing_orders
        )

    @property
    def is_practice(self) -> bool:
        """Whether nothing is at stake: it is not rated, as no game is that began with a seat of the computer's."""
        return not self.is_rated

    def name_of(self, user_id: int | None, computer: str) -> str:
        """What somebody is called; `computer` names seats without a player."""
        player = self.players.get(user_id or 0)
        return player.name if player else computer

    def seat_names(self, computer: str, vacant: str = "") -> dict[int, str]:
        """Display names by seat; `vacant` names one that lost its captain in a game that goes on."""
        left = vacant if self.game.phase in ("running", "resolving") else computer
        return {
            seat.seat: seat.name or self.name_of(seat.user_id, left if seat.is_free else computer)
            for seat in self.seats
        }


async def load_seated_game(tx: Transaction, game_id: int) -> SeatedGame:
    """A game with its seats and players. Raises `Refusal` if there is no such game."""
    found = await tx.games.with_players(game_id)
    if found is None:
        raise Refusal("unknown_game", piece=f"#{game_id}")
    game, seats, players = found
    return SeatedGame(game=game, seats=seats, players=players, is_rated=await _counts_for_ratings(tx, game))


async def _counts_for_ratings(tx: Transaction, game: Game) -> bool:
    above: Game | None = game
    while above and not above.rated and above.parent_id is not None:
        above = await tx.games.find_without_lock(above.parent_id)
    return above is not None and may_be_rated(above)


def may_be_rated(game: Game) -> bool:
    """Whether a game may be rated as it was set up: a host could write a scenario that can only be won."""
    return game.rated and game.setup.scenario is UNSET


def refuse_left_out(game: Game) -> None:
    """Raise `Refusal` if a game stands still because its words are not whole."""
    if game.system not in playable_systems():
        raise Refusal("left_out")


def refuse_unless_lobby(game: Game) -> None:
    """Raise `Refusal` if a game has begun or ended, or is a battle, which begins by itself as it was opened."""
    if game.phase in ("over", "cancelled"):
        raise Refusal("game_over")
    if game.phase != "lobby":
        raise Refusal("already_started")
    if not game.is_lobby:
        raise Refusal("busy")


def refuse_unless_running(game: Game) -> None:
    """Raise `Refusal` unless a game has begun and not ended."""
    if game.phase == "lobby":
        raise Refusal("not_started")
    if game.phase in ("over", "cancelled"):
        raise Refusal("game_over")


def refuse_unless_at_rest(game: Game) -> None:
    """Raise `Refusal` while a game is going on to its next step."""
    if game.phase == "resolving":
        raise Refusal("busy")


def require_active_seat(playing: SeatedGame, user_id: int) -> SeatRow:
    """The seat of somebody who may act now. Raises `Refusal` if they have none."""
    seat = playing.seat_of(user_id)
    if seat is None:
        raise Refusal("not_seated")
    refuse_unless_running(playing.game)
    refuse_unless_at_rest(playing.game)
    return seat
