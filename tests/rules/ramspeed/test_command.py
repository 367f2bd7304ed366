"""Ships far from their flagship roll a die before they obey (RS-22.4)."""

from __future__ import annotations

import pytest
from msgspec import structs

from rules.chance.dice import ListedDice
from rules.core.protocol import Draft
from rules.ramspeed.engine.events import ObedienceRolled, ShipActivated
from rules.ramspeed.engine.notation.position import parse_position
from rules.ramspeed.engine.notation.sheets import parse_sheet
from rules.ramspeed.engine.phases import command, turn
from rules.ramspeed.engine.state import Position, State
from rules.ramspeed.game import RamSpeed
from rules.ramspeed.interface.make_view import make_view
from rules.ramspeed.interface.opening import state_at

HEADER = "40x40 open turn=3/20 phase=orders quiet=0 seats=ann@A,bob@P"
FAR = f"{HEADER} ; A1 Q ann other @5,5^0 30 ; A2 T ann other @20,10^0 20 ; P1 T bob other @20,25^90 20"
"""A1 is the flagship. A2 is about 13 inches from her, and further from P1 than she can run for a ram."""
ANN_FIRST = (6, 6, 1, 1)
GAME = RamSpeed()


def position_with_command(text: str) -> Position:
    return structs.replace(parse_position(text), command=True)


def orders_of_a2(text: str, line: str, *dice: int) -> tuple[list[str], ObedienceRolled | None]:
    """Return what A2 does in a turn in which ann writes a line, and the roll before it."""
    position = position_with_command(text)
    sheets = {"ann": parse_sheet(line, position, "ann")}
    result = turn.run_turn(position, sheets, {}, ListedDice((*ANN_FIRST, *dice)))
    assert isinstance(result.dice_source, ListedDice)
    assert not result.dice_source.dice_left
    done = [event.order for event in result.events if isinstance(event, ShipActivated) and event.ship == "A2"]
    rolls = [event for event in result.events if isinstance(event, ObedienceRolled)]
    return done, rolls[0] if rolls else None


@pytest.mark.parametrize(
    ("die", "result", "done"),
    [
        (6, "obeys", ["turn 90L"]),
        (5, "obeys", ["turn 90L"]),
        (4, "moves", ["turn 90L"]),
        (3, "waits", ["stay"]),
        (2, "waits", ["stay"]),
        (1, "charges", ["steer P1 6"]),
    ],
)
def test_each_die_of_a_ship_out_of_command(die: int, result: str, done: list[str]) -> None:
    orders, roll = orders_of_a2(FAR, "A2: turn 90L", die)
    assert orders == done
    assert roll is not None
    assert (roll.result, roll.die, roll.enemy) == (result, die, "P1" if result == "charges" else "")


def test_a_ship_that_may_not_attack_takes_its_first_order_without_an_attack() -> None:
    near = FAR.replace("@20,25^90", "@20,15^90")
    orders, _ = orders_of_a2(near, "A2: ram P1 or grapple P1 or fwd 1; shoot P1 crew", 4)
    assert orders == ["fwd 1"]


def test_a_ship_that_charges_rams_if_it_may() -> None:
    near = FAR.replace("@20,25^90", "@20,15^90")
    orders, _ = orders_of_a2(near, "A2: stay", 1, 1, 1)
    assert orders == ["ram P1"]


def test_a_ship_that_charges_an_enemy_astern_turns_towards_them() -> None:
    orders, _ = orders_of_a2(FAR.replace("@20,10^0", "@20,10^180"), "A2: stay", 1)
    assert orders == ["face P1"]


def test_a_ship_without_orders_rolls_after_the_others() -> None:
    orders, roll = orders_of_a2(FAR, "A1: stay", 1)
    assert orders == ["steer P1 6"]
    assert roll is not None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("within 6 inches", FAR.replace("@20,10^0", "@11,5^0")),
        ("the flagship without a crew", FAR.replace("@5,5^0 30", "@5,5^0 0")),
        ("herself without a crew", FAR.replace("@20,10^0 20", "@20,10^0 0")),
    ],
)
def test_who_rolls_no_die(name: str, text: str) -> None:
    _, roll = orders_of_a2(text, "A1: stay")
    assert roll is None, name


def test_the_flagship_is_the_largest_ship_of_the_start() -> None:
    position = position_with_command(f"{FAR} ; A3 Q ann other @30,30^0 30")
    flagship = command.find_flagship(position, "A")
    assert flagship is not None
    assert flagship.id == "A1"
    captured = structs.replace(flagship, owner="bob")
    ships = tuple(captured if ship.id == "A1" else ship for ship in position.ships)
    assert command.find_flagship(structs.replace(position, ships=ships), "A") is None
    assert command.find_flagship(structs.replace(position, command=False), "A") is None


def test_panel_and_picture_say_who_rolls() -> None:
    text = FAR.replace("phase=orders", "phase=fire")
    state: State = state_at(text)
    state = structs.replace(state, position=structs.replace(state.position, command=True))
    (request, *_) = GAME.pending_requests(state)
    lines = {line.key: line.params for line in GAME.draft_choices(state, request, Draft()).lines}
    assert lines["line.command"] == {
        "ships": "A2",
        "flagship": "A1",
        "radius": 6.0,
        "obeys": "5–6",
        "moves": "4",
        "waits": "2–3",
        "charges": "1",
    }
    view = make_view(state, request.seat, Draft())
    assert any(line.key == "plan.command" for line in view.plan_lines)
    distances = {round(((x - 5) ** 2 + (y - 5) ** 2) ** 0.5) for x, y in view.command_area}
    assert min(distances) >= 6
    assert max(distances) <= 8
