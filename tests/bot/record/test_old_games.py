"""Games that began under the first scheme go on, end and verify under it; `tests/old` is of commit 746dfc5."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.ops.cli import app
from bot.record.export import Finished, check, read, write
from rules import fairness
from tests.bot.papers import exported, sealed
from tests.sea import Sea, text_of

OLD = Path(__file__).parents[2] / "old"
IDS = {"guild": "1456074443980800002", "channel": "1456074443980800005"}
PLAYERS = {"anna": "1456074443980800006", "bela": "1456074443980800007"}


async def restored(sea: Sea, tmp_path: Path) -> None:
    """Start the bot on the old database, whose players and places are those of this Discord."""
    text = (OLD / "games.sql").read_text(encoding="utf-8")
    now = {"guild": sea.guild.id, "channel": sea.channel.id, "anna": sea.anna.id, "bela": sea.bela.id}
    for name, old in {**IDS, **PLAYERS}.items():
        text = text.replace(old, str(now[name]))
    path = tmp_path / "old.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(text)
        connection.execute("UPDATE games SET thread_id = NULL WHERE phase = 'running'")
        connection.execute("UPDATE outbox SET message_id = NULL")
        connection.commit()
    sea.database_url = f"sqlite+aiosqlite:///{path}"
    await sea.restart()


async def test_an_old_database_goes_on(sea: Sea, tmp_path: Path) -> None:
    await restored(sea, tmp_path)
    over, running, lobby = sea.rows("games")["games"]
    assert [game["scheme"] for game in (over, running, lobby)] == [1, 1, 2]
    # What was over is handed out as it was then, byte for byte, for its fingerprint stands in the thread.
    assert await exported(sea, sea.anna) == (OLD / "finished.json").read_bytes()
    # What was going on goes on, and ends, under its scheme.
    await sea.command(sea.anna, "admin repost", game="2")
    await sealed(sea, sea.bela, "#2 B1 RXFXF")
    answers = [row for row in sea.rows("answers")["answers"] if row["game_id"] == 2]
    for row in answers:
        assert row["commitment"] == fairness.seal_hash(1, "", "", row["body"], row["nonce"])
    assert {row["request_id"] for row in answers} >= {"r1.orders.0", "r2.orders.0", "r2.orders.1"}
    await sea.command(sea.bela, "concede", game="2")
    await sea.press(sea.bela, sea.answers[0], "concede")
    data = await exported(sea, sea.bela, 2)
    paper = read(data)
    assert isinstance(paper, Finished)
    assert check(data, paper.digest) is None
    assert write(paper) == data
    assert b"scheme" not in data
    assert paper.digest[:16] in sea.told()
    # What had not begun begins under the new one: its lobby shows the fingerprint now.
    shown = [text_of(message) for message in sea.channel.history()]
    assert any(fairness.seed_hash(2, lobby["seed"]) in text for text in shown)
    await sea.command(sea.anna, "start", game="3")
    assert fairness.dice_seed(2, lobby["seed"], (None, None)) in sea.rows("steps")["steps"][-1]["state"]


def test_a_fleet_game_of_before_fleets_could_be_built_verifies(tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    data = (OLD / "2634fe8.squadrons.finished.json").read_bytes()
    file.write_bytes(data)
    result = CliRunner().invoke(app, ["verify", str(file)])
    assert result.exit_code == 0, result.output
    file.write_bytes(data.replace(b'"nonce":"', b'"nonce":"0', 1))
    assert CliRunner().invoke(app, ["verify", str(file)]).exit_code == 1


@pytest.mark.parametrize(("was", "by", "said"), [("", "", ""), ('"nonce":"', '"nonce":"0', "Entry")])
def test_an_old_file_verifies(tmp_path: Path, was: str, by: str, said: str) -> None:
    file = tmp_path / "game.json"
    text = (OLD / "finished.json").read_text(encoding="utf-8")
    file.write_text(text.replace(was, by, 1) if was else text, encoding="utf-8")
    result = CliRunner().invoke(app, ["verify", str(file)])
    assert result.exit_code == (1 if said else 0), result.output
    assert re.search(said, result.output)
