"""Forms and options of a sheet: the fleet, the ship in focus, and the order of lines."""

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
from rules.ramspeed.engine.phases import command, melee
from rules.ramspeed.engine.state import Position, Ship
from rules.ramspeed.engine.tables import TABLES
from rules.ramspeed.interface import aims, interrupts, offers, order_drafts, preview
from rules.ramspeed.interface.offers import ShipInFocus, make_option
from rules.ramspeed.interface.order_drafts import OrderContext, OrderDraft
from rules.ramspeed.interface.view import PlannedCourse, PlannedLine

_MAX_ENEMIES: Final = 3  # the nearest ones, in a ship's form
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
    choices = (
        FormLine(name, order_words.chain_sentence(alternatives), sheets.format_line(OrderLine(ship.id, alternatives)))
        for name, alternatives in _ship_choices(context, ship)
    )
    label = Text("field.ship", {"ship": ship.id, "kind": ship.code})
    return list_field(label, order_words.brief_sentence("choice.keep", draft.line_of(ship.id)), choices)


def _ship_choices(context: OrderContext, ship: Ship) -> Iterator[tuple[str, tuple[Alternative, ...]]]:
    if ship.crew and not context.position.is_immobile(ship):
        previews = aims.attack_previews(context.position, ship)
        out_of_reach = [preview for preview in previews if offers.is_out_of_reach(context.position, preview)]
        impossible_attacks = {(preview.kind, preview.target) for preview in out_of_reach}
        for enemy in offers.enemies_of(context.position, ship)[:_MAX_ENEMIES]:
            kinds = [kind for kind in aims.ATTACK_TYPES if (kind, enemy.id) not in impossible_attacks]
            for kind in kinds:
                yield f"{kind}.{enemy.id}", offers.attack_or_approach(ship, kind, enemy.id)
            if not kinds:
                yield f"steer.{enemy.id}", (Alternative((SteerOrder(enemy.id, ship.ship_class.fwd),)),)
        yield "fwd", (Alternative((ForwardOrder(),)),)
        yield "half", (Alternative((ForwardOrder(ship.forward_allowance / 2),)),)
        for order_type, name, degrees in (
            (VeerOrder, "veer", 10),
            (VeerOrder, "veer", 25),
            (TurnOrder, "turn", 45),
            (TurnOrder, "turn", 90),
        ):
            for side in offers.PIVOT_SIDES:
                yield f"{name}{degrees}{side}", (Alternative((order_type(degrees, side),)),)
        if ship.ship_class.turn > 90:
            yield "about", (Alternative((TurnOrder(ship.ship_class.turn, "R"),)),)
        yield "back", (Alternative((BackOrder(ship.reverse_allowance),)),)
    yield "stay", (Alternative((StayOrder(),)),)


# --- doctrine ----------------------------------------------------------------------------------------------------


def doctrine_forms(context: OrderContext, draft: OrderDraft) -> tuple[Form, ...]:
    form_for_all = _doctrine_form(context, draft, ALL_SHIPS)
    ships = context.ships if len(context.ships) > 1 else ()
    return (form_for_all, *(_doctrine_form(context, draft, ship.id) for ship in ships))


def _doctrine_form(context: OrderContext, draft: OrderDraft, ship: str) -> Form:
    is_for_all = ship == ALL_SHIPS
    return Form(
        token=STANDING_GROUP if is_for_all else f"{STANDING_GROUP}.{ship}",
        label=Text("form.doctrine.all") if is_for_all else Text("form.doctrine", {"ship": ship}),
        fields=tuple(_doctrine_field(context, draft, ship, key) for key in doctrine.DOCTRINE_KEYS),
        separator="\n",
        focus=draft.focus,
        is_offered=(draft.focus in ("", context.only_ship)) if is_for_all else ship == draft.focus,
    )


def _doctrine_field(context: OrderContext, draft: OrderDraft, ship: str, key: str) -> FormField:
    lines = (*context.doctrines, *draft.doctrines)
    doctrine_in_force = Doctrines(lines).doctrine_of("" if ship == ALL_SHIPS else ship)
    value_in_force = str(getattr(doctrine_in_force, key))
    # if ships have doctrines of their own, the value for all can be chosen again to override them
    varies = ship == ALL_SHIPS and any(line.ship != ALL_SHIPS and getattr(line, key) is not None for line in lines)
    chosen = "" if varies else value_in_force
    entries = []
    for value in dict.fromkeys((*doctrine_choices(key), value_in_force)):
        is_chosen = value == chosen
        command = "" if is_chosen else f"doctrine {ship}: {key}={value}"
        entries.append(FormLine(value, order_words.value_sentence(key, value), command, is_chosen=is_chosen))
    field_label = Text(f"field.{key}")
    if varies:
        return list_field(field_label, Text("choice.keep.each"), entries)
    return FormField(field_label, tuple(entries))


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
            *command_lines(context),
            *draft_lines(context, draft),
            *obstacle_lines(context, draft),
            *change_lines(draft.doctrines, draft.stand_in_sheet),
            *look_lines(draft),
        ),
        missing_parts=() if order_drafts.is_sheet_sealable(context, draft) else (Text("missing.orders"),),
        progress=Text("progress.orders", {"ordered": len(draft.lines), "ships": len(context.ships)}),
    )


def _look_options(context: OrderContext, draft: OrderDraft) -> Iterator[Option]:
    """Yield the button that shows in the picture where enemies can strike, or hides it, if a ship can be ordered."""
    if not order_drafts.is_sheet_sealable(context, OrderDraft()):
        toggled_draft = structs.replace(draft, shows_reach=not draft.shows_reach)
        yield make_option(toggled_draft, "look.reach", Text("choice.look.reach"), chosen=draft.shows_reach)


def look_lines(draft: OrderDraft) -> list[Text]:
    return [Text("line.reach")] if draft.shows_reach else []


def draft_warnings(context: OrderContext, draft: OrderDraft) -> tuple[Text, ...]:
    """Return a warning for each ship whose line is impossible now, unless it may stay."""
    planned_lines = preview.plan_lines(context.position, draft.lines).lines
    idle_lines = [line for line in planned_lines if all(map(preview.is_idle, line.courses))]
    barred = (
        _barred_warning(context.position, line)
        for line in idle_lines
        if not any(course.order == order_drafts.STAY_WORD for course in line.courses)
    )
    return (*barred, *_ignite_warnings(context.position, draft))


def _ignite_warnings(position: Position, draft: OrderDraft) -> Iterator[Text]:
    """Yield when ships burn out that their captain sets on fire (RS-15.3, RS-16.1)."""
    for line in draft.lines:
        if any(alternative.is_igniting for alternative in line.alternatives):
            ship = position.ship_by_id(line.ship)
            turns = max(1, ship.ship_class.burn_limit - max(1, ship.fire))
            yield Text("warning.ignite", {"ship": ship.id, "turns": turns})


def _barred_warning(position: Position, line: PlannedLine) -> Text:
    reasons = dict.fromkeys(_reason_and_rule(course) for course in line.courses if course.rule)
    texts = tuple(
        Text("barred.cited", {"reason": (Text(f"barred.{reason}"),), "rule": rule}) for reason, rule in reasons
    )
    if not texts and position.is_locked(line.ship):
        return Text("warning.locked", {"ship": line.ship})
    return Text("warning.barred" if texts else "warning.no_room", {"ship": line.ship, "reasons": texts})


def _reason_and_rule(course: PlannedCourse) -> tuple[str, str]:
    """Return the key of the reason why a course is impossible, and the number of the rule that says so."""
    rule = order_words.reach_rule(course.order) if course.why == "far" else course.rule
    return course.why or order_words.angle_reason(course.order, course.rule) or course.rule, rule


def ship_groups(context: OrderContext, draft: OrderDraft, *, at_once: bool = False) -> list[OptionGroup]:
    groups = [_ship_group(context, draft, fleet=not at_once)] if len(context.ships) > 1 else []
    focus = ShipInFocus(context, draft, at_once=at_once)
    return [*groups, *drop_empty(*offers.option_groups(focus), button_row("line", _line_options(focus)))]


# --- ships and lines ---------------------------------------------------------------------------------------------


def command_lines(context: OrderContext) -> Iterator[Text]:
    """Yield which of the captain's ships roll a die before they obey (RS-22.4)."""
    far_ships = [ship for ship in context.ships if command.is_out_of_command(context.position, ship)]
    if far_ships and (flagship := command.find_flagship(context.position, context.position.side_of_ship(far_ships[0]))):
        ships = ", ".join(ship.id for ship in far_ships)
        where: dict[str, Param] = {"ships": ships, "flagship": flagship.id, "radius": TABLES.command.radius}
        dice: dict[str, Param] = dict(command.dice_by_obedience().items())
        yield Text("line.command", {**where, **dice})


def obstacle_lines(context: OrderContext, draft: OrderDraft) -> Iterator[Text]:
    """Yield why ships can't move: those in a fight or dead in the water, and what bars the way of the ship in focus."""
    for ship in context.ships:
        is_unordered = draft.focus in ("", ship.id) and draft.line_of(ship.id) is None  # else a warning says it
        if ship.crew and is_unordered and context.position.is_locked(ship.id):
            yield Text("line.locked", {"ship": ship.id})
        if ship.dead and ship.crew and draft.focus in ("", ship.id) and not context.position.is_locked(ship.id):
            yield Text("line.dead", {"ship": ship.id})
    if draft.focus and (barred := offers.ahead_obstacle(ShipInFocus(context, draft))):
        yield barred


def _ship_group(context: OrderContext, draft: OrderDraft, *, fleet: bool = True) -> OptionGroup:
    focus_and_label = {"ships.all": ("", Text("choice.fleet"))} if fleet and draft.focus else {}
    for ship in context.ships:
        label = order_words.brief_sentence("choice.ship", draft.line_of(ship.id), ship=ship.id, kind=ship.code)
        focus_and_label[f"ship.{ship.id}"] = (ship.id, label)
    options = [
        make_option(_with_focus(draft, focus), token, label, chosen=focus == draft.focus)
        for token, (focus, label) in focus_and_label.items()
    ]
    return OptionGroup(key="ship", style="select", options=tuple(options))


def _with_focus(draft: OrderDraft, focus: str) -> OrderDraft:
    return structs.replace(draft, focus=focus, is_adding=False)


def _line_options(focus: ShipInFocus) -> Iterator[Option]:
    draft = focus.draft
    name = draft.focus
    if focus.line:
        can_extend = not ends_chain(focus.alternatives[-1]) and len(focus.alternatives) < _MAX_ALTERNATIVES
        if can_extend or draft.is_adding:
            toggled_draft = structs.replace(draft, is_adding=not draft.is_adding)
            yield make_option(toggled_draft, "line.or", Text("choice.or"), chosen=draft.is_adding)
        alternatives_left = focus.alternatives[:-1]
        if alternatives_left:
            shorter_draft = order_drafts.with_alternatives(draft, alternatives_left)
        else:
            shorter_draft = order_drafts.without_line(draft, name)
        yield make_option(shorter_draft, "line.back", Text("choice.undo_line"))
        # moving up suffices for any order, and a phone needs the row that another button would take
        if draft.lines[0].ship != name:
            yield make_option(order_drafts.move_line_up(draft, name), "line.up", Text("choice.up"))
    has_no_line = {ship.id: ship.crew > 0 and draft.line_of(ship.id) is None for ship in focus.context.ships}
    next_ship = next_marked(has_no_line, name)
    if next_ship and not focus.at_once:
        yield make_option(_with_focus(draft, next_ship), "line.next", Text("choice.next", {"ship": next_ship}))
    yield from _look_options(focus.context, draft)


def ends_chain(alternative: Alternative) -> bool:
    """Return whether an alternative is always legal, so that none after it would be tried (RS-21.2)."""
    may_be_illegal = alternative.attack or alternative.transfer
    has_goal = any(isinstance(step, SteerOrder | FaceOrder) for step in alternative.steps)
    return not may_be_illegal and not has_goal


# --- the whole fleet, and what stands ----------------------------------------------------------------------------


def _fleet_group(context: OrderContext, draft: OrderDraft) -> OptionGroup:
    ahead_lines = tuple(OrderLine(ship.id, (Alternative((ForwardOrder(),)),)) for ship in context.ships)
    closing_lines = tuple(offers.closing_line(context.position, ship) for ship in context.ships if ship.crew)
    close_option = _fleet_option(draft, "all.close", closing_lines)
    has_several_ships = len(context.ships) > 1
    options: list[Option] = []
    if has_several_ships:
        options = [close_option, _fleet_option(draft, "all.ahead", ahead_lines)]
    elif any(line.alternatives != (_STAY_ALTERNATIVE,) for line in closing_lines):
        options.append(structs.replace(close_option, label=Text("choice.all.close.one")))
    stay_draft = structs.replace(draft, lines=(), is_stay=True, is_adding=False)
    label = Text("choice.all.stay" if has_several_ships else "choice.stay")
    options.append(make_option(stay_draft, "all.stay", label, chosen=draft.is_stay and not draft.lines))
    if last_lines := order_drafts.still_possible(context, context.last_sheet):
        options.append(_fleet_option(draft, "all.again", last_lines))
    options += _standing_sheet_options(context, draft)
    if not draft.focus:
        options += _look_options(context, draft)
    return button_row("all", options)


def _standing_sheet_options(context: OrderContext, draft: OrderDraft) -> Iterator[Option]:
    """Yield the options to use the standing sheet, to store the drafted lines as one, and to remove it."""
    standing_sheet = context.stand_in_sheet if draft.stand_in_sheet is None else draft.stand_in_sheet
    has_standing_lines = standing_sheet is not None and bool(standing_sheet.lines)
    if has_standing_lines and (usable_lines := order_drafts.still_possible(context, standing_sheet)):
        yield _fleet_option(draft, "all.standing", usable_lines)
    # in the first turn, which is all of a lesson, nobody has been late yet; a standing sheet can still be typed
    if context.position.turn > 1 and draft.lines and standing_sheet != OrderSheet(draft.lines):
        draft_with_sheet = structs.replace(draft, stand_in_sheet=OrderSheet(draft.lines))
        yield make_option(draft_with_sheet, "all.keep", Text("choice.all.keep"))
    if has_standing_lines:
        empty_sheet = OrderSheet() if context.stand_in_sheet else None
        draft_without_sheet = structs.replace(draft, stand_in_sheet=empty_sheet)
        yield make_option(draft_without_sheet, "all.forget", Text("choice.all.forget"))


def _fleet_option(draft: OrderDraft, token: str, lines: Sequence[OrderLine]) -> Option:
    merged_lines = order_drafts.merge_lines((), lines)
    draft_after = structs.replace(draft, lines=merged_lines, is_stay=not lines, is_adding=False)
    is_chosen = bool(lines) and draft.lines == tuple(lines)
    return make_option(draft_after, token, Text(f"choice.{token}"), chosen=is_chosen)


# --- in words ----------------------------------------------------------------------------------------------------


def draft_lines(context: OrderContext, draft: OrderDraft) -> Iterator[Text]:
    """Yield the draft, one line per ship, with outcomes below that of the ship in focus, then the ships that stay."""
    for number, line in enumerate(draft.lines, 1):
        orders = (order_words.chain_sentence(line.alternatives),)
        yield Text("line.orders", {"number": number, "ship": line.ship, "orders": orders})
        if line.ship == draft.focus:
            yield from _alternative_details(context, draft, draft.focus)
    ships_without_line = [ship.id for ship in context.ships if draft.line_of(ship.id) is None and ship.crew]
    if order_drafts.is_sheet_sealable(context, draft) and not draft.is_complete:
        yield Text("line.nothing")
    elif ships_without_line and draft.is_complete:
        yield Text("line.idle", {"ships": ", ".join(ships_without_line)})


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
            for course in line.courses:
                yield from filter(None, (_outcome_text(course), _melee_text(context.position, ship, course)))


def _melee_text(position: Position, ship: str, course: PlannedCourse) -> Text | None:
    """Return the fight that would follow a grapple that holds, with what nations add (RS-11.3, RS-11.5)."""
    if course.kind != "grapple" or course.rule or not course.target:
        return None
    own_side = position.side_of_ship(position.ship_by_id(ship))
    fighters = {fighter.id: fighter for name in (ship, course.target) for fighter in position.cluster_of(name)}.values()
    own_men = sum(fighter.crew for fighter in fighters if position.side_of_ship(fighter) == own_side)
    men: dict[str, Param] = {"own": own_men, "theirs": sum(fighter.crew for fighter in fighters) - own_men}
    bonuses = {side: melee.melee_bonus(position, [*fighters], side) for side in position.sides}
    own_bonus = bonuses.pop(own_side)
    their_bonus = sum(bonuses.values())
    if own_bonus == their_bonus:
        return Text("outcome.melee", men)
    key = "outcome.melee.better" if own_bonus > their_bonus else "outcome.melee.worse"
    return Text(key, {**men, "more": abs(own_bonus - their_bonus)})


def _outcome_text(course: PlannedCourse) -> Text | None:
    if course.rule:
        return Text(
            "outcome.barred", {"order": order_words.order_sentences(course.order), "why": course.why or course.rule}
        )
    if course.target:
        params: dict[str, Param] = {"to": course.target, "run": course.run, "modifier": course.modifier}
        return Text(f"outcome.{course.kind}", {**params, **odds.named_chances(course.kind, course.odds)})
    return None
