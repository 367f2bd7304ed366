"""A demonstration game: played through Discord to its end, alike for the same seed, and written down."""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from typer.testing import CliRunner

from bot.cli.demo import DemoError, run_demo
from bot.cli.main import app
from bot.cli.shell import check_record

pytestmark = pytest.mark.timeout(300)
SHORT = {"galleys": "1", "map": "skerry"}
"""A duel round a rock, on a coffee table."""


def play(out: Path, seed: int) -> tuple[str, str, list[str]]:
    request_ids: list[str] = []
    winner = run_demo(
        system="matchbox",
        seed=seed,
        out=out,
        wire=out / "wire.jsonl",
        options=SHORT,
        progress=lambda request: request_ids.append(request.id),
    )
    return winner, (out / "transcript.md").read_text(encoding="utf-8"), request_ids


def unnumbered(record: Path) -> dict[str, Any]:
    """Remove a record's digest and message numbers, which depend on how fast pictures are drawn."""
    game: dict[str, Any] = json.loads(record.read_bytes())
    del game["digest"]
    for note in game["notes"]:
        note["link"] = note["link"].rpartition("/")[0]
    return game


def test_a_game_is_played_to_its_end_and_written_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PICTURE_WIDTH", "400")
    winner, transcript, request_ids = play(tmp_path, 3)
    assert set(winner.split(" = ")) <= {"Anna", "Ben"}
    assert len(request_ids) >= 4
    pictures = re.findall(r"^!\[(.+)\]\((\d+\.png)\)$", transcript, re.MULTILINE)
    assert len(pictures) >= 4
    for _, name in pictures:
        with Image.open(tmp_path / name) as picture:
            assert picture.width > 300
    assert not re.search(r"<[@#t]", transcript)
    assert any("395–505/250–350" in words for words, _ in pictures), "words say where the rock is"
    calls = [json.loads(line) for line in (tmp_path / "wire.jsonl").read_text(encoding="utf-8").splitlines()]
    assert all(call.keys() == {"method", "path", "json"} for call in calls)
    assert any(call["method"] == "POST" and call["path"].endswith("/threads") for call in calls)
    assert check_record((tmp_path / "game.json").read_bytes()) == ("", True)

    assert logging.getLogger("discord").level == logging.NOTSET, "a demonstration has silenced the library for good"

    again = tmp_path / "again"
    assert play(again, 3) == (winner, transcript, request_ids)
    for name in ("001.png", pictures[-1][1]):
        assert (again / name).read_bytes() == (tmp_path / name).read_bytes()
    assert unnumbered(again / "game.json") == unnumbered(tmp_path / "game.json")


@pytest.mark.long
def test_a_season_does_not_wait_and_is_filmed_with_all_its_fleets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PICTURE_WIDTH", "320")
    run_demo(system="campaign", seed=3, out=tmp_path, options={"map": "gulf", "turns": "12"})
    for kind, frames in (("replay", 24), ("film", 6)):
        film, first = tmp_path / f"{kind}.webp", ["--round", "1"] if kind == "film" else []
        result = CliRunner().invoke(
            app, ["render", str(tmp_path / "game.json"), "-o", str(film), "--kind", kind, *first]
        )
        assert result.exit_code == 0, result.output
        with Image.open(film) as filmed:
            assert filmed.n_frames > frames, "fleets row: there is more than the end of each turn"


def test_an_unknown_map_or_switch_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DemoError, match="map is one of none, skerry"):
        run_demo(system="matchbox", seed=1, out=tmp_path, options={"map": "nowhere"})
    switches = ["--map", "skerry", "--set", "boarding=perhaps"]
    done = CliRunner().invoke(app, ["demo", "--out", str(tmp_path), *switches])
    assert "boarding is one of off, on" in done.output
    with pytest.raises(DemoError, match="no list for map"):
        run_demo(system="forts", seed=1, out=tmp_path, options={"map": "skerry"})


def test_an_unknown_game_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DemoError, match="matchbox"):
        run_demo(system="chess", seed=1, out=tmp_path)
