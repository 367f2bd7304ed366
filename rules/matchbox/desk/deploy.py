"""A captain's galleys while they are set down: typing and pressing meet here in one notation (MB part 2).

A draft is text such as `A1 6/2 @600,80^0`, several joined by `; `; its focus is the galley that is set down now,
or otherwise the one named last. Galleys that it doesn't name lie where they are proposed, so every draft is
complete.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct, structs

from rules.errors import AmbiguousOrder, Fault, IllegalOrder, UnreadableOrder, excerpt
from rules.matchbox.desk import placing
from rules.matchbox.desk.placing import Berth
from rules.matchbox.table import hull
from rules.matchbox.table.notation import number
from rules.matchbox.table.state import TYPES, Galley, Placement, Pose, State
from rules.notebook import Notebook
from rules.protocol import Choices, Draft, Group, Option, Seat
from rules.view import Text

_NUMBER: Final = r"(-?[0-9]{1,5}(?:\.[0-9]{1,6})?)"
_PIECE: Final = re.compile(
    rf"(?:([A-Za-z][0-9]{{1,2}})(?![0-9/])[\s:]*)?"
    rf"(?:([0-9]/[0-9])\s*)?"
    rf"(?:@?\s*{_NUMBER}\s*,\s*{_NUMBER}\s*)?"
    rf"(?:\^\s*{_NUMBER}\s*°?)?"
)
_MOVES: Final = (("west", 45.0), ("west", 15.0), ("east", 15.0), ("east", 45.0))
_DEPTHS: Final = (("ahead", 15.0), ("back", 15.0))
_TURNS: Final = (("left", 30.0), ("right", 30.0))


class Quay(Struct, frozen=True):
    """Read-only inputs for setting down one seat's galleys."""

    state: State
    seat: Seat
    asked: tuple[str, ...]
    """Ids of the galleys to set down now."""
    friends: tuple[Galley, ...]
    """Galleys of the same side that lie there already, as far as the captain may see them."""
    berth: Berth


def quay(state: State, seat: Seat) -> Quay:
    """The inputs for a seat's next galley, or in sealed deployment for all of its galleys."""
    mine = tuple(galley_id for galley_id in state.to_place if placing.seat_of(galley_id) == seat)
    friends = tuple(galley for galley in state.galleys if galley.side == state.sides[seat])
    asked = mine if state.deployment == "sealed" else mine[:1]
    return Quay(state, seat, asked, friends, placing.berth(state, seat))


class Berthed(Struct, frozen=True):
    """Galleys that a captain has set down."""

    named: tuple[Galley, ...] = ()
    focus: str = ""
    """The galley that is set down now; empty: the first."""


def look(place: Quay, berthed: Berthed, focus: str) -> Berthed:
    """The draft with another galley in hand."""
    return structs.replace(berthed, focus=focus) if focus in place.asked else berthed


def take(place: Quay, berthed: Berthed, text: str) -> Berthed:
    """Put text into a draft; what it does not mention stays.

    Raises `OrderError` with the rule and the measured distance if a galley may not lie there (MB-2.5).
    """
    given: set[str] = set()
    for piece in (part.strip(" \t,") for part in re.split(r"[;\n\r]+", text)):
        if piece:
            galley = _read_piece(place, berthed, piece)
            if galley.id in given:
                raise AmbiguousOrder("galley_twice", piece=excerpt(piece), galley=galley.id)
            given.add(galley.id)
            berthed = _with(place, berthed, galley)
    for galley in berthed.named:
        fault = _fault(place, berthed.named, galley)
        if fault:
            raise IllegalOrder(fault.code, fault.rule, piece=fault.piece, **fault.params)
    return berthed


def write(galleys: Sequence[Galley]) -> str:
    """Write a draft, or a placement."""
    return "; ".join(
        f"{galley.id} {type_of(galley)} @{number(galley.pose.x_mm)},{number(galley.pose.y_mm)}"
        f"^{number(galley.pose.heading_deg)}"
        for galley in galleys
    )


def whole(place: Quay, named: Sequence[Galley]) -> tuple[Galley, ...]:
    """Give all galleys asked for, in galley order: those that a draft names and the proposals for the others."""
    return placing.fill(place.state, place.seat, named, place.asked, place.friends)


NOTEBOOK: Final[Notebook[State, Quay, Berthed, Placement]] = Notebook(
    context=lambda state, request: quay(state, request.seat),
    empty=lambda _: Berthed(),
    take=take,
    written=lambda _, berthed: Draft(write(berthed.named), berthed.focus),
    complete=lambda place, berthed: Placement(whole(place, berthed.named)),
    format=lambda placement: write(placement.galleys),
    look=look,
)


def proposal(place: Quay) -> Placement:
    """Where the galleys are proposed to lie (MB part 10)."""
    return Placement(whole(place, ()))


def current(place: Quay, berthed: Berthed) -> Galley:
    """Find the galley that the captain sets down just now."""
    focus = berthed.focus or place.asked[0]
    return next(galley for galley in whole(place, berthed.named) if galley.id == focus)


def type_of(galley: Galley) -> str:
    """Write a galley's type, such as `6/2` (MB-1.3)."""
    return f"{galley.holes}/{galley.mast_holes}"


def bearing(pose: Pose) -> str:
    """Write a heading as seamen do, such as `045`."""
    return f"{round(pose.heading_deg) % 360:03d}"


def choices(place: Quay, berthed: Berthed) -> Choices:
    """Show what may be pressed next, and the draft in words. Nothing is ever missing."""
    galley = current(place, berthed)
    forward = 1.0 if place.berth.side == "south" else -1.0
    groups = [_galley_group(place, berthed, galley)] if len(place.asked) > 1 else []
    groups.append(_type_group(place, berthed, galley))
    # What is to the left of the captain's edge of the table stands on the left.
    across = _MOVES if place.berth.side == "south" else _MOVES[::-1]
    ways = {"west": (-1.0, 0.0), "east": (1.0, 0.0), "ahead": (0.0, forward), "back": (0.0, -forward)}
    moves = [
        (f"move.{way}", mm, placing.moved(galley, mm * ways[way][0], mm * ways[way][1], 0.0))
        for way, mm in (*across, *_DEPTHS)
    ]
    turns = [
        (f"turn.{way}", deg, placing.moved(galley, 0.0, 0.0, -deg if way == "left" else deg)) for way, deg in _TURNS
    ]
    groups.extend(
        Group(
            key=key,
            style="buttons",
            options=tuple(_press(place, berthed, word, amount, after) for word, amount, after in presses),
        )
        for key, presses in (("move", moves[: len(_MOVES)]), ("turn", [*moves[len(_MOVES) :], *turns]))
    )
    return Choices(groups=tuple(groups), lines=lines(place, berthed.named))


def lines(place: Quay, named: Sequence[Galley]) -> tuple[Text, ...]:
    """Put a draft into words, a line a galley."""
    return tuple(
        Text(
            "line.placement",
            {
                "galley": galley.id,
                "type": type_of(galley),
                "x_mm": galley.pose.x_mm,
                "y_mm": galley.pose.y_mm,
                "heading": bearing(galley.pose),
            },
        )
        for galley in whole(place, named)
    )


def altered(place: Quay, galley: Galley, holes: int, turn_deg: float) -> Galley:
    """Make of a galley one of another type, turned about its middle."""
    turned = placing.moved(galley, 0.0, 0.0, turn_deg)
    return placing.new_galley(galley.id, place.seat, place.berth.side, holes, turned.pose)


def fault(place: Quay, galleys: Sequence[Galley]) -> Fault | None:
    """Say why these galleys may not lie there, all together."""
    return next((found for galley in galleys if (found := _fault(place, galleys, galley))), None)


def _fault(place: Quay, named: Sequence[Galley], galley: Galley) -> Fault | None:
    to_come = placing.later(place.state, place.seat, place.asked) + len(place.asked) - len(named)
    others = [other for other in named if other.id != galley.id]
    return placing.fault(galley, (*place.friends, *others), place.berth, to_come)


def _read_piece(place: Quay, berthed: Berthed, piece: str) -> Galley:
    found = _PIECE.fullmatch(piece)
    if not found:
        raise UnreadableOrder("placement_unreadable", piece=excerpt(piece), expected="A1 6/2 @600,80^0")
    galley_id, kind, x, y, heading = found.groups()
    before = _named(place, berthed.named, galley_id, piece) if galley_id else current(place, berthed)
    holes = before.holes
    if kind:
        holes = int(kind[0])
        if TYPES.get(holes) != int(kind[2]):
            legal = ", ".join(f"{oars}/{masts}" for oars, masts in TYPES.items())
            raise IllegalOrder("unknown_type", "MB-1.3", piece=excerpt(piece), type=kind, legal=legal)
    pose = Pose(
        float(x) if x else before.pose.x_mm,
        float(y) if y else before.pose.y_mm,
        float(heading) if heading else before.pose.heading_deg,
    )
    return placing.new_galley(before.id, place.seat, place.berth.side, holes, hull.rounded(pose))


def _named(place: Quay, named: Sequence[Galley], galley_id: str, piece: str) -> Galley:
    name = galley_id.upper()
    for galley in whole(place, named):
        if galley.id == name:
            return galley
    state = place.state
    if placing.seat_of(name) == place.seat and any(galley.id == name for galley in state.galleys):
        raise IllegalOrder("already_placed", "MB-2.1", piece=excerpt(piece), galley=name)
    if name in state.to_place and placing.seat_of(name) == place.seat:
        raise IllegalOrder("not_in_turn", "MB-2.1", piece=excerpt(piece), galley=name, asked=place.asked[0])
    if name in state.to_place or any(galley.id == name for galley in state.galleys):
        raise IllegalOrder("not_your_galley", "MB-1.5", piece=excerpt(piece), galley=name)
    raise UnreadableOrder("unknown_galley", piece=excerpt(piece), galley=name, yours=", ".join(place.asked))


def _with(place: Quay, berthed: Berthed, galley: Galley) -> Berthed:
    named = {**{other.id: other for other in berthed.named}, galley.id: galley}
    return Berthed(tuple(named[one] for one in place.asked if one in named), galley.id)


def _galley_group(place: Quay, berthed: Berthed, now: Galley) -> Group:
    options = tuple(
        Option(
            token=f"galley.{galley.id}",
            label=Text("choice.placed", {"galley": galley.id, "type": type_of(galley)}),
            draft=write(berthed.named),
            focus=galley.id,
            chosen=galley.id == now.id,
        )
        for galley in whole(place, berthed.named)
    )
    return Group(key="galley", style="select", options=options)


def _type_group(place: Quay, berthed: Berthed, now: Galley) -> Group:
    types = (placing.new_galley(now.id, place.seat, now.side, holes, now.pose) for holes in TYPES)
    options = tuple(
        Option(
            token=f"type.{type_of(galley)}",
            label=Text("choice.type", {"type": type_of(galley), "oars": galley.holes, "masts": galley.mast_holes}),
            draft=write(_with(place, berthed, galley).named),
            focus=galley.id,
            chosen=galley.holes == now.holes,
        )
        for galley in types
    )
    return Group(key="type", style="select", options=options)


def _press(place: Quay, berthed: Berthed, word: str, amount: float, galley: Galley) -> Option:
    after = _with(place, berthed, galley).named
    return Option(
        token=f"{word}.{amount:.0f}",
        label=Text(f"choice.{word}", {"amount": round(amount)}),
        draft=write(after),
        focus=galley.id,
        fault=_fault(place, after, galley),
    )
