"""Finding in a server's audit log what its managers did to a game, if the bot may read it.

They may have locked its thread, taken a permission from the bot, or removed a captain.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import discord

from bot.discord.delivery.refusals import REQUEST_ERRORS, ParseRefusal
from bot.store.models.records import Game

MAX_ENTRIES: Final = 100  # as many as one request returns
ENTRY_DELAY_S: Final = 3


class ServerAuditLog:
    def __init__(self, client: discord.Client, parse_refusal: ParseRefusal) -> None:
        self._client = client
        self._parse_refusal = parse_refusal

    async def find_culprit(self, game: Game, problem: str) -> int | None:
        """Return the user who caused `problem` ("locked" or a permission that the bot lacks); None if not known."""
        entry = await self._find(game.guild_id, lambda entry, me: _is_cause(entry, me, game, problem))
        return entry.user_id if entry else None

    async def find_removal(self, guild_id: int, user_id: int, *, has_just_left: bool) -> int | None:
        """Return when a member was last kicked or banned (Unix seconds); None if not known.

        Discord may write the entry a moment after it reports that the member has left.
        """
        guild = self._client.get_guild(guild_id)
        if guild is None or not guild.me.guild_permissions.view_audit_log:
            return None
        removals = (discord.AuditLogAction.kick, discord.AuditLogAction.ban)
        for delay_s in (0, ENTRY_DELAY_S) if has_just_left else (0,):
            await asyncio.sleep(delay_s)
            entry = await self._find(
                guild_id, lambda entry, _: entry.action in removals and getattr(entry.target, "id", None) == user_id
            )
            if entry is not None:
                return int(entry.created_at.timestamp())
        return None

    async def _find(
        self, guild_id: int, is_wanted: Callable[[discord.AuditLogEntry, discord.Member], bool]
    ) -> discord.AuditLogEntry | None:
        """Return the newest entry that is wanted; None if there is none, or the bot may not read the log."""
        guild = self._client.get_guild(guild_id)
        if guild is None or not guild.me.guild_permissions.view_audit_log:
            return None
        try:
            async for entry in guild.audit_logs(limit=MAX_ENTRIES):
                if is_wanted(entry, guild.me):
                    return entry
        except REQUEST_ERRORS as error:
            self._parse_refusal(error)
        return None


def _is_cause(entry: discord.AuditLogEntry, me: discord.Member, game: Game, problem: str) -> bool:
    """Return whether an entry locked the game's thread, or took the permission `problem` from the bot (`me`)."""
    target_id = getattr(entry.target, "id", None)
    actions = discord.AuditLogAction
    match entry.action:
        case actions.thread_update:
            return problem == "locked" and target_id == game.thread_id and bool(getattr(entry.after, "locked", False))
        case actions.overwrite_create | actions.overwrite_update:
            own_ids = {me.id, *(role.id for role in me.roles)}  # @everyone is one of the bot's roles
            concerns_bot = target_id == game.channel_id and getattr(entry.extra, "id", None) in own_ids
            return (
                concerns_bot
                and _includes_permission(entry.after, "deny", problem)
                and not _includes_permission(entry.before, "deny", problem)
            )
        case actions.role_update:
            is_lost = _includes_permission(entry.before, "permissions", problem) and not _includes_permission(
                entry.after, "permissions", problem
            )
            return target_id in {role.id for role in me.roles} and is_lost
        case actions.member_role_update:
            roles = getattr(entry.before, "roles", None) or []
            return target_id == me.id and any(getattr(role.permissions, problem, False) for role in roles)
    return False


def _includes_permission(diff: discord.AuditLogDiff, field: str, permission: str) -> bool:
    permissions = getattr(diff, field, None)
    return permissions is not None and bool(getattr(permissions, permission, False))
