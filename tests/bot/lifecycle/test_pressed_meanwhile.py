"""A panel that is pressed while the outbox is about to show it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from bot.services.orders import PRESS_TIMEOUT_S
from bot.store.models.records import OutboxMessage
from tests.bot.rows import unsent
from tests.sea import Sea, text_of


@pytest.mark.parametrize("seen", [True, False])
@pytest.mark.begun
async def test_a_draft_pressed_while_its_panel_is_sent_is_never_shown_as_it_was(*, sea: Sea, seen: bool) -> None:
    """Where Discord took the answer to the press nothing is sent; else the outbox shows the new draft in time."""
    await sea.press(sea.anna, sea.panel(sea.anna), "press order.F")
    outbox, reader, orders = sea.bot._outbox, sea.bot.services.reader, sea.bot.services.orders
    place, load = sea.panel(sea.anna), outbox._load
    pressed: list[int] = []
    assert load

    async def pressed_meanwhile(messages: Sequence[OutboxMessage]) -> Any:
        batch = await load(messages)
        if not pressed and any(message.kind == "panel" for message in messages):
            pending = await reader.requests.pending_request(sea.anna.id, 1)
            kept = await orders.press_option(pending, pending.row.version, "order.L", shown_by_caller=True)
            if seen:
                await orders.note_panel_seen(kept, place.id)
            pressed.append(len(sea.env.http_requests))
        return batch

    outbox._load = pressed_meanwhile
    sea.env.lets_pass = False
    await sea.command(sea.anna, "me", language="hu")
    await sea.env.advance_time(5)
    await sea.settle()

    def edits() -> list[str]:
        return [
            str(call.json)
            for call in sea.env.http_requests[pressed[0] :]
            if call.method == "PATCH" and call.path.endswith(f"/messages/{place.id}")
        ]

    assert edits() == []
    await sea.env.advance_time(PRESS_TIMEOUT_S)
    await sea.settle()
    assert unsent(sea) == []
    assert ["**A1** E B" in edit for edit in edits()] == ([] if seen else [True])
    assert ("**A1** E B" in text_of(sea.panel(sea.anna))) is not seen
