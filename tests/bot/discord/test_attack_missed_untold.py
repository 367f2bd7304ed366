"""Attack: the other must still take aim after a missed deadline; then the next round is asked, and it goes untold."""

from __future__ import annotations

from tests.bot.discord.test_one_message import ours
from tests.sea import ABEAM, Sea, text_of

DAY_S = 86_400


async def test_who_missed_a_round_reads_so_after_the_other_has_taken_aim(sea: Sea) -> None:
    await sea.begin_at(ABEAM, sea.bela)
    await sea.write(sea.anna, "A1 XFFFF; aim ask")
    await sea.press(sea.anna, sea.panel(sea.anna), "seal")
    await sea.env.advance_time(DAY_S + 60)  # Béla misses it; Anna is asked to take aim
    assert "you missed" in "\n".join(map(text_of, ours(sea, sea.bela)))
    await sea.press(sea.anna, sea.panel(sea.anna), "press steady")  # perhaps a minute later
    told = "\n".join(map(text_of, ours(sea, sea.bela)))
    assert "Round 2" in told
    assert "missed" in told, told


async def test_whose_plan_counted_unsealed_reads_so_after_the_other_has_taken_aim(sea: Sea) -> None:
    await sea.begin_at(ABEAM, sea.bela)
    await sea.write(sea.bela, "B1 LFFXF")
    await sea.write(sea.anna, "A1 XFFFF; aim ask")
    await sea.press(sea.anna, sea.panel(sea.anna), "seal")
    await sea.env.advance_time(DAY_S + 60)
    told = "\n".join(map(text_of, ours(sea, sea.bela)))
    assert "`B1 LFFXF" in told
    await sea.press(sea.anna, sea.panel(sea.anna), "press steady")
    told = "\n".join(map(text_of, ours(sea, sea.bela)))
    assert "`B1 LFFXF" in told, told
