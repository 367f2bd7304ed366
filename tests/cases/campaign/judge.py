"""What the rules make of a case. Each kind of case has one function."""

from __future__ import annotations

import json
from typing import Any

from rules.campaign.table.case import adjudicate, read_galley, read_position
from rules.campaign.table.dice_battle import Stream, fight
from rules.campaign.table.maps import sea_map
from rules.campaign.table.sight import lying, seen_places
from rules.dice import Dice
from tests.cases.verdict import Facts, Kind, refusable


@refusable
def turned(facts: Facts) -> Facts:
    """A turn, or a battle that is entered, through `adjudicate`."""
    ended = {name: one | {"holds": _nobody(one["holds"])} for name, one in facts.get("battles", {}).items()}
    case = {"ruleset": "campaign", **facts, "battles": ended}
    result = json.loads(json.dumps(adjudicate(json.dumps(case))))
    if "refused" in result:
        return result
    winner = result["winner"]
    return {
        **result["position"],
        "events": [_story(event) for event in result["events"]],
        "running": [battle["id"] for battle in result["position"]["battles"]],
        "sides": [battle["galleys"] for battle in result["position"]["battles"]],
        "winner": f"{' '.join(winner['winners'])} by {winner['why']}" if winner else "nobody yet",
        "laurels": winner["laurels"] if winner else {},
    }


def _nobody(holds: Any) -> Any:
    return None if holds == "nobody" else holds


def _story(event: Facts) -> str:
    """An event as the spec's table of cases writes it; who fights is seen from the galleys."""
    told = [event["type"]]
    for key, value in event.items():
        if key == "type" or (event["type"] == "battle" and key == "galleys"):
            continue
        if isinstance(value, list):
            names = ("/".join(one) if isinstance(one, list) else one for one in value)
            told.append(f"{key}={'/'.join(names) or '-'}")
        else:
            told.append(f"{key}={value}")
    return " ".join(told)


@refusable
def mapped(facts: Facts) -> Facts:
    """A map for so many captains, and some of its places."""
    found = sea_map(facts["map"], facts["captains"])
    got: Facts = {
        "worth": found.worth,
        "ports": sum(place.port for place in found.places.values()),
        "seas": sum(not place.port for place in found.places.values()),
        "homes": [f"{home.city} {home.village} {home.fame}" for home in found.homes],
    }
    if "place" in facts:
        place = found.places[facts["place"]]
        got |= {"at": [place.x, place.y], "legs": list(place.legs), "worth_of_it": place.worth}
    return got


class Listed(Stream):
    """Dice that fall as a case says."""

    def __init__(self, dice: list[int]) -> None:
        super().__init__(Dice(seed="00"))
        self.left = list(dice)

    def die(self, sides: int) -> int:
        """Take the next die, which must have that many faces at least."""
        face = self.left.pop(0)
        assert face <= sides
        return face


def thrown(facts: Facts) -> Facts:
    """A battle by dice, attackers first."""
    sides = ([read_galley(line) for line in facts["attackers"]], [read_galley(line) for line in facts["defenders"]])
    cup = Listed(facts["dice"])
    fought = fight(sides, cup)
    holds = "nobody" if fought.holds is None else ("attackers", "defenders")[fought.holds]
    left = {name: "{}-{}+{}".format(*crew) for name, crew in fought.left.items()}
    return {"holds": holds, "left": left, "rounds": fought.rounds, "dice_left": len(cup.left)}


def looked(facts: Facts) -> Facts:
    """What a captain sees of a position."""
    position = read_position(json.dumps(facts["position"]))
    captain = facts["captain"]
    found = lying(position, captain, position.galleys)
    return {
        "sees": " ".join(sorted(seen_places(position, captain, position.galleys))),
        "lying": {
            place: [f"{one.captain} {one.galleys} {one.engaged} {'?' if one.lame < 0 else one.lame}" for one in there]
            for place, there in found.items()
        },
    }


KINDS: dict[str, Kind] = {"round": turned, "map": mapped, "dice": thrown, "sight": looked}
