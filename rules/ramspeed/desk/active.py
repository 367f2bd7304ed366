"""What a captain writes upon while he acts ship by ship (live mode, RS part 2)."""

from __future__ import annotations

from msgspec import structs

from rules.protocol import Draft, Seat
from rules.ramspeed.desk import order_drafts
from rules.ramspeed.desk.order_drafts import Desk, Paper
from rules.ramspeed.table.state import State


def acted(state: State) -> tuple[str, ...]:
    """Ships that cannot act any more in this player-turn."""
    return (*state.live.named, *state.live.captured) if state.live else ()


def desk_of(state: State, seat: Seat) -> Desk:
    """The desk of the active captain, with the ships that have not acted."""
    desk = order_drafts.desk_of(state, seat)
    gone = acted(state)
    left = tuple(ship for ship in desk.ships if ship.id not in gone)
    return structs.replace(desk, ships=left, last=structs.replace(desk.last, lines=()))


def read(desk: Desk, draft: Draft) -> Paper:
    """Read a draft; one that cannot be read counts as empty, and so does one of several lines.

    There is always a ship in hand, as long as one is left.
    """
    paper = order_drafts.read(desk, draft)
    fits = len(paper.lines) == 1 and not (paper.stay or paper.doctrines or paper.standing)
    fits = fits and any(ship.id == paper.lines[0].ship for ship in desk.ships)
    if not fits:
        paper = structs.replace(order_drafts.read(desk, Draft(focus=draft.focus)), adding=False)
    if paper.focus or not desk.ships:
        return paper
    return structs.replace(paper, focus=paper.lines[0].ship if paper.lines else desk.ships[0].id)
