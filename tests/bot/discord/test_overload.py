"""Under overload no new message waits for its picture, which follows."""

from __future__ import annotations

import pytest
from msgspec import structs

from bot.discord.messages.pictures import Pictures
from bot.life.outbox import PendingPicture
from bot.telling.values import Drawn
from tests.sea import AFAR, Sea


@pytest.mark.parametrize("overloaded", [False, True])
async def test_no_new_message_waits_for_its_picture_under_overload(sea: Sea, *, overloaded: bool) -> None:
    await sea.begin_at(AFAR, sea.bela)
    async with sea.bot.table.store.read() as tx:
        (message, *_) = await tx.messages.of(1)
    new = structs.replace(message, message_id=None)
    drawn = Drawn(data=b"", format="png", alt="")

    async def draw() -> Drawn:
        return drawn

    came = await Pictures(lambda: overloaded).of(new, "what it shows", draw)
    if overloaded:
        assert isinstance(came, PendingPicture)
        assert await came.made == drawn, "it is drawn all the same, and follows"
    else:
        assert came == drawn
