"""A battle says beforehand what a concession and nightfall will mean for the season."""

import json
import random

import pytest
from msgspec import structs

from rules.campaign.engine.case import read_position
from rules.campaign.engine.events import BattleEnded
from rules.campaign.engine.orders import TurnOrders
from rules.campaign.engine.sea.naming import captain_names, coded_place_names
from rules.campaign.engine.sea.state import SeaBattle, State
from rules.campaign.game import Campaign
from rules.campaign.interface import forecasts, game_flow
from rules.chance.dice import Dice
from rules.core.protocol import BattleOutcome, Report, Request
from tests.laws.length import times
from tests.rules.campaign.test_verdicts import random_fate

SEASON = Campaign()
SIDES = ([["A"], ["B"]], [["C"], ["B"]], [["B", "C"], ["A"]], [["A"], ["C", "D"]])
PORTS = ("HYD", "DLS", "ARG", "AEG")


def random_battle(rng: random.Random) -> State:
    """Return a season with one battle, of captains with one to three galleys each."""
    sides = rng.choice(SIDES)
    galleys = [
        [f"{captain}{n}" for captain in side for n in range(1, rng.randint(2, 6 // len(side)))] for side in sides
    ]
    position = read_position(json.dumps({"map": "ring", "captains": "ABCD", "turn": 4}))
    ports = rng.sample([place.code for place in position.sea_map.places.values() if place.is_port], 12)
    owned = {captain: " ".join(ports[3 * n : 3 * n + rng.randint(0, 3)]) for n, captain in enumerate("ABCD")}
    besieged = {port: ["D" if port not in owned["D"] else "A", 1] for port in rng.sample(ports, 3)}
    data = {
        "map": "ring",
        "captains": "ABCD",
        "turn": 4,
        "ports": owned,
        "sieges": besieged,
        "galleys": [f"{name} DEL 5-5+3/5 r0 n0 B1" for names in galleys for name in names],
        "battles": [{"id": "B1", "place": "DEL", "sides": sides, "galleys": galleys, "began": 3}],
    }
    return State(dice=Dice(seed="00"), position=read_position(json.dumps(data)))


def asked_battle(state: State) -> tuple[SeaBattle, Request, list[str]]:
    """Return the only battle of a season, its request, and the ids of its galleys in the battle's own game."""
    (battle,) = state.position.battles
    (request,) = [request for request in game_flow.pending_requests(state) if request.kind == "battle"]
    assert request.battle is not None
    return battle, request, [line.partition(":")[0] for line in request.battle.setup.position.split(" ; ")[1:]]


@pytest.mark.parametrize("number", range(times(40, 2000)))
def test_a_concession_does_what_was_foreseen(number: int) -> None:
    rng = random.Random(number)
    state = random_battle(rng)
    battle, request, ids = asked_battle(state)
    fates = tuple(random_fate(rng, name) for name in ids)
    side = rng.randrange(2)
    seats = [battle.all_captains.index(captain) for captain in battle.sides[side]]
    *gave_up, seat = rng.sample(seats, len(seats))
    outcome = BattleOutcome(ships=fates, rounds=3, gave_up=tuple(gave_up))
    report = Report(digest="", winners=(), ending="", outcome=outcome)
    text = next(iter(SEASON.foresee_battle(state, request, report, seat).concession), None)
    captain = battle.all_captains[seat]
    conceded = structs.replace(report, outcome=structs.replace(outcome, gave_up=(*gave_up, seat)))
    after = game_flow.carry_out(state, [(request, conceded)]).state
    assert after.ended["B1"].broke
    step = game_flow.carry_out(after, [(one, TurnOrders()) for one in game_flow.pending_requests(after)])
    (ended,) = [event for event in step.events if isinstance(event, BattleEnded)]
    here = {name: game_flow.battle_ship_id(battle, name) for side in battle.galleys for name in side}
    taken = [here[name] for name in ended.taken if name[0] == captain]
    fled = {here[name]: place for name, place in ended.fled if name[0] == captain}
    lost = [name for name in (*ended.sunk, *ended.taken) if name[0] == captain]
    (line,) = forecasts.own_battle_lines(after, captain)
    assert line.key == ("open.battle_lost" if lost else "open.battle_over")
    assert line.params.get("n", 0) == len(lost)
    if text is None:
        assert not taken
        assert not fled
        return
    assert text.key == "forecast.concession"
    assert text.params["captains"] == captain_names(battle.sides[1 - side])
    foreseen = {fate.key: fate.params for fate in text.params["fates"]}
    assert sum(params["n"] for params in foreseen.values()) == len(taken) + len(fled)
    assert sum(params["n"] for key, params in foreseen.items() if key.startswith("forecast.taken")) == len(taken)
    for place in fled.values():
        assert foreseen["forecast.flees"]["place"] == coded_place_names("ring", place)
    if "forecast.taken" in foreseen and not gave_up and not ended.sunk:
        assert foreseen["forecast.taken"]["trophies"] == sum(
            count for who, count in ended.trophies.items() if who in battle.sides[1 - side]
        )


@pytest.mark.parametrize("number", range(times(20, 2000)))
def test_night_is_foreseen_as_it_will_be_judged(number: int) -> None:
    rng = random.Random(number)
    state = random_battle(rng)
    battle, request, ids = asked_battle(state)
    outcome = BattleOutcome(ships=tuple(random_fate(rng, name) for name in ids), rounds=6)
    report = Report(digest="", winners=(), ending="", outcome=outcome)
    text = next(iter(SEASON.foresee_battle(state, request, report, 0).end), None)
    holds = game_flow.battle_result(state.position, battle, report).holds
    assert (text is None) == (holds is None)
    if text and holds is not None:
        assert text.params["captains"] == captain_names(battle.sides[holds])
