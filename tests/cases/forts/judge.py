"""Carry out cases by the rules. Each kind of case has one function."""

from typing import Any

from rules.core.protocol import Setup
from rules.forts.engine import boards, fire, notation, sailing
from rules.forts.engine.boards import LOWER_COLUMNS, TWO_FORTS
from rules.forts.engine.case import adjudicate_case
from rules.forts.engine.state import Ship
from rules.forts.game import Forts
from rules.geometry import hexes
from tests.cases import verdict
from tests.cases.verdict import Facts, Kind, refusable


@refusable
def played(facts: Facts) -> Facts:
    """Carry out a player-turn, or a part of one, through `adjudicate_case`; without `actions` it ends at once."""
    case_facts = {"ruleset": "forts", "actions": "end"} | facts | {"position": " ; ".join(facts["position"])}
    result = adjudicate_case(case_facts)
    header, *ships = result["position"].split(" ; ")
    return {
        "header": header,
        "ships": ships,
        "happens": [_story(event) for event in result["events"]],
        "winner": result["winner"] or "nobody yet",
        "dice_left": result["dice_left"],
    }


def _story(event: Facts) -> str:
    match event["type"]:
        case "wind":
            return f"{event['wind']} ({event['die']})"
        case "moved":
            return f"{event['ship']} {event['from']} > {event['to']} in {event['steps']}"
        case "shot":
            how = "plunges at" if event["plunging"] else "shoots at"
            end = "hits" if event["hit"] else "misses"
            aimed = f"{event['by']} {how} {event['to']}, distance {event['distance']}"
            return f"{aimed}: {event['die']} of {event['need']} {end}"
        case "sunk":
            return f"{event['by']} sinks {event['ship']}"
        case "skipped":
            return f"skipped {event['action']} {event['rule']}"
        case "siege":
            return f"{event['by']} besieges {event['fort']}"
        case "captured":
            return f"{event['by']} captures {event['fort']}"
        case "scored":
            return f"scored {event['white']}:{event['red']} {event['reason']}"
    raise NotImplementedError(event)


def measured(facts: Facts) -> Facts:
    """Return hexes of a board, and obstacles between them; ships stand where `ships` says."""
    board = boards.BOARDS[facts.get("board", "two_forts")]
    of = boards.all_hexes(board)
    ships = [Ship(colour="white", code="BB", hex=label) for label in facts.get("ships", ())]
    got: Facts = {"hexes": len(of), "sea": len(boards.sea_hexes(board))}
    if "hex" in facts:
        here = of[facts["hex"]]
        got |= {
            "axial": list(here),
            "neighbours": sorted(boards.hex_labels(board).get(each, "") for each in hexes.neighbours(here)),
            "sea_beside": sorted(
                label for each, label in boards.sea_hexes(board).items() if hexes.hex_distance(each, here) == 1
            ),
            "half_turn": boards.opposite_hex(board, facts["hex"]),
            "centre": [round(x, 3) for x in hexes.hex_centre(here, 1.0)],
            "exists": True,
        }
    if "line" in facts:
        start, end = facts["line"]
        line = hexes.line_between(of[start], of[end])
        name = boards.hex_labels(board)
        stops = fire.find_blockers(board, ships, start, end)
        got |= {
            "distance": fire.hex_distance(board, start, end),
            "crossed": [name.get(here, "off") for here in line.crossed],
            "pairs": [sorted(name.get(here, "off") for here in pair) for pair in line.pairs],
            "blocked_by": sorted(stop.hex or "off" for stop in stops),
            "back": sorted(stop.hex or "off" for stop in fire.find_blockers(board, ships, end, start)),
        }
    return got


def sailed(facts: Facts) -> Facts:
    """Return the hexes to which a ship may sail."""
    position = notation.parse_position(" ; ".join(facts["position"]))
    ship = next(ship for ship in position.ships if ship.id == facts["ship"])
    ways = sailing.shortest_ways(position, ship)
    return {
        "reach": len(ways),
        "steps": {label: len(ways[label]) - 1 for label in facts.get("to", ()) if label in ways},
    }


@refusable
def placed(facts: Facts) -> Facts:
    """Read a typed position."""
    return {"written": notation.format_position(notation.parse_position(facts["typed"]))}


@refusable
def loaded(facts: Facts) -> Facts:
    """Read a board's file, changed from the standard one as `change` says."""
    lines = [
        f"{key} = {_toml(value)}"
        for key, value in {
            "id": "test",
            "columns": 21,
            "rows_even": 11,
            "rows_odd": 10,
            "land": list(TWO_FORTS.land),
            **facts.get("change", {}),
        }.items()
        if value is not None
    ]
    for side in boards.SIDES:
        harbour = TWO_FORTS.harbour_of(side)
        changed = {"fort": harbour.fort, "start": list(harbour.start), **facts.get(side, {})}
        lines += [f"[{side}]", *(f"{key} = {_toml(value)}" for key, value in changed.items())]
    return {"loaded": boards.load_board("\n".join(lines)).id}


def _toml(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


@refusable
def game(facts: Facts) -> Facts:
    """A game through its door, answer by answer.

    `play` holds lines as `tests.cases.verdict.play` reads them.
    """
    system = Forts()
    setup = Setup(
        system="forts",
        teams=(0, 1),
        options={"colours": "first", "forts": "west"} | facts.get("options", {}),
        missed=facts.get("missed", "hold"),
        position=" ; ".join(facts.get("position", ())),
    )
    state, events = verdict.game(system, setup, facts)
    result = system.result(state)
    view = system.view(state, facts.get("seat"))
    return {
        "ships": [notation.format_ship(ship, active=False) for ship in state.position.ships],
        "seen": [notation.format_ship(ship, active=False) for ship in view.ships],
        "flagships": [code or "secret" for code in view.flagships],
        "white": state.seats[0],
        "west": state.seats[0] if state.position.white == "west" else state.seats[1],
        "turn": state.position.turn,
        "active": state.position.active_colour,
        "wind": state.position.wind or "none",
        "quiet": state.position.quiet,
        "pending": [f"{request.seat} {request.kind}" for request in system.pending_requests(state)],
        "clocks": sorted({request.clock for request in system.pending_requests(state)} - {""}),
        "events": [event.__struct_config__.tag for event in events],
        "winners": "nobody yet" if result is None else list(result.winners),
        "reason": "" if result is None else result.reason.key,
    }


def hexed(facts: Facts) -> Facts:
    """Read a hex's label, even if no board has it."""
    here = hexes.parse_label(facts["label"], LOWER_COLUMNS)
    return {
        "axial": list(here),
        "exists": facts["label"] in boards.all_hexes(TWO_FORTS),
        "label": hexes.format_label(here, LOWER_COLUMNS),
    }


KINDS: dict[str, Kind] = {
    "turn": played,
    "measure": measured,
    "sail": sailed,
    "position": placed,
    "board": loaded,
    "game": game,
    "hex": hexed,
}
