"""Only you see your settings: nobody can tell from a button how you are reminded (PRIVACY.md)."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

from bot.work.workers import Workers
from tests.bot.papers import sealed
from tests.sea import AFAR, Sea, parts


async def seen_by_all(sea: Sea, reminders: str) -> list[str]:
    """The custom ids of the thread's buttons after a round; Anna has chosen how she is reminded."""
    await sea.command(sea.anna, "me", reminders=reminders)
    await sea.begin_at(AFAR, sea.bela)
    await sealed(sea, sea.anna, "A1 RLRLR")
    await sealed(sea, sea.bela, "B1 RLRLR")
    found = [getattr(part, "custom_id", None) for message in sea.thread.history() for part in parts(message)]
    return [one for one in found if one]


async def test_no_button_in_the_thread_tells_whether_somebody_is_reminded(
    tmp_path: Path, workers: Workers, settings: dict[str, Any]
) -> None:
    tapes = []
    for reminders in ("both", "none"):
        sea = Sea(f"sqlite+aiosqlite:///{tmp_path / reminders}.sqlite", workers, itertools.count(1), **settings)
        async with sea.open():
            tapes.append(await seen_by_all(sea, reminders))
    assert tapes[0] == tapes[1]
