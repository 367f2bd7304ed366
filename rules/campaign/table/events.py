"""What can happen in The Sailing Season. Chat tells it and pictures draw it from these alone.

Captains go by their letters, places by their codes. What only some may know says so in `seen_by` (CA-12.3).
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct, structs

from rules.campaign.table.state import Galley
from rules.happenings import GaveUp
from rules.protocol import Event
from rules.view import Text

Mode = Literal["play", "dice", "busy", "agreed"]
"""How a battle is settled: played, or by dice as CA-6.2 a and b, c, or d says."""


Chart = Annotated[str, Meta(examples=["gulf"])]
Code = Annotated[str, Meta(examples=["PIR"])]
"""Of a place."""


class _Event(Event, frozen=True, kw_only=True):
    map: Chart = ""
    """On which map, so that places can be told by their names."""

    places_in: ClassVar[tuple[str, ...]] = ()
    """Fields that are codes of places."""

    @property
    def params(self) -> dict[str, Any]:
        """What its sentence may name: places by their names, lists as words."""
        return {name: self._told(name, value) for name, value in structs.asdict(self).items()}

    def _told(self, name: str, value: Any) -> Any:  # noqa: ANN401 - of any field
        if name in self.places_in and self.map:
            return (Text(f"place.{self.map}.{value}"),)
        match value:
            case tuple() | list():
                return ", ".join(" > ".join(one) if isinstance(one, tuple) else str(one) for one in value) or "–"
            case dict():
                return ", ".join(f"{key} {count}" for key, count in value.items()) or "–"
            case None:
                return "–"
        return value


class TurnBegan(_Event, frozen=True, kw_only=True):
    """A turn is carried out (CA-2.2)."""

    weight = 0

    turn: int


class Paid(_Event, frozen=True, kw_only=True):
    """A gift, known to giver and receiver (CA-10.6)."""

    by: str
    to: str
    talents: int


class BattleMet(_Event, frozen=True, kw_only=True):
    """Fleets met, and there is a battle (CA-5.1)."""

    places_in = ("place",)

    weight = 2
    variant_of = "mode"

    id: str
    place: Code
    attackers: tuple[str, ...]
    defenders: tuple[str, ...]
    galleys: tuple[tuple[str, ...], tuple[str, ...]]
    mode: Mode


class BattleEnded(_Event, frozen=True, kw_only=True):
    """A battle is over (CA part 8)."""

    places_in = ("place",)

    weight = 2

    id: str
    place: Code
    holds: tuple[str, ...] | None
    """Captains of the side that holds the sea; None: nobody."""
    sunk: tuple[str, ...]
    taken: tuple[str, ...]
    """Ids before they were taken."""
    fled: tuple[tuple[str, str], ...]
    """Galleys, and where they fled."""
    rounds: int


class PrizeTaken(_Event, frozen=True, kw_only=True):
    """A galley that was taken sails under a new number, or was burnt, as its captain knows (CA-8.2)."""

    variant_of = ("galley", "manned", "burnt")

    was: str
    galley: str
    """Empty: the captain had eight galleys already, and it was burnt."""


class CameThrough(_Event, frozen=True, kw_only=True):
    """What a battle left of a galley, as its captain knows (CA part 8)."""

    weight = 0
    befell = ("galley",)

    galley: str
    port: int
    starboard: int
    masts: int
    rank: int


class SlippedAway(_Event, frozen=True, kw_only=True):
    """Galleys avoided a battle, as their captain knows (CA-5.5)."""

    places_in = ("to",)

    captain: str
    galleys: tuple[str, ...]
    to: Code
    """Where the first of them went."""


class SeenSlipping(_Event, frozen=True, kw_only=True):
    """Galleys avoided a battle, as others saw (CA-5.5)."""

    places_in = ("place",)

    captain: str
    place: Code
    """Where it would have been fought."""
    galleys: int


class BoomHeld(_Event, frozen=True, kw_only=True):
    """Galleys lay safe behind their port's boom (CA-5.6)."""

    places_in = ("port",)

    port: Code
    captain: str


class Besieged(_Event, frozen=True, kw_only=True):
    """A night of siege (CA-9.3)."""

    places_in = ("port",)

    port: Code
    by: str
    nights: int
    """Galley-nights so far."""
    of: int
    """Galley-nights at which it falls."""


class PortFell(_Event, frozen=True, kw_only=True):
    """A port fell (CA-9.3)."""

    places_in = ("port",)

    weight = 2
    variant_of = ("was", "lost", "free")

    port: Code
    by: str
    was: str
    """Whose it was; empty: nobody's."""


class Raided(_Event, frozen=True, kw_only=True):
    """Galleys at sea took some of a port's income (CA-9.5)."""

    places_in = ("port",)

    port: Code
    by: str
    talents: int


class Repaired(_Event, frozen=True, kw_only=True):
    """A galley was repaired, as its captain knows (CA-10.5)."""

    galley: str
    port: int
    starboard: int
    masts: int


class Launched(_Event, frozen=True, kw_only=True):
    """A galley was launched, as its captain knows (CA-10.4)."""

    places_in = ("port",)

    port: Code
    galley: str
    price: int


class SeenLaunching(_Event, frozen=True, kw_only=True):
    """A galley was launched, as others saw (CA-10.4)."""

    places_in = ("port",)

    port: Code
    captain: str


class NotLaunched(_Event, frozen=True, kw_only=True):
    """A galley that was ordered was not built, and nothing was paid (CA-10.4)."""

    places_in = ("port",)

    variant_of = "why"

    port: Code
    by: str
    why: Literal["no_yard", "closed", "busy", "full", "dear"]
    """No yard any more; blockaded, besieged or fallen this night; a second galley in one night; eight galleys; no
    talents."""


class Accounted(_Event, frozen=True, kw_only=True):
    """A night's income, and what is left when all is paid, as its captain knows (CA-10.1)."""

    weight = 0

    captain: str
    income: int
    talents: int


class Thirsted(_Event, frozen=True, kw_only=True):
    """A crew had no water (CA-11.2)."""

    galley: str


class AidSent(_Event, frozen=True, kw_only=True):
    """A galley joined the captain who came last (CA-10.7)."""

    places_in = ("place",)

    galley: str
    place: Code


class CorsairJoined(_Event, frozen=True, kw_only=True):
    """A galley joined a captain without ports (CA-14.4)."""

    galley: str


class Lying(Struct, frozen=True):
    """Whose galleys lie somewhere, and how many (CA-12.2)."""

    captain: str
    galleys: int
    engaged: int
    lame: int = -1
    """-1: unknown."""


class Sighted(_Event, frozen=True, kw_only=True):
    """What a captain saw after a watch, or at the end of the turn (CA-2.2, CA-12.4)."""

    weight = 0
    variant_of = "when"

    when: Literal["first", "second", "dawn"]
    places: dict[str, tuple[Lying, ...]]
    """By code, those where somebody else's galleys lay."""
    sieges: dict[str, tuple[str, int]]
    """At the end of the turn, by port who besieges it, and galley-nights."""

    def _told(self, name: str, value: Any) -> Any:  # noqa: ANN401 - of any field
        match name:
            case "places":
                return ", ".join(f"{place}: {_counted(there)}" for place, there in self.places.items()) or "–"
            case "sieges":
                return ", ".join(f"{port}: {by} {nights}" for port, (by, nights) in self.sieges.items()) or "–"
        return super()._told(name, value)


def _counted(there: tuple[Lying, ...]) -> str:
    return " ".join(f"{one.captain} {one.galleys}" for one in there)


class Mustered(_Event, frozen=True, kw_only=True):
    """A captain's galleys as they lie at the end of a turn."""

    weight = 0

    galleys: tuple[Galley, ...]

    def _told(self, name: str, value: Any) -> Any:  # noqa: ANN401 - of any field
        if name == "galleys":
            return (
                ", ".join(f"{one.id} {one.place} {one.port}-{one.starboard}+{one.masts}" for one in self.galleys) or "–"
            )
        return super()._told(name, value)


class TurnEnded(_Event, frozen=True, kw_only=True):
    """A turn is over: what everybody knows of the standing (CA-12.3)."""

    weight = 0

    turn: int
    trophies: dict[str, int]
    laurels: dict[str, int]


class SeasonEnded(_Event, frozen=True, kw_only=True):
    """The campaign is over (CA part 13)."""

    weight = 3
    variant_of = "why"

    winners: tuple[str, ...]
    why: Literal["majority", "last", "laurels", "agreed", "called_off", "conceded"]
    laurels: dict[str, int]


Happening = (
    GaveUp
    | TurnBegan
    | Paid
    | BattleMet
    | BattleEnded
    | PrizeTaken
    | CameThrough
    | SlippedAway
    | SeenSlipping
    | BoomHeld
    | Besieged
    | PortFell
    | Raided
    | Repaired
    | Launched
    | SeenLaunching
    | NotLaunched
    | Accounted
    | Thirsted
    | AidSent
    | CorsairJoined
    | Sighted
    | Mustered
    | TurnEnded
    | SeasonEnded
)
