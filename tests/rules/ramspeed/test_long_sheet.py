"""A sheet typed piece by piece never grows beyond what can be read again."""

from __future__ import annotations

from contextlib import suppress

from rules.core.errors import OrderError
from rules.core.protocol import EMPTY_DRAFT
from rules.ramspeed import GAME
from rules.ramspeed.engine.notation import position as positions
from tests.pictures.ramspeed_positions import crowd


def test_what_was_taken_is_never_forgotten() -> None:
    state = GAME.state_at(positions.format_position(crowd(3, 40).position))
    (request, *_) = GAME.pending_requests(state)
    mine = [ship.id for ship in state.position.ships_of(state.player_of(request.seat))]
    foes = [ship.id for ship in state.position.ships if ship.id not in mine]
    draft, taken = EMPTY_DRAFT, set[str]()
    for ship in mine:
        with suppress(OrderError):  # to refuse it would be all right
            line = " or ".join(f"ram {foe}" for foe in foes * 5)[:900].rsplit(" or ", 1)[0]
            draft = GAME.type_text(state, request, draft, f"{ship}: {line}")
            taken.add(ship)
    assert len(taken) > 1
    assert {line.split(":")[0] for line in draft.text.splitlines()} == taken
    assert not GAME.draft_choices(state, request, draft).missing_parts
    GAME.parse_answer(state, request, draft.text)
