"""How a turn and a game go on, and what captains do besides (RS-03, RS-20, RS-22)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, structs

from rules.core import endings
from rules.core.protocol import Event, Seat
from rules.ramspeed.engine.events.base import dice_params, name_of, side_name, side_name_with_captains
from rules.ramspeed.engine.state import Link, Ship

EndReason = Literal["wiped_out", "turns", "quiet", "conceded", "agreed", "claimed", "called_off"]
"""The first three are those of cases; the others are captains' own doing, but for the last: it couldn't go on."""


class TurnBegan(Event, frozen=True, kw_only=True, tag="turn_began"):
    """A turn begins; with the ships as they lie, so that it can be drawn from its events. No case shows it."""

    weight = 0

    turn: int
    ships: tuple[Ship, ...]
    links: tuple[Link, ...]


class InitiativeRolled(Event, frozen=True, kw_only=True, tag="initiative"):
    """One roll for the order of play (RS-03.1)."""

    weight = 0

    player: str
    dice: tuple[int, int]
    total: int

    @property
    def params(self) -> dict[str, Any]:
        """With the captain and each die."""
        return {**dice_params(self, self.dice), "player": name_of(self.player)}


class OrderOfPlaySet(Event, frozen=True, kw_only=True, tag="sequence"):
    """The order of the player-turns of this turn."""

    headline_rule = 0

    players: tuple[str, ...]

    @property
    def params(self) -> dict[str, Any]:
        """With the captains."""
        return {**structs.asdict(self), "players": tuple(map(name_of, self.players))}


class PlayerTurnBegan(Event, frozen=True, kw_only=True, tag="player_turn"):
    """A player-turn begins."""

    weight = 0
    may_reveal = False

    player: str

    @property
    def params(self) -> dict[str, Any]:
        """With the captain."""
        return {**structs.asdict(self), "player": name_of(self.player)}


class GameEnded(Event, frozen=True, kw_only=True, tag="end"):
    """The game is over (RS-20)."""

    weight = 3

    reason: EndReason
    score: tuple[int, int]
    """By side in seat order."""
    winner: Annotated[str, Meta(examples=["Athens", "draw"])]
    """A side, or `draw`."""
    seats: tuple[Seat, ...] = ()
    """Who has won, as far as captains hold the side; no case shows it."""

    @property
    def variant(self) -> str:
        """Why, and `.drawn` after it if nobody has won."""
        return f"{self.reason}.drawn" if self.winner == "draw" else self.reason

    @property
    def params(self) -> dict[str, Any]:
        """With the score of either side, and the winner as a list of one."""
        return {
            **structs.asdict(self),
            "first": self.score[0],
            "second": self.score[1],
            "winner": (side_name_with_captains(self.winner, self.seats),),
        }


class SidesDrawn(Event, frozen=True, kw_only=True, tag="sides_drawn"):
    """The sides are given out, by a die or as agreed."""

    variant_of = ("die", "thrown", "")
    weight = 2

    sides: tuple[str, str]
    first: tuple[Seat, ...]
    """Who has the first side."""
    second: tuple[Seat, ...]
    die: int
    """0: agreed."""

    @property
    def params(self) -> dict[str, Any]:
        """With each side's name, as a list of one."""
        one, other = self.sides
        return {**structs.asdict(self), "one": (side_name(one),), "other": (side_name(other),)}


class DoctrineChanged(Event, frozen=True, kw_only=True, tag="doctrine_changed"):
    """A captain changed a doctrine, or the sheet that stands in for a missing one; only that captain sees it."""

    weight = 0

    seat: Seat


class TurnEnded(Event, frozen=True, kw_only=True, tag="turn_ended"):
    """A captain ended a player-turn, where captains act in turn."""

    weight = 0

    seat: Seat


class InheritedShip(Struct, frozen=True):
    """A ship with a new captain."""

    ship: str
    owner: str


class CaptainConceded(endings.CaptainConceded, frozen=True, kw_only=True, tag="gave_up"):
    """A captain gave up (RS-20.4)."""

    variant_of = ("heirs", "ally", "")

    heirs: tuple[Seat, ...]
    """Allies who take over the ships; none: the side has lost."""
    given: tuple[InheritedShip, ...] = ()
    """The ships that they take over."""
