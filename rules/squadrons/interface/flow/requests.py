"""Open requests: which captain is asked what (SQ-03, SQ-24)."""

from __future__ import annotations

from typing import Final

from msgspec import structs

from rules.core.errors import Scalar
from rules.core.protocol import Request, Seat, ask_each
from rules.squadrons.engine.phases.activation import activation, turn_order
from rules.squadrons.engine.phases.aftermath import victory
from rules.squadrons.engine.phases.command import command
from rules.squadrons.engine.sea.state import PendingDecision, State
from rules.squadrons.interface.drafts import alternate_choices
from rules.squadrons.interface.flow import setting_up

_PLANNING_KINDS: Final = ("fleet", "place", "form", "orders", "first", "pace", "act")
_CLOCK_SUFFIX: Final = ".asked"
"""A captain's activations in a turn share one time budget. Questions in the middle of it share another."""
DECISION_TIMEOUT_S: Final = 2 * 3600
"""Time for questions of doctrines that say `ask` (SQ-24.1). Afterwards the default of the doctrine applies."""


def pending_requests(state: State) -> tuple[Request, ...]:
    if state.result:
        return ()
    if state.stage in ("roster", "deploy"):
        return tuple(_with_wind(state, request) for request in setting_up.pending_requests(state))
    if request := _single_request(state):
        return (_with_wind(state, request),)
    requests = ask_each(_seats_with_ships(state), "orders", state.position.turn, letter="t")
    return tuple(_with_points(state, _with_wind(state, request)) for request in requests)


def _with_points(state: State, request: Request) -> Request:
    """Return the request with the score that wins, and what the enemy's hulls are worth."""
    side = state.captains[request.seat].side
    hull, prize = victory.enemy_hull_points(state.position, side)
    params: dict[str, Scalar] = {"target": state.position.target, "hull": hull, "prize": prize}
    return structs.replace(request, params={**request.params, **params, "flight": victory.WITHDRAWAL_BONUS})


def _with_wind(state: State, request: Request) -> Request:
    """Return the request with the wind, which a captain must know before planning (SQ-08.0)."""
    wind = state.position.wind
    if wind is None or request.kind not in _PLANNING_KINDS:
        return request
    wind_params: dict[str, Scalar] = {"strength": wind.strength, "direction": wind.compass}
    note = "wind" if wind.strength else "calm"
    return structs.replace(request, params={**request.params, **wind_params, "note": note})


def _single_request(state: State) -> Request | None:
    if state.running:
        return decision_request(state, state.running.asked)
    if state.stage in ("form", "speed"):
        return _alternate_request(state)
    if state.stage == "order" and state.initiative:
        seat = _first_captain(state, state.initiative)
        return _live_request(state, seat, "first", offered=" ".join(alternate_choices.FIRST_CHOICES))
    if state.stage == "activation" and state.active:
        request = _live_request(state, acting_seat(state), "act")
        budget = request.budget.removesuffix(_CLOCK_SUFFIX)
        return structs.replace(request, live=state.answered > 0, budget=budget, within=0)
    return None


def _seats_with_ships(state: State) -> tuple[Seat, ...]:
    owners = set(command.owner_by_ship(state).values())
    return tuple(
        captain.seat for captain in state.captains if captain.seat in owners and captain.seat not in state.conceded
    )


def decision_request(state: State, decision: PendingDecision) -> Request:
    kind = alternate_choices.KIND_BY_KEY[decision.key]
    return _live_request(
        state, decision.seat, kind, ship=decision.ship, by=decision.by, offered=" ".join(decision.offered)
    )


def _alternate_request(state: State) -> Request:
    side = state.active or "B"
    if state.stage == "form" and (squadron := alternate_choices.next_unformed(state, side)):
        offered = " ".join(alternate_choices.possible_forms(state, squadron))
        seat = command.seat_of(state, squadron.flagship)
        return _live_request(
            state, seat, "form", squadron=squadron.display_name, ship=squadron.flagship, offered=offered
        )
    squadron = alternate_choices.squadrons_without_speed(state, side)[0]
    seat = command.seat_of(state, squadron.flagship)
    ships = " ".join(squadron.ships)
    return _live_request(state, seat, "pace", squadron=squadron.display_name, ships=ships)


def _live_request(state: State, seat: Seat, kind: str, **params: str) -> Request:
    turn = state.position.turn
    return Request(
        id=f"t{turn}.{kind}.{state.answered}",
        seat=seat,
        kind=kind,
        round=turn,
        live=True,
        sealed=False,
        budget=f"t{turn}.{seat}{_CLOCK_SUFFIX}",
        within=DECISION_TIMEOUT_S,
        params={**params},
    )


def _first_captain(state: State, side: str) -> Seat:
    return (command.captains_of_side(state, side) or state.captains)[0].seat


def acting_seat(state: State) -> Seat:
    """Return the seat that orders the next squadron: the captain of its first ship that can still act.

    Its Command Ship may be lost or captured by then.
    """
    side = state.active or "B"
    squadron = turn_order.next_squadron(state, side)
    ready = activation.ready_galleys(state.position, squadron) if squadron else ()
    return command.seat_of(state, ready[0]) if ready else _first_captain(state, side)
