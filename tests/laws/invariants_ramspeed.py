"""Invariants of every step of Biremes … Oh My!, measured by plain arithmetic, not by the rules' own geometry."""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

from msgspec import structs

from rules.core.protocol import Event, Setup
from rules.ramspeed.engine.events import (
    CaptainConceded,
    DerelictManned,
    GameEnded,
    InitiativeRolled,
    ShipCaptured,
    ShipsLinked,
    ShipSunk,
    ShipWithdrawn,
    ShotFired,
    TurnBegan,
)
from rules.ramspeed.engine.orders import Alternative, DoctrineLine, Doctrines, ForwardOrder, OrderLine, OrderSheet
from rules.ramspeed.engine.state import Position, Ship, State
from tests.laws.outlines import overlap_depth

MELEE = (
    "30x24 open land=8,14,12,14,12,16,8,16 turn=3/8 phase=fire quiet=0 seats=ann@A,bob@P ; "
    "A1 T ann athenian @18.75,8^90 13 ; A2 Q ann other @12,6^0 30 ; A3 B ann other @20.4,10.6^180 9 ; "
    "P1 T bob pirate @20,8^0 14 ; P2 B bob persian @13,10^180 10 fire=1 ; P3 V bob other @24,16^200 40 halved ; "
    "P4 B bob other @15,4^45 0 ; A1>P1"
)
"""A ram stuck fast, a fire, a derelict, and ships within reach of each other."""
EXIT = (
    "20x20 open exit turn=1/5 phase=orders quiet=0 seats=ann@A,cara@A,bob@P,dan@P ; A1 T ann greek @10,4^0 20 ; "
    "A2 B cara greek @6,4^350 10 ; P1 V bob persian @10,13^180 50 corvus ; "
    "P2 B dan persian @13,17^90 10 fire=2 fireship"
)
SETUPS = (
    Setup(system="ramspeed", teams=(0, 1), options={"captain": "deckhand"}),
    Setup(system="ramspeed", teams=(0, 1), position=MELEE),
    Setup(system="ramspeed", teams=(1, 0), options={"scenario": "cove", "sides": "first", "mode": "live"}),
    Setup(system="ramspeed", teams=(0, 1), position=MELEE, options={"mode": "asked", "command": "on"}, missed="hold"),
    Setup(system="ramspeed", teams=(0, 1, 0, 1), options={"scenario": "corvus", "sides": "second", "captains": "2"}),
    Setup(system="ramspeed", teams=(0, 0, 1, 1), position=EXIT, options={"mode": "live"}),
    Setup(system="ramspeed", teams=(0, 1), options={"mode": "asked", "command": "on"}),
    Setup(system="ramspeed", teams=(1, 1, 0, 0), position=EXIT, options={"captain": "admiral"}, missed="hold"),
    Setup(
        system="ramspeed",
        teams=(0, 1),
        options={"scenario": "free", "points": "6", "second_points": "8", "situation": "prepared", "nations": "mixed"},
    ),
    Setup(
        system="ramspeed",
        teams=(0, 1, 0, 1),
        options={"scenario": "artemisium", "captains": "2", "mode": "live", "captain": "deckhand"},
    ),
    Setup(
        system="ramspeed",
        teams=(1, 0),
        options={
            "scenario": "free",
            "opponents": "rolled",
            "situation": "beached",
            "swipe_run": "within",
            "command": "on",
        },
        missed="hold",
    ),
)
HULLS = {"B": (2.0, 0.5, 0.5), "T": (2.5, 0.5, 0.5), "Q": (2.5, 0.8, 0.8), "V": (3.0, 1.0, 1.0)}
CREWS = {"B": 10, "T": 20, "Q": 30, "V": 50}
BURNS = {"B": 3, "T": 4, "Q": 5, "V": 6}
SLACK = 0.0062
"""Overlaps below 0.005 inch are none (RS-01.7), and places are stored to 0.001."""


def teams(state: State) -> tuple[str, ...]:
    return tuple(captain.side for captain in state.position.seats)


def most_steps(state: State) -> int:
    """RS-20.2: turns are limited; in one, each ship acts once at most, and is asked about a few times."""
    return (state.position.limit + 1) * (8 * len(state.position.ships) + 2 * len(state.seats) + 2)


def twins(state: State, seat: int | None) -> Iterator[State]:
    """Doctrines, sheets of the turn before and those for missing ones are everybody's own affair."""
    if state.set_up:
        yield from _unplaced_twins(state, seat)
        return
    strange = Doctrines((DoctrineLine(ship="all", swipe="grapple", prize="leave"),))
    for at, other in enumerate(state.seats):
        if other != seat:
            named = state.position.ships[0].id
            sheet = OrderSheet((OrderLine(named, (Alternative((ForwardOrder(1.0),)),)),))
            yield structs.replace(
                state,
                doctrines=_put(state.doctrines, at, strange),
                standing=_put(state.standing, at, sheet),
                last=_put(state.last, at, sheet),
            )


def _unplaced_twins(state: State, seat: int | None) -> Iterator[State]:
    """Where others place their ships is secret until all are placed."""
    position = state.position
    own = None if seat is None else state.player_of(seat)
    hidden = [ship for ship in position.ships if ship.id in state.set_up.unplaced and ship.owner != own]
    if hidden:
        moved = {ship.id: structs.replace(ship, x=ship.x + 0.1, heading=(ship.heading + 7) % 360) for ship in hidden}
        ships = tuple(moved.get(ship.id, ship) for ship in position.ships)
        yield structs.replace(state, position=structs.replace(position, ships=ships))


def _put(values: tuple, at: int, value: object) -> tuple:
    return (*values[:at], value, *values[at + 1 :])


def check(before: State | None, events: Sequence[Event], after: State) -> None:
    position = after.position
    _ships(position)
    _hulls(position)
    _links(position)
    ends = [event for event in events if isinstance(event, GameEnded)]
    assert len(ends) == (after.result is not None and (before is None or before.result is None))
    assert not ends or events[-1] is ends[0]
    if before is None or before.result:
        return
    if after.set_up:
        return
    assert position.turn - before.position.turn == sum(isinstance(event, TurnBegan) for event in events) - (
        before.position.phase == "fire"
    )
    assert [ship.id for ship in position.ships] == [ship.id for ship in before.position.ships]
    _fates(before.position, events, position)


def _ships(position: Position) -> None:
    for ship in position.ships:
        assert 0 <= ship.crew <= CREWS[ship.code]
        assert 0 <= ship.heading < 360
        assert ship.fire < BURNS[ship.code] or not ship.is_afloat
        assert ship.owner in position.players
        assert ship.banks_lost in (0, 1)
        assert not ship.fireship or ship.fire
    assert position.turn <= position.limit
    assert position.quiet <= 5


def _links(position: Position) -> None:
    afloat = {ship.id for ship in position.ships if ship.is_afloat}
    pairs = [frozenset((link.a, link.b)) for link in position.links]
    assert len(set(pairs)) == len(pairs)
    assert all(len(pair) == 2 and pair <= afloat for pair in pairs)


def _fates(before: Position, events: Sequence[Event], after: Position) -> None:
    """Check that ships are lost and change hands only as events say."""
    sunk = {event.ship for event in events if isinstance(event, ShipSunk)}
    gone = {event.ship for event in events if isinstance(event, ShipWithdrawn)}
    taken = {event.ship for event in events if isinstance(event, ShipCaptured | DerelictManned)}
    gave_up = any(isinstance(event, CaptainConceded) for event in events)
    for was, now in zip(before.ships, after.ships, strict=True):
        if was.is_afloat:
            assert now.status == ("sunk" if now.id in sunk else "withdrawn" if now.id in gone else "afloat")
        else:
            assert now.status == was.status
        assert now.owner == was.owner or now.id in taken or gave_up
        assert now.side0 == was.side0
    for event in events:
        match event:
            case ShotFired():
                assert event.distance <= 2.0
                assert 1 <= event.die <= 6
            case InitiativeRolled():
                assert event.total == sum(event.dice)
            case ShipsLinked():
                assert event.a != event.b


def _hulls(position: Position) -> None:
    """Check that no hull leaves the table, lies on land, or overlaps another that it is not tied to."""
    tied = {frozenset((link.a, link.b)) for link in position.links}
    afloat = [ship for ship in position.ships if ship.is_afloat]
    outlines = {ship.id: _corners(ship) for ship in afloat}
    for name, outline in outlines.items():
        for x, y in outline:
            assert -SLACK <= x <= position.width + SLACK, name
            assert -SLACK <= y <= position.height + SLACK, name
        for ring in position.land:
            assert overlap_depth(outline, ring) <= SLACK, name
    rammed = {
        ship.id for ship in afloat if any(link.kind == "stuck" and link.includes(ship.id) for link in position.links)
    }
    for one, other in combinations(outlines, 2):
        if frozenset((one, other)) not in tied and not {one, other} & rammed:
            assert overlap_depth(outlines[one], outlines[other]) <= SLACK, (one, other)


def _corners(ship: Ship) -> list[tuple[float, float]]:
    length, beam, taper = HULLS[ship.code]
    angle = math.radians(ship.heading)
    sin, cos = math.sin(angle), math.cos(angle)
    own = [(length / 2, 0.0), (length / 2 - taper, beam / 2), (-length / 2, beam / 2)]
    own += [(-length / 2, -beam / 2), (length / 2 - taper, -beam / 2)]
    return [(ship.x + f * sin + s * cos, ship.y + f * cos - s * sin) for f, s in own]
