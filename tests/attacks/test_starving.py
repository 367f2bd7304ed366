"""One person keeps nobody else waiting: the event loop only waits (ARCHITECTURE.md, rule 10)."""

from __future__ import annotations

import pytest

from bot.record import export
from bot.store import pace
from bot.words import zones
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


async def test_nothing_is_looked_for_while_somebody_types_more_than_could_be_suggested(
    sea: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Options are held to their limits when they are submitted, not while they are typed."""
    asked = list[str]()
    monkeypatch.setattr(pace, "suggest", lambda typed, *_: asked.append(typed) or [])
    for typed in ("on " * 2_000, "20:00"):
        assert await sea.anna.autocomplete(sea.channel, "galley new", "phase", typed) == []
    assert asked == ["20:00"]


def test_a_word_of_a_pace_is_looked_up_and_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    zones.find("budapest")
    folded = list[str]()
    fold = zones._folded
    monkeypatch.setattr(zones, "_folded", lambda name: folded.append(name) or fold(name))
    pace.suggest("on " * 20, zones.UTC, 25)
    assert len(folded) < 3 * len(zones.names())  # it was once for each zone, word and suggestion
