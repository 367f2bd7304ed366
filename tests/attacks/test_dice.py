"""Nobody chooses the dice, be it after going back (fairness.md)."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

from bot.jobs.workers import Workers
from tests.bot.test_twins import seals, waiting
from tests.sea import Sea, refs


async def gone_back(sea: Sea, plans: bool) -> tuple[str, str]:
    """Let all captains agree to go back, perhaps after one has stored a plan of which nobody else knows.

    Return the seeds of the dice before and after.
    """
    secretive = await waiting(sea)
    enemy = sea.bela if secretive is sea.anna else sea.anna
    panel = sea.panel(enemy)
    await sea.press(enemy, panel, next(key for key in refs(panel) if key.startswith("press ship.")))
    await sea.write(enemy, "BR>")  # nothing comes of it
    asked = await sea.asked(enemy)
    round_no = asked.row.body.round
    await sea.write(enemy, "end")
    if "seal" in refs(sea.panel(enemy)):
        await sea.press(enemy, sea.panel(enemy), "seal")
    await sea.settle()
    if plans:
        await seals("any: end")(sea, await planner(sea))
    dice = json.loads(sea.rows("steps")["steps"][-1]["state"])["dice"]
    await sea.command(sea.anna, "host undo", game="1", to_round=round_no)
    offer = next(m for m in reversed(sea.thread.history()) if any("agree_act" in key for key in refs(m)))
    await sea.press(sea.bela, offer, next(key for key in refs(offer) if "agree_act" in key))
    step = sea.rows("steps")["steps"][-1]
    assert "UndoAction" in step["cause"]
    return dice["seed"], json.loads(step["state"])["dice"]["seed"]


async def planner(sea: Sea) -> Any:
    for who in (sea.anna, sea.bela):
        asked = await sea.asked(who)
        if asked and asked.row.optional:
            return who
    raise AssertionError("nobody waits")


async def test_what_is_done_in_secret_before_going_back_chooses_no_dice(
    new_database: Callable[[], str], workers: Workers, settings: dict[str, Any]
) -> None:
    found = []
    for plans in (False, True):
        sea = Sea(new_database(), workers, itertools.count(1), **settings)
        async with sea.open():
            found.append(await gone_back(sea, plans))
    assert found[0][0] == found[1][0], "so far the twins have the same dice"
    assert found[0][1] == found[1][1], "a plan that nobody else knows of has chosen other dice"
