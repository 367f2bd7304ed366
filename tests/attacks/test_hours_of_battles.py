"""A battle's captains have time for each round, and its season need not wait for it longer than it must."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from bot.store.models.pace import Pace
from tests.bot.test_campaign import DAY, met, pass_a_turn
from tests.sea import Sea, refs, text_of

ROUNDS = 6
DAILY = Pace(seconds=DAY).for_battle(2, 0)


def games(sea: Sea) -> list[Any]:
    return list(sea.rows("games")["games"])


async def go_back(sea: Sea, game: int, to_round: int) -> str:
    said = await sea.command(sea.anna, "host undo", game=str(game), to_round=to_round)
    thread = next(one for one in sea.channel.threads if one.name.startswith(f"#{game} "))
    proposal = thread.history()[-1]
    for key in [key for key in refs(proposal) if key.startswith("agree")]:
        await sea.press(sea.bela, proposal, key)
    await sea.settle()
    return str(said)


def test_after_hours_without_the_bot_each_round_of_a_battle_has_time_and_night_still_falls_at_its_hour() -> None:
    began = int(1.6 * DAY)
    hours = [began]
    for number in range(2, ROUNDS + 1):
        hours.append(DAILY.due_at(hours[-1], number))
    assert min(later - hour for hour, later in pairwise(hours)) >= DAILY.phase_length_s // 4
    assert hours[-1] == 3 * DAY


def test_a_battle_goes_back_only_while_its_rounds_still_fit_in_before_its_last_hour() -> None:
    assert DAILY.has_time_for(DAY // 2, 1, ROUNDS)
    assert not DAILY.has_time_for(2 * DAY, 1, ROUNDS)
    assert DAILY.has_time_for(2 * DAY, 5, ROUNDS)
    assert Pace(seconds=DAY).has_time_for(2 * DAY, 1, ROUNDS)  # a game of its own has all the time it likes


async def test_a_round_that_is_played_again_has_time_for_its_orders(sea: Sea) -> None:
    await met(sea)
    await pass_a_turn(sea, DAY // 2)
    await go_back(sea, 2, 1)
    (_, battle) = games(sea)
    asked = [row for row in sea.rows("requests")["requests"] if row["game_id"] == 2 and row["status"] != "closed"]
    assert {row["id"] for row in asked} == {"r1.orders.0", "r1.orders.1"}
    assert battle["deadline"] >= sea.bot.services.now() + DAY // 8
    pace = json.loads(battle["pace"])
    two_days_later = json.dumps({**pace, "since": pace["since"] - 2 * DAY})
    sea.change_rows("UPDATE games SET pace = ? WHERE id = 2", two_days_later)
    await pass_a_turn(sea, DAY // 2)
    step_no = games(sea)[1]["step_no"]
    assert "no time left" in await go_back(sea, 2, 1)
    assert games(sea)[1]["step_no"] == step_no


async def test_a_battle_that_begins_in_a_pause_of_its_season_stands_still_with_it(sea: Sea) -> None:
    await met(sea)
    await sea.seal(sea.anna, "repair all")
    await sea.seal(sea.bela, "repair all")
    await pass_a_turn(sea)
    sea.change_rows("UPDATE seats SET missed = 0, offered_at = NULL")  # they are there
    await sea.bot.services.timekeeping.pause_game(sea.anna.id, 1, sanctioned=True)
    await go_back(sea, 1, 4)
    season, _, battle = games(sea)
    assert battle["phase"] == "running"
    assert battle["paused_at"] == season["paused_at"] is not None
    await pass_a_turn(sea)
    assert {row["status"] for row in sea.rows("requests")["requests"] if row["game_id"] == 3} == {"open"}
    await sea.bot.services.timekeeping.resume_game(sea.anna.id, 1, sanctioned=True)
    await sea.settle()
    season, _, battle = games(sea)
    assert battle["paused_at"] is None
    assert battle["deadline"] - sea.bot.services.now() > DAY // 8
    thread = next(one for one in sea.channel.threads if one.name.startswith("#3 "))
    assert "paused the game" in "\n".join(map(text_of, thread.history()))
