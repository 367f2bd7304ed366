"""Tells Discord which commands there are: only if they have changed, for it takes few such changes a day.

Their ids, which it gives them, are kept: texts mention commands by them.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final

from discord import app_commands

from bot.discord.delivery.refusals import REQUEST_ERRORS, RefusalKind
from bot.services.memos import MemoService
from bot.texts.style import DISCORD_STYLE

log = logging.getLogger(__name__)

FIRST_PAUSE_S: Final = 60
MAX_PAUSE_S: Final = 3_600
"""Seconds between two tries to tell them."""


async def sync_commands(
    tree: app_commands.CommandTree[Any], memos: MemoService, alone: Callable[[], Awaitable[bool]] | None = None
) -> bool:
    """Tell them if Discord has others; whether it knows them now. Those that it has stay where it refuses.

    Where several bots play, `alone` says whether no other tells them just now.
    """
    application: int = tree.client.application_id or 0
    key = f"commands:{application}"
    try:
        told = await command_payload(tree)
        wanted = _payload_hash(told)
        known, _, ids = (await memos.find_memo(key) or "").partition(" ")
        if known != wanted or not ids:
            if alone is not None and not await alone():
                return False
            # As `tree.sync()` does, which would find every name and description in every language once more.
            taken = await tree.client.http.bulk_upsert_global_commands(application, payload=told)
            ids = json.dumps({command["name"]: int(command["id"]) for command in taken})
            await memos.store_memo(key, f"{wanted} {ids}")
            log.info("commands told")
    except REQUEST_ERRORS as error:
        refused = tree.client.refusals.parse_refusal(error)
        level = logging.ERROR if refused.kind is RefusalKind.UNKNOWN else logging.WARNING
        log.log(level, "commands could not be told", extra={"why": str(refused), "code": refused.code})
        return False
    DISCORD_STYLE.set_commands(json.loads(ids))
    return True


async def command_payload(tree: app_commands.CommandTree[Any]) -> list[dict[str, Any]]:
    """All commands as they are sent to Discord, in every language."""
    translator = tree.translator
    return [
        await command.get_translated_payload(tree, translator) if translator else command.to_dict(tree)
        for command in tree.get_commands()
    ]


def _payload_hash(told: list[dict[str, Any]]) -> str:
    """Changes with every name, description, option and choice, in any language."""
    return hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()
