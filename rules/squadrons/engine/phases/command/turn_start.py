"""The start of a turn: the wind, and the speeds and leaders that a turn begins with."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from msgspec import structs

from rules.core.errors import IllegalOrder
from rules.squadrons.engine import events
from rules.squadrons.engine.notation.orders import SIDES, FleetSide, Speed, SquadronForm
from rules.squadrons.engine.odds import BarReason
from rules.squadrons.engine.phases.command import command
from rules.squadrons.engine.phases.play import TurnInProgress
from rules.squadrons.engine.sea.state import Position, Ship, Squadron, Wind
from rules.squadrons.engine.tables import TABLES


def change_wind(play: TurnInProgress) -> None:
    """Phase A: Roll for the wind of a turn after the first, if it changes (SQ-08.0)."""
    position = play.position
    if position.wind is None or not position.options.wind_changes or position.turn == 1:
        return
    table = TABLES.wind
    dice = play.throw_two_dice("wind_changed")
    strength_change, turn = table.rows[sum(dice) - 2]  # a row for each total from 2
    strength = min(table.most, max(0, position.wind.strength + strength_change))
    wind = Wind(strength, (position.wind.direction + turn) % 6)
    play.position = structs.replace(position, wind=wind)
    outcome = _wind_outcome(position.wind, wind)
    play.add_event(events.WindChanged(dice=dice, wind=wind, outcome=outcome, rule="SQ-08.0"))


def _wind_outcome(before: Wind, after: Wind) -> Literal["changed", "same", "calm", "still"]:
    if not after.strength:
        return "calm" if before.strength else "still"
    return "same" if after == before else "changed"


def roll_first_to_form(play: TurnInProgress) -> FleetSide:
    """Return the side that forms the first squadron: that of the lower Admiral or none, else by a die (SQ-05.8)."""
    blue, red = (_highest_admiral(play.position, side) for side in SIDES)
    while blue == red:
        blue, red = play.throw_two_dice("forming_rolled")
        play.add_event(events.FormingRolled(blue=blue, red=red, rule="SQ-05.8"))
    return "B" if blue < red else "R"


def _highest_admiral(position: Position, side: str) -> int:
    """Return the highest Initiative of a side's Admirals; -1 if it has none."""
    return max((leader.rating.initiative for leader in position.admirals(side)), default=-1)


def run_phase_b(play: TurnInProgress, forms_by_side: Mapping[str, Sequence[SquadronForm]]) -> tuple[Squadron, ...]:
    """Phase B: Form the squadrons of both sides and store their numbers in the ships (SQ-05.1 to SQ-05.8).

    Illegal requests are ignored.
    """
    blue, red = (_formed_squadrons(play.position, side, forms_by_side.get(side, ())) for side in SIDES)
    formed = (*blue, *red)
    play.position = command.with_squadron_numbers(play.position, [squadron for squadron in formed if squadron.number])
    return formed


def _formed_squadrons(position: Position, side: str, requests: Sequence[SquadronForm]) -> tuple[Squadron, ...]:
    # requests are accepted one by one, so that an illegal one does not spoil the others
    accepted: list[SquadronForm] = []
    formed = command.form_squadrons(position, side)
    for request in requests:
        try:
            formed = command.form_squadrons(position, side, (*accepted, request))
        except IllegalOrder:
            continue
        accepted.append(request)
    return formed


def run_phase_c(play: TurnInProgress) -> FleetSide:
    """Phase C: Return the side that wins the initiative. Ties are rolled again (SQ-03.2)."""
    while True:
        totals = {side: _roll_initiative(play, side) for side in SIDES}
        if totals["B"] != totals["R"]:
            return "B" if totals["B"] > totals["R"] else "R"


def _roll_initiative(play: TurnInProgress, side: FleetSide) -> int:
    die = play.throw_die("initiative_rolled")
    total = die + command.initiative_bonus(play.position, side)
    play.add_event(events.InitiativeRolled(side=side, die=die, total=total, rule="SQ-03.2"))
    return total


# --- speeds ------------------------------------------------------------------------------------------------------


def why_max_barred(position: Position, ship: Ship) -> BarReason | None:
    if ship.is_slowed:
        return BarReason("SQ-07.2", "tired_or_slow")
    if ship.held:
        return BarReason("SQ-07.2", "captured_once")
    if ship.is_crippled or position.is_immobile(ship):
        return BarReason("SQ-07.2", "cannot_row_hard")
    leader = position.leader_aboard(ship.id)
    if leader is not None and leader.reduced == "temp":
        return BarReason("SQ-05.17", "leader_came_over")
    return BarReason("SQ-08.3", "under_sail") if ship.sails and not ship.ship_class.tremiola else None


def legal_speeds(position: Position, ship: Ship) -> tuple[Speed, ...]:  # SQ-07.2, SQ-08.3
    return ("C",) if why_max_barred(position, ship) else ("C", "M")


def run_phase_d(
    play: TurnInProgress, speeds_by_side: Mapping[str, Mapping[str, Speed]], only: Collection[str] | None = None
) -> None:
    """Phase D: Set each galley to Cruise or Max by her side's request, else by doctrine (SQ-05.10, SQ-07.1).

    A forbidden Max becomes Cruise (SQ-07.2). With `only`, other ships keep their speeds.
    """
    changed: dict[Speed, list[str]] = {"C": [], "M": []}
    for side in SIDES:
        for ship in play.position.ships_of(side):
            if only is not None and ship.id not in only:
                continue
            speed = speeds_by_side.get(side, {}).get(ship.id) or _doctrine_speed(play, ship)
            if speed == "M" and why_max_barred(play.position, ship):
                speed = "C"
            if speed != ship.speed:
                play.change_ship(ship.id, speed=speed)
                changed[speed].append(ship.id)
    for speed, names in changed.items():
        if names:
            play.add_event(events.SpeedSet(ships=tuple(names), speed=speed, rule="SQ-07.1"))


def _doctrine_speed(play: TurnInProgress, ship: Ship) -> Speed:
    doctrine = play.doctrine_of(ship, "speed")
    return ship.speed if doctrine == "keep" else "M" if doctrine == "max" else "C"
