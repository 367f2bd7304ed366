"""Positions as one line of text, like chess's FEN."""

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
_SHIP_PATTERN: Final = re.compile(  # `A1 T ann athenian @4,9^90 20 fire=1`
    rf"(?P<id>{_ID_PATTERN}) (?P<code>[BTQV]) (?P<owner>{_NAME_PATTERN})(?:<(?P<side0>{_NAME_PATTERN}))?"
    r" (?P<nation>[a-z]+) "
    rf"(?:(?P<gone>sunk|withdrawn)|@(?P<x>{_NUMBER_PATTERN}),(?P<y>{_NUMBER_PATTERN})\^(?P<heading>{_INTEGER_PATTERN})"
    rf" (?P<crew>{_INTEGER_PATTERN})"
    r"(?P<corvus> corvus)?(?P<halved> halved)?(?P<dead> dead)?(?P<immob> immob)?(?: fire=(?P<fire>[1-9]))?"
    r"(?P<fireship> fireship)?(?P<beached> beached)?)"
)
# `A1-S1` is a grapple, `A1>S1` a stuck pair
_LINK_PATTERN: Final = re.compile(rf"(?P<a>{_ID_PATTERN})(?P<kind>[->])(?P<b>{_ID_PATTERN})(?P<checked>!)?")
_BOARD_NAMES: Final = (*SCENARIOS, "open")
_EXAMPLE_POSITION: Final = "30x24 skerries turn=1/15 phase=fire quiet=0 seats=ann@Athens,bob@Sparta"


def parse_position(text: str) -> Position:
    """Parse a position; parts after the header may be in any order, with any spaces around `;`.

    Raises `UnreadableOrder` for the field `position`.
    """
    header, *rest = (part.strip(" ") for part in text.split(";"))
    position = _parse_header(header)
    ships: list[Ship] = []
    links: list[Link] = []
    for part in rest:
        if match := _LINK_PATTERN.fullmatch(part):
            links.append(_parse_link(match))
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
    """Return a position as one line: ships by id, links by lower id, then higher id, numbers without trailing zeros."""
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
    """Return one ship as text, such as `A1 T ann athenian @4,9^90 20`. `side` is the side of its owner."""
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
    return f"{inches:.3f}".rstrip("0").rstrip(".")


def check_position(position: Position) -> None:
    """Refuse hulls over the edge, on land or on a ship that is not linked to them. Raises `UnreadableOrder`."""
    afloat = [ship for ship in position.ships if ship.is_afloat]
    for number, ship in enumerate(afloat):
        hull = hulls.hull_of(ship)
        if not hulls.is_on_table(hull, position.width, position.height)[0]:
            raise _position_error("position_edge", given=ship.id)
        # each pair of ships once
        obstacles = hulls.find_obstacles(position, without=[earlier.id for earlier in afloat[: number + 1]])
        if not len(obstacles.shapes.corners):
            continue
        for index in np.flatnonzero(hulls.do_overlap(hull, obstacles.shapes)[0]):
            other = obstacles.names[index] if index < len(obstacles.names) else "land"
            if not any(link.includes(ship.id) and link.includes(other) for link in position.links):
                raise _position_error("position_overlap", given=ship.id, other=other)


def _position_error(code: str, **params: str | int) -> UnreadableOrder:
    return UnreadableOrder(code, rule="", piece="position", **params)


def _parse_header(header: str) -> Position:
    match = _HEADER_PATTERN.fullmatch(header)
    if not match:
        raise _position_error("position_header", given=header[:80], expected=_EXAMPLE_POSITION)
    board = match["board"]
    if board not in _BOARD_NAMES:
        raise _position_error("position_board", given=board[:40], expected=", ".join(_BOARD_NAMES))
    land = tuple(_parse_ring(part) for part in match["land"].split(" land=")[1:])
    position = Position(
        width=float(match["width"]),
        height=float(match["height"]),
        board=board,
        exit=bool(match["exit"]),
        land=land,
        turn=int(match["turn"]),
        limit=int(match["limit"]),
        phase=cast("Phase", match["phase"]),
        quiet=int(match["quiet"]),
        seats=tuple(Captain(*seat.split("@")) for seat in match["seats"].split(",")),
        ships=(),
    )
    if board in SCENARIOS:
        position = _with_scenario_land(position)
    if not 1 <= position.turn <= position.limit:
        raise _position_error("position_turn", given=position.turn, most=position.limit)
    is_over = position.phase == "over"
    max_quiet = CONSTANTS.quiet_limit if is_over else CONSTANTS.quiet_limit - 1
    if position.quiet > max_quiet:
        raise _position_error("position_quiet", given=position.quiet, most=max_quiet)
    if len(set(position.players)) < len(position.players) or len(position.sides) != 2:
        raise _position_error("position_seats", given=match["seats"][:80])
    return position


def _with_scenario_land(position: Position) -> Position:
    scenario = SCENARIOS[position.board]
    if (position.width, position.height) != scenario.table or position.land or position.exit:
        expected = f"{format_number(scenario.table[0])}x{format_number(scenario.table[1])} {position.board}"
        raise _position_error("position_size", expected=expected)
    return structs.replace(position, land=scenario.land, exit=scenario.edge == "exit")


def _parse_ring(text: str) -> Ring:
    values = [float(value) for value in text.split(",")]
    ring = tuple(zip(values[::2], values[1::2], strict=False))
    if len(values) % 2 or len(ring) < 3 or not is_convex(ring):
        raise _position_error("position_land", given=text[:80])
    return ring


def is_convex(ring: Ring) -> bool:
    """Return whether corners, in either direction, form a convex piece with an area (RS-01.7)."""
    corners = np.array(ring)
    sides = np.roll(corners, -1, axis=0) - corners
    next_sides = np.roll(sides, -1, axis=0)
    turns = sides[:, 0] * next_sides[:, 1] - sides[:, 1] * next_sides[:, 0]  # cross products
    angles = np.arctan2(turns, (sides * next_sides).sum(axis=1))
    turn_one_way = bool((turns >= 0).all() or (turns <= 0).all())
    have_length = bool((np.hypot(*sides.T) > 0).all())
    # The sides must turn once around in all; those of a star all turn one way, too.
    turn_once_around = bool(abs(abs(angles.sum()) - 2 * np.pi) < 1e-6)
    have_area = bool((turns != 0).sum() > 2)
    return have_length and turn_one_way and turn_once_around and have_area


def _parse_ship(part: str, position: Position) -> Ship:
    match = _SHIP_PATTERN.fullmatch(part)
    if not match:
        raise _position_error("position_ship", given=part[:80], expected="A1 T ann athenian @4,9^90 20")
    if match["owner"] not in position.players:
        raise _position_error("position_name", given=match["owner"], expected=", ".join(position.players))
    side0 = match["side0"] or position.side_of_player(match["owner"])
    if side0 not in position.sides:
        raise _position_error("position_name", given=side0, expected=", ".join(position.sides))
    if match["nation"] not in NATIONS:
        raise _position_error("position_name", given=match["nation"][:40], expected=", ".join(NATIONS))
    code = cast("ClassCode", match["code"])
    ship = Ship(
        id=match["id"],
        code=code,
        owner=match["owner"],
        side0=side0,
        nation=cast("Nation", match["nation"]),
        status=cast("str", match["gone"]) or "afloat",  # type: ignore[arg-type] # the pattern knows both
    )
    if match["gone"]:
        return ship
    ship = structs.replace(
        ship,
        x=float(match["x"]),
        y=float(match["y"]),
        heading=int(match["heading"]),
        crew=int(match["crew"]),
        corvus=bool(match["corvus"]),
        banks_lost=int(bool(match["halved"])),
        dead=bool(match["dead"]),
        immob=bool(match["immob"]),
        fire=int(match["fire"] or 0),
        fireship=bool(match["fireship"]),
        beached=bool(match["beached"]),
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


def _parse_link(match: re.Match[str]) -> Link:
    kind = "grapple" if match["kind"] == "-" else "stuck"
    return Link(a=match["a"], b=match["b"], kind=kind, checked=bool(match["checked"]))  # type: ignore[arg-type]


def _check_links(position: Position) -> None:
    afloat = {ship.id for ship in position.ships if ship.is_afloat}
    pairs = [frozenset((link.a, link.b)) for link in position.links]
    for link, pair in zip(position.links, pairs, strict=True):
        if len(pair) != 2 or not pair <= afloat or pairs.count(pair) > 1:
            raise _position_error("position_link", given=f"{link.a}{'-' if link.kind == 'grapple' else '>'}{link.b}")
