"""Games that have not begun."""

from __future__ import annotations

from bot.errors import Refusal
from bot.jobs.trials import SetupTrials
from bot.jobs.values import DescribedPicture
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters import lobby
from bot.presenters.charts import ChartCache
from bot.presenters.lobby import LobbyFacts
from bot.presenters.readers.context import ReadContext, SubjectReader
from bot.store.models.records import Game, OutboxMessage
from bot.texts.i18n import Localizer
from bot.urgency import IsWanted
from rules.core.errors import OrderError
from rules.core.protocol import Setup


class LobbyReader(SubjectReader):
    def __init__(self, context: ReadContext, trials: SetupTrials) -> None:
        super().__init__(context)
        self._trials = trials
        self._chart_cache = ChartCache(context.workers)

    async def lobbies_in(self, channel_id: int) -> list[Game]:
        async with self._context.store.read() as tx:
            return await tx.games.lobbies_in(channel_id)

    async def read_lobby(self, game_id: int) -> tuple[SeatedGame, OutboxMessage | None, LobbyFacts | None]:
        async with self._context.open_game(game_id) as source:
            message = await source.tx.messages.find(game_id, "lobby")
            facts = await lobby.read_lobby(source, message, self._context.now()) if message else None
            return source.seated_game, message, facts

    async def why_unplayable(self, facts: LobbyFacts) -> OrderError | Refusal | None:
        """Return why a game cannot begin with the host's choices; None if it can."""
        return (
            await self._trials.why_refused(facts.seated_game.game.setup)
            if facts.is_open and facts.has_choices
            else None
        )

    async def draw_chart(self, setup: Setup, localizer: Localizer, wanted: IsWanted = lambda: True) -> DescribedPicture:
        return await self._chart_cache.get_or_draw(setup, self._context.picture_style(localizer), wanted)
