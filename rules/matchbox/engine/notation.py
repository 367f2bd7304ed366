"""A position on one line, like FEN in chess (MX-6.1)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, cast

from rules.core.errors import IllegalOrder, UnreadableOrder
from rules.core.protocol import Seat
from rules.geometry.boxes import Pair
from rules.interface.typed import fold_text
from rules.matchbox.engine import backing, hull, sea, terrain
from rules.matchbox.engine.kinds import KINDS, NAME_BY_LETTER
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import TABLE_BY_NAME, Sea
from rules.matchbox.engine.state import PROMOTION_LETTERS, Galley, SinkRule, TableSide, sort_promotions
from rules.matchbox.engine.terrain import LandPiece

_NUMBER_PATTERN: Final = r"-?[0-9]{1,6}(?:\.[0-9]{1,3})?"
_TABLE_PATTERN: Final = re.compile(rf"({_NUMBER_PATTERN})x({_NUMBER_PATTERN})")
_GALLEY_PATTERN: Final = re.compile(  # such as `A1:south 7-8+3/8h{rm} @600,80.5^0 burning worn`
    r"(?P<id>[A-Za-z][A-Za-z0-9]{0,7}):(?P<side>south|north)\s+"
    r"(?P<port>[0-9]{1,2})-(?P<starboard>[0-9]{1,2})\+(?P<masts>[0-9]{1,2})/(?P<holes>[0-9]{1,2})"
    r"(?P<letter>[a-z]?)(?:\{(?P<crew>[a-z]{1,5})\})?\s+"
    rf"@(?P<x>{_NUMBER_PATTERN}),(?P<y>{_NUMBER_PATTERN})\^(?P<heading>{_NUMBER_PATTERN})(?P<burning>\s+burning)?(?P<worn>\s+worn)?"
)
_PIECE_PATTERN: Final = re.compile(  # such as `_LAND_EXAMPLE`
    rf"(island|mole|reef):\s*({_NUMBER_PATTERN},{_NUMBER_PATTERN}(?:\s+{_NUMBER_PATTERN},{_NUMBER_PATTERN})*)"
)
_MAP_PATTERN: Final = re.compile(r"map:\s*([a-z][a-z0-9-]{0,30})")
_LAND_PATTERN: Final = re.compile(r"(island|mole|reef|map):")
_HUNGARIAN_WORDS: Final = {"sziget": "island", "molo": "mole", "zatony": "reef", "terkep": "map"}
_LAND_EXAMPLE: Final = "island:300,360 380,330 450,380"
_MIN_TABLE_MM: Final = 100.0


class Position(NamedTuple):
    """A table and its galleys in the order of the text. Galleys of a side with the same letter share a seat."""

    sea: Sea  # the table with its land
    galleys: tuple[Galley, ...]  # in the order of the text


def parse_position(text: str, *, sinks: SinkRule = "one_side") -> Position:
    """Parse `1200x800 ; A1:south 6-6+2/6 @600,80^0 ; ...`. Raises `OrderError` with what was expected.

    Land comes before galleys: `island:300,360 380,330 450,380`, or `map:skerry` for all pieces of a map (MX-6.1). The
    legality of the position is not checked. If galleys only sink with `both_sides` empty, one side may be (MB-7.2).
    """
    table_text, *piece_texts = (text_of_piece.strip() for text_of_piece in text.split(";"))
    match = _TABLE_PATTERN.fullmatch(table_text)
    if not match:
        raise UnreadableOrder("bad_table", piece=table_text[:60], expected="1200x800")
    width, height = float(match[1]), float(match[2])
    if min(width, height) < _MIN_TABLE_MM:
        raise UnreadableOrder("small_table", piece=table_text, least_mm=_MIN_TABLE_MM)
    seats: dict[tuple[str, str], Seat] = {}
    galleys: dict[str, Galley] = {}
    land = tuple(
        piece
        for text_of_piece in itertools.takewhile(_LAND_PATTERN.match, piece_texts)
        for piece in _parse_pieces(text_of_piece, (width, height))
    )
    for text_of_piece in itertools.dropwhile(_LAND_PATTERN.match, piece_texts):
        galley = _parse_galley(text_of_piece, seats, sinks)
        if galley.id in galleys:
            raise UnreadableOrder("same_galley_twice", piece=galley.id)
        galleys[galley.id] = galley
    return Position(Sea(width, height, land), tuple(galleys.values()))


def parse_map(text: str) -> Sea:
    """Parse a map: a table and its land, separated by line breaks or semicolons. Lines with `#` are comments.

    Raises `OrderError` if it is unreadable, or if land may not lie there (MX-1.3 to 1.6).
    """
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    parts = [part.strip() for line in lines for part in line.split(";")]
    pieces = [_to_english(part) for part in parts if part]
    table, land = (pieces[0], pieces[1:]) if pieces else ("", [])
    for part in land:
        if match := _GALLEY_PATTERN.fullmatch(part):
            raise IllegalOrder("map_with_galleys", "MX-1.6", piece=match["id"])
        if not _LAND_PATTERN.match(part):
            raise UnreadableOrder("bad_land", piece=part[:60], expected=_LAND_EXAMPLE)
    sea, _ = parse_position(" ; ".join([table, *land]))
    if all(sea.size_mm != table.size_mm for table in TABLE_BY_NAME.values()):
        sizes = ", ".join(
            f"{format_number(table.width_mm)}x{format_number(table.height_mm)}" for table in TABLE_BY_NAME.values()
        )
        raise IllegalOrder(
            "map_of_no_table",
            "MX-1.6",
            piece=f"{format_number(sea.width_mm)}x{format_number(sea.height_mm)}",
            sizes=sizes,
        )
    check_land(sea)
    return sea


def _to_english(part: str) -> str:  # `sziget:…` becomes `island:…`
    kind, colon, corners = part.partition(":")
    return f"{_HUNGARIAN_WORDS.get(fold_text(kind.strip()), kind)}{colon}{corners}"


def check_land(sea: Sea) -> None:
    """Raise `IllegalOrder` if land may not lie on the table (MX-1.3 to 1.5)."""
    if sea.land:
        terrain.check_pieces(sea.land, sea.width_mm, sea.height_mm)


def check_hulls(position: Position) -> None:
    """Raise `IllegalOrder` if hulls leave the table, overlap or touch land."""
    for number, galley in enumerate(position.galleys):
        if not hull.is_on_table(hull.hull_of(galley), position.sea):
            raise IllegalOrder("position_off_table", "MB-1.1", piece=galley.id, galley=galley.id)
        if position.sea.shore and backing.land_gap(hull.hull_of(galley), position.sea.shore) == 0:
            raise IllegalOrder("hull_on_land", "MX-1.7", piece=galley.id, galley=galley.id)
        for other in position.galleys[:number]:
            if hull.overlap_mm(galley, other):
                raise IllegalOrder("hulls_overlap", "MB-5.5", piece=galley.id, galley=galley.id, other=other.id)


def format_position(sea: Sea, galleys: Sequence[Galley]) -> str:
    """Return a position that `parse_position` reads, with a precision of 0.001."""
    table = f"{format_number(sea.width_mm)}x{format_number(sea.height_mm)}"
    return " ; ".join([table, *map(format_piece, sea.land), *map(format_galley, galleys)])


def format_piece(piece: LandPiece) -> str:
    """Return one piece of land, such as `reef:500,300 560,320 540,380`."""
    return f"{piece.kind}:" + " ".join(f"{format_number(x)},{format_number(y)}" for x, y in piece.corners)


def format_galley(galley: Galley) -> str:
    """Return one galley, such as `A1:south 6-6+2/6 @600,80^0`."""
    pose = galley.pose
    parts = f"{galley.port}-{galley.starboard}+{galley.masts}/{galley.holes}{galley.kind.letter}"
    promotions = f"{{{galley.crew}}}" if galley.crew else ""
    heading = format_number(round(pose.heading_deg, 3) % 360)
    marks = " burning" * galley.burning + " worn" * galley.worn
    place = f"@{format_number(pose.x_mm)},{format_number(pose.y_mm)}^{heading}"
    return f"{galley.id}:{galley.side} {parts}{promotions} {place}{marks}"


def format_number(value: float) -> str:
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _parse_pieces(part: str, size: Pair) -> tuple[LandPiece, ...]:
    """Return one piece from a text such as `_LAND_EXAMPLE`, or all pieces of a map from `map:skerry`."""
    if map_match := _MAP_PATTERN.fullmatch(part):
        return sea.read_map(map_match[1], size)
    match = _PIECE_PATTERN.fullmatch(part)
    if not match:
        raise UnreadableOrder("bad_land", piece=part[:60], expected=_LAND_EXAMPLE)
    corners = [corner.split(",") for corner in match[2].split()]
    kind = cast("Literal['island', 'mole', 'reef']", match[1])
    return (LandPiece(kind, tuple((float(x), float(y)) for x, y in corners)),)


def _parse_galley(part: str, seats: dict[tuple[str, str], Seat], sinks: SinkRule) -> Galley:
    """Return the galley in a text such as `A1:south 6-6+2/6 @600,80^0`. Adds a seat for a new side or letter."""
    match = _GALLEY_PATTERN.fullmatch(part)
    if not match or match["id"] in {"island", "mole", "reef", "map"}:
        raise UnreadableOrder("bad_galley", piece=part[:60], expected="A1:south 6-6+2/6 @600,80^0")
    name, side, holes = match["id"], match["side"], int(match["holes"])
    if match["letter"] not in NAME_BY_LETTER:
        expected = " ".join(letter for letter in NAME_BY_LETTER if letter)
        raise UnreadableOrder("no_such_vessel", piece=name, given=match["letter"], expected=expected)
    vessel = NAME_BY_LETTER[match["letter"]]
    builds = KINDS[vessel].masts_by_holes
    if holes not in builds:
        raise UnreadableOrder("no_such_type", piece=name, given=holes, expected=", ".join(map(str, builds)))
    crew = match["crew"] or ""
    if crew != sort_promotions(crew):
        raise UnreadableOrder("no_such_promotion", piece=name, given=crew, expected=PROMOTION_LETTERS)
    port, starboard, masts = (int(match[group]) for group in ("port", "starboard", "masts"))
    may_be_empty = sinks == "both_sides" and port + starboard > 0
    for what, value, least, most in (
        ("port", port, 0 if may_be_empty else 1, holes),
        ("starboard", starboard, 0 if may_be_empty else 1, holes),
        ("masts", masts, 0, max(1, builds[holes])),  # a captured fire ship has a prize crew of one (MX-3.5)
    ):
        if not least <= value <= most:
            raise UnreadableOrder("crew_out_of_range", piece=name, what=what, given=value, least=least, most=most)
    heading = float(match["heading"])
    if not 0 <= heading < 360:
        raise UnreadableOrder("heading_out_of_range", piece=name, given=match["heading"])
    return Galley(
        id=name,
        seat=seats.setdefault((side, name[0]), len(seats)),
        side=cast("TableSide", side),
        holes=holes,
        port=port,
        starboard=starboard,
        masts=masts,
        pose=Pose(float(match["x"]), float(match["y"]), heading + 0.0),
        vessel=None if vessel == "galley" else vessel,
        crew=crew,
        burning=bool(match["burning"]),
        worn=bool(match["worn"]),
    )
