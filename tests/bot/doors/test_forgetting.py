"""Somebody is given all that is stored of him, and forgotten: neither the database nor Discord names him any more."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from sqlalchemy import make_url
from typer.testing import CliRunner

from bot.ops.cli import app
from bot.record import export
from bot.store.personal import HELD, without_names
from bot.store.tables import metadata
from bot.words.i18n import Catalogue
from tests.bot.captains import by_buttons, play
from tests.sea import AFAR, MOST_SETTLE_S, Sea, refs, text_of

NAME = "Zephyrine"
EN = Catalogue.load("en")


def test_every_column_says_what_it_holds_of_people() -> None:
    """A new table or column enters `HELD`, lest it be left out of a person's data, or not be forgotten."""
    for table in metadata.sorted_tables:
        held = HELD.get(table.name)
        assert held is not None, f"what of people does the table {table.name} hold? Say it in HELD"
        kinds = (held.users, held.names, held.params, held.refs, held.own, held.others, held.withheld)
        told = " ".join(kinds).split()
        assert len(told) == len(set(told)), f"{table.name}: a column holds one thing"
        untold = {column.name for column in table.c} - set(told)
        assert not untold, f"{table.name}: what do {untold} hold of people? Say it in HELD"


def test_a_name_is_taken_out_of_a_text_as_a_word_of_its_own() -> None:
    assert without_names("Anna & anna vs Annabel", {"Anna"}, "a captain") == "a captain & a captain vs Annabel"
    assert without_names("x (+*)", {"(+*)"}, r"\1") == r"x \1"


def stored(sea: Sea) -> Iterator[tuple[str, str]]:
    """Everything in the database file, whatever tables there are: where it stands, and the text of it."""
    path = make_url(sea.database_url).database
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            for row in connection.execute(f'SELECT * FROM "{table}"'):
                for column in row.keys():  # noqa: SIM118 - a row of sqlite3 iterates over its values
                    yield f"{table}.{column}", str(row[column])


def shown(sea: Sea) -> Iterator[tuple[str, str]]:
    """Everything that Discord shows to others for good: messages of the bot with all their parts, names of threads."""
    backend = sea.env.backend
    for channel in backend.channels.values():
        yield f"channel {channel.id}", str(channel.name)
    for place, messages in backend.messages.items():
        for message in messages.values():
            if message.author_id == sea.bot.user.id and not message.flags & 64:  # ephemeral: nobody's for good
                yield f"message {place}/{message.id}", repr(message)


def naming(texts: Iterator[tuple[str, str]], who: Any) -> list[str]:
    """Where somebody is named, or his number stands."""
    named = re.compile(rf"{NAME}|(?<!\d){who.id}(?!\d)", re.IGNORECASE)
    return [
        f"{where}: {text[max(0, found.start() - 80) : found.end() + 40]}"
        for where, text in texts
        if (found := named.search(text))
    ]


async def press_under_me(sea: Sea, who: Any, *keys: str) -> str:
    """Press one button after the other, beginning with those under `/galley me`."""
    said = await sea.command(who, "me")
    for key in keys:
        said = await sea.press(who, sea.answers[-1], key)
    return said


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
    await sea.command(zephyrine, "concede", game="1")
    await sea.press(zephyrine, sea.answers[-1], "concede")
    published = re.search(r"record `([0-9a-f]{16})…", text_of(sea.thread.history()[-1]))
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
    assert naming(shown(sea), zephyrine)

    said = await press_under_me(sea, zephyrine, "forget")
    assert "cannot be undone" in said
    assert naming(stored(sea), zephyrine)
    said = await sea.press(zephyrine, sea.answers[-1], "forget_now")
    assert "forgotten" in said
    await sea.env.advance_time(60)  # a few messages a second are made anew
    await sea.settle()
    assert naming(stored(sea), zephyrine) == []
    assert naming(shown(sea), zephyrine) == []
    assert not [message for message in sea.dms(zephyrine) if message.author.bot]
    assert "a captain" in sea.told()
    assert [row["phase"] for row in sea.rows("games")["games"]] == ["over", "cancelled", "lobby", "lobby"]
    assert sea.rows("ratings")["ratings"] == [row for row in other if row["user_id"] == sea.bela.id]
    # The thread's fingerprint stays, and the file says that a name was withdrawn.
    assert published[1] in sea.told()
    said = await sea.command(sea.bela, "export", game="1")
    assert published[1] in said
    paper = export.read(await sea.answers[-1].attachments[0].read())
    assert isinstance(paper, export.Finished)
    assert str(paper.published).startswith(published[1])
    assert paper.published != paper.digest
    assert "a captain" in paper.captains
    assert export.check(export.write(paper)) is None
    # Whoever comes back is somebody new.
    assert "Nothing" in await press_under_me(sea, zephyrine, "my_data")
    await sea.command(zephyrine, "join", game="4")
    assert "profile" not in (await sea.command(zephyrine, "profile")).split()[:1]
    assert sea.rows("players")["players"][-1]["zone"] is None


async def test_whoever_has_lost_his_seat_is_forgotten_while_the_game_goes_on(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await sea.command(sea.manager(), "admin replace", game="1", whose="bela", substitute=sea.cili)
    await press_under_me(sea, sea.bela, "forget", "forget_now")
    await sea.env.advance_time(60)
    await sea.settle()
    number = str(sea.bela.id)
    assert [where for where, text in [*stored(sea), *shown(sea)] if number in text] == []
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
        async with sea.bot.table.store.write():  # forgetting waits for its turn
            twice = [await sea.click_only(sea.anna, sure, refs(sure)["forget_now"]) for _ in range(2)]
            await until_refused(*twice)
            await until_refused(await sea.click_only(sea.anna, me, refs(me)["my_data"]))
    await sea.settle()
    assert sorted("forgotten" in sea.said(one) for one in twice) == [False, True]
    assert EN.say("refuse.nothing_stored") in await press_under_me(sea, sea.anna, "my_data")


async def test_the_operator_can_forget_somebody(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await sea.bot.close()
    command = ["forget", str(sea.bela.id), "--database", sea.database_url]
    refused = await asyncio.to_thread(CliRunner().invoke, app, command)
    assert refused.exit_code
    assert "#1" in refused.output
    sea.change_rows("UPDATE games SET phase = 'cancelled'")
    done = await asyncio.to_thread(CliRunner().invoke, app, command)
    assert done.exit_code == 0, done.output
    assert [where for where, text in stored(sea) if str(sea.bela.id) in text] == []
