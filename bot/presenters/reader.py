"""The read side of one bot, by subject."""

from __future__ import annotations

from collections.abc import Callable

from bot.jobs.trials import SetupTrials
from bot.jobs.values import StillSettings
from bot.jobs.workers import Workers
from bot.presenters.lessons import LessonReader
from bot.presenters.readers.context import ReadContext
from bot.presenters.readers.games import GameReader, PlayerReader
from bot.presenters.readers.lobbies import LobbyReader
from bot.presenters.readers.messages import MessageReader
from bot.presenters.readers.pictures import PictureReader
from bot.presenters.readers.requests import RequestReader
from bot.presenters.readers.rounds import RoundReader
from bot.presenters.source import DigestFunction
from bot.store import Store
from bot.store.models.records import BotStatistics


class Reader:
    def __init__(
        self,
        store: Store,
        workers: Workers,
        trials: SetupTrials,
        now: Callable[[], int],
        *,
        digest: DigestFunction,
        stills: StillSettings,
    ) -> None:
        context = ReadContext(store=store, workers=workers, now=now, digest=digest, stills=stills)
        self.picture_style = context.picture_style
        self.open_game = context.open_game
        self.games = GameReader(context)
        self.players = PlayerReader(context)
        self.lobbies = LobbyReader(context, trials)
        self.messages = MessageReader(context)
        self.requests = RequestReader(context)
        self.rounds = RoundReader(context)
        self.pictures = PictureReader(context)
        self.lessons = LessonReader(context)


async def read_statistics(store: Store, now: int) -> BotStatistics:
    async with store.read() as tx:
        return await tx.messages.count_statistics(now=now)
