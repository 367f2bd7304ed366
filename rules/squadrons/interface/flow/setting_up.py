"""Set-up before the first turn: secret rosters, the set-up die, then one deployment after the other (SQ-23)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import structs

from rules.core.protocol import Event, Request, Seat, Step
from rules.squadrons.engine.events import FleetDeployed, FleetsRevealed, SetUpRolled
from rules.squadrons.engine.notation.orders import SIDES, FleetSide
from rules.squadrons.engine.phases.command import command
from rules.squadrons.engine.sea import fleets
from rules.squadrons.engine.sea.state import State, other_side
from rules.squadrons.interface.drafts import deployments, rosters
from rules.squadrons.interface.drafts.answers import Answer, Deployment, Roster

OVER_STAGE = "turn"


def begin_set_up(state: State, events: Sequence[Event] = ()) -> Step:
    """Begin the set-up. The stage is `OVER_STAGE` if the options leave nothing to do."""
    if state.points and state.building:
        position = structs.replace(state.position, ships=(), leaders=())
        return Step(structs.replace(state, stage="roster", position=position), tuple(events))
    return _roll_initiative(state, list(events)) if state.points and state.placed else Step(state, tuple(events))


def pending_requests(state: State) -> tuple[Request, ...]:
    if state.stage == "roster":
        return tuple(
            _set_up_request(
                state, side, "fleet", points=state.points, crews=state.crews, captains=_captain_count(state, side)
            )
            for side in SIDES
        )
    return (_set_up_request(state, state.active or "B", "place", enter=state.active == state.opener),)


def _set_up_request(state: State, side: FleetSide, kind: str, **params: str | int | bool) -> Request:
    seat = (command.captains_of_side(state, side) or state.captains)[0].seat
    return Request(id=f"t0.{kind}.{seat}", seat=seat, kind=kind, round=0, params={**params})


def _captain_count(state: State, side: FleetSide) -> int:
    return sum(captain.side == side for captain in state.captains)


def carry_out_set_up(state: State, answers: Mapping[Seat, Answer]) -> Step:
    """Carry out rosters, or a deployment. Raises `ValueError` if the answer is of another kind."""
    if state.stage == "roster":
        rosters_by_side = {
            state.captains[seat].side: answer for seat, answer in answers.items() if isinstance(answer, Roster)
        }
        if set(rosters_by_side) != set(SIDES):
            raise ValueError("a fleet is missing")
        return _roll_initiative(*_reveal_fleets(state, rosters_by_side))
    ((seat, answer),) = answers.items()
    if not isinstance(answer, Deployment):
        raise ValueError(f"no answer to this: {answer}")
    return _carry_out_deployment(state, state.captains[seat].side, answer)


def _reveal_fleets(state: State, rosters_by_side: Mapping[FleetSide, Roster]) -> tuple[State, list[Event]]:  # SQ-23.7
    points = str(state.points)
    codes = {side: rosters.ship_codes(roster) for side, roster in rosters_by_side.items()}
    leaders = {side: rosters.fleet_leaders(points, roster) for side, roster in rosters_by_side.items()}
    fleets_only = fleets.tournament_position(points, codes, leaders)
    position = structs.replace(state.position, ships=fleets_only.ships, leaders=fleets_only.leaders)
    position = fleets.with_equipment(position)
    blue, red = (rosters.format_roster(rosters_by_side[side]) for side in SIDES)
    captains = command.with_leaders(position, state.captains)
    state = structs.replace(state, position=position, captains=captains, rosters=(blue, red))
    return state, [FleetsRevealed(blue=blue, red=red, rule="SQ-23.1")]


def _roll_initiative(state: State, events: list[Event]) -> Step:  # SQ-23.7
    """Roll the set-up die of both sides until one is higher, then begin the deployment with the other side."""
    dice = state.dice
    while True:
        blue, dice = dice.throw_die(6)
        red, dice = dice.throw_die(6)
        events.append(SetUpRolled(side="B", die=blue, rule="SQ-23.4"))
        events.append(SetUpRolled(side="R", die=red, rule="SQ-23.4"))
        if blue != red:
            break
    opener: FleetSide = "B" if blue > red else "R"
    state = structs.replace(state, dice=dice, opener=opener)
    if not state.placed:
        return Step(structs.replace(state, stage=OVER_STAGE), tuple(events))
    ships = tuple(structs.replace(ship, status="waiting") for ship in state.position.ships)
    position = structs.replace(state.position, ships=ships)
    return Step(structs.replace(state, position=position, stage="deploy", active=other_side(opener)), tuple(events))


def _carry_out_deployment(state: State, side: FleetSide, deployment: Deployment) -> Step:  # SQ-23.4
    position = deployments.with_deployment(state.position, side, deployment)
    rule = "SQ-23.5" if deployment.enters else "SQ-23.4"
    events = (FleetDeployed(side=side, position=position, enters=deployment.enters, rule=rule),)
    is_last = side == state.opener
    stage = OVER_STAGE if is_last else "deploy"
    next_side = None if is_last else state.opener
    return Step(structs.replace(state, position=position, stage=stage, active=next_side), events)
