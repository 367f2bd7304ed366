"""Games that a release began go on, hold and can be taken along: nothing is lost by an upgrade.

The files in tests/releases were written by tests/releases/write.py, with the code of the release they are named after.
"""

from __future__ import annotations

import itertools
import json
import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine

from bot.jobs.workers import Workers
from bot.record.export import FinishedGame, check_export, decode_export, encode_export, read_header
from bot.store.models.tables import metadata
from rules.chance.fairness import SHOWN_HASH_DIGITS
from tests.bot.papers import exported
from tests.bot.services.test_import import rows, shelled, url
from tests.releases.restored import Restored, database, paper
from tests.sea import refs, text_of

RELEASE = "1.0"
RECORDED = ("matchbox", "forts", "ramspeed", "squadrons")
"""The games that this release had."""
ABSENT, OPEN_TURNS, FINISHED, MID_ROUND, QUESTION, DEPLOYMENT, WENT_BACK, PAUSED, COMPUTER, LOBBY = range(1, 11)
PLAYED = (ABSENT, OPEN_TURNS, MID_ROUND, QUESTION, DEPLOYMENT, WENT_BACK, PAUSED, COMPUTER)
MIGRATED: dict[str, tuple[str, ...]] = {}
"""Columns that migrations since the release change on purpose, by table."""


@pytest.fixture
async def old(tmp_path: Path, workers: Workers) -> AsyncIterator[Restored]:
    """Today's bot on the old database, in the old Discord."""
    world = Restored(url(tmp_path / "games.sqlite"), workers, itertools.count(1_000))
    world.release = RELEASE
    async with world.open():
        yield world


def contents(file: Path) -> dict[str, list[dict[str, Any]]]:
    """All rows of all tables."""
    with closing(sqlite3.connect(file)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {name: rows(file, name) for name in names if not name.startswith(("sqlite_", "alembic_"))}


def ids(message: Any) -> list[str]:
    """The custom ids of a message."""
    return [ref.pack() for ref in refs(message).values()]


def steps(sea: Restored, game: int) -> list[dict[str, Any]]:
    return [row for row in sea.rows("steps")["steps"] if row["game_id"] == game]


def asked_in(sea: Restored, game: int) -> list[dict[str, Any]]:
    rows = [row for row in sea.rows("requests")["requests"] if row["game_id"] == game]
    return [{**row, "body": json.loads(row["body"])} for row in rows]


async def test_each_running_game_goes_on_and_holds_to_its_end(old: Restored) -> None:
    assert not [row for row in old.rows("outbox")["outbox"] if row["problem"]]
    # What was sealed stays sealed, what was drafted can be pressed in the very message that was there before.
    draft = old.panel_of(old.bela, MID_ROUND, "type")
    assert "F F R L F" in text_of(draft)
    await old.press(old.bela, draft, "seal")
    assert len(steps(old, MID_ROUND)) == 2
    sealed = [row["body"].split(";")[0] for row in old.rows("answers")["answers"] if row["game_id"] == MID_ROUND]
    assert sealed[:2] == ["A1 FLFRF", "B1 FFRLF"]
    # The question in the middle of a round, with its old buttons.
    await old.press(old.anna, old.panel_of(old.anna, QUESTION, "press steady"), "press steady")
    assert len(steps(old, QUESTION)) == 3
    # The other captain places a galley.
    await old.press(old.bela, old.panel_of(old.bela, DEPLOYMENT), "seal")
    assert (await old.asked(old.bela, DEPLOYMENT)).row.body.kind == "orders"
    # What was paused is taken up; the proposal still stands, and is agreed to.
    await old.command(old.chief, "host resume", game=str(PAUSED))
    old.use(PAUSED)
    (proposal,) = [message for message in old.thread.history() if any(k.startswith("agree_act") for k in refs(message))]
    await old.press(old.bela, proposal, next(key for key in refs(proposal) if key.startswith("agree_act")))
    assert len(steps(old, PAUSED)) == 3
    # The plan that was stored in secret is carried out when the turn ends, without a word more.
    (turn,) = [
        who for who in (old.anna, old.bela) if (asked := await old.asked(who, OPEN_TURNS)) and not asked.row.optional
    ]
    await old.press(turn, old.panel_of(turn, OPEN_TURNS, "press end"), "press end")
    assert 3 in {row["body"]["round"] for row in asked_in(old, OPEN_TURNS)}
    # Drafts are kept after going back, and against the computer.
    for who, game in ((old.anna, WENT_BACK), (old.bela, WENT_BACK), (old.anna, COMPUTER)):
        await old.press(who, old.panel_of(who, game), "seal")
    assert len(steps(old, WENT_BACK)) == 4
    assert len(steps(old, COMPUTER)) == 2
    # Somebody takes the offered seat over by the old button.
    old.use(ABSENT)
    (offer,) = [message for message in old.thread.history() if "take_over 1" in refs(message)]
    await old.press(old.cili, offer, "take_over 1")
    assert await old.asked(old.cili, ABSENT)
    # The lobby still fills.
    (lobby,) = [message for message in old.channel.history() if f"wg/join/{LOBBY}/" in str(ids(message))]
    await old.press(old.bela, lobby, "join 1")
    assert len([row for row in old.rows("seats")["seats"] if row["game_id"] == LOBBY and row["user_id"]]) == 3
    # One game is played to its end, and rated; its thread tells what its record is held against.
    await old.command(old.bela, "concede", game=str(WENT_BACK))
    await old.press(old.bela, old.answers[0], "concede")
    assert {row["game_id"] for row in old.rows("ratings")["ratings"]} == {FINISHED, WENT_BACK}
    data = await exported(old, old.bela, WENT_BACK)
    old.use(WENT_BACK)
    assert read_header(data).digest[:SHOWN_HASH_DIGITS] in old.told()
    assert check_export(data, read_header(data).digest) is None
    # Of all others, too, every die, order and hash holds so far; they merely have no end.
    old.change_rows("UPDATE games SET phase = 'over', ended_at = 0 WHERE phase = 'running'")
    for game in PLAYED:
        flaw = check_export(encode_export(await old.bot.services.archive.export_finished(game)))
        assert (flaw.what if flaw else "") == ("" if game == WENT_BACK else "end"), (game, flaw)
    assert not [row for row in old.rows("outbox")["outbox"] if row["problem"]]


async def test_a_finished_game_is_what_it_was_when_its_thread_told_its_digest(old: Restored) -> None:
    before = paper(RELEASE, "matchbox.finished")
    assert await exported(old, old.cili, FINISHED) == before
    old.use(FINISHED)
    assert read_header(before).digest[:16] in old.told()
    await old.command(old.cili, "verify", game=str(FINISHED))
    assert "✅" in text_of(old.answers[0]) or "fits its hash" in text_of(old.answers[0])


async def test_old_exports_hold_and_can_be_taken_in(tmp_path: Path) -> None:
    for name in ("matchbox.finished", "matchbox.running", "forts.running"):
        assert check_export(paper(RELEASE, name)) is None
        assert isinstance(decode_export(paper(RELEASE, name)), FinishedGame) == name.endswith("finished")
    assert check_export(paper(RELEASE, "matchbox.finished").replace(b"FXLXF", b"FXLXR")) is not None
    file, fresh = tmp_path / "game.json", tmp_path / "fresh.sqlite"
    file.write_bytes(paper(RELEASE, "matchbox.finished"))
    done = await shelled("import", file, "--database", url(fresh))
    assert done.exit_code == 0, done.output
    out = tmp_path / "again.json"
    assert (await shelled("export", 1, "-o", out, "--database", url(fresh))).exit_code == 0
    assert out.read_bytes() == file.read_bytes()


async def test_an_old_database_opened_by_the_shell_keeps_all_that_it_held(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite"
    database(RELEASE, file)
    before = contents(file)
    (tmp_path / "game.json").write_bytes(paper(RELEASE, "matchbox.finished"))
    done = await shelled("import", tmp_path / "game.json", "--database", url(file))
    assert (done.exit_code, re.findall(r"#\d+", done.output)) == (0, ["#3"]), done.output
    after = contents(file)
    # Columns and tables may be added; what was there is as it was, but for what migrations are meant to change.
    for table, columns in MIGRATED.items():
        for row in before[table]:
            for column in columns:
                del row[column]
    for table, held in before.items():
        kept = [{key: row[key] for key in held[0] if key in row} for row in after[table]] if held else []
        expected = [{key: value for key, value in row.items() if key in after[table][0]} for row in held]
        assert kept == expected, table
    # The file has every table, column and index of a new one.
    with create_engine(f"sqlite:///{file}").connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


@pytest.mark.parametrize("system", RECORDED)
def test_a_record_holds_for_ever(system: str) -> None:
    data = paper(RELEASE, f"record.{system}")
    assert check_export(data) is None
    assert check_export(data.replace(b'"nonce":"0', b'"nonce":"1', 1)) is not None
