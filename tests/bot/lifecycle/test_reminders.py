"""Reminders: when the bot sends them, what they say, and who gets none at all."""

from __future__ import annotations

import itertools
import json
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.lifecycle.outbox import quiet_hours, reminders
from bot.store.models.records import Player
from bot.texts.i18n import Catalogue
from tests.bot.lifecycle.test_pace import at, changes
from tests.sea import AFAR, Sea, refs, text_of

HU = Catalogue.load("hu")
HOUR_S = 3_600
DAY_S = 86_400
GALLEYS = "A1:south 5-5+3/5 @300,100^0 ; A2:south 5-5+3/5 @600,100^0 ; A3:south 5-5+3/5 @900,100^0"
THREE = f"1200x800 ; {GALLEYS} ; B1:north 5-5+3/5 @600,700^180"


def reminded(sea: Sea, who: Any) -> list[Any]:
    return [message for message in sea.dms(who) if "orders" in refs(message)]


def captain(**habits: Any) -> Player:
    return Player(user_id=1, name="anna", locale="en-US", **habits)


# --- when ------------------------------------------------------------------------------------------------------------


def test_half_time_and_near_the_end() -> None:
    assert reminders.reminder_times(0, DAY_S) == {"half": 12 * HOUR_S, "last": 21 * HOUR_S}
    assert reminders.reminder_times(0, 4 * HOUR_S) == {"half": 2 * HOUR_S, "last": 3 * HOUR_S}
    assert reminders.reminder_times(0, 2 * HOUR_S) == {"last": 90 * 60}
    assert reminders.reminder_times(0, 20 * 60) == {}


quiet = st.none() | st.tuples(st.integers(0, 1439), st.integers(0, 1439)).filter(lambda ends: ends[0] != ends[1])


@given(
    hours=quiet,
    zone=st.sampled_from(("UTC", "Europe/Budapest", "America/New_York", "Africa/Cairo")),
    begin=st.integers(1_700_000_000, 1_800_000_000),
    length=st.integers(60, 10 * DAY_S),
    away=st.none() | st.tuples(st.integers(-DAY_S, 9 * DAY_S), st.integers(1, 9 * DAY_S)),
)
def test_nobody_is_reminded_in_their_quiet_hours_or_while_away_or_too_late(
    hours: tuple[int, int] | None, zone: str, begin: int, length: int, away: tuple[int, int] | None
) -> None:
    quiet_from, quiet_to = hours or (None, None)
    away_from, away_to = (begin + away[0], begin + sum(away)) if away else (None, None)
    player = captain(quiet_from=quiet_from, quiet_to=quiet_to, zone=zone, away_from=away_from, away_to=away_to)
    planned = reminders.planned_reminders(player, begin, begin + length, begin)
    for moment in planned.values():
        assert begin < moment < begin + length
        assert not quiet_hours.is_quiet(player, moment)
        assert not quiet_hours.is_away(player, moment)
    assert sorted(planned.values()) == [planned[which] for which in ("half", "last") if which in planned]
    if not hours and not away:
        assert planned == reminders.reminder_times(begin, begin + length)


def test_quiet_hours_shift_a_reminder_to_their_end_or_else_before_them() -> None:
    anna = captain(zone="Europe/Budapest", quiet_from=22 * 60, quiet_to=7 * 60)
    night, evening, morning = at("2026-11-19 03:00"), at("2026-11-18 21:59"), at("2026-11-19 07:00")
    assert quiet_hours.considerate_time(anna, night, at("2026-11-19 12:00")) == morning
    assert quiet_hours.considerate_time(anna, night, at("2026-11-19 07:10")) == evening
    assert quiet_hours.considerate_time(anna, night, at("2026-11-19 05:00")) == evening
    assert quiet_hours.considerate_time(anna, evening, at("2026-11-19 05:00")) == evening
    # On the night of the change the captain's clock says seven an hour later.
    assert quiet_hours.considerate_time(anna, at("2026-10-25 01:00"), at("2026-10-25 12:00")) == at("2026-10-25 07:00")
    # A siesta lies within one day.
    siesta = captain(zone="Europe/Budapest", quiet_from=13 * 60, quiet_to=15 * 60)
    assert quiet_hours.considerate_time(siesta, at("2026-11-18 14:00"), at("2026-11-19 14:00")) == at(
        "2026-11-18 15:00"
    )
    assert quiet_hours.considerate_time(siesta, at("2026-11-18 15:00"), at("2026-11-19 14:00")) == at(
        "2026-11-18 15:00"
    )


@pytest.mark.parametrize("zone", ["Europe/Budapest", "Australia/Lord_Howe", "Africa/Cairo"])
def test_quiet_hours_are_kept_where_clocks_change(zone: str) -> None:
    for change in changes(zone):
        for begin, end in itertools.permutations((0, 60, 120, 150, 180, 22 * 60, 23 * 60 + 30), 2):
            anna = captain(zone=zone, quiet_from=begin, quiet_to=end)
            for due in range(change - 2 * HOUR_S, change + 2 * HOUR_S, HOUR_S // 2):
                for left in (20 * 60, 2 * HOUR_S, 3 * DAY_S):
                    moment = quiet_hours.considerate_time(anna, due, due + left)
                    assert moment is not None
                    assert moment < due + left
                    assert not quiet_hours.is_quiet(anna, moment), (begin, end, due, left)


def test_away_lasts_from_its_first_moment_until_before_its_last() -> None:
    anna = captain(away_from=100, away_to=200)
    assert [quiet_hours.is_away(anna, moment) for moment in (99, 100, 199, 200)] == [False, True, True, False]
    assert not quiet_hours.is_away(captain(), 100)
    assert quiet_hours.considerate_time(anna, 150, 300) == 200
    assert quiet_hours.considerate_time(anna, 150, 200) is None


# --- through the bot -------------------------------------------------------------------------------------------------


async def test_a_reminder_says_exactly_what_is_missing(sea: Sea) -> None:
    await sea.begin_at(THREE, sea.bela)
    deadline = sea.rows("games")["games"][0]["deadline"]
    await sea.write(sea.anna, "A1 FFFFF; A3 FFFFF; A2 F")
    await sea.env.advance_time(12 * HOUR_S + 60)
    (half,) = reminded(sea, sea.anna)
    text = text_of(half)
    assert "2 of 3 galleys ready, but you haven't sealed" in text
    assert "A2: 4 orders" in text.replace("\u00a0", " ")
    assert f"<t:{deadline}:R>" in text
    # Its button opens the captain's orders.
    await sea.press(sea.anna, half, "orders")
    assert "press order.F" in refs(sea.answers[0])
    # All ordered, and not sealed.
    await sea.write(sea.anna, "A2 FFFFF")
    await sea.env.advance_time(9 * HOUR_S + 60)
    last = reminded(sea, sea.anna)[-1]
    assert "Your orders are complete but not sealed" in text_of(last)
    # Béla has done nothing, and was told so twice.
    assert ["You haven't given your orders yet" in text_of(message) for message in reminded(sea, sea.bela)] == [
        True,
        True,
    ]
    # When the round is over, reminders are gone.
    await sea.press(sea.anna, sea.panel(sea.anna), "seal")
    await sea.seal(sea.bela, "B1 FFFFF")
    assert not {half.id, last.id} & {message.id for message in sea.dms(sea.anna)}
    assert not reminded(sea, sea.anna)
    assert not reminded(sea, sea.bela)


@pytest.mark.begun
async def test_one_who_is_done_is_not_reminded(sea: Sea) -> None:
    await sea.seal(sea.anna, "A1 FFFFF")
    before = len(sea.dms(sea.anna))
    await sea.env.advance_time(23 * HOUR_S)
    assert len(sea.dms(sea.anna)) == before
    assert len(reminded(sea, sea.bela)) == 2


@pytest.mark.begun
async def test_what_is_answered_leaves_no_reminder_behind(sea: Sea) -> None:
    await sea.both_seal()
    waiting = [row for row in sea.rows("outbox")["outbox"] if row["kind"] == "remind"]
    assert {json.loads(row["ref"])["request"] for row in waiting} == {"r2.orders.0", "r2.orders.1"}
    await sea.bot.services.concede_game(sea.anna.id, 1)
    await sea.settle()
    assert not [row for row in sea.rows("outbox")["outbox"] if row["kind"] == "remind"]


async def test_reminders_as_they_want_them(sea: Sea) -> None:
    await sea.command(sea.anna, "me", reminders="last")
    await sea.command(sea.bela, "me", reminders="none")
    await sea.begin_at(AFAR, sea.bela)
    await sea.env.advance_time(23 * HOUR_S)
    assert (len(reminded(sea, sea.anna)), len(reminded(sea, sea.bela))) == (1, 0)


@pytest.mark.begun
async def test_a_habit_that_changes_in_mid_round_counts_at_once(sea: Sea) -> None:
    await sea.command(sea.bela, "me", reminders="none")
    await sea.command(sea.anna, "me", reminders="last")
    await sea.env.advance_time(23 * HOUR_S)
    assert (len(reminded(sea, sea.anna)), len(reminded(sea, sea.bela))) == (1, 0)


@pytest.mark.begun
async def test_more_time_moves_reminders(sea: Sea) -> None:
    await sea.env.advance_time(12 * HOUR_S + 60)
    assert len(reminded(sea, sea.bela)) == 1
    await sea.command(sea.bela, "extend")
    deadline = sea.rows("games")["games"][0]["deadline"]
    assert f"<t:{deadline}:R>" in text_of(reminded(sea, sea.bela)[0])  # the old one tells the new deadline
    await sea.env.advance_time(9 * HOUR_S)  # when the last one would have come
    assert len(reminded(sea, sea.bela)) == 1
    await sea.env.advance_time(deadline - sea.now().timestamp() - 5 * HOUR_S)
    assert len(reminded(sea, sea.bela)) == 3  # half of all the time, and near its end


@pytest.mark.begun
async def test_one_who_takes_a_seat_over_is_reminded_and_not_the_other(sea: Sea) -> None:
    await sea.env.advance_time(12 * HOUR_S + 60)
    assert len(reminded(sea, sea.bela)) == 1
    await sea.command(sea.manager(), "host replace", game="1", whose="bela", substitute=sea.cili)
    assert not reminded(sea, sea.bela)
    await sea.env.advance_time(10 * HOUR_S)
    assert not reminded(sea, sea.bela)
    (last,) = reminded(sea, sea.cili)
    assert "You haven't given your orders yet" in text_of(last)


async def test_no_reminders_in_a_pause_and_all_of_them_after_it(sea: Sea) -> None:
    await sea.begin_at(AFAR, computer=1)
    await sea.env.advance_time(6 * HOUR_S)
    await sea.command(sea.anna, "extend", pause=True)
    await sea.env.advance_time(5 * DAY_S)
    assert not reminded(sea, sea.anna)
    await sea.command(sea.anna, "extend", pause=False)
    await sea.env.advance_time(5 * HOUR_S)
    assert not reminded(sea, sea.anna)
    await sea.env.advance_time(2 * HOUR_S)
    assert len(reminded(sea, sea.anna)) == 1
    await sea.env.advance_time(9 * HOUR_S)
    assert len(reminded(sea, sea.anna)) == 2


@pytest.mark.begun
async def test_a_reminder_that_fell_due_in_downtime_comes_once_and_as_much_later(sea: Sea) -> None:
    await sea.env.advance_time(HOUR_S)
    await sea.restart(after_s=22 * HOUR_S)
    assert not reminded(sea, sea.bela)
    await sea.env.advance_time(11 * HOUR_S + 60)
    assert len(reminded(sea, sea.bela)) == 1
    await sea.restart()
    assert len(reminded(sea, sea.bela)) == 1


async def test_a_reminder_comes_in_hungarian(sea: Sea) -> None:
    sea.languages[sea.bela.id] = "hu"
    await sea.begin_at(THREE, sea.bela)
    await sea.write(sea.bela, "B1 EE")
    await sea.env.advance_time(12 * HOUR_S + 60)
    text = text_of(reminded(sea, sea.bela)[0])
    assert "1 gálya közül 0 kész, de még nem pecsételtél" in text.replace("\u00a0", " ")
    assert HU.say("panel.missing", what="")[:10] in text


async def test_in_quiet_hours_a_panel_makes_no_sound(sea: Sea) -> None:
    await sea.command(sea.bela, "me", zone="UTC", quiet=_around(sea))
    await sea.begin_at(AFAR, sea.bela)
    assert sea.panel(sea.bela).flags.suppress_notifications
    assert not sea.panel(sea.anna).flags.suppress_notifications


def _around(sea: Sea) -> str:
    hour = sea.now().astimezone(ZoneInfo("UTC")).hour
    return f"{(hour - 1) % 24}:00-{(hour + 2) % 24}:00"
