"""Whole lists of orders at once: standard courses, and lists fitted to what a galley can do (MB-3.3 to 3.7)."""

from __future__ import annotations

from typing import Final

from rules.core.view import Param, Text
from rules.matchbox.engine import orders
from rules.matchbox.engine.state import SLOTS, Galley, OrderList

STANDARD_COURSES: Final = {
    "ahead": "FFFFF",
    "attack": "FFFFX",
    "pass": "FFXFX",
    "fire": "XFXFX",
    "port": "LFFFF",
    "starboard": "RFFFF",
    "hard_port": "LLFFF",
    "hard_starboard": "RRFFF",
    "about_port": "LLLFF",
    "about_starboard": "RRRFF",
    "mend": "ZZFFF",
}
"""Courses that captains often give, by the key of their names; before they are fitted to a galley."""
_BOARDING_COURSES: Final = {"board": "FFGFG"}
"""The same where galleys may be boarded (MX-3.1)."""

_FILLER_ORDERS: Final = (*"FFFFF", *"XXXXX")
"""What a list is filled up with that may not end yet (MB-3.7)."""


def fit_list(galley: Galley, wanted: OrderList) -> OrderList:
    """A galley's list as near to a wanted one as she can carry out, complete and legal.

    What she has no oars, masts or matches for is left out, and what must still be added is (MB-3.7).
    """
    drawn, wished = "", iter(wanted.wishes)
    wishes: list[tuple[int, int]] = []
    for order in (*orders.split_orders(wanted.orders), *_FILLER_ORDERS):
        if len(drawn) == SLOTS:
            break
        wish = next(wished, (0, 0)) if order == "ZZ" else None
        if orders.extend_fault(galley, drawn, wishes, order) is None:
            drawn += order
            wishes += [] if wish is None else [wish]
    return OrderList(galley.id, drawn, tuple(wishes))


def forced_rest(galley: Galley, begun: OrderList) -> str:
    """The `X` by which a list must go on that has room for no more moves (MB-3.7); nothing if she has a choice."""
    if orders.extend_fault(galley, begun.orders, begun.wishes, "F") is None:
        return ""
    return "X" * orders.count_missing(galley, begun.orders)


def standard_courses(*, boarding: bool) -> dict[str, str]:
    """The standard courses that a game has, by key."""
    return STANDARD_COURSES | _BOARDING_COURSES if boarding else STANDARD_COURSES


def courses_for(galley: Galley, *, boarding: bool = False) -> dict[str, OrderList]:
    """The standard courses as a galley can carry them out, by key; of several that come to the same, the first."""
    found: dict[str, OrderList] = {}
    for key, wanted in standard_courses(boarding=boarding).items():
        course = fit_list(galley, OrderList(galley.id, wanted))
        if course not in found.values() and course.orders:
            found[key] = course
    return found


def orders_text(key: str, ordered: OrderList, none: str = "", **params: Param) -> Text:
    """A sentence about a galley's orders, each of them apart, such as `F F X`; the sentence `none` if she has none."""
    if none and not ordered.orders:
        return Text(none, {"galley": ordered.galley})
    apart = " ".join(orders.split_orders(ordered.orders))
    return Text(key, {"galley": ordered.galley, "slots": apart, "orders": ordered.orders, **params})
