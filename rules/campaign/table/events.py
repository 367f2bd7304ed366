"""What can happen in The Sailing Season. Chat tells it and pictures draw it from these alone.

Captains go by their letters, places by their codes. What only some may know says so in `seen_by` (CA-12.3).
"""

from __future__ import annotations

from itertools import groupby
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, structs

from rules.campaign.table.sea.naming import captains, named, number_of
from rules.campaign.table.sea.sight import Letter, Lying
from rules.campaign.table.sea.state import TYPES, Code, Galley
from rules.happenings import GaveUp, TookUp
from rules.protocol import Event
from rules.sides import seat_of
from rules.spans import spans
from rules.view import Text

Mode = Literal["play", "dice", "busy", "agreed"]
"""How a battle is settled: played, or by dice as CA-6.2 a and b, c, or d says."""


Chart = Annotated[str, Meta(examples=["gulf"])]


class _Event(Event, frozen=True, kw_only=True):
    map: Chart = ""
    """On which map, so that places can be told by their names."""

    places_in: ClassVar[tuple[str, ...]] = ()
    """Fields that are codes of places."""
    captains_in: ClassVar[tuple[str, ...]] = ()
    """Fields that are letters of captains."""

    @property
    def params(self) -> dict[str, Any]:
        """What its sentence may name: places and captains by their names, lists as words."""
        told = {name: self._told(name, value) for name, value in structs.asdict(self).items()}
        return {**told, "number": number_of(told["id"])} if "id" in told else told

    @property
    def parties(self) -> tuple[int, ...]:
        """Seats of the captains it names."""
        return tuple(seat_of(letter) for name in self.captains_in for letter in getattr(self, name) or ())

    def _told(self, name: str, value: Any) -> Any:  # noqa: ANN401 - of any field
        if name in self.places_in and self.map:
            return named(self.map, value)
        if name in self.captains_in and value:
            return captains(value)
        match value:
            case tuple() | list():
                return ", ".join(map(str, value)) or "–"
            case None:
                return "–"
        return value


class TurnBegan(_Event, frozen=True, kw_only=True):
    """A turn is carried out (CA-2.2)."""

    weight = 0

    turn: int


class Paid(_Event, frozen=True, kw_only=True):
    """A gift, known to giver and receiver (CA-10.6)."""

    captains_in = ("by", "to")

    by: Letter
    to: Letter
    talents: int


class BattleMet(_Event, frozen=True, kw_only=True):
    """Fleets met, and there is a battle (CA-5.1)."""

    captains_in = ("attackers", "defenders")

    places_in = ("place",)

    weight = 2
    variant_of = "mode"

    id: str
    place: Code
    attackers: tuple[Letter, ...]
    defenders: tuple[Letter, ...]
    galleys: tuple[tuple[str, ...], tuple[str, ...]]
    mode: Mode

    def _told(self, name: str, value: Any) -> Any:  # noqa: ANN401 - of any field
        if name == "galleys":
            attackers, defenders = (" ".join(spans(side)) for side in self.galleys)
            return (Text("against", {"first": attackers, "second": defenders}),)
        return super()._told(name, value)


class DiceThrown(_Event, frozen=True, kw_only=True):
    """Dice that settled a battle at once (CA part 7)."""

    weight = 0

    id: str
    fortune: tuple[int, int]
    """Of the attackers and of the defenders (CA-7.1)."""
    dice: dict[str, tuple[int, ...]]
    """Of each galley that threw (CA-7.2)."""

    def _told(self, name: str, value: Any) -> Any:  # noqa: ANN401 - of any field
        match name:
            case "fortune":
                return " – ".join(map(str, self.fortune))
            case "dice":
                return tuple(self._throws(galley, dice) for galley, dice in self.dice.items() if dice) or "–"
        return super()._told(name, value)

    def _throws(self, galley: str, dice: tuple[int, ...]) -> Text:
        return Text("dice_of", {"galley": galley, "dice": " ".join(map(str, dice))})


class BattleEnded(_Event, frozen=True, kw_only=True):
    """A battle is over (CA part 8)."""

    captains_in = ("holds",)

    places_in = ("place",)

    weight = 2

    id: str
    place: Code
    holds: tuple[Letter, ...] | None
    """Captains of the side that holds the sea; None: nobody."""
    sunk: tuple[str, ...]
    taken: tuple[str, ...]
    """Ids before they were taken."""
    fled: tuple[tuple[str, Code], ...]
    """Galleys, and where they fled."""
    rounds: int

    @property
    def parties(self) -> tuple[int, ...]:
        """Who holds the sea, and those who lost galleys or fled."""
        lost = (*self.sunk, *self.taken, *(galley for galley, _ in self.fled))
        return tuple(dict.fromkeys([*super().parties, *(seat_of(galley[0]) for galley in lost)]))

    @property
    def harmed(self) -> tuple[int, ...]:
        """Who lost galleys."""
        return tuple(dict.fromkeys(seat_of(galley[0]) for galley in (*self.sunk, *self.taken)))

    @property
    def variant(self) -> str:
        """Whether anybody holds the sea."""
        return "held" if self.holds else "empty"

    @property
    def params(self) -> dict[str, Any]:
        """What its sentence may name; `losses` are what became of galleys, as far as anything did."""
        lost = [("sunk", self.sunk), ("taken", self.taken)]
        gone = [Text(f"lost.{how}", {"galleys": ", ".join(spans(galleys))}) for how, galleys in lost if galleys]
        fled = [
            Text("fled", {"galley": ", ".join(spans([galley for galley, _ in several])), "place": self._place(to)})
            for to, several in groupby(self.fled, key=lambda one: one[1])
        ]
        return {**super().params, "losses": (*gone, *fled) or "–"}

    def _place(self, code: str) -> tuple[Text, ...] | str:
        return named(self.map, code) if self.map else code


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

    captains_in = ("captain",)

    places_in = ("to",)

    captain: Letter
    galleys: tuple[str, ...]
    to: Code
    """Where the first of them went."""


class SeenSlipping(_Event, frozen=True, kw_only=True):
    """Galleys avoided a battle, as others saw (CA-5.5)."""

    captains_in = ("captain",)

    places_in = ("place",)

    captain: Letter
    place: Code
    """Where it would have been fought."""
    galleys: int


class BoomHeld(_Event, frozen=True, kw_only=True):
    """Galleys lay safe behind their port's boom (CA-5.6)."""

    captains_in = ("captain",)

    places_in = ("port",)

    port: Code
    captain: Letter


class Besieged(_Event, frozen=True, kw_only=True):
    """A night of siege (CA-9.3)."""

    captains_in = ("by",)

    places_in = ("port",)

    port: Code
    by: Letter
    nights: int
    """Galley-nights so far."""
    of: int
    """Galley-nights at which it falls."""


class PortFell(_Event, frozen=True, kw_only=True):
    """A port fell (CA-9.3)."""

    captains_in = ("by", "was")

    places_in = ("port",)

    weight = 2
    variant_of = ("was", "lost", "free")

    port: Code
    by: Letter
    was: Annotated[str, Meta(examples=["B", ""])]
    """Whose it was; empty: nobody's."""

    @property
    def harmed(self) -> tuple[int, ...]:
        """Who lost it."""
        return (seat_of(self.was),) if self.was else ()


class Raided(_Event, frozen=True, kw_only=True):
    """Galleys at sea took some of a port's income (CA-9.5)."""

    captains_in = ("by",)

    places_in = ("port",)

    port: Code
    by: Letter
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

    captains_in = ("captain",)

    places_in = ("port",)

    port: Code
    captain: Letter


class NotLaunched(_Event, frozen=True, kw_only=True):
    """A galley that was ordered was not built, and nothing was paid (CA-10.4)."""

    captains_in = ("by",)

    places_in = ("port",)

    variant_of = "why"

    port: Code
    by: Letter
    why: Literal["no_yard", "closed", "busy", "full", "dear"]
    """No yard any more; blockaded, besieged or fallen this night; a second galley in one night; eight galleys; no
    talents."""


class Accounted(_Event, frozen=True, kw_only=True):
    """A night's income, and what is left when all is paid, as its captain knows (CA-10.1)."""

    captains_in = ("captain",)

    headline = 0

    captain: Letter
    income: int
    talents: int

    @property
    def parties(self) -> tuple[int, ...]:
        """None: what their galleys did, and where these lie now, matters more."""
        return ()


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


class Sighted(_Event, frozen=True, kw_only=True):
    """What a captain saw after a watch, or at the end of the turn (CA-2.2, CA-12.4)."""

    variant_of = "when"
    weight = 0

    when: Literal["first", "second", "dawn"]
    places: dict[str, tuple[Lying, ...]]
    """By code, those where somebody else's galleys lay."""
    sieges: dict[str, tuple[str, int]]
    """At the end of the turn, by port who besieges it, and galley-nights."""

    def _told(self, name: str, value: Any) -> Any:  # noqa: ANN401 - of any field
        match name:
            case "places":
                seen = [self._lying(place, one) for place, there in self.places.items() for one in there]
                return tuple(seen) or (Text("sighted_nobody"),)
            case "sieges":
                return tuple(self._siege(port, *siege) for port, siege in self.sieges.items()) or "–"
        return super()._told(name, value)

    def _lying(self, place: str, one: Lying) -> Text:
        told = {"place": self._place(place), "captain": captains(one.captain), "galleys": one.galleys}
        return Text("sighted", told)

    def _siege(self, port: str, by: str, nights: int) -> Text:
        return Text("siege", {"port": self._place(port), "by": captains(by), "nights": nights})

    def _place(self, code: str) -> tuple[Text, ...] | str:
        return named(self.map, code) if self.map else code


class Mustered(_Event, frozen=True, kw_only=True):
    """A captain's galleys as they lie at the beginning, and at the end of each turn."""

    headline = 0

    galleys: tuple[Galley, ...]

    @property
    def parties(self) -> tuple[int, ...]:
        """The captain's seat."""
        return tuple({seat_of(galley.captain) for galley in self.galleys})

    def _told(self, name: str, value: Any) -> Any:  # noqa: ANN401 - of any field
        if name == "galleys":
            return tuple(self._some([*several]) for _, several in groupby(self.galleys, key=_state)) or "–"
        return super()._told(name, value)

    def _some(self, galleys: list[Galley]) -> Text:
        """Neighbours that lie in the same place in the same state; of sound ones their oars and masts are known."""
        (place, *crew), ids = _state(galleys[0]), spans([galley.id for galley in galleys])
        told = {"galleys": " ".join(ids), "place": named(self.map, place) if self.map else place}
        left = dict(zip(("port", "starboard", "masts"), crew, strict=False))
        return Text("mustered", {**told, **left}) if left else Text("mustered.sound", told)


def _state(galley: Galley) -> tuple[Any, ...]:
    """Where she lies and, if she has lost any, how many oars and masts she has."""
    sound = galley.port == galley.starboard == galley.holes and galley.masts == TYPES.get(galley.holes)
    return (galley.place,) if sound else (galley.place, galley.port, galley.starboard, galley.masts)


class TurnEnded(_Event, frozen=True, kw_only=True):
    """A turn is over: what everybody knows of the standing (CA-12.3)."""

    weight = 0

    turn: int
    trophies: dict[str, int]
    laurels: dict[str, int]

    def _told(self, name: str, value: Any) -> Any:  # noqa: ANN401 - of any field
        if name in ("trophies", "laurels"):
            return _standing(value)
        return super()._told(name, value)


class SeasonEnded(_Event, frozen=True, kw_only=True):
    """The campaign is over (CA part 13)."""

    captains_in = ("winners",)

    weight = 3
    variant_of = "why"

    winners: tuple[Letter, ...]
    why: Literal["majority", "last", "laurels", "agreed", "called_off", "conceded"]
    laurels: dict[str, int]

    def _told(self, name: str, value: Any) -> Any:  # noqa: ANN401 - of any field
        return _standing(value) if name == "laurels" else super()._told(name, value)


def _standing(counts: dict[str, int]) -> tuple[Text, ...] | str:
    """Captains with what they have, the most first."""
    order = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return tuple(Text("standing", {"captain": captains(letter), "count": count}) for letter, count in order) or "–"


Happening = (
    GaveUp
    | TookUp
    | TurnBegan
    | Paid
    | BattleMet
    | DiceThrown
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
