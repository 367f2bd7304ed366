"""What was published of games: rows are added, and never changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sqlalchemy import BindParameter, bindparam, literal, select

from bot.store.engine.built import insert_row
from bot.store.models.tables import answers, published
from bot.store.queries.base import QueryGroup, record_from_row
from bot.store.queries.publications import PublishedHash, ShownHash

_UNBROKEN_SEAL: Final = "held"
"""In place of what was published: a seal that nobody has broken."""
_GAME_PARAM: Final[BindParameter[int]] = bindparam("game")
_HASHES_PARAM: Final[BindParameter[str]] = bindparam("hashes", expanding=True)
_SELECT_KNOWN: Final = (
    select(published.c.what, published.c.hash, published.c.link)
    .where(published.c.game_id == _GAME_PARAM, published.c.hash.in_(_HASHES_PARAM))
    .union_all(
        select(literal(_UNBROKEN_SEAL), answers.c.commitment, literal("")).where(
            answers.c.game_id == _GAME_PARAM, answers.c.commitment.in_(_HASHES_PARAM)
        )
    )
)
_SELECT_OF_GAME: Final = (
    select(*(published.c[name] for name in PublishedHash.__struct_fields__))
    .where(published.c.game_id == _GAME_PARAM)
    .order_by(published.c.id)
)


class PublishedHashQueries(QueryGroup):
    """Queries and additions of what was published."""

    async def of_game(self, game_id: int) -> tuple[PublishedHash, ...]:
        """All that was published of a game, in order."""
        return tuple(
            record_from_row(row, PublishedHash)
            for row in await self._connection.execute(_SELECT_OF_GAME, {"game": game_id})
        )

    async def note_published(self, game_id: int, shown: Iterable[tuple[ShownHash, str]], *, now: int) -> None:
        """Note what messages show, each hash with its link, as far as they did not show it before.

        A seal that was broken while it was on its way is noted as broken at once.
        """
        told = dict.fromkeys(shown)
        if not told:
            return
        given = {"game": game_id, "hashes": [*{one.hash for one, _ in told}]}
        known = {(*row,) for row in await self._connection.execute(_SELECT_KNOWN, given)}
        new: list[PublishedHash] = []
        for one, link in told:
            if (one.what, one.hash, link) not in known:
                new.append(_published_row(one, at=now, link=link))
                if one.what == "seal" and (_UNBROKEN_SEAL, one.hash, "") not in known:
                    new.append(_broken_seal_row(one, at=now))
        await self.add_all(game_id, new)

    async def note_broken(self, game_id: int, request_id: str, *, now: int) -> None:
        """Note that the seal on the answer to a request is broken, if it was published."""
        query = select(answers.c.commitment).where(answers.c.game_id == game_id, answers.c.request_id == request_id)
        hashed = (await self._connection.execute(query)).scalar()
        seal = next((one for one in await self.of_game(game_id) if one.hash == hashed), None) if hashed else None
        if seal:
            await self.add(game_id, _broken_seal_row(seal, at=now))

    async def add(self, game_id: int, one: PublishedHash) -> None:
        """Add a row."""
        await self.add_all(game_id, [one])

    async def add_all(self, game_id: int, those: Iterable[PublishedHash]) -> None:
        """Add rows."""
        names = PublishedHash.__struct_fields__
        rows = [{"game_id": game_id, **{name: getattr(one, name) for name in names}} for one in those]
        if rows:
            await self._connection.execute(insert_row(published), rows)


def _published_row(one: ShownHash, *, at: int, link: str) -> PublishedHash:
    return PublishedHash(what=one.what, hash=one.hash, request=one.request, at=at, link=link)


def _broken_seal_row(seal: ShownHash, *, at: int) -> PublishedHash:
    return PublishedHash(what="broken", hash=seal.hash, request=seal.request, at=at, link="")
