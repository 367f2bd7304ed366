"""Scenarios: each side's goal on a map, and when it has won (MX-5).

All conditions are checked at the end of a round, after backing off and poling (MX-5.1).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final, Literal, NamedTuple

from msgspec import Struct

from rules.geometry.plane import Ring
from rules.matchbox.engine import hull
from rules.matchbox.engine.points import VesselBuild
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import MATCH_MM, Galley, ScenarioTitle, ScoreKey, TableSide

ScenarioScore = Mapping[ScoreKey, int]

ScenarioEndReason = Literal["left", "kept_in", "late", "unhunted", "burnt", "sunk", "held", "basin"]


class ScenarioEnding(NamedTuple):
    winner: TableSide | Literal["draw"]  # the winning side, or `draw`
    why: ScenarioEndReason  # why it ended, as a key of its sentence


BASIN_MM: Final = (380.0, 260.0, 640.0)  # east, south and north bounds of the basin (MX-5.4)
NEAR_EDGE_MM: Final = MATCH_MM  # a vessel leaves if its prow is no farther from the north edge (MX-5.1)


class Scenario(Struct, frozen=True, kw_only=True):
    """A battle with its own goal. `rounds` is the number of the last round."""

    map: str  # name of the map
    rounds: int  # number of the last round
    south: tuple[VesselBuild, ...]  # vessels of the southern side
    north: tuple[VesselBuild, ...]  # vessels of the northern side
    score_keys: tuple[ScoreKey, ...]  # what is counted
    winning_score: int  # the score that wins at once
    # southern vessels that may leave over the north edge; empty: none
    may_leave_over_edge: Literal["", "merchants", "fighting"] = ""


_THREE_GALLEYS: Final = (VesselBuild("galley", 5),) * 3
SCENARIOS: Final[Mapping[ScenarioTitle, Scenario]] = {
    "escort": Scenario(
        map="archipelago",
        rounds=16,
        south=(*_THREE_GALLEYS, *(VesselBuild("merchant", 3),) * 3),
        north=(VesselBuild("galley", 5), VesselBuild("galley", 6), VesselBuild("galley", 6)),
        score_keys=("left",),
        winning_score=2,
        may_leave_over_edge="merchants",
    ),
    "break-out": Scenario(
        map="strait",
        rounds=12,
        south=(*(VesselBuild("scout", 5),) * 2, VesselBuild("galley", 6), VesselBuild("fire", 4)),
        north=(VesselBuild("galley", 5), VesselBuild("galley", 5), VesselBuild("galley", 6)),
        score_keys=("left",),
        winning_score=2,
        may_leave_over_edge="fighting",
    ),
    "harbour": Scenario(
        map="harbour",
        rounds=16,
        south=_THREE_GALLEYS,
        north=_THREE_GALLEYS,
        score_keys=("south", "north"),
        winning_score=4,
    ),
    "raid": Scenario(
        map="port",
        rounds=12,
        south=(VesselBuild("galley", 6),) * 3,
        north=_THREE_GALLEYS,
        score_keys=("houses",),
        winning_score=4,
    ),
}
RULE_BY_TITLE: Final[Mapping[ScenarioTitle, str]] = {
    "escort": "MX-5.2",
    "break-out": "MX-5.3",
    "harbour": "MX-5.4",
    "raid": "MX-5.5",
}


UNEVEN: Final[frozenset[str]] = frozenset({"escort", "raid"})
"""Scenarios in which one side wins more than 56 % between computer captains of one level (docs/balance.md)."""


def side_points(title: ScenarioTitle, score: ScenarioScore, winner: TableSide | None) -> dict[TableSide, int]:
    """Return each side's points in a finished scenario, for a match: what it scored.

    A side that won otherwise, by sinking all enemies, has at least the winning score, unless it had nothing to score.
    """
    keys: dict[TableSide, ScoreKey] = {"south": SCENARIOS[title].score_keys[0]}
    if "north" in SCENARIOS[title].score_keys:
        keys["north"] = "north"
    points: dict[TableSide, int] = {"south": 0, "north": 0}
    for side, key in keys.items():
        points[side] = min(score.get(key, 0), SCENARIOS[title].winning_score)
        if side == winner:
            points[side] = SCENARIOS[title].winning_score
    return points


def goal_zone(title: ScenarioTitle, sea: Sea) -> Ring:
    """Return the outline, in mm, of the water to leave from, the basin, or the town's shore."""
    if title == "raid":
        return next(piece.corners for piece in sea.land if piece.kind == "island")
    west, south, east, north = 0.0, sea.height_mm - NEAR_EDGE_MM, sea.width_mm, sea.height_mm
    if title == "harbour":
        east, south, north = BASIN_MM
    return (west, south), (east, south), (east, north), (west, north)


def first_score(title: ScenarioTitle) -> dict[ScoreKey, int]:
    return dict.fromkeys(SCENARIOS[title].score_keys, 0)


def may_leave(title: ScenarioTitle, galley: Galley) -> bool:
    """Return whether the scenario allows a vessel to leave, wherever it is (MX-5.2, 5.3)."""
    leaving_kind = SCENARIOS[title].may_leave_over_edge
    if galley.side != "south" or not leaving_kind:
        return False
    return galley.kind.is_fighting if leaving_kind == "fighting" else galley.vessel == "merchant"


def can_contribute(title: ScenarioTitle, galley: Galley) -> bool:
    """Return whether a vessel can itself score for its side, other than by fighting (MX-5.2 to 5.5)."""
    if SCENARIOS[title].may_leave_over_edge:
        return may_leave(title, galley)
    if title == "raid":
        return galley.side == "south" and galley.kind.is_fighting and galley.masts > 0
    return galley.kind.is_fighting


def leaves_table(title: ScenarioTitle, galley: Galley, sea: Sea) -> bool:
    """Return whether a vessel leaves from its place at the end of a round (MX-5.1)."""
    return may_leave(title, galley) and sea.height_mm - galley.pose.y_mm <= NEAR_EDGE_MM + hull.LENGTH_TOLERANCE_MM


def score_after_round(
    title: ScenarioTitle, before: ScenarioScore, galleys: Iterable[Galley], *, left: int, houses: int
) -> dict[ScoreKey, int]:
    """Return the score after a round, from galleys afloat and numbers of vessels that left and houses burnt."""
    after = {key: before.get(key, 0) for key in SCENARIOS[title].score_keys}
    gained = {"left": left, "houses": houses}
    inside = {galley.side for galley in galleys if galley.kind.is_fighting and is_in_basin(galley)}
    for key in after:
        after[key] += (inside == {key}) if key in {"south", "north"} else gained[key]
    return after


def is_in_basin(galley: Galley) -> bool:
    """Return whether the middle of a hull is in the harbour's basin, edges included (MX-5.4)."""
    east, south, north = BASIN_MM
    x, y = hull.hull_middle(galley.pose, galley.kind)
    return (
        x <= east + hull.LENGTH_TOLERANCE_MM
        and south - hull.LENGTH_TOLERANCE_MM <= y <= north + hull.LENGTH_TOLERANCE_MM
    )


def find_ending(
    title: ScenarioTitle, number: int, score: ScenarioScore, galleys: Collection[Galley]
) -> ScenarioEnding | None:
    """Return winner and reason after a round, or None while the scenario goes on (MX-5.2 to 5.5).

    A side without fighting vessels is considered after houses, and before the basin (MX-2.9).
    """
    scenario = SCENARIOS[title]
    is_last_round = number >= scenario.rounds
    fighting = {galley.side for galley in galleys if galley.kind.is_fighting}
    if scenario.may_leave_over_edge:
        leavers_left = sum(may_leave(title, galley) for galley in galleys)  # vessels on the table that may leave
        has_hunter = "north" in fighting
        return _escape_ending(
            score["left"], leavers_left, scenario.winning_score, last=is_last_round, hunted=has_hunter
        )
    if score.get("houses", 0) >= scenario.winning_score:
        return ScenarioEnding("south", "burnt")
    if len(fighting) < 2:
        return ScenarioEnding(fighting.pop() if fighting else "draw", "sunk")
    if title == "raid":
        return ScenarioEnding("north", "held") if is_last_round else None
    if is_last_round or max(score.values()) >= scenario.winning_score:
        return ScenarioEnding(_leading_side(score), "basin")
    return None


def _escape_ending(
    left: int, may_still_leave: int, winning_score: int, *, last: bool, hunted: bool
) -> ScenarioEnding | None:
    """Return how a scenario ends in which the south wants to leave the table (MX-5.2, MX-5.3)."""
    if left >= winning_score:
        return ScenarioEnding("south", "left")
    if left + may_still_leave < winning_score:
        return ScenarioEnding("north", "kept_in")
    if last:
        return ScenarioEnding("north", "late")
    return None if hunted else ScenarioEnding("south", "unhunted")


def _leading_side(score: ScenarioScore) -> TableSide | Literal["draw"]:
    south, north = score["south"], score["north"]
    if south == north:
        return "draw"
    return "south" if south > north else "north"
