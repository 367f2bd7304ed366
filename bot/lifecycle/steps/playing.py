"""A game with its seats and players, and checks of what may be done in its present phase."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import UNSET, Struct

from bot.errors import Refusal
from bot.jobs import play
from bot.store.models.records import Game, Player, SeatRow
from bot.store.queries.transaction import Transaction
from bot.texts.names import number_namesakes, numbered_name
from bot.texts.whole import playable_systems
from rules.chance import fairness

_NO_ANSWERS: Final[Mapping[str, str]] = {}


class SeatedGame(Struct, frozen=True, kw_only=True):
    game: Game
    seats: list[SeatRow]  # by seat number
    players: dict[int, Player]  # by user id; of the captains and the host
    is_rated: bool  # of a battle: whether its parent game is rated
    seats_above: dict[int, tuple[int, int]] = {}
    """By seat of a battle, the game and the seat for which its captain fights, whose name a computer keeps."""

    def seat_of(self, user_id: int) -> SeatRow | None:
        return next((seat for seat in self.seats if seat.user_id == user_id), None)

    def require_seat(self, user_id: int) -> SeatRow:
        if seat := self.seat_of(user_id):
            return seat
        raise Refusal("not_in")

    @property
    def computer_seats(self) -> tuple[int, ...]:
        return tuple(seat.seat for seat in self.seats if seat.is_computer_controlled)

    @property
    def seats_not_agreed(self) -> tuple[int, ...]:
        """Seats whose captains must send their word to the dice again before the game can start."""
        return tuple(seat.seat for seat in self.seats if seat.word is not None and not seat.word_agreed)

    @property
    def guests_not_agreed(self) -> tuple[int, ...]:
        """Seats of guests without a word who must agree to a game that became rated, or a match, since they joined."""
        return tuple(
            seat.seat
            for seat in self.seats
            if seat.user_id not in (None, self.game.host_id) and seat.word is None and not seat.word_agreed
        )

    @property
    def dice_words(self) -> tuple[str | None, ...]:
        return tuple(seat.word for seat in self.seats)

    @property
    def dice_seed(self) -> str:
        """The seed (hex) of the game's dice once the game has begun. Secret, like the game's own seed."""
        return fairness.derive_dice_seed(self.game.seed, self.dice_words)

    @property
    def standing_orders(self) -> dict[int, str]:
        players_by_seat = {seat.seat: self.players.get(seat.user_id or 0) for seat in self.seats}
        orders_by_seat = {
            seat: player.standing.get(self.game.system) for seat, player in players_by_seat.items() if player
        }
        return {seat: text for seat, text in orders_by_seat.items() if text is not None}

    def step_context(self, ahead: Mapping[str, str] = _NO_ANSWERS) -> play.StepContext:
        """Return what a step needs besides the state. `ahead`: answers sealed early, by request id."""
        return play.StepContext(
            computer_seats=self.computer_seats, early_answers=ahead, standing_orders=self.standing_orders
        )

    @property
    def is_practice(self) -> bool:
        return not self.is_rated

    def name_of(self, user_id: int | None, computer: str) -> str:
        """Return a user's name as `seat_names` has it, or `computer` for a seat without a user."""
        player = self.players.get(user_id or 0)
        if player is None:
            return computer
        seats = (seat.seat for seat in self.seats if player.user_id in (seat.user_id, seat.kept_for))
        return numbered_name(player.name, self.namesake_numbers().get(next(seats, -1)))

    def seat_names(self, computer: str, vacant: str = "") -> dict[int, str]:
        """Return display names by seat: `computer` for a computer, `vacant` for an empty seat of a running game.

        Names that several captains have are numbered.
        """
        vacant_name = vacant if self.game.phase in ("running", "resolving") else computer
        names, numbers = self.plain_names(), self.namesake_numbers()
        return {
            seat.seat: numbered_name(names[seat.seat], numbers.get(seat.seat))
            if seat.seat in names
            else (vacant_name if seat.is_free else computer)
            for seat in self.seats
        }

    def plain_names(self, *, with_invited: bool = False) -> dict[int, str]:
        """Return captains' own names by seat, which several may share."""
        players = {
            seat.seat: self.players.get(seat.user_id or (with_invited and seat.kept_for) or 0) for seat in self.seats
        }
        names = {seat.seat: seat.name for seat in self.seats if seat.name}
        return {seat: player.name for seat, player in players.items() if player} | names

    def namesake_numbers(self) -> dict[int, int]:
        """Return numbers by seat that tell captains with like names apart; others have none."""
        return number_namesakes(self.plain_names(with_invited=True))


async def load_seated_game(tx: Transaction, game_id: int) -> SeatedGame:
    row = await tx.games.with_players(game_id)
    if row is None:
        raise Refusal("unknown_game", piece=f"#{game_id}")
    game, seats, players = row
    return SeatedGame(
        game=game,
        seats=seats,
        players=players,
        is_rated=await _counts_for_ratings(tx, game),
        seats_above=await _seats_above(tx, game) if game.parent_id is not None else {},
    )


async def _seats_above(tx: Transaction, battle: Game) -> dict[int, tuple[int, int]]:
    """Return, by seat of a battle, the game and the seat for which its captain fights."""
    row = await tx.requests.find(battle.parent_id or 0, battle.parent_request or "")
    if row is None or row.body.battle is None:
        return {}
    return {seat: (row.game_id, parent_seat) for seat, parent_seat in enumerate(row.body.battle.seats)}


async def _counts_for_ratings(tx: Transaction, game: Game) -> bool:
    rated_ancestor: Game | None = game
    while rated_ancestor and not rated_ancestor.rated and rated_ancestor.parent_id is not None:
        rated_ancestor = await tx.games.find_without_lock(rated_ancestor.parent_id)
    return rated_ancestor is not None and may_be_rated(rated_ancestor)


def may_be_rated(game: Game) -> bool:
    """Return whether the setup allows rating: a host's own scenario might be one that only one side can win."""
    return game.rated and game.setup.scenario is UNSET


def refuse_left_out(game: Game) -> None:
    if game.system not in playable_systems():
        raise Refusal("left_out")


def refuse_unless_lobby(game: Game) -> None:
    """Raise `Refusal` unless the game is an open lobby that people fill. Battles start by themselves."""
    if game.phase in ("over", "cancelled"):
        raise Refusal("game_over")
    if game.phase != "lobby":
        raise Refusal("already_started")
    if not game.is_lobby:
        raise Refusal("busy")


def refuse_unless_running(game: Game) -> None:
    if game.phase == "lobby":
        raise Refusal("not_started")
    if game.phase in ("over", "cancelled"):
        raise Refusal("game_over")


def refuse_unless_at_rest(game: Game) -> None:
    if game.phase == "resolving":
        raise Refusal("busy")


def require_active_seat(seated_game: SeatedGame, user_id: int) -> SeatRow:
    seat = seated_game.seat_of(user_id)
    if seat is None:
        raise Refusal("not_seated")
    refuse_unless_running(seated_game.game)
    refuse_unless_at_rest(seated_game.game)
    return seat
