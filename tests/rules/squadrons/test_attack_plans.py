"""The attacks that a galley is offered: found quickly, and the same as by trying everything everywhere."""

import pytest

from rules.squadrons.engine.notation.orders import GrappleOrder, PassThroughOrder, RakeOrder, RamOrder
from rules.squadrons.engine.phases.combat import grappling, raking, ramming
from rules.squadrons.engine.phases.command import turn_start
from rules.squadrons.engine.sea import position_text
from rules.squadrons.interface.preview import attack_plans
from rules.squadrons.interface.preview.attack_plans import FLANKS
from tests.rules.squadrons import crowds


def tried(position, ship):
    """The best chance of each attack that is legal from any place ahead, and the first steps that have it."""
    best = {}
    enemies = [one.id for one in position.ships if one.is_afloat and one.side != ship.side]
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
    for name in [one.id for one in position.ships if one.is_afloat]:
        for speed in ("C", "M"):
            lies, ship = attack_plans.set_speed(position, position.ship_by_id(name), speed)
            if speed == "M" and turn_start.why_max_barred(lies, ship):
                continue
            found = {
                (plan.target, plan.attack): (
                    plan.odds.chance,
                    "".join(step.code for step in plan.steps[:-1]),
                    plan.steps[-1],
                )
                for plan in attack_plans.best_attacks(position, name, speed)
            }
            assert found == tried(lies, ship)
