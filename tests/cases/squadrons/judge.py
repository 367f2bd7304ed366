"""Carry out cases by the rules. Each kind of case has one function.

A verdict gives the events of an activation or a phase, each as `type: value value …` in the order of its fields, and
the records of ships after it, as positions write them. Captains do nothing unasked, unless `doctrines` says so.
"""

from collections.abc import Iterable
from typing import Any

from msgspec import structs

from rules.chance.dice import Dice, ListedDice
from rules.core.errors import OrderError, Scalar
from rules.core.protocol import Request, Setup
from rules.core.registry import RULESETS
from rules.squadrons.engine.case import adjudicate_case
from rules.squadrons.engine.events import FormingRolled, WindChanged, WindRose, event_to_json
from rules.squadrons.engine.notation.order_text import parse_orders
from rules.squadrons.engine.notation.orders import DoctrineLine, Doctrines, SquadronActivation
from rules.squadrons.engine.phases.activation.activation import activate_squadrons, run_activation
from rules.squadrons.engine.phases.command import command, turn_start
from rules.squadrons.engine.phases.play import TurnInProgress
from rules.squadrons.engine.sea import position_text
from rules.squadrons.engine.sea.state import RuleOptions
from tests.cases.verdict import Facts, Kind, refused

HEADER = "squadrons 3 {phase} 44x28 {opts} vp=55 limit=12 bonus=0/0 lost=-/-"
OFF = {side: {"avoid": "off", "fire": "off", "board": "never", "unfoul": "never", "transfer": "never"} for side in "BR"}
"""Doctrines of both sides: nothing is done unasked."""


def activation(facts: Facts) -> Facts:
    """Carry out the activation of one squadron, by default of all ships of Blue."""
    squadron = facts.get("squadron") or [ship.split()[0] for ship in facts["ships"] if ship[0] == "B" and "@" in ship]
    return _carried_out(facts, "E", activate={"squadron": squadron, "orders": facts.get("orders", "")})


def phase(facts: Facts) -> Facts:
    """Carry out phase G or H, as `phase` says."""
    return _carried_out(facts, facts["phase"], phase=facts["phase"])


def optional(facts: Facts) -> Facts:
    """Carry out an activation of Blue under rules that positions do not write, by their names in `RuleOptions`."""
    lying = position_text.parse_position(_position(facts, "E"))
    lying = structs.replace(lying, options=RuleOptions(**dict.fromkeys(facts["options"], True)))
    words = {who: {**OFF[who], **facts.get("doctrines", {}).get(who, {})} for who in OFF}
    doctrines = Doctrines(tuple(DoctrineLine(who=who, values=values) for who, values in words.items()))
    play = TurnInProgress(lying, ListedDice(tuple(facts["dice"])), doctrines)
    run_activation(play, [ship.id for ship in lying.ships_of("B")], parse_orders(facts["orders"]))
    events_as_json = [event_to_json(event) for event in play.events]
    bare = position_text.format_position(structs.replace(play.position, options=RuleOptions()))
    left = len(getattr(play.dice_source, "dice_left", ()))
    return _told({"position": bare, "events": events_as_json, "winner": None, "dice_left": left})


def double(facts: Facts) -> Facts:
    """Carry out a Double Activation of Blue: of the Admiral's squadron and that of the Command Ship `second`."""
    play = _play(facts)
    formed = command.form_squadrons(play.position, "B")
    play.position = command.with_squadron_numbers(play.position, formed)
    orders = parse_orders(facts["orders"])
    activate_squadrons(
        play, formed, SquadronActivation(squadron=facts["admiral"], orders=orders, double=facts["second"])
    )
    shown = [event_to_json(event) for event in play.events if event.shown_in_cases]
    position = position_text.format_position(play.position)
    return _told(
        {
            "position": position,
            "events": shown,
            "winner": None,
            "dice_left": len(getattr(play.dice_source, "dice_left", ())),
        }
    )


def forming(facts: Facts) -> Facts:
    """Return the side that forms the first squadron where the sides form them in turn, and the dice that all see."""
    play = _play(facts)
    first = turn_start.roll_first_to_form(play)
    return {
        "first": first,
        "dice": [[event.blue, event.red] for event in play.events if isinstance(event, FormingRolled)],
    }


def weather(facts: Facts) -> Facts:
    """Begin a game and play turns in which nobody does anything.

    Return the wind that each request names, and the events of the wind before the requests of each turn.
    """
    system, options = RULESETS["squadrons"], facts["options"]
    setup = Setup(system="squadrons", teams=(0, 1), options=options, missed="hold")
    step = system.start(setup, Dice(seed=facts["seed"]))
    asked, told = [], []
    for _ in range(facts["turns"]):
        requests = system.pending_requests(step.state)
        asked.append(sorted({" ".join(map(str, _wind_params(request))) for request in requests}))
        told.append(
            [_story(event_to_json(event)) for event in step.events if isinstance(event, WindRose | WindChanged)]
        )
        answers = {request.id: system.default_answer(step.state, request) for request in requests}
        step = system.resolve(step.state, answers)
    return {"asked": asked, "told": told}


def _wind_params(request: Request) -> list[Scalar]:
    return [request.params.get(key, "-") for key in ("note", "strength", "direction")]


def _play(facts: Facts) -> TurnInProgress:
    words = {who: {**OFF[who], **facts.get("doctrines", {}).get(who, {})} for who in OFF}
    doctrines = Doctrines(tuple(DoctrineLine(who=who, values=values) for who, values in words.items()))
    position = position_text.parse_position(_position(facts, "E"))
    return TurnInProgress(position, ListedDice(tuple(facts.get("dice", ()))), doctrines)


def tries(facts: Facts) -> Facts:
    """Carry out activations that differ in one thing: return for each title the refusing rule, or the events that
    matter."""
    got: Facts = {}
    for title, changed in facts["try"].items():
        verdict = activation({**facts, **changed})
        got[title] = verdict["refused"] if "refused" in verdict else verdict["story"]
    return got


def refusals(facts: Facts) -> Facts:
    """Return for each title the beginning of the case's refusal."""
    got: Facts = {}
    for title, changed in facts["case"].items():
        verdict = _adjudicated({"position": _position(facts, "E"), "dice": []} | changed)
        got[title] = verdict.get("refused", "accepted")
    return got


def _position(facts: Facts, at: str) -> str:
    header = facts.get("header", HEADER.format(phase=at, opts=facts.get("opts", "-")))
    return " ; ".join([" ".join(filter(None, [header, facts.get("sea", "")])), *facts["ships"]])


def _carried_out(facts: Facts, at: str, **what: Any) -> Facts:
    doctrines = {who: dict(words) for who, words in OFF.items()}
    for who, words in facts.get("doctrines", {}).items():
        doctrines.setdefault(who, {}).update(words)
    return _adjudicated(
        {
            "ruleset": "squadrons",
            "position": _position(facts, at),
            "doctrines": doctrines,
            "dice": facts.get("dice", []),
            "mode": facts.get("mode", "live"),
        }
        | what
    )


def _adjudicated(case: dict[str, Any]) -> Facts:
    try:
        return _told(adjudicate_case(case))
    except OrderError as error:
        fault = error.fault
        return refused(error) | {"refused": f"{fault.rule}: {fault.piece}" if fault.rule else fault.piece}


def _told(result: dict[str, Any]) -> Facts:
    header, *rest = result["position"].split(" ; ")
    records = [part.split(" ", 1) for part in rest]
    by_type: dict[str, list[str]] = {}
    for event in result["events"]:
        by_type.setdefault(event["type"], []).append(_story(event))
    return {
        **{kind: values if len(values) > 1 else values[0] for kind, values in by_type.items()},
        **{name: record for name, record in records if name not in ("grap", "foul", "lead")},
        "grap": [record for name, record in records if name == "grap"],
        "foul": [record for name, record in records if name == "foul"],
        "lead": [record for name, record in records if name == "lead"],
        "header": header,
        "happens": [event["type"] for event in result["events"]],
        "story": [f"{event['type']}: {_story(event)}" for event in result["events"]],
        "winner": result["winner"] or "nobody yet",
        "dice_left": result["dice_left"],
    }


def _story(event: Facts) -> str:
    return " ".join(_word(value) for key, value in event.items() if key != "type")


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ":".join(map(str, value.values()))
    if isinstance(value, list | tuple):
        return ",".join(map(_word, value))
    return "-" if value is None else str(value)


def _all(kinds: Iterable[Kind]) -> dict[str, Kind]:
    return {kind.__name__: kind for kind in kinds}


KINDS = _all((activation, double, forming, optional, phase, refusals, tries, weather))
