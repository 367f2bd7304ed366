"""Warnings of orders without effect, while a captain plans, are true: the rules agree if all others lie still."""

import random

import pytest
from msgspec import structs

from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.core.protocol import EMPTY_DRAFT, Draft
from rules.matchbox.engine import orders
from rules.matchbox.engine.events import HullsCollided, ShipMoved, VolleyHeld
from rules.matchbox.engine.state import FleetOrders, OrderList
from rules.matchbox.interface.order_drafts import all_lists
from tests.rules.matchbox.play import GAME, begin

DUEL = "900x600 ; A1:south 5-5+3/5 @450,80^0 ; B1:north 5-5+3/5 @450,520^180"
ELSEWHERE = "D1:north 5-5+3/5 @700,520^180"
FOE = "B1:north 5-5+3/5 @450,520^180"
BOTH = "A1 RFFFF; A2 LFFFF"
AT_EDGE = "900x600 ; A1:south 5-5+3/5 @450,580^0 ; B1:north 5-5+3/5 @100,100^180"
HEAD_ON = "900x600 ; A1:south 5-5+1/5 @100,100^0 ; A2:south 5-5+3/5 @100,320^180 ; B1:north 5-5+3/5 @800,520^180"


def warned(position, draft):
    teams = (0, 1, 0, 1) if "D1" in position else (0, 1)
    state = begin(position=position, teams=teams).state
    return GAME.draft_warnings(state, GAME.pending_requests(state)[0], Draft(draft))


def brief(position, draft):
    return [
        (text.key, text.params.get("galley"), text.params.get("steps", text.params.get("step")))
        for text in warned(position, draft)
    ]


@pytest.mark.parametrize(
    ("position", "draft", "expected"),
    [
        (DUEL, "", []),
        (DUEL, "A1 FF", []),
        (DUEL, "A1 XFXFF", [("warn.fire", "A1", (1, 3))]),
        # Five lengths on she is within reach.
        (DUEL, "A1 FFFFX", [("warn.fire", "A1", (5,))]),
        ("900x600 ; A1:south 5-5+3/5 @450,300^0 ; B1:north 5-5+3/5 @450,520^180", "A1 FFFXX", []),
        # Her bow is 20 mm from the edge; who turns there has turned, but is pushed in.
        (AT_EDGE, "A1 FLLXF", [("warn.edge", "A1", (1,)), ("warn.edge.turn", "A1", (2, 3)), ("warn.fire", "A1", (4,))]),
        # Her oars allow four moves: what else can she do but fire, and when but at last?
        (DUEL.replace("5-5+3", "4-4+3"), "A1 FFRFX", []),
        (DUEL.replace("5-5+3", "2-2+3"), "A1 FXRXX", []),
        (DUEL.replace("5-5+3", "2-2+3"), "A1 XXXFR", [("warn.fire", "A1", (1, 2, 3))]),
        (DUEL.replace("5-5+3", "4-4+3"), "A1 FXFRF", [("warn.fire", "A1", (2,))]),
        (DUEL.replace("5-5+3", "4-4+3"), "A1 FFRXX", [("warn.fire", "A1", (4, 5))]),
        # Two side by side turn into each other; what comes after that is not known.
        (
            f"900x600 ; A1:south 5-5+3/5 @300,200^0 ; A2:south 5-5+3/5 @360,200^0 ; {FOE}",
            BOTH,
            [("warn.friend", "A1", 1)],
        ),
        # An ally's galley lies in the way.
        (
            f"900x600 ; A1:south 5-5+3/5 @300,200^0 ; C1:south 5-5+3/5 @300,290^0 ; {FOE} ; {ELSEWHERE}",
            "A1 FFFFX",
            [("warn.friend", "A1", 1)],
        ),
        # Bow to bow, which costs the one of them her only mast.
        (HEAD_ON, "A1 FFFFX; A2 FFFFX", [("warn.friend", "A1", 3), ("warn.masts", "A1", (5,))]),
        (HEAD_ON, "A1 FFFFX; A2 FFFFX; casualties ask", [("warn.friend", "A1", 3)]),
    ],
)
def test_it_is_said_what_comes_to_nothing(position, draft, expected):
    assert brief(position, draft) == expected


def scattered(rng):
    """Return a crowded table; None if the galleys overlap."""
    fleet = []
    for name, side in (("A1", "south"), ("B1", "north"), ("A2", "south"), ("B2", "north")):
        x, y, heading = rng.randint(40, 860), rng.randint(40, 560), rng.randrange(0, 360, 30)
        fleet.append(f"{name}:{side} {rng.choice(('5-5+3/5', '6-4+1/6', '3-4+2/4'))} @{x},{y}^{heading}")
    try:
        return begin(position="900x600 ; " + " ; ".join(fleet)).state
    except OrderError:
        return None


@pytest.mark.slow
def test_what_is_warned_of_happens_if_all_others_lie_still():
    rng, seen = (
        random.Random(7),
        {"warn.edge": 0, "warn.edge.turn": 0, "warn.fire": 0, "warn.friend": 0, "warn.masts": 0},
    )
    lists = {}
    for state in filter(None, (scattered(rng) for _ in range(250))):
        mine, theirs = GAME.pending_requests(state)
        drawn = []
        for galley in (galley for galley in state.galleys if galley.seat == mine.seat):
            kind = (galley.port, galley.starboard, galley.masts, galley.holes)
            if kind not in lists:
                lists[kind] = [order_list for order_list in all_lists(galley) if order_list.orders.count("ZZ") < 2]
            order_list = rng.choice(lists[kind])
            drawn.append(OrderList(galley.id, order_list.orders, order_list.wishes))
        draft = "; ".join(f"{order_list.galley} {orders.format_list(order_list)}" for order_list in drawn)
        warnings = GAME.draft_warnings(state, mine, Draft(draft))
        still = FleetOrders(tuple(OrderList(galley.id, "") for galley in state.galleys if galley.seat == theirs.seat))
        step = GAME.resolve(state, {mine.id: GAME.parse_answer(state, mine, draft), theirs.id: still})
        for text in warnings:
            seen[text.key] += 1
            galley = text.params["galley"]
            steps = text.params.get("steps") or [text.params["step"]]
            for number in steps:
                then = [event for event in step.events if getattr(event, "step", 0) == number]
                match text.key:
                    case "warn.edge" | "warn.edge.turn":
                        assert any(isinstance(e, ShipMoved) and e.galley == galley and e.at_edge for e in then), draft
                    case "warn.fire":
                        assert any(isinstance(e, VolleyHeld) and e.by == galley and e.reason == "range" for e in then)
                    case "warn.friend":
                        pair = {galley, text.params["friend"]}
                        assert any(isinstance(e, HullsCollided) and {e.a, e.b} == pair for e in then)
                    case _:
                        held = [e for e in then if isinstance(e, VolleyHeld) and e.by == galley]
                        assert [e.reason for e in held] == ["masts"] or not [
                            g for g in step.state.galleys if g.id == galley
                        ]
    assert min(seen["warn.edge"], seen["warn.fire"], seen["warn.friend"]) > 5, seen


def test_what_a_seat_is_warned_of_hangs_on_nothing_that_is_hidden_from_it():
    """Others' standing orders and the dice are secret; whatever they are, the seat reads the same warnings."""
    position = "900x600 ; A1:south 5-5+1/5 @450,200^0 ; B1:north 5-5+3/5 @450,290^180"
    state = begin(position=position).state
    mine = GAME.pending_requests(state)[0]
    other = structs.replace(
        state,
        dice=Dice("ff"),
        standing=(state.standing[0], structs.replace(state.standing[1], casualties="fighting", target="ask")),
    )
    for draft in ("A1 FFFFX", "A1 XFFFF", "A1 LFFFX"):
        assert GAME.draft_warnings(state, mine, Draft(draft)) == GAME.draft_warnings(other, mine, Draft(draft))


def test_only_orders_are_warned_of():
    state = begin().state
    (request, *_) = GAME.pending_requests(state)
    assert GAME.draft_warnings(state, request, EMPTY_DRAFT) == ()


@pytest.mark.parametrize(
    ("position", "drawn", "theirs"),
    [
        # A1 hits an enemy at once; where that leaves her, A2 rows into her side.
        (
            "900x600 ; A1:south 5-5+3/5 @300,200^0 ; A2:south 5-5+3/5 @420,240^270 ; B1:north 5-5+3/5 @300,247^90",
            "A1 FFFFX; A2 FFFFF",
            "",
        ),
        # An enemy who rows on stops A1 in A2's way.
        (
            "900x600 ; A1:south 5-5+3/5 @300,200^0 ; A2:south 5-5+3/5 @180,230^90 ; B1:north 5-5+3/5 @300,330^180",
            "A1 FFFXX; A2 XFFFF",
            "FFFFF",
        ),
    ],
)
def test_a_hint_sends_no_galleys_of_one_side_into_each_other_whatever_enemies_do(position, drawn, theirs):
    state = begin(position=position).state
    mine, other = GAME.pending_requests(state)
    given = GAME.parse_answer(state, mine, drawn)

    def met(answer):
        step = GAME.resolve(state, {mine.id: answer, other.id: FleetOrders((OrderList("B1", theirs),))})
        return [event for event in step.events if isinstance(event, HullsCollided) and event.a[0] == event.b[0]]

    assert met(given)
    advice = GAME.advice_without_warnings(state, mine, given)
    assert not met(advice)
    assert GAME.parse_answer(state, mine, GAME.format_answer(mine, advice)) == advice
