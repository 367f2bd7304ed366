"""Why the computer captain orders what it orders: each reason is compared with the board after the answer."""

from collections import Counter

import numpy as np
import pytest
from msgspec import structs

from rules.chance.dice import Dice
from rules.core.errors import IllegalOrder
from rules.core.protocol import Setup
from rules.core.view import Text
from rules.forts.engine import fire, turn
from rules.forts.engine.boards import BOARDS, sea_hexes
from rules.forts.engine.case import adjudicate_case
from rules.forts.engine.notation import parse_position
from rules.forts.engine.state import ActionList, EndOrder, FlagshipChoice, MoveOrder, ShootOrder, StoredPlan, Target
from rules.forts.game import Forts

GAME = Forts()
FACES = 6


def begin(position="", seed="0f"):
    options = {"colours": "first"}
    return GAME.start(Setup(system="forts", teams=(0, 1), position=position, options=options), Dice(seed=seed)).state


def required_requests(state):
    return [request for request in GAME.pending_requests(state) if not request.optional]


def lines_of(position, code):
    """Return the number of hitting faces by target, for shots of a ship of the active captain."""
    ship = next(ship for ship in position.ships if (ship.colour, ship.code) == (position.active_colour, code))
    return {line.to[1:]: FACES + 1 - line.need for line in fire.fire_lines(position, ship) if line.need}


def away(position, code, start, foe):
    """Return the distances to an enemy from where a ship lay and from where she lies, in hexes."""
    there = next(ship.hex for ship in position.ships if (ship.colour, ship.code) == (position.waiting_colour, foe))
    end = next(ship.hex for ship in position.ships if (ship.colour, ship.code) == (position.active_colour, code))
    return tuple(fire.hex_distance(position.board, label, there) for label in (start, end))


def fort_of(position, colour):
    west = (position.white == "west") == (colour == "white")
    return (position.board.west if west else position.board.east).fort


def without_danger(reason):
    return reason.params["first"][0] if reason.key == "reason.danger" else reason


def reason_holds(before, after, reason):
    """Return if a reason holds; `before` and `after` are the positions about the action that it is given for."""
    params, key = reason.params, reason.key.removeprefix("reason.")
    if key == "danger":
        enemies = [ship for ship in before.ships if ship.colour == before.waiting_colour]
        shooters = [enemy for enemy in enemies if params["end"] in fire.max_fire(before, enemy)]
        assert len(shooters) == params["foes"]
        return reason_holds(before, after, *params["first"])
    if key == "end":
        mine = [ship.code for ship in before.ships if ship.colour == before.active_colour]
        return not any(lines_of(before, code) for code in mine)
    if "foe" in params:  # the place, too, says which ship is meant
        there = next(s.hex for s in before.ships if (s.colour, s.code) == (before.waiting_colour, params["foe"]))
        assert there == params["at"]
    if key == "shot":
        return lines_of(before, params["ship"])[params["foe"]] == params["faces"]
    start = next(s.hex for s in before.ships if (s.colour, s.code) == (before.active_colour, params["ship"]))
    if key == "bear":
        return lines_of(after, params["ship"])[params["foe"]] == params["faces"]
    if key == "besiege":
        fort = fort_of(before, before.waiting_colour)
        return fort == params["fort"] and fire.hex_distance(before.board, params["end"], fort) == 1
    if key == "guard":
        home = fort_of(before, before.active_colour)
        from_home, to_home = (fire.hex_distance(before.board, label, home) for label in (start, params["end"]))
        return to_home < from_home and (from_home, to_home) == (params["from"], params["hexes"])
    if key == "approach":
        fort = fort_of(before, before.waiting_colour)
        was, now = (fire.hex_distance(before.board, label, fort) for label in (start, params["end"]))
        return now < was and (was, now) == (params["from"], params["hexes"])
    if key == "shelter":
        foes = [ship for ship in before.ships if ship.colour == before.waiting_colour]
        reach = [
            sum(
                fire.hex_distance(before.board, foe.hex, label) <= foe.ship_class.range + foe.ship_class.wind
                for foe in foes
            )
            for label in (start, params["end"])
        ]
        return reach[1] < reach[0] and reach == [params["from"], params["ships"]]
    was, now = away(after, params["ship"], start, params["foe"])
    return key == "sail" and now < was and (was, now) == (params["from"], params["hexes"])


@pytest.mark.parametrize("seed", range(2))
def test_reasons_are_true(seed):
    """Of all that two mates do in a whole game."""
    state, keys = begin(seed=f"{seed:064x}"), Counter()
    while state.result is None:
        answers = {}
        for request in required_requests(state):
            view = GAME.view(state, request.seat)
            answers[request.id] = answer = GAME.computer_answer(view, request, f"{seed:02x}{state.answered:02x}")
            reason = GAME.reason_for(view, answer)
            keys[without_danger(reason).key] += 1
            if isinstance(answer, ActionList):
                before = state.position
                if answer.actions[0] == EndOrder():
                    assert reason_holds(before, before, reason)
        step = GAME.resolve(state, answers)
        if isinstance(answer, ActionList) and answer.actions[0] != EndOrder():
            after = step.state.position if isinstance(answer.actions[0], MoveOrder) else before
            assert step.state.result or reason_holds(before, after, reason), (before, answer, reason)
        state = step.state
    assert {"reason.shot", "reason.bear", "reason.sail", "reason.end"} <= set(keys)
    assert keys["reason.usual"] <= 2  # the berths that are proposed


@pytest.mark.parametrize(
    ("action", "key"),
    [("BB>R5", "besiege"), ("BB>O5", "bear"), ("GA>G5", "sail"), ("GA>D5", "guard"), ("end", "usual")],
)
def test_the_weightiest_reason_is_given(action, key):
    """A shot that could hit is left: then nobody says that there is none."""
    state = begin("two_forts 9 white wind - 0 white=west BB/BB ; wBB@P5 0 s3 ; wGA@F5 0 s2 ; rBB@M3 0 ; rFR@N5 1")
    (request,) = required_requests(state)
    answer = GAME.parse_answer(state, request, action)
    assert without_danger(GAME.reason_for(GAME.view(state, request.seat), answer)).key == f"reason.{key}"


def test_the_reason_for_a_whole_turn_is_about_the_shot_that_follows_and_about_an_action_that_has_one():
    state = begin("two_forts 9 white wind - 0 white=west BB/BB ; wBB@P5 0 s3 ; wGA@F5 0 s2 ; rBB@M3 0 ; rFR@N5 1")
    (request,) = required_requests(state)
    for text, foe in (("BB>O5; BB*BB; end", "BB"), ("BB>O5; BB*FR; end", "FR")):
        answer = GAME.parse_answer(state, request, text)
        reason = without_danger(GAME.reason_for(GAME.view(state, request.seat), answer))
        assert (reason.key, reason.params["foe"]) == ("reason.bear", foe)
    away = GAME.parse_answer(state, request, "GA>F6; BB>O5; BB*BB; end")  # that the galleon sails off is no reason
    assert without_danger(GAME.reason_for(GAME.view(state, request.seat), away)).params["ship"] == "BB"


@pytest.mark.parametrize(("hits", "foes"), [(2, None), (3, 2)])
def test_a_hint_names_the_danger_of_the_hex_if_enemies_may_sink_the_ship_there(hits, foes):
    """The galleon has two shots and the frigate one: enough for a ship with three more hits at most."""
    state = begin(
        f"two_forts 9 white wind - 0 white=west GA/BB ; wGA@D6 0 s2 ; wBB@F5 {hits - 1} s3 ; rGA@N4 0 ; rFR@N5 0"
    )
    (request,) = required_requests(state)
    reason = GAME.reason_for(GAME.view(state, request.seat), GAME.parse_answer(state, request, "BB>J5; end"))
    assert reason.params.get("foes") == foes
    if foes:
        assert (reason.key, reason.params["end"], reason.params["ship"]) == ("reason.danger", "J5", "BB")


def test_a_flagship_is_given_for_the_hits_that_she_takes_and_no_plan_for_what_is_known_later():
    state = begin()
    view = GAME.view(state, 0)
    assert GAME.reason_for(view, FlagshipChoice("GA")) == Text("reason.lead", {"ship": "GA", "hits": 4})
    assert GAME.reason_for(view, StoredPlan()) == Text("reason.no_plan")


@pytest.mark.parametrize("aimed", [True, False])
def test_a_captain_whose_fort_is_besieged_is_told_so_and_by_the_hint_if_it_cannot_help(aimed):
    hunter = "rGA@P6 0 s2" if aimed else "rGA@K2 0 s2"
    state = begin(f"two_forts 10 red wind w9 0 white=west BB/BB ; wBB@R5 0 ; rBB@D8 0 s0 ; {hunter}")
    score = Text("score.besieged", {"by": "BB", "hex": "R5"})
    assert [GAME.view(state, seat).score for seat in (0, 1, None)] == [None, score, None]
    answer = ActionList((ShootOrder("GA", (Target("BB", 1),)),)) if aimed else ActionList((EndOrder(),))
    assert (GAME.reason_for(GAME.view(state, 1), answer).key == "reason.besieged") is not aimed


@pytest.mark.parametrize(("hits", "left"), [(0, None), (2, None), (3, 2), (4, 1)])
def test_a_captain_whose_flagship_is_badly_hit_is_told_how_many_hits_are_left(hits, left):
    state = begin(f"two_forts 10 red wind - 0 white=west BB/BB ; wBB@K2 0 ; rBB@D8 {hits} s3")
    score = Text("score.flagship", {"ship": "BB", "hits": hits, "left": left}) if left else None
    assert [GAME.view(state, seat).score for seat in (0, 1, None)] == [None, score, None]


@pytest.mark.parametrize(
    ("leads", "white", "red", "warned"),
    [
        ("FR/BB", "wFR@N4 0 ; wBB@F5 0", "rBB@D8 0 s3", True),
        ("FR/BB", "wFR@L6 0 ; wBB@F5 0", "rBB@D8 0 s3", False),  # 6 hexes from R6, and she sails 5
        ("BB/BB", "wFR@N4 0 ; wBB@F5 0", "rBB@D8 0 s3", False),  # only the flagship besieges
        (
            "FR/BB",
            "wFR@N4 0 ; wBB@F5 0",
            "rBB@R6 0 s3 ; rGA@R5 0 s2 ; rFR@S5 0 s1 ; rBR@S7 0 s1",
            False,
        ),  # full
        ("FR/BB", "wFR@N4 0 ; wBB@R5 0 ; wGA@R6 0", "rBB@S5 0 s3 ; rBR@S7 0 s1", True),  # her own side makes way
    ],
)
@pytest.mark.parametrize("wind", ["wind", "calm"])
def test_a_captain_whose_fort_may_be_besieged_next_turn_is_told_so(wind, leads, white, red, warned):
    state = begin(f"two_forts 10 red {wind} - 0 white=west {leads} ; {white} ; {red}")
    score = Text("score.fort", {"by": "FR"}) if warned else None
    assert [GAME.view(state, seat).score for seat in (0, 1, None)] == [None, score, None]


@pytest.mark.parametrize("board", BOARDS)
def test_a_fort_may_be_besieged_if_and_only_if_some_order_of_the_enemy_flagship_besieges_it(board):
    """White's flagship and Red's ships lie anywhere in the east. Every move that leads beside the fort is tried."""
    rng = np.random.default_rng(8)
    sea = [label for label in sea_hexes(BOARDS[board]).values() if label[0] >= "K"]
    besides = [label for label in sea if fire.hex_distance(BOARDS[board], label, BOARDS[board].east.fort) == 1]
    answers = set()
    for code in rng.choice(["BB", "GA", "FR", "BR"], 60):
        lead, *others = rng.choice(sea, 5, replace=False)
        red = " ; ".join(f"r{other}@{label} 0" for other, label in zip(("BB", "GA", "FR", "BR"), others, strict=True))
        position = f"{board} 11 white wind - 0 white=west {code}/BB ; w{code}@{lead} 0 s0 ; {red}"
        parsed = parse_position(position)
        may = turn.may_besiege(parsed, turn.flagship_of(parsed, "white"))
        assert may is any(besieges(position, code, lead, label) for label in besides), position
        answers.add(may)
    assert answers == {True, False}


def besieges(position, code, start, end):
    try:
        result = adjudicate_case({"position": position, "actions": "end" if start == end else f"{code}>{end}; end"})
    except IllegalOrder:
        return False
    return any(event["type"] == "siege" for event in result["events"])


def test_a_captain_is_told_of_both_dangers():
    state = begin("two_forts 10 red wind - 0 white=west FR/BB ; wFR@N4 0 ; rBB@D8 4 s3")
    (told,) = filter(None, (GAME.view(state, seat).score for seat in (0, 1)))
    hit = Text("score.flagship", {"ship": "BB", "hits": 4, "left": 1})
    assert told == Text("score.two", {"first": (hit,), "second": (Text("score.fort", {"by": "FR"}),)})


def test_without_a_limit_turns_without_a_hit_are_not_counted():
    state = begin("two_forts 10 red wind - 8 white=west BB/BB ; wBB@K2 0 ; rBB@D8 0 s3")
    assert GAME.view(state, 1).score == quiet(8)
    assert GAME.view(structs.replace(state, limit=None), 1).score is None


def test_turns_without_a_hit_are_counted_from_half_their_limit_on():
    state = begin("two_forts 10 red wind - 7 white=west BB/BB ; wBB@K2 0 ; rBB@D8 0 s3")
    assert GAME.view(state, 1).score is None


def quiet(turns):
    return Text("score.quiet", {"quiet": turns, "most": 16})
