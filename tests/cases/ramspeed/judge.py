"""Carry out cases by the rules. Each kind of case has one function.

A verdict gives the events of a turn, each as `type: value value …` in the order of its fields, and the ships' places.
"""

from collections.abc import Iterable
from typing import Any

from rules.core.errors import OrderError
from rules.core.protocol import Setup
from rules.ramspeed.engine.case import adjudicate_case
from rules.ramspeed.engine.events import FleetRevealed, MeleeFought, OpponentsRolled, OrderSkipped, ShipRammed
from rules.ramspeed.engine.geometry import aim, hulls
from rules.ramspeed.engine.notation import position as notation_of
from rules.ramspeed.engine.notation.scenarios import SCENARIOS
from rules.ramspeed.engine.phases.turn import end_by_concession, side_scores
from rules.ramspeed.engine.state import Ship
from rules.ramspeed.engine.tables import TABLES
from rules.ramspeed.game import RamSpeed
from tests.cases.verdict import Facts, Kind, game, refusable, refused

GAME = RamSpeed()

HEADER = "40x40 open turn=3/20 phase=orders quiet=0 seats=ann@A,bob@P"
FIRST = {"ann": [6, 6, 1, 1], "bob": [1, 1, 6, 6], "nobody": []}
"""Dice by which a player has the first player-turn."""


def turn(facts: Facts) -> Facts:
    """Carry out a turn through `adjudicate_case`: the dice of FIRE, those of initiative, then `dice`."""
    return _turn(facts, " ; ".join([facts.get("header", HEADER), *facts["ships"]]))


def turns(facts: Facts) -> Facts:
    """Carry out several turns, and return the verdicts by the turn's number, from 1."""
    position = " ; ".join([facts.get("header", HEADER), *facts["ships"]])
    got: Facts = {}
    for number, case in enumerate(facts["turn"], 1):
        result = _adjudicated(case, position)
        position = result["position"]
        got |= {f"{key}_{number}": value for key, value in _told(result).items()}
    return got


def _adjudicated(facts: Facts, position: str) -> dict[str, Any]:
    first = facts.get("initiative", FIRST[facts.get("first", "ann")])
    return adjudicate_case(
        {
            "ruleset": "ramspeed",
            "position": position,
            "sheets": {player: facts[player] for player in ("ann", "bob", "x", "y", "z") if player in facts},
            "doctrines": facts.get("doctrines", {}),
            "dice": [*facts.get("fire", []), *first, *facts.get("dice", [])],
        }
    )


def _turn(facts: Facts, position: str) -> Facts:
    try:
        return _told(_adjudicated(facts, position))
    except OrderError as error:
        return refused(error)


def _told(result: dict[str, Any]) -> Facts:
    header, *rest = result["position"].split(" ; ")
    events = result["events"]
    ships = {part.split()[0]: part.split(" ", 4)[4] for part in rest if " " in part}
    by_type: dict[str, list[str]] = {}
    for event in events:
        by_type.setdefault(event["type"], []).append(_story(event))
    return {
        **{kind: values if len(values) > 1 else values[0] for kind, values in by_type.items()},
        **ships,
        "header": header,
        "owners": {part.split()[0]: part.split()[2] for part in rest if " " in part},
        "nations": {part.split()[0]: part.split()[3] for part in rest if " " in part},
        "links": [part for part in rest if " " not in part],
        "happens": [event["type"] for event in events],
        "story": [f"{event['type']}: {_story(event)}" for event in events],
        "winner": result["winner"] or "nobody yet",
        "dice_left": result["dice_left"],
        "silent": sorted(set(_TYPES) - set(by_type)),
    }


_TYPES = ("defence", "fire", "hooks", "linked", "melee", "moved", "oars", "recovered", "shot", "spread", "sunk", "end")


def _story(event: Facts) -> str:
    return " ".join(_word(value) for key, value in event.items() if key != "type")


def _word(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(_word, value)) or "()"
    if isinstance(value, float):
        return notation_of.format_number(value)
    return "-" if value is None else str(value)


def entry(facts: Facts) -> Facts:
    """Read lines of `ann`, each alone: return the place and the rule of a refusal, or `read`."""
    return {line: _entered(facts, line) for line in facts["lines"]}


def _entered(facts: Facts, line: str) -> str:
    position = " ; ".join([facts.get("header", HEADER), *facts["ships"]])
    verdict = _turn({"ann": line, "first": "nobody"}, position)
    # A line that can be read gets as far as the first die, and there is none.
    return "read" if verdict["piece"] == "dice" else f"{verdict['piece']}: {verdict['expected']}"


@refusable
def placed(facts: Facts) -> Facts:
    """Read a typed position."""
    return {"written": notation_of.format_position(notation_of.parse_position(facts["typed"]))}


def refusals(facts: Facts) -> Facts:
    """Return for each title the field for which a case or position is refused."""
    got: Facts = {}
    for title, case in facts["case"].items():
        case_facts = {"position": " ; ".join([HEADER, *facts["ships"]])} | case
        try:
            adjudicate_case(case_facts)
            got[title] = "accepted"
        except OrderError as error:
            fault = error.fault
            got[title] = fault.piece + (f": {fault.params['throw']}" if "throw" in fault.params else "")
            if fault.piece.count("."):
                got[title] += f": {fault.params['expected']}"
    return got


def measured(facts: Facts) -> Facts:
    """Measure lengths, angles and hulls."""
    got: Facts = {}
    if "hull" in facts:
        code, x, y, heading = facts["hull"]
        got["corners"] = [
            [hulls.round_place(float(value)) for value in corner]
            for corner in hulls.single_hull(code, x, y, heading).corners[0]
        ]
    if "ahead" in facts:
        got["ways"] = [list(hulls.forward_vector(heading)) for heading in facts["ahead"]]
    if "numbers" in facts:
        got["floored"] = [hulls.floor_inches(value) for value in facts["numbers"]]
        got["rounded"] = [hulls.round_inches(value) for value in facts["numbers"]]
        got["stored"] = [hulls.round_place(value) for value in facts["numbers"]]
    if "headings" in facts:
        rels = [hulls.signed_degrees(attacker - target) for attacker, target in facts["headings"]]
        got["zones"] = [aim.approach_zone(rel) for rel in rels]
        got["thetas"] = [aim.axis_angle(rel) for rel in rels]
    return got


def scored(facts: Facts) -> Facts:
    """Return a position's score, and the winner if a side concedes."""
    position = notation_of.parse_position(" ; ".join([facts.get("header", HEADER), *facts["ships"]]))
    conceded = facts.get("concedes", "")
    end = end_by_concession(position, conceded) if conceded else None
    return {"score": list(side_scores(position, conceded)), "winner": end.winner if end else ""}


def offered(facts: Facts) -> Facts:
    """Return the scenarios and their land, and the opponents for each roll of a die."""
    return {
        "scenarios": list(SCENARIOS),
        "land": [len(scenario.land) for scenario in SCENARIOS.values()],
        "nations": [[side.nation for side in scenario.sides] for scenario in SCENARIOS.values()],
        "matchups": [list(TABLES.matchups[die]) for die in sorted(TABLES.matchups)],
        "powers": [TABLES.naval_powers[die] for die in sorted(TABLES.naval_powers)],
    }


@refusable
def played(facts: Facts) -> Facts:
    """Begin a game with options, play the lines under `play`, and return what happened and who is asked now."""
    options = facts.get("options", {})
    position = " ; ".join([facts.get("header", HEADER), *facts["ships"]]) if "ships" in facts else ""
    setup = Setup(system="ramspeed", teams=GAME.seats(options), options=options, position=position)
    state, happened = game(GAME, setup, facts)
    fleets = [event for event in happened if isinstance(event, FleetRevealed)]
    rolls = [event for event in happened if isinstance(event, OpponentsRolled)]
    return {
        "asked": [request.id for request in GAME.pending_requests(state) if not request.optional],
        "happens": [event.__struct_config__.tag for event in happened],
        "opponents": [[event.die, event.power_die, *event.nations] for event in rolls],
        "fleets": [f"{event.seat}: {' '.join(code for _, code, _ in event.ships)}, {event.spent}" for event in fleets],
        "seen": [f"{ship.id} {ship.x:g},{ship.y:g}^{ship.heading}" for ship in GAME.view(state, None).position.ships],
        "ships": [_ship_text(ship) for ship in state.position.ships],
        "inflicted": [list(event.inflicted) for event in happened if isinstance(event, MeleeFought)],
        "skipped": [f"{event.ship} {event.rule}" for event in happened if isinstance(event, OrderSkipped)],
        "rams": [event.modifier for event in happened if isinstance(event, ShipRammed)],
    }


def _ship_text(ship: Ship) -> str:
    return f"{ship.id} {ship.code} {ship.nation}{' corvus' * ship.corvus}{' beached' * ship.beached}"


def _all(kinds: Iterable[Kind]) -> dict[str, Kind]:
    return {kind.__name__: kind for kind in kinds}


KINDS = _all((turn, turns, entry, placed, refusals, measured, scored, offered, played))
