"""Custom ids that no button of ours ever carried: refused in a sentence, and never logged as our fault."""

from __future__ import annotations

import pytest

from bot.discord.ids import Ref, unpack
from tests.fuzz.forger import Forger
from tests.sea import AFAR, Sea

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
