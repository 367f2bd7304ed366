"""Where a fleet lies before the first turn (D-2, D-3, SQ-23.4, SQ-23.5): its notation, and what may be pressed.

A draft lists the ships, `B1 0713NE, B2 0913N`, and what leaders they carry, `BL1 B2`; the word `enter` before them
means that they come in over their edge in the first turn, each at her place. Formations are typed by name.
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
from rules.squadrons.engine.sea import fleets, formations, grid
from rules.squadrons.engine.sea.formations import FORMATIONS, Formation
from rules.squadrons.engine.sea.grid import FACING_NAMES, HexPose
from rules.squadrons.engine.sea.state import Leader, Position, State, id_sort_key
from rules.squadrons.interface.drafts.answers import Deployment

ENTER_WORD: Final = "enter"
"""The fleet comes in over its edge in the first turn."""
MAX_TEXT_CHARS: Final = 1500
"""Characters: thirty ships and five leaders, and as many words besides."""
_SHIP_PATTERN: Final = re.compile(r"([br][1-9][0-9]?)[ :@]*([0-9]{4})[ :]*(ne|nw|se|sw|n|s|ek|eny|dk|dny|e|d)?")
_LEADER_PATTERN: Final = re.compile(r"([br]l[1-9])[ :@]*([br][1-9][0-9]?)")
_HUNGARIAN_DIRECTIONS: Final = {"ek": "NE", "eny": "NW", "dk": "SE", "dny": "SW", "e": "N", "d": "S"}
"""Directions in Hungarian, without accents."""
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
"""What may be typed for a formation, without accents."""


class DeploymentContext(Struct, frozen=True):
    """Read-only inputs for placing one fleet."""

    position: Position
    side: FleetSide
    may_enter: bool = False
    """This side places second, and may enter in the first turn instead (SQ-23.5)."""


class DeploymentDraft(Struct, frozen=True):
    """An unfinished deployment."""

    places: Mapping[str, HexPose]
    leaders: Mapping[str, str]
    enters: bool = False
    ship_or_all: str = "all"
    """The ship that is placed just now, or `all`."""

    @property
    def ships_in_hand(self) -> tuple[str, ...]:
        """The ship that is placed just now, or all."""
        return tuple(self.places) if self.ship_or_all == "all" else (self.ship_or_all,)


def deployment_context(state: State, side: FleetSide) -> DeploymentContext:
    """The inputs for placing one side's fleet."""
    return DeploymentContext(state.position, side, may_enter=state.opener == side)


def propose_deployment(context: DeploymentContext) -> DeploymentDraft:
    """Line abreast, the leaders where they are (3.1, U3)."""
    leaders = {one.id: one.ship for one in context.position.leaders if one.side == context.side}
    return DeploymentDraft(formations.formation_places(context.position, context.side, "line"), leaders)


def deployment_of_draft(draft: DeploymentDraft) -> Deployment:
    """The deployment of a draft: ships that it does not name lie as proposed."""
    places = tuple((name, str(draft.places[name])) for name in sorted(draft.places, key=id_sort_key))
    return Deployment(enters=draft.enters, places=places, leaders=tuple(sorted(draft.leaders.items())))


def format_deployment(given: Deployment) -> str:
    """An answer as text that `DEPLOYMENT_NOTATION.finish` reads back."""
    ships = ", ".join(f"{name} {place}" for name, place in given.places)
    leaders = ", ".join(f"{leader} {ship}" for leader, ship in given.leaders)
    return "; ".join(filter(None, (ENTER_WORD if given.enters else "", ships, leaders)))


def with_deployment(position: Position, side: str, given: Deployment) -> Position:
    """The position with a side's fleet as an answer has it: on the map, or waiting beyond its edge."""
    places = {name: grid.parse_place(place) for name, place in given.places}
    if given.enters:
        places = {name: formations.waiting_place(place) for name, place in places.items()}
    aboard = dict(given.leaders)
    ships = tuple(
        structs.replace(ship, status="afloat") if ship.builder == side else ship
        for ship in fleets.with_places(position, places).ships
    )
    leaders = tuple(structs.replace(one, ship=aboard.get(one.id, one.ship)) for one in position.leaders)
    return structs.replace(position, ships=ships, leaders=leaders)


# --- reading -----------------------------------------------------------------------------------------------------


def parse_into(context: DeploymentContext, draft: DeploymentDraft, text: str) -> DeploymentDraft:
    """The draft with typed places in it. Raises `OrderError`."""
    for piece in split_pieces(fold_text(text), ",;\n\r"):
        draft = _parse_piece(context, draft, piece)
    if wrong := _why_barred(context, draft):
        raise_fault(wrong.to_fault(wrong.expected or quote_excerpt(text), **_refusal_params(context, draft, wrong)))
    return draft


def move_focus(_: DeploymentContext, draft: DeploymentDraft, focus: str) -> DeploymentDraft:
    """The draft with a ship in hand, or all."""
    return structs.replace(draft, ship_or_all=focus if focus in draft.places else "all")


def _parse_piece(context: DeploymentContext, draft: DeploymentDraft, piece: str) -> DeploymentDraft:
    word = _WORDS.get(piece)
    if word == ENTER_WORD:
        if not context.may_enter:
            raise IllegalOrder("no_entry", "SQ-23.4", piece=quote_excerpt(piece))
        return structs.replace(draft, enters=True, places=formations.entry_places(context.position, context.side))
    if word:
        formation = next(one for one in FORMATIONS if one == word)
        places = formations.formation_places(context.position, context.side, formation)
        return structs.replace(draft, enters=False, places=places)
    if found := _LEADER_PATTERN.fullmatch(piece):
        return _with_leader(draft, _known_id(found[1], draft.leaders), _known_id(found[2], draft.places))
    found = _SHIP_PATTERN.fullmatch(piece)
    if found is None:
        raise UnreadableOrder("place_unreadable", piece=quote_excerpt(piece), expected="B1 0713 NE")
    name = _known_id(found[1], draft.places)
    letters = found[3] or ""
    facing = (
        FACING_NAMES.index(_HUNGARIAN_DIRECTIONS.get(letters, letters.upper()))
        if letters
        else draft.places[name].facing
    )
    return structs.replace(draft, places={**draft.places, name: HexPose(grid.parse_hex(found[2]), facing)})


def _known_id(text: str, own: Mapping[str, object]) -> str:
    name = text.upper()
    if name not in own:
        raise IllegalOrder("not_of_fleet", "SQ-23.4", piece=name)
    return name


def _with_leader(draft: DeploymentDraft, leader: str, ship: str) -> DeploymentDraft:
    """The draft with a leader on a ship; a leader who was there swaps places (SQ-23.8)."""
    before = draft.leaders[leader]
    leaders = {one: before if at == ship else at for one, at in draft.leaders.items()}
    return structs.replace(draft, leaders={**leaders, leader: ship})


def _why_barred(context: DeploymentContext, draft: DeploymentDraft) -> BarReason | None:
    """Why a fleet may not lie so; None: it may."""
    if not draft.enters:
        return fleets.why_deployment_barred(context.position, context.side, draft.places)
    edge = 0
    for place in draft.places.values():
        _, row = grid.column_and_row(place.bow)
        on_edge = (
            context.position.is_on_map(place.bow)
            and fleets.depth_from_edge(context.position, context.side, row) == edge
        )
        if not on_edge or place.facing != fleets.facing_of_side(context.side):
            return BarReason("SQ-23.5", "not_over_the_edge", str(place))
    bows = [place.bow for place in draft.places.values()]
    twice = next((bow for bow in bows if bows.count(bow) > 1), None)
    return BarReason("SQ-02.5", "hex_taken", grid.hex_label(twice)) if twice else None


def _refusal_params(context: DeploymentContext, draft: DeploymentDraft, wrong: BarReason) -> dict[str, Scalar]:
    """Further values of a refusal's sentence: how deep fleets may lie; for a taken hex, the ships there."""
    params: dict[str, Scalar] = {"most": fleets.MAX_DEPTH_HEXES}
    if wrong.code == "hex_taken":
        ships = context.position.ships_by_id
        hexes = {name: place.covered_hexes(ships[name].size) for name, place in draft.places.items()}
        if draft.enters:
            hexes = {name: hexes[name][:1] for name in hexes}
        own = [name for name in hexes if wrong.expected in map(grid.hex_label, hexes[name])]
        params["ships"] = ", ".join(sorted(own, key=id_sort_key))
    return params


def start_hexes(context: DeploymentContext) -> tuple[str, ...]:
    """Labels of the hexes in which ships may be placed."""
    position = context.position
    rows = [
        row
        for row in range(1, position.height + 1)
        if fleets.depth_from_edge(position, context.side, row) <= fleets.MAX_DEPTH_HEXES
    ]
    every = (grid.hex_at(column, row) for row in rows for column in range(1, position.width + 1))
    return tuple(grid.hex_label(here) for here in every if here not in position.land_hexes)


# --- pressing ----------------------------------------------------------------------------------------------------


def draft_choices(context: DeploymentContext, draft: DeploymentDraft) -> Choices:
    """Formations; all ships or one of them; a hex further, or turned; who carries which leader."""
    every = structs.replace(draft, ship_or_all="all")
    names = (*FORMATIONS, *((ENTER_WORD,) if context.may_enter else ()))
    laid = (
        DEPLOYMENT_NOTATION.typed_option(
            context,
            every,
            f"formation.{name}",
            Text(f"formation.{name}"),
            name,
            chosen=_is_formation(context, draft, name),
        )
        for name in names
    )
    groups = drop_empty(
        select_menu("formation", laid),
        OptionGroup(key="placed", style="select", options=tuple(_unit_options(context, draft))),
        button_row("shift", _shift_options(context, draft)),
        button_row("turn", _turn_options(context, draft)),
        button_row("aboard", _leader_options(context, draft)),
    )
    return Choices(groups=groups, lines=tuple(_draft_lines(context, draft)))


def _is_formation(context: DeploymentContext, draft: DeploymentDraft, name: str) -> bool:
    """Whether ships lie in a formation."""
    after = _parse_piece(context, draft, name)
    return draft.enters == after.enters and (draft.enters or dict(draft.places) == dict(after.places))


def _unit_options(context: DeploymentContext, draft: DeploymentDraft) -> Iterator[Option]:
    """All ships, or one that is moved by herself."""
    ships = context.position.ships_by_id
    labels = {"all": Text("unit.all", {"ships": len(draft.places)})}
    for name in sorted(draft.places, key=id_sort_key):
        params = {"ship": name, "kind": ships[name].code, "place": str(draft.places[name])}
        labels[name] = Text("unit.placed", params)
    return DEPLOYMENT_NOTATION.focus_options(
        context, "unit", labels, lambda hand: structs.replace(draft, ship_or_all=hand), draft.ship_or_all
    )


def _shift_options(context: DeploymentContext, draft: DeploymentDraft) -> Iterator[Option]:
    """One hex further for all, or for the ship in hand; fleets that enter over the edge move along it."""
    if draft.enters:
        moved = {
            token: formations.shift_along_edge(draft.places, draft.ships_in_hand, by)
            for token, by in (("W", -1), ("E", 1))
        }
    else:
        moved = {
            token: formations.shift_places(draft.places, draft.ships_in_hand, way)
            for way, token in enumerate(FACING_NAMES)
        }
    for token, places in moved.items():
        yield _placement_option(context, draft, f"shift.{token}", places)


def _turn_options(context: DeploymentContext, draft: DeploymentDraft) -> Iterator[Option]:
    """Her bow, or everybody's, a sixth of a circle round."""
    for token, by in () if draft.enters else (("port", -1), ("starboard", 1)):
        yield _placement_option(
            context, draft, f"turn.{token}", formations.turn_places(draft.places, draft.ships_in_hand, by)
        )


def _placement_option(
    context: DeploymentContext, draft: DeploymentDraft, token: str, places: Mapping[str, HexPose]
) -> Option:
    """Ships in other places, or why they may not lie there."""
    text = ", ".join(f"{name} {places[name]}" for name in draft.ships_in_hand)
    return DEPLOYMENT_NOTATION.typed_option(context, draft, token, Text(token), text)


def _leader_options(context: DeploymentContext, draft: DeploymentDraft) -> Iterator[Option]:
    """Which leader the ship in hand carries."""
    for leader in () if draft.ship_or_all == "all" else leaders_of(context):
        label = Text(f"aboard.{'admiral' if leader.is_admiral else 'squadron'}", {"leader": leader.id})
        yield DEPLOYMENT_NOTATION.typed_option(
            context, draft, f"aboard.{leader.id}", label, f"{leader.id} {draft.ship_or_all}"
        )


def leaders_of(context: DeploymentContext) -> tuple[Leader, ...]:
    """The leaders of the side."""
    return tuple(one for one in context.position.leaders if one.side == context.side)


def _draft_lines(context: DeploymentContext, draft: DeploymentDraft) -> Iterator[Text]:
    """The formation, or every place, in words; then who carries leaders."""
    name: Formation | None = (
        None if draft.enters else formations.formation_of(context.position, context.side, draft.places)
    )
    if name:
        yield Text("line.formation", {"formation": name})
    else:
        places = (f"{one} {draft.places[one]}" for one in sorted(draft.places, key=id_sort_key))
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
