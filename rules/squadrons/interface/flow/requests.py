"""Who is asked what (SQ sections 3 and 9)."""

from __future__ import annotations

from typing import Final

from msgspec import structs

from rules.core.protocol import Request, Seat, ask_each
from rules.squadrons.engine.phases.activation import activation, turn_order
from rules.squadrons.engine.phases.command import ownership
from rules.squadrons.engine.sea.state import PendingDecision, State
from rules.squadrons.interface.drafts import alternate_choices, interrupts
from rules.squadrons.interface.flow import setting_up

_CLOCK_SUFFIX: Final = ".asked"
"""All squadrons that a captain orders in a turn share its time, and so do all questions in the middle of it."""
DECISION_TIMEOUT_S: Final = 2 * 3600
"""For what a doctrine that says `ask` asks (SQ 9.3); then what doctrines do by default."""


def pending_requests(state: State) -> tuple[Request, ...]:
    """Who must answer what now."""
    if state.result:
        return ()
    if state.stage in ("roster", "deploy"):
        return setting_up.pending_requests(state)
    if alone := _single_request(state):
        return (alone,)
    return ask_each(_seats_with_ships(state), "orders", state.position.turn, letter="t")


def _single_request(state: State) -> Request | None:
    """What one captain is asked while all others wait."""
    if state.running:
        return decision_request(state, state.running.asked)
    if state.stage in ("form", "speed"):
        return _alternate_request(state)
    if state.stage == "order" and state.initiative:
        return _live_request(
            state, _first_captain(state, state.initiative), "first", offered=" ".join(interrupts.FIRST_CHOICES)
        )
    if state.stage == "activation" and state.active:
        request = _live_request(state, acting_seat(state), "act")
        budget = request.budget.removesuffix(_CLOCK_SUFFIX)
        return structs.replace(request, live=state.answered > 0, budget=budget, within=0)
    return None


def _seats_with_ships(state: State) -> tuple[Seat, ...]:
    """Captains who have a ship."""
    whose = set(ownership.owner_by_ship(state).values())
    return tuple(one.seat for one in state.captains if one.seat in whose and one.seat not in state.conceded)


def decision_request(state: State, asked: PendingDecision) -> Request:
    """What somebody is asked in the middle of an activation."""
    kind = interrupts.KIND_BY_KEY[asked.key]
    return _live_request(state, asked.seat, kind, ship=asked.ship, by=asked.by, offered=" ".join(asked.offered))


def _alternate_request(state: State) -> Request:
    """Whose squadron is formed, or has its speeds set, now that both sides do so in turn."""
    side = state.active or "B"
    if state.stage == "form" and (squadron := alternate_choices.next_unformed(state, side)):
        offered = " ".join(alternate_choices.possible_forms(state, squadron))
        seat = ownership.seat_of(state, squadron.flagship)
        return _live_request(
            state, seat, "form", squadron=squadron.display_name, ship=squadron.flagship, offered=offered
        )
    squadron = alternate_choices.squadrons_without_speed(state, side)[0]
    ships = " ".join(squadron.ships)
    return _live_request(
        state, ownership.seat_of(state, squadron.flagship), "pace", squadron=squadron.display_name, ships=ships
    )


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
    return (ownership.captains_of_side(state, side) or state.captains)[0].seat


def acting_seat(state: State) -> Seat:
    """Of a side's captains the one whose squadron comes next: that of its first ship that can still act.

    Its Command Ship may be lost, or the enemy's by now.
    """
    side = state.active or "B"
    squadron = turn_order.next_squadron(state, side)
    able = activation.ready_galleys(state.position, squadron) if squadron else ()
    return ownership.seat_of(state, able[0]) if able else _first_captain(state, side)
