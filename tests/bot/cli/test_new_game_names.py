"""The package of a new game never takes the place of one that the bot itself needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.cli.new_game import write_skeleton


@pytest.mark.parametrize("name", ["bot", "rules", "render", "data", "json", "asyncio", "discord"])
def test_a_game_is_not_called_as_what_the_bot_is_made_of(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match=name):
        write_skeleton(name, tmp_path)
