"""What a release leaves can be written with every version, so that the next release can be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bot.jobs.workers import Workers
from bot.record.export import check_export
from tests.laws.play import SYSTEMS
from tests.releases import write
from tests.releases.restored import HERE


async def test_all_that_a_release_leaves_can_be_written(
    tmp_path: Path, workers: Workers, settings: dict[str, Any]
) -> None:
    folder = tmp_path / "release"
    folder.mkdir()
    games = await write.leave(folder, workers, **settings)
    assert [number for number, _ in games.values()] == [*range(1, 11)]
    first, now = [{file.name for file in place.iterdir()} for place in (HERE / "1.0", folder)]
    assert first <= now
    assert now - first <= {f"record.{system}.json" for system in SYSTEMS}, "games that came later"
    for file in folder.glob("*.json"):
        if file.name != "discord.json":
            assert check_export(file.read_bytes()) is None, file.name
    assert len([*folder.glob("record.*.json")]) == len(SYSTEMS)
