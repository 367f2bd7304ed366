"""Paces: lengths, weekdays, times of day, time zones, and rounds that wait for their deadline."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import Refusal
from bot.lifecycle.steps import planning
from bot.presenters import times
from bot.store.models import pace
from bot.store.models.pace import Pace
from bot.texts import zones
from bot.texts.i18n import Catalogue, Localizer
from rules.core.protocol import Request
from tests.bot.captains import by_typing, play
from tests.laws import panels
from tests.sea import ABEAM, AFAR, Sea, text_of

HOUR_S = 3_600
DAY_S = 86_400
BUDAPEST = "Europe/Budapest"
SKIPPING = (
    "UTC",
    BUDAPEST,
    "America/New_York",
    "Australia/Lord_Howe",
    "Africa/Cairo",
    "America/Santiago",
    "Asia/Beirut",
)
"""Zones whose clocks change, some of them at midnight and one by half an hour."""

moments = st.integers(
    int(datetime(2020, 1, 1, tzinfo=UTC).timestamp()), int(datetime(2040, 1, 1, tzinfo=UTC).timestamp())
)
paces = st.builds(
    Pace,
    seconds=st.integers(1, 30 * 24 * 60).map(lambda minutes: 60 * minutes),
    weekdays=st.booleans(),
    clock=st.none() | st.integers(0, 24 * 60 - 1),
    zone=st.sampled_from((*SKIPPING, "GMT+2", "UTC-3:30")),
)


def at(text: str, zone: str = BUDAPEST) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp())


def local(moment: int, zone: str = BUDAPEST) -> str:
    return datetime.fromtimestamp(moment, ZoneInfo(zone)).strftime("%a %Y-%m-%d %H:%M")


@cache
def changes(zone: str) -> list[int]:
    begin = at("2026-01-01", "UTC")
    hours = [begin + hour * HOUR_S for hour in range(365 * 24)]
    shifts = [datetime.fromtimestamp(hour, ZoneInfo(zone)).utcoffset() for hour in hours]
    return [hour for hour, before, after in zip(hours, shifts, shifts[1:], strict=False) if before != after]


# --- deadlines -------------------------------------------------------------------------------------------------------


@given(of=paces, now=moments)
def test_a_deadline_comes_after_its_phase_has_begun_and_weekends_are_free(of: Pace, now: int) -> None:
    deadline = of.phase_end(now)
    there = datetime.fromtimestamp(deadline, zones.time_zone(of.zone))
    assert deadline >= now + of.seconds
    if of.weekdays:
        assert there.weekday() < 5
    if of.clock is None and not of.weekdays:
        assert deadline == now + of.seconds
    assert of.phase_end(deadline) > deadline  # more time is more


@given(of=paces, now=moments)
def test_a_time_of_day_is_that_of_its_zone_unless_the_clocks_skip_it(of: Pace, now: int) -> None:
    if of.clock is not None:
        there = datetime.fromtimestamp(of.phase_end(now), zones.time_zone(of.zone))
        meant = there.replace(hour=of.clock // 60, minute=of.clock % 60, fold=0)
        assert (there.hour * 60 + there.minute == of.clock) or meant.astimezone(UTC).astimezone(meant.tzinfo) != meant


@given(of=paces, now=moments, waited=st.integers(0, 10 * DAY_S), left=st.floats(0.01, 1))
def test_a_pause_takes_no_time_away(of: Pace, now: int, waited: int, left: float) -> None:
    deadline = of.phase_end(now)
    paused_at = deadline - max(1, int((deadline - now) * left))
    resumed = of.resumed_deadline(deadline, paused_at=paused_at, now=paused_at + waited)
    if of.clock is None and not of.weekdays:
        assert resumed == deadline + waited
    elif of.clock is None:
        # A second at least, where all that was left was a weekend; and no longer than the phase.
        assert paused_at + waited <= resumed <= max(of.phase_end(paused_at + waited), deadline)
    else:
        assert resumed - (paused_at + waited) >= deadline - paused_at
    if of.weekdays:
        assert datetime.fromtimestamp(resumed, zones.time_zone(of.zone)).weekday() < 5


@given(of=paces, now=moments, gap=st.integers(121, 10 * DAY_S), left=st.floats(0.01, 1))
def test_after_a_gap_there_is_as_much_time_left_as_before(of: Pace, now: int, gap: int, left: float) -> None:
    deadline = of.phase_end(now)
    began = deadline - max(1, int((deadline - now) * left))
    moved = of.moved_by_gap(deadline, began, began + gap)
    assert moved >= deadline + gap  # a time of day is no reason to wait for another day
    assert moved == deadline + gap or of.weekdays
    if of.weekdays:
        assert datetime.fromtimestamp(moved, zones.time_zone(of.zone)).weekday() < 5
        plain = Pace(seconds=of.seconds, weekdays=True, zone=of.zone)
        assert plain._counted_s(began + gap, moved) >= plain._counted_s(began, deadline)
    assert of.moved_by_gap(began, began, began + gap) == began, "what is due is due"
    assert of.moved_by_gap(deadline, began, began - gap) == deadline - gap, "the clock was set back"


@pytest.mark.parametrize("zone", SKIPPING)
@pytest.mark.parametrize("weekdays", [False, True])
def test_no_day_is_left_out_or_has_two_deadlines_where_clocks_change(zone: str, *, weekdays: bool) -> None:
    for change in changes(zone):
        for minute in (0, 30, 90, 120, 150, 180, 20 * 60, 23 * 60 + 30):
            of = Pace(seconds=21_600, clock=minute, weekdays=weekdays, zone=zone)
            deadline = of.phase_end(change - 3 * DAY_S)
            for _ in range(5):
                day = datetime.fromtimestamp(deadline, ZoneInfo(zone)).date()
                free = max(0, 4 - day.weekday()) == 0 and weekdays
                following = day + timedelta(days=7 - day.weekday() if free else 1)
                deadline = of.phase_end(deadline)
                assert datetime.fromtimestamp(deadline, ZoneInfo(zone)).date() == following, (minute, change)


def test_the_days_on_which_clocks_change() -> None:
    daily = pace.parse_pace("20:00", BUDAPEST)
    assert local(daily.phase_end(at("2026-03-28 20:00"))) == "Sun 2026-03-29 20:00"  # 23 hours later
    assert daily.phase_end(at("2026-03-28 20:00")) - at("2026-03-28 20:00") == 23 * HOUR_S
    assert daily.phase_end(at("2026-10-24 20:00")) - at("2026-10-24 20:00") == 25 * HOUR_S
    skipped = pace.parse_pace("02:30", BUDAPEST)  # from 2:00 straight to 3:00
    assert local(skipped.phase_end(at("2026-03-28 12:00"))) == "Sun 2026-03-29 03:30"
    twice = pace.parse_pace("02:30", BUDAPEST)
    assert (
        twice.phase_end(at("2026-10-24 12:00")) - at("2026-10-24 12:00") == 14 * HOUR_S + 30 * 60
    )  # the first of both
    weekdays = pace.parse_pace("24h weekdays", BUDAPEST)
    assert local(weekdays.phase_end(at("2026-03-27 22:00"))) == "Mon 2026-03-30 22:00"


def test_a_time_of_day_leaves_a_quarter_of_a_day() -> None:
    daily = pace.parse_pace("20:00", BUDAPEST)
    assert local(daily.phase_end(at("2026-11-18 14:00"))) == "Wed 2026-11-18 20:00"
    assert local(daily.phase_end(at("2026-11-18 14:01"))) == "Thu 2026-11-19 20:00"
    weekdays = pace.parse_pace("20:00 weekdays", BUDAPEST)
    assert local(weekdays.phase_end(at("2026-11-20 14:01"))) == "Mon 2026-11-23 20:00"


def test_weekends_do_not_count() -> None:
    weekdays = pace.parse_pace("24h weekdays", BUDAPEST)
    assert local(weekdays.phase_end(at("2026-11-19 10:00"))) == "Fri 2026-11-20 10:00"
    assert local(weekdays.phase_end(at("2026-11-20 10:00"))) == "Mon 2026-11-23 10:00"
    assert local(weekdays.phase_end(at("2026-11-21 10:00"))) == "Tue 2026-11-24 00:00"
    assert local(weekdays.phase_end(at("2026-11-20 00:00"))) == "Mon 2026-11-23 00:00"  # and not at Saturday's midnight
    # Whose weekend it is depends on the zone.
    sunday = at("2026-11-22 20:00")  # in Tokyo it is Monday
    assert local(weekdays.phase_end(sunday)) == "Tue 2026-11-24 00:00"
    assert Pace(seconds=DAY_S, weekdays=True, zone="Asia/Tokyo").phase_end(sunday) == sunday + DAY_S
    # Paused on Friday with two hours left, taken up again on Sunday: two hours of Monday.
    resumed = weekdays.resumed_deadline(
        at("2026-11-20 18:00"), paused_at=at("2026-11-20 16:00"), now=at("2026-11-22 12:00")
    )
    assert local(resumed) == "Mon 2026-11-23 02:00"


# --- typed, and in words ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("24h", Pace(seconds=DAY_S)),
        ("2d 12h", Pace(seconds=60 * HOUR_S)),
        ("2 nap 12 óra", Pace(seconds=60 * HOUR_S)),
        ("2n12ó", Pace(seconds=60 * HOUR_S)),
        ("30 perc", Pace(seconds=1800)),
        ("24h weekdays", Pace(seconds=DAY_S, weekdays=True, zone="Asia/Tokyo")),
        ("24 óra, csak hétköznap", Pace(seconds=DAY_S, weekdays=True, zone="Asia/Tokyo")),
        ("48h munkanapokon UTC", Pace(seconds=2 * DAY_S, weekdays=True)),
        ("20:00", Pace(seconds=21_600, clock=1200, zone="Asia/Tokyo")),
        ("7.30", Pace(seconds=21_600, clock=450, zone="Asia/Tokyo")),
        ("daily 20:00 Europe/Budapest", Pace(seconds=21_600, clock=1200, zone=BUDAPEST)),
        ("every day at 20:00 europe/budapest", Pace(seconds=21_600, clock=1200, zone=BUDAPEST)),
        ("naponta 20:00 Budapest", Pace(seconds=21_600, clock=1200, zone=BUDAPEST)),
        ("minden hétköznap 20:00-kor", Pace(seconds=21_600, clock=1200, weekdays=True, zone="Asia/Tokyo")),
        ("every weekday by 00:00 UTC", Pace(seconds=21_600, clock=0, weekdays=True)),
        ("20:00 GMT+2", Pace(seconds=21_600, clock=1200, zone="GMT+2")),
        ("UTC+5:30 20:00 weekdays", Pace(seconds=21_600, clock=1200, weekdays=True, zone="UTC+5:30")),
        ("minden hétköznap 7.30 utc −3", Pace(seconds=21_600, clock=450, weekdays=True, zone="UTC-3")),
        ("daily at 20:00 gmt+0530", Pace(seconds=21_600, clock=1200, zone="GMT+5:30")),
        ("24h weekdays GMT-03:30", Pace(seconds=DAY_S, weekdays=True, zone="GMT-3:30")),
        ("20:00 Etc/GMT+2", Pace(seconds=21_600, clock=1200, zone="Etc/GMT+2")),
    ],
)
def test_paces_are_read_in_both_languages(text: str, read: Pace) -> None:
    assert pace.parse_pace(text, "Asia/Tokyo") == read
    assert pace.parse_pace(pace.format_pace(read), "Africa/Cairo") == read


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("soon", "pace"),
        ("", "pace"),
        ("99d", "length_bounds"),
        ("weekdays", "pace"),
        ("daily", "pace"),
        ("daily 24h", "pace"),
        ("25:00", "pace"),
        ("20:00 12h", "pace"),
        ("20:00 21:00", "pace"),
        ("24h Europe/Budapest UTC", "pace"),
        ("24h Budapest, please", "pace"),
        ("20:00 Mars/Olympus", "zone"),
        ("20:00 ../../etc/passwd", "zone"),
        ("20:00 Europe/", "zone"),
        ("20:00 GMT+15", "zone_offset"),
        ("20:00 GMT+2 UTC+3", "pace"),
        ("20:00 GMT+2 Budapest", "pace"),
        ("٣h", "pace"),  # digits of other scripts
        ("２０:００", "pace"),
        ("20:00 GMT+２", "pace"),
        ("20:00 localtime", "pace"),  # what it means depends on the machine
        ("20:00 posixrules", "pace"),
    ],
)
def test_what_is_no_pace_is_refused(text: str, key: str) -> None:
    with pytest.raises(Refusal) as refused:
        pace.parse_pace(text)
    assert refused.value.key == key


def test_zones_are_those_of_the_library_and_each_can_be_used() -> None:
    assert len(zones.zone_names()) > 400
    for name in zones.zone_names():
        assert Pace(seconds=60, clock=0, zone=name).phase_end(0) > 0
    assert zones.find_zone("new york") == "America/New_York"
    with pytest.raises(Refusal):
        zones.find_zone("Istanbul")  # it lies in two
    assert zones.suggest_zones("buda", 3)[0] == BUDAPEST


@pytest.mark.parametrize(
    ("typed", "name", "hours"),
    [
        ("GMT+2", "GMT+2", 2),
        ("gmt + 02:00", "GMT+2", 2),
        ("UTC+5:30", "UTC+5:30", 5.5),
        ("utc+0545", "UTC+5:45", 5.75),
        ("UTC-3.30", "UTC-3:30", -3.5),
        ("+13", "UTC+13", 13),
        ("−9:30", "UTC-9:30", -9.5),
        ("GMT+0", "GMT+0", 0),
        ("UTC-12", "UTC-12", -12),
        ("Etc/GMT+2", "Etc/GMT+2", -2),
        ("GMT", "GMT", 0),
    ],
)
def test_an_offset_means_what_people_mean_by_it(typed: str, name: str, hours: float) -> None:
    assert zones.find_zone(typed) == name
    assert zones.find_zone(name) == name, "it is written as it may be typed"
    assert datetime.fromtimestamp(0, zones.time_zone(name)).utcoffset() == timedelta(hours=hours)


@given(quarters=st.integers(-200, 200), name=st.sampled_from(("UTC", "GMT", "")), minutes=st.integers(0, 99))
def test_offsets_of_the_world_are_found_and_no_others(quarters: int, name: str, minutes: int) -> None:
    hours, quarter = divmod(abs(quarters), 4)
    typed = f"{name}{'-' if quarters < 0 else '+'}{hours}:{quarter * 15:02}"
    if -12 * 4 <= quarters <= 14 * 4:
        offset = datetime.fromtimestamp(0, zones.time_zone(zones.find_zone(typed))).utcoffset()
        assert offset == timedelta(minutes=15 * quarters)
    else:
        with pytest.raises(Refusal) as refused:
            zones.find_zone(typed)
        assert refused.value.key == "zone_offset"
    assert zones.is_known(f"{name}+1:{minutes:02}") == (minutes in (0, 15, 30, 45))


def test_offsets_are_suggested_as_they_are_typed() -> None:
    assert zones.suggest_zones("gmt+1", 25)[:3] == ["GMT+1", "GMT+10", "GMT+10:30"]
    assert zones.suggest_zones("UTC+5", 25) == ["UTC+5", "UTC+5:30", "UTC+5:45"]
    assert zones.suggest_zones("utc +5:3", 25) == ["UTC+5:30"]
    assert zones.suggest_zones("-03", 25) == ["UTC-3", "UTC-3:30"]
    assert zones.suggest_zones("gmt+5:15", 25) == ["GMT+5:15"]
    assert zones.suggest_zones("etc/gmt+2", 25) == ["Etc/GMT+2"]
    for typed in ("utc", "gmt", "gmt+", "-"):
        suggested = zones.suggest_zones(typed, 99)
        assert suggested
        assert not [name for name in suggested if name.startswith(("Etc/GMT+1", "Etc/GMT-1"))], "the opposite of it"
        assert [zones.find_zone(name) for name in suggested] == suggested
    paces = [pace.format_pace(suggested) for suggested in pace.suggest_paces("20:00 utc+5", "UTC", 25)]
    assert paces == ["20:00 UTC+5", "20:00 UTC+5:30", "20:00 UTC+5:45"]


def test_paces_in_words() -> None:
    en, hu = (Localizer(Catalogue.load(language)) for language in ("en", "hu"))
    assert times.pace_text(en, pace.parse_pace("2d 12h")) == "2 days and 12 hours"
    assert times.pace_text(hu, pace.parse_pace("2d 12h")) == "2 nap és 12 óra"
    assert (
        times.pace_text(en, pace.parse_pace("90m weekdays", BUDAPEST))
        == "1 hour and 30 minutes, weekdays only (Europe/Budapest)"
    )
    assert times.pace_text(hu, pace.parse_pace("24h weekdays", BUDAPEST)) == "1 nap, csak hétköznap (Europe/Budapest)"
    assert times.pace_text(hu, pace.parse_pace("20:00", BUDAPEST)) == "minden nap 20:00-ig (Europe/Budapest)"
    now = at("2026-11-18 10:00")
    for_all = times.public_pace_text(en, pace.parse_pace("20:00 weekdays", BUDAPEST), now)
    assert for_all == f"until 20:00 every weekday (Europe/Budapest), for you <t:{at('2026-11-18 20:00')}:t>"


# --- through the bot -------------------------------------------------------------------------------------------------


async def test_a_lobby_in_hungarian_tells_the_pace_in_hungarian(sea: Sea) -> None:
    sea.move_to_server("hu")
    sea.languages[sea.anna.id] = "hu"
    await sea.command(sea.anna, "new", phase="hétköznap 2 nap 12 óra", early=False, extensions=1)
    text = text_of(sea.channel.last_message)
    assert "2 nap és 12 óra, csak hétköznap (UTC)" in text
    assert Catalogue.load("hu").say("lobby.patient") in text
    assert "Mindegyik fél egyszer hosszabbíthat a többiek beleegyezése nélkül." in text
    assert "időzónát" in await sea.command(sea.anna, "new", phase="20:00 Hold/Túloldal")


async def test_paces_are_suggested_in_words(sea: Sea) -> None:
    choices = await sea.anna.autocomplete(sea.channel, "galley new", "phase", "")
    assert {"2 days", "until 20:00 every day (UTC)"} <= {choice["name"] for choice in choices}
    choices = await sea.anna.autocomplete(sea.channel, "galley new", "phase", "18:00 europe/bud")
    assert [choice["value"] for choice in choices] == ["18:00 Europe/Budapest"]
    sea.languages[sea.anna.id] = "hu"
    with sea.speaking(sea.anna):
        choices = await sea.anna.autocomplete(sea.channel, "galley new", "phase", "36h")
    assert [(choice["name"], choice["value"]) for choice in choices] == [("1 nap és 12 óra", "1d 12h")]
    assert await sea.anna.autocomplete(sea.channel, "galley new", "phase", "x" * 60)


# --- rounds that wait for their deadline -----------------------------------------------------------------------------


async def test_a_game_that_waits_resolves_at_its_deadline_and_not_when_all_have_sealed(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, early=False)
    assert "Everyone has sealed" not in sea.told()
    await sea.both_seal("A1 FFFFF", "B1 FFFFF")
    assert len(sea.rows("steps")["steps"]) == 1
    assert f"the round will be resolved <t:{sea.rows('games')['games'][0]['deadline']}:R>" in sea.told()
    await sea.restart(after_s=DAY_S // 2)
    assert len(sea.rows("steps")["steps"]) == 1
    # Until then everybody may change their mind.
    await sea.press(sea.anna, sea.panel(sea.anna), "unseal")
    await sea.seal(sea.anna, "A1 RFFFF")
    await sea.env.advance_time(DAY_S // 2)
    assert len(sea.rows("steps")["steps"]) == 1  # time without the bot counts for nothing
    await sea.env.advance_time(DAY_S // 2)
    assert len(sea.rows("steps")["steps"]) == 2
    answers = {row["request_id"]: (row["given_by"], row["body"]) for row in sea.rows("answers")["answers"]}
    assert answers["r1.orders.0"][0] == "captain"
    assert answers["r1.orders.0"][1].startswith("A1 RFFFF")


async def test_questions_in_mid_round_never_wait(sea: Sea) -> None:
    await sea.begin_at(ABEAM, sea.bela, early=False)
    await sea.both_seal("A1 XFFFF; aim ask", "B1 FFFFX")
    await sea.env.advance_time(DAY_S + 1)
    assert (await sea.asked(sea.anna)).row.id == "r1.1.aim.A1"
    await sea.press(sea.anna, sea.panel(sea.anna), "press steady")
    assert (await sea.asked(sea.anna)).row.id == "r2.orders.0"


def test_no_game_waits_for_a_deadline_that_there_is_not() -> None:
    row = panels.asked("matchbox", Request(id="r1", seat=0, kind="any", round=1), sealed=True).row
    row_due = msgspec.structs.replace(row, deadline=DAY_S)
    timeless = msgspec.structs.replace(row_due, deadline=None)
    assert planning.due_requests([row_due], late=False, early=False) == []
    assert planning.due_requests([row_due], late=False, early=True) == [row_due]
    assert planning.due_requests([row_due], late=True, early=False) == [row_due]
    assert planning.due_requests([timeless], late=False, early=False) == [timeless]
    assert planning.due_requests([timeless, row_due], late=False, early=False) == []


async def test_what_is_no_secret_never_waits(sea: Sea) -> None:
    await sea.begin(sea.bela, galleys="1", deployment="turns", early=False)
    await play(sea, [sea.anna, sea.bela], by_typing, rounds=0)  # placing in turn, before everybody's eyes
    assert (await sea.asked(sea.anna)).row.id == "r1.orders.0"


def test_rounds_of_a_battle_end_at_fixed_hours_of_the_game_above_whenever_earlier_ones_were_over() -> None:
    monday = int(datetime(2026, 11, 23, 20, tzinfo=UTC).timestamp())
    daily = Pace(seconds=DAY_S).for_battle(2, monday)
    assert daily.phase_length_s == DAY_S // 2
    assert [daily.due_at(monday + 60, number) - monday for number in range(1, 7)] == [
        DAY_S // 2 * number for number in range(1, 7)
    ]
    assert daily.postponed(3600).due_at(monday, 1) == daily.due_at(monday, 1) + 3600
    # At eight in the evening, and at eight in the morning; not at weekends, if these don't count.
    evening = pace.parse_pace("20:00 weekdays").for_battle(2, monday + 4 * DAY_S)  # on a Friday
    hours = [datetime.fromtimestamp(evening.due_at(monday, number), UTC) for number in (1, 2, 3)]
    assert [(hour.weekday(), hour.hour) for hour in hours] == [(0, 8), (0, 20), (1, 8)]


def test_a_game_whose_rounds_take_as_long_as_its_battles_has_one_pace_for_both() -> None:
    daily = Pace(seconds=DAY_S)
    assert daily.postponed(5) == daily
