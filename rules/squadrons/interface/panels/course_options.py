"""Options for all ships, the rest, or a squadron: course, speeds, form, and time of activation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from msgspec import structs

from rules.core.protocol import Option, OptionGroup
from rules.core.view import Text
from rules.interface.panels import button_row, select_menu
from rules.squadrons.engine.notation import order_text, order_words
from rules.squadrons.engine.notation.orders import MoveOrder, OrderLine, OrderStep, Speed
from rules.squadrons.engine.phases.movement import moves
from rules.squadrons.engine.sea.state import Position
from rules.squadrons.interface.drafts import sheets, squadron_orders
from rules.squadrons.interface.drafts.answers import SheetLine, SpeedChoice
from rules.squadrons.interface.drafts.sheets import OrderContext, OrderDraft
from rules.squadrons.interface.panels.ship_options import make_option
from rules.squadrons.interface.preview import best_attacks, track_preview

_CONTINUATIONS: tuple[tuple[str, tuple[OrderStep, ...]], ...] = (  # token, and moves added to a course
    *((f"F{n}", (MoveOrder("F"),) * n) for n in (1, 2, 3, 4)),
    ("P", (MoveOrder("P"),)),
    ("S", (MoveOrder("S"),)),
)
_SIDE_WORDS: Final = {"P": "port", "S": "starboard"}
_SPEED_WORDS: Final[tuple[tuple[Speed, str], ...]] = (("C", "cruise"), ("M", "max"))


def ships_in_focus(context: OrderContext, draft: OrderDraft) -> tuple[str, ...]:
    """Return the ships of the unit in focus; for `rest`, those that no other line of the sheet means."""
    sheet = draft.sheet
    members = context.members_of(draft.focus, sheet.forms)
    if draft.focus != "rest":
        return members
    other_targets = [entry.target for entry in sheet.lines if entry.target != "rest"]
    ordered_ships = {ship for target in other_targets for ship in context.members_of(target, sheet.forms)}
    return tuple(name for name in members if name not in ordered_ships)


def option_groups(context: OrderContext, draft: OrderDraft, partners: Sequence[str]) -> Iterator[OptionGroup]:
    yield _course_group(context, draft)
    # options that depend on orders come last, so that earlier ones keep their places
    yield _button_group(context, draft, partners)
    yield _continuation_group(draft)
    if draft.focus.startswith("SQ"):
        yield _form_group(context, draft)


# --- a course ----------------------------------------------------------------------------------------------------


def _course_group(context: OrderContext, draft: OrderDraft) -> OptionGroup:
    allowance = _smallest_allowance(context, draft)
    # token, steps in the notation of orders, and label of each course
    courses = [("stay", "", Text("course.stay"))]
    courses += [(f"F{n}", f"F{n}", Text("course.ahead", {"n": n})) for n in range(1, allowance + 1)]
    for n in range(1, allowance):
        courses += [
            (f"{code}{n}", f"{code} F{n}", Text(f"course.{side}", {"n": n})) for code, side in _SIDE_WORDS.items()
        ]
    courses += [("TA", "TA", Text("course.about")), ("B1", "B", Text("course.astern"))]
    entry = draft.line_of(draft.focus)
    chosen_steps = order_text.format_body(entry.line) if entry else None
    options = []
    for token, steps, label in courses:
        draft_after = _with_course(context, draft, order_text.parse_body(draft.focus, steps))
        options.append(make_option(draft_after, f"course.{token}", label, chosen=chosen_steps == steps))
    return select_menu("course", options)


def _continuation_group(draft: OrderDraft) -> OptionGroup:
    entry = draft.line_of(draft.focus)
    options: list[Option] = []
    if entry is None or not entry.line.steps:
        return select_menu("further", options)
    for token, steps in _CONTINUATIONS:
        draft_after = _with_steps(draft, (*entry.line.steps, *steps))
        label = Text("course.further", {"what": order_words.step_texts(steps)})
        options.append(make_option(draft_after, f"more.{token}", label))
    return select_menu("further", options)


def _with_steps(draft: OrderDraft, steps: tuple[OrderStep, ...]) -> OrderDraft:
    entry = draft.line_of(draft.focus) or SheetLine(draft.focus, OrderLine(draft.focus))
    return sheets.with_line(draft, structs.replace(entry, line=structs.replace(entry.line, steps=steps, mp=None)))


def _with_course(context: OrderContext, draft: OrderDraft, line: OrderLine) -> OrderDraft:
    """Return the draft with a line for the unit in focus, which replaces all lines of its ships."""
    target = draft.focus
    draft_after = sheets.with_line(draft, SheetLine(target, line, _is_following(draft)))
    if target == "rest":
        return draft_after
    members = set(context.members_of(target, draft.sheet.forms))
    lines_kept = tuple(
        entry
        for entry in draft_after.sheet.lines
        if entry.target == target or (target != "all" and entry.target not in members)
    )
    return draft_after.with_sheet(lines=lines_kept)


def _is_following(draft: OrderDraft) -> bool:
    if entry := draft.line_of(draft.focus):
        return entry.is_follow_leader
    form = squadron_orders.form_of(draft, draft.focus)
    return form is not None and form.form == "astern"


def _smallest_allowance(context: OrderContext, draft: OrderDraft) -> int:
    """Return the smallest allowance (hexes) of the unit's mobile galleys at their speeds, at least one hex."""
    speeds = {} if context.fixed_squadrons else sheets.speeds_of_sheet(context, draft.sheet)
    position = track_preview.with_speeds(context.position, speeds)
    ships = [position.ship_by_id(name) for name in ships_in_focus(context, draft)]
    allowances = [moves.movement_allowance(position, ship) for ship in ships if not position.is_immobile(ship)]
    return min(allowances, default=1)


# --- how it is formed ---------------------------------------------------------------------------------------------


def _form_group(context: OrderContext, draft: OrderDraft) -> OptionGroup:
    forms = [*squadron_orders.possible_forms(context, draft, draft.focus)]
    if len(forms) < 2:
        return select_menu("form", ())
    current_form = squadron_orders.form_of(draft, draft.focus)
    options = []
    for token, form in forms:
        label = Text("form.range")
        if form.form == "astern":
            label = Text("form.astern", {"ships": tuple(map(order_words.target_text, form.ships))})
        elif form.ships:
            label = Text("form.take", {"ship": form.ships[-1]})
        is_chosen = form == current_form or (token == "range" and current_form is None)  # noqa: S105 - names an option
        options.append(make_option(squadron_orders.with_form(draft, form), f"form.{token}", label, chosen=is_chosen))
    return select_menu("form", options)


# --- buttons -----------------------------------------------------------------------------------------------------


def _button_group(context: OrderContext, draft: OrderDraft, partners: Sequence[str]) -> OptionGroup:
    options = [charge_option(context, draft)]
    if draft.focus == "all":
        options += _sheet_options(context, draft)
        if context.fixed_squadrons:
            options += _double_options(context, draft, partners)
    else:
        options += _squadron_options(context, draft, partners)
        entry = draft.line_of(draft.focus)
        if entry or any(choice.target == draft.focus for choice in draft.sheet.speed_choices):
            options.append(make_option(_without_last_step(draft), "unit.back", Text("line.back")))
    options += speed_options(context, draft)
    return button_row("orders", options)


def _sheet_options(context: OrderContext, draft: OrderDraft) -> Iterator[Option]:
    if context.last_sheet:
        repeated_draft = sheets.repeat_last(context, OrderDraft(focus=draft.focus))
        yield make_option(repeated_draft, "all.again", Text("all.again"), chosen=repeated_draft.sheet == draft.sheet)
    stay_draft = OrderDraft(sheet=structs.replace(draft.sheet, lines=(), boards=()), is_stay=True, focus=draft.focus)
    yield make_option(stay_draft, "all.stay", Text("all.stay"), chosen=draft.is_stay and not draft.sheet.lines)
    if context.can_claim:
        draft_after = sheets.with_claim(context, draft)
        yield make_option(draft_after, "all.claim", Text("all.claim"), chosen=draft.sheet.claims_win)


def _squadron_options(context: OrderContext, draft: OrderDraft, partners: Sequence[str]) -> Iterator[Option]:
    unit = draft.focus
    if not context.fixed_squadrons and (earlier := squadron_orders.move_unit_earlier(context, draft, unit)):
        yield make_option(earlier, "unit.up", Text("line.up"))
    yield from _double_options(context, draft, partners)
    entry = draft.line_of(unit)
    if unit.startswith("SQ") and entry and entry.line.steps and len(ships_in_focus(context, draft)) > 1:
        draft_after = sheets.with_line(draft, structs.replace(entry, is_follow_leader=not entry.is_follow_leader))
        yield make_option(draft_after, "unit.follow", Text("unit.follow"), chosen=entry.is_follow_leader)


def _double_options(context: OrderContext, draft: OrderDraft, partners: Sequence[str]) -> Iterator[Option]:
    double = draft.sheet.double
    if draft.focus in partners:
        draft_after = squadron_orders.toggle_double(draft, draft.focus)
        yield make_option(draft_after, "unit.double", Text("unit.double"), chosen=double == draft.focus)
    elif draft.focus == squadron_orders.admirals_squadron(context, draft.sheet) or context.fixed_squadrons:
        for name in partners:
            label = Text("unit.together", {"squadron": (order_words.target_text(name),)})
            draft_after = squadron_orders.toggle_double(draft, name)
            yield make_option(draft_after, f"unit.double.{name}", label, chosen=double == name)


def _without_last_step(draft: OrderDraft) -> OrderDraft:
    entry = draft.line_of(draft.focus)
    if entry and len(entry.line.steps) > 1:
        return _with_steps(draft, entry.line.steps[:-1])
    return sheets.without_line(draft, draft.focus)


def speed_options(context: OrderContext, draft: OrderDraft) -> Iterator[Option]:
    if context.fixed_squadrons:
        return
    speeds = sheets.speeds_of_sheet(context, draft.sheet)
    ships = ships_in_focus(context, draft)
    for speed, key in _SPEED_WORDS:
        is_chosen = bool(ships) and all(speeds.get(name) == speed for name in ships)
        draft_after = draft
        targets = ships if draft.focus == "rest" else (draft.focus,)
        for target in targets:
            draft_after = sheets.with_speed(draft_after, SpeedChoice(target, speed))
        yield make_option(draft_after, f"speed.{speed}", Text(f"speed.{key}"), chosen=is_chosen)


@lru_cache(maxsize=64)
def _charge_plans(
    position: Position, ships: tuple[str, ...], places: tuple[int, ...], *, fixed: bool
) -> tuple[best_attacks.PlannedActivation, ...]:
    """Return the orders that charge the enemy with each ship. They do not depend on the draft, so they are cached."""
    place_by_ship = dict(zip(ships, places, strict=True))
    return tuple(best_attacks.plan_each(position, ships, "00", fixed=fixed, places=place_by_ship, wary=True))


def charge_option(context: OrderContext, draft: OrderDraft) -> Option:
    """Return the option of a charge: each ship's best attack, else a course to the nearest enemy."""
    ships = ships_in_focus(context, draft)
    units = squadron_orders.squadron_sequence(context, draft.sheet)
    place_by_ship = {
        name: place for place, unit in enumerate(units) for name in context.members_of(unit, draft.sheet.forms)
    }
    places = tuple(place_by_ship.get(name, len(units)) for name in ships)  # in the sequence of activation
    draft_after = draft
    for planned in _charge_plans(context.position, ships, places, fixed=bool(context.fixed_squadrons)):
        if not context.fixed_squadrons:
            draft_after = sheets.with_speed(draft_after, SpeedChoice(planned.line.ship, planned.speed))
        draft_after = sheets.with_line(draft_after, SheetLine(planned.line.ship, planned.line))
    draft_after = structs.replace(draft_after, is_stay=True)
    common_key = {"all": "all.charge", "rest": "rest.charge"}.get(draft.focus)
    label = Text(common_key) if common_key else Text("unit.charge", {"who": (order_words.target_text(draft.focus),)})
    return make_option(draft_after, "all.charge", label)
