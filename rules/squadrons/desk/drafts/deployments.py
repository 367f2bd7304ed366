"""Where a fleet lies before the first turn (D-2, D-3, SQ-23.4, SQ-23.5): its notation, and what may be pressed.

A draft lists the ships, `B1 0713NE, B2 0913N`, and what leaders they carry, `BL1 B2`; the word `enter` before them
means that they come in over their edge in the first turn, each at her place. Formations are typed by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct, structs

from rules.errors import Fault, IllegalOrder, Scalar, UnreadableOrder, excerpt
from rules.notebook import Notebook
from rules.protocol import Choices, Draft, Group, Option
from rules.squadrons.desk.drafts.answers import Deployment
from rules.squadrons.table.notation.orders import Side
from rules.squadrons.table.notation.typed_words import fold
from rules.squadrons.table.odds import Barred
from rules.squadrons.table.sea import fleets, formations, grid
from rules.squadrons.table.sea.formations import FORMATIONS, Formation
from rules.squadrons.table.sea.grid import FACINGS, Place
from rules.squadrons.table.sea.state import Leader, Position, State, order_of
from rules.view import Text

MOST_TEXT: Final = 1500
"""Characters: thirty ships and five leaders, and as many words besides."""
_SHIP: Final = re.compile(r"([br][1-9][0-9]?)[ :@]*([0-9]{4})[ :]*(ne|nw|se|sw|n|s|ek|eny|dk|dny|e|d)?")
_LEADER: Final = re.compile(r"([br]l[1-9])[ :@]*([br][1-9][0-9]?)")
_COMPASS: Final = {"ek": "NE", "eny": "NW", "dk": "SE", "dny": "SW", "e": "N", "d": "S"}
"""Directions in Hungarian, without accents."""
_WORDS: Final[dict[str, str]] = {
    typed: meant
    for meant, others in {
        "enter": ("belep", "bejon"),
        "line": ("vonal",),
        "close": ("zart",),
        "lines": ("ket vonal", "two lines"),
        "columns": ("oszlopok",),
        "left": ("bal",),
        "right": ("jobb",),
    }.items()
    for typed in (meant, *others)
}
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
    return "; ".join(filter(None, ("enter" if given.enters else "", ships, leaders)))


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
    for piece in re.split(r"[,;\n\r]", fold(text)):
        if piece.strip():
            draft = _taken(context, draft, piece.strip())
    if wrong := barred(context, draft):
        raise IllegalOrder(
            wrong.code, wrong.rule, piece=wrong.expected or excerpt(text), **_what_is_wrong(context, draft, wrong)
        )
    return draft


def look(_: DeploymentContext, draft: DeploymentDraft, focus: str) -> DeploymentDraft:
    """The draft with a ship in hand, or all."""
    return structs.replace(draft, hand=focus if focus in draft.places else "all")


def _taken(context: DeploymentContext, draft: DeploymentDraft, piece: str) -> DeploymentDraft:
    word = _WORDS.get(piece)
    if word == "enter":
        if not context.may_enter:
            raise IllegalOrder("no_entry", "SQ-23.4", piece=excerpt(piece))
        return structs.replace(draft, enters=True, places=formations.entering(context.position, context.side))
    if word:
        formation = next(one for one in FORMATIONS if one == word)
        places = formations.proposed(context.position, context.side, formation)
        return structs.replace(draft, enters=False, places=places)
    if found := _LEADER.fullmatch(piece):
        return aboard(draft, _known(found[1], draft.leaders), _known(found[2], draft.places))
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


def aboard(draft: DeploymentDraft, leader: str, ship: str) -> DeploymentDraft:
    """The draft with a leader on a ship; a leader who was there swaps places (SQ-23.8)."""
    before = draft.leaders[leader]
    leaders = {one: before if at == ship else at for one, at in draft.leaders.items()}
    return structs.replace(draft, leaders={**leaders, leader: ship})


def barred(context: DeploymentContext, draft: DeploymentDraft) -> Barred | None:
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
    hand = draft.hand
    groups = [
        Group(key="formation", style="select", options=tuple(_formations(context, draft))),
        Group(key="placed", style="select", options=tuple(_units(context, draft, hand))),
        Group(key="shift", style="buttons", options=tuple(_shifts(context, draft, hand))),
        Group(key="turn", style="buttons", options=tuple(_turns(context, draft, hand))),
        Group(key="aboard", style="buttons", options=tuple(_aboard(context, draft, hand))),
    ]
    return Choices(groups=tuple(group for group in groups if group.options), lines=tuple(_lines(context, draft)))


def _option(
    context: DeploymentContext, token: str, label: Text, after: DeploymentDraft, hand: str, *, chosen: bool = False
) -> Option:
    """One thing to press; what may not be is shown with its reason."""
    fault = None
    if wrong := barred(context, after):
        params = _what_is_wrong(context, after, wrong)
        fault = Fault(kind="illegal", code=wrong.code, rule=wrong.rule, piece=wrong.expected, params=params)
    return Option(token=token, label=label, draft=write(answer(after)), focus=hand, chosen=chosen, fault=fault)


def _formations(context: DeploymentContext, draft: DeploymentDraft) -> Iterator[Option]:
    for name in FORMATIONS:
        places = formations.proposed(context.position, context.side, name)
        after = structs.replace(draft, places=places, enters=False)
        yield _option(context, f"formation.{name}", Text(f"formation.{name}"), after, "all", chosen=_is(draft, after))
    if context.may_enter:
        places = formations.entering(context.position, context.side)
        after = structs.replace(draft, places=places, enters=True)
        yield _option(context, "formation.enter", Text("formation.enter"), after, "all", chosen=draft.enters)


def _is(draft: DeploymentDraft, other: DeploymentDraft) -> bool:
    return draft.enters == other.enters and dict(draft.places) == dict(other.places)


def _units(context: DeploymentContext, draft: DeploymentDraft, hand: str) -> Iterator[Option]:
    """All ships, or one that is moved by herself."""
    ships = context.position.by_id
    label = Text("unit.all", {"ships": len(draft.places)})
    yield _option(context, "unit.all", label, draft, "all", chosen=hand == "all")
    for name in sorted(draft.places, key=order_of):
        label = Text("unit.placed", {"ship": name, "kind": ships[name].code, "place": str(draft.places[name])})
        yield _option(context, f"unit.{name}", label, draft, name, chosen=hand == name)


def _shifts(context: DeploymentContext, draft: DeploymentDraft, hand: str) -> Iterator[Option]:
    """One hex further for all, or for the ship in hand; fleets that enter over the edge move along it."""
    names = tuple(draft.places) if hand == "all" else (hand,)
    if draft.enters:
        for token, by in (("W", -1), ("E", 1)):
            places = formations.along(draft.places, names, by)
            yield _option(context, f"shift.{token}", Text(f"shift.{token}"), _at(draft, places), hand)
        return
    for way, letters in enumerate(FACINGS):
        places = formations.moved(draft.places, names, way)
        yield _option(context, f"shift.{letters}", Text(f"shift.{letters}"), _at(draft, places), hand)


def _turns(context: DeploymentContext, draft: DeploymentDraft, hand: str) -> Iterator[Option]:
    """Her bow, or everybody's, a sixth of a circle round."""
    names = tuple(draft.places) if hand == "all" else (hand,)
    for token, by in () if draft.enters else (("port", -1), ("starboard", 1)):
        places = formations.turned(draft.places, names, by)
        yield _option(context, f"turn.{token}", Text(f"turn.{token}"), _at(draft, places), hand)


def _at(draft: DeploymentDraft, places: Mapping[str, Place]) -> DeploymentDraft:
    return structs.replace(draft, places=places)


def _aboard(context: DeploymentContext, draft: DeploymentDraft, hand: str) -> Iterator[Option]:
    """Which leader the ship in hand carries."""
    for leader in () if hand == "all" else leaders_of(context):
        after = aboard(draft, leader.id, hand)
        label = Text(f"aboard.{'admiral' if leader.admiral else 'squadron'}", {"leader": leader.id})
        yield _option(context, f"aboard.{leader.id}", label, after, hand, chosen=draft.leaders[leader.id] == hand)


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
