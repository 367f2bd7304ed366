"""Scenarios: what each side has to do on a map, and when it has won (MX part 5).

All is judged at the end of a round, after everybody has backed off and been poled clear (MX-5.1).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final, Literal, NamedTuple

from msgspec import Struct

from rules.matchbox.table import hull
from rules.matchbox.table.points import Build
from rules.matchbox.table.sea import Sea
from rules.matchbox.table.state import MATCH_MM, Galley, Key, Side, Title
from rules.plane import Ring
from rules.protocol import Edition

Score = Mapping[Key, int]
"""What has been reached up to now."""
Verdict = Side | Literal["draw"] | None
Why = Literal["left", "kept_in", "late", "unhunted", "burnt", "sunk", "held", "basin"]
"""For what a scenario ends."""


class Ending(NamedTuple):
    """Who has won a scenario, and why it is over."""

    winner: Side | Literal["draw"]
    why: Why


BASIN_MM: Final = (380.0, 260.0, 640.0)
"""MX-5.4: the basin lies west of this, and between these."""
NEAR_EDGE_MM: Final = MATCH_MM
"""MX-5.1: who leaves has the prow no farther from the north edge."""


class Scenario(Struct, frozen=True, kw_only=True):
    """A battle with an aim of its own."""

    map: str
    """The name of its map."""
    rounds: int
    """The last round."""
    south: tuple[Build, ...]
    north: tuple[Build, ...]
    keys: tuple[Key, ...]
    """Of its score."""
    enough: int
    """How much of it wins."""
    leaving: Literal["", "merchants", "fighting"] = ""
    """Who of the south may leave over the north edge."""


_THREES: Final = (Build("galley", 5),) * 3
_SIXES: Final = (Build("galley", 6),) * 3
SCENARIOS: Final[Mapping[Title, Scenario]] = {
    "escort": Scenario(
        map="archipelago",
        rounds=16,
        south=(*_THREES, *(Build("merchant", 3),) * 3),
        north=(Build("galley", 5), Build("galley", 6), Build("galley", 6)),
        keys=("left",),
        enough=2,
        leaving="merchants",
    ),
    "break-out": Scenario(
        map="strait",
        rounds=12,
        south=(*(Build("scout", 5),) * 2, Build("galley", 6), Build("fire", 4)),
        north=(Build("galley", 5), Build("galley", 5), Build("galley", 6)),
        keys=("left",),
        enough=2,
        leaving="fighting",
    ),
    "harbour": Scenario(map="harbour", rounds=16, south=_THREES, north=_THREES, keys=("south", "north"), enough=4),
    "raid": Scenario(map="port", rounds=12, south=_SIXES, north=_THREES, keys=("houses",), enough=4),
}
RULES: Final[Mapping[Title, str]] = {
    "escort": "MX-5.2",
    "break-out": "MX-5.3",
    "harbour": "MX-5.4",
    "raid": "MX-5.5",
}


def fleets(title: Title, edition: Edition) -> dict[Side, tuple[Build, ...]]:
    """Each side's fleet in a scenario that goes on by this edition of the rules."""
    played = SCENARIOS[title]
    former = title == "break-out" and edition in (1, 2)
    return {"south": _SIXES if former else played.south, "north": played.north}


def zone(title: Title, sea: Sea) -> Ring:
    """What is fought for: the water from which one leaves, the basin, or the town's shore; in mm."""
    if title == "raid":
        return next(piece.corners for piece in sea.land if piece.kind == "island")
    west, south, east, north = 0.0, sea.height_mm - NEAR_EDGE_MM, sea.width_mm, sea.height_mm
    if title == "harbour":
        east, south, north = BASIN_MM
    return (west, south), (east, south), (east, north), (west, north)


def begun(title: Title) -> dict[Key, int]:
    """The score before the first round."""
    return dict.fromkeys(SCENARIOS[title].keys, 0)


def may_leave(title: Title, galley: Galley) -> bool:
    """Whether the scenario allows a vessel to leave, wherever she is (MX-5.2, 5.3)."""
    wanted = SCENARIOS[title].leaving
    if galley.side != "south" or not wanted:
        return False
    return galley.kind.fighting if wanted == "fighting" else galley.vessel == "merchant"


def strives(title: Title, galley: Galley) -> bool:
    """Whether she can do anything for her side's aim herself, but fight (MX-5.2 to 5.5)."""
    if SCENARIOS[title].leaving:
        return may_leave(title, galley)
    if title == "raid":
        return galley.side == "south" and galley.kind.fighting and galley.masts > 0
    return galley.kind.fighting


def leaves(title: Title, galley: Galley, sea: Sea) -> bool:
    """Whether a vessel leaves at the end of a round, from where she is (MX-5.1)."""
    return may_leave(title, galley) and sea.height_mm - galley.pose.y_mm <= NEAR_EDGE_MM + hull.NOISE_MM


def scored(title: Title, before: Score, galleys: Iterable[Galley], *, left: int, houses: int) -> dict[Key, int]:
    """The score after a round, from the galleys then afloat, and from how many have left and burnt a house in it."""
    after = {key: before.get(key, 0) for key in SCENARIOS[title].keys}
    gained = {"left": left, "houses": houses}
    inside = {galley.side for galley in galleys if galley.kind.fighting and in_basin(galley)}
    for key in after:
        after[key] += (inside == {key}) if key in {"south", "north"} else gained[key]
    return after


def in_basin(galley: Galley) -> bool:
    """Whether the middle of a hull lies in the harbour's basin, its edges included (MX-5.4)."""
    east, south, north = BASIN_MM
    x, y = hull.middle(galley.pose, galley.kind)
    return x <= east + hull.NOISE_MM and south - hull.NOISE_MM <= y <= north + hull.NOISE_MM


def winner(title: Title, number: int, score: Score, galleys: Collection[Galley]) -> Verdict:
    """Who has won after a round; None: it goes on (MX-5.2 to 5.5)."""
    found = ending(title, number, score, galleys)
    return found.winner if found else None


def ending(title: Title, number: int, score: Score, galleys: Collection[Galley]) -> Ending | None:
    """Who has won after a round and why, from the score and the galleys then afloat; None: it goes on (MX-5.2 to 5.5).

    A side without any fighting vessel is looked at after houses, and before the basin (MX-2.9).
    """
    scenario = SCENARIOS[title]
    last = number >= scenario.rounds
    fighting = {galley.side for galley in galleys if galley.kind.fighting}
    if scenario.leaving:
        to_come = sum(may_leave(title, galley) for galley in galleys)
        return _got_away(score["left"], to_come, scenario.enough, last=last, hunted="north" in fighting)
    if score.get("houses", 0) >= scenario.enough:
        return Ending("south", "burnt")
    if len(fighting) < 2:
        return Ending(fighting.pop() if fighting else "draw", "sunk")
    if title == "raid":
        return Ending("north", "held") if last else None
    return Ending(_ahead(score), "basin") if last or max(score.values()) >= scenario.enough else None


def _got_away(left: int, to_come: int, enough: int, *, last: bool, hunted: bool) -> Ending | None:
    """Where the south wants to leave: enough have, too few can, the last round, nobody hunts them (MX-5.2, MX-5.3)."""
    if left >= enough:
        return Ending("south", "left")
    if left + to_come < enough:
        return Ending("north", "kept_in")
    if last:
        return Ending("north", "late")
    return None if hunted else Ending("south", "unhunted")


def _ahead(score: Score) -> Side | Literal["draw"]:
    south, north = score["south"], score["north"]
    return "south" if south > north else "north" if north > south else "draw"
