"""Forms: orders for up to five ships at once, and all five keys of a doctrine, of one ship or of all (part 8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rules.panels import by_form, listed
from rules.protocol import STANDING, Entry, Field, Form
from rules.ramspeed.desk import aims, interrupts, offers
from rules.ramspeed.desk.order_drafts import OrderContext, OrderDraft
from rules.ramspeed.table.notation import doctrine, order_words, sheets
from rules.ramspeed.table.orders import Alternative, Back, Doctrines, Fwd, Line, Stay, Steer, Turn, Veer
from rules.ramspeed.table.state import Ship
from rules.view import Text

_ENEMIES_MOST: Final = 3
"""In a list of orders: the nearest."""
ALL: Final = "all"
"""In place of a ship, where a doctrine is meant for each."""


def of_sheet(context: OrderContext, draft: OrderDraft) -> tuple[Form, ...]:
    """Orders for five ships a form, offered while all are looked at; and how all, or the one in hand, act unasked."""
    parts = enumerate(by_form(context.ships), 1)
    orders = (_of_orders(context, draft, part, f"orders.{number}") for number, part in parts)
    return (*orders, *of_doctrine(context, draft))


# --- orders ------------------------------------------------------------------------------------------------------


def _of_orders(context: OrderContext, draft: OrderDraft, ships: Sequence[Ship], token: str) -> Form:
    return Form(
        token=token,
        label=Text("form.orders", {"first": ships[0].id, "last": ships[-1].id}),
        fields=tuple(_of_ship(context, draft, ship) for ship in ships),
        between="\n",
        offered=not draft.focus,
    )


def _of_ship(context: OrderContext, draft: OrderDraft, ship: Ship) -> Field:
    tries = (
        Entry(name, order_words.chain(alternatives), sheets.write_line(Line(ship.id, alternatives)))
        for name, alternatives in _tries(context, ship)
    )
    label = Text("field.ship", {"ship": ship.id, "kind": ship.code})
    return listed(label, order_words.brief("choice.keep", draft.line(ship.id)), tries)


def _tries(context: OrderContext, ship: Ship) -> Iterator[tuple[str, tuple[Alternative, ...]]]:
    """What a ship may be ordered in a line of a list, by a name."""
    if ship.crew and not context.position.immobile(ship):
        seen = aims.aims(context.position, ship)
        hopeless = {(one.kind, one.to) for one in seen if offers.hopeless(context.position, one)}
        for enemy in offers.enemies_of(context.position, ship)[:_ENEMIES_MOST]:
            kinds = [kind for kind in aims.ATTACKS if (kind, enemy.id) not in hopeless]
            for kind in kinds:
                yield f"{kind}.{enemy.id}", offers.attack_or_nearer(ship, kind, enemy.id)
            if not kinds:
                yield f"steer.{enemy.id}", (Alternative((Steer(enemy.id, ship.kind.fwd),)),)
        yield "fwd", (Alternative((Fwd(),)),)
        yield "half", (Alternative((Fwd(ship.fwd / 2),)),)
        for kind_of, name, degrees in ((Veer, "veer", 10), (Veer, "veer", 25), (Turn, "turn", 45), (Turn, "turn", 90)):
            for side in offers.SIDES:
                yield f"{name}{degrees}{side}", (Alternative((kind_of(degrees, side),)),)
        if ship.kind.turn > 90:
            yield "about", (Alternative((Turn(ship.kind.turn, "R"),)),)
        yield "back", (Alternative((Back(ship.back),)),)
    yield "stay", (Alternative((Stay(),)),)


# --- doctrine ----------------------------------------------------------------------------------------------------


def of_doctrine(context: OrderContext, draft: OrderDraft) -> tuple[Form, ...]:
    """How all act unasked, offered while the fleet is looked at, and how each ship does, while she is in hand."""
    everyone = _of_doctrine(context, draft, ALL)
    return (everyone, *(_of_doctrine(context, draft, ship.id) for ship in context.ships if len(context.ships) > 1))


def _of_doctrine(context: OrderContext, draft: OrderDraft, ship: str) -> Form:
    every = ship == ALL
    return Form(
        token=STANDING if every else f"{STANDING}.{ship}",
        label=Text("form.doctrine.all") if every else Text("form.doctrine", {"ship": ship}),
        fields=tuple(_key(context, draft, ship, key) for key in doctrine.KEYS),
        between="\n",
        focus=draft.focus,
        offered=(draft.focus in ("", context.only)) if every else ship == draft.focus,
    )


def _key(context: OrderContext, draft: OrderDraft, ship: str, key: str) -> Field:
    """What one key may be; what stands already is chosen, and changes nothing."""
    lines = (*context.doctrines, *draft.doctrines)
    stands = str(getattr(Doctrines(lines).of("" if ship == ALL else ship), key))
    # Where a ship has a doctrine of its own, the one for all can be chosen once more.
    varies = ship == ALL and any(line.ship != ALL and getattr(line, key) is not None for line in lines)
    values = {value: order_words.value_of(key, value) for value in (*offered(key), stands)}
    now = "" if varies else stands
    entries = tuple(
        Entry(value, words, "" if value == now else f"doctrine {ship}: {key}={value}", chosen=value == now)
        for value, words in values.items()
    )
    label = Text(f"field.{key}")
    return listed(label, Text("choice.keep.each"), entries) if varies else Field(label, entries)


def offered(key: str) -> tuple[str, ...]:
    """What may be chosen for a key of a doctrine."""
    return interrupts.OFFERED.get(key, doctrine.LEGAL[key])
