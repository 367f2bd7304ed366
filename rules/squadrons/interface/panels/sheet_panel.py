"""What may be pressed while a sheet is written, and the sheet in words: for all, a squadron or a ship in hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import structs

from rules.core.protocol import Choices, OptionGroup
from rules.core.view import Param, Text
from rules.interface.panels import button_row, drop_empty
from rules.squadrons.engine.events import reason_key
from rules.squadrons.engine.notation import order_words
from rules.squadrons.engine.notation.orders import OrderLine
from rules.squadrons.engine.phases.movement import moves
from rules.squadrons.engine.sea.grid import parse_place
from rules.squadrons.engine.sea.state import Position, id_sort_key
from rules.squadrons.engine.tables import TABLES
from rules.squadrons.interface.drafts import squadron_orders
from rules.squadrons.interface.drafts.answers import OrderSheet, SheetLine
from rules.squadrons.interface.drafts.sheets import SHEET_NOTATION, OrderContext, OrderDraft
from rules.squadrons.interface.panels import course_options, doctrine_forms, ship_options
from rules.squadrons.interface.preview import track_preview
from rules.squadrons.interface.preview.hand import ShipInHand
from rules.squadrons.interface.preview.view import Overlay, PlannedTrack
from rules.squadrons.interface.shown import make_view


def draft_choices(context: OrderContext, draft: OrderDraft, *, partners: Sequence[str] | None = None) -> Choices:
    """What may be pressed next, the draft in words, and what is missing.

    `partners`: squadrons that may act with the Admiral's, where that is not for the context to say.
    """
    laid = make_view.sheet_overlay(context, draft)
    able = squadron_orders.possible_partners(context, draft.sheet) if partners is None else partners
    groups = [_unit_group(context, draft, laid)]
    groups += _ship_groups(context, draft) if laid.current_ship else course_options.option_groups(context, draft, able)
    ordered = {line.ship for line in laid.lines}
    return Choices(
        groups=drop_empty(*groups),
        forms=tuple(doctrine_forms.sheet_forms(context, draft)),
        lines=order_words.sort_attacks_first(sheet_lines(context, draft, laid)),
        missing_parts=() if draft.is_complete else (Text("missing.orders"),),
        progress=Text("progress.orders", {"ordered": len(ordered), "ships": len(context.own_ships)}),
    )


def draft_lines(context: OrderContext, draft: OrderDraft) -> tuple[Text, ...]:
    """The draft in words alone."""
    return order_words.sort_attacks_first(sheet_lines(context, draft, make_view.sheet_overlay(context, draft)))


def draft_warnings(context: OrderContext, draft: OrderDraft) -> tuple[Text, ...]:
    """Lines that would stop as things stand, all at once; of own ships in the way it is said which."""
    laid = make_view.sheet_overlay(context, draft)
    start = track_preview.with_speeds(context.position, dict(laid.speeds))
    lines = {line.ship: line for line in laid.lines}
    ashore = (track for track in laid.tracks if parse_place(track.places[-1]).bow in context.position.land_hexes)
    return (
        *(_warning_text(start, lines[track.ship], track) for track in laid.tracks if track.rule),
        *(Text("warn.ashore", {"ship": track.ship}) for track in ashore if len(track.places) > 1),
    )


def advice_without_warnings(context: OrderContext, sheet: OrderSheet) -> OrderSheet:
    """The sheet with lines of which something is warned cut short, each by as few steps as helps."""
    warned = {text.params["ship"] for text in draft_warnings(context, OrderDraft(sheet))}
    for entry in [one for one in sheet.lines if one.target in warned]:
        left = len(draft_warnings(context, OrderDraft(sheet)))
        for n in reversed(range(len(entry.line.steps))):
            shorter = structs.replace(
                entry, line=structs.replace(entry.line, steps=entry.line.steps[:n], alternative=None)
            )
            entries = (shorter if one is entry else one for one in sheet.lines)
            tried = structs.replace(sheet, lines=tuple(one for one in entries if one.line.steps))
            if tried.lines and len(draft_warnings(context, OrderDraft(tried))) < left:
                sheet = tried
                break
    return sheet


def _warning_text(start: Position, line: OrderLine, track: PlannedTrack) -> Text:
    if track.step == f"m{track.step[1:]}" and line.mp is None:
        most = moves.max_announced(start, start.ship_by_id(track.ship), line)
        return Text("warn.points", {"ship": track.ship, "n": int(track.step[1:]), "most": most})
    params: dict[str, Param] = {"ship": track.ship, "step": order_words.written_texts(track.step)}
    if track.by:
        return Text("warn.blocked", {**params, "by": track.by})
    return Text("warn.stopped", {**params, "why": reason_key(track.rule)})


def _ship_groups(context: OrderContext, draft: OrderDraft) -> Iterator[OptionGroup]:
    hand = ShipInHand(context, draft)
    yield from ship_options.option_groups(hand)
    speeds, charge = course_options.speed_options(context, draft), course_options.charge_option(context, draft)
    yield button_row("orders", (*speeds, *ship_options.line_options(hand), charge))


# --- units to be ordered ------------------------------------------------------------------------------------------


def _unit_group(context: OrderContext, draft: OrderDraft, laid: Overlay) -> OptionGroup:
    """All, the rest, the squadrons with a leader, then the ships."""
    labels = {"all": Text("unit.all", {"ships": len(context.own_ships)})}
    if left := course_options.ships_in_hand(context, structs.replace(draft, focus="rest")) if draft.sheet.lines else ():
        labels["rest"] = Text("unit.rest", {"ships": len(left)})
    for squadron in context.squadrons_formed_by(draft.sheet.forms):
        name = squadron.display_name
        members = context.members_of(name, draft.sheet.forms) if squadron.number else ()
        if members:
            params: dict[str, Param] = {"ship": squadron.flagship, "ships": len(members)}
            labels[name] = Text("unit.squadron", {"squadron": (order_words.target_text(name),), **params})
    ordered = {line.ship: line for line in laid.lines}
    for ship in context.own_ships:
        labels[ship.id] = order_words.brief_text("unit.one", ordered.get(ship.id), ship=ship.id, kind=ship.code)
        if ship.rammed and ship.id not in ordered:
            labels[ship.id] = Text("unit.rammed", {"ship": ship.id, "kind": ship.code, "need": TABLES.need.sinks})
    options = SHEET_NOTATION.focus_options(
        context, "unit", labels, lambda unit: structs.replace(draft, focus=unit), draft.focus
    )
    return OptionGroup(key="unit", style="select", options=tuple(options))


# --- the draft in words ------------------------------------------------------------------------------------------


def sheet_lines(context: OrderContext, draft: OrderDraft, laid: Overlay) -> Iterator[Text]:
    """The draft: speeds, orders squadron by squadron with their exceptions, boarding, then what it changes."""
    sheet = draft.sheet
    for speed, key in (("M", "max"), ("C", "cruise")):
        if targets := [pace.target for pace in sheet.speed_choices if pace.speed == speed]:
            yield Text(f"line.pace.{key}", {"target": _target_texts(context, targets)})
    yield from _order_lines(context, draft, laid)
    yield from (Text("line.alone", {"what": (order_words.boarding_text(board),)}) for board in sheet.boards)
    if draft.is_stay and not sheet.lines:
        yield Text("line.stay")
    elif idle := _ships_without_orders(context, draft, laid):
        yield Text("line.idle", {"ships": order_words.ship_ranges(idle)})
    if sheet.claims_win:
        yield Text("line.claim")
    if sheet.sequence and len(units := squadron_orders.squadron_sequence(context, sheet)) > 1:
        yield Text("line.sequence", {"squadrons": tuple(map(order_words.target_text, units))})
    if sheet.double:
        yield Text("line.double", {"squadron": (order_words.target_text(sheet.double),)})
    yield from (Text("line.alone", {"what": (order_words.form_text(form),)}) for form in sheet.forms)
    yield from map(order_words.doctrine_text, sheet.doctrines)
    for track in laid.tracks:
        if track.ship == laid.current_ship:
            yield Text("line.ends", {"ship": track.ship, "to": track.places[-1]})


def _ships_without_orders(context: OrderContext, draft: OrderDraft, laid: Overlay) -> list[str]:
    """Ships that nothing is ordered, where others have orders; if squadrons act one by one, theirs come later."""
    if context.fixed_squadrons or not draft.is_complete:
        return []
    busy = {line.ship for line in laid.lines} | {share.ship for board in draft.sheet.boards for share in board.shares}
    return [name for name in context.own_ship_ids() if name not in busy]


def _target_texts(context: OrderContext, targets: Sequence[str]) -> tuple[Text, ...]:
    """The targets of a speed in words; if every single ship is named, "all"."""
    ships = sorted((name for name in targets if name[:1] in "BR"), key=id_sort_key)
    if len(ships) == len(context.own_ships) > 1:
        return (order_words.target_text("all"),)
    return (*(order_words.target_text(name) for name in targets if name not in ships), *order_words.ship_ranges(ships))


def _order_lines(context: OrderContext, draft: OrderDraft, laid: Overlay) -> Iterator[Text]:
    """Common orders first, then squadron by squadron; ships that do the same are named together."""
    sheet = draft.sheet
    entries = {entry.target: entry for entry in sheet.lines}
    found = {track.ship: track for track in laid.tracks}
    yield from (
        _order_line((order_words.target_text(name),), entries[name]) for name in ("all", "rest") if name in entries
    )
    for unit in squadron_orders.squadron_sequence(context, sheet):
        if unit in entries and unit not in context.own_ship_ids():
            yield _order_line((order_words.target_text(unit),), entries[unit])
        alike: dict[OrderLine, list[str]] = {}
        for entry in sheet.lines:
            if entry.target in context.members_of(unit, sheet.forms) and entry.target in context.own_ship_ids():
                alike.setdefault(structs.replace(entry.line, ship=""), []).append(entry.target)
        for line, ships in alike.items():
            track = found.get(ships[0]) if len(ships) == 1 else None
            yield _order_line(order_words.ship_ranges(sorted(ships, key=id_sort_key)), SheetLine("", line), track)


def _order_line(who: tuple[Text, ...], entry: SheetLine, track: PlannedTrack | None = None) -> Text:
    """What somebody is ordered; of an attack with what it needs as things stand."""
    if track and track.odds and not track.rule:
        odds = {"need": track.odds[0].min_roll, "dice": track.odds[0].dice_count, "chance": track.odds[0].percent / 100}
        return order_words.attack_text(who, entry.line, follow=entry.is_follow_leader, **odds)
    return Text(
        "line.orders", {"who": who, "orders": (order_words.line_text(entry.line, follow=entry.is_follow_leader),)}
    )
