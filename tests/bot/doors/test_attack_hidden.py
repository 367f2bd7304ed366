"""Attack: the file under `/galley me` counts the steps that only the enemy may know of."""

from __future__ import annotations

import json
from typing import Any

from tests.bot.doors.test_forgetting import press_under_me
from tests.bot.doors.test_open_turns import active, at_sea
from tests.bot.test_twins import seals
from tests.sea import Sea


async def file_of(sea: Sea, who: Any) -> dict[str, Any]:
    await press_under_me(sea, who, "my_data")
    (file,) = sea.answers[-1].attachments
    data: dict[str, Any] = json.loads(await file.read())
    return data


async def test_my_data_tells_that_the_enemy_has_stored_a_plan(sea: Sea) -> None:
    await at_sea(sea)
    who, _ = await active(sea)
    if who is not sea.anna:  # so that it is the host's turn
        await sea.press(who, sea.panel(who), "press end")
    (before,) = (await file_of(sea, sea.anna))["games"]
    steps = len(sea.rows("steps")["steps"])
    await seals("any: end")(sea, sea.bela)
    assert len(sea.rows("steps")["steps"]) == steps + 1
    (after,) = (await file_of(sea, sea.anna))["games"]
    assert {key for key in before if before[key] != after[key]} == set()
