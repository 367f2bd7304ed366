"""A turn step by step, as the live mode plays it, and turns that are larger than any fleet."""

from itertools import pairwise

from rules.chance.dice import ListedDice
from rules.ramspeed.engine.case import adjudicate_case
from rules.ramspeed.engine.notation import position
from rules.ramspeed.engine.notation.sheets import parse_line, parse_sheet
from rules.ramspeed.engine.orders import Doctrine, DoctrineLine, Doctrines
from rules.ramspeed.engine.phases import turn
from rules.ramspeed.engine.phases.turn import TurnProgress
from rules.ramspeed.engine.tables import CLASS_CODES, NATIONS, TABLES

DUEL = (
    "40x40 open turn=3/20 phase=fire quiet=0 seats=ann@A,bob@P ; A1 T ann other @13.5,20^90 20 ; "
    "A2 T ann other @5,5^0 20 ; P1 T bob other @20,20^0 20"
)
DICE = (6, 6, 1, 1, 1, 1)


def test_steps_one_by_one_are_the_whole_turn():
    lying = position.parse_position(DUEL)
    orders = {"ann": "A1: fwd; ram P1\nA2: fwd 3", "bob": "P1: back 1"}
    whole_turn = turn.run_turn(
        lying, {who: parse_sheet(text, lying, who) for who, text in orders.items()}, {}, ListedDice(DICE)
    )
    events = []

    def step(done):
        events.extend(done.events)
        return done

    done = step(turn.fight_fires(TurnProgress(position=lying), ListedDice(DICE)))
    done = step(turn.roll_initiative(done.progress, done.dice_source))
    assert done.progress.players_left == ("ann", "bob")
    while done.progress.players_left:
        player = done.progress.players_left[0]
        done = step(turn.open_player(done.progress, done.dice_source, {}))
        for text in orders[player].split("\n"):
            line = parse_line(text, done.position, player)
            done = step(turn.activate_line(done.progress, line, done.dice_source, {}))
        done = step(turn.close_player(done.progress, done.dice_source, {}))
    done = step(turn.close_turn(done.progress, done.dice_source, {}))
    assert (tuple(events), done.position) == (whole_turn.events, whole_turn.position)


def test_a_ship_acts_once_and_only_for_her_owner_in_their_turn():
    lying = position.parse_position(DUEL)
    done = turn.roll_initiative(TurnProgress(position=lying), ListedDice(DICE))
    done = turn.open_player(done.progress, done.dice_source, {})
    for text, player, happens in (
        ("A2: fwd 3", "ann", ["acts", "moved"]),
        ("A2: fwd 3", "ann", ["ignored"]),
        ("P1: fwd 3", "bob", ["ignored"]),
    ):
        done = turn.activate_line(done.progress, parse_line(text, lying, player), done.dice_source, {})
        assert [event.__struct_config__.tag for event in done.events] == happens


CHAIN = 350
"""Links, more than functions may call each other."""


def chain(kind, phase, first=""):
    names = [f"{letter}{number}" for letter in ("AA", "AB", "AC", "AD") for number in range(100)][: CHAIN + 1]
    ships = [
        f"{name} T {'ann' if number % 2 else 'bob'} other @{5 + number % 100 * 9},{5 + number // 100 * 9}^0 20"
        for number, name in enumerate(names)
    ]
    links = [f"{a}{kind}{b}" for a, b in pairwise(names)]
    header = f"999x999 open turn=3/20 phase={phase} quiet=0 seats=ann@A,bob@P"
    return " ; ".join([header, ships[0] + first, *ships[1:], *links])


def test_sinkings_run_along_any_number_of_links():
    verdict = adjudicate_case({"position": chain(">", "fire", " fire=3"), "dice": [1, 6, 6, 1, 1]})
    assert [event["type"] for event in verdict["events"]].count("sunk") == CHAIN + 1


def test_fire_runs_along_any_number_of_links():
    case = {"position": chain("-", "orders"), "sheets": {"bob": "AA0: ignite"}}
    verdict = adjudicate_case({**case, "dice": [6, 6, 1, 1, *[6] * CHAIN, 1, 1, 1, 1]})
    assert [event["type"] for event in verdict["events"]].count("spread") == CHAIN


def test_tables_are_whole():
    assert tuple(TABLES.classes) == CLASS_CODES
    assert tuple(TABLES.ram.matrix) == CLASS_CODES
    assert set(TABLES.nations) == set(NATIONS)
    assert set(TABLES.matchups) == set("123456")
    assert [row.least for row in TABLES.melee] == sorted((row.least for row in TABLES.melee), reverse=True)


def test_later_doctrine_overrides_what_it_names():
    doctrines = Doctrines(
        (
            DoctrineLine(ship="all", swipe="turn", prize="sink"),
            DoctrineLine(ship="A1", swipe="grapple"),
            DoctrineLine(ship="all", slip="turn45L"),
        )
    )
    assert doctrines.doctrine_of("A1") == Doctrine(swipe="grapple", prize="sink", slip="turn45L")
    assert doctrines.doctrine_of("A2") == Doctrine(swipe="turn", prize="sink", slip="turn45L")
