"""Where bows can be brought, and the attacks that are offered there: the same as by trying every move everywhere."""

from collections.abc import Iterator

import pytest
from msgspec import structs

from rules.geometry.hexes import Hex
from rules.squadrons.engine.notation.orders import (
    FLANKS,
    GrappleOrder,
    MoveCode,
    MoveOrder,
    PassThroughOrder,
    RakeOrder,
    RamOrder,
)
from rules.squadrons.engine.phases.combat import grappling, raking, ramming
from rules.squadrons.engine.phases.command import turn_start
from rules.squadrons.engine.phases.movement import moves
from rules.squadrons.engine.phases.play import ActivationInProgress
from rules.squadrons.engine.sea import fleets, grid, position_text
from rules.squadrons.engine.sea.state import Position
from rules.squadrons.interface.preview import attack_plans
from rules.squadrons.interface.shown.make_view import reachable_hexes, threatened_hexes
from tests.rules.squadrons import crowds

CODES: tuple[MoveCode, ...] = ("F", "P", "S", "B", "Bp", "Bs", "tp", "ts", "wp", "ws", "TA")
HEAD = "squadrons 3 E 12x12 - vp=25 limit=12 bonus=0/0 lost=-/- ; "


def walked(now: Position, run: ActivationInProgress) -> Iterator[tuple[Hex, int]]:
    """Return bows and points of all ways, by the rules' own steps."""
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
            ships = tuple(after if each.id == ship.id else each for each in now.ships)
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
    hexes = threatened_hexes(now, "B")
    assert 100 < len(hexes) < now.width * now.height
    assert all(now.is_on_map(grid.parse_hex(label)) for label in hexes)


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


def tried(position, ship):
    """Return the best chance of each attack that is legal from any place ahead, and the first steps that have it."""
    best = {}
    enemies = [other.id for other in position.ships if other.is_afloat and other.side != ship.side]
    for layer in attack_plans.reachable_layers(position, ship):
        for there, codes in layer.items():
            lying, run = attack_plans.after_moves(position, ship, there, codes)
            for name in enemies:
                legal = []
                if not ramming.why_ram_barred(lying, run, name):
                    legal.append(("ram", RamOrder(name), ramming.ram_odds(lying, run, name)))
                if not raking.why_rake_barred(lying, run, name):
                    legal.append(("rake", RakeOrder(name), raking.rake_odds(lying, run, name)))
                if not grappling.why_grapple_barred(lying, run, name):
                    legal.append(("grap", GrappleOrder(name), grappling.grapple_odds(lying, run, name)))
                legal += [
                    ("X", through, raking.rake_odds(lying, run, name))
                    for through in (PassThroughOrder(name, side) for side in FLANKS)
                    if not raking.why_pass_barred(lying, run, through)
                ]
                for attack, last, odds in legal:
                    if odds.chance > best.get((name, attack), (-1.0,))[0]:
                        best[name, attack] = odds.chance, codes, last
    return best


@pytest.mark.parametrize("seed", [0, 1, 2, 6, 121, 134])  # a pass in the last two
def test_no_attack_is_missed(seed):
    """Of each kind of attack on each enemy the likeliest is found, by the shortest way (SQ-13 to SQ-16)."""
    position = position_text.parse_position(crowds.case(seed)["position"])
    for name in [other.id for other in position.ships if other.is_afloat]:
        for speed in ("C", "M"):
            lies, ship = attack_plans.set_speed(position, position.ship_by_id(name), speed)
            if speed == "M" and turn_start.why_max_barred(lies, ship):
                continue
            attacks = {
                (plan.target, plan.attack): (
                    plan.odds.chance,
                    "".join(step.code for step in plan.steps[:-1]),
                    plan.steps[-1],
                )
                for plan in attack_plans.best_attacks(position, name, speed)
            }
            assert attacks == tried(lies, ship)
