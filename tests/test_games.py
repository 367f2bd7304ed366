"""`pytest --game NAME` finds one game's tests, and loads no bot for them."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

from rules.core.registry import RULESETS

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
COLLECT = """
import sys
import pytest
code = pytest.main(["-o", "addopts=-p no:simcord", "--collect-only", "-q", "-p", "no:cacheprovider", *sys.argv[1:]])
print("loaded:", *sorted({"discord", "simcord", "bot.discord.app"} & set(sys.modules)))
sys.exit(code)
"""


def collect(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", COLLECT, *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_one_games_tests_are_found_without_the_bot() -> None:
    parts = (
        "test_panels.py",
        "test_pages.py",
        "test_glance.py",
        "test_repeats.py",
        "test_legends.py",
    )  # panels are made of Discord's parts
    done = collect("--game", "forts", *(f"--ignore=tests/laws/{name}" for name in parts))
    assert done.returncode == 0, done.stdout + done.stderr
    output = done.stdout
    for sight in (
        "rules/forts/test_fire.py",
        "[NB-01.1_",
        "test_random_play_ends[forts-0]",
        "test_every_answer_is_read_as_it_is_written_and_has_a_reason_that_can_be_told",
        "test_playthrough[6_forts]",
        "test_every_event_is_told[hu-forts-",
        "test_words[no_message_stands_twice-forts]",
        "test_forts_pictures.py",
        "test_pictures_look_as_they_did[forts]",
    ):
        assert sight in output, sight
    assert "matchbox" not in output.replace("test_no_game_is_named", "")
    assert "[MB-" not in output
    assert "bot/" not in output
    assert output.splitlines()[-1] == "loaded:"


def test_a_game_that_is_not_there_is_refused_in_a_sentence() -> None:
    done = collect("--game", "chess")
    assert done.returncode == 4
    assert "--game chess: there is no such game; there are matchbox, forts, ramspeed, squadrons" in done.stderr


def test_the_built_in_games_are_entry_points() -> None:
    assert PROJECT["entry-points"]["war_galley.games"] == {name: f"rules.{name}" for name in RULESETS}
