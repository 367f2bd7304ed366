"""Whole lists at once: for all galleys, as in the round before, and standard courses (MB-3.3 to 3.7)."""

import msgspec
import pytest

from rules.core.errors import OrderError
from rules.core.protocol import EMPTY_DRAFT, Draft
from rules.core.view import Text
from rules.matchbox.engine import orders
from rules.matchbox.engine.state import OrderList
from rules.matchbox.interface import order_drafts
from rules.matchbox.interface.order_drafts import all_lists
from tests.rules.matchbox.play import GAME, answered, begin

FLEET = (
    "1600x900 ; A1:south 6-6+2/6 @300,100^0 ; A2:south 4-4+4/4 @600,100^0 ; A3:south 6-2+0/6 @900,100^0"
    " ; B1:north 5-5+3/5 @300,800^180"
)


def asked(state=None):
    state = state or begin(position=FLEET).state
    return state, GAME.pending_requests(state)[0]


def typed(text, draft=EMPTY_DRAFT, state=None):
    return GAME.type_text(*asked(state), draft, text)


def refused(text, state=None):
    with pytest.raises(OrderError) as error:
        typed(text, state=state)
    return error.value.fault


def options(draft=EMPTY_DRAFT, state=None):
    return {o.token: o for group in GAME.draft_choices(*asked(state), draft).groups for o in group.options}


def after_a_round(text="A1 FFXRX; A2 FLFRX; A3 FRZZ"):
    """Return the second round, after these orders of A."""
    return answered(asked()[0], text, "B1 LLFFF").state


@pytest.mark.parametrize(
    "text", ["all FFFFF", "* FFFFF", "ALL: f f f f f", "mind EEEEE", "összes: EEEEE", "every FFFFF"]
)
def test_all_galleys_are_ordered_the_same_as_far_as_they_can(text):
    # A2 has four oars a side, so that she must also fire; A3 two and no mast.
    assert typed(text).text == "A1 FFFFF; A2 FFFFX (not FFFFF); A3 FF (not FFFFF)"


def test_what_a_galley_cannot_do_of_orders_for_all_is_said():
    state, request = asked()
    lines = GAME.draft_choices(state, request, typed("all XFFFF")).lines
    assert [(line.key, line.params.get("why")) for line in lines] == [
        ("line.orders", None),
        ("line.orders", None),
        ("line.orders.unmet", (Text("unmet.no_masts", {"galley": "A3", "orders": "X", "most": 0}),)),
    ]
    # That no galley can do all of it is no reason to refuse what they can do.
    lame = msgspec.structs.replace(
        state,
        galleys=tuple(
            msgspec.structs.replace(galley, port=2) if galley.seat == 0 else galley for galley in state.galleys
        ),
    )
    every = "A1 FXRX (not FXRFF); A2 FXRXX (not FXRFF); A3 FR (not FXRFF)"
    assert typed("all FXRFF", state=lame).text == typed(every, state=lame).text == every
    assert refused("A1 FXRFF", state=lame).code == "too_many_moves"


def test_a_galley_that_is_named_keeps_her_own_orders_wherever_she_is_named():
    assert typed("A3 LL; all FFFXF").text == typed("all FFFXF; A3 LL").text == "A1 FFFXF; A2 FFFXF; A3 LL"
    assert typed("all FFF A3 LL").text == "A1 FFF; A2 FFF; A3 LL"
    assert typed("all LLFFF", Draft("A1 FFXRX", "A2")).focus == "A2"


def test_what_no_galley_can_do_is_refused():
    assert (refused("all FFFFFF").code, refused("all").code) == ("too_many_orders", "nothing_for_all")
    assert refused("all QQ").code == "unknown_order"
    assert refused("all again").code == refused("A1 again").code == "nothing_to_repeat"


def test_the_round_before_is_repeated_as_far_as_it_can_be():
    state = after_a_round()
    assert [order_list.orders for order_list in state.ordered] == ["FFXRX", "FLFRX", "FRZZ", "LLFFF"]
    assert typed("A1 again", state=state).text == "A1 FFXRX"
    assert typed("mind újra", state=state).text == typed("all repeat", state=state).text
    assert typed("all again; A2 FFFFX", state=state).text.startswith("A1 FFXRX; A2 FFFFX; A3 ")
    assert options(state=state)["order.again"].draft == "A1 FFXRX"
    fewer = tuple(
        msgspec.structs.replace(galley, port=1) if galley.id == "A1" else galley for galley in state.galleys
    )  # one move, two masts
    lame = msgspec.structs.replace(state, galleys=fewer)
    assert typed("A1 again", state=lame).text == "A1 FXX (not FFXRX)"
    # What is left out is said before it is pressed.
    assert options(state=state)["order.again"].label.key == "choice.order.again"
    assert options(state=lame)["order.again"].label == Text("choice.order.again.without", {"cut": "FR"})
    assert options(state=state)["all.again"].label.key == "choice.all.again"
    assert options(state=lame)["all.again"].label == Text("choice.all.again.cut", {"galleys": "A1"})
    assert "order.again" not in options()


def test_one_galleys_orders_are_given_to_all_by_one_press():
    option = options(Draft("A1 FFXFX"))["order.all"]
    assert (option.draft, option.focus, option.label.params) == (
        "A1 FFXFX; A2 FFXFX; A3 FF (not FFXFX)",
        "A1",
        {"galley": "A1"},
    )
    assert options()["order.all"].fault
    assert options(Draft("A2 FFFFX", "A2"))["order.all"].draft == "A1 FFFFX; A2 FFFFX; A3 FF (not FFFFX)"


def test_a_course_orders_one_galley_and_then_the_whole_fleet_by_one_press():
    state, request = asked()
    offered = options()
    assert offered["course.ahead"].draft == "A1 FFFFF"
    for token, option in offered.items():
        if token.startswith("all."):
            assert GAME.draft_choices(state, request, Draft(option.draft)).missing_parts == (), token
            GAME.parse_answer(state, request, option.draft)
    assert [token for token in offered if token.startswith("all.")] == [
        f"all.{key}" for key in order_drafts.STANDARD_COURSES
    ]
    assert options(Draft("A1 FFFFF"))["course.ahead"].is_chosen


def test_every_course_of_every_galley_is_complete_and_legal():
    state, _ = asked()
    for galley in state.galleys:
        lists = set(all_lists(galley))
        assert {*order_drafts.courses_for(galley).values()} <= {
            OrderList(order_list.galley, order_list.orders, order_list.wishes) for order_list in lists
        }
        for order_list in lists:
            assert order_drafts.fit_list(galley, order_list) == order_list
    wished = OrderList("A1", "ZZFZZ", ((2, 4), (4, 2)))
    (a1, *_) = state.galleys
    assert orders.format_list(order_drafts.fit_list(a1, wished)) == "ZZ(2-4)FZZ(4-2)"
