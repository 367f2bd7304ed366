"""What may be pressed for all, the rest, or a squadron: a course, speeds, how it is formed and when it acts."""

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

_CONTINUATIONS: tuple[tuple[str, tuple[OrderStep, ...]], ...] = (
    *((f"F{n}", (MoveOrder("F"),) * n) for n in (1, 2, 3, 4)),
    ("P", (MoveOrder("P"),)),
    ("S", (MoveOrder("S"),)),
)
"""What may follow a course."""
_SIDE_WORDS: Final = {"P": "port", "S": "starboard"}
_SPEED_WORDS: Final[tuple[tuple[Speed, str], ...]] = (("C", "cruise"), ("M", "max"))


def ships_in_hand(context: OrderContext, draft: OrderDraft) -> tuple[str, ...]:
    """The ships of the unit in hand; of the rest, those that nothing else names."""
    sheet = draft.sheet
    named = {
        ship for one in sheet.lines if one.target != "rest" for ship in context.members_of(one.target, sheet.forms)
    }
    found = context.members_of(draft.focus, sheet.forms)
    return tuple(name for name in found if draft.focus != "rest" or name not in named)


def option_groups(context: OrderContext, draft: OrderDraft, partners: Sequence[str]) -> Iterator[OptionGroup]:
    """All that the unit in hand may be ordered."""
    yield _course_group(context, draft)
    # What depends on what is ordered comes last, so that nothing moves that was there before.
    yield _button_group(context, draft, partners)
    yield _continuation_group(draft)
    if draft.focus.startswith("SQ"):
        yield _form_group(context, draft)


# --- a course ----------------------------------------------------------------------------------------------------


def _course_group(context: OrderContext, draft: OrderDraft) -> OptionGroup:
    """One course for the whole unit in hand."""
    far = _smallest_allowance(context, draft)
    bodies = [("stay", "", Text("course.stay"))]
    bodies += [(f"F{n}", f"F{n}", Text("course.ahead", {"n": n})) for n in range(1, far + 1)]
    for n in range(1, far):
        bodies += [
            (f"{code}{n}", f"{code} F{n}", Text(f"course.{side}", {"n": n})) for code, side in _SIDE_WORDS.items()
        ]
    bodies += [("TA", "TA", Text("course.about")), ("B1", "B", Text("course.astern"))]
    now = draft.line_of(draft.focus)
    body = order_text.format_body(now.line) if now else None
    afters = (_with_course(context, draft, order_text.parse_body(draft.focus, text)) for _, text, _ in bodies)
    options = (
        make_option(after, f"course.{token}", label, chosen=body == text)
        for after, (token, text, label) in zip(afters, bodies, strict=True)
    )
    return select_menu("course", options)


def _continuation_group(draft: OrderDraft) -> OptionGroup:
    """What the unit does after the course that it has."""
    now = draft.line_of(draft.focus)
    options = []
    for token, more in _CONTINUATIONS if now and now.line.steps else ():
        after = _with_steps(draft, (*now.line.steps, *more)) if now else draft
        options.append(
            make_option(after, f"more.{token}", Text("course.further", {"what": order_words.step_texts(more)}))
        )
    return select_menu("further", options)


def _with_steps(draft: OrderDraft, given: tuple[OrderStep, ...]) -> OrderDraft:
    """The draft with other steps in the course that the unit in hand has."""
    now = draft.line_of(draft.focus) or SheetLine(draft.focus, OrderLine(draft.focus))
    return sheets.with_line(draft, structs.replace(now, line=structs.replace(now.line, steps=given, mp=None)))


def _with_course(context: OrderContext, draft: OrderDraft, line: OrderLine) -> OrderDraft:
    """The draft with a course for the unit in hand.

    What is pressed for all counts for all, and what is pressed for a squadron for all of it: exceptions are gone.
    """
    target = draft.focus
    after = sheets.with_line(draft, SheetLine(target, line, _is_following(draft)))
    if target == "rest":
        return after
    inside = set(context.members_of(target, draft.sheet.forms))
    kept = tuple(
        one for one in after.sheet.lines if one.target == target or (target != "all" and one.target not in inside)
    )
    return after.with_sheet(lines=kept)


def _is_following(draft: OrderDraft) -> bool:
    """Whether the unit in hand follows its first ship: as ordered, or as lines astern do."""
    if now := draft.line_of(draft.focus):
        return now.is_follow_leader
    form = squadron_orders.form_of(draft, draft.focus)
    return form is not None and form.form == "astern"


def _smallest_allowance(context: OrderContext, draft: OrderDraft) -> int:
    """How many hexes all of the unit that can move have at their speeds."""
    position = track_preview.with_speeds(
        context.position, {} if context.fixed_squadrons else sheets.speeds_of_sheet(context, draft.sheet)
    )
    ships = [position.ship_by_id(name) for name in ships_in_hand(context, draft)]
    return min(
        (moves.movement_allowance(position, ship) for ship in ships if not position.is_immobile(ship)), default=1
    )


# --- how it is formed ---------------------------------------------------------------------------------------------


def _form_group(context: OrderContext, draft: OrderDraft) -> OptionGroup:
    """How the squadron in hand is formed; nothing where it can be formed in one way alone."""
    found = [*squadron_orders.possible_forms(context, draft, draft.focus)]
    now = squadron_orders.form_of(draft, draft.focus)
    options = []
    for token, form in found if len(found) > 1 else ():
        label = Text("form.range")
        if form.form == "astern":
            label = Text("form.astern", {"ships": tuple(map(order_words.target_text, form.ships))})
        elif form.ships:
            label = Text("form.take", {"ship": form.ships[-1]})
        chosen = form == now or (token == "range" and now is None)  # noqa: S105 - names an option
        options.append(make_option(squadron_orders.with_form(draft, form), f"form.{token}", label, chosen=chosen))
    return select_menu("form", options)


# --- buttons -----------------------------------------------------------------------------------------------------


def _button_group(context: OrderContext, draft: OrderDraft, partners: Sequence[str]) -> OptionGroup:
    """Whole sheets, when it acts, and speed."""
    options = [charge_option(context, draft)]
    if draft.focus == "all":
        options += _sheet_options(context, draft)
        options += _double_options(context, draft, partners) if context.fixed_squadrons else ()
    else:
        options += _squadron_options(context, draft, partners)
        now = draft.line_of(draft.focus)
        if now or any(pace.target == draft.focus for pace in draft.sheet.speed_choices):
            options.append(make_option(_without_last_step(draft), "unit.back", Text("line.back")))
    options += speed_options(context, draft)
    return button_row("orders", options)


def _sheet_options(context: OrderContext, draft: OrderDraft) -> Iterator[Option]:
    if context.last_sheet:
        again = sheets.repeat_last(context, OrderDraft(focus=draft.focus))
        yield make_option(again, "all.again", Text("all.again"), chosen=again.sheet == draft.sheet)
    stay = OrderDraft(sheet=structs.replace(draft.sheet, lines=(), boards=()), is_stay=True, focus=draft.focus)
    yield make_option(stay, "all.stay", Text("all.stay"), chosen=draft.is_stay and not draft.sheet.lines)
    if context.can_claim:
        yield make_option(
            sheets.with_claim(context, draft), "all.claim", Text("all.claim"), chosen=draft.sheet.claims_win
        )


def _squadron_options(context: OrderContext, draft: OrderDraft, partners: Sequence[str]) -> Iterator[Option]:
    """Act earlier, act with the Admiral, follow the first ship."""
    unit = draft.focus
    if not context.fixed_squadrons and (sooner := squadron_orders.move_unit_earlier(context, draft, unit)):
        yield make_option(sooner, "unit.up", Text("line.up"))
    yield from _double_options(context, draft, partners)
    now = draft.line_of(unit)
    if unit.startswith("SQ") and now and now.line.steps and len(ships_in_hand(context, draft)) > 1:
        after = sheets.with_line(draft, structs.replace(now, is_follow_leader=not now.is_follow_leader))
        yield make_option(after, "unit.follow", Text("unit.follow"), chosen=now.is_follow_leader)


def _double_options(context: OrderContext, draft: OrderDraft, partners: Sequence[str]) -> Iterator[Option]:
    """Act together with the Admiral's squadron: a switch in both squadrons."""
    double = draft.sheet.double
    if draft.focus in partners:
        after = squadron_orders.toggle_double(draft, draft.focus)
        yield make_option(after, "unit.double", Text("unit.double"), chosen=double == draft.focus)
    elif draft.focus == squadron_orders.admirals_squadron(context, draft.sheet) or context.fixed_squadrons:
        for name in partners:
            label = Text("unit.together", {"squadron": (order_words.target_text(name),)})
            yield make_option(
                squadron_orders.toggle_double(draft, name), f"unit.double.{name}", label, chosen=double == name
            )


def _without_last_step(draft: OrderDraft) -> OrderDraft:
    """The draft without the last step of the unit's course; then without the course."""
    now = draft.line_of(draft.focus)
    if now and len(now.line.steps) > 1:
        return _with_steps(draft, now.line.steps[:-1])
    return sheets.without_line(draft, draft.focus)


def speed_options(context: OrderContext, draft: OrderDraft) -> Iterator[Option]:
    """Cruise or full speed, of the unit or ship in hand."""
    if context.fixed_squadrons:
        return
    now = sheets.speeds_of_sheet(context, draft.sheet)
    ships = ships_in_hand(context, draft)
    for speed, key in _SPEED_WORDS:
        chosen = bool(ships) and all(now.get(name) == speed for name in ships)
        after = draft
        for target in ships if draft.focus == "rest" else (draft.focus,):
            after = sheets.with_speed(after, SpeedChoice(target, speed))
        yield make_option(after, f"speed.{speed}", Text(f"speed.{key}"), chosen=chosen)


@lru_cache(maxsize=64)
def _charge_plans(
    position: Position, ships: tuple[str, ...], places: tuple[int, ...], *, fixed: bool
) -> tuple[best_attacks.PlannedActivation, ...]:
    """What each of them would do; it hangs on no orders, so that it is found once a turn and not at every press."""
    when = dict(zip(ships, places, strict=True))
    return tuple(best_attacks.plan_each(position, ships, "00", fixed=fixed, places=when, wary=True))


def charge_option(context: OrderContext, draft: OrderDraft) -> Option:
    """The unit at the nearest enemies: each ship's best attack, or nearer."""
    after, ships = draft, ships_in_hand(context, draft)
    units = squadron_orders.squadron_sequence(context, draft.sheet)
    when = {name: at for at, unit in enumerate(units) for name in context.members_of(unit, draft.sheet.forms)}
    places = tuple(when.get(name, len(units)) for name in ships)
    for doing in _charge_plans(context.position, ships, places, fixed=bool(context.fixed_squadrons)):
        if not context.fixed_squadrons:
            after = sheets.with_speed(after, SpeedChoice(doing.line.ship, doing.speed))
        after = sheets.with_line(after, SheetLine(doing.line.ship, doing.line))
    after = structs.replace(after, is_stay=True)
    common = {"all": "all.charge", "rest": "rest.charge"}.get(draft.focus)
    label = Text(common) if common else Text("unit.charge", {"who": (order_words.target_text(draft.focus),)})
    return make_option(after, "all.charge", label)
