"""Attack: whoever only looks at a ship, by typing her name, loses his seal."""

from __future__ import annotations

from tests.sea import AFAR, Sea


async def test_looking_at_a_ship_by_typing_her_name_breaks_no_seal(sea: Sea) -> None:
    await sea.begin_at(f"{AFAR} ; A2:south 5-5+3/5 @700,80^0", sea.bela)
    await sea.write(sea.anna, "A1 FFFFF; A2 FFFFF")
    await sea.press(sea.anna, sea.reply(sea.anna), "seal")
    sealed = [one["commitment"] for one in sea.rows("answers")["answers"]]
    assert len(sealed) == 1
    (before,) = [one for one in sea.rows("requests")["requests"] if one["status"] == "sealed"]
    for look in ("A2", "A2+reach", "A1"):
        await sea.write(sea.anna, look)
        (after,) = [one for one in sea.rows("requests")["requests"] if one["id"] == before["id"]]
        assert after["draft"] == before["draft"]  # nothing has changed
        assert after["focus"] == look
        assert after["status"] == "sealed"
