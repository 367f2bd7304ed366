"""Both nights on which clocks change, in a game whose deadlines fall into the hour that is skipped or comes twice."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import pytest

from bot.lifecycle.outbox import quiet_hours
from tests.bot.lifecycle.test_pace import BUDAPEST, DAY_S, HOUR_S, at, local
from tests.sea import AFAR, Sea, text_of


def only(sea: Sea) -> tuple[int, dict[str, Any]]:
    """Return the deadline, equal for the game, its requests and its panels; and the game."""
    (game,) = sea.rows("games")["games"]
    deadlines = [row["deadline"] for row in sea.rows("requests")["requests"] if row["status"] != "closed"]
    assert set(deadlines) == {game["deadline"]}
    for who in (sea.anna, sea.bela):
        assert f"<t:{game['deadline']}:" in text_of(sea.panel(who))
    return game["deadline"], game


def woken(sea: Sea) -> list[int]:
    return [row["due_at"] for row in sea.rows("outbox")["outbox"] if row["kind"] == "remind" and not row["sent"]]


async def until(sea: Sea, moment: float) -> None:
    await sea.env.advance_time(moment - sea.now().timestamp())
    await sea.settle()


class Change(NamedTuple):
    pace: str
    zone: str
    begin: str
    expected: tuple[str, ...]
    """One deadline after the other, by the clocks of the zone and how far they are ahead of UTC."""
    quiet: str = "22:00-07:00"


LORD_HOWE, SANTIAGO = "Australia/Lord_Howe", "America/Santiago"
CHANGES = {
    "length, an hour skipped": Change(
        "24h", BUDAPEST, "2026-03-28 02:30", ("Sun 2026-03-29 03:30 +0200", "Mon 2026-03-30 03:30 +0200")
    ),
    "weekdays, an hour twice": Change(
        "24h weekdays", BUDAPEST, "2026-10-23 22:00", ("Mon 2026-10-26 22:00 +0100", "Tue 2026-10-27 22:00 +0100")
    ),
    "clock, an hour skipped": Change(
        *("02:30 Europe/Budapest", BUDAPEST, "2026-03-27 12:00"),
        ("Sat 2026-03-28 02:30 +0100", "Sun 2026-03-29 03:30 +0200", "Mon 2026-03-30 02:30 +0200"),
    ),
    "clock, an hour twice": Change(
        *("02:30 Europe/Budapest", BUDAPEST, "2026-10-23 12:00"),
        ("Sat 2026-10-24 02:30 +0200", "Sun 2026-10-25 02:30 +0200", "Mon 2026-10-26 02:30 +0100"),
    ),
    "clock, half an hour skipped": Change(
        *("02:15", LORD_HOWE, "2026-10-03 12:00"),
        ("Sun 2026-10-04 02:45 +1100", "Mon 2026-10-05 02:15 +1100"),
        quiet="02:10-06:00",
    ),
    "clock, the hour before midnight twice": Change(
        "23:30", SANTIAGO, "2026-04-04 12:00", ("Sat 2026-04-04 23:30 -0300", "Sun 2026-04-05 23:30 -0400")
    ),
}


async def gathered(sea: Sea, night: Change) -> None:
    begin = at(night.begin, night.zone)
    sea.env.backend.clock.elapsed = begin - HOUR_S - sea.now().timestamp()
    for who in (sea.anna, sea.bela):
        await sea.command(who, "me", zone=night.zone, quiet=night.quiet)
    await sea.command(sea.anna, "new", phase=night.pace)  # by the host's own clock
    await sea.command(sea.bela, "join")
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.position', ?) WHERE phase = 'lobby'", AFAR)
    await until(sea, begin)
    await sea.command(sea.anna, "start")


async def reminded_before(sea: Sea, deadline: int) -> None:
    player = await sea.bot.services.reader.players.find_player(sea.anna.id)
    assert player
    assert woken(sea)
    for moment in woken(sea):
        assert sea.now().timestamp() < moment < deadline
        assert not quiet_hours.is_quiet(player, moment), local(moment)


def format_moment(moment: int, night: Change) -> str:
    return datetime.fromtimestamp(moment, ZoneInfo(night.zone)).strftime("%a %Y-%m-%d %H:%M %z")


@pytest.mark.parametrize("night", CHANGES.values(), ids=CHANGES.keys())
async def test_every_pace_keeps_its_deadlines_and_quiet_hours_move_reminders(sea: Sea, night: Change) -> None:
    await gathered(sea, night)
    reminders = []
    for _ in night.expected:
        deadline, _ = only(sea)
        reminders.append(format_moment(deadline, night))
        await reminded_before(sea, deadline)
        for who, letter in ((sea.anna, "A"), (sea.bela, "B")):
            await sea.write(who, f"{letter}1 LLLLL")
        await until(sea, deadline - 1)
        assert only(sea)[0] == deadline
        await until(sea, deadline)
        assert sea.rows("steps")["steps"][-1]["resolved_at"] == deadline
    assert reminders == [*night.expected]


@pytest.mark.parametrize("change", ["clock, an hour skipped", "clock, an hour twice"])
async def test_extensions_and_pauses_reach_over_the_change(sea: Sea, change: str) -> None:
    night, manager = CHANGES[change], sea.manager()
    await gathered(sea, night)
    first, second, third = night.expected
    assert format_moment(only(sea)[0], night) == first
    await sea.command(sea.anna, "extend", game="1")
    changed, _ = only(sea)
    assert format_moment(changed, night) == second  # one more day, however long that is
    # Paused for the rest of the day, and taken up with as much left as there was: the next time, a night later.
    await until(sea, changed - 20 * HOUR_S)
    await sea.command(manager, "host pause", game="1")
    assert not woken(sea)
    await until(sea, changed - HOUR_S)
    await sea.command(manager, "host resume", game="1")
    resumed, game = only(sea)
    assert game["paused_at"] is None
    assert format_moment(resumed, night) == third
    await reminded_before(sea, resumed)
    # By a length, it is just that long.
    await sea.command(manager, "host extend", game="1", by="1d")
    later, _ = only(sea)
    assert later - resumed == DAY_S
