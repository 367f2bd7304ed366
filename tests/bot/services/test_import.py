"""`war-galley export` and `import`: games out of one database and into another."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

from bot.cli.main import app
from bot.record.export import FinishedGame, check_export, decode_export, encode_export, with_digest
from bot.services.archive import ArchiveService
from bot.store import Store
from rules.chance import fairness
from rules.core.protocol import Concede
from rules.core.replay import Record, RecordedStep, UndoAction, restore_state
from tests.bot.captains import by_typing, play
from tests.bot.papers import a_game, exported
from tests.laws.play import GAMES, tape
from tests.laws.test_replay import besides, readable, rounds_begin
from tests.laws.test_replay import record as tape_record
from tests.laws.test_replay import sealed as tape_sealed
from tests.sea import AFAR, Sea


async def shelled(*arguments: object) -> Any:
    return await asyncio.to_thread(CliRunner().invoke, app, [str(argument) for argument in arguments])


def url(path: Path) -> str:
    return f"sqlite+aiosqlite:///{path}"


def rows(path: Path, table: str) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2")]


async def test_a_game_goes_from_one_bot_to_another_and_is_the_same(sea: Sea, tmp_path: Path) -> None:
    await a_game(sea)
    file, other = tmp_path / "game.json", tmp_path / "other.sqlite"
    file.write_bytes(data := await exported(sea, sea.cili))
    out = tmp_path / "again.json"
    assert (await shelled("export", 1, "-o", out, "--database", sea.database_url)).exit_code == 0
    assert out.read_bytes() == data

    done = await shelled("import", file, "--database", url(other))
    assert (done.exit_code, "#1" in done.output) == (0, True), done.output
    again = await shelled("import", file, file, "--database", url(other))
    assert (again.exit_code, again.output.count("here already")) == (0, 2)
    assert len(rows(other, "games")) == 1
    assert rows(other, "ratings") == []
    assert [row["state"] for row in rows(other, "steps")] == [row["state"] for row in sea.rows("steps")["steps"]]
    assert await_nothing(other)

    assert (await shelled("export", 1, "-o", out, "--database", url(other))).exit_code == 0
    assert out.read_bytes() == data

    sea.database_url = url(other)
    await sea.restart()
    for command in ("table", "log", "film", "replay", "verify"):
        said = await sea.command(sea.cili, command, game="1")
        assert "bela" in said or sea.answers[-1].attachments or "fits its hash" in said, command
    assert await exported(sea, sea.bela) == data
    assert "aren't a captain" in await sea.command(sea.anna, "draw", game="1")
    # New games go on beside it.
    await sea.begin_at(AFAR, sea.bela)
    assert await sea.asked(sea.anna, 2)


def await_nothing(path: Path) -> bool:
    asked = [row["status"] for row in rows(path, "requests") if row["status"] != "closed"]
    return not asked and all(row["sent"] == row["wanted"] for row in rows(path, "outbox"))


async def test_a_game_that_is_bound_to_a_server_is_shown_there_alone(sea: Sea, tmp_path: Path) -> None:
    await a_game(sea)
    file, other = tmp_path / "game.json", tmp_path / "other.sqlite"
    file.write_bytes(await exported(sea, sea.cili))
    done = await shelled("import", file, "--database", url(other), "--guild", 4711, "--channel", 4712)
    assert done.exit_code == 0
    sea.database_url = url(other)
    await sea.restart()
    assert "you can't see it" in await sea.command(sea.cili, "table", game="1")


async def test_what_was_done_beside_the_rules_comes_back_too(sea: Sea, tmp_path: Path) -> None:
    chief = sea.manager()
    await sea.begin_at(AFAR, sea.bela)
    await sea.command(chief, "host pause", game="1")
    await sea.command(chief, "host resume", game="1")
    await sea.command(sea.bela, "extend", game="1", pause=True)
    await sea.command(chief, "host replace", game="1", whose="bela", substitute=sea.cili)
    await sea.concede(sea.anna)
    file, other, out = tmp_path / "game.json", tmp_path / "other.sqlite", tmp_path / "out.json"
    file.write_bytes(data := await exported(sea, sea.cili))
    done = await shelled("import", file, "--database", url(other), "--guild", sea.guild.id)
    assert done.exit_code == 0, done.output
    assert (await shelled("export", 1, "-o", out, "--database", url(other))).exit_code == 0
    assert out.read_bytes() == data
    sea.database_url = url(other)
    await sea.restart()
    for sea.languages[chief.id], told in (
        ("en-US", ["A manager paused", "A manager resumed", "#2 cili asks for a pause", "bela's seat to cili"]),
        ("hu", ["Egy moderátor", "folytatta a játszmát", "#2 cili szünetet kér", "bela helyét"]),
    ):
        said = await sea.command(chief, "host log", game="1")
        assert [piece for piece in told if piece not in said] == [], said
        assert "<@" not in said


async def test_a_game_of_open_turns_with_stored_plans_comes_back_too(sea: Sea, tmp_path: Path) -> None:
    await sea.begin(sea.bela, system="forts")
    await play(sea, [sea.anna, sea.bela], by_typing, rounds=0)
    for who in (sea.anna, sea.bela):
        if (asked := await sea.asked(who)) and asked.row.optional:
            await sea.write(who, "any: end")
    await sea.concede(sea.bela)
    data = await exported(sea, sea.anna)
    file, other, out = tmp_path / "game.json", tmp_path / "other.sqlite", tmp_path / "out.json"
    file.write_bytes(data)
    assert (await shelled("import", file, "--database", url(other))).exit_code == 0
    assert (await shelled("export", 1, "-o", out, "--database", url(other))).exit_code == 0
    assert out.read_bytes() == data


async def test_what_does_not_hold_is_not_taken_in(sea: Sea, tmp_path: Path) -> None:
    await a_game(sea)
    data = await exported(sea, sea.cili)
    good, bad, other = tmp_path / "good.json", tmp_path / "bad.json", tmp_path / "other.sqlite"
    good.write_bytes(data)
    for false, said in (
        (data.replace(b'"bela"', b'"BELA"'), "a name or a time"),
        (data[:-2], "isn't an exported game"),
        (encode_export(with_digest(_unasked(data))), "doesn't answer the question that was asked"),
    ):
        bad.write_bytes(false)
        refused = await shelled("import", good, bad, "--database", url(other))
        assert (refused.exit_code, refused.output.count("\n")) == (2, 1), refused.output
        assert said in refused.output
    assert not other.exists()


def _unasked(data: bytes) -> Any:
    paper = decode_export(data)
    was, game = paper.record.unused[0], paper.record.seed_commitment
    hashed = fairness.hash_answer(game, "r99.orders.0", was.body, was.nonce)
    answer = msgspec.structs.replace(was, request="r99.orders.0", commitment=hashed)
    return msgspec.structs.replace(paper, record=msgspec.structs.replace(paper.record, unused=(answer,)))


@pytest.mark.begun
async def test_a_game_that_goes_on_or_a_database_that_is_in_use_is_refused(sea: Sea, tmp_path: Path) -> None:
    out = tmp_path / "game.json"
    refused = await shelled("export", 1, "-o", out, "--database", sea.database_url)
    assert (refused.exit_code, "isn't over" in refused.output, out.exists()) == (2, True, False)
    out.write_bytes(await exported(sea, sea.anna))
    refused = await shelled("import", out, "--database", url(tmp_path / "other.sqlite"))
    assert (refused.exit_code, "was not over" in refused.output) == (2, True)
    refused = await shelled("export", 1, "-o", tmp_path / "x", "--database", url(tmp_path / "nowhere.sqlite"))
    assert (refused.exit_code, "nowhere.sqlite" in refused.output) == (2, True)
    assert not (tmp_path / "nowhere.sqlite").exists()


def finished(record: Record) -> FinishedGame:
    names = tuple(f"captain {seat}" for seat in range(len(record.setup.teams)))
    about = {"name": "Sea", "locale": "en", "opened": 1, "ended": 2, "log": (), "chain": (), "notes": ()}
    return with_digest(FinishedGame(captains=names, record=record, **about))


async def test_what_verify_accepts_is_taken_in_and_nothing_else(tmp_path: Path, empty_database: Path) -> None:
    # `test_replay` tries the records of all games without a shell.
    for number, (name, (record, holds)) in enumerate(besides("matchbox").items()):
        file, other = tmp_path / f"{number}.json", tmp_path / f"{number}.sqlite"
        shutil.copy(empty_database, other)
        file.write_bytes(encode_export(finished(record)))
        checked = await shelled("verify", file)
        taken = await shelled("import", file, "--database", url(other))
        assert (checked.exit_code == 0, taken.exit_code == 0) == (holds, holds), (name, taken.output)
        assert taken.output.count("\n") == 1, taken.output
        assert holds or "doesn't answer the question that was asked" in taken.output
        assert len(rows(other, "games")) == holds


@pytest.mark.parametrize("system", ["matchbox", "forts"])
async def test_games_that_went_to_and_fro_are_taken_in(database: str, system: str) -> None:
    """Also back to what was itself taken back."""
    store = await Store.open(database)
    try:
        duels = (game for game in (tape(system, number) for number in range(GAMES)) if len(game.setup.teams) == 2)
        for game in islice((game for game in duels if len(rounds_begin(game)) > 2), 2):
            begun = rounds_begin(game)
            whole, state = tape_record(game), game.states[begun[2]]
            steps = list(whole.steps[: begun[2] + 1])
            for to in (begun[1], begun[2], begun[0], len(steps), begun[2]):
                revealed = any(step.answers for step in steps[to + 1 :])
                steps.append(RecordedStep(act=UndoAction(to=to), events=()))
                state = restore_state(game.states[min(to, begun[2])], game.seed, len(steps) - 1, revealed=revealed)
            ended = game.rules.apply_out_of_turn(state, Concede(seat=0))
            steps.append(RecordedStep(act=Concede(seat=0), events=msgspec.to_builtins(ended.events)))
            asked = game.rules.pending_requests(state)
            free = [tape_sealed(game, request.id, readable(game, request.id)) for request in asked]
            whole = msgspec.structs.replace(whole, steps=tuple(steps), unused=tuple(free))
            paper = finished(msgspec.json.decode(msgspec.json.encode(whole), type=Record))
            assert check_export(encode_export(paper)) is None
            brought, new = await ArchiveService(store).import_game(paper, guild_id=0, channel_id=0)
            assert new
            assert await ArchiveService(store).export_finished(brought) == paper
    finally:
        await store.close()
