"""A bot that is killed while it moves clocks has moved none of them, or all; the next one moves none twice."""

from __future__ import annotations

import itertools
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.forked import start
from tests.gaps.on_a_clock import World

GAP_S = 7_200


def _rows(file: Path, statement: str) -> list[Any]:
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(statement).fetchall()


@pytest.mark.timeout(300)
async def test_a_kill_at_any_commit_moves_nothing_twice_and_forgets_nothing(tmp_path: Path) -> None:
    calm, file = tmp_path / "calm.sqlite", tmp_path / "games.sqlite"
    for system in ("forts", "matchbox"):
        world = World(f"sqlite+aiosqlite:///{calm}", system, system)
        await world.start()
        world.questions.clear()  # of the other game
        await world.play(3_600)
        await world.end(in_order=True)
    deadlines = "SELECT game_id, id, deadline FROM requests ORDER BY 1, 2"
    before = _rows(calm, deadlines)
    ((beat,),) = _rows(calm, "SELECT at FROM beats")
    assert len({game for game, *_ in before}) == 2
    killed = 0
    for kill_at in itertools.count(1):
        shutil.copy(calm, file)
        code = await start(
            "tests.gaps.killed:main", f"sqlite+aiosqlite:///{file}", str(beat + GAP_S), str(kill_at)
        ).wait()
        if code == 0:
            break
        killed += 1
        half = _rows(file, deadlines)
        assert half in (before, [(game, name, deadline + GAP_S) for game, name, deadline in before])
        again = "tests.gaps.killed:main", f"sqlite+aiosqlite:///{file}", str(beat + GAP_S + 5), "0"
        assert await start(*again).wait() == 0
        extra = 5 if half == before else 0
        assert _rows(file, deadlines) == [(game, name, deadline + GAP_S + extra) for game, name, deadline in before]
        acts = [json.loads(params) for (params,) in _rows(file, "SELECT params FROM acts WHERE kind = 'gap'")]
        assert acts == [{"since": beat, "until": beat + GAP_S + extra}] * 2
    assert killed >= 2
