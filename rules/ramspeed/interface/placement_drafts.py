"""Where a captain's ships lie before the first turn: notation and options (RS-22.6).

A draft lists ships with their middles, in inches, and their headings: `A1 @4,9^90; A2 @4,12^90`. A typed piece keeps
what it omits: `A1 ^180` only turns the ship. `line` is the line abreast.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct, structs

from rules.core.errors import Fault, IllegalOrder, UnreadableOrder, illegal_fault, quote_excerpt, raise_fault
from rules.core.protocol import Choices, Draft, Option, Request
from rules.core.view import Text
from rules.interface.drafts import AnswerNotation
from rules.interface.panels import button_row, drop_empty, keep_together, select_menu
from rules.interface.typed import fold_text, split_pieces, typed_meanings
from rules.ramspeed.engine import free_battle
from rules.ramspeed.engine.geometry import hulls
from rules.ramspeed.engine.notation.position import format_number
from rules.ramspeed.engine.notation.scenarios import begins_in_the_north
from rules.ramspeed.engine.state import Position, Ship, State, Zone

RULE: Final = "RS-22.6"
ALL_SHIPS: Final = "all"  # the focus on the whole fleet
_NUMBER_PATTERN: Final = r"([0-9]{1,3}(?:\.[0-9]{1,3})?)"
_PIECE_PATTERN: Final = re.compile(
    rf"([a-z]{{1,2}}[0-9]{{1,2}})[ :]*(?:@? ?{_NUMBER_PATTERN}[ ,/]+{_NUMBER_PATTERN})?(?: ?\^? ?([0-9]{{1,3}}) ?°?)?"
)
_DECIMAL_COMMA: Final = re.compile(r"(?<=[0-9]),(?=[0-9]+[ /]+[0-9])")  # `4,5 9` has one
_WORDS: Final = typed_meanings({"line": ("vonal", "sor", "egymas mellett")})
_SHIFT_IN: Final = 1.0
_TURN_DEG: Final = 15
_SHIFTS: Final = {"left": (-1, 0), "right": (1, 0), "up": (0, 1), "down": (0, -1)}
"""Shifts in the captain's picture, to the right and up. North is up, or south if the picture is turned."""


class Place(Struct, frozen=True):
    ship: str  # id
    x: float
    y: float
    heading: int


class Placement(Struct, frozen=True, tag="Placement"):
    places: tuple[Place, ...]  # of all the captain's ships, by id


class PlacementContext(Struct, frozen=True):
    position: Position  # with the captain's ships at their proposed places, and all others that the captain may see
    zone: Zone
    ships: tuple[Ship, ...]  # the captain's, at their proposed places
    is_turned: bool = False  # whether the captain's picture has south up


class PlacementDraft(Struct, frozen=True):
    ships: tuple[Ship, ...]  # at the places chosen so far
    focus: str = ALL_SHIPS  # id of the ship that is moved, or `all`

    @property
    def ships_in_focus(self) -> tuple[Ship, ...]:
        return tuple(ship for ship in self.ships if self.focus in (ALL_SHIPS, ship.id))


def placement_context(state: State, player: str) -> PlacementContext:
    set_up = state.set_up
    assert set_up is not None  # noqa: S101 - ships are placed before the battle
    zone = next(zone for zone in set_up.zones if zone.player == player)
    ships = tuple(ship for ship in state.position.ships if ship.id in set_up.unplaced and ship.owner == player)
    is_turned = begins_in_the_north(state.position.board, state.position.side_of_player(player))
    return PlacementContext(visible_position(state, player), zone, ships, is_turned)


def visible_position(state: State, player: str | None) -> Position:
    """Return the position without ships that others have still to place; they are secret (RS-22.6)."""
    set_up = state.set_up
    if set_up is None or not set_up.unplaced:
        return state.position
    ships = tuple(ship for ship in state.position.ships if ship.id not in set_up.unplaced or ship.owner == player)
    return structs.replace(state.position, ships=ships)


def with_places(position: Position, placement: Placement) -> Position:
    places = {place.ship: place for place in placement.places}
    ships = tuple(
        structs.replace(ship, x=places[ship.id].x, y=places[ship.id].y, heading=places[ship.id].heading)
        if ship.id in places
        else ship
        for ship in position.ships
    )
    return structs.replace(position, ships=ships)


def propose_placement(context: PlacementContext) -> Placement:
    """Return the scenario's places, or the line abreast of a free battle."""
    return _answer(PlacementDraft(context.ships))


def _answer(draft: PlacementDraft) -> Placement:
    return Placement(tuple(Place(ship.id, ship.x, ship.y, ship.heading) for ship in draft.ships))


def format_placement(placement: Placement) -> str:
    return "; ".join(
        f"{place.ship} @{format_number(place.x)},{format_number(place.y)}^{place.heading}" for place in placement.places
    )


# --- reading -----------------------------------------------------------------------------------------------------


def parse_into(context: PlacementContext, draft: PlacementDraft, text: str) -> PlacementDraft:
    """Return the draft after a text was typed. Raises `OrderError` with the ship and what is in the way."""
    ships = {ship.id: ship for ship in draft.ships}
    for piece in split_pieces(fold_text(text)):
        if piece in _WORDS:
            ships = {ship.id: ship for ship in free_battle.line_abreast(context.zone, context.ships)}
            continue
        ship = _read_ship(ships, piece)
        ships[ship.id] = ship
    after = structs.replace(draft, ships=tuple(ships.values()))
    raise_fault(placement_fault(context, after, text))
    return after


def _read_ship(ships: Mapping[str, Ship], piece: str) -> Ship:
    match = _PIECE_PATTERN.fullmatch(_DECIMAL_COMMA.sub(".", piece))
    first = next(iter(ships.values()))
    if match is None:
        expected = format_placement(_answer(PlacementDraft((first,))))
        raise UnreadableOrder("bad_place", piece=quote_excerpt(piece), expected=expected)
    name = match[1].upper()
    if name not in ships:
        raise IllegalOrder("not_to_place", RULE, piece=quote_excerpt(piece), ship=name, yours=", ".join(ships))
    ship = ships[name]
    heading = int(match[4]) if match[4] else ship.heading
    if heading > 360:
        raise IllegalOrder("bad_heading", "RS-01.1", piece=quote_excerpt(piece), given=heading)
    x, y = (float(match[2]), float(match[3])) if match[2] else (ship.x, ship.y)
    return structs.replace(ship, x=x, y=y, heading=heading % 360)


def placement_fault(context: PlacementContext, draft: PlacementDraft, piece: str) -> Fault | None:
    """Return why the first ship that was moved may not lie there, or None."""
    own = {ship.id for ship in draft.ships}
    others = [ship for ship in context.position.ships if ship.is_afloat and ship.id not in own]
    proposed = {ship.id: ship for ship in context.ships}
    for ship in draft.ships:
        if ship == proposed[ship.id]:
            continue  # what is proposed may always be sealed; ships that are moved keep clear of it
        fault = free_battle.place_fault(context.position, context.zone, ship, [*draft.ships, *others])
        if fault:
            return illegal_fault(fault.code, fault.rule, piece=quote_excerpt(piece), ship=ship.id, other=fault.other)
    return None


def move_focus(context: PlacementContext, draft: PlacementDraft, focus: str) -> PlacementDraft:
    is_ship = any(ship.id == focus for ship in context.ships)
    return structs.replace(draft, focus=focus if is_ship else ALL_SHIPS)


def _context(state: State, request: Request) -> PlacementContext:
    return placement_context(state, state.player_of(request.seat))


PLACEMENT_NOTATION: Final[AnswerNotation[State, PlacementContext, PlacementDraft, Placement]] = AnswerNotation(
    context=_context,
    empty_draft=lambda context: PlacementDraft(context.ships),
    parse_into=parse_into,
    write_draft=lambda _, draft: Draft(
        format_placement(_answer(draft)), "" if draft.focus == ALL_SHIPS else draft.focus
    ),
    complete_answer=lambda _, draft: _answer(draft),
    format_answer=format_placement,
    move_focus=move_focus,
)


def example_place(context: PlacementContext) -> str:
    return format_placement(_answer(PlacementDraft(context.ships[:1])))


# --- pressing ----------------------------------------------------------------------------------------------------


def draft_choices(context: PlacementContext, draft: PlacementDraft) -> Choices:
    inches = -_SHIFT_IN if context.is_turned else _SHIFT_IN
    shifts = [
        _moved_option(context, draft, f"shift.{way}", (inches * right, inches * up))
        for way, (right, up) in _SHIFTS.items()
    ]
    turns = [
        _moved_option(context, draft, "turn.left", turn=-_TURN_DEG),
        _moved_option(context, draft, "turn.right", turn=_TURN_DEG),
    ]
    line = PLACEMENT_NOTATION.typed_option(context, draft, "abreast", Text("choice.abreast"), "line")
    groups = drop_empty(
        select_menu("placed", _ship_options(context, draft)),
        button_row("shift", keep_together(shifts)),
        button_row("rotate", [*keep_together(turns), line]),
    )
    return Choices(groups=groups, lines=tuple(map(_place_line, draft.ships)))


def _place_line(ship: Ship) -> Text:
    return Text("line.placed", {"ship": ship.id, "kind": ship.code, "x": ship.x, "y": ship.y, "heading": ship.heading})


def _ship_options(context: PlacementContext, draft: PlacementDraft) -> Iterator[Option]:
    if len(context.ships) == 1:
        return
    labels = {ALL_SHIPS: Text("choice.placed.all")}
    for ship in draft.ships:
        labels[ship.id] = Text("choice.placed", {"ship": ship.id, "kind": ship.code})
    yield from PLACEMENT_NOTATION.focus_options(
        context, "placed", labels, lambda focus: structs.replace(draft, focus=focus), draft.focus
    )


def _moved_option(
    context: PlacementContext, draft: PlacementDraft, token: str, by: tuple[float, float] = (0.0, 0.0), turn: int = 0
) -> Option:
    """Return an option that shifts or turns the ships in focus, with the fault that it would cause."""
    names = {ship.id for ship in draft.ships_in_focus}
    ships = tuple(
        structs.replace(
            ship,
            x=hulls.round_place(ship.x + by[0]),
            y=hulls.round_place(ship.y + by[1]),
            heading=(ship.heading + turn) % 360,
        )
        if ship.id in names
        else ship
        for ship in draft.ships
    )
    after = structs.replace(draft, ships=ships)
    label = Text(f"choice.{token}", {"degrees": abs(turn), "shift": _SHIFT_IN})
    fault = placement_fault(context, after, "")
    return PLACEMENT_NOTATION.make_option(context, after, token, label, fault=fault)
