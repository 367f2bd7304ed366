"""Query and add published hashes of games. Rows are never changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sqlalchemy import BindParameter, bindparam, literal, select

from bot.store.engine.built import insert_row
from bot.store.models.tables import answers, published
from bot.store.queries.base import QueryGroup, record_from_row
from bot.store.queries.publications import PublishedHash, ShownHash

_UNBROKEN_SEAL: Final = "held"  # stands in the `what` column for an answer whose seal is not broken
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
    async def of_game(self, game_id: int) -> tuple[PublishedHash, ...]:
        return tuple(
            record_from_row(row, PublishedHash)
            for row in await self._connection.execute(_SELECT_OF_GAME, {"game": game_id})
        )

    async def note_published(self, game_id: int, hashes: Iterable[tuple[ShownHash, str]], *, now: int) -> None:
        """Store hashes that messages show, each with the message's link, unless they are stored already.

        If a seal was broken while its message was on the way, it is stored as broken too.
        """
        publications = dict.fromkeys(hashes)
        if not publications:
            return
        params = {"game": game_id, "hashes": [*{shown_hash.hash for shown_hash, _ in publications}]}
        known_rows = {(*row,) for row in await self._connection.execute(_SELECT_KNOWN, params)}
        new_rows: list[PublishedHash] = []
        for shown_hash, link in publications:
            if (shown_hash.what, shown_hash.hash, link) not in known_rows:
                new_rows.append(
                    PublishedHash(
                        what=shown_hash.what, hash=shown_hash.hash, request=shown_hash.request, at=now, link=link
                    )
                )
                if shown_hash.what == "seal" and (_UNBROKEN_SEAL, shown_hash.hash, "") not in known_rows:
                    new_rows.append(_broken_seal_row(shown_hash, at=now))
        await self.add_all(game_id, new_rows)

    async def note_broken(self, game_id: int, request_id: str, *, now: int) -> None:
        """Store that the seal of a request's answer was broken, if the seal had been published."""
        query = select(answers.c.commitment).where(answers.c.game_id == game_id, answers.c.request_id == request_id)
        commitment = (await self._connection.execute(query)).scalar()
        if commitment is None:
            return
        seal = next((row for row in await self.of_game(game_id) if row.hash == commitment), None)
        if seal:
            await self.add_all(game_id, [_broken_seal_row(seal, at=now)])

    async def add_all(self, game_id: int, hashes: Iterable[PublishedHash]) -> None:
        names = PublishedHash.__struct_fields__
        rows = [{"game_id": game_id, **{name: getattr(row, name) for name in names}} for row in hashes]
        if rows:
            await self._connection.execute(insert_row(published), rows)


def _broken_seal_row(seal: ShownHash, *, at: int) -> PublishedHash:
    return PublishedHash(what="broken", hash=seal.hash, request=seal.request, at=at, link="")
