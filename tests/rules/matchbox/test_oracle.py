"""Random crowded rounds, with land, vessels, boarding, crews and scenarios, against a program that shares no line."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from shapely import Polygon, union_all

from rules.matchbox.engine import case as cases
from rules.matchbox.engine import notation
from rules.matchbox.engine.sea import MAP_NAMES, load_maps
from rules.matchbox.engine.state import SinkRule
from tests.laws.length import times
from tests.rules.matchbox.oracle import KINDS, Round, Vessel, corners, parted

pytestmark = pytest.mark.slow

SLICES, ROUNDS = 4, times(2, 2_500)
SCENARIOS = {
    "escort": ("archipelago", 16, {"left": 1}),
    "break-out": ("strait", 12, {"left": 1}),
    "harbour": ("harbour", 16, {"south": 3, "north": 3}),
    "raid": ("port", 12, {"houses": 3}),
}
"""Map, last round, and the most of each score that doesn't end the scenario."""
NEAR_MM, NEAR_DEG = 0.02, 0.02
FIELDS = {
    "ram": ("by", "to", "kind", "edge", "damage"),
    "volley": ("by", "to", "matches", "broadside", "misfire", "hits"),
    "loss": ("galley",),
    "sunk": ("galley",),
    "reorganized": ("galley", "port", "starboard"),
    "aground": ("galley", "damage"),
    "fired": ("by", "to", "edge"),
    "grappled": ("by", "to"),
    "captured": ("by", "to", "crew"),
    **dict.fromkeys(("reef", "burning", "burnt_out", "put_out", "mended", "landed", "left"), ("galley",)),
}
"""Fields of the events that rules and oracle share, besides scrapes and melees."""


def orders_of(rng: random.Random, vessel: Vessel, *, boarding: bool) -> str:
    """Draw a legal list (MB-3, MX-2.3, 3.1)."""
    moves = min(vessel.port, vessel.starboard, vessel.kind.moves)
    weights = rng.choice(((6, 1.5, 1.5, 3, 0.5), (3, 3, 3, 1, 0.2), (2, 1, 1, 5, 1)))
    letters: list[str] = []
    while (used := sum(map(len, letters))) < 5:
        regular = sum(len(step) for step in letters if step not in "XG")
        may_move = sum(step in "FLR" for step in letters) < moves and regular < vessel.holes
        may_fire = sum(step in "XG" for step in letters) < vessel.masts
        likely = dict(zip("FLR", weights, strict=False)) if may_move else {}
        likely |= {"X": weights[3]} | ({"G": weights[3]} if boarding else {}) if may_fire else {}
        likely |= {"ZZ": weights[4]} if used < 4 and regular + 2 <= vessel.holes else {}
        if not likely or (not (may_move or may_fire) and rng.random() < 0.5):
            break
        letters += rng.choices([*likely], [*likely.values()])
    return "".join(letters)


def vessels_of(
    rng: random.Random, sea: Any, about: tuple[float, float], *, special: bool, both_sides: bool
) -> list[Vessel]:
    """Draw vessels of both sides about a place, none overlapping or on land; some with an empty side if they float."""
    width, height = sea.size_mm
    land = union_all([Polygon(piece.corners) for piece in sea.land if piece.kind != "reef"])
    vessels: list[Vessel] = []
    for number in range(rng.randint(3, 7)):
        letter = rng.choice(("", "", *KINDS)) if special else ""
        holes = rng.choice([*KINDS[letter].masts])
        masts, unharmed = KINDS[letter].masts[holes], rng.random() < 0.5
        crew = "".join(letter for letter in "rmbpc" if rng.random() < 0.2)[:3] if special and rng.random() < 0.4 else ""
        port, starboard = (holes if unharmed else rng.randint(1, holes) for _ in range(2))
        if both_sides and not unharmed and rng.random() < 0.5:
            port, starboard = rng.choice(((0, starboard), (port, 0)))
        for _ in range(60):
            x, y = (
                round(min(most, max(0.0, rng.gauss(at, 110))), 3) for at, most in zip(about, sea.size_mm, strict=True)
            )
            heading = rng.choice((0.0, 30.0, 60.0, 90.0, 180.0, 270.0, round(rng.uniform(0, 359.9), 3)))
            pose, kind = (x, y, heading), KINDS[letter]
            own = corners(kind, pose)
            if (
                all(0 <= at <= width and 0 <= up <= height for at, up in own)
                and land.distance(Polygon(own)) >= 0.06
                and all(parted(kind, pose, other.kind, other.pose) >= 0.001 for other in vessels)
            ):
                name, side = f"{'SN'[number % 2]}{number}", ("south", "north")[number % 2]
                left = masts if unharmed else rng.randint(0, masts)
                burning = special and letter != "f" and rng.random() < 0.1
                vessels.append(Vessel(name, side, port, starboard, left, holes, letter, crew, pose, burning))
                break
    return vessels


def written(vessel: Vessel) -> str:
    x, y, heading = map(notation.format_number, vessel.pose)
    crew = f"{{{vessel.crew}}}" if vessel.crew else ""
    built = f"{vessel.port}-{vessel.starboard}+{vessel.masts}/{vessel.holes}{vessel.letter}{crew}"
    return f"{vessel.id}:{vessel.side} {built} @{x},{y}^{heading}" + " burning" * vessel.burning


def a_round(rng: random.Random) -> tuple[Round, dict[str, Any]]:
    """Return a round played by the oracle, and the case that gives the resolver the same."""
    name = rng.choice((None, None, *SCENARIOS))
    sea = load_maps()[SCENARIOS[name][0] if name else rng.choice(MAP_NAMES)]
    width, height = sea.size_mm
    if not name and rng.random() < 0.2:
        sea = type(sea)(width, height)
    if name in ("escort", "break-out"):
        about = rng.uniform(100, width - 100), height - 45
    elif sea.land and rng.random() < 0.8:
        about = rng.choice(rng.choice(sea.land).corners)
    else:
        about = rng.uniform(100, width - 100), rng.uniform(100, height - 100)
    boarding, both_sides = rng.random() < 0.5, rng.random() < 0.3
    vessels = vessels_of(rng, sea, about, special=rng.random() < 0.7, both_sides=both_sides)
    lists = {vessel.id: orders_of(rng, vessel, boarding=boarding) for vessel in vessels}
    land = [(piece.kind, piece.corners) for piece in sea.land]
    case: dict[str, Any] = {
        "position": " ; ".join((notation.format_position(sea, ()), *map(written, vessels))),
        "orders": {galley: letters for galley, letters in lists.items() if letters},
        "boarding": boarding,
        "sinks": "both sides" if both_sides else "one side",
    }
    played = Round(sea.size_mm, land, vessels, lists, boarding, rng, both_sides)
    if name == "raid":
        played.town = Polygon(sea.land[0].corners)
    played.play()
    case |= {"drops": played.drops, "melees": played.melees}
    if name:
        _, last, most = SCENARIOS[name]
        case["scenario"] = {
            "name": name,
            "round": rng.choice((last, rng.randint(1, last))),
            "score": {key: rng.randint(0, value) for key, value in most.items()},
        }
    return played, case


def comparable(events: list[Mapping[str, Any]]) -> Iterator[tuple[Any, ...]]:
    sunk = {(event["step"], event["galley"]) for event in events if event["type"] == "sunk"}
    for event in events:
        head = event["step"], event["type"]
        match event["type"]:
            case "scrape":
                yield (*head, *sorted((event["a"], event["b"])))
            case "melee":
                yield (*head, event["by"], event["to"], tuple(event["thrown"]), tuple(event["hits"]), event["both"])
            case "loss":
                if (event["step"], event["galley"]) not in sunk:
                    yield (*head, event["galley"], (event["port"], event["starboard"], event["masts"]))
            case kind if kind in FIELDS:
                yield (*head, *(event[name] for name in FIELDS[kind]))


def before_sinking(events: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Remove losses of galleys that sink in the same step: the resolver reports them in another way."""
    sunk = {(event[0], event[2]) for event in events if event[1] == "sunk"}
    return [event for event in events if not (event[1] == "loss" and (event[0], event[2]) in sunk)]


@pytest.mark.parametrize("part", [0, 1, *(pytest.param(part, marks=pytest.mark.long) for part in range(2, SLICES))])
def test_another_program_plays_the_same_round(part):
    rng = random.Random(f"oracle {part}")
    for _ in range(ROUNDS):
        oracle, case = a_round(rng)
        scenario = case.get("scenario", {"score": {}})
        score = dict(scenario["score"])
        winner = oracle.scenario(scenario["name"], scenario["round"], score) if score else oracle.usual_winner()
        result = cases.adjudicate_case(case)
        assert sorted(comparable(result["events"]), key=repr) == sorted(before_sinking(oracle.told), key=repr), case
        assert (result["winner"], result.get("scenario", scenario)["score"]) == (winner, score), case
        sinks: SinkRule = "both_sides" if oracle.both_sides else "one_side"
        there = {galley.id: galley for galley in notation.parse_position(result["position"], sinks=sinks).galleys}
        assert {*there} == {vessel.id for vessel in oracle.afloat}, case
        for vessel in oracle.afloat:
            galley = there[vessel.id]
            crew = galley.side, galley.port, galley.starboard, galley.masts, galley.crew, galley.burning, galley.worn
            own = vessel.side, vessel.port, vessel.starboard, vessel.masts, vessel.crew, vessel.burning, vessel.worn
            assert crew == own, (vessel.id, case)
            x, y, heading = vessel.pose
            turned = abs((galley.pose.heading_deg - heading + 180) % 360 - 180)
            assert abs(galley.pose.x_mm - x) < NEAR_MM, (vessel.id, case)
            assert abs(galley.pose.y_mm - y) < NEAR_MM, (vessel.id, case)
            assert turned < NEAR_DEG, (vessel.id, case)
