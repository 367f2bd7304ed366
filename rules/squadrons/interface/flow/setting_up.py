"""Before the first turn: fleets are built in secret, a die is thrown, and one after the other is placed (SQ 3.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import structs

from rules.core.protocol import Event, Request, Seat, Step
from rules.squadrons.engine.events import FleetDeployed, FleetsRevealed, SetUpRolled
from rules.squadrons.engine.notation.orders import SIDES, FleetSide
from rules.squadrons.engine.phases.command import ownership
from rules.squadrons.engine.sea import fleets
from rules.squadrons.engine.sea.state import State, other_side
from rules.squadrons.interface.drafts import deployments, rosters
from rules.squadrons.interface.drafts.answers import Answer, Deployment, Roster

OVER_STAGE = "turn"
"""The stage in which nothing of it is left to be done."""


def begin_set_up(state: State, told: Sequence[Event] = ()) -> Step:
    """The first that is to be done; a state of stage `OVER_STAGE` if all is as its options say."""
    if state.points and state.building:
        position = structs.replace(state.position, ships=(), leaders=())
        return Step(structs.replace(state, stage="roster", position=position), tuple(told))
    return _roll_initiative(state, list(told)) if state.points and state.placed else Step(state, tuple(told))


def pending_requests(state: State) -> tuple[Request, ...]:
    """Who must build, or place, a fleet now: the first captain of a side."""
    if state.stage == "roster":
        return tuple(
            _set_up_request(
                state, side, "fleet", points=state.points, crews=state.crews, captains=_captain_count(state, side)
            )
            for side in SIDES
        )
    return (_set_up_request(state, state.active or "B", "place", enter=state.active == state.opener),)


def _set_up_request(state: State, side: FleetSide, kind: str, **params: str | int | bool) -> Request:
    seat = (ownership.captains_of_side(state, side) or state.captains)[0].seat
    return Request(id=f"t0.{kind}.{seat}", seat=seat, kind=kind, round=0, params={**params})


def _captain_count(state: State, side: FleetSide) -> int:
    return sum(one.side == side for one in state.captains)


def carry_out_set_up(state: State, given: Mapping[Seat, Answer]) -> Step:
    """Carry out what was built, or placed. Raises `ValueError` if it is no answer to that."""
    if state.stage == "roster":
        built = {state.captains[seat].side: one for seat, one in given.items() if isinstance(one, Roster)}
        if set(built) != set(SIDES):
            raise ValueError("a fleet is missing")
        return _roll_initiative(*_reveal_fleets(state, built))
    ((seat, one),) = given.items()
    if not isinstance(one, Deployment):
        raise ValueError(f"no answer to this: {one}")
    return _carry_out_deployment(state, state.captains[seat].side, one)


def _reveal_fleets(state: State, built: Mapping[FleetSide, Roster]) -> tuple[State, list[Event]]:
    """Both fleets are known (U2)."""
    points = str(state.points)
    made = fleets.tournament_position(
        points,
        {side: rosters.ship_codes(one) for side, one in built.items()},
        {side: rosters.fleet_leaders(points, one) for side, one in built.items()},
    )
    position = fleets.with_equipment(structs.replace(state.position, ships=made.ships, leaders=made.leaders))
    texts = tuple(rosters.format_roster(built[side]) for side in SIDES)
    state = structs.replace(
        state, position=position, captains=ownership.with_leaders(position, state.captains), rosters=texts
    )
    return state, [FleetsRevealed(blue=texts[0], red=texts[1], rule="SQ-23.1")]


def _roll_initiative(state: State, told: list[Event]) -> Step:
    """Who has the Initiative of the set-up: ties are rolled again (U2, SQ-23.4, SQ-23.7)."""
    dice = state.dice
    while True:
        blue, dice = dice.throw_die(6)
        red, dice = dice.throw_die(6)
        told += [SetUpRolled(side=side, die=die, rule="SQ-23.4") for side, die in zip(SIDES, (blue, red), strict=True)]
        if blue != red:
            break
    opener: FleetSide = "B" if blue > red else "R"
    state = structs.replace(state, dice=dice, opener=opener)
    if not state.placed:
        return Step(structs.replace(state, stage=OVER_STAGE), tuple(told))
    position = structs.replace(
        state.position, ships=tuple(structs.replace(ship, status="waiting") for ship in state.position.ships)
    )
    return Step(structs.replace(state, position=position, stage="deploy", active=other_side(opener)), tuple(told))


def _carry_out_deployment(state: State, side: FleetSide, given: Deployment) -> Step:
    """A fleet lies where its captain wants it; then the other one is placed (U3, U4)."""
    position = deployments.with_deployment(state.position, side, given)
    rule = "SQ-23.5" if given.enters else "SQ-23.4"
    told = (FleetDeployed(side=side, position=position, enters=given.enters, rule=rule),)
    last = side == state.opener
    stage = OVER_STAGE if last else "deploy"
    return Step(structs.replace(state, position=position, stage=stage, active=None if last else state.opener), told)
