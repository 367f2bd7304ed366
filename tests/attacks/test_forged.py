"""Custom ids that no button of ours ever carried."""

from __future__ import annotations

from bot.discord.ids import CustomId
from bot.services.lobby import MAX_EXTENSIONS
from tests.fuzz.forger import Forger
from tests.sea import Sea


# `/galley new` takes up to ten extensions; a button of the list of games could carry any number.
async def test_nobody_opens_a_game_with_more_extensions_or_opponents_than_there_can_be(sea: Sea) -> None:
    forger = Forger(sea, sea.anna)
    for request in (f"x{MAX_EXTENSIONS + 1:x}", "xffff", "x" + "f" * 16, "o" + "f" * 16):
        assert await forger.press(CustomId(verb="new", game=0, request=request, token="matchbox").pack())
        await sea.settle()
        assert not sea.faults, request
        assert not sea.rows("games")["games"], request
    await forger.press(CustomId(verb="new", game=0, request=f"x{MAX_EXTENSIONS:x}", token="matchbox").pack())
    assert [row["extensions"] for row in sea.rows("games")["games"]] == [MAX_EXTENSIONS]


# A second seat kept for the same person could be taken by nobody. And Discord refuses to mention somebody twice.
async def test_somebody_who_is_named_twice_has_one_seat_kept(sea: Sea) -> None:
    await sea.command(sea.anna, "new", opponent=sea.bela, opponent2=sea.bela)
    assert [row["kept_for"] for row in sea.rows("seats")["seats"]] == [None, sea.bela.id]
    await sea.command(sea.bela, "join")
    assert None not in [row["user_id"] for row in sea.rows("seats")["seats"]]
