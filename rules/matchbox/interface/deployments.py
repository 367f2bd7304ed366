"""A captain's galleys during deployment, typed or pressed in one notation (MB-2).

A draft is text such as `A1 6/2 @600,80^0`, with galleys separated by `; `. Its focus is the galley that is being
placed, by default the first. Galleys that it does not name lie where they are proposed, so every draft is complete.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct, structs

from rules.core.errors import AmbiguousOrder, Fault, IllegalOrder, UnreadableOrder, quote_excerpt, raise_fault
from rules.core.finding import find_by_id
from rules.core.protocol import Choices, Draft, Option, Seat
from rules.core.sides import seat_of
from rules.core.view import Text
from rules.interface.drafts import AnswerNotation
from rules.interface.panels import button_row, drop_empty, keep_together, select_menu
from rules.interface.typed import split_pieces
from rules.matchbox.engine import hull, placing
from rules.matchbox.engine.notation import format_number
from rules.matchbox.engine.placing import PlacementArea
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.state import MASTS_BY_HOLES, Galley, Placement, State
from rules.matchbox.interface.standing_orders import refuse_early

_NUMBER_PATTERN: Final = r"(-?[0-9]{1,5}(?:\.[0-9]{1,6})?)"
_PIECE_PATTERN: Final = re.compile(  # such as `A1: 6/2 @600,80 ^90°`, of which any part may be missing
    rf"(?:([A-Za-z][0-9]{{1,2}})(?![0-9/])[\s:]*)?"
    rf"(?:([0-9](?:/[0-9])?[a-z]?)(?![a-z0-9/.]|\s*,)\s*)?"
    rf"(?:@?\s*{_NUMBER_PATTERN}\s*,\s*{_NUMBER_PATTERN}\s*)?"
    rf"(?:\^\s*{_NUMBER_PATTERN}\s*°?)?"
)
_SHIFTS: Final = (("west", -45.0), ("west", -15.0), ("east", 15.0), ("east", 45.0))
"""Shifts along the table's edge that may be pressed, in mm."""


class DeploymentContext(Struct, frozen=True):
    """Read-only inputs for placing one seat's galleys."""

    state: State  # the game
    seat: Seat  # the seat whose captain places galleys
    galley_ids: tuple[str, ...]  # galleys to place now
    friends: tuple[Galley, ...]  # galleys of the same side already on the table, as far as the captain may see them
    area: PlacementArea  # where the captain may place them


def deployment_context(state: State, seat: Seat) -> DeploymentContext:
    """Return the inputs for a seat's next galley, or in sealed deployment for all its galleys."""
    own_ids = tuple(galley_id for galley_id in state.to_place if seat_of(galley_id) == seat)
    friends = tuple(galley for galley in state.galleys if galley.side == state.sides[seat])
    galley_ids = own_ids if state.deployment == "sealed" else own_ids[:1]
    return DeploymentContext(state, seat, galley_ids, friends, placing.placement_area(state, seat))


class DeploymentDraft(Struct, frozen=True):
    """Galleys that a captain has placed, and the galley being placed (empty: the first)."""

    galleys: tuple[Galley, ...] = ()  # galleys with their places, in the order of ids
    focus: str = ""  # id of the galley being placed; empty: the first


def move_focus(context: DeploymentContext, draft: DeploymentDraft, focus: str) -> DeploymentDraft:
    return structs.replace(draft, focus=focus) if focus in context.galley_ids else draft


def parse_into(context: DeploymentContext, draft: DeploymentDraft, text: str) -> DeploymentDraft:
    """Return the draft after a text was typed. Galleys that it does not mention stay.

    Raises `OrderError` with the rule and the measured distance if a galley may not lie there (MB-2.5).
    """
    refuse_early(text)
    named_ids: set[str] = set()
    for piece in split_pieces(text):
        galley = _read_piece(context, draft, piece)
        if galley.id in named_ids:
            raise AmbiguousOrder("galley_twice", piece=quote_excerpt(piece), galley=galley.id)
        named_ids.add(galley.id)
        draft = _with_galley(context, draft, galley)
    raise_fault(placement_fault(context, draft.galleys))
    return draft


def format_galleys(galleys: Sequence[Galley]) -> str:
    return "; ".join(
        f"{galley.id} {type_text(galley)} @{format_number(galley.pose.x_mm)},{format_number(galley.pose.y_mm)}"
        f"^{format_number(galley.pose.heading_deg)}"
        for galley in galleys
    )


def with_proposals(context: DeploymentContext, named: Sequence[Galley]) -> tuple[Galley, ...]:
    return placing.fill_placement(context.state, context.seat, named, context.galley_ids, context.friends)


def example_place(context: DeploymentContext) -> str:
    return format_galleys(with_proposals(context, ())[:1])


def propose_placement(context: DeploymentContext) -> Placement:
    """Return the proposed placement of all galleys."""
    return Placement(with_proposals(context, ()))


DEPLOYMENT_NOTATION: Final[AnswerNotation[State, DeploymentContext, DeploymentDraft, Placement]] = AnswerNotation(
    context=lambda state, request: deployment_context(state, request.seat),
    empty_draft=lambda _: DeploymentDraft(),
    parse_into=parse_into,
    write_draft=lambda _, draft: Draft(format_galleys(draft.galleys), draft.focus),
    complete_answer=lambda context, draft: Placement(with_proposals(context, draft.galleys)),
    format_answer=lambda placement: format_galleys(placement.galleys),
    move_focus=move_focus,
)


def current_galley(context: DeploymentContext, draft: DeploymentDraft) -> Galley:
    return find_by_id(with_proposals(context, draft.galleys), draft.focus or context.galley_ids[0])


def type_text(galley: Galley) -> str:
    """Return a vessel's type, such as `6/2`, with the letter of its kind if it is no galley (MB-1.3, MX-2.1)."""
    return f"{galley.holes}/{galley.mast_holes}{galley.kind.letter}"


def draft_choices(context: DeploymentContext, draft: DeploymentDraft) -> Choices:
    """Return the options and the draft in words. Nothing is ever missing, because each galley has a proposed place."""
    galley = current_galley(context, draft)
    south = context.area.side == "south"
    # Order the buttons as the captain sees the table from their own edge.
    shifts_in_order = _SHIFTS if south else _SHIFTS[::-1]
    ahead_mm = 15.0 if south else -15.0  # north for the southern side

    def shift_by(word: str, east_mm: float = 0.0, north_mm: float = 0.0, turn_deg: float = 0.0) -> Option:
        size = abs(east_mm + north_mm + turn_deg)  # two of the three are 0
        return _shift_option(context, draft, word, size, placing.shift_galley(galley, east_mm, north_mm, turn_deg))

    moves = [shift_by(f"move.{way}", east_mm=mm) for way, mm in shifts_in_order]
    depths = [shift_by("move.ahead", north_mm=ahead_mm), shift_by("move.back", north_mm=-ahead_mm)]
    turns = [shift_by("turn.left", turn_deg=-30.0), shift_by("turn.right", turn_deg=30.0)]
    groups = drop_empty(
        select_menu("galley", _galley_options(context, draft, galley)),
        select_menu("type", _type_options(context, draft, galley)),
        button_row("move", keep_together(moves)),
        button_row("turn", [*keep_together(depths), *keep_together(turns)]),
    )
    return Choices(groups=groups, lines=draft_lines(context, draft.galleys))


def draft_lines(context: DeploymentContext, named: Sequence[Galley]) -> tuple[Text, ...]:
    """Return a draft in words, one line for each galley."""
    return tuple(_place_line(context, galley) for galley in with_proposals(context, named))


def _place_line(context: DeploymentContext, galley: Galley) -> Text:
    left_mm, deep_mm, turned = context.area.captain_coordinates(galley.pose)
    key = "line.placement"
    if turned:
        key = "line.placement.starboard" if turned > 0 else "line.placement.port"
    distances = {"left_mm": left_mm, "deep_mm": deep_mm, "turned": abs(turned)}
    return Text(key, {"galley": galley.id, "type": type_text(galley), **distances})


def placement_fault(context: DeploymentContext, galleys: Sequence[Galley]) -> Fault | None:
    """Return why these galleys may not lie there together, or None."""
    faults = (_galley_fault(context, galleys, galley) for galley in galleys)
    return next(filter(None, faults), None)


def _galley_fault(context: DeploymentContext, named: Sequence[Galley], galley: Galley) -> Fault | None:
    later = placing.count_later(context.state, context.seat, context.galley_ids)
    to_come = later + len(context.galley_ids) - len(named)  # galleys that must still find room
    others = [other for other in named if other.id != galley.id]
    return placing.placement_fault(galley, (*context.friends, *others), context.area, to_come)


def _read_piece(context: DeploymentContext, draft: DeploymentDraft, piece: str) -> Galley:
    """Return the galley in a typed piece, by default the current one. What the piece omits stays."""
    match = _PIECE_PATTERN.fullmatch(piece)
    if not match:
        mentioned = [
            galley
            for galley in with_proposals(context, draft.galleys)
            if piece.upper().startswith((f"{galley.id} ", f"{galley.id}:"))
        ]
        example = mentioned[0] if mentioned else current_galley(context, draft)
        expected = format_galleys([example])
        raise UnreadableOrder("placement_unreadable", piece=quote_excerpt(piece), expected=expected)
    galley_id, kind, x, y, heading = match.groups()  # None for each part that is missing
    galley_before = (
        _require_galley(context, draft.galleys, galley_id, piece) if galley_id else current_galley(context, draft)
    )
    # The kind is a type such as `5/3` or `8h`. With points, the types were chosen before.
    holes = int(kind[0]) if kind else galley_before.holes
    if kind and context.state.builds:
        if kind.lower() not in {type_text(galley_before), f"{galley_before.holes}{galley_before.kind.letter}"}:
            raise IllegalOrder("type_is_chosen", "MX-4.1", piece=quote_excerpt(piece), type=type_text(galley_before))
    elif kind and kind not in {f"{holes}/{MASTS_BY_HOLES.get(holes)}", *map(str, MASTS_BY_HOLES)}:
        legal = ", ".join(f"{oars}/{masts}" for oars, masts in MASTS_BY_HOLES.items())
        raise IllegalOrder("unknown_type", "MB-1.3", piece=quote_excerpt(piece), type=kind, legal=legal)
    pose = Pose(
        float(x) if x else galley_before.pose.x_mm,
        float(y) if y else galley_before.pose.y_mm,
        float(heading) if heading else galley_before.pose.heading_deg,
    )
    return with_type(context, structs.replace(galley_before, pose=hull.round_pose(pose)), holes)


def with_type(context: DeploymentContext, galley: Galley, holes: int) -> Galley:
    """Return the galley with another type. Vessels of a chosen fleet are unchanged."""
    if context.state.builds:
        return galley
    return placing.new_galley(galley.id, context.seat, context.area.side, holes, galley.pose)


def _require_galley(context: DeploymentContext, named: Sequence[Galley], galley_id: str, piece: str) -> Galley:
    """Return the galley with an id, of those `named` or proposed. Raises `OrderError` if it may not be placed now."""
    name = galley_id.upper()
    for galley in with_proposals(context, named):
        if galley.id == name:
            return galley
    state = context.state
    is_own = seat_of(name) == context.seat
    is_placed = any(galley.id == name for galley in state.galleys)
    if is_own and is_placed:
        raise IllegalOrder("already_placed", "MB-2.1", piece=quote_excerpt(piece), galley=name)
    if is_own and name in state.to_place:
        raise IllegalOrder(
            "not_in_turn", "MB-2.1", piece=quote_excerpt(piece), galley=name, asked=context.galley_ids[0]
        )
    if is_placed or name in state.to_place:
        raise IllegalOrder("not_your_galley", "MB-1.5", piece=quote_excerpt(piece), galley=name)
    raise UnreadableOrder(
        "unknown_galley", piece=quote_excerpt(piece), galley=name, yours=", ".join(context.galley_ids)
    )


def _with_galley(context: DeploymentContext, draft: DeploymentDraft, galley: Galley) -> DeploymentDraft:
    named = {**{other.id: other for other in draft.galleys}, galley.id: galley}
    return DeploymentDraft(tuple(named[galley_id] for galley_id in context.galley_ids if galley_id in named), galley.id)


def _galley_options(context: DeploymentContext, draft: DeploymentDraft, current: Galley) -> Iterator[Option]:
    fleet = with_proposals(context, draft.galleys) if len(context.galley_ids) > 1 else ()
    labels = {other.id: Text("choice.placed", {"galley": other.id, "type": type_text(other)}) for other in fleet}
    return DEPLOYMENT_NOTATION.focus_options(
        context, "galley", labels, lambda name: structs.replace(draft, focus=name), current.id
    )


def _type_options(context: DeploymentContext, draft: DeploymentDraft, current: Galley) -> Iterator[Option]:
    if context.state.builds:  # the types were chosen before
        return
    for galley in (with_type(context, current, holes) for holes in MASTS_BY_HOLES):
        strongest = galley.holes == min(MASTS_BY_HOLES)  # without points: docs/balance.md
        label = Text(
            "choice.type.strongest" if strongest else "choice.type",
            {"type": type_text(galley), "oars": galley.holes, "masts": galley.mast_holes},
        )
        after = _with_galley(context, draft, galley)
        token = f"type.{type_text(galley)}"
        yield DEPLOYMENT_NOTATION.make_option(context, after, token, label, chosen=galley.holes == current.holes)


def _shift_option(
    context: DeploymentContext, draft: DeploymentDraft, word: str, amount: float, galley: Galley
) -> Option:
    after = _with_galley(context, draft, galley)
    # A captain in the north sees the table turned round.
    seen_as = {"move.west": "move.left", "move.east": "move.right"}
    if context.area.side == "north":
        seen_as = {"move.west": "move.right", "move.east": "move.left"}
    label = Text(f"choice.{seen_as.get(word, word)}", {"amount": round(amount)})
    fault = _galley_fault(context, after.galleys, galley)
    return DEPLOYMENT_NOTATION.make_option(context, after, f"{word}.{amount:.0f}", label, fault=fault)
