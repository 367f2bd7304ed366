"""Forms and options of a sheet: the fleet, the ship in focus, and the order of lines (RS parts 8.3 and 8.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import structs

from rules.core.protocol import STANDING_GROUP, Choices, Form, FormField, FormLine, Option, OptionGroup
from rules.core.view import Param, Text
from rules.interface.panels import button_row, drop_empty, list_field, next_marked, split_for_forms
from rules.ramspeed.engine import odds
from rules.ramspeed.engine.notation import doctrine, order_words, sheets
from rules.ramspeed.engine.orders import (
    Alternative,
    BackOrder,
    DoctrineLine,
    Doctrines,
    FaceOrder,
    ForwardOrder,
    OrderLine,
    OrderSheet,
    StayOrder,
    SteerOrder,
    TurnOrder,
    VeerOrder,
)
from rules.ramspeed.engine.state import Ship
from rules.ramspeed.interface import aims, interrupts, offers, order_drafts, preview
from rules.ramspeed.interface.offers import ShipOffers, make_option
from rules.ramspeed.interface.order_drafts import OrderContext, OrderDraft
from rules.ramspeed.interface.view import PlannedCourse

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


_STAY_ALTERNATIVE: Final = Alternative((StayOrder(),))
_MAX_ALTERNATIVES: Final = 6


def draft_choices(context: OrderContext, draft: OrderDraft) -> Choices:
    groups = ship_groups(context, draft) if draft.focus else [_ship_group(context, draft)]
    if not draft.focus or len(context.ships) == 1:
        groups.append(_fleet_group(context, draft))
    return Choices(
        groups=drop_empty(*groups),
        forms=sheet_forms(context, draft),
        lines=(
            *draft_lines(context, draft),
            *obstacle_lines(context, draft),
            *change_lines(draft.doctrines, draft.stand_in_sheet),
        ),
        missing_parts=() if order_drafts.is_sheet_sealable(context, draft) else (Text("missing.orders"),),
        progress=Text("progress.orders", {"ordered": len(draft.lines), "ships": len(context.ships)}),
    )


def draft_warnings(context: OrderContext, draft: OrderDraft) -> tuple[Text, ...]:
    """Return a warning for each ship whose line is impossible now, unless it may stay."""
    barred = [
        line.ship
        for line in preview.plan_lines(context.position, draft.lines).lines
        if all(map(preview.is_idle, line.courses))
        and not any(way.order == order_drafts.STAY_WORD for way in line.courses)
    ]
    return tuple(Text("warning.barred", {"ship": ship}) for ship in barred)


def ship_groups(context: OrderContext, draft: OrderDraft, *, at_once: bool = False) -> list[OptionGroup]:
    groups = [_ship_group(context, draft, fleet=not at_once)] if len(context.ships) > 1 else []
    sight = ShipOffers(context, draft, at_once=at_once)
    return [*groups, *drop_empty(*offers.option_groups(sight), button_row("line", _line_options(sight)))]


# --- ships and lines ---------------------------------------------------------------------------------------------


def obstacle_lines(context: OrderContext, draft: OrderDraft) -> Iterator[Text]:
    if draft.focus and (barred := offers.ahead_obstacle(ShipOffers(context, draft))):
        yield barred


def _ship_group(context: OrderContext, draft: OrderDraft, *, fleet: bool = True) -> OptionGroup:
    labels = {"ships.all": ("", Text("choice.fleet"))} if fleet and draft.focus else {}
    for ship in context.ships:
        line = draft.line_of(ship.id)
        labels[f"ship.{ship.id}"] = (
            ship.id,
            order_words.brief_sentence("choice.ship", line, ship=ship.id, kind=ship.code),
        )
    options = [
        make_option(_with_focus(draft, focus), token, label, chosen=focus == draft.focus)
        for token, (focus, label) in labels.items()
    ]
    return OptionGroup(key="ship", style="select", options=tuple(options))


def _with_focus(draft: OrderDraft, focus: str) -> OrderDraft:
    return structs.replace(draft, focus=focus, is_adding=False)


def _line_options(sight: ShipOffers) -> Iterator[Option]:
    draft, name = sight.draft, sight.draft.focus
    if sight.line:
        open_end = not ends_chain(sight.alternatives[-1]) and len(sight.alternatives) < _MAX_ALTERNATIVES
        if open_end or draft.is_adding:
            adding = structs.replace(draft, is_adding=not draft.is_adding)
            yield make_option(adding, "line.or", Text("choice.or"), chosen=draft.is_adding)
        shorter = sight.alternatives[:-1]
        back = order_drafts.with_alternatives(draft, shorter) if shorter else order_drafts.without_line(draft, name)
        yield make_option(back, "line.back", Text("choice.undo_line"))
        # Moving up suffices for any order, and a phone needs the row that another button would take.
        if draft.lines[0].ship != name:
            yield make_option(order_drafts.move_line_up(draft, name), "line.up", Text("choice.up"))
    ships = {ship.id: ship.crew > 0 and draft.line_of(ship.id) is None for ship in sight.context.ships}
    if not sight.at_once and (idle := next_marked(ships, name)):
        yield make_option(_with_focus(draft, idle), "line.next", Text("choice.next", {"ship": idle}))


def ends_chain(alternative: Alternative) -> bool:
    """Return whether an alternative is always legal, so that none after it would be tried (RS-21.2)."""
    maybe = alternative.attack or alternative.transfer
    return not maybe and not any(isinstance(step, SteerOrder | FaceOrder) for step in alternative.steps)


# --- the whole fleet, and what stands ----------------------------------------------------------------------------


def _fleet_group(context: OrderContext, draft: OrderDraft) -> OptionGroup:
    ahead = tuple(OrderLine(ship.id, (Alternative((ForwardOrder(),)),)) for ship in context.ships)
    close = tuple(offers.closing_line(context.position, ship) for ship in context.ships if ship.crew)
    stay = structs.replace(draft, lines=(), is_stay=True, is_adding=False)
    several = len(context.ships) > 1
    options = [_fleet_option(draft, "all.close", close), _fleet_option(draft, "all.ahead", ahead)] if several else []
    if not several and any(line.alternatives != (_STAY_ALTERNATIVE,) for line in close):
        options.append(structs.replace(_fleet_option(draft, "all.close", close), label=Text("choice.all.close.one")))
    label = Text("choice.all.stay" if several else "choice.stay")
    options.append(make_option(stay, "all.stay", label, chosen=draft.is_stay and not draft.lines))
    if again := order_drafts.still_possible(context, context.last_sheet):
        options.append(_fleet_option(draft, "all.again", again))
    stored = context.stand_in_sheet if draft.stand_in_sheet is None else draft.stand_in_sheet
    if stored and stored.lines and (usable := order_drafts.still_possible(context, stored)):
        options.append(_fleet_option(draft, "all.standing", usable))
    # In the first turn, which is all of a lesson, nobody has been late yet; a standing sheet can still be typed.
    if context.position.turn > 1 and draft.lines and stored != OrderSheet(draft.lines):
        with_standing = structs.replace(draft, stand_in_sheet=OrderSheet(draft.lines))
        options.append(make_option(with_standing, "all.keep", Text("choice.all.keep")))
    if stored and stored.lines:
        gone = structs.replace(draft, stand_in_sheet=OrderSheet() if context.stand_in_sheet else None)
        options.append(make_option(gone, "all.forget", Text("choice.all.forget")))
    return button_row("all", options)


def _fleet_option(draft: OrderDraft, token: str, lines: Sequence[OrderLine]) -> Option:
    after = structs.replace(draft, lines=order_drafts.merge_lines((), lines), is_stay=not lines, is_adding=False)
    return make_option(after, token, Text(f"choice.{token}"), chosen=bool(lines) and draft.lines == tuple(lines))


# --- in words ----------------------------------------------------------------------------------------------------


def draft_lines(context: OrderContext, draft: OrderDraft) -> Iterator[Text]:
    """Yield the draft, one line per ship, with outcomes below that of the ship in focus, then the ships that stay."""
    for number, line in enumerate(draft.lines, 1):
        orders = (order_words.chain_sentence(line.alternatives),)
        yield Text("line.orders", {"number": number, "ship": line.ship, "orders": orders})
        if line.ship == draft.focus:
            yield from _alternative_details(context, draft, draft.focus)
    idle = [ship.id for ship in context.ships if draft.line_of(ship.id) is None and ship.crew]
    if order_drafts.is_sheet_sealable(context, draft) and not draft.is_complete:
        yield Text("line.nothing")
    elif idle and draft.is_complete:
        yield Text("line.idle", {"ships": ", ".join(idle)})


def live_draft_lines(context: OrderContext, draft: OrderDraft) -> Iterator[Text]:
    for line in draft.lines:
        yield Text("line.act", {"ship": line.ship, "orders": (order_words.chain_sentence(line.alternatives),)})
        yield from _alternative_details(context, draft, line.ship)


def change_lines(doctrine_lines: Sequence[DoctrineLine], standing: OrderSheet | None) -> Iterator[Text]:
    yield from map(order_words.doctrine_sentence, doctrine_lines)
    if standing is None:
        return
    lines = tuple(
        Text("line.of", {"ship": line.ship, "orders": (order_words.chain_sentence(line.alternatives),)})
        for line in standing.lines
    )
    yield Text("line.standing", {"orders": lines}) if lines else Text("line.standing.none")


def _alternative_details(context: OrderContext, draft: OrderDraft, ship: str) -> Iterator[Text]:
    for line in preview.plan_lines(context.position, draft.lines).lines:
        if line.ship == ship:
            yield from filter(None, map(_outcome_text, line.courses))


def _outcome_text(way: PlannedCourse) -> Text | None:
    if way.rule:
        return Text("outcome.barred", {"order": order_words.order_sentences(way.order), "why": way.why or way.rule})
    if way.target:
        params: dict[str, Param] = {"to": way.target, "run": way.run, "modifier": way.modifier}
        return Text(f"outcome.{way.kind}", {**params, **odds.named_chances(way.kind, way.odds)})
    return None
