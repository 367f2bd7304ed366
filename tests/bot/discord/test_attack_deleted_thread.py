"""Attack: a forged "meant" on a message that all see would delete it: his thread's seals, orders, the lobby."""

from __future__ import annotations

from bot.discord.ids import Ref
from tests.sea import AFAR, Sea

MEANT = Ref(verb="meant", game=1).pack()


async def test_nobody_deletes_what_all_see(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await sea.write(sea.bela, "B1 FFFFF")
    await sea.press(sea.bela, sea.panel(sea.bela), "seal")
    told = [message for place in (sea.thread, sea.channel) for message in place.history() if message.author.bot]
    assert told
    for message in told:
        stored = sea.env.backend.messages[message.channel.id][message.id]
        button = {"type": 2, "style": 2, "label": "x", "custom_id": MEANT}  # as `tests/fuzz/forger.py` forges one
        stored.components = [*stored.components, {"type": 1, "components": [button]}]
        await sea.anna.click(message, custom_id=MEANT)
    await sea.settle()
    left = {message.id for place in (sea.thread, sea.channel) for message in place.history()}
    assert [message.id for message in told if message.id not in left] == []
