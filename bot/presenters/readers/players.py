"""Players: their preferences, ratings and finished games."""

from __future__ import annotations

from bot.presenters.readers.context import SubjectReader
from bot.store.models.records import Player, RatingRow, RatingSummary


class PlayerReader(SubjectReader):
    async def find_player(self, user_id: int) -> Player | None:
        """Return a player's preferences; None if they have never played nor set any."""
        async with self._context.store.read() as tx:
            return (await tx.players.find_all([user_id])).get(user_id)

    async def server_scores(self, guild_id: int) -> list[RatingSummary]:
        async with self._context.store.read() as tx:
            return await tx.ratings.scores(guild_id=guild_id)

    async def user_career(self, user_id: int) -> tuple[dict[str, RatingSummary], list[RatingRow], dict[int, str]]:
        """Return a user's ratings by game, their finished games, and the kind of game of each battle by its id."""
        async with self._context.store.read() as tx:
            scores = {rating.system: rating for rating in await tx.ratings.scores(user_id=user_id)}
            return scores, await tx.ratings.of_user(user_id), await tx.ratings.battles_of_user(user_id)
