"""Where a fleet lies before the first turn (D-2, D-3, SQ-23.4, 23.5): its notation, and what may be pressed.

A draft lists the ships, `B1 0713NE, B2 0913N`, and what leaders they carry, `BL1 B2`; the word `enter` before them
means that they come in over their edge in the first turn, each at her place. Formations are typed by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NoReturn

from msgspec import Struct, structs

from rules.errors import Fault, IllegalOrder, OrderError, Scalar, UnreadableOrder
from rules.protocol import Choices, Draft, Group, Option
from rules.squadrons.desk.drafts import formations
from rules.squadrons.desk.drafts.answers import Deployment
from rules.squadrons.desk.drafts.formations import FORMATIONS, Formation
from rules.squadrons.table.notation.order_text import excerpt
from rules.squadrons.table.notation.orders import Side
from rules.squadrons.table.notation.typed_words import fold
from rules.squadrons.table.odds import Barred
from rules.squadrons.table.sea import fleets, grid
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
    "enter": "enter",
    "belep": "enter",
    "bejon": "enter",
    "line": "line",
    "vonal": "line",
    "close": "close",
    "zart": "close",
    "lines": "lines",
    "ket vonal": "lines",
    "two lines": "lines",
    "columns": "columns",
    "oszlopok": "columns",
    "left": "left",
    "bal": "left",
    "right": "right",
    "jobb": "right",
}
"""What may be typed for a formation, without accents."""


class Chart(Struct, frozen=True):
    """What a captain places his fleet upon."""

    position: Position
    side: Side
    may_enter: bool = False
    """He places second, and may come in later instead."""


class Berths(Struct, frozen=True):
    """An unfinished deployment."""

    places: Mapping[str, Place]
    leaders: Mapping[str, str]
    enters: bool = False


def chart_of(state: State, side: Side) -> Chart:
    """Lay out what a captain needs."""
    return Chart(state.position, side, may_enter=state.opener == side)


def proposal(chart: Chart) -> Berths:
    """Line abreast, the leaders where they are (3.1, U3)."""
    leaders = {one.id: one.ship for one in chart.position.leaders if one.side == chart.side}
    return Berths(formations.proposed(chart.position, chart.side, "line"), leaders)


def answer(berths: Berths) -> Deployment:
    """A whole answer."""
    places = tuple((name, str(berths.places[name])) for name in sorted(berths.places, key=order_of))
    return Deployment(enters=berths.enters, places=places, leaders=tuple(sorted(berths.leaders.items())))


def write(given: Deployment) -> str:
    """Write an answer; `finish` gives it back."""
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


def finish(chart: Chart, text: str) -> Deployment:
    """Read a whole deployment; what it leaves out is as proposed. Raises `OrderError`."""
    return answer(amend(chart, proposal(chart), text))


def read(chart: Chart, draft: Draft) -> Berths:
    """Read a draft; one that cannot be read counts as the proposal."""
    try:
        return amend(chart, proposal(chart), draft.text)
    except OrderError:
        return proposal(chart)


def amend(chart: Chart, berths: Berths, text: str) -> Berths:
    """Put text into a deployment; what it does not mention stays. Raises `OrderError`."""
    if len(text) > MOST_TEXT:
        raise UnreadableOrder("text_too_long", piece=excerpt(text), most=MOST_TEXT, length=len(text))
    for piece in re.split(r"[,;\n\r]", fold(text)):
        if piece.strip():
            berths = _taken(chart, berths, piece.strip())
    if wrong := barred(chart, berths):
        _refuse(chart, berths, wrong, text)
    return berths


def _taken(chart: Chart, berths: Berths, piece: str) -> Berths:
    word = _WORDS.get(piece)
    if word == "enter":
        if not chart.may_enter:
            raise IllegalOrder("no_entry", "SQ-23.4", piece=excerpt(piece))
        return structs.replace(berths, enters=True, places=formations.entering(chart.position, chart.side))
    if word:
        formation = next(one for one in FORMATIONS if one == word)
        places = formations.proposed(chart.position, chart.side, formation)
        return structs.replace(berths, enters=False, places=places)
    if found := _LEADER.fullmatch(piece):
        return aboard(berths, _known(found[1], berths.leaders), _known(found[2], berths.places))
    found = _SHIP.fullmatch(piece)
    if found is None:
        raise UnreadableOrder("place_unreadable", piece=excerpt(piece), expected="B1 0713 NE")
    name = _known(found[1], berths.places)
    letters = found[3] or ""
    facing = FACINGS.index(_COMPASS.get(letters, letters.upper())) if letters else berths.places[name].facing
    return structs.replace(berths, places={**berths.places, name: Place(grid.read_hex(found[2]), facing)})


def _known(text: str, own: Mapping[str, object]) -> str:
    name = text.upper()
    if name not in own:
        raise IllegalOrder("not_of_fleet", "SQ-23.4", piece=name)
    return name


def aboard(berths: Berths, leader: str, ship: str) -> Berths:
    """The deployment with a leader on a ship; whoever was there goes where he came from (SQ-23.8)."""
    before = berths.leaders[leader]
    leaders = {one: before if at == ship else at for one, at in berths.leaders.items()}
    return structs.replace(berths, leaders={**leaders, leader: ship})


def barred(chart: Chart, berths: Berths) -> Barred | None:
    """Why a fleet may not lie so; None: it may."""
    if not berths.enters:
        return fleets.deploy_barred(chart.position, chart.side, berths.places)
    edge = 0
    for place in berths.places.values():
        _, row = grid.column_and_row(place.bow)
        on_edge = chart.position.on_map(place.bow) and fleets.from_edge(chart.position, chart.side, row) == edge
        if not on_edge or place.facing != fleets.facing(chart.side):
            return Barred("SQ-23.5", "not_over_the_edge", str(place))
    bows = [place.bow for place in berths.places.values()]
    twice = next((bow for bow in bows if bows.count(bow) > 1), None)
    return Barred("SQ-02.5", "hex_taken", grid.label(twice)) if twice else None


def _refuse(chart: Chart, berths: Berths, wrong: Barred, text: str) -> NoReturn:
    params = _what_is_wrong(chart, berths, wrong)
    raise IllegalOrder(wrong.code, wrong.rule, piece=wrong.expected or excerpt(text), **params)


def _what_is_wrong(chart: Chart, berths: Berths, wrong: Barred) -> dict[str, Scalar]:
    """What the sentence of a refusal needs besides: how deep fleets may lie; of a hex that is taken, by whom."""
    params: dict[str, Scalar] = {"most": fleets.DEEP}
    if wrong.code == "hex_taken":
        ships = chart.position.by_id
        hexes = {name: place.hexes(ships[name].size) for name, place in berths.places.items()}
        if berths.enters:
            hexes = {name: hexes[name][:1] for name in hexes}
        own = [name for name in hexes if wrong.expected in map(grid.label, hexes[name])]
        params["ships"] = ", ".join(sorted(own, key=order_of))
    return params


def start(chart: Chart) -> tuple[str, ...]:
    """Labels of the hexes in which ships may be placed."""
    position = chart.position
    rows = [row for row in range(1, position.height + 1) if fleets.from_edge(position, chart.side, row) <= fleets.DEEP]
    every = (grid.at(column, row) for row in rows for column in range(1, position.width + 1))
    return tuple(grid.label(here) for here in every if here not in position.ashore)


# --- pressing ----------------------------------------------------------------------------------------------------


def choices(chart: Chart, berths: Berths, focus: str) -> Choices:
    """Formations; all ships or one of them; a hex further, or turned; who carries which leader."""
    hand = focus if focus in berths.places else "all"
    groups = [
        Group(key="formation", style="select", options=tuple(_formations(chart, berths))),
        Group(key="placed", style="select", options=tuple(_units(chart, berths, hand))),
        Group(key="shift", style="buttons", options=tuple(_shifts(chart, berths, hand))),
        Group(key="turn", style="buttons", options=tuple(_turns(chart, berths, hand))),
        Group(key="aboard", style="buttons", options=tuple(_aboard(chart, berths, hand))),
    ]
    return Choices(groups=tuple(group for group in groups if group.options), lines=tuple(_lines(chart, berths)))


def _option(chart: Chart, token: str, label: Text, after: Berths, hand: str, *, chosen: bool = False) -> Option:
    """One thing to press; what may not be is shown with its reason."""
    fault = None
    if wrong := barred(chart, after):
        params = _what_is_wrong(chart, after, wrong)
        fault = Fault(kind="illegal", code=wrong.code, rule=wrong.rule, piece=wrong.expected, params=params)
    return Option(token=token, label=label, draft=write(answer(after)), focus=hand, chosen=chosen, fault=fault)


def _formations(chart: Chart, berths: Berths) -> Iterator[Option]:
    for name in FORMATIONS:
        places = formations.proposed(chart.position, chart.side, name)
        after = structs.replace(berths, places=places, enters=False)
        yield _option(chart, f"formation.{name}", Text(f"formation.{name}"), after, "all", chosen=_is(berths, after))
    if chart.may_enter:
        places = formations.entering(chart.position, chart.side)
        after = structs.replace(berths, places=places, enters=True)
        yield _option(chart, "formation.enter", Text("formation.enter"), after, "all", chosen=berths.enters)


def _is(berths: Berths, other: Berths) -> bool:
    return berths.enters == other.enters and dict(berths.places) == dict(other.places)


def _units(chart: Chart, berths: Berths, hand: str) -> Iterator[Option]:
    """All ships, or one that is moved by herself."""
    ships = chart.position.by_id
    label = Text("unit.all", {"ships": len(berths.places)})
    yield _option(chart, "unit.all", label, berths, "all", chosen=hand == "all")
    for name in sorted(berths.places, key=order_of):
        label = Text("unit.placed", {"ship": name, "kind": ships[name].code, "place": str(berths.places[name])})
        yield _option(chart, f"unit.{name}", label, berths, name, chosen=hand == name)


def _shifts(chart: Chart, berths: Berths, hand: str) -> Iterator[Option]:
    """One hex further for all, or for the ship in hand; whoever comes in over the edge goes along it."""
    names = tuple(berths.places) if hand == "all" else (hand,)
    if berths.enters:
        for token, by in (("W", -1), ("E", 1)):
            places = formations.along(berths.places, names, by)
            yield _option(chart, f"shift.{token}", Text(f"shift.{token}"), _at(berths, places), hand)
        return
    for way, letters in enumerate(FACINGS):
        places = formations.moved(berths.places, names, way)
        yield _option(chart, f"shift.{letters}", Text(f"shift.{letters}"), _at(berths, places), hand)


def _turns(chart: Chart, berths: Berths, hand: str) -> Iterator[Option]:
    """Her bow, or everybody's, a sixth of a circle round."""
    names = tuple(berths.places) if hand == "all" else (hand,)
    for token, by in () if berths.enters else (("port", -1), ("starboard", 1)):
        places = formations.turned(berths.places, names, by)
        yield _option(chart, f"turn.{token}", Text(f"turn.{token}"), _at(berths, places), hand)


def _at(berths: Berths, places: Mapping[str, Place]) -> Berths:
    return structs.replace(berths, places=places)


def _aboard(chart: Chart, berths: Berths, hand: str) -> Iterator[Option]:
    """Which leader the ship in hand carries."""
    for leader in () if hand == "all" else leaders_of(chart):
        after = aboard(berths, leader.id, hand)
        label = Text(f"aboard.{'admiral' if leader.admiral else 'squadron'}", {"leader": leader.id})
        yield _option(chart, f"aboard.{leader.id}", label, after, hand, chosen=berths.leaders[leader.id] == hand)


def leaders_of(chart: Chart) -> tuple[Leader, ...]:
    """The leaders of the side."""
    return tuple(one for one in chart.position.leaders if one.side == chart.side)


def _lines(chart: Chart, berths: Berths) -> Iterator[Text]:
    """The formation, or every place, in words; then who carries leaders."""
    name: Formation | None = None if berths.enters else formations.named(chart.position, chart.side, berths.places)
    if name:
        yield Text("line.formation", {"formation": name})
    else:
        places = (f"{one} {berths.places[one]}" for one in sorted(berths.places, key=order_of))
        yield Text("line.entering" if berths.enters else "line.places", {"places": ", ".join(places)})
    for leader in leaders_of(chart):
        rank = "admiral" if leader.admiral else "squadron"
        yield Text(f"carried.{rank}", {"leader": leader.id, "ship": berths.leaders[leader.id]})
