"""The mate: a simple computer captain that attacks the nearest enemies, with each galley's best attack."""

from __future__ import annotations

from collections.abc import Sequence

from rules.core.protocol import Request
from rules.interface.choosing import Choice
from rules.squadrons.engine.sea.state import id_sort_key
from rules.squadrons.interface.drafts import alternate_choices
from rules.squadrons.interface.drafts.answers import ActivationOrder, Answer, OrderSheet, SheetLine
from rules.squadrons.interface.preview import best_attacks
from rules.squadrons.interface.preview.view import FleetView


def computer_answer(view: FleetView, request: Request, seed: str, ships: Sequence[str]) -> Answer:
    """Return the answer to a request. The seed (hex) breaks ties."""
    match request.kind:
        case "orders":
            return best_attacks.fleet_sheet(view.position, ships, seed)
        case "act":
            return _choose_activation(view, ships, seed)
    return Choice(alternate_choices.default_choice(request))


def _choose_activation(view: FleetView, ships: Sequence[str], seed: str) -> ActivationOrder:
    candidates = [candidate for candidate in view.squadrons if candidate.flagship in view.able_flagships]
    squadron = min(candidates, key=lambda candidate: (candidate.number or 99, id_sort_key(candidate.flagship)))
    own_ships = [name for name in squadron.ships if name in ships]
    plans = best_attacks.plan_each(view.position, own_ships, seed, fixed=True)
    entries = [SheetLine(plan.line.ship, plan.line) for plan in plans if plan.line.steps]
    return ActivationOrder(squadron=squadron.flagship, sheet=OrderSheet(lines=tuple(entries)))
