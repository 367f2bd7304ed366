"""Whole lists of orders: standard courses, and lists adapted to a galley (MB-3.3 to 3.7)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
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
"""Common courses by key, before they are adapted to a galley."""
_BOARDING_COURSES: Final = {"board": "FFGFG"}  # further courses for games with boarding (MX-3.1)

_ORDER_TEXTS: Final = ("F", "L", "R", "X", "ZZ")
_FILLER_ORDERS: Final = (*"FFFFF", *"XXXXX")  # orders that complete a list that is too short (MB-3.7)


def fit_list(galley: Galley, wanted: OrderList) -> OrderList:
    """Return a complete, legal list as close as possible to the wanted one.

    Orders without oars, masts or matches are omitted, and required ones are added (MB-3.7).
    """
    fitted, wish_iterator = "", iter(wanted.wishes)
    wishes: list[tuple[int, int]] = []
    for order in (*orders.split_orders(wanted.orders), *_FILLER_ORDERS):
        if len(fitted) == SLOTS:
            break
        wish = next(wish_iterator, (0, 0)) if order == "ZZ" else None
        if orders.extend_fault(galley, fitted, wishes, order) is None:
            fitted += order
            wishes += [] if wish is None else [wish]
    return OrderList(galley.id, fitted, tuple(wishes))


def forced_rest(galley: Galley, begun: OrderList) -> str:
    """Return the `X`s that a list needs if it has no room for moves (MB-3.7), or an empty string."""
    if orders.extend_fault(galley, begun.orders, begun.wishes, "F") is None:
        return ""
    return "X" * orders.count_missing(galley, begun.orders)


def standard_courses(*, boarding: bool) -> dict[str, str]:
    return STANDARD_COURSES | _BOARDING_COURSES if boarding else STANDARD_COURSES


def courses_for(galley: Galley, *, boarding: bool = False) -> dict[str, OrderList]:
    courses: dict[str, OrderList] = {}
    for key, letters in standard_courses(boarding=boarding).items():
        course = fit_list(galley, OrderList(galley.id, letters))
        if course not in courses.values() and course.orders:
            courses[key] = course
    return courses


def orders_text(key: str, ordered: OrderList, none: str = "", **params: Param) -> Text:
    """Return a sentence with a galley's orders separated, such as `F F X`, or the sentence `none`."""
    if none and not ordered.orders:
        return Text(none, {"galley": ordered.galley})
    apart = " ".join(orders.split_orders(ordered.orders))
    return Text(key, {"galley": ordered.galley, "slots": apart, "orders": ordered.orders, **params})


def all_lists(galley: Galley) -> Iterator[OrderList]:
    """Yield every legal list of a galley, without grapples and wishes (MB-3)."""
    for length in range(1, SLOTS + 1):
        for letters in product(_ORDER_TEXTS, repeat=length):
            orders_text = "".join(letters)
            if len(orders_text) == length + letters.count("ZZ") and not (
                orders.list_fault(galley, orders_text) or orders.short_fault(galley, orders_text)
            ):
                yield OrderList(galley.id, orders_text, ((0, 0),) * letters.count("ZZ"))
