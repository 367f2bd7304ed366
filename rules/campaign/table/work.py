"""A turn in the making: the galleys as they are now, what each does, and what has happened so far (CA-2.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from msgspec import structs

from rules.campaign.table.events import GalleysSighted
from rules.campaign.table.sea.sight import seats_seeing, seen_galleys, visible_sieges
from rules.campaign.table.sea.state import Galley, Position, Stance
from rules.dice import Dice
from rules.protocol import Event, Seat
from rules.sides import seat_of


@dataclass
class DiceStream:
    """The dice of a turn: one stream serves all its battles (CA-7.5)."""

    dice: Dice

    def die(self, sides: int) -> int:
        """Throw the next die, with so many faces."""
        face, self.dice = self.dice.die(sides)
        return face


@dataclass
class GalleyTurn:
    """What one galley does in a turn."""

    stance: Stance = "hold"
    route: tuple[str, ...] = ()
    chase: str = ""
    """The captain who is chased, by letter."""
    alone: bool = False
    """Her fleet has a lame galley in it, and rows in the first watch only (CA-4.2, CA-4.5)."""
    began: str = ""
    """Where she lay when the watch began."""
    bound: str = ""
    """Where she will lie at its end."""
    rowed: bool = False
    """In this turn (CA-10.5)."""
    fought: bool = False
    """In this turn (CA-5.1)."""
    stopped: bool = False
    """She rows no more in this turn (CA-5.5, CA-5.8, CA-5.9)."""
    quiet: bool = False
    """She meets nobody more in this watch (CA-5.5, CA-5.9)."""


@dataclass
class TurnInProgress:
    """A turn in the making. It is changed in place, and made of values and read out into values again."""

    position: Position
    cup: DiceStream
    galleys: dict[str, Galley] = field(default_factory=dict)
    """By id, by letter and number."""
    doing: dict[str, GalleyTurn] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    booms: set[str] = field(default_factory=set)
    """Ports whose boom was told in this turn, each with its captain's letter (CA-5.6)."""
    besieged: frozenset[str] = frozenset()
    """Ports for which galley-nights are noted from the night before (CA-8.6)."""

    @classmethod
    def of(cls, position: Position, dice: Dice) -> TurnInProgress:
        """The beginning of a turn, in which every galley holds (CA-3.6)."""
        work = cls(
            position=position,
            cup=DiceStream(dice),
            besieged=frozenset(position.sieges),
        )
        for galley in position.galleys:
            work.add(galley)
        return work

    def done(self) -> Position:
        """The position as it is now."""
        galleys = sorted(self.galleys.values(), key=lambda galley: (galley.captain, galley.number))
        return structs.replace(self.position, galleys=tuple(galleys))

    def change(self, **changes: object) -> None:
        """Change fields of the position."""
        self.position = structs.replace(self.position, **changes)

    def tell(self, event: Event) -> None:
        """Note what happened."""
        self.events.append(structs.replace(event, map=self.position.map) if hasattr(event, "map") else event)

    # --- galleys ------------------------------------------------------------------------------------------------

    def add(self, galley: Galley) -> None:
        """A galley that is there from now on; she holds."""
        self.galleys[galley.id] = galley
        self.doing[galley.id] = GalleyTurn(began=galley.place, bound=galley.place)

    def joined(self, galley: Galley) -> Galley:
        """The same galley under her captain's next number, which is never used again (CA-1.5)."""
        numbers = self.position.next
        galley = structs.replace(galley, number=numbers[galley.captain])
        self.change(next={**numbers, galley.captain: galley.number + 1})
        self.add(galley)
        return galley

    def put(self, name: str, **changes: object) -> Galley:
        """The galley after these changes."""
        galley = self.galleys[name] = structs.replace(self.galleys[name], **changes)
        return galley

    def lose(self, name: str) -> Galley:
        """The galley, which is there no more."""
        del self.doing[name]
        return self.galleys.pop(name)

    def fleet(self, captain: str) -> list[Galley]:
        """A captain's galleys, by number."""
        return self.sorted(galley for galley in self.galleys.values() if galley.captain == captain)

    def free(self) -> Iterator[Galley]:
        """All galleys that aren't engaged."""
        return (galley for galley in self.galleys.values() if not galley.battle)

    @staticmethod
    def sorted(galleys: Iterable[Galley]) -> list[Galley]:
        """By letter and number."""
        return sorted(galleys, key=lambda galley: (galley.captain, galley.number))

    # --- money and who sees -------------------------------------------------------------------------------------

    def pay(self, captain: str, talents: int) -> None:
        """Give talents to a captain, or take them."""
        purse = self.position.talents
        self.change(talents={**purse, captain: purse[captain] + talents})

    def seers(self, place: str, *more: str) -> tuple[Seat, ...]:
        """Seats of those who see a place, and of these captains (CA-12.3)."""
        seats = {*seats_seeing(self.position, place, self.galleys.values()), *map(seat_of, more)}
        return tuple(sorted(seats))

    def others(self, place: str, captain: str) -> tuple[Seat, ...]:
        """Seats of those who see a place, without this captain."""
        return tuple(seat for seat in self.seers(place) if seat != seat_of(captain))

    def sighted(self, when: Literal["first", "second", "dawn"]) -> None:
        """Tell captains what they see at the end of a watch, or of the turn (CA-2.2, CA-12.4)."""
        galleys = tuple(self.galleys.values())
        for captain in self.position.captains:
            seen = seen_galleys(self.position, captain, galleys)
            sieges = visible_sieges(self.position, captain, galleys) if when == "dawn" else {}
            self.tell(
                GalleysSighted(when=when, places=seen, sieges=sieges, seen_by=(seat_of(captain),), rule="CA-12.4")
            )
