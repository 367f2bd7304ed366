"""Before the first turn captains choose fleets for points, and place ships in zones (RS-22.5, RS-22.6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import structs

from rules.core.protocol import Event, Request, Seat, Step, ask_each
from rules.core.sides import letter_of
from rules.ramspeed.engine import free_battle
from rules.ramspeed.engine.events import FleetRevealed, ShipsPlaced
from rules.ramspeed.engine.state import SetUp, Ship, State, id_sort_key
from rules.ramspeed.interface import fleet_drafts, placement_drafts
from rules.ramspeed.interface.fleet_drafts import ChosenFleet
from rules.ramspeed.interface.placement_drafts import Placement


def pending_requests(state: State, set_up: SetUp) -> tuple[Request, ...]:
    if set_up.stage == "fleets":
        return tuple(
            Request(
                id=f"t0.fleet.{seat}",
                seat=seat,
                kind="fleet",
                round=0,
                params={**fleet_drafts.request_params(fleet_drafts.limits_of_seat(state, seat))},
            )
            for seat in sorted(state.seats)
            if seat not in state.conceded
        )
    return ask_each(_placing_seats(state, set_up), "place", 0, letter="t")


def _placing_seats(state: State, set_up: SetUp) -> tuple[Seat, ...]:
    """Return the seats that place ships now: those of the earlier side first, if the other is to see its ships."""
    owners = {ship.owner for ship in state.position.ships if ship.id in set_up.unplaced}
    early = {owner for owner in owners if state.position.side_of_player(owner) != set_up.later}
    return tuple(sorted(state.seat_of(owner) for owner in early or owners))


def carry_out(state: State, set_up: SetUp, answers: Mapping[Seat, object]) -> Step:
    """Carry out fleets or placements. The state has no set-up any more once the battle can begin."""
    if set_up.stage == "fleets":
        return _reveal_fleets(state, set_up, answers)
    position, events = state.position, list[Event]()
    placed: set[str] = set()
    for seat, answer in sorted(answers.items()):
        if not isinstance(answer, Placement):
            raise ValueError(f"no places: {answer}")
        position = placement_drafts.with_places(position, answer)
        names = {place.ship for place in answer.places}
        placed |= names
        ships = tuple(ship for ship in position.ships if ship.id in names)
        events.append(ShipsPlaced(seat=seat, ships=ships, rule=placement_drafts.RULE))
    unplaced = tuple(name for name in set_up.unplaced if name not in placed)
    set_up_after = structs.replace(set_up, unplaced=unplaced) if unplaced else None
    return Step(structs.replace(state, position=position, set_up=set_up_after), tuple(events))


def _reveal_fleets(state: State, set_up: SetUp, answers: Mapping[Seat, object]) -> Step:
    """Show all fleets, and put each in line abreast in its captain's zone.

    Allies of a captain who gave up get a stock fleet in that captain's place.
    """
    ships: list[Ship] = []
    events: list[Event] = []
    for seat in sorted(state.seats):
        player = state.player_of(seat)
        limits = fleet_drafts.fleet_limits(state.position, set_up, player)
        answer = answers.get(seat, fleet_drafts.stock_answer(limits))
        if not isinstance(answer, ChosenFleet):
            raise ValueError(f"no fleet: {answer}")
        side = state.position.side_of_player(player)
        fleet = free_battle.make_ships(answer.ships, letter_of(seat), owner=player, side=side)
        zone = next(zone for zone in set_up.zones if zone.player == player)
        fleet = free_battle.line_abreast(zone, fleet)
        events.append(
            FleetRevealed(
                seat=seat,
                spent=free_battle.fleet_cost(answer.ships),
                points=limits.points,
                ships=tuple((ship.id, ship.code, ship.nation) for ship in fleet),
                rule=fleet_drafts.RULE,
            )
        )
        ships += _with_heirs(state, seat, fleet)
    ships.sort(key=lambda ship: id_sort_key(ship.id))
    position = structs.replace(state.position, ships=tuple(ships))
    unplaced = tuple(ship.id for ship in ships if ship.id.startswith(tuple(map(letter_of, answers))))
    set_up = structs.replace(set_up, stage="placing", unplaced=unplaced)
    return Step(structs.replace(state, position=position, set_up=set_up), tuple(events))


def _with_heirs(state: State, seat: Seat, fleet: Iterable[Ship]) -> list[Ship]:
    if seat not in state.conceded:
        return list(fleet)
    heirs = allies_left(state, seat)
    return [
        structs.replace(ship, owner=state.player_of(heirs[number % len(heirs)])) for number, ship in enumerate(fleet)
    ]


def allies_left(state: State, seat: Seat) -> Sequence[Seat]:
    """Return the seats of the same side whose captains have not given up."""
    side = state.position.side_of_player(state.player_of(seat))
    return tuple(
        ally
        for ally in state.seats
        if ally not in state.conceded and state.position.side_of_player(state.player_of(ally)) == side
    )
