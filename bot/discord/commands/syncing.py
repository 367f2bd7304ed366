"""Tells Discord which commands there are: only if they have changed, for it takes few such changes a day."""

from __future__ import annotations

import hashlib
import json
import logging
from typing import Any, Final

from discord import app_commands

from bot.discord.sending import refusals
from bot.discord.sending.refusals import FAILURES, Meaning
from bot.doors.memos import Memos

log = logging.getLogger(__name__)

FIRST_PAUSE: Final = 60
LONGEST_PAUSE: Final = 3_600
"""Seconds between two tries to tell them."""


async def sync(tree: app_commands.CommandTree[Any], memos: Memos) -> bool:
    """Tell them if Discord has others; whether it knows them now. Those that it has stay where it refuses."""
    key = f"commands:{tree.client.application_id}"
    try:
        told = await payload(tree)
        wanted = _fingerprint(told)
        known = await memos.find(key)
        if known == wanted:
            return True
        # As `tree.sync()` does, which would find every name and description in every language once more.
        await tree.client.http.bulk_upsert_global_commands(tree.client.application_id, payload=told)
    except FAILURES as error:
        refused = refusals.read(error)
        level = logging.ERROR if refused.meaning is Meaning.UNKNOWN else logging.WARNING
        log.log(level, "commands could not be told", extra={"why": str(refused), "code": refused.code})
        return False
    await memos.keep(key, wanted)
    log.info("commands told")
    return True


async def payload(tree: app_commands.CommandTree[Any]) -> list[dict[str, Any]]:
    """All commands as they are sent to Discord, in every language."""
    translator = tree.translator
    return [
        await command.get_translated_payload(tree, translator) if translator else command.to_dict(tree)
        for command in tree.get_commands()
    ]


def _fingerprint(told: list[dict[str, Any]]) -> str:
    """Changes with every name, description, option and choice, in any language."""
    return hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()
