"""Many lives of a bot to which a captain writes: the panel is deleted, and sent again below what was written.

Run as a process of its own, which loads the bot once and forks for each life: `python -m tests.crash.writer`. Reads
lines of DATABASE STUB KILL_AT ORDERS, and answers each with the exit code and the points passed; no ORDERS: none are
written.
"""

from __future__ import annotations

import asyncio
import os
import sys
import traceback
from functools import partial
from pathlib import Path

from bot.discord.app import WarGalley
from tests.crash.player import HOST, Points, begin, live, settle


async def write_below(bot: WarGalley, orders: str) -> None:
    """Begin the game if need be; the host writes orders, unless the draft holds them already."""
    await begin(bot.table)
    await settle(bot)
    asked = await bot.table.reader.asked(HOST.user_id, 1)
    if orders and asked.row.draft != orders:
        await bot.table.orders.type(asked, orders, below=True)


def life(database: str, stub: str, kill_at: int, orders: str) -> tuple[int, int]:
    """Run the bot once, in a process of its own; its exit code and the points it passed."""
    heard, told = os.pipe()
    if not (child := os.fork()):
        points, code = Points(kill_at), 1
        try:
            asyncio.run(live(database, stub, Path(), points, partial(write_below, orders=orders)))
            os.write(told, str(points.passed).encode())
            code = 0
        finally:
            if code:
                traceback.print_exc()
            os._exit(code)
    os.close(told)
    _, status = os.waitpid(child, 0)
    passed = int(os.read(heard, 20) or 0)
    os.close(heard)
    return os.waitstatus_to_exitcode(status), passed


if __name__ == "__main__":
    for line in sys.stdin:
        _database, _stub, _kill_at, _orders = line.rstrip("\n").split("\t")
        print(*life(_database, _stub, int(_kill_at), _orders), flush=True)  # noqa: T201
