"""Custom ids that no button of ours ever carried: refused in a sentence, and never logged as our fault."""

from __future__ import annotations

import pytest

from bot.discord.ids import Ref, unpack
from tests.fuzz.forger import Forger
from tests.sea import AFAR, Sea, text_of

ODD = ("²", "9" * 80, "-1", "٣", "1e3", "+1", " 1", "0x1", "1_0")
"""What Python's own reading of numbers takes, or falls over, and no button carries."""


@pytest.mark.parametrize("token", ODD)
def test_only_plain_short_numbers_are_numbers(token: str) -> None:
    assert Ref(verb="join", game=1, token=token).number is None
    assert Ref(verb="join", game=1, token="12").number == 12


@pytest.mark.parametrize("game", ["²", "٣", "9" * 10, "-1", ""])
def test_a_game_is_a_plain_short_number(game: str) -> None:
    assert unpack(f"wg/join/{game}/0//1") is None
    assert unpack(f"wg/join/1/{game}//1") is None


async def test_numbers_that_are_none_are_no_fault_of_ours(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await sea.command(sea.anna, "new")
    forger, stranger = Forger(sea, sea.anna), Forger(sea, sea.cili)
    for token in ("²", "9" * 80):
        assert await forger.press(Ref(verb="agree", game=1, token=token).pack())
        assert await forger.press(Ref(verb="agree_act", game=1, token=token).pack())
        assert await stranger.press(Ref(verb="take_over", game=1, token=token).pack())
        assert await forger.press(Ref(verb="join", game=2, token=token).pack())
    assert not sea.faults


MEANT = Ref(verb="meant", game=1).pack()


# A forged "meant" on a public message must not delete it: the thread's seals, orders, the lobby.
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


REFS = [
    Ref(verb="page", game=1, token="1"),
    Ref(verb="press", game=1, token="order.F"),
    Ref(verb="lesson", game=0, request="matchbox"),
    Ref(verb="options", game=2, token="1"),
]


# Forged presses on a public message write nothing over it: seals, orders, results.
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
