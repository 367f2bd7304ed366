"""Uploading the commands to Discord, only if they have changed, because Discord limits such changes per day.

Their ids, which Discord returns, are stored for mentions of commands in texts.
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


async def sync_commands(
    tree: app_commands.CommandTree[Any], memos: MemoService, may_upload: Callable[[], Awaitable[bool]] | None = None
) -> bool:
    """Upload the commands if Discord has others. Return whether it knows them now; after a refusal the old ones stay.

    With several processes, `may_upload` returns whether no other process is uploading them.
    """
    application: int = tree.client.application_id or 0
    key = f"commands:{application}"
    try:
        payload = await command_payload(tree)
        current_hash = _payload_hash(payload)
        # The memo holds the hash of the commands that Discord knows, and their ids by name as JSON.
        known_hash, _, ids = (await memos.find_memo(key) or "").partition(" ")
        if known_hash != current_hash or not ids:
            if may_upload is not None and not await may_upload():
                return False
            # Like `tree.sync()`, which would translate every name and description a second time.
            uploaded = await tree.client.http.bulk_upsert_global_commands(application, payload=payload)
            ids = json.dumps({command["name"]: int(command["id"]) for command in uploaded})
            await memos.store_memo(key, f"{current_hash} {ids}")
            log.info("commands told")
    except REQUEST_ERRORS as error:
        refusal = tree.client.refusals.parse_refusal(error)
        level = logging.ERROR if refusal.kind is RefusalKind.UNKNOWN else logging.WARNING
        log.log(level, "commands could not be told", extra={"why": str(refusal), "code": refusal.code})
        return False
    DISCORD_STYLE.set_commands(json.loads(ids))
    return True


async def command_payload(tree: app_commands.CommandTree[Any]) -> list[dict[str, Any]]:
    translator = tree.translator
    return [
        await command.get_translated_payload(tree, translator) if translator else command.to_dict(tree)
        for command in tree.get_commands()
    ]


def _payload_hash(payload: list[dict[str, Any]]) -> str:
    return hashlib.sha256(json.dumps(payload, sort_keys=True, default=str).encode()).hexdigest()
