"""Deployment of a fleet before the first turn: notation and options (SQ-23.4, SQ-23.5).

A draft lists the ships (`B1 0713NE, B2 0913N`) and the ships of leaders (`BL1 B2`). The word `enter` before them means
that they enter over their edge in the first turn, each at her place. A formation is typed by its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct, structs

from rules.core.errors import IllegalOrder, Scalar, UnreadableOrder, quote_excerpt, raise_fault
from rules.core.protocol import Choices, Draft, Option, OptionGroup
from rules.core.view import Text
from rules.interface.drafts import AnswerNotation
from rules.interface.panels import button_row, drop_empty, select_menu
from rules.interface.typed import fold_text, split_pieces, typed_meanings
from rules.squadrons.engine.notation.orders import FleetSide
from rules.squadrons.engine.odds import BarReason
from rules.squadrons.engine.sea import fleets, grid
from rules.squadrons.engine.sea.fleets import FORMATIONS, Formation
from rules.squadrons.engine.sea.grid import FACING_NAMES, HexPose
from rules.squadrons.engine.sea.state import Leader, Position, State, id_sort_key
from rules.squadrons.interface.drafts.answers import Deployment

ENTER_WORD: Final = "enter"
MAX_TEXT_CHARS: Final = 1500
# `b1 0713 ne`: a ship, her bow's hex, perhaps her facing
_SHIP_PATTERN: Final = re.compile(r"([br][1-9][0-9]?)[ :@]*([0-9]{4})[ :]*(ne|nw|se|sw|n|s|ek|eny|dk|dny|e|d)?")
_LEADER_PATTERN: Final = re.compile(r"([br]l[1-9])[ :@]*([br][1-9][0-9]?)")  # `bl1 b2`
_HUNGARIAN_DIRECTIONS: Final = {"ek": "NE", "eny": "NW", "dk": "SE", "dny": "SW", "e": "N", "d": "S"}
_WORDS: Final = typed_meanings(
    {
        ENTER_WORD: ("belep", "bejon"),
        "line": ("vonal",),
        "close": ("zart",),
        "lines": ("ket vonal", "two lines"),
        "columns": ("oszlopok",),
        "left": ("bal",),
        "right": ("jobb",),
    }
)


class DeploymentContext(Struct, frozen=True):
    position: Position
    side: FleetSide  # that deploys
    may_enter: bool = False  # this side deploys second and may enter in the first turn instead (SQ-23.5)


class DeploymentDraft(Struct, frozen=True):
    places: Mapping[str, HexPose]  # of all ships, by id
    leaders: Mapping[str, str]  # ship of each leader, by id
    enters: bool = False  # the fleet enters over its edge in the first turn
    ship_or_all: str = "all"  # the ship in focus, or `all`

    @property
    def ships_in_focus(self) -> tuple[str, ...]:
        return tuple(self.places) if self.ship_or_all == "all" else (self.ship_or_all,)


def deployment_context(state: State, side: FleetSide) -> DeploymentContext:
    return DeploymentContext(state.position, side, may_enter=state.opener == side)


def propose_deployment(context: DeploymentContext) -> DeploymentDraft:  # SQ-23, SQ-23.4
    leaders = {leader.id: leader.ship for leader in context.position.leaders if leader.side == context.side}
    return DeploymentDraft(fleets.formation_places(context.position, context.side, "line"), leaders)


def deployment_of_draft(draft: DeploymentDraft) -> Deployment:
    places = tuple((name, str(draft.places[name])) for name in sorted(draft.places, key=id_sort_key))
    return Deployment(enters=draft.enters, places=places, leaders=tuple(sorted(draft.leaders.items())))


def format_deployment(deployment: Deployment) -> str:
    ships = ", ".join(f"{name} {place}" for name, place in deployment.places)
    leaders = ", ".join(f"{leader} {ship}" for leader, ship in deployment.leaders)
    return "; ".join(filter(None, (ENTER_WORD if deployment.enters else "", ships, leaders)))


def with_deployment(position: Position, side: str, deployment: Deployment) -> Position:
    places = {name: grid.parse_place(place) for name, place in deployment.places}
    if deployment.enters:
        places = {name: fleets.waiting_place(place) for name, place in places.items()}
    ship_by_leader = dict(deployment.leaders)
    ships = tuple(
        structs.replace(ship, status="afloat") if ship.builder == side else ship
        for ship in fleets.with_places(position, places).ships
    )
    leaders = tuple(
        structs.replace(leader, ship=ship_by_leader.get(leader.id, leader.ship)) for leader in position.leaders
    )
    return structs.replace(position, ships=ships, leaders=leaders)


# --- reading -----------------------------------------------------------------------------------------------------


def parse_into(context: DeploymentContext, draft: DeploymentDraft, text: str) -> DeploymentDraft:
    """Return the draft with typed places added. Raises `OrderError`."""
    for piece in split_pieces(fold_text(text), ",;\n\r"):
        draft = _parse_piece(context, draft, piece)
    if barred := _why_barred(context, draft):
        raise_fault(barred.to_fault(barred.expected or quote_excerpt(text), **_refusal_params(context, draft, barred)))
    return draft


def move_focus(_: DeploymentContext, draft: DeploymentDraft, focus: str) -> DeploymentDraft:
    return structs.replace(draft, ship_or_all=focus if focus in draft.places else "all")


def _parse_piece(context: DeploymentContext, draft: DeploymentDraft, piece: str) -> DeploymentDraft:
    word = _WORDS.get(piece)
    if word == ENTER_WORD:
        if not context.may_enter:
            raise IllegalOrder("no_entry", "SQ-23.4", piece=quote_excerpt(piece))
        return structs.replace(draft, enters=True, places=fleets.entry_places(context.position, context.side))
    if word:
        formation = next(candidate for candidate in FORMATIONS if candidate == word)
        places = fleets.formation_places(context.position, context.side, formation)
        return structs.replace(draft, enters=False, places=places)
    if match := _LEADER_PATTERN.fullmatch(piece):
        return _with_leader(draft, _known_id(match[1], draft.leaders), _known_id(match[2], draft.places))
    match = _SHIP_PATTERN.fullmatch(piece)
    if match is None:
        raise UnreadableOrder("place_unreadable", piece=quote_excerpt(piece))
    name = _known_id(match[1], draft.places)
    facing = draft.places[name].facing
    if letters := match[3]:
        facing = FACING_NAMES.index(_HUNGARIAN_DIRECTIONS.get(letters, letters.upper()))
    place = HexPose(grid.parse_hex(match[2]), facing)
    return structs.replace(draft, places={**draft.places, name: place})


def _known_id(text: str, known_ids: Mapping[str, object]) -> str:
    name = text.upper()
    if name not in known_ids:
        raise IllegalOrder("not_of_fleet", "SQ-23.4", piece=name)
    return name


def _with_leader(draft: DeploymentDraft, leader: str, ship: str) -> DeploymentDraft:
    """Return the draft with a leader on a ship. A leader already there takes the other's place (SQ-23.8)."""
    ship_before = draft.leaders[leader]
    leaders = {other: ship_before if carrier == ship else carrier for other, carrier in draft.leaders.items()}
    return structs.replace(draft, leaders={**leaders, leader: ship})


def _why_barred(context: DeploymentContext, draft: DeploymentDraft) -> BarReason | None:
    if not draft.enters:
        return fleets.why_deployment_barred(context.position, context.side, draft.places)
    position = context.position
    for place in draft.places.values():
        _, row = grid.column_and_row(place.bow)
        is_edge_row = fleets.depth_from_edge(position, context.side, row) == 0
        is_on_edge = is_edge_row and position.is_on_map(place.bow)
        if not is_on_edge or place.facing != fleets.facing_of_side(context.side):
            return BarReason("SQ-23.5", "not_over_the_edge", str(place))
    bows = [place.bow for place in draft.places.values()]
    shared_hex = next((bow for bow in bows if bows.count(bow) > 1), None)
    return BarReason("SQ-02.5", "hex_taken", grid.hex_label(shared_hex)) if shared_hex else None


def _refusal_params(context: DeploymentContext, draft: DeploymentDraft, barred: BarReason) -> dict[str, Scalar]:
    params: dict[str, Scalar] = {"most": fleets.MAX_DEPTH_HEXES}
    if barred.code == "hex_taken":
        ships = context.position.ships_by_id
        hexes = {name: place.covered_hexes(ships[name].size) for name, place in draft.places.items()}
        if draft.enters:
            hexes = {name: hexes[name][:1] for name in hexes}
        ships_in_hex = [name for name in hexes if barred.expected in map(grid.hex_label, hexes[name])]
        params["ships"] = ", ".join(sorted(ships_in_hex, key=id_sort_key))
    return params


def start_hexes(context: DeploymentContext) -> tuple[str, ...]:
    position = context.position
    rows = [
        row
        for row in range(1, position.height + 1)
        if fleets.depth_from_edge(position, context.side, row) <= fleets.MAX_DEPTH_HEXES
    ]
    hexes = (grid.hex_at(column, row) for row in rows for column in range(1, position.width + 1))
    return tuple(grid.hex_label(here) for here in hexes if here not in position.land_hexes)


# --- pressing ----------------------------------------------------------------------------------------------------


def draft_choices(context: DeploymentContext, draft: DeploymentDraft) -> Choices:
    draft_of_all = structs.replace(draft, ship_or_all="all")
    names: tuple[str, ...] = (*FORMATIONS, ENTER_WORD) if context.may_enter else FORMATIONS
    formation_options = []
    for name in names:
        token = f"formation.{name}"
        is_chosen = _is_formation(context, draft, name)
        option = DEPLOYMENT_NOTATION.typed_option(context, draft_of_all, token, Text(token), name, chosen=is_chosen)
        formation_options.append(option)
    groups = drop_empty(
        select_menu("formation", formation_options),
        OptionGroup(key="placed", style="select", options=tuple(_unit_options(context, draft))),
        button_row("shift", _shift_options(context, draft)),
        button_row("turn", _turn_options(context, draft)),
        button_row("aboard", _leader_options(context, draft)),
    )
    return Choices(groups=groups, lines=tuple(_draft_lines(context, draft)))


def _is_formation(context: DeploymentContext, draft: DeploymentDraft, name: str) -> bool:
    formed_draft = _parse_piece(context, draft, name)
    return draft.enters == formed_draft.enters and (draft.enters or dict(draft.places) == dict(formed_draft.places))


def _unit_options(context: DeploymentContext, draft: DeploymentDraft) -> Iterator[Option]:
    ships = context.position.ships_by_id
    labels = {"all": Text("unit.all", {"ships": len(draft.places)})}
    for name in sorted(draft.places, key=id_sort_key):
        params = {"ship": name, "kind": ships[name].code, "place": str(draft.places[name])}
        labels[name] = Text("unit.placed", params)
    return DEPLOYMENT_NOTATION.focus_options(
        context, "unit", labels, lambda unit: structs.replace(draft, ship_or_all=unit), draft.ship_or_all
    )


def _shift_options(context: DeploymentContext, draft: DeploymentDraft) -> Iterator[Option]:
    ships = draft.ships_in_focus
    if draft.enters:
        for token, columns in (("W", -1), ("E", 1)):
            places = fleets.shift_along_edge(draft.places, ships, columns)
            yield _placement_option(context, draft, f"shift.{token}", places)
    else:
        for direction, token in enumerate(FACING_NAMES):
            places = fleets.shift_places(draft.places, ships, direction)
            yield _placement_option(context, draft, f"shift.{token}", places)


def _turn_options(context: DeploymentContext, draft: DeploymentDraft) -> Iterator[Option]:
    if draft.enters:
        return
    for token, hexsides in (("port", -1), ("starboard", 1)):
        places = fleets.turn_places(draft.places, draft.ships_in_focus, hexsides)
        yield _placement_option(context, draft, f"turn.{token}", places)


def _placement_option(
    context: DeploymentContext, draft: DeploymentDraft, token: str, places: Mapping[str, HexPose]
) -> Option:
    text = ", ".join(f"{name} {places[name]}" for name in draft.ships_in_focus)
    return DEPLOYMENT_NOTATION.typed_option(context, draft, token, Text(token), text)


def _leader_options(context: DeploymentContext, draft: DeploymentDraft) -> Iterator[Option]:
    if draft.ship_or_all == "all":
        return
    for leader in leaders_of(context):
        rank = "admiral" if leader.is_admiral else "squadron"
        label = Text(f"aboard.{rank}", {"leader": leader.id})
        text = f"{leader.id} {draft.ship_or_all}"
        yield DEPLOYMENT_NOTATION.typed_option(context, draft, f"aboard.{leader.id}", label, text)


def leaders_of(context: DeploymentContext) -> tuple[Leader, ...]:
    return tuple(leader for leader in context.position.leaders if leader.side == context.side)


def _draft_lines(context: DeploymentContext, draft: DeploymentDraft) -> Iterator[Text]:
    name: Formation | None = None if draft.enters else fleets.formation_of(context.position, context.side, draft.places)
    if name:
        yield Text("line.formation", {"formation": name})
    else:
        places = (f"{ship} {draft.places[ship]}" for ship in sorted(draft.places, key=id_sort_key))
        yield Text("line.entering" if draft.enters else "line.places", {"places": ", ".join(places)})
    for leader in leaders_of(context):
        rank = "admiral" if leader.is_admiral else "squadron"
        yield Text(f"carried.{rank}", {"leader": leader.id, "ship": draft.leaders[leader.id]})


DEPLOYMENT_NOTATION: Final[AnswerNotation[State, DeploymentContext, DeploymentDraft, Deployment]] = AnswerNotation(
    context=lambda state, request: deployment_context(state, state.captains[request.seat].side),
    empty_draft=propose_deployment,
    parse_into=parse_into,
    write_draft=lambda _, draft: Draft(format_deployment(deployment_of_draft(draft)), draft.ship_or_all),
    complete_answer=lambda _, draft: deployment_of_draft(draft),
    format_answer=format_deployment,
    move_focus=move_focus,
    max_chars=MAX_TEXT_CHARS,
)
