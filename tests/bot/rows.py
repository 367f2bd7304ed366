"""Rows of the bot's database, and messages, that tests of several packages read."""

from __future__ import annotations

import json
from typing import Any, cast

from tests.sea import Sea


def game(sea: Sea) -> dict[str, Any]:
    return sea.rows("games")["games"][0]


def dice(sea: Sea) -> dict[str, Any]:
    return cast("dict[str, Any]", json.loads(sea.rows("steps")["steps"][-1]["state"])["dice"])


def act_kinds(sea: Sea) -> list[str]:
    return [row["kind"] for row in sea.rows("acts")["acts"]]


def unsent(sea: Sea) -> list[str]:
    """Return the keys of unsent messages in the outbox, except reminders, which are due later."""
    rows = sea.rows("outbox")["outbox"]
    return [row["key"] for row in rows if row["sent"] < row["wanted"] and row["kind"] != "remind"]


def bot_messages(sea: Sea, who: Any) -> list[Any]:
    return [message for message in sea.dms(who) if message.author.bot]


def is_first_in_south(sea: Sea) -> bool:
    return '"sides":["south"' in sea.rows("steps")["steps"][0]["state"]


async def must_act(sea: Sea, who: Any) -> bool:
    pending = await sea.asked(who)
    return pending is not None and pending.row.body.kind == "act"
