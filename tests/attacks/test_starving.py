"""One person keeps nobody else waiting: the event loop only waits (ARCHITECTURE.md, rule 10)."""

from __future__ import annotations

import pytest

from bot.record import export
from tests.bot.papers import a_game, exported
from tests.sea import Sea


async def test_a_file_that_somebody_hands_in_is_read_by_a_worker_only(
    sea: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anybody may send 8 MiB to be held against a game, as often as they like: decoding that takes a second."""
    await a_game(sea)
    data = await exported(sea, sea.cili)
    read = list[bytes]()
    decode = export.read

    def noted(given: bytes) -> export.Export:
        read.append(given)
        return decode(given)

    monkeypatch.setattr(export, "read", noted)  # a worker is a process of its own, and so has its own
    said = await sea.command(sea.cili, "verify", game="1", file=("game.json", data))
    assert "fits its hash" in said
    assert not read
