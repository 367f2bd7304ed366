"""Carry out cases by the rules. Each kind of case has one function."""

import json
from typing import Any

from rules.campaign import GAME
from rules.campaign.engine.case import adjudicate_case, position_to_json, read_galley, read_position
from rules.campaign.engine.events import GalleysSighted, LaunchSeen
from rules.campaign.engine.fighting.dice_battle import fight_by_dice
from rules.campaign.engine.orders import parse_orders
from rules.campaign.engine.sea.maps import sea_map
from rules.campaign.engine.sea.sight import seen_galleys, visible_places
from rules.campaign.engine.sea.state import State
from rules.campaign.engine.turn import carry_out
from rules.campaign.engine.work import DiceStream
from rules.chance.dice import Dice
from rules.core.protocol import Event, Setup
from rules.core.registry import RULESETS
from rules.core.sides import seat_of
from tests.cases.verdict import Facts, Kind, refusable
from tests.samples import sample_answers


@refusable
def turned(facts: Facts) -> Facts:
    """Carry out a turn, or a battle that is entered, through `adjudicate_case`."""
    ended = {name: battle | {"holds": _nobody(battle["holds"])} for name, battle in facts.get("battles", {}).items()}
    case = {"ruleset": "campaign", **facts, "battles": ended}
    result = json.loads(json.dumps(adjudicate_case(json.dumps(case))))
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
    words = [event["type"]]
    for key, value in event.items():
        if key == "type" or (event["type"] == "battle" and key == "galleys"):
            continue
        if isinstance(value, list):
            names = ("/".join(part) if isinstance(part, list) else part for part in value)
            words.append(f"{key}={'/'.join(names) or '-'}")
        else:
            words.append(f"{key}={value}")
    return " ".join(words)


@refusable
def mapped(facts: Facts) -> Facts:
    """Return a map for this number of captains, and some of its places."""
    table = sea_map(facts["map"], facts["captains"])
    got: Facts = {
        "worth": table.total_worth,
        "ports": sum(place.is_port for place in table.places.values()),
        "seas": sum(not place.is_port for place in table.places.values()),
        "homes": [f"{home.city} {home.village} {home.fame}" for home in table.homes],
    }
    if "place" in facts:
        place = table.places[facts["place"]]
        got |= {"at": [place.x, place.y], "legs": list(place.legs), "worth_of_it": place.worth}
    return got


class Listed(DiceStream):
    def __init__(self, dice: list[int]) -> None:
        super().__init__(Dice(seed="00"))
        self.left = list(dice)

    def throw_die(self, sides: int) -> int:
        """Return the next number of the case, which must be possible with this many faces."""
        face = self.left.pop(0)
        assert face <= sides
        return face


def thrown(facts: Facts) -> Facts:
    """Fight a battle by dice, attackers first."""
    sides = ([read_galley(line) for line in facts["attackers"]], [read_galley(line) for line in facts["defenders"]])
    dice_source = Listed(facts["dice"])
    fought = fight_by_dice(sides, dice_source).result
    holds = "nobody" if fought.holds is None else ("attackers", "defenders")[fought.holds]
    left = {name: "{}-{}+{}".format(*crew) for name, crew in fought.left.items()}
    return {"holds": holds, "left": left, "rounds": fought.rounds, "dice_left": len(dice_source.left)}


def looked(facts: Facts) -> Facts:
    """Return the places and the fleets that a captain sees."""
    position = read_position(json.dumps(facts["position"]))
    captain = facts["captain"]
    fleets = seen_galleys(position, captain, position.galleys)
    return {
        "sees": " ".join(sorted(visible_places(position, captain, position.galleys))),
        "lying": {
            place: [
                f"{fleet.captain} {fleet.galleys} {fleet.engaged} {'?' if fleet.lame < 0 else fleet.lame}"
                for fleet in lying
            ]
            for place, lying in fleets.items()
        },
    }


def _begun(facts: Facts) -> State:
    """Return a campaign's state: at its beginning with options, or with a position."""
    if "position" in facts:
        return State(dice=Dice(seed="00"), position=read_position(json.dumps(facts["position"])))
    options = facts["options"]
    setup = Setup(system="campaign", teams=GAME.seats(options), options=options)
    return GAME.start(setup, Dice(seed=facts.get("seed", "00"))).state


def begun(facts: Facts) -> Facts:
    """Return the position at a campaign's beginning, and its open requests."""
    state = _begun(facts)
    pending = GAME.pending_requests(state)
    facts_of_start: Facts = position_to_json(state.position) | {
        "teams": list(state.position.teams),
        "homes": [home.city for home in state.position.homes],
        "asked": [
            f"{request.id} {'sealed' if request.sealed else 'open'}" for request in pending if not request.battle
        ],
    }
    battles = [request for request in pending if request.battle]
    if battles:
        child = battles[0].battle
        facts_of_start |= {
            "battles": [f"{request.id} {'optional' if request.optional else 'waits'}" for request in battles],
            "answered_by": [request.seat for request in battles],
            "opened": child.setup.position.split(" ; "),
            "seats": list(child.seats),
            "missed": child.setup.missed,
        }
    return facts_of_start


def nightfall(facts: Facts) -> Facts:
    """Play a battle's own game, in which all order the first thing that they can."""
    (asked,) = [request for request in GAME.pending_requests(_begun(facts)) if request.battle]
    there = RULESETS[asked.battle.setup.system]
    state, rounds = there.start(asked.battle.setup, Dice(seed="00")).state, 0
    while there.result(state) is None:
        rounds += 1
        asked_there = there.pending_requests(state)
        state = there.resolve(
            state, {request.id: sample_answers(there, state, request)[0] for request in asked_there}
        ).state
    return {"over_after": rounds, "reason": there.result(state).reason.key}


def told(facts: Facts) -> Facts:
    """Return the events of a turn that one captain gets."""
    position = read_position(json.dumps(facts["position"]))
    orders = {captain: parse_orders(position, captain, text) for captain, text in facts["orders"].items()}
    events = carry_out(position, orders, {}, Dice(seed="00")).events
    own_events = [event for event in events if event.seen_by is None or seat_of(facts["to"]) in event.seen_by]
    return {
        "told": [_heard(event) for event in own_events],
        "sighted": [_sighting(event) for event in own_events if isinstance(event, GalleysSighted)],
    }


def _heard(event: Event) -> str:
    details = [event.port, event.captain] if isinstance(event, LaunchSeen) else []
    return " ".join([event.__struct_config__.tag, *details])


def _sighting(event: GalleysSighted) -> str:
    seen = [f"{place}:{fleet.captain}{fleet.galleys}" for place, there in event.places.items() for fleet in there]
    return " ".join([event.when, *seen])


def late(facts: Facts) -> Facts:
    """Return the default orders of the first captain, who has sealed nothing."""
    state = _begun(facts)
    request = GAME.pending_requests(state)[0]
    return {
        "orders": GAME.format_answer(request, GAME.default_answer(state, request, excused=facts.get("excused", False)))
    }


KINDS: dict[str, Kind] = {
    "round": turned,
    "map": mapped,
    "dice": thrown,
    "sight": looked,
    "game": begun,
    "battle": nightfall,
    "told": told,
    "late": late,
}
