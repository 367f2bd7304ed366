"""Events of turns, of the end of a game and of captains (RS-03, RS-20, RS-22)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, structs

from rules.core import endings
from rules.core.protocol import Event, Seat
from rules.ramspeed.engine.events.base import dice_params, name_of, side_name, side_name_with_captains
from rules.ramspeed.engine.state import Link, Ship

EndReason = Literal["wiped_out", "turns", "quiet", "conceded", "agreed", "claimed", "called_off"]
"""Cases use the first three. The next three are decided by captains; `called_off` means that the game cannot go on."""


class TurnBegan(Event, frozen=True, kw_only=True, tag="turn_began"):
    """A turn began. It holds ships and links, so that the turn can be drawn from its events; no case includes it."""

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
        return {**dice_params(self, self.dice), "player": name_of(self.player)}


class OrderOfPlaySet(Event, frozen=True, kw_only=True, tag="sequence"):
    headline_rule = 0

    players: tuple[str, ...]

    @property
    def params(self) -> dict[str, Any]:
        return {**structs.asdict(self), "players": tuple(map(name_of, self.players))}


class PlayerTurnBegan(Event, frozen=True, kw_only=True, tag="player_turn"):
    weight = 0
    may_reveal = False

    player: str

    @property
    def params(self) -> dict[str, Any]:
        return {**structs.asdict(self), "player": name_of(self.player)}


class GameEnded(Event, frozen=True, kw_only=True, tag="end"):
    weight = 3

    reason: EndReason
    score: tuple[int, int]
    winner: Annotated[str, Meta(examples=["Athens", "draw"])]
    """A side, or `draw`."""
    seats: tuple[Seat, ...] = ()
    """The captains who won; empty for sides without captains. Cases do not include it."""

    @property
    def variant(self) -> str:
        return f"{self.reason}.drawn" if self.winner == "draw" else self.reason

    @property
    def params(self) -> dict[str, Any]:
        return {
            **structs.asdict(self),
            "first": self.score[0],
            "second": self.score[1],
            "winner": (side_name_with_captains(self.winner, self.seats),),
        }


class SidesDrawn(Event, frozen=True, kw_only=True, tag="sides_drawn"):
    variant_of = ("die", "thrown", "")
    weight = 2

    sides: tuple[str, str]
    first: tuple[Seat, ...]
    second: tuple[Seat, ...]
    die: int
    """0: the sides were agreed."""

    @property
    def params(self) -> dict[str, Any]:
        first, second = self.sides
        return {**structs.asdict(self), "one": (side_name(first),), "other": (side_name(second),)}


class DoctrineChanged(Event, frozen=True, kw_only=True, tag="doctrine_changed"):
    """A captain changed a doctrine or the standing sheet; only that captain sees it."""

    weight = 0

    seat: Seat


class TurnEnded(Event, frozen=True, kw_only=True, tag="turn_ended"):
    weight = 0

    seat: Seat


class InheritedShip(Struct, frozen=True):
    ship: str
    owner: str


class CaptainConceded(endings.CaptainConceded, frozen=True, kw_only=True, tag="gave_up"):
    """A captain gave up (RS-20.4)."""

    variant_of = ("heirs", "ally", "")

    heirs: tuple[Seat, ...]
    """Allies who take over the ships; empty: the side has lost."""
    given: tuple[InheritedShip, ...] = ()
