"""A real bot that is cut off from Discord; `make gaps` also stops and kills it, twenty times a game in all."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.core.registry import RULESETS
from tests import games
from tests.gaps.processes import Run, unfair


@pytest.mark.skipif(games.tested != tuple(RULESETS), reason="all games are played at once")
@pytest.mark.long
@pytest.mark.timeout(900)
async def test_nobody_misses_a_deadline_while_the_process_is_cut_off_from_discord(tmp_path: Path) -> None:
    run = Run(tmp_path, "short")
    missed = await run.play(["cut off"])
    assert {miss.system for miss in missed} == RULESETS.keys()
    assert [miss for miss in missed if unfair(miss)] == []
    assert "deadlines moved: captains could not act" in run.log
