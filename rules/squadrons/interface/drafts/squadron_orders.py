"""How a sheet commands squadrons: in what sequence they act, which act together, how they are formed (SQ-03, SQ-05)."""

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
    """The captain's squadrons in the order in which they act: those with a leader, then single ships (SQ-03.5)."""
    led, alone = _sequences_by_phase(context, sheet)
    return (*led, *alone)


def _sequences_by_phase(context: OrderContext, sheet: OrderSheet) -> tuple[list[str], list[str]]:
    """The same, apart."""
    own = set(context.own_ship_ids())
    formed = [one for one in context.squadrons_formed_by(sheet.forms) if own.intersection(one.ships)]
    flags = {one.flagship: one.display_name for one in formed}
    wished = [flags.get(name, name) for name in sheet.sequence]
    places = {name: place for place, name in enumerate(wished)}
    ranked = sorted(formed, key=lambda one: places.get(one.display_name, len(wished)))
    return [one.display_name for one in ranked if one.number], [one.display_name for one in ranked if not one.number]


def sort_lines(context: OrderContext, sheet: OrderSheet, lines: Iterable[OrderLine]) -> tuple[OrderLine, ...]:
    """Lines in the order in which they will be carried out, so far as the sheet settles it."""
    units = [*squadron_sequence(context, sheet)]
    if (
        sheet.double in units and (first := admirals_squadron(context, sheet)) in units
    ):  # it acts right behind the Admiral's
        units.remove(sheet.double)
        units.insert(units.index(first) + 1, sheet.double)
    places = {ship: place for place, unit in enumerate(units) for ship in context.members_of(unit, sheet.forms)}
    return tuple(sorted(lines, key=lambda line: places.get(line.ship, len(units))))


def move_unit_earlier(context: OrderContext, draft: OrderDraft, unit: str) -> OrderDraft | None:
    """The draft in which a squadron acts one place earlier; None: it is first among those that act in its phase."""
    led, alone = _sequences_by_phase(context, draft.sheet)
    for some in (led, alone):
        if unit in some[1:]:
            at = some.index(unit)
            some[at - 1 : at + 1] = [unit, some[at - 1]]
            natural = _sequences_by_phase(context, structs.replace(draft.sheet, sequence=()))
            wished = [*(led if led != natural[0] else ()), *(alone if alone != natural[1] else ())]
            return draft.with_sheet(sequence=tuple(wished))
    return None


def unit_of(context: OrderContext, sheet: OrderSheet, ship: str) -> str:
    """The squadron of a ship; she herself, if she is in none."""
    return next((one.display_name for one in context.squadrons_formed_by(sheet.forms) if ship in one.ships), ship)


def move_ship_earlier(context: OrderContext, draft: OrderDraft, ship: str) -> OrderDraft | None:
    """The draft in which a ship acts one place earlier in her squadron; None: she is first, or has no orders.

    Those who act before her get lines of their own, as lines of single ships are carried out before common ones.
    """
    sheet = draft.sheet
    members = set(context.members_of(unit_of(context, sheet, ship), sheet.forms))
    lines = [line for line in sheets.lines_of_sheet(context, sheet) if line.ship in members]
    at = next((at for at, line in enumerate(lines) if line.ship == ship), 0)
    if not at:
        return None
    first = [*lines[: at - 1], lines[at], lines[at - 1]]
    moved = {line.ship for line in first}
    own = [one for one in sheet.lines if one.target in context.own_ship_ids() and one.target not in moved]
    common = [one for one in sheet.lines if one.target not in context.own_ship_ids()]
    entries = (*(SheetLine(line.ship, line) for line in first), *own, *common)
    return draft.with_sheet(lines=entries)


# --- two at once -------------------------------------------------------------------------------------------------


def admirals_squadron(context: OrderContext, sheet: OrderSheet) -> str:
    """The squadron of the side's Admiral; empty: there is none, or another captain orders it."""
    leader = next((one.id for one in context.position.admirals(context.side)), "")
    return next((one.display_name for one in _squadrons_with_leader(context, sheet) if one.leader == leader), "")


def possible_partners(context: OrderContext, sheet: OrderSheet) -> tuple[str, ...]:
    """Squadrons that may act together with the Admiral's, as things stand (SQ-05.11)."""
    leader = next((one for one in context.position.admirals(context.side)), None)
    if leader is None or not admirals_squadron(context, sheet):
        return ()
    flagship = context.position.ship_by_id(leader.ship)
    reach = command.distances_by_ship(context.position, flagship, context.side, leader.rating.range)
    return tuple(
        one.display_name
        for one in _squadrons_with_leader(context, sheet)
        if one.leader != leader.id and one.flagship in reach and not one.activated
    )


def toggle_double(draft: OrderDraft, unit: str) -> OrderDraft:
    """The draft in which a squadron acts with the Admiral's, or if it does, not."""
    double = "" if draft.sheet.double == unit else unit
    return draft.with_sheet(double=double)


def _squadrons_with_leader(context: OrderContext, sheet: OrderSheet) -> tuple[Squadron, ...]:
    """The captain's squadrons that have a leader."""
    own = set(context.own_ship_ids())
    return tuple(one for one in context.squadrons_formed_by(sheet.forms) if one.number and own.intersection(one.ships))


# --- how they are formed -----------------------------------------------------------------------------------------


def possible_forms(context: OrderContext, draft: OrderDraft, unit: str) -> Iterator[tuple[str, SquadronForm]]:
    """Ways to form a squadron, each with a name: around its leader, in line astern, or with a ship of another's."""
    if context.formed_squadrons or not (leader := _leader_of(context, draft.sheet, unit)):
        return
    now = form_of(draft, unit)
    wishes = [("range", SquadronForm(unit))]
    wishes += [
        (f"astern.{line[0]}.{len(line)}", SquadronForm(unit, "astern", line))
        for line in possible_lines_astern(context, leader)
    ]
    kept = now.ships if now and now.form == "range" else ()
    wishes += [
        (f"take.{name}", SquadronForm(unit, "range", (*kept, name)))
        for name in _ships_in_range(context, draft.sheet, unit, leader)
    ]
    for name, form in wishes:
        with suppress(IllegalOrder):
            context.squadrons_formed_by(with_form(draft, form).sheet.forms)
            yield name, form


def form_of(draft: OrderDraft, unit: str) -> SquadronForm | None:
    """How the draft forms a squadron; None: as it forms by itself."""
    return next((form for form in draft.sheet.forms if form.leader == unit), None)


def with_form(draft: OrderDraft, form: SquadronForm) -> OrderDraft:
    """The draft with a squadron formed so; around its leader without wishes, as it forms by itself."""
    forms = tuple(one for one in draft.sheet.forms if one.leader != form.leader)
    plain = form.form == "range" and not form.ships
    return draft.with_sheet(forms=forms if plain else (*forms, form))


def _leader_of(context: OrderContext, sheet: OrderSheet, unit: str) -> Leader | None:
    found = next((one.leader for one in _squadrons_with_leader(context, sheet) if one.display_name == unit), "")
    return context.position.find_leader(found)


def possible_lines_astern(context: OrderContext, leader: Leader) -> Iterator[tuple[str, ...]]:
    """Lines astern that a leader could have, with the Command Ship first or second (SQ-05.3)."""
    taken = {one.ship for one in context.position.leaders if one.id != leader.id}
    free = [name for name in context.own_ship_ids() if name not in taken]
    if leader.ship not in free:
        return
    ahead = [name for name in free if name != leader.ship and _lies_behind(context, name, leader.ship)]
    for start in ((leader.ship,), *((name, leader.ship) for name in ahead)):
        line = _extend_line(context, start, free)
        if len(line) > 1:
            yield line


def _extend_line(context: OrderContext, line: tuple[str, ...], free: Sequence[str]) -> tuple[str, ...]:
    """A line with those who lie behind it, straight behind before aslant."""
    while behind := [name for name in free if name not in line and _lies_behind(context, line[-1], name)]:
        stern = context.position.ship_by_id(line[-1]).adjacent_hexes.stern
        line = (
            *line,
            min(behind, key=lambda name: (context.position.ship_by_id(name).bow != stern, id_sort_key(name))),
        )
    return line


def _lies_behind(context: OrderContext, ship: str, after: str) -> bool:
    return command.is_behind(context.position.ship_by_id(ship), context.position.ship_by_id(after))


def _ships_in_range(context: OrderContext, sheet: OrderSheet, unit: str, leader: Leader) -> Iterator[str]:
    """Ships within a leader's range that are in another leader's squadron, and no Command Ships (SQ-05.5)."""
    reach = command.distances_by_ship(
        context.position, context.position.ship_by_id(leader.ship), context.side, leader.rating.range
    )
    aboard = {one.ship for one in context.position.leaders}
    for one in _squadrons_with_leader(context, sheet):
        if one.display_name != unit and one.form == "range":
            yield from (name for name in sorted(one.ships, key=id_sort_key) if name in reach and name not in aboard)
