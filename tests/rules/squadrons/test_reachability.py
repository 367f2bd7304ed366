"""Where bows can be brought is what step after step of legal moves leads to."""

from collections.abc import Iterator

import pytest
from msgspec import structs

from rules.geometry.hexes import Hex
from rules.squadrons.engine.notation.orders import MoveCode, MoveOrder
from rules.squadrons.engine.phases.movement import moves
from rules.squadrons.engine.phases.play import ActivationInProgress
from rules.squadrons.engine.sea import fleets, grid, position_text
from rules.squadrons.engine.sea.state import Position
from rules.squadrons.interface.shown.make_view import reachable_hexes, threatened_hexes

CODES: tuple[MoveCode, ...] = ("F", "P", "S", "B", "Bp", "Bs", "tp", "ts", "wp", "ws", "TA")
HEAD = "squadrons 3 E 12x12 - vp=25 limit=12 bonus=0/0 lost=-/- ; "


def walked(now: Position, run: ActivationInProgress) -> Iterator[tuple[Hex, int]]:
    """Bows and points of all ways, by the rules' own steps."""
    yield now.ship_by_id(run.ship).bow, run.used
    for code in CODES:
        if (
            run.points_left
            and moves.why_move_barred(now, run, code) is None
            and not moves.leaves_map(now, now.ship_by_id(run.ship), code)
        ):
            ship = now.ship_by_id(run.ship)
            there = moves.place_after_move(ship, code)
            after = structs.replace(ship, bow=there.bow, facing=there.facing)
            ships = tuple(after if one.id == ship.id else one for one in now.ships)
            further = ActivationInProgress(
                run.ship, announced=run.announced, used=run.used, has_moved=run.has_moved, has_backed=run.has_backed
            )
            moves.note_move(further, ship, code, moves.step_cost(now, ship, MoveOrder(code)))
            yield from walked(structs.replace(now, ships=ships), further)


@pytest.mark.parametrize(
    "ships",
    [
        "B1 5@0606N C ; R1 5@0604S C ; R2 4@0806NW C",
        "B1 cat3@0606NE C F2 ; B2 5@0706N C ; R1 3@0609N M",
        "B1 5@0606N M ; R1 5@0603SE C ; B2 L@0704N C",
        "B1 5@0606N C CRp ; R1 5@0604S C",
        "B1 5@0606SW C HS ; R1 L@0506S C",
        "B1 L@0606N C F3 ; R1 5@0604S C",
        "B1 5@0202NW C F1 ; R1 5@0604S C",
        "B1 5@0606N C ; B2 5@0707N C ; R1 5@0507S C ; grap B1 R1",
    ],
)
def test_reach_is_all_that_legal_moves_lead_to(ships):
    now = position_text.parse_position(HEAD + ships)
    ship = now.ship_by_id("B1")
    points = min(4, moves.movement_allowance(now, ship))
    best: dict[Hex, int] = {}
    for here, used in walked(now, ActivationInProgress("B1", announced=points)):
        best[here] = min(used, best.get(here, used))
    del best[ship.bow]
    assert {
        grid.parse_hex(each.hex): each.mp
        for each in reachable_hexes(
            now, "B1", ActivationInProgress("B1", used=moves.movement_allowance(now, ship) - points)
        )
    } == best


def test_threats_are_where_any_enemy_may_come_at_the_speed_that_she_will_have():
    now = position_text.parse_position(HEAD + "B1 5@0611N C ; R1 4@0603S M ; R2 5@0303S C done F1")
    assert {each.hex for each in reachable_hexes(now, "R1")} <= set(threatened_hexes(now, "B"))
    now = structs.replace(now, phase="B")
    assert {each.hex for each in reachable_hexes(now, "R2")} <= set(threatened_hexes(now, "B"))
    assert set(threatened_hexes(now, "R")) >= {each.hex for each in reachable_hexes(now, "B1")}


def test_the_largest_stock_fleets_threaten_some_sea_and_not_all_of_it():
    now = fleets.stock_position("400")
    found = threatened_hexes(now, "B")
    assert 100 < len(found) < now.width * now.height
    assert all(now.is_on_map(grid.parse_hex(label)) for label in found)


def test_what_a_ship_has_done_already_limits_her_reach():
    now = position_text.parse_position(HEAD + "B1 5@0606N C ; R1 5@0602S C")
    ahead = {each.hex for each in reachable_hexes(now, "B1", ActivationInProgress("B1", used=2, has_moved=True))}
    back = {
        each.hex
        for each in reachable_hexes(now, "B1", ActivationInProgress("B1", used=2, has_moved=True, has_backed=True))
    }
    assert "0605" in ahead - back
    assert "0607" in back
    assert not reachable_hexes(now, "B1", ActivationInProgress("B1", used=2, has_moved=True, ended_by="attack"))


def test_enemies_far_from_a_ship_are_no_threat_to_her():
    now = position_text.parse_position(HEAD.replace("12x12", "44x28") + "B1 5@0606N C ; R1 5@0604S C ; R2 5@4020S C")
    assert set(threatened_hexes(now, "B", now.ship_by_id("B1").hexes)) < set(threatened_hexes(now, "B"))
