"""Positions on one line of text, as cases and records write them."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from typing import Any, Final, NoReturn, cast

from msgspec import structs

from rules.core.errors import IllegalOrder
from rules.geometry.hexes import Hex
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.grid import FACING_NAMES
from rules.squadrons.engine.sea.state import (
    Leader,
    Position,
    RuleOptions,
    Ship,
    ShipPair,
    Wind,
    id_sort_key,
    sort_pairs,
)
from rules.squadrons.engine.tables import CLASSES, LEADERS

UNREADABLE_RULE: Final = "SQ-24.2"
_NUMBER_PATTERN: Final = "(0|[1-9][0-9]{0,5})"
_SHIP_PATTERN: Final = "[BR][1-9][0-9]?"
_HEADER_PATTERN: Final = re.compile(
    rf"squadrons ([1-9][0-9]{{0,5}}) ([AEFGH]) ([1-9][0-9]?)x([1-9][0-9]?) (-|flame|pots|flame,pots)"
    rf" vp={_NUMBER_PATTERN} limit={_NUMBER_PATTERN} bonus={_NUMBER_PATTERN}/{_NUMBER_PATTERN} lost=([-0-9])/([-0-9])"
    r"(?: wind=([0-2]):(NE|NW|SE|SW|N|S))?(?: land=([0-9]{4}(?:,[0-9]{4})*))?"
)
_AFLOAT_PATTERN: Final = re.compile(  # `B1 5@1613NW C F2 HS`
    rf"({_SHIP_PATTERN}) ([A-Za-z0-9]+)@([0-9]{{4}})(NE|NW|SE|SW|N|S) ([CM])((?: \S+)*)"
)
_SUNK_PATTERN: Final = re.compile(rf"({_SHIP_PATTERN}) ([A-Za-z0-9]+)@sunk")
_PAIR_PATTERN: Final = re.compile(rf"(grap|foul) ({_SHIP_PATTERN}) ({_SHIP_PATTERN})")
# `lead BL1 Steady@B2 temp try`
_LEADER_PATTERN: Final = re.compile(rf"lead ([BR]L[1-9]) ([A-Za-z]+)@({_SHIP_PATTERN})( temp| perm)?( try)?")
_TAG_PATTERNS: Final[tuple[tuple[re.Pattern[str], str, Any], ...]] = tuple(
    (re.compile(pattern), name, value)
    for pattern, name, value in (
        (rf"RAM:({_SHIP_PATTERN})", "rammed", str),
        ("CRp", "crippled_port", True),
        ("CRs", "crippled_starboard", True),
        ("F([1-4])", "fatigue", int),
        ("HS", "half_speed", True),
        ("FIRE", "burning", True),
        ("(CAP|CAP0|REC)", "held", str),
        ("D([1-9][0-9]{0,3})", "depletion", int),
        ("JET", "jettisoned", True),
        ("FL", "flame", True),
        ("POT", "pots", True),
        ("q([1-9][0-9]?)", "squadron", int),
        ("rep", "repulsed", True),
        ("done", "done", True),
        ("SAIL", "sails", True),
        ("MAST", "mast_down", True),
        ("NOSAIL", "no_sails", True),
        ("AG([1-9][0-9]{0,5})", "aground", int),
        ("AG0", "was_aground", True),
    )
)
"""Pattern of a tag, the field that it sets, and its value, in the order in which tags are written."""
_TAG_EXAMPLES: Final = "RAM:ID CRp CRs F1 HS FIRE CAP CAP0 REC D1 JET FL POT q1 rep done SAIL MAST NOSAIL AG1"


def parse_position(text: str) -> Position:
    """Parse a position; its records may stand in any order. Raises `IllegalOrder`."""
    header, *records = [" ".join(part.split()) for part in text.split(";")]
    position = _parse_header(header)
    reader = _RecordReader(position)
    for record in records:
        reader.read_record(record)
    return reader.to_position()


def _raise_unreadable(piece: str, expected: str) -> NoReturn:
    raise IllegalOrder("bad_position", UNREADABLE_RULE, piece=piece[:60], expected=expected)


def _parse_header(text: str) -> Position:
    match = _HEADER_PATTERN.fullmatch(text)
    if not match:
        _raise_unreadable(text, "squadrons 1 E 44x28 - vp=25 limit=12 bonus=0/0 lost=-/-")
    lost_initiatives = [None if letter == "-" else int(letter) for letter in (match[10], match[11])]
    position = Position(
        turn=int(match[1]),
        phase=cast("Any", match[2]),
        width=int(match[3]),
        height=int(match[4]),
        options=RuleOptions(
            wind=match[12] is not None, land=match[14] is not None, flame="flame" in match[5], pots="pots" in match[5]
        ),
        wind=Wind(int(match[12]), FACING_NAMES.index(match[13])) if match[12] else None,
        target=int(match[6]),
        limit=int(match[7]),
        bonus=(int(match[8]), int(match[9])),
        lost=(lost_initiatives[0], lost_initiatives[1]),
        ships=(),
    )
    return structs.replace(position, land=_parse_land(position, match[14])) if match[14] else position


def _parse_land(position: Position, text: str) -> tuple[Hex, ...]:  # SQ-08
    labels = text.split(",")
    land = tuple(grid.parse_hex(label) for label in labels)
    if labels != sorted(set(labels)) or not all(map(position.is_on_map, land)):
        _raise_unreadable(text, f"hexes in order, 0101 to {position.width:02}{position.height:02}")
    return land


class _RecordReader:
    def __init__(self, position: Position) -> None:
        self._position = position
        self._ships: dict[str, Ship] = {}
        self._taken: set[Hex] = set()  # hexes that ships cover
        self._pairs: dict[str, list[ShipPair]] = {"grap": [], "foul": []}
        self._leaders: dict[str, Leader] = {}

    def read_record(self, record: str) -> None:
        if match := _AFLOAT_PATTERN.fullmatch(record):
            self._read_afloat(match, record)
        elif match := _SUNK_PATTERN.fullmatch(record):
            self._add_ship(Ship(id=match[1], code=_parse_class(match[2], record), status="sunk"), record)
        elif match := _PAIR_PATTERN.fullmatch(record):
            self._read_pair(match[1], match[2], match[3], record)
        elif match := _LEADER_PATTERN.fullmatch(record):
            self._read_leader(match, record)
        else:
            _raise_unreadable(record, "B1 5@1613NW C, B4 3@sunk, grap B1 R1, foul B1 R1, lead BL1 Steady@B2")

    def to_position(self) -> Position:
        for ship in self._ships.values():
            if ship.speed == "M" and any(ship.id in pair for pairs in self._pairs.values() for pair in pairs):
                _raise_unreadable(ship.id, "C")
        grapples = (tuple(sorted(pair, key=id_sort_key)) for pair in self._pairs["grap"])
        return structs.replace(
            self._position,
            ships=tuple(self._ships[name] for name in sorted(self._ships, key=id_sort_key)),
            grapples=sort_pairs(cast("ShipPair", pair) for pair in grapples),
            fouls=sort_pairs(self._pairs["foul"]),
            leaders=tuple(self._leaders[name] for name in sorted(self._leaders)),
        )

    def _add_ship(self, ship: Ship, record: str) -> None:
        if ship.id in self._ships:
            _raise_unreadable(record, f"{ship.id} once")
        self._ships[ship.id] = ship

    def _read_afloat(self, match: re.Match[str], record: str) -> None:
        fields = _parse_tags(match[6].split(), record)
        ship = Ship(
            id=match[1],
            code=_parse_class(match[2], record),
            bow=grid.parse_hex(match[3]),
            facing=FACING_NAMES.index(match[4]),
            speed=cast("Any", match[5]),
            **fields,
        )
        ship = structs.replace(ship, no_sails=ship.no_sails or ship.mast_down)
        is_barred_by_sails = ship.sails and not ship.ship_class.tremiola
        needs_cruise = (
            ship.rammed or ship.is_crippled or ship.is_slowed or ship.held or ship.mast_down or ship.aground
        ) or is_barred_by_sails
        options = self._position.options
        if ship.speed == "M" and needs_cruise:
            _raise_unreadable(record, "C")
        if ship.jettisoned and not ship.ship_class.towers:
            _raise_unreadable(record, "JET only with T")
        if (ship.flame and not options.flame) or (ship.pots and not options.pots):
            _raise_unreadable(record, "flame, pots")
        if ship.burning and not (options.flame or options.pots):
            _raise_unreadable(record, "flame, pots")
        self._check_wind_and_land(ship, fields, record)
        for here in ship.hexes:
            if not self._position.is_on_map(here):
                _raise_unreadable(record, f"0101 to {self._position.width:02}{self._position.height:02}")
            if here in self._taken:
                _raise_unreadable(record, f"{grid.hex_label(here)} free")
            self._taken.add(here)
        self._add_ship(ship, record)

    def _check_wind_and_land(self, ship: Ship, fields: Container[str], record: str) -> None:  # SQ-08
        position = self._position
        sail_fields = sum(name in fields for name in ("sails", "mast_down", "no_sails"))
        if sail_fields > (1 if position.options.wind else 0):
            _raise_unreadable(record, "wind, one of SAIL MAST NOSAIL")
        is_ashore = ship.bow in position.land_hexes
        if (ship.aground or ship.was_aground) and not position.options.land:
            _raise_unreadable(record, "land")
        if bool(ship.aground) != is_ashore or (ship.aground and ship.was_aground) or ship.aground > position.turn:
            _raise_unreadable(record, f"AG1 to AG{position.turn} if her bow is on land, and only then")
        if ship.size > 1 and ship.stern in position.land_hexes:
            _raise_unreadable(record, "her stern at sea")

    def _read_pair(self, kind: str, a: str, b: str, record: str) -> None:
        first, second = self._ships.get(a), self._ships.get(b)
        if first is None or second is None or a == b or not (first.is_afloat and second.is_afloat):
            _raise_unreadable(record, "two ships of the position")
        if grid.hex_distance(first.hexes, second.hexes) != 1:
            _raise_unreadable(record, "adjacent ships")
        if {(a, b), (b, a)} & set(self._pairs[kind]):
            _raise_unreadable(record, "each pair once")
        self._pairs[kind].append((a, b))

    def _read_leader(self, match: re.Match[str], record: str) -> None:
        leader_id, name, ship_id, reduced, tried = match.groups()
        ship = self._ships.get(ship_id)
        if name not in LEADERS:
            _raise_unreadable(record, ", ".join(LEADERS))
        if ship is None or not ship.is_afloat or ship.side != leader_id[0]:
            _raise_unreadable(record, "a ship of his side")
        if leader_id in self._leaders or any(leader.ship == ship_id for leader in self._leaders.values()):
            _raise_unreadable(record, "each leader once, one on a ship")
        self._leaders[leader_id] = Leader(
            id=leader_id, name=name, ship=ship_id, reduced=cast("Any", (reduced or "").strip()), tried=bool(tried)
        )


def _parse_class(text: str, record: str) -> str:
    if text not in CLASSES:
        _raise_unreadable(record, ", ".join(CLASSES))
    return text


def _parse_tags(tags: Iterable[str], record: str) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for tag in tags:
        # `value` is True for a plain mark, else it makes the field's value of the tag's text
        for pattern, name, value in _TAG_PATTERNS:
            if match := pattern.fullmatch(tag):
                if name in fields:
                    _raise_unreadable(record, f"{tag} once")
                fields[name] = True if value is True else value(match[1])
                break
        else:
            _raise_unreadable(record, _TAG_EXAMPLES)
    return fields


# --- writing -----------------------------------------------------------------------------------------------------


def format_position(position: Position) -> str:
    return " ; ".join([_format_header(position), *_format_records(position)])


def _format_header(position: Position) -> str:
    options = [word for word, on in (("flame", position.options.flame), ("pots", position.options.pots)) if on]
    lost = "/".join("-" if number is None else str(number) for number in position.lost)
    bonus = "/".join(map(str, position.bonus))
    header = (
        f"squadrons {position.turn} {position.phase} {position.width}x{position.height} {','.join(options) or '-'}"
        f" vp={position.target} limit={position.limit} bonus={bonus} lost={lost}"
    )
    if position.wind is not None:
        header += f" wind={position.wind.strength}:{position.wind.compass}"
    return f"{header} land={','.join(map(grid.hex_label, position.land))}" if position.land else header


def _format_records(position: Position) -> Iterator[str]:
    for ship in position.ships:
        if ship.is_afloat:
            yield f"{ship.id} {ship.code}@{ship.place} {ship.speed}{''.join(f' {tag}' for tag in ship_tags(ship))}"
        elif ship.status == "sunk":
            yield f"{ship.id} {ship.code}@sunk"
    for a, b in position.grapples:
        yield f"grap {a} {b}"
    for a, b in position.fouls:
        yield f"foul {a} {b}"
    for leader in position.leaders:
        extra = f" {leader.reduced}" * bool(leader.reduced) + " try" * leader.tried
        yield f"lead {leader.id} {leader.name}@{leader.ship}{extra}"


def ship_tags(ship: Ship) -> Iterator[str]:
    tags_with_condition = (
        ("RAM:" + ship.rammed, ship.rammed),
        ("CRp", ship.crippled_port),
        ("CRs", ship.crippled_starboard),
        (f"F{ship.fatigue}", ship.fatigue),
        ("HS", ship.half_speed),
        ("FIRE", ship.burning),
        (ship.held, ship.held),
        (f"D{ship.depletion}", ship.depletion),
        ("JET", ship.jettisoned),
        ("FL", ship.flame),
        ("POT", ship.pots),
        (f"q{ship.squadron}", ship.squadron),
        ("rep", ship.repulsed),
        ("done", ship.done),
        ("SAIL", ship.sails),
        ("MAST", ship.mast_down),
        ("NOSAIL", ship.no_sails and not ship.mast_down),
        (f"AG{ship.aground}", ship.aground or ship.was_aground),
    )
    return (tag for tag, on in tags_with_condition if on)
