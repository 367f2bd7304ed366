"""Several captains a side: three against three, with sealed deployment, three of the six played by the computer."""

from __future__ import annotations

import json

from rules.core.protocol import Request
from tests.bot.captains import by_typing, play
from tests.bot.records import assert_holds
from tests.sea import Sea, refs, text_of


async def test_three_against_three_with_sealed_deployment(sea: Sea) -> None:
    await sea.command(sea.anna, "new", captains=3, galleys="1", deployment="sealed", table="coffee", computer=3)
    assert {"join 0", "join 1"} <= set(refs(sea.channel.last_message))
    await sea.press(sea.bela, sea.channel.last_message, "join 1")
    await sea.press(sea.cili, sea.channel.last_message, "join 0")
    await sea.press(sea.anna, sea.channel.last_message, "start")
    people = (sea.anna, sea.bela, sea.cili)
    assert [(await _request(sea, who)).id for who in people] == ["place.0", "place.1", "place.2"]

    await play(sea, people, by_typing, rounds=0)
    placed = [event for row in sea.rows("steps")["steps"] for event in json.loads(row["events"])]
    assert {event["galley"] for event in placed if event["type"] == "GalleyPlaced"} == {f"{seat}1" for seat in "ABCDEF"}
    steps = len(sea.rows("steps")["steps"])
    assert steps == 2  # all six at once

    await play(sea, people, by_typing)
    assert [row["phase"] for row in sea.rows("games")["games"]] == ["over"]
    ending = (await assert_holds(sea)).steps[-1].events[-1]
    last = text_of(next(message for message in reversed(sea.thread.history()) if message.attachments))
    names = ("anna", "bela", "cili", *(f"First mate {name}" for name in ("Jack", "Kit", "Moll")))
    assert [names[seat] for seat in ending.get("seats", ()) if names[seat] not in last] == []


async def _request(sea: Sea, who: object) -> Request:
    pending = await sea.asked(who)
    assert pending
    return pending.row.body
