"""Attack: forged presses on a message that all see write something else over it: seals, orders, results."""

from __future__ import annotations

import pytest

from bot.discord.ids import Ref
from tests.sea import AFAR, Sea, text_of

REFS = [
    Ref(verb="page", game=1, token="1"),
    Ref(verb="press", game=1, token="order.F"),
    Ref(verb="lesson", game=0, request="matchbox"),
    Ref(verb="options", game=2, token="1"),
]


@pytest.mark.parametrize("ref", REFS, ids=lambda ref: ref.verb)
async def test_nobody_writes_over_what_all_see(sea: Sea, ref: Ref) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await sea.write(sea.bela, "B1 FFFFF")
    await sea.press(sea.bela, sea.panel(sea.bela), "seal")
    await sea.command(sea.bela, "new")  # a lobby whose options are not for Anna
    told = [message for message in sea.thread.history() if message.author.bot]
    before = {message.id: text_of(message) for message in told}
    for message in told:
        stored = sea.env.backend.messages[message.channel.id][message.id]
        kept = stored.components
        button = {"type": 2, "style": 2, "label": "x", "custom_id": ref.pack()}
        stored.components = [*kept, {"type": 1, "components": [button]}]
        await sea.anna.click(message, custom_id=ref.pack())
        await sea.settle()
    now = {message.id: text_of(message) for message in sea.thread.history() if message.id in before}
    assert now == before
