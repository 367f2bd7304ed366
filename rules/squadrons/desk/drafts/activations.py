"""What is written for one squadron when its go comes: `act SQ1` or `act B4`, and then the lines of a sheet (SQ 9.2)."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from msgspec import structs

from rules.errors import IllegalOrder, OrderError
from rules.protocol import Draft, Seat
from rules.squadrons.desk.drafts import sheets, squadron_orders
from rules.squadrons.desk.drafts.sheets import OrderContext, OrderDraft
from rules.squadrons.desk.drafts.squadron_orders import named
from rules.squadrons.table.notation.order_text import RULE, excerpt
from rules.squadrons.table.notation.typed_words import plain
from rules.squadrons.table.phases.activation import activation, turn_order
from rules.squadrons.table.phases.command import ownership
from rules.squadrons.table.sea.state import Squadron, State

ACT: Final = re.compile("act ?:? ?(sq[1-9]|[br][1-9][0-9]?)")
"""The line that names a squadron."""
_DOUBLE: Final = re.compile("double (sq[1-9]|[br][1-9][0-9]?)")


class ActivationContext(NamedTuple):
    """The inputs for ordering one squadron when its turn comes."""

    orders: OrderContext
    """With the ships of the squadron alone, and of the one that acts with it."""
    squadron: Squadron
    """The squadron that acts."""
    draft: Draft
    """Its orders, without the line that names it."""
    partners: tuple[str, ...] = ()
    """Squadrons that may act with it (SQ-05.11)."""


def offered(state: State, seat: Seat) -> tuple[Squadron, ...]:
    """Squadrons with a ship of his that can act now, by number."""
    own = set(ownership.ships_of(state, seat))
    able = turn_order.able(state, state.active or "B")
    return tuple(one for one in able if own & set(activation.still(state.position, one)))


def activation_context(state: State, seat: Seat, text: str, focus: str = "") -> ActivationContext:
    """Divide a draft. Raises `IllegalOrder` for a squadron that may not act now.

    As long as nothing is written, the squadron is the one that is looked at: looking is no order.
    """
    every = offered(state, seat)
    lines = [line.strip() for line in plain(text).split("\n") if line.strip()]
    found = ACT.fullmatch(lines[0]) if lines else None
    wanted = found[1].upper() if found else ""
    squadron = next((one for one in every if wanted in (named(one), one.flagship)), None)
    if found and squadron is None:
        legal = ", ".join(map(named, every))
        raise IllegalOrder("not_its_go", RULE, piece=excerpt(wanted), legal=legal)
    if not lines:
        squadron = next((one for one in every if focus in (named(one), *one.ships)), None)
    squadron = squadron or every[0]
    context = structs.replace(sheets.order_context(state, seat), fixed=every, last="")
    admirals = squadron_orders.admirals(context, OrderDraft().sheet)
    tried = state.doubled["BR".index(context.side)] or admirals != named(squadron)
    partners = () if tried else squadron_orders.partners(context, OrderDraft().sheet)
    both = {*squadron.ships, *(ship for one in _wished(lines, partners) for ship in context.members(one))}
    mine = tuple(ship for ship in context.mine if ship.id in both)
    rest = text.split("\n", 1)[1] if found and "\n" in text else "" if found else text
    return ActivationContext(structs.replace(context, mine=mine), squadron, Draft(rest, focus), partners)


def _wished(lines: list[str], partners: tuple[str, ...]) -> list[str]:
    """The squadron that is to act with the Admiral's, if it may."""
    found = [one[1].upper() for line in lines if (one := _DOUBLE.fullmatch(line))]
    return [name for name in found if name in partners]


def lenient(state: State, seat: Seat, draft: Draft) -> ActivationContext:
    """The same; of a draft that cannot be read anything is left out."""
    try:
        return activation_context(state, seat, draft.text, draft.focus)
    except OrderError:
        return activation_context(state, seat, "", draft.focus)


def written(found: ActivationContext, draft: OrderDraft) -> Draft:
    """Put a draft together again."""
    text, focus = sheets.write(draft)
    return Draft("\n".join(filter(None, (f"act {named(found.squadron)}", text))), focus)
