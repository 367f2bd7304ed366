"""Invariants of every step of Naval Battle, counted from events and hexes, not by the rules' own geometry."""

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import structs

from rules.core.protocol import Event, Setup
from rules.forts.engine.boards import all_hexes
from rules.forts.engine.events import MoveUndone, ShipMoved, ShipSunk, ShotFired, TurnBegan, WindRolled
from rules.forts.engine.state import CODES, EndOrder, PlanBlock, State, StoredPlan

FIGHT = (
    "two_forts 7 white none - 3 white=west BB/FR ; wBB@J4 1 s3 ; wGA@J6 3 s2 ; wFR@H7 0 s1 ; wBR@I8 1 s1 ; "
    "rBB@L5 2 ; rGA@K7 0 ; rFR@L8 3 ; rBR@K4 0"
)
SIEGE = (
    "two_forts 10 red wind w9 0 white=west GA/BB ; wGA@R5 1 ; wFR@E5 0 ; wBR@G4 2 ; "
    "rBB@Q4 4 s3 ; rGA@O6 0 s2 ; rFR@E6 0 s1"
)
SETUPS = (
    Setup(system="forts", teams=(0, 1)),
    Setup(system="forts", teams=(0, 1), position=FIGHT),
    Setup(
        system="forts",
        teams=(1, 0),
        options={"board": "open_water", "limit": "30", "wind": "round", "colours": "second", "forts": "east"},
        missed="hold",
    ),
    Setup(system="forts", teams=(0, 1), position=SIEGE, missed="hold"),
    Setup(system="forts", teams=(1, 0), position=FIGHT, options={"wind": "round", "colours": "first"}),
    Setup(system="forts", teams=(0, 1), options={"board": "open_water", "limit": "none"}),
)
MARGINS = {"BB": 5, "GA": 4, "FR": 4, "BR": 3}
SHOTS = {"BB": 3, "GA": 2, "FR": 1, "BR": 1}
MOVES = {"BB": (4, 0), "GA": (3, 0), "FR": (5, 0), "BR": (4, 2)}
RANGES = {"BB": 3, "GA": 3, "FR": 3, "BR": 2}
TURN = 7 + 4 * 3 + 1
"""Answers in a player-turn at most: a shot at a time; each ship moves, takes it back and moves again; and the end."""


def teams(state: State) -> tuple[int, ...]:
    return tuple(range(len(state.seats)))


def most_steps(state: State) -> int:
    """NB-09.1: the game is scored after its last player-turn; without a limit, a random game ends long before 900."""
    return 2 + (state.limit or 900) * TURN


def is_endless(state: State) -> bool:
    """NB-09.1: without a limit, a game in which nobody acts goes on until it is called off (NB-10.9)."""
    return state.limit is None


def twins(state: State, seat: int | None) -> Iterator[State]:
    """Yield states that differ only in the plans of the other captain, which this seat cannot see."""
    strange = StoredPlan((PlanBlock("any", (EndOrder(),)),))
    for other in state.seats:
        if other != seat and state.phase == "actions":
            white, red = state.plans
            plans = (strange, red) if state.colour_of(other) == "white" else (white, strange)
            # Active captains may run a plan, and see whether they have one; the others are asked for one in any case.
            if other != state.seat_of(state.position.active_colour) or state.plan_of(state.colour_of(other)).blocks:
                yield structs.replace(state, plans=plans)


def check(before: State | None, events: Sequence[Event], after: State) -> None:
    _sound(after)
    for event in events:
        match event:
            case ShotFired():
                _shot(after, event)
            case ShipMoved():
                assert len(event.path) == event.steps + 1
                for here, beside in zip(event.path, event.path[1:], strict=False):
                    assert _apart(after, here, beside) == 1
                    assert beside in _sea(after)
            case WindRolled(die=die, wind=wind) if die:
                assert (wind == "calm") == (die in (1, 2))
    if before is None or before.phase != "actions":
        return
    assert after.seats == before.seats
    assert after.position.flagships == before.position.flagships
    assert after.dice.blocks_drawn - before.dice.blocks_drawn == sum(
        isinstance(event, ShotFired) or (isinstance(event, WindRolled) and event.die > 0) for event in events
    )
    assert after.position.turn - before.position.turn == sum(isinstance(event, TurnBegan) for event in events)
    _hits(before, events, after)
    _turns(before, events)


def _sound(state: State) -> None:
    ships = state.position.ships
    where = [ship.hex for ship in ships]
    assert len(where) == len(set(where))
    assert set(where) <= _sea(state)
    names = [ship.id for ship in (*ships, *state.sunk)]
    assert len(names) == len(set(names))
    assert names[: len(ships)] == [
        ship.id for ship in sorted(ships, key=lambda s: (s.colour == "red", CODES.index(s.code)))
    ]
    for ship in ships:
        assert 0 <= ship.hits < MARGINS[ship.code]
        assert 0 <= ship.shots <= (SHOTS[ship.code] if ship.colour == state.position.active_colour else 0)
    assert all(ship.hits == MARGINS[ship.code] for ship in state.sunk)


def _shot(state: State, shot: ShotFired) -> None:
    assert shot.distance == _apart(state, shot.start, shot.end) <= RANGES[shot.by[1:]]
    assert shot.by[0] != shot.to[0]
    assert shot.need == (5 if shot.plunging else 2 if shot.distance == 1 else 3)
    assert shot.hit == (shot.die >= shot.need)
    assert bool(shot.blockers) == shot.plunging
    assert not shot.plunging or shot.by[1:] == "BR"


def _hits(before: State, events: Sequence[Event], after: State) -> None:
    """Check that ships change only as events say."""
    struck = Counter(event.to for event in events if isinstance(event, ShotFired) and event.hit)
    at = {ship.id: ship.hex for ship in before.position.ships}
    for event in events:
        if isinstance(event, ShipMoved | MoveUndone):
            assert at[event.ship] == event.start
            at[event.ship] = event.end
    left = {ship.id: ship for ship in (*after.position.ships, *after.sunk)}
    for ship in before.position.ships:
        assert left[ship.id].hits == ship.hits + struck[ship.id]
        assert left[ship.id].hex == at[ship.id]
    sunk = [event.ship for event in events if isinstance(event, ShipSunk)]
    assert [ship.id for ship in after.sunk] == [ship.id for ship in before.sunk] + sunk


def _turns(before: State, events: Sequence[Event]) -> None:
    """Check that only ships of a player-turn's colour move and shoot, and no more than they may."""
    colour, wind = before.position.active_colour[0], before.position.wind
    shots = {ship.id: ship.shots for ship in before.position.ships}
    for event in events:
        match event:
            case TurnBegan():
                colour = event.colour[0]
                shots = {ship.id: SHOTS[ship.code] for ship in event.ships}
            case WindRolled():
                wind = event.wind
            case ShipMoved():
                assert event.ship[0] == colour
                assert event.steps <= MOVES[event.ship[1:]][wind == "calm"]
            case ShotFired():
                assert event.by[0] == colour
                shots[event.by] -= 1
                assert shots[event.by] >= 0


def _sea(state: State) -> set[str]:
    board = state.position.board
    return set(all_hexes(board)) - {*board.land, board.west.fort, board.east.fort}


def _apart(state: State, a: str, b: str) -> int:
    """Count steps in doubled coordinates: a column is one to the side and one down, a row two down."""
    (column, down), (other_column, other_down) = _doubled(a), _doubled(b)
    across = abs(column - other_column)
    return across + max(0, (abs(down - other_down) - across) // 2)


def _doubled(label: str) -> tuple[int, int]:
    column = ord(label[0]) - ord("A")
    return column, 2 * int(label[1:]) + column % 2
