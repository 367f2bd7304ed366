"""A position on one line, like chess's FEN (RS part 10.1)."""

from __future__ import annotations

import re
from typing import Final, cast

import numpy as np
from msgspec import structs

from rules.core.errors import UnreadableOrder
from rules.ramspeed.engine.geometry import hulls
from rules.ramspeed.engine.notation.scenarios import SCENARIOS
from rules.ramspeed.engine.state import Captain, Link, Phase, Position, Ring, Ship, id_sort_key, sorted_links
from rules.ramspeed.engine.tables import CLASSES, CONSTANTS, NATIONS, ClassCode, Nation

_NUMBER_PATTERN: Final = r"(?:0|[1-9][0-9]{0,2})(?:\.[0-9]{1,3})?"
_INTEGER_PATTERN: Final = r"(?:0|[1-9][0-9]{0,3})"
_NAME_PATTERN: Final = r"[A-Za-z][A-Za-z0-9_]{0,31}"
_ID_PATTERN: Final = r"[A-Z]{1,2}[0-9]{1,2}"
_HEADER_PATTERN: Final = re.compile(
    rf"(?P<width>{_NUMBER_PATTERN})x(?P<height>{_NUMBER_PATTERN}) (?P<board>[a-z]+)(?P<exit> exit)?"
    rf"(?P<land>(?: land={_NUMBER_PATTERN}(?:,{_NUMBER_PATTERN})*)*)"
    rf" turn=(?P<turn>{_INTEGER_PATTERN})/(?P<limit>{_INTEGER_PATTERN}) phase=(?P<phase>fire|orders|over)"
    rf" quiet=(?P<quiet>{_INTEGER_PATTERN})"
    rf" seats=(?P<seats>{_NAME_PATTERN}@{_NAME_PATTERN}(?:,{_NAME_PATTERN}@{_NAME_PATTERN})*)"
)
_SHIP_PATTERN: Final = re.compile(
    rf"(?P<id>{_ID_PATTERN}) (?P<code>[BTQV]) (?P<owner>{_NAME_PATTERN})(?:<(?P<side0>{_NAME_PATTERN}))?"
    r" (?P<nation>[a-z]+) "
    rf"(?:(?P<gone>sunk|withdrawn)|@(?P<x>{_NUMBER_PATTERN}),(?P<y>{_NUMBER_PATTERN})\^(?P<heading>{_INTEGER_PATTERN})"
    rf" (?P<crew>{_INTEGER_PATTERN})"
    r"(?P<corvus> corvus)?(?P<halved> halved)?(?P<dead> dead)?(?P<immob> immob)?(?: fire=(?P<fire>[1-9]))?"
    r"(?P<fireship> fireship)?(?P<beached> beached)?)"
)
_LINK_PATTERN: Final = re.compile(rf"(?P<a>{_ID_PATTERN})(?P<kind>[->])(?P<b>{_ID_PATTERN})(?P<checked>!)?")
_BOARD_NAMES: Final = (*SCENARIOS, "open")
_EXAMPLE_POSITION: Final = "30x24 skerries turn=1/15 phase=fire quiet=0 seats=ann@Athens,bob@Sparta"


def parse_position(text: str) -> Position:
    """A position as `format_position` writes it; parts after the header in any order, with any blanks around `;`.

    Raises `UnreadableOrder` for the field `position`, saying what is wrong.
    """
    header, *rest = (part.strip(" ") for part in text.split(";"))
    position = _parse_header(header)
    ships: list[Ship] = []
    links: list[Link] = []
    for part in rest:
        if found := _LINK_PATTERN.fullmatch(part):
            links.append(_parse_link(found))
        else:
            ships.append(_parse_ship(part, position))
    names = [ship.id for ship in ships]
    for name in names:
        if names.count(name) > 1:
            raise _position_error("position_twice", given=name)
    ships.sort(key=lambda ship: id_sort_key(ship.id))
    position = structs.replace(position, ships=tuple(ships), links=sorted_links(tuple(links)))
    _check_links(position)
    check_position(position)
    return position


def format_position(position: Position) -> str:
    """A position on one line: ships by id, links by lower id, then higher id, no zeros at the end of numbers."""
    land = "".join(
        f" land={','.join(format_number(value) for point in ring for value in point)}" for ring in position.land
    )
    seats = ",".join(f"{captain.player}@{captain.side}" for captain in position.seats)
    header = (
        f"{format_number(position.width)}x{format_number(position.height)} {position.board}"
        f"{' exit' if position.exit else ''}"
        f"{land if position.board == 'open' else ''} turn={position.turn}/{position.limit} phase={position.phase}"
        f" quiet={position.quiet} seats={seats}"
    )
    links = [
        f"{link.a}{'-' if link.kind == 'grapple' else '>'}{link.b}{'!' if link.checked else ''}"
        for link in sorted_links(position.links)
    ]
    return " ; ".join([header, *(format_ship(ship, position.side_of_ship(ship)) for ship in position.ships), *links])


def format_ship(ship: Ship, side: str) -> str:
    """One ship as text, whose owner is of a side: `A1 T ann athenian @4,9^90 20`."""
    owner = ship.owner if ship.side0 == side else f"{ship.owner}<{ship.side0}"
    start = f"{ship.id} {ship.code} {owner} {ship.nation} "
    if not ship.is_afloat:
        return start + ship.status
    words = [
        *(word for word in ("corvus", "halved", "dead", "immob") if getattr(ship, word)),
        *([f"fire={ship.fire}"] if ship.fire else []),
        *(word for word in ("fireship", "beached") if getattr(ship, word)),
    ]
    return " ".join([f"{start}@{format_number(ship.x)},{format_number(ship.y)}^{ship.heading} {ship.crew}", *words])


def format_number(inches: float) -> str:
    """A number to 0.001 at most, without zeros at its end."""
    return f"{inches:.3f}".rstrip("0").rstrip(".")


def check_position(position: Position) -> None:
    """Refuse hulls that overlap land or a ship not linked to them, or lie over the edge. Raises `UnreadableOrder`."""
    afloat = [ship for ship in position.ships if ship.is_afloat]
    for number_, ship in enumerate(afloat):
        here = hulls.hull_of(ship)
        if not hulls.is_on_table(here, position.width, position.height)[0]:
            raise _position_error("position_edge", given=ship.id)
        others = hulls.find_obstacles(position, without=[one.id for one in afloat[: number_ + 1]])
        if not len(others.shapes.corners):
            continue
        hit = np.flatnonzero(hulls.do_overlap(here, others.shapes)[0])
        for one in hit:
            other = others.names[one] if one < len(others.names) else "land"
            if not any(link.includes(ship.id) and link.includes(other) for link in position.links):
                raise _position_error("position_overlap", given=ship.id, other=other)


def _position_error(code: str, **params: str | int) -> UnreadableOrder:
    return UnreadableOrder(code, rule="", piece="position", **params)


def _parse_header(header: str) -> Position:
    found = _HEADER_PATTERN.fullmatch(header)
    if not found:
        raise _position_error("position_header", given=header[:80], expected=_EXAMPLE_POSITION)
    board = found["board"]
    if board not in _BOARD_NAMES:
        raise _position_error("position_board", given=board[:40], expected=", ".join(_BOARD_NAMES))
    land = tuple(_parse_ring(part) for part in found["land"].split(" land=")[1:])
    position = Position(
        width=float(found["width"]),
        height=float(found["height"]),
        board=board,
        exit=bool(found["exit"]),
        land=land,
        turn=int(found["turn"]),
        limit=int(found["limit"]),
        phase=cast("Phase", found["phase"]),
        quiet=int(found["quiet"]),
        seats=tuple(Captain(*seat.split("@")) for seat in found["seats"].split(",")),
        ships=(),
    )
    if board in SCENARIOS:
        position = _with_scenario_land(position)
    if not 1 <= position.turn <= position.limit:
        raise _position_error("position_turn", given=position.turn, most=position.limit)
    most = CONSTANTS.quiet_limit - (position.phase != "over")
    if position.quiet > most:
        raise _position_error("position_quiet", given=position.quiet, most=most)
    if len(set(position.players)) < len(position.players) or len(position.sides) != 2:
        raise _position_error("position_seats", given=found["seats"][:80])
    return position


def _with_scenario_land(position: Position) -> Position:
    scenario = SCENARIOS[position.board]
    if (position.width, position.height) != scenario.table or position.land or position.exit:
        expected = f"{format_number(scenario.table[0])}x{format_number(scenario.table[1])} {position.board}"
        raise _position_error("position_size", expected=expected)
    return structs.replace(position, land=scenario.land, exit=scenario.edge == "exit")


def _parse_ring(text: str) -> Ring:
    """The corners of one piece of land. Raises `UnreadableOrder` unless it is convex."""
    values = [float(value) for value in text.split(",")]
    ring = tuple(zip(values[::2], values[1::2], strict=False))
    if len(values) % 2 or len(ring) < 3 or not is_convex(ring):
        raise _position_error("position_land", given=text[:80])
    return ring


def is_convex(ring: Ring) -> bool:
    """Whether corners, in either direction, are those of a convex piece with an area (RS-01.7)."""
    corners = np.array(ring)
    sides = np.roll(corners, -1, axis=0) - corners
    after = np.roll(sides, -1, axis=0)
    turns = sides[:, 0] * after[:, 1] - sides[:, 1] * after[:, 0]
    angles = np.arctan2(turns, (sides * after).sum(axis=1))
    one_way = bool((turns >= 0).all() or (turns <= 0).all())
    lengths = bool((np.hypot(*sides.T) > 0).all())
    # Once around and no more: a star turns one way all along, too.
    return lengths and one_way and bool(abs(abs(angles.sum()) - 2 * np.pi) < 1e-6) and bool((turns != 0).sum() > 2)


def _parse_ship(part: str, position: Position) -> Ship:
    found = _SHIP_PATTERN.fullmatch(part)
    if not found:
        raise _position_error("position_ship", given=part[:80], expected="A1 T ann athenian @4,9^90 20")
    if found["owner"] not in position.players:
        raise _position_error("position_name", given=found["owner"], expected=", ".join(position.players))
    side0 = found["side0"] or position.side_of_player(found["owner"])
    if side0 not in position.sides:
        raise _position_error("position_name", given=side0, expected=", ".join(position.sides))
    if found["nation"] not in NATIONS:
        raise _position_error("position_name", given=found["nation"][:40], expected=", ".join(NATIONS))
    code = cast("ClassCode", found["code"])
    ship = Ship(
        id=found["id"],
        code=code,
        owner=found["owner"],
        side0=side0,
        nation=cast("Nation", found["nation"]),
        status=cast("str", found["gone"]) or "afloat",  # type: ignore[arg-type] # the pattern knows both
    )
    if found["gone"]:
        return ship
    ship = structs.replace(
        ship,
        x=float(found["x"]),
        y=float(found["y"]),
        heading=int(found["heading"]),
        crew=int(found["crew"]),
        corvus=bool(found["corvus"]),
        banks_lost=int(bool(found["halved"])),
        dead=bool(found["dead"]),
        immob=bool(found["immob"]),
        fire=int(found["fire"] or 0),
        fireship=bool(found["fireship"]),
        beached=bool(found["beached"]),
    )
    kind = CLASSES[code]
    for what, value, most in (
        ("heading", ship.heading, 359),
        ("crew", ship.crew, kind.crew_max),
        ("fire", ship.fire, kind.burn_limit - 1),
    ):
        if value > most:
            raise _position_error("position_most", given=ship.id, what=what, most=most)
    if ship.fireship and not ship.fire:
        raise _position_error("position_fireship", given=ship.id)
    return ship


def _parse_link(found: re.Match[str]) -> Link:
    kind = "grapple" if found["kind"] == "-" else "stuck"
    return Link(a=found["a"], b=found["b"], kind=kind, checked=bool(found["checked"]))  # type: ignore[arg-type]


def _check_links(position: Position) -> None:
    afloat = {ship.id for ship in position.ships if ship.is_afloat}
    pairs = [frozenset((link.a, link.b)) for link in position.links]
    for link, pair in zip(position.links, pairs, strict=True):
        if len(pair) != 2 or not pair <= afloat or pairs.count(pair) > 1:
            raise _position_error("position_link", given=f"{link.a}{'-' if link.kind == 'grapple' else '>'}{link.b}")
