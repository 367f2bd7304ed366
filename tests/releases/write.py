"""Write what a release leaves: a database with games in the middle of things, the Discord it plays in, and records.

    .venv/bin/python -m tests.releases.write 1.0

It leaves, in a folder of the release's name, `games.sql` (the database as text), `discord.json` (simcord's world,
without pictures), exports of its games, and `record.<system>.json`, a whole game of each system. Tests of every later
version play on with the database, and verify the records. What a release that is out has left is never written again.
"""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
import sys
import tempfile
from contextlib import closing
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import msgspec

from bot.jobs.workers import Workers
from bot.record.export import FinishedGame, encode_export, with_digest
from bot.sandbox import private, snapshot
from bot.sandbox.private import Message
from tests.bot.captains import in_words, wanted
from tests.laws.play import SYSTEMS, tape
from tests.laws.test_replay import record as published
from tests.sea import ABEAM, AFAR, Sea, parts, refs

HOUR_S = 3_600
EPHEMERAL = 64
"""Discord's flag of a message that one alone sees."""
NEEDED = {field.name for field in fields(Message) if field.default is MISSING and field.default_factory is MISSING}
LONG = "14d"
"""A phase that outlasts all that is written here."""


def panel(sea: Sea, who: Any, game: int, verb: str) -> Any:
    """The newest direct message of a game that has such a button."""
    return next(
        message
        for message in reversed(sea.dms(who))
        if any(key.startswith(verb) and ref.game == game for key, ref in refs(message).items())
    )


async def sealed(sea: Sea, who: Any, game: int, text: str) -> None:
    """Type an answer and seal it."""
    await sea.write(who, f"#{game} {text}")
    await sea.press(who, panel(sea, who, game, "seal"), "seal")


async def absent(sea: Sea, game: int) -> None:
    """Béla misses two deadlines: anybody may take the seat over."""
    await sea.begin_at(AFAR, sea.bela, name="Absent", phase="1h")
    for _ in range(2):
        await sealed(sea, sea.anna, game, "A1 RLRLR")
        await sea.env.advance_time(HOUR_S + 1)
        await sea.env.settle()
    assert sea.rows("seats")["seats"][1]["offered_at"]
    await sea.command(sea.anna, "host extend", game=str(game), by="14d")


async def open_turns(sea: Sea, game: int) -> Any:
    """A Naval Battle in the middle of a turn: one ship has sailed, and the other captain has stored a plan."""
    await sea.begin(sea.bela, system="forts", name="Open turns", phase=LONG)
    for _ in range(20):
        waiting = [
            (who, asked)
            for who in (sea.anna, sea.bela)
            if (asked := await sea.asked(who, game)) and not asked.row.body.round
        ]
        if not waiting:
            break
        await by_typing(sea, *waiting[0], game)
    (active,) = [
        who for who in (sea.anna, sea.bela) if (asked := await sea.asked(who, game)) and not asked.row.optional
    ]
    other = sea.bela if active is sea.anna else sea.anna
    # In a calm only brigs are ordered: nobody is asked for which ship.
    shown = panel(sea, active, game, "press end")
    if choice := next((key for key in refs(shown) if key.startswith("press ship.")), None):
        await sea.press(active, shown, choice)
        shown = panel(sea, active, game, "pick")
    group = next(key for key in refs(shown) if key.startswith("pick sail")).removeprefix("pick ")
    select = next(part for part in parts(shown) if f"/{group}" in (getattr(part, "custom_id", "") or ""))
    await sea.pick(active, shown, group, select.options[0].value)
    before = len(sea.rows("steps")["steps"])
    await sealed(sea, other, game, "auto\nany: end")
    assert len(sea.rows("steps")["steps"]) == before + 1
    return other


async def by_typing(sea: Sea, who: Any, asked: Any, game: int) -> None:
    """Answer what is asked in one of many games."""
    await sea.write(who, f"#{game} {in_words(asked, wanted(asked))}")
    if await sea.asked(who, game):
        await sea.press(who, panel(sea, who, game, "seal"), "seal")


async def play_all(sea: Sea) -> dict[str, bytes]:
    """All games, each left in the middle of something; the exports."""
    files: dict[str, bytes] = {}
    await absent(sea, 1)
    planner = await open_turns(sea, 2)
    files["forts.running"] = await exported(sea, planner, 2)

    await sea.begin_at(ABEAM, sea.bela, name="Finished", phase=LONG)
    for who, text in ((sea.anna, "A1 XLFFF; aim ask"), (sea.bela, "B1 XRFFF")):
        await sealed(sea, who, 3, text)
    while await sea.asked(sea.anna, 3) and (await sea.asked(sea.anna, 3)).row.body.live:
        await sealed(sea, sea.anna, 3, "safe")
    await sea.command(sea.anna, "host pause", game="3")
    await sea.command(sea.anna, "host resume", game="3")
    await sealed(sea, sea.anna, 3, "A1 FXLXF")
    await sea.command(sea.bela, "concede", game="3")
    await sea.press(sea.bela, sea.answers[0], "concede")
    assert len(sea.rows("ratings")["ratings"]) == 2
    files["matchbox.finished"] = await exported(sea, sea.cili, 3)

    await sea.begin_at(AFAR, sea.bela, name="Mid-round", phase=LONG)
    await sealed(sea, sea.anna, 4, "A1 FLFRF")
    await sea.write(sea.bela, "#4 B1 FFRLF")
    files["matchbox.running"] = await exported(sea, sea.anna, 4)

    await sea.begin_at(ABEAM, sea.bela, name="Question", phase=LONG)
    for who, text in ((sea.anna, "A1 XXXXF; aim ask"), (sea.bela, "B1 XXXXF")):
        await sealed(sea, who, 5, text)
    asked = await sea.asked(sea.anna, 5)
    assert asked
    assert asked.row.body.live

    await sea.begin(sea.bela, name="Deployment", phase=LONG, galleys="1", table="coffee", deployment="sealed")
    asked = await sea.asked(sea.anna, 6)
    assert asked
    assert asked.row.body.kind == "place"
    await sea.press(sea.anna, panel(sea, sea.anna, 6, "seal"), "seal")

    await sea.begin_at(ABEAM, sea.bela, name="Went back", phase=LONG)
    for who, text in ((sea.anna, "A1 XFFFF"), (sea.bela, "B1 FFFFX")):
        await sealed(sea, who, 7, text)
    await sea.command(sea.anna, "host undo", game="7", to_round=1)
    await agreed(sea, sea.bela)

    await sea.begin_at(AFAR, sea.bela, name="Paused", phase=LONG)
    for who, text in ((sea.anna, "A1 RLRLR"), (sea.bela, "B1 RLRLR")):
        await sealed(sea, who, 8, text)
    await sealed(sea, sea.bela, 8, "B1 LRLRL")
    await sea.command(sea.bela, "extend", game="8", by="3d")
    await sea.command(sea.anna, "host undo", game="8", to_round=1)
    await sea.command(sea.chief, "host pause", game="8")

    await sea.begin_at(AFAR, name="Computer", phase=LONG, computer=1)
    await sea.write(sea.anna, "#9 A1 FFFFF")
    await sea.command(sea.anna, "new", name="Lobby", phase=LONG, captains=2)
    await sea.command(sea.cili, "join", game="10")
    return files


async def agreed(sea: Sea, who: Any) -> None:
    """Agree to the proposal that stands in the newest thread."""
    for message in reversed(sea.thread.history()):
        for key in refs(message):
            if key.startswith("agree_act"):
                await sea.press(who, message, key)
                return
    raise AssertionError("nothing is proposed")


async def exported(sea: Sea, who: Any, game: int) -> bytes:
    """The file that `/galley history export` hands to somebody."""
    said = await sea.command(who, "export", game=str(game))
    assert sea.answers[0].attachments, said
    return private.uploaded_files(sea.env.backend)[sea.answers[0].attachments[0].url]


def trimmed(text: bytes) -> str:
    """Simcord's world, a message a line, without what one alone saw for a moment, and without the bot's commands."""
    world = msgspec.json.decode(text)
    world["commands"] = []
    messages = [
        {key: value for key, value in message.items() if value or key in NEEDED}
        for message in world.pop("messages")
        if not message["flags"] & EPHEMERAL
    ]
    head = msgspec.json.encode(world).decode().removesuffix("}")
    lines = ",\n".join(msgspec.json.encode(message).decode() for message in messages)
    return f'{head},\n"messages":[\n{lines}\n]}}\n'


def whole_game(system: str) -> bytes:
    """The export of a whole game of a system, played by the computer, by samples and by nobody."""
    record = published(tape(system, 0))
    names = tuple(f"captain {seat}" for seat in range(len(record.setup.teams)))
    about = {"name": "Sea", "locale": "en", "opened": 1, "ended": 2, "captains": names, "log": (), "notes": ()}
    return encode_export(with_digest(FinishedGame(record=record, **about)))


async def leave(folder: Path, workers: Workers, **settings: Any) -> dict[str, tuple[int, str]]:
    """Play, and write down what it leaves in a folder. Returns the number and the phase of each game by its name.

    `settings` are the bot's, such as how wide its pictures are.
    """
    with tempfile.TemporaryDirectory() as place:
        database = Path(place) / "games.sqlite"
        sea = Sea(f"sqlite+aiosqlite:///{database}", workers, itertools.count(1), **settings)
        async with sea.open():
            sea.chief = sea.manager()  # type: ignore[attr-defined]
            await sea.env.settle()
            files = await play_all(sea)
            await sea.settle()
            games = {row["name"]: (row["id"], row["phase"]) for row in sea.rows("games")["games"]}
            users = {"anna": sea.anna, "bela": sea.bela, "cili": sea.cili, "chief": sea.chief}  # type: ignore[attr-defined]
            memory = {key: who.id for key, who in users.items()}
            memory |= {"guild": sea.guild.id, "channel": sea.channel.id}
            snapshot.save_world(sea.env.backend, Path(place), memory)
        with closing(sqlite3.connect(database)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            (folder / "games.sql").write_text("\n".join(connection.iterdump()) + "\n")
        (folder / "discord.json").write_text(trimmed((Path(place) / snapshot.SNAPSHOT_FILE).read_bytes()))
        files |= {f"record.{system}": whole_game(system) for system in SYSTEMS}
        for what, data in files.items():
            (folder / f"{what}.json").write_bytes(data)
    return games


def main(release: str) -> None:
    """Write what this code leaves into the release's folder."""
    folder = Path(__file__).with_name(release)
    folder.mkdir(exist_ok=True)
    workers = Workers(1)
    try:
        print(asyncio.run(leave(folder, workers)))  # noqa: T201
    finally:
        workers.close()


if __name__ == "__main__":
    main(sys.argv[1])
