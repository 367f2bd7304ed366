"""A captain's galleys while they are set down: typing and pressing meet here in one notation (MB part 2).

A draft is text such as `A1 6/2 @600,80^0`, several joined by `; `; its focus is the galley that is set down now,
or otherwise the one named last. Galleys that it doesn't name lie where they are proposed, so every draft is
complete.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import UNSET, Struct, structs

from rules.errors import AmbiguousOrder, Fault, IllegalOrder, UnreadableOrder, excerpt, refuse
from rules.finding import by_id
from rules.matchbox.desk.standing_orders import refuse_early
from rules.matchbox.table import hull, placing
from rules.matchbox.table.notation import number
from rules.matchbox.table.placing import Berth
from rules.matchbox.table.pose import Pose
from rules.matchbox.table.state import TYPES, Galley, Placement, State
from rules.notebook import Notebook
from rules.panels import buttons, select, shown, together
from rules.protocol import Choices, Draft, Option, Seat
from rules.sides import seat_of
from rules.typed import pieces
from rules.view import Text

_NUMBER: Final = r"(-?[0-9]{1,5}(?:\.[0-9]{1,6})?)"
_PIECE: Final = re.compile(
    rf"(?:([A-Za-z][0-9]{{1,2}})(?![0-9/])[\s:]*)?"
    rf"(?:([0-9](?:/[0-9])?[a-z]?)(?![a-z0-9/.]|\s*,)\s*)?"
    rf"(?:@?\s*{_NUMBER}\s*,\s*{_NUMBER}\s*)?"
    rf"(?:\^\s*{_NUMBER}\s*°?)?"
)
_ACROSS: Final = (("west", -45.0), ("west", -15.0), ("east", 15.0), ("east", 45.0))
"""Ways along the table's edge that may be pressed, in mm."""


class DeploymentContext(Struct, frozen=True):
    """Read-only inputs for setting down one seat's galleys."""

    state: State
    seat: Seat
    asked: tuple[str, ...]
    """Ids of the galleys to set down now."""
    friends: tuple[Galley, ...]
    """Galleys of the same side that lie there already, as far as the captain may see them."""
    berth: Berth


def deployment_context(state: State, seat: Seat) -> DeploymentContext:
    """The inputs for a seat's next galley, or in sealed deployment for all of its galleys."""
    mine = tuple(galley_id for galley_id in state.to_place if seat_of(galley_id) == seat)
    friends = tuple(galley for galley in state.galleys if galley.side == state.sides[seat])
    asked = mine if state.deployment == "sealed" else mine[:1]
    return DeploymentContext(state, seat, asked, friends, placing.berth(state, seat))


class DeploymentDraft(Struct, frozen=True):
    """Galleys that a captain has set down."""

    named: tuple[Galley, ...] = ()
    focus: str = ""
    """The galley that is set down now; empty: the first."""


def look(context: DeploymentContext, draft: DeploymentDraft, focus: str) -> DeploymentDraft:
    """The draft with another galley in hand."""
    return structs.replace(draft, focus=focus) if focus in context.asked else draft


def take(context: DeploymentContext, draft: DeploymentDraft, text: str) -> DeploymentDraft:
    """The draft with typed text in it; what the text does not mention stays.

    Raises `OrderError` with the rule and the measured distance if a galley may not lie there (MB-2.5).
    """
    refuse_early(text)
    given: set[str] = set()
    for piece in pieces(text):
        galley = _read_piece(context, draft, piece)
        if galley.id in given:
            raise AmbiguousOrder("galley_twice", piece=excerpt(piece), galley=galley.id)
        given.add(galley.id)
        draft = _with(context, draft, galley)
    refuse(fault(context, draft.named))
    return draft


def write(galleys: Sequence[Galley]) -> str:
    """A draft, or a placement, as text."""
    return "; ".join(
        f"{galley.id} {type_of(galley)} @{number(galley.pose.x_mm)},{number(galley.pose.y_mm)}"
        f"^{number(galley.pose.heading_deg)}"
        for galley in galleys
    )


def whole(context: DeploymentContext, named: Sequence[Galley]) -> tuple[Galley, ...]:
    """All galleys asked for, in galley order: those that a draft names and the proposals for the others."""
    return placing.fill(context.state, context.seat, named, context.asked, context.friends)


def example(context: DeploymentContext) -> str:
    """How a place is written: where the first of the galleys is proposed to lie."""
    return write(whole(context, ())[:1])


def proposal(context: DeploymentContext) -> Placement:
    """Where the galleys are proposed to lie (MB part 10)."""
    return Placement(whole(context, ()))


NOTEBOOK: Final[Notebook[State, DeploymentContext, DeploymentDraft, Placement]] = Notebook(
    context=lambda state, request: deployment_context(state, request.seat),
    empty=lambda _: DeploymentDraft(),
    take=take,
    written=lambda _, draft: Draft(write(draft.named), draft.focus),
    complete=lambda context, draft: Placement(whole(context, draft.named)),
    format=lambda placement: write(placement.galleys),
    look=look,
)


def current(context: DeploymentContext, draft: DeploymentDraft) -> Galley:
    """The galley that the captain sets down just now."""
    return by_id(whole(context, draft.named), draft.focus or context.asked[0])


def type_of(galley: Galley) -> str:
    """A vessel's type, such as `6/2`, with the letter of her kind if she is no galley (MB-1.3, MX-2.1)."""
    return f"{galley.holes}/{galley.mast_holes}{galley.kind.letter}"


def choices(context: DeploymentContext, draft: DeploymentDraft) -> Choices:
    """What may be pressed next, and the draft in words. Nothing is ever missing."""
    galley = current(context, draft)
    south = context.berth.side == "south"
    # What is to the left of the captain's edge of the table stands on the left, as in their picture.
    across = [(f"move.{way}", mm, 0.0, 0.0) for way, mm in (_ACROSS if south else _ACROSS[::-1])]
    along = [(f"move.{way}", 0.0, mm if south else -mm, 0.0) for way, mm in (("ahead", 15.0), ("back", -15.0))]
    about = [("turn.left", 0.0, 0.0, -30.0), ("turn.right", 0.0, 0.0, 30.0)]
    moves, depths, turns = (
        [_press(context, draft, word, abs(sum(by)), placing.moved(galley, *by)) for word, *by in each]
        for each in (across, along, about)
    )
    groups = shown(
        select("galley", _galleys(context, draft, galley)),
        select("type", _types(context, draft, galley)),
        buttons("move", together(moves)),
        buttons("turn", [*together(depths), *together(turns)]),
    )
    return Choices(groups=groups, lines=lines(context, draft.named))


def lines(context: DeploymentContext, named: Sequence[Galley]) -> tuple[Text, ...]:
    """A draft in words, a line a galley."""
    return tuple(_line(context, galley) for galley in whole(context, named))


def _line(context: DeploymentContext, galley: Galley) -> Text:
    """Where a galley lies as her captain sees the table, whose own edge is nearest."""
    left_mm, deep_mm, turned = context.berth.seen(galley.pose)
    key = "line.placement.starboard" if turned > 0 else "line.placement.port" if turned < 0 else "line.placement"
    where = {"left_mm": left_mm, "deep_mm": deep_mm, "turned": abs(turned)}
    return Text(key, {"galley": galley.id, "type": type_of(galley), **where})


def samples(context: DeploymentContext) -> list[Placement]:
    """The proposal in each type, and turned to either side."""
    fleet = whole(context, ())
    ways = [
        tuple(_typed(context, placing.moved(galley, 0.0, 0.0, turn), holes) for galley in fleet)
        for holes in (TYPES if context.state.builds is UNSET else (0,))
        for turn in (0.0, 30.0, -30.0)
    ]
    return [Placement(galleys) for galleys in ways if fault(context, galleys) is None]


def fault(context: DeploymentContext, galleys: Sequence[Galley]) -> Fault | None:
    """Why these galleys may not lie there, all together; None: they may."""
    return next((found for galley in galleys if (found := _fault(context, galleys, galley))), None)


def _fault(context: DeploymentContext, named: Sequence[Galley], galley: Galley) -> Fault | None:
    to_come = placing.later(context.state, context.seat, context.asked) + len(context.asked) - len(named)
    others = [other for other in named if other.id != galley.id]
    return placing.fault(galley, (*context.friends, *others), context.berth, to_come)


def _read_piece(context: DeploymentContext, draft: DeploymentDraft, piece: str) -> Galley:
    found = _PIECE.fullmatch(piece)
    if not found:
        meant = [one for one in whole(context, draft.named) if piece.upper().startswith((f"{one.id} ", f"{one.id}:"))]
        expected = write([*meant, current(context, draft)][:1])
        raise UnreadableOrder("placement_unreadable", piece=excerpt(piece), expected=expected)
    galley_id, kind, x, y, heading = found.groups()
    before = _named(context, draft.named, galley_id, piece) if galley_id else current(context, draft)
    holes = int(kind[0]) if kind else before.holes
    if kind and context.state.builds:
        if kind.lower() not in {type_of(before), f"{before.holes}{before.kind.letter}"}:
            raise IllegalOrder("type_is_chosen", "MX-4.1", piece=excerpt(piece), type=type_of(before))
    elif kind and kind not in {f"{holes}/{TYPES.get(holes)}", *map(str, TYPES)}:
        legal = ", ".join(f"{oars}/{masts}" for oars, masts in TYPES.items())
        raise IllegalOrder("unknown_type", "MB-1.3", piece=excerpt(piece), type=kind, legal=legal)
    pose = Pose(
        float(x) if x else before.pose.x_mm,
        float(y) if y else before.pose.y_mm,
        float(heading) if heading else before.pose.heading_deg,
    )
    return _typed(context, structs.replace(before, pose=hull.rounded(pose)), holes)


def _typed(context: DeploymentContext, galley: Galley, holes: int) -> Galley:
    """A galley of another type in the place of this one; a vessel of a chosen fleet stays as she is."""
    if context.state.builds:
        return galley
    return placing.new_galley(galley.id, context.seat, context.berth.side, holes, galley.pose)


def _named(context: DeploymentContext, named: Sequence[Galley], galley_id: str, piece: str) -> Galley:
    name = galley_id.upper()
    for galley in whole(context, named):
        if galley.id == name:
            return galley
    state = context.state
    mine, there = seat_of(name) == context.seat, any(galley.id == name for galley in state.galleys)
    if mine and there:
        raise IllegalOrder("already_placed", "MB-2.1", piece=excerpt(piece), galley=name)
    if mine and name in state.to_place:
        raise IllegalOrder("not_in_turn", "MB-2.1", piece=excerpt(piece), galley=name, asked=context.asked[0])
    if there or name in state.to_place:
        raise IllegalOrder("not_your_galley", "MB-1.5", piece=excerpt(piece), galley=name)
    raise UnreadableOrder("unknown_galley", piece=excerpt(piece), galley=name, yours=", ".join(context.asked))


def _with(context: DeploymentContext, draft: DeploymentDraft, galley: Galley) -> DeploymentDraft:
    named = {**{other.id: other for other in draft.named}, galley.id: galley}
    return DeploymentDraft(tuple(named[one] for one in context.asked if one in named), galley.id)


def _galleys(context: DeploymentContext, draft: DeploymentDraft, now: Galley) -> Iterator[Option]:
    """The galleys to set down, if there are several."""
    fleet = whole(context, draft.named) if len(context.asked) > 1 else ()
    said = {one.id: Text("choice.placed", {"galley": one.id, "type": type_of(one)}) for one in fleet}
    return NOTEBOOK.looks(context, "galley", said, lambda name: structs.replace(draft, focus=name), now.id)


def _types(context: DeploymentContext, draft: DeploymentDraft, now: Galley) -> Iterator[Option]:
    for galley in (_typed(context, now, holes) for holes in (() if context.state.builds else TYPES)):
        strongest = galley.holes == min(TYPES)  # without points: docs/balance.md
        said = Text(
            "choice.type.strongest" if strongest else "choice.type",
            {"type": type_of(galley), "oars": galley.holes, "masts": galley.mast_holes},
        )
        after, token = _with(context, draft, galley), f"type.{type_of(galley)}"
        yield NOTEBOOK.option(context, after, token, said, chosen=galley.holes == now.holes)


def _press(context: DeploymentContext, draft: DeploymentDraft, word: str, amount: float, galley: Galley) -> Option:
    after = _with(context, draft, galley)
    turned = word in ("move.west", "move.east") and context.berth.side == "north"
    label = Text(f"choice.{word}.turned" if turned else f"choice.{word}", {"amount": round(amount)})
    barred = _fault(context, after.named, galley)
    return NOTEBOOK.option(context, after, f"{word}.{amount:.0f}", label, fault=barred)
