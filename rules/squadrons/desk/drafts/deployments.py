"""Where a fleet lies before the first turn (D-2, D-3, SQ-23.4, SQ-23.5): its notation, and what may be pressed.

A draft lists the ships, `B1 0713NE, B2 0913N`, and what leaders they carry, `BL1 B2`; the word `enter` before them
means that they come in over their edge in the first turn, each at her place. Formations are typed by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct, structs

from rules.errors import IllegalOrder, Scalar, UnreadableOrder, excerpt, refuse
from rules.notebook import Notebook
from rules.panels import buttons, select, shown
from rules.protocol import Choices, Draft, Group, Option
from rules.squadrons.desk.drafts.answers import Deployment
from rules.squadrons.table.notation.orders import Side
from rules.squadrons.table.odds import Barred
from rules.squadrons.table.sea import fleets, formations, grid
from rules.squadrons.table.sea.formations import FORMATIONS, Formation
from rules.squadrons.table.sea.grid import FACINGS, Place
from rules.squadrons.table.sea.state import Leader, Position, State, order_of
from rules.typed import fold, meanings, pieces
from rules.view import Text

ENTER: Final = "enter"
"""The fleet comes in over its edge in the first turn."""
MOST_TEXT: Final = 1500
"""Characters: thirty ships and five leaders, and as many words besides."""
_SHIP: Final = re.compile(r"([br][1-9][0-9]?)[ :@]*([0-9]{4})[ :]*(ne|nw|se|sw|n|s|ek|eny|dk|dny|e|d)?")
_LEADER: Final = re.compile(r"([br]l[1-9])[ :@]*([br][1-9][0-9]?)")
_COMPASS: Final = {"ek": "NE", "eny": "NW", "dk": "SE", "dny": "SW", "e": "N", "d": "S"}
"""Directions in Hungarian, without accents."""
_WORDS: Final = meanings(
    {
        ENTER: ("belep", "bejon"),
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
    side: Side
    may_enter: bool = False
    """This side places second, and may enter in the first turn instead (SQ-23.5)."""


class DeploymentDraft(Struct, frozen=True):
    """An unfinished deployment."""

    places: Mapping[str, Place]
    leaders: Mapping[str, str]
    enters: bool = False
    hand: str = "all"
    """The ship that is placed just now, or `all`."""

    @property
    def ships(self) -> tuple[str, ...]:
        """The ship that is placed just now, or all."""
        return tuple(self.places) if self.hand == "all" else (self.hand,)


def deployment_context(state: State, side: Side) -> DeploymentContext:
    """The inputs for placing one side's fleet."""
    return DeploymentContext(state.position, side, may_enter=state.opener == side)


def proposal(context: DeploymentContext) -> DeploymentDraft:
    """Line abreast, the leaders where they are (3.1, U3)."""
    leaders = {one.id: one.ship for one in context.position.leaders if one.side == context.side}
    return DeploymentDraft(formations.proposed(context.position, context.side, "line"), leaders)


def answer(draft: DeploymentDraft) -> Deployment:
    """The deployment of a draft: ships that it does not name lie as proposed."""
    places = tuple((name, str(draft.places[name])) for name in sorted(draft.places, key=order_of))
    return Deployment(enters=draft.enters, places=places, leaders=tuple(sorted(draft.leaders.items())))


def write(given: Deployment) -> str:
    """An answer as text that `NOTEBOOK.finish` reads back."""
    ships = ", ".join(f"{name} {place}" for name, place in given.places)
    leaders = ", ".join(f"{leader} {ship}" for leader, ship in given.leaders)
    return "; ".join(filter(None, (ENTER if given.enters else "", ships, leaders)))


def deployed(position: Position, side: str, given: Deployment) -> Position:
    """The position with a side's fleet as an answer has it: on the map, or waiting beyond its edge."""
    places = {name: grid.read_place(place) for name, place in given.places}
    if given.enters:
        places = {name: formations.waiting(place) for name, place in places.items()}
    aboard = dict(given.leaders)
    ships = tuple(
        structs.replace(ship, status="afloat") if ship.builder == side else ship
        for ship in fleets.deployed(position, places).ships
    )
    leaders = tuple(structs.replace(one, ship=aboard.get(one.id, one.ship)) for one in position.leaders)
    return structs.replace(position, ships=ships, leaders=leaders)


# --- reading -----------------------------------------------------------------------------------------------------


def take(context: DeploymentContext, draft: DeploymentDraft, text: str) -> DeploymentDraft:
    """The draft with typed places in it. Raises `OrderError`."""
    for piece in pieces(fold(text), ",;\n\r"):
        draft = _taken(context, draft, piece)
    if wrong := _barred(context, draft):
        refuse(wrong.fault(wrong.expected or excerpt(text), **_what_is_wrong(context, draft, wrong)))
    return draft


def look(_: DeploymentContext, draft: DeploymentDraft, focus: str) -> DeploymentDraft:
    """The draft with a ship in hand, or all."""
    return structs.replace(draft, hand=focus if focus in draft.places else "all")


def _taken(context: DeploymentContext, draft: DeploymentDraft, piece: str) -> DeploymentDraft:
    word = _WORDS.get(piece)
    if word == ENTER:
        if not context.may_enter:
            raise IllegalOrder("no_entry", "SQ-23.4", piece=excerpt(piece))
        return structs.replace(draft, enters=True, places=formations.entering(context.position, context.side))
    if word:
        formation = next(one for one in FORMATIONS if one == word)
        places = formations.proposed(context.position, context.side, formation)
        return structs.replace(draft, enters=False, places=places)
    if found := _LEADER.fullmatch(piece):
        return _aboard(draft, _known(found[1], draft.leaders), _known(found[2], draft.places))
    found = _SHIP.fullmatch(piece)
    if found is None:
        raise UnreadableOrder("place_unreadable", piece=excerpt(piece), expected="B1 0713 NE")
    name = _known(found[1], draft.places)
    letters = found[3] or ""
    facing = FACINGS.index(_COMPASS.get(letters, letters.upper())) if letters else draft.places[name].facing
    return structs.replace(draft, places={**draft.places, name: Place(grid.read_hex(found[2]), facing)})


def _known(text: str, own: Mapping[str, object]) -> str:
    name = text.upper()
    if name not in own:
        raise IllegalOrder("not_of_fleet", "SQ-23.4", piece=name)
    return name


def _aboard(draft: DeploymentDraft, leader: str, ship: str) -> DeploymentDraft:
    """The draft with a leader on a ship; a leader who was there swaps places (SQ-23.8)."""
    before = draft.leaders[leader]
    leaders = {one: before if at == ship else at for one, at in draft.leaders.items()}
    return structs.replace(draft, leaders={**leaders, leader: ship})


def _barred(context: DeploymentContext, draft: DeploymentDraft) -> Barred | None:
    """Why a fleet may not lie so; None: it may."""
    if not draft.enters:
        return fleets.deploy_barred(context.position, context.side, draft.places)
    edge = 0
    for place in draft.places.values():
        _, row = grid.column_and_row(place.bow)
        on_edge = context.position.on_map(place.bow) and fleets.from_edge(context.position, context.side, row) == edge
        if not on_edge or place.facing != fleets.facing(context.side):
            return Barred("SQ-23.5", "not_over_the_edge", str(place))
    bows = [place.bow for place in draft.places.values()]
    twice = next((bow for bow in bows if bows.count(bow) > 1), None)
    return Barred("SQ-02.5", "hex_taken", grid.label(twice)) if twice else None


def _what_is_wrong(context: DeploymentContext, draft: DeploymentDraft, wrong: Barred) -> dict[str, Scalar]:
    """Further values of a refusal's sentence: how deep fleets may lie; for a taken hex, the ships there."""
    params: dict[str, Scalar] = {"most": fleets.DEEP}
    if wrong.code == "hex_taken":
        ships = context.position.by_id
        hexes = {name: place.hexes(ships[name].size) for name, place in draft.places.items()}
        if draft.enters:
            hexes = {name: hexes[name][:1] for name in hexes}
        own = [name for name in hexes if wrong.expected in map(grid.label, hexes[name])]
        params["ships"] = ", ".join(sorted(own, key=order_of))
    return params


def start(context: DeploymentContext) -> tuple[str, ...]:
    """Labels of the hexes in which ships may be placed."""
    position = context.position
    rows = [
        row for row in range(1, position.height + 1) if fleets.from_edge(position, context.side, row) <= fleets.DEEP
    ]
    every = (grid.at(column, row) for row in rows for column in range(1, position.width + 1))
    return tuple(grid.label(here) for here in every if here not in position.ashore)


# --- pressing ----------------------------------------------------------------------------------------------------


def choices(context: DeploymentContext, draft: DeploymentDraft) -> Choices:
    """Formations; all ships or one of them; a hex further, or turned; who carries which leader."""
    every = structs.replace(draft, hand="all")
    names = (*FORMATIONS, *((ENTER,) if context.may_enter else ()))
    laid = (
        NOTEBOOK.typed(
            context, every, f"formation.{name}", Text(f"formation.{name}"), name, chosen=_is(context, draft, name)
        )
        for name in names
    )
    groups = shown(
        select("formation", laid),
        Group(key="placed", style="select", options=tuple(_units(context, draft))),
        buttons("shift", _shifts(context, draft)),
        buttons("turn", _turns(context, draft)),
        buttons("aboard", _carrying(context, draft)),
    )
    return Choices(groups=groups, lines=tuple(_lines(context, draft)))


def _is(context: DeploymentContext, draft: DeploymentDraft, name: str) -> bool:
    """Whether ships lie in a formation."""
    after = _taken(context, draft, name)
    return draft.enters == after.enters and (draft.enters or dict(draft.places) == dict(after.places))


def _units(context: DeploymentContext, draft: DeploymentDraft) -> Iterator[Option]:
    """All ships, or one that is moved by herself."""
    ships = context.position.by_id
    labels = {"all": Text("unit.all", {"ships": len(draft.places)})}
    for name in sorted(draft.places, key=order_of):
        params = {"ship": name, "kind": ships[name].code, "place": str(draft.places[name])}
        labels[name] = Text("unit.placed", params)
    return NOTEBOOK.looks(context, "unit", labels, lambda hand: structs.replace(draft, hand=hand), draft.hand)


def _shifts(context: DeploymentContext, draft: DeploymentDraft) -> Iterator[Option]:
    """One hex further for all, or for the ship in hand; fleets that enter over the edge move along it."""
    if draft.enters:
        moved = {token: formations.along(draft.places, draft.ships, by) for token, by in (("W", -1), ("E", 1))}
    else:
        moved = {token: formations.moved(draft.places, draft.ships, way) for way, token in enumerate(FACINGS)}
    for token, places in moved.items():
        yield _placed(context, draft, f"shift.{token}", places)


def _turns(context: DeploymentContext, draft: DeploymentDraft) -> Iterator[Option]:
    """Her bow, or everybody's, a sixth of a circle round."""
    for token, by in () if draft.enters else (("port", -1), ("starboard", 1)):
        yield _placed(context, draft, f"turn.{token}", formations.turned(draft.places, draft.ships, by))


def _placed(context: DeploymentContext, draft: DeploymentDraft, token: str, places: Mapping[str, Place]) -> Option:
    """Ships in other places, or why they may not lie there."""
    text = ", ".join(f"{name} {places[name]}" for name in draft.ships)
    return NOTEBOOK.typed(context, draft, token, Text(token), text)


def _carrying(context: DeploymentContext, draft: DeploymentDraft) -> Iterator[Option]:
    """Which leader the ship in hand carries."""
    for leader in () if draft.hand == "all" else leaders_of(context):
        label = Text(f"aboard.{'admiral' if leader.admiral else 'squadron'}", {"leader": leader.id})
        yield NOTEBOOK.typed(context, draft, f"aboard.{leader.id}", label, f"{leader.id} {draft.hand}")


def leaders_of(context: DeploymentContext) -> tuple[Leader, ...]:
    """The leaders of the side."""
    return tuple(one for one in context.position.leaders if one.side == context.side)


def _lines(context: DeploymentContext, draft: DeploymentDraft) -> Iterator[Text]:
    """The formation, or every place, in words; then who carries leaders."""
    name: Formation | None = None if draft.enters else formations.named(context.position, context.side, draft.places)
    if name:
        yield Text("line.formation", {"formation": name})
    else:
        places = (f"{one} {draft.places[one]}" for one in sorted(draft.places, key=order_of))
        yield Text("line.entering" if draft.enters else "line.places", {"places": ", ".join(places)})
    for leader in leaders_of(context):
        rank = "admiral" if leader.admiral else "squadron"
        yield Text(f"carried.{rank}", {"leader": leader.id, "ship": draft.leaders[leader.id]})


NOTEBOOK: Final[Notebook[State, DeploymentContext, DeploymentDraft, Deployment]] = Notebook(
    context=lambda state, request: deployment_context(state, state.captains[request.seat].side),
    empty=proposal,
    take=take,
    written=lambda _, draft: Draft(write(answer(draft)), draft.hand),
    complete=lambda _, draft: answer(draft),
    format=write,
    look=look,
    most=MOST_TEXT,
)
