"""A plain computer captain: every squadron at the nearest enemies, by the best attack that its galleys have."""

from __future__ import annotations

from collections.abc import Sequence

from rules.core.protocol import Request
from rules.interface.choosing import Choice
from rules.squadrons.engine.sea.state import id_sort_key
from rules.squadrons.interface.drafts import interrupts
from rules.squadrons.interface.drafts.answers import ActivationOrder, Answer, OrderSheet, SheetLine
from rules.squadrons.interface.preview import best_attacks
from rules.squadrons.interface.preview.view import FleetView


def computer_answer(view: FleetView, request: Request, seed: str, ships: Sequence[str]) -> Answer:
    """Answer what a seat is asked, from what it sees; the seed (hex) settles what is equally good."""
    match request.kind:
        case "orders":
            return best_attacks.fleet_sheet(view.position, ships, seed)
        case "act":
            return _choose_activation(view, ships, seed)
    return Choice(interrupts.default_choice(request))


def _choose_activation(view: FleetView, ships: Sequence[str], seed: str) -> ActivationOrder:
    """The next squadron, as in a sheet."""
    left = [one for one in view.squadrons if one.flagship in view.able_flagships]
    squadron = min(left, key=lambda one: (one.number or 99, id_sort_key(one.flagship)))
    mine = [name for name in squadron.ships if name in ships]
    doings = best_attacks.plan_each(view.position, mine, seed, fixed=True)
    entries = [SheetLine(doing.line.ship, doing.line) for doing in doings if doing.line.steps]
    return ActivationOrder(squadron=squadron.flagship, sheet=OrderSheet(lines=tuple(entries)))
