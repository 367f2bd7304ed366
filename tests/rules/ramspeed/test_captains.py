"""Computer captains of every level: what they order is legal, comes of what they see, and is worth something."""

import re

import pytest
from msgspec import structs

from rules.chance.dice import Dice, derive_seed
from rules.core.protocol import Draft, Setup
from rules.ramspeed import GAME
from rules.ramspeed.ai import admiral, judge, mate, passage, reach, worth
from rules.ramspeed.ai.reach import TargetPair
from rules.ramspeed.engine.geometry import aim
from rules.ramspeed.engine.phases import melee
from rules.ramspeed.engine.tables import NATIONS
from rules.ramspeed.interface import aims
from rules.ramspeed.interface.opening import OPTIONS
from rules.ramspeed.interface.order_drafts import SheetOrders
from tests.laws.invariants_ramspeed import MELEE, twins

LEVELS = ("deckhand", "mate", "admiral")
SCENARIOS = next(spec.values for spec in OPTIONS if spec.key == "scenario")
SEED = "5eed"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Give the admiral a tenth of the thinking; the orders must be just as legal."""
    monkeypatch.setattr(admiral, "TURN_BUDGET", 80)


def begun(level, **fields):
    options = {"captain": level, "sides": "first", **fields.pop("options", {})}
    return GAME.start(Setup(system="ramspeed", **{"teams": (0, 1), "options": options, **fields}), Dice(SEED)).state


def answered(state, request, seed=SEED):
    return GAME.computer_answer(GAME.view(state, request.seat), request, derive_seed(seed, request.id))


def stepped(state):
    requests = [request for request in GAME.pending_requests(state) if not request.optional]
    answers = {request.id: answered(state, request) for request in requests}
    for request in requests:
        text = GAME.format_answer(request, answers[request.id])
        assert GAME.parse_answer(state, request, text) == answers[request.id], text
        assert GAME.reason_for(GAME.view(state, request.seat), answers[request.id]).key.startswith("reason.")
    return GAME.resolve(state, answers).state


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.slow
def test_captains_of_all_nations_order_their_ships(level):
    pairs = list(zip(NATIONS, (*NATIONS[1:], NATIONS[0]), strict=True))
    for code, other in pairs[::4] if level == "admiral" else pairs:
        position = (
            f"30x24 open turn=3/8 phase=orders quiet=0 seats=ann@A,bob@P ; A1 T ann {code} @10,5^0 20 ; "
            f"A2 B ann {code} @6,4^0 10 ; P1 V bob {other} @10,12^90 50 ; P2 T bob {other} @16,12^270 20 fire=1"
        )
        stepped(begun(level, position=position))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.slow
def test_the_same_seed_orders_the_same_and_secrets_change_nothing(level):
    state = begun(level, position=MELEE)
    for request in GAME.pending_requests(state):
        if request.kind != "orders":
            continue
        first = answered(state, request)
        aims.legal_attacks.cache_clear()
        assert answered(state, request) == first
        for twin in twins(structs.replace(state, dice=Dice("07e5")), request.seat):
            assert answered(twin, request) == first
        draft = GAME.format_answer(request, first)
        drafting = GAME.view(state, request.seat, Draft(draft))
        assert GAME.computer_answer(drafting, request, derive_seed(SEED, request.id)) == first


def test_levels_differ_and_a_hint_comes_of_the_admiral_a_missed_sheet_of_the_mate():
    state = begun("deckhand", options={"scenario": "cove"})
    request = GAME.pending_requests(state)[0]
    view = GAME.view(state, request.seat)
    by_level = {
        level: GAME.computer_answer(structs.replace(view, captain=level), request, derive_seed(SEED, "a"))
        for level in LEVELS
    }
    assert len({GAME.format_answer(request, answer) for answer in by_level.values()}) == len(LEVELS)
    advised = GAME.format_answer(request, GAME.advise(view, request, derive_seed(SEED, "a")))
    assert advised == re.sub(
        r"; shoot \w+ crew", "", GAME.format_answer(request, by_level["admiral"])
    )  # nobody is in range
    stood_in = GAME.stand_in_answer(state, request)
    player = state.player_of(request.seat)
    seed = derive_seed(state.dice.seed, f"mate {request.id}")
    assert stood_in.sheet.lines == tuple(mate.choose_lines(state.position, player, (), seed))


def test_the_admiral_gives_no_sheet_more_turns_of_thought_than_it_has():
    state = begun("admiral", position=MELEE)
    turns = 0
    real = admiral.TurnForesight.position_after

    def counted(*args):
        nonlocal turns
        turns += 1
        return real(*args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(admiral.TurnForesight, "position_after", counted)
        patch.setattr(admiral, "TURN_BUDGET", 700)
        answered(state, GAME.pending_requests(state)[0])
    # The admiral may finish what it has begun.
    assert 50 < turns <= 700 // 7 + 3 * admiral.SAMPLE_COUNT


@pytest.mark.parametrize(
    ("board", "order"),
    [
        # She can ram the one broadside to her.
        ("A1 T ann other @10,5^0 20 ; P1 T bob other @9.5,12.5^90 20", "ram P1"),
        # A ship with four men, dead in the water, is there to be taken.
        ("A1 T ann other @10,7^0 20 ; P1 Q bob other @10.6,12^180 4 dead", "grapple P1"),
    ],
)
def test_the_admiral_takes_what_is_offered(board, order, monkeypatch):
    monkeypatch.undo()
    state = begun("admiral", position=f"30x24 open turn=1/20 phase=orders quiet=0 seats=ann@A,bob@P ; {board}")
    request = GAME.pending_requests(state)[0]
    answer = answered(state, request)
    assert GAME.format_answer(request, answer).startswith(f"A1: {order}")


def test_a_move_has_a_reason_that_is_true():
    threatened = "30x24 open turn=1/20 phase=orders quiet=0 seats=ann@A,bob@P ; A1 T ann other @10,12^90 20 ; "
    state = begun("admiral", position=threatened + "P1 T bob other @9.5,4.5^0 20")
    request = GAME.pending_requests(state)[0]
    view = GAME.view(state, 0)

    def told(text):
        return GAME.reason_for(view, GAME.parse_answer(state, request, text))

    assert told("A1: veer 25R 6").key == "reason.safer"
    assert told("A1: back 0.5").key != "reason.safer"  # she is still broadside to the enemy
    far = threatened.replace("@10,12^90", "@20,12^180") + "P1 T bob other @22,1^90 20"
    state = begun("admiral", position=far)
    view = GAME.view(state, 0)
    assert told("A1: fwd 5").key == "reason.threat"
    assert told("A1: fwd 5").params == {"ship": "A1", "to": "P1"}
    assert told("A1: turn 90R").key == "reason.clear"


@pytest.mark.slow
def test_rams_are_reckoned_as_the_rules_find_them():
    """Of pairs of ships in open water, at the pivots that the captain tries, those that can ram are those that may."""
    dice, agreed, legal = Dice("ab"), 0, 0
    for _ in range(300):
        numbers = []
        for sides in (180, 180, 361, 361, 4, 4):
            face, dice = dice.throw_die(sides)
            numbers.append(face)
        x, y = 14 + numbers[0] / 15, 14 + numbers[1] / 15
        text = (
            "40x40 open turn=1/20 phase=orders quiet=0 seats=ann@A,bob@P ; "
            f"A1 {'BTQV'[numbers[4] - 1]} ann other @{x:.2f},{y:.2f}^{numbers[2] - 1} 10 ; "
            f"P1 {'BTQV'[numbers[5] - 1]} bob other @20,30^{numbers[3] - 1} 10"
        )
        position = GAME.state_at(text).position
        ship, foe = position.ship_by_id("A1"), position.ship_by_id("P1")
        rams = aim.aim_ram(position, ship, "P1").attack
        reckoned = reach._ram_values([TargetPair(ship, foe, is_target_immobile=False)], opening=False)[0]
        best = worth.ram_values(ship, foe)[rams.modifier - worth.MODIFIER_SUMS[0]] if rams else 0.0
        legal += rams is not None
        agreed += abs(reckoned - best) < 1e-9
    assert legal > 10
    assert agreed >= 295  # the captain tries every third pivot only


@pytest.mark.parametrize(("mine", "theirs"), [(20, 20), (5, 20), (30, 10)])
def test_melees_end_as_they_do_when_they_are_fought(mine, theirs):
    odds, dice, won = worth.odds_of_crews(mine, theirs), Dice("cd"), 0
    for _ in range(400):
        left = [mine, theirs]
        while all(left):
            losses = []
            for strength in left:
                thrown = []
                for _ in range(next(row for row in worth.TABLES.melee if strength >= row.least).dice):
                    face, dice = dice.throw_die(6)
                    thrown.append(face)
                losses.append(melee.count_casualties(strength, tuple(thrown), 0))
            left = [max(0, left[0] - losses[1]), max(0, left[1] - losses[0])]
        won += left[0] > 0
    assert won / 400 == pytest.approx(odds.win_chance, abs=0.08)


def test_a_position_is_worth_to_one_side_what_it_costs_the_other():
    text = MELEE.replace("phase=fire", "phase=orders")
    position = GAME.state_at(text).position
    there = [position, structs.replace(position, ships=position.ships[::-1])]
    mine, theirs = (judge.position_values(there, side) for side in position.sides)
    assert mine[0] == pytest.approx(mine[1])
    # Except for what it costs to keep away, which each side counts for itself.
    assert mine[0] == pytest.approx(-theirs[0], abs=1.0)


ROCK = "24x24 open land=8,10,16,10,16,14,8,14 turn=1/20 phase=orders quiet=0 seats=ann@A,bob@P ; "


def test_ways_lead_round_land():
    position = GAME.state_at(ROCK + "A1 T ann other @12,5^0 20 ; P1 T bob other @12,18^90 20 dead").position
    round_it = passage.shortest_course(position, (12, 5), (12, 18))
    assert round_it.first_point != (12, 18)
    # No shorter than the way by the rock's corners, no longer than by the table's rim.
    assert 16 < round_it.length_in < 23
    assert passage.shortest_course(position, (12, 5), (20, 5)) == (8, (20, 5))
    wall = ROCK.replace("8,10,16,10,16,14,8,14", "0,10,24,10,24,14,0,14")
    walled = GAME.state_at(wall + "A1 T ann other @12,5^0 20").position
    assert passage.shortest_course(walled, (12, 5), (12, 18)) == (13, (12, 18))


@pytest.mark.parametrize("level", ["mate", "admiral"])
def test_an_enemy_behind_a_rock_is_reached(level):
    state = begun(level, position=ROCK + "A1 T ann other @11,8^270 20 ; P1 T bob other @12,17^90 4 dead")
    for _ in range(4):
        requests = [request for request in GAME.pending_requests(state) if not request.optional]
        answers = {request.id: answered(state, request) if request.seat == 0 else SheetOrders() for request in requests}
        state = GAME.resolve(state, answers).state
    ship = state.position.ship_by_id("A1")
    assert passage.shortest_course(state.position, (ship.x, ship.y), (12, 17)).first_point == (12, 17)


WEDGED = (
    "36x30 open land=22,12,24.5,12.5,24,14.5,21.5,14 turn=5/30 phase=orders quiet=0 seats=ann@A,bob@P ; "
    "A1 T ann other @25.071,14.878^113 3 ; "
    "A2 B ann other @24.4,14.584^115 5 ; P1 Q bob other @10,17^324 30 dead"
)


@pytest.mark.parametrize("level", ["mate", "admiral"])
def test_ships_that_lie_wedged_side_by_side_come_free(level):
    """After a prize is taken, two ships lie side by side at a rock, and neither can turn."""
    state = begun(level, position=WEDGED)
    start = {ship.id: (ship.x, ship.y, ship.heading) for ship in state.position.ships}
    for _ in range(2):
        requests = GAME.pending_requests(state)
        answers = {request.id: answered(state, request) if request.seat == 0 else SheetOrders() for request in requests}
        state = GAME.resolve(state, answers).state
    now = {ship.id: (ship.x, ship.y, ship.heading) for ship in state.position.ships}
    assert all(now[name] != start[name] for name in ("A1", "A2"))


@pytest.mark.parametrize("level", ["mate", "admiral"])
def test_nobody_shoots_at_the_crew_of_a_ship_that_has_none(level):
    board = (
        "30x24 open turn=5/30 phase=orders quiet=0 seats=ann@A,bob@P ; A1 T ann other @15,12^90 20 dead ; "
        "P1 T bob other @15,13^90 0 ; P2 T bob other @2,2^0 20"
    )
    state = begun(level, position=board)
    request = GAME.pending_requests(state)[0]
    assert "shoot P1" not in GAME.format_answer(request, answered(state, request))
