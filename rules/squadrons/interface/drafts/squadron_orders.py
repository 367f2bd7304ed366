"""Squadrons on a sheet: the sequence of activation, Double Activation, and formation (SQ-03, SQ-05)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from msgspec import structs

from rules.core.errors import IllegalOrder
from rules.squadrons.engine.notation.orders import OrderLine, SquadronForm
from rules.squadrons.engine.phases.command import command
from rules.squadrons.engine.sea.state import Leader, Squadron, id_sort_key
from rules.squadrons.interface.drafts import sheets
from rules.squadrons.interface.drafts.answers import OrderSheet, SheetLine
from rules.squadrons.interface.drafts.sheets import OrderContext, OrderDraft

# --- the sequence ------------------------------------------------------------------------------------------------


def squadron_sequence(context: OrderContext, sheet: OrderSheet) -> tuple[str, ...]:
    """Return the captain's squadrons in the order of activation, those with a leader first (SQ-03.5)."""
    led, alone = _sequences_by_phase(context, sheet)
    return (*led, *alone)


def _sequences_by_phase(context: OrderContext, sheet: OrderSheet) -> tuple[list[str], list[str]]:
    """Return the captain's squadrons with a leader, then the single ships, each in the sheet's sequence."""
    own_ships = set(context.own_ship_ids())
    squadrons = [unit for unit in context.squadrons_formed_by(sheet.forms) if own_ships.intersection(unit.ships)]
    name_by_flagship = {squadron.flagship: squadron.display_name for squadron in squadrons}
    requested = [name_by_flagship.get(name, name) for name in sheet.sequence]
    places = {name: place for place, name in enumerate(requested)}
    squadrons.sort(key=lambda squadron: places.get(squadron.display_name, len(requested)))
    led = [squadron.display_name for squadron in squadrons if squadron.number]
    single_ships = [squadron.display_name for squadron in squadrons if not squadron.number]
    return led, single_ships


def sort_lines(context: OrderContext, sheet: OrderSheet, lines: Iterable[OrderLine]) -> tuple[OrderLine, ...]:
    units = list(squadron_sequence(context, sheet))
    admirals_unit = admirals_squadron(context, sheet) if sheet.double in units else ""
    if admirals_unit in units:  # the second squadron acts directly after the Admiral's
        units.remove(sheet.double)
        units.insert(units.index(admirals_unit) + 1, sheet.double)
    places = {ship: place for place, unit in enumerate(units) for ship in context.members_of(unit, sheet.forms)}
    return tuple(sorted(lines, key=lambda line: places.get(line.ship, len(units))))


def move_unit_earlier(context: OrderContext, draft: OrderDraft, unit: str) -> OrderDraft | None:
    """Return the draft with a squadron one place earlier; None if it is the first of its phase."""
    led, single_ships = _sequences_by_phase(context, draft.sheet)
    for units in (led, single_ships):
        if unit in units[1:]:
            place = units.index(unit)
            # changes `led` or `single_ships`
            units[place - 1 : place + 1] = [unit, units[place - 1]]
            # the sheet contains only what differs from the default sequence
            default_led, default_single = _sequences_by_phase(context, structs.replace(draft.sheet, sequence=()))
            sequence = led if led != default_led else []
            if single_ships != default_single:
                sequence = [*sequence, *single_ships]
            return draft.with_sheet(sequence=tuple(sequence))
    return None


def unit_of(context: OrderContext, sheet: OrderSheet, ship: str) -> str:
    """Return the name of a ship's squadron; the ship's own id if she is in none."""
    for squadron in context.squadrons_formed_by(sheet.forms):
        if ship in squadron.ships:
            return squadron.display_name
    return ship


def move_ship_earlier(context: OrderContext, draft: OrderDraft, ship: str) -> OrderDraft | None:
    """Return the draft with a ship one place earlier in her squadron; None if she is first or has no orders.

    Ships before her get lines of their own, since lines of ships are carried out before common ones.
    """
    sheet = draft.sheet
    members = set(context.members_of(unit_of(context, sheet, ship), sheet.forms))
    lines = [line for line in sheets.lines_of_sheet(context, sheet) if line.ship in members]
    place = next((number for number, line in enumerate(lines) if line.ship == ship), 0)
    if not place:
        return None
    first_lines = [*lines[: place - 1], lines[place], lines[place - 1]]
    first_ships = {line.ship for line in first_lines}
    first_entries = [SheetLine(line.ship, line) for line in first_lines]
    own_ships = context.own_ship_ids()
    ship_entries = [entry for entry in sheet.lines if entry.target in own_ships and entry.target not in first_ships]
    common_entries = [entry for entry in sheet.lines if entry.target not in own_ships]
    return draft.with_sheet(lines=(*first_entries, *ship_entries, *common_entries))


# --- two at once -------------------------------------------------------------------------------------------------


def admirals_squadron(context: OrderContext, sheet: OrderSheet) -> str:
    """Return the squadron of the side's Admiral; empty if there is none or another captain orders it."""
    leader = next((admiral.id for admiral in context.position.admirals(context.side)), "")
    return next((unit.display_name for unit in _squadrons_with_leader(context, sheet) if unit.leader == leader), "")


def possible_partners(context: OrderContext, sheet: OrderSheet) -> tuple[str, ...]:  # SQ-05.11
    leader = next((admiral for admiral in context.position.admirals(context.side)), None)
    if leader is None or not admirals_squadron(context, sheet):
        return ()
    flagship = context.position.ship_by_id(leader.ship)
    reach = command.distances_by_ship(context.position, flagship, context.side, leader.rating.range)
    return tuple(
        candidate.display_name
        for candidate in _squadrons_with_leader(context, sheet)
        if candidate.leader != leader.id and candidate.flagship in reach and not candidate.activated
    )


def toggle_double(draft: OrderDraft, unit: str) -> OrderDraft:
    double = "" if draft.sheet.double == unit else unit
    return draft.with_sheet(double=double)


def _squadrons_with_leader(context: OrderContext, sheet: OrderSheet) -> tuple[Squadron, ...]:
    own = set(context.own_ship_ids())
    return tuple(
        squadron
        for squadron in context.squadrons_formed_by(sheet.forms)
        if squadron.number and own.intersection(squadron.ships)
    )


# --- how they are formed -----------------------------------------------------------------------------------------


def possible_forms(context: OrderContext, draft: OrderDraft, unit: str) -> Iterator[tuple[str, SquadronForm]]:
    """Yield possible forms of a squadron with names: in range, in line astern, or with a ship of another squadron."""
    if context.formed_squadrons or not (leader := _leader_of(context, draft.sheet, unit)):
        return
    current_form = form_of(draft, unit)
    candidates = [("range", SquadronForm(unit))]
    candidates += [
        (f"astern.{line[0]}.{len(line)}", SquadronForm(unit, "astern", line))
        for line in possible_lines_astern(context, leader)
    ]
    chosen_ships = current_form.ships if current_form and current_form.form == "range" else ()
    candidates += [
        (f"take.{name}", SquadronForm(unit, "range", (*chosen_ships, name)))
        for name in _ships_in_range(context, draft.sheet, unit, leader)
    ]
    for name, form in candidates:
        with suppress(IllegalOrder):
            context.squadrons_formed_by(with_form(draft, form).sheet.forms)
            yield name, form


def form_of(draft: OrderDraft, unit: str) -> SquadronForm | None:
    return next((form for form in draft.sheet.forms if form.leader == unit), None)


def with_form(draft: OrderDraft, form: SquadronForm) -> OrderDraft:
    forms = tuple(other for other in draft.sheet.forms if other.leader != form.leader)
    is_default = form.form == "range" and not form.ships
    return draft.with_sheet(forms=forms if is_default else (*forms, form))


def _leader_of(context: OrderContext, sheet: OrderSheet, unit: str) -> Leader | None:
    for squadron in _squadrons_with_leader(context, sheet):
        if squadron.display_name == unit:
            return context.position.find_leader(squadron.leader)
    return None


def possible_lines_astern(context: OrderContext, leader: Leader) -> Iterator[tuple[str, ...]]:  # SQ-05.3
    ships_of_other_leaders = {other.ship for other in context.position.leaders if other.id != leader.id}
    free_ships = [name for name in context.own_ship_ids() if name not in ships_of_other_leaders]
    if leader.ship not in free_ships:
        return
    ships_ahead = [name for name in free_ships if name != leader.ship and _lies_behind(context, name, leader.ship)]
    for start in ((leader.ship,), *((name, leader.ship) for name in ships_ahead)):
        line = _extend_line(context, start, free_ships)
        if len(line) > 1:
            yield line


def _extend_line(context: OrderContext, line: tuple[str, ...], free: Sequence[str]) -> tuple[str, ...]:
    """Return the line with free ships added behind its last ship, until none is left behind it."""
    position = context.position
    while behind := [name for name in free if name not in line and _lies_behind(context, line[-1], name)]:
        hex_astern = position.ship_by_id(line[-1]).adjacent_hexes.stern
        straight_behind = [name for name in behind if position.ship_by_id(name).bow == hex_astern]
        next_ship = min(straight_behind or behind, key=id_sort_key)
        line = (*line, next_ship)
    return line


def _lies_behind(context: OrderContext, ship: str, after: str) -> bool:
    return command.is_behind(context.position.ship_by_id(ship), context.position.ship_by_id(after))


def _ships_in_range(context: OrderContext, sheet: OrderSheet, unit: str, leader: Leader) -> Iterator[str]:  # SQ-05.5
    """Yield the ships of other squadrons that are in range of a leader and carry no leader themselves."""
    flagship = context.position.ship_by_id(leader.ship)
    ships_in_range = command.distances_by_ship(context.position, flagship, context.side, leader.rating.range)
    flagships = {other.ship for other in context.position.leaders}
    for squadron in _squadrons_with_leader(context, sheet):
        if squadron.display_name == unit or squadron.form != "range":
            continue
        for name in sorted(squadron.ships, key=id_sort_key):
            if name in ships_in_range and name not in flagships:
                yield name
