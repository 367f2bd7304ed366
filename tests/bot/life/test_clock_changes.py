"""Both nights on which clocks change, in a game whose deadlines fall into the hour that is skipped or comes twice."""

from __future__ import annotations

from typing import Any

import pytest

from bot.life import quiet_hours
from bot.sandbox import private
from tests.bot.life.test_pace import BUDAPEST, DAY_S, HOUR_S, at, local
from tests.sea import AFAR, Sea, text_of

SPRING = ("2026-03-27 12:00", ["Sat 2026-03-28 02:30", "Sun 2026-03-29 03:30", "Mon 2026-03-30 02:30"])
AUTUMN = ("2026-10-23 12:00", ["Sat 2026-10-24 02:30", "Sun 2026-10-25 02:30", "Mon 2026-10-26 02:30"])
QUIET = "22:00-07:00"


def only(sea: Sea) -> tuple[int, dict[str, Any]]:
    """The deadline, which is the same for the game, for all that is asked, and in every panel; and the game."""
    (game,) = sea.rows("games")["games"]
    asked = [row["deadline"] for row in sea.rows("requests")["requests"] if row["status"] != "closed"]
    assert set(asked) == {game["deadline"]}
    for who in (sea.anna, sea.bela):
        assert f"<t:{game['deadline']}:" in text_of(sea.panel(who))
    return game["deadline"], game


def woken(sea: Sea) -> list[int]:
    """When captains are to be reminded."""
    return [row["due_at"] for row in sea.rows("outbox")["outbox"] if row["kind"] == "remind" and not row["sent"]]


async def until(sea: Sea, moment: float) -> None:
    await sea.env.advance_time(moment - sea.now().timestamp())
    await sea.settle()


@pytest.mark.parametrize(("begin", "expected"), [SPRING, AUTUMN], ids=["spring", "autumn"])
async def test_each_night_has_one_deadline_and_nobody_is_reminded_in_quiet_hours(
    sea: Sea, begin: str, expected: list[str]
) -> None:
    private.set_clock(sea.env.backend, at(begin) - sea.now().timestamp())
    for who in (sea.anna, sea.bela):
        await sea.command(who, "me", zone=BUDAPEST, quiet=QUIET)
    await sea.begin_at(AFAR, sea.bela, phase="02:30 Europe/Budapest")
    kept = []
    for _ in expected:
        deadline, _ = only(sea)
        kept.append(deadline)
        player = await sea.bot.table.reader.player(sea.anna.id)
        assert player
        for moment in woken(sea):
            assert sea.now().timestamp() < moment < deadline
            assert not quiet_hours.is_quiet(player, moment), local(moment)
        assert len(woken(sea)) == 4
        for who, letter in ((sea.anna, "A"), (sea.bela, "B")):
            await sea.write(who, f"{letter}1 LLLLL")
        await until(sea, deadline - 1)
        assert only(sea)[0] == deadline
        await until(sea, deadline + 1)
    assert [local(deadline) for deadline in kept] == expected
    steps = sea.rows("steps")["steps"]
    assert [row["resolved_at"] for row in steps[-len(kept) :]] == kept


@pytest.mark.parametrize(("begin", "expected"), [SPRING, AUTUMN], ids=["spring", "autumn"])
async def test_extensions_and_pauses_reach_over_the_change(sea: Sea, begin: str, expected: list[str]) -> None:
    private.set_clock(sea.env.backend, at(begin) - sea.now().timestamp())
    for who in (sea.anna, sea.bela):
        await sea.command(who, "me", zone=BUDAPEST, quiet=QUIET)
    await sea.begin_at(AFAR, sea.bela, phase="02:30 Europe/Budapest")
    first, second, third = expected
    manager = sea.manager()
    assert local(only(sea)[0]) == first
    await sea.command(sea.anna, "extend", game="1")
    changed, _ = only(sea)
    assert local(changed) == second  # one more day, however long that is
    # Paused for the rest of the day, and taken up with as much left as there was: the next time, a night later.
    await until(sea, changed - 20 * HOUR_S)
    await sea.command(manager, "admin pause", game="1")
    assert not woken(sea)
    await until(sea, changed - HOUR_S)
    await sea.command(manager, "admin resume", game="1")
    resumed, game = only(sea)
    assert game["paused_at"] is None
    assert local(resumed) == third
    player = await sea.bot.table.reader.player(sea.anna.id)
    assert player
    moments = woken(sea)
    assert moments
    assert all(sea.now().timestamp() < moment < resumed for moment in moments)
    assert not [local(moment) for moment in moments if quiet_hours.is_quiet(player, moment)]
    # By a length, it is just that long.
    await sea.command(manager, "admin extend", game="1", by="1d")
    later, _ = only(sea)
    assert later - resumed == DAY_S
