"""Positions on one line, as cases and records write them (SQ 10.1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, NoReturn, cast

from msgspec import structs

from rules.errors import IllegalOrder
from rules.squadrons.table.sea import grid
from rules.squadrons.table.sea.grid import FACINGS
from rules.squadrons.table.sea.state import Leader, Options, Pair, Position, Ship, order_of
from rules.squadrons.table.tables import CLASSES, LEADERS

RULE: Final = "SQ-24.2"
_NUMBER: Final = "(0|[1-9][0-9]{0,5})"
_SHIP: Final = "[BR][1-9][0-9]?"
_HEADER: Final = re.compile(
    rf"squadrons ([1-9][0-9]{{0,5}}) ([AEFGH]) ([1-9][0-9]?)x([1-9][0-9]?) (-|flame|pots|flame,pots) vp={_NUMBER}"
    rf" limit={_NUMBER} bonus={_NUMBER}/{_NUMBER} lost=([-0-9])/([-0-9])"
)
_AFLOAT: Final = re.compile(rf"({_SHIP}) ([A-Za-z0-9]+)@([0-9]{{4}})(NE|NW|SE|SW|N|S) ([CM])((?: \S+)*)")
_HULL: Final = re.compile(rf"({_SHIP}) ([A-Za-z0-9]+)@sunk")
_PAIR: Final = re.compile(rf"(grap|foul) ({_SHIP}) ({_SHIP})")
_LEADER: Final = re.compile(rf"lead ([BR]L[1-9]) ([A-Za-z]+)@({_SHIP})( temp| perm)?( try)?")
_TAGS: Final[tuple[tuple[re.Pattern[str], str, Any], ...]] = tuple(
    (re.compile(pattern), name, value)
    for pattern, name, value in (
        (rf"RAM:({_SHIP})", "rammed", str),
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
    )
)
"""How a tag is written, the field that it sets, and to what; in the order in which they are written."""


def parse(text: str) -> Position:
    """The position of a text; its records may stand in any order. Raises `IllegalOrder`."""
    head, *records = [" ".join(part.split()) for part in text.split(";")]
    position = _header(head)
    reader = _Reader(position)
    for record in records:
        reader.take(record)
    return reader.done()


def _refuse(piece: str, expected: str) -> NoReturn:
    raise IllegalOrder("bad_position", RULE, piece=piece[:60], expected=expected)


def _header(text: str) -> Position:
    found = _HEADER.fullmatch(text)
    if not found:
        _refuse(text, "squadrons 1 E 44x28 - vp=25 limit=12 bonus=0/0 lost=-/-")
    lost = [None if letter == "-" else int(letter) for letter in (found[10], found[11])]
    return Position(
        turn=int(found[1]),
        phase=cast("Any", found[2]),
        width=int(found[3]),
        height=int(found[4]),
        options=Options(flame="flame" in found[5], pots="pots" in found[5]),
        target=int(found[6]),
        limit=int(found[7]),
        bonus=(int(found[8]), int(found[9])),
        lost=(lost[0], lost[1]),
        ships=(),
    )


class _Reader:
    """Takes one record after another."""

    def __init__(self, position: Position) -> None:
        self._position = position
        self._ships: dict[str, Ship] = {}
        self._taken: dict[Any, str] = {}
        self._pairs: dict[str, list[Pair]] = {"grap": [], "foul": []}
        self._leaders: dict[str, Leader] = {}

    def take(self, record: str) -> None:
        """Take a record. Raises `IllegalOrder`."""
        if found := _AFLOAT.fullmatch(record):
            self._afloat(found, record)
        elif found := _HULL.fullmatch(record):
            self._add(Ship(id=found[1], code=_code(found[2], record), status="sunk"), record)
        elif found := _PAIR.fullmatch(record):
            self._pair(found[1], found[2], found[3], record)
        elif found := _LEADER.fullmatch(record):
            self._leader(found, record)
        else:
            _refuse(record, "B1 5@1613NW C, B4 3@sunk, grap B1 R1, foul B1 R1, lead BL1 Steady@B2")

    def done(self) -> Position:
        """The position with all that was taken. Raises `IllegalOrder`."""
        for ship in self._ships.values():
            if ship.speed == "M" and any(ship.id in pair for pairs in self._pairs.values() for pair in pairs):
                _refuse(ship.id, "C")
        grapples = (tuple(sorted(pair, key=order_of)) for pair in self._pairs["grap"])
        return structs.replace(
            self._position,
            ships=tuple(self._ships[name] for name in sorted(self._ships, key=order_of)),
            grapples=_sorted(cast("Pair", pair) for pair in grapples),
            fouls=_sorted(self._pairs["foul"]),
            leaders=tuple(self._leaders[name] for name in sorted(self._leaders)),
        )

    def _add(self, ship: Ship, record: str) -> None:
        if ship.id in self._ships:
            _refuse(record, f"{ship.id} once")
        self._ships[ship.id] = ship

    def _afloat(self, found: re.Match[str], record: str) -> None:
        fields = _tags(found[6].split(), record)
        ship = Ship(
            id=found[1],
            code=_code(found[2], record),
            bow=grid.read_hex(found[3]),
            facing=FACINGS.index(found[4]),
            speed=cast("Any", found[5]),
            **fields,
        )
        kept = ship.rammed or ship.crippled or ship.slowed or ship.held
        options = self._position.options
        if ship.speed == "M" and kept:
            _refuse(record, "C")
        if ship.jettisoned and not ship.kind.towers:
            _refuse(record, "JET only with T")
        if (ship.flame and not options.flame) or (ship.pots and not options.pots):
            _refuse(record, "flame, pots")
        if ship.burning and not (options.flame or options.pots):
            _refuse(record, "flame, pots")
        for here in ship.hexes:
            if not self._position.on_map(here):
                _refuse(record, f"0101 to {self._position.width:02}{self._position.height:02}")
            if here in self._taken:
                _refuse(record, f"{grid.label(here)} free")
            self._taken[here] = ship.id
        self._add(ship, record)

    def _pair(self, kind: str, a: str, b: str, record: str) -> None:
        one, other = self._ships.get(a), self._ships.get(b)
        if one is None or other is None or a == b or not (one.afloat and other.afloat):
            _refuse(record, "two ships of the position")
        if grid.distance(one.hexes, other.hexes) != 1:
            _refuse(record, "adjacent ships")
        if {(a, b), (b, a)} & set(self._pairs[kind]):
            _refuse(record, "each pair once")
        self._pairs[kind].append((a, b))

    def _leader(self, found: re.Match[str], record: str) -> None:
        ship = self._ships.get(found[3])
        if found[2] not in LEADERS:
            _refuse(record, ", ".join(LEADERS))
        if ship is None or not ship.afloat or ship.side != found[1][0]:
            _refuse(record, "a ship of his side")
        if found[1] in self._leaders or any(leader.ship == ship.id for leader in self._leaders.values()):
            _refuse(record, "each leader once, one on a ship")
        self._leaders[found[1]] = Leader(
            id=found[1],
            name=found[2],
            ship=ship.id,
            reduced=cast("Any", (found[4] or "").strip()),
            tried=bool(found[5]),
        )


def _code(text: str, record: str) -> str:
    if text not in CLASSES:
        _refuse(record, ", ".join(CLASSES))
    return text


def _tags(tags: Iterable[str], record: str) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for tag in tags:
        for pattern, name, value in _TAGS:
            if found := pattern.fullmatch(tag):
                if name in fields:
                    _refuse(record, f"{tag} once")
                fields[name] = True if value is True else value(found[1])
                break
        else:
            _refuse(record, "RAM:ID CRp CRs F1 HS FIRE CAP CAP0 REC D1 JET FL POT q1 rep done")
    return fields


def _sorted(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    return tuple(sorted(pairs, key=lambda pair: (order_of(pair[0]), order_of(pair[1]))))


# --- writing -----------------------------------------------------------------------------------------------------


def write(position: Position) -> str:
    """A position as text that `parse` reads back, as far as the notation goes. Ships that left the map are left out."""
    return " ; ".join([_written_header(position), *_records(position)])


def _written_header(position: Position) -> str:
    options = [word for word, on in (("flame", position.options.flame), ("pots", position.options.pots)) if on]
    lost = "/".join("-" if number is None else str(number) for number in position.lost)
    bonus = "/".join(map(str, position.bonus))
    return (
        f"squadrons {position.turn} {position.phase} {position.width}x{position.height} {','.join(options) or '-'}"
        f" vp={position.target} limit={position.limit} bonus={bonus} lost={lost}"
    )


def _records(position: Position) -> Iterator[str]:
    for ship in position.ships:
        if ship.afloat:
            yield f"{ship.id} {ship.code}@{ship.place} {ship.speed}{''.join(f' {tag}' for tag in tags(ship))}"
        elif ship.status == "sunk":
            yield f"{ship.id} {ship.code}@sunk"
    for a, b in position.grapples:
        yield f"grap {a} {b}"
    for a, b in position.fouls:
        yield f"foul {a} {b}"
    for leader in position.leaders:
        extra = f" {leader.reduced}" * bool(leader.reduced) + " try" * leader.tried
        yield f"lead {leader.id} {leader.name}@{leader.ship}{extra}"


def tags(ship: Ship) -> Iterator[str]:
    """The tags of a ship, in order."""
    marks = (
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
    )
    return (tag for tag, on in marks if on)
