"""Invariants of every step of the fleet game, measured by plain arithmetic, not by the rules' own geometry."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from msgspec import structs

from rules.core.protocol import Event, Setup
from rules.squadrons.engine.events import (
    CaptainConceded,
    FireFought,
    GameEnded,
    ManpowerLost,
    ShipBoarded,
    ShipExited,
    ShipRammed,
    ShipSunk,
    ShotFired,
    TurnBegan,
    WindChanged,
)
from rules.squadrons.engine.notation.orders import DoctrineLine, Doctrines
from rules.squadrons.engine.sea.fleets import MAX_GALLEYS
from rules.squadrons.engine.sea.state import Position, Ship, State
from rules.squadrons.engine.tables import CLASSES

HEAD = "squadrons {turn} A 20x16 {opts} vp={vp} limit={limit} bonus=0/0 lost=-/-"
MELEE = (
    HEAD.format(turn=3, opts="-", vp=30, limit=5) + " ; B1 5@1008N C ; B2 5m@0809N C ; B3 3v@1210N C F2 ; "
    "R1 5@1007SE C RAM:B1 ; R2 3g@0808S C CRp ; R3 4@1306S C ; R4 5T@0605S C ; foul B1 R1 ; grap B2 R2 ; "
    "lead BL1 Steady@B2 ; lead RL1 Bold@R3"
)
"""A ship fouled in her victim's side, another grappled, and enemies near by."""
FIERY = (
    HEAD.format(turn=1, opts="flame,pots", vp=12, limit=3) + " ; B1 5T@1008N C FL POT ; B2 5@0809N C FL POT ; "
    "R1 5T@1106S C FL ; R2 4@0905S C FIRE ; lead BL1 Grand@B1 ; lead RL1 Steady@R1"
)
WINDY = (
    HEAD.format(turn=3, opts="-", vp=30, limit=6) + " wind=1:N land=0806,0906,1306 ; B1 5@1008N C SAIL ; "
    "B2 Trm@0809N M SAIL ; B3 5@1307N C ; B4 3@1509N C AG0 ; R1 5@1005S C ; R2 3g@0805S C SAIL ; R3 5@1306S C AG2 ; "
    "R4 L@0906S C AG1 ; lead BL1 Steady@B2 ; lead RL1 Bold@R1"
)
"""Ships under sail near land, two of them aground."""
SETUPS = (
    Setup(system="squadrons", teams=(0, 1)),
    Setup(system="squadrons", teams=(0, 1), position=MELEE),
    Setup(
        system="squadrons",
        teams=(1, 0),
        options={"battle": "column", "sides": "first", "limit": "6", "extras": "flame", "land": "strait"},
    ),
    Setup(system="squadrons", teams=(0, 1), position=MELEE, options={"order": "squadron"}, missed="hold"),
    Setup(
        system="squadrons",
        teams=(0, 1, 0, 1),
        options={
            "battle": "100",
            "fleet": "crews",
            "deploy": "placed",
            "sides": "second",
            "limit": "6",
            "captain": "admiral",
            "strict": "both",
            "land": "isles",
        },
    ),
    Setup(system="squadrons", teams=(0, 1), position=FIERY, options={"extras": "both"}),
    Setup(
        system="squadrons",
        teams=(0, 1),
        options={
            "battle": "60",
            "fleet": "points",
            "order": "squadron",
            "reaction": "on",
            "wind": "changing",
            "limit": "6",
            "extras": "pots",
            "strict": "speed",
            "bridges": "first",
        },
    ),
    Setup(system="squadrons", teams=(0, 1), position=FIERY, options={"reaction": "on"}, missed="hold"),
    Setup(system="squadrons", teams=(0, 1), position=WINDY, options={"wind": "changing"}),
    Setup(system="squadrons", teams=(1, 0), options={"battle": "wind", "sides": "first", "limit": "6"}),
    Setup(system="squadrons", teams=(0, 1), options={"battle": "isle", "wind": "steady", "limit": "6"}),
)
SHARED = ("doctrines",)
SIZES = {"L": 1, "RL": 1, "T": 1}
"""Hexes of the small craft; all others have two."""


def teams(state: State) -> tuple[str, ...]:
    return tuple(captain.side for captain in state.captains)


def most_steps(state: State) -> int:
    """Turns are limited here; in one, each ship is activated once, and is asked about a few times."""
    ships = len(state.position.ships) or 2 * MAX_GALLEYS
    return (state.position.limit + 1) * (12 * ships + 4 * len(state.captains) + 4)


def twins(state: State, seat: int | None) -> Iterator[State]:
    """Doctrines and the last sheets are everybody's own affair; so are the sheets of this turn."""
    for captain in state.captains:
        if captain.seat == seat:
            continue
        last = tuple("all: F9" if one == captain.seat else text for one, text in enumerate(state.last))
        yield structs.replace(state, last=last)
    side = state.captains[seat].side if seat is not None else None
    for number, letter in enumerate(("B", "R")):
        if letter != side:
            strange = Doctrines((DoctrineLine(who=letter, values={"avoid": "any", "fire": "off"}),))
            doctrines = tuple(strange if at == number else old for at, old in enumerate(state.doctrines))
            yield structs.replace(state, doctrines=(doctrines[0], doctrines[1]))


def check(before: State | None, events: Sequence[Event], after: State) -> None:
    position = after.position
    _ships(position)
    _places(position)
    _pairs(position)
    _leaders(position)
    _weather(position, events)
    ends = [event for event in events if isinstance(event, GameEnded)]
    assert len(ends) == (after.result is not None and (before is None or before.result is None))
    assert not ends or events[-1] is ends[0]
    if before is None or before.result:
        return
    if before.stage in ("roster", "deploy"):
        _fleets(before, after)
        return
    assert [ship.id for ship in position.ships] == [ship.id for ship in before.position.ships]
    assert position.turn - before.position.turn == sum(isinstance(event, TurnBegan) for event in events)
    _fates(before.position, events, position)


def _fleets(before: State, after: State) -> None:
    """Check that fleets cost no more than they may, and lie near their own edge, or wait right beyond it."""
    for side in "BR":
        built = [ship for ship in after.position.ships if ship.id[0] == side]
        assert sum(CLASSES[ship.code].cost + ship.crew_change for ship in built) <= after.points
        assert len(built) <= MAX_GALLEYS
        assert after.building or not after.result or built
        for ship in built:
            assert 1 <= ship.crew_quality <= 4
            rows = [row for _, row in _hexes(ship)]
            far = [after.position.height - row if side == "B" else row - 1 for row in rows]
            late = after.position.is_outside(ship)
            assert late or ship.status == "waiting" or all(0 <= each <= 8 for each in far), ship.id
            assert not late or (far[0] == -1 and ship.facing == (0 if side == "B" else 3))
    assert before.stage == "deploy" or after.result or [ship.id for ship in after.position.ships]


def _ships(position: Position) -> None:
    for ship in position.ships:
        assert 0 <= ship.facing < 6
        assert 0 <= ship.fatigue <= 4
        assert ship.manpower >= 0
        if ship.is_afloat and ship.speed == "M":
            linked = any(ship.id in pair for pair in (*position.grapples, *position.fouls))
            hindered = (ship.rammed, ship.is_crippled, ship.fatigue, ship.half_speed, ship.held, linked)
            assert not any(hindered), ship.id


def _hexes(ship: Ship) -> list[tuple[int, int]]:
    """Return her hexes as columns and rows, by the table of 4.1."""
    column = ship.bow.q + 1
    row = _row(ship.bow.q, ship.bow.r)
    found = [(column, row)]
    if SIZES.get(ship.code, 2) == 2:
        found.append(_neighbour(column, row, (ship.facing + 3) % 6))
    return found


def _row(q: int, r: int) -> int:
    """The row of a hex, from 1: a column of even number (from 1) stands half a hex higher."""
    return r + (q - q % 2) // 2 + 1 + (q % 2)


def _neighbour(x: int, y: int, way: int) -> tuple[int, int]:
    if x % 2:
        table = ((x, y - 1), (x + 1, y), (x + 1, y + 1), (x, y + 1), (x - 1, y + 1), (x - 1, y))
    else:
        table = ((x, y - 1), (x + 1, y - 1), (x + 1, y), (x, y + 1), (x - 1, y), (x - 1, y - 1))
    return table[way]


def _places(position: Position) -> None:
    """Check that bows are on the map, and no two ships lie in one hex."""
    taken = {ship.id: _hexes(ship) for ship in position.ships if ship.is_afloat}
    for name, hexes in taken.items():
        late = hexes[0][1] in (0, position.height + 1) and position.turn == 1
        assert 1 <= hexes[0][0] <= position.width, name
        assert late or 1 <= hexes[0][1] <= position.height, name
    for one, other in combinations(taken, 2):
        assert not set(taken[one]) & set(taken[other]), (one, other)


def _pairs(position: Position) -> None:
    afloat = {ship.id for ship in position.ships if ship.is_afloat}
    for pairs in (position.grapples, position.fouls):
        known = [frozenset(pair) for pair in pairs]
        assert len(set(known)) == len(known)
        assert all(len(pair) == 2 and pair <= afloat for pair in known)


def _leaders(position: Position) -> None:
    ships = [leader.ship for leader in position.leaders]
    assert len(set(ships)) == len(ships)
    for leader in position.leaders:
        assert position.ship_by_id(leader.ship).side == leader.side


def _weather(position: Position, events: Sequence[Event]) -> None:
    """Check that the wind is known and changes only as a turn begins, and which ships are under sail or aground."""
    assert (position.wind is not None) == position.options.wind
    names = [type(event) for event in events]
    assert WindChanged not in names or names.index(WindChanged) == names.index(TurnBegan) + 1
    land = {(here.q + 1, _row(here.q, here.r)) for here in position.land}
    for ship in position.ships:
        if not ship.is_afloat or ship.bow not in position.ships_by_hex:
            continue
        bow, *stern = _hexes(ship)
        assert (bow in land) == bool(ship.aground), ship.id
        assert not set(stern) & land, ship.id
        assert not (ship.aground or ship.mast_down) or ship.speed == "C", ship.id
        assert not ship.sails or (position.wind and not ship.no_sails), ship.id
        assert not ship.sails or ship.speed == "C" or ship.code == "Trm", ship.id


def _fates(before: Position, events: Sequence[Event], after: Position) -> None:
    """Check that ships are lost and change hands only as events say, and that dice are dice."""
    sunk = {event.ship for event in events if isinstance(event, ShipSunk)}
    gone = {event.ship for event in events if isinstance(event, ShipExited)}
    taken = {event.target for event in events if isinstance(event, ShipBoarded) and event.result == "captured"}
    hit = {event.ship for event in events if isinstance(event, ManpowerLost | FireFought)}
    rammed = {event.target for event in events if isinstance(event, ShipRammed) and event.result == "rammed"}
    gave_up = any(isinstance(event, CaptainConceded) for event in events)
    for was, now in zip(before.ships, after.ships, strict=True):
        if was.is_afloat:
            assert now.status == ("sunk" if now.id in sunk else "exited" if now.id in gone else "afloat"), now.id
        else:
            assert now.status == was.status
        assert now.side == was.side or now.id in taken or now.id in sunk or gave_up
        assert not now.is_afloat or now.depletion == was.depletion or now.id in hit
        assert not now.rammed or was.rammed or now.id in rammed
    for event in events:
        match event:
            case ShotFired():
                assert event.range in (1, 2)
                assert 1 <= event.die <= 6
            case ShipRammed() | ShipBoarded():
                assert all(1 <= die <= 6 for die in event.dice)
                assert event.adjusted == min(12, sum(event.dice) + event.drm)
