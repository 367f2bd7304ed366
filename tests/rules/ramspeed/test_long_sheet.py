"""A sheet typed piece by piece never grows beyond what can be read again."""

from __future__ import annotations

from contextlib import suppress

from rules.errors import OrderError
from rules.protocol import EMPTY_DRAFT
from rules.ramspeed import GAME
from rules.ramspeed.table.notation import position as positions
from tests.pictures.ramspeed_positions import crowd


def test_what_was_taken_is_never_forgotten() -> None:
    state = GAME.at(positions.format_position(crowd(3, 40).position))
    (request, *_) = GAME.pending(state)
    mine = [ship.id for ship in state.position.owned(state.player(request.seat))]
    foes = [ship.id for ship in state.position.ships if ship.id not in mine]
    draft, taken = EMPTY_DRAFT, set[str]()
    for ship in mine:
        with suppress(OrderError):  # to refuse it would be all right
            line = " or ".join(f"ram {foe}" for foe in foes * 5)[:900].rsplit(" or ", 1)[0]
            draft = GAME.amend(state, request, draft, f"{ship}: {line}")
            taken.add(ship)
    assert len(taken) > 1
    assert {line.split(":")[0] for line in draft.text.splitlines()} == taken
    assert not GAME.choices(state, request, draft).missing
    GAME.parse(state, request, draft.text)
