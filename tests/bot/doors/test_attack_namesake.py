"""Attack: whoever takes another's name and is forgotten takes the other's name out of a game's log."""

from __future__ import annotations

from tests.bot.doors.test_captains import until_offered
from tests.bot.doors.test_forgetting import press_under_me
from tests.sea import Sea


async def test_a_namesake_wipes_another_out_of_the_log(sea: Sea) -> None:
    namesake = sea.member("bela")
    await sea.command(sea.anna, "new", captains=2)
    for who in (sea.bela, namesake, sea.cili):
        await sea.command(who, "join")
    await sea.command(sea.anna, "start")
    await until_offered(sea)
    before = [row["params"] for row in sea.rows("acts")["acts"] if row["kind"] == "left"]
    assert "bela" in before[0]
    await sea.command(namesake, "concede", game="1")
    await sea.press(namesake, sea.answers[0], "concede")
    await press_under_me(sea, namesake, "forget", "forget_now")
    await sea.settle()
    assert [row["params"] for row in sea.rows("acts")["acts"] if row["kind"] == "left"] == before
