"""Reading and checking order lists (MB-3)."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import Fault, IllegalOrder, UnreadableOrder
from rules.matchbox.engine import orders
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.state import Galley, OrderList


def galley(holes, port, starboard, masts):
    return Galley(
        id="A1", seat=0, side="south", holes=holes, port=port, starboard=starboard, masts=masts, pose=Pose(0, 0, 0)
    )


def lists():
    """Return all sequences of up to six steps."""
    for length in range(7):
        yield from (
            "".join(pieces)
            for count in range(length + 1)
            for pieces in product(("F", "L", "R", "X", "ZZ"), repeat=count)
            if sum(map(len, pieces)) == length
        )


@pytest.mark.parametrize("ship", [galley(6, 6, 6, 2), galley(5, 2, 4, 1)])
def test_pressing_allows_what_typing_allows(ship):
    for written in lists():
        if len(written) > 4 or orders.list_fault(ship, written):
            continue
        for letter in ("F", "L", "R", "X", "ZZ"):
            fault = orders.extend_fault(ship, written, (), letter)
            assert (fault is None) == (orders.list_fault(ship, written + letter) is None)


@given(
    st.lists(st.sampled_from(["F", "L", "R", "X", "ZZ"]), max_size=5),
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=5, max_size=5),
)
def test_what_is_written_reads_back(pieces, wishes):
    written = OrderList("A1", "".join(pieces), tuple(wishes[: pieces.count("ZZ")]))
    read, wanted = orders.parse_orders(orders.format_list(written))
    assert OrderList("A1", read, wanted) == written


@given(st.text() | st.text("FLRXZEBJTA(-) ,4"))
def test_any_text_is_read_or_refused(text):
    try:
        read, wishes = orders.parse_orders(text)
    except UnreadableOrder as error:
        read, wishes = "", ()
        expected = error.fault.params["expected"]
    else:
        expected = "orders"
    assert expected
    assert set(read) <= set("FLRXZ")
    assert len(wishes) == read.count("ZZ")


def test_whole_words_may_stand_for_letters():
    assert orders.parse_orders("forward, FORWARD fire left F")[0] == "FFXLF"
    assert orders.parse_orders("előre balra TŰZ; jobbra".replace(";", ""))[0] == "FLXR"
    assert orders.parse_orders("grapple", grapples=True)[0] == "G"
    with pytest.raises(UnreadableOrder):
        orders.parse_orders("grapple")


@pytest.mark.parametrize(
    ("ship", "typed", "code", "params"),
    [
        (galley(6, 6, 6, 2), "FFFFFF", "too_many_orders", {"most": 5}),
        (galley(6, 6, 3, 2), "FLRF", "too_many_moves", {"most": 3}),
        (galley(6, 6, 3, 0), "X", "no_masts", {"most": 0}),
        (galley(6, 6, 3, 1), "XX", "too_much_fire", {"most": 1}),
        (galley(4, 4, 4, 4), "ZZZZF", "too_few_matches", {"most": 4, "used": 5}),
        (galley(6, 6, 6, 2), "FF", "too_few_orders", {"could_add": "F / X"}),
        (galley(6, 2, 6, 2), "FF", "too_few_orders", {"could_add": "X"}),
        (galley(6, 2, 6, 2), "FXX", "too_few_orders", {"could_add": "F"}),
    ],
)
def test_faults_say_what_would_be_legal(ship, typed, code, params):
    with pytest.raises(IllegalOrder) as refused:
        orders.parse_legal(ship, typed)
    fault = refused.value.fault
    assert (fault.kind, fault.code, fault.piece, fault.params) == (
        "illegal",
        code,
        f"A1 {typed}",
        {"galley": "A1", "orders": typed, **params},
    )


@pytest.mark.parametrize(
    ("typed", "code", "piece", "expected"),
    [
        ("FFQF", "unknown_order", "Q", "F L R X ZZ"),
        ("attack the blue ship!", "unknown_order", "attack the blue ship!", "F L R X ZZ"),
        ("FFZQ", "unknown_order", "Q", "F L R X ZZ"),
        ("FFZX", "lone_z", "ZX", "ZZ"),
        ("ffz, xz", "lone_z", "z, x", "ZZ"),
        ("FFZ ", "lone_z", "Z", "ZZ"),
        ("FA", "lone_z", "A", "ZZ"),
        ("FZZ(four to port)", "bad_wish", "(four to por", "ZZ(4-2)"),
        ("ZZ(4-2F", "bad_wish", "(4-2F", "ZZ(4-2)"),
    ],
)
def test_faults_show_what_cannot_be_read(typed, code, piece, expected):
    with pytest.raises(UnreadableOrder) as refused:
        orders.parse_orders(typed)
    fault = refused.value.fault
    assert (fault.code, fault.piece, fault.params) == (code, piece, {"expected": expected})


def test_the_first_order_too_many_is_shown():
    fault = orders.list_fault(galley(6, 2, 6, 2), "FFLXR")
    assert fault == Fault(
        kind="illegal",
        code="too_many_moves",
        rule="MB-3.4",
        piece="A1 FFL",
        params={"galley": "A1", "orders": "FFL", "most": 2},
    )
    assert orders.list_fault(galley(6, 2, 6, 2), "") is None


def test_steps():
    assert orders.step_orders(OrderList("A1", "XZZF")) == ("X", "Z1", "Z2", "F", "")
