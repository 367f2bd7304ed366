"""`/galley me`: how players want to be treated, in all their games."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.errors import Refusal
from bot.services import preferences
from bot.services.preferences import ABSENCE_UPDATE_WINDOW_S
from bot.texts.i18n import Catalogue
from tests.bot.lifecycle.test_pace import at, local
from tests.sea import AFAR, Sea, refs, text_of

EN, HU = Catalogue.load("en"), Catalogue.load("hu")
BUDAPEST = "Europe/Budapest"
DAY_S = 86_400


def known(sea: Sea, who) -> dict:
    return next(row for row in sea.rows("players")["players"] if row["user_id"] == who.id)


# --- as it is typed --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("22:00-07:00", (1320, 420)),
        ("22–7", (1320, 420)),
        ("22.30 to 6.15", (1350, 375)),
        (" 13:00 15:00 ", (780, 900)),
        ("0-6", (0, 360)),
    ],
)
def test_quiet_hours_are_read(text: str, ends: tuple[int, int]) -> None:
    assert preferences.parse_quiet_hours(text) == ends


@pytest.mark.parametrize("text", ["", "always", "22:00", "22-22", "25:00-7:00", "22:00-7:00-8:00", "ten to six", "-"])
def test_what_are_no_quiet_hours(text: str) -> None:
    with pytest.raises(Refusal, match="quiet"):
        preferences.parse_quiet_hours(text)


NOW = at("2026-12-20 15:00")


@pytest.mark.parametrize(
    ("text", "begin", "end"),
    [
        ("2026-12-24 – 2027-01-02", "Thu 2026-12-24 00:00", "Sun 2027-01-03 00:00"),
        ("from 2026-12-24 to 2027-01-02", "Thu 2026-12-24 00:00", "Sun 2027-01-03 00:00"),
        ("2026. 12. 24. – 2027. 1. 2.", "Thu 2026-12-24 00:00", "Sun 2027-01-03 00:00"),
        ("2026-12-24", "Sun 2026-12-20 15:00", "Fri 2026-12-25 00:00"),
        ("until tomorrow", "Sun 2026-12-20 15:00", "Tue 2026-12-22 00:00"),
        ("holnap - 2026-12-24", "Mon 2026-12-21 00:00", "Fri 2026-12-25 00:00"),
        ("ma", "Sun 2026-12-20 15:00", "Mon 2026-12-21 00:00"),
    ],
)
def test_absences_are_read(text: str, begin: str, end: str) -> None:
    assert [local(moment) for moment in preferences.parse_absence(text, NOW, BUDAPEST)] == [begin, end]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("soon", "away"),
        ("", "away"),
        ("2026-13-24", "away"),
        ("2027-02-30", "away"),
        ("２０２６-12-24", "away"),  # digits of another script
        ("Christmas until 2027-01-02", "away"),
        ("2026-12-24 2026-12-25 2026-12-26", "away"),
        ("2026-12-19", "away_when"),
        ("2026-12-24 – 2026-12-22", "away_when"),
        ("2028-01-01", "away_when"),
    ],
)
def test_what_is_no_absence(text: str, key: str) -> None:
    with pytest.raises(Refusal) as refused:
        preferences.parse_absence(text, NOW, BUDAPEST)
    assert refused.value.key == key


# --- through the bot -------------------------------------------------------------------------------------------------


async def test_settings_are_shown_and_kept(sea: Sea) -> None:
    profile = await sea.command(sea.anna, "me")
    assert "Time zone: not set" in profile
    assert "Quiet hours: none" in profile
    assert "half-way" in profile
    assert not sea.rows("players")["players"]  # looking changes nothing
    profile = await sea.command(sea.anna, "me", zone="budapest", quiet="22-7", reminders="last")
    assert "Europe/Budapest" in profile
    assert "22:00–07:00" in profile
    assert "near the end only" in profile
    assert await sea.direct_command(sea.anna, "me") == profile
    # What is not named stays; what is taken back goes.
    profile = await sea.command(sea.anna, "me", quiet="no")
    assert "Quiet hours: none" in profile
    assert "Europe/Budapest" in profile
    await sea.restart()
    assert await sea.command(sea.anna, "me") == profile


async def test_their_zone_is_that_of_the_paces_they_type(sea: Sea) -> None:
    await sea.command(sea.anna, "me", zone=BUDAPEST)
    await sea.command(sea.anna, "new", phase="20:00 weekdays")
    assert "until 20:00 every weekday (Europe/Budapest)" in text_of(sea.channel.last_message)
    choices = await sea.anna.autocomplete(sea.channel, "galley new", "phase", "20:00")
    assert choices[0]["value"] == "20:00 Europe/Budapest"
    choices = await sea.anna.autocomplete(sea.channel, "galley me", "zone", "new yo")
    assert [choice["value"] for choice in choices] == ["America/New_York"]


@pytest.mark.parametrize(
    ("language", "quiet"), [("en", "Quiet hours: 22:00–07:00"), ("hu", "Csendes órák: 22:00–07:00")]
)
async def test_settings_are_changed_in_their_own_message_without_a_command(sea: Sea, language: str, quiet: str) -> None:
    sea.languages[sea.anna.id] = language
    await sea.command(sea.anna, "me")
    message = sea.answers[-1]

    def now() -> str:
        return text_of(sea.again(sea.anna, message))

    async def write(key: str, text: str) -> str:
        form = await sea.click_only(sea.anna, message, refs(message)[key])
        return await sea.send_form(sea.anna, message, form, text)

    await write("me_form zone", "budapest")
    assert "Europe/Budapest" in now()
    await write("me_form quiet", "22-7")
    assert quiet in now()
    assert "22:00" in await write("me_form quiet", "at night")  # refused: the message stays
    assert quiet in now()
    message = sea.again(sea.anna, message)
    await sea.choose_from(sea.anna, message, refs(message)["me_pick reminders"], "none")
    assert known(sea, sea.anna)["reminders"] == "none"
    message = sea.again(sea.anna, message)
    until = (sea.now() + timedelta(days=3)).date().isoformat()
    await sea.choose_from(sea.anna, message, refs(message)["me_pick away"], until)
    assert known(sea, sea.anna)["away_to"]
    message = sea.again(sea.anna, message)
    other = "hu" if language == "en" else "en"
    await sea.choose_from(sea.anna, message, refs(message)["me_pick language"], other)
    assert {"en": EN, "hu": HU}[other].say("me.title") in now()
    message = sea.again(sea.anna, message)
    with sea.speaking(sea.anna):
        form = await sea.anna.select(message, ["matchbox"], custom_id=refs(message)["me_pick standing"].pack())
    await sea.send_form(sea.anna, message, form, "aim safe")
    assert "`aim safe`" in now()
    assert len(sea.answers) <= 2, "one message, and a refusal"


async def test_what_cannot_be_set(sea: Sea) -> None:
    before = sea.rows()
    for options, said in (
        ({"zone": "Atlantis"}, "the time zone `Atlantis`"),
        ({"zone": "GMT+15"}, "from `UTC-12` to `UTC+14`"),
        ({"quiet": "at night"}, "as quiet hours"),
        ({"away": "over the hills"}, "when you're away"),
        ({"away": "2001-01-01"}, "in the past"),
        ({"standing": "x" * 201}, "200 characters"),
        ({"system": "forts"}, "standing orders too"),
        ({"zone": BUDAPEST, "quiet": "never ever"}, "as quiet hours"),
    ):
        assert said in await sea.command(sea.anna, "me", **options), options
        assert sea.rows() == before, options


async def test_the_language_that_they_chose_is_spoken_everywhere(sea: Sea) -> None:
    assert HU.say("me.title") in await sea.command(sea.bela, "me", language="hu")  # Béla's Discord is English
    assert HU.say("help.title") in await sea.command(sea.bela, "help")
    await sea.command(sea.anna, "new", galleys="1")
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.position', ?)", AFAR)
    assert HU.say("say.joined") in await sea.press(sea.bela, sea.channel.last_message, "join 1")
    await sea.command(sea.anna, "start")
    request_text = Catalogue.load("hu", "matchbox").say("request.orders", round=1)
    assert request_text in text_of(sea.panel(sea.bela))  # a message of the outbox
    await sea.press(sea.bela, sea.panel(sea.bela), "press order.F")
    assert request_text in text_of(sea.panel(sea.bela))  # an answer to a press
    assert request_text in await sea.write(sea.bela, "B1 EEE")  # an answer to a direct message
    assert request_text not in text_of(sea.panel(sea.anna))
    choices = await sea.bela.autocomplete(sea.channel, "galley new", "phase", "24h")
    assert [choice["name"] for choice in choices] == ["1 nap"]
    profile = await sea.command(sea.bela, "me", language="discord")
    assert EN.say("me.title") in profile
    assert "language, zone, quiet" in profile
    assert EN.say("help.title") in await sea.command(sea.bela, "help")


@pytest.mark.begun
async def test_away_is_shown_in_every_game_and_nobody_is_reminded(sea: Sea) -> None:
    await sea.command(sea.anna, "new", galleys="1")
    await sea.command(sea.bela, "join", game="2")
    lobby = sea.channel.last_message
    today = datetime.fromtimestamp(sea.now().timestamp(), ZoneInfo("UTC")).date()
    until = today + timedelta(days=3)
    profile = await sea.command(sea.bela, "me", away=until.isoformat())
    end = at(f"{until + timedelta(days=1)} 00:00", "UTC")
    assert f"<t:{end}:f>" in profile
    assert known(sea, sea.bela)["away_to"] == end
    assert f"<@{sea.bela.id}> is away" in sea.told()
    assert "🌴 bela is away" in sea.told()
    assert f"<t:{end}:D>" in text_of(sea.again(sea.anna, lobby))
    before = len(sea.dms(sea.bela))
    await sea.env.advance_time(DAY_S - 3600)
    assert len(sea.dms(sea.bela)) == before
    # The deadline answers missing orders as ever, and the bot does not take Béla for absent.
    await sea.env.advance_time(2 * DAY_S)
    givers = {row["request_id"]: row["given_by"] for row in sea.rows("answers")["answers"]}
    assert givers["r1.orders.1"] == "deadline"
    await sea.command(sea.bela, "me", away="no")
    assert f"<@{sea.bela.id}> is no longer away" in sea.told()
    assert "🌴" not in text_of(sea.again(sea.anna, lobby))


@pytest.mark.begun
async def test_a_change_of_mind_about_days_away_adds_no_line_to_any_thread(sea: Sea) -> None:
    for away in ("tomorrow", "none", "tomorrow", "none"):
        await sea.command(sea.bela, "me", away=away)
    said = [act["kind"] for act in sea.rows("acts")["acts"]]
    assert said == ["at_hand"]
    assert f"<@{sea.bela.id}> is away" not in sea.told()
    assert sea.told().count("is no longer away") == 1
    await sea.env.advance_time(ABSENCE_UPDATE_WINDOW_S)
    await sea.command(sea.bela, "me", away="tomorrow")
    assert sea.told().count(f"<@{sea.bela.id}> is away") == 1
    assert [act["kind"] for act in sea.rows("acts")["acts"]] == ["at_hand", "away"]


async def test_days_away_are_suggested(sea: Sea) -> None:
    choices = await sea.anna.autocomplete(sea.channel, "galley me", "away", "")
    assert {date.fromisoformat(choice["value"]).year for choice in choices[1:]}
    assert choices[0]["value"] == "no"
    assert "7 days" in "".join(choice["name"] for choice in choices)
    sea.languages[sea.anna.id] = "hu"
    with sea.speaking(sea.anna):
        choices = await sea.anna.autocomplete(sea.channel, "galley me", "away", "7 nap")
    assert len(choices) == 1
    choices = await sea.anna.autocomplete(sea.channel, "galley me", "away", "2026-12-24 – 2027-01-02")
    assert [choice["value"] for choice in choices] == ["2026-12-24 – 2027-01-02"]


async def test_default_standing_orders_begin_every_game(sea: Sea) -> None:
    profile = await sea.command(sea.bela, "me", standing="aim safe")
    assert "`aim safe`" in profile
    await sea.begin_at(AFAR, sea.bela)
    row = next(row for row in sea.rows("requests")["requests"] if row["id"] == "r1.orders.1")
    assert "aim safe" in row["draft"]
    assert row["status"] == "open"
    # They hold from then on; a later round is not begun with them again, so that others may be set.
    await sea.seal(sea.bela, "B1 FFFFF; aim steady")
    await sea.seal(sea.anna, "A1 FFFFF")
    row = next(row for row in sea.rows("requests")["requests"] if row["id"] == "r2.orders.1")
    assert row["draft"] == ""
    assert "no default" not in await sea.command(sea.bela, "me", standing="no")
    assert known(sea, sea.bela)["standing"] == "{}"


async def test_they_wait_for_the_first_question_that_takes_them(sea: Sea) -> None:
    await sea.command(sea.anna, "me", standing="aim safe")
    await sea.begin(computer=1, galleys="1", deployment="sealed")
    assert [row["draft"] for row in sea.rows("requests")["requests"] if row["seat"] == 0] == [""]
    await sea.press(sea.anna, sea.panel(sea.anna), "seal")
    row = next(row for row in sea.rows("requests")["requests"] if row["id"] == "r1.orders.0")
    assert "aim safe" in row["draft"]


async def test_useless_default_standing_orders_are_told_and_harm_nothing(sea: Sea) -> None:
    sea.languages[sea.bela.id] = "hu"
    await sea.command(sea.bela, "me", standing="aim at the moon")
    await sea.begin_at(AFAR, sea.bela)
    row = next(row for row in sea.rows("requests")["requests"] if row["id"] == "r1.orders.1")
    assert row["draft"] == ""
    messages = "\n".join(map(text_of, sea.dms(sea.bela)))
    assert "aim at the moon" in messages
    assert "nem használhatók" in messages
    assert "press order.F" in refs(sea.panel(sea.bela))
    assert not any("aim at the moon" in text_of(message) for message in sea.dms(sea.anna))


async def test_default_standing_orders_of_a_game_that_knows_none_are_left_alone(sea: Sea) -> None:
    await sea.command(sea.anna, "me", standing="aim safe", system="forts")
    await sea.command(sea.anna, "new", system="forts", computer=1)
    await sea.command(sea.anna, "start")
    assert all("aim safe" not in row["draft"] for row in sea.rows("requests")["requests"])
    assert not [row for row in sea.rows("outbox")["outbox"] if row["kind"] == "standing"]
