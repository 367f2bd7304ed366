"""Advice of which nothing is warned: orders as near as can be to those that a first mate has thought of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import structs

from rules.matchbox.desk.samples import all_lists
from rules.matchbox.desk.sheets import Desk, Sheet
from rules.matchbox.desk.warnings import warnings
from rules.matchbox.table.orders import split
from rules.matchbox.table.state import FleetOrders, Galley, OrderList
from rules.view import Text

_TRIED_MOST: Final = 400
"""Lists of a galley that are tried in place of hers, at two milliseconds each."""


def heeded(desk: Desk, answer: FleetOrders) -> FleetOrders:
    """Put for each galley of which something is warned the nearest list with fewer warnings, if there is any."""
    there = {galley.id: galley for galley in desk.waters.mine}
    warned = {str(text.params["galley"]) for text in _warned(desk, answer)}
    for name in sorted(warned):
        left = len(_warned(desk, answer))
        for other in _alike(there[name], answer):
            if left == 0:
                break
            tried = structs.replace(answer, lists=tuple(other if o.galley == name else o for o in answer.lists))
            if (now := len(_warned(desk, tried))) < left:
                answer, left = tried, now
    return answer


def _warned(desk: Desk, answer: FleetOrders) -> tuple[Text, ...]:
    return warnings(desk, Sheet(answer.lists, answer.standing, ""))


def _alike(galley: Galley, answer: FleetOrders) -> Iterator[OrderList]:
    """Her other legal lists, those first that leave most as it was."""
    given = split(next(ordered.orders for ordered in answer.lists if ordered.galley == galley.id))
    kept = sorted(all_lists(galley), key=lambda other: -sum(a == b for a, b in zip(given, split(other.orders))))  # noqa: B905 - a shorter list leaves out the end
    yield from kept[:_TRIED_MOST]
