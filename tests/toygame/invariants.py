"""Invariants of every step of the toy game; see `tests.laws.play.own`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import shapely
from msgspec import structs

from rules.core.protocol import Event, Setup
from rules.interface.drafts import SeatContext
from rules.interface.order_lines import ShipOrder, ShipOrderList
from tests.toygame.rules.state import WAYS, Ended, Fought, Sailed, State

STRAIT = Path(__file__).with_name("data").joinpath("scenarios", "strait.toml").read_text(encoding="utf-8").strip()
TIGHT = """
size = [10, 8]
sight = 4
land = [[[4, 0], [6, 0], [5, 3]]]
ships = [[[1, 2], [1, 6]], [[2, 4]], [[8, 2], [8, 6]]]"""
SETUPS = (
    Setup(system="toygame", teams=(0, 0, 0, 1)),
    Setup(system="toygame", teams=(0, 0, 0, 1), scenario=STRAIT, options={"rounds": "6"}),
    Setup(system="toygame", teams=(0, 1), options={"packs": "1", "rounds": "6"}, scenario=TIGHT, missed="hold"),
    Setup(system="toygame", teams=(0, 1), options={"packs": "1", "fights": "played"}, scenario=TIGHT),
    Setup(system="toygame", teams=(0, 0, 1), options={"packs": "2", "fights": "played", "rounds": "6"}, scenario=TIGHT),
)


def sample_orders(context: SeatContext[State]) -> list[ShipOrderList]:
    ships = [ship.id for ship in context.state.own(context.seat)][::-1]
    words = [f"{way}{steps}" for way in WAYS for steps in (1, 2, 3)]
    return [(), *(tuple(ShipOrder(ship, word) for ship in ships) for word in words)]


SAMPLES = {"orders": sample_orders}


def most_steps(state: State) -> int:
    """Wind, orders and fights of each round, and what captains do unasked."""
    return 3 * state.last + len(state.teams) + 1


def teams(state: State) -> tuple[int, ...]:
    return state.teams


def twins(state: State, seat: int | None) -> Iterator[State]:
    """Yield the state with ships that the seat does not see elsewhere."""
    if state.result is None:
        ships = tuple(
            ship if state.sees(seat, ship) else structs.replace(ship, y=ship.y + 0.001) for ship in state.ships
        )
        twin = structs.replace(state, ships=ships)
        if all(
            twin.sees(seat, ship) == state.sees(seat, before) for ship, before in zip(ships, state.ships, strict=True)
        ):
            yield twin


def check(before: State | None, events: Sequence[Event], after: State) -> None:
    """Ships stay on the sea and off the land, none comes back, and an event reports each that sinks."""
    for ship in after.ships:
        assert 0 <= ship.x <= after.sea.size[0]
        assert 0 <= ship.y <= after.sea.size[1]
        assert not any(shapely.Polygon(ring).contains(shapely.Point(ship.x, ship.y)) for ring in after.sea.land)
    assert (after.result is not None) == any(isinstance(event, Ended) for event in events) or before is None
    if before is None:
        return
    sunk = {event.sunk for event in events if isinstance(event, Fought)} - {""}
    gone = {ship.id for ship in before.ships} - {ship.id for ship in after.ships}
    assert sunk <= gone
    assert {ship.id for ship in after.ships} <= {ship.id for ship in before.ships}
    there = {ship.id: ship for ship in after.ships}
    for event in events:
        if isinstance(event, Sailed) and event.ship in there:
            assert (there[event.ship].x, there[event.ship].y) == (event.x, event.y)
