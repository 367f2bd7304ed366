"""A plain computer captain: every squadron at the nearest enemies, by the best attack that its galleys have."""

from __future__ import annotations

from collections.abc import Sequence

from rules.choosing import Choice
from rules.protocol import Request
from rules.squadrons.desk.drafts import interrupts
from rules.squadrons.desk.drafts.answers import Activation, Answer, Entry, Sheet
from rules.squadrons.desk.preview import best_attacks
from rules.squadrons.desk.preview.view import FleetView
from rules.squadrons.table.sea.state import order_of


def answer(view: FleetView, request: Request, seed: str, ships: Sequence[str]) -> Answer:
    """Answer what a seat is asked, from what it sees; the seed (hex) settles what is equally good."""
    match request.kind:
        case "orders":
            return best_attacks.fleet(view.position, ships, seed)
        case "act":
            return _activation(view, ships, seed)
    return Choice(interrupts.default(request))


def _activation(view: FleetView, ships: Sequence[str], seed: str) -> Activation:
    """The next squadron, as in a sheet."""
    left = [one for one in view.squadrons if one.flagship in view.able]
    squadron = min(left, key=lambda one: (one.number or 99, order_of(one.flagship)))
    mine = [name for name in squadron.ships if name in ships]
    doings = best_attacks.each(view.position, mine, seed, fixed=True)
    entries = [Entry(doing.line.ship, doing.line) for doing in doings if doing.line.steps]
    return Activation(squadron=squadron.flagship, sheet=Sheet(entries=tuple(entries)))
