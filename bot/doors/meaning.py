"""Which question somebody means who writes orders without saying for which game."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from bot.doors.orders import Orders
from bot.errors import Refusal
from bot.telling.asked import Asked
from bot.telling.reader import Reader
from rules.errors import OrderError

_LIKELY: Final = ("illegal", "ambiguous", "unreadable")
"""Kinds of faults: what can be read but not be done was meant more likely than what cannot be read."""


class Meant(Struct, frozen=True, kw_only=True):
    """What a text may answer."""

    asked: tuple[Asked, ...]
    """Each question that could take it, of another game; where none can, that for which it was most likely meant."""
    refused: OrderError | None = None
    """Why none can take it."""


async def meant(reader: Reader, orders: Orders, user_id: int, text: str, game_id: int | None = None) -> Meant:
    """Return what typed text answers, in one game or in all that ask its writer something; nothing is changed.

    Open requests go before sealed ones. Raises `Refusal` if the writer is asked nothing.
    """
    games = await reader.asking(user_id) if game_id is None else [game_id]
    if len(games) <= 1:
        return Meant(asked=(await reader.asked(user_id, game_id),))
    tried: list[tuple[Asked, OrderError | None]] = []
    why: Refusal | None = None
    for game in games:
        try:
            asked = await reader.asked(user_id, game)
        except Refusal as still:  # it stands still just now
            why = still
            continue
        tried.append((asked, await orders.refusal(asked, text)))
    if not tried:
        raise why or Refusal("nothing_asked")
    reads = [asked for asked, refused in tried if refused is None]
    if reads:
        return Meant(asked=tuple([asked for asked in reads if asked.row.status == "open"] or reads))
    asked, refused = min(tried, key=_unlikely)
    return Meant(asked=(asked,), refused=refused)


def _unlikely(tried: tuple[Asked, OrderError | None]) -> tuple[int, bool, int]:
    """What comes first is what was meant most likely: readable, not answered yet, asked last."""
    asked, refused = tried
    kind = _LIKELY.index(refused.fault.kind) if refused else -1
    return kind, asked.row.status != "open", -asked.row.asked_at
