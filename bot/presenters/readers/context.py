"""The store, the workers and the settings of pictures, which all readers need."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot.jobs.values import PictureStyle, StillSettings
from bot.jobs.workers import Workers
from bot.presenters.source import DigestFunction, GameSource
from bot.store import Store
from bot.texts.i18n import Localizer
from rules.core.view import Text


@dataclass(frozen=True, kw_only=True)
class ReadContext:
    store: Store
    workers: Workers
    now: Callable[[], int]  # Unix seconds
    digest: DigestFunction  # hashes the record of a finished game
    stills: StillSettings  # format and width of pictures

    @asynccontextmanager
    async def open_game(self, game_id: int) -> AsyncIterator[GameSource]:
        """Yield a game in a transaction of its own. Raises `Refusal`."""
        async with self.store.read() as tx:
            yield await GameSource.open(tx, game_id, self.digest)

    def picture_style(
        self, localizer: Localizer, caption: Text | None = None, *, viewpoint_seat: int | None = None
    ) -> PictureStyle:
        """Return how a game's pictures are drawn for a reader; from the side of `viewpoint_seat`, if given."""
        catalogue = localizer.catalogue
        return PictureStyle(
            system=catalogue.system,
            language=catalogue.language,
            names=dict(localizer.names),
            caption=caption,
            stills=self.stills,
            viewpoint_seat=viewpoint_seat,
        )


class SubjectReader:
    """Reads one subject.

    Methods that take the id of a game raise `Refusal` if there is no such game, or if the user may not see or do what
    they ask for. Methods that take `wanted` raise `JobOutdated` if it returns False when a worker is free.
    """

    def __init__(self, context: ReadContext) -> None:
        self._context = context
