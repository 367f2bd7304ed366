"""The toy game keeps all laws of the house, by the commands that its host has; and nothing outside knows it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bot import games
from bot.cli.shell import fault_line, run_case
from rules.core.errors import OrderError
from rules.core.registry import RULESETS
from tests.toygame.invariants import TIGHT

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
NAMED = {**os.environ, "GAMES": "tests.toygame", "PYTHONPATH": str(ROOT)}


def run(*command: str, **kwargs: Any) -> subprocess.CompletedProcess[str]:
    kwargs = {"env": NAMED, **kwargs}
    return subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False, **kwargs)


@pytest.mark.long
@pytest.mark.timeout(600)
def test_it_keeps_all_laws_and_says_all_words() -> None:
    done = run(
        *("-m", "pytest", "--game", "toygame", "-n", "0", "-p", "no:cacheprovider"),
        *("tests/laws", "tests/test_catalogues.py", "-k", "toygame or not catalogues"),
    )
    assert done.returncode == 0, done.stdout[-5000:]
    assert " passed" in done.stdout


def test_its_rules_stay_short() -> None:
    """Code that games share is outside a game's own rules."""
    assert sum(len(path.read_text("utf-8").splitlines()) for path in (HERE / "rules").glob("*.py")) <= 450


def test_nothing_outside_knows_it() -> None:
    rooms = (ROOT / room for room in ("bot", "render", "rules", "data", "tests"))
    files = [ROOT / "pyproject.toml", *(path for room in rooms for path in room.rglob("*.*"))]
    renames = ROOT / "tests" / "renames"  # names that were changed, of the toy game, too
    code = [p for p in files if p.suffix in (".py", ".po", ".toml", ".js", ".html") and p.parent != renames]
    assert len(code) > 100
    for path in code:
        assert path.is_relative_to(HERE) or "toygame" not in path.read_text(encoding="utf-8"), path


def test_what_was_added_is_taken_away_again() -> None:
    known = set(RULESETS)
    assert "toygame" in known
    with (
        pytest.raises(games.GameLoadError, match="there is a game called toygame already"),
        games.temporarily_loaded("tests.toygame"),
    ):
        pass
    assert set(RULESETS) == known


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ("nowhere.at_all", "GAMES: nowhere.at_all: No module named 'nowhere'"),
        ("tests.cases", "GAMES: tests.cases: No module named 'tests.cases.rules'"),
    ],
)
def test_a_package_without_a_game_stops_the_bot_in_one_line(named: str, told: str) -> None:
    done = run("-m", "bot", "run", env={**NAMED, "GAMES": named, "EXIT_DELAY_S": "0"})
    assert (done.returncode, done.stderr) == (2, f"war-galley: {told}\n")


def test_its_cases_are_adjudicated() -> None:
    setup = {"system": "toygame", "teams": [0, 1], "options": {"packs": "1"}, "scenario": TIGHT}
    case = {"ruleset": "toygame", "setup": setup}
    result = run_case(json.dumps({**case, "answers": {"r1.wind": "breeze"}}))
    assert [event["type"] for event in result["events"]] == ["WindCalled"]
    requests = [(request["id"], request.get("ahead", False)) for request in result["pending"]]
    assert requests == [("r1.orders.0", False), ("r1.orders.1", False)]
    with pytest.raises(OrderError) as refused:
        run_case(json.dumps({**case, "answers": {"r1.wind": "storm"}}))
    assert "is no wind" in fault_line(refused.value)
