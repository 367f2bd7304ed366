"""The boarding that follows a grapple that holds: whether it happens, and with what chance."""

from __future__ import annotations

from rules.squadrons.engine.notation.orders import DOCTRINE_VALUES, Doctrines
from rules.squadrons.engine.odds import RollOdds
from rules.squadrons.engine.phases.combat import boarding
from rules.squadrons.engine.sea.state import Position
from rules.squadrons.interface.drafts.answers import OrderSheet
from rules.squadrons.interface.drafts.sheets import OrderContext


def odds_after_grapple(
    context: OrderContext, position: Position, sheet: OrderSheet, name: str, target: str
) -> RollOdds | None:
    """Return the odds to board a target that a ship has grappled; None if nobody would board it (SQ-24.3).

    The sheet's boarding of the target counts, else the side's doctrine. Then ships of her squadron that hold the target
    already board with her.
    """
    board = next((order for order in sheet.boards if order.target == target), None)
    if board:
        shares = {share.ship: share.m or position.ship_by_id(share.ship).manpower for share in board.shares}
    else:
        squadrons = context.squadrons_formed_by(sheet.forms)
        members = next((squadron.ships for squadron in squadrons if name in squadron.ships), ())
        boarders = {name, *(other for other in position.grappled_to(target) if other in members)}
        shares = {other: position.ship_by_id(other).manpower for other in sorted(boarders)}
    odds = boarding.boarding_odds(position, {other: m for other, m in shares.items() if m}, target)
    lines = Doctrines((*context.doctrines, *sheet.doctrines))
    doctrine = lines.find_value("board", context.side) or DOCTRINE_VALUES["board"][0]
    is_wanted = doctrine == "always" or (doctrine != "never" and odds.min_total <= boarding.MAX_GOOD_NEED)
    return odds if odds.min_total and (board or is_wanted) else None
