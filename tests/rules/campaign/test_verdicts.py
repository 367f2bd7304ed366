"""An undecided battle is judged by its own report as the season will judge it."""

import json
import random

import pytest

from rules.campaign.engine.case import read_position
from rules.campaign.engine.sea.naming import captain_names
from rules.campaign.interface import game_flow
from rules.core.protocol import BattleOutcome, Report, ShipFate

SIDES = (("A", "B"), ("C", "B"), ("B", "A"))


@pytest.mark.parametrize("number", range(60))
def test_who_holds_the_sea_is_the_same_in_the_battle_and_in_the_season(number: int) -> None:
    rng = random.Random(number)
    attacker, defender = rng.choice(SIDES)
    sides = [[f"{captain}{n}" for n in range(1, rng.randint(3, 5))] for captain in (attacker, defender)]
    position = read_position(
        json.dumps(
            {
                "map": "ring",
                "captains": "ABCD",
                "turn": 4,
                "galleys": [f"{name} DEL 4-5+{rng.randint(0, 3)}/5 r0 n0 B1" for names in sides for name in names],
                "battles": [
                    {"id": "B1", "place": "DEL", "sides": [[attacker], [defender]], "galleys": sides, "began": 3}
                ],
            }
        )
    )
    (battle,) = position.battles
    request = game_flow.battle_request(position, battle, waits=False)
    assert request.battle is not None
    ids = [line.partition(":")[0] for line in request.battle.setup.position.split(" ; ")[1:]]
    outcome = BattleOutcome(ships=tuple(random_fate(rng, name) for name in ids), rounds=6)
    report = Report(digest="", winners=(), ending="", outcome=outcome)
    holds = game_flow.battle_result(position, battle, report).holds
    headline, *_ = game_flow.judge_battle(request, report)
    if holds is None:
        assert headline.key == "verdict.nobody"
    else:
        assert headline.key == "verdict.holds"
        assert headline.params["captains"] == captain_names(battle.sides[holds])


def random_fate(rng: random.Random, name: str) -> ShipFate:
    parts = {"port": rng.randint(0, 4), "starboard": rng.randint(0, 5), "masts": 0}
    return ShipFate(id=name, seat="ABCD".index(name[0]), end=rng.choice(("afloat", "afloat", "sunk")), parts=parts)
