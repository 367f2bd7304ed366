"""The view of a captain or a spectator (CA-12)."""

from __future__ import annotations

from rules.campaign.engine.orders import FleetOrder
from rules.campaign.engine.sea.maps import Home, Place, sea_map
from rules.campaign.engine.sea.naming import battle_number, captain_names, coded_place_names
from rules.campaign.engine.sea.sight import SeenGalleys
from rules.campaign.engine.sea.state import Galley, Position, SeaBattle
from rules.core.view import Text, View


def battle_line(map_name: str, battle: SeaBattle) -> Text:
    """Return a sentence about a battle that is being played."""
    sides = {"attackers": captain_names(battle.sides[0]), "defenders": captain_names(battle.sides[1])}
    place = coded_place_names(map_name, battle.place)
    return Text("note.battle", {"number": battle_number(battle.id), "place": place, **sides})


class SeasonView(View, frozen=True, kw_only=True):
    """The campaign as one seat sees it, independent of who holds the seat (CA-14.2).

    Fields about the captain's own affairs are empty for a spectator.
    """

    map: str  # name of the sea map
    captains: str  # letters of all captains, by seat
    teams: tuple[int, ...]  # each captain's side, by seat
    homes: tuple[Home, ...]  # each captain's home, by seat
    turns: int  # the number of turns in the campaign
    ports: dict[str, str]  # letter of the owner by port, without free ports
    trophies: dict[str, int]  # trophies by captain
    laurels: dict[str, int]  # laurels by captain
    battles: tuple[SeaBattle, ...]  # battles that are being played
    captain: str  # the viewer's letter; empty: a spectator
    galleys: tuple[Galley, ...]  # the viewer's own galleys
    talents: int  # the viewer's money
    spares: str  # letters of captains that the viewer does not attack (CA-3.7)
    settled_for_dice: bool  # whether the captain agreed to dice (CA-6.2d)
    seen_places: tuple[str, ...]  # codes of the places that the viewer sees
    others_galleys: dict[str, tuple[SeenGalleys, ...]]  # visible galleys of other captains, by place
    sieges: dict[str, tuple[str, int]]  # besieger and galley-nights by port, as far as visible
    planned_orders: tuple[FleetOrder, ...] = ()  # orders of the viewer's draft
    focus: str = ""  # the draft's focus: ids of galleys joined as in `A1_A2`

    @property
    def standing_lines(self) -> tuple[Text, ...]:
        return self.note_lines

    @property
    def place_lines(self) -> dict[str, Text]:
        return {place.code: self._place_line(place) for place in sea_map(self.map, len(self.captains)).places.values()}

    def _place_line(self, place: Place) -> Text:
        owner = self.ports.get(place.code)
        owner_text = Text("spot.owned", {"captain": captain_names(owner)}) if owner else Text("spot.free")
        line = Text(f"spot.{place.worth}", {"place": coded_place_names(self.map, place.code), "owner": (owner_text,)})
        battles = tuple(battle_line(self.map, battle) for battle in self.battles if battle.place == place.code)
        return Text("spot.fought", {"spot": (line,), "battles": battles}) if battles else line

    @property
    def known_position(self) -> Position:
        """Return a position of what the seat knows, without other captains' galleys and talents."""
        return Position(
            map=self.map,
            captains=self.captains,
            teams=self.teams,
            homes=self.homes,
            turn=self.round,
            turns=self.turns,
            ports=self.ports,
            trophies=self.trophies,
            spares={self.captain: self.spares} if self.spares else {},
            talents={self.captain: self.talents} if self.captain else {},
            galleys=self.galleys,
            sieges=self.sieges,
            battles=self.battles,
        )
