"""Fleets built for points (MX-2.1, 4.1, 4.2, 4.4)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from rules.core.errors import IllegalOrder, UnreadableOrder
from rules.core.view import Text
from rules.matchbox.engine.kinds import KINDS, NAME_BY_LETTER, KindName
from rules.matchbox.engine.state import Galley, sort_promotions

BUDGETS: Final = ("12", "36", "72")
"""Usual point budgets for a quick, a usual and a large battle (MX-4.1): one, three or six 5/3 galleys."""
MAX_VESSELS: Final = 8  # vessels in a fleet (MX-4.1)
READY_FLEETS_BY_NUMBER: Final = {
    "swift": "6",
    "even": "5",
    "archers": "4",
    "mixed": "4 5 6",
    "scouts": "5s 5s 5s 6",
    "heavy": "8h 8h 5",
    "towers": "4t 4t 5s",
    "fire": "5 5 4f",
}
"""Ready fleets for games without points. The listed vessels repeat up to the number of vessels."""
READY_FLEETS: Final = {  # ready fleets for 36 points. docs/balance.md compares them.
    "even": "5",
    "mixed": "6 4 5s 4f",
    "towers": "4t 6 6",
    "heavy": "8h 5s 4f 4f",
    "scouts": "6 5s 5s 4f 4f",
}
READY_FLEETS_PLAIN: Final = {"even": "5", "mixed": "6 5 4", "archers": "6 4 4"}  # without special vessels
_TOWER_BOARDING_COST: Final = 1  # extra cost of a towered galley in games with boarding (MX-4.2)
KEPT_MARK: Final = "c"  # precedes the number of a kept crew in a fleet: `c3{rm}`
_BATTERED_MARK: Final = "-"
_DEFAULT_HOLES: Final = 5  # oar holes of galleys in the default fleet


class VesselBuild(NamedTuple):
    """A vessel as chosen for a fleet. `crew` holds letters of promotions."""

    vessel: KindName  # the kind of vessel
    holes: int  # oar holes on each side
    crew: str = ""  # letters of its promotions
    is_battered: bool = False  # whether it begins with one oar less on each side (MX-4.7)
    crew_number: int = 0  # the number of its kept crew; 0: a fresh crew

    @property
    def text(self) -> str:
        """The notation: `6`, `8h`, `5{rm}`, `5-` if battered, `c3{rm}` with a kept crew."""
        promotions = f"{{{self.crew}}}" if self.crew else ""
        if self.crew_number:
            return f"{KEPT_MARK}{self.crew_number}{promotions}"
        return f"{self.holes}{KINDS[self.vessel].letter}{promotions}{_BATTERED_MARK if self.is_battered else ''}"


def parse_build(text: str) -> VesselBuild:
    """Return a vessel from a text such as `6`, `8h`, `5{rm}` or `5-`. Raises `UnreadableOrder`."""
    unmarked = text.strip().removesuffix(_BATTERED_MARK)
    kind_text, _, crew = unmarked.removesuffix("}").partition("{")
    holes, letter = kind_text.rstrip("hstmf"), kind_text.lstrip("0123456789")
    vessel = NAME_BY_LETTER.get(letter)
    is_known = vessel is not None and holes.isdecimal() and int(holes) in KINDS[vessel].masts_by_holes
    if vessel is None or not is_known or crew != sort_promotions(crew):
        legal = ", ".join(f"{holes}{kind.letter}" for kind in KINDS.values() for holes in kind.masts_by_holes)
        raise UnreadableOrder("bad_build", piece=text[:20], expected=legal)
    return VesselBuild(vessel, int(holes), crew, is_battered=unmarked != text.strip())


def build_of_galley(galley: Galley) -> VesselBuild:
    return VesselBuild(galley.vessel or "galley", galley.holes, galley.crew)


def build_cost(build: VesselBuild, *, boarding: bool = False) -> int:
    """Return the points of a vessel with its promotions (MX-2.1, 4.2, 4.4)."""
    kind = KINDS[build.vessel]
    extra = _TOWER_BOARDING_COST if boarding and kind.has_tower else 0
    return kind.points_by_holes[build.holes] + len(build.crew) + extra


def check_fleet(fleet: Sequence[VesselBuild], most: int, *, boarding: bool = False) -> None:
    """Raise `IllegalOrder` if a fleet may not be built for `most` points (MX-4.1)."""
    spent = sum(build_cost(build, boarding=boarding) for build in fleet)
    if spent > most:
        raise IllegalOrder("fleet_too_dear", "MX-4.1", piece=format_fleet(fleet), spent=spent, most=most)
    if len(fleet) > MAX_VESSELS:
        raise IllegalOrder("too_many_vessels", "MX-4.1", piece=format_fleet(fleet), given=len(fleet), most=MAX_VESSELS)
    if not any(KINDS[build.vessel].is_fighting for build in fleet):
        raise IllegalOrder("fleet_cannot_fight", "MX-4.1", piece=format_fleet(fleet))
    fire_ships, max_fire_ships = sum(build.vessel == "fire" for build in fleet), math.ceil(len(fleet) / 3)
    if fire_ships > max_fire_ships:
        raise IllegalOrder(
            "too_many_fire_ships", "MX-4.1", piece=format_fleet(fleet), given=fire_ships, most=max_fire_ships
        )


def format_fleet(fleet: Sequence[VesselBuild]) -> str:
    return " ".join(build.text for build in fleet)


def fleet_names(fleet: Iterable[VesselBuild]) -> tuple[Text, ...]:
    return tuple(
        Text("vessel.several" if count > 1 else "vessel.one", {"vessel": (build_name(build),), "count": count})
        for build, count in Counter(fleet).items()
    )


def build_name(build: VesselBuild) -> Text:
    kind = KINDS[build.vessel]
    name = Text(f"vessel.{build.vessel}", {"type": f"{build.holes}/{kind.masts_by_holes[build.holes]}"})
    if build.crew:
        letters = tuple(Text(f"promotion.{letter}") for letter in build.crew)
        name = Text("vessel.with_crew", {"vessel": (name,), "crew": letters})
    return Text("vessel.battered", {"vessel": (name,)}) if build.is_battered else name


def default_fleet(most: int) -> tuple[VesselBuild, ...]:
    """Return the fleet of a captain who builds none: as many 5/3 as affordable, at least one."""
    plain = VesselBuild("galley", _DEFAULT_HOLES)
    return (plain,) * min(MAX_VESSELS, max(1, most // build_cost(plain)))
