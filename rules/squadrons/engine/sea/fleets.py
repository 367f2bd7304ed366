"""Fleets and their formations: rosters, prices, and the lines in which fleets are deployed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, get_args

from msgspec import structs

from rules.core.view import Text
from rules.squadrons.engine.notation.orders import SIDES, FleetSide
from rules.squadrons.engine.odds import BarReason
from rules.squadrons.engine.sea import grid, position_text
from rules.squadrons.engine.sea.grid import HexPose
from rules.squadrons.engine.sea.state import Leader, Position, Ship
from rules.squadrons.engine.tables import CLASSES, FLEETS, LEADERS, SCENARIOS

AdmiralName = Literal["Bold", "Steady", "Grand"]  # SQ-23.3
ADMIRALS: Final[tuple[AdmiralName, ...]] = get_args(AdmiralName)
MAX_GALLEYS: Final = max(sum(fleet.ships.values()) for fleet in FLEETS.values())
"""Maximum of a bought fleet, taken from the largest stock fleet (H). Orders for more would not fit in a message."""
CREW_RANGE: Final = (1, 4)  # a bought ship's, with the change that its captain chose
MAX_DEPTH_HEXES: Final = 8
"""Greatest distance in hexes between a side's own edge and any hex of its ships at deployment (SQ-23.4)."""
_LINE_DEPTHS: Final = (3, 1, 5, 7)
"""Hexes between the own edge and the sterns of the first, second … line (SQ-23.4)."""
_NORTH_FACING, _SOUTH_FACING = 0, 3


def scenario_position(name: str) -> Position:
    """Return the starting position of a scenario. Raises `KeyError` for an unknown name."""
    scenario = SCENARIOS[name]
    columns, rows = scenario.map
    ships = (" ".join([*ship.split()[:2], "C", *ship.split()[2:]]) for ship in scenario.ships)
    leaders = (f"lead {leader}" for leader in scenario.leaders)
    header = f"squadrons 1 A {columns}x{rows} - vp={scenario.target} limit={scenario.limit} bonus=0/0 lost=-/-"
    header += "".join(f" wind={wind.strength}:{wind.toward}" for wind in (scenario.wind,) if wind)
    header += f" land={','.join(scenario.land)}" * bool(scenario.land)
    position = position_text.parse_position(" ; ".join([header, *ships, *leaders]))
    wind_changes = scenario.wind is not None and scenario.wind.changes
    options = structs.replace(position.options, wind_changes=wind_changes)
    return structs.replace(position, exits=scenario.exits, options=options)


def stock_position(points: str) -> Position:
    """Return a position with both stock fleets of this size in lines abreast. Raises `KeyError` for an unknown size."""
    fleet = FLEETS[points]
    codes = [code for code, count in fleet.ships.items() for _ in range(count)]
    return tournament_position(points, dict.fromkeys(SIDES, codes), dict.fromkeys(SIDES, fleet.leaders))


def tournament_position(
    points: str, codes: Mapping[FleetSide, Sequence[str]], leaders: Mapping[FleetSide, Sequence[str]], limit: int = 0
) -> Position:
    fleet = FLEETS[points]
    position = Position(width=fleet.map[0], height=fleet.map[1], target=fleet.target, limit=limit, ships=())
    for side in SIDES:
        classes = [class_and_crew_change(code) for code in _heaviest_in_middle(codes[side])]
        ships = [
            Ship(id=f"{side}{number}", code=code, crew_change=crew_change)
            for number, (code, crew_change) in enumerate(classes, 1)
        ]
        position = with_lines_abreast(structs.replace(position, ships=(*position.ships, *ships)), side)
        position = structs.replace(position, leaders=(*position.leaders, *_place_leaders(side, ships, leaders[side])))
    return position


def _heaviest_in_middle(codes: Sequence[str]) -> list[str]:
    def weight(code: str) -> tuple[int, int, str]:
        kind, _ = class_and_crew_change(code)
        return CLASSES[kind].rd, fleet_cost((code,)), code

    lightest_first = sorted(codes, key=weight)
    # every other ship from the left end, the others from the right end, so that both meet in the middle
    return [*lightest_first[::2], *lightest_first[1::2][::-1]]


def _place_leaders(side: FleetSide, ships: Sequence[Ship], names: Sequence[str]) -> tuple[Leader, ...]:
    """Return leaders on ships in equal distances along the line; the first one, the Admiral, in the middle."""
    count = len(names)
    carriers = [ships[(2 * number + 1) * len(ships) // (2 * count)].id for number in range(count)]
    middle = carriers.pop(count // 2)
    return tuple(
        Leader(id=f"{side}L{number}", name=name, ship=ship)
        for number, (name, ship) in enumerate(zip(names, [middle, *carriers], strict=True), 1)
    )


# --- building ----------------------------------------------------------------------------------------------------


def class_and_crew_change(code: str) -> tuple[str, int]:
    """Split a roster code into the class and the change of its Crew: `5+` is class `5` with a Crew better by 1."""
    if code.endswith("+"):
        return code[:-1], 1
    return (code[:-1], -1) if code.endswith("-") else (code, 0)


def fleet_cost(codes: Iterable[str]) -> int:
    """Return the cost of ships in points (SQ-23.2). Each step of Crew adds or subtracts one point (SQ-02)."""
    return sum(CLASSES[code].cost + more for code, more in map(class_and_crew_change, codes))


def free_leaders(points: str, admiral: str, ships: int) -> tuple[str, ...]:
    """Return the leaders that come free with a fleet, the Admiral first (SQ-23.3, SQ-23.8).

    Each leader needs a ship, so a small fleet gets fewer Squadron Commanders.
    """
    return (admiral, *("SqC",) * min(FLEETS[points].squadron_commanders, ships - 1))


def why_roster_barred(
    points: str, codes: Sequence[str], leaders: Sequence[str], *, crews: bool = False, captains: int = 1
) -> BarReason | None:
    """Return why a fleet may not be built; None if it may (SQ-23.1, SQ-23.2, SQ-23.3).

    With `crews` a Crew may differ from that of its class. Each of the `captains` must have a ship.
    """
    fleet = FLEETS[points]
    for code in codes:
        if barred := _why_class_barred(code, crews=crews):
            return barred
    if not codes or fleet_cost(codes) > int(points):
        return BarReason("SQ-23.1", "fleet_cost", points)
    if len(codes) > MAX_GALLEYS:
        return BarReason("SQ-23.1", "too_many_ships", str(MAX_GALLEYS))
    unknown = [name for name in leaders if name not in LEADERS]
    admirals = [name for name in leaders if name in LEADERS and LEADERS[name].admiral]
    if unknown or len(admirals) != 1 or len(leaders) > 1 + fleet.squadron_commanders:
        return BarReason("SQ-23.3", "fleet_leaders", str(fleet.squadron_commanders))
    min_ships = max(len(leaders), captains)  # each leader and each captain needs a ship
    return BarReason("SQ-23.8", "too_few_ships", str(min_ships)) if min_ships > len(codes) else None


def _why_class_barred(code: str, *, crews: bool) -> BarReason | None:
    kind, crew_change = class_and_crew_change(code)
    if kind not in CLASSES:
        return BarReason("SQ-23.2", "no_class", code)
    if crew_change and not crews:
        return BarReason("SQ-23.2", "crew_of_class", code)
    if not CREW_RANGE[0] <= CLASSES[kind].crew + crew_change <= CREW_RANGE[1]:
        return BarReason("SQ-23.2", "no_such_crew", code)
    return None


# --- setting down ------------------------------------------------------------------------------------------------


def facing_of_side(side: str) -> int:
    """Return the facing toward the enemy's edge: 0 north, 3 south."""
    return _NORTH_FACING if side == "B" else _SOUTH_FACING


def depth_from_edge(position: Position, side: str, row: int) -> int:
    return position.height - row if side == "B" else row - 1


def with_lines_abreast(position: Position, side: str) -> Position:  # SQ-23.4
    """Return the position with the ships that a side built in lines parallel to its edge, each line centred."""
    own = [ship for ship in position.ships if ship.builder == side]
    lines = [own[start : start + position.width] for start in range(0, len(own), position.width)]
    placed: dict[str, Ship] = {}
    for line, depth in zip(lines, _LINE_DEPTHS, strict=False):
        for ship, (column, _) in zip(line, _row_spots(position, len(line), depth), strict=True):
            stern = grid.hex_at(column, _row_from_edge(position, side, depth))
            bow = grid.next_hex(stern, facing_of_side(side)) if ship.size == 2 else stern
            placed[ship.id] = structs.replace(ship, bow=bow, facing=facing_of_side(side))
    ships = tuple(placed.get(ship.id, ship) for ship in position.ships)
    return structs.replace(position, ships=ships)


def why_deployment_barred(position: Position, side: str, places: Mapping[str, HexPose]) -> BarReason | None:
    own = {ship.id: ship for ship in position.ships if ship.builder == side}
    if unplaced := next((name for name in own if name not in places), None):
        return BarReason("SQ-23.4", "not_placed", unplaced)
    occupied = {here for ship in position.ships if ship.builder != side and ship.is_afloat for here in ship.hexes}
    for name, place in places.items():
        if name not in own:
            return BarReason("SQ-23.4", "not_his_ship", name)
        for here in place.covered_hexes(own[name].size):
            _, row = grid.column_and_row(here)
            if not position.is_on_map(here) or here in position.land_hexes:
                return BarReason("SQ-23.4", "off_the_sea", grid.hex_label(here))
            if depth_from_edge(position, side, row) > MAX_DEPTH_HEXES:
                return BarReason("SQ-23.4", "too_far_in", grid.hex_label(here))
            if here in occupied:
                return BarReason("SQ-02.5", "hex_taken", grid.hex_label(here))
            occupied.add(here)
    return None


def with_places(position: Position, places: Mapping[str, HexPose]) -> Position:
    ships = tuple(
        structs.replace(ship, bow=places[ship.id].bow, facing=places[ship.id].facing) if ship.id in places else ship
        for ship in position.ships
    )
    return structs.replace(position, ships=ships)


def with_equipment(position: Position) -> Position:
    """Return the position with flames and firepots added to all ships with engines, as far as the options allow them.

    The rules leave it to scenarios which ships carry them (SQ-20.1).
    """
    options = position.options
    ships = tuple(
        structs.replace(
            ship, flame=options.flame and ship.ship_class.engines, pots=options.pots and ship.ship_class.engines
        )
        for ship in position.ships
    )
    return structs.replace(position, ships=ships)


def roster_texts(text: str) -> tuple[Text | str, ...]:
    """Return a roster in words: a text for each class, then the Admiral. Any other text is returned unchanged."""
    ships, _, admiral = text.partition("; ")
    pieces = [piece.partition("x") for piece in ships.split(", ")]
    if admiral not in ADMIRALS or not all(count.isdecimal() for count, _, _ in pieces):
        return (text,)
    return (*(class_text(code, int(count)) for count, _, code in pieces), Text("admiral.short", {"name": admiral}))


def class_text(code: str, count: int) -> Text:
    """Return the text for `count` ships of a class. A code ending in `+` or `-` mentions the better or worse crew."""
    kind, crew_change = class_and_crew_change(code)
    crew = {0: "usual", 1: "better", -1: "worse"}[crew_change]
    return Text(f"roster.{crew}", {"count": count, "code": code, "kind": kind})


Formation = Literal["line", "close", "lines", "columns", "left", "right"]
"""A line abreast; a line without gaps; two lines; columns of at most four; the left or the right wing ahead."""
FORMATIONS: Final[tuple[Formation, ...]] = get_args(Formation)
_FRONT_DEPTH, _BACK_DEPTH = 6, 2
_MAX_COLUMN_SHIPS: Final = 4
"""Ships in a column. Each takes two hexes, so a longer column would leave the deployment zone."""


def ships_built_by(position: Position, side: str) -> tuple[Ship, ...]:
    """Return the ships that a side built, as it sees its line from left to right."""
    ships = tuple(ship for ship in position.ships if ship.builder == side)
    return ships if side == "B" else ships[::-1]


def formation_places(position: Position, side: str, name: Formation) -> Mapping[str, HexPose]:
    if name == "line":
        placed = with_lines_abreast(position, side)
        return {ship.id: ship.place for ship in placed.ships if ship.builder == side}
    ships = ships_built_by(position, side)
    match name:
        case "close":
            spots = _row_spots(position, len(ships), 3, step=1)
        case "lines":
            front = (len(ships) + 1) // 2
            front_spots = _row_spots(position, front, _FRONT_DEPTH)
            back_spots = _row_spots(position, len(ships) - front, _BACK_DEPTH)
            spots = [*front_spots, *back_spots]
            # ships take the spots from left to right, in front and behind in turn
            spots = [spot for number in range(front) for spot in spots[number::front]]
        case "columns":
            spots = _column_spots(position, len(ships))
        case _:
            spots = _echelon_spots(position, len(ships), left=name == "left")
    return {ship.id: _spot_place(position, side, ship, spot) for ship, spot in zip(ships, spots, strict=True)}


def entry_places(position: Position, side: str) -> Mapping[str, HexPose]:
    """Return the edge hex over which each ship enters, in a line along the edge (SQ-23.5)."""
    ships = ships_built_by(position, side)
    spots = _row_spots(position, len(ships), 0)
    return {
        ship.id: HexPose(
            grid.hex_at(_mirror_column(position, side, column), _row_from_edge(position, side, depth)),
            facing_of_side(side),
        )
        for ship, (column, depth) in zip(ships, spots, strict=True)
    }


def waiting_place(place: HexPose) -> HexPose:
    return HexPose(grid.next_hex(place.bow, place.facing + 3), place.facing)


# --- spots --------------------------------------------------------------------------------------------------------

Spot = tuple[int, int]  # column from the left, as the side sees it, and hexes between its edge and the stern


def _row_spots(position: Position, count: int, depth: int, *, step: int = 2) -> list[Spot]:
    step = step if step * count <= position.width else 1
    first = (position.width - step * (count - 1) + 1) // 2
    return [(first + step * number, depth) for number in range(count)]


def _column_spots(position: Position, count: int) -> list[Spot]:
    column_count = -(-count // _MAX_COLUMN_SHIPS)  # rounded up
    heads = _row_spots(position, column_count, 0, step=3)
    spots = []
    for number in range(count):
        column_number, place_in_column = divmod(number, _MAX_COLUMN_SHIPS)
        column, _ = heads[column_number]
        spots.append((column, MAX_DEPTH_HEXES - 1 - 2 * place_in_column))
    return spots


def _echelon_spots(position: Position, count: int, *, left: bool) -> list[Spot]:  # `left`: left wing ahead
    spots = _row_spots(position, count, 0)
    max_depth = MAX_DEPTH_HEXES - 2
    last = max(1, count - 1)
    echelon = []
    for number, (column, _) in enumerate(spots):
        ships_from_rear = last - number if left else number
        echelon.append((column, max_depth * ships_from_rear // last))
    return echelon


def _mirror_column(position: Position, side: str, column: int) -> int:
    return column if side == "B" else position.width + 1 - column


def _row_from_edge(position: Position, side: str, depth: int) -> int:
    return position.height - depth if side == "B" else depth + 1


def _spot_place(position: Position, side: str, ship: Ship, spot: Spot) -> HexPose:
    column, depth = spot
    stern = grid.hex_at(_mirror_column(position, side, column), _row_from_edge(position, side, depth))
    return HexPose(grid.next_hex(stern, facing_of_side(side)) if ship.size == 2 else stern, facing_of_side(side))


def formation_of(position: Position, side: str, places: Mapping[str, HexPose]) -> Formation | None:
    return next((name for name in FORMATIONS if dict(formation_places(position, side, name)) == dict(places)), None)


def shift_places(places: Mapping[str, HexPose], ships: Sequence[str], direction: int) -> dict[str, HexPose]:
    return {
        name: HexPose(grid.next_hex(place.bow, direction), place.facing) if name in ships else place
        for name, place in places.items()
    }


def turn_places(places: Mapping[str, HexPose], ships: Sequence[str], hexsides: int) -> dict[str, HexPose]:
    return {
        name: HexPose(place.bow, (place.facing + hexsides) % 6) if name in ships else place
        for name, place in places.items()
    }


def shift_along_edge(places: Mapping[str, HexPose], ships: Sequence[str], columns: int) -> dict[str, HexPose]:
    shifted = dict(places)
    for name in ships:
        column, row = grid.column_and_row(places[name].bow)
        shifted[name] = HexPose(grid.hex_at(column + columns, row), places[name].facing)
    return shifted
