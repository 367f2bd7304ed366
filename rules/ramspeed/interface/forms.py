"""Forms for the orders of up to five ships, and for the five keys of a doctrine (RS part 8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rules.core.protocol import STANDING_GROUP, Form, FormField, FormLine
from rules.core.view import Text
from rules.interface.panels import list_field, split_for_forms
from rules.ramspeed.engine.notation import doctrine, order_words, sheets
from rules.ramspeed.engine.orders import (
    Alternative,
    BackOrder,
    Doctrines,
    ForwardOrder,
    OrderLine,
    StayOrder,
    SteerOrder,
    TurnOrder,
    VeerOrder,
)
from rules.ramspeed.engine.state import Ship
from rules.ramspeed.interface import aims, interrupts, offers
from rules.ramspeed.interface.order_drafts import OrderContext, OrderDraft

_MAX_ENEMIES: Final = 3
ALL_SHIPS: Final = "all"  # the stand-in for a ship's id in doctrines for all ships


def sheet_forms(context: OrderContext, draft: OrderDraft) -> tuple[Form, ...]:
    parts = enumerate(split_for_forms(context.ships), 1)
    orders = (_order_form(context, draft, part, f"orders.{number}") for number, part in parts)
    return (*orders, *doctrine_forms(context, draft))


# --- orders ------------------------------------------------------------------------------------------------------


def _order_form(context: OrderContext, draft: OrderDraft, ships: Sequence[Ship], token: str) -> Form:
    return Form(
        token=token,
        label=Text("form.orders", {"first": ships[0].id, "last": ships[-1].id}),
        fields=tuple(_ship_field(context, draft, ship) for ship in ships),
        separator="\n",
        is_offered=not draft.focus,
    )


def _ship_field(context: OrderContext, draft: OrderDraft, ship: Ship) -> FormField:
    tries = (
        FormLine(name, order_words.chain_sentence(alternatives), sheets.format_line(OrderLine(ship.id, alternatives)))
        for name, alternatives in _ship_choices(context, ship)
    )
    label = Text("field.ship", {"ship": ship.id, "kind": ship.code})
    return list_field(label, order_words.brief_sentence("choice.keep", draft.line_of(ship.id)), tries)


def _ship_choices(context: OrderContext, ship: Ship) -> Iterator[tuple[str, tuple[Alternative, ...]]]:
    if ship.crew and not context.position.is_immobile(ship):
        previews = aims.attack_previews(context.position, ship)
        hopeless = {
            (preview.kind, preview.target) for preview in previews if offers.is_out_of_reach(context.position, preview)
        }
        for enemy in offers.enemies_of(context.position, ship)[:_MAX_ENEMIES]:
            kinds = [kind for kind in aims.ATTACK_TYPES if (kind, enemy.id) not in hopeless]
            for kind in kinds:
                yield f"{kind}.{enemy.id}", offers.attack_or_approach(ship, kind, enemy.id)
            if not kinds:
                yield f"steer.{enemy.id}", (Alternative((SteerOrder(enemy.id, ship.ship_class.fwd),)),)
        yield "fwd", (Alternative((ForwardOrder(),)),)
        yield "half", (Alternative((ForwardOrder(ship.forward_allowance / 2),)),)
        for kind_of, name, degrees in (
            (VeerOrder, "veer", 10),
            (VeerOrder, "veer", 25),
            (TurnOrder, "turn", 45),
            (TurnOrder, "turn", 90),
        ):
            for side in offers.PIVOT_SIDES:
                yield f"{name}{degrees}{side}", (Alternative((kind_of(degrees, side),)),)
        if ship.ship_class.turn > 90:
            yield "about", (Alternative((TurnOrder(ship.ship_class.turn, "R"),)),)
        yield "back", (Alternative((BackOrder(ship.reverse_allowance),)),)
    yield "stay", (Alternative((StayOrder(),)),)


# --- doctrine ----------------------------------------------------------------------------------------------------


def doctrine_forms(context: OrderContext, draft: OrderDraft) -> tuple[Form, ...]:
    everyone = _doctrine_form(context, draft, ALL_SHIPS)
    return (everyone, *(_doctrine_form(context, draft, ship.id) for ship in context.ships if len(context.ships) > 1))


def _doctrine_form(context: OrderContext, draft: OrderDraft, ship: str) -> Form:
    every = ship == ALL_SHIPS
    return Form(
        token=STANDING_GROUP if every else f"{STANDING_GROUP}.{ship}",
        label=Text("form.doctrine.all") if every else Text("form.doctrine", {"ship": ship}),
        fields=tuple(_doctrine_field(context, draft, ship, key) for key in doctrine.DOCTRINE_KEYS),
        separator="\n",
        focus=draft.focus,
        is_offered=(draft.focus in ("", context.only_ship)) if every else ship == draft.focus,
    )


def _doctrine_field(context: OrderContext, draft: OrderDraft, ship: str, key: str) -> FormField:
    lines = (*context.doctrines, *draft.doctrines)
    stands = str(getattr(Doctrines(lines).doctrine_of("" if ship == ALL_SHIPS else ship), key))
    # If ships have doctrines of their own, the value for all can be chosen again to override them.
    varies = ship == ALL_SHIPS and any(line.ship != ALL_SHIPS and getattr(line, key) is not None for line in lines)
    values = {value: order_words.value_sentence(key, value) for value in (*doctrine_choices(key), stands)}
    now = "" if varies else stands
    entries = tuple(
        FormLine(value, words, "" if value == now else f"doctrine {ship}: {key}={value}", is_chosen=value == now)
        for value, words in values.items()
    )
    label = Text(f"field.{key}")
    return list_field(label, Text("choice.keep.each"), entries) if varies else FormField(label, entries)


def doctrine_choices(key: str) -> tuple[str, ...]:
    return interrupts.CHOICES_BY_KEY.get(key, doctrine.LEGAL_VALUES[key])
