"""People get all that is stored of them, and are forgotten: neither the database nor Discord names them any more."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from typer.testing import CliRunner

from bot.cli.main import app
from bot.record import export
from bot.store.models.personal import PERSONAL_COLUMNS, without_names
from bot.store.models.tables import metadata
from bot.texts.i18n import Catalogue
from tests.bot.captains import by_buttons, play
from tests.bot.discord.test_refused import Refusing
from tests.bot.rows import act_kinds, game, unsent
from tests.bot.services.test_captains import DAY_S, changes, until_offered
from tests.bot.services.test_open_turns import active, at_sea
from tests.bot.test_twins import seals
from tests.sea import ABEAM, AFAR, MOST_SETTLE_S, Sea, refs, text_of

NAME = "Zephyrine"
EN = Catalogue.load("en")


def test_every_column_says_what_it_holds_of_people() -> None:
    """A new table or column must be in `PERSONAL_COLUMNS`, so that it is among a person's data and can be forgotten."""
    for table in metadata.sorted_tables:
        held = PERSONAL_COLUMNS.get(table.name)
        assert held is not None, f"what of people does the table {table.name} hold? Say it in PERSONAL_COLUMNS"
        kinds = (
            held.user_columns,
            held.name_columns,
            held.json_columns,
            held.reference_columns,
            held.own_columns,
            held.other_columns,
            held.withheld_columns,
        )
        columns = " ".join(kinds).split()
        assert len(columns) == len(set(columns)), f"{table.name}: a column holds one thing"
        untold = {column.name for column in table.c} - set(columns)
        assert not untold, f"{table.name}: what do {untold} hold of people? Say it in PERSONAL_COLUMNS"


def test_a_name_is_taken_out_of_a_text_as_a_word_of_its_own() -> None:
    assert without_names("Anna & anna vs Annabel", {"Anna"}, "a captain") == "a captain & a captain vs Annabel"
    assert without_names("x (+*)", {"(+*)"}, r"\1") == r"x \1"


def stored(sea: Sea) -> Iterator[tuple[str, str]]:
    for table, rows in sea.everything().items():
        yield from ((f"{table}.{column}", str(value)) for row in rows for column, value in row.items())


def visible_texts(sea: Sea) -> Iterator[tuple[str, str]]:
    """Return all that Discord shows to others for good: the bot's messages with all their parts, names of threads."""
    backend = sea.env.backend
    for channel in backend.channels.values():
        yield f"channel {channel.id}", str(channel.name)
    for place, messages in backend.messages.items():
        for message in messages.values():
            if message.author_id == sea.bot.user.id and not message.flags & 64:  # ephemeral: nobody's for good
                yield f"message {place}/{message.id}", repr(message)


def naming(texts: Iterator[tuple[str, str]], who: Any) -> list[str]:
    named = re.compile(rf"{NAME}|(?<!\d){who.id}(?!\d)", re.IGNORECASE)
    return [
        f"{where}: {text[max(0, match.start() - 80) : match.end() + 40]}"
        for where, text in texts
        if (match := named.search(text))
    ]


async def press_under_me(sea: Sea, who: Any, *keys: str) -> str:
    said = await sea.command(who, "me")
    for key in keys:
        said = await sea.press(who, sea.answers[-1], key)
    return said


@pytest.mark.postgres
async def test_somebody_is_forgotten_everywhere(sea: Sea) -> None:
    zephyrine = sea.member(NAME)
    await sea.command(zephyrine, "me", zone="Europe/Paris", standing="aim ask", quiet="22-7")
    # A whole game, with all that can be said in one.
    await sea.command(zephyrine, "new", opponent=sea.bela)
    await sea.command(sea.bela, "join", game="1")
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.position', ?)", AFAR)
    await sea.command(zephyrine, "start", game="1")
    await play(sea, [zephyrine, sea.bela], by_buttons, rounds=1)
    await sea.command(zephyrine, "extend", game="1", by="30d")
    await sea.command(zephyrine, "draw", game="1")
    await sea.command(zephyrine, "me", away="2030-01-01 - 2030-01-02")
    # Lobbies that she hosts, has joined, and in which a seat is kept for her.
    await sea.command(zephyrine, "new", name=f"{NAME}'s second")
    await sea.command(sea.bela, "new")
    await sea.command(zephyrine, "join", game="3")
    await sea.command(sea.bela, "new", opponent=zephyrine)
    said = await press_under_me(sea, zephyrine, "forget")
    assert "#1" in said
    assert "#2" not in said
    assert "concede" in said
    await sea.concede(zephyrine)
    published = re.search(r"record `([0-9a-f]{16,})…?`", text_of(sea.thread.history()[-1]))
    assert published
    other = sea.rows("ratings")["ratings"]
    assert len(other) == 2

    await press_under_me(sea, zephyrine, "my_data")
    (file,) = sea.answers[-1].attachments
    data = json.loads(await file.read())
    assert data["players"][0]["zone"] == "Europe/Paris"
    assert data["players"][0]["standing"] == {"matchbox": "aim ask"}
    assert {"seats", "games", "acts", "ratings", "outbox", "requests", "answers"} <= data.keys()
    assert str(sea.bela.id) not in json.dumps(data)
    told_of = {where.partition(".")[0] for where, text in stored(sea) if str(zephyrine.id) in text}
    assert told_of <= data.keys()
    seeds = [row["seed"] for row in sea.rows("games")["games"]]
    assert not any(seed in json.dumps(data) for seed in seeds)
    assert naming(visible_texts(sea), zephyrine)

    said = await press_under_me(sea, zephyrine, "forget")
    assert "can't undo this" in said
    assert naming(stored(sea), zephyrine)
    said = await sea.press(zephyrine, sea.answers[-1], "forget_now")
    assert "forgotten" in said
    await sea.env.advance_time(60)  # the bot rewrites a few messages a second
    await sea.settle()
    assert naming(stored(sea), zephyrine) == []
    assert naming(visible_texts(sea), zephyrine) == []
    assert not [message for message in sea.dms(zephyrine) if message.author.bot]
    assert "a captain" in sea.told()
    assert [row["phase"] for row in sea.rows("games")["games"]] == ["over", "cancelled", "lobby", "lobby"]
    assert sea.rows("ratings")["ratings"] == [row for row in other if row["user_id"] == sea.bela.id]
    # The thread's fingerprint stays, and the file says that a name was withdrawn.
    assert published[1] in sea.told()
    said = await sea.command(sea.bela, "export", game="1")
    assert published[1] in said
    paper = export.decode_export(await sea.answers[-1].attachments[0].read())
    assert isinstance(paper, export.FinishedGame)
    assert str(paper.published).startswith(published[1])
    assert paper.published != paper.digest
    assert "a captain" in paper.captains
    assert export.check_export(export.encode_export(paper)) is None
    # A person who comes back is somebody new.
    assert "store nothing" in await press_under_me(sea, zephyrine, "my_data")
    await sea.command(zephyrine, "join", game="4")
    assert "profile" not in (await sea.command(zephyrine, "profile")).split()[:1]
    assert sea.rows("players")["players"][-1]["zone"] is None


@pytest.mark.begun
async def test_one_who_has_lost_their_seat_is_forgotten_while_the_game_goes_on(sea: Sea) -> None:
    await sea.command(sea.manager(), "host replace", game="1", whose="bela", substitute=sea.cili)
    await press_under_me(sea, sea.bela, "forget", "forget_now")
    await sea.env.advance_time(60)
    await sea.settle()
    number = str(sea.bela.id)
    assert [where for where, text in [*stored(sea), *visible_texts(sea)] if number in text] == []
    assert '"captain":"a captain"' in sea.rows("acts")["acts"][-1]["params"]
    assert "bela" not in sea.told()
    assert await sea.asked(sea.cili, 1)


async def test_one_thing_at_a_time_is_done_for_somebody(sea: Sea) -> None:
    await sea.command(sea.anna, "me", zone="Europe/Paris")
    me = sea.answers[-1]
    await sea.press(sea.anna, me, "forget")
    sure = sea.answers[-1]
    refused = EN.say("refuse.busy_with_you")

    async def until_refused(*results: Any) -> None:
        async with asyncio.timeout(MOST_SETTLE_S):
            while refused not in map(sea.said, results):  # noqa: ASYNC110 - a moment that nothing tells of
                await asyncio.sleep(0.01)

    with sea.at_once():
        async with sea.bot.services.store.write():  # forgetting waits for its turn
            twice = [await sea.click_only(sea.anna, sure, refs(sure)["forget_now"]) for _ in range(2)]
            await until_refused(*twice)
            await until_refused(await sea.click_only(sea.anna, me, refs(me)["my_data"]))
    await sea.settle()
    assert sorted("forgotten" in sea.said(result) for result in twice) == [False, True]
    assert EN.say("refuse.nothing_stored") in await press_under_me(sea, sea.anna, "my_data")


@pytest.mark.postgres
@pytest.mark.begun
async def test_the_operator_can_forget_somebody(sea: Sea) -> None:
    await sea.bot.close()
    command = ["forget", str(sea.bela.id), "--database", sea.database_url]
    refused = await asyncio.to_thread(CliRunner().invoke, app, command)
    assert refused.exit_code
    assert "#1" in refused.output
    sea.change_rows("UPDATE games SET phase = 'cancelled'")
    done = await asyncio.to_thread(CliRunner().invoke, app, command)
    assert done.exit_code == 0, done.output
    assert [where for where, text in stored(sea) if str(sea.bela.id) in text] == []


# Who is forgotten while a game goes on is nobody there: what they did there binds nobody.
async def test_a_manager_who_has_played_is_no_referee_once_forgotten(sea: Sea) -> None:
    """A manager lends a seat to their second account, is forgotten, and takes the seat of an enemy who is there."""
    chief = sea.manager()
    await sea.begin_at(AFAR, chief)
    await sea.command(chief, "host replace", game="1", whose="dora", substitute=sea.bela)
    await press_under_me(sea, chief, "forget", "forget_now")
    await sea.settle()
    await sea.command(chief, "host replace", game="1", whose="anna", substitute=sea.cili)
    assert sea.rows("seats")["seats"][0]["user_id"] == sea.anna.id


async def test_a_manager_who_has_played_cuts_nobodys_time_once_forgotten(sea: Sea) -> None:
    chief = sea.manager()
    await sea.begin_at(AFAR, chief, missed="hold")
    await sea.seal(chief, "B1 RLRLR")
    await sea.command(chief, "host replace", game="1", whose="dora", substitute=sea.bela)
    await press_under_me(sea, chief, "forget", "forget_now")
    await sea.settle()
    await sea.command(chief, "host resolve", game="1")
    await sea.settle()
    assert game(sea)["step_no"] == 0


async def test_a_referee_becomes_no_captain_once_forgotten(sea: Sea) -> None:
    chief = sea.manager()
    await sea.begin_at(AFAR, sea.bela)
    await sea.command(chief, "host kick", game="1", whose="bela")
    await press_under_me(sea, chief, "forget", "forget_now")
    await sea.settle()
    await sea.command(chief, "substitute", game="1")
    assert sea.rows("seats")["seats"][1]["user_id"] is None


async def test_one_planted_by_a_forgotten_captain_speaks_for_nobody(sea: Sea) -> None:
    """Anna puts Cili in absent Béla's seat and Dora in her own: put there by nobody, they could throw dice again."""
    dora = sea.member("dora")
    await sea.begin_at(ABEAM, sea.bela)
    await sea.both_seal("A1 XFFFF", "B1 FFFFX")
    await until_offered(sea)
    await sea.command(sea.anna, "host replace", game="1", whose="bela", substitute=sea.cili)
    await sea.command(sea.anna, "host replace", game="1", whose="anna", substitute=dora)
    await press_under_me(sea, sea.anna, "forget", "forget_now")
    await sea.settle()
    await sea.command(dora, "host undo", game="1", to_round=1)
    for message in sea.thread.history():
        for key in refs(message):
            if key.startswith("agree_act"):
                await sea.press(sea.cili, message, key)
    assert "undone" not in act_kinds(sea)
    assert game(sea)["rated"] == 1


@pytest.mark.usefixtures("every_game_counts")
async def test_two_who_are_forgotten_leave_the_winner_their_rating(sea: Sea) -> None:
    """Forgotten, Béla and the referee who seated Cili for Béla are one nobody: so Béla's side has put her there."""
    chief = sea.manager()
    await sea.begin_at(AFAR, sea.bela)
    await until_offered(sea)
    await sea.command(chief, "host replace", game="1", whose="bela", substitute=sea.cili)
    await sea.seal(sea.cili, "B1 RLRLR")
    for who in (chief, sea.bela):
        await press_under_me(sea, who, "forget", "forget_now")
    await sea.settle()
    await sea.concede(sea.anna)
    assert set(changes(sea)) == {sea.anna.id, sea.cili.id}


async def file_of(sea: Sea, who: Any) -> dict[str, Any]:
    await press_under_me(sea, who, "my_data")
    (file,) = sea.answers[-1].attachments
    data: dict[str, Any] = json.loads(await file.read())
    return data


# The file under `/galley me` does not count steps that only the enemy may know of.
async def test_my_data_does_not_tell_that_the_enemy_has_stored_a_plan(sea: Sea) -> None:
    await at_sea(sea)
    who, _ = await active(sea)
    if who is not sea.anna:  # makes it the host's turn
        await sea.press(who, sea.panel(who), "press end")
    (before,) = (await file_of(sea, sea.anna))["games"]
    steps = len(sea.rows("steps")["steps"])
    await seals("any: end")(sea, sea.bela)
    assert len(sea.rows("steps")["steps"]) == steps + 1
    (after,) = (await file_of(sea, sea.anna))["games"]
    assert {key for key in before if before[key] != after[key]} == set()


TWO = "900x600 ; A1:south 5-5+3/5 @450,80^0 ; B1:north 5-5+3/5 @350,520^180 ; B2:north 5-5+3/5 @600,520^180"


# A substitute is not given, under `/galley me`, what the captain before them drafted and never sealed.
async def test_a_substitute_is_given_no_drafts_of_the_captain_before_them(sea: Sea) -> None:
    await sea.begin_at(TWO, sea.bela, missed="hold")
    await sea.seal(sea.anna, "A1 RLRLR")
    await sea.write(sea.bela, "B1 RFLFR")
    assert "RFLFR" in sea.rows("requests")["requests"][1]["draft"]
    await sea.env.advance_time(DAY_S + 1)
    await sea.settle()
    await sea.command(sea.manager(), "host replace", game="1", whose="bela", substitute=sea.cili)
    await sea.concede(sea.anna)
    await press_under_me(sea, sea.cili, "my_data")
    (file,) = sea.answers[-1].attachments
    data = json.loads(await file.read())
    exported = (await sea.bot.services.archive.export_finished(1)).record
    assert "RFLFR" not in str(exported)
    assert "RFLFR" not in json.dumps(data["requests"])


# Who takes another's name and is then forgotten does not take the other's name out of a log.
async def test_a_namesake_wipes_nobody_out_of_the_log(sea: Sea) -> None:
    namesake = sea.member("bela")
    await sea.command(sea.anna, "new", captains=2)
    for who in (sea.bela, namesake, sea.cili):
        await sea.command(who, "join")
    await sea.command(sea.anna, "start")
    await until_offered(sea)
    before = [row["params"] for row in sea.rows("acts")["acts"] if row["kind"] == "left"]
    assert "bela" in before[0]
    await sea.concede(namesake)
    await press_under_me(sea, namesake, "forget", "forget_now")
    await sea.settle()
    assert [row["params"] for row in sea.rows("acts")["acts"] if row["kind"] == "left"] == before


# Where Discord takes no more edits of old messages, a forgotten captain is still not named in them.
async def test_old_rounds_name_nobody_who_was_forgotten(sea: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    zephyrine = sea.member(NAME)
    await sea.begin_at(AFAR, zephyrine)
    await sea.concede(zephyrine)
    await sea.env.advance_time(7200)
    before = len(sea.thread.history())
    tired = Refusing(sea, "PATCH", "/channels/", status=429, code=30046)
    await press_under_me(sea, zephyrine, "forget", "forget_now")
    await sea.settle()
    tired.on = False
    for _ in range(3):
        await sea.env.advance_time(3700)
        await sea.settle()
    assert not unsent(sea)
    assert naming(visible_texts(sea), zephyrine) == []
    assert len(sea.thread.history()) == before
