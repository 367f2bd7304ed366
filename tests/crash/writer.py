"""A life of a bot to which a captain writes: the panel is deleted, and sent again below what was written.

Run as a process of its own: `main` with DATABASE STUB KILL_AT ORDERS as arguments; no ORDERS: none are written.
"""

from __future__ import annotations

import asyncio
import sys
from functools import partial

from bot.discord.app import WarGalley
from tests.crash.player import HOST, Points, begin, live, settle


async def write_below(bot: WarGalley, orders: str) -> None:
    """Begin the game if need be; the host writes orders, unless the draft holds them already."""
    await begin(bot.services)
    await settle(bot)
    pending = await bot.services.reader.requests.pending_request(HOST.user_id, 1)
    if orders and pending.row.draft != orders:
        await bot.services.orders.type_text(pending, orders, below=True)


def main() -> None:
    database, stub, kill_at, orders = sys.argv[1:]
    asyncio.run(live(database, stub, Points(int(kill_at)), partial(write_below, orders=orders), commits=False))
