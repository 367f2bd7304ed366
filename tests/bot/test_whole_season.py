"""Eight captains sail to the end of a season: some are there, some not, and the bot is restarted.

In every run they sail its last days; with `LAWS=long` all 24.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.laws.length import LONG, times
from tests.sea import Sea

DAY = 86_400
TURNS = 24
SAILED = times(4, TURNS)
"""Turns that are sailed: the last ones."""
HOMES = ("PAR", "IOS", "MEL", "CEO", "AND", "ICA", "ASP", "COS")


def season(sea: Sea) -> tuple[dict[str, Any], Any]:
    """The campaign's row, and how it stands."""
    row = sea.rows("games")["games"][0]
    steps = [one for one in sea.rows("steps")["steps"] if one["game_id"] == 1]
    return row, json.loads(max(steps, key=lambda one: one["no"])["state"])


async def begin(sea: Sea) -> None:
    people, options = (sea.bela, sea.cili), {"system": "campaign", "players": "8"}
    if LONG:
        await sea.begin(*people, **options)
        return
    galleys = [
        f"{captain}{n} {home} 5-5+3/5 r0 n0" for captain, home in zip("ABCDEFGH", HOMES, strict=True) for n in (1, 2)
    ]
    position = {"map": "ring", "captains": "ABCDEFGH", "turn": TURNS + 1 - SAILED, "galleys": galleys}
    await sea.begin_at(json.dumps(position), *people, **options)


async def seal(sea: Sea, who: Any, text: str) -> None:
    if asked := await sea.asked(who, 1):
        typed = await sea.bot.table.orders.type(asked, text)
        await sea.bot.table.orders.seal(typed, typed.row.version)
        await sea.settle()


@pytest.mark.timeout(900)
async def test_eight_captains_sail_to_the_end_of_a_season(sea: Sea) -> None:
    await begin(sea)
    for turn in range(1, SAILED + 4):  # the last battles may take three days more (CA-13.4)
        if season(sea)[0]["phase"] == "over":
            break
        await seal(sea, sea.anna, "repair all")
        if turn < 3:  # Béla goes away, and Cili was never there
            await seal(sea, sea.bela, "repair all; dice")
        if turn in (2, 7):
            await sea.restart()
        for _ in range(2):
            await sea.env.advance_time(DAY // 2)
            await sea.settle()
    row, state = season(sea)
    assert (row["phase"], state["position"]["turn"]) == ("over", TURNS + 1)
    assert state["outcome"]["winners"]
    absent = next(one for one in sea.rows("seats")["seats"] if (one["game_id"], one["user_id"]) == (1, sea.cili.id))
    assert absent["offered_at"]  # after three turns in which she said nothing (CA-14.2)
    assert {one["phase"] for one in sea.rows("games")["games"]} == {"over"}
