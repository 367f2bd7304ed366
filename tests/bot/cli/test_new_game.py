"""`war-galley new-game` writes a package that keeps all laws, and `words` what a game still has to say."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bot.cli.new_game import write_skeleton
from tests.laws.length import LONG

ROOT = Path(__file__).parents[3]
LAWS = "tests/laws" if LONG else "tests/laws/test_games.py"
"""The tests of another small game try all laws."""


def run(folder: Path, *command: str, games: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, in which the games of a folder can be named."""
    named = {"GAMES": games} if games else {}
    env = {key: value for key, value in os.environ.items() if key != "GAMES"}
    env |= {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", **named}
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    games_folder = tmp_path_factory.mktemp("games")
    done = run(games_folder, "bot", "new-game", "regatta", "--folder", str(games_folder))
    assert done.returncode == 0, done.stderr
    return games_folder


def test_a_new_game_keeps_all_laws_and_says_all_words(folder: Path) -> None:
    done = run(
        *(folder, "pytest", "--game", "regatta", "-n", "0", "-p", "no:cacheprovider"),
        *(LAWS, "tests/test_catalogues.py", "-k", "regatta or not catalogues"),
        games="regatta",
    )
    assert done.returncode == 0, done.stdout[-5000:]
    assert " passed" in done.stdout


def test_its_own_test_passes(folder: Path) -> None:
    own = str(folder / "regatta" / "test_game.py")
    done = run(folder, "pytest", "-n", "0", "-p", "no:cacheprovider", f"--rootdir={folder}", own, games="regatta")
    assert done.returncode == 0, done.stdout[-5000:]


def test_an_installed_game_is_known_without_being_named(folder: Path) -> None:
    installed = folder / "regatta-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: regatta\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text("[war_galley.games]\nregatta = regatta.rules\n")
    try:
        assert run(folder, "bot", "words", "regatta").stdout.endswith(": 0 sentences to write\n")
    finally:
        shutil.rmtree(installed)
    assert run(folder, "bot", "words", "regatta").returncode == 2


def test_words_that_it_lacks_are_written_down_to_be_filled_in(folder: Path) -> None:
    path = folder / "regatta" / "data" / "en.po"
    text = path.read_text(encoding="utf-8")
    assert run(folder, "bot", "words", "regatta", games="regatta").stdout == f"{path}: 0 sentences to write\n"
    path.write_text(re.sub(r'\nmsgid "(event.Ended.won|request.row)"\n.*\n', "", text), encoding="utf-8")
    try:
        done = run(folder, "bot", "words", "regatta", games="regatta")
        assert done.stdout.splitlines() == ["request.row", "event.Ended.won", f"{path}: 2 sentences to write"]
        assert path.read_text(encoding="utf-8").endswith('\nmsgid "event.Ended.won"\nmsgstr ""\n')
    finally:
        path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("name", ["matchbox", "No", "class", "regatta"])
def test_a_name_that_cannot_be_taken_is_refused(folder: Path, name: str) -> None:
    done = run(folder, "bot", "new-game", name, "--folder", str(folder))
    assert done.returncode == 2
    assert done.stderr.startswith("war-galley: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("name", ["bot", "rules", "render", "data", "json", "asyncio", "discord"])
def test_a_game_is_not_called_as_what_the_bot_is_made_of(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match=name):
        write_skeleton(name, tmp_path)
