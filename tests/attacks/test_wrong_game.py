"""Typed orders go to the game that was meant, or it is asked which."""

from __future__ import annotations

import itertools
from contextlib import suppress
from typing import Any

from rules.core.errors import OrderError
from tests.bot.captains import in_words, play, wanted
from tests.sea import Sea


async def my_turn(sea: Sea, number: int) -> bool:
    asked = await sea.asked(sea.anna, number)
    return bool(asked and asked.row.body.kind == "act")


async def two_turns_of_annas(sea: Sea) -> list[int]:
    found: list[int] = []
    for number in range(1, 8):
        await sea.command(sea.anna, "new", system="forts", colours="first", forts="west")
        await sea.command(sea.bela, "join", game=f"{number}")
        await sea.command(sea.anna, "start", game=f"{number}")
        await play(sea, [sea.anna, sea.bela], placed, rounds=0, game=number)
        if await my_turn(sea, number):
            found += [number]
        else:
            await sea.bot.services.concede_game(sea.anna.id, number)
            await sea.settle()
        if len(found) == 2:
            return found
    raise AssertionError(found)


async def placed(sea: Sea, who: Any, asked: Any) -> None:
    typed = await sea.bot.services.orders.type_text(asked, in_words(asked, wanted(asked)))
    if typed.answer is None:
        await sea.bot.services.orders.seal_draft(typed, typed.row.version)
    await sea.settle()


async def test_what_is_illegal_in_one_game_is_not_carried_out_at_once_in_another(sea: Sea) -> None:
    first, second = await two_turns_of_annas(sea)
    order = await legal_in_both(sea, first, second)
    await sea.write(sea.anna, f"#{first} {order}")
    steps = {row["id"]: row["step_no"] for row in sea.rows("games")["games"]}
    # Anna forgets that this ship has sailed already, and types the same again for the same game.
    said = await sea.write(sea.anna, order)
    after = {row["id"]: row["step_no"] for row in sea.rows("games")["games"]}
    assert after == steps, f"the ship has sailed, for good, in game #{second}: {said}"
    # Once the first game waits for nothing of hers, only the second can be meant.
    sea.change_rows("UPDATE requests SET status = 'sealed' WHERE game_id = ? AND status = 'open'", first)
    await sea.write(sea.anna, order)
    last = {row["id"]: row["step_no"] for row in sea.rows("games")["games"]}
    assert (last[first], last[second]) == (steps[first], steps[second] + 1)


async def legal_in_both(sea: Sea, *games: int) -> str:
    asked = [await sea.asked(sea.anna, number) for number in games]
    for ship, column, row in itertools.product(("GA", "FR", "BB", "BR"), "ABCDEFGHIJKL", range(1, 12)):
        with suppress(OrderError):
            for request in asked:
                await sea.bot.services.orders.preview_text(request, f"{ship}>{column}{row}")
            return f"{ship}>{column}{row}"
    raise AssertionError("no move is legal in both")
