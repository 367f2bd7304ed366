"""The bot of today on the database that a release left, in the Discord it played in."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import msgspec
from sqlalchemy import make_url

from bot.sandbox import private, snapshot
from tests.sea import Sea, refs

HERE: Final = Path(__file__).parent


def database(release: str, file: Path) -> None:
    """Write the database of a release to a file that is not there yet."""
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript((HERE / release / "games.sql").read_text())


def paper(release: str, name: str) -> bytes:
    """An export as that release wrote it."""
    return (HERE / release / f"{name}.json").read_bytes()


class Restored(Sea):
    """The same users, server, channel, threads and messages, with the ids that the database names."""

    release: str

    def settle_land(self) -> None:
        """Fill this Discord from the file instead of making anything."""
        file = Path(str(make_url(self.database_url).database))
        database(self.release, file)
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("DELETE FROM kept_facts WHERE key LIKE 'commands%'")  # this Discord knows none
        world = msgspec.json.decode((HERE / self.release / "discord.json").read_bytes(), type=snapshot.WorldSnapshot)
        snapshot._fill_backend(self.env.backend, world)
        self.guild = private.guild_handle(self.env, world.memory["guild"])
        self.channel = private.channel_handle(self.env, self.guild, world.memory["channel"])
        self.anna, self.bela, self.cili, self.chief = (
            private.member_handle(self.env, self.guild, world.memory[name])
            for name in ("anna", "bela", "cili", "chief")
        )

    def use(self, game: int) -> None:
        """Let `thread` and `told` be those of this game."""
        (self.of,) = [thread for thread in self.channel.threads if str(thread.name).startswith(f"#{game} ")]

    @property
    def thread(self) -> Any:
        """The thread of the game in use."""
        return self.of

    def panel_of(self, who: Any, game: int, verb: str = "seal") -> Any:
        """The newest direct message of a game that has such a button."""
        return next(
            message
            for message in reversed(self.dms(who))
            if any(key.startswith(verb) and ref.game == game for key, ref in refs(message).items())
        )
