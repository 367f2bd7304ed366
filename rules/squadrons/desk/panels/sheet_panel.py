"""What may be pressed while a sheet is written, and the sheet in words: for all, a squadron or a ship in hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import structs

from rules.panels import buttons, shown
from rules.protocol import Choices, Group
from rules.squadrons.desk.drafts import squadron_orders
from rules.squadrons.desk.drafts.answers import Entry, Sheet
from rules.squadrons.desk.drafts.sheets import NOTEBOOK, OrderContext, OrderDraft
from rules.squadrons.desk.panels import course_options, doctrine_forms, ship_options
from rules.squadrons.desk.preview import track_preview
from rules.squadrons.desk.preview.hand import Hand
from rules.squadrons.desk.preview.view import Overlay, Track
from rules.squadrons.desk.shown import make_view
from rules.squadrons.table.events import barred
from rules.squadrons.table.notation import order_words
from rules.squadrons.table.notation.orders import Line
from rules.squadrons.table.phases.movement import moves
from rules.squadrons.table.sea.grid import read_place
from rules.squadrons.table.sea.state import Position, order_of
from rules.squadrons.table.tables import TABLES
from rules.view import Param, Text


def choices(context: OrderContext, draft: OrderDraft, *, partners: Sequence[str] | None = None) -> Choices:
    """What may be pressed next, the draft in words, and what is missing.

    `partners`: squadrons that may act with the Admiral's, where that is not for the context to say.
    """
    laid = make_view.laid(context, draft)
    able = squadron_orders.partners(context, draft.sheet) if partners is None else partners
    groups = [_units(context, draft, laid)]
    groups += _of_ship(context, draft) if laid.current else course_options.groups(context, draft, able)
    ordered = {line.ship for line in laid.lines}
    return Choices(
        groups=shown(*groups),
        forms=tuple(doctrine_forms.of_sheet(context, draft)),
        lines=order_words.attacks_first(lines_of(context, draft, laid)),
        missing=() if draft.complete else (Text("missing.orders"),),
        progress=Text("progress.orders", {"ordered": len(ordered), "ships": len(context.mine)}),
    )


def lines(context: OrderContext, draft: OrderDraft) -> tuple[Text, ...]:
    """The draft in words alone."""
    return order_words.attacks_first(lines_of(context, draft, make_view.laid(context, draft)))


def warnings(context: OrderContext, draft: OrderDraft) -> tuple[Text, ...]:
    """Lines that would stop as things stand, all at once; of own ships in the way it is said which."""
    laid = make_view.laid(context, draft)
    start = track_preview.at_speeds(context.position, dict(laid.speeds))
    lines = {line.ship: line for line in laid.lines}
    ashore = (track for track in laid.tracks if read_place(track.places[-1]).bow in context.position.ashore)
    return (
        *(_warned(start, lines[track.ship], track) for track in laid.tracks if track.rule),
        *(Text("warn.ashore", {"ship": track.ship}) for track in ashore if len(track.places) > 1),
    )


def advice_without_warnings(context: OrderContext, sheet: Sheet) -> Sheet:
    """The sheet with lines of which something is warned cut short, each by as few steps as helps."""
    warned = {text.params["ship"] for text in warnings(context, OrderDraft(sheet))}
    for entry in [one for one in sheet.entries if one.target in warned]:
        left = len(warnings(context, OrderDraft(sheet)))
        for n in reversed(range(len(entry.line.steps))):
            shorter = structs.replace(
                entry, line=structs.replace(entry.line, steps=entry.line.steps[:n], alternative=None)
            )
            entries = (shorter if one is entry else one for one in sheet.entries)
            tried = structs.replace(sheet, entries=tuple(one for one in entries if one.line.steps))
            if tried.entries and len(warnings(context, OrderDraft(tried))) < left:
                sheet = tried
                break
    return sheet


def _warned(start: Position, line: Line, track: Track) -> Text:
    if track.step == f"m{track.step[1:]}" and line.mp is None:
        most = moves.allowed(start, start.ship(track.ship), line)
        return Text("warn.points", {"ship": track.ship, "n": int(track.step[1:]), "most": most})
    params: dict[str, Param] = {"ship": track.ship, "step": order_words.written(track.step)}
    if track.by:
        return Text("warn.blocked", {**params, "by": track.by})
    return Text("warn.stopped", {**params, "why": barred(track.rule)})


def _of_ship(context: OrderContext, draft: OrderDraft) -> Iterator[Group]:
    hand = Hand(context, draft)
    yield from ship_options.groups(hand)
    speeds, charge = course_options.speed_buttons(context, draft), course_options.charge(context, draft)
    yield buttons("orders", (*speeds, *ship_options.line_buttons(hand), charge))


# --- units to be ordered ------------------------------------------------------------------------------------------


def _units(context: OrderContext, draft: OrderDraft, laid: Overlay) -> Group:
    """All, the rest, the squadrons with a leader, then the ships."""
    labels = {"all": Text("unit.all", {"ships": len(context.mine)})}
    if left := course_options.members(context, structs.replace(draft, focus="rest")) if draft.sheet.entries else ():
        labels["rest"] = Text("unit.rest", {"ships": len(left)})
    for squadron in context.squadrons(draft.sheet.forms):
        name = squadron.name
        members = context.members(name, draft.sheet.forms) if squadron.number else ()
        if members:
            params: dict[str, Param] = {"ship": squadron.flagship, "ships": len(members)}
            labels[name] = Text("unit.squadron", {"squadron": (order_words.who(name),), **params})
    ordered = {line.ship: line for line in laid.lines}
    for ship in context.mine:
        labels[ship.id] = order_words.brief("unit.one", ordered.get(ship.id), ship=ship.id, kind=ship.code)
        if ship.rammed and ship.id not in ordered:
            labels[ship.id] = Text("unit.rammed", {"ship": ship.id, "kind": ship.code, "need": TABLES.need.sinks})
    options = NOTEBOOK.looks(context, "unit", labels, lambda unit: structs.replace(draft, focus=unit), draft.focus)
    return Group(key="unit", style="select", options=tuple(options))


# --- the draft in words ------------------------------------------------------------------------------------------


def lines_of(context: OrderContext, draft: OrderDraft, laid: Overlay) -> Iterator[Text]:
    """The draft: speeds, orders squadron by squadron with their exceptions, boarding, then what it changes."""
    sheet = draft.sheet
    for speed, key in (("M", "max"), ("C", "cruise")):
        if targets := [pace.target for pace in sheet.paces if pace.speed == speed]:
            yield Text(f"line.pace.{key}", {"target": _named(context, targets)})
    yield from _orders(context, draft, laid)
    yield from (Text("line.alone", {"what": (order_words.board(board),)}) for board in sheet.boards)
    if draft.stay and not sheet.entries:
        yield Text("line.stay")
    elif idle := _idle(context, draft, laid):
        yield Text("line.idle", {"ships": order_words.ranged(idle)})
    if sheet.claim:
        yield Text("line.claim")
    if sheet.sequence and len(units := squadron_orders.sequence(context, sheet)) > 1:
        yield Text("line.sequence", {"squadrons": tuple(map(order_words.who, units))})
    if sheet.double:
        yield Text("line.double", {"squadron": (order_words.who(sheet.double),)})
    yield from (Text("line.alone", {"what": (order_words.form(form),)}) for form in sheet.forms)
    yield from map(order_words.doctrine, sheet.doctrines)
    for track in laid.tracks:
        if track.ship == laid.current:
            yield Text("line.ends", {"ship": track.ship, "to": track.places[-1]})


def _idle(context: OrderContext, draft: OrderDraft, laid: Overlay) -> list[str]:
    """Ships that nothing is ordered, where others have orders; if squadrons act one by one, theirs come later."""
    if context.fixed or not draft.complete:
        return []
    busy = {line.ship for line in laid.lines} | {share.ship for board in draft.sheet.boards for share in board.shares}
    return [name for name in context.ids() if name not in busy]


def _named(context: OrderContext, targets: Sequence[str]) -> tuple[Text, ...]:
    """The targets of a speed in words; if every single ship is named, "all"."""
    ships = sorted((name for name in targets if name[:1] in "BR"), key=order_of)
    if len(ships) == len(context.mine) > 1:
        return (order_words.who("all"),)
    return (*(order_words.who(name) for name in targets if name not in ships), *order_words.ranged(ships))


def _orders(context: OrderContext, draft: OrderDraft, laid: Overlay) -> Iterator[Text]:
    """Common orders first, then squadron by squadron; ships that do the same are named together."""
    sheet = draft.sheet
    entries = {entry.target: entry for entry in sheet.entries}
    found = {track.ship: track for track in laid.tracks}
    yield from (_order((order_words.who(name),), entries[name]) for name in ("all", "rest") if name in entries)
    for unit in squadron_orders.sequence(context, sheet):
        if unit in entries and unit not in context.ids():
            yield _order((order_words.who(unit),), entries[unit])
        alike: dict[Line, list[str]] = {}
        for entry in sheet.entries:
            if entry.target in context.members(unit, sheet.forms) and entry.target in context.ids():
                alike.setdefault(structs.replace(entry.line, ship=""), []).append(entry.target)
        for line, ships in alike.items():
            track = found.get(ships[0]) if len(ships) == 1 else None
            yield _order(order_words.ranged(sorted(ships, key=order_of)), Entry("", line), track)


def _order(who: tuple[Text, ...], entry: Entry, track: Track | None = None) -> Text:
    """What somebody is ordered; of an attack with what it needs as things stand."""
    if track and track.odds and not track.rule:
        odds = {"need": track.odds[0].need, "dice": track.odds[0].dice, "chance": track.odds[0].percent / 100}
        return order_words.attack(who, entry.line, follow=entry.follow, **odds)
    return Text("line.orders", {"who": who, "orders": (order_words.line(entry.line, follow=entry.follow),)})
