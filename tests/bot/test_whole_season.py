"""Eight captains sail to the end of a season: some are there, some not, all pause once, and the bot fails for days.

In every run they sail its last days; with `LAWS=long` all 24.
"""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from tests.laws.length import LONG, times
from tests.sea import Sea, refs

DAY = 86_400
TURNS = 24
SAILED = times(4, TURNS)  # turns that are sailed: the last ones
HOMES = ("PAR", "IOS", "MEL", "CEO", "AND", "ICA", "ASP", "COS")


def season(sea: Sea) -> tuple[dict[str, Any], Any]:
    row = sea.rows("games")["games"][0]
    steps = [row for row in sea.rows("steps")["steps"] if row["game_id"] == 1]
    return row, json.loads(max(steps, key=lambda row: row["no"])["state"])


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
    if pending := await sea.asked(who, 1):
        typed = await sea.bot.services.orders.type_text(pending, text)
        await sea.bot.services.orders.seal_draft(typed, typed.row.version)
        await sea.settle()


async def agree(sea: Sea, *people: Any) -> None:
    act_id = max(act["id"] for act in sea.rows("acts")["acts"] if act["kind"].endswith("_asked"))
    for who in people:
        offer = next(message for message in sea.channel.threads[0].history() if f"agree {act_id}" in refs(message))
        await sea.press(who, offer, f"agree {act_id}")


async def stand_still(sea: Sea) -> None:
    """Pause for two days, since all who are people agree (CA-14.6)."""
    before = season(sea)[0]["deadline"]
    await sea.bot.services.timekeeping.pause_game(sea.anna.id, 1)
    await sea.settle()
    await agree(sea, sea.bela, sea.cili)
    assert season(sea)[0]["paused_at"]
    await sea.env.advance_time(2 * DAY)
    await sea.settle()
    assert season(sea)[1]["position"]["turn"] == TURNS + 1 - SAILED
    await sea.bot.services.timekeeping.resume_game(sea.anna.id, 1)
    await sea.settle()
    assert (season(sea)[0]["paused_at"], round((season(sea)[0]["deadline"] - before) / DAY)) == (None, 2)


def seat_of(sea: Sea, who: Any) -> dict[str, Any]:
    return next(row for row in sea.rows("seats")["seats"] if (row["game_id"], row["user_id"]) == (1, who.id))


@pytest.mark.timeout(900)
async def test_eight_captains_sail_to_the_end_of_a_season(sea: Sea) -> None:
    await begin(sea)
    await stand_still(sea)
    dora = sea.member("dora")
    for turn in range(1, SAILED + 4):  # the last battles may take three days more (CA-13.4)
        if season(sea)[0]["phase"] == "over":
            break
        if turn == 2:
            until = sea.now() + timedelta(days=SAILED + 4)
            await sea.command(sea.bela, "me", away=until.date().isoformat())
        if turn == 4:  # Cili was never there: after three turns her seat is offered, and Dora goes on (CA-14.2)
            assert seat_of(sea, sea.cili)["offered_at"]
            offer = next(
                message for message in sea.channel.threads[0].history() if refs(message).keys() & {"take_over 2"}
            )
            await sea.press(dora, offer, "take_over 2")
        await seal(sea, sea.anna, "repair all")
        if turn == 1:
            await seal(sea, sea.bela, "repair all; dice")
        if turn == 4:
            await seal(sea, dora, "repair all")
        if turn in (2, 7):
            await sea.restart()
        if turn in (4, 11):
            await sea.restart(after_s=2 * DAY)  # nobody is there, not even the bot: no time passes for the captains
            assert season(sea)[1]["position"]["turn"] == TURNS - SAILED + turn
        for _ in range(2):
            await sea.env.advance_time(DAY // 2)
            await sea.settle()
    row, state = season(sea)
    assert (row["phase"], state["position"]["turn"]) == ("over", TURNS + 1)
    assert state["result"]["winners"]
    assert not seat_of(sea, sea.bela)["offered_at"]  # a captain who announced an absence is not missed (CA-14.3)
    assert {row["phase"] for row in sea.rows("games")["games"]} == {"over"}
