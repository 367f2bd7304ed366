"""The panel of a sheet: options and doctrine forms for all ships, a squadron or a ship, and the sheet in words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import structs

from rules.core.errors import Scalar
from rules.core.protocol import Choices, Form, FormField, FormLine, OptionGroup
from rules.core.view import Param, Text
from rules.interface.panels import MAX_OPTIONS, button_row, drop_empty
from rules.squadrons.engine.events import reason_key
from rules.squadrons.engine.notation import order_words
from rules.squadrons.engine.notation.orders import DOCTRINE_VALUES, BoardingOrder, DoctrineLine, Doctrines, OrderLine
from rules.squadrons.engine.odds import RollOdds
from rules.squadrons.engine.phases.combat import boarding
from rules.squadrons.engine.phases.movement import moves
from rules.squadrons.engine.sea.grid import parse_place
from rules.squadrons.engine.sea.state import Position, id_sort_key
from rules.squadrons.engine.tables import TABLES
from rules.squadrons.interface.drafts import squadron_orders
from rules.squadrons.interface.drafts.answers import OrderSheet, SheetLine
from rules.squadrons.interface.drafts.sheets import SHEET_NOTATION, OrderContext, OrderDraft
from rules.squadrons.interface.panels import course_options, ship_options
from rules.squadrons.interface.preview import boarding_preview, track_preview
from rules.squadrons.interface.preview.track_preview import ShipInFocus
from rules.squadrons.interface.preview.view import Overlay, PlannedTrack
from rules.squadrons.interface.shown import make_view, teaching

_MAX_HEXES_AHEAD: Final = 8
DEFENCE_KEYS: Final = ("avoid", "fire", "board", "retract", "order")
_OTHER_KEYS: Final = ("avoidDir", "unfoul", "transfer", "speed", "rram")
_ATTACK_PATTERN: Final = re.compile(r"(?:X|ana|rake|ram|grap) ([BR][0-9]+)")
_UNIT_KEYS: Final = ("avoid", "avoidDir", "fire", "retract", "unfoul")


def sheet_forms(context: OrderContext, draft: OrderDraft) -> Iterator[Form]:
    """Yield the offered forms, and forms that may still be open from an earlier selection."""
    is_for_all = draft.focus in ("all", "rest")
    habits = _OTHER_KEYS if context.position.options.reaction_ram else _OTHER_KEYS[:-1]
    yield _doctrine_form(context, draft, context.side, DEFENCE_KEYS, "doctrine", offered=is_for_all)
    yield _doctrine_form(context, draft, context.side, habits, "habits", offered=is_for_all)
    squadrons = context.squadrons_formed_by(draft.sheet.forms)
    squadron_names = [squadron.display_name for squadron in squadrons if squadron.number]
    for name in (*squadron_names, *context.own_ship_ids()):
        unit = f"{context.side}{name[1:]}" if name.startswith("SQ") else name
        yield _doctrine_form(context, draft, unit, _UNIT_KEYS, f"doctrine.{name}", offered=name == draft.focus)
    yield _course_form(context, draft, offered=draft.focus not in context.position.ships_by_id)


# --- doctrine ----------------------------------------------------------------------------------------------------


def _doctrine_form(
    context: OrderContext, draft: OrderDraft, unit: str, keys: Sequence[str], token: str, *, offered: bool
) -> Form:
    lines = (*context.doctrines, *draft.sheet.doctrines)
    label_of_unit = Text("form.doctrine.of", {"who": (order_words.target_text(unit),)})
    return Form(
        token=token,
        label=Text(f"form.{token}") if unit == context.side else label_of_unit,
        fields=tuple(_doctrine_field(lines, context, unit, key) for key in keys),
        separator="\n",
        focus=draft.focus,
        is_offered=offered,
    )


def _doctrine_field(lines: Sequence[DoctrineLine], context: OrderContext, unit: str, key: str) -> FormField:
    doctrines = Doctrines(tuple(lines))
    current_value = doctrines.find_value(key, unit, context.side) or DOCTRINE_VALUES[key][0]
    # a doctrine of all with exceptions can be given to all again
    varies = unit == context.side and any(line.who != unit and key in line.values for line in lines)
    target = "all" if unit == context.side else unit.replace(f"{context.side}Q", "SQ")
    # the text that each choice types; the current value types nothing
    texts = {
        value: "" if value == current_value and not varies else f"doctrine {target}: {key}={value}"
        for value in DOCTRINE_VALUES[key]
    }
    entries = (
        FormLine(f"{key}.{number}", order_words.value_text(key, value), text, is_chosen=value == current_value)
        for number, (value, text) in enumerate(texts.items())
    )
    return FormField(order_words.key_text(key), tuple(entries))


# --- a course ----------------------------------------------------------------------------------------------------


def _course_form(context: OrderContext, draft: OrderDraft, *, offered: bool) -> Form:
    forms = draft.sheet.forms
    squadron_names = [squadron.display_name for squadron in context.squadrons_formed_by(forms) if squadron.number]
    names = ["all", *(name for name in squadron_names if context.members_of(name, forms))]
    selected = draft.focus if draft.focus in names else "all"
    target_lines = tuple(
        FormLine(name, order_words.target_text(name), f"{name}:", is_chosen=name == selected)
        for name in names[:MAX_OPTIONS]
    )
    speeds = [("", "as_is")]
    if not context.fixed_squadrons:
        speeds += [("C", "cruise"), ("M", "max")]
    ahead = [(f"F{n}", Text("course.ahead", {"n": n})) for n in range(1, _MAX_HEXES_AHEAD + 1)]
    fields = (
        FormField(Text("form.who"), target_lines),
        _make_field("speed", [(text, Text(f"form.speed.{key}")) for text, key in speeds]),
        _make_field("turn", _turn_entries()),
        _make_field("far", [("", Text("form.far.none")), *ahead]),
        _make_field("then", _turn_entries()),
    )
    return Form(
        token="squadron",  # noqa: S106 - names a form
        label=Text("form.squadron"),
        fields=fields,
        separator=" ",
        focus=draft.focus,
        is_offered=offered,
    )


def _turn_entries() -> list[tuple[str, Text]]:
    turns = ("P", "S", "P2", "S2")
    return [("", Text("form.turn.none")), *((turn, Text(f"form.turn.{turn}")) for turn in turns)]


def _make_field(name: str, entries: Sequence[tuple[str, Text]]) -> FormField:
    lines = (
        FormLine(f"{name}.{number}", label, text, is_chosen=number == 0) for number, (text, label) in enumerate(entries)
    )
    return FormField(Text(f"form.{name}"), tuple(lines))


def draft_choices(context: OrderContext, draft: OrderDraft, *, partners: Sequence[str] | None = None) -> Choices:
    overlay = make_view.sheet_overlay(context, draft)
    possible_partners = squadron_orders.possible_partners(context, draft.sheet) if partners is None else partners
    groups = [_unit_group(context, draft, overlay)]
    if overlay.current_ship:
        groups += _ship_groups(context, draft)
    else:
        groups += course_options.option_groups(context, draft, possible_partners)
    ordered_ships = {line.ship for line in overlay.lines}
    return Choices(
        groups=drop_empty(*groups),
        forms=tuple(sheet_forms(context, draft)),
        lines=order_words.sort_attacks_first(sheet_lines(context, draft, overlay)),
        forecasts=tuple(_forecasts(context, overlay)),
        decisions=(*_open_questions(overlay), *(teaching.later_lessons(context.position) if context.teaches else ())),
        missing_parts=() if context.is_complete(draft) else (Text(_missing_key(draft)),),
        progress=Text("progress.orders", {"ordered": len(ordered_ships), "ships": len(context.own_ships)}),
    )


def _open_questions(overlay: Overlay) -> Iterator[Text]:
    """Yield the question that an `else` branch without steps leaves open for the ship in focus."""
    line = next((line for line in overlay.lines if line.ship == overlay.current_ship), None)
    if line and line.alternative == ():
        yield Text("ask.else", {"ship": line.ship})


def _forecasts(context: OrderContext, overlay: Overlay) -> Iterator[Text]:
    """Yield that the chances of attacks hold only if their targets stay, while it is open who acts first."""
    targets = {track.odds[0].target for track in overlay.tracks if track.odds and not track.rule}
    if targets and not context.fixed_squadrons:
        names = sorted(targets, key=id_sort_key)
        yield Text("forecast.stays", {"ships": order_words.ship_ranges(names)})


def _missing_key(draft: OrderDraft) -> str:
    if not draft.sheet.speed_choices:
        return "missing.orders"
    has_max = any(choice.speed == "M" for choice in draft.sheet.speed_choices)
    return "missing.course.max" if has_max else "missing.course"


def draft_lines(context: OrderContext, draft: OrderDraft) -> tuple[Text, ...]:
    return order_words.sort_attacks_first(sheet_lines(context, draft, make_view.sheet_overlay(context, draft)))


def draft_warnings(context: OrderContext, draft: OrderDraft) -> tuple[Text, ...]:
    overlay = make_view.sheet_overlay(context, draft)
    start = track_preview.with_speeds(context.position, dict(overlay.speeds))
    line_by_ship = {line.ship: line for line in overlay.lines}
    illegal_tracks = [track for track in overlay.tracks if track.rule]
    moving_tracks = [track for track in overlay.tracks if len(track.places) > 1]
    land = context.position.land_hexes
    tracks_ashore = [track for track in moving_tracks if parse_place(track.places[-1]).bow in land]
    return (
        *(_warning_text(start, line_by_ship[track.ship], track) for track in illegal_tracks),
        *(Text("warn.ashore", {"ship": track.ship}) for track in tracks_ashore),
    )


def advice_without_warnings(context: OrderContext, sheet: OrderSheet) -> OrderSheet:
    """Return the sheet with lines shortened that raise warnings, each by as few steps as necessary."""
    warned_ships = {text.params["ship"] for text in draft_warnings(context, OrderDraft(sheet))}
    for entry in [other for other in sheet.lines if other.target in warned_ships]:
        warning_count = len(draft_warnings(context, OrderDraft(sheet)))
        for step_count in reversed(range(len(entry.line.steps))):
            shorter_line = structs.replace(entry.line, steps=entry.line.steps[:step_count], alternative=None)
            shorter_entry = structs.replace(entry, line=shorter_line)
            entries = (shorter_entry if other is entry else other for other in sheet.lines)
            candidate = structs.replace(sheet, lines=tuple(other for other in entries if other.line.steps))
            if candidate.lines and len(draft_warnings(context, OrderDraft(candidate))) < warning_count:
                sheet = candidate
                break
    return sheet


def _warning_text(start: Position, line: OrderLine, track: PlannedTrack) -> Text:
    if track.step == f"m{track.step[1:]}" and line.mp is None:
        allowance = moves.max_announced(start, start.ship_by_id(track.ship), line)
        return Text("warn.points", {"ship": track.ship, "n": int(track.step[1:]), "most": allowance})
    params: dict[str, Param] = {
        "ship": track.ship,
        "step": order_words.written_texts(track.step),
        "rule": track.rule,
    }
    if track.by:
        return Text("warn.blocked", {**params, "by": track.by})
    if attack := _ATTACK_PATTERN.match(track.step):
        target = start.ships_by_id.get(attack[1])
        if target is None:
            return Text("warn.no_such_ship", {**params, "target": attack[1]})
        if not target.is_afloat or target.side == start.ship_by_id(track.ship).side:
            return Text("warn.own_ship" if target.is_afloat else "warn.gone", {**params, "target": target.id})
    return Text("warn.stopped", {**params, "why": reason_key(track.rule)})


def _ship_groups(context: OrderContext, draft: OrderDraft) -> Iterator[OptionGroup]:
    focus = ShipInFocus(context, draft)
    yield from ship_options.option_groups(focus)
    speeds = course_options.speed_options(context, draft)
    charge = course_options.charge_option(context, draft)
    yield button_row("orders", (*speeds, *ship_options.line_options(focus), charge))


# --- units to be ordered ------------------------------------------------------------------------------------------


def _unit_group(context: OrderContext, draft: OrderDraft, overlay: Overlay) -> OptionGroup:
    """Return the menu of what can be ordered together: all ships, those without orders, each squadron, each ship."""
    labels = {"all": Text("unit.all", {"ships": len(context.own_ships)})}
    if draft.sheet.lines:
        ships_without_line = course_options.ships_in_focus(context, structs.replace(draft, focus="rest"))
        if ships_without_line:
            labels["rest"] = Text("unit.rest", {"ships": len(ships_without_line)})
    for squadron in context.squadrons_formed_by(draft.sheet.forms):
        name = squadron.display_name
        members = context.members_of(name, draft.sheet.forms) if squadron.number else ()
        if members:
            params: dict[str, Param] = {"ship": squadron.flagship, "ships": len(members)}
            labels[name] = Text("unit.squadron", {"squadron": (order_words.target_text(name),), **params})
    line_by_ship = {line.ship: line for line in overlay.lines}
    target_by_ship = {share.ship: board.target for board in draft.sheet.boards for share in board.shares}
    for ship in context.own_ships:
        labels[ship.id] = order_words.brief_text("unit.one", line_by_ship.get(ship.id), ship=ship.id, kind=ship.code)
        if ship.id in target_by_ship and ship.id not in line_by_ship:
            params = {"ship": ship.id, "kind": ship.code, "to": target_by_ship[ship.id]}
            labels[ship.id] = Text("unit.boards", params)
        elif ship.rammed and ship.id not in line_by_ship:
            labels[ship.id] = Text("unit.rammed", {"ship": ship.id, "kind": ship.code, "need": TABLES.need.sinks})
    options = SHEET_NOTATION.focus_options(
        context, "unit", labels, lambda unit: structs.replace(draft, focus=unit), draft.focus
    )
    return OptionGroup(key="unit", style="select", options=tuple(options))


# --- the draft in words ------------------------------------------------------------------------------------------


def sheet_lines(context: OrderContext, draft: OrderDraft, overlay: Overlay) -> Iterator[Text]:
    sheet = draft.sheet
    speeds = {choice.target: choice.speed for choice in sheet.speed_choices}
    # A later line changes what an earlier one says, so the speed of all comes first.
    keys = (("C", "cruise"), ("M", "max")) if speeds.get("all") == "C" else (("M", "max"), ("C", "cruise"))
    for speed, key in keys:
        if targets := [choice.target for choice in sheet.speed_choices if choice.speed == speed]:
            yield Text(f"line.pace.{key}", {"target": _target_texts(context, targets)})
    yield from _order_lines(context, draft, overlay)
    yield from (_boarding_line(context, board) for board in sheet.boards)
    if draft.is_stay and not sheet.lines:
        yield Text("line.stay")
    elif idle_ships := _ships_without_orders(context, draft, overlay):
        yield Text("line.idle", {"ships": order_words.ship_ranges(idle_ships)})
    if sheet.claims_win:
        yield Text("line.claim")
    if sheet.sequence and len(units := squadron_orders.squadron_sequence(context, sheet)) > 1:
        yield Text("line.sequence", {"squadrons": tuple(map(order_words.target_text, units))})
    if sheet.double:
        yield Text("line.double", {"squadron": (order_words.target_text(sheet.double),)})
    yield from (Text("line.alone", {"what": (order_words.form_text(form),)}) for form in sheet.forms)
    yield from map(order_words.doctrine_text, sheet.doctrines)
    for track in overlay.tracks:
        if track.ship == overlay.current_ship:
            yield Text("line.ends", {"ship": track.ship, "to": track.places[-1]})


def _boarding_line(context: OrderContext, board: BoardingOrder) -> Text:
    """Return a boarding with the throw that it needs, or without it if the target or its boarders are not there."""
    text = order_words.boarding_text(board)
    ships = context.position.ships_by_id
    if not all(
        name in ships and ships[name].is_afloat for name in (board.target, *(each.ship for each in board.shares))
    ):
        return text
    shares = {share.ship: share.m or ships[share.ship].manpower for share in board.shares}
    odds = boarding.boarding_odds(context.position, shares, board.target)
    params: dict[str, Param] = {**text.params, "need": odds.natural_need, "chance": odds.chance}
    return Text("line.board.odds", params) if odds.min_total else text


def _ships_without_orders(context: OrderContext, draft: OrderDraft, overlay: Overlay) -> list[str]:
    if context.fixed_squadrons or not draft.has_orders:
        return []
    ships_with_line = {line.ship for line in overlay.lines}
    boarding_ships = {share.ship for board in draft.sheet.boards for share in board.shares}
    busy_ships = ships_with_line | boarding_ships
    return [name for name in context.own_ship_ids() if name not in busy_ships]


def _target_texts(context: OrderContext, targets: Sequence[str]) -> tuple[Text, ...]:
    """Return the names of targets, with ranges of ships; all ships of the captain are `all`."""
    ships = sorted((name for name in targets if name[:1] in "BR"), key=id_sort_key)
    if len(ships) == len(context.own_ships) > 1:
        return (order_words.target_text("all"),)
    units = [name for name in targets if name not in ships]
    return (*map(order_words.target_text, units), *order_words.ship_ranges(ships))


def _order_lines(context: OrderContext, draft: OrderDraft, overlay: Overlay) -> Iterator[Text]:
    """Yield the orders of all ships, then of each squadron and its ships; ships with equal orders share a line."""
    sheet = draft.sheet
    entries = {entry.target: entry for entry in sheet.lines}
    track_by_ship = {track.ship: track for track in overlay.tracks}
    own_ships = context.own_ship_ids()
    for name in ("all", "rest"):
        if name in entries:
            yield _order_line((order_words.target_text(name),), entries[name])
    for unit in squadron_orders.squadron_sequence(context, sheet):
        if unit in entries and unit not in own_ships:
            yield _order_line((order_words.target_text(unit),), entries[unit])
        members = context.members_of(unit, sheet.forms)
        ships_by_line: dict[OrderLine, list[str]] = {}
        for entry in sheet.lines:
            if entry.target in members and entry.target in own_ships:
                ships_by_line.setdefault(structs.replace(entry.line, ship=""), []).append(entry.target)
        for line, ships in ships_by_line.items():
            track = track_by_ship.get(ships[0]) if len(ships) == 1 else None
            then = _boarding_after(context, sheet, track) if track else None
            who = order_words.ship_ranges(sorted(ships, key=id_sort_key))
            yield _order_line(who, SheetLine("", line), track, then)


def _boarding_after(context: OrderContext, sheet: OrderSheet, track: PlannedTrack) -> RollOdds | None:
    """Return the odds of the boarding that follows a line's grapple; None if its first attack is another."""
    if not track.odds or track.odds[0].attack != "grap":
        return None
    return boarding_preview.odds_after_grapple(context, context.position, sheet, track.ship, track.odds[0].target)


def _order_line(
    who: tuple[Text, ...], entry: SheetLine, track: PlannedTrack | None = None, then: RollOdds | None = None
) -> Text:
    if track and track.odds and not track.rule:
        chance = track.odds[0].percent / 100
        odds: dict[str, Scalar] = {"need": track.odds[0].min_roll, "dice": track.odds[0].dice_count, "chance": chance}
        if then:
            odds |= {"board": then.natural_need, "both": chance * then.chance}
        return order_words.attack_text(who, entry.line, follow=entry.is_follow_leader, **odds)
    orders = order_words.line_text(entry.line, follow=entry.is_follow_leader)
    return Text("line.orders", {"who": who, "orders": (orders,)})
