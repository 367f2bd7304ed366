"""War Galley, the fleet game, through the real bot: typed and pressed, sealed, asked, told to its end and verified."""

from __future__ import annotations

import re
from typing import Any

import pytest

from bot.texts.i18n import Catalogue
from rules.squadrons.engine.tables import SCENARIOS
from tests.bot.records import assert_holds
from tests.sea import Sea, refs, text_of

SHORT = (
    "squadrons 1 A 20x16 - vp=30 limit=1 bonus=0/0 lost=-/- ; B1 5@1011N C ; B2 3@1311N C ; "
    "R1 3@1108NE C ; R2 4@0705S C ; lead BL1 Steady@B1 ; lead RL1 Bold@R2"
)  # the only turn of a game: B1 has R1 before her beak


async def test_a_turn_is_ordered_asked_about_and_told_to_its_end_and_can_be_verified(sea: Sea) -> None:
    await sea.begin_at(SHORT, sea.bela, system="squadrons")

    # What cannot be read is named line by line, and nothing of it is noted.
    said = await sea.write(sea.anna, "B1: Q4\nB2: F2\nB2: rma R1")
    assert "I don't understand `Q4` (line 1)" in said
    assert "I don't understand `rma` (line 3)" in said
    assert "R1" in await sea.write(sea.anna, "R1: F2")
    assert (await sea.asked(sea.anna, 1)).row.draft == ""

    # Two presses order a squadron, a ship is an exception, and the panel says what would stop.
    await sea.pick(sea.anna, sea.panel(sea.anna), "unit", "unit.all")
    await sea.pick(sea.anna, sea.panel(sea.anna), "course", "course.F2")
    await sea.write(sea.anna, "B1: M F2 ram R1 | else F1")
    assert (await sea.asked(sea.anna, 1)).row.draft == "B1 M\nB1: F2 ram R1 | else F\nall: F2"
    await sea.press(sea.anna, sea.panel(sea.anna), "seal")
    assert "ram R1" not in sea.told()

    # The other captain writes in another language, and wants to be asked.
    await sea.seal(sea.bela, "mind: marad\nelv mind: avoid=ask fire=off")
    await sea.settle()
    await sea.press(sea.bela, sea.panel(sea.bela), "press no")
    await sea.settle()
    while sea.rows("games")["games"][0]["phase"] != "over":
        await sea.press(sea.bela, sea.panel(sea.bela), "press no")
        await sea.settle()
    thread = sea.told()
    assert "B1" in thread
    await assert_holds(sea)
    assert not sea.faults


async def test_a_turn_costs_a_captain_two_presses_one_panel_and_one_report(sea: Sea) -> None:
    await sea.command(sea.anna, "new", system="squadrons")
    await sea.choose(sea.anna, "sides", "first")
    await sea.command(sea.bela, "join")
    await sea.command(sea.anna, "start")
    for turn in (1, 2):
        before = len(sea.thread.history()), len(sea.dms(sea.bela))
        for who in (sea.anna, sea.bela):
            pending = await sea.asked(who, 1)
            assert pending.row.body.round == turn
            await sea.press(who, sea.panel(who), "press all.charge")
            await sea.press(who, sea.panel(who), "seal")
        await sea.settle()
        # In the thread a line of the chain, the report, and who is awaited next; the panel takes the old one's place.
        assert (len(sea.thread.history()) - before[0], len(sea.dms(sea.bela)) - before[1]) == (3, 0)
    assert (await sea.asked(sea.anna, 1)).row.body.round == 3
    assert not sea.faults


async def test_a_question_in_the_middle_of_a_turn_waits_two_hours_and_costs_nobody_their_seat(sea: Sea) -> None:
    await sea.begin_at(SHORT.replace("vp=30 limit=1", "vp=9 limit=3"), sea.bela, system="squadrons")
    for turn in (1, 2):
        await sea.seal(sea.anna, "B1: M F2 ram R1\nB2: F1" if turn == 1 else "pass")
        await sea.seal(sea.bela, "pass\ndoctrine all: avoid=ask fire=ask retract=ask order=ask")
        await sea.settle()
        while (row := _open_question(sea)) is not None:
            assert row["deadline"] - row["asked_at"] <= 2 * 3600
            await sea.env.advance_time(2 * 3600 + 1)
            await sea.settle()
    assert (await sea.asked(sea.anna, 1)).row.body.round == 3
    assert (await sea.asked(sea.anna, 1)).row.deadline - sea.now().timestamp() > 2 * 3600
    assert [row["missed"] for row in sea.rows("seats")["seats"]] == [0, 0]
    assert not sea.faults


def _open_question(sea: Sea) -> dict[str, object] | None:
    """Return the open request in the middle of a turn."""
    rows = sea.rows("requests")["requests"]
    return next((row for row in rows if row["status"] == "open" and '"live":true' in row["body"]), None)


DAY_S = 86_400


# Looking at a squadron whose go it is orders nothing for it when the time is up.
async def test_looking_at_another_squadron_is_no_order(sea: Sea) -> None:
    await sea.begin(sea.bela, system="squadrons", battle="150", sides="first", order="squadron")
    for who in (sea.anna, sea.bela):
        await sea.seal(who, "pass")
    await sea.settle()
    (row,) = [row for row in sea.rows("requests")["requests"] if row["status"] == "open"]
    who = (sea.anna, sea.bela)[row["seat"]]
    pending = await sea.asked(who, 1)
    assert pending.row.body.kind == "act"
    await sea.pick(who, sea.panel(who), "act", "act.SQ2")
    pending = await sea.asked(who, 1)
    assert (pending.row.draft, pending.row.focus) == ("", "SQ2")
    assert "seal" not in refs(sea.panel(who))
    await sea.env.advance_time(DAY_S + 60)
    await sea.settle()
    (answer,) = [one for one in sea.rows("answers")["answers"] if one["request_id"] == row["id"]]
    assert answer["given_by"] == "deadline", answer["body"]
    assert answer["body"] not in ("act B2", "act SQ2")


def turn(row: dict[str, Any]) -> int:
    return int(str(row["id"]).split(".")[0][1:])


ASKS = "doctrine all: avoid=ask fire=ask retract=ask order=ask"


# Who sets all doctrines to `ask` and never answers does not get a whole phase for each question of a turn.
async def test_a_turn_ends_within_a_few_phases_although_somebody_never_answers(sea: Sea) -> None:
    await sea.begin(sea.bela, system="squadrons", battle="rams", sides="first")
    await sea.seal(sea.anna, ASKS + "\npass")
    days: dict[int, int] = {}
    for _ in range(10):
        rows = [row for row in sea.rows("requests")["requests"] if row["status"] == "open"]
        if not rows or turn(rows[0]) > 3:
            break
        days[turn(rows[0])] = days.get(turn(rows[0]), 0) + 1
        await sea.env.advance_time(DAY_S + 60)
        await sea.settle()
    assert len(days) >= 3
    assert max(days.values()) <= 3, days


# A doctrine that is taken can be read again, and wipes out nothing ordered before it.
async def test_a_draft_that_was_taken_can_be_sealed(sea: Sea) -> None:
    await sea.begin(sea.bela, system="squadrons", battle="rams", sides="first")
    await sea.write(sea.anna, "all: F3")
    said = await sea.write(sea.anna, "doctrine all: protect=none")
    draft = (await sea.asked(sea.anna, 1)).row.draft
    assert "all: F3" in draft
    assert "seal" in text_of(sea.panel(sea.anna)).lower() or said
    await sea.press(sea.anna, sea.panel(sea.anna), "seal")
    assert await sea.asked(sea.anna, 1) is None, f"cannot be sealed: {draft!r}"


# Nobody plans without knowing the wind: the question and the picture's description say it, in each language.
@pytest.mark.parametrize(
    ("language", "pattern"),
    [("en", r"a breeze toward the (south|north)"), ("hu", r"enyhe szél (észak|dél)\w* felé")],
)
async def test_the_wind_is_told_before_the_first_orders(sea: Sea, language: str, pattern: str) -> None:
    sea.languages[sea.anna.id] = language
    await sea.begin(sea.bela, system="squadrons", sides="first", wind="changing")
    panel = sea.panel(sea.anna)
    assert re.search(pattern, text_of(panel))
    (picture,) = panel.attachments
    assert re.search(pattern, picture.description or "")
    assert "The wind is drawn: a breeze toward" in sea.told()


@pytest.mark.parametrize("battle", ["wind", "isle"])
async def test_a_scenario_with_wind_or_land_is_played_to_its_end(sea: Sea, battle: str) -> None:
    await sea.begin(sea.bela, system="squadrons", sides="first", battle=battle)
    described = "\n".join(picture.description or "" for picture in sea.panel(sea.anna).attachments)
    assert ("a breeze toward the north" if battle == "wind" else "Land: 1010–1011, 1110–1111") in described
    while sea.rows("games")["games"][0]["phase"] != "over":
        for who in (sea.anna, sea.bela):
            await sea.press(who, sea.panel(who), "press all.charge")
            await sea.press(who, sea.panel(who), "seal")
        await sea.settle()
    first, *others = sea.channel.threads
    assert len(others) == SCENARIOS[battle].uneven  # the second game of a match begins by itself
    assert battle != "wind" or re.search("The wind (changes|stays the same|dies away)|still dead calm", sea.told(first))
    await assert_holds(sea, thread=first)
    assert not sea.faults


# Blue has broken through the column with two ships and left the map with all: more points win, not ships left.
async def test_a_fleet_that_breaks_out_ahead_on_points_has_won(sea: Sea) -> None:
    await sea.begin(sea.bela, system="squadrons", sides="first", battle="column")
    for orders in (
        "B5: TA F2\nB4: TA F3\nB3: TA F3\nB1: P F4\nB2: F2 P F2",
        "B4: F1\nB1: S F4\nB2: F2 S F2",
        "B3: F3\nB1: F4\nB2: F5",
        "B2: F1",
    ):
        await sea.seal(sea.anna, orders)
        await sea.seal(sea.bela, "pass\ndoctrine all: avoid=off fire=off board=never")
        await sea.settle()
    assert sea.rows("games")["games"][0]["phase"] == "over"
    first, second = sea.channel.threads  # an uneven scenario is a match, whose second game begins by itself
    assert "no ships left on the map, but more points" in sea.told(first)
    assert "second game of a match" in sea.told(second)
    await assert_holds(sea, thread=first)
    assert not sea.faults


@pytest.mark.parametrize("language", ["en", "hu"])
async def test_a_first_battle_explains_the_rules_turn_by_turn_on_its_panels(sea: Sea, language: str) -> None:
    sea.languages[sea.anna.id] = language
    await sea.command(sea.anna, "new", system="squadrons", computer=1, as_newcomers=True)
    await sea.command(sea.anna, "start")
    words = Catalogue.load(language, "squadrons")
    assert sea.rows("games")["games"][0]["rated"] == 0
    for lesson in (words.say("teach.command", ship="B2", hexes=5), *map(words.say, ("teach.speed", "teach.ram"))):
        assert lesson in text_of(sea.panel(sea.anna))
        await sea.seal(sea.anna, "all: F4")
        await sea.settle()
    assert words.say("teach.board") in text_of(sea.panel(sea.anna))
    said = await sea.write(sea.anna, "teach.board")
    assert "`teach.board`" in said
