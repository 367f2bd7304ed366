"""Test cases in JSON for tests and other programs: a position, orders and decisions, and the result (MX-6.3)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Struct

from rules.chance.dice import Dice
from rules.core.errors import UnreadableOrder
from rules.core.protocol import Event
from rules.matchbox.engine import events, hull, notation, orders, scenarios
from rules.matchbox.engine.events import (
    HullsCollided,
    HullsScraped,
    PartsLost,
    RowersReseated,
    ShipBackedOff,
    ShipMoved,
    ShipRammed,
    ShipSunk,
    VolleyDropped,
)
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.round import RoundOutcome, find_winner, run_round
from rules.matchbox.engine.state import (
    SLOTS,
    ExtraRule,
    Galley,
    OrderList,
    ScenarioTitle,
    ScoreKey,
    SinkRule,
    StandingOrders,
)

_KEY_PATTERN: Final = re.compile(r"([A-Za-z0-9]{1,8})@([1-9][0-9]{0,2})")
_CASE_EVENTS: Final[Mapping[type[Event], tuple[str, tuple[str, ...]]]] = {  # the name in a case, and the fields there
    ShipMoved: ("move", ("galley",)),
    HullsCollided: ("collision", ("a", "b")),
    ShipRammed: ("ram", ("by", "to", "kind", "edge", "damage")),
    HullsScraped: ("scrape", ("a", "b")),
    VolleyDropped: ("volley", ("by", "to", "matches", "broadside", "misfire", "hits")),
    PartsLost: ("loss", ("galley", "port", "starboard", "masts")),
    ShipSunk: ("sunk", ("galley",)),
    RowersReseated: ("reorganized", ("galley", "port", "starboard")),
    ShipBackedOff: ("backed_off", ("galley",)),
    events.ShipGrounded: ("aground", ("galley", "damage")),
    events.ReefStruck: ("reef", ("galley",)),
    events.FireShipStruck: ("fired", ("by", "edge")),
    events.FireCaught: ("burning", ("galley",)),
    events.FireShipSpent: ("burnt_out", ("galley",)),
    events.FireExtinguished: ("put_out", ("galley",)),
    events.OarRepaired: ("mended", ("galley",)),
    events.ShipGrappled: ("grappled", ("by",)),
    events.MeleeFought: ("melee", ("by", "both")),
    events.ShipCaptured: ("captured", ("by", "crew")),
    events.ShipPoledOff: ("poled_off", ("galley", "to")),
    events.HouseBurnt: ("landed", ("galley",)),
    events.ShipLeft: ("left", ("galley",)),
}


class ScenarioSetting(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The round of a scenario, and the score before it (MX-6.3). Missing scores are 0."""

    name: ScenarioTitle  # the scenario
    round: Annotated[int, Meta(ge=1)]  # number of the round, from 1
    score: dict[ScoreKey, Annotated[int, Meta(ge=0)]] = {}  # the score before the round, by key


class Case(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A position, orders, and fixed results of chance and decisions.

    Keys with `@` are galley and step, such as `A1@3`.
    """

    position: str  # in one line (MX-6.1)
    ruleset: Literal["matchbox"] = "matchbox"  # the game whose case it is
    orders: dict[str, str] = {}  # by galley. A galley without orders does not move.
    targets: dict[str, str] = {}  # by galley@step: id of the galley fired at
    drops: dict[str, list[tuple[float, float, float]]] = {}  # by galley@step: x, y and bearing of each match
    losses: dict[str, list[tuple[int, int, int]]] = {}  # by galley@step: port, starboard and masts of each blow
    casualties: Literal["seaworthy", "fighting"] = "seaworthy"  # what blows take without an entry in `losses`
    sinks: SinkRule | Literal["one side", "both sides"] = "one_side"  # when galleys sink (MB-7.2)
    boarding: bool = False  # whether galleys may be boarded (MX-0.2)
    melees: dict[str, tuple[list[float], list[float]]] = {}
    """By boarder@step: bearings of the boarder's and the other's matches."""
    prize: dict[str, int] = {}  # by captor@step: masts of the prize crew
    options: list[ExtraRule] = []  # extra rules in addition to those that the position shows (MX-0.2)
    scenario: ScenarioSetting | None = None  # the scenario; None: an ordinary battle


def adjudicate_case(case: Mapping[str, Any] | bytes | str) -> dict[str, Any]:
    """Carry out one round of a test case (JSON or a mapping), and return `position`, `events` and `winner`.

    The case gives orders, decisions, and all results of chance, so that anybody can compare results with the rules.
    Raises `OrderError` that names the field or rule, and what was expected.
    """
    parsed = _parse_case(case)
    sinks: SinkRule = "both_sides" if parsed.sinks in {"both_sides", "both sides"} else "one_side"
    position = notation.parse_position(parsed.position, sinks=sinks)
    galleys = {galley.id: galley for galley in position.galleys}
    notation.check_land(position.sea)
    notation.check_hulls(position)
    boarding = parsed.boarding or "boarding" in parsed.options
    lists = _order_lists(parsed, galleys, boarding=boarding)
    _check_drops(parsed, galleys, lists)
    outcome = run_round(
        position.sea,
        position.galleys,
        lists,
        {galley.seat: StandingOrders(casualties=parsed.casualties) for galley in position.galleys},
        Dice(seed="00"),
        _case_decisions(parsed, galleys),
        drops=parsed.drops,
        melees=parsed.melees,
        options=[*parsed.options, "boarding"] if boarding else parsed.options,
        number=parsed.scenario.round if parsed.scenario else 1,
        scenario=parsed.scenario.name if parsed.scenario else None,
        sinks=sinks,
    )
    _check_losses(parsed, outcome.events)
    result = {
        "position": notation.format_position(position.sea, outcome.galleys),
        "events": [entry for event in outcome.events if (entry := event_to_json(event))],
        "winner": find_winner(outcome.galleys),
    }
    return result if parsed.scenario is None else result | _scenario_result(parsed.scenario, outcome)


def _order_lists(case: Case, galleys: Mapping[str, Galley], *, boarding: bool) -> list[OrderList]:
    """Return a case's order lists. Errors name the first galley with a fault (MX-6.4)."""
    for name in case.orders:
        _require_galley(galleys, name, f"orders.{name}")
    return [
        orders.parse_legal(galley, case.orders[name], boarding=boarding)
        for name, galley in galleys.items()
        if name in case.orders
    ]


def _scenario_result(setting: ScenarioSetting, outcome: RoundOutcome) -> dict[str, Any]:  # MX-6.3
    name, number, before = setting.name, setting.round, setting.score
    unknown = [key for key in before if key not in scenarios.SCENARIOS[name].score_keys]
    if unknown:
        expected = ", ".join(scenarios.SCENARIOS[name].score_keys)
        raise UnreadableOrder("bad_field", piece=f"scenario.score.{unknown[0]}", expected=expected)
    score = scenarios.score_after_round(
        name, before, outcome.galleys, left=len(outcome.left_table), houses=outcome.houses
    )
    ending = scenarios.find_ending(name, number, score, outcome.galleys)
    return {"winner": ending and ending.winner, "scenario": {"name": name, "round": number, "score": score}}


def event_to_json(event: Event) -> dict[str, Any] | None:
    """Return an event as results of cases list it; None: they omit it."""
    entry = _CASE_EVENTS.get(type(event))
    if entry is None:
        return None
    name, fields = entry
    fields_by_name = {"step": getattr(event, "step", 0) or SLOTS, "type": name}  # the end of the round counts as step 5
    fields_by_name.update((field, getattr(event, field)) for field in fields)
    match event:
        case ShipMoved():
            fields_by_name |= _pose_to_json(event.end) | {"stopped": event.was_stopped}
        case ShipBackedOff():
            fields_by_name |= _pose_to_json(event.end) | {"distance": event.distance_mm}
        case events.FireShipStruck() | events.ShipGrappled() | events.ShipCaptured():
            fields_by_name["to"] = event.galley
        case events.MeleeFought():
            fields_by_name |= {"to": event.galley, "thrown": list(event.thrown), "hits": list(event.hits)}
        case events.ShipPoledOff():
            fields_by_name |= _pose_to_json(event.end) | {"by": event.distance_mm}
        case PartsLost() if event.why is not UNSET:
            fields_by_name["why"] = event.why
        case VolleyDropped():
            fields_by_name["gap"] = event.gap_mm
            fields_by_name["drops"] = [[drop.x_mm, drop.y_mm, drop.bearing_deg] for drop in event.drops]
    return fields_by_name


def _pose_to_json(pose: Pose) -> dict[str, Any]:
    end = hull.round_pose(pose)
    return {"prow": [end.x_mm + 0.0, end.y_mm + 0.0], "heading": end.heading_deg}


def _parse_case(case: Mapping[str, Any] | bytes | str) -> Case:
    try:
        return msgspec.json.decode(case, type=Case) if isinstance(case, bytes | str) else msgspec.convert(case, Case)
    except msgspec.ValidationError as error:
        message, _, where = str(error).partition(" - at ")
        raise UnreadableOrder(
            "bad_field", piece=where.strip("`").removeprefix("$.") or "$", expected=message
        ) from error
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise UnreadableOrder("bad_json", expected=str(error)) from error


def _require_galley(galleys: Mapping[str, Galley], name: str, field: str) -> Galley:
    if name not in galleys:
        raise UnreadableOrder("no_such_galley", piece=field, given=name, expected=", ".join(galleys))
    return galleys[name]


def _parse_key(galleys: Mapping[str, Galley], key: str, field: str) -> tuple[Galley, int]:  # such as `A1@3`
    match = _KEY_PATTERN.fullmatch(key)
    if not match or int(match[2]) > SLOTS:
        raise UnreadableOrder("bad_galley_and_step", piece=f"{field}.{key}", expected="A1@3")
    return _require_galley(galleys, match[1], f"{field}.{key}"), int(match[2])


def _check_drops(case: Case, galleys: Mapping[str, Galley], lists: Sequence[OrderList]) -> None:
    """Raise `UnreadableOrder` for a volley or melee (key `A1@2`) that nobody ordered, or an infinite number."""
    ordered = {order_list.galley: orders.step_orders(order_list) for order_list in lists}
    for key, drops in case.drops.items():
        galley, step = _parse_key(galleys, key, "drops")
        if galley.id not in ordered or ordered[galley.id][step - 1] != "X":
            raise UnreadableOrder("no_such_volley", piece=f"drops.{key}")
        if not all(math.isfinite(value) for drop in drops for value in drop):
            raise UnreadableOrder("not_finite", piece=f"drops.{key}")
    for key, bearings in case.melees.items():
        galley, step = _parse_key(galleys, key, "melees")
        if galley.id not in ordered or ordered[galley.id][step - 1] != "G":
            raise UnreadableOrder("no_such_melee", piece=f"melees.{key}")
        if not all(math.isfinite(bearing) for crew_bearings in bearings for bearing in crew_bearings):
            raise UnreadableOrder("not_finite", piece=f"melees.{key}")


def _case_decisions(case: Case, galleys: Mapping[str, Galley]) -> dict[str, str]:
    """Return the choices of a case by `PendingDecision.key`, such as `2.target.A1` for the case's key `A1@2`."""
    decided = {}
    for key, target in case.targets.items():
        galley, step = _parse_key(galleys, key, "targets")
        decided[f"{step}.target.{galley.id}"] = _require_galley(galleys, target, f"targets.{key}").id
    for key, crew in case.prize.items():
        galley, step = _parse_key(galleys, key, "prize")
        decided[f"{step}.prize.{galley.id}"] = str(crew)
    for key, splits in case.losses.items():
        galley, step = _parse_key(galleys, key, "losses")
        for blow, (port, starboard, masts) in enumerate(splits):
            decided[f"{step}.loss.{galley.id}.{blow}"] = f"{port}-{starboard}+{masts}"
    return decided


def _check_losses(case: Case, events: Sequence[Event]) -> None:
    """Raise `UnreadableOrder` if there are more choices than blows to a galley."""
    for key, splits in case.losses.items():
        name, _, step = key.partition("@")
        blows = sum(isinstance(e, PartsLost) and e.galley == name and e.step == int(step) for e in events)
        if len(splits) > blows:
            raise UnreadableOrder("too_many_losses", piece=f"losses.{key}", given=len(splits), expected=blows)
