"""A turn in progress: galleys, what each does, and the events so far (CA-2.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from msgspec import structs

from rules.campaign.engine.events import GalleysSighted
from rules.campaign.engine.sea.sight import seats_seeing, seen_galleys, visible_sieges
from rules.campaign.engine.sea.state import Galley, Position, Stance
from rules.chance.dice import Dice
from rules.core.protocol import Event, Seat
from rules.core.sides import seat_of


@dataclass
class DiceStream:
    """The dice of a turn; one stream serves all its battles (CA-7.5)."""

    dice: Dice  # the dice not thrown yet

    def throw_die(self, sides: int) -> int:
        face, self.dice = self.dice.throw_die(sides)
        return face


@dataclass
class GalleyTurn:
    stance: Stance = "hold"  # whether it attacks, holds or evades (CA-3.4)
    route: tuple[str, ...] = ()  # codes of the places to row to, one a watch
    chase: str = ""  # letter of the captain whose galleys it follows; empty: nobody
    is_slowed: bool = False  # whether the fleet has a lame galley, and rows in the first watch only (CA-4.2, CA-4.5)
    start: str = ""  # the place where the watch began
    destination: str = ""  # the place where the watch will end
    has_rowed: bool = False  # whether the galley rowed in this turn (CA-10.5)
    has_fought: bool = False  # whether the galley fought in this turn (CA-5.1)
    is_stopped: bool = False  # whether the galley rows no more in this turn (CA-5.5, CA-5.8, CA-5.9)
    is_done_meeting: bool = False  # whether the galley has no more meetings in this watch (CA-5.5, CA-5.9)


@dataclass
class TurnInProgress:
    position: Position  # the position so far; its galleys are those at the start of the turn
    dice_stream: DiceStream  # dice for battles in this turn
    galleys: dict[str, Galley] = field(default_factory=dict)  # galleys as they are now, by id
    turns_by_galley: dict[str, GalleyTurn] = field(default_factory=dict)  # what each galley does in this turn, by id
    events: list[Event] = field(default_factory=list)  # events of the turn so far
    announced_booms: set[str] = field(default_factory=set)
    """Ports whose boom was announced in this turn, each with its captain's letter (CA-5.6)."""
    explained_attacks: set[tuple[str, str, str]] = field(default_factory=set)
    """Attacking captain, foe and place of attacks of this turn whose failure was explained."""
    besieged_before: frozenset[str] = frozenset()  # ports with galley-nights from previous nights (CA-8.6)

    @classmethod
    def begin(cls, position: Position, dice: Dice) -> TurnInProgress:
        """Begin a turn, in which every galley holds until it gets orders (CA-3.6)."""
        work = cls(position=position, dice_stream=DiceStream(dice), besieged_before=frozenset(position.sieges))
        for galley in position.galleys:
            work.add_galley(galley)
        return work

    def to_position(self) -> Position:
        galleys = sorted(self.galleys.values(), key=lambda galley: (galley.captain, galley.number))
        return structs.replace(self.position, galleys=tuple(galleys))

    def change(self, **changes: object) -> None:
        self.position = structs.replace(self.position, **changes)

    def add_event(self, event: Event) -> None:
        self.events.append(structs.replace(event, map=self.position.map) if hasattr(event, "map") else event)

    # --- galleys ------------------------------------------------------------------------------------------------

    def add_galley(self, galley: Galley) -> None:
        self.galleys[galley.id] = galley
        self.turns_by_galley[galley.id] = GalleyTurn(start=galley.place, destination=galley.place)

    def renumbered(self, galley: Galley) -> Galley:
        """Add the galley under its captain's next number, which is never used again (CA-1.5)."""
        numbers = self.position.next
        galley = structs.replace(galley, number=numbers[galley.captain])
        self.change(next={**numbers, galley.captain: galley.number + 1})
        self.add_galley(galley)
        return galley

    def update_galley(self, name: str, **changes: object) -> Galley:
        galley = self.galleys[name] = structs.replace(self.galleys[name], **changes)
        return galley

    def remove_galley(self, name: str) -> Galley:
        del self.turns_by_galley[name]
        return self.galleys.pop(name)

    def galleys_of(self, captain: str) -> list[Galley]:
        return self.in_order(galley for galley in self.galleys.values() if galley.captain == captain)

    def free_galleys(self) -> Iterator[Galley]:
        return (galley for galley in self.galleys.values() if not galley.battle)

    @staticmethod
    def in_order(galleys: Iterable[Galley]) -> list[Galley]:
        return sorted(galleys, key=lambda galley: (galley.captain, galley.number))

    # --- money and who sees -------------------------------------------------------------------------------------

    def add_talents(self, captain: str, talents: int) -> None:
        purse = self.position.talents
        self.change(talents={**purse, captain: purse[captain] + talents})

    def seats_seeing(self, place: str, *more: str) -> tuple[Seat, ...]:
        """Return the seats of those who see a place, and of the captains in `more` (CA-12.3)."""
        seats = {*seats_seeing(self.position, place, self.galleys.values()), *map(seat_of, more)}
        return tuple(sorted(seats))

    def other_seats_seeing(self, place: str, captain: str) -> tuple[Seat, ...]:
        return tuple(seat for seat in self.seats_seeing(place) if seat != seat_of(captain))

    def note_sightings(self, when: Literal["first", "second", "dawn"]) -> None:
        galleys = tuple(self.galleys.values())
        for captain in self.position.captains:
            sightings = seen_galleys(self.position, captain, galleys)
            sieges = visible_sieges(self.position, captain, galleys) if when == "dawn" else {}
            self.add_event(
                GalleysSighted(when=when, places=sightings, sieges=sieges, seen_by=(seat_of(captain),), rule="CA-12.4")
            )
