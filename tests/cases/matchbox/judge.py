"""Carry out cases by the rules. Each kind of case has one function."""

from collections.abc import Iterator
from statistics import mean, stdev

from rules.chance.dice import Dice
from rules.core.errors import raise_fault
from rules.core.protocol import Setup
from rules.matchbox.engine import damage, kept, laying, notation, orders, placing, points, volley
from rules.matchbox.engine import round as rounds
from rules.matchbox.engine.case import adjudicate_case
from rules.matchbox.engine.events import VolleyDropped
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.state import BroughtCrew
from rules.matchbox.game import Matchbox
from tests.cases import verdict
from tests.cases.verdict import Facts, Kind, refusable


@refusable
def played(facts: Facts) -> Facts:
    """Carry out a round through `adjudicate_case`."""
    case_facts = dict(facts)
    case_facts["position"] = " ; ".join(facts["position"])
    result = adjudicate_case(case_facts)
    table, *rest = result["position"].split(" ; ")
    land = [part for part in rest if part.split(":")[0] in {"island", "mole", "reef"}]
    scenario = {"score": result["scenario"]["score"], "setting": result["scenario"]} if "scenario" in result else {}
    return scenario | {
        "position": rest[len(land) :],
        "table": table,
        "land": land,
        "winner": result["winner"] or "nobody yet",
        "happens": [line for event in result["events"] for line in _story(event)],
        "moves": [_move(event) for event in result["events"] if event["type"] == "move"],
        "collisions": [f"{e['step']}: {e['a']} {e['b']}" for e in result["events"] if e["type"] == "collision"],
    }


def _move(event: Facts) -> str:
    x, y = map(notation.format_number, event["prow"])
    stopped = " stopped" if event["stopped"] else ""
    return f"{event['step']}: {event['galley']} @{x},{y}^{notation.format_number(event['heading'])}{stopped}"


def _story(event: Facts) -> Iterator[str]:
    step, number = event["step"], notation.format_number
    match event["type"]:
        case "ram":
            yield f"{step}: {event['by']} {event['kind']}-rams {event['to']} ({event['edge']}) for {event['damage']}"
        case "scrape":
            yield f"{step}: {event['a']} and {event['b']} scrape"
        case "volley":
            where = "broadside" if event["broadside"] else "not broadside"
            worth = "misfire" if event["misfire"] else f"{event['hits']} hits"
            dropped = f"{event['by']} drops {event['matches']} at {event['to']}"
            yield f"{step}: {dropped}, gap {number(event['gap'])}, {where}, {worth}"
        case "loss":
            yield f"{step}: {event['galley']} loses {event['port']}-{event['starboard']}+{event['masts']}"
        case "sunk":
            yield f"{step}: {event['galley']} sinks"
        case "reorganized":
            yield f"{step}: {event['galley']} reorganizes to {event['port']}-{event['starboard']}"
        case "aground":
            yield f"{step}: {event['galley']} aground for {event['damage']}"
        case "reef":
            yield f"{step}: {event['galley']} on a reef"
        case "grappled":
            yield f"{step}: {event['by']} grapples {event['to']}"
        case "melee":
            (own, theirs), (hits, suffered) = event["thrown"], event["hits"]
            fought = f"{event['by']} fights {event['to']}, {own} against {theirs} matches"
            yield f"{step}: {fought}, {hits} to {suffered} hits"
        case "captured":
            yield f"{step}: {event['by']} takes {event['to']}, crew {event['crew']}"
        case "fired":
            yield f"{step}: {event['by']} fires {event['to']} ({event['edge']})"
        case "burning":
            yield f"{step}: {event['galley']} burns"
        case "burnt_out":
            yield f"{step}: {event['galley']} burns out"
        case "put_out":
            yield f"{step}: {event['galley']} puts the fire out"
        case "mended":
            yield f"{step}: {event['galley']} mends an oar"
        case "poled_off":
            yield f"{event['galley']} poled {number(event['by'])} to {event['to']}"
        case "landed":
            yield f"{step}: {event['galley']} lands"
        case "left":
            yield f"{event['galley']} leaves"
        case "backed_off":
            yield f"{event['galley']} backs off {number(event['distance'])}"


@refusable
def listed(facts: Facts) -> Facts:
    """Read a typed order list of one galley."""
    galley = notation.parse_position(f"1200x800 ; {facts['galley']}").galleys[0]
    read = orders.parse_legal(galley, facts["typed"])
    return {"orders": orders.format_list(read), "steps": list(orders.step_orders(read))}


@refusable
def placed(facts: Facts) -> Facts:
    """Read a typed position."""
    position = notation.parse_position(facts["typed"])
    notation.check_land(position.sea)
    notation.check_hulls(position)
    return {"written": notation.format_position(*position), "galleys": len(position.galleys)}


def struck(facts: Facts) -> Facts:
    """Return the effects of one blow, and the ways to take it."""
    galley = notation.parse_position(f"1200x800 ; {facts['galley']}").galleys[0]
    options = damage.legal_splits(galley, facts["blow"], facts["facing"])
    chosen = {
        kind: "-".join(map(str, split[:2])) + f"+{split[2]}"
        for kind in ("seaworthy", "fighting")
        if options and (split := damage.choose_split(options, galley, kind))
    }
    return {"splits": sorted(f"{port}-{starboard}+{masts}" for port, starboard, masts in options)} | chosen


def laid(facts: Facts) -> Facts:
    """Return the order matches as they lie when a round begins."""
    position = notation.parse_position(" ; ".join(facts["position"]))
    by_id = {galley.id: galley for galley in position.galleys}
    steps = {name: orders.step_orders(orders.parse_legal(by_id[name], text)) for name, text in facts["orders"].items()}
    for name in by_id.keys() - steps.keys():
        steps[name] = ("",) * 5
    on_table = laying.lay_matches(position.galleys, steps, facts.get("from_step", 1))
    return {
        "lying": [
            f"{match.galley} {match.step}{match.order} "
            + " -> ".join(
                f"{notation.format_number(x)},{notation.format_number(y)}" for x, y in laying.match_ends(match)
            )
            for match in on_table.lying
        ],
        "in_hand": list(on_table.in_hand),
    }


@refusable
def game(facts: Facts) -> Facts:
    """A game through its door, move by move.

    `play` holds lines as `tests.cases.verdict.play` reads them.
    """
    system = Matchbox()
    setup = Setup(
        system="matchbox",
        teams=tuple(facts.get("teams", (0, 1))),
        options=facts.get("options", {}),
        missed=facts.get("missed", "hold"),
        position=" ; ".join(facts.get("position", ())),
    )
    state, events = verdict.game(system, setup, facts)
    result = system.result(state)
    return {
        "position": [notation.format_galley(galley) for galley in state.galleys],
        "fleets": [galley.id for galley in state.galleys],
        "table": f"{notation.format_number(state.width_mm)}x{notation.format_number(state.height_mm)}",
        "sides": list(state.sides),
        "round": state.round,
        "quiet": state.quiet_rounds,
        "pending": [f"{request.seat} {request.kind}" for request in system.pending_requests(state)],
        "volleys": [f"{event.step}: {event.by} at {event.to}" for event in events if isinstance(event, VolleyDropped)],
        "events": list(dict.fromkeys(event.__struct_config__.tag for event in events)),
        "winners": "nobody yet" if result is None else list(result.winners),
        "seen": [notation.format_galley(galley) for galley in system.view(state, facts.get("seat")).galleys],
    }


@refusable
def berthed(facts: Facts) -> Facts:
    """Place one vessel on a side's strip, among friends and land."""
    position = notation.parse_position(" ; ".join(facts["position"]))
    galley, *friends = position.galleys
    where = placing.PlacementArea(galley.side, 0.0, position.sea.width_mm, position.sea)
    raise_fault(placing.placement_fault(galley, friends, where, facts.get("to_come", 0)))
    return {"allowed": True}


@refusable
def proposed(facts: Facts) -> Facts:
    """Return a galley's default place."""
    position = notation.parse_position(" ; ".join(facts["position"]))
    where = placing.PlacementArea(facts["side"], 0.0, position.sea.width_mm, position.sea)
    galley = placing.propose_galley("A9", 0, 6, position.galleys, where, to_come=0, wish_x_mm=facts["wish"])
    return {"galley": notation.format_galley(galley)}


@refusable
def built(facts: Facts) -> Facts:
    """Build a fleet for points."""
    fleet = [points.parse_build(build) for build in facts["fleet"].split()]
    boarding = facts.get("boarding", False)
    points.check_fleet(fleet, facts["points"], boarding=boarding)
    costs = [points.build_cost(vessel, boarding=boarding) for vessel in fleet]
    return {"costs": costs, "spent": sum(costs), "written": points.format_fleet(fleet)}


def usual(facts: Facts) -> Facts:
    """Return the fleet of a captain who builds none."""
    return {"fleet": points.format_fleet(points.default_fleet(facts["points"]))}


def learnt(facts: Facts) -> Facts:
    """Return the experience that crews gain in a game of one round."""
    position = notation.parse_position(" ; ".join(facts["position"]))
    by_id = {galley.id: galley for galley in position.galleys}
    outcome = rounds.run_round(
        position.sea,
        position.galleys,
        [orders.parse_legal(by_id[name], text, boarding=True) for name, text in facts["orders"].items()],
        {},
        Dice(seed="00"),
        {},
        drops=facts.get("drops", {}),
        melees=facts.get("melees", {}),
        options=["boarding"],
        scenario=facts.get("scenario"),
    )
    sides = {galley.id: galley.side for galley in position.galleys}
    deeds = kept.experience_by_deeds({}, sides, sides, outcome.events)
    home = {*((galley.id, galley.side) for galley in outcome.galleys), *((g.id, g.side) for g in outcome.left_table)}
    won = facts.get("winner")
    return {
        "gained": {
            name: kept.experience_gained(deeds.get(name, 0), home=(name, side) in home, won=side == won)
            for name, side in sides.items()
        }
    }


@refusable
def trained(facts: Facts) -> Facts:
    """Return a crew after a game, the promotions for its next, and its vessel at the beginning of that."""
    crew = kept.KeptCrew(
        **{("is_battered" if key == "battered" else key): value for key, value in facts["crew"].items()}
    )
    if "ended" in facts:
        galley = notation.parse_position(f"1200x800 ; {facts['ended']}").galleys[0]
        crew = kept.crew_after_game(crew, facts["gained"], galley if facts["fate"] == "afloat" else None)
    kept_crew = BroughtCrew(
        number=1, build=facts.get("build", "6"), xp=crew.xp, promotions=crew.promotions, battered=crew.is_battered
    )
    build = kept.build_with_crew(kept_crew, facts.get("letters"), facts.get("wishes", ""))
    return {
        "xp": crew.xp,
        "promotions": build.crew,
        "battered": crew.is_battered,
        "due": kept.promotions_due(crew),
        "begins": notation.format_galley(placing.new_galley("A1", 0, "south", build, Pose(600.0, 300.0, 0.0))),
    }


def scattered(facts: Facts) -> Facts:
    """Drop many matches over one point; return how they lie, to the tolerance of the case."""
    landed, dice = volley.drop_matches(Dice(seed=facts["seed"]), tuple(facts["aim"]), facts["matches"])
    columns = list(zip(*landed, strict=True))
    halves = [sum(bearing < 180 for bearing in columns[2]) / len(landed)]
    near = facts["tolerance"]
    statistics = {
        "mean": [*map(mean, columns[:2])],
        "deviation": [*map(stdev, columns[:2])],
        "bearings_below_180": halves,
    }
    as_expected = {
        key: wanted
        if all(abs(a - b) <= near[key] for a, b in zip(statistics[key], wanted, strict=True))
        else statistics[key]
        for key, wanted in facts["about"].items()
    }
    return {
        "as_expected": as_expected == facts["about"],
        "decimals": max(len(str(value).partition(".")[2]) for drop in landed for value in drop),
        "blocks": dice.blocks_drawn,
    }


KINDS: dict[str, Kind] = {
    "round": played,
    "orders": listed,
    "position": placed,
    "blow": struck,
    "laid": laid,
    "game": game,
    "scatter": scattered,
    "berth": berthed,
    "proposal": proposed,
    "fleet": built,
    "usual": usual,
    "learnt": learnt,
    "crew": trained,
}
