"""The events of The Sailing Season. Texts and pictures are made from these alone.

Captains are named by letters, places by codes. `seen_by` limits events to the captains who may know of them (CA-12.3).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct, field, structs

from rules.campaign.engine.sea.naming import battle_number, captain_names, coded_place_names, place_names
from rules.campaign.engine.sea.sight import CaptainLetter, SeenGalleys
from rules.campaign.engine.sea.state import LAURELS_PER_WORTH, MASTS_BY_OARS, Galley, PlaceCode
from rules.core.endings import CaptainConceded, SeatTakenUp
from rules.core.protocol import Event
from rules.core.sides import seat_of
from rules.core.view import Param, Text
from rules.interface.typed import join_id_ranges

BattleMode = Literal["play", "dice", "busy", "agreed"]
"""The settlement of a battle: play, or dice for one of the reasons of CA-6.2 (a and b, c, or d)."""


FailureReason = Literal["boom", "slipped", "fought", "engaged", "other"]
"""The reason why an attack led to no battle (see `AttackFailed`)."""

_LAURELS_SCORE = 45  # the headline score of an event that brings no laurels

MapName = Annotated[str, Meta(examples=["gulf"])]


class _Event(Event, frozen=True, kw_only=True):
    map: MapName = ""  # name of the sea map; empty: codes of places are shown without names

    place_fields: ClassVar[tuple[str, ...]] = ()
    captain_fields: ClassVar[tuple[str, ...]] = ()
    galley_fields: ClassVar[tuple[str, ...]] = ()

    @property
    def params(self) -> dict[str, Any]:
        params = {name: self._param_value(name, value) for name, value in structs.asdict(self).items()}
        return {**params, "number": battle_number(params["id"])} if "id" in params else params

    @property
    def topic(self) -> str:
        return getattr(self, "id", "")  # of a battle

    @property
    def explained_ships(self) -> tuple[str, ...]:
        galleys = [*self.ship_ids]
        for name in self.galley_fields:
            value = getattr(self, name)
            galleys += [value] if isinstance(value, str) else value
        return tuple(filter(None, galleys))

    @property
    def concerned_seats(self) -> tuple[int, ...]:
        captains = [letter for name in self.captain_fields for letter in getattr(self, name) or ()]
        captains += [galley[0] for galley in self.explained_ships]
        return tuple(dict.fromkeys(map(seat_of, captains)))

    def _param_value(self, name: str, value: Any) -> Any:  # noqa: ANN401 - of any field
        if name in self.place_fields and self.map:
            return self._place_name(value)
        if name in self.captain_fields and value:
            return captain_names(value)
        match value:
            case tuple() | list():
                return ", ".join(map(str, value)) or "–"
            case None:
                return "–"
        return value

    def _place_name(self, code: str) -> tuple[Text, ...] | str:
        """Return a place's name; what everybody reads also has the code, which stands on the map."""
        if not self.map:
            return code
        return coded_place_names(self.map, code) if self.seen_by is None else place_names(self.map, code)


class TurnBegan(_Event, frozen=True, kw_only=True):
    weight = 0

    turn: int  # number of the turn, from 1


class GiftPaid(_Event, frozen=True, kw_only=True, tag="Paid"):
    """A gift, known to giver and receiver (CA-10.6)."""

    captain_fields = ("by", "to")

    by: CaptainLetter  # the captain who paid
    to: CaptainLetter  # the captain who received it
    talents: int  # the amount, in talents


class _BattleEvent(_Event, frozen=True, kw_only=True):
    """An event with `galleys`: ids of the galleys of attackers and defenders."""

    def _param_value(self, name: str, value: Any) -> Any:  # noqa: ANN401 - of any field
        if name == "galleys":
            attackers, defenders = (" ".join(join_id_ranges(side)) for side in value)
            return (Text("against", {"first": attackers, "second": defenders}),)
        return super()._param_value(name, value)


class BattleMet(_BattleEvent, frozen=True, kw_only=True):
    """Fleets met, and a battle began (CA-5.1)."""

    captain_fields = ("attackers", "defenders")
    place_fields = ("place",)
    headline_rule = 30
    variant_of = "mode"

    id: str  # id of the battle, such as `B3`
    place: PlaceCode  # where it is fought
    attackers: tuple[CaptainLetter, ...]  # their captains, the leading one first
    defenders: tuple[CaptainLetter, ...]  # their captains, the leading one first
    galleys: tuple[tuple[str, ...], tuple[str, ...]]  # ids of the galleys of attackers and defenders
    mode: BattleMode  # how the battle is settled

    @property
    def weight(self) -> Literal[0, 2]:  # type: ignore[override] # depends on the mode
        """0 if dice settled the battle: then its end says all."""
        return 2 if self.mode == "play" else 0

    @property
    def cited_rules(self) -> tuple[str, ...]:
        return (self.rule,) if self.mode == "play" else (self.rule, "CA-6.2")

    @property
    def explained_ships(self) -> tuple[str, ...]:
        attackers, defenders = self.galleys
        return (*attackers, *defenders)


class DiceThrown(_Event, frozen=True, kw_only=True):
    """Dice settled a battle at once (CA-7)."""

    weight = 0
    galley_fields = ("galleys",)
    variant_of = "luckier"

    id: str  # id of the battle
    fortune: tuple[int, int]  # the dice of attackers and defenders (CA-7.1)
    luckier: Literal["attackers", "defenders", "equal"]  # the side whose throws get 1 more
    galleys: tuple[str, ...]  # ids of all galleys in the battle

    def _param_value(self, name: str, value: Any) -> Any:  # noqa: ANN401 - of any field
        if name == "fortune":
            return " – ".join(map(str, self.fortune))
        return super()._param_value(name, value)


class DiceThrow(Struct, frozen=True, array_like=True):
    """A galley's throw in a battle by dice, and the blow that follows from it (CA-7.3, CA-7.4)."""

    galley: str  # id of the galley that throws
    die: int
    bonus: int  # for fortune and masts
    target: str  # id of the galley that is struck; empty: none
    damage: int  # parts that the blow takes from the target, unless she sinks before
    is_halved: bool  # whether the blow is weaker than the throw, because the thrower has few parts

    @property
    def text(self) -> Text:
        params: dict[str, Param] = {"galley": self.galley, "target": self.target, "damage": self.damage}
        if not self.target:
            return Text("throw.nothing", {**params, "throw": self._sum_text})
        if self.die == 1:
            return Text("throw.herself" if self.target == self.galley else "throw.fouls", params)
        return Text("throw.halved" if self.is_halved else "throw.strikes", {**params, "throw": self._sum_text})

    @property
    def _sum_text(self) -> str:
        return f"{self.die} + {self.bonus}" if self.bonus and self.die > 1 else str(self.die)


class DiceRoundThrown(_Event, frozen=True, kw_only=True):
    """A round of a battle by dice (CA-7.2)."""

    weight = 0
    variant_of = ("sunk", "deadly", "harmless")

    id: str  # id of the battle
    round: int  # number of the round, from 2
    throws: tuple[DiceThrow, ...]  # in order
    sunk: tuple[str, ...]  # ids of the galleys that sank at its end

    @property
    def explained_ships(self) -> tuple[str, ...]:
        return tuple(throw.galley for throw in self.throws)

    @property
    def concerned_seats(self) -> tuple[int, ...]:
        """Return no seats, so that captains first read what they lost, and the throws when they ask for more."""
        return ()

    @property
    def cited_rules(self) -> tuple[str, ...]:
        has_fouls = any(throw.die == 1 and throw.target for throw in self.throws)
        return (self.rule, "CA-7.3") if has_fouls else (self.rule,)

    def _param_value(self, name: str, value: Any) -> Any:  # noqa: ANN401 - of any field
        match name:
            case "throws":
                return tuple(throw.text for throw in self.throws)
            case "sunk":
                return ", ".join(join_id_ranges(self.sunk))
        return super()._param_value(name, value)


class BattleEnded(_BattleEvent, frozen=True, kw_only=True):
    captain_fields = ("holds", "attackers", "defenders")
    place_fields = ("place",)
    weight = 2

    id: str  # id of the battle
    place: PlaceCode  # where it was fought
    holds: tuple[CaptainLetter, ...] | None  # the captains who hold the sea; None if nobody does
    sunk: tuple[str, ...]  # ids of sunk galleys
    taken: tuple[str, ...]  # ids of the galleys before they were captured
    fled: tuple[tuple[str, PlaceCode], ...]  # galleys that fled, each with the place that it fled to
    rounds: int  # number of rounds fought
    attackers: tuple[CaptainLetter, ...] = ()  # their captains, the leading one first
    defenders: tuple[CaptainLetter, ...] = ()  # their captains, the leading one first
    galleys: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())  # ids of the galleys of attackers and defenders
    mode: BattleMode = "play"  # how the battle was settled
    trophies: dict[str, int] = field(default_factory=dict)  # trophies won, by captain (CA-8.4)
    doubled: str = ""  # letters of the captains whose trophies counted double (CA-8.5)

    @property
    def cited_rules(self) -> tuple[str, ...]:
        rules = ((self.rule, True), ("CA-8.2", self.taken), ("CA-8.4", self.trophies), ("CA-8.5", self.doubled))
        return tuple(rule for rule, applies in rules if applies)

    @property
    def explained_ships(self) -> tuple[str, ...]:
        return (*self.sunk, *self.taken, *(galley for galley, _ in self.fled))

    @property
    def harmed_seats(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(seat_of(galley[0]) for galley in (*self.sunk, *self.taken)))

    @property
    def headline_score(self) -> int:
        lost_count = len(self.sunk) + len(self.taken)
        return _LAURELS_SCORE + sum(self.trophies.values()) + 2 * lost_count if lost_count else 35

    @property
    def variant(self) -> str:
        outcome = "held" if self.holds else "empty"
        return outcome if self.mode == "play" else f"{outcome}.dice"

    @property
    def params(self) -> dict[str, Any]:
        lost = [("sunk", self.sunk), ("taken", self.taken)]
        loss_texts = [
            Text(f"lost.{how}", {"galleys": ", ".join(join_id_ranges(galleys))}) for how, galleys in lost if galleys
        ]
        flight_texts = [
            Text(
                "fled",
                {
                    "galley": ", ".join(join_id_ranges([galley for galley, _ in galleys_to_place])),
                    "place": self._place_name(to),
                },
            )
            for to, galleys_to_place in groupby(self.fled, key=lambda entry: entry[1])
        ]
        losses = (*loss_texts, *flight_texts)
        results = losses
        if trophies := tuple(self._trophy_texts()):
            results = (Text("battle_results", {"losses": losses, "trophies": trophies}),)
        if self._was_decided_by_shares:
            winners = "attackers" if self.holds == self.attackers else "defenders"
            results = (Text("night_results", {"why": (Text(f"night.{winners}"),), "results": results}),)
        return {**super().params, "losses": losses or "–", "results": results or "–", "why": (self._dice_reason(),)}

    @property
    def _was_decided_by_shares(self) -> bool:
        """Whether both sides were afloat at night after a battle by dice, so that shares decide (CA-8.1)."""
        return self.mode != "play" and all(set(line) - set(self.sunk) for line in self.galleys)

    def _trophy_texts(self) -> Iterator[Text]:
        for captain, count in self.trophies.items():
            key = "trophies.doubled" if captain in self.doubled else "trophies.won"
            yield Text(key, {"captain": captain_names(captain), "count": count})

    def _dice_reason(self) -> Text:
        """Return why dice settled the battle (CA-6.2)."""
        if self.mode == "dice":
            return Text("by_dice.alone" if min(map(len, self.galleys)) == 1 else "by_dice.twice")
        return Text(f"by_dice.{self.mode}")


class PrizeTaken(_Event, frozen=True, kw_only=True):
    """A captured galley got a new number, or was burnt; only its captain knows (CA-8.2)."""

    variant_of = ("galley", "manned", "burnt")
    galley_fields = ("was", "galley")

    was: str  # the galley's id before its capture
    galley: str  # empty if the captain already had eight galleys, and the prize was burnt


class BattleSurvived(_Event, frozen=True, kw_only=True, tag="CameThrough"):
    """The state of a galley after a battle; only its captain knows (CA-8)."""

    weight = 0
    ship_fields = ("galley",)

    galley: str  # id of the galley
    port: int  # port oars left
    starboard: int  # starboard oars left
    masts: int  # masts left
    rank: int  # its crew's rank, from 0 to 2 (CA-1.5)
    lost: Annotated[tuple[int, int, int], Meta(examples=[(2, 1, 1), (0, 0, 0)])] = (0, 0, 0)
    """Port oars, starboard oars and masts lost in the battle and in breaking it off."""

    @property
    def harmed_ship(self) -> str:
        return self.galley if any(self.lost) else ""

    @property
    def variant(self) -> str:
        return "damaged" if any(self.lost) else "whole"

    def _param_value(self, name: str, value: Any) -> Any:  # noqa: ANN401 - of any field
        if name == "lost":
            parts = zip(("port", "starboard", "masts"), self.lost, strict=True)
            return tuple(Text(f"lost_parts.{part}", {"count": count}) for part, count in parts if count)
        return super()._param_value(name, value)


class GalleysSlippedAway(_Event, frozen=True, kw_only=True, tag="SlippedAway"):
    """Galleys avoided a battle; only their captain knows (CA-5.5)."""

    captain_fields = ("captain",)
    galley_fields = ("galleys",)
    place_fields = ("to",)

    captain: CaptainLetter  # their captain
    galleys: tuple[str, ...]  # ids of the galleys
    to: PlaceCode  # the place to which the first of them went


class SlipSeen(_Event, frozen=True, kw_only=True, tag="SeenSlipping"):
    """Galleys avoided a battle, as other captains saw (CA-5.5)."""

    captain_fields = ("captain",)
    place_fields = ("place",)

    captain: CaptainLetter  # the captain whose galleys slipped away
    place: PlaceCode  # the place where the battle would have been
    galleys: int  # the number of galleys


class BoomHeld(_Event, frozen=True, kw_only=True):
    """Galleys were safe behind their port's boom (CA-5.6)."""

    captain_fields = ("captain",)
    place_fields = ("port",)

    port: PlaceCode  # the port
    captain: CaptainLetter  # the captain whose galleys were safe in the port


class _FleetEvent(_Event, frozen=True, kw_only=True):
    """An event of a captain's `galleys`, of which only that captain knows."""

    @property
    def concerned_seats(self) -> tuple[int, ...]:
        return self.seen_by or ()

    def _param_value(self, name: str, value: Any) -> Any:  # noqa: ANN401 - of any field
        return " ".join(join_id_ranges(value)) if name == "galleys" else super()._param_value(name, value)


class BoomFailed(_FleetEvent, frozen=True, kw_only=True):
    """Galleys in their own port had to fight; only their captain knows why the boom did not protect them (CA-5.6)."""

    galley_fields = ("galleys",)
    place_fields = ("port",)
    variant_of = "why"

    port: PlaceCode  # the port
    galleys: tuple[str, ...]  # ids of the galleys that fought
    why: Literal["open", "broken"]  # `open`: they did not evade; `broken`: there were too many attackers
    attackers: int  # the number of attackers
    most: int  # the number of attackers that the boom withstands if all these galleys evade


class AttackFailed(_FleetEvent, frozen=True, kw_only=True):
    """A captain's galleys attacked others, but there was no battle; only that captain knows."""

    captain_fields = ("foe",)
    galley_fields = ("galleys",)
    place_fields = ("place",)
    variant_of = "why"

    galleys: tuple[str, ...]  # ids of the attacking galleys
    foe: CaptainLetter  # the captain whose galleys were attacked
    place: PlaceCode  # where they were
    why: FailureReason
    """`boom`: safe in port (CA-5.6). `slipped`: slipped away (CA-5.5). `fought`: had fought in this turn (CA-5.1).

    `engaged`: in a battle that is being played (CA-6.6). `other`: another battle came first (CA-5.4).
    """
    count: int = 0
    """`boom`: the number of attackers that the boom withstands; `slipped`: how many galleys slipped away."""


class PortBesieged(_Event, frozen=True, kw_only=True, tag="Besieged"):
    captain_fields = ("by", "owner")
    place_fields = ("port",)

    port: PlaceCode  # the besieged port
    owner: Annotated[str, Meta(examples=["B", ""])]  # whose it is; empty: nobody's
    by: CaptainLetter  # the leading besieger
    nights: int  # galley-nights so far
    of: int  # galley-nights at which the port falls

    @property
    def harmed_seats(self) -> tuple[int, ...]:
        return (seat_of(self.owner),) if self.owner else ()


class PortFell(_Event, frozen=True, kw_only=True):
    """A port fell (CA-9.3)."""

    captain_fields = ("by", "was")
    place_fields = ("port",)
    weight = 2
    variant_of = ("was", "lost", "free")

    port: PlaceCode  # the port
    by: CaptainLetter  # the captain who took it
    was: Annotated[str, Meta(examples=["B", ""])]  # the previous owner; empty: nobody
    worth: int = 1  # the port's worth

    @property
    def headline_score(self) -> int:
        return _LAURELS_SCORE + LAURELS_PER_WORTH * self.worth

    @property
    def harmed_seats(self) -> tuple[int, ...]:
        return (seat_of(self.was),) if self.was else ()


class PortRaided(_Event, frozen=True, kw_only=True, tag="Raided"):
    """Galleys at sea took part of a port's income (CA-9.5)."""

    captain_fields = ("by", "owner")
    place_fields = ("port",)

    port: PlaceCode  # the raided port
    owner: CaptainLetter  # whose it is
    by: CaptainLetter  # the captain of the raiders
    talents: int  # the income that they took

    @property
    def harmed_seats(self) -> tuple[int, ...]:
        return (seat_of(self.owner),)


class GalleyRepaired(_Event, frozen=True, kw_only=True, tag="Repaired"):
    """A galley was repaired; only its captain knows (CA-10.5)."""

    galley_fields = ("galley",)

    galley: str  # id of the galley
    port: int  # port oars afterwards
    starboard: int  # starboard oars afterwards
    masts: int  # masts afterwards


class GalleyLaunched(_Event, frozen=True, kw_only=True, tag="Launched"):
    """A galley was launched; only its captain knows (CA-10.4)."""

    galley_fields = ("galley",)
    place_fields = ("port",)

    port: PlaceCode  # where it was built
    galley: str  # id of the new galley
    price: int  # what it cost, in talents


class LaunchSeen(_Event, frozen=True, kw_only=True, tag="SeenLaunching"):
    """A galley was launched, as other captains saw (CA-10.4)."""

    captain_fields = ("captain",)
    place_fields = ("port",)

    port: PlaceCode  # where it was built
    captain: CaptainLetter  # the captain of the new galley


class LaunchFailed(_Event, frozen=True, kw_only=True, tag="NotLaunched"):
    """An ordered galley was not built, and nothing was paid (CA-10.4)."""

    captain_fields = ("by",)
    place_fields = ("port",)
    variant_of = "why"

    port: PlaceCode  # where it was ordered
    by: CaptainLetter  # the captain who ordered it
    why: Literal["no_yard", "closed", "busy", "full", "dear"]
    """`closed`: blockaded, besieged or fallen in this night. `busy`: a second galley in one night.

    `full`: the captain has eight galleys. `dear`: too few talents.
    """


class NightAccounted(_Event, frozen=True, kw_only=True, tag="Accounted"):
    """A night's income, and the talents left after all payments; only the captain knows (CA-10.1)."""

    captain_fields = ("captain",)
    headline_rule = 0

    captain: CaptainLetter  # whose account it is
    income: int  # talents from ports in this night
    talents: int  # talents left after all payments

    @property
    def concerned_seats(self) -> tuple[int, ...]:
        """Return no seats, as the captain's galleys give better pictures."""
        return ()


class CrewThirsted(_Event, frozen=True, kw_only=True, tag="Thirsted"):
    """A crew had no water (CA-11.2)."""

    galley_fields = ("galley",)

    galley: str  # id of the galley

    @property
    def harmed_seats(self) -> tuple[int, ...]:
        return (seat_of(self.galley[0]),)


class AidSent(_Event, frozen=True, kw_only=True):
    """A galley joined a captain of the side with the fewest laurels (CA-10.7)."""

    galley_fields = ("galley",)
    place_fields = ("place",)

    galley: str  # id of the new galley
    place: PlaceCode  # where it joined


class CorsairJoined(_Event, frozen=True, kw_only=True):
    """A galley joined a captain without ports (CA-14.4)."""

    galley_fields = ("galley",)

    galley: str  # id of the new galley


class GalleysSighted(_Event, frozen=True, kw_only=True, tag="Sighted"):
    """The galleys that a captain saw after a watch or at the end of the turn (CA-2.2, CA-12.4)."""

    variant_of = "when"
    weight = 0

    when: Literal["first", "second", "dawn"]  # after which watch; `dawn`: at the end of the turn
    places: dict[str, tuple[SeenGalleys, ...]]  # galleys of other captains, by place
    sieges: dict[str, tuple[str, int]]  # besieger and galley-nights by port, at the end of the turn only

    def _param_value(self, name: str, value: Any) -> Any:  # noqa: ANN401 - of any field
        match name:
            case "places":
                sightings = [self._lying_text(place, group) for place, there in self.places.items() for group in there]
                return tuple(sightings) or (Text("sighted_nobody"),)
            case "sieges":
                return tuple(self._siege_text(port, *siege) for port, siege in self.sieges.items()) or "–"
        return super()._param_value(name, value)

    def _lying_text(self, place: str, group: SeenGalleys) -> Text:
        params = {"place": self._place_name(place), "captain": captain_names(group.captain), "galleys": group.galleys}
        return Text("sighted", params)

    def _siege_text(self, port: str, by: str, nights: int) -> Text:
        return Text("siege", {"port": self._place_name(port), "by": captain_names(by), "nights": nights})


class FleetMustered(_Event, frozen=True, kw_only=True, tag="Mustered"):
    headline_rule = 0

    galleys: tuple[Galley, ...]  # all galleys of one captain, as they are after the turn

    @property
    def concerned_seats(self) -> tuple[int, ...]:
        return tuple({seat_of(galley.captain) for galley in self.galleys})

    def _param_value(self, name: str, value: Any) -> Any:  # noqa: ANN401 - of any field
        if name == "galleys":
            return tuple(self._group_text([*group]) for _, group in groupby(self.galleys, key=_galley_condition)) or "–"
        return super()._param_value(name, value)

    def _group_text(self, galleys: list[Galley]) -> Text:
        (place, *parts), ids = _galley_condition(galleys[0]), join_id_ranges([galley.id for galley in galleys])
        params = {"galleys": " ".join(ids), "place": self._place_name(place)}
        if galleys[0].battle:
            return Text("mustered.engaged", params)
        params_of_parts = dict(zip(("port", "starboard", "masts"), parts, strict=False))
        return Text("mustered", {**params, **params_of_parts}) if params_of_parts else Text("mustered.sound", params)


def _galley_condition(galley: Galley) -> tuple[Any, ...]:
    if galley.battle:
        return (galley.place, galley.battle)
    sound = galley.port == galley.starboard == galley.holes and galley.masts == MASTS_BY_OARS.get(galley.holes)
    return (galley.place,) if sound else (galley.place, galley.port, galley.starboard, galley.masts)


class TurnEnded(_Event, frozen=True, kw_only=True):
    """A turn ended, with the public standing (CA-12.3)."""

    weight = 0

    turn: int  # number of the turn
    trophies: dict[str, int]  # trophies by captain
    laurels: dict[str, int]  # laurels by captain

    def _param_value(self, name: str, value: Any) -> Any:  # noqa: ANN401 - of any field
        if name in ("trophies", "laurels"):
            return _standing_texts(value)
        return super()._param_value(name, value)


class SeasonEnded(_Event, frozen=True, kw_only=True):
    """The campaign ended (CA-13)."""

    captain_fields = ("winners",)
    weight = 3
    variant_of = "why"

    winners: tuple[CaptainLetter, ...]  # the winning captains; empty: nobody
    why: Literal["majority", "last", "laurels", "agreed", "called_off", "conceded"]  # why the campaign ended
    laurels: dict[str, int]  # laurels by captain

    def _param_value(self, name: str, value: Any) -> Any:  # noqa: ANN401 - of any field
        return _standing_texts(value) if name == "laurels" else super()._param_value(name, value)


def _standing_texts(counts: dict[str, int]) -> tuple[Text, ...] | str:
    order = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return tuple(Text("standing", {"captain": captain_names(letter), "count": count}) for letter, count in order) or "–"


GameEvent = (
    CaptainConceded
    | SeatTakenUp
    | TurnBegan
    | GiftPaid
    | BattleMet
    | DiceThrown
    | DiceRoundThrown
    | BattleEnded
    | PrizeTaken
    | BattleSurvived
    | GalleysSlippedAway
    | SlipSeen
    | BoomHeld
    | BoomFailed
    | AttackFailed
    | PortBesieged
    | PortFell
    | PortRaided
    | GalleyRepaired
    | GalleyLaunched
    | LaunchSeen
    | LaunchFailed
    | NightAccounted
    | CrewThirsted
    | AidSent
    | CorsairJoined
    | GalleysSighted
    | FleetMustered
    | TurnEnded
    | SeasonEnded
)
